/* SPDX-License-Identifier: Apache-2.0
 *
 * Making benchmark problems and checking what comes out of them.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "bench.h"

enum { HUGE_PAGE = 2 << 20 };

/* In huge pages where they pay, as ptxsim has its own memory: for all three that are compared. */
void *zeroed(size_t bytes)
{
	const size_t page = bytes < HUGE_PAGE / 2 ? 4096 : HUGE_PAGE, whole = (bytes + 64 + page - 1) / page * page;
	void *memory = NULL;

	if (posix_memalign(&memory, page, whole)) {
		fputs("bench: out of memory\n", stderr);
		exit(2);
	}
	if (page == HUGE_PAGE)
		madvise(memory, whole, MADV_HUGEPAGE);
	return memset(memory, 0, bytes + 64);
}

void *add_buffer(struct problem *p, size_t bytes)
{
	struct buffer *b = &p->buffers[p->buffer_count++];

	b->bytes = bytes;
	return b->initial = zeroed(bytes);
}

float *add_small_floats(struct problem *p, size_t count, uint64_t seed)
{
	float *f = add_buffer(p, count * sizeof *f);

	for (size_t k = 0; k < count; k++)
		f[k] = (float)((int)(draw(&seed) >> 28) - 8);
	return f;
}

void add_step(struct problem *p, const char *kernel, uint32_t gx, uint32_t gy, uint32_t bx, uint32_t by,
	      const char *kinds, ...)
{
	struct step *s = &p->steps[p->step_count++];
	va_list list;

	*s = (struct step){.kernel = kernel, .grid = {gx, gy}, .block = {bx, by}};
	va_start(list, kinds);
	for (; *kinds; kinds++) {
		struct arg *a = &s->args[s->arg_count++];
		a->kind = *kinds == 'b' ? ARG_BUFFER : *kinds == 'c' ? ARG_CONSTANT : *kinds == 'u' ? ARG_U32 : ARG_F32;
		if (a->kind == ARG_F32)
			a->value = (float)va_arg(list, double);
		else
			a->number = va_arg(list, uint32_t);
	}
	va_end(list);
}

void *add_reference(struct problem *p, uint32_t output, double absolute, double relative)
{
	p->output = output;
	p->absolute = absolute;
	p->relative = relative;
	return p->reference = zeroed(p->buffers[output].bytes);
}

void copy_buffers(const struct problem *p, void **to)
{
	for (uint32_t k = 0; k < p->buffer_count; k++)
		to[k] = memcpy(zeroed(p->buffers[k].bytes), p->buffers[k].initial, p->buffers[k].bytes);
}

void reference_by_plain(struct problem *p)
{
	void *b[MAX_BUFFERS];

	copy_buffers(p, b);
	p->plain(b);
	memcpy(p->reference, b[p->output], p->buffers[p->output].bytes);
	for (uint32_t k = 0; k < p->buffer_count; k++)
		free(b[k]);
}

uint32_t draw(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return (uint32_t)(z >> 32);
}

float draw_float(uint64_t *state, float low, float high)
{
	return low + (high - low) * (float)(draw(state) >> 8) * 0x1p-24f;
}

bool check_output(const struct problem *p, const char *who, const void *output)
{
	const size_t bytes = p->buffers[p->output].bytes;
	const uint32_t *got = output, *want = p->reference;
	const float *got_f = output, *want_f = p->reference;
	const bool bits = p->absolute == 0 && p->relative == 0;

	for (size_t k = 0; k < bytes / 4; k++) {
		const double off = bits ? 0 : fabs((double)got_f[k] - (double)want_f[k]);
		const double bound = p->absolute + p->relative * fabs((double)want_f[k]);
		if (bits ? got[k] == want[k] : off <= bound)
			continue;
		fprintf(stderr, "bench: %s on %s: element %zu is %08x (%g), not %08x (%g)\n", p->name, who, k, got[k],
			(double)got_f[k], want[k], (double)want_f[k]);
		return false;
	}
	return true;
}

void free_problem(struct problem *p)
{
	for (uint32_t k = 0; k < p->buffer_count; k++)
		free(p->buffers[k].initial);
	free(p->reference);
	free(p);
}
