/* SPDX-License-Identifier: Apache-2.0
 *
 * What NVIDIA's assembler makes of the text, as far as it shows in results: which products it fuses, what it makes of
 * constants, and in which order it puts operands. Nothing here says what an instruction does. Each pass rests on
 * recordings of kernels that ptxas 13.0 assembled for sm_90a.
 */
#ifndef PTXSIM_PTXAS_PTXAS_H
#define PTXSIM_PTXAS_PTXAS_H

#include "decode/assemble.h"

/* All passes in their order: the assemble_fn of lowering. */
void ptxas_assemble(const struct assembling *a);

/* --- The passes, one file each -------------------------------------------------------------------- */

/* Contraction: an add or sub of a product becomes a fused multiply-add where the ISA manual lets the assembler do so
 * (neither names a rounding mode) and ptxas does. The multiplications stay: each still counts as an instruction. */
assemble_fn contract_products;
/* By instruction: does straight code end behind it for the assembler, which has made several blocks of it? And the function's
 * blocks with such instructions at their ends only, without post-dominators. */
bool *stretches_end(const struct assembling *a);
struct flow *stretches_part(const struct assembling *a, const bool *ends);
/* Single instructions with constant or equal operands, where the machine would have computed something else. */
assemble_fn fold_instructions;
/* Approximate divisions by constants, which become multiplications. */
assemble_fn divide_by_constants;
/* f32 approximations and arithmetic of constants alone, also of those in registers: the assembler computes them. */
assemble_fn fold_constants;
/* Constants as operands, where the machine would have computed something else. In modules that optimise, constants in
 * registers count, and the assembler computes further instructions of constants alone. */
assemble_fn place_constants;
/* The order of factors and summands: which of two NaNs comes out of f64 arithmetic depends on it. */
assemble_fn order_operands;

#endif
