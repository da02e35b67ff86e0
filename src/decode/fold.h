/* SPDX-License-Identifier: Apache-2.0
 *
 * What ptxas makes of single instructions with constant or equal operands, where the machine would have
 * computed something else.
 */
#ifndef PTXSIM_DECODE_FOLD_H
#define PTXSIM_DECODE_FOLD_H

#include "decode/flow.h"
#include "decode/match.h"

/* Rewrites `matched` in place; `kept` holds new forms' parts. */
void fold_instructions(const struct isa *isa, const struct ir_function *f, const struct flow *flow,
		       struct matched *matched, u32 arch, struct arena *arena, struct arena *kept);

#endif
