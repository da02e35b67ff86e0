/* SPDX-License-Identifier: Apache-2.0
 *
 * What the scanner of listings, its grammar and its actions share; nobody else includes this. An
 * instruction is built in `instruction`, its operands on a stack beside it.
 */
#ifndef PTXSIM_GRAMMAR_SASS_READER_H
#define PTXSIM_GRAMMAR_SASS_READER_H

#include <setjmp.h>
#include <string.h>

#include "grammar/read.h"

/* The value of every token and rule. */
struct sass_token {
	const char *text; /* interned name; word without its dot; number as written */
	u64 bits;
};

struct sass_reader {
	struct arena *arena;
	struct strings *strings;
	struct diags *diags;
	struct ir_module *module;
	const struct source *source;
	u32 offset;          /* the scanner's place */
	u32 bad_end;         /* of the characters told last that no token has */
	struct span comment; /* the comment being read */
	jmp_buf escape;      /* for sass_abort */

	struct ir_function *function; /* being read, or NULL */
	struct ir_instruction instruction;
	VEC_OF(struct ir_modifier) modifiers;
	VEC_OF(struct ir_operand) operands;
	struct ir_operand base; /* of the place in brackets read last, and whether there is one */
	bool has_base;
	s64 place;
	u32 bank, bank_offset; /* where the next number of a .bank directive goes */
	u32 next_address;      /* after the instruction read last */
	bool told_outside;     /* that something stands before the first function */
	bool lost_function;    /* instructions do, and that is not told yet */
};

/* sass.l */
int sass_parse(struct sass_reader *r, char *text, size_t length);

/* sass_read.c: complaints, functions, directives. */
void sass_abort(struct sass_reader *r, const char *message) __attribute__((noreturn));
void sass_launch_line(struct sass_reader *r, struct span at, const char *text, size_t length);
void sass_open_comment(struct sass_reader *r);
bool sass_bad_character(struct sass_reader *r, struct span at);
void sass_bad_number(struct sass_reader *r, struct span at, const char *text);
bool sass_is_full(const struct sass_reader *r);
void sass_too_deep(struct sass_reader *r, struct span at);
void sass_unexpected(struct sass_reader *r, struct span at, const char *const *expected, u32 count);
void sass_lost(struct sass_reader *r);
void sass_address(struct sass_reader *r, struct sass_token *t, const char *digits);
void sass_integer(struct sass_reader *r, struct sass_token *t, struct span at, const char *digits, u32 base);
/* False and told: code of another machine follows. */
bool sass_code_for(struct sass_reader *r, const char *text, struct span at);
void sass_function(struct sass_reader *r, const char *name, struct span at);
void sass_label(struct sass_reader *r, const char *name, struct span at);
void sass_directive(struct sass_reader *r, const char *name, u64 value, struct span at);
void sass_param(struct sass_reader *r, const char *directive, const char *type, const char *name, struct span at,
		struct span type_at);
void sass_bank(struct sass_reader *r, const char *directive, u64 bank, u64 offset, struct span at);
void sass_bank_number(struct sass_reader *r, u64 value, struct span at);

/* sass_operand.c: instructions. */
void sass_begin(struct sass_reader *r, bool has_address, u64 address, struct span at);
void sass_guard(struct sass_reader *r, const char *name, bool negated, struct span at);
void sass_opcode(struct sass_reader *r, const char *name, struct span at);
void sass_modifier(struct sass_reader *r, const char *word, struct span at);
void sass_statement(struct sass_reader *r, struct span at);
void sass_sign(struct sass_reader *r, char sign, struct span at);
void sass_name(struct sass_reader *r, const char *name, struct span at);
void sass_suffix(struct sass_reader *r, const char *word, struct span at);
void sass_integer_operand(struct sass_reader *r, u64 value, struct span at);
void sass_real_operand(struct sass_reader *r, const char *text, struct span at);
void sass_place(struct sass_reader *r, const char *base, u64 offset, struct span at);
void sass_memory(struct sass_reader *r, struct span at);
void sass_constant(struct sass_reader *r, const char *name, u64 bank, struct span at, struct span name_at);
void sass_target(struct sass_reader *r, const char *label, struct span at);
/* Names that operands of the function use and nothing defines. */
void sass_settle(struct sass_reader *r);

#endif
