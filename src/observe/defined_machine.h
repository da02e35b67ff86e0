/* SPDX-License-Identifier: Apache-2.0
 *
 * Undefined bits through machine code: what its own handlers (isa/machine.h) make of them, and what a guard leaves. Rows of PTX
 * that it became follow the rules of PTX (observe/defined.h). Sums, products and comparisons are exact as far as the least and
 * the greatest value that their operands may have tell: a carry is undefined only if these two differ in it.
 *
 *      IADD3 R4, P0, R2, R8, RZ     iadd3_carry    R4: bits that an undefined one reaches; P0: 0 for the least, 1 for the greatest?
 *      @P1 LDG R6, [R4]             guard, ld      P1 undefined: so is R6, whether it was loaded or not
 */
#ifndef PTXSIM_OBSERVE_DEFINED_MACHINE_H
#define PTXSIM_OBSERVE_DEFINED_MACHINE_H

#include "observe/defined.h"

/* A guard before the insn: it decides, or it selects between what was there and what the insn gives. */
void defined_machine_guard(struct defined_insn *d, const struct code *code, u32 insn);
/* Of a handler, or of a guard itself. */
void defined_machine_describe(struct defined_insn *d, struct arena *arena, const struct code *code, u32 insn);
void defined_machine_step(const struct defined_insn *d, const struct warp *w, const struct insn *i, const u8 *rows,
			  u32 mask, u32 site);
/* What an undefined guard leaves in its results: before the guard of those lanes that it turns off, behind the insn of
 * those that it lets through. */
void defined_machine_select(const struct defined_insn *d, const struct frame *f, const u8 *rows, u32 mask);

#endif
