/* SPDX-License-Identifier: Apache-2.0 */
/* Bits: sums of small whole numbers. */
#include "bench.h"

enum { N = 512 };

typedef float v16 __attribute__((vector_size(64), aligned(4)));

/* A strip of 4 rows by 64 columns, its sums in vector registers. */
static void strip(const float *restrict a, const float *restrict b, float *restrict c, uint32_t i, uint32_t j)
{
	v16 sums[4][4] = {0};

	for (uint32_t k = 0; k < N; k++) {
		const v16 *row = (const v16 *)&b[k * N + j];
		for (int r = 0; r < 4; r++)
			for (int q = 0; q < 4; q++)
				sums[r][q] += a[(i + r) * N + k] * row[q];
	}
	for (int r = 0; r < 4; r++)
		for (int q = 0; q < 4; q++)
			*(v16 *)&c[(i + r) * N + j + 16 * q] = sums[r][q];
}

static void plain(void *const *buffers)
{
#pragma omp parallel for schedule(static)
	for (uint32_t i = 0; i < N; i += 4)
		for (uint32_t j = 0; j < N; j += 64)
			strip(buffers[0], buffers[1], buffers[2], i, j);
}

void make_matmul(struct problem *p)
{
	const float *a = add_small_floats(p, N * N, 3), *b = add_small_floats(p, N * N, 4);

	add_buffer(p, N * N * 4);
	add_step(p, "matmul", N / 16, N / 16, 16, 16, "bbbu", 0, 1, 2, N);
	p->plain = plain;
	p->instructions = (uint64_t)N * N * (36 + 64 * (N / 16));
	float *r = add_reference(p, 2, 0, 0);
	for (uint32_t i = 0; i < N; i++)
		for (uint32_t k = 0; k < N; k++)
			for (uint32_t j = 0; j < N; j++)
				r[i * N + j] += a[i * N + k] * b[k * N + j];
}
