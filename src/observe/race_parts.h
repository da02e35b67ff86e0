/* SPDX-License-Identifier: Apache-2.0
 *
 * What sets of threads (race_sets.h) are made of: a part is of neighbouring blocks, and has entries; or it is of more
 * of them, and has smaller parts. Parts never change either, and sets share them, so that sets of many blocks that differ
 * in few are joined by looking at those few. What joins have given is remembered by the numbers of what was joined:
 * threads that wait for one another ask for the same again and again. A part of the race check.
 */
#ifndef PTXSIM_OBSERVE_RACE_PARTS_H
#define PTXSIM_OBSERVE_RACE_PARTS_H

#include "base/arena.h"

/* key: see race_parts.c. */
struct race_entry {
	u64 key;
	u32 time;
};

/* What sets and parts begin with. */
struct race_held {
	u32 holders, class; /* class: the logarithm of its room */
	u32 count;
	u64 number; /* no other one ever has it; 0: unused */
	struct race_held *next;
};

/* What a part can be made into: of each block one entry, with the newest time; the same threads' reads. */
enum race_made { RACE_SHORT, RACE_READS, RACE_MADE };

/* held.count: of its entries, or smaller parts. */
struct race_part {
	struct race_held held;
	u64 span;      /* the number of its blocks among neighbours of that size; reads have others */
	u32 least;     /* all threads of all its blocks are in it up to that time */
	u32 most;      /* none beyond that one */
	u32 entries;   /* in all */
	bool is_short; /* none of warps or threads */
	bool is_reads; /* only of their reads */
	bool has_parts;
	struct race_part *made[RACE_MADE]; /* of it; NULL: not yet */
};

enum { RACE_SET_CLASSES = 24 };

/* Where sets and parts come from, and go when nobody holds them any more. */
struct race_sets {
	struct arena *arena;
	u64 numbers;
	struct race_held *unused_sets[RACE_SET_CLASSES], *unused_parts[RACE_SET_CLASSES],
		*unused_wholes[RACE_SET_CLASSES];
	struct race_entry *merged; /* room for one result */
	size_t merged_room;
	struct race_part **listed; /* and for a set's parts */
	size_t listed_room;
	struct race_join *joins; /* what they gave */
};

/* One of that class from its store, or a new one of that many bytes. */
struct race_held *race_take(struct race_sets *sets, struct race_held **unused, u32 class, size_t bytes);
void race_give(struct race_held **unused, struct race_held *h);
u32 race_class(size_t count);

/* What joining the two gave, whichever came first; other is 0 for what one alone was made into. NULL: not known, or
 * unused by now. */
struct race_held *race_recall(const struct race_sets *sets, u64 one, u64 other);
void race_remember(struct race_sets *sets, u64 one, u64 other, struct race_held *result);

/* A larger part of one block, its keys in order. The caller holds this result and those below. */
struct race_part *race_part_new(struct race_sets *sets, const struct race_entry *entries, u32 count);
void race_part_drop(struct race_sets *sets, struct race_part *p);
static inline struct race_part *race_part_keep(struct race_part *p)
{
	p->held.holders++;
	return p;
}

u64 race_thread_key(u32 block, u32 warp, u32 lane);
u64 race_warp_key(u32 block, u32 warp);
u64 race_block_key(u32 block);

/* Parts in the order of their spans, all of one size. */
struct race_parts {
	struct race_part *const *parts;
	u32 count;
};

/* The parts of both, each held once more; `to` has room for as many. How many there are. */
u32 race_parts_join(struct race_sets *sets, struct race_part **to, struct race_parts a, struct race_parts b);
bool race_parts_are(struct race_parts a, struct race_parts b);
/* Is it in the larger part that has the block? */
bool race_parts_cover(struct race_parts x, bool reads, u32 block, u32 warp, u32 lane, u32 time);
/* Of each block one entry, with the newest time. */
struct race_part *race_part_shorten(struct race_sets *sets, struct race_part *p);
/* The same threads' reads. */
struct race_part *race_part_reads(struct race_sets *sets, struct race_part *p);

#endif
