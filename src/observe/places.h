/* SPDX-License-Identifier: Apache-2.0
 *
 * Where an instruction stands: its line of PTX, and the .loc above it, which ir/locate.h reads.
 */
#ifndef PTXSIM_OBSERVE_PLACES_H
#define PTXSIM_OBSERVE_PLACES_H

#include "decode/program.h"
#include "ir/locate.h"

struct place_of {
	const char *file, *text; /* of the PTX; the instruction's text has `length` bytes */
	u32 line, length;
	const struct ir_module *module;
	const struct ir_loc *loc; /* or NULL */
	const char *loc_file;     /* or NULL */
	u32 loc_line;             /* 0: none */
};

/* insn: index into the function's body. */
struct place_of place_find(const struct code *code, u32 insn);

/* Names of inlined functions, each looked up once. */
struct place_names;
struct place_names *place_names_new(struct arena *arena);
/* The function that the code under `loc` was inlined from, as the compiler mangled it; NULL if it
 * was not inlined, or has no name. */
const char *place_function(struct place_names *names, const struct ir_module *m, const struct ir_loc *loc);

#endif
