/* SPDX-License-Identifier: Apache-2.0
 *
 * What an integer, bit, carry, compare or logic form computes in one lane, spelt out as the manual
 * does: bit by bit, in 128-bit numbers. Shares nothing with number/integer.h.
 */
#ifndef PTXSIM_TESTS_UNIT_INTEGER_ORACLE_H
#define PTXSIM_TESTS_UNIT_INTEGER_ORACLE_H

#include "isa/isa.h"

struct integer_case {
	const struct form *f;
	char opcode[12];
	u64 in[6];  /* sources in the order of the text; predicates 0 or 1, negation done */
	u64 table;  /* lop3's immediate */
	bool carry; /* CC.CF before, then after */
	u64 out[2]; /* results; the second is a predicate */
};

/* False if nothing here computes the form. */
bool integer_oracle(struct integer_case *c);

#endif
