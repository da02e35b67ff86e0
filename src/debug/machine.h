/* SPDX-License-Identifier: Apache-2.0
 *
 * Where variables of the source are in machine code, whose debug sections speak of the registers of the PTX.
 */
#ifndef PTXSIM_DEBUG_MACHINE_H
#define PTXSIM_DEBUG_MACHINE_H

#include "debug/term.h"
#include "sass/variables.h"

/* The number by which debug sections count instructions: an index, of machine code an address. */
u32 machine_place(const struct ir_function *f, u32 instruction);
/* The kernel's first instruction: functions that it calls may stand before it. */
u32 machine_entry(const struct ir_function *f);

/* Of a location that names a register of PTX: the registers that hold its words at the frame's place. 0: none. */
u32 machine_words(const struct debug_frame *f, const char *name, u16 registers[SASS_WORDS]);
/* Such a register, or the pair that it begins; false: there is no such one. */
bool machine_register(struct debug *d, const struct debug_frame *f, u16 index, bool pair, struct debug_register *r);
/* What DWARF_AT_FRAME counts from, for a lane. False, with a message: the debug sections do not say. */
bool machine_frame(struct debug *d, const struct debug_frame *f, u32 lane, u64 *base);
/* The address in its space of what is not named, such as a parameter in bank 0. False: its memory is not known. */
bool machine_address(const struct debug_frame *f, const struct dwarf_location *l, enum ir_space *space, u64 *address);

#endif
