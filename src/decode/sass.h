/* SPDX-License-Identifier: Apache-2.0
 *
 * Lowering of listings: matching of one instruction (sass_match.c), emission of a function
 * (sass_emit.c). Private to decode.
 */
#ifndef PTXSIM_DECODE_SASS_H
#define PTXSIM_DECODE_SASS_H

#include "decode/lowering.h"
#include "isa/sass.h"

enum sass_value_kind { SASS_ABSENT, SASS_REGISTER, SASS_IMMEDIATE, SASS_BANK };

/* A register, constant or immediate; a predicate is a register. */
struct sass_value {
	enum sass_value_kind kind;
	u8 registers; /* 32-bit words of it */
	bool minus, absolute, inverted, negated;
	bool borrow; /* the minus is a complement, and one more is carried in */
	bool is_float;
	u32 reg;  /* SASS_REGISTER: ir_register.index */
	u64 bits; /* SASS_IMMEDIATE */
	u32 bank, offset;
};

struct sass_matched {
	struct form form;
	struct sass_value d, p[2];    /* written */
	struct sass_value a[3], s[3]; /* registers, predicates read, in order */
	struct sass_value base;       /* of the address */
	s32 offset;
	u32 bank; /* of an address in a constant bank */
	bool has_address, wide;
	bool has_target;
	u32 target; /* instruction of the body */
	enum sass_condition condition;
	u16 sreg;
	u8 element;
	u32 fixed;        /* a special register that is a number: sreg is SREG_NONE */
	u8 reads, writes; /* 32-bit registers of a lane */
	bool ok;
};

/* Matches body instruction `index`; on failure an error was added and `ok` is false. */
void sass_match(struct lowering *low, const struct ir_function *f, u32 index, struct sass_matched *m);

struct code *sass_emit_function(struct lowering *low, struct ir_function *f);

#endif
