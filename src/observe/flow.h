/* SPDX-License-Identifier: Apache-2.0
 *
 * Where execution went: how often each PTX instruction ran and for how many lanes, what predicates
 * turned off, which branches diverged, and how many lanes of a warp were active over its life. A
 * part of the accounting observer (observe/accounting.h), which calls it.
 *
 * Only the ends of straight runs, guards and branches are looked at: what runs between two such
 * points ran as often as they did, and is filled in afterwards.
 */
#ifndef PTXSIM_OBSERVE_FLOW_H
#define PTXSIM_OBSERVE_FLOW_H

#include "exec/gang.h"
#include "observe/classes.h"

/* Of one PTX instruction, or a sum over several. */
struct flow_count {
	u64 executed; /* by warps */
	u64 lanes;    /* active ones, those that a predicate turned off included */
	u64 off;      /* lanes that its predicate turned off */
	u64 branches, divergent;
};

/* The life of a warp in slices of equally many warp instructions. Of the launch's first warps only. */
enum { TIMELINE_WARPS = 64, TIMELINE_SLICES = 128 };

struct flow_timeline {
	u64 block;
	u32 warp;  /* of the block */
	u32 slice; /* warp instructions in each slice, a power of two; 0: the warp did not run */
	u32 used;  /* slices */
	u32 instructions[TIMELINE_SLICES];
	u64 lanes[TIMELINE_SLICES];
};

struct flow; /* of one accounting */

/* Lives as long as the arena. */
struct flow *flow_new(struct arena *arena, const struct program *program);

/* The observer's calls. `counts` is the worker's: flow_points(f) zeroed elements. */
u32 flow_points(const struct flow *f);
/* The point at a decoded instruction + 1; 0: it is not watched. */
u32 flow_point(const struct flow *f, const struct code *code, u32 insn);
void flow_before(struct flow *f, struct flow_count *counts, u32 point, const struct warp *w, const struct insn *i,
		 const u8 *rows, u32 mask);
void flow_gang_before(struct flow *f, struct flow_count *counts, u32 point, const struct gang *g, const struct insn *i);

/* Whether sums over many executions by native code are enough at the point. Then flow_tallied adds them, and flow_timed what
 * they lack, as it happens: warps' timelines. */
bool flow_tallies(const struct flow *f, u32 point);
/* Whether some of the block's warps have timelines. */
bool flow_times(const struct block *b);
void flow_timed(struct flow *f, u32 point, const struct warp *w, u32 mask);
void flow_tallied(const struct flow *f, struct flow_count *counts, u32 point, const struct native_tally *t);

/* Before a launch. */
void flow_begin(struct flow *f);
/* Adds one worker's counts to `to`: for each code an array by body instruction (flow_result). */
void flow_merge(const struct flow *f, const struct flow_count *counts, struct flow_count **to);
/* flow_count_run, and in the warp's timeline. */
void flow_cut(struct flow *f, struct flow_count *counts, const struct warp *w, u32 count, u32 mask);
/* Adds counts by code and body instruction. */
void flow_add(const struct flow *f, struct flow_count *const *from, struct flow_count **to);
struct flow_count **flow_result(const struct flow *f, struct arena *arena);
const struct instruction_facts *flow_facts(const struct flow *f, const struct code *code);
/* One sum added to another. */
static inline void flow_count_add(struct flow_count *to, const struct flow_count *from)
{
	to->executed += from->executed;
	to->lanes += from->lanes;
	to->off += from->off;
	to->branches += from->branches;
	to->divergent += from->divergent;
}
/* Body instructions that stand behind each other ran once more, for lanes `mask`; `counts` is the first one's. */
static inline void flow_count_run(struct flow_count *counts, u32 count, u32 mask)
{
	for (u32 k = 0; k < count; k++) {
		counts[k].executed++;
		counts[k].lanes += (u32)__builtin_popcount(mask);
	}
}
/* Takes over the timelines of warps that another process has run. */
void flow_absorb(struct flow *f, const struct flow_timeline *from);
/* TIMELINE_WARPS of them. */
const struct flow_timeline *flow_timelines(const struct flow *f);

#endif
