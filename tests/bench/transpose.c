/* SPDX-License-Identifier: Apache-2.0 */
/* Bits. */
#include "bench.h"

enum { N = 2048, TILE = 32 };

static void plain(void *const *buffers)
{
	const float *restrict in = buffers[0];
	float *restrict out = buffers[1];

#pragma omp parallel for schedule(static)
	for (size_t bi = 0; bi < N; bi += TILE)
		for (size_t bj = 0; bj < N; bj += TILE) {
			float tile[TILE][TILE + 1];
			for (size_t i = 0; i < TILE; i++)
				for (size_t j = 0; j < TILE; j++)
					tile[j][i] = in[(bi + i) * N + bj + j];
			for (size_t j = 0; j < TILE; j++)
				for (size_t i = 0; i < TILE; i++)
					out[(bj + j) * N + bi + i] = tile[j][i];
		}
}

void make_transpose(struct problem *p)
{
	const float *in = add_small_floats(p, N * N, 6);

	add_buffer(p, (size_t)N * N * 4);
	add_step(p, "transpose", N / 32, N / 32, 32, 8, "bbu", 0, 1, N);
	p->plain = plain;
	p->instructions = (uint64_t)N * N / 4 * 65;
	float *r = add_reference(p, 1, 0, 0);
	for (uint32_t i = 0; i < N; i++)
		for (uint32_t j = 0; j < N; j++)
			r[j * N + i] = in[i * N + j];
}
