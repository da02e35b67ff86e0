/* SPDX-License-Identifier: Apache-2.0
 *
 * Points are decoded instructions that are looked at. The end of a straight run covers the body
 * instructions since the one before it: insn.run of them.
 *
 * How counts of points become counts of instructions:
 *
 *  body   0 add   1 mul   2 @p ld   3 @q bra L   4 st   5 exit
 *
 *  guard point (2)    off: lanes whose predicate turns the load off
 *  branch point       covers 0..3: executed, lanes; at 3: branches, divergent, off
 *  run point (5)      covers 4..5
 *
 * A straight run is counted once, at its end, since all its instructions run for the same lanes: that is what makes
 * counting cheap. Each worker counts into its own array of struct flow_count; flow_merge adds them up by instruction.
 */
#include "observe/flow.h"

#include <string.h>

#include "exec/run.h"
#include "isa/machine.h"
#include "sass/registers.h"

/* MACHINE_RUN: of machine code, the end of a straight run that has a guard itself. */
enum point_kind {
	POINT_NONE,
	POINT_RUN,
	POINT_MACHINE_RUN,
	POINT_GUARD,
	POINT_BRANCH_IF,
	POINT_BRANCH_INDEX,
	POINT_BRANCH
};

struct point {
	const struct code *code;
	u32 insn;
	u8 kind;
	bool sync, call;
	bool jumps_around; /* a branch for the lanes that the predicate turns off */
	u32 first, end;    /* body instructions that it covers; of a guard: the one that it guards */
};

/* What is fixed before a run, except for the timelines. The functions are the meanings that points are recognised
 * by. */
struct flow {
	const struct program *program;
	struct point *points;
	u32 point_count;
	u32 **slots;                      /* by code and instruction: point + 1, or 0 */
	struct instruction_facts **facts; /* by code and body instruction */
	struct flow_timeline *timelines;
	meaning_fn *guard, *bra, *bra_if, *brx, *call, *count;
};

/* --- Before the run ------------------------------------------------------------------------- */

static meaning_fn *internal(const struct isa *isa, enum opcode opcode)
{
	const struct meaning *m = isa_internal(isa, opcode);

	return m ? m->run : NULL;
}

static enum point_kind kind_of(const struct flow *f, const struct insn *i)
{
	if (i->fn == f->guard)
		return POINT_GUARD;
	if (i->fn == f->bra_if)
		return POINT_BRANCH_IF;
	if (i->fn == f->brx)
		return POINT_BRANCH_INDEX;
	if (i->fn == f->bra)
		return POINT_BRANCH;
	return i->run ? POINT_RUN : POINT_NONE;
}

/* A listing's branch has its guard where a conditional one of PTX has it. */
static bool is_listing_branch(const struct code *code, u32 k)
{
	const u32 origin = code->origin[k];

	return code->function->listing && origin != NO_OPERAND && code->insns[k].run &&
	       code->forms[origin].row->flags & ISA_BRANCH;
}

/* Machine code: the first of an instruction's handlers that has the guard. Handlers of control have it, others have
 * one of three before them. */
static bool has_machine_guard(const struct flow *f, const struct code *code, u32 k, u32 *guarded)
{
	const struct insn *i = &code->insns[k];
	const u32 origin = code->origin[k];
	const struct meaning *const *machine = f->program->isa->machine;
	struct sass_insn decoded;

	if (!code->function->machine || origin == NO_OPERAND || origin == *guarded || i->fn == f->count)
		return false;
	if (i->fn != f->guard && i->fn != machine[MACHINE_all]->run && i->fn != machine[MACHINE_one]->run && !i->run)
		return false;
	if (!sass_instruction_at(code->function, origin, &decoded) || decoded.guard == SASS_PT)
		return false;
	*guarded = origin;
	return true;
}

/* Numbers the points of a code from `count` on: called twice, first to find out how many there are, then to fill them
 * in. */
static u32 find_points(struct flow *f, const struct code *code, u32 count)
{
	u32 covered = 0, guarded = NO_OPERAND;

	for (u32 k = 0; k < code->insn_count; k++) {
		const struct insn *i = &code->insns[k];
		struct point p = {.code = code, .insn = k, .kind = (u8)kind_of(f, i)};
		const u32 origin = code->origin[k];
		if (is_listing_branch(code, k) && p.kind == POINT_RUN && i->fn != f->count)
			p.kind = POINT_BRANCH_IF;
		if (has_machine_guard(f, code, k, &guarded))
			p.kind = i->run ? POINT_MACHINE_RUN : POINT_GUARD;
		else if (code->function->machine && p.kind == POINT_GUARD)
			p.kind = POINT_NONE;
		if (p.kind == POINT_NONE)
			continue;
		const bool known = origin != NO_OPERAND && code->forms[origin].row;
		p.sync = known && code->forms[origin].row->flags & ISA_SYNC && p.kind == POINT_RUN;
		p.call = i->fn == f->call;
		p.jumps_around = p.kind == POINT_BRANCH_IF && !code->function->listing &&
				 code->function->body.items[origin].guard_negated != (i->aux & 1);
		p.first = p.kind == POINT_GUARD ? origin : covered;
		p.end = p.first + (p.kind == POINT_GUARD ? 1 : i->run);
		if (p.kind != POINT_GUARD)
			covered = p.end;
		f->slots[code->index][k] = count + 1;
		if (f->points)
			f->points[count] = p;
		count++;
	}
	return count;
}

struct flow *flow_new(struct arena *arena, const struct program *program)
{
	struct flow *f = ARENA_NEW(arena, struct flow);
	u32 count = 0;

	*f = (struct flow){.program = program,
			   .guard = internal(program->isa, OP_internal_guard),
			   .bra = internal(program->isa, OP_internal_bra),
			   .bra_if = internal(program->isa, OP_internal_bra_if),
			   .brx = internal(program->isa, OP_internal_brx),
			   .call = internal(program->isa, OP_internal_call),
			   .count = internal(program->isa, OP_internal_count)};
	f->slots = ARENA_ARRAY(arena, program->code_count + 1, u32 *);
	f->facts = ARENA_ARRAY(arena, program->code_count + 1, struct instruction_facts *);
	f->timelines = ARENA_ARRAY(arena, TIMELINE_WARPS, struct flow_timeline);
	for (u32 c = 0; c < program->code_count; c++) {
		const struct code *code = program->codes[c];
		const struct ir_function *function = code->function;
		f->slots[c] = ARENA_ARRAY(arena, code->insn_count + 1, u32);
		f->facts[c] = ARENA_ARRAY(arena, function->body.count + 1, struct instruction_facts);
		for (size_t k = 0; k < function->body.count; k++)
			f->facts[c][k] = instruction_describe(program->isa, &function->body.items[k], &code->forms[k]);
		count = find_points(f, code, count);
	}
	f->point_count = count;
	f->points = ARENA_ARRAY(arena, count + 1, struct point);
	count = 0;
	for (u32 c = 0; c < program->code_count; c++)
		count = find_points(f, program->codes[c], count);
	return f;
}

u32 flow_points(const struct flow *f) { return f->point_count; }

u32 flow_point(const struct flow *f, const struct code *code, u32 insn) { return f->slots[code->index][insn]; }

/* --- During the run ------------------------------------------------------------------------- */

/* Slices twice as long, half as many. */
static void coarsen(struct flow_timeline *t)
{
	for (u32 k = 0; k < TIMELINE_SLICES / 2; k++) {
		t->instructions[k] = t->instructions[2 * k] + t->instructions[2 * k + 1];
		t->lanes[k] = t->lanes[2 * k] + t->lanes[2 * k + 1];
	}
	memset(t->instructions + TIMELINE_SLICES / 2, 0, sizeof t->instructions / 2);
	memset(t->lanes + TIMELINE_SLICES / 2, 0, sizeof t->lanes / 2);
	t->slice *= 2;
	t->used = (t->used + 1) / 2;
}

/* Puts `count` instructions of `lanes` lanes behind what is there. */
static void extend(struct flow_timeline *t, u32 count, u32 lanes)
{
	if (!t->slice)
		t->slice = 1;
	while (count) {
		if (t->used && t->instructions[t->used - 1] < t->slice) {
			const u32 n = min_u32(count, t->slice - t->instructions[t->used - 1]);
			t->instructions[t->used - 1] += n;
			t->lanes[t->used - 1] += (u64)n * lanes;
			count -= n;
		} else if (t->used == TIMELINE_SLICES) {
			coarsen(t);
		} else {
			t->used++;
		}
	}
}

bool flow_times(const struct block *b)
{
	return b->index < TIMELINE_WARPS && b->index * b->warp_count < TIMELINE_WARPS;
}

/* A warp is run by one worker at a time, so its timeline needs no lock. */
static void note_time(struct flow *f, const struct warp *w, u32 run, u32 mask)
{
	if (w->block->index >= TIMELINE_WARPS || !run)
		return;
	const u64 number = w->block->index * w->block->warp_count + w->index;
	if (number >= TIMELINE_WARPS)
		return;
	f->timelines[number].block = w->block->index;
	f->timelines[number].warp = w->index;
	extend(&f->timelines[number], run, (u32)__builtin_popcount(mask));
}

/* Without a call, which the host's baseline has in place of an instruction. */
static inline u32 count_bits(u32 x)
{
	x -= x >> 1 & 0x55555555u;
	x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
	return ((x + (x >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
}

/* The lanes for which the guard of i holds. */
static u32 predicate(const struct insn *i, const u8 *rows)
{
	const u32 on = *(const u32 *)(const void *)(rows + i->a);

	return i->aux & 1 ? ~on : on;
}

/* Whether lanes `mask` take more than one way at an indexed branch. */
static bool targets_differ(const struct code *code, const struct insn *i, const u8 *rows, u32 mask)
{
	const struct branch_table *t = &code->tables[i->c];
	const u32 *index = (const u32 *)(const void *)(rows + i->a);
	const u32 first = index[__builtin_ctz(mask)];

	/* An index beyond the table is a fault, not a way to go. */
	for (u32 left = mask; left && first < t->count; left &= left - 1) {
		const u32 k = index[__builtin_ctz(left)];
		if (k < t->count && t->targets[k] != t->targets[first])
			return true;
	}
	return false;
}

/* Counts what a warp is about to do at a point. `counts` is the worker's own. */
void flow_before(struct flow *f, struct flow_count *counts, u32 point, const struct warp *w, const struct insn *i,
		 const u8 *rows, u32 mask)
{
	const struct point *p = &f->points[point];
	struct flow_count *n = &counts[point];
	u32 on;

	switch (p->kind) {
	case POINT_GUARD:
		n->off += count_bits(mask & ~predicate(i, rows));
		return;
	case POINT_MACHINE_RUN:
		n->off += count_bits(mask & ~predicate(i, rows));
		break;
	case POINT_BRANCH_IF:
		on = mask & predicate(i, rows);
		n->branches++;
		n->divergent += on && on != mask;
		n->off += count_bits(p->jumps_around ? on : mask & ~on);
		break;
	case POINT_BRANCH_INDEX:
		n->branches++;
		n->divergent += targets_differ(w->frame->code, i, rows, mask);
		break;
	case POINT_BRANCH:
		n->branches++;
		break;
	default:
		/* One that waited for other lanes was counted when it came first. */
		if (p->sync && w->resumed)
			return;
		/* Nor a call that lets others run first, which comes again. */
		if (p->call && w->budget <= 0)
			return;
	}
	n->executed++;
	n->lanes += count_bits(mask);
	note_time(f, w, p->end - p->first, mask);
}

/* Of a branch or guard that lanes `mask` come to, and whose predicate holds for `on` of them. */
static void count_predicate(const struct point *p, struct flow_count *n, u32 on, u32 mask)
{
	n->divergent += p->kind == POINT_BRANCH_IF && on && on != mask;
	n->off += count_bits(p->jumps_around ? on : mask & ~on);
}

/* Of all warps of a gang: instructions that `lanes` lanes come to, if they are more than a guard. */
static void count_warps(const struct point *p, struct flow_count *n, u32 warps, u32 lanes)
{
	n->branches += p->kind == POINT_RUN || p->kind == POINT_MACHINE_RUN ? 0 : warps;
	n->executed += warps;
	n->lanes += lanes;
}

/* Where its lanes go different ways. */
static void flow_members(struct flow *f, const struct point *p, struct flow_count *n, const struct gang *g,
			 const struct insn *i)
{
	u32 warps = 0, lanes = 0;

	EACH_MEMBER (g, m) {
		if (p->kind == POINT_GUARD || p->kind == POINT_BRANCH_IF || p->kind == POINT_MACHINE_RUN)
			count_predicate(p, n, m->mask & predicate(i, m->rows), m->mask);
		if (p->kind == POINT_BRANCH_INDEX)
			n->divergent += targets_differ(g->code, i, m->rows, m->mask);
		if (p->kind != POINT_GUARD)
			note_time(f, m->warp, p->end - p->first, m->mask);
		warps++;
		lanes += m->lanes;
	}
	if (p->kind != POINT_GUARD)
		count_warps(p, n, warps, lanes);
}

void flow_gang_before(struct flow *f, struct flow_count *counts, u32 point, const struct gang *g, const struct insn *i)
{
	const struct point *p = &f->points[point];
	struct flow_count *n = &counts[point];

	if (g->on) {
		flow_members(f, p, n, g, i);
		return;
	}
	if (p->kind == POINT_GUARD || p->kind == POINT_BRANCH_IF || p->kind == POINT_MACHINE_RUN)
		EACH_WARP (g)
			count_predicate(p, n, predicate(i, rows), FULL_MASK);
	if (p->kind == POINT_BRANCH_INDEX)
		EACH_WARP (g)
			n->divergent += targets_differ(g->code, i, rows, FULL_MASK);
	if (p->kind == POINT_GUARD)
		return;
	count_warps(p, n, g->count, g->count * WARP_LANES);
	for (u32 k = 0; k < g->count && flow_times(g->block); k++)
		note_time(f, &g->warps[k], p->end - p->first, FULL_MASK);
}

bool flow_tallies(const struct flow *f, u32 point)
{
	const u8 kind = f->points[point].kind;

	return kind == POINT_RUN || kind == POINT_GUARD || kind == POINT_BRANCH_IF || kind == POINT_BRANCH;
}

void flow_timed(struct flow *f, u32 point, const struct warp *w, u32 mask)
{
	note_time(f, w, f->points[point].end - f->points[point].first, mask);
}

void flow_tallied(const struct flow *f, struct flow_count *counts, u32 point, const struct native_tally *t)
{
	const struct point *p = &f->points[point];
	struct flow_count *n = &counts[point];

	if (p->kind == POINT_GUARD || p->kind == POINT_BRANCH_IF)
		n->off += p->jumps_around ? t->on : t->lanes - t->on;
	if (p->kind == POINT_GUARD)
		return;
	n->branches += p->kind == POINT_RUN ? 0 : t->executed;
	n->divergent += t->divergent;
	n->executed += t->executed;
	n->lanes += t->lanes;
}

/* --- Around the run ------------------------------------------------------------------------- */

void flow_begin(struct flow *f) { memset(f->timelines, 0, TIMELINE_WARPS * sizeof *f->timelines); }

struct flow_count **flow_result(const struct flow *f, struct arena *arena)
{
	struct flow_count **result = ARENA_ARRAY(arena, f->program->code_count + 1, struct flow_count *);

	for (u32 c = 0; c < f->program->code_count; c++)
		result[c] = ARENA_ARRAY(arena, f->program->codes[c]->function->body.count + 1, struct flow_count);
	return result;
}

void flow_merge(const struct flow *f, const struct flow_count *counts, struct flow_count **to)
{
	for (u32 s = 0; s < f->point_count; s++) {
		const struct point *p = &f->points[s];
		const struct flow_count *n = &counts[s];
		const u32 body = (u32)p->code->function->body.count;
		struct flow_count *rows = to[p->code->index];
		if (p->kind == POINT_GUARD) {
			rows[p->first].off += n->off;
			continue;
		}
		for (u32 k = p->first; k < p->end && k < body; k++) {
			rows[k].executed += n->executed;
			rows[k].lanes += n->lanes;
		}
		/* A branch is the last of its run, or one that jumps around the last. */
		const u32 at = p->end ? min_u32(p->end, body) - 1 : 0;
		rows[at].branches += n->branches;
		rows[at].divergent += n->divergent;
		rows[at].off += n->off;
	}
}

/* A run that ends early, at a fault, is counted as far as it came. */
void flow_cut(struct flow *f, struct flow_count *counts, const struct warp *w, u32 count, u32 mask)
{
	flow_count_run(counts, count, mask);
	note_time(f, w, count, mask);
}

/* Adds counts of runs that were cut, by instruction. */
void flow_add(const struct flow *f, struct flow_count *const *from, struct flow_count **to)
{
	for (u32 c = 0; c < f->program->code_count; c++)
		for (size_t k = 0; k < f->program->codes[c]->function->body.count; k++) {
			to[c][k].executed += from[c][k].executed;
			to[c][k].lanes += from[c][k].lanes;
		}
}

/* Takes over the timelines of another process: each warp has run in one of them. */
void flow_absorb(struct flow *f, const struct flow_timeline *from)
{
	for (u32 k = 0; k < TIMELINE_WARPS; k++)
		if (from[k].slice)
			f->timelines[k] = from[k];
}

const struct instruction_facts *flow_facts(const struct flow *f, const struct code *code)
{
	return f->facts[code->index];
}

const struct flow_timeline *flow_timelines(const struct flow *f) { return f->timelines; }
