/* SPDX-License-Identifier: Apache-2.0
 *
 * Which parts of a kernel run natively, and what keeps others from it: for people.
 */
#ifndef PTXSIM_NATIVE_EXPLAIN_H
#define PTXSIM_NATIVE_EXPLAIN_H

#include <stddef.h>

#include "decode/program.h"

struct explained_region {
	u32 first, end;     /* instructions of the code */
	u32 size, blocks;   /* instructions that count, and basic blocks */
	size_t bytes;       /* of host code; 0: refused, */
	const char *reason; /* for this; else NULL */
	u32 handlers;       /* instructions that call the interpreter's handler; `handlers_of` has some of them */
	const u32 *handlers_of;
	u32 handlers_listed;
};

/* Who hears of it; in the order of instructions. */
struct explanation {
	void *context;
	void (*region)(void *context, const struct explained_region *r);
	/* An instruction at which regions end, and why. */
	void (*wall)(void *context, u32 insn, const char *reason);
};

/* Compiles all regions of the code as `auto` would, and tells. False and a message: native code cannot be made here, or not of
 * this code. */
bool native_explain(const struct isa *isa, const struct code *code, const struct explanation *to, char *message,
		    size_t size);

#endif
