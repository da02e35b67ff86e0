/* SPDX-License-Identifier: Apache-2.0
 *
 * Gangs of kernels whose warps run one by one (code->one_by_one): each warp in turn is a gang of its own, from where all stand
 * up to a barrier or its exit. If all have come to the same one the gang runs it and goes on from there; else it
 * parts, and each warp goes on from where it is.
 *
 *      warp 0   ----loop----------->|             turn 0
 *      warp 1                       |--loop-->|   turn 1; where its lanes part, they part as a gang's
 *      both                                   barrier, as one gang; then turns again
 */
#include "exec/gang.h"

#include "exec/internal.h"

enum { TURN_LEAST = 1 << 22 }; /* instructions of a warp before others have a turn */

enum outcome { OUTCOME_NONE, OUTCOME_WAITS, OUTCOME_LEFT, OUTCOME_YIELDED };

struct turns {
	struct {
		enum outcome outcome;
		const struct insn *waits;
		u64 issued, branches; /* that are not yet the warp's own */
	} warps[GANG_WARPS];
	u32 begun;
	const struct insn *all; /* where all that have run wait; NULL: in several places, or one has left */
	u64 issued, branches;   /* of each, as long as all have counted */
	bool same;              /* the same, with all their lanes */
	bool parted;            /* some warp's lanes have gone different ways, interpreted */
	u64 most;               /* that one has issued */
};

/* Warp n, in the order in which they run. */
static u32 turn_of(const struct gang *g, u32 n) { return !n ? g->lead : n <= g->lead ? n - 1 : n; }

static struct gang gang_of_one(const struct gang *g, u32 k)
{
	struct gang one = *g;

	one.rows = g->rows + k * g->stride;
	one.warps = g->warps + k;
	one.count = 1;
	one.lead = 0;
	one.spins = 0;
	one.issued = one.branches = 0;
	one.apart = false;
	one.single = one.whole = true;
	one.parted = one.waits = NULL;
	if (!g->grid->launch->instruction_limit)
		one.budget = max_s64(g->budget, TURN_LEAST);
	return one;
}

/* A gang that has dissolved, since lanes have parted, has given the warp its counts; so have native regions where they do. */
static void note_turn(const struct gang *g, struct turns *t, const struct gang *one, u32 k, u64 issued)
{
	/* In the gang's code, which may have been changed for this warp. */
	const struct insn *waits = one->waits ? g->insns + (one->waits - one->insns) : NULL;

	t->warps[k].waits = waits;
	t->warps[k].issued = one->issued;
	t->warps[k].branches = one->branches;
	t->warps[k].outcome = waits ? OUTCOME_WAITS : one->warps->stop == STOP_YIELD ? OUTCOME_YIELDED : OUTCOME_LEFT;
	if (!t->begun++) {
		t->all = waits;
		t->issued = one->issued;
		t->branches = one->branches;
	}
	t->same &= one->whole && !one->apart && one->issued == t->issued && one->branches == t->branches;
	t->parted |= !one->whole;
	t->all = waits == t->all ? t->all : NULL;
	t->most = max_u64(t->most, issued);
}

/* One warp's turn. False: it has left the gang other than by its exit, and those after it do not begin. */
static bool run_turn(struct gang *g, struct turns *t, u32 k, const struct insn *at)
{
	struct gang one = gang_of_one(g, k);
	struct warp *w = one.warps;
	const u64 before = w->issued;

	while (at)
		at = at->gang(&one, at);
	note_turn(g, t, &one, k, w->issued - before + one.issued);
	return t->warps[k].outcome == OUTCOME_WAITS || !w->live;
}

/* What each has counted becomes its own. Where lanes have parted, the warps are no more as the block began. */
static void give_counts(struct gang *g, const struct turns *t, bool goes_on)
{
	g->apart = true;
	if (t->parted || !goes_on)
		gang_dissolve(g);
	for (u32 k = 0; k < g->count; k++) {
		struct warp *w = &g->warps[k];
		w->issued += t->warps[k].issued;
		w->lanes_issued += t->warps[k].issued * WARP_LANES;
		w->branches += t->warps[k].branches;
	}
}

/* Every warp goes on by itself: those that have had their turn where they are, those that have not at `at`. After one whose time
 * is up all begin another slice. */
static const struct insn *part_turns(struct gang *g, const struct turns *t, const struct insn *at)
{
	bool yields = false;

	for (u32 k = 0; k < g->count; k++)
		yields |= t->warps[k].outcome == OUTCOME_YIELDED;
	g->block->lead = (u32)(g->warps - g->block->warps) + g->lead;
	g->block->leads = true;
	for (u32 k = 0; k < g->count; k++) {
		struct warp *w = &g->warps[k];
		const enum outcome outcome = t->warps[k].outcome;
		w->mask = 0;
		if (outcome == OUTCOME_LEFT || outcome == OUTCOME_YIELDED)
			continue;
		if (yields)
			w->stop = STOP_YIELD;
		warp_stand(w, gang_plain(g, outcome == OUTCOME_WAITS ? t->warps[k].waits : at));
		if (outcome == OUTCOME_WAITS)
			gang_note_told(g, k, t->warps[k].waits);
	}
	return NULL;
}

/* In its turn a warp may have come to what has all instructions watched: then the code that has native regions is not to be
 * entered any more, by the warps behind it either. */
static const struct insn *follow_code(struct gang *g, struct turns *t, const struct insn *at)
{
	const struct insn *const old = g->insns;

	if (!g->grid->watches_all || old == g->grid->gang_insns)
		return at;
	at = gang_change_code(g, at, g->grid->gang_insns);
	for (u32 k = 0; k < g->count; k++)
		if (t->warps[k].waits)
			t->warps[k].waits = g->insns + (t->warps[k].waits - old);
	if (t->all)
		t->all = g->insns + (t->all - old);
	return at;
}

/* A turn for each. Returns where the gang goes on. */
static const struct insn *run_turns(struct gang *g, const struct insn *at)
{
	struct turns t = {.same = true};
	bool goes_on = true;

	for (u32 n = 0; n < g->count && goes_on; n++) {
		goes_on = run_turn(g, &t, turn_of(g, n), at);
		at = follow_code(g, &t, at);
	}
	if (goes_on && t.same && t.all) {
		g->issued += t.issued;
		g->branches += t.branches;
	} else {
		give_counts(g, &t, goes_on && t.all);
	}
	g->budget -= (s64)t.most;
	return goes_on && t.all ? gang_resume(g, t.all) : part_turns(g, &t, at);
}

const struct insn *gang_turns(struct gang *g, const struct insn *at)
{
	while (at && g->code->one_by_one && g->count > 1 && !g->split)
		at = run_turns(g, at);
	return at;
}
