/* SPDX-License-Identifier: Apache-2.0 */
/* Bounded: exponentials and logarithms differ. */
#include <math.h>

#include "bench.h"

enum { N = 1 << 20 };

static inline float normal(float d)
{
	const float k = 1 / (1 + 0.2316419f * fabsf(d));
	const float c =
		0.39894228040143267794f * expf(-0.5f * d * d) *
		(k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));

	return d > 0 ? 1 - c : c;
}

static void plain(void *const *b)
{
	const float *restrict s = b[0], *restrict x = b[1], *restrict t = b[2];
	float *restrict call = b[3], *restrict put = b[4];
	const float r = 0.02f, v = 0.3f;

#pragma omp parallel for simd schedule(static)
	for (int i = 0; i < N; i++) {
		const float root = sqrtf(t[i]);
		const float d1 = (logf(s[i] / x[i]) + (r + 0.5f * v * v) * t[i]) / (v * root), d2 = d1 - v * root;
		const float c1 = normal(d1), c2 = normal(d2), e = expf(-r * t[i]);
		call[i] = s[i] * c1 - x[i] * e * c2;
		put[i] = x[i] * e * (1 - c2) - s[i] * (1 - c1);
	}
}

static double exact(double d)
{
	const double k = 1 / (1 + 0.2316419 * fabs(d));
	const double c =
		0.39894228040143267794 * exp(-0.5 * d * d) *
		(k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429)))));

	return d > 0 ? 1 - c : c;
}

void make_blackscholes(struct problem *p)
{
	static const float low[] = {5, 1, 0.25f}, high[] = {30, 100, 10};
	const float *in[3];
	uint64_t seed = 8;

	for (int k = 0; k < 3; k++) {
		float *f = add_buffer(p, N * 4);
		for (int i = 0; i < N; i++)
			f[i] = draw_float(&seed, low[k], high[k]);
		in[k] = f;
	}
	add_buffer(p, N * 4);
	add_buffer(p, N * 4);
	add_step(p, "blackscholes", N / 256, 1, 256, 1, "bbbbbffu", 0, 1, 2, 3, 4, 0.02, 0.3, N);
	p->plain = plain;
	float *put = add_reference(p, 4, 2e-4, 1e-4);
	for (int i = 0; i < N; i++) {
		const double s = in[0][i], x = in[1][i], t = in[2][i], r = 0.02f, v = 0.3f;
		const double d1 = (log(s / x) + (r + 0.5 * v * v) * t) / (v * sqrt(t)), d2 = d1 - v * sqrt(t);
		put[i] = (float)(x * exp(-r * t) * (1 - exact(d2)) - s * (1 - exact(d1)));
	}
}
