/* SPDX-License-Identifier: Apache-2.0
 *
 * What is remembered of each word of shared and global memory: who wrote it last, weakly and strongly, and who read it. A part of
 * the race check.
 */
#ifndef PTXSIM_OBSERVE_RACE_WORDS_H
#define PTXSIM_OBSERVE_RACE_WORDS_H

#include "base/arena.h"

/* An access by one thread. */
struct race_mark {
	u32 time;      /* 0: none */
	u32 block;     /* linear */
	u32 site;      /* of the program's decoded instructions */
	u8 warp, lane; /* lane: RACE_ANY_LANE: of several, which stored the same */
	u8 bytes;      /* of the word, a bit each */
	u8 scope;      /* of an atomic, volatile or ordered one: enum race_scope; else 0 */
};

enum { RACE_ANY_LANE = 0xff };

struct race_word {
	struct race_mark write, read;
	struct race_mark strong;     /* the last strong write */
	struct race_mark other_read; /* the newest by another warp than `read` */
	u32 life;                    /* marks of an earlier one do not count */
};

/* Words of global memory, by pages that come into being when they are touched. */
struct race_pages {
	struct race_page **buckets;
	size_t count, room;
	struct race_page *last;
};

struct race_word *race_page_word(struct race_pages *p, struct arena *arena, u64 address);
/* The word, emptied if what it holds is of an earlier life. */
struct race_word *race_word_at(struct race_word *word, u32 life);
void race_word_read(struct race_word *word, const struct race_mark *mark);
void race_word_write(struct race_word *word, const struct race_mark *mark);

#endif
