/* SPDX-License-Identifier: Apache-2.0
 *
 * What is remembered of each word of shared and global memory: who wrote it last, weakly and strongly, and who read it,
 * and some of those before. What one warp's instruction does at one time is an event, so that a mark takes four bytes:
 * the event, the lane, and the bytes of the word. A page of words has a plane for each kind of mark that has been left in
 * it. A part of the race check.
 */
#ifndef PTXSIM_OBSERVE_RACE_WORDS_H
#define PTXSIM_OBSERVE_RACE_WORDS_H

#include "base/arena.h"

/* An access by one thread. */
struct race_mark {
	u32 time;      /* 0: none */
	u32 block;     /* linear; of what an asynchronous operation does: its agent, see RACE_AGENT */
	u32 site;      /* of the program's decoded instructions */
	u8 warp, lane; /* lane: RACE_ANY_LANE: of several, which stored the same */
	u8 bytes;      /* of the word, a bit each */
	u8 scope;      /* of an atomic, volatile or ordered one: enum race_scope; else 0 */
};

enum { RACE_ANY_LANE = 0xff };

/* An asynchronous operation does its accesses as a thread of its own would: as one of a block that there is not, which has
 * this bit, the number of its own block, and one of so many bits that says which of the block's agents it is. */
enum { RACE_AGENT_BITS = 4 };
static const u32 RACE_AGENT = 1u << 31;
static inline bool race_mark_is_async(const struct race_mark *m) { return m->block & RACE_AGENT; }
/* Of the thread whose access it is, or that began the operation. */
static inline u32 race_mark_block(const struct race_mark *m)
{
	return m->block & RACE_AGENT ? (m->block & ~RACE_AGENT) >> RACE_AGENT_BITS : m->block;
}

enum race_plane {
	RACE_WRITE,
	RACE_OTHER_WRITE, /* of bytes that the last one has left */
	RACE_STRONG_WRITE,
	RACE_OTHER_STRONG,
	RACE_READ,
	RACE_OTHER_READ, /* OTHER: the newest by another thread, rather of another warp */
	RACE_PLANES
};

enum { RACE_PAGE_WORDS = 128 };

struct race_page {
	u64 number;
	struct race_page *next, *made_before;
	u32 life;                 /* of its marks: those of an earlier one do not count */
	u32 *planes[RACE_PLANES]; /* of RACE_PAGE_WORDS each; NULL: no such mark */
};

/* The events of a launch, and its pages. All zeros but the arena at first. */
struct race_events {
	struct arena *arena;
	struct race_event **chunks;
	u32 count, chunk_room;
	u32 most; /* then those that no mark names are given up */
	u32 *recent;
	struct race_page *pages; /* the one made last */
};

/* Words of global memory, by pages that come into being when they are touched. */
struct race_pages {
	struct race_page **buckets;
	size_t count, room;
	struct race_page *last;
};

struct race_word {
	struct race_page *page;
	u32 at;
};

struct race_word race_global_word(struct race_pages *p, struct race_events *e, u64 address);
/* One of an array of pages; emptied if what its page holds is of an earlier life. */
struct race_word race_shared_word(struct race_page *pages, struct race_events *e, u64 offset, u32 life);

/* The word, if something has touched its page. */
bool race_global_find(const struct race_pages *p, u64 address, struct race_word *w);

/* Has any word marks in both that conflict, one of them a write's, and not both of strong accesses of that scope? */
bool race_pages_meet(const struct race_pages *a, const struct race_events *a_events, const struct race_pages *b,
		     const struct race_events *b_events, u8 strong_scope);

/* False: none has been left. */
bool race_mark_get(const struct race_events *e, struct race_word w, enum race_plane plane, struct race_mark *mark);
void race_mark_put(struct race_events *e, struct race_word w, enum race_plane plane, const struct race_mark *mark);
void race_mark_remove(struct race_word w, enum race_plane plane);

#endif
