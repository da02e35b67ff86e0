/* SPDX-License-Identifier: Apache-2.0 */
/* Bits. */
#include "bench.h"

enum { WORDS = 1 << 20, BLOCKS = 256 };

static void plain(void *const *buffers)
{
	const uint32_t *restrict in = buffers[0];
	uint32_t *restrict bins = buffers[1];

#pragma omp parallel
	{
		uint32_t h[4][256] = {{0}};
#pragma omp for schedule(static) nowait
		for (uint32_t i = 0; i < WORDS; i++)
			for (int k = 0; k < 4; k++)
				h[k][in[i] >> 8 * k & 255]++;
#pragma omp critical
		for (int k = 0; k < 256; k++)
			bins[k] += h[0][k] + h[1][k] + h[2][k] + h[3][k];
	}
}

void make_hist(struct problem *p)
{
	uint32_t *in = add_buffer(p, WORDS * 4);
	uint64_t seed = 5;

	for (uint32_t k = 0; k < WORDS; k++)
		in[k] = draw(&seed);
	add_buffer(p, 256 * 4);
	add_step(p, "hist", BLOCKS, 1, 256, 1, "bbu", 0, 1, WORDS);
	p->plain = plain;
	p->instructions = 256ull * BLOCKS * (25 + 22 * 16);
	uint32_t *r = add_reference(p, 1, 0, 0);
	for (uint32_t k = 0; k < WORDS * 4; k++)
		r[in[k / 4] >> k % 4 * 8 & 255]++;
}
