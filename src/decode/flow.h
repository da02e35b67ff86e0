/* SPDX-License-Identifier: Apache-2.0
 *
 * Control flow of one function: basic blocks over its body, and for each block its immediate
 * post-dominator, where lanes that diverged meet again; on request also which blocks dominate which.
 */
#ifndef PTXSIM_DECODE_FLOW_H
#define PTXSIM_DECODE_FLOW_H

#include "ir/ir.h"
#include "isa/isa.h"

enum { NO_BLOCK = 0xffffffff };

struct flow_block {
	u32 first, end; /* instructions [first, end) of the body */
	u32 *successors;
	u32 successor_count;
	u32 *predecessors;
	u32 predecessor_count;
	u32 post_dominator; /* a block, or NO_BLOCK: none but the function's end */
	bool conditional;   /* ends in a branch on which lanes may part */
	bool reconverges;   /* is the post-dominator of a conditional block */
};

struct flow {
	struct flow_block *blocks;
	u32 block_count;
	u32 *block_of; /* by instruction; the entry for body.count is NO_BLOCK */
};

/* `forms[k]` is the matched form of body instruction k (row NULL if it did not match). */
struct flow *flow_build(struct arena *arena, const struct ir_function *function, const struct form *forms);

/* By block: the range of places in the tree of dominators that belongs to it; empty: it is not reached from the entry. */
struct dominators {
	u32 *first, *end;
};

/* Lives in the arena. */
struct dominators flow_dominators(const struct flow *flow, struct arena *arena);

/* Is block b reached through block a only? True of blocks that are not reached at all. */
static inline bool flow_dominates(const struct dominators *d, u32 a, u32 b)
{
	return d->first[b] == d->end[b] || (d->first[a] <= d->first[b] && d->first[b] < d->end[a]);
}

/* Labels that instruction k may jump to (brx.idx: several); returns how many. */
u32 flow_targets(const struct ir_function *function, const struct ir_instruction *instruction, const struct form *form,
		 const struct ir_label *const **labels, struct arena *arena);

#endif
