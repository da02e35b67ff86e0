/* SPDX-License-Identifier: Apache-2.0
 *
 * Divergence: which split of a warp runs next, joins, and the waiting of .sync instructions. Splits are stored by split.h;
 * calls, returns and exits are in call.c.
 *
 * Joins form a tree by `parent`. A join's `expected` lanes are those that diverged below it and
 * have not exited; when all have arrived they go on as one split. On targets with independent
 * thread scheduling a join also gives way: when nothing else in the warp can run, or the rest
 * only spins, those that have arrived go on alone.
 *
 * A warp's lanes are in exactly one of these places:
 *
 *      running      w->mask, at the instruction that executes
 *      ready        list ready_head..ready_tail of splits: will run when the running lanes reach a join, wait or end
 *      waiting      list `waiting`: parked at barriers and .sync instructions
 *      arrived      at a join (join->arrived), until all expected lanes have come
 *      dead         not in w->live: exited, or beyond the end of the block
 */
#include <string.h>

#include "exec/converge.h"
#include "exec/internal.h"
#include "exec/split.h"

/* --- Joins --------------------------------------------------------------------------------- */

/* Joins are recycled through the warp's free list, linked by `parent`. */
struct join *warp_new_join(struct warp *w)
{
	struct join *j = w->free_joins;

	if (j)
		w->free_joins = j->parent;
	else
		j = ARENA_NEW(&w->worker->arena, struct join);
	memset(j, 0, sizeof *j);
	j->next_open = w->open_joins;
	w->open_joins = j;
	return j;
}

static void free_join(struct warp *w, struct join *j)
{
	struct join **at = &w->open_joins;

	while (*at != j)
		at = &(*at)->next_open;
	*at = j->next_open;
	if (j->callee)
		frame_free(w, j->callee);
	j->parent = w->free_joins;
	w->free_joins = j;
}

/* Makes s the warp's running lanes and returns where they continue. `resumed` tells the .sync instruction there that
 * its exchange has taken place: `exchange` holds the operands of all participants. */
static const struct insn *load_split(struct warp *w, struct split *s)
{
	const struct insn *pc = s->pc;

	w->mask = s->mask;
	w->join = s->join;
	w->frame = s->frame;
	w->rows = s->frame->rows;
	w->resumed = s->resumed;
	w->member_mask = s->member_mask;
	if (s->resumed)
		memcpy(w->exchange, s->exchange, sizeof s->exchange);
	split_free(w, s);
	return pc;
}

/* Does a function return here that is one of several which an indirect call has gone to? */
static bool is_gathered(const struct join *j) { return j->is_return && !j->gathers && j->parent && j->parent->gathers; }

/* Lets lanes that wait at incomplete joins, gathered ones or others, go on alone. True if there were any. */
static bool release_some(struct warp *w, bool gathered)
{
	bool any = false;

	for (struct join *j = w->open_joins, *next; j; j = next) {
		next = j->next_open;
		const u32 lanes = j->arrived;
		if (!lanes || is_gathered(j) != gathered)
			continue;
		any = true;
		j->expected &= ~lanes;
		j->arrived = 0;
		if (gathered)
			j->parent->arrived |= lanes;
		else
			split_make(w, j->pc, lanes, j->parent, j->frame);
		if (!j->expected)
			free_join(w, j);
	}
	return any;
}

/* Gathered ones first: their lanes go on from where they are gathered. */
static bool release_joins(struct warp *w)
{
	release_some(w, true);
	return release_some(w, false);
}

/* The running lanes are done here: picks the next split. With none ready, joins give way before convergence barriers
 * do. */
const struct insn *warp_next(struct warp *w)
{
	w->resumed = false;
	if (!w->ready_head && w->live && w->grid->independent)
		if (!release_joins(w))
			converge_give_up(w);
	if (w->ready_head)
		return load_split(w, split_take(w));
	w->mask = 0;
	w->stop = w->live ? STOP_WAITING : STOP_FINISHED;
	return NULL;
}

/* The place and its lanes are two bits of a set, which begins anew where a stranger comes to a set that is a quarter full: it
 * has room for as many splits as a warp can have, and false members are rare. */
bool warp_spins_in_vain(struct warp *w, const struct insn *pc, u32 mask, u32 turns)
{
	enum { BITS = 32 * COUNT_OF(w->spin_masks) };
	const u32 place = (u32)((uintptr_t)pc / sizeof *pc), key = (place * 0x9e3779b1u ^ mask) * 0x85ebca6bu;
	const u32 bits[] = {(key >> 24) % BITS, (key >> 16) % BITS};
	u32 members = 0;
	bool seen = true;

	for (u32 k = 0; k < COUNT_OF(bits); k++)
		seen = seen && w->spin_masks[bits[k] / 32] >> bits[k] % 32 & 1;
	w->spin_turns = seen ? w->spin_turns + 1 : 0;
	if (seen)
		return w->spin_turns >= turns;
	for (u32 k = 0; k < COUNT_OF(w->spin_masks); k++)
		members += (u32)__builtin_popcount(w->spin_masks[k]);
	if (members > BITS / 4)
		memset(w->spin_masks, 0, sizeof w->spin_masks);
	for (u32 k = 0; k < COUNT_OF(bits); k++)
		w->spin_masks[bits[k] / 32] |= 1u << bits[k] % 32;
	return false;
}

/* PTX, whose lanes meet at joins, need not be as patient as machine code: have these lanes come round to the place once more, and
 * no others in between? */
static bool comes_round_again(struct warp *w, const struct insn *pc, u32 mask)
{
	u32 *seen = &w->spin_masks[(uintptr_t)pc / sizeof *pc % COUNT_OF(w->spin_masks)];

	w->spin_turns = *seen == mask ? w->spin_turns + 1 : 0;
	*seen = mask;
	return w->spin_turns >= 1;
}

/* Lanes that wait at joins may be what a loop waits for in vain: the one that has got a lock meets the others behind the loop
 * in which they try to get it. */
static void let_go(struct warp *w, const struct insn *pc, u32 mask)
{
	if (w->grid->independent && w->open_joins && comes_round_again(w, pc, mask))
		release_joins(w);
}

bool warp_let_go(struct warp *w) { return w->grid->independent && release_joins(w); }

/* Running lanes go behind all other ready splits, and the time slice ends: for loops that may wait for other lanes or
 * warps. */
const struct insn *warp_yield(struct warp *w, const struct insn *pc)
{
	const u32 mask = w->mask;

	split_append(w, split_running(w, pc));
	let_go(w, pc, mask);
	w->mask = 0;
	w->resumed = false;
	w->stop = STOP_YIELD;
	return NULL;
}

/* Stops before i for the debugger. `done` instructions of the straight run that i is in have been executed but not
 * counted; the position includes them. */
const struct insn *warp_suspend(struct warp *w, const struct insn *i, s32 done)
{
	split_push(w, split_running(w, i));
	w->worker->elapsed += w->issued + (u64)done - w->counted;
	w->counted = w->issued + (u64)done;
	w->mask = 0;
	w->suspended = true;
	w->stop = STOP_SUSPENDED;
	return NULL;
}

/* --- Branches ------------------------------------------------------------------------------ */

/* The lanes `taken` go to `target`, the others on to `next`, at which execution continues; both meet at join_pc, if
 * there is one. A nested branch with the same join opens no second one. */
const struct insn *warp_diverge(struct warp *w, u32 taken, const struct insn *target, const struct insn *next,
				const struct insn *join_pc)
{
	const u32 rest = w->mask & ~taken;
	struct join *j = w->join;

	w->divergent_branches++;
	if (join_pc && !(j && j->pc == join_pc && !j->is_return)) {
		j = warp_new_join(w);
		j->pc = join_pc;
		j->expected = w->mask;
		j->parent = w->join;
		j->frame = w->frame;
		w->join = j;
	}
	if (j && !j->is_return && target == j->pc)
		j->arrived |= taken;
	else
		split_make(w, target, taken, j, w->frame);
	w->mask = rest;
	return next;
}

/* Like warp_diverge(), without a join: the lanes meet again wherever the current one is. */
void warp_split(struct warp *w, u32 lanes, const struct insn *pc)
{
	split_make(w, pc, lanes, w->join, w->frame);
	w->mask &= ~lanes;
}

/* To be called after `expected` shrank, of a join's parent, too: lanes that have all arrived go on as a split, or to where they
 * are gathered; a join that nobody needs is freed. */
void warp_complete_join(struct warp *w, struct join *j)
{
	if (j->arrived && j->arrived == j->expected && is_gathered(j)) {
		j->parent->arrived |= j->arrived;
		free_join(w, j);
	} else if (j->arrived && j->arrived == j->expected) {
		split_make(w, j->is_return ? j->pc : j->pc + 1, j->arrived, j->parent, j->frame);
		free_join(w, j);
	} else if (!j->expected) {
		free_join(w, j);
	}
}

/* The running lanes reach their join: the last ones to come continue at once, with all lanes, without going through a
 * split. */
const struct insn *warp_arrive(struct warp *w)
{
	struct join *j = w->join;

	j->arrived |= w->mask;
	if (j->arrived != j->expected)
		return warp_next(w);
	const struct insn *pc = j->is_return ? j->pc : j->pc + 1;
	const bool gathered = is_gathered(j);
	w->mask = j->arrived;
	w->join = j->parent;
	w->frame = j->frame;
	w->rows = w->frame->rows;
	free_join(w, j);
	return gathered ? warp_arrive(w) : pc;
}

void warp_gather(struct warp *w, const struct insn *i)
{
	struct join *j = w->join;

	if (j && j->gathers && j->pc == i + 1)
		return;
	j = warp_new_join(w);
	j->pc = i + 1;
	j->expected = w->mask;
	j->parent = w->join;
	j->frame = w->frame;
	j->is_return = j->gathers = true;
	w->join = j;
}

/* Lanes that exit leave every join that encloses them, and the masks of those that wait for them. */
void warp_forget(struct warp *w, u32 lanes)
{
	w->live &= ~lanes;
	for (struct join *j = w->join, *parent; j; j = parent) {
		parent = j->parent;
		j->expected &= ~lanes;
		warp_complete_join(w, j);
	}
	warp_recheck_sync(w);
}

/* --- Waiting ------------------------------------------------------------------------------- */

const struct insn *warp_park(struct warp *w, const struct insn *pc, enum split_state state)
{
	warp_store(w, pc, state);
	return warp_next(w);
}

/* Do the two wait for one another? They name the same lanes, and execute the same operation: lanes at a shuffle wait for
 * ever for those that vote. */
static bool wait_together(const struct warp *w, const struct split *a, const struct split *b)
{
	if (a->state != SPLIT_AT_WARP_SYNC || b->state != SPLIT_AT_WARP_SYNC || a->member_mask != b->member_mask)
		return false;
	if (a->pc == b->pc)
		return true;
	const struct form *x = split_form(w, a), *y = split_form(w, b);
	return x->row == y->row && x->token_count == y->token_count &&
	       !memcmp(x->tokens, y->tokens, x->token_count * sizeof *x->tokens);
}

/* Are all lanes that `first` waits for, and that still live, parked where it is? */
static bool sync_complete(const struct warp *w, const struct split *first)
{
	u32 there = 0;

	for (const struct split *s = w->waiting; s; s = s->next)
		if (wait_together(w, s, first))
			there |= s->mask;
	return (first->member_mask & w->live & ~there) == 0 && there;
}

/* All participants get everybody's operands (`exchange`, by lane) and execute the instruction again with `resumed` set,
 * each split by itself: lanes may wait at different program counters. */
static void sync_release(struct warp *w, const struct split *first)
{
	const struct split like = *first;
	u64 exchange[WARP_LANES] = {0};
	u32 there = 0;

	for (const struct split *s = w->waiting; s; s = s->next)
		if (wait_together(w, s, &like)) {
			there |= s->mask;
			for (int l = 0; l < WARP_LANES; l++)
				if (s->mask >> l & 1)
					exchange[l] = s->exchange[l];
		}
	for (struct split *s = w->waiting, *next; s; s = next) {
		next = s->next;
		if (!wait_together(w, s, &like))
			continue;
		memcpy(s->exchange, exchange, sizeof exchange);
		s->resumed = true;
		s->member_mask = there;
		warp_wake(w, s);
	}
}

void warp_recheck_sync(struct warp *w)
{
	converge_recheck(w);
	for (struct split *s = w->waiting; s; s = s->next)
		if (s->state == SPLIT_AT_WARP_SYNC && sync_complete(w, s)) {
			sync_release(w, s);
			s = w->waiting;
			if (!s)
				return;
		}
}

/* Rows of 64 or 32 bits, or a predicate, which `aux` may negate. Values are kept zero-extended. */
static void save_operand(struct split *s, const struct insn *i, const u8 *row, u32 bits)
{
	for (u32 l = 0; l < WARP_LANES; l++)
		s->exchange[l] = bits == 64   ? ((const u64 *)row)[l]
				 : bits == 32 ? ((const u32 *)row)[l]
					      : (*(const u32 *)row >> l ^ i->aux) & 1;
}

/* The front part of every .sync instruction. True: all participants are here (or exchanged already), the handler goes
 * on. False: the warp parked or faulted, and *next is what the handler returns. Lanes that have exited are not waited
 * for. */
bool warp_sync(struct warp *w, const struct insn *i, u32 mask, u32 members, const u8 *rows, u32 operand, u32 bits,
	       const struct insn **next)
{
	if (w->resumed) {
		w->resumed = false;
		w->exchanging = true;
		return true;
	}
	w->exchanging = false;
	warp_account(w, i);
	if ((members & mask) != mask) {
		*next = warp_fault(w, i, FAULT_BAD_MASK, mask & ~members,
				   "the member mask is 0x%08x, the executing lanes are 0x%08x", members, mask);
		return false;
	}
	w->member_mask = members & w->live;
	if ((members & w->live & ~mask) == 0)
		return true;
	struct split *s = warp_store(w, i, SPLIT_AT_WARP_SYNC);
	s->member_mask = members;
	if (operand != NO_OPERAND)
		save_operand(s, i, rows + operand, bits);
	if (sync_complete(w, s))
		sync_release(w, s);
	*next = warp_next(w);
	return false;
}

const struct insn *warp_converge(struct warp *w, const struct insn *i, s32 barrier, u32 members,
				 const struct insn *next)
{
	warp_account(w, i);
	if (w->mask == w->live)
		return next;
	converge_park(w, barrier, members, next);
	return warp_next(w);
}

/* --- Where a warp stands ---------------------------------------------------------------------- */

/* Puts the warp at the start of its kernel. It gets its first split only when it must (`fresh`): most warps start in a
 * gang. */
void warp_start(struct warp *w, const struct code *code)
{
	w->ready_head = w->ready_tail = w->waiting = NULL;
	w->open_joins = NULL;
	w->stack_depth = 0;
	w->lock_loop = NULL;
	w->mask = 0;
	w->join = NULL;
	w->frame = NULL;
	w->entry_frame->local_top = code->local_bytes;
	w->fresh = w->local_bytes >= code->local_bytes || warp_local_reserve(w, code->insns, code->local_bytes);
	/* Whoever looks at a launch that is stepped through sees splits. */
	if (w->fresh && !w->grid->gang_limit)
		warp_enter(w);
}

void warp_enter(struct warp *w)
{
	w->fresh = false;
	warp_stand(w, grid_entry(w->grid, w->grid->kernel->code));
}

void warp_stand_apart(struct warp *w, const struct insn *pc, u32 mask, struct join *join)
{
	split_make(w, pc, mask, join, w->entry_frame);
}

void warp_park_apart(struct warp *w, const struct insn *pc, u32 mask, u32 barrier)
{
	struct split *s = split_new(w);

	s->pc = pc;
	s->mask = mask;
	s->join = NULL;
	s->frame = w->entry_frame;
	s->state = SPLIT_AT_CONVERGENCE;
	s->barrier = barrier;
	s->member_mask = 0;
	s->next = w->waiting;
	w->waiting = s;
}

struct join *warp_open_join(struct warp *w, const struct insn *pc, u32 expected, u32 arrived, struct join *parent)
{
	struct join *j = warp_new_join(w);

	j->pc = pc;
	j->expected = expected;
	j->arrived = arrived;
	j->parent = parent;
	j->frame = w->entry_frame;
	return j;
}

void warp_stand(struct warp *w, const struct insn *pc) { split_make(w, pc, w->live, NULL, w->entry_frame); }

/* The one place where all live lanes stand with nothing pending, or NULL: only such warps can join a gang. */
const struct insn *warp_stands(const struct warp *w)
{
	const struct split *s = w->ready_head;

	if (!s || s->next || w->waiting || w->open_joins || s->resumed || s->mask != w->live ||
	    s->frame != w->entry_frame)
		return NULL;
	return s->pc;
}

void warp_give_way(struct warp *w)
{
	struct split *s = split_take(w);
	const struct insn *pc = s->pc;
	const u32 mask = s->mask;

	split_append(w, s);
	let_go(w, pc, mask);
}

bool warp_is_whole(const struct warp *w)
{
	return w->mask == w->live && w->frame == w->entry_frame && !w->join && !w->stack_depth;
}

/* Puts the running lanes first in the ready list and ends the slice: they continue where they are when the warp's next
 * slice comes. */
const struct insn *warp_rest(struct warp *w, const struct insn *pc)
{
	split_push(w, split_running(w, pc));
	w->mask = 0;
	w->resumed = false;
	w->spins = 0;
	w->stop = STOP_YIELD;
	return NULL;
}

void warp_take(struct warp *w) { split_free(w, split_take(w)); }
