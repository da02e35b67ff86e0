/* SPDX-License-Identifier: Apache-2.0
 *
 * bench-native KERNEL SCALE REPETITIONS THREADS: the same problems in plain C with OpenMP, as the
 * measure of what the host can do. Built with gcc -O3 -march=native -fopenmp.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problem.h"

typedef float v16 __attribute__((vector_size(64), aligned(4)));

static void run_saxpy(const struct problem *p, void *const *b)
{
	const float *restrict x = b[0];
	float *restrict y = b[1];
	const float a = p->args[2].value;

#pragma omp parallel for schedule(static)
	for (uint32_t i = 0; i < p->n; i++)
		y[i] = a * x[i] + y[i];
}

/* A strip of 4 rows by 64 columns, its sums in vector registers. */
static void matmul_strip(const float *restrict a, const float *restrict b, float *restrict c, uint32_t n, uint32_t i,
			 uint32_t j)
{
	v16 sums[4][4] = {0};

	for (uint32_t k = 0; k < n; k++) {
		const v16 *row = (const v16 *)&b[k * n + j];
		for (int r = 0; r < 4; r++)
			for (int q = 0; q < 4; q++)
				sums[r][q] += a[(i + r) * n + k] * row[q];
	}
	for (int r = 0; r < 4; r++)
		for (int q = 0; q < 4; q++)
			*(v16 *)&c[(i + r) * n + j + 16 * q] = sums[r][q];
}

static void run_matmul(const struct problem *p, void *const *b)
{
#pragma omp parallel for schedule(static)
	for (uint32_t i = 0; i < p->n; i += 4)
		for (uint32_t j = 0; j < p->n; j += 64)
			matmul_strip(b[0], b[1], b[2], p->n, i, j);
}

static void run_mandel(const struct problem *p, void *const *b)
{
	uint32_t *restrict out = b[0];
	const uint32_t w = p->n, limit = p->args[2].number;
	const float x0 = p->args[3].value, y0 = p->args[4].value, step = p->args[5].value;

#pragma omp parallel for schedule(dynamic, 8)
	for (uint32_t py = 0; py < w; py++)
		for (uint32_t px = 0; px < w; px++) {
			const float cx = x0 + step * (float)px, cy = y0 + step * (float)py;
			float x = 0, y = 0;
			uint32_t n = 0;
			while (n < limit) {
				const float xx = x * x, yy = y * y;
				if (xx + yy > 4.0f)
					break;
				y = 2.0f * x * y + cy;
				x = xx - yy + cx;
				n++;
			}
			out[py * w + px] = n;
		}
}

static void run_hist(const struct problem *p, void *const *b)
{
	const uint32_t *restrict in = b[0];
	uint32_t *restrict bins = b[1];

#pragma omp parallel
	{
		uint32_t h[4][256] = {{0}};
#pragma omp for schedule(static) nowait
		for (uint32_t i = 0; i < p->n; i++)
			for (int k = 0; k < 4; k++)
				h[k][in[i] >> 8 * k & 255]++;
#pragma omp critical
		for (int k = 0; k < 256; k++)
			bins[k] += h[0][k] + h[1][k] + h[2][k] + h[3][k];
	}
}

static void run_transpose(const struct problem *p, void *const *b)
{
	const float *restrict in = b[0];
	float *restrict out = b[1];
	const size_t n = p->n;

#pragma omp parallel for schedule(static)
	for (size_t bi = 0; bi < n; bi += 32)
		for (size_t bj = 0; bj < n; bj += 32) {
			float tile[32][33];
			for (size_t i = 0; i < 32; i++)
				for (size_t j = 0; j < 32; j++)
					tile[j][i] = in[(bi + i) * n + bj + j];
			for (size_t j = 0; j < 32; j++)
				for (size_t i = 0; i < 32; i++)
					out[(bj + j) * n + bi + i] = tile[j][i];
		}
}

/* 64 lanes at a time, so that the compiler vectorises the inner loop. */
static void run_xorshift(const struct problem *p, void *const *b)
{
	uint32_t *restrict out = b[0];
	const uint32_t rounds = p->args[1].number;

#pragma omp parallel for schedule(static)
	for (uint32_t i = 0; i < p->n; i += 64) {
		uint32_t x[64], sum[64] = {0};
		for (uint32_t l = 0; l < 64; l++)
			x[l] = (i + l) * 2654435761u + 1;
		for (uint32_t r = 0; r < rounds; r++)
			for (uint32_t l = 0; l < 64; l++) {
				uint32_t v = x[l];
				v ^= v << 13;
				v ^= v >> 17;
				v ^= v << 5;
				x[l] = v;
				v += sum[l] * 1664525u;
				sum[l] = v ^ v >> 16;
			}
		memcpy(out + i, sum, sizeof sum);
	}
}

int main(int count, char **words)
{
	static const struct {
		const char *name;
		void (*run)(const struct problem *p, void *const *b);
	} kernels[] = {
		{"saxpy", run_saxpy}, {"matmul", run_matmul},       {"mandel", run_mandel},
		{"hist", run_hist},   {"transpose", run_transpose}, {"xorshift", run_xorshift},
	};
	void *buffers[PROBLEM_BUFFERS] = {NULL};
	size_t kernel = 0;

	struct problem *p = count == 5 ? problem_make(words[1], (unsigned)atoi(words[2])) : NULL;
	if (!p)
		return 2;
	while (strcmp(kernels[kernel].name, p->name))
		kernel++;
	omp_set_num_threads(atoi(words[4]));
	for (uint32_t k = 0; k < p->buffer_count; k++)
		if (posix_memalign(&buffers[k], 4096, p->bytes[k]))
			return 2;
	for (int k = -1; k < atoi(words[3]); k++) {
		for (uint32_t n = 0; n < p->buffer_count; n++)
			problem_fill(p, n, buffers[n]);
		const double start = problem_now();
		kernels[kernel].run(p, buffers);
		const double seconds = problem_now() - start;
		if (k >= 0)
			problem_report(p, "native", (unsigned)atoi(words[2]), words[4], k, seconds,
				       problem_check(p, buffers[p->output]));
	}
	return 0;
}
