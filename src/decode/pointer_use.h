/* SPDX-License-Identifier: Apache-2.0
 *
 * Which global memory the instructions of a kernel access, by the pointers that their addresses start from: kernel
 * parameters, and the module's variables. With it a launch finds out which accesses can meet in one allocation, and where
 * in the kernel none of them is ahead any more (exec/in_order.h).
 */
#ifndef PTXSIM_DECODE_POINTER_USE_H
#define PTXSIM_DECODE_POINTER_USE_H

#include "decode/flow.h"
#include "decode/match.h"

/* Pointers are numbered, and a set of them is a bit each. ANY stands for what is not known, and for all above the 15th. */
enum { POINTERS_MOST = 15, POINTER_ANY = POINTERS_MOST, POINTER_NONE = 255 };

struct pointer_use {
	struct {
		bool is_variable;
		u64 at; /* a variable's address, or the byte where a parameter of the kernel begins */
	} pointers[POINTERS_MOST];
	u32 count;
	u32 body_count;
	u8 *of; /* by body instruction: the pointer of what it accesses, or NONE: no global memory, or what nobody writes */
	u16 *before; /* by body instruction: what may have been accessed on the way to it */
	u16 *ahead;  /* by body instruction: what it and those behind it may access; none at the body's end */
	bool *loops; /* by body instruction: it is in a loop */
	bool has_loops;
	bool waits;  /* a loop accesses what other blocks change: it may wait for them */
	u16 ordered; /* what is accessed so that the order of blocks shows; */
	u16 written; /* and what is written */
};

/* Of a kernel that calls no function, in which the order of blocks shows by its accesses alone. NULL: of any other.
 * It lies in `kept`. */
const struct pointer_use *pointer_use_find(struct arena *scratch, struct arena *kept, const struct program *program,
					   const struct ir_function *f, const struct flow *flow,
					   const struct matched *matched);

#endif
