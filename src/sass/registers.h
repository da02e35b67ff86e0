/* SPDX-License-Identifier: Apache-2.0
 *
 * Registers of machine code as people see them: names, which of them a kernel uses, and of which type the value in each is at
 * an instruction. Machine code declares nothing: the type is what the instructions around say, the one that wrote the
 * register or, where that one only moves bits, the next one that reads it.
 */
#ifndef PTXSIM_SASS_REGISTERS_H
#define PTXSIM_SASS_REGISTERS_H

#include "ir/ir.h"
#include "sass/effects.h"

/* Gives every kernel of the module R0, UR0, P0, UP0, B0 and on; ir_register.index is the SASS_INDEX. */
void sass_name_registers(struct ir_module *m);

enum sass_file sass_file_of(u32 index);

/* The name of a function that the kernel calls, if that function's code begins there; NULL: it does not, or it is the kernel. */
const char *sass_called_at(const struct ir_function *f, u32 index);

/* The instruction that stands at an index of a kernel's body. False: its bits are none of the target's. */
bool sass_instruction_at(const struct ir_function *f, u32 index, struct sass_insn *to);
/* Of that instruction: bits 0-63 and 64-127. */
void sass_bits_at(const struct ir_function *f, u32 index, u64 bits[2]);
/* Its effects; none if it is unknown. */
void sass_effects_at(const struct ir_function *f, u32 index, struct sass_effects *to);

/* Marks the registers that the kernel's instructions name. */
void sass_registers_used(const struct ir_function *f, bool used[SASS_INDEX_COUNT]);

/* The decoder of the kernel's target. */
const struct sass_decoder *sass_decoder_of(const struct ir_function *f);

struct sass_seen {
	u16 type;   /* a token of 1, 32 or 64 bits */
	bool upper; /* the upper half of the pair that the register before begins */
};
/* What the registers hold when the instruction at `index` is about to run. */
void sass_types_at(const struct ir_function *f, u32 index, struct sass_seen seen[SASS_INDEX_COUNT]);

#endif
