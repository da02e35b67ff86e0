/* SPDX-License-Identifier: Apache-2.0
 *
 * Which bits of registers are defined, as instructions compute with them: what an undefined operand makes undefined. A
 * frame's rows have a shadow of the same layout, with a bit set for each that is undefined, and of each row an origin.
 * Logic, shifts, bit fields and permutations are exact; sums and products are undefined from their lowest undefined bit
 * up; all else is undefined as a whole, of packed types element by element. What an undefined value has been added to is known,
 * so that it may be subtracted again. A part of the check of unwritten values.
 */
#ifndef PTXSIM_OBSERVE_DEFINED_H
#define PTXSIM_OBSERVE_DEFINED_H

#include "observe/check_findings.h"
#include "observe/defined_rows.h"

enum { DEFINED_OPERANDS = 48 };

/* How an instruction's results depend on its operands. */
enum defined_rule {
	DEFINED_ANY,    /* undefined wherever an operand is */
	DEFINED_RESULT, /* never undefined */
	DEFINED_COPY,
	DEFINED_VECTOR, /* mov that packs or takes apart */
	DEFINED_AND,
	DEFINED_OR,
	DEFINED_BITS,  /* bit by bit */
	DEFINED_TABLE, /* lop3 */
	DEFINED_SHIFT_LEFT,
	DEFINED_SHIFT_RIGHT,
	DEFINED_FIELD,  /* bfe */
	DEFINED_INSERT, /* bfi */
	DEFINED_PERMUTE,
	DEFINED_SELECT,
	DEFINED_FUNNEL, /* shf */
	DEFINED_EXTEND, /* szext */
	DEFINED_SUM,
	DEFINED_CONVERT,
	DEFINED_EQUAL,    /* setp.eq, setp.ne */
	DEFINED_ORDER,    /* setp of other comparisons of integers */
	DEFINED_ELEMENTS, /* of packed types: each by itself, f16x2 */
	DEFINED_PACK,     /* one source for each element of the result, the first one for the highest */
	DEFINED_SHUFFLE,
	DEFINED_ACROSS,  /* any lane's operands count for all */
	DEFINED_PRODUCT, /* of matrices, element by element */
	DEFINED_LOAD,    /* the observer's: what memory knows */
	DEFINED_STORE,
	DEFINED_ATOMIC,
	DEFINED_MACHINE, /* a handler of machine code: defined_machine.h */
	DEFINED_GUARD,   /* of an insn of machine code that follows */
};

struct machine_rule;

struct defined_insn {
	bool known; /* the rest has been found out */
	bool own;   /* it is the instruction of the text, not what lowering put before it */
	u8 rule;
	u8 count;
	bool is_signed, modes; /* of right shifts, fields, conversions; a permutation with a mode */
	bool negated;          /* a selection's predicate */
	u8 elements;           /* of a packed type */
	bool is_surface;
	u8 from_bits, to_bits; /* of a conversion's types */
	bool computes;         /* arithmetic, for --strict-unwritten */
	s8 second;             /* of a sum of two: 1: added, -1: subtracted; else 0 */
	u8 table;              /* of lop3; of a comparison: 1 less, 2 equal, 4 greater; of a shift: 1 left, 2 wraps */
	u32 guard;             /* NO_OPERAND: none that is looked at here */
	u32 selects;           /* machine code: a guard that only says whether the results are written, or NO_OPERAND */
	bool off;              /* of both: negated */
	const struct machine_rule *machine;
	struct defined_operand *operands;
};

/* What is known of decoded instruction `insn`. */
void defined_describe(struct defined_insn *d, struct arena *arena, const struct code *code, u32 insn);

/* The value of a lane's operand; that nothing is undefined in its sources; results become defined. */
u64 defined_value(const u8 *rows, const struct defined_operand *o, u32 lane);
bool defined_sources_are_clean(const struct defined_insn *d, const struct frame *f);
void defined_clear_results(const struct defined_insn *d, const struct frame *f, u32 mask);

/* Undefined bits of a sum of 64 bits, whose operands have these. */
static inline u64 defined_sum(u64 a, u64 undefined_a, u64 b, u64 undefined_b, u64 carry)
{
	const u64 least = (a & ~undefined_a) + (b & ~undefined_b) + carry,
		  most = (a | undefined_a) + (b | undefined_b) + carry;

	return undefined_a | undefined_b | (least ^ most);
}

/* Carries the instruction out for what is undefined; rules of memory are the caller's. */
void defined_step(const struct defined_insn *d, struct warp *w, const struct insn *i, const u8 *rows, u32 mask,
		  u32 site);

#endif
