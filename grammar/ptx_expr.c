/* SPDX-License-Identifier: Apache-2.0
 *
 * Constant expressions, computed as they are read: 64-bit integers, signed unless a U suffix, a
 * cast, the size of a literal or an unsigned operand says otherwise (PTX ISA, "Constant Expressions").
 * The same operators join operands: d|p, variable+4, -a, !p.
 */
#include <string.h>

#include "grammar/reader.h"
#include "number/ieee.h"

/* A constant of 64 bits. */
static bool is_integer(const struct term *t) { return t->operand.kind == OPERAND_INTEGER; }
static bool is_real(const struct term *t) { return t->operand.kind == OPERAND_FLOAT; }

/* Complaints that need no argument. */
static void tell_operator(struct reader *r, struct span at, const char *what) { diag_error(r->diags, at, "%s", what); }

/* (5) stays a constant, remembered as parenthesised; (%r1) is a list of one. */
void expr_parentheses(struct reader *r, struct span at)
{
	struct ir_operand *o = &term_top(r)->operand;

	o->span = at;
	if (o->kind == OPERAND_INTEGER || o->kind == OPERAND_FLOAT) {
		o->parenthesised = true;
		return;
	}
	operand_gather(r, OPERAND_LIST, 1, at);
}

/* On constants an operation; on a register a modifier of the operand. */
void expr_unary(struct reader *r, int op, struct span at)
{
	struct ir_operand *o = &term_top(r)->operand;
	const bool value = o->kind == OPERAND_REGISTER || o->kind == OPERAND_SPECIAL;

	o->span = at;
	o->parenthesised = false;
	if (o->kind == OPERAND_INTEGER) {
		if (op == '-')
			o->value = -o->value;
		else if (op == '!')
			o->value = !o->value, o->is_unsigned = false;
		else if (op == '~')
			o->value = ~o->value, o->is_unsigned = true;
		if (op == '!' || op == '~' || op == '-')
			o->name = NULL;
	} else if (o->kind == OPERAND_FLOAT && (op == '-' || op == '+')) {
		if (op == '-')
			o->value ^= o->float_bits == 32 ? 1ull << 31 : 1ull << 63;
	} else if (value && op == '-') {
		o->minus = !o->minus;
	} else if (value && op == '!') {
		o->negated = !o->negated;
	} else {
		tell_operator(r, at, "this operator takes a constant");
	}
}

/* Shift counts are taken modulo 64, as ptxas does. */
static u64 shift_right(const struct ir_operand *a, u64 by)
{
	return a->is_unsigned ? a->value >> (by & 63) : (u64)((s64)a->value >> (by & 63));
}

/* a < b after the usual conversions */
static bool is_less(const struct ir_operand *a, const struct ir_operand *b)
{
	if (a->is_unsigned || b->is_unsigned)
		return a->value < b->value;
	return (s64)a->value < (s64)b->value;
}

/* a / b or a % b; b is not zero. The remainder is of unsigned numbers always, as ptxas has it. */
static u64 divide(const struct ir_operand *a, const struct ir_operand *b, int op)
{
	if (op == '%')
		return a->value % b->value;
	if (a->is_unsigned || b->is_unsigned)
		return a->value / b->value;
	return b->value == ~0ull ? -a->value : (u64)((s64)a->value / (s64)b->value);
}

/* *a becomes the result. Its sign: unsigned if one of them is, always for bits and remainders, never for
 * comparisons. */
static void integer_binary(struct reader *r, struct ir_operand *a, const struct ir_operand *b, int op)
{
	const bool any_unsigned = a->is_unsigned || b->is_unsigned;
	bool is_unsigned = any_unsigned;

	switch (op) {
	case '*':
		a->value *= b->value;
		break;
	case '+':
		a->value += b->value;
		break;
	case '-':
		a->value -= b->value;
		break;
	case '/':
	case '%':
		if (!b->value)
			tell_operator(r, a->span, "division by zero in a constant expression");
		else
			a->value = divide(a, b, op);
		is_unsigned |= op == '%';
		break;
	case '&':
		a->value &= b->value;
		is_unsigned = true;
		break;
	case '^':
		a->value ^= b->value;
		is_unsigned = true;
		break;
	case '|':
		a->value |= b->value;
		is_unsigned = true;
		break;
	case OP_SHIFT_LEFT:
		a->value <<= b->value & 63;
		is_unsigned = a->is_unsigned;
		break;
	case OP_SHIFT_RIGHT:
		a->value = shift_right(a, b->value);
		is_unsigned = a->is_unsigned;
		break;
	default:
		is_unsigned = false;
		a->value = op == '<'                ? is_less(a, b)
			   : op == '>'              ? is_less(b, a)
			   : op == OP_LESS_EQUAL    ? !is_less(b, a)
			   : op == OP_GREATER_EQUAL ? !is_less(a, b)
			   : op == OP_EQUAL         ? a->value == b->value
			   : op == OP_NOT_EQUAL     ? a->value != b->value
			   : op == OP_AND           ? a->value && b->value
						    : a->value || b->value;
	}
	a->is_unsigned = is_unsigned;
}

/* a < b of doubles that are not NaN */
static bool is_less_real(u64 a, u64 b)
{
	const u64 x = a >> 63 ? ~a : a | 1ull << 63, y = b >> 63 ? ~b : b | 1ull << 63;

	return x < y && ((a | b) & ~F64_SIGN);
}

/* Decimal constants are doubles; comparing them gives an integer. */
static void real_binary(struct reader *r, struct ir_operand *a, const struct ir_operand *b, int op)
{
	const u64 x = a->value, y = b->value;

	a->kind = OPERAND_INTEGER;
	switch (op) {
	case '<':
		a->value = is_less_real(x, y);
		return;
	case '>':
		a->value = is_less_real(y, x);
		return;
	case OP_LESS_EQUAL:
		a->value = !is_less_real(y, x);
		return;
	case OP_GREATER_EQUAL:
		a->value = !is_less_real(x, y);
		return;
	case OP_EQUAL:
		a->value = !is_less_real(x, y) && !is_less_real(y, x);
		return;
	case OP_NOT_EQUAL:
		a->value = is_less_real(x, y) || is_less_real(y, x);
		return;
	}
	a->kind = OPERAND_FLOAT;
	switch (op) {
	case '+':
		a->value = f64_add(x, y, ROUND_RN);
		break;
	case '-':
		a->value = f64_sub(x, y, ROUND_RN);
		break;
	case '*':
		a->value = f64_mul(x, y, ROUND_RN);
		break;
	case '/':
		a->value = f64_div(x, y, ROUND_RN);
		if (!(y & ~F64_SIGN))
			tell_operator(r, a->span, "division by zero in a constant expression");
		break;
	default:
		tell_operator(r, a->span, "this operator takes integer constants");
	}
	if ((a->value & F64_INF) == F64_INF && op != '/')
		tell_operator(r, a->span, "number too large for a double");
}

/* What may stand on either side of d|p. A pending label may turn out wrong: lowering sees. */
static bool can_be_paired(const struct ir_operand *o)
{
	return o->kind == OPERAND_REGISTER || o->kind == OPERAND_SINK ||
	       (o->kind == OPERAND_SYMBOL && o->symbol->kind == SYM_LABEL);
}

/* The two newest terms become one: a number, a pair d|p, or a base with an offset. What cannot be joined is reported,
 * and the first of them stays. */
void expr_binary(struct reader *r, int op, struct span at)
{
	struct term *b = term_top(r), *a = b - 1;

	const bool reals = is_real(a) && is_real(b) && a->operand.float_bits == 64 && b->operand.float_bits == 64;
	if (reals || (is_integer(a) && is_integer(b))) {
		a->operand.span = at;
		a->operand.parenthesised = false;
		a->operand.name = NULL;
		(reals ? real_binary : integer_binary)(r, &a->operand, &b->operand, op);
		r->terms.count--;
		return;
	}
	if (op == '|' && can_be_paired(&a->operand) && can_be_paired(&b->operand)) {
		operand_gather(r, OPERAND_PAIR, 2, at);
		return;
	}
	const enum ir_operand_kind kind = a->operand.kind;
	const bool base = kind == OPERAND_REGISTER || kind == OPERAND_SYMBOL || kind == OPERAND_SPECIAL;
	a->operand.span = at;
	if (base && op == '+' && is_integer(b)) {
		a->operand.addend = (s64)((u64)a->operand.addend + b->operand.value);
		a->has_offset = true;
	} else if (base && op == '-' && is_integer(b) && a->has_offset) {
		a->operand.addend = (s64)((u64)a->operand.addend - b->operand.value);
	} else if (base && op == '-' && is_integer(b)) {
		tell_operator(r, at, "an offset is added, not subtracted");
		diag_hint(r->diags, "write %s+-%llu", a->operand.name, (unsigned long long)b->operand.value);
	} else if (is_real(a) || is_real(b)) {
		tell_operator(r, at, "a constant expression is of integers or of decimal numbers, not of both");
	} else {
		tell_operator(r, at, "this operator takes constants on both sides");
	}
	r->terms.count--;
}

/* Both branches were computed already: constants have no effects. */
void expr_choose(struct reader *r, struct span at)
{
	struct term *c = term_top(r), *b = c - 1, *a = b - 1;

	if (is_integer(a) && is_integer(b) && is_integer(c)) {
		a->operand.value = a->operand.value ? b->operand.value : c->operand.value;
		a->operand.is_unsigned = b->operand.is_unsigned || c->operand.is_unsigned;
		a->operand.name = NULL;
		a->operand.parenthesised = false;
		a->operand.span = at;
	} else {
		tell_operator(r, at, "'? :' takes integer constants");
	}
	r->terms.count -= 2;
}

/* Only the sign of later comparisons, divisions and shifts changes; the 64 bits stay. */
void expr_cast(struct reader *r, const char *word, struct span at, struct span word_at)
{
	struct ir_operand *o = &term_top(r)->operand;
	const bool to_unsigned = !strcmp(word, "u64");

	o->span = at;
	if (!to_unsigned && strcmp(word, "s64"))
		diag_error(r->diags, word_at, "a cast is to .s64 or .u64, not '.%.60s'", word);
	else if (o->kind != OPERAND_INTEGER)
		tell_operator(r, at, "a cast takes an integer constant");
	else
		o->is_unsigned = to_unsigned, o->parenthesised = false, o->name = NULL;
}

/* 0xff00(symbol): one byte of an address. */
void expr_mask(struct reader *r, const struct token *mask, struct span at)
{
	struct term *t = term_top(r);
	u32 byte = 0;

	while (byte < 8 && mask->bits != 0xffull << 8 * byte)
		byte++;
	t->operand.span = at;
	if (t->operand.kind != OPERAND_SYMBOL)
		tell_operator(r, at, "a mask takes the address of a variable or function");
	else if (byte == 8)
		tell_operator(r, at, "a mask selects one byte: 0xff, 0xff00, ...");
	if (t->operand.kind == OPERAND_SYMBOL)
		t->mask = byte < 8 ? mask->bits : 0xff;
}

/* generic(symbol): the address in the generic space. */
void expr_generic(struct reader *r, const char *word, struct span at, struct span word_at)
{
	struct term *t = term_top(r);

	t->operand.span = at;
	if (word != r->generic)
		diag_error(r->diags, word_at, "'%s' is not an operator; expected 'generic'", word);
	else if (t->operand.kind != OPERAND_SYMBOL)
		tell_operator(r, at, "generic() takes the address of a variable or function");
	else
		t->generic = true;
}
