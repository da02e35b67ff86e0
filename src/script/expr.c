/* SPDX-License-Identifier: Apache-2.0
 *
 * Expressions: a recursive-descent parser into a tree, and its evaluation.
 *
 * Both bounds matter: depth bounds the recursion, the number of nodes what one line can cost. The tree is built once
 * and evaluated for each element of a buffer (`= EXPRESSION` over i, j, k) or of an expectation. Integers are 64 bits
 * and wrap; one double among the operands makes a result double.
 */
#include "script/expr.h"

#include <math.h>
#include <string.h>

enum expr_kind { EXPR_NUMBER, EXPR_VARIABLE, EXPR_ELEMENT, EXPR_UNARY, EXPR_BINARY, EXPR_CHOICE, EXPR_CALL, EXPR_SUM };

/* Both bound the recursion of parsing and of evaluation. */
enum { EXPR_ARGS = 4, EXPR_DEPTH = 200, EXPR_NODES = 10000 };

typedef struct number function_fn(const struct number *args);

/* A node. Which fields count depends on the kind: value (number), variable (its number in the run), buffer (element),
 * op (unary, binary), function (call), args. */
struct expr {
	enum expr_kind kind;
	char op[3];
	struct number value;
	u32 variable;
	const struct buffer *buffer;
	function_fn *function;
	struct expr *args[EXPR_ARGS];
	u32 arg_count;
	struct span span;
};

struct parser {
	struct lex *l;
	struct expr_scope *scope;
	u32 depth, nodes;
};

/* --- Functions ------------------------------------------------------------------------------ */

#define FLOAT_FUNCTION(name, call)                               \
	static struct number call_##name(const struct number *a) \
	{                                                        \
		const f64 x = number_as_float(a[0]);             \
		return number_float(call);                       \
	}
FLOAT_FUNCTION(sqrt, sqrt(x))
FLOAT_FUNCTION(exp, exp(x))
FLOAT_FUNCTION(log, log(x))
FLOAT_FUNCTION(sin, sin(x))
FLOAT_FUNCTION(cos, cos(x))
FLOAT_FUNCTION(floor, floor(x))
FLOAT_FUNCTION(f64, x)
FLOAT_FUNCTION(f32, (f32)x)

static struct number call_pow(const struct number *a)
{
	return number_float(pow(number_as_float(a[0]), number_as_float(a[1])));
}
static struct number call_fma(const struct number *a)
{
	return number_float(fma(number_as_float(a[0]), number_as_float(a[1]), number_as_float(a[2])));
}
static struct number call_fmaf(const struct number *a)
{
	return number_float(fmaf((f32)number_as_float(a[0]), (f32)number_as_float(a[1]), (f32)number_as_float(a[2])));
}
static struct number call_abs(const struct number *a)
{
	return a->is_float ? number_float(fabs(a->f)) : number_int(a->i < 0 ? -(u64)a->i : (u64)a->i);
}
static bool less(struct number a, struct number b)
{
	return a.is_float || b.is_float ? number_as_float(a) < number_as_float(b) : a.i < b.i;
}
static struct number call_min(const struct number *a) { return less(a[1], a[0]) ? a[1] : a[0]; }
static struct number call_max(const struct number *a) { return less(a[0], a[1]) ? a[1] : a[0]; }
static struct number call_popc(const struct number *a) { return number_int(__builtin_popcountll((u64)a->i)); }

/* Conversions wrap or cut off as a store to such an element does. */
#define CAST_FUNCTION(type)                                      \
	static struct number call_##type(const struct number *a) \
	{                                                        \
		u8 bytes[8];                                     \
		element_write(ELEMENT_##type, bytes, *a);        \
		return element_read(ELEMENT_##type, bytes);      \
	}
CAST_FUNCTION(u8)
CAST_FUNCTION(s8)
CAST_FUNCTION(u16)
CAST_FUNCTION(s16)
CAST_FUNCTION(u32)
CAST_FUNCTION(s32)
CAST_FUNCTION(s64)
CAST_FUNCTION(f16)
CAST_FUNCTION(bf16)

static const struct {
	const char *name;
	u32 args;
	function_fn *call;
} functions[] = {
	{"sqrt", 1, call_sqrt}, {"exp", 1, call_exp},     {"log", 1, call_log},   {"sin", 1, call_sin},
	{"cos", 1, call_cos},   {"floor", 1, call_floor}, {"f64", 1, call_f64},   {"f32", 1, call_f32},
	{"pow", 2, call_pow},   {"fma", 3, call_fma},     {"fmaf", 3, call_fmaf}, {"abs", 1, call_abs},
	{"min", 2, call_min},   {"max", 2, call_max},     {"popc", 1, call_popc}, {"u8", 1, call_u8},
	{"s8", 1, call_s8},     {"u16", 1, call_u16},     {"s16", 1, call_s16},   {"u32", 1, call_u32},
	{"s32", 1, call_s32},   {"s64", 1, call_s64},     {"int", 1, call_s64},   {"f16", 1, call_f16},
	{"bf16", 1, call_bf16},
};

/* --- Parsing -------------------------------------------------------------------------------- */

static struct expr *parse_level(struct parser *p, u32 level);
static struct expr *parse_choice(struct parser *p);

/* A node at the current place of the text; too many of them are an error of the text. */
static struct expr *new_expr(struct parser *p, enum expr_kind kind)
{
	struct expr *e = ARENA_NEW(p->l->arena, struct expr);

	e->kind = kind;
	e->span = p->l->span;
	if (++p->nodes > EXPR_NODES)
		lex_error(p->l, "the expression is too long");
	return e;
}

/* Arguments up to `end`; false after an error. */
static bool parse_args(struct parser *p, struct expr *e, const char *end)
{
	do {
		if (e->arg_count == EXPR_ARGS) {
			lex_error(p->l, "too many arguments");
			return false;
		}
		struct expr *a = parse_choice(p);
		if (!a)
			return false;
		e->args[e->arg_count++] = a;
	} while (lex_take(p->l, ","));
	return lex_expect(p->l, end);
}

/* sum(k, low, high, term): `(` is behind us.
 * The variable is in scope for the term alone, and may hide an outer one of the same name. */
static struct expr *parse_sum(struct parser *p, struct expr *e)
{
	struct expr_scope *scope = p->scope;

	e->kind = EXPR_SUM;
	if (p->l->kind != LEX_NAME) {
		lex_error(p->l, "sum wants a variable: sum(k, low, high, term)");
		return NULL;
	}
	const char *name = p->l->name;
	lex_next(p->l);
	for (u32 k = 0; k < 3; k++) {
		if (k == 2) {
			if (scope->variable_count == EXPR_VARIABLES) {
				lex_error(p->l, "too many variables");
				return NULL;
			}
			e->variable = scope->variable_count;
			scope->variables[scope->variable_count++] = name;
		}
		if (!lex_expect(p->l, ",") || !(e->args[k] = parse_choice(p)))
			return NULL;
	}
	scope->variable_count--;
	return lex_expect(p->l, ")") ? e : NULL;
}

static struct expr *parse_call(struct parser *p, struct expr *e, const char *name)
{
	if (!strcmp(name, "sum"))
		return parse_sum(p, e);
	for (size_t k = 0; k < COUNT_OF(functions); k++) {
		if (strcmp(functions[k].name, name))
			continue;
		e->kind = EXPR_CALL;
		e->function = functions[k].call;
		if (!parse_args(p, e, ")"))
			return NULL;
		if (e->arg_count == functions[k].args)
			return e;
		lex_error(p->l, "'%s' takes %u argument%s", name, functions[k].args, functions[k].args == 1 ? "" : "s");
		return NULL;
	}
	p->l->span = e->span;
	lex_error(p->l, "there is no function '%s'", name);
	return NULL;
}

static struct expr *parse_element(struct parser *p, struct expr *e, const char *name)
{
	const struct buffer *b = p->scope->find_buffer ? p->scope->find_buffer(p->scope->context, name) : NULL;

	if (!b) {
		p->l->span = e->span;
		lex_error(p->l, "there is no buffer '%s'", name);
		return NULL;
	}
	e->kind = EXPR_ELEMENT;
	e->buffer = b;
	if (!parse_args(p, e, "]"))
		return NULL;
	if (e->arg_count == b->rank || e->arg_count == 1)
		return e;
	lex_error(p->l, "'%s' has %u dimension%s", name, b->rank, b->rank == 1 ? "" : "s");
	return NULL;
}

/* Looks for variables from the innermost out, then inf and nan, then constants. Names are interned: equal ones are one
 * pointer. */
static struct expr *parse_name(struct parser *p)
{
	struct expr *e = new_expr(p, EXPR_VARIABLE);
	const char *name = p->l->name;
	const struct expr_scope *scope = p->scope;

	lex_next(p->l);
	if (lex_take(p->l, "("))
		return parse_call(p, e, name);
	if (lex_take(p->l, "["))
		return parse_element(p, e, name);
	for (u32 k = scope->variable_count; k-- > 0;)
		if (scope->variables[k] == name) {
			e->variable = k;
			return e;
		}
	if (!strcmp(name, "inf") || !strcmp(name, "nan")) {
		e->kind = EXPR_NUMBER;
		e->value = number_float(name[0] == 'i' ? HUGE_VAL : (f64)NAN);
		return e;
	}
	if (scope->find_constant && scope->find_constant(scope->context, name, &e->value)) {
		e->kind = EXPR_NUMBER;
		return e;
	}
	p->l->span = e->span;
	lex_error(p->l, "'%s' is not known here", name);
	return NULL;
}

static struct expr *parse_primary(struct parser *p)
{
	if (p->l->kind == LEX_NUMBER) {
		struct expr *e = new_expr(p, EXPR_NUMBER);
		e->value = p->l->number;
		lex_next(p->l);
		return e;
	}
	if (p->l->kind == LEX_NAME)
		return parse_name(p);
	if (lex_take(p->l, "(")) {
		struct expr *e = parse_choice(p);
		return e && lex_expect(p->l, ")") ? e : NULL;
	}
	lex_error(p->l, "a number, name or '(' expected here");
	return NULL;
}

static struct expr *parse_unary(struct parser *p)
{
	static const char *const ops[] = {"-", "~", "!"};
	struct expr *e = new_expr(p, EXPR_UNARY);

	for (size_t k = 0; k < COUNT_OF(ops); k++) {
		if (!lex_take(p->l, ops[k]))
			continue;
		e->op[0] = ops[k][0];
		if (++p->depth > EXPR_DEPTH) {
			lex_error(p->l, "the expression is nested too deeply");
			return NULL;
		}
		e->args[0] = parse_unary(p);
		p->depth--;
		return e->args[0] ? e : NULL;
	}
	return parse_primary(p);
}

/* Binary operators, loosest first. */
static const char *const levels[][5] = {
	{"||"},       {"&&"},     {"|"},           {"^"}, {"&"}, {"==", "!="}, {"<", "<=", ">", ">="},
	{"<<", ">>"}, {"+", "-"}, {"*", "/", "%"},
};

/* One level of binary operators, grouping from the left; `levels` lists them from the loosest to the tightest. */
static struct expr *parse_level(struct parser *p, u32 level)
{
	if (level == COUNT_OF(levels))
		return parse_unary(p);
	struct expr *left = parse_level(p, level + 1);
	for (u32 k = 0; left && k < COUNT_OF(levels[0]) && levels[level][k]; k++) {
		if (p->l->kind != LEX_MARK || !lex_is(p->l, levels[level][k]))
			continue;
		struct expr *e = new_expr(p, EXPR_BINARY);
		strcpy(e->op, levels[level][k]);
		lex_next(p->l);
		e->args[0] = left;
		e->args[1] = parse_level(p, level + 1);
		left = e->args[1] ? e : NULL;
		k = UINT32_MAX; /* look at the operators of this level again */
	}
	return left;
}

static struct expr *parse_choice(struct parser *p)
{
	if (++p->depth > EXPR_DEPTH) {
		lex_error(p->l, "the expression is nested too deeply");
		return NULL;
	}
	struct expr *condition = parse_level(p, 0);
	if (condition && lex_is(p->l, "?")) {
		struct expr *e = new_expr(p, EXPR_CHOICE);
		lex_next(p->l);
		e->args[0] = condition;
		if (!(e->args[1] = parse_choice(p)) || !lex_expect(p->l, ":") || !(e->args[2] = parse_choice(p)))
			return NULL;
		condition = e;
	}
	p->depth--;
	return condition;
}

struct expr *expr_parse(struct lex *l, struct expr_scope *scope)
{
	struct parser p = {l, scope, 0, 0};

	return parse_choice(&p);
}

/* An item of a list (values 1 -2 (3+4)): no binary operators outside of parentheses, as blanks separate items. */
struct expr *expr_parse_item(struct lex *l, struct expr_scope *scope)
{
	struct parser p = {l, scope, 0, 0};

	return parse_unary(&p);
}

/* --- Evaluation ----------------------------------------------------------------------------- */

/* Keeps the first error; evaluation goes on with 0, and whoever asked looks at run->error. */
static struct number fail(struct expr_run *run, const struct expr *e, const char *what)
{
	if (!run->error) {
		run->error = what;
		run->error_span = e->span;
	}
	return number_int(0);
}

/* One index counts through the whole buffer, several through its dimensions. */
static struct number eval_element(const struct expr *e, struct expr_run *run)
{
	const struct buffer *b = e->buffer;
	u64 index = 0;

	for (u32 k = 0; k < e->arg_count; k++) {
		const struct number n = expr_eval(e->args[k], run);
		const u64 limit = e->arg_count == 1 ? b->count : b->dims[k];
		if (n.is_float)
			return fail(run, e, "an index is not an integer");
		if ((u64)n.i >= limit)
			return fail(run, e, "an index is out of range");
		index = index * limit + (u64)n.i;
	}
	if (!b->host)
		return fail(run, e, "the buffer does not exist yet");
	return element_read(b->type, b->host + index * element_bytes(b->type));
}

static struct number eval_unary(const struct expr *e, struct expr_run *run)
{
	const struct number a = expr_eval(e->args[0], run);

	switch (e->op[0]) {
	case '-':
		return a.is_float ? number_float(-a.f) : number_int((s64) - (u64)a.i);
	case '!':
		return number_int(a.is_float ? a.f == 0 : a.i == 0);
	default:
		return a.is_float ? fail(run, e, "'~' needs an integer operand") : number_int(~a.i);
	}
}

static struct number float_binary(const struct expr *e, struct expr_run *run, f64 a, f64 b)
{
	switch (e->op[0]) {
	case '+':
		return number_float(a + b);
	case '-':
		return number_float(a - b);
	case '*':
		return number_float(a * b);
	case '/':
		return number_float(a / b);
	case '%':
		return number_float(fmod(a, b));
	case '=':
		return number_int(a == b);
	case '!':
		return number_int(a != b);
	case '<':
		if (e->op[1] != '<')
			return number_int(e->op[1] ? a <= b : a < b);
		break;
	case '>':
		if (e->op[1] != '>')
			return number_int(e->op[1] ? a >= b : a > b);
		break;
	}
	return fail(run, e, "the operator wants integers");
}

/* -1 apart: the least number divided by it would trap. */
static struct number divide(const struct expr *e, struct expr_run *run, s64 a, s64 b)
{
	if (b == 0)
		return fail(run, e, "division by zero");
	if (b == -1)
		return number_int(e->op[0] == '/' ? (s64) - (u64)a : 0);
	return number_int(e->op[0] == '/' ? a / b : a % b);
}

static struct number shift(const struct expr *e, struct expr_run *run, s64 a, s64 b)
{
	if (b < 0 || b > 63)
		return fail(run, e, "a shift by less than 0 or more than 63 bits");
	return number_int(e->op[0] == '<' ? (s64)((u64)a << b) : a >> b);
}

static struct number int_binary(const struct expr *e, struct expr_run *run, s64 a, s64 b)
{
	switch (e->op[0]) {
	case '+':
		return number_int((s64)((u64)a + (u64)b));
	case '-':
		return number_int((s64)((u64)a - (u64)b));
	case '*':
		return number_int((s64)((u64)a * (u64)b));
	case '/':
	case '%':
		return divide(e, run, a, b);
	case '&':
		return number_int(a & b);
	case '|':
		return number_int(a | b);
	case '^':
		return number_int(a ^ b);
	case '=':
		return number_int(a == b);
	case '!':
		return number_int(a != b);
	case '<':
		if (e->op[1] == '<')
			return shift(e, run, a, b);
		return number_int(e->op[1] ? a <= b : a < b);
	default:
		if (e->op[1] == '>')
			return shift(e, run, a, b);
		return number_int(e->op[1] ? a >= b : a > b);
	}
}

static bool truth(struct number n) { return n.is_float ? n.f != 0 : n.i != 0; }

/* && and || evaluate their second operand only if it matters, as in C. */
static struct number eval_binary(const struct expr *e, struct expr_run *run)
{
	const struct number a = expr_eval(e->args[0], run);

	if (!strcmp(e->op, "&&"))
		return number_int(truth(a) && truth(expr_eval(e->args[1], run)));
	if (!strcmp(e->op, "||"))
		return number_int(truth(a) || truth(expr_eval(e->args[1], run)));
	const struct number b = expr_eval(e->args[1], run);
	if (a.is_float || b.is_float)
		return float_binary(e, run, number_as_float(a), number_as_float(b));
	return int_binary(e, run, a.i, b.i);
}

static struct number eval_sum(const struct expr *e, struct expr_run *run)
{
	const struct number low = expr_eval(e->args[0], run), high = expr_eval(e->args[1], run);
	struct number total = number_int(0);

	if (low.is_float || high.is_float)
		return fail(run, e, "the bounds of sum are not integers");
	for (s64 k = low.i; k < high.i && !run->error; k++) {
		run->variables[e->variable] = number_int(k);
		const struct number term = expr_eval(e->args[2], run);
		if (total.is_float || term.is_float)
			total = number_float(number_as_float(total) + number_as_float(term));
		else
			total.i = (s64)((u64)total.i + (u64)term.i);
	}
	return total;
}

/* Recursion is as deep as the parser allowed. */
struct number expr_eval(const struct expr *e, struct expr_run *run)
{
	struct number args[EXPR_ARGS];

	switch (e->kind) {
	case EXPR_NUMBER:
		return e->value;
	case EXPR_VARIABLE:
		return run->variables[e->variable];
	case EXPR_ELEMENT:
		return eval_element(e, run);
	case EXPR_UNARY:
		return eval_unary(e, run);
	case EXPR_BINARY:
		return eval_binary(e, run);
	case EXPR_CHOICE:
		return expr_eval(e->args[truth(expr_eval(e->args[0], run)) ? 1 : 2], run);
	case EXPR_SUM:
		return eval_sum(e, run);
	case EXPR_CALL:
		break;
	}
	for (u32 k = 0; k < e->arg_count; k++)
		args[k] = expr_eval(e->args[k], run);
	return e->function(args);
}

/* A value that must be known now: no variables are in scope. False after an error, which has been reported. */
bool expr_constant(struct lex *l, struct expr_scope *scope, struct number *value)
{
	struct expr_run run = {.error = NULL};
	const u32 variables = scope->variable_count;

	scope->variable_count = 0;
	const struct expr *e = expr_parse(l, scope);
	scope->variable_count = variables;
	if (!e)
		return false;
	*value = expr_eval(e, &run);
	if (run.error)
		lex_error(l, "%s", run.error);
	return !run.error;
}
