/* SPDX-License-Identifier: Apache-2.0
 *
 * What ptxas makes of instructions with constants, where the machine would have computed something else.
 */
#ifndef PTXSIM_DECODE_CONSTANTS_H
#define PTXSIM_DECODE_CONSTANTS_H

#include "decode/flow.h"
#include "decode/match.h"

/* Rewrites `matched` in place; `kept` holds new forms' parts. optimises: the module is not one for debugging, so that
 * constants in registers count and instructions of constants alone are computed by the assembler. */
void place_constants(const struct isa *isa, const struct ir_function *f, const struct flow *flow,
		     struct matched *matched, u32 arch, bool optimises, struct arena *arena, struct arena *kept);

#endif
