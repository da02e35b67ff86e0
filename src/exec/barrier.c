/* SPDX-License-Identifier: Apache-2.0
 *
 * Block barriers (PTX ISA 9.7.13.1): 16 for a block, each counting threads.
 *
 * Without a thread count a barrier waits for every thread of the block that has not exited; a warp
 * whose lanes do not all exist counts those it has (recorded: warp-sync). With one, a whole warp
 * counts 32. On targets without independent scheduling a warp arrives as a whole.
 */
#include "exec/in_order.h"
#include "exec/internal.h"

static u32 threads_arriving(const struct warp *w, u32 threads)
{
	const bool whole = w->mask == w->live;

	if (threads && (whole || !w->grid->independent))
		return WARP_LANES;
	if (!w->grid->independent)
		return (u32)__builtin_popcount(w->live);
	return (u32)__builtin_popcount(w->mask);
}

/* Writes barrier.red's result for lanes at instruction i. */
static void write_result(const struct barrier *b, const struct insn *i, enum barrier_reduce reduce, u8 *rows, u32 mask)
{
	if (reduce == BARRIER_NONE)
		return;
	if (reduce == BARRIER_POPC) {
		for (u32 l = 0; l < WARP_LANES; l++)
			if (mask >> l & 1)
				((u32 *)(rows + i->d))[l] = b->red_count;
		return;
	}
	const u32 value = (reduce == BARRIER_AND ? b->red_and : b->red_or) ? mask : 0;
	u32 *p = (u32 *)(rows + i->d);
	*p = (*p & ~mask) | value;
}

/* The warp, at instruction i, completes the barrier: if all threads of the block stand there, it is known what they have
 * ahead. Others may have arrived and gone on. */
static void pass_in_order(const struct warp *w, const struct insn *i, u32 number)
{
	struct block *block = w->block;
	const struct in_order *o = w->grid->in_order;
	const struct insn *entry = grid_entry(w->grid, w->grid->kernel->code);
	u32 here = (u32)__builtin_popcount(w->mask);
	u16 ahead = in_order_ahead(o, (u32)(i - entry));

	for (u32 k = 0; k < block->warp_count; k++)
		for (const struct split *s = block->warps[k].waiting; s; s = s->next) {
			if (s->state != SPLIT_AT_BARRIER || s->barrier != number)
				continue;
			here += (u32)__builtin_popcount(s->mask);
			ahead |= in_order_ahead(o, (u32)(s->pc - 1 - entry));
		}
	if (here == block->live_threads)
		in_order_pass(block, ahead);
}

static void complete(struct block *block, u32 number)
{
	struct barrier *b = &block->barriers[number];

	for (u32 k = 0; k < block->warp_count; k++) {
		struct warp *w = &block->warps[k];
		for (struct split *s = w->waiting, *next; s; s = next) {
			next = s->next;
			if (s->state != SPLIT_AT_BARRIER || s->barrier != number)
				continue;
			write_result(b, s->pc - 1, s->reduce, s->frame->rows, s->mask);
			warp_wake(w, s);
		}
	}
	b->arrived = 0;
	b->expected = 0;
	b->red_count = 0;
	b->red_and = 1;
	b->red_or = 0;
	b->phase++;
	block->open_barriers &= ~(1u << number);
}

static bool is_complete(const struct block *block, const struct barrier *b)
{
	return b->arrived && b->arrived >= (b->expected ? b->expected : block->live_threads);
}

/* Should the warp that completes a barrier let the others come up to it, to go on with them as a gang? Only if
 * the barrier is where all threads of the block are: nobody else would have to wait. */
static bool gathers(const struct warp *w, const struct barrier *b)
{
	const struct block *block = w->block;

	return w->grid->gang_limit && block->warp_count > 1 && b->arrived >= block->live_threads && warp_is_whole(w);
}

const struct insn *block_barrier(struct warp *w, const struct insn *i, u32 number, u32 threads, bool waits,
				 enum barrier_reduce reduce, u32 predicate)
{
	struct block *block = w->block;

	warp_account(w, i);
	if (number >= BARRIERS_PER_BLOCK)
		return warp_fault(w, i, FAULT_BAD_BARRIER, 0, "barrier %u does not exist: there are %d", number,
				  BARRIERS_PER_BLOCK);
	if (threads % WARP_LANES)
		return warp_fault(w, i, FAULT_BAD_BARRIER, 0, "thread count %u is not a multiple of %d", threads,
				  WARP_LANES);
	struct barrier *b = &block->barriers[number];
	if (!b->arrived) {
		b->expected = threads;
		b->red_count = b->red_or = 0;
		b->red_and = 1;
		block->open_barriers |= 1u << number;
	}
	b->arrived += threads_arriving(w, threads);
	b->last_code = w->frame->code;
	b->last_insn = (u32)(i - grid_entry(w->grid, w->frame->code));
	b->last_warp = w->index;
	if (reduce != BARRIER_NONE) {
		b->red_count += (u32)__builtin_popcount(predicate & w->mask);
		b->red_and &= (predicate & w->mask) == w->mask;
		b->red_or |= (predicate & w->mask) != 0;
	}
	if (!is_complete(block, b)) {
		if (!waits)
			return i + 1;
		struct split *s = warp_store(w, i + 1, SPLIT_AT_BARRIER);
		s->barrier = number;
		s->reduce = reduce;
		return warp_next(w);
	}
	if (waits)
		write_result(b, i, reduce, w->rows, w->mask);
	block->gathers = waits && gathers(w, b);
	if (w->grid->in_order && waits)
		pass_in_order(w, i, number);
	complete(block, number);
	if (!block->gathers)
		return i + 1;
	block->lead = w->index;
	block->leads = true;
	return warp_rest(w, i + 1);
}

void block_lanes_exited(struct warp *w, u32 lanes)
{
	struct block *block = w->block;

	block->live_threads -= (u32)__builtin_popcount(lanes);
	for (u32 left = block->open_barriers; left; left &= left - 1) {
		const u32 k = (u32)__builtin_ctz(left);
		if (!block->barriers[k].expected && is_complete(block, &block->barriers[k]))
			complete(block, k);
	}
	block->cluster->live_threads -= (u32)__builtin_popcount(lanes);
	if (block->cluster->arrived)
		cluster_lanes_exited(w, lanes);
}

/* --- Cluster barrier ------------------------------------------------------------------------ */

static void cluster_complete(struct cluster *c)
{
	c->arrived = 0;
	c->phase++;
	for (u32 r = 0; r < c->count; r++)
		for (u32 k = 0; k < c->blocks[r]->warp_count; k++) {
			struct warp *w = &c->blocks[r]->warps[k];
			for (struct split *s = w->waiting, *next; s; s = next) {
				next = s->next;
				if (s->state == SPLIT_AT_CLUSTER && s->phase < c->phase)
					warp_wake(w, s);
			}
		}
}

static bool cluster_is_complete(const struct cluster *c) { return c->arrived && c->arrived >= c->live_threads; }

const struct insn *cluster_arrive(struct warp *w, const struct insn *i)
{
	struct cluster *c = w->block->cluster;

	warp_account(w, i);
	c->used = true;
	for (u32 l = 0; l < WARP_LANES; l++)
		if (w->mask >> l & 1)
			w->cluster_phase[l] = c->phase + 1;
	c->arrived += (u32)__builtin_popcount(w->mask);
	if (cluster_is_complete(c))
		cluster_complete(c);
	return i + 1;
}

const struct insn *cluster_wait(struct warp *w, const struct insn *i)
{
	struct cluster *c = w->block->cluster;
	const u32 lane = (u32)__builtin_ctz(w->mask);

	warp_account(w, i);
	if (w->cluster_phase[lane] <= c->phase)
		return w->grid->gang_limit && w->block->warp_count > 1 && warp_is_whole(w) ? warp_rest(w, i + 1)
											   : i + 1;
	struct split *s = warp_store(w, i + 1, SPLIT_AT_CLUSTER);
	s->phase = c->phase;
	return warp_next(w);
}

void cluster_lanes_exited(struct warp *w, u32 lanes)
{
	struct cluster *c = w->block->cluster;

	/* An arrived thread that exits without waiting stays counted as arrived. */
	for (u32 l = 0; l < WARP_LANES; l++)
		if (lanes >> l & 1 && w->cluster_phase[l] > c->phase)
			c->arrived--;
	if (cluster_is_complete(c))
		cluster_complete(c);
}
