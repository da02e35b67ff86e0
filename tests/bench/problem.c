/* SPDX-License-Identifier: Apache-2.0
 *
 * The six problems. Floats are small whole numbers where sums are taken, so that every order and
 * every contraction gives the same bits; mandel's reference must not be contracted.
 */
#include "problem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { PAGE = 4096 };

static void *zeroed(size_t bytes)
{
	void *p = NULL;

	if (posix_memalign(&p, PAGE, bytes ? bytes : 1))
		abort();
	return memset(p, 0, bytes);
}

static uint32_t random_next(uint32_t *state)
{
	uint32_t x = *state;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	return *state = x;
}

/* Whole numbers from -8 to 7. */
static float *small_floats(size_t count, uint32_t seed)
{
	float *f = zeroed(count * sizeof *f);

	for (size_t k = 0; k < count; k++)
		f[k] = (float)((int)(random_next(&seed) >> 28) - 8);
	return f;
}

static void add_buffer(struct problem *p, size_t bytes, void *initial)
{
	const uint32_t number = p->buffer_count++;

	p->bytes[number] = bytes;
	p->initial[number] = initial;
	p->args[p->arg_count++] = (struct argument){.kind = ARGUMENT_BUFFER, .number = number};
}

static void add_output(struct problem *p, size_t bytes, void *initial)
{
	p->output = p->buffer_count;
	add_buffer(p, bytes, initial);
}

static void add_u32(struct problem *p, uint32_t value)
{
	p->args[p->arg_count++] = (struct argument){.kind = ARGUMENT_U32, .number = value};
}

static void add_f32(struct problem *p, float value)
{
	p->args[p->arg_count++] = (struct argument){.kind = ARGUMENT_F32, .value = value};
}

/* Sets the shape and returns the number of threads. */
static uint64_t shape(struct problem *p, uint32_t bx, uint32_t by, uint32_t gx, uint32_t gy)
{
	p->block[0] = bx;
	p->block[1] = by;
	p->grid[0] = gx;
	p->grid[1] = gy;
	return (uint64_t)bx * by * gx * gy;
}

static void make_saxpy(struct problem *p, unsigned scale)
{
	const uint32_t n = p->n = (1u << 22) >> scale;
	const float a = 3;
	float *x = small_floats(n, 1), *y = small_floats(n, 2), *r = zeroed((size_t)n * sizeof *r);

	add_buffer(p, (size_t)n * sizeof *x, x);
	add_output(p, (size_t)n * sizeof *y, y);
	add_f32(p, a);
	add_u32(p, n);
	for (uint32_t k = 0; k < n; k++)
		r[k] = a * x[k] + y[k];
	p->reference = r;
	p->thread_instructions = shape(p, 256, 1, n / 256, 1) * 20;
}

static void make_matmul(struct problem *p, unsigned scale)
{
	const uint32_t n = p->n = 512u >> scale;
	const size_t bytes = (size_t)n * n * sizeof(float);
	float *a = small_floats((size_t)n * n, 3), *b = small_floats((size_t)n * n, 4), *r = zeroed(bytes);

	add_buffer(p, bytes, a);
	add_buffer(p, bytes, b);
	add_output(p, bytes, NULL);
	add_u32(p, n);
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < n; k++)
			for (uint32_t j = 0; j < n; j++)
				r[i * n + j] += a[i * n + k] * b[k * n + j];
	p->reference = r;
	p->thread_instructions = shape(p, 16, 16, n / 16, n / 16) * (36 + 64ull * (n / 16));
}

static uint32_t mandel_steps(float cx, float cy, uint32_t limit)
{
	float x = 0, y = 0;
	uint32_t steps = 0;

	while (steps < limit) {
		const float xx = x * x, yy = y * y;
		if (xx + yy > 4)
			break;
		y = 2 * x * y + cy;
		x = xx - yy + cx;
		steps++;
	}
	return steps;
}

static void make_mandel(struct problem *p, unsigned scale)
{
	const uint32_t w = p->n = 1024u >> scale, limit = 256;
	const float x0 = -2, y0 = -1.5f, step = 3.0f / (float)w;
	uint32_t *r = zeroed((size_t)w * w * sizeof *r);

	add_output(p, (size_t)w * w * sizeof *r, NULL);
	add_u32(p, w);
	add_u32(p, limit);
	add_f32(p, x0);
	add_f32(p, y0);
	add_f32(p, step);
	shape(p, 16, 16, w / 16, w / 16);
	for (uint32_t y = 0; y < w; y++)
		for (uint32_t x = 0; x < w; x++) {
			const uint32_t steps = mandel_steps(x0 + step * (float)x, y0 + step * (float)y, limit);
			r[y * w + x] = steps;
			p->thread_instructions += 32 + 13ull * steps + (steps < limit ? 5 : 0);
		}
	p->reference = r;
}

static void make_hist(struct problem *p, unsigned scale)
{
	const uint32_t words = p->n = (1u << 20) >> scale;
	uint32_t seed = 5, *in = zeroed((size_t)words * sizeof *in), *r = zeroed(256 * sizeof *r);

	for (uint32_t k = 0; k < words; k++)
		in[k] = random_next(&seed);
	add_buffer(p, (size_t)words * sizeof *in, in);
	add_output(p, 256 * sizeof *r, NULL);
	add_u32(p, words);
	for (size_t k = 0; k < (size_t)words * 4; k++)
		r[in[k / 4] >> k % 4 * 8 & 255]++;
	p->reference = r;
	p->thread_instructions = shape(p, 256, 1, 256u >> scale, 1) * (25 + 22ull * 16);
}

static void make_transpose(struct problem *p, unsigned scale)
{
	const uint32_t n = p->n = 2048u >> scale;
	const size_t bytes = (size_t)n * n * sizeof(float);
	float *in = small_floats((size_t)n * n, 6), *r = zeroed(bytes);

	add_buffer(p, bytes, in);
	add_output(p, bytes, NULL);
	add_u32(p, n);
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t j = 0; j < n; j++)
			r[j * n + i] = in[i * n + j];
	p->reference = r;
	p->thread_instructions = shape(p, 32, 8, n / 32, n / 32) * 65;
}

static void make_xorshift(struct problem *p, unsigned scale)
{
	const uint32_t n = p->n = (1u << 18) >> scale, rounds = 64;
	uint32_t *r = zeroed((size_t)n * sizeof *r);

	add_output(p, (size_t)n * sizeof *r, NULL);
	add_u32(p, rounds);
	add_u32(p, n);
	for (uint32_t k = 0; k < n; k++) {
		uint32_t x = k * 2654435761u + 1, sum = 0;
		for (uint32_t round = 0; round < rounds; round++) {
			sum = sum * 1664525u + random_next(&x);
			sum ^= sum >> 16;
		}
		r[k] = sum;
	}
	p->reference = r;
	p->thread_instructions = shape(p, 256, 1, n / 256, 1) * (20 + 12ull * rounds);
}

static const struct {
	const char *name;
	void (*make)(struct problem *p, unsigned scale);
} makers[] = {
	{"saxpy", make_saxpy}, {"matmul", make_matmul},       {"mandel", make_mandel},
	{"hist", make_hist},   {"transpose", make_transpose}, {"xorshift", make_xorshift},
};

struct problem *problem_make(const char *name, unsigned scale)
{
	for (size_t k = 0; k < sizeof makers / sizeof *makers; k++) {
		if (strcmp(makers[k].name, name))
			continue;
		struct problem *p = zeroed(sizeof *p);
		p->name = makers[k].name;
		makers[k].make(p, scale);
		return p;
	}
	return NULL;
}

void problem_free(struct problem *p)
{
	for (uint32_t k = 0; k < p->buffer_count; k++)
		free(p->initial[k]);
	free(p->reference);
	free(p);
}

void problem_fill(const struct problem *p, uint32_t buffer, void *to)
{
	if (p->initial[buffer])
		memcpy(to, p->initial[buffer], p->bytes[buffer]);
	else
		memset(to, 0, p->bytes[buffer]);
}

bool problem_check(const struct problem *p, const void *output)
{
	return !memcmp(output, p->reference, p->bytes[p->output]);
}

double problem_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void problem_report(const struct problem *p, const char *who, unsigned scale, const char *threads, int repetition,
		    double seconds, bool right)
{
	struct rusage usage;
	struct timespec cpu;

	getrusage(RUSAGE_SELF, &usage);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
	printf("R,%s,%s,%u,%s,%d,%.6f,%llu,%.3f,%s,%ld,%.6f\n", who, p->name, scale, threads, repetition, seconds,
	       (unsigned long long)p->thread_instructions, (double)p->thread_instructions / seconds / 1e6,
	       right ? "OK" : "WRONG", usage.ru_maxrss, (double)cpu.tv_sec + 1e-9 * (double)cpu.tv_nsec);
	fflush(stdout);
}
