/* SPDX-License-Identifier: Apache-2.0
 *
 * What the PTX scanner, the grammar and its actions share; nobody else includes this. Operands are
 * built on a stack (`terms`): each expression of the grammar leaves exactly one term there, and a
 * list leaves its items, so that no action allocates before the instruction is complete.
 */
#ifndef PTXSIM_GRAMMAR_READER_H
#define PTXSIM_GRAMMAR_READER_H

#include <setjmp.h>

#include "base/lookup.h"
#include "grammar/read.h"

/* The value of every token and rule. */
struct token {
	const char *text; /* interned name; word without its dot; contents of a string */
	u64 bits;         /* number's value, enum value of a keyword, count of a list */
	u8 float_bits;    /* 32 or 64 for a REAL */
	bool is_unsigned;
};

enum tuning {
	TUNE_MAX_THREADS,
	TUNE_REQUIRED_THREADS,
	TUNE_REQUIRED_CLUSTER,
	TUNE_MIN_BLOCKS,
	TUNE_MAX_BLOCKS,
	TUNE_MAX_REGISTERS,
	TUNE_MAX_CLUSTER,
	TUNE_EXPLICIT_CLUSTER,
	TUNE_BLOCKS_ARE_CLUSTERS,
	TUNE_NORETURN,
	TUNE_ABI_PRESERVE,
	TUNE_ABI_PRESERVE_CONTROL
};

/* An operand being built. has_offset: a constant is added to a register or symbol. */
struct term {
	struct ir_operand operand;
	u64 mask;     /* 0xff00(symbol) */
	bool generic; /* generic(symbol) */
	bool has_offset;
};

/* A name used in a scope where it is not declared yet: a label, prototype or target list that may
 * follow, there or in a scope around. `symbol` is what operands point at, filled in when the name is declared. */
struct pending {
	struct ir_symbol symbol;
	u32 number;            /* in the function's order */
	struct unknown *name;  /* what it is called: */
	struct pending *older; /* with the same name */
};
struct unknown {
	struct pending *newest;
	bool told;
};

struct open_scope {
	struct ir_scope *scope;
	struct open_scope *outer;
	u32 first_pending;      /* those that were made since it was opened are inside it */
	struct lookup range_of; /* numbers in reader.ranges, by the prefix */
};

/* The qualifiers of a declaration, before its names. */
struct declaration {
	bool has_space, has_type, is_pointer, managed, unified;
	bool failed; /* told already */
	enum ir_space space, pointer_space;
	enum ir_linkage linkage;
	u16 type;
	u32 align, pointer_align, vector, const_bank;
	u64 unified_id[2];
	struct span span;
};

/* Registers and local variables that PTX 1.x declares outside of functions: each kernel has its own. */
struct common {
	const struct ir_variable *variable; /* NULL: registers */
	struct declaration declaration;
	const char *name;
	u64 count; /* of a range with this prefix; 0: one register */
	struct span span;
};

enum { INIT_DEPTH = 12, TUNING_NUMBERS = 4 };

/* Where an initialiser's next value goes. */
struct initialiser {
	struct ir_variable *variable;
	u64 position; /* in elements */
	u32 depth, ranks;
	u64 counts[INIT_DEPTH];                    /* of each dimension */
	u64 items[INIT_DEPTH], limits[INIT_DEPTH]; /* of the open braces: seen, allowed */
	bool failed;
};

struct reader {
	struct arena *arena;
	struct strings *strings;
	struct diags *diags;
	struct ir_module *module;
	const struct source *source;
	u32 offset;          /* the scanner's place */
	u32 braces;          /* open within the statement being read */
	struct span comment; /* the comment being read */
	const char *underscore, *generic, *warp_size;
	jmp_buf escape; /* for reader_abort and reader_leave_quick */
	bool quick;     /* read by the parser that cannot tell errors */

	struct open_scope *scope;
	struct ir_function *function; /* being read, or NULL */
	struct ir_function *caller;   /* whose body holds the prototype being read, or NULL */
	struct ir_targets *targets;   /* being listed */
	/* A second parameter of one name in the head being read: wrong only if a body follows. */
	struct ir_symbol twice;
	bool head_lost; /* the head had an error: who knows what it declared */
	struct span twice_first;
	bool in_returns;
	struct declaration declaration;
	struct ir_variable *variable; /* newest declared */
	struct initialiser init;
	VEC_OF(struct term) terms;
	VEC_OF(struct ir_modifier) modifiers;
	VEC_OF(struct pending *) pendings; /* of the function */
	VEC_OF(struct unknown *) unknowns; /* their names */
	struct lookup unknown_of;          /* numbers in unknowns, by the interned name */
	VEC_OF(struct ir_range *) ranges;
	VEC_OF(struct open_scope *) spare_scopes;
	VEC_OF(struct common) common;
	struct ir_instruction *spare_body; /* where the last function's body has grown; NULL while one does */
	size_t spare_capacity;
	struct ir_instruction instruction;
	u32 loc;
	u64 numbers[TUNING_NUMBERS];
	u32 number_count;
	u32 section_begin;
	bool has_version, has_target, has_address_size, told_header, told_foreign;
	u32 bad_end; /* of the characters told last that no token has */
	const char *type_texts[64];
};

/* ptx.l */
int reader_parse(struct reader *r, char *text, size_t length);
/* Passes over everything up to the brace that matches the one just read. */
void reader_skip_block(struct reader *r, void *scanner);

/* ptx_read.c: the scanner's and the parser's complaints, directives of the module. */
void reader_abort(struct reader *r, const char *message) __attribute__((noreturn));
/* In the quick parser, which leaves reading to the exact one: never returns. In the exact one: does nothing. */
void reader_leave_quick(struct reader *r);
void reader_launch_line(struct reader *r, struct span at, const char *text, size_t length);
/* A piece of a comment: ptxas refuses bytes outside of ASCII even there. */
void reader_comment(struct reader *r, struct span at, const char *text, size_t length);
void reader_open_comment(struct reader *r);
void reader_open_string(struct reader *r, struct span at);
/* True once there have been so many errors that reading stops. */
bool reader_bad_characters(struct reader *r, struct span at);
bool reader_is_full(const struct reader *r);
void reader_unexpected(struct reader *r, struct span at, const char *const *expected, u32 expected_count);
void reader_too_deep(struct reader *r, struct span at);
/* Forgets what a statement with an error left behind. */
void reader_statement_lost(struct reader *r);
void reader_version(struct reader *r, struct span at);
void reader_need_header(struct reader *r, struct span at);
void reader_target(struct reader *r, struct span at);
void reader_target_word(struct reader *r, const char *word, struct span at);
void reader_target_end(struct reader *r, struct span at);
void reader_address_size(struct reader *r, u64 bits, struct span at);
void reader_file(struct reader *r, u64 number, const char *path, u32 numbers);
void reader_number(struct reader *r, u64 value, struct span at);
void reader_section_end(struct reader *r, const char *name, struct span close);
void reader_pragma(struct reader *r, const char *text);
void reader_loc(struct reader *r, u64 file, u64 line, u64 column, struct span at);
void reader_loc_attribute(struct reader *r, const char *key, const char *name, u64 addend, struct span at);
void reader_loc_inlined(struct reader *r, const char *key, u64 file, u64 line, u64 column, struct span at);
void reader_mark(struct reader *r, struct ir_mark mark);
void reader_alias(struct reader *r, const char *name, const char *of, struct span at, struct span of_at);

/* ptx_number.c */
void reader_integer(struct reader *r, struct token *t, struct span at, const char *digits, u32 base);
void reader_float_bits(struct token *t, const char *digits, u8 bits);
void reader_decimal(struct reader *r, struct token *t, struct span at, const char *text);
void reader_bad_number(struct reader *r, struct span at, const char *text);

/* ptx_scope.c */
void scope_open(struct reader *r);
void scope_close(struct reader *r);
/* Enters a declared name; complains about a second declaration. Returns false then. */
bool scope_declare(struct reader *r, struct ir_symbol symbol);
/* What `name` stands for here. NULL, and nothing told, for an unknown %name inside a function, which
 * may be a special register; NULL and told outside of functions; else a pending symbol. */
struct ir_symbol *scope_resolve(struct reader *r, const char *name, struct span at);
void scope_tell_twice(struct reader *r, const char *name, struct span at, struct span first);
/* Enters a range of registers into the innermost scope; complains about a second one of that prefix. */
void scope_add_range(struct reader *r, struct ir_range *range);
void scope_label(struct reader *r, const char *name, struct span at);
void scope_settle(struct reader *r);
/* Complains about a name that is declared nowhere. */
void scope_tell_unknown(struct reader *r, const char *name, struct span at);
void scope_hint(struct reader *r, const char *name);

/* ptx_declare.c */
/* Handles whose size the ISA hides; fields of an initialiser set them up. */
bool declare_is_opaque(u16 type);
void declare_begin(struct reader *r, enum ir_linkage linkage, struct span at);
void declare_space(struct reader *r, enum ir_space space, struct span at);
void declare_const_bank(struct reader *r, u64 bank, struct span at);
void declare_align(struct reader *r, u64 align, struct span at);
void declare_word(struct reader *r, const char *word, struct span at);
void declare_pointer(struct reader *r, struct span at);
void declare_attribute(struct reader *r, const char *word, u32 numbers, struct span at);
void declare_name(struct reader *r, const char *name, struct span at);
void declare_range(struct reader *r, const char *prefix, u64 count, struct span at);
/* Gives the kernel whose body begins the registers and local variables that are declared outside of functions. */
void declare_common(struct reader *r);
/* A register that the text does not declare, for a value between two instructions. */
struct ir_register *declare_hidden_register(struct reader *r, u16 type, struct span at);
void declare_dimension(struct reader *r, bool sized, u64 size, struct span at);
void declare_nothing(struct reader *r, struct span at);
void declare_end(struct reader *r, bool initialised, struct span at);

/* ptx_function.c */
void function_begin(struct reader *r, bool is_entry, struct span at);
void function_name(struct reader *r, const char *name, struct span at);
void function_tuning(struct reader *r, enum tuning which, u32 numbers, struct span at);
void function_attribute(struct reader *r, const char *word, u32 numbers, struct span at);
void function_declare(struct reader *r, struct span end);
void function_open(struct reader *r, struct span at);
void function_close(struct reader *r, struct span end);
void prototype_begin(struct reader *r, const char *name, struct span at);
void prototype_end(struct reader *r);
/* After an error inside a prototype. */
void prototype_abandon(struct reader *r);
void targets_begin(struct reader *r, const char *name, bool calls, struct span at);
void targets_add(struct reader *r, const char *name, struct span at);
void targets_add_range(struct reader *r, const char *prefix, u64 count, struct span at);

/* ptx_init.c */
void init_begin(struct reader *r, struct span at);
void init_open(struct reader *r, struct span at);
void init_close(struct reader *r, struct span at);
void init_value(struct reader *r);
void init_field(struct reader *r, const char *name, const char *word, u64 value, struct span at);

/* ptx_operand.c */
void instruction_begin(struct reader *r, const char *opcode, struct span at);
void instruction_guard(struct reader *r, const char *name, bool negated, struct span at);
void instruction_guard_element(struct reader *r, const char *word, struct span at);
void instruction_modifier(struct reader *r, const char *text, struct span at);
void instruction_end(struct reader *r, u32 operand_count, struct span at);
void operand_name(struct reader *r, const char *name, struct span at);
void operand_suffix(struct reader *r, const char *word, struct span at);
void operand_index(struct reader *r, struct span at);
void operand_integer(struct reader *r, const struct token *t, struct span at);
void operand_real(struct reader *r, const struct token *t, struct span at);
void operand_sink(struct reader *r, struct span at);
void operand_check(struct reader *r);
/* Gathers the newest `count` terms into one. */
void operand_gather(struct reader *r, enum ir_operand_kind kind, u32 count, struct span at);
void operand_address(struct reader *r, u32 count, struct span at);
void operand_unified(struct reader *r, const char *word, struct span at);

/* ptx_expr.c: operators on the newest terms; the manual's rules for 64-bit constants. */
void expr_unary(struct reader *r, int op, struct span at);
void expr_binary(struct reader *r, int op, struct span at);
void expr_choose(struct reader *r, struct span at);
void expr_cast(struct reader *r, const char *word, struct span at, struct span word_at);
void expr_parentheses(struct reader *r, struct span at);
void expr_mask(struct reader *r, const struct token *mask, struct span at);
void expr_generic(struct reader *r, const char *word, struct span at, struct span word_at);

struct term *term_push(struct reader *r, enum ir_operand_kind kind, struct span at);
static inline struct term *term_top(struct reader *r) { return &r->terms.items[r->terms.count - 1]; }

/* Operators of two characters, beside the characters of the others. */
enum expr_operator {
	OP_SHIFT_LEFT = 256,
	OP_SHIFT_RIGHT,
	OP_LESS_EQUAL,
	OP_GREATER_EQUAL,
	OP_EQUAL,
	OP_NOT_EQUAL,
	OP_AND,
	OP_OR
};

#endif
