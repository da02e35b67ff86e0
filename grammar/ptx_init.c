/* SPDX-License-Identifier: Apache-2.0
 *
 * Initial values: braces follow the dimensions (and a vector's elements as a last dimension). As
 * ptxas and the hardware have it, values fill the variable in the order of the text: a row with
 * fewer values than elements is not padded, the next row follows at once. What is left at the end
 * is zero. Neighbouring bytes are kept together, up to 8 in one ir_init.
 */
#include <string.h>

#include "grammar/reader.h"
#include "number/convert.h"

/* At the equals sign: dimensions are known, but perhaps the first. */
void init_begin(struct reader *r, struct span at)
{
	struct ir_variable *v = r->variable;
	struct initialiser *n = &r->init;

	(void)at;
	memset(n, 0, sizeof *n);
	n->variable = v;
	v->type = r->declaration.type;
	n->ranks = v->rank + (v->vector > 1);
	for (u32 depth = 0; depth < n->ranks; depth++)
		n->counts[depth] = depth < v->rank ? v->dims[depth] : v->vector;
	if (v->unsized)
		n->counts[0] = UINT64_MAX;
}

/* A brace counts as one item of the brace around it. */
void init_open(struct reader *r, struct span at)
{
	struct initialiser *n = &r->init;

	if (n->depth >= n->ranks + declare_is_opaque(n->variable->type) && !n->failed) {
		diag_error(r->diags, at, "more braces than '%s' has dimensions", n->variable->name);
		n->failed = true;
	}
	if (n->depth < INIT_DEPTH) {
		if (n->depth && ++n->items[n->depth - 1] > n->limits[n->depth - 1] && !n->failed) {
			diag_error(r->diags, at, "more values than '%s' has elements", n->variable->name);
			n->failed = true;
		}
		n->items[n->depth] = 0;
		n->limits[n->depth] = n->depth < n->ranks ? n->counts[n->depth] : 0;
	}
	n->depth++;
}

/* Only now an open first dimension is known. */
void init_close(struct reader *r, struct span at)
{
	struct initialiser *n = &r->init;
	struct ir_variable *v = n->variable;

	n->depth--;
	if (n->depth >= v->rank && n->depth < n->ranks && n->items[n->depth] != v->vector && !n->failed) {
		diag_error(r->diags, at, "a vector takes all of its %u values", v->vector);
		n->failed = true;
	}
	if (!n->depth && v->unsized && v->rank && n->items[0]) {
		v->dims[0] = n->items[0];
		v->unsized = false;
	}
}

/* The value's bits for an element of the variable; false (told) if the kinds do not fit. */
static bool value_bits(struct reader *r, const struct ir_variable *v, const struct ir_operand *o, u64 *bits)
{
	const u16 type = v->type;
	const char *why = NULL;

	if (o->kind == OPERAND_INTEGER) {
		*bits = o->value;
		if (type == T_f32 || type == T_f64)
			why = "an integer cannot initialise a floating-point variable: write 1.0 or 0f3F800000";
	} else if (type == T_f64 || type == T_b64) {
		*bits = o->value; /* of 0f... the 32 bits as they are, as ptxas does */
	} else if (type == T_f32 || type == T_b32) {
		*bits = o->float_bits == 32 ? o->value : f32_from_f64(o->value, ROUND_RN, false);
	} else if (type == T_b8 || type == T_b16) {
		*bits = 0; /* what ptxas makes of it */
		diag_warning(r->diags, o->span, "a floating-point constant gives 0 in '.%s'", r->type_texts[type]);
	} else {
		why = "a floating-point constant cannot initialise this type";
	}
	if (type == T_f16 || type == T_bf16 || type == T_f16x2 || type == T_bf16x2)
		why = "variables of half types have no initial value: declare .b16 or .b32";
	if (why)
		diag_error(r->diags, o->span, "%s", why);
	return !why;
}

/* Neighbours join while they fit 8 bytes: a megabyte of .b8 values stays a few megabytes. */
static void add_bytes(struct reader *r, u64 offset, u32 size, u64 bits, struct span span)
{
	struct ir_variable *v = r->init.variable;
	struct ir_init *last = v->inits.count ? &v->inits.items[v->inits.count - 1] : NULL;

	if (size < 8)
		bits &= (1ull << size * 8) - 1;
	if (last && last->kind == INIT_BYTES && last->offset + last->size == offset && last->size + size <= 8) {
		last->bits |= bits << last->size * 8;
		last->size += size;
		last->span.end = span.end;
		return;
	}
	const struct ir_init new = {.kind = INIT_BYTES, .offset = offset, .size = size, .bits = bits, .span = span};
	VEC_PUSH(r->arena, &v->inits, new);
}

/* Addresses are filled in when the program is laid out. */
static void add_address(struct reader *r, const struct term *t, u64 offset, u32 size)
{
	const struct ir_operand *o = &t->operand;
	struct ir_variable *v = r->init.variable;
	const struct ir_symbol *s = o->symbol;
	const bool has_address =
		s && (s->kind == SYM_FUNCTION || (s->kind == SYM_VARIABLE && (s->variable->space == SPACE_GLOBAL ||
									      s->variable->space == SPACE_CONST)));

	if (!has_address) {
		if (s && s->kind != SYM_LABEL)
			diag_error(r->diags, o->span, "the address of '%s' is not known before the run", o->name);
		return;
	}
	if (size < 4 && !t->mask) {
		diag_error(r->diags, o->span, "an address does not fit into '.%s'", r->type_texts[v->type]);
		if (size == 1)
			diag_hint(r->diags, "single bytes of an address are written 0xff(%s), 0xff00(%s), ...", o->name,
				  o->name);
		return;
	}
	const struct ir_init new = {.kind = INIT_ADDRESS,
				    .offset = offset,
				    .size = size,
				    .symbol = o->symbol,
				    .addend = o->addend,
				    .generic = t->generic,
				    .mask = t->mask,
				    .span = o->span};
	VEC_PUSH(r->arena, &v->inits, new);
}

/* One value, at the initialiser's position. */
static void place_value(struct reader *r, const struct term *t)
{
	struct initialiser *n = &r->init;
	const u32 size = type_bits(n->variable->type) / 8;
	const u64 offset = n->position * size;
	u64 bits = 0;

	n->position++;
	if (t->operand.kind == OPERAND_SYMBOL) {
		add_address(r, t, offset, size);
	} else if (t->operand.kind == OPERAND_INTEGER || t->operand.kind == OPERAND_FLOAT) {
		if (!value_bits(r, n->variable, &t->operand, &bits))
			return;
		add_bytes(r, offset, min_u32(size, 8), bits, t->operand.span);
		if (size == 16)
			add_bytes(r, offset + 8, 8, 0, t->operand.span); /* no sign extension, as ptxas does */
	} else if (t->operand.kind != OPERAND_SPECIAL || t->operand.name[0] == '%') {
		diag_error(r->diags, t->operand.span, "an initial value must be a constant or an address");
	}
}

/* One expression where a value stands. After the first complaint the rest stays silent. */
void init_value(struct reader *r)
{
	struct initialiser *n = &r->init;
	const struct term t = *term_top(r);

	r->terms.count = 0;
	if (n->failed || !n->variable->type)
		return;
	if (declare_is_opaque(n->variable->type)) {
		diag_error(r->diags, t.operand.span, "fields of '%s' are given as {name = value, ...}",
			   n->variable->name);
		n->failed = true;
		return;
	}
	if (n->depth < n->ranks) {
		diag_error(r->diags, t.operand.span, "'%s' takes its values in %u levels of braces", n->variable->name,
			   n->ranks);
		n->failed = true;
		return;
	}
	if (n->depth && ++n->items[n->depth - 1] > n->limits[n->depth - 1]) {
		diag_error(r->diags, t.operand.span, "more values than '%s' has elements", n->variable->name);
		n->failed = true;
		return;
	}
	place_value(r, &t);
}

/* name = word or number, in the braces of a texture, sampler or surface. */
void init_field(struct reader *r, const char *name, const char *word, u64 value, struct span at)
{
	struct ir_variable *v = r->init.variable;
	const struct ir_field field = {name, word, value, at};

	if (!declare_is_opaque(v->type)) {
		diag_error(r->diags, at, "only .texref, .samplerref and .surfref variables have fields");
		return;
	}
	VEC_PUSH(r->arena, &v->fields, field);
}
