/* SPDX-License-Identifier: Apache-2.0
 *
 * What rows the handlers of machine code (isa/machine.h) read and write, for those that look at instructions before they run: native
 * code, and the check for undefined values.
 */
#ifndef PTXSIM_DECODE_MACHINE_OPERANDS_H
#define PTXSIM_DECODE_MACHINE_OPERANDS_H

#include "decode/program.h"
#include "isa/machine.h"

enum machine_role {
	MACHINE_SOURCE,
	MACHINE_RESULT,
	MACHINE_BASE,   /* of an address */
	MACHINE_BRANCH, /* a branch goes by it */
	MACHINE_TEXEL   /* goes to a surface */
};

/* Where an operand stands: in d, a, b, c of the insn, or from MACHINE_IN_LIST on in its list. */
enum { MACHINE_IN_D, MACHINE_IN_A, MACHINE_IN_B, MACHINE_IN_C, MACHINE_IN_LIST };
enum { MACHINE_PREDICATES = 7, MACHINE_ROW_BYTES = WARP_LANES * 4 };

struct machine_operand {
	u8 role, place;
	u8 bits;     /* 1, 32, 64, 128 */
	u8 rows;     /* neighbours, from the first on: predicates */
	bool kept;   /* a result that is read, too */
	bool behind; /* it is the row behind the one at that place */
	u32 row;     /* the first's offset in the frame */
};

struct machine_operands {
	const char *text;
	u8 words; /* of its list, rows among them; 0: it has none */
	/* For each lane it does what follows from that lane's rows alone, all of which are named; or from those of the lanes that run,
	 * too. Neither: more is to be known of it. */
	bool by_lane, by_mask;
};

/* NULL: nothing is known of the handler. */
const struct machine_operands *machine_operands(u32 handler);

/* The operand that the text names next, of insn i; moves *text on. False: there is none. */
bool machine_operand_next(const char **text, const struct insn *i, const u32 *list, struct machine_operand *to);

#endif
