/* SPDX-License-Identifier: Apache-2.0
 *
 * Between which barriers of all threads of the block the instructions of a kernel run. A thread goes from one such barrier to
 * the next, and all threads of the block with it, though not by the same instruction of the text: barriers to which threads may
 * come at one time make up a class.
 */
#ifndef PTXSIM_OBSERVE_PHASES_H
#define PTXSIM_OBSERVE_PHASES_H

#include "decode/flow.h"
#include "decode/program.h"

/* Bits of a mask of classes; the last is the beginning's. */
enum { PHASE_BARRIERS_MOST = 63 };

struct phases {
	u64 *after; /* by instruction of the text: the classes of which a barrier, or the beginning, may come last before it */
	u32 barriers[PHASE_BARRIERS_MOST]; /* instructions */
	bool alone[PHASE_BARRIERS_MOST];   /* all threads that have not exited come to this one together */
	u32 count;
};

/* separates: by instruction of the text, that it is a barrier of all threads. NULL: there are more than PHASE_BARRIERS_MOST. */
struct phases *phases_find(struct arena *arena, const struct code *code, const struct flow *flow,
			   const bool *separates);

#endif
