/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the marks of words lie: memory that is handed on as pieces of one size, and tables of what has a number. A part of the
 * race check.
 */
#ifndef PTXSIM_OBSERVE_RACE_STORE_H
#define PTXSIM_OBSERVE_RACE_STORE_H

#include "base/arena.h"

/* Where things of one size come from, many at a time, and go when they are not needed any more. All zeros at first. */
struct race_store {
	void *unused;
	u8 *next;
	u32 left;
};

/* Zeros. bytes: always the same, 8 at least. */
void *race_store_take(struct arena *arena, struct race_store *s, size_t bytes);
void race_store_give(struct race_store *s, void *item);

/* Pieces of 64 to 512 bytes, which may become larger or smaller ones again when they are given back: as leaves become pages.
 * All zeros at first. */
enum { RACE_HEAP_UNITS = 8 };
struct race_heap {
	struct race_heap_block *blocks[RACE_HEAP_UNITS + 1]; /* by the most units that lie free together, or so many */
	u8 *next;                                            /* what no block has been made of yet */
	u32 left, came;                                      /* so much of it, and so much the last time */
};

/* Zeros. */
void *race_heap_take(struct arena *arena, struct race_heap *h, size_t bytes);
void race_heap_give(struct race_heap *h, void *piece, size_t bytes);

/* What begins with these. */
struct race_numbered {
	u64 number;
	struct race_numbered *next; /* of the bucket */
};

/* All zeros at first. */
struct race_table {
	struct race_numbered **buckets;
	size_t count, room;
};

static inline size_t race_table_bucket(const struct race_table *t, u64 number)
{
	return (size_t)(number * 0x9e3779b97f4a7c15u >> 32) & (t->room - 1);
}

/* NULL: there is none. */
static inline struct race_numbered *race_table_find(const struct race_table *t, u64 number)
{
	struct race_numbered *x = t->room ? t->buckets[race_table_bucket(t, number)] : NULL;

	while (x && x->number != number)
		x = x->next;
	return x;
}

/* Its number is not there yet. */
void race_table_add(struct race_table *t, struct arena *arena, struct race_numbered *x);

#endif
