/* SPDX-License-Identifier: Apache-2.0
 *
 * Where lowering hands a function's matched instructions to the assembler's habits (src/ptxas): after control flow is
 * known and before rows are planned. Lowering itself knows none of them; without an assembler the text runs as written.
 */
#ifndef PTXSIM_DECODE_ASSEMBLE_H
#define PTXSIM_DECODE_ASSEMBLE_H

#include "decode/flow.h"
#include "decode/match.h"

/* A function on its way through the assembler. Its passes rewrite `matched` in place. */
struct assembling {
	struct rewriting rewriting; /* new forms' parts come from its `kept` */
	const struct ir_function *function;
	const struct flow *flow;
	struct matched *matched; /* one for each statement of the function's body */
	bool optimises;          /* the module is not one for debugging */
};

typedef void assemble_fn(const struct assembling *a);

#endif
