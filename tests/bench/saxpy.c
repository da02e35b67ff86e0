/* SPDX-License-Identifier: Apache-2.0 */
/* Bits: sums of small whole numbers. */
#include "bench.h"

enum { N = 1 << 22, SCALE = 3 };

static void plain(void *const *buffers)
{
	const float *restrict x = buffers[0];
	float *restrict y = buffers[1];

#pragma omp parallel for schedule(static)
	for (uint32_t i = 0; i < N; i++)
		y[i] = SCALE * x[i] + y[i];
}

void make_saxpy(struct problem *p)
{
	float *x = add_small_floats(p, N, 1), *y = add_small_floats(p, N, 2);

	add_step(p, "saxpy", N / 256, 1, 256, 1, "bbfu", 0, 1, (double)SCALE, N);
	p->plain = plain;
	p->moves = 3ull * N * sizeof *x; /* y comes and goes */
	p->instructions = 20ull * N;
	float *r = add_reference(p, 1, 0, 0);
	for (uint32_t k = 0; k < N; k++)
		r[k] = SCALE * x[k] + y[k];
}
