/* SPDX-License-Identifier: Apache-2.0
 *
 * A search for the least solution: registers begin with nothing, and each instruction adds what it makes of its operands,
 * until nothing changes.
 */
#include "observe/origins.h"

#include "ir/link.h"
#include "isa/form.h"
#include "isa/opcodes.h"

static struct origin only(enum origin_kind kind) { return (struct origin){.kind = kind}; }

static bool is_same(const struct origin *a, const struct origin *b)
{
	return a->kind == b->kind && a->object == b->object && a->offset == b->offset;
}

static bool is_local(const struct origin *a) { return a->kind == ORIGIN_OBJECT && a->object->space == SPACE_LOCAL; }

/* Both point into one object. */
static bool is_same_object(const struct origin *a, const struct origin *b)
{
	return is_same(a, b) || (is_local(a) && is_local(b) && a->object == b->object);
}

/* By a number that is not known. */
static struct origin moved(struct origin a)
{
	if (is_local(&a) && a.offset == ORIGIN_BEGIN)
		a.offset = ORIGIN_ANYWHERE;
	return a;
}

/* Either of two values. */
static struct origin joined(struct origin a, struct origin b)
{
	if (a.kind > b.kind)
		return joined(b, a);
	if (a.kind == ORIGIN_NONE || is_same(&a, &b))
		return b;
	if (is_local(&a) && is_same_object(&a, &b))
		return (struct origin){ORIGIN_OBJECT, a.object, ORIGIN_ANYWHERE};
	if (b.kind == ORIGIN_OBJECT)
		return a.kind == ORIGIN_ZERO ? b : only(ORIGIN_MANY);
	return b;
}

static struct origin sum(struct origin a, struct origin b)
{
	if (a.kind > b.kind)
		return sum(b, a);
	if (a.kind == ORIGIN_NONE)
		return a;
	if (b.kind == ORIGIN_OBJECT)
		return a.kind == ORIGIN_OBJECT ? only(ORIGIN_MANY) : a.kind == ORIGIN_ZERO ? b : moved(b);
	return b.kind == ORIGIN_ZERO ? only(ORIGIN_NUMBER) : b;
}

static struct origin difference(struct origin a, struct origin b)
{
	if (a.kind == ORIGIN_NONE || b.kind == ORIGIN_NONE)
		return only(ORIGIN_NONE);
	if (b.kind == ORIGIN_OBJECT)
		return is_same_object(&a, &b) ? only(ORIGIN_NUMBER) : only(ORIGIN_MANY);
	return sum(a, b);
}

/* Of what is computed in any other way. */
static struct origin mixed(struct origin a, struct origin b)
{
	if (a.kind == ORIGIN_NONE || b.kind == ORIGIN_NONE)
		return only(ORIGIN_NONE);
	if (a.kind >= ORIGIN_OBJECT || b.kind >= ORIGIN_OBJECT)
		return only(ORIGIN_MANY);
	return only(a.kind == ORIGIN_DATA || b.kind == ORIGIN_DATA ? ORIGIN_DATA : ORIGIN_NUMBER);
}

/* --- Operands ---------------------------------------------------------------------------------- */

static bool has_objects(const struct ir_variable *v)
{
	return v->space == SPACE_SHARED || v->space == SPACE_LOCAL || v->space == SPACE_GLOBAL;
}

static struct origin whole(const struct ir_variable *v)
{
	return (struct origin){ORIGIN_OBJECT, v, v->space == SPACE_LOCAL ? ORIGIN_BEGIN : 0};
}

static struct origin all_mixed(const struct origin *registers, const struct ir_operand *o, u32 count);

static struct origin operand(const struct origin *registers, const struct ir_operand *o)
{
	switch (o->kind) {
	case OPERAND_INTEGER:
		return only(o->value ? ORIGIN_NUMBER : ORIGIN_ZERO);
	case OPERAND_FLOAT:
	case OPERAND_SPECIAL:
		return only(ORIGIN_NUMBER);
	case OPERAND_REGISTER:
		if (o->symbol && o->symbol->kind == SYM_REGISTER && o->symbol->reg->vector == 1 && !o->negated &&
		    o->element == 0xff)
			return registers[o->symbol->reg->index];
		break;
	case OPERAND_SYMBOL:
		if (o->symbol && o->symbol->kind == SYM_VARIABLE && has_objects(ir_storage(o->symbol->variable)))
			return whole(ir_storage(o->symbol->variable));
		break;
	case OPERAND_ADDRESS:
		return origins_address(registers, o);
	case OPERAND_VECTOR:
		return all_mixed(registers, o->items, o->item_count);
	default:
		break;
	}
	return only(ORIGIN_MANY);
}

struct origin origins_address(const struct origin *registers, const struct ir_operand *address)
{
	if (!address->item_count)
		return only(ORIGIN_MANY);
	const struct origin base = operand(registers, &address->items[0]);
	return address->item_count == 1 ? base : sum(base, operand(registers, &address->items[1]));
}

/* --- Instructions -------------------------------------------------------------------------------- */

static struct origin all_mixed(const struct origin *registers, const struct ir_operand *o, u32 count)
{
	struct origin a = only(ORIGIN_NUMBER);

	for (u32 k = 0; k < count; k++)
		a = mixed(a, operand(registers, &o[k]));
	return a;
}

static struct origin sources_mixed(const struct origin *registers, const struct ir_instruction *x)
{
	return all_mixed(registers, x->operands + 1, x->operand_count - 1);
}

/* A parameter of the kernel that is as wide as an address. */
static struct origin parameter(const struct ir_instruction *x, const struct form *f)
{
	const struct ir_operand *o = &x->operands[1];

	if (f->param != PARAM_OF_KERNEL || o->item_count != 1 || !o->items[0].symbol ||
	    o->items[0].symbol->kind != SYM_VARIABLE || form_vector(f) != 1 || type_bits(form_type(f, 0)) != 64 ||
	    type_class(form_type(f, 0)) == 'f')
		return only(ORIGIN_DATA);
	return (struct origin){ORIGIN_OBJECT, o->items[0].symbol->variable, o->addend + o->items[0].addend};
}

/* Masks that round an address leave it in its object. */
static struct origin masked(struct origin a, struct origin b)
{
	if (a.kind == ORIGIN_OBJECT && (b.kind == ORIGIN_NUMBER || b.kind == ORIGIN_ZERO))
		return moved(a);
	if (b.kind == ORIGIN_OBJECT && (a.kind == ORIGIN_NUMBER || a.kind == ORIGIN_ZERO))
		return moved(b);
	return mixed(a, b);
}

static struct origin converted(const struct origin *registers, const struct ir_instruction *x, const struct form *f)
{
	const struct origin a = operand(registers, &x->operands[1]);
	const int to = form_type(f, 0), from = form_type(f, 1);
	const bool keeps =
		type_class(to) != 'f' && type_class(from) != 'f' && type_bits(to) >= 32 && type_bits(from) >= 32;

	return keeps ? a : mixed(a, only(ORIGIN_NUMBER));
}

static struct origin computed(const struct origin *registers, const struct ir_instruction *x, const struct form *f)
{
	struct origin a, b;

	if (f->opcode == OP_mov || f->opcode == OP_cvta)
		return operand(registers, &x->operands[1]);
	if (f->opcode == OP_cvt)
		return converted(registers, x, f);
	if (x->operand_count < 3)
		return sources_mixed(registers, x);
	a = operand(registers, &x->operands[1]);
	b = operand(registers, &x->operands[2]);
	switch (f->opcode) {
	case OP_add:
		if (is_local(&a) && a.offset == ORIGIN_BEGIN && x->operands[2].kind == OPERAND_INTEGER &&
		    (s64)x->operands[2].value >= 0)
			return (struct origin){ORIGIN_OBJECT, a.object, (s64)x->operands[2].value};
		return sum(a, b);
	case OP_sub:
		return difference(a, b);
	case OP_and:
	case OP_or:
		return masked(a, b);
	case OP_selp:
		return joined(a, b);
	case OP_mad:
		return x->operand_count > 3 ? sum(mixed(a, b), operand(registers, &x->operands[3])) : mixed(a, b);
	default:
		return sources_mixed(registers, x);
	}
}

/* What the instruction makes of its operands, for register `d` among those that it writes. */
static struct origin written_by(const struct origin *registers, const struct ir_instruction *x, const struct form *f,
				u32 d)
{
	const u32 others = ISA_ATOMIC | ISA_CALL | ISA_CROSS_LANE | ISA_MEMORY | ISA_PARAM;

	if (!f->row || x->operand_count < 2)
		return only(ORIGIN_DATA);
	if (f->param == PARAM_OF_KERNEL && f->opcode == OP_ld && x->operands[0].kind == OPERAND_REGISTER)
		return parameter(x, f);
	if (f->row->flags & others)
		return only(ORIGIN_DATA);
	return d || x->operands[0].kind != OPERAND_REGISTER ? sources_mixed(registers, x) : computed(registers, x, f);
}

static bool add(struct origin *to, struct origin more)
{
	const struct origin before = *to;

	*to = joined(before, more);
	return !is_same(&before, to);
}

/* All registers among an operand that is written. */
static bool add_all(struct origin *registers, const struct ir_operand *o, struct origin more)
{
	bool changed = false;

	if (o->kind == OPERAND_REGISTER && o->symbol && o->symbol->kind == SYM_REGISTER)
		changed = add(&registers[o->symbol->reg->index], more);
	for (u32 k = 0; k < o->item_count; k++)
		changed |= add_all(registers, &o->items[k], more);
	return changed;
}

static bool step(struct origin *registers, const struct ir_instruction *x, const struct form *f)
{
	struct operand_spec specs[FORM_OPERANDS];
	const u32 count = f->row ? isa_operand_specs(f, specs) : 0;
	bool changed = false;

	for (u32 k = 0; k < x->operand_count; k++) {
		if (f->row && k < count && !specs[k].written && specs[k].kind != 'F')
			continue;
		changed |= add_all(registers, &x->operands[k], written_by(registers, x, f, k));
	}
	return changed;
}

const struct origin *origins_find(struct arena *arena, const struct code *code)
{
	const struct ir_function *f = code->function;
	struct origin *registers = ARENA_ARRAY(arena, f->register_slots + (size_t)1, struct origin);

	for (bool changed = true; changed;) {
		changed = false;
		for (u32 k = 0; k < f->body.count; k++)
			changed |= step(registers, &f->body.items[k], &code->forms[k]);
	}
	return registers;
}
