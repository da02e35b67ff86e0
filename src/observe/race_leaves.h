/* SPDX-License-Identifier: Apache-2.0
 *
 * Marks of words that lie apart: leaves, each of some words of one region of memory in the order of their addresses, with
 * a column for each kind of mark that has been left. A part of the race check.
 */
#ifndef PTXSIM_OBSERVE_RACE_LEAVES_H
#define PTXSIM_OBSERVE_RACE_LEAVES_H

#include "observe/race_store.h"

enum race_plane {
	RACE_WRITE,
	RACE_OTHER_WRITE, /* of bytes that the last one has left */
	RACE_STRONG_WRITE,
	RACE_OTHER_STRONG,
	RACE_READ,
	RACE_OTHER_READ, /* OTHER: the newest by another thread, rather of another warp */
	RACE_PLANES
};

enum { RACE_LEAF_WORDS = 128, RACE_LEAF_CLASSES = 17, RACE_LEAF_SIZES = 8 };

struct race_leaf {
	u16 *keys;                 /* of the region's words, in order; NULL: `step` apart, from `first` on */
	u32 *columns[RACE_PLANES]; /* of `room` marks each; NULL: no such mark */
	u16 first, step;
	u8 count, room;
	u8 has; /* its columns, a bit each */
};

/* A leaf's word; leaf is NULL: not there. */
struct race_entry_at {
	struct race_leaf *leaf;
	u32 at;
};

struct race_region;

/* All zeros at first. */
struct race_leaves {
	struct race_table regions;
	struct race_region *last;
	struct race_leaf_slab *slabs;
	VEC_OF(struct race_leaf *) unused;
	struct race_lists *unused_lists[RACE_LEAF_CLASSES];
	struct race_store small[RACE_LEAF_SIZES]; /* keys and columns of less than 64 bytes, by eight bytes */
	struct race_heap heap;                    /* and others; pages have theirs there, too */
};

struct race_entry_at race_leaf_find(const struct race_leaves *l, u64 word);
/* Room for a word that is not there. No leaf: nothing is made, as its leaf is full, and nearly all words around *dense have
 * marks: better they are taken out. */
struct race_entry_at race_leaf_add(struct race_leaves *l, struct arena *arena, u64 word, u64 *dense);
/* A mark, made if it is not there; and 0 in its place. */
u32 *race_leaf_mark(struct race_leaves *l, struct arena *arena, struct race_entry_at e, enum race_plane plane);
void race_leaf_unmark(struct race_leaves *l, struct race_entry_at e, enum race_plane plane);

/* Takes the first word at or behind `from` and below `end` out, with its marks. False: there is none. */
bool race_leaf_take(struct race_leaves *l, struct arena *arena, u64 from, u64 end, u64 *word, u32 marks[RACE_PLANES]);

/* Goes over all leaves: the next one behind `at`, which has words; NULL at first and at the end. */
struct race_leaf_walk {
	const struct race_leaf_slab *slab;
	size_t next;
};
struct race_leaf *race_leaf_next(const struct race_leaves *l, struct race_leaf_walk *walk);
/* Goes over all words. */
struct race_word_walk {
	size_t bucket;
	const struct race_region *region;
	u32 leaf, next;
};
struct race_entry_at race_leaf_next_word(const struct race_leaves *l, struct race_word_walk *walk, u64 *word);

#endif
