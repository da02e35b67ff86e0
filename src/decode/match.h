/* SPDX-License-Identifier: Apache-2.0
 *
 * From an instruction's text to its row and its operands: the step that checks opcode, modifiers,
 * operand kinds and types against the table. Used by lowering only.
 */
#ifndef PTXSIM_DECODE_MATCH_H
#define PTXSIM_DECODE_MATCH_H

#include "decode/program.h"
#include "decode/spelling.h"

enum use_kind {
	USE_ABSENT,        /* optional operand left out, or '_' */
	USE_REGISTER,      /* slot `reg` of the function's registers; with a `step`, array[register]: see below */
	USE_CONSTANT,      /* low, high */
	USE_SREG,          /* special register that is fixed for the warp */
	USE_SREG_READ,     /* special register that changes: read just before */
	USE_LOCAL,         /* address of a local variable: low + the frame's local base */
	USE_OFFSET,        /* the byte offset after an address's base, in lists only */
	USE_IMMEDIATE,     /* an immediate-only operand, in lists only */
	USE_PARAM_ADDRESS, /* base of a constant ISA_PARAM address: no row */
};

struct use {
	enum use_kind kind;
	bool read, written, negated;
	bool frame_relative; /* with a step: `low` is relative to the frame's local base */
	u8 bits;             /* of the row: 1, 32, 64, 128 */
	u8 type_bits;        /* of the register as declared */
	u32 reg;
	u64 low, high;
	u64 step;      /* of an address: low + register * step, cut to the register's width */
	u8 index_bits; /* with a step: of the register; `bits` are the address's */
	u16 sreg;
	u8 element;
	struct span span;
};

struct matched {
	struct form form;
	struct use *uses; /* flattened in text order; addresses as base + USE_OFFSET */
	u32 use_count;
	u32 address_count;
	bool has_list_shape; /* vectors or a second destination */
	bool ok;
};

/* Is the variable a parameter of a kernel, in the .param space proper? All other .param variables are a
 * function's parameters and results or a caller's arguments, and live in local memory. */
static inline bool variable_is_kernel_param(const struct ir_variable *v)
{
	return v->space == SPACE_PARAM && v->owner && v->owner->is_entry && v->index < v->owner->params.count &&
	       v->owner->params.items[v->index] == v;
}
/* What the last parameter of a function with a variable number of arguments may take: it has no size. */
enum { UNSIZED_BYTES = 4096 };
static inline bool variable_is_of_frame(const struct ir_variable *v)
{
	return v->space == SPACE_LOCAL || (v->space == SPACE_PARAM && !variable_is_kernel_param(v));
}

struct matcher {
	struct arena *arena; /* while lowering */
	struct arena *kept;  /* as long as the program */
	struct spellings *spellings;
	const struct isa *isa;
	struct diags *diags;
	const struct program *program;
	const struct ir_function *function;
	u32 arch;
	/* Address of a variable in its space (global, const: generic address); local variables and function
	 * parameters: offset from the frame's local base. */
	u64 (*address_of)(void *context, const struct ir_variable *variable);
	u64 (*function_address)(void *context, const struct ir_function *function);
	void *context;
	bool allow_unmodelled;
};

/* Matches `x`; on failure an error was added and `ok` is false. */
void match_instruction(struct matcher *m, const struct ir_instruction *x, struct matched *result);

/* Is it that opcode, with whatever modifiers? */
static inline bool matched_is(const struct matched *m, enum opcode opcode) { return m->form.opcode == opcode; }

/* A register by itself, not a step of a wider one. */
static inline bool use_is_register(const struct use *u) { return u->kind == USE_REGISTER && !u->step; }
/* How often each register is written in the function, by its number; lies in `arena`. *slots: one more than the
 * greatest number used. */
u32 *matched_definitions(const struct matched *matched, u32 count, struct arena *arena, u32 *slots);

/* What rewrites matched instructions the way the assembler does. */
struct rewriting {
	const struct isa *isa;
	u32 arch;
	struct arena *arena; /* while lowering */
	struct arena *kept;  /* as long as the program */
};
/* Gives the instruction another form, `texts` its modifiers, and `count` other operands. False, and nothing is
 * changed, if there is no such form. */
bool matched_become(const struct rewriting *r, struct matched *m, enum opcode opcode, const char **texts,
		    u32 text_count, struct use *uses, u32 count);

#endif
