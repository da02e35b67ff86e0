/* SPDX-License-Identifier: Apache-2.0
 *
 * Convergence barriers of machine code: see exec/converge.h.
 */
#include "exec/converge.h"

#include "exec/split.h"

static bool is_by_mask(const struct split *s) { return (s32)s->barrier < 0; }

/* The row of a convergence barrier, for each lane. */
static const u32 *barrier_row(const struct split *s)
{
	return (const u32 *)(const void *)(s->frame->rows + s->barrier);
}

/* The living lanes that a parked split waits for, itself among them. */
static u32 awaited(const struct warp *w, const struct split *s)
{
	u32 lanes = s->member_mask;

	for (u32 l = 0; !is_by_mask(s) && l < WARP_LANES; l++)
		if (s->mask >> l & 1)
			lanes |= barrier_row(s)[l];
	return lanes & w->live;
}

/* At one barrier, for the same lanes: in a function that calls itself, lanes wait there at each depth for others. */
static bool meets(const struct split *s, const struct split *other)
{
	if (other->state != SPLIT_AT_CONVERGENCE || other->barrier != s->barrier)
		return false;
	if (is_by_mask(s))
		return other->member_mask == s->member_mask;
	return barrier_row(s)[__builtin_ctz(s->mask)] == barrier_row(other)[__builtin_ctz(other->mask)];
}

/* The lanes that are parked where s is. */
static u32 parked(const struct warp *w, const struct split *s)
{
	u32 lanes = 0;

	for (const struct split *other = w->waiting; other; other = other->next)
		if (meets(s, other))
			lanes |= other->mask;
	return lanes;
}

/* Makes one split of those that are parked with s, wait for no others, and go on at the same place. */
static void merge(struct warp *w, struct split *s)
{
	for (struct split **at = &w->waiting; *at;) {
		struct split *other = *at;
		if (other == s || other->pc != s->pc || !meets(s, other)) {
			at = &other->next;
			continue;
		}
		s->mask |= other->mask;
		*at = other->next;
		split_free(w, other);
	}
}

/* Lets the split go on with all that it has met; true if it has met all. */
static bool release(struct warp *w, struct split *s)
{
	const u32 lanes = awaited(w, s);

	if (lanes & ~parked(w, s))
		return false;
	for (;;) {
		struct split *next = w->waiting;
		while (next && !(meets(s, next) && next != s && next->mask & lanes))
			next = next->next;
		if (!next)
			break;
		if ((s32)s->barrier == CONVERGE_COLLECTIVELY)
			next->pc = s->pc;
		if (next->pc == s->pc) {
			merge(w, s);
			continue;
		}
		merge(w, next);
		warp_wake(w, next);
	}
	warp_wake(w, s);
	return true;
}

/* The first of the ready ones, which has waited beside those that run, to the pool behind it. */
static void join_pool(struct warp *w)
{
	struct split *s = w->ready_head;
	const u32 index = (u32)(s->pc - grid_entry(w->grid, s->frame->code));

	s->beside = false;
	for (struct split *other = s->next; other; other = other->next)
		if (other->pc == s->pc && other->frame == s->frame && !other->resumed &&
		    converge_alike(s->frame->code, index, s->frame->rows, s->mask, other->mask)) {
			other->mask |= s->mask;
			split_free(w, split_take(w));
			return;
		}
}

void converge_part(struct warp *w, u32 lanes, const struct insn *pc)
{
	if (w->ready_head && w->ready_head->beside)
		join_pool(w);
	warp_split(w, lanes, pc);
	w->ready_head->beside = true;
}

bool converge_alike(const struct code *code, u32 index, const u8 *rows, u32 lanes, u32 others)
{
	for (u32 left = code->barriers_read[index]; left; left &= left - 1) {
		const u32 *row =
			(const u32 *)(const void *)(rows + code->barrier_rows) + WARP_LANES * (u32)__builtin_ctz(left);
		if (row[__builtin_ctz(lanes)] != row[__builtin_ctz(others)])
			return false;
	}
	return true;
}

void converge_recheck(struct warp *w)
{
	for (struct split *s = w->waiting; s;)
		s = s->state == SPLIT_AT_CONVERGENCE && release(w, s) ? w->waiting : s->next;
}

void converge_park(struct warp *w, s32 barrier, u32 members, const struct insn *next)
{
	struct split *s = warp_store(w, next, SPLIT_AT_CONVERGENCE);

	s->barrier = (u32)barrier;
	s->member_mask = barrier < 0 ? members : 0;
	if (release(w, s)) { /* those that came last go on at once */
		split_remove(w, s);
		split_push(w, s);
	}
}

const struct insn *converge_stand_back(struct warp *w, const struct insn *next)
{
	split_append(w, split_running(w, next));
	return warp_next(w);
}

void converge_give_up(struct warp *w)
{
	for (struct split *s = w->waiting, *next; s; s = next) {
		next = s->next;
		if (s->state != SPLIT_AT_CONVERGENCE || is_by_mask(s))
			continue;
		u32 *barrier = (u32 *)(void *)(s->frame->rows + s->barrier);
		const u32 others = awaited(w, s);
		for (u32 l = 0; l < WARP_LANES; l++)
			if (others >> l & 1)
				barrier[l] &= ~s->mask;
		warp_wake(w, s);
	}
	converge_recheck(w);
}
