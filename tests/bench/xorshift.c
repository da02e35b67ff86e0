/* SPDX-License-Identifier: Apache-2.0 */
/* Bits. */
#include <string.h>

#include "bench.h"

enum { N = 1 << 18, ROUNDS = 64 };

static uint32_t next(uint32_t x)
{
	x ^= x << 13;
	x ^= x >> 17;
	return x ^ x << 5;
}

/* 64 at a time, so that the compiler vectorises the inner loop. */
static void plain(void *const *buffers)
{
	uint32_t *restrict out = buffers[0];

#pragma omp parallel for schedule(static)
	for (uint32_t i = 0; i < N; i += 64) {
		uint32_t x[64], sum[64] = {0};
		for (uint32_t l = 0; l < 64; l++)
			x[l] = (i + l) * 2654435761u + 1;
		for (uint32_t r = 0; r < ROUNDS; r++)
			for (uint32_t l = 0; l < 64; l++) {
				const uint32_t v = (x[l] = next(x[l])) + sum[l] * 1664525u;
				sum[l] = v ^ v >> 16;
			}
		memcpy(out + i, sum, sizeof sum);
	}
}

void make_xorshift(struct problem *p)
{
	add_buffer(p, N * 4);
	add_step(p, "xorshift", N / 256, 1, 256, 1, "buu", 0, ROUNDS, N);
	p->plain = plain;
	p->instructions = (uint64_t)N * (20 + 12 * ROUNDS);
	uint32_t *r = add_reference(p, 0, 0, 0);
	for (uint32_t k = 0; k < N; k++) {
		uint32_t x = k * 2654435761u + 1, sum = 0;
		for (uint32_t round = 0; round < ROUNDS; round++) {
			x = next(x);
			sum = sum * 1664525u + x;
			sum ^= sum >> 16;
		}
		r[k] = sum;
	}
}
