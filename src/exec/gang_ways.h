/* SPDX-License-Identifier: Apache-2.0
 *
 * The stack of ways of a gang whose lanes have gone different ways; see the head of exec/gang_split.c. Private to it and to
 * gang_part.c, which hands what stands there out to the warps.
 */
#ifndef PTXSIM_EXEC_GANG_WAYS_H
#define PTXSIM_EXEC_GANG_WAYS_H

#include "exec/gang.h"

enum { STACK_ENTRIES = 64, NO_JOIN = -1 };

struct entry {
	const struct insn *pc;
	bool is_join;
	s32 outer;             /* a join's: the join below, or NO_JOIN */
	u32 lanes[GANG_WARPS]; /* those that have arrived at a join; those that are to run from pc */
	u32 awaited
		[GANG_WARPS]; /* a join's in machine code: what the barrier's row says of its lanes; others have none of it */
};

struct gang_split {
	u32 running[GANG_WARPS]; /* lanes of each warp that go the way that runs */
	struct gang_member on[GANG_WARPS], guarded[GANG_WARPS];
	u32 depth; /* entries on the stack */
	s32 join;  /* the topmost join, or NO_JOIN */
	u32 beside
		[GANG_WARPS]; /* machine code: the entry, plus 1, of lanes that wait beside those that run (exec/converge.h); 0:
				 * there are none, or not in an entry of their own */
	struct entry stack[STACK_ENTRIES];
};

/* The worker's only one: a gang at a time is in different ways. */
struct gang_split *gang_split_room(struct gang *g);

#endif
