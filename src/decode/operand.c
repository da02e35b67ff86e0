/* SPDX-License-Identifier: Apache-2.0
 *
 * Operands that are values: registers, constants, special registers, names of variables and functions. Type
 * rules are those of the ISA manual's section 9.2 (operand size, agreement of kinds, relaxed sizes), and where
 * the manual is silent those of ptxas.
 */
#include "decode/attempt.h"

#include <stdarg.h>
#include <string.h>

#include "decode/form_address.h"
#include "isa/sregs.h"

bool attempt_wrong(struct attempt *t, struct span at, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	t->wrong = arena_vprintf(t->m->arena, format, args);
	va_end(args);
	t->wrong_at = at;
	return false;
}

static u8 row_bits(u32 bits) { return bits == 1 ? 1 : bits <= 32 ? 32 : bits <= 64 ? 64 : 128; }

/* FORM_USES is how many operands one instruction can have, after vectors are flattened. */
bool attempt_push(struct attempt *t, struct use use)
{
	if (t->count == FORM_USES)
		return attempt_wrong(t, t->x->span, "too many operands");
	t->uses[t->count++] = use;
	return true;
}

/* Do a register's type and an operand's type agree? `integer`: the operand is a number whatever the instruction's
 * types are, such as a count. */
static bool types_agree(u16 have, u16 want, bool relaxed, bool integer)
{
	const u32 have_bits = type_bits(have), want_bits = type_bits(want);
	const char have_class = type_class(have), want_class = type_class(want);

	if (want == T_pred || have == T_pred)
		return have == want;
	if (relaxed ? have_bits < want_bits : have_bits != want_bits)
		return false;
	if (have_class == 'b' || have == want)
		return true;
	/* Pairs of halves count as bits, not as numbers. */
	if (have == T_f16x2)
		return want_class != 'f' && !integer;
	if (have_class == 'f' && have_bits != want_bits)
		return want_class == 'b';
	/* Types that no register has want registers of bits. */
	if ((want_class == 'f' && want != T_f16 && want != T_f32 && want != T_f64) || want == T_u16x2 ||
	    want == T_s16x2)
		return false;
	return want_class == 'b' || (have_class == 'f') == (want_class == 'f');
}

/* Constants are read as 32 or 64 bits, whatever the text has, and converted to the operand's width with the host's
 * rounding to nearest. */
static u64 float_immediate(const struct ir_operand *o, u32 bits)
{
	if (bits == 64)
		return o->float_bits == 64 ? o->value : bits_of_f64((f64)f32_of_bits((u32)o->value));
	return o->float_bits == 32 ? o->value : bits_of_f32((f32)f64_of_bits(o->value));
}

/* Bits above the type's width are cut off, as ptxas does. */
static bool constant(struct attempt *t, const struct ir_operand *o, u16 type, u64 value, u64 high)
{
	const u32 bits = type_bits(type);
	struct use use = {.kind = USE_CONSTANT, .read = true, .bits = row_bits(bits), .span = o->span};

	use.type_bits = (u8)bits;
	use.low = bits >= 64 ? value : value & ((1ull << bits) - 1);
	use.high = high;
	return attempt_push(t, use);
}

/* Types of which there are no constants: pairs of numbers, and numbers of less than 32 bits that are no
 * integers. Video instructions on halves and bytes have none either. */
static bool takes_constants(const struct form *f, u16 type)
{
	if (type == T_u16x2 || type == T_s16x2 || f->row->flags & (ISA_SELECT2 | ISA_SELECT4))
		return false;
	return type_class(type) != 'f' || type == T_f32 || type == T_f64;
}

/* The variable must be in the form's state space, if it has one. */
static bool symbol_space_fits(struct attempt *t, const struct ir_operand *o, const struct ir_variable *v)
{
	const int token = form_pick(t->form, M_const, M_shared_cluster);

	if (token == TOKEN_NONE || form_token_space(token) == v->space)
		return true;
	return attempt_wrong(t, o->span, "'%s' is not in the .%s space", v->name, token_text(token));
}

bool attempt_plain(struct attempt *t, const struct ir_operand *o)
{
	return (!o->selector && !o->minus) ||
	       attempt_wrong(t, o->span, "this form takes no selector or minus sign here");
}

/* An address as a value. Where the row does not ask for one, it is a constant all the same if an offset is
 * added to it, as ptxas has it. */
static bool symbol_value(struct attempt *t, const struct operand_spec *s, const struct ir_operand *o, u16 type)
{
	const struct matcher *m = t->m;
	struct use use = {.kind = USE_CONSTANT, .read = true, .bits = row_bits(type_bits(type)), .span = o->span};

	if (!o->symbol)
		return attempt_wrong(t, o->span, "'%s' is not declared", o->name);
	if (type_class(type) == 'f' || type == T_pred || type_bits(type) < 32 || type_bits(type) > 64)
		return attempt_wrong(t, o->span, "an address cannot be a .%s operand", token_text(type));
	use.type_bits = (u8)type_bits(type);
	if (o->symbol->kind == SYM_FUNCTION && s->special && s->symbol) {
		use.low = m->function_address(m->context, o->symbol->function);
		return attempt_push(t, use);
	}
	if (o->symbol->kind != SYM_VARIABLE)
		return attempt_wrong(t, o->span, "'%s' is not a register%s", o->name,
				     s->symbol ? " or a variable" : "");
	const struct ir_variable *v = o->symbol->variable;
	if (!s->symbol && (!o->addend || !takes_constants(t->form, type)))
		return attempt_wrong(t, o->span,
				     "this form does not accept an address operand: move it to a register first");
	if (s->symbol && !symbol_space_fits(t, o, v))
		return false;
	use.low = m->address_of(m->context, v) + (u64)o->addend;
	if (variable_is_of_frame(v))
		use.kind = USE_LOCAL;
	return attempt_push(t, use);
}

/* array[n] where a value stands: the element's address. */
static bool element_value(struct attempt *t, const struct operand_spec *s, const struct ir_operand *o, u16 type)
{
	struct ir_operand symbol = o->items[0];

	if (!o->indexed || o->item_count > 1 || !s->symbol)
		return attempt_wrong(t, o->span, "this kind of operand is not allowed here");
	symbol.addend = o->addend;
	return symbol_value(t, s, &symbol, type);
}

/* Its own width, or a part of it where sizes are relaxed. Those that PTX 1.x had in 16 bits, and the grid's number in
 * 32, are taken in these, too. */
static bool special_agrees(enum sreg sreg, u16 type, bool relaxed)
{
	const struct sreg_info *info = sreg_info(sreg);
	const u32 have = type_bits(info->type), want = type_bits(type);
	const bool was_narrow = sreg == SREG_gridid || (info->ptx == 10 && info->elements == 4);

	if (info->type == T_pred || type_class(type) == 'f')
		return type == info->type;
	return have == want || (relaxed && have > want) || (was_narrow && want == 16) ||
	       (sreg == SREG_gridid && want == 32);
}

/* Registers that change while a warp runs (clocks, masks) are read at the instruction; the rest have rows that are
 * filled once. */
static bool special_value(struct attempt *t, const struct operand_spec *s, const struct ir_operand *o, u16 type)
{
	u8 element;
	const enum sreg sreg = sreg_find(o->name, &element);

	if (sreg == SREG_NONE)
		return attempt_wrong(t, o->span, "'%s' is neither declared nor a special register", o->name);
	const struct sreg_info *info = sreg_info(sreg);
	if (!s->special)
		return attempt_wrong(t, o->span,
				     "this form does not accept special register '%s': move it to a register first",
				     o->name);
	if (element == SREG_WHOLE)
		return attempt_wrong(t, o->span, "special register '%s' needs an element: .x, .y, .z or .w", o->name);
	if (!special_agrees(sreg, type, t->form->row->flags & ISA_RELAXED))
		return attempt_wrong(t, o->span, "special register '%s' has type .%s, expected .%s", o->name,
				     token_text(info->type), token_text(type));
	return attempt_push(t, (struct use){.kind = info->kind == SREG_DYNAMIC ? USE_SREG_READ : USE_SREG,
					    .read = true,
					    .bits = row_bits(type_bits(type)),
					    .type_bits = (u8)type_bits(type),
					    .sreg = (u16)sreg,
					    .element = element,
					    .span = o->span});
}

/* `named`: a type that the row states for this operand. Sizes are relaxed only where the instruction's own type is
 * meant. */
bool attempt_register(struct attempt *t, const struct operand_spec *s, const struct ir_operand *o, u16 type)
{
	const bool relaxed = t->form->row->flags & ISA_RELAXED && !s->named;
	const struct ir_register *r = o->symbol->reg;
	u32 slot = r->index;

	if (r->vector > 1 && o->element != 0xff)
		slot += o->element;
	else if (r->vector > 1)
		return attempt_wrong(t, o->span, "vector register '%s' needs an element: .x, .y, .z or .w", r->name);
	if (type && !types_agree(r->type, type, relaxed, s->named && type_class(type) != 'b'))
		return attempt_wrong(t, o->span, "register '%s' has type .%s, expected .%s", r->name,
				     token_text(r->type), token_text(type));
	if (o->negated && (r->type != T_pred || s->written))
		return attempt_wrong(t, o->span, "only predicates that are read can be negated with '!'");
	return attempt_push(t, (struct use){.kind = USE_REGISTER,
					    .read = s->read,
					    .written = s->written,
					    .negated = o->negated,
					    .bits = row_bits(type_bits(r->type)),
					    .type_bits = (u8)type_bits(r->type),
					    .reg = slot,
					    .span = o->span});
}

/* Is a constant what the row says it may be? */
bool attempt_within_limits(struct attempt *t, const struct operand_spec *s, const struct ir_operand *o)
{
	const u32 bits = type_bits(s->type);
	const bool wraps = (s64)o->value < 0 && bits > 1 && bits < 64;
	const u64 value = wraps ? o->value & ((1ull << bits) - 1) : o->value;

	if (!s->limited || (value >= s->low && value <= s->high && value % s->step == 0))
		return true;
	if (s->low == s->high)
		return attempt_wrong(t, o->span, "the value %lld is out of range: only %llu is allowed",
				     (long long)o->value, (unsigned long long)s->low);
	if (s->step > 1)
		return attempt_wrong(
			t, o->span, "the value %lld is out of range: expected a multiple of %u from %llu to %llu",
			(long long)o->value, s->step, (unsigned long long)s->low, (unsigned long long)s->high);
	return attempt_wrong(t, o->span, "the value %lld is out of range: expected %llu to %llu", (long long)o->value,
			     (unsigned long long)s->low, (unsigned long long)s->high);
}

/* Integers stand for integers and bits, floats for floats and bits of the same width: nothing is converted between
 * them. */
static bool number_value(struct attempt *t, const struct operand_spec *s, const struct ir_operand *o, u16 type)
{
	const char class = (char)type_class(type);

	if (!takes_constants(t->form, type))
		return attempt_wrong(t, o->span, "a constant cannot be a .%s operand of this form", token_text(type));
	if (o->kind == OPERAND_INTEGER) {
		if (!attempt_within_limits(t, s, o))
			return false;
		if (type == T_pred)
			return constant(t, o, type, o->value != 0, 0);
		if (class == 'f')
			return attempt_wrong(t, o->span,
					     "expected a floating-point value (write 0f... or a decimal point)");
		return constant(t, o, type, o->value, !o->is_unsigned && (s64)o->value < 0 ? ~0ull : 0);
	}
	if (class != 'f' && class != 'b')
		return attempt_wrong(t, o->span, "expected an integer, not a floating-point value");
	if (class == 'b' && type_bits(type) != o->float_bits)
		return attempt_wrong(t, o->span, "a floating-point value of %u bits cannot be a .%s operand",
				     o->float_bits, token_text(type));
	return constant(t, o, type, float_immediate(o, type_bits(type)), 0);
}

/* A result is a register or, where the row allows it, '_'. Sources may be anything that has a value. */
bool attempt_scalar(struct attempt *t, const struct operand_spec *s, const struct ir_operand *o, u16 type)
{
	switch (o->kind) {
	case OPERAND_REGISTER:
		return attempt_register(t, s, o, s->kind == '*' ? TOKEN_NONE : type);
	case OPERAND_SINK:
		if (!s->written && !s->droppable)
			return attempt_wrong(t, o->span, "'_' can only replace a result");
		if (!s->droppable)
			return attempt_wrong(t, o->span, "'_' cannot stand for this result");
		return attempt_push(t, (struct use){.kind = USE_ABSENT, .written = s->written, .span = o->span});
	default:
		break;
	}
	if (s->written)
		return attempt_wrong(t, o->span, "expected a register for the result");
	switch (o->kind) {
	case OPERAND_SPECIAL:
		return special_value(t, s, o, type);
	case OPERAND_SYMBOL:
		return symbol_value(t, s, o, type);
	case OPERAND_ADDRESS:
		return element_value(t, s, o, type);
	case OPERAND_INTEGER:
	case OPERAND_FLOAT:
		return number_value(t, s, o, type);
	default:
		return attempt_wrong(t, o->span, "this kind of operand is not allowed here");
	}
}

/* %tid and its like, all elements at once. */
static bool special_vector(struct attempt *t, const struct operand_spec *s, const struct ir_operand *o, u32 count)
{
	u8 element;
	const enum sreg sreg = sreg_find(o->name, &element);

	if (sreg == SREG_NONE || element != SREG_WHOLE || sreg_info(sreg)->elements != count)
		return attempt_wrong(t, o->span, "'%s' has not %u elements", o->name, count);
	for (u32 k = 0; k < count; k++) {
		struct ir_operand one = *o;
		one.name = arena_printf(t->m->arena, "%s.%c", o->name, "xyzw"[k & 3]);
		if (!special_value(t, s, &one, s->type))
			return false;
	}
	return true;
}

/* Registers in one pair of braces are of one width, and of kinds that agree: bits agree with all. *common is the
 * last that is no bits, or the last. */
static bool elements_agree(struct attempt *t, const struct ir_operand *o, u16 *common)
{
	const u16 type = o->kind == OPERAND_REGISTER ? o->symbol->reg->type : TOKEN_NONE;

	if (!type)
		return true;
	if (*common && (type_bits(*common) != type_bits(type) ||
			(type_class(*common) != 'b' && type_class(type) != 'b' && *common != type &&
			 (strchr("us", type_class(*common)) == NULL || strchr("us", type_class(type)) == NULL))))
		return attempt_wrong(t, o->span, "register '%s' of type .%s stands in braces with one of type .%s",
				     o->name, token_text(type), token_text(*common));
	if (!*common || type_class(type) != 'b')
		*common = type;
	return true;
}

/* {a, b, ...}: '_' may stand for some results, not for all. */
static bool elements(struct attempt *t, const struct operand_spec *s, const struct ir_operand *o, u32 count)
{
	struct operand_spec element = *s;
	u16 common = TOKEN_NONE;
	u32 dropped = 0;

	if (o->item_count != count)
		return attempt_wrong(t, o->span, "expected %u elements, found %u", count, o->item_count);
	/* Stores of 256 bits may leave parts of memory as they are. */
	const bool wide_store = t->form->row->flags & ISA_STORE && s->read && count * type_bits(s->type) == 256;
	element.droppable = s->written || wide_store;
	for (u32 k = 0; k < count; k++) {
		/* Among registers, a constant is bits where there are no constants of the type. */
		const bool is_number = o->items[k].kind == OPERAND_INTEGER || o->items[k].kind == OPERAND_FLOAT;
		const u16 bits = type_bits(s->type) == 16 ? T_b16 : T_b32;
		const u16 type = is_number && !takes_constants(t->form, s->type) ? bits : s->type;
		if (!attempt_plain(t, &o->items[k]) || !attempt_scalar(t, &element, &o->items[k], type) ||
		    !elements_agree(t, &o->items[k], &common))
			return false;
		dropped += o->items[k].kind == OPERAND_SINK;
	}
	return dropped < count || attempt_wrong(t, o->span, "'_' cannot stand for every element");
}

/* A whole vector register, a special register with all its elements, '_', or a list in braces. */
bool attempt_vector(struct attempt *t, const struct operand_spec *s, const struct ir_operand *o, u32 count)
{
	t->list_shape = true;
	if (o->kind == OPERAND_REGISTER && count > 1 && o->symbol->reg->vector == count && o->element == 0xff) {
		for (u32 k = 0; k < count; k++) {
			struct ir_operand element = *o;
			element.element = (u8)k;
			if (!attempt_register(t, s, &element, s->type))
				return false;
		}
		return true;
	}
	if (o->kind == OPERAND_SPECIAL && !s->written)
		return special_vector(t, s, o, count);
	if (o->kind == OPERAND_SINK && s->droppable) {
		for (u32 k = 0; k < count; k++)
			if (!attempt_push(t, (struct use){.kind = USE_ABSENT, .written = true, .span = o->span}))
				return false;
		return true;
	}
	if (o->kind != OPERAND_VECTOR)
		return attempt_wrong(t, o->span, "expected a vector of %u elements in braces", count);
	return elements(t, s, o, count);
}
