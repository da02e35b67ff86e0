/* SPDX-License-Identifier: Apache-2.0
 *
 * Matching: tries each row that accepts the modifiers until the operands fit, and otherwise says
 * what would have been right. Operand type rules are those of the ISA manual's section 9.2
 * (operand size, agreement of kinds, relaxed sizes).
 */
#include "decode/match.h"

#include <stdarg.h>
#include <string.h>

#include "isa/form.h"
#include "isa/sregs.h"

/* A try at one row: where the operands are collected, and the first thing that was wrong. */
struct attempt {
	struct matcher *m;
	const struct ir_instruction *x;
	const struct spelled_row *row;
	struct form *form;
	struct use uses[FORM_USES]; /* `count` of them */
	u8 bits[FORM_USES];         /* of the registers they are, for picking a meaning */
	u32 count;
	u32 addresses;
	bool list_shape;
	u32 text_operands; /* operands of the text taken so far */
	const char *wrong;
	struct span wrong_at;
};

static bool __attribute__((format(printf, 3, 4))) wrong(struct attempt *t, struct span at, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	t->wrong = arena_vprintf(t->m->arena, format, args);
	va_end(args);
	t->wrong_at = at;
	return false;
}

static u8 row_bits(u32 bits) { return bits == 1 ? 1 : bits <= 32 ? 32 : bits <= 64 ? 64 : 128; }

static bool push(struct attempt *t, struct use use)
{
	if (t->count == FORM_USES)
		return wrong(t, t->x->span, "too many operands");
	t->uses[t->count++] = use;
	return true;
}

/* Do a register's type and an instruction's type agree? */
static bool types_agree(u16 have, u16 want, bool relaxed)
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
		return want_class != 'f';
	if (have_class == 'f' && have_bits != want_bits)
		return want_class == 'b';
	/* Types that no register has want registers of bits. */
	if ((want_class == 'f' && want != T_f16 && want != T_f32 && want != T_f64) || want == T_u16x2 || want == T_s16x2)
		return false;
	return want_class == 'b' || (have_class == 'f') == (want_class == 'f');
}

static u64 float_immediate(const struct ir_operand *o, u32 bits)
{
	if (bits == 64)
		return o->float_bits == 64 ? o->value : bits_of_f64((f64)f32_of_bits((u32)o->value));
	return o->float_bits == 32 ? o->value : bits_of_f32((f32)f64_of_bits(o->value));
}

static bool constant(struct attempt *t, const struct ir_operand *o, u16 type, u64 value, u64 high)
{
	const u32 bits = type_bits(type);
	struct use use = {.kind = USE_CONSTANT, .read = true, .bits = row_bits(bits), .span = o->span};

	use.type_bits = (u8)bits;
	use.low = bits >= 64 ? value : value & ((1ull << bits) - 1);
	use.high = high;
	return push(t, use);
}

static bool symbol_value(struct attempt *t, const struct ir_operand *o, u16 type)
{
	const struct matcher *m = t->m;
	struct use use = {.kind = USE_CONSTANT, .read = true, .bits = row_bits(type_bits(type)), .span = o->span};

	use.type_bits = (u8)type_bits(type);
	if (o->symbol->kind == SYM_FUNCTION) {
		use.low = m->function_address(m->context, o->symbol->function);
		return push(t, use);
	}
	if (o->symbol->kind != SYM_VARIABLE)
		return wrong(t, o->span, "'%s' is not a register, a variable or a function", o->name);
	const struct ir_variable *v = o->symbol->variable;
	use.low = m->address_of(m->context, v) + (u64)o->addend;
	if (variable_is_of_frame(v))
		use.kind = USE_LOCAL;
	return push(t, use);
}

/* array[n] where a value stands: the element's address. */
static bool element_value(struct attempt *t, const struct ir_operand *o, u16 type)
{
	struct ir_operand symbol = o->items[0];

	if (!o->indexed || o->item_count > 1)
		return wrong(t, o->span, "this kind of operand is not allowed here");
	symbol.addend = o->addend;
	return symbol_value(t, &symbol, type ? type : T_b64);
}

static bool special_value(struct attempt *t, const struct ir_operand *o, u16 type, bool relaxed)
{
	u8 element;
	const enum sreg sreg = sreg_find(o->name, &element);

	if (sreg == SREG_NONE)
		return wrong(t, o->span, "'%s' is not declared and is no special register", o->name);
	const struct sreg_info *info = sreg_info(sreg);
	if (element == SREG_WHOLE)
		return wrong(t, o->span, "special register '%s' needs an element: .x, .y, .z or .w", o->name);
	if (info->type == T_pred ? type != T_pred : !relaxed && type_bits(info->type) > type_bits(type) && type_bits(type) != 16)
		return wrong(t, o->span, "special register '%s' has type .%s, expected .%s", o->name,
			     token_text(info->type), token_text(type));
	return push(t, (struct use){.kind = info->kind == SREG_DYNAMIC ? USE_SREG_READ : USE_SREG, .read = true,
				    .bits = row_bits(type_bits(type)), .type_bits = (u8)type_bits(type),
				    .sreg = (u16)sreg, .element = element, .span = o->span});
}

static bool register_value(struct attempt *t, const struct ir_operand *o, u16 type, bool relaxed, bool read,
			   bool written)
{
	const struct ir_register *r = o->symbol->reg;
	u32 slot = r->index;

	if (r->vector > 1 && o->element != 0xff)
		slot += o->element;
	else if (r->vector > 1)
		return wrong(t, o->span, "vector register '%s' needs an element: .x, .y, .z or .w", r->name);
	if (type && !types_agree(r->type, type, relaxed))
		return wrong(t, o->span, "register '%s' has type .%s, expected .%s", r->name,
			     token_text(r->type), token_text(type));
	if (o->negated && r->type != T_pred)
		return wrong(t, o->span, "only predicates can be negated with '!'");
	return push(t, (struct use){.kind = USE_REGISTER, .read = read, .written = written, .negated = o->negated,
				    .bits = row_bits(type_bits(r->type)), .type_bits = (u8)type_bits(r->type),
				    .reg = slot, .span = o->span});
}

/* Is a constant what the row says it may be? */
static bool within_limits(struct attempt *t, const struct operand_spec *s, const struct ir_operand *o)
{
	const u32 bits = type_bits(s->type);
	const u64 value = bits >= 64 ? o->value : o->value & ((1ull << bits) - 1);

	if (!s->limited || (value >= s->low && value <= s->high && value % s->step == 0))
		return true;
	if (s->low == s->high)
		return wrong(t, o->span, "the value %lld is out of range: only %llu is allowed", (long long)o->value,
			     (unsigned long long)s->low);
	if (s->step > 1)
		return wrong(t, o->span, "the value %lld is out of range: expected a multiple of %u from %llu to %llu",
			     (long long)o->value, s->step, (unsigned long long)s->low, (unsigned long long)s->high);
	return wrong(t, o->span, "the value %lld is out of range: expected %llu to %llu", (long long)o->value,
		     (unsigned long long)s->low, (unsigned long long)s->high);
}

/* One scalar operand of a row's word `s`. */
static bool scalar(struct attempt *t, const struct operand_spec *s, const struct ir_operand *o, u16 type)
{
	const bool relaxed = t->form->row->flags & ISA_RELAXED;

	switch (o->kind) {
	case OPERAND_REGISTER:
		return register_value(t, o, s->kind == '*' ? TOKEN_NONE : type, relaxed, s->read, s->written);
	case OPERAND_SINK:
		if (!s->written && !s->optional)
			return wrong(t, o->span, "'_' stands for a result only");
		if (s->kept)
			return wrong(t, o->span, "'_' cannot stand for this result");
		return push(t, (struct use){.kind = USE_ABSENT, .written = s->written && !s->optional, .span = o->span});
	default:
		break;
	}
	if (s->written)
		return wrong(t, o->span, "expected a register for the result");
	switch (o->kind) {
	case OPERAND_SPECIAL:
		return special_value(t, o, type ? type : T_b32, relaxed);
	case OPERAND_SYMBOL:
		if (!o->symbol)
			return wrong(t, o->span, "'%s' is not declared", o->name);
		if (type_class(type) == 'f' || type == T_pred || type_bits(type) < 32)
			return wrong(t, o->span, "an address cannot be a .%s operand", token_text(type));
		return symbol_value(t, o, type ? type : T_b64);
	case OPERAND_ADDRESS:
		return element_value(t, o, type);
	case OPERAND_INTEGER:
		if (!within_limits(t, s, o))
			return false;
		if (type == T_pred)
			return constant(t, o, type, o->value != 0, 0);
		if (type_class(type) == 'f' && type_bits(type) >= 32 && type != T_f16x2 && type != T_bf16x2)
			return wrong(t, o->span, "expected a floating-point value (write 0f... or a decimal point)");
		return constant(t, o, type ? type : T_b32, o->value,
				!o->is_unsigned && (s64)o->value < 0 ? ~0ull : 0);
	case OPERAND_FLOAT:
		if (type_class(type) != 'f' && type_class(type) != 'b')
			return wrong(t, o->span, "expected an integer, not a floating-point value");
		if (type_bits(type) < 32)
			return wrong(t, o->span, "a floating-point literal cannot be a .%s operand", token_text(type));
		return constant(t, o, type, float_immediate(o, type_bits(type)), 0);
	default:
		return wrong(t, o->span, "this kind of operand is not allowed here");
	}
}

static u32 vector_count(const struct form *f, const struct operand_spec *s)
{
	return s->vector != 0xff ? s->vector : form_vector(f);
}

/* %tid and its like, all elements at once. */
static bool special_vector(struct attempt *t, const struct operand_spec *s, const struct ir_operand *o, u32 count)
{
	for (u32 k = 0; k < count; k++) {
		struct ir_operand element = *o;
		element.name = arena_printf(t->m->arena, "%s.%c", o->name, "xyzw"[k & 3]);
		if (!special_value(t, &element, s->type, t->form->row->flags & ISA_RELAXED))
			return false;
	}
	return true;
}

static bool vector(struct attempt *t, const struct operand_spec *s, const struct ir_operand *o, u32 count)
{
	t->list_shape = true;
	if (o->kind == OPERAND_REGISTER && count > 1 && o->symbol->reg->vector == count && o->element == 0xff) {
		for (u32 k = 0; k < count; k++) {
			struct ir_operand element = *o;
			element.element = (u8)k;
			if (!register_value(t, &element, s->type, t->form->row->flags & ISA_RELAXED, s->read,
					    s->written))
				return false;
		}
		return true;
	}
	if (o->kind == OPERAND_SPECIAL && !s->written)
		return special_vector(t, s, o, count);
	if (o->kind != OPERAND_VECTOR)
		return wrong(t, o->span, "expected a vector of %u elements in braces", count);
	if (o->item_count != count)
		return wrong(t, o->span, "expected %u elements, found %u", count, o->item_count);
	for (u32 k = 0; k < count; k++)
		if (!scalar(t, s, &o->items[k], s->type))
			return false;
	return true;
}

/* The state space of a variable that an address names must be the instruction's. */
static bool space_fits(struct attempt *t, const struct ir_operand *o, const struct ir_variable *v)
{
	const struct form *f = t->form;
	static const struct {
		int token;
		enum ir_space space;
	} spaces[] = {{M_global, SPACE_GLOBAL}, {M_shared, SPACE_SHARED}, {M_shared_cta, SPACE_SHARED},
		      {M_shared_cluster, SPACE_SHARED}, {M_local, SPACE_LOCAL}, {M_const, SPACE_CONST}};

	if (t->addresses > 0 || f->row->flags & ISA_PARAM || form_has(f, M_tensor))
		return true;
	for (size_t k = 0; k < COUNT_OF(spaces); k++)
		if (form_pick(f, M_const, M_shared_cluster) == spaces[k].token && v->space != spaces[k].space)
			return wrong(t, o->span, "'%s' is not in the .%s space", v->name,
				     token_text(spaces[k].token));
	return true;
}

static bool address_symbol(struct attempt *t, const struct ir_operand *base, struct use *use)
{
	if (!base->symbol)
		return wrong(t, base->span, "'%s' is not declared", base->name);
	if (base->symbol->kind != SYM_VARIABLE)
		return wrong(t, base->span, "'%s' is not a variable", base->name);
	const struct ir_variable *v = base->symbol->variable;
	if (!space_fits(t, base, v))
		return false;
	use->low = t->m->address_of(t->m->context, v) + (u64)base->addend;
	use->bits = v->space == SPACE_SHARED || v->space == SPACE_LOCAL || v->space == SPACE_PARAM
			    ? 32
			    : (u8)t->m->program->address_bits;
	use->type_bits = use->bits;
	use->kind = USE_CONSTANT;
	t->form->absolute = true;
	const bool of_frame = variable_is_of_frame(v);
	if (t->form->row->flags & ISA_PARAM) {
		if (v->space != SPACE_PARAM)
			return wrong(t, base->span, "'%s' is not in the .param space", v->name);
		use->kind = USE_PARAM_ADDRESS;
		t->form->param = of_frame ? PARAM_OF_FRAME : PARAM_OF_KERNEL;
	} else if (of_frame) {
		use->kind = USE_LOCAL;
	}
	return true;
}

/* array[register + n]: a register that is scaled and added to a constant just before. */
static bool indexed_address(struct attempt *t, const struct ir_operand *o)
{
	const struct ir_operand *index = &o->items[1];
	const struct ir_register *r = index->symbol->reg;
	const u32 bits = type_bits(r->type);
	struct use use = {.read = true, .span = o->span};

	if (!address_symbol(t, &o->items[0], &use))
		return false;
	if (use.kind == USE_PARAM_ADDRESS)
		return wrong(t, o->span, "a parameter cannot be indexed by a register: compute the address first");
	if ((bits != 32 && bits != 64) || type_class(r->type) == 'f')
		return wrong(t, index->span, "register '%s' of type .%s cannot be an index", r->name, token_text(r->type));
	t->form->absolute = false;
	use.frame_relative = use.kind == USE_LOCAL;
	use.kind = USE_REGISTER;
	use.reg = r->index + (index->element != 0xff && r->vector > 1 ? index->element : 0);
	use.index_bits = (u8)bits;
	use.low += (u64)o->addend;
	use.step = o->value;
	t->addresses++;
	return push(t, use) && push(t, (struct use){.kind = USE_OFFSET, .type_bits = 32, .span = o->span});
}

static bool address(struct attempt *t, const struct ir_operand *o)
{
	struct use use = {.read = true, .span = o->span};
	u64 offset = (u64)o->addend;

	if (o->kind != OPERAND_ADDRESS || !o->item_count)
		return wrong(t, o->span, "expected an address in brackets");
	const struct ir_operand *base = &o->items[0];
	if (o->item_count > 1)
		return indexed_address(t, o);
	switch (base->kind) {
	case OPERAND_REGISTER: {
		const struct ir_register *r = base->symbol->reg;
		const u32 bits = type_bits(r->type);
		if ((bits != 32 && bits != 64) || type_class(r->type) == 'f')
			return wrong(t, base->span, "register '%s' of type .%s cannot hold an address", r->name,
				     token_text(r->type));
		use.kind = USE_REGISTER;
		use.reg = r->index + (base->element != 0xff && r->vector > 1 ? base->element : 0);
		use.bits = use.type_bits = (u8)bits;
		break;
	}
	case OPERAND_SYMBOL:
		if (!address_symbol(t, base, &use))
			return false;
		break;
	case OPERAND_INTEGER:
		use.kind = USE_CONSTANT;
		use.bits = use.type_bits = 64;
		use.low = base->value;
		t->form->absolute = true;
		if (t->form->row->flags & ISA_PARAM)
			use.kind = USE_PARAM_ADDRESS, t->form->param = PARAM_OF_KERNEL;
		break;
	default:
		return wrong(t, base->span, "expected a register, a variable or a number as address");
	}
	/* A constant base takes the offset in, so that what is left always fits 32 bits. */
	if (use.kind != USE_REGISTER) {
		use.low += offset;
		offset = 0;
	}
	if ((s64)offset != (s32)offset)
		return wrong(t, o->span, "the address offset does not fit 32 bits");
	t->addresses++;
	return push(t, use) && push(t, (struct use){.kind = USE_OFFSET, .low = offset, .type_bits = 32, .span = o->span});
}

/* [map, {coordinates}] of a tensor copy: the map's address, then the coordinates. */
static bool tensor(struct attempt *t, const struct ir_operand *o)
{
	const struct operand_spec spec = {.read = true, .vector = 1, .kind = 't', .type = T_s32};
	const bool five = form_has(t->form, M_gather4) || form_has(t->form, M_scatter4);
	const u32 count = five ? 5 : (u32)(form_pick(t->form, M_dim1, M_dim5) - M_dim1 + 1);

	if (o->kind != OPERAND_TEXTURE || o->item_count != 2)
		return wrong(t, o->span, "expected [tensor map, {coordinates}]");
	struct ir_operand map = *o;
	map.kind = OPERAND_ADDRESS;
	map.item_count = 1;
	return address(t, &map) && vector(t, &spec, &o->items[1], count);
}

/* A texture, sampler or surface: a handle in a register, or the address of an opaque variable. */
static bool object(struct attempt *t, const struct ir_operand *o)
{
	struct use use = {.kind = USE_CONSTANT, .read = true, .bits = 64, .type_bits = 64, .span = o->span};

	if (o->kind == OPERAND_REGISTER)
		return register_value(t, o, T_b64, false, true, false);
	if (o->kind != OPERAND_SYMBOL || !o->symbol || o->symbol->kind != SYM_VARIABLE)
		return wrong(t, o->span, "expected a texture, sampler or surface, or a register that holds its handle");
	const struct ir_variable *v = o->symbol->variable;
	use.low = t->m->address_of(t->m->context, v);
	if (v->space == SPACE_PARAM)
		use.low += address_map(t->m->program->address_bits)->param_window;
	return push(t, use);
}

/* How many coordinates the form's geometry takes: the fourth of three counts, too. */
static u32 coordinate_count(const struct form *f)
{
	if (form_has(f, M_dim1))
		return 1;
	if (form_has(f, M_dim2) || form_has(f, M_a1d))
		return 2;
	return form_has(f, M_dim3) || form_pick(f, M_a2d, M_a2dms) ? 4 : 0;
}

/* [object, {coordinates}], [texture, sampler, {coordinates}], or [object]. */
static bool texture(struct attempt *t, const struct ir_operand *o)
{
	const struct operand_spec spec = {.read = true, .vector = 1, .kind = 't', .type = T_b32};
	const u32 count = coordinate_count(t->form);
	const bool plain = o->kind == OPERAND_ADDRESS && !count;

	t->list_shape = true;
	if (!plain && (o->kind != OPERAND_TEXTURE || !count || o->item_count < 2 || o->item_count > 3))
		return wrong(t, o->span, count ? "expected [texture, {coordinates}]" : "expected a texture in brackets");
	if (!object(t, &o->items[0]))
		return false;
	if (o->item_count == 3 ? !object(t, &o->items[1]) : !push(t, (struct use){.kind = USE_ABSENT, .span = o->span}))
		return false;
	if (plain)
		return true;
	const struct ir_operand *at = &o->items[o->item_count - 1];
	return count == 1 && at->kind != OPERAND_VECTOR ? scalar(t, &spec, at, T_b32) : vector(t, &spec, at, count);
}

static bool immediate_only(struct attempt *t, const struct operand_spec *s, const struct ir_operand *o)
{
	if (o->kind != OPERAND_INTEGER)
		return wrong(t, o->span, "expected an integer constant");
	if (t->form->immediate_count == COUNT_OF(t->form->immediates))
		return wrong(t, o->span, "too many constants");
	if (!within_limits(t, s, o))
		return false;
	t->form->immediates[t->form->immediate_count++] = (s64)o->value;
	return true;
}

static bool one_operand(struct attempt *t, const struct operand_spec *s, const struct ir_operand *o)
{
	const u32 count = vector_count(t->form, s);

	switch (s->kind) {
	case '@':
		return address(t, o);
	case 'T':
		return tensor(t, o);
	case 'X':
		return texture(t, o);
	case 'L':
	case 'F':
	case 'V':
		return true; /* lowering takes these itself */
	default:
		break;
	}
	if (s->immediate)
		return immediate_only(t, s, o);
	if (s->second != TOKEN_NONE) {
		const bool both = o->kind == OPERAND_PAIR;
		struct operand_spec second = *s;
		if (s->needs_second && (!both || o->items[1].kind == OPERAND_SINK))
			return wrong(t, o->span, "a predicate result must follow after '|'");
		second.type = s->second;
		second.kept = false;
		t->list_shape = true;
		const struct ir_operand *results = both ? &o->items[0] : o;
		if (count > 1 ? !vector(t, s, results, count) : !scalar(t, s, results, s->type))
			return false;
		return both ? scalar(t, &second, &o->items[1], s->second)
			    : push(t, (struct use){.kind = USE_ABSENT, .span = o->span});
	}
	if (o->kind == OPERAND_PAIR && s->type == T_pred && o->items[1].kind == OPERAND_SINK)
		return scalar(t, s, &o->items[0], s->type); /* p|_ where there is no q */
	if (o->kind == OPERAND_PAIR)
		return wrong(t, o->span, "this form has no second result");
	if (count > 1 || s->braces)
		return vector(t, s, o, count);
	return scalar(t, s, o->kind == OPERAND_VECTOR && o->item_count == 1 ? &o->items[0] : o, s->type);
}

/* Where a scalar video instruction's selectors and signs may stand together. */
static bool scalar_video_is_legal(struct attempt *t, const struct ir_instruction *x, bool picks_destination, u32 minus)
{
	const struct form *f = t->form;
	const bool is_vmad = f->row->flags & ISA_MINUS;

	if (picks_destination && (is_vmad || x->operand_count < 4))
		return wrong(t, x->operands[0].span, "the destination of this form takes no selector");
	if (picks_destination && form_pick(f, M_add, M_max))
		return wrong(t, x->operands[0].span, "a destination selector and a second operation exclude each other");
	const bool product = (minus >> 1 ^ minus >> 2) & 1, addend = minus >> 3 & 1;
	if ((product || addend) && form_has(f, M_po))
		return wrong(t, x->span, "'.po' and a minus sign exclude each other");
	if (product && addend)
		return wrong(t, x->span, "the product and c cannot both have a minus sign");
	return true;
}

/* Selectors and signs of video operands, packed for the handler; other forms may have none. */
static bool pack_selectors(struct attempt *t, const struct ir_instruction *x)
{
	const char *texts[4] = {NULL};
	u32 minus = 0;

	for (u32 k = 0; k < x->operand_count && k < 4; k++) {
		if (x->operands[k].kind == OPERAND_ADDRESS && x->operands[k].selector) {
			if (strcmp(x->opcode, "ld") || form_pick(t->form, M_const, M_shared_cluster) != form_pick(t->form, M_global, M_global))
				return wrong(t, x->operands[k].span, "'.unified' is for loads from global memory");
			continue;
		}
		texts[k] = x->operands[k].selector;
		minus |= (u32)x->operands[k].minus << k;
	}
	if (!isa_pack_selectors(t->form->row, texts, minus, &t->form->selects))
		return wrong(t, x->span, "a selector or a minus sign stands where this form takes none of its kind");
	return t->form->row->flags & ISA_SELECT ? scalar_video_is_legal(t, x, texts[0] != NULL, minus) : true;
}

/* '_' for the one result of an instruction without memory: only setp and its like may drop it. */
static bool discards(struct attempt *t, const struct operand_spec *specs)
{
	if (t->list_shape || t->addresses || !t->count || t->uses[0].kind != USE_ABSENT || !t->uses[0].written ||
	    specs[0].type == T_pred)
		return false;
	wrong(t, t->uses[0].span, "'_' cannot stand for this result");
	return true;
}

/* What the row's pattern and its operand words cannot say, its meaning knows. Branches and calls have none. */
static bool is_legal(struct attempt *t)
{
	struct form *f = t->form;

	/* Meanings are picked by the widths of operands that may be left out, too. */
	memset(t->bits + t->count, 0, t->count < FORM_OPERANDS ? FORM_OPERANDS - t->count : 0);
	for (u32 k = 0; k < t->count; k++)
		t->bits[k] = t->uses[k].kind == USE_ABSENT ? 0 : t->uses[k].type_bits;
	f->operand_bits = t->bits;
	f->operand_count = (u8)t->count;
	for (u32 k = 0; k < t->count && k < COUNT_OF(f->constants); k++)
		if (t->uses[k].kind == USE_CONSTANT) {
			f->constant_mask |= (u8)(1u << k);
			f->constants[k] = t->uses[k].low;
		}
	if (f->row->flags & (ISA_UNMODELLED | ISA_BRANCH | ISA_CALL | ISA_RET | ISA_EXIT) || f->row->meaning(f) ||
	    form_is_wide_float(f, 0) || form_is_wide_float(f, 1))
		return true;
	return wrong(t, t->x->span, "these modifiers and operands cannot stand together");
}

static bool try_row(struct attempt *t)
{
	const struct operand_spec *specs = t->row->specs;
	const u32 spec_count = t->row->spec_count;
	const struct ir_instruction *x = t->x;

	if (!pack_selectors(t, x))
		return false;
	if (t->form->row->flags & ISA_CALL)
		return true;
	for (u32 k = 0; k < spec_count; k++) {
		if (t->text_operands == x->operand_count) {
			if (!specs[k].optional)
				return wrong(t, x->span, "expected %u operands, found %u", spec_count,
					     x->operand_count);
			if (specs[k].immediate)
				continue;
			if (!push(t, (struct use){.kind = USE_ABSENT, .span = x->span}))
				return false;
			continue;
		}
		if (!one_operand(t, &specs[k], &x->operands[t->text_operands++]))
			return false;
	}
	if (t->text_operands < x->operand_count)
		return wrong(t, x->operands[t->text_operands].span, "expected %u operands, found %u", spec_count,
			     x->operand_count);
	return !discards(t, specs) && is_legal(t);
}

static void report_no_form(struct matcher *m, const struct ir_instruction *x, const struct spelling *s)
{
	const char *nearest = isa_nearest_form(m->isa, x->opcode, s->modifiers, s->modifier_count);
	const u32 bad = s->bad;

	if (s->end == ISA_NO_OPCODE) {
		diag_error(m->diags, x->opcode_span, "unknown instruction '%s'", x->opcode);
		return;
	}
	if (bad < x->modifier_count)
		diag_error(m->diags, x->modifiers[bad].span, "'.%s' is not a modifier that '%s' takes here",
			   x->modifiers[bad].text, x->opcode);
	else
		diag_error(m->diags, x->opcode_span, "'%s' lacks a type or modifier", x->opcode);
	if (nearest)
		diag_hint(m->diags, "the nearest form is %s", nearest);
}

/* An error, or a warning where only reading is meant; once for each place, though functions are lowered for
 * each kernel that calls them. */
static bool tell_unmodelled(struct matcher *m, const struct ir_instruction *x, const char *text, const char *doc)
{
	for (size_t k = 0; k < m->diags->list.count; k++)
		if (!memcmp(&m->diags->list.items[k].span, &x->opcode_span, sizeof x->opcode_span))
			return m->allow_unmodelled;
	if (m->allow_unmodelled)
		diag_warning(m->diags, x->opcode_span, "'%s' is not modelled", text);
	else
		diag_error(m->diags, x->opcode_span, "'%s' is not modelled", text);
	diag_hint(m->diags, "%s", doc);
	return m->allow_unmodelled;
}

static bool check_needs(struct matcher *m, const struct ir_instruction *x, const struct spelled_row *r)
{
	const struct isa_row *row = r->form.row;
	const struct ir_module *module = m->function->module;
	const u32 ptx = r->ptx, sm = r->sm;
	const bool too_new = module->version && module->version < ptx, too_small = m->arch < sm;
	const bool unsynced = row->flags & ISA_UNSYNCED && m->arch >= 70 && module->version >= 64;
	const bool unmodelled = row->flags & ISA_UNMODELLED;
	const bool plain = row->last && module->version > row->last && (row->last < 20 || module->arch >= 20);
	const bool needs_a = row->flags & ISA_A_TARGET && !too_small && !module->is_sass && !strpbrk(module->target + 3, "af");
	const bool gone = row->flags & ISA_FAMILY_ONLY && m->arch >= (sm < 100 ? 100 : 120);
	char text[160];

	if (!gone && !needs_a && !too_new && !too_small && !unsynced && !unmodelled && !plain)
		return true;
	isa_form_text(&r->form, text, sizeof text);
	if (too_new)
		diag_error(m->diags, x->opcode_span, "'%s' needs PTX ISA %u.%u or later; this module is .version %u.%u",
			   text, ptx / 10, ptx % 10, module->version / 10, module->version % 10);
	else if (too_small || needs_a)
		diag_error(m->diags, x->opcode_span, needs_a ? "'%s' needs target sm_%u%s; the target is sm_%u"
				   : "'%s' needs target sm_%u%s or later; the target is sm_%u",
			   text, sm, row->flags & ISA_A_TARGET ? "a" : "", m->arch);
	else if (gone)
		diag_error(m->diags, x->opcode_span, "'%s' is for sm_%ua and its family only; the target is sm_%u", text, sm, m->arch);
	else if (plain)
		diag_error(m->diags, x->opcode_span, "'%s' needs %sa rounding modifier from PTX ISA %s on", text,
			   row->last < 20 ? ".approx or " : "", row->last < 20 ? "1.4" : "3.2");
	else if (unsynced)
		diag_error(m->diags, x->opcode_span, "'%s' without .sync is not for sm_70 and later from PTX ISA 6.4 on", text);
	else
		return tell_unmodelled(m, x, text, row->doc);
	return false;
}

/* Modules for targets below sm_20 flush subnormals in every f32 instruction that can, also where they are run
 * for a later target. */
static void flush_implicitly(const struct matcher *m, struct form *f)
{
	if (m->function->module->arch >= 20 || m->function->module->is_sass || form_has(f, M_ftz) ||
	    f->token_count == FORM_TOKENS || !strstr(f->row->form, ".ftz"))
		return;
	for (u32 k = 0; k < f->type_count; k++)
		if (f->types[k] == T_f32) {
			f->tokens[f->token_count++] = M_ftz;
			return;
		}
}

static void accept(struct matcher *m, const struct attempt *t, struct matched *result)
{
	u8 *bits = ARENA_ARRAY(m->kept, max_u32(t->count, FORM_OPERANDS), u8);

	result->use_count = t->count;
	result->uses = ARENA_ARRAY(m->arena, t->count + 1, struct use);
	memcpy(result->uses, t->uses, t->count * sizeof *t->uses);
	memcpy(bits, t->bits, t->count);
	result->form.operand_bits = bits;
	result->address_count = t->addresses;
	result->has_list_shape = t->list_shape;
}

/* All but the room for operands, which is large. */
static void attempt_start(struct attempt *t)
{
	t->count = t->addresses = t->text_operands = 0;
	t->list_shape = false;
	t->wrong = NULL;
}

void match_instruction(struct matcher *m, const struct ir_instruction *x, struct matched *result)
{
	const char *best = NULL;
	struct span best_at = x->span;
	u32 best_taken = 0;
	struct attempt t;

	memset(result, 0, sizeof *result);
	if (x->modifier_count > FORM_TOKENS) {
		diag_error(m->diags, x->opcode_span, "'%s' has too many modifiers", x->opcode);
		return;
	}
	struct spelling *spelling = spelling_of(m->spellings, x);
	t.m = m;
	t.x = x;
	t.form = &result->form;
	for (u32 n = 0;; n++) {
		const struct spelled_row *row = spelling_row(m->spellings, spelling, n);
		if (!row)
			break;
		attempt_start(&t);
		t.row = row;
		result->form = row->form;
		result->form.arch = m->arch;
		if (try_row(&t)) {
			accept(m, &t, result);
			result->ok = check_needs(m, x, row);
			flush_implicitly(m, &result->form);
			return;
		}
		if (!best || t.text_operands > best_taken) {
			best = t.wrong;
			best_at = t.wrong_at;
			best_taken = t.text_operands;
		}
	}
	memset(&result->form, 0, sizeof result->form);
	if (best)
		diag_error(m->diags, best_at, "%s: %s", x->opcode, best);
	else
		report_no_form(m, x, spelling);
}

bool matched_is(const struct matched *m, const char *opcode)
{
	const size_t length = strlen(opcode);

	return !strncmp(m->form.row->form, opcode, length) && strchr("([.", m->form.row->form[length]);
}

bool matched_become(const struct rewriting *r, struct matched *m, const char *opcode, const char **texts, u32 text_count,
		    struct use *uses, u32 count)
{
	struct form form = {0};
	u32 row, bad;

	if (isa_match_form(r->isa, opcode, texts, text_count, 0, &form, &row, &bad) != ISA_MATCHED)
		return false;
	u8 *bits = ARENA_ARRAY(r->kept, FORM_OPERANDS, u8);
	for (u32 u = 0; u < count; u++)
		bits[u] = uses[u].type_bits;
	form.arch = r->arch;
	form.operand_count = (u8)count;
	form.operand_bits = bits;
	m->form = form;
	m->uses = uses;
	m->use_count = count;
	return true;
}
