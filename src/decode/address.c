/* SPDX-License-Identifier: Apache-2.0
 *
 * Operands in brackets: addresses, tensor maps and textures with their coordinates.
 */
#include "decode/attempt.h"

#include "decode/form_address.h"
#include "isa/form.h"

/* A variable that an address names must be in the instruction's state space; a generic address reaches global,
 * shared and local memory. */
static bool space_fits(struct attempt *t, const struct operand_spec *s, const struct ir_operand *o,
		       const struct ir_variable *v)
{
	enum ir_space space = form_space_of(t->form, t->addresses);

	if (space == SPACE_GENERIC && s->type == M_any)
		return true;
	if (v->type >= T_texref && v->type <= T_surfref)
		return attempt_wrong(t, o->span, "'%s' is a .%s, not memory", v->name, token_text(v->type));
	if (space == SPACE_GENERIC && s->type != TOKEN_NONE)
		space = form_token_space(s->type);
	if (space == SPACE_GENERIC)
		return v->space == SPACE_GLOBAL || v->space == SPACE_SHARED || v->space == SPACE_LOCAL ||
		       attempt_wrong(t, o->span, "a generic address cannot be '%s': it is in the .%s space", v->name,
				     ir_space_word(v->space));
	return v->space == space ||
	       attempt_wrong(t, o->span, "'%s' is not in the .%s space", v->name, ir_space_word(space));
}

/* Is the variable a parameter that a function was given, or a result it gives, which the form must not store to or load? */
static bool is_one_way(const struct ir_variable *v, bool stores)
{
	const struct ir_function *f = v->owner;

	if (stores)
		return v->index < f->params.count && f->params.items[v->index] == v;
	return v->index < f->returns.count && f->returns.items[v->index] == v;
}

/* A function's parameters and results, and a caller's arguments, are registers of the hardware, of which constant
 * offsets pick bytes: they need no alignment, but end where the variable does. */
static bool frame_param(struct attempt *t, const struct ir_operand *base, s64 offset)
{
	const struct ir_variable *v = base->symbol->variable;
	const u64 element = (type_bits(form_type(t->form, 0)) + 7) / 8, bytes = element * form_vector(t->form);
	const u64 size = v->unsized ? UNSIZED_BYTES : v->size;

	if (offset < 0 || bytes > size || (u64)offset > size - bytes)
		return attempt_wrong(t, base->span, "%llu bytes at '%s%+lld' reach outside of '%s' (%llu bytes)",
				     (unsigned long long)bytes, v->name, (long long)offset, v->name,
				     (unsigned long long)size);
	const u64 at = t->m->address_of(t->m->context, v) + (u64)offset;
	t->form->param = at % element ? PARAM_OF_FRAME_BYTES : PARAM_OF_FRAME;
	return true;
}

/* Where a generic address names a variable of shared or local memory: the window of its space, else 0. */
static u64 generic_window(const struct attempt *t, const struct ir_variable *v)
{
	const struct address_map *map = address_map(t->m->program->address_bits);

	if (form_space_of(t->form, t->addresses) != SPACE_GENERIC)
		return 0;
	return v->space == SPACE_SHARED ? map->shared_window : v->space == SPACE_LOCAL ? map->local_window : 0;
}

static bool address_symbol(struct attempt *t, const struct operand_spec *s, const struct ir_operand *base,
			   struct use *use)
{
	if (!base->symbol)
		return attempt_wrong(t, base->span, "'%s' is not declared", base->name);
	if (base->symbol->kind != SYM_VARIABLE)
		return attempt_wrong(t, base->span, "'%s' is not a variable", base->name);
	const struct ir_variable *v = base->symbol->variable;
	if (!space_fits(t, s, base, v))
		return false;
	const u64 window = generic_window(t, v);
	const bool narrow = v->space == SPACE_SHARED || v->space == SPACE_LOCAL || v->space == SPACE_PARAM;
	use->low = t->m->address_of(t->m->context, v) + window + (u64)base->addend;
	use->bits = narrow && !window ? 32 : (u8)t->m->program->address_bits;
	use->type_bits = use->bits;
	use->kind = USE_CONSTANT;
	t->form->absolute = true;
	const bool of_frame = variable_is_of_frame(v);
	if (t->form->row->flags & ISA_PARAM) {
		const bool stores = t->form->row->flags & ISA_STORE;
		if (is_one_way(v, stores))
			return attempt_wrong(t, base->span, "'%s' is a %s, which cannot be %s", v->name,
					     stores ? "parameter" : "result", stores ? "written" : "read");
		use->kind = USE_PARAM_ADDRESS;
		t->form->param = PARAM_OF_KERNEL;
	} else if (of_frame) {
		use->kind = USE_LOCAL;
	}
	return true;
}

/* array[register + n]: a register that is scaled and added to a constant just before. */
static bool indexed_address(struct attempt *t, const struct operand_spec *s, const struct ir_operand *o)
{
	const struct ir_operand *index = &o->items[1];
	const struct ir_register *r = index->symbol->reg;
	const u32 bits = type_bits(r->type);
	struct use use = {.read = true, .span = o->span};

	if (!address_symbol(t, s, &o->items[0], &use))
		return false;
	if (use.kind == USE_PARAM_ADDRESS)
		return attempt_wrong(t, o->span,
				     "a parameter cannot be indexed by a register: compute the address first");
	if ((bits != 32 && bits != 64) || type_class(r->type) == 'f')
		return attempt_wrong(t, index->span, "register '%s' of type .%s cannot be an index", r->name,
				     token_text(r->type));
	t->form->absolute = false;
	use.frame_relative = use.kind == USE_LOCAL;
	use.kind = USE_REGISTER;
	use.reg = r->index + (index->element != 0xff && r->vector > 1 ? index->element : 0);
	use.index_bits = (u8)bits;
	use.low += (u64)o->addend;
	use.step = o->value;
	t->addresses++;
	return attempt_push(t, use) &&
	       attempt_push(t, (struct use){.kind = USE_OFFSET, .type_bits = 32, .span = o->span});
}

/* The register that an address starts from. */
static bool address_register(struct attempt *t, const struct ir_operand *base, struct use *use)
{
	const struct ir_register *r = base->symbol->reg;
	const u32 bits = type_bits(r->type);

	if (base->negated)
		return attempt_wrong(t, base->span, "only predicates that are read can be negated with '!'");
	if ((bits != 32 && bits != 64) || type_class(r->type) == 'f')
		return attempt_wrong(t, base->span, "register '%s' of type .%s cannot hold an address", r->name,
				     token_text(r->type));
	use->kind = USE_REGISTER;
	use->reg = r->index + (base->element != 0xff && r->vector > 1 ? base->element : 0);
	use->bits = use->type_bits = (u8)bits;
	return true;
}

/* What an address starts from: a register, a variable, or a number in the local space. */
static bool address_base(struct attempt *t, const struct operand_spec *s, const struct ir_operand *base,
			 struct use *use)
{
	switch (base->kind) {
	case OPERAND_REGISTER:
		return address_register(t, base, use);
	case OPERAND_SYMBOL:
		return address_symbol(t, s, base, use);
	case OPERAND_INTEGER:
		if (form_space_of(t->form, t->addresses) != SPACE_LOCAL)
			return attempt_wrong(t, base->span, "only an address in the .local space can be a number");
		use->kind = USE_CONSTANT;
		use->bits = use->type_bits = 64;
		use->low = base->value;
		t->form->absolute = true;
		return true;
	default:
		return attempt_wrong(t, base->span, "expected a register, a variable or a number as address");
	}
}

bool attempt_address(struct attempt *t, const struct operand_spec *s, const struct ir_operand *o)
{
	struct use use = {.read = true, .span = o->span};
	u64 offset = (u64)o->addend;

	if (o->kind != OPERAND_ADDRESS || !o->item_count)
		return attempt_wrong(t, o->span, "expected an address in brackets");
	const struct ir_operand *base = &o->items[0];
	if (!attempt_plain(t, base))
		return false;
	if (o->item_count > 1)
		return indexed_address(t, s, o);
	if (!address_base(t, s, base, &use))
		return false;
	if (use.kind == USE_PARAM_ADDRESS && variable_is_of_frame(base->symbol->variable) &&
	    !frame_param(t, base, (s64)((u64)base->addend + offset)))
		return false;
	/* A constant base takes the offset in, so that what is left always fits 32 bits. */
	if (use.kind != USE_REGISTER) {
		use.low += offset;
		offset = 0;
	}
	/* A 32-bit register and its offset wrap around; an offset too wide for a word is added to a 64-bit one before. */
	if (use.bits == 32)
		offset = (u64)(s64)(s32)offset;
	if ((s64)offset != (s32)offset) {
		use.index_bits = 64;
		use.low = offset;
		use.step = 1;
		offset = 0;
	}
	t->addresses++;
	return attempt_push(t, use) &&
	       attempt_push(t, (struct use){.kind = USE_OFFSET, .low = offset, .type_bits = 32, .span = o->span});
}

/* [map, {coordinates}] of a tensor copy: the map's address, then the coordinates. */
bool attempt_tensor(struct attempt *t, const struct operand_spec *s, const struct ir_operand *o)
{
	const struct operand_spec spec = {.read = true, .vector = 1, .kind = 't', .type = T_s32, .named = true};
	const bool five = form_has(t->form, M_gather4) || form_has(t->form, M_scatter4);
	const u32 count = five ? 5 : (u32)(form_pick(t->form, M_dim1, M_dim5) - M_dim1 + 1);

	if (o->kind != OPERAND_TEXTURE || o->item_count != 2)
		return attempt_wrong(t, o->span, "expected [tensor map, {coordinates}]");
	struct ir_operand map = *o;
	map.kind = OPERAND_ADDRESS;
	map.item_count = 1;
	return attempt_address(t, s, &map) && attempt_vector(t, &spec, &o->items[1], count);
}

/* A texture, sampler or surface: a handle in a register, or the address of an opaque variable of its type. */
static bool object(struct attempt *t, const struct ir_operand *o, u16 type)
{
	const struct operand_spec handle = {.read = true, .vector = 1, .kind = 't', .type = T_u64, .named = true};
	struct use use = {.kind = USE_CONSTANT, .read = true, .bits = 64, .type_bits = 64, .span = o->span};

	if (o->kind == OPERAND_REGISTER) {
		t->ptx = 31;
		t->sm = 20;
		return attempt_register(t, &handle, o, T_u64);
	}
	if (o->kind != OPERAND_SYMBOL || o->addend || !o->symbol || o->symbol->kind != SYM_VARIABLE ||
	    o->symbol->variable->type != type)
		return attempt_wrong(t, o->span, "expected a .%s, or a register that holds its handle",
				     token_text(type));
	const struct ir_variable *v = o->symbol->variable;
	use.low = t->m->address_of(t->m->context, v);
	if (v->space == SPACE_PARAM)
		use.low += address_map(t->m->program->address_bits)->param_window;
	return attempt_push(t, use);
}

/* The coordinates: integers, or of the form's second type; an array's index in front is an integer. Two or four where
 * fewer are asked for are taken, and those behind have no effect. */
static bool coordinates(struct attempt *t, const struct ir_operand *given, u32 count)
{
	struct ir_operand taken = *given;
	const struct ir_operand *o = &taken;
	const u16 type = (u16)form_type(t->form, 1);
	const struct operand_spec index = {.read = true, .vector = 1, .kind = 't', .type = T_u32, .named = true};
	const struct operand_spec place = {
		.read = true, .vector = 1, .kind = 't', .type = type ? type : T_s32, .named = true};
	const bool layered =
		form_pick(t->form, M_a1d, M_a2d) || form_has(t->form, M_acube) || form_has(t->form, M_a2dms);

	if (count == 1 && o->kind != OPERAND_VECTOR)
		return attempt_scalar(t, &place, o, place.type);
	if (o->kind == OPERAND_VECTOR && o->item_count > count && (o->item_count == 2 || o->item_count == 4))
		taken.item_count = count;
	if (!layered || o->kind != OPERAND_VECTOR || o->item_count != count)
		return attempt_vector(t, &place, o, count);
	for (u32 k = 0; k < count; k++)
		if (!attempt_plain(t, &o->items[k]) ||
		    !attempt_scalar(t, k ? &place : &index, &o->items[k], k ? place.type : T_u32))
			return false;
	return true;
}

/* [object, {coordinates}], [texture, sampler, {coordinates}], or [object]. */
bool attempt_texture(struct attempt *t, const struct operand_spec *s, const struct ir_operand *o)
{
	const u32 count = form_coordinates(t->form), most = s->kind == 'X' ? 3 : 2;
	const bool plain = o->kind == OPERAND_ADDRESS && !count;
	const u16 type = s->kind == 'X' ? T_texref : T_surfref;

	t->list_shape = true;
	if (plain ? o->addend : o->kind != OPERAND_TEXTURE || !count || o->item_count < 2 || o->item_count > most)
		return attempt_wrong(t, o->span, count ? "expected [%s, {coordinates}]" : "expected a %s in brackets",
				     s->kind == 'X' ? "texture" : "surface");
	const bool is_sampler = plain && type == T_texref && o->items[0].kind == OPERAND_SYMBOL && o->items[0].symbol &&
				o->items[0].symbol->kind == SYM_VARIABLE &&
				o->items[0].symbol->variable->type == T_samplerref;
	if (!object(t, &o->items[0], is_sampler ? T_samplerref : type))
		return false;
	if (o->item_count == 3 ? !object(t, &o->items[1], T_samplerref)
			       : !attempt_push(t, (struct use){.kind = USE_ABSENT, .span = o->span}))
		return false;
	if (plain)
		return true;
	return coordinates(t, &o->items[o->item_count - 1], count);
}
