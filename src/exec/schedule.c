/* SPDX-License-Identifier: Apache-2.0
 *
 * Scheduling: what a worker does. It runs one cluster at a time until it finishes; only when all
 * its warps wait or spin is another one admitted, up to as many as the modelled GPU holds, and
 * from then on they take turns. So most runs touch one block's state at a time, and yet every
 * resident block makes progress.
 *
 * Warps of a block run one after the other, each for a time slice (a "turn" in the names below) that ends when the warp
 * waits, exits, or has used up its budget. One sweep over all warps of a block is a pass; one over all active clusters is
 * a round. A pass in which no warp got anywhere decides between waiting, spinning and deadlock.
 *
 * A launch that is stepped through (exec/stepping.h) may be suspended in the middle of a slice. Progress within
 * a round is therefore kept in the worker, the cluster and the block, not in local variables.
 */
#include <string.h>
#include <time.h>

#include "decode/pointer_use.h"
#include "exec/blocks.h"
#include "exec/cut.h"
#include "exec/doze.h"
#include "exec/gang.h"
#include "exec/in_order.h"
#include "exec/internal.h"
#include "exec/spin.h"
#include "exec/warp_state.h"

enum {
	GANG_LEAST = 1 << 16, /* instructions a warp must have left to run in a gang */
	DRIFT_MOST = 1 << 20, /* warp instructions in loops that may wait, before other clusters get their turn */
	ALONE_MOST = 1 << 24, /* those of any kind */
};
/* Of either, where no loop looks at memory that the kernel changes. */
static const u64 HARDLY_MOST = 1ull << 28;

/* --- One warp ------------------------------------------------------------------------------- */

static s64 limit_left(const struct grid *grid) { return __atomic_load_n(&grid->limit_left, __ATOMIC_RELAXED); }

/* Runs the warp until it waits, yields, finishes, faults or is suspended; continues a suspended slice. */
static void warp_turn(struct warp *w)
{
	const struct insn *i;

	w->stop = STOP_NONE;
	if (!w->suspended) {
		w->spins = 0;
		w->budget = limit_left(w->grid) < WORKER_TURN ? limit_left(w->grid) : WORKER_TURN;
	}
	w->suspended = false;
	i = warp_next(w);
	while (i)
		i = i->fn(w, i, w->rows, w->mask);
}

/* Raises the fault of a used-up instruction limit where the warp would go on, or, if it has no split (its block ended
 * as a gang), at the last instruction of the kernel that comes from the text. */
static void fault_limit(struct warp *w)
{
	const struct split *s = w->ready_head ? w->ready_head : w->waiting;
	const struct code *code = w->grid->kernel->code;
	u32 last = code->insn_count - 1;

	while (last && code->origin[last] == NO_OPERAND)
		last--;
	const struct insn *at = s ? s->pc : grid_entry(w->grid, code) + last;
	w->mask = s ? s->mask : w->initial_mask;
	w->frame = s ? s->frame : w->entry_frame;
	/* Loops that look at the time, as those of libcu++ do, are never known to spin. */
	char waits[ASYNC_WAIT_TEXT] = "";
	if (s)
		spin_tell_wait(w, s, waits);
	warp_fault(w, at, FAULT_LIMIT, w->mask, "after %llu warp instructions%s",
		   (unsigned long long)w->grid->launch->instruction_limit, waits);
}

/* Subtracts what the warp has issued since `before` from the launch's limit. */
static void charge_limit(struct warp *w, u64 before)
{
	const s64 issued = (s64)(w->issued - before);

	if (w->grid->launch->instruction_limit &&
	    __atomic_sub_fetch(&w->grid->limit_left, issued, __ATOMIC_RELAXED) < 0 && w->stop != STOP_FAULT)
		fault_limit(w);
}

/* A time slice within the launch's limit; `before`: what the warp had issued when the slice began. Instructions are
 * counted at the ends of straight runs, so a run may end beyond the limit, but none begins there. */
static void limited_turn(struct warp *w, u64 before)
{
	struct grid *grid = w->grid;

	if (!w->suspended && limit_left(grid) <= 0) {
		fault_limit(w);
		return;
	}
	warp_turn(w);
	if (w->stop != STOP_SUSPENDED)
		charge_limit(w, before);
}

/* --- Blocks --------------------------------------------------------------------------------- */

/* The outcome of a pass over a block's warps, the better before the worse.
 * FINISHED: no thread is left. PROGRESS: some warp changed. DRIFTING: warps that go around a loop that may wait changed
 * their registers, and nothing else happened. SPINNING: warps ran, but came round to the state that they had. WAITING:
 * none could run. FAULT and SUSPENDED end the pass at once. */
enum pass { PASS_FINISHED, PASS_PROGRESS, PASS_DRIFTING, PASS_SPINNING, PASS_WAITING, PASS_FAULT, PASS_SUSPENDED };

/* `elapsed` is the position that the debugger counts in: warp instructions of this worker. */
static void count_turn(struct worker *k, struct warp *w)
{
	k->elapsed += w->issued - w->counted;
	w->counted = w->issued;
}

/* Runs as many warps from `first` on as can form a gang, as one; returns their number, 0 if there is no gang. */
static u32 gang_turn(struct block *b, u32 first)
{
	const struct grid *grid = b->grid;
	const struct insn *at;
	const u32 count = grid->gang_limit ? gang_size(b, first, &at) : 0;
	const s64 share = count ? limit_left(grid) / (s64)count : 0;

	/* Close to the instruction limit warps run one by one, so that the launch ends at the same instruction with and
	 * without gangs. */
	if (share < GANG_LEAST)
		return 0;
	/* A warp with some lanes alone does no worse by itself, and needs no room for ways (gang_split_live). */
	if (count == 1 && b->warps[first].live != FULL_MASK)
		return 0;
	for (u32 n = first; n < first + count; n++)
		b->warps[n].turn_start = b->warps[n].issued;
	gang_run(b, first, count, at, (s64)min_u64((u64)share, WORKER_TURN / count));
	return count;
}

/* Runs all warps of a block that is at its start as one gang.
 * The quick way: at the start of a block. Where the gang parts, the ordinary pass goes on with what is left of each
 * warp's slice. */
static enum pass block_gang(struct block *b)
{
	struct worker *k = b->worker;
	struct grid *grid = b->grid;
	const u64 before = k->elapsed;
	const u32 turn = (u32)min_u64((u64)limit_left(grid), WORKER_TURN);

	if (!gang_run_block(b, turn / b->warp_count)) {
		b->turns.ganged = b->warp_count;
		return PASS_PROGRESS;
	}
	if (grid->launch->instruction_limit &&
	    __atomic_sub_fetch(&grid->limit_left, (s64)(k->elapsed - before), __ATOMIC_RELAXED) < 0) {
		fault_limit(&b->warps[b->warp_count - 1]);
		return PASS_FAULT;
	}
	return PASS_FINISHED;
}

static bool can_gang_block(struct block *b)
{
	const struct grid *grid = b->grid;

	return b->at_start && b->warp_count <= grid->gang_limit && b->thread_count % WARP_LANES == 0 &&
	       (b->intact || gang_start_block(b)) && limit_left(grid) >= (s64)GANG_LEAST * b->warp_count;
}

/* A pass, by the fields of struct block_turns:
 *
 *     warp       0    1    2    3    4    5
 *               `--- a gang ----'              next = 0: warps 0 to 3 can run as one, and do (gang_turn): ganged = 4
 *                3 | 0    1    2    3 | 4 ..   then each by itself, what is left of the gang's slice
 *
 * Warp 3 comes twice if it leads: it was the last to arrive at a barrier, and without gangs would have gone on at once,
 * before the others were woken. So it gets the rest of the gang's slice first (led = 3 + 1, next still 0), and where `next`
 * comes to it a slice of its own. begin_turn() tells the two apart by `led`.
 *
 * The warp to run now. */
static u32 turn_of(struct block *b)
{
	struct block_turns *t = &b->turns;

	if (b->grid->launch->schedule.mode)
		return explore_turn(b, t->next);
	if (t->entered)
		return t->next;
	if (t->next >= t->ganged)
		t->ganged = t->next + gang_turn(b, t->next);
	const bool leads = b->leads && b->lead > t->next && b->lead < t->ganged;
	b->leads = false;
	if (!leads)
		return t->next;
	t->led = b->lead + 1;
	return b->lead;
}

/* Sets up the slice of a warp. One of a gang that has just run continues the slice that the gang began (in_gang), and
 * `before` is what it had issued then; but the lead has had that already when `next` reaches it. */
static void begin_turn(struct block_turns *t, struct warp *w)
{
	t->entered = true;
	t->in_gang = w->index < t->ganged && !(t->led == w->index + 1 && t->next == w->index);
	t->before = t->in_gang ? w->turn_start : w->issued;
	if (w->grid->launch->schedule.mode)
		explore_begin(w);
	if (w->fresh)
		warp_enter(w);
}

/* Runs the warp's slice within a pass, or what its gang's slice left of it; false: it was suspended. */
static bool take_turn(struct worker *k, struct block_turns *t, struct warp *w)
{
	if (!t->entered)
		begin_turn(t, w);
	const bool ganged = t->in_gang, ready = w->ready_head || w->open_joins;
	if (!ready && !ganged) {
		w->stop = STOP_WAITING;
		return true;
	}
	if (!ready || (ganged && w->stop == STOP_YIELD))
		charge_limit(w, t->before);
	else if (k->grid->launch->instruction_limit)
		limited_turn(w, t->before);
	else
		warp_turn(w);
	if (w->stop == STOP_SUSPENDED)
		return false;
	count_turn(k, w);
	return true;
}

/* The better of two outcomes of warps that are there yet. */
static enum pass better(enum pass a, enum pass b) { return a < b ? a : b; }

/* Updates the outcome of the pass. A warp that yielded while spinning has got somewhere only if its state changed, or lanes of
 * it have only let others go first. */
static void judge_turn(struct block_turns *t, struct warp *w)
{
	t->live |= w->live != 0;
	if (w->stop == STOP_YIELD && w->spins) {
		const u64 hash = warp_hash(w);
		const bool moves = hash != w->state_hash || w->stood_aside || warp_let_go(w);
		t->result = better((enum pass)t->result, moves ? PASS_DRIFTING : PASS_SPINNING);
		w->state_hash = hash;
	} else if (w->issued != t->before || w->gave_way || w->stood_aside) {
		t->result = PASS_PROGRESS;
	}
}

static void open_pass(struct block *b) { b->turns = (struct block_turns){.open = true, .result = PASS_WAITING}; }

/* The block has been begun as one gang, which has parted. */
static void open_parted(struct block *b)
{
	open_pass(b);
	b->turns.ganged = b->warp_count;
	b->at_start = b->intact = false;
}

/* One sweep over the block's warps, or the rest of one that was suspended: `turns` holds how far it has come. `gathers`
 * (exec/barrier.c) ends the sweep early: all warps have left a barrier, and can run as a gang from the start of the
 * next sweep. */
static enum pass block_pass(struct block *b)
{
	struct worker *k = b->worker;
	struct block_turns *t = &b->turns;

	if (!t->open) {
		open_pass(b);
		const enum pass ganged = can_gang_block(b) ? block_gang(b) : PASS_WAITING;
		b->at_start = false;
		if (ganged == PASS_FINISHED || ganged == PASS_FAULT)
			return ganged;
		b->intact = false;
	}
	while (t->next < b->warp_count) {
		const u32 turn = turn_of(b);
		struct warp *w = &b->warps[turn];
		if (w->live || turn < t->ganged) {
			if (!take_turn(k, t, w))
				return PASS_SUSPENDED;
			if (w->stop == STOP_FAULT)
				return PASS_FAULT;
			judge_turn(t, w);
		}
		t->next = b->gathers ? b->warp_count : t->next + (turn == t->next || b->grid->launch->schedule.mode);
		t->entered = false;
		b->gathers = false;
		if (__builtin_expect(k->elapsed >= k->pause_at, 0))
			return PASS_SUSPENDED;
	}
	t->open = false;
	return t->live ? (enum pass)t->result : PASS_FINISHED;
}

/* The debugger's way to run one warp on its own (exec/stepping.h), outside the order of the pass. It counts as
 * progress, so that a pass that is open does not take the block for one that waits. */
void worker_turn(struct worker *k, struct warp *w)
{
	struct block_turns *t = &w->block->turns;

	warp_turn(w);
	if (w->stop != STOP_SUSPENDED)
		count_turn(k, w);
	if (t->open) {
		t->live = true;
		t->result = PASS_PROGRESS;
	}
}

/* --- Clusters ------------------------------------------------------------------------------- */

/* One pass over each block of a cluster; the outcome is the best of theirs: progress over spinning over waiting over
 * finished. */
static enum pass cluster_pass(struct cluster *c)
{
	if (!c->pass_open) {
		c->pass_open = true;
		c->pass_worst = PASS_FINISHED;
		c->pass_rank = 0;
	}
	for (; c->pass_rank < c->count; c->pass_rank++) {
		const enum pass p = block_pass(c->blocks[c->pass_rank]);
		if (p == PASS_FAULT || p == PASS_SUSPENDED)
			return p;
		if (p == PASS_FINISHED)
			continue;
		c->pass_worst = c->pass_worst == PASS_FINISHED ? p : better((enum pass)c->pass_worst, p);
	}
	c->pass_open = false;
	return (enum pass)c->pass_worst;
}

/* The same, unless the cluster polls what has not changed. */
static enum pass cluster_turn(struct worker *k, struct cluster *c)
{
	if (doze_on(k, c))
		return PASS_SPINNING;
	const enum pass p = cluster_pass(c);
	if (p != PASS_SUSPENDED)
		doze_judge(k, c, p == PASS_SPINNING);
	return p;
}

/* Workers of a launch whose blocks may wait for one another share the modelled GPU. All others may have as many as it
 * holds each, and that with one cluster at a time. */
static bool share_places(const struct grid *grid) { return grid->kernel->order_dependent && grid->worker_limit > 1; }

/* Read without a lock where workers share: a stale answer costs one round, as take_place() decides. */
static bool has_place(const struct worker *k)
{
	const struct grid *grid = k->grid;

	return share_places(grid) ? k->keeps_place || __atomic_load_n(&grid->places_left, __ATOMIC_RELAXED) > 0
				  : k->active_count < grid->resident_limit;
}

static bool take_place(struct worker *k)
{
	struct grid *grid = k->grid;

	if (!share_places(grid))
		return has_place(k);
	if (k->keeps_place || __atomic_sub_fetch(&grid->places_left, 1, __ATOMIC_RELAXED) >= 0) {
		k->keeps_place = false;
		return true;
	}
	__atomic_add_fetch(&grid->places_left, 1, __ATOMIC_RELAXED);
	return false;
}

static void give_place_back(struct grid *grid)
{
	if (share_places(grid))
		__atomic_add_fetch(&grid->places_left, 1, __ATOMIC_RELAXED);
}

/* A cluster has ended. A worker that has no other takes the next one at once. */
static void leave_place(struct worker *k)
{
	if (share_places(k->grid) && k->more && !k->active_count)
		k->keeps_place = true;
	else
		give_place_back(k->grid);
}

/* --- The worker ----------------------------------------------------------------------------- */

static u64 nanoseconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * 1000000000u + (u64)t.tv_nsec;
}

/* After a fault, blocks before the faulting one still run: the fault that is reported is that of the lowest block. */
static bool must_stop(const struct worker *k, const struct cluster *c)
{
	const struct grid *grid = k->grid;

	if (grid->launch->stop && __atomic_load_n(grid->launch->stop, __ATOMIC_RELAXED))
		return true;
	return __atomic_load_n(&grid->faulted, __ATOMIC_ACQUIRE) &&
	       c->blocks[0]->index > __atomic_load_n(&grid->fault_block, __ATOMIC_ACQUIRE);
}

/* Completes asynchronous operations when a pass made no progress, since the cluster's warps may be waiting for them;
 * checks at the end that none is left. Updates the pass's outcome; false: a fault was raised. */
static bool settle(struct cluster *c, enum pass *p)
{
	bool did = false;

	if (!c->async || *p == PASS_FAULT || *p == PASS_PROGRESS || *p == PASS_DRIFTING)
		return true;
	if (*p == PASS_FINISHED)
		return async_cluster_end(c);
	if (!async_cluster_drain(c, &did))
		return false;
	if (did)
		*p = PASS_PROGRESS;
	return true;
}

/* Whether all that happened for so long is that warps went around loops that may wait. They may do work there, but also
 * count, or look at a clock, while they wait for a cluster that has not been taken up. Or it is so much that they may wait in
 * ways that look like work: their loops have barriers, say, which they come to one by one. */
static bool has_drifted(const struct worker *k)
{
	const struct pointer_use *pointers = k->grid->kernel->code->pointers;

	if (pointers && !pointers->waits)
		return k->elapsed - k->change > HARDLY_MOST;
	return k->elapsed - k->drift_start > DRIFT_MOST || k->elapsed - k->change > ALONE_MOST;
}

static bool drifts(struct worker *k, enum pass p)
{
	if (p == PASS_PROGRESS || p == PASS_FINISHED)
		k->drift_start = k->elapsed;
	if (p == PASS_FINISHED)
		k->change = k->elapsed;
	return has_drifted(k);
}

/* The round goes on behind the cluster, unless blocks have followed in its place of which one has parted. */
static void end_turn(struct worker *k, struct cluster *c, enum pass p)
{
	const bool goes_on = p == PASS_FINISHED && blocks_follow(k, c);

	drifts(k, p);
	if (goes_on) {
		open_parted(c->blocks[0]);
	} else if (p == PASS_FINISHED) {
		*k->round_at = c->next;
		k->active_count--;
		cluster_end(k, c);
		leave_place(k);
	} else {
		k->round_at = &c->next;
	}
}

/* One round over the active clusters, or the rest of a suspended one: true if any made progress or ended. */
static bool round_of_turns(struct worker *k, bool *stopped)
{
	if (!k->round_at) {
		k->round_at = &k->active;
		k->round_progress = false;
	}
	while (*k->round_at) {
		struct cluster *c = *k->round_at;
		enum pass p;
		if (must_stop(k, c)) {
			*stopped = true;
			return false;
		}
		/* A cluster that is alone runs as long as it makes progress. */
		while (((p = cluster_turn(k, c)) == PASS_PROGRESS || p == PASS_DRIFTING) && k->active_count == 1 &&
		       !drifts(k, p) && !(k->more && k->grid->launch->schedule.mode) && !must_stop(k, c))
			worker_moved(k);
		if (p == PASS_SUSPENDED) {
			k->suspended = true;
			return false;
		}
		if (!settle(c, &p)) {
			*stopped = true;
			return false;
		}
		if (p == PASS_WAITING)
			tell_deadlock(c);
		if (p == PASS_FAULT || p == PASS_WAITING) {
			*stopped = true;
			return false;
		}
		k->round_progress |= p == PASS_FINISHED || p == PASS_PROGRESS || p == PASS_DRIFTING;
		end_turn(k, c, p);
	}
	k->round_at = NULL;
	return k->round_progress;
}

/* Takes up the next cluster, if there is one and the modelled GPU has room; false: it did not.
 * The list `active` is in order of admission; a launch that explores schedules inserts at a place of its choice. */
static bool admit_one(struct worker *k)
{
	if (!k->more || !take_place(k))
		return false;
	struct cluster *c = cluster_admit(k);
	k->more = c != NULL;
	if (!c) {
		give_place_back(k->grid);
		return false;
	}
	const bool explores = k->grid->launch->schedule.mode != SCHEDULE_USUAL;
	struct cluster **end = &k->active;
	for (u32 n = explores ? explore_place(k, k->active_count) : UINT32_MAX; *end && n; n--)
		end = &(*end)->next;
	c->next = *end;
	*end = c;
	k->active_count++;
	return true;
}

/* Takes up more clusters if those that are active wait: as many as these. If each round of waiting brought only one, a
 * barrier of the whole grid would take rounds in the square of its blocks. */
static void admit_next(struct worker *k)
{
	const bool explores = k->grid->launch->schedule.mode != SCHEDULE_USUAL;

	if (k->active && !k->still.passes && !explores) {
		if (!has_drifted(k))
			return;
		k->drift_start = k->elapsed;
	}
	if (k->active && in_order_holds(k))
		return;
	k->change = k->elapsed;
	for (u32 n = explores || !k->active_count ? 1 : k->active_count; n; n--) {
		if (!admit_one(k))
			return;
		worker_moved(k);
	}
}

/* The first worker, alone so far, judges by the clusters that it has started in that time. */
static bool helpers_pay(const struct worker *k, u64 nanoseconds_so_far)
{
	const struct grid *grid = k->grid;
	const double each = (double)nanoseconds_so_far / (double)(k->run_next - grid->first_cluster);

	return each * (double)(grid->end_cluster - k->run_next) > HELPERS_PAY_NS;
}

/* Known before any cluster has run: blocks may wait for one another, and the launch asks for several threads all the same, or by the
 * time that clusters took when the kernel was launched last it pays. Other arguments may have changed that. */
static bool wants_others_at_once(const struct worker *k)
{
	const struct grid *grid = k->grid;

	if (k->number || grid->worker_limit == 1 || grid->in_order)
		return false;
	const double each = pace_expected(&grid->threads->paces, grid->kernel);
	return grid->kernel->order_dependent ||
	       each * (double)(grid->end_cluster - grid->first_cluster) > 5.0 * HELPERS_PAY_NS;
}

/* For the next launch; of one on several threads, what the first took. */
static void note_pace(const struct worker *k)
{
	const struct grid *grid = k->grid;

	if (k->started && k->stats.blocks && !__atomic_load_n(&grid->faulted, __ATOMIC_ACQUIRE))
		pace_note(&grid->threads->paces, grid->kernel,
			  (double)(nanoseconds() - k->started) * grid->blocks_per_cluster / (double)k->stats.blocks);
}

/* Once it is clear that they pay, and where they keep the order of blocks, that the first does not wait for others. */
static bool wants_others(const struct worker *k)
{
	const struct grid *grid = k->grid;

	if (k->number || grid->worker_count == grid->worker_limit || !k->more)
		return false;
	if (grid->in_order && !(k->stats.blocks && in_order_is_kept(grid->in_order)))
		return false;
	return helpers_pay(k, nanoseconds() - k->started);
}

/* The clusters that the worker has taken up neither move nor end: more of them may help. False: nothing will. */
static bool try_more(struct worker *k)
{
	if (!k->more || !has_place(k))
		return worker_goes_on(k);
	k->still.passes += !k->still.passes;
	return true;
}

/* The worker's loop: admit, run a round, judge. Returns SUSPENDED to the debugger, which calls again to continue, and
 * WANTS_OTHERS once to the launch, which starts helpers and calls again. */
enum worker_state worker_run(struct worker *k)
{
	struct grid *grid = k->grid;
	bool stopped = false;

	if (!k->running) {
		k->running = k->more = true;
		k->started = k->number || grid->worker_limit == 1 ? 0 : nanoseconds();
		if (wants_others_at_once(k))
			return WORKER_WANTS_OTHERS;
	}
	k->suspended = false;
	while (!stopped) {
		if (!k->round_at)
			admit_next(k);
		if (!k->active)
			break;
		if (__atomic_load_n(&grid->faulted, __ATOMIC_ACQUIRE) && must_stop(k, k->active))
			break;
		if (round_of_turns(k, &stopped))
			worker_moved(k);
		else if (k->suspended)
			return WORKER_SUSPENDED;
		else if (!stopped && !try_more(k))
			break;
		if (!stopped && wants_others(k))
			return WORKER_WANTS_OTHERS;
	}
	for (const struct cluster *c = k->active; c; c = c->next)
		for (u32 r = 0; r < c->count; r++) {
			block_count(k, c->blocks[r]);
			if (__atomic_load_n(&grid->faulted, __ATOMIC_ACQUIRE))
				block_cut(c->blocks[r]);
		}
	if (k->keeps_place)
		give_place_back(grid);
	note_pace(k);
	worker_ends(k);
	return WORKER_ENDED;
}
