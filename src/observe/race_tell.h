/* SPDX-License-Identifier: Apache-2.0
 *
 * The faults of the race check, with both places. A part of it.
 */
#ifndef PTXSIM_OBSERVE_RACE_TELL_H
#define PTXSIM_OBSERVE_RACE_TELL_H

#include "observe/race_clocks.h"

/* Where a lane's access goes. */
struct race_place {
	u32 lane;
	enum ir_space space; /* shared or global */
	u64 address;         /* as the program has it */
	u64 offset;          /* within the block's shared memory, or of global memory */
	u32 size;
	const u8 *host;
	const struct allocation *memory; /* of global memory */
};

/* The access is not ordered after `before`, by another thread; bases: number of each code's first decoded
 * instruction. */
void race_tell(struct warp *w, const struct insn *i, const struct race_place *p, bool writes,
	       const struct race_mark *before, const struct program *program, const u32 *bases, bool before_writes);
void race_tell_unwritten(struct warp *w, const struct insn *i, const struct race_place *p);

#endif
