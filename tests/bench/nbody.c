/* SPDX-License-Identifier: Apache-2.0 */
/* Bounded: rsqrt.approx differs from 1 / sqrt, and sums may be reordered. */
#include <math.h>

#include "bench.h"

enum { N = 5120 };

static void plain(void *const *b)
{
	static float x[N], y[N], z[N], m[N];
	const float *p = b[0];
	float *a = b[1];

	for (int i = 0; i < N; i++) {
		x[i] = p[4 * i];
		y[i] = p[4 * i + 1];
		z[i] = p[4 * i + 2];
		m[i] = p[4 * i + 3];
	}
#pragma omp parallel for schedule(static)
	for (int i = 0; i < N; i++) {
		float ax = 0, ay = 0, az = 0;
		for (int j = 0; j < N; j++) {
			const float dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
			const float r = 1 / sqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
			const float f = m[j] * r * r * r;
			ax += dx * f;
			ay += dy * f;
			az += dz * f;
		}
		a[4 * i] = ax;
		a[4 * i + 1] = ay;
		a[4 * i + 2] = az;
		a[4 * i + 3] = 0;
	}
}

void make_nbody(struct problem *p)
{
	float *in = add_buffer(p, N * 16);
	uint64_t seed = 1;

	add_buffer(p, N * 16);
	for (int i = 0; i < N * 4; i++)
		in[i] = draw_float(&seed, 0.1f, 1);
	add_step(p, "nbody", N / 256, 1, 256, 1, "bbu", 0, 1, N);
	p->plain = plain;
	float *out = add_reference(p, 1, 0.05, 1e-4);
	for (int i = 0; i < N; i++) {
		double a[3] = {0};
		for (int j = 0; j < N; j++) {
			const double dx = in[4 * j] - in[4 * i], dy = in[4 * j + 1] - in[4 * i + 1],
				     dz = in[4 * j + 2] - in[4 * i + 2];
			const double r = 1 / sqrt(dx * dx + dy * dy + dz * dz + 0.01f), f = in[4 * j + 3] * r * r * r;
			a[0] += dx * f;
			a[1] += dy * f;
			a[2] += dz * f;
		}
		for (int k = 0; k < 3; k++)
			out[4 * i + k] = (float)a[k];
	}
}
