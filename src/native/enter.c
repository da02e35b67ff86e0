/* SPDX-License-Identifier: Apache-2.0
 *
 * A gang at the beginning of a region: its warps run through it one after the other. A warp that cannot stay, because
 * it would fault or has run for too long, leaves at the exact instruction with its lanes where they are; the gang
 * parts, and the interpreter goes on with each warp.
 */
#include "native/enter.h"

#include "decode/form_address.h"
#include "decode/operands.h"
#include "exec/blocks.h"
#include "exec/internal.h"
#include "isa/form.h"
#include "native/build.h"
#include "native/converge.h"
#include "native/flow.h"
#include "native/link.h"
#include "sem/native_proven.h"

enum { TURN_LEAST = 1 << 22 }; /* instructions of a warp before others have a turn */

/* --- What native code calls --------------------------------------------------------------------- */

/* What a fault would leave half done is not tried. */
static bool may_try(struct warp *w, const struct insn *i, const u8 *rows, u32 mask)
{
	const struct form *f = warp_form(w, i);
	u64 address[WARP_LANES];

	if (!(f->row->flags & ISA_ATOMIC))
		return true;
	row_addresses(rows, i->a, i->imm, form_base_bits(f) == 64, address);
	return warp_reaches(w, i, mask, form_space(f), address, type_bits(form_type(f, 0)) / 8);
}

/* A handler may read any of the warp's rows, and the clock. */
static void settle(struct native_run *r)
{
	if (r->passing && r->passing->thin)
		passing_settle(r->passing);
}

static bool call_handler(struct native_run *r, struct warp *w, u8 *rows, u32 k, u32 mask)
{
	const struct insn *i = r->insns + k;
	meaning_fn *const run = w->grid->kernel->code->insns[k].fn; /* unwatched: observers know already */
	struct worker *worker = w->worker;

	settle(r);
	if (!may_try(w, i, rows, mask))
		return false;
	w->mask = mask;
	worker->probing = true;
	run(w, i, rows, mask);
	worker->probing = false;
	w->mask = FULL_MASK;
	fp_enter(w, (u8)r->fp);
	if (w->stop != STOP_FAULT) {
		r->told = NO_OPERAND;
		return true;
	}
	w->stop = STOP_NONE;
	return false;
}

/* The same of an instruction that touches no memory, so cannot fail. */
static bool compute(struct native_run *r, struct warp *w, u8 *rows, u32 k, u32 mask)
{
	settle(r);
	w->mask = mask;
	w->grid->kernel->code->insns[k].fn(w, r->insns + k, rows, mask);
	w->mask = FULL_MASK;
	fp_enter(w, (u8)r->fp);
	return true;
}

static bool try_handler(struct native_run *r, struct warp *w, u8 *rows, u32 k, u32 mask)
{
	r->tries++;
	return call_handler(r, w, rows, k, mask);
}

static void put_along(void *row, u64 first, s32 step, bool wide)
{
	for (u32 l = 0; l < WARP_LANES && wide; l++)
		((u64 *)row)[l] = first + (u64)(s64)step * l;
	for (u32 l = 0; l < WARP_LANES && !wide; l++)
		((u32 *)row)[l] = (u32)first + (u32)step * l;
}

static bool try_along(struct native_run *r, struct warp *w, u8 *rows, u64 which, u32 mask, u64 first)
{
	const struct insn *i = r->insns + (u32)which;

	put_along(rows + i->a, first, (s32)(which >> 32), form_base_bits(warp_form(w, i)) == 64);
	return try_handler(r, w, rows, (u32)which, mask);
}

static bool try_scaled(struct native_run *r, struct warp *w, u8 *rows, u64 which, u32 mask, u64 base)
{
	const struct insn *i = r->insns + (u32)which;
	const u32 how = (u32)(which >> 32);
	u64 *address = (u64 *)(void *)(rows + i->a);
	u32 index[WARP_LANES];

	memcpy(index, address, sizeof index);
	for (u32 l = 0; l < WARP_LANES; l++) {
		const u64 own = how & SCALED_SIGNED ? (u64)(s64)(s32)index[l] : index[l];
		address[l] = base + (own << how % SCALED_SIGNED);
	}
	return try_handler(r, w, rows, (u32)which, mask);
}

static void tell(struct native_run *r, struct warp *w, u8 *rows, u32 k, u32 mask, bool repeats)
{
	const struct grid *grid = w->grid;
	const u32 code = grid->kernel->code->index;
	const u16 who = grid->watchers[code][k];

	(void)r;
	w->frame = w->entry_frame;
	for (u32 o = 0; o < grid->observer_count; o++)
		if (who >> o & 1)
			grid->observers[o]->before(grid->observers[o]->context, w, grid->insns[code] + k, rows, mask);
	if (repeats && mask == FULL_MASK)
		native_note_repeat(&w->worker->repeats, w, grid->insns[code] + k, k, rows);
}

static void tell_time(struct native_run *r, struct warp *w, u8 *rows, u32 k, u32 mask)
{
	const struct grid *grid = w->grid;
	const struct code *code = grid->kernel->code;

	(void)r, (void)rows;
	for (u32 o = 0; o < grid->observer_count; o++) {
		const struct observer *x = grid->observers[o];
		if (grid->watchers[code->index][k] >> o & 1 && x->times && x->times(x->context, w->block))
			x->timed(x->context, w, code, k, mask);
	}
}

static bool is_timed(const struct gang *g)
{
	for (u32 o = 0; o < g->grid->observer_count; o++) {
		const struct observer *x = g->grid->observers[o];
		if (x->times && x->times(x->context, g->block))
			return true;
	}
	return false;
}

/* Native code has rows in all vector registers where lanes part and meet, and keeps none for these calls. */
KEEPS_REGISTERS static inline void push(struct native_run *r, u32 block, u32 lanes, bool is_join)
{
	r->ways[r->depth++] = (struct native_way){
		.block = block, .lanes = lanes, .is_join = is_join, .outer = r->join, .outer_at = r->join_at};
}

/* As gang_diverge does for one warp. */
KEEPS_REGISTERS static u32 part(struct native_run *r, u32 mask, u32 taken, u32 target, u32 join)
{
	if (r->join != join) {
		push(r, join, 0, true);
		r->join = join;
		r->join_at = r->depth - 1;
	}
	if (target == join)
		r->ways[r->join_at].lanes |= taken;
	else
		push(r, target, taken, false);
	return mask & ~taken;
}

KEEPS_REGISTERS static u32 meet(struct native_run *r, u32 mask)
{
	r->ways[r->join_at].lanes |= mask;
	for (;;) {
		const struct native_way *way = &r->ways[--r->depth];
		r->beside = r->beside > r->depth ? 0 : r->beside;
		if (way->is_join) {
			r->join = way->outer;
			r->join_at = way->outer_at;
		}
		if (!way->lanes)
			continue;
		r->mask = way->lanes;
		return 2 * way->block + (way->is_join ? NATIVE_BODY : 0);
	}
}

const struct native_services native_services = {
	.call = call_handler,
	.compute = compute,
	.try = try_handler,
	.try_along = try_along,
	.try_scaled = try_scaled,
	/* Where the attribute is a part of the type (clang), it must be cast away. */
	.part = (u32(*)(struct native_run *, u32, u32, u32, u32))part,
	.meet = (u32(*)(struct native_run *, u32))meet,
	.tell = tell,
	.time = tell_time,
	.part_machine = native_part_machine,
	.awaits = native_awaits,
	.native_range_slow = native_range_slow};

/* --- Counts ------------------------------------------------------------------------------------- */

/* As long as all warps have counted the same, with all their lanes, the gang counts for them. */
struct tally {
	bool same;
	u32 warps; /* that have run */
	u64 issued, most, branches;
};

/* What one warp has counted. */
struct counts {
	u64 issued, lanes, branches, divergent;
};

static inline struct counts counts_of(const struct native_run *r, s64 budget)
{
	const u64 issued = (u64)(budget - r->budget);

	return (struct counts){issued, issued * WARP_LANES - r->idle, (u32)r->branches, r->branches >> 32};
}

static void give(struct warp *w, const struct counts *c)
{
	w->issued += c->issued;
	w->lanes_issued += c->lanes;
	w->branches += c->branches;
	w->divergent_branches += c->divergent;
}

/* Which warp of the gang is the n-th to run. */
static u32 number_of_turn(const struct gang *g, u32 n) { return !n ? g->lead : n <= g->lead ? n - 1 : n; }

static struct warp *warp_number(struct gang *g, u32 n) { return &g->warps[number_of_turn(g, n)]; }

static void part_counts(struct gang *g, struct tally *t)
{
	const struct counts each = {t->issued, t->issued * WARP_LANES, t->branches, 0};

	t->same = false;
	g->apart = true;
	for (u32 n = 0; n < t->warps; n++)
		give(warp_number(g, n), &each);
}

static void count_apart(struct gang *g, struct tally *t, const struct counts *c)
{
	if (t->same)
		part_counts(g, t);
	give(warp_number(g, t->warps), c);
}

static inline void count(struct gang *g, struct tally *t, const struct native_run *r, s64 budget)
{
	const struct counts c = counts_of(r, budget);

	if (!t->warps) {
		t->issued = c.issued;
		t->branches = c.branches;
	}
	if (!t->same || c.divergent || c.issued != t->issued || c.branches != t->branches || r->idle)
		count_apart(g, t, &c);
	t->most = max_u64(t->most, c.issued);
	t->warps++;
}

/* --- Running ------------------------------------------------------------------------------------ */

static void put_rows_along(const struct native_run *r, u8 *rows)
{
	for (u32 k = 0; k < r->along_count; k++)
		put_along(rows + (r->along[k].place & ~1u), r->along[k].first, r->along[k].step, r->along[k].place & 1);
}

/* Puts warp number n where it has left the region. */
static void place_warp(struct gang *g, u32 n, const struct native_entry *e, const struct native_run *r)
{
	struct gang_place places[NATIVE_WAYS];
	struct warp *w = warp_number(g, n);

	for (u32 k = 0; k < r->depth; k++)
		places[k] = (struct gang_place){.pc = g->insns + e->blocks[r->ways[k].block],
						.lanes = r->ways[k].lanes,
						.is_join = r->ways[k].is_join};
	if (g->code->machine_banks)
		gang_place_machine(g, (u32)(w - g->warps), places, r->depth, r->beside, r->mask, g->plain + r->at);
	else
		gang_place(g, (u32)(w - g->warps), places, r->depth, r->mask, g->plain + r->at);
	if (r->told == NO_OPERAND)
		return;
	w->told = g->plain + r->told;
	w->told_last = g->plain + r->told_last;
}

/* Where many accesses do not look as they did in the trial, or lanes part that did not, the kernel is better off with other code. */
enum { TRIES_FEW = 8, FEW_BLOCKS = 64 };

static void note_mistakes(struct gang *g, u64 *mistakes, u32 more)
{
	struct native_kernel *k = g->grid->native;
	const u64 before = __atomic_fetch_add(mistakes, more, __ATOMIC_RELAXED);

	if (before < MISTAKES_MOST && before + more >= MISTAKES_MOST)
		k->mistaken(k);
}

/* A warp leaves before a branch on which its lanes part, and its block is interpreted from there on: as many mistakes as that is of the
 * launch's blocks. */
static void note_parting(struct gang *g, struct kernel_code *code)
{
	const u64 blocks = max_u64(FEW_BLOCKS, min_u64(g->grid->end_cluster, MISTAKES_MOST));

	note_mistakes(g, &code->partings, MISTAKES_MOST / (u32)blocks);
}

static void note_stop(struct gang *g, const struct native_entry *e)
{
	struct kernel_code *code = (struct kernel_code *)(uintptr_t)g->block->native;

	__atomic_fetch_add(&code->stops, 1, __ATOMIC_RELAXED);
	if (e->agrees)
		note_parting(g, code);
}

/* Warp number n leaves: those before it have reached the end, those after it have not begun. */
static const struct insn *part_gang(struct gang *g, const struct native_entry *e, struct tally *t, enum native_exit how,
				    const struct native_run *r, s64 budget)
{
	const u32 left = t->warps;

	if (how == NATIVE_STOP)
		note_stop(g, e);
	if (t->same)
		part_counts(g, t);
	count(g, t, r, budget);
	gang_dissolve(g);
	g->block->lead = (u32)(g->warps - g->block->warps) + g->lead;
	g->block->leads = true;
	for (u32 n = 0; n < g->count; n++) {
		struct warp *w = warp_number(g, n);
		w->mask = 0;
		if (n == left) {
			put_rows_along(r, g->rows + number_of_turn(g, n) * g->stride);
			place_warp(g, n, e, r);
		} else {
			warp_stand(w, g->plain + (n < left ? e->end : e->first));
		}
		if (how != NATIVE_SPENT)
			continue;
		w->stop = STOP_YIELD;
		w->spins = g->spins;
		if (n == left && r->depth)
			warp_give_way(w);
	}
	return NULL;
}

/* What is the same for all of its warps, and what each of them leaves as it finds it, if it comes to the region's end. */
static void begin_run(struct native_run *r, const struct gang *g, const struct native_entry *e)
{
	r->fp = e->fp;
	r->insns = g->plain;
	r->code = g->code;
	r->blocks = e->blocks;
	r->tallies = g->worker->tallies;
	r->patterns = g->worker->patterns;
	r->order = 0;
	r->repeats = NULL;
	r->repeats_stride = g->worker->repeats.count * sizeof *r->repeats;
	r->block_rows = g->rows;
	r->passing = NULL;
	r->depth = r->beside = 0;
	r->mask = FULL_MASK;
	r->along_count = 0;
	r->told = NO_OPERAND;
	r->join = r->join_at = NATIVE_NO_JOIN;
}

static void begin_tallies(struct native_run *r, const struct warp *w)
{
	const struct native_repeats *repeats = &w->worker->repeats;

	r->order = warp_order(w);
	r->repeats = repeats->times + (size_t)w->index * repeats->count;
}

static inline bool is_expected(const struct native_run *r)
{
	return !((u64)(r->budget ^ r->expected_budget) | (r->branches ^ r->expected_branches) | r->idle);
}

static inline enum native_exit run_warp(struct native_run *r, const struct native_entry *e, struct warp *w, u8 *rows,
					s64 budget)
{
	r->budget = budget;
	r->idle = r->branches = 0;
	return (enum native_exit)native_run_region(r, w, rows, e->run);
}

/* So many warps have counted what was expected. */
static inline void count_expected(struct tally *t, const struct native_run *r, s64 budget, u32 warps)
{
	if (!t->warps) {
		t->issued = t->most = (u64)(budget - r->expected_budget);
		t->branches = r->expected_branches;
	}
	t->warps += warps;
}

/* Runs the region for one warp after the other, until one does not come to its end. Most count what the one before has. */
static enum native_exit run_each(struct gang *g, const struct native_entry *e, struct native_run *r, struct tally *t,
				 s64 budget)
{
	for (u32 n = 0; n < g->count; n++) {
		const u32 k = number_of_turn(g, n);
		if (r->tallies)
			begin_tallies(r, &g->warps[k]);
		const enum native_exit how = run_warp(r, e, &g->warps[k], g->rows + k * g->stride, budget);
		if (__builtin_expect(how != NATIVE_DONE, 0))
			return how;
		if (t->same && n && is_expected(r)) {
			t->warps++;
			continue;
		}
		count(g, t, r, budget);
		r->expected_budget = r->budget;
		r->expected_branches = r->branches;
	}
	return NATIVE_DONE;
}

/* The same of neighbours, numbered from `first` on, where the function goes through the warps itself, and returns behind one that has not
 * counted what is expected. */
static enum native_exit run_through(struct gang *g, const struct native_entry *e, struct native_run *r, struct tally *t,
				    s64 budget, u32 first, u32 warps)
{
	struct warp *w = g->warps + first, *const end = w + warps;
	u8 *rows = g->rows + first * g->stride;

	r->last_rows = rows + (warps - 1) * g->stride;
	while (w != end) {
		if (r->tallies)
			begin_tallies(r, w);
		const enum native_exit how = run_warp(r, e, w, rows, budget);
		const bool done = how == NATIVE_DONE, expected = done && is_expected(r);
		const u32 before = (u32)(r->warp - w);
		if (before + expected)
			count_expected(t, r, budget, before + expected);
		if (!done)
			return how;
		if (!expected) {
			count(g, t, r, budget);
			r->expected_budget = t->same ? r->budget : budget + 1; /* what none leaves */
			r->expected_branches = r->branches;
		}
		rows += (before + 1) * g->stride;
		w = r->warp + 1;
	}
	return NATIVE_DONE;
}

/* In the order in which the warps would have their turns. */
static enum native_exit run_all(struct gang *g, const struct native_entry *e, struct native_run *r, struct tally *t,
				s64 budget)
{
	if (!e->through_warps)
		return run_each(g, e, r, t, budget);
	r->stride = g->stride;
	r->expected_budget = budget - (s64)__atomic_load_n(&e->issued, __ATOMIC_RELAXED);
	r->expected_branches = __atomic_load_n(&e->branches, __ATOMIC_RELAXED);
	if (!g->lead)
		return run_through(g, e, r, t, budget, 0, g->count);
	enum native_exit how = run_through(g, e, r, t, budget, g->lead, 1);
	if (how == NATIVE_DONE)
		how = run_through(g, e, r, t, budget, 0, g->lead);
	return how == NATIVE_DONE ? run_through(g, e, r, t, budget, g->lead + 1, g->count - g->lead - 1) : how;
}

/* What the warps of the next gang are expected to count. */
static void note_usual(struct native_entry *e, const struct tally *t)
{
	if (t->issued == __atomic_load_n(&e->issued, __ATOMIC_RELAXED) &&
	    t->branches == __atomic_load_n(&e->branches, __ATOMIC_RELAXED))
		return;
	__atomic_store_n(&e->issued, (u32)t->issued, __ATOMIC_RELAXED);
	__atomic_store_n(&e->branches, (u32)t->branches, __ATOMIC_RELAXED);
}

/* All warps have come to the region's end, and few accesses were of other shapes than expected. */
static bool is_usual(const struct gang *g, enum native_exit how, const struct native_run *r, const struct tally *t)
{
	return how == NATIVE_DONE && t->same && r->tries <= g->count / TRIES_FEW;
}

/* Runs the region for the gang's block, and if it is all of the kernel for those that pass behind it: up to one that is to be ended in the
 * usual way, or has been left. */
static enum native_exit run_blocks(struct gang *g, struct native_entry *e, struct native_run *r, struct tally *t,
				   s64 budget)
{
	const struct insn *end = g->insns + e->end;
	struct passing p;
	const bool passes = e->through_warps && e->is_last && !e->first && passing_begin(&p, g);
	enum native_exit how;

	r->passing = passes ? &p : NULL;
	do {
		*t = (struct tally){.same = true};
		r->tries = 0;
		how = run_all(g, e, r, t, budget);
		if (how == NATIVE_DONE && t->same && e->through_warps)
			note_usual(e, t);
	} while (passes && is_usual(g, how, r, t) && passing_next(&p, t->issued + end->run, t->branches));
	if (passes)
		passing_settle(&p);
	r->passing = NULL;
	return how;
}

/* Runs the region and what stands behind it, if that is no region: loops of regions would call each other ever deeper. */
static const struct insn *run_region(struct gang *g, struct kernel_code *code, struct native_entry *e,
				     struct native_run *r)
{
	const s64 budget = g->single || g->grid->launch->instruction_limit ? g->budget : max_s64(g->budget, TURN_LEAST);
	struct tally t;

	fp_enter(g->warps, e->fp);
	const enum native_exit how = run_blocks(g, e, r, &t, budget);
	if (__builtin_expect(how != NATIVE_DONE, 0))
		return part_gang(g, e, &t, how, r, budget);
	if (t.same) {
		g->issued += t.issued;
		g->branches += t.branches;
	}
	g->budget -= (s64)t.most;
	if (!code->lean && r->tries > g->count / TRIES_FEW)
		note_mistakes(g, &code->mistakes, r->tries);
	const struct insn *next = g->insns + e->end;
	return next->gang == native_enter ? next : next->gang(g, next);
}

/* Again if all stand here again: most often because the region is all of the kernel, and the gang has begun the next block. */
const struct insn *native_enter(struct gang *g, const struct insn *i)
{
	struct kernel_code *code = (struct kernel_code *)(uintptr_t)g->block->native;
	const u32 at = (u32)(i - g->insns);
	struct native_entry *e = &code->entries[code->entry_of[at]];
	const struct insn *next;
	struct native_run r;

	if (g->on || (g->code->one_by_one && g->count > 1))
		return g->grid->gang_insns[at].gang(g, i);
	if (!has_rows_of(g->grid->launch->block, code->row_threads)) {
		note_mistakes(g, &code->mistakes, MISTAKES_MOST);
		return g->grid->gang_insns[at].gang(g, i);
	}
	if (code->one_warp && !is_one_warp(g->grid->launch->block)) {
		note_mistakes(g, &code->crowds, MISTAKES_MOST);
		return g->grid->gang_insns[at].gang(g, i);
	}
	begin_run(&r, g, e);
	do {
		r.timed = is_timed(g);
		next = run_region(g, code, e, &r);
	} while (next == i && !g->on);
	return next;
}
