/* SPDX-License-Identifier: Apache-2.0
 *
 * The flow of values through a function's registers, whatever the order of its instructions.
 */
#include "observe/race_validated.h"

#include <stdlib.h>

#include "observe/classes.h"

static const struct ir_register *register_of(const struct ir_operand *o)
{
	return o->kind == OPERAND_REGISTER && o->symbol && o->symbol->kind == SYM_REGISTER ? o->symbol->reg : NULL;
}

static const struct ir_operand *address_of(const struct ir_instruction *x)
{
	for (u32 k = 0; k < x->operand_count; k++)
		if (x->operands[k].kind == OPERAND_ADDRESS)
			return &x->operands[k];
	return NULL;
}

static bool is_memory(const struct code *code, u32 k)
{
	return !code->forms[k].row || code->forms[k].row->flags & (ISA_MEMORY | ISA_CALL | ISA_BRANCH);
}

/* The only instruction that writes the register, if it copies another: mov, cvta. */
static const struct ir_register *copied_from(const struct code *code, const struct ir_register *r)
{
	const struct ir_function *f = code->function;
	const struct ir_register *from = NULL;
	u32 writers = 0;

	for (u32 k = 0; k < f->body.count; k++) {
		const struct ir_instruction *x = &f->body.items[k];
		if (!x->operand_count || register_of(&x->operands[0]) != r || !code->forms[k].row)
			continue;
		writers++;
		const bool copies = code->forms[k].opcode == OP_mov || code->forms[k].opcode == OP_cvta;
		from = copies && x->operand_count == 2 ? register_of(&x->operands[1]) : NULL;
	}
	return writers == 1 ? from : NULL;
}

static const struct ir_register *root_of(const struct code *code, const struct ir_operand *address)
{
	enum { STEPS = 16 };
	const struct ir_register *r = address->item_count == 1 ? register_of(&address->items[0]) : NULL;

	for (u32 k = 0; r && k < STEPS; k++) {
		const struct ir_register *from = copied_from(code, r);
		if (!from)
			break;
		r = from;
	}
	return r;
}

static bool same_place(const struct code *code, const struct ir_operand *a, const struct ir_operand *b)
{
	const struct ir_register *r = a && b && a->addend == b->addend ? root_of(code, a) : NULL;

	return r && r == root_of(code, b);
}

/* Marks the registers that an operand names, or asks whether one is marked. */
static bool visit(const struct ir_operand *o, bool *marks, bool mark)
{
	const struct ir_register *r = register_of(o);
	bool any = r && marks[r->index];

	if (r && mark)
		marks[r->index] = true;
	for (u32 k = 0; k < o->item_count; k++)
		any |= visit(&o->items[k], marks, mark);
	return any;
}

static bool is_predicate(const struct ir_operand *o)
{
	const struct ir_register *r = register_of(o);

	return r && r->type == T_pred;
}

static void spread(const struct code *code, bool *marks)
{
	const struct ir_function *f = code->function;

	for (bool changed = true; changed;) {
		changed = false;
		for (u32 k = 0; k < f->body.count; k++) {
			const struct ir_instruction *x = &f->body.items[k];
			bool reads = false;
			if (is_memory(code, k) || x->operand_count < 2 || is_predicate(&x->operands[0]))
				continue;
			for (u32 n = 1; n < x->operand_count; n++)
				reads |= visit(&x->operands[n], marks, false);
			if (reads && !visit(&x->operands[0], marks, false)) {
				visit(&x->operands[0], marks, true);
				changed = true;
			}
		}
	}
}

bool race_is_validated(const struct code *code, u32 load)
{
	const struct ir_function *f = code->function;
	const struct ir_operand *address = load < f->body.count ? address_of(&f->body.items[load]) : NULL;
	bool found = false;

	if (!address || f->listing)
		return false;
	bool *marks = calloc(f->registers.count + 1, sizeof *marks);
	if (!marks)
		return false;
	visit(&f->body.items[load].operands[0], marks, true);
	spread(code, marks);
	for (u32 k = 0; k < f->body.count && !found; k++) {
		const struct ir_instruction *x = &f->body.items[k];
		if (!code->forms[k].row || !(code->forms[k].row->flags & ISA_ATOMIC) ||
		    !form_has(&code->forms[k], M_cas) || x->operand_count < 4)
			continue;
		found = visit(&x->operands[2], marks, false) && same_place(code, address, address_of(x));
	}
	free(marks);
	return found;
}

/* Does a branch depend on a marked register? */
static bool is_branched_on(const struct code *code, bool *marks)
{
	const struct ir_function *f = code->function;
	const struct ir_register *asked;

	for (u32 k = 0; k < f->body.count; k++) {
		const struct ir_instruction *x = &f->body.items[k];
		bool reads = false;
		if (x->operand_count < 2 || !is_predicate(&x->operands[0]))
			continue;
		for (u32 n = 1; n < x->operand_count; n++)
			reads |= visit(&x->operands[n], marks, false);
		asked = reads ? register_of(&x->operands[0]) : NULL;
		for (u32 n = 0; asked && n < f->body.count; n++)
			if (code->forms[n].row && code->forms[n].row->flags & ISA_BRANCH && f->body.items[n].guard &&
			    f->body.items[n].guard->kind == SYM_REGISTER && f->body.items[n].guard->reg == asked)
				return true;
	}
	return false;
}

/* The registers that what an instruction loads goes into; NULL: no memory. */
static bool *spread_from(const struct code *code, u32 load)
{
	const struct ir_instruction *x = &code->function->body.items[load];
	bool *marks = calloc(code->function->registers.count + 1, sizeof *marks);

	if (!marks)
		return NULL;
	visit(&x->operands[0], marks, true);
	spread(code, marks);
	return marks;
}

static bool is_kept(const struct code *code, u32 load)
{
	const struct ir_function *f = code->function;
	bool *marks = spread_from(code, load), kept = false;

	for (u32 k = 0; marks && k < f->body.count && !kept; k++) {
		const struct ir_instruction *x = &f->body.items[k];
		for (u32 n = 0; k != load && is_memory(code, k) && n < x->operand_count; n++)
			kept |= visit(&x->operands[n], marks, false);
	}
	free(marks);
	return kept;
}

/* Does it wait for the values of volatile words? */
static bool waits_for_volatile(const struct code *code)
{
	bool waits = false;

	for (u32 k = 0; k < code->function->body.count && !waits; k++) {
		const struct form *f = &code->forms[k];
		if (!f->row || !(f->row->flags & ISA_MEMORY) || !form_has(f, M_volatile) ||
		    !code->function->body.items[k].operand_count)
			continue;
		bool *marks = spread_from(code, k);
		waits = marks && is_branched_on(code, marks);
		free(marks);
	}
	return waits;
}

bool race_steps_together(const struct code *code, u32 load)
{
	const struct ir_function *f = code->function;

	return load < f->body.count && !f->listing && f->body.items[load].operand_count && is_kept(code, load) &&
	       !waits_for_volatile(code);
}
