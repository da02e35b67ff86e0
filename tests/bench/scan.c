/* SPDX-License-Identifier: Apache-2.0 */
/* Bits. */
#include <omp.h>

#include "bench.h"

enum { N = 4 << 20 };

static void plain(void *const *b)
{
	const uint32_t *restrict in = b[0];
	uint32_t *restrict out = b[1];
	uint32_t totals[64] = {0};

#pragma omp parallel
	{
		const int count = omp_get_num_threads(), me = omp_get_thread_num();
		const int from = (int)((long)N * me / count), to = (int)((long)N * (me + 1) / count);
		uint32_t sum = 0;
		if (count > 1) {
			for (int i = from; i < to; i++)
				sum += in[i];
			totals[me] = sum;
#pragma omp barrier
			sum = 0;
			for (int k = 0; k < me; k++)
				sum += totals[k];
		}
		for (int i = from; i < to; i++)
			out[i] = sum += in[i];
	}
}

void make_scan(struct problem *p)
{
	uint32_t *in = add_buffer(p, (size_t)N * 4), sum = 0;
	uint64_t seed = 5;

	add_buffer(p, (size_t)N * 4);
	add_buffer(p, N / 2048 * 8);
	add_buffer(p, 4);
	add_step(p, "scan", N / 2048, 1, 256, 1, "bbbb", 0, 1, 2, 3);
	p->plain = plain;
	uint32_t *out = add_reference(p, 1, 0, 0);
	for (int i = 0; i < N; i++) {
		in[i] = draw(&seed) % 1001;
		out[i] = sum += in[i];
	}
}
