/* SPDX-License-Identifier: Apache-2.0
 *
 * Who is ordered after whom. Time is one counter that grows with each synchronisation; each warp knows, of each warp
 * of its block and of all other blocks together, up to when its accesses come before what the warp does next.
 */
#ifndef PTXSIM_OBSERVE_RACE_CLOCKS_H
#define PTXSIM_OBSERVE_RACE_CLOCKS_H

#include "exec/machine.h"
#include "observe/race_words.h"

enum { RACE_WARPS = 32 };

/* What one warp knows. */
struct race_clock {
	u32 of[RACE_WARPS]; /* of the block's warps, its own lanes among them */
	u32 others;         /* of other blocks */
};

/* Those that have arrived in one phase of a barrier. */
struct race_arrivals {
	u64 phase;
	struct race_clock clock;
};

struct race_warp {
	struct race_clock clock;
	u32 waits;                           /* for these barriers, a bit each */
	u64 waits_phase[BARRIERS_PER_BLOCK]; /* whose phase was this when it came */
	bool meets;                          /* waited for the cluster: knows all that has met since */
};

struct race_block {
	struct block *block;
	struct race_block *next; /* of the bucket */
	u32 life;                /* of its shared words */
	struct race_word *words; /* of shared memory */
	struct race_warp warps[RACE_WARPS];
	struct race_arrivals arrivals[BARRIERS_PER_BLOCK][2];
};

struct race_clocks {
	u32 now;
	u32 met; /* when the last thread met others at an mbarrier or for the cluster */
};

/* Is what `m` marks before what the warp's lane does now? */
bool race_ordered(const struct race_block *b, const struct warp *w, u32 lane, const struct race_mark *m);

/* The warp goes on: it knows what the barriers that it has waited for told. */
void race_resume(struct race_clocks *c, struct race_block *b, const struct warp *w);
/* It arrives at a barrier of its block. */
void race_arrive(struct race_clocks *c, struct race_block *b, const struct warp *w, u32 number, bool waits);
/* Its lanes meet one another. */
void race_meet_lanes(struct race_clocks *c, struct race_block *b, const struct warp *w);
/* It tells all, or learns from all, who use mbarriers or the cluster's barrier. */
void race_meet(struct race_clocks *c, struct race_block *b, const struct warp *w, bool waits);
/* It has read what a strong access wrote. */
void race_learn(struct race_block *b, const struct warp *w, const struct race_mark *m);

#endif
