/* SPDX-License-Identifier: Apache-2.0
 *
 * Sets of threads, each up to a time: what some thread knows of others beyond its own block, or what a release tells
 * whoever acquires it. A set never changes, so that many may hold it; it counts its holders. Entries stand for a whole
 * block, a whole warp or one thread, whichever says it shortest. A part of the race check.
 */
#ifndef PTXSIM_OBSERVE_RACE_SETS_H
#define PTXSIM_OBSERVE_RACE_SETS_H

#include "observe/race_parts.h"

struct race_set; /* NULL: the empty one */

/* One holder more, or one less. */
struct race_set *race_set_keep(struct race_set *s);
void race_set_drop(struct race_sets *sets, struct race_set *s);
/* *at, which gives up what it held, takes over one hold of s. */
void race_set_put(struct race_sets *sets, struct race_set **at, struct race_set *s);

/* All accesses up to `time` of a thread. The caller holds the result. */
struct race_set *race_set_of_thread(struct race_sets *sets, u32 block, u32 warp, u32 lane, u32 time);
/* Of a block's warps, each up to its time. */
struct race_set *race_set_of_warps(struct race_sets *sets, u32 block, const u32 *times, u32 count);
/* Of the lanes of a warp. */
struct race_set *race_set_of_lanes(struct race_sets *sets, u32 block, u32 warp, u32 mask, u32 time);
/* What either holds: one of the two if it has all. The caller holds the result, and what it held before. */
struct race_set *race_set_join(struct race_sets *sets, struct race_set *a, struct race_set *b);
/* The same in place of *at; s stays the caller's. */
void race_set_add(struct race_sets *sets, struct race_set **at, struct race_set *s);

bool race_set_covers(const struct race_set *s, u32 block, u32 warp, u32 lane, u32 time);

/* A set may say besides, of further threads, that their reads have been done up to a time, though nothing orders their
 * accesses. What `s` holds in either way, held so. The caller holds the result. */
struct race_set *race_set_reads(struct race_sets *sets, struct race_set *s);
bool race_set_covers_read(const struct race_set *s, u32 block, u32 warp, u32 lane, u32 time);

#endif
