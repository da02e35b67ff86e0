/* SPDX-License-Identifier: Apache-2.0
 *
 * Gangs: forming, running, parting.
 *
 * A gang has one program counter for all its warps, so a warp's own state is only written when the warp leaves
 * the gang: gang_part() stores where each warp continues, and gang_dissolve() hands out what was counted once for
 * all. Whatever a gang's handler cannot do exactly as a warp would (a fault, a barrier that others have not reached)
 * parts the gang before the instruction; each warp then executes it by itself, with the ordinary handler.
 *
 * Called by the scheduler (exec/schedule.c) for a gang's time slice, and by handlers of src/sem through exec/gang.h.
 * Splits of gangs, and what lanes that exit leave behind, are in exec/gang_split.c; how a gang ends, in
 * exec/gang_part.c. A gang's instructions, in order of preference:
 *
 *  gang handler    one loop over all warps' rows: most arithmetic, loads and stores
 *  gang_step       the warp's own handler for each, as a trial first: a fault in warp k parts the gang with k warps done
 *  gang_each       the warp's own handler for each: cannot fault, wait or end lanes
 *  gang_end        parts before the instruction, which each warp then executes by itself
 */
#include "exec/gang.h"

#include "exec/blocks.h"
#include "exec/in_order.h"

enum {
	GANG_TURN = 1 << 20, /* instructions of a gang's time slice, summed over its warps */
	OVERTIME_MAX = 32,   /* extensions of a diverged gang's slice: it could not re-form after it */
};

/* Warps fit together that stand at one place with all that lives of them, or are all fresh: those have no split yet, and
 * stand at the entry. One that observers were told of (told) must run that instruction by itself first. */
u32 gang_size(const struct block *b, u32 first, const struct insn **at)
{
	const struct warp *w = &b->warps[first];
	const struct code *code = b->grid->kernel->code;
	const u32 end = min_u32(b->warp_count, first + b->grid->gang_limit);
	const bool fresh = w->fresh;
	const struct insn *const entry = grid_entry(b->grid, code), *pc = fresh ? entry : warp_stands(w);
	u32 n = first;

	while (pc && n < end && b->warps[n].live && b->warps[n].fresh == fresh && !b->warps[n].told &&
	       (fresh || warp_stands(&b->warps[n]) == pc))
		n++;
	*at = pc ? b->gang_insns + (pc - entry) : NULL;
	return n - first;
}

/* What changes while a gang runs. */
static void start_gang(struct gang *g, s64 budget)
{
	g->on = g->on_end = NULL;
	g->spins = g->lead = g->done = 0;
	g->budget = budget;
	g->whole = true;
	g->ended = g->guarded = false;
	g->overtime = 0;
	g->issued = g->branches = 0;
	g->apart = false;
	g->parted = g->waits = NULL;
	g->split = NULL;
}

/* The frames of a block's warps were allocated in one piece (frames_of_block), so two neighbours tell the distance.
 * `stride` is in bytes. A block of one warp has no neighbour to measure; EACH_WARP then never uses it, so any value
 * will do.
 * Each field by itself: to clear a struct of this size as a whole gcc takes an instruction that needs 35 cycles to begin, which
 * short blocks feel. */
static struct gang gang_of(struct block *b, u32 first, u32 count)
{
	const struct warp *w = b->warps;
	const struct code *code = b->grid->kernel->code;
	struct gang g;

	g.rows = w[first].entry_frame->rows;
	g.stride = b->warp_count > 1 ? (size_t)(w[1].entry_frame->rows - w[0].entry_frame->rows) : 64;
	g.count = count;
	g.warps = b->warps + first;
	g.code = code;
	g.insns = b->gang_insns;
	g.plain = grid_entry(b->grid, code);
	g.worker = b->worker;
	g.block = b;
	g.grid = b->grid;
	g.single = false;
	start_gang(&g, 0);
	g.whole = false;
	return g;
}

/* Gives the warp the state of a running one: gang handlers call functions that rely on it. */
static void stand_up(struct warp *w)
{
	w->stop = STOP_NONE;
	w->mask = FULL_MASK;
	w->frame = w->entry_frame;
	w->rows = w->frame->rows;
	w->join = NULL;
}

/* Takes each warp's only split away: until the gang parts, where the warp stands is the gang's to know. */
void gang_run(struct block *b, u32 first, u32 count, const struct insn *at, s64 budget)
{
	struct gang g = gang_of(b, first, count);

	u32 live = FULL_MASK;

	g.budget = budget;
	g.lead = b->leads && b->lead >= first && b->lead < first + count ? b->lead - first : 0;
	b->leads = false;
	for (struct warp *w = g.warps; w < g.warps + count; w++) {
		if (!w->fresh)
			warp_take(w);
		w->fresh = false;
		live &= w->live;
		stand_up(w);
	}
	if (live != FULL_MASK)
		gang_split_live(&g);
	at = gang_turns(&g, at);
	while (at)
		at = at->gang(&g, at);
}

/* Runs the instructions that give the same result in every block of a launch (decode/hoist.h) once, when a block gets
 * new frames. Their rows are shared with no other register, so they stay valid for later blocks in the same frames. */
void gang_run_once(struct block *b)
{
	struct gang g = gang_of(b, 0, b->warp_count);
	const struct insn *at = g.insns = g.code->once_insns;

	for (u32 n = 0; n < b->warp_count; n++)
		stand_up(&b->warps[n]);
	while (at)
		at = at->gang(&g, at);
	for (u32 n = 0; n < b->warp_count; n++)
		b->warps[n].mask = 0;
}

/* `intact` says that nothing of the block's warps but the rows has been written, so that a block which runs as one gang
 * to its end need not reset them: block_reset() skips warp_reset() while it holds. */
bool gang_start_block(struct block *b)
{
	for (u32 n = 0; n < b->warp_count; n++)
		if (!b->warps[n].fresh)
			return false;
	for (u32 n = 0; n < b->warp_count; n++)
		stand_up(&b->warps[n]);
	b->intact = true;
	return true;
}

/* No warp is touched at the start, nor, if all goes well, at the end: most blocks of most launches run here from start to
 * end, and what they cost besides their instructions is this function and end_block(). */
bool gang_run_block(struct block *b, s64 budget)
{
	struct gang g = gang_of(b, 0, b->warp_count);
	start_gang(&g, budget);
	const struct insn *at = gang_turns(&g, g.insns);
	while (at)
		at = at->gang(&g, at);
	return g.ended;
}

/* Not under an instruction limit: it must stop at the same instruction with and without gangs. Nor in a warp's own turn, as
 * native code stops there, too.
 * Called when the budget is used up. Returns whether the slice was extended, at most OVERTIME_MAX times. */
bool gang_goes_on(struct gang *g)
{
	if (!g->split || g->single || g->grid->launch->instruction_limit || g->overtime == OVERTIME_MAX)
		return false;
	g->overtime++;
	g->budget += GANG_TURN / g->count;
	return true;
}

/* Warps whose running lanes yield go behind their own other splits (warp_give_way), as they would alone; in a diverged gang
 * warps that had no lane in the loop do not. */
const struct insn *gang_yield(struct gang *g, const struct insn *i)
{
	const bool split = g->split != NULL;

	for (u32 k = 0; k < g->count; k++)
		g->warps[k].stop = !split || g->warps[k].mask ? STOP_YIELD : STOP_NONE;
	gang_part(g, i, 0);
	g->parted = NULL; /* the jump has run in all warps: none will execute it again */
	for (u32 k = 0; k < g->count; k++) {
		struct warp *w = &g->warps[k];
		if (w->stop != STOP_YIELD)
			continue;
		w->spins = g->spins;
		if (split)
			warp_give_way(w);
	}
	return NULL;
}

const struct insn *gang_end(struct gang *g, const struct insn *i) { return gang_part(g, i, 0); }

/* What warps have counted for themselves; their counts become those of a block's beginning. */
static void take_counts(struct gang *g)
{
	struct worker *k = g->worker;

	for (struct warp *w = g->warps; w < g->warps + g->count; w++) {
		k->stats.warp_instructions += w->issued;
		k->stats.thread_instructions += w->lanes_issued;
		k->stats.branches += w->branches;
		k->stats.divergent_branches += w->divergent_branches;
		k->clock += w->issued;
		k->elapsed += w->issued;
		w->issued = w->lanes_issued = w->branches = w->divergent_branches = 0;
	}
}

/* Ends a block that ran as one gang from start to end: its warps' state is as it was but for counts, so only sums are kept. */
static void end_block(struct gang *g)
{
	struct launch_stats *stats = &g->worker->stats;
	const u64 warps = g->count;

	stats->warp_instructions += g->issued * warps;
	stats->thread_instructions += g->issued * warps * WARP_LANES;
	stats->branches += g->branches * warps;
	g->worker->clock += g->issued * warps;
	g->worker->elapsed += g->issued * warps;
	if (g->apart)
		take_counts(g);
	g->block->live_threads = 0;
	g->block->cluster->live_threads -= g->count * WARP_LANES;
	g->ended = true;
}

/* The gang begins the next block, if that follows at once. */
static const struct insn *go_on(struct gang *g)
{
	if (!block_goes_on(g))
		return NULL;
	start_gang(g, block_budget(g->block));
	return g->insns;
}

/* All lanes of all warps exit here. If the block has always been one gang, end_block() settles the sums; an arrival at
 * the cluster's barrier needs the warps' own accounts of who has exited. */
const struct insn *gang_exit(struct gang *g, const struct insn *i)
{
	if (g->single && !g->split) {
		g->waits = i;
		return NULL;
	}
	gang_account(g, i);
	if (g->whole && !g->block->cluster->arrived) {
		end_block(g);
		return go_on(g);
	}
	if (g->split)
		return gang_split_exit(g);
	gang_dissolve(g);
	for (u32 k = 0; k < g->count; k++) {
		struct warp *w = &g->warps[k];
		w->live = 0;
		w->mask = 0;
		w->stop = STOP_FINISHED;
		block_lanes_exited(w, FULL_MASK);
	}
	return NULL;
}

/* All threads that the barrier waits for are in the gang, at one place: then it is complete at once, and no warp need wait.
 * Any other case is left to the warps' own arrivals. */
const struct insn *gang_barrier(struct gang *g, const struct insn *i, u32 number, u32 threads)
{
	struct block *b = g->block;
	u32 here = 0, lanes = 0;

	if (g->single && !g->on) {
		g->waits = i;
		return NULL;
	}
	if (g->on)
		EACH_MEMBER (g, m) {
			here += threads ? WARP_LANES : m->lanes;
			lanes += m->lanes;
		}
	else
		lanes = here = g->count * WARP_LANES;
	if (!gang_is_together(g) || number >= BARRIERS_PER_BLOCK || (threads && threads != here) ||
	    (!threads && b->live_threads != here) || b->barriers[number].arrived)
		return gang_part(g, i, 0);
	gang_account(g, i);
	b->barriers[number].phase++;
	if (g->grid->in_order && lanes == b->live_threads)
		in_order_pass(b, in_order_ahead(g->grid->in_order, (u32)(i - g->insns)));
	/* Without gangs the lead would arrive first and the others in order; the last to arrive leads next. */
	g->lead = g->count > 1 && g->lead == g->count - 1 ? g->count - 2 : g->count - 1;
	return i + 1;
}

/* For handlers that can neither fault nor wait. Observers have had the gang's event, so the unwatched handler is
 * run. */
const struct insn *gang_each(struct gang *g, const struct insn *i)
{
	const struct insn *plain = gang_plain(g, i);
	meaning_fn *const run = g->code->insns[i - g->insns].fn; /* unwatched: observers got the gang's event */

	if (g->on) {
		EACH_MEMBER (g, m)
			run(m->warp, plain, m->rows, m->mask);
		return i + 1;
	}
	struct warp *w = g->warps;
	EACH_WARP (g)
		run(w++, plain, rows, FULL_MASK);
	return i + 1;
}

/* `probing` makes a fault leave the launch as it is: the warp, once alone, raises it in its turn. */
bool gang_try(struct gang *g, const struct insn *i, struct warp *w, u8 *rows, u32 mask, meaning_fn *run)
{
	g->worker->probing = true;
	run(w, gang_plain(g, i), rows, mask);
	g->worker->probing = false;
	if (w->stop != STOP_FAULT)
		return true;
	w->stop = STOP_NONE;
	return false;
}

/* A gang handler asks before it changes anything, so that it can part the gang and leave the fault to the warp alone. */
bool gang_reaches(struct gang *g, const struct insn *i, struct warp *w, u32 mask, enum ir_space space,
		  const u64 address[WARP_LANES], u32 bytes)
{
	return warp_reaches(w, gang_plain(g, i), mask, space, address, bytes);
}

/* For handlers that may fault but not wait: each warp in order. The first whose trial faults parts the gang; those
 * before it have run the instruction, and it raises the fault when it runs alone. */
const struct insn *gang_step(struct gang *g, const struct insn *i)
{
	meaning_fn *const run = g->code->insns[i - g->insns].fn;
	struct warp *w = g->warps;

	if (g->on) {
		EACH_MEMBER (g, m)
			if (!gang_try(g, i, m->warp, m->rows, m->mask, run))
				return gang_part(g, i, (u32)(m->warp - g->warps));
		return i + 1;
	}
	EACH_WARP (g) {
		if (!gang_try(g, i, w, rows, FULL_MASK, run))
			return gang_part(g, i, (u32)(w - g->warps));
		w++;
	}
	return i + 1;
}
