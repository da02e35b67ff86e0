/* SPDX-License-Identifier: Apache-2.0
 *
 * Contraction: an add or sub of a product becomes a fused multiply-add where the ISA manual lets
 * the assembler do so (neither names a rounding mode) and ptxas does.
 */
#ifndef PTXSIM_DECODE_CONTRACT_H
#define PTXSIM_DECODE_CONTRACT_H

#include "decode/flow.h"
#include "decode/match.h"

/* Rewrites `matched` in place; new forms' parts come from `kept`. The multiplications stay: each still counts
 * as an instruction. */
void contract_products(const struct isa *isa, const struct ir_function *f, const struct flow *flow,
		       struct matched *matched, u32 arch, struct arena *arena, struct arena *kept);

#endif
