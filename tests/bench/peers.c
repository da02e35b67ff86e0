/* SPDX-License-Identifier: Apache-2.0
 *
 * Who solves the problems: ptxsim, through its library, from PTX and from machine code; plain C with OpenMP; and a copy
 * of as many bytes as a problem moves.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "ptxsim.h"

bool fill_contents(struct peer *r)
{
	for (uint32_t k = 0; k < r->p->buffer_count; k++)
		memcpy(r->contents[k], r->p->buffers[k].initial, r->p->buffers[k].bytes);
	return true;
}

const void *output_contents(struct peer *r) { return r->contents[r->p->output]; }

/* --- Plain C ---------------------------------------------------------------------------------- */

static bool open_plain(struct peer *r)
{
	copy_buffers(r->p, r->contents);
	omp_set_num_threads((int)r->threads);
	return true;
}

static bool run_plain(struct peer *r)
{
	r->p->plain(r->contents);
	return true;
}

const struct peer_kind peer_plain = {"plain", open_plain, fill_contents, run_plain, output_contents};

/* --- A copy: the memory's limit --------------------------------------------------------------- */

/* From one half to the other. */
struct copy {
	uint64_t *words;
	size_t half;
};

static bool open_copy(struct peer *r)
{
	struct copy *c = r->own = zeroed(sizeof *c);
	size_t bytes = r->p->moves;

	for (uint32_t k = 0; k < r->p->buffer_count && !r->p->moves; k++)
		bytes += r->p->buffers[k].bytes;
	c->half = bytes / 2 / sizeof *c->words;
	c->words = zeroed(2 * c->half * sizeof *c->words);
	omp_set_num_threads((int)r->threads);
	return true;
}

static bool fill_copy(struct peer *r)
{
	const struct copy *c = r->own;

	for (size_t k = 0; k < 2 * c->half; k++)
		c->words[k] += k;
	return true;
}

static bool run_copy(struct peer *r)
{
	const struct copy *c = r->own;
	const uint64_t *restrict from = c->words;
	uint64_t *restrict to = c->words + c->half;

#pragma omp parallel for simd schedule(static)
	for (size_t k = 0; k < c->half; k++)
		to[k] = from[k];
	return true;
}

const struct peer_kind peer_copy = {"copy", open_copy, fill_copy, run_copy, NULL};

/* --- ptxsim ----------------------------------------------------------------------------------- */

struct simulator {
	ptxsim_context *context;
	ptxsim_module *module;
	uint64_t addresses[MAX_BUFFERS];
};

static bool open_buffer(struct simulator *s, struct peer *r, uint32_t k)
{
	const struct buffer *b = &r->p->buffers[k];

	if (b->variable)
		return !ptxsim_variable(s->module, b->variable, &s->addresses[k], NULL) &&
		       !ptxsim_write(s->context, s->addresses[k], b->initial, b->bytes);
	return !ptxsim_map(s->context, r->contents[k], b->bytes, &s->addresses[k]);
}

static bool open_code(struct peer *r, const char *format)
{
	struct simulator *s = r->own = zeroed(sizeof *s);
	char path[4096];

	snprintf(path, sizeof path, format, r->folder, r->p->name);
	s->context = ptxsim_context_create(NULL);
	s->module = s->context ? ptxsim_module_create(s->context) : NULL;
	if (!s->module || ptxsim_module_add_file(s->module, path) || ptxsim_module_build(s->module, NULL)) {
		fprintf(stderr, "bench: %s\n%s", path, s->module ? ptxsim_module_diagnostics(s->module) : "");
		return false;
	}
	copy_buffers(r->p, r->contents);
	for (uint32_t k = 0; k < r->p->buffer_count; k++)
		if (!open_buffer(s, r, k)) {
			fprintf(stderr, "bench: %s: buffer %u: %s\n", path, k, ptxsim_message(s->context));
			return false;
		}
	return true;
}

static bool open_ptxsim(struct peer *r) { return open_code(r, "%s/%s.ptx"); }
static bool open_sass(struct peer *r) { return open_code(r, "%s/sm_90a/%s.cubin"); }

static bool launch_step(struct peer *r, const struct step *step)
{
	struct simulator *s = r->own;
	struct ptxsim_launch launch = PTXSIM_LAUNCH_INIT;
	struct ptxsim_stats stats;
	const void *args[MAX_ARGS];

	for (uint32_t k = 0; k < step->arg_count; k++) {
		const struct arg *a = &step->args[k];
		if (a->kind == ARG_CONSTANT)
			continue;
		args[launch.arg_count++] = a->kind == ARG_BUFFER ? (const void *)&s->addresses[a->number]
					   : a->kind == ARG_U32  ? (const void *)&a->number
								 : (const void *)&a->value;
	}
	for (int k = 0; k < 2; k++) {
		launch.grid[k] = step->grid[k];
		launch.block[k] = step->block[k];
	}
	launch.args = args;
	launch.jobs = r->threads;
	launch.any_order = r->threads > 1 && r->p->any_order;
	if (ptxsim_launch(s->context, ptxsim_find_function(s->module, step->kernel), &launch)) {
		fprintf(stderr, "bench: %s: %s\n", step->kernel, ptxsim_message(s->context));
		return false;
	}
	ptxsim_get_stats(s->context, &stats);
	r->instructions += stats.thread_instructions;
	r->warp_instructions += stats.warp_instructions;
	return true;
}

static bool run_steps(struct peer *r)
{
	r->instructions = r->warp_instructions = 0;
	for (uint32_t n = 0; n < r->p->step_count; n++)
		if (!launch_step(r, &r->p->steps[n]))
			return false;
	return true;
}

/* What is counted is the PTX's. */
static bool run_ptxsim(struct peer *r)
{
	if (!run_steps(r))
		return false;
	if (r->p->instructions && r->instructions != r->p->instructions) {
		fprintf(stderr, "bench: %s executed %llu thread-instructions, not %llu\n", r->p->name,
			(unsigned long long)r->instructions, (unsigned long long)r->p->instructions);
		return false;
	}
	return true;
}

const struct peer_kind peer_sass = {"SASS", open_sass, fill_contents, run_steps, output_contents};
const struct peer_kind peer_ptxsim = {"ptxsim", open_ptxsim, fill_contents, run_ptxsim, output_contents};
