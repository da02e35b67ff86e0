/* SPDX-License-Identifier: Apache-2.0
 *
 * Handlers of machine code of sm_75 and later for which PTX has no row: sums with carries, convergence barriers, votes
 * of the lanes that run together. Lowering (sass/lower.h) asks for them by these names; sem/machine_*.c defines them.
 *
 * Rows: R0 and up are rows of 32 x 32 bits in order, so that pairs are neighbours; predicates are masks. Operands are
 * d, a, b, c, or stand in a list at insn.imm: beside each handler in sem/machine_*.c it says which.
 */
#ifndef PTXSIM_ISA_MACHINE_H
#define PTXSIM_ISA_MACHINE_H

#include "isa/isa.h"

/* clang-format off */
#define MACHINE_HANDLERS(X)                                                                            \
	/* Rows */                                                                                     \
	X(all) X(one) X(modify) X(modify_absolute) X(pair) X(part) X(quad) X(unquad) X(logic_pred) X(sign_of_double) X(fchk) X(mufu_circle)                                                \
	/* Integers */                                                                                 \
	X(iadd3) X(iadd3_carry) X(imad) X(imad_wide) X(imad_wide_signed) X(imad_carry) X(lea) X(lea_carry) \
	X(shf) X(isetp) X(least_bytes) X(lop3_pred) X(fsetp) X(dsetp)                                                 \
	/* Predicates */                                                                               \
	X(plop3) X(p2r) X(r2p) X(sign)                                                                 \
	/* Lanes that run together, constant banks */                                                  \
	X(vote) X(shfl) X(match) X(redux) X(elect) X(r2ur) X(differs) X(bank) X(arrive) X(nibbles)                                     \
	/* Control */                                                                                  \
	X(bra) X(bra_div) X(brx) X(ends) X(end) X(bssy) X(bsync) X(warpsync) X(collect) X(disperse) X(leave) X(yield)         \
	X(trap) X(not_known) X(apart) X(system_call)
/* clang-format on */

enum machine_handler {
#define X(name) MACHINE_##name,
	MACHINE_HANDLERS(X)
#undef X
		MACHINE_COUNT
};

/* One entry of a file's table of handlers; a table ends with a meaning of NULL. */
struct machine_entry {
	enum machine_handler handler;
	const struct meaning *meaning;
};

/* Bits of insn.aux of control instructions: the guard's and the second predicate's negation; the loop waits for others; all
 * lanes branch if one does; they branch if all have met, not if some have not. */
enum { MACHINE_NOT_GUARD = 1, MACHINE_SPIN = 2, MACHINE_NOT_SECOND = 4, MACHINE_ANY = 8, MACHINE_MET = 16 };
/* Bits of the first word of the lists of sums: complements of the three sources, what else differs. */
enum {
	MACHINE_NOT_A = 1,
	MACHINE_NOT_B = 2,
	MACHINE_NOT_C = 4,
	MACHINE_SIGNED = 8,
	MACHINE_HIGH = 16,
	MACHINE_WIDE = 32,
	MACHINE_NOT_X = 64,
	MACHINE_NOT_Y = 128
};

/* Addresses of code, without address_map's function_base: where the functions are that the system supplies, behind all code;
 * code->starts has theirs behind that of the body's end. */
enum { MACHINE_SYSTEM_BASE = 0x70000000, MACHINE_SYSTEM_STEP = 16, MACHINE_SYSTEM_FUNCTIONS = 5 };

#endif
