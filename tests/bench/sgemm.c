/* SPDX-License-Identifier: Apache-2.0 */
/* Bits: every sum is fused and goes up in k, in all versions. */
#include <math.h>

#include "bench.h"

enum { N = 512 };

typedef float v16 __attribute__((vector_size(64), aligned(4)));

/* Strips of 4 rows by 64 columns, their sums in vector registers. */
static void plain(void *const *buffers)
{
	const float *restrict a = buffers[0], *restrict b = buffers[1];
	float *restrict c = buffers[2];

#pragma omp parallel for schedule(static)
	for (int i = 0; i < N; i += 4)
		for (int j = 0; j < N; j += 64) {
			float sum[4][64] = {{0}};
			for (int k = 0; k < N; k++)
				for (int r = 0; r < 4; r++)
					for (int q = 0; q < 64; q++)
						sum[r][q] = fmaf(a[(i + r) * N + k], b[k * N + j + q], sum[r][q]);
			for (int r = 0; r < 4; r++)
				for (int q = 0; q < 64; q++)
					c[(i + r) * N + j + q] = sum[r][q];
		}
}

void make_sgemm(struct problem *p)
{
	float *a = add_buffer(p, N * N * 4), *b = add_buffer(p, N * N * 4);
	uint64_t seed = 2;

	add_buffer(p, N * N * 4);
	for (int i = 0; i < N * N; i++) {
		a[i] = draw_float(&seed, -1, 1);
		b[i] = draw_float(&seed, -1, 1);
	}
	add_step(p, "sgemm", N / 128, N / 128, 256, 1, "bbbu", 0, 1, 2, N);
	p->plain = plain;
	float *c = add_reference(p, 2, 0, 0);
	for (int i = 0; i < N; i++)
		for (int k = 0; k < N; k++)
			for (int j = 0; j < N; j++)
				c[i * N + j] = fmaf(a[i * N + k], b[k * N + j], c[i * N + j]);
}
