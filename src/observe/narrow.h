/* SPDX-License-Identifier: Apache-2.0
 *
 * What the assembler leaves of a load of a vector: from constant memory it loads element by element, and what nothing
 * reads it does not load, unless that would take more instructions (ptxas 13.0 for sm_90). A load of which nothing is
 * read is taken as written, though the assembler drops it. A part of the accounting observer.
 */
#ifndef PTXSIM_OBSERVE_NARROW_H
#define PTXSIM_OBSERVE_NARROW_H

#include "decode/program.h"

enum { NARROW_PARTS = 4 };

struct narrow {
	u32 count;
	struct {
		u8 offset, bytes; /* within a lane's vector */
	} part[NARROW_PARTS];
};

/* By register index: whether an instruction of the function reads it. */
const bool *narrow_reads(struct arena *arena, const struct code *code);

/* Fills *n; false if body instruction `origin`, a load from `space`, is one of the machine, as wide. */
bool narrow_load(struct narrow *n, const struct code *code, u32 origin, enum ir_space space, const bool *reads);

#endif
