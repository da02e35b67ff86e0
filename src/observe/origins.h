/* SPDX-License-Identifier: Apache-2.0
 *
 * Which object a register's address comes from, as far as the text tells: a variable that an instruction names, or a
 * parameter of the kernel. A sum of an object's address and a number, or of what memory or another thread gave, is the
 * object's still; where two objects meet, or addresses are computed with in other ways, none is known.
 *
 * Found without regard to the order of instructions: all that write a register count. Calls give and take nothing that is
 * followed.
 */
#ifndef PTXSIM_OBSERVE_ORIGINS_H
#define PTXSIM_OBSERVE_ORIGINS_H

#include "decode/program.h"

enum origin_kind {
	ORIGIN_NONE,   /* nothing has been written there, or not yet */
	ORIGIN_ZERO,   /* a null pointer, or the number */
	ORIGIN_NUMBER, /* of constants, parameters that are no addresses, and special registers */
	ORIGIN_DATA, /* what memory, another lane or a function gave: a number, or a pointer whose object is not known */
	ORIGIN_OBJECT,
	ORIGIN_MANY,
};

/* Into a variable of local memory, which has several of the source: */
enum { ORIGIN_BEGIN = -1, ORIGIN_ANYWHERE = -2 };

struct origin {
	enum origin_kind kind;
	const struct ir_variable *object; /* a variable, or a parameter and */
	/* bytes into it. Of local memory what was added to its address first, if that is a number; or ORIGIN_BEGIN: nothing yet,
	 * or ORIGIN_ANYWHERE */
	s64 offset;
};

/* By register of the function. Lives as long as the arena. */
const struct origin *origins_find(struct arena *arena, const struct code *code);
/* Of an address operand. */
struct origin origins_address(const struct origin *registers, const struct ir_operand *address);

#endif
