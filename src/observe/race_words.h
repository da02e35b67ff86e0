/* SPDX-License-Identifier: Apache-2.0
 *
 * What is remembered of each word of shared and global memory: who wrote it last, weakly and strongly, and who read it,
 * and some of those before. What one warp's instruction does at one time is an event, so that a mark takes four bytes:
 * the event, the lane, and the bytes of the word. Words that lie together are kept by pages, which have a plane for each kind
 * of mark that has been left in them, as runs (race_runs.h) where they are few; words that lie apart by leaves (race_leaves.h).
 * A part of the race check.
 */
#ifndef PTXSIM_OBSERVE_RACE_WORDS_H
#define PTXSIM_OBSERVE_RACE_WORDS_H

#include "base/arena.h"
#include "observe/race_leaves.h"
#include "observe/race_runs.h"

/* An access by one thread. */
struct race_mark {
	u32 time;      /* 0: none */
	u32 block;     /* linear; of what an asynchronous operation does: its agent, see RACE_AGENT */
	u32 site;      /* of the program's decoded instructions */
	u8 warp, lane; /* lane: RACE_ANY_LANE: of several, which stored the same */
	u8 bytes;      /* of the word, a bit each */
	u8 scope;      /* of an atomic, volatile or ordered one: enum race_scope; else 0 */
	bool reads;    /* a plain write of what the thread had read there: it stands for that read, too */
	u32 event;     /* of one that has been got, until a new one is put; 0: a new one's */
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

/* Words that lie together. */
struct race_page {
	struct race_numbered as;
	struct race_page *made_before;
	u32 life;        /* of its marks: those of an earlier one do not count */
	u8 has, is_runs; /* planes that there are, and of these; a bit each */
	/* NULL: no such mark. They are struct race_runs, or RACE_PAGE_WORDS marks. */
	void *planes[RACE_PLANES];
};

/* The events of a launch, and its pages and leaves. All zeros but the arena at first. */
struct race_events {
	struct arena *arena;
	struct race_event_chunk **chunks;
	u32 count, chunk_room;
	u32 most; /* then those that no mark names are given up */
	u32 *recent;
	struct race_page *pages; /* the one made last */
	struct race_leaves leaves;
	struct race_store page_store;
};

/* Words of global memory, by pages that come into being when they are touched. */
struct race_pages {
	struct race_table table;
	struct race_page *last;
};

/* Valid until another one is asked for. */
struct race_word {
	struct race_page *page; /* NULL: it is an entry of a leaf */
	struct race_leaf *leaf;
	u32 at;
};

/* with_neighbours: most words beside it are accessed, too. */
struct race_word race_global_word(struct race_pages *p, struct race_events *e, u64 address, bool with_neighbours);
/* One of an array of pages; emptied if what its page holds is of an earlier life. */
struct race_word race_shared_word(struct race_page *pages, struct race_events *e, u64 offset, u32 life);

/* The word, if something may have touched it. */
bool race_global_find(const struct race_pages *p, const struct race_events *e, u64 address, struct race_word *w);

/* Has any word marks in both that conflict, one of them a write's, and not both of strong accesses of that scope? */
bool race_pages_meet(const struct race_pages *a, const struct race_events *a_events, const struct race_pages *b,
		     const struct race_events *b_events, u8 strong_scope);

/* Of which kinds there may be marks, a bit each. */
static inline u32 race_planes_of(struct race_word w) { return w.page ? w.page->has : w.leaf->has; }
/* The marks of a word's bytes, newest first, each of other bytes, and how many; others may be among them. */
u32 race_marks_read(const struct race_events *e, struct race_word w, enum race_plane plane, u32 bytes,
		    struct race_mark marks[RACE_WORD_MARKS]);
static inline u32 race_marks_get(const struct race_events *e, struct race_word w, enum race_plane plane, u32 bytes,
				 struct race_mark marks[RACE_WORD_MARKS])
{
	return race_planes_of(w) >> plane & 1 ? race_marks_read(e, w, plane, bytes, marks) : 0;
}
/* The newest. False: none has been left. */
bool race_mark_get(const struct race_events *e, struct race_word w, enum race_plane plane, struct race_mark *mark);
/* Takes the place of the marks of its bytes, and, unless the plane keeps each byte's, of all others. */
void race_mark_put(struct race_events *e, struct race_word w, enum race_plane plane, const struct race_mark *mark);
/* Does the plane keep each byte's marks? It may not do so any more after a mark has been put. */
static inline bool race_keeps_bytes(struct race_word w, enum race_plane plane)
{
	return w.page && w.page->is_runs >> plane & 1;
}
void race_mark_remove(struct race_events *e, struct race_word w, enum race_plane plane);
/* Takes the newest mark out if it is of the same thread, and of no bytes that the other one is not of. */
bool race_mark_take(struct race_events *e, struct race_word w, enum race_plane plane, const struct race_mark *of);

#endif
