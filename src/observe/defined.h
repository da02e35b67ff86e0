/* SPDX-License-Identifier: Apache-2.0
 *
 * Which bits of registers are defined, as instructions compute with them: what an undefined operand makes undefined. A
 * frame's rows have a shadow of the same layout, with a bit set for each that is undefined, and of each row an origin.
 * Logic, shifts, bit fields and permutations are exact; sums and products are undefined from their lowest undefined bit
 * up; all else is undefined as a whole, of packed types element by element. A part of the check of unwritten values.
 */
#ifndef PTXSIM_OBSERVE_DEFINED_H
#define PTXSIM_OBSERVE_DEFINED_H

#include "observe/check_findings.h"

enum { DEFINED_OPERANDS = 48 };
/* Of an origin: it has been computed with, not only copied. NO_SITE has it, too. */
enum { DEFINED_COMPUTED = 1u << 31 };

/* How an instruction's results depend on its operands. */
enum defined_rule {
	DEFINED_ANY,    /* undefined wherever an operand is */
	DEFINED_RESULT, /* never undefined */
	DEFINED_COPY,
	DEFINED_VECTOR, /* mov that packs or takes apart */
	DEFINED_AND,
	DEFINED_OR,
	DEFINED_BITS, /* bit by bit */
	DEFINED_SHIFT_LEFT,
	DEFINED_SHIFT_RIGHT,
	DEFINED_FIELD,  /* bfe */
	DEFINED_INSERT, /* bfi */
	DEFINED_PERMUTE,
	DEFINED_SELECT,
	DEFINED_SUM,
	DEFINED_CONVERT,
	DEFINED_EQUAL,    /* setp.eq, setp.ne */
	DEFINED_ELEMENTS, /* of packed types: each by itself, f16x2 */
	DEFINED_PACK,     /* one source for each element of the result, the first one for the highest */
	DEFINED_SHUFFLE,
	DEFINED_ACROSS, /* any lane's operands count for all */
	DEFINED_LOAD,   /* the observer's: what memory knows */
	DEFINED_STORE,
	DEFINED_ATOMIC,
};

struct defined_operand {
	u32 row; /* NO_OPERAND: none */
	u8 bits; /* of the register: 1 to 128 */
	/* BASE: of an address; TEXEL: of what goes to a surface. */
	enum { DEFINED_SOURCE, DEFINED_RESULT_OF, DEFINED_BASE, DEFINED_TEXEL } role;
};

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
	u32 guard;             /* NO_OPERAND: none that is looked at here */
	struct defined_operand *operands;
};

/* What is known of decoded instruction `insn`. */
void defined_describe(struct defined_insn *d, struct arena *arena, const struct code *code, u32 insn);

/* The shadow of a frame, made and cleared when it is asked for first. */
u8 *defined_rows(struct arena *arena, struct frame *f);
/* A call or a block begins in it. */
void defined_enter(struct frame *f);
u32 *defined_origin(const struct frame *f, u32 row);
/* Undefined bits of a row for a lane, up to 64 of them; of a predicate one bit. */
u64 defined_get(const struct frame *f, const struct defined_operand *o, u32 lane);
void defined_put(const struct frame *f, const struct defined_operand *o, u32 lane, u64 mask, u32 origin);
/* Lanes of `mask` in which any bit is undefined. */
u32 defined_lanes(const struct frame *f, const struct defined_operand *o, u32 mask);
void defined_clear(const struct frame *f, const struct defined_operand *o, u32 lanes);

/* Carries the instruction out for what is undefined; rules of memory are the caller's. */
void defined_step(const struct defined_insn *d, struct warp *w, const struct insn *i, const u8 *rows, u32 mask,
		  u32 site);

#endif
