/* SPDX-License-Identifier: Apache-2.0 */
/* Bits: nothing is fused. */
#include "bench.h"

enum { W = 1024, LIMIT = 256 };

static const float x0 = -2, y0 = -1.5f, step = 3.0f / W;

static uint32_t steps_at(float cx, float cy)
{
	float x = 0, y = 0;
	uint32_t n = 0;

	while (n < LIMIT) {
		const float xx = x * x, yy = y * y;
		if (xx + yy > 4.0f)
			break;
		y = 2.0f * x * y + cy;
		x = xx - yy + cx;
		n++;
	}
	return n;
}

static void plain(void *const *buffers)
{
	uint32_t *restrict out = buffers[0];

#pragma omp parallel for schedule(dynamic, 8)
	for (uint32_t py = 0; py < W; py++)
		for (uint32_t px = 0; px < W; px++)
			out[py * W + px] = steps_at(x0 + step * (float)px, y0 + step * (float)py);
}

void make_mandel(struct problem *p)
{
	add_buffer(p, W * W * 4);
	add_step(p, "mandel", W / 16, W / 16, 16, 16, "buufff", 0, W, LIMIT, (double)x0, (double)y0, (double)step);
	p->plain = plain;
	uint32_t *r = add_reference(p, 0, 0, 0);
	for (uint32_t y = 0; y < W; y++)
		for (uint32_t x = 0; x < W; x++) {
			const uint32_t steps = steps_at(x0 + step * (float)x, y0 + step * (float)y);
			r[y * W + x] = steps;
			p->instructions += 32 + 13ull * steps + (steps < LIMIT ? 5 : 0);
		}
}
