/* SPDX-License-Identifier: Apache-2.0
 *
 * The order of factors and summands: which of two NaNs comes out of f64 arithmetic depends on it.
 */
#ifndef PTXSIM_DECODE_ORDER_H
#define PTXSIM_DECODE_ORDER_H

#include "decode/flow.h"
#include "decode/match.h"

/* Rewrites `matched` in place; new forms' parts come from `kept`. */
void order_operands(const struct isa *isa, const struct ir_function *f, const struct flow *flow,
		    struct matched *matched, u32 arch, struct arena *arena, struct arena *kept);

#endif
