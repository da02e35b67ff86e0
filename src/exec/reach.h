/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PTXSIM_EXEC_REACH_H
#define PTXSIM_EXEC_REACH_H

#include "exec/run.h"

/* Whether the warp's lanes of `mask` can all write `bytes` at their addresses: for what a fault would leave half done. i: as a
 * warp by itself runs it. */
bool warp_reaches(struct warp *w, const struct insn *i, u32 mask, enum ir_space space, const u64 address[WARP_LANES],
		  u32 bytes);

#endif
