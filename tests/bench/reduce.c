/* SPDX-License-Identifier: Apache-2.0 */
/* Bounded: the sum's order differs. */
#include "bench.h"

enum { N = 8 << 20, BLOCKS = 4096 };

static void plain(void *const *b)
{
	const float *restrict x = b[0];
	float sum = 0;

#pragma omp parallel for schedule(static) reduction(+ : sum)
	for (int i = 0; i < N; i += 1024) {
		float part = 0;
		for (int k = 0; k < 1024; k++)
			part += x[i + k];
		sum += part;
	}
	((float *)b[2])[0] = sum;
}

void make_reduce(struct problem *p)
{
	float *x = add_buffer(p, (size_t)N * 4);
	uint64_t seed = 4;
	double sum = 0;

	add_buffer(p, BLOCKS * 4);
	add_buffer(p, 4);
	for (int i = 0; i < N; i++) {
		x[i] = draw_float(&seed, 0, 1);
		sum += x[i];
	}
	add_step(p, "reduce", BLOCKS, 1, 256, 1, "bbu", 0, 1, N);
	add_step(p, "reduce", 1, 1, 256, 1, "bbu", 1, 2, BLOCKS);
	p->plain = plain;
	*(float *)add_reference(p, 2, 0, 1e-5) = (float)sum;
}
