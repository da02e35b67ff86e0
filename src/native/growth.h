/* SPDX-License-Identifier: Apache-2.0
 *
 * A region while it is looked for (region.c), of which region_make.c then makes what the compiler gets.
 */
#ifndef PTXSIM_NATIVE_GROWTH_H
#define PTXSIM_NATIVE_GROWTH_H

#include "native/region.h"

/* A region is entered at its first block alone: the interpreter goes over to it in one place, with all rows in the frame. So
 * it can stand by itself only while no edge leads into its middle (`pending` is 0); growth goes on past such a point, since
 * a later block may bring the edge's other end in, and falls back to the last good one. */
struct growth {
	const struct code_flow *f;
	bool lean;        /* as regions_find has it */
	u32 *stamp, turn; /* block b is in the region: stamp[b] == turn */
	u32 *number;      /* and its number there */
	u32 *list, count; /* its blocks in order */
	u32 *stack;       /* of walks */
	u32 *seen, visit; /* of walks: seen[b] == visit */
	struct shared_use use;
	u32 insns, pending; /* pending: edges into it from outside, but to the first block */
	u32 accesses, branches;
	u64 *written;     /* rows, */
	u32 rows;         /* and how many */
	u32 good, end;    /* the largest part that can stand by itself: blocks; where it ends, an instruction; */
	u32 size;         /* and the instructions of it that count */
	u32 cut;          /* of that, the last block's end, if it ends early; else 0 */
	u32 places;       /* of regions that are made: accesses so far, around ALLOCATION_CACHE */
	u32 *row_of;      /* of regions that are made: flow's number to region's, plus 1; 0 between them */
	u32 *marks, mark; /* of sets of places in the frame: the one in which each has been seen last */
	u64 *set;         /* of rows */
	bool *covered;
};

/* Makes the largest part of it that can stand by itself. False: what it leaves in the frame would not be one value a place. It should not
 * happen. */
bool region_make(struct growth *g, struct region *r);

static inline const struct step *last_step(const struct code_flow *f, u32 b) { return &f->steps[f->blocks[b].end - 1]; }

/* Where the lanes of a branch meet, which lowering has found; if it does not know, where all ways come to. */
static inline u32 join_of(const struct code_flow *f, u32 b)
{
	const u32 join = last_step(f, b)->join;

	return join == NO_OPERAND ? f->blocks[b].after : f->block_of[join];
}

static inline bool in_region(const struct growth *g, u32 b) { return g->stamp[b] == g->turn; }

#endif
