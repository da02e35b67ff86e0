/* SPDX-License-Identifier: Apache-2.0
 *
 * Marks of a page of words whose lanes went over neighbouring bytes one after the other, as nearly all do: of 128 bytes a
 * few runs, each of one event, from its first byte to its last, the newest first. They know of each byte who it was. A part
 * of the race check.
 */
#ifndef PTXSIM_OBSERVE_RACE_RUNS_H
#define PTXSIM_OBSERVE_RACE_RUNS_H

#include "base/types.h"

/* A mark of one word: event, bytes, lane. No event: no mark. */
enum {
	RACE_LANE_BITS = 5,
	RACE_BYTES_BITS = 4,
	RACE_EVENT_SHIFT = RACE_LANE_BITS + RACE_BYTES_BITS,
};

static inline u32 race_packed(u32 event, u32 bytes, u32 lane)
{
	return event << RACE_EVENT_SHIFT | bytes << RACE_LANE_BITS | (lane & ((1u << RACE_LANE_BITS) - 1));
}

enum {
	RACE_PAGE_WORDS = 128,
	RACE_RUN_BYTES = 128, /* that a group of runs is of */
	RACE_RUN_GROUPS = RACE_PAGE_WORDS * 4 / RACE_RUN_BYTES,
	RACE_RUNS = 5,       /* of a group */
	RACE_WORD_MARKS = 4, /* of a word, at most: one of each byte */
	RACE_ALL_BYTES = 15
};

/* mark: in place of the bytes, how lanes go on from the group's first byte: see lane_of(). */
struct race_runs {
	u32 mark[RACE_RUN_GROUPS][RACE_RUNS];
	u8 first[RACE_RUN_GROUPS][RACE_RUNS], last[RACE_RUN_GROUPS][RACE_RUNS];
};

/* The marks of the word's bytes `bytes`, the newest first, and how many. */
u32 race_runs_get(const struct race_runs *r, u32 word, u32 bytes, u32 marks[RACE_WORD_MARKS]);
/* The bytes of the newest run of the word, if it is of no other word; else 0. So it can be taken out. */
static inline u32 race_runs_apart(const struct race_runs *r, u32 word)
{
	const u32 g = word * 4 / RACE_RUN_BYTES, at = word * 4 % RACE_RUN_BYTES;
	const u32 first = r->first[g][0], last = r->last[g][0];

	if (!r->mark[g][0] || first < at || last >= at + 4)
		return 0;
	return ((2u << (last - first)) - 1) << (first - at);
}
void race_runs_take(struct race_runs *r, u32 word);
/* Leaves the word's other bytes as they are. False: it does not fit in. */
bool race_runs_put(struct race_runs *r, u32 word, u32 mark);

#endif
