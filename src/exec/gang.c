/* SPDX-License-Identifier: Apache-2.0
 *
 * Gangs: forming, running, parting.
 */
#include "exec/gang.h"

#include "exec/internal.h"

u32 gang_size(const struct block *b, u32 first, const struct insn **at)
{
	const struct warp *w = &b->warps[first];
	const struct code *code = b->machine->kernel->code;
	const u32 end = min_u32(b->warp_count, first + b->machine->gang_limit);
	const bool fresh = w->fresh;
	const struct insn *pc = fresh ? code->insns : warp_stands(w);
	u32 n = first;

	while (pc && n < end && b->warps[n].live == FULL_MASK && b->warps[n].fresh == fresh &&
	       (fresh || warp_stands(&b->warps[n]) == pc))
		n++;
	*at = pc ? code->gang_insns + (pc - code->insns) : NULL;
	return n - first;
}

void gang_run(struct block *b, u32 first, u32 count, const struct insn *at, s64 budget)
{
	struct warp *w = &b->warps[first];
	struct gang g = {.rows = w->entry_frame->rows, .count = count, .warps = w, .code = b->machine->kernel->code,
			 .worker = b->worker, .block = b, .machine = b->machine, .budget = budget};

	g.stride = b->warp_count > 1 ? (size_t)(b->warps[1].entry_frame->rows - b->warps[0].entry_frame->rows) : 64;
	for (u32 k = 0; k < count; k++) {
		if (!w[k].fresh)
			warp_take(&w[k]);
		w[k].fresh = false;
		w[k].stop = STOP_NONE;
		w[k].mask = FULL_MASK;
		w[k].frame = w[k].entry_frame;
		w[k].rows = w[k].frame->rows;
		w[k].join = NULL;
	}
	while (at)
		at = at->gang(&g, at);
}

/* Gives the warps what was counted for all of them. */
static void give_counts(struct gang *g)
{
	for (u32 k = 0; k < g->count; k++) {
		struct warp *w = &g->warps[k];
		w->issued += g->issued;
		w->lanes_issued += g->issued * WARP_LANES;
		w->branches += g->branches;
	}
	g->issued = g->branches = 0;
}

const struct insn *gang_part(struct gang *g, const struct insn *i, u32 done)
{
	const struct insn *pc = gang_plain(g, i);

	give_counts(g);
	for (u32 k = 0; k < g->count; k++) {
		g->warps[k].mask = 0;
		warp_stand(&g->warps[k], k < done ? pc + 1 : pc);
	}
	return NULL;
}

const struct insn *gang_yield(struct gang *g, const struct insn *i)
{
	gang_part(g, i, 0);
	for (u32 k = 0; k < g->count; k++) {
		g->warps[k].stop = STOP_YIELD;
		g->warps[k].spins = g->spins;
	}
	return NULL;
}

const struct insn *gang_end(struct gang *g, const struct insn *i) { return gang_part(g, i, 0); }

const struct insn *gang_exit(struct gang *g, const struct insn *i)
{
	gang_account(g, i);
	give_counts(g);
	for (u32 k = 0; k < g->count; k++) {
		struct warp *w = &g->warps[k];
		w->live = 0;
		w->mask = 0;
		w->stop = STOP_FINISHED;
		block_lanes_exited(w, FULL_MASK);
	}
	return NULL;
}

const struct insn *gang_barrier(struct gang *g, const struct insn *i, u32 number, u32 threads)
{
	struct block *b = g->block;
	const u32 here = g->count * WARP_LANES;

	if (number >= BARRIERS_PER_BLOCK || (threads && threads != here) || (!threads && b->live_threads != here) ||
	    b->barriers[number].arrived)
		return gang_part(g, i, 0);
	gang_account(g, i);
	b->barriers[number].phase++;
	g->spins = 0;
	return i + 1;
}

const struct insn *gang_each(struct gang *g, const struct insn *i)
{
	const struct insn *plain = gang_plain(g, i);
	struct warp *w = g->warps;

	EACH_WARP(g)
		plain->fn(w++, plain, rows, FULL_MASK);
	return i + 1;
}

void gang_each_masked(struct gang *g, const struct insn *i, const u32 *on)
{
	const struct insn *plain = gang_plain(g, i);
	struct warp *w = g->warps;

	EACH_WARP(g) {
		if (*on)
			plain->fn(w, plain, rows, *on);
		w++;
		on++;
	}
}
