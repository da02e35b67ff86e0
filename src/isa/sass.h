/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows of the SASS table: instructions of the machine itself, as disassemblers print them. They
 * are isa_rows with a language of operands of their own; `sm` and `last` say which machines
 * have them. Matched by decode/sass_match.c; meanings stand beside the rows in src/sem/sass_*.c.
 *
 * operands: words in the order of the text, separated by blanks. Each is [?][-][+][|][~]KIND[COUNT]
 *   ?  may be left out, with everything after it
 *   -  | ~  the source may have this sign; + a minus that is the complement, and one carried in
 *   D  a register that is written; with SASS_CC it may carry .CC
 *   P  a predicate that is written
 *   R  a register that is read; S a register, a word of a constant bank or an immediate of 20 bits
 *   I  an immediate of 32 bits; N a small number from 0 to 31
 *   p  a predicate that is read; ! may stand before it
 *   A  an address [register + offset]; C a place in a constant bank c[bank][register + offset]
 *   L  the address of an instruction, or a label
 *   X  a special register; Q a condition of the condition code, CC.EQ; M all predicates, PR
 *   COUNT: 2 and 4 are aligned pairs and quads; w as many as the form's .64 or .128 says
 */
#ifndef PTXSIM_ISA_SASS_H
#define PTXSIM_ISA_SASS_H

#include "isa/isa.h"

enum sass_flag {
	SASS_FLOAT = 1 << 30,   /* immediates are the upper bits of an f32; of an f64 for pairs */
	SASS_CC = 1 << 23,      /* the destination may carry .CC */
	SASS_SELECT = 1 << 24,  /* sources may be parts of registers: .B0 to .B3, .H0, .H1. form->selects has
				* five bits for each source: how far its part is from the right */
	SASS_CONTROL = 1 << 25, /* takes its guard itself, may take a condition, and moves lanes */
	SASS_SHARED = 1 << 26,  /* the state space of the address; none of these: generic */
	SASS_LOCAL = 1 << 27,
	SASS_GLOBAL = 1 << 28,
	SASS_LOCK = 1 << 29, /* takes or gives back locks of shared words */
};

/* How an instruction that is no branch finds its operands: insn.d, a, b, c are the rows of the
 * first register written and of the registers read in order, absent ones a row of zeros or a sink,
 * pairs and quads the first of neighbouring rows; the list at insn.imm (with an address, insn.b,
 * for insn.imm is the offset) has what follows.
 * SASS_CONTROL: a is the row of the guard, negated by aux bit 0; b that of the first register read;
 * imm how far the target is, or the offset of an address, or else the list, with negations in aux
 * bits 2 to 4; c the meaning's word; d the first register or predicate written, or for indirect
 * branches the address of the next instruction. */
/* clang-format off */
enum sass_place {
	SASS_WORD,              /* meaning->word: variants and codes of the form */
	SASS_P, SASS_Q,         /* predicates written, or a sink */
	SASS_S, SASS_S2, SASS_S3, /* predicates read, or one that is true; negated by insn.aux bits 0, 1, 2 */
	SASS_CARRY,             /* predicate row of what is carried in */
	SASS_B, SASS_C,         /* with an address: rows of the sources */
	SASS_PLACES
};
/* clang-format on */

/* Places of a SASS frame's first rows, in bytes. */
enum sass_frame {
	SASS_FRAME_PREDICATES = 0, /* P0 to P6, 4 bytes each */
	SASS_FRAME_CF = 32,        /* the condition code: carry, zero, sign, overflow */
	SASS_FRAME_ZF = 36,
	SASS_FRAME_SF = 40,
	SASS_FRAME_OF = 44,
	SASS_FRAME_REGISTERS = 64, /* R0 and so on, 128 bytes each */
};

/* CC.LT and so on: what a condition asks of the condition code. */
enum sass_condition {
/* clang-format off */
#define SASS_CONDITIONS(X)                                                                             \
	X(F) X(LT) X(EQ) X(LE) X(GT) X(NE) X(GE) X(NUM) X(NAN) X(LTU) X(EQU) X(LEU) X(GTU) X(NEU)      \
	X(GEU) X(T) X(OFF) X(LO) X(SFF) X(LS) X(HI) X(SFT) X(HS) X(OFT)
#define X(name) SASS_CC_##name,
	SASS_CONDITIONS(X)
#undef X
	SASS_CC_COUNT
};
/* SASS_CC_COUNT if there is none of that name. */
enum sass_condition sass_condition_find(const char *name);
/* clang-format on */

/* Whether a row is of the machine's own instructions: their opcodes are in capitals. */
static inline bool sass_is_row(const struct isa_row *row) { return row->form[0] >= 'A' && row->form[0] <= 'Z'; }

struct sass_spec {
	char kind;
	u8 registers; /* 1, 2, 4 */
	bool optional, minus, borrow, absolute, inverted;
};

/* The operand words of a matched form's row; returns how many (at most FORM_OPERANDS). */
u32 sass_specs(const struct form *form, struct sass_spec specs[FORM_OPERANDS]);

static inline bool form_has_word(const struct form *f, const char *word)
{
	for (u32 k = 0; k < f->word_count; k++)
		if (!__builtin_strcmp(f->words[k], word))
			return true;
	return false;
}

/* Bytes that a lane moves in memory: .U8 to .128, 4 if none is given. */
u32 sass_width(const struct form *form);

/* What a special register's name (SR_Tid_X, SR_TID.X) stands for: a PTX name, or NULL. */
const char *sass_sreg(const char *name);

#endif
