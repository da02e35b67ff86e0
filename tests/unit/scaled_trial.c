/* SPDX-License-Identifier: Apache-2.0 */
#include "scaled_trial.h"

#include <check.h>
#include <string.h>

#include "native/affine.h"
#include "native/scaled.h"

static u32 *words(struct trial *t, u64 at) { return (u32 *)(void *)memory_find(&t->session.memory, at, 4)->host; }

static void fill(struct trial *t)
{
	u32 *in = words(t, t->params.in), *near = words(t, t->params.near), *far = words(t, t->params.far);
	u32 *fixed = words(t, t->params.fixed);

	for (u32 k = 0; k < SCALED_WORDS; k++)
		in[k] = k * 2654435761u + 12345;
	for (u32 k = 0; k < SCALED_NEAR; k++)
		near[k] = k * 2246822519u + 1;
	for (u32 k = 0; k < SCALED_FAR; k++) {
		far[k] = k * 3266489917u + 2;
		fixed[k] = k * 668265263u + 3;
	}
	memset(words(t, t->params.to), 0, 4 * SCALED_WORDS);
	memcpy(far + SCALED_FAR - 2, &t->params.in, sizeof t->params.in);
}

void trial_open(struct trial *t, const char *source, size_t length, enum native_mode mode)
{
	const struct lower_options options = {0};
	struct session *s = &t->session;
	struct trial_params *p = &t->params;

	memset(t, 0, sizeof *t);
	ck_assert(session_open(s));
	session_add_text(s, "scaled.ptx", source, length);
	ck_assert_msg(session_build(s, &options), "%.2000s\n%.6000s", session_diagnostics(s, false), source);
	ck_assert(session_reset_memory(s));
	p->in = memory_allocate(&s->memory, 4 * SCALED_WORDS, 256, "in", 0);
	p->near = memory_allocate(&s->memory, 4 * SCALED_NEAR, 256, "near", 0);
	p->to = memory_allocate(&s->memory, 4 * SCALED_WORDS, 256, "to", 0);
	p->far = p->in + (3ull << 32);
	p->fixed = p->in + (1ull << 32);
	ck_assert(memory_map(&s->memory, p->far, 4 * SCALED_FAR, NULL, "far", 0));
	ck_assert(memory_map(&s->memory, p->fixed, 4 * SCALED_FAR, NULL, "fixed", ALLOCATION_READ_ONLY));
	t->native = session_native(s, s->program, program_kernel(s->program, "k"), mode);
	t->accounting = accounting_new(&s->arena, s->program, NULL);
}

void trial_close(struct trial *t)
{
	accounting_free(t->accounting);
	session_close(&t->session);
}

static void keep(struct trial *t, struct trial_end *end)
{
	const struct {
		u64 at;
		u32 count;
	} parts[] = {{t->params.in, SCALED_WORDS},
		     {t->params.near, SCALED_NEAR},
		     {t->params.far, SCALED_FAR},
		     {t->params.fixed, SCALED_FAR},
		     {t->params.to, SCALED_WORDS}};
	u32 *to = end->memory;

	for (u32 k = 0; k < COUNT_OF(parts); to += parts[k++].count)
		memcpy(to, words(t, parts[k].at), 4 * parts[k].count);
}

void trial_run(struct trial *t, const struct trial_way *way, u32 lanes, struct trial_end *end)
{
	struct session *s = &t->session;
	struct observer *observers[2] = {NULL, NULL};
	const u32 threads = way->alone ? WARP_LANES : SCALED_THREADS, rows = way->folded ? 2 * threads / WARP_LANES : 1;
	struct fault fault = {0};
	char message[256] = "";
	struct launch l = {.program = s->program,
			   .kernel = program_kernel(s->program, "k"),
			   .memory = &s->memory,
			   .grid = {way->alone ? 1 : SCALED_BLOCKS, 1, 1},
			   .block = {threads / rows, rows, 1},
			   .params = (const u8 *)&t->params,
			   .jobs = way->jobs,
			   .instruction_limit = way->limit,
			   .native = t->native};

	memset(end, 0, sizeof *end);
	t->params.lanes = lanes;
	t->params.count = 5;
	fill(t);
	if (way->watched) {
		observers[0] = accounting_observer(t->accounting);
		accounting_begin(t->accounting);
		l.observers = observers;
	}
	end->status = launch_run(&l, &end->stats, &fault, message, sizeof message);
	ck_assert_msg(end->status == LAUNCH_OK || end->status == LAUNCH_FAULT, "%s", message);
	if (way->watched)
		accounting_end(t->accounting, &s->arena, &l, &end->stats);
	if (end->status == LAUNCH_FAULT) {
		end->place = (u32)(fault.insn - fault.code->insns);
		fault_describe(&s->memory, &l, &fault, end->fault, sizeof end->fault);
	}
	keep(t, end);
}

const char *trial_difference(const struct trial_end *x, const struct trial_end *y, bool exact)
{
	const struct launch_stats *a = &x->stats, *b = &y->stats;

	if (x->status != y->status)
		return "status";
	if (x->place != y->place || strcmp(x->fault, y->fault))
		return "fault";
	if (x->status == LAUNCH_FAULT && !exact)
		return NULL;
	if (memcmp(x->memory, y->memory, sizeof x->memory))
		return "memory";
	if (a->warp_instructions != b->warp_instructions || a->thread_instructions != b->thread_instructions ||
	    a->branches != b->branches || a->divergent_branches != b->divergent_branches)
		return "counts";
	return NULL;
}

u32 trial_scaled_rows(const struct trial *t)
{
	const struct program *p = t->session.program;
	struct arena arena;
	u32 count = 0;

	arena_init(&arena, NULL);
	struct code_flow *f = code_flow_build(&arena, p->isa, program_kernel(p, "k")->code, NULL, false);
	ck_assert_ptr_nonnull(f);
	affine_find(f, WARP_LANES);
	scaled_find(f);
	for (u32 k = 0; k < f->row_count; k++)
		count += f->rows[k].scaled;
	arena_free(&arena);
	return count;
}
