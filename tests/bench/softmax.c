/* SPDX-License-Identifier: Apache-2.0 */
/* Bounded: exponentials and the order of sums differ. */
#include <math.h>

#include "bench.h"

enum { ROWS = 8192, SIZE = 512 };

static void plain(void *const *b)
{
	const float *restrict in = b[0];
	float *restrict out = b[1];

#pragma omp parallel for schedule(static)
	for (int r = 0; r < ROWS; r++) {
		const float *from = in + r * SIZE;
		float *to = out + r * SIZE, most = from[0], sum = 0;
		for (int k = 1; k < SIZE; k++)
			most = from[k] > most ? from[k] : most;
		for (int k = 0; k < SIZE; k++) {
			to[k] = expf(from[k] - most);
			sum += to[k];
		}
		const float scale = 1 / sum;
		for (int k = 0; k < SIZE; k++)
			to[k] *= scale;
	}
}

void make_softmax(struct problem *p)
{
	float *in = add_buffer(p, ROWS * SIZE * 4);
	uint64_t seed = 10;

	add_buffer(p, ROWS * SIZE * 4);
	for (int i = 0; i < ROWS * SIZE; i++)
		in[i] = draw_float(&seed, -8, 8);
	add_step(p, "softmax", ROWS / 8, 1, 256, 1, "bb", 0, 1);
	p->plain = plain;
	float *out = add_reference(p, 1, 1e-9, 2e-5);
	for (int r = 0; r < ROWS; r++) {
		double sum = 0;
		for (int k = 0; k < SIZE; k++)
			sum += exp((double)in[r * SIZE + k]);
		for (int k = 0; k < SIZE; k++)
			out[r * SIZE + k] = (float)(exp((double)in[r * SIZE + k]) / sum);
	}
}
