/* SPDX-License-Identifier: Apache-2.0
 *
 * Splits of a warp: their storage, and the two lists that they stand in. A split is in one place at a time:
 *
 *     running (fields of the warp) <---> ready: first .. last <---> waiting, for what `state` says
 *
 * Running lanes that go elsewhere are put before the ready ones, lanes that have waited or given way behind them; that order
 * is what makes a warp's run the same each time. Which split runs next is decided in exec/diverge.c.
 */
#ifndef PTXSIM_EXEC_SPLIT_H
#define PTXSIM_EXEC_SPLIT_H

#include "exec/internal.h"

/* From the warp's free ones, else from its worker's arena. */
static inline struct split *split_new(struct warp *w)
{
	struct split *s = w->free_splits;

	if (s)
		w->free_splits = s->next;
	else
		s = ARENA_NEW(&w->worker->arena, struct split);
	s->next = NULL;
	s->resumed = s->beside = false;
	s->state = SPLIT_READY;
	return s;
}

static inline void split_free(struct warp *w, struct split *s)
{
	s->next = w->free_splits;
	w->free_splits = s;
}

/* Before all that are ready. */
static inline void split_push(struct warp *w, struct split *s)
{
	s->state = SPLIT_READY;
	s->next = w->ready_head;
	w->ready_head = s;
	if (!w->ready_tail)
		w->ready_tail = s;
}

/* Behind all that are ready. */
static inline void split_append(struct warp *w, struct split *s)
{
	s->state = SPLIT_READY;
	s->next = NULL;
	if (w->ready_tail)
		w->ready_tail->next = s;
	else
		w->ready_head = s;
	w->ready_tail = s;
}

/* The first of those that are ready, off their list. There is one. */
static inline struct split *split_take(struct warp *w)
{
	struct split *s = w->ready_head;

	w->ready_head = s->next;
	if (!w->ready_head)
		w->ready_tail = NULL;
	return s;
}

/* Off the list of those that are ready. */
static inline void split_remove(struct warp *w, const struct split *s)
{
	struct split *before = NULL, **at = &w->ready_head;

	while (*at != s) {
		before = *at;
		at = &before->next;
	}
	*at = s->next;
	if (!s->next)
		w->ready_tail = before;
}

/* A new one of the lanes `mask`, before all that are ready. */
static inline void split_make(struct warp *w, const struct insn *pc, u32 mask, struct join *join, struct frame *frame)
{
	struct split *s = split_new(w);

	s->pc = pc;
	s->mask = mask;
	s->join = join;
	s->frame = frame;
	split_push(w, s);
}

/* The running split in storage, to go on at pc; in neither list yet. */
static inline struct split *split_running(struct warp *w, const struct insn *pc)
{
	struct split *s = split_new(w);

	s->pc = pc;
	s->mask = w->mask;
	s->join = w->join;
	s->frame = w->frame;
	return s;
}

#endif
