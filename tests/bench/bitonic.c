/* SPDX-License-Identifier: Apache-2.0 */
/* Bits. The plain version sorts by digits, as one would on a CPU. */
#include <stdlib.h>
#include <string.h>

#include "bench.h"

enum { ROWS = 256, SIZE = 1024 };

static void plain(void *const *b)
{
	uint32_t *a = b[0];

#pragma omp parallel for schedule(static)
	for (int r = 0; r < ROWS; r++) {
		uint32_t other[SIZE], places[4][256] = {{0}}, *from = a + r * SIZE, *to = other;
		for (int i = 0; i < SIZE; i++)
			for (int d = 0; d < 4; d++)
				places[d][from[i] >> 8 * d & 255]++;
		for (int d = 0; d < 4; d++) {
			uint32_t sum = 0;
			for (int k = 0; k < 256; k++) {
				const uint32_t n = places[d][k];
				places[d][k] = sum;
				sum += n;
			}
			for (int i = 0; i < SIZE; i++)
				to[places[d][from[i] >> 8 * d & 255]++] = from[i];
			uint32_t *swap = from;
			from = to;
			to = swap;
		}
	}
}

static int by_value(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

void make_bitonic(struct problem *p)
{
	uint32_t *a = add_buffer(p, ROWS * SIZE * 4);
	uint64_t seed = 6;

	for (int i = 0; i < ROWS * SIZE; i++)
		a[i] = draw(&seed);
	add_step(p, "bitonic", ROWS, 1, 512, 1, "b", 0);
	p->plain = plain;
	uint32_t *out = add_reference(p, 0, 0, 0);
	memcpy(out, a, ROWS * SIZE * 4);
	for (int r = 0; r < ROWS; r++)
		qsort(out + r * SIZE, SIZE, 4, by_value);
}
