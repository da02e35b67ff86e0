/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds regions. From a block on, a region grows along what every lane must pass: over a branch to the join of its
 * lanes, if all that lies between can run natively. It may end wherever no jump from outside leads into it.
 *
 *      block 0   first: entered here only             a region: blocks 0 to 3
 *        |`---.
 *      block 1  block 2    ways of a branch           taken whole, or not at all (take_branch)
 *        |.---'
 *      block 3   the join                             note_good: all lanes are together again
 *        |
 *      end       the interpreter goes on here, with all rows in the frame
 */
#include <string.h>

#include "isa/form.h"
#include "native/costs.h"
#include "native/growth.h"

enum { REGION_INSNS_MIN = 3 };

static u32 weight(const struct code_flow *f, const struct code_block *x)
{
	u32 n = 0;

	for (u32 k = x->first; k < x->end; k++)
		n += f->steps[k].kind == STEP_PLAIN || f->steps[k].kind == STEP_BRANCH_IF;
	return n;
}

/* --- Growing ------------------------------------------------------------------------------------ */

static void note_costs(struct growth *g, const struct code_block *x)
{
	for (u32 k = x->first; k < x->end; k++) {
		const struct step *s = &g->f->steps[k];
		g->branches += s->kind == STEP_BRANCH_IF;
		g->accesses += s->kind == STEP_PLAIN && s->form && s->form->row->flags & ISA_MEMORY;
		for (u32 o = 0; s->kind == STEP_PLAIN && o < s->operand_count; o++)
			if (s->operands[o].written && !row_in(g->written, g->f->rows[s->operands[o].row].home)) {
				row_add(g->written, g->f->rows[s->operands[o].row].home);
				g->rows++;
			}
	}
}

/* An edge between the block and one that is in the region is no longer pending. */
static void take_block(struct growth *g, u32 b)
{
	const struct code_block *x = &g->f->blocks[b];

	g->stamp[b] = g->turn;
	g->number[b] = g->count;
	for (u32 s = 0; s < x->successor_count; s++)
		if (in_region(g, x->successors[s]) && x->successors[s] != g->list[0] && x->successors[s] != b)
			g->pending--;
	for (u32 p = 0; g->count && p < x->predecessor_count; p++)
		g->pending += !in_region(g, x->predecessors[p]);
	g->list[g->count++] = b;
	g->insns += weight(g->f, x);
	note_costs(g, x);
	shared_use_add(&g->use, &x->use);
}

static bool is_large(const struct growth *g)
{
	return region_exceeds(g->lean, g->insns, g->accesses, (u64)g->branches * g->rows);
}

/* Takes all blocks between block b's branch and its join: lanes that have gone different ways are together again at the join
 * only, and a region must not end with some of them underway. False: there is a wall, or too much. */
static bool take_branch(struct growth *g, u32 b, u32 join)
{
	u32 depth = 0, first = g->count;

	take_block(g, b);
	if (g->use.clashes)
		goto refused;
	g->stack[depth++] = b;
	while (depth) {
		const struct code_block *x = &g->f->blocks[g->stack[--depth]];
		for (u32 s = 0; s < x->successor_count; s++) {
			const u32 to = x->successors[s];
			if (to == join || in_region(g, to))
				continue;
			if (to == g->f->block_count || g->f->blocks[to].wall || !g->f->blocks[to].successor_count ||
			    g->covered[to] || is_large(g))
				goto refused;
			take_block(g, to);
			if (g->use.clashes)
				goto refused;
			g->stack[depth++] = to;
		}
	}
	return true;
refused:
	/* As if nothing had been tried, but for the sums, which the caller has kept. */
	while (g->count > first)
		g->stamp[g->list[--g->count]] = 0;
	return false;
}

/* Everything taken so far can stand by itself, ending at instruction `end`. */
static void note_good(struct growth *g, u32 end, u32 cut)
{
	if (g->pending)
		return;
	g->good = g->count;
	g->size = g->insns;
	g->end = end;
	g->cut = cut;
}

/* Takes what of block b comes before its last instruction, a branch that cannot be passed. */
static void take_part(struct growth *g, u32 b)
{
	const u32 last = g->f->blocks[b].end - 1;
	u32 outside = 0;

	for (u32 p = 0; g->count && p < g->f->blocks[b].predecessor_count; p++)
		outside += !in_region(g, g->f->blocks[b].predecessors[p]);
	shared_use_add(&g->use, &g->f->blocks[b].use);
	if (last == g->f->blocks[b].first || outside || g->pending || g->use.clashes)
		return;
	g->stamp[b] = g->turn;
	g->number[b] = g->count;
	g->list[g->count++] = b;
	g->insns += weight(g->f, &g->f->blocks[b]);
	note_good(g, last, last);
}

/* Takes the branch at the end of block b, up to *next, where it goes on. Of machine code that may be where all ways meet, before
 * the BSYNC at which the lanes do: then they must not part. False: there is a wall, or too much. */
static bool take_ways(struct growth *g, u32 b, u32 *next)
{
	const struct code_flow *f = g->f;
	const struct growth kept = *g;
	const u32 meetings[] = {join_of(f, b), f->code->steps ? f->blocks[b].after : join_of(f, b)};

	for (u32 k = 0; k < COUNT_OF(meetings) && (!k || meetings[k] != meetings[0]); k++) {
		*next = meetings[k];
		if (take_branch(g, b, *next))
			return true;
		const u32 rows = g->rows; /* noted as written for good */
		*g = kept;
		g->rows = rows;
	}
	return false;
}

/* Lanes that part before block b and meet at it are to be counted by its BSYNC: it must be in the region with them. */
static bool may_end_before(const struct code_flow *f, u32 b)
{
	return !f->code->steps || f->steps[f->blocks[b].first].kind != STEP_JOIN;
}

/* One region from block b. On return `good` says how much of it can be used; 0: nothing. */
static void grow(struct growth *g, u32 b)
{
	const struct code_flow *f = g->f;

	g->turn++;
	g->count = g->insns = g->pending = g->good = 0;
	g->accesses = g->branches = g->rows = 0;
	memset(g->written, 0, f->words * sizeof *g->written);
	g->use = (struct shared_use){0};
	g->list[0] = b;
	while (b < f->block_count && !f->blocks[b].wall && !g->covered[b] && !in_region(g, b) && !is_large(g)) {
		const u8 kind = last_step(f, b)->kind;
		u32 next = b + 1;
		if (kind == STEP_BRANCH)
			next = f->blocks[b].successor_count ? f->blocks[b].successors[0] : f->block_count;
		if (kind == STEP_BRANCH_IF && !take_ways(g, b, &next)) {
			take_part(g, b);
			return;
		}
		if (kind != STEP_BRANCH_IF)
			take_block(g, b);
		if (next >= f->block_count || g->use.clashes)
			return;
		if (may_end_before(f, next))
			note_good(g, f->blocks[next].first, 0);
		b = next;
	}
}

/* Over all blocks in order; those in a region already are passed over. Small regions are not worth their entry. */
struct regions regions_find(const struct code_flow *f, bool lean)
{
	const u32 count = f->block_count + 1;
	struct regions found = {0};
	struct growth g = {.f = f, .lean = lean};
	u32 **const lists[] = {&g.stamp, &g.number, &g.list, &g.stack, &g.seen};

	for (size_t k = 0; k < COUNT_OF(lists); k++)
		*lists[k] = ARENA_ARRAY(f->arena, count + 1, u32);
	g.covered = ARENA_ARRAY(f->arena, count, bool);
	g.written = ARENA_ARRAY(f->arena, f->words, u64);
	g.set = ARENA_ARRAY(f->arena, f->words, u64);
	g.row_of = ARENA_ARRAY(f->arena, f->row_count + 1, u32);
	g.marks = ARENA_ARRAY(f->arena, f->row_count + 1, u32);
	found.items = ARENA_ARRAY(f->arena, count, struct region);
	found.row_threads = f->row_threads;
	found.one_warp = f->one_warp;
	for (u32 k = 0; k < f->code->insn_count; k++)
		found.insns += f->steps[k].kind != STEP_NOTHING;
	for (u32 b = 0; b < f->block_count; b++) {
		if (g.covered[b] || f->blocks[b].wall)
			continue;
		grow(&g, b);
		if (!g.good || g.size < REGION_INSNS_MIN)
			continue;
		if (!region_make(&g, &found.items[found.count]))
			continue;
		found.count++;
		for (u32 n = 0; n < g.good; n++)
			g.covered[g.list[n]] = true;
		found.covered += g.size;
	}
	return found;
}
