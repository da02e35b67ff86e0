/* SPDX-License-Identifier: Apache-2.0
 *
 * How a gang ends: each warp gets its own counts, the place where it goes on, and, if lanes have gone different ways, the splits
 * and joins that it would have by itself.
 */
#include "exec/converge.h"
#include "exec/gang_ways.h"
#include "exec/internal.h"

/* Allocated at the worker's first divergence: 64 entries of GANG_WARPS masks are too much for the host's stack. */
struct gang_split *gang_split_room(struct gang *g)
{
	if (!g->worker->gang_split)
		g->worker->gang_split = ARENA_NEW(&g->worker->arena, struct gang_split);
	return g->worker->gang_split;
}

/* Entries [first, *end) of the stack belong to one join, which is the first of them, or to none. Of warp k:
 * in how many places those lanes are that have neither passed the join nor gone deeper. */
static u32 places_of(const struct gang_split *s, u32 first, u32 k, u32 *end, u32 *lanes)
{
	u32 places = 0, e = first;

	*lanes = 0;
	do {
		places += s->stack[e].lanes[k] != 0;
		*lanes |= s->stack[e].lanes[k];
	} while (++e < s->depth && !s->stack[e].is_join);
	*end = e;
	return places;
}

static u32 lanes_from(const struct gang_split *s, u32 first, u32 k)
{
	u32 lanes = s->running[k];

	for (u32 e = first; e < s->depth; e++)
		lanes |= s->stack[e].lanes[k];
	return lanes;
}

/* Gives warp k the splits and joins that its lanes have by themselves; what runs is to go on at `pc`. */
static void scatter_warp(const struct gang *g, u32 k, const struct insn *pc)
{
	const struct gang_split *s = g->split;
	struct warp *w = &g->warps[k];
	struct join *join = NULL;

	for (u32 first = 0, end; first < s->depth; first = end) {
		u32 lanes;
		const u32 places = places_of(s, first, k, &end, &lanes), deeper = lanes_from(s, end, k);
		const struct entry *e = &s->stack[first];
		const bool parted = e->is_join && places + (deeper != 0) > 1;
		if (parted)
			join = warp_open_join(w, gang_plain(g, e->pc), lanes | deeper, e->lanes[k], join);
		else if (e->is_join && e->lanes[k])
			warp_stand_apart(w, gang_plain(g, e->pc + 1), e->lanes[k], join);
		for (u32 x = first + e->is_join; x < end; x++)
			if (s->stack[x].lanes[k])
				warp_stand_apart(w, gang_plain(g, s->stack[x].pc), s->stack[x].lanes[k], join);
	}
	if (s->running[k])
		warp_stand_apart(w, pc, s->running[k], join);
}

/* The same of machine code: who has come to a join is parked there, for what the barrier's rows say. */
static void scatter_machine(const struct gang *g, u32 k, const struct insn *pc)
{
	const struct gang_split *s = g->split;
	struct warp *w = &g->warps[k];

	for (const struct entry *e = s->stack; e < s->stack + s->depth; e++) {
		if (e->lanes[k] && e->is_join)
			warp_park_apart(w, gang_plain(g, e->pc + 1), e->lanes[k], e->pc->d);
		else if (e->lanes[k]) {
			warp_stand_apart(w, gang_plain(g, e->pc), e->lanes[k], NULL);
			w->ready_head->beside = s->beside[k] == (u32)(e - s->stack) + 1;
		}
	}
	if (s->running[k])
		warp_stand_apart(w, pc, s->running[k], NULL);
	converge_recheck(w);
}

/* Ends the divergence: hands each warp its splits and joins. The first `done` warps go on at `next`, the others at
 * `again`. */
static void scatter(struct gang *g, const struct insn *again, const struct insn *next, u32 done)
{
	for (u32 k = 0; k < g->count; k++) {
		g->warps[k].mask = 0;
		if (g->code->machine_banks)
			scatter_machine(g, k, k < done ? next : again);
		else
			scatter_warp(g, k, k < done ? next : again);
	}
	g->split = NULL;
	g->on = g->on_end = NULL;
}

/* For native code (native/enter.c), which keeps a stack of its own: rebuilds it for warp k and scatters that. */
static void rebuild(struct gang *g, u32 k, const struct gang_place *places, u32 count, u32 running)
{
	struct gang_split *s = g->split = gang_split_room(g);

	s->depth = count;
	s->running[k] = running;
	for (u32 n = 0; n < count; n++) {
		s->stack[n].pc = places[n].pc;
		s->stack[n].is_join = places[n].is_join;
		s->stack[n].lanes[k] = places[n].lanes;
	}
}

void gang_place(struct gang *g, u32 k, const struct gang_place *places, u32 count, u32 running, const struct insn *pc)
{
	rebuild(g, k, places, count, running);
	scatter_warp(g, k, pc);
	g->split = NULL;
}

void gang_place_machine(struct gang *g, u32 k, const struct gang_place *places, u32 count, u32 beside, u32 running,
			const struct insn *pc)
{
	rebuild(g, k, places, count, running);
	g->split->beside[k] = beside;
	scatter_machine(g, k, pc);
	g->split = NULL;
}

/* --- Parting -------------------------------------------------------------------------------- */

/* Adds to each warp what the gang counted once for all of them. */
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

/* From here on each warp counts for itself. `whole` was true as long as the block could end without its warps being
 * touched. */
void gang_dissolve(struct gang *g)
{
	give_counts(g);
	for (u32 k = 0; k < g->count; k++)
		g->warps[k].fresh = false;
	g->block->intact = false;
	g->whole = false;
}

/* The first `done` warps have executed i and go on after it; the others execute it (or its guard) themselves. Returns
 * NULL, which ends the loop in gang_run(). The lead is kept for the scheduler: the warp that was last at a barrier runs
 * first, as it would have without gangs. */
const struct insn *gang_part(struct gang *g, const struct insn *i, u32 done)
{
	/* Warps that have not run a guarded instruction resume at its guard, one before it. */
	const struct insn *pc = gang_plain(g, i), *again = g->guarded ? pc - 1 : pc;

	g->parted = i;
	g->done = done;
	g->block->lead = (u32)(g->warps - g->block->warps) + g->lead;
	g->block->leads = true;
	gang_dissolve(g);
	if (g->split) {
		scatter(g, again, pc + 1, done);
		return NULL;
	}
	for (u32 k = 0; k < g->count; k++) {
		g->warps[k].mask = 0;
		warp_stand(&g->warps[k], k < done ? pc + 1 : again);
	}
	return NULL;
}
