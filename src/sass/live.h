/* SPDX-License-Identifier: Apache-2.0
 *
 * Which registers code may read before it has written them: these must be the same in every run, the others cost nothing.
 */
#ifndef PTXSIM_SASS_LIVE_H
#define PTXSIM_SASS_LIVE_H

#include "ir/ir.h"
#include "sass/effects.h"

/* Of a kernel's code from instruction `entry` on, by SASS_INDEX; of B0 to B15 for each instruction of the body. leads: instructions that something jumps to; bases: the
 * address at which the section of each instruction begins in the body. */
void sass_live_at(struct arena *scratch, const struct ir_function *f, const bool *leads, const u32 *bases, u32 entry,
		  bool live[SASS_INDEX_COUNT], u16 *barriers);

#endif
