/* SPDX-License-Identifier: Apache-2.0
 *
 * What a cubin that was compiled with -G says of variables. Its debug sections are those of the PTX, assembled, and name
 * registers of PTX; .nv_debug_info_reg_sass says in which registers of the machine each of these is, from where to where:
 *
 *      function's name, 0; how many places follow: 32 bits
 *      each: which word of the register, lowest first: 32 bits; its name, 0; the machine's register: 24 bits of number
 *            and 8 of file; the first instruction at which it is there, and the first at which it no longer is: 32 bits each,
 *            bytes from the function's start
 */
#ifndef PTXSIM_SASS_VARIABLES_H
#define PTXSIM_SASS_VARIABLES_H

#include "dwarf/dwarf.h"
#include "ir/ir.h"

/* The debug sections of the cubin that the kernel is of, for dwarf_read_machine. */
void sass_debug_sections(struct arena *a, const struct ir_function *kernel, struct dwarf_machine *to);

enum { SASS_WORDS = 4 };
/* The registers (effects.h's SASS_INDEX) that hold a register of PTX, by words of 32 bits, when the instruction at an index
 * of the kernel's body is about to run. Returns how many; 0: it is not kept there. */
u32 sass_registers_of(const struct ir_function *kernel, u32 index, const char *name, u16 registers[SASS_WORDS]);
/* The SASS_INDEX of a register by its number in .debug_frame; 0xffff: it is none of the machine's. */
u16 sass_frame_register(u64 number);

#endif
