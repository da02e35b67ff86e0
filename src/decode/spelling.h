/* SPDX-License-Identifier: Apache-2.0
 *
 * Spellings: opcodes with their modifiers, as programs write them. A program has thousands of
 * instructions but few spellings, so what follows from the spelling alone - the rows that accept it,
 * their operand words, what they need - is found once for each and kept. Used by matching only.
 */
#ifndef PTXSIM_DECODE_SPELLING_H
#define PTXSIM_DECODE_SPELLING_H

#include "base/arena.h"
#include "ir/ir.h"
#include "isa/isa.h"

/* A row that accepts a spelling. */
struct spelled_row {
	struct form form; /* row, tokens and types */
	struct operand_spec *specs;
	u32 spec_count;
	u32 index;   /* of the row among its opcode's */
	u16 ptx, sm; /* the least that the row with these modifiers needs */
};

struct spelling {
	const char *opcode;
	const char **modifiers; /* texts; like the opcode interned, and compared by address */
	u32 modifier_count;
	u32 hash;
	VEC_OF(struct spelled_row *) rows; /* those found so far, in the table's order */
	bool complete;
	/* Complete: why there is no further row, and the modifier that is at fault. */
	enum isa_match end;
	u32 bad;
};

struct spellings {
	struct arena *arena;
	const struct isa *isa;
	struct spelling **slots; /* hash table; NULL at first */
	u32 slot_count, used;
};

/* The spelling of an instruction with at most FORM_TOKENS modifiers. */
struct spelling *spelling_of(struct spellings *all, const struct ir_instruction *x);
/* Its row number n, or NULL if there are not so many. */
const struct spelled_row *spelling_row(struct spellings *all, struct spelling *s, u32 n);

#endif
