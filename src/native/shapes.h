/* SPDX-License-Identifier: Apache-2.0
 *
 * What the addresses of a kernel's accesses look like, found out by a trial: two warps of one block run the kernel's code without its
 * memory, on rows of their own. What they see is a guess for the compiler, and never more: other accesses are as right, but slower.
 */
#ifndef PTXSIM_NATIVE_SHAPES_H
#define PTXSIM_NATIVE_SHAPES_H

#include "native/flow.h"

struct grid;

/* What a trial needs to know of a launch. */
struct native_sample {
	bool taken;
	bool parts;         /* lanes part that never have in the trial: what it has seen of branches does not count */
	bool several_warps; /* blocks are not one warp each, as the sample's: what holds for those alone does not count */
	u32 block[3], grid[3];
	const struct kernel *kernel;
	const struct address_map *map;
	u8 *params; /* a copy of its own */
	u32 *banks; /* machine code: the values of code->banks, likewise */
};

/* False: no memory, and nothing is taken. */
bool sample_take(struct native_sample *s, const struct grid *grid);
void sample_free(struct native_sample *s);

/* By instruction: a set of enum access_shape, or 0; of a conditional branch SHAPE_KNOWN | SHAPE_SAME, if all lanes went the same way. From
 * the flow's arena. NULL: no memory. */
const u8 *shapes_find(const struct code_flow *f, const struct native_sample *s);

#endif
