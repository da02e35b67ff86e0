/* SPDX-License-Identifier: Apache-2.0
 *
 * Expressions of launch scripts: C's operators over numbers, buffer elements and index variables,
 * a few functions, and sum(k, low, high, term). Integers are 64-bit and wrap; one float operand
 * makes an operation one of doubles; integer division cuts off.
 */
#ifndef PTXSIM_SCRIPT_EXPR_H
#define PTXSIM_SCRIPT_EXPR_H

#include "script/buffer.h"
#include "script/lex.h"

enum { EXPR_VARIABLES = 16 };

struct expr;

/* What names mean while an expression is parsed. */
struct expr_scope {
	void *context;
	const struct buffer *(*find_buffer)(void *context, const char *name);
	bool (*find_constant)(void *context, const char *name, struct number *value);
	const char *variables[EXPR_VARIABLES]; /* innermost last */
	u32 variable_count;
};

/* One evaluation. */
struct expr_run {
	struct number variables[EXPR_VARIABLES];
	const char *error; /* NULL, or what went wrong first (static text) */
	struct span error_span;
};

/* Parses; NULL after an error, which is in l's diagnostics. */
struct expr *expr_parse(struct lex *l, struct expr_scope *scope);
/* One item of a list of values: a number, name or bracketed expression, maybe with a minus. */
struct expr *expr_parse_item(struct lex *l, struct expr_scope *scope);
struct number expr_eval(const struct expr *e, struct expr_run *run);

/* Parses and evaluates an expression that uses constants only. False after an error. */
bool expr_constant(struct lex *l, struct expr_scope *scope, struct number *value);

#endif
