/* SPDX-License-Identifier: Apache-2.0
 *
 * What calls do to what is known of local memory: a function's frame begins with nothing written but its parameters, and
 * results travel back. A part of the check of unwritten values.
 */
#ifndef PTXSIM_OBSERVE_UNWRITTEN_CALLS_H
#define PTXSIM_OBSERVE_UNWRITTEN_CALLS_H

#include "exec/grid.h"
#include "observe/written.h"

/* A warp's local memory: lane after lane, `stride` bytes each. */
struct unwritten_local {
	struct written *written;
	u64 stride;
	struct arena *arena;
};

/* A call has begun in the warp's frame. */
void unwritten_enter(const struct unwritten_local *to, const struct warp *w);
/* The lanes return from it. */
void unwritten_leave(const struct unwritten_local *to, const struct warp *w, u32 lanes);
/* The instruction calls a function of the system, which writes its result. */
void unwritten_system(const struct unwritten_local *to, const struct warp *w, const struct insn *i, u32 lanes);

/* Is it a return that takes results along, or a call of the system? */
bool unwritten_is_return(const struct code *code, u32 insn);
bool unwritten_is_system_call(const struct code *code, u32 insn);

#endif
