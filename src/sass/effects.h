/* SPDX-License-Identifier: Apache-2.0
 *
 * Which registers an instruction of machine code reads and writes, how many, and as what type: for the debugger, which shows
 * registers with the types that instructions give them, and for the check of control bits. Found from the row's operands;
 * nothing here says what an instruction computes.
 */
#ifndef PTXSIM_SASS_EFFECTS_H
#define PTXSIM_SASS_EFFECTS_H

#include "sass/instruction.h"

/* The files of registers, and where each file's first register is among all: an index names a register. */
enum sass_file { SASS_FILE_R, SASS_FILE_UR, SASS_FILE_P, SASS_FILE_UP, SASS_FILE_B, SASS_FILE_COUNT };
enum {
	SASS_INDEX_R = 0,    /* R0 to R254; 255 RZ */
	SASS_INDEX_UR = 256, /* UR0 on */
	SASS_INDEX_P = 512,  /* P0 to P6 */
	SASS_INDEX_UP = 520, /* UP0 to UP6 */
	SASS_INDEX_B = 528,  /* B0 to B15 */
	SASS_INDEX_COUNT = 544
};

struct sass_effect {
	u16 first, count; /* SASS_INDEX_R + 4, 2: R4 and R5 */
	bool written;     /* else read; what is both stands twice */
	bool is_address;  /* read as one */
	u16 type; /* of each value: a token, T_f64 of two registers; TOKEN_NONE: the instruction gives it none */
};

enum { SASS_EFFECTS = 28 };
struct sass_effects {
	u32 count;
	struct sass_effect items[SASS_EFFECTS];
};

/* Reads first, the guard among them. RZ, URZ, PT and UPT are left out. */
void sass_effects_of(const struct sass_decoder *d, const struct sass_insn *i, struct sass_effects *to);

#endif
