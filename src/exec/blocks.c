/* SPDX-License-Identifier: Apache-2.0
 *
 * Blocks: which of them a worker runs, and what happens where one begins and ends. Objects are used again for later blocks.
 *
 * The scheduler (exec/schedule.c) takes up a cluster, lets its warps have their turns, and ends it. Most blocks of most launches
 * need none of these turns: they run as one gang from start to end. Behind such a block others follow at once:
 *
 *      scheduler     admit, turns, end                                    (parted)  turns, end | admit ...
 *      blocks_follow                  | end, begin, gang ------------------->|
 *      block_goes_on                                    | end, begin | ...         at the gang's exit: it stays the same gang
 */
#include "exec/blocks.h"

#include <string.h>

#include "exec/gang.h"
#include "exec/in_order.h"
#include "exec/shared_margin.h"
#include "isa/sregs.h"

/* --- One block --------------------------------------------------------------------------------- */

/* The block's coordinates: those of its cluster's corner, plus its rank in the cluster by x, then y, then z. */
static void place_block(struct block *b, const struct cluster *c, u32 rank)
{
	const struct grid *grid = b->grid;

	for (u32 d = 0, r = rank; d < 3; d++) {
		b->ctaid[d] = c->index[d] * grid->cluster_shape[d];
		if (!r)
			continue;
		b->ctaid[d] += r % grid->cluster_shape[d];
		r /= grid->cluster_shape[d];
	}
	b->index = b->ctaid[0] + (u64)grid->size[0] * (b->ctaid[1] + (u64)grid->size[1] * b->ctaid[2]);
	b->cluster_rank = rank;
}

/* Lanes beyond the block's threads do not exist: they are dead from the start. `local`, the frames and the free lists
 * stay. */
static void warp_reset(struct warp *w, const struct cluster *c)
{
	const struct block *b = w->block;
	const u32 left = b->thread_count - w->index * WARP_LANES;

	w->initial_mask = w->live = left >= WARP_LANES ? FULL_MASK : (1u << left) - 1;
	w->issued = w->lanes_issued = w->branches = w->divergent_branches = 0;
	w->state_hash = 0;
	w->idled = 0;
	w->asleep_since = 0;
	w->looked.at = NULL;
	w->counted = 0;
	w->turn_start = 0;
	w->fell_behind = 0;
	w->gave_way = false;
	w->stood_aside = 0;
	w->spin_turns = 0;
	memset(w->spin_masks, 0, sizeof w->spin_masks);
	w->resumed = false;
	if (c->used)
		memset(w->cluster_phase, 0, sizeof w->cluster_phase);
	warp_start(w, w->grid->kernel->code);
}

/* What every block needs that begins. Shared memory is zeroed, so that a run that reads it unwritten is the same each time;
 * reporting that is the checkers' task. */
static void block_clear(struct block *b)
{
	struct grid *grid = b->grid;

	b->live_threads = b->thread_count;
	b->turns.open = false;
	if (b->open_barriers)
		memset(b->barriers, 0, sizeof b->barriers);
	b->open_barriers = 0;
	if (b->locks)
		memset(b->locks, 0, sizeof *b->locks);
	if (grid->shared_bytes)
		memset(b->shared, 0, grid->shared_bytes);
	if (frames_of_block(b, grid->kernel->code) && grid->gang_limit && grid->kernel->code->once_insns)
		gang_run_once(b);
}

static void block_start(struct block *b)
{
	struct grid *grid = b->grid;

	b->native = native_for_block(grid->native && block_natively(b) ? grid->native : NULL, &b->native_turn);
	if (b->native_turn != NATIVE_TURN_NONE)
		b->native_began = native_ticks();
	b->gang_insns = b->native ? b->native->insns : grid->gang_insns;
	b->at_start = true;
	b->gathers = b->leads = false;
	for (u32 o = 0; o < grid->observer_count; o++)
		if (grid->observers[o]->block_start)
			grid->observers[o]->block_start(grid->observers[o]->context, b);
}

/* Prepares a block object for its next block; objects are reused, so only what the last block may have changed is
 * cleared. */
static void block_reset(struct block *b, struct cluster *c, u32 rank)
{
	place_block(b, c, rank);
	block_clear(b);
	for (u32 n = 0; n < b->warp_count && !b->intact; n++)
		warp_reset(&b->warps[n], c);
	block_start(b);
}

static u8 *shared_new(struct arena *arena, u64 bytes)
{
	return bytes ? (u8 *)arena_alloc(arena, bytes + 2 * SHARED_MARGIN) + SHARED_MARGIN : arena_alloc(arena, 1);
}

/* Blocks live in the worker's arena until the launch ends. */
static struct block *block_new(struct worker *k, struct cluster *c)
{
	struct grid *grid = k->grid;
	struct block *b = ARENA_NEW(&k->arena, struct block);

	b->grid = grid;
	b->worker = k;
	b->cluster = c;
	b->thread_count = grid->block_threads;
	b->warp_count = grid->warps_per_block;
	b->shared_bytes = grid->shared_bytes;
	b->near_bytes = grid->kernel->code->machine_banks && grid->blocks_per_cluster > 1 ? 0 : b->shared_bytes;
	b->shared = shared_new(&k->arena, grid->shared_bytes);
	b->warps = ARENA_ARRAY(&k->arena, b->warp_count, struct warp);
	for (u32 n = 0; n < b->warp_count; n++) {
		struct warp *w = &b->warps[n];
		w->worker = k;
		w->block = b;
		w->grid = grid;
		w->index = n;
		w->next_of_worker = k->all_warps;
		k->all_warps = w;
	}
	return b;
}

/* What the block's warps have executed since it started. */
void block_count(struct worker *k, const struct block *b)
{
	for (u32 n = 0; n < b->warp_count && !b->intact; n++) {
		const struct warp *w = &b->warps[n];
		k->stats.warp_instructions += w->issued;
		k->stats.thread_instructions += w->lanes_issued;
		k->stats.branches += w->branches;
		k->stats.divergent_branches += w->divergent_branches;
		k->clock += w->issued;
		k->idled += w->idled;
	}
}

/* The observers' hook comes first: they may still read the block's registers and shared memory. */
static void block_end(struct worker *k, struct block *b)
{
	struct grid *grid = k->grid;

	for (u32 o = 0; o < grid->observer_count; o++)
		if (grid->observers[o]->block_end)
			grid->observers[o]->block_end(grid->observers[o]->context, b);
	if (b->native_turn != NATIVE_TURN_NONE)
		native_note(grid->native, b->native_turn, native_ticks() - b->native_began);
	k->stats.blocks++;
	k->stats.warps += b->warp_count;
	block_count(k, b);
}

/* --- Clusters ------------------------------------------------------------------------------------ */

/* Neighbouring clusters use neighbouring memory, so a worker takes several in a row: what it brings into its
 * processor's caches is then its own. The fewer are left, the shorter are the runs, and all end together. */
static void take_run(struct worker *k)
{
	struct grid *grid = k->grid;
	const u64 taken = __atomic_load_n(&grid->next_cluster, __ATOMIC_RELAXED);
	const u64 left = taken < grid->end_cluster ? grid->end_cluster - taken : 0;
	const u64 run =
		grid->run_limit == 1 ? 1 : max_u64(1, min_u64(grid->run_limit, left / (grid->worker_limit * 4)));

	k->run_next = taken;
	if (grid->in_order)
		in_order_take(k, taken);
	if (grid->worker_limit == 1) /* an atomic addition waits until what the last block has stored is in the cache */
		__atomic_store_n(&grid->next_cluster, taken + run, __ATOMIC_RELAXED);
	else
		k->run_next = __atomic_fetch_add(&grid->next_cluster, run, __ATOMIC_RELAXED);
	k->run_end = k->run_next + run;
	if (grid->in_order)
		in_order_take(k, k->run_next);
}

/* The number of the next cluster that nobody has begun; false: there is none. */
static bool take_cluster(struct worker *k, u64 *number)
{
	if (k->run_next == k->run_end) {
		if (k->grid->in_order && in_order_gives_way(k))
			return false;
		take_run(k);
	}
	*number = k->run_next++;
	return *number < k->grid->end_cluster;
}

/* Writes where it is to be read: what is written as words and copied as a whole waits until all stores before are done. */
static void place_cluster(const struct grid *grid, u64 number, u32 at[3])
{
	for (int d = 0; d < 3; d++) {
		const u64 rest = number < grid->clusters[d] ? 0 : number / grid->clusters[d];
		at[d] = (u32)(number - rest * grid->clusters[d]);
		number = rest;
	}
}

/* clusterlaunchcontrol.try_cancel: a running cluster takes over the indices of the next one, which then never
 * starts. */
bool worker_cancel_cluster(struct worker *k, u32 first_block[3])
{
	u64 number;

	if (!take_cluster(k, &number))
		return false;
	place_cluster(k->grid, number, first_block);
	for (int d = 0; d < 3; d++)
		first_block[d] *= k->grid->cluster_shape[d];
	return true;
}

/* The cluster's blocks begin, in objects that no other block needs any longer. */
static void cluster_begin(struct worker *k, struct cluster *c, u64 number)
{
	struct grid *grid = k->grid;

	place_cluster(grid, number, c->index);
	c->arrived = 0;
	c->phase = 0;
	c->pass_open = false;
	c->live_threads = c->count * grid->block_threads;
	for (u32 r = 0; r < c->count; r++)
		block_reset(c->blocks[r], c, r);
	c->used = false;
	c->doze.state = DOZE_AWAKE;
	c->doze.rest = 0;
	async_cluster_start(k, c);
}

static struct cluster *cluster_new(struct worker *k)
{
	struct cluster *c = ARENA_NEW(&k->arena, struct cluster);

	c->count = k->grid->blocks_per_cluster;
	c->blocks = ARENA_ARRAY(&k->arena, c->count, struct block *);
	for (u32 r = 0; r < c->count; r++)
		c->blocks[r] = block_new(k, c);
	return c;
}

struct cluster *cluster_admit(struct worker *k)
{
	struct cluster *c = k->spare;
	u64 number;

	if (!take_cluster(k, &number))
		return NULL;
	if (c)
		k->spare = c->next;
	else
		c = cluster_new(k);
	cluster_begin(k, c, number);
	c->next = NULL;
	return c;
}

static void warm(struct worker *k)
{
	if (!k->grid->native)
		return;
	native_warm(k->grid->native, k->grid, k->clock - k->warmed);
	k->warmed = k->clock;
}

void cluster_end(struct worker *k, struct cluster *c)
{
	for (u32 r = 0; r < c->count; r++)
		block_end(k, c->blocks[r]);
	warm(k);
	c->next = k->spare;
	k->spare = c;
}

/* --- One block after the other ------------------------------------------------------------------- */

/* Between two blocks there is nothing for the scheduler to do: no other cluster, no limit, no helpers to call, nobody who stops
 * the launch in between. */
static bool may_follow(const struct worker *k, const struct cluster *c)
{
	const struct grid *grid = k->grid;
	const struct launch *l = grid->launch;

	return c->blocks[0]->intact && c->count == 1 && k->active_count == 1 && !c->async && !l->instruction_limit &&
	       !l->schedule.mode && !grid->hooks && k->pause_at == UINT64_MAX &&
	       (grid->worker_limit == 1 || !grid->kernel->order_dependent) &&
	       (k->number || grid->worker_count == grid->worker_limit);
}

/* A fault or an interrupt is the scheduler's to judge. */
static bool is_over(const struct grid *grid)
{
	return (grid->launch->stop && __atomic_load_n(grid->launch->stop, __ATOMIC_RELAXED)) ||
	       __atomic_load_n(&grid->faulted, __ATOMIC_RELAXED);
}

/* Where the cluster's only block is. True: in the same row as before. */
static bool place_next(struct cluster *c, u64 number)
{
	struct block *b = c->blocks[0];
	const bool beside = number == b->index + 1 && c->index[0] + 1 < b->grid->clusters[0];

	if (beside)
		c->index[0]++;
	else
		place_cluster(b->grid, number, c->index);
	b->index = number;
	for (u32 d = 0; d < 3; d++)
		b->ctaid[d] = c->index[d];
	return beside;
}

/* The block after one that has left its cluster and its warps as they were. */
static void block_next(struct cluster *c, u64 number)
{
	struct block *b = c->blocks[0];

	place_next(c, number);
	c->live_threads = b->thread_count;
	block_clear(b);
	block_start(b);
}

/* The block has ended, and the next one begins in its place. False: none does. */
static bool begin_next(struct worker *k, struct cluster *c)
{
	u64 number;

	if (is_over(k->grid))
		return false;
	k->more = take_cluster(k, &number);
	if (!k->more)
		return false;
	block_end(k, c->blocks[0]);
	warm(k);
	block_next(c, number);
	return true;
}

bool block_goes_on(struct gang *g)
{
	struct worker *k = g->worker;

	if (!k->follows || !begin_next(k, g->block->cluster))
		return false;
	g->insns = g->block->gang_insns;
	return true;
}

bool blocks_follow(struct worker *k, struct cluster *c)
{
	struct block *b = c->blocks[0];
	bool parted = false;

	if (!may_follow(k, c))
		return false;
	worker_moved(k);
	k->follows = !k->grid->kernel->code->one_by_one;
	while (!parted && begin_next(k, c))
		parted = !gang_run_block(b, block_budget(b));
	k->follows = false;
	return parted;
}

/* --- Blocks that pass ---------------------------------------------------------------------------- */

bool passing_begin(struct passing *p, struct gang *g)
{
	const struct code *code = g->code;

	*p = (struct passing){.g = g, .x = NO_OPERAND};
	if (!g->worker->follows || !g->whole || g->split || g->apart || g->lead || g->grid->observer_count ||
	    g->block->native_turn != NATIVE_TURN_NONE || g->block->cluster->arrived || code->undefined_count)
		return false;
	for (u32 k = 0; k < code->sreg_count; k++) {
		const struct sreg_row *s = &code->sregs[k];
		if (!sreg_is_of_block(s->sreg))
			continue;
		if (s->sreg != SREG_ctaid || s->bits != 32 || s->element > 2)
			return false;
		if (!s->element)
			p->x = s->offset;
	}
	return true;
}

static void thin_rows(const struct passing *p)
{
	const struct code *code = p->g->code;

	for (u32 k = 0; k < code->sreg_count; k++)
		if (sreg_is_of_block(code->sregs[k].sreg))
			*(u32 *)(void *)(p->g->rows + code->sregs[k].offset) =
				p->g->block->ctaid[code->sregs[k].element];
}

bool passing_next(struct passing *p, u64 issued, u64 branches)
{
	struct gang *g = p->g;
	struct block *b = g->block;
	struct cluster *c = b->cluster;
	u64 number;

	if ((p->blocks && (issued != p->issued || branches != p->branches)) || is_over(g->grid) ||
	    !take_cluster(g->worker, &number))
		return false;
	p->blocks++;
	p->issued = issued;
	p->branches = branches;
	p->thin = true;
	if (place_next(c, number) && p->x != NO_OPERAND)
		*(u32 *)(void *)(g->rows + p->x) = b->ctaid[0];
	else
		thin_rows(p);
	if (b->shared_bytes)
		memset(b->shared, 0, b->shared_bytes);
	return true;
}

void passing_settle(struct passing *p)
{
	struct worker *k = p->g->worker;
	const u64 blocks = p->blocks, warps = blocks * p->g->count;

	if (p->thin)
		frames_place_block(p->g->block, p->g->code);
	p->thin = false;
	p->blocks = 0;
	k->stats.blocks += blocks;
	k->stats.warps += warps;
	k->stats.warp_instructions += p->issued * warps;
	k->stats.thread_instructions += p->issued * warps * WARP_LANES;
	k->stats.branches += p->branches * warps;
	k->clock += p->issued * warps;
	k->elapsed += p->issued * warps;
	if (blocks)
		warm(k);
}
