/* SPDX-License-Identifier: Apache-2.0
 *
 * A search backwards from an address, over all definitions of each register that it meets.
 */
#include "decode/pointer_origin.h"

enum { REGISTERS_MOST = 64 };

struct search {
	const struct code *code;
	const struct ir_variable *param;
	u32 pointer_bits;
	const struct ir_register *seen[REGISTERS_MOST];
	u32 seen_count;
};

/* Pointers live in registers of their width; a narrower one is an index. */
static void meet(struct search *s, const struct ir_register *r)
{
	if (type_bits(r->type) != s->pointer_bits)
		return;
	for (u32 k = 0; k < s->seen_count; k++)
		if (s->seen[k] == r)
			return;
	if (s->seen_count < REGISTERS_MOST)
		s->seen[s->seen_count++] = r;
}

static void meet_operand(struct search *s, const struct ir_operand *o)
{
	if (o->symbol && o->symbol->kind == SYM_REGISTER)
		meet(s, o->symbol->reg);
	for (u32 k = 0; k < o->item_count; k++)
		meet_operand(s, &o->items[k]);
}

static bool mentions(const struct ir_operand *o, const void *what)
{
	if (o->symbol && (o->symbol->reg == what || o->symbol->variable == what))
		return true;
	for (u32 k = 0; k < o->item_count; k++)
		if (mentions(&o->items[k], what))
			return true;
	return false;
}

static const struct form *form_at(const struct search *s, u32 k)
{
	const struct form *f = &s->code->forms[k];

	return f->row ? f : NULL;
}

/* The instruction writes the register: does its value come from the parameter? If it is computed, from what? */
static bool follow(struct search *s, const struct ir_instruction *x, const struct form *f)
{
	if (f->row->flags & (ISA_MEMORY | ISA_PARAM | ISA_ATOMIC | ISA_CALL))
		return x->operand_count > 1 && mentions(&x->operands[1], s->param);
	for (u32 k = 1; k < x->operand_count; k++)
		meet_operand(s, &x->operands[k]);
	return false;
}

static bool find_definitions(struct search *s, const struct ir_register *r)
{
	const struct ir_function *function = s->code->function;
	struct operand_spec specs[FORM_OPERANDS];

	for (u32 k = 0; k < function->body.count; k++) {
		const struct ir_instruction *x = &function->body.items[k];
		const struct form *f = form_at(s, k);
		if (!f || !x->operand_count || !mentions(&x->operands[0], r))
			continue;
		if (isa_operand_specs(f, specs) && specs[0].written && follow(s, x, f))
			return true;
	}
	return false;
}

bool pointer_comes_from(const struct code *code, u32 index, const struct ir_variable *param)
{
	struct search s = {.code = code, .param = param, .pointer_bits = (u32)param->size * 8};
	const struct ir_instruction *x = &code->function->body.items[index];

	if (code->function->listing)
		return false;
	for (u32 k = 0; k < x->operand_count; k++)
		if (x->operands[k].kind == OPERAND_ADDRESS)
			meet_operand(&s, &x->operands[k]);
	for (u32 k = 0; k < s.seen_count; k++)
		if (find_definitions(&s, s.seen[k]))
			return true;
	return false;
}
