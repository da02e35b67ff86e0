/* SPDX-License-Identifier: Apache-2.0
 *
 * Which loops wait for what other threads do: those in which something may wait, unless they only count (counting.c). Lanes
 * that go around one give others a turn after a few rounds, and lanes that wait where lanes meet go on without them; in any
 * other loop they go on for a whole turn first. So a wait that is missed here costs time, not results.
 */
#include "decode/lowering.h"

#include <string.h>

static bool has_modifier(const struct ir_instruction *x, const char *text)
{
	for (u32 k = 0; k < x->modifier_count; k++)
		if (!strcmp(x->modifiers[k].text, text))
			return true;
	return false;
}

/* By its name alone, as functions that are called are not matched yet. */
static bool name_waits(const struct ir_instruction *x)
{
	static const enum opcode opcodes[] = {OP_atom, OP_mbarrier, OP_bar, OP_barrier};
	static const char *const modifiers[] = {"volatile", "relaxed", "acquire", "cv"};

	for (size_t k = 0; k < COUNT_OF(opcodes); k++)
		if (!strcmp(x->opcode, opcode_text(opcodes[k])))
			return true;
	for (size_t k = 0; k < COUNT_OF(modifiers); k++)
		if (has_modifier(x, modifiers[k]))
			return true;
	return false;
}

static bool *function_entry(const struct lowering *low, bool *of, const struct ir_function *f)
{
	const u32 number = layout_function_number(low, f);

	return number == LOOKUP_NONE ? NULL : &of[number];
}

/* Does one of the functions wait that a register may call? Kernels are none of them. */
static bool any_waits(const struct lowering *low, const bool *waits)
{
	for (u32 k = 0; k < low->all_function_count; k++)
		if (waits[k] && !low->all_functions[k]->is_entry)
			return true;
	return false;
}

/* Does the instruction call a function that waits? One that it finds in a register may be any. */
static bool calls_waiting(struct lowering *low, bool *waits, const struct ir_instruction *x)
{
	if (strcmp(x->opcode, opcode_text(OP_call)))
		return false;
	for (u32 k = 0; k < x->operand_count; k++) {
		const struct ir_operand *o = &x->operands[k];
		if (!o->symbol || o->symbol->kind != SYM_FUNCTION)
			continue;
		const bool *entry = function_entry(low, waits, layout_definition(low, o->symbol->function));
		return entry && *entry;
	}
	return any_waits(low, waits);
}

static bool body_waits(struct lowering *low, bool *waits, const struct ir_function *f)
{
	for (size_t k = 0; k < f->body.count; k++)
		if (name_waits(&f->body.items[k]) || calls_waiting(low, waits, &f->body.items[k]))
			return true;
	return false;
}

/* Round after round, until no function is found to call one that waits. */
static void find_waiting_functions(struct lowering *low)
{
	bool found = true;

	low->waits = ARENA_ARRAY(low->arena, low->all_function_count + 1, bool);
	while (found) {
		found = false;
		for (u32 k = 0; k < low->all_function_count; k++)
			if (!low->waits[k] && body_waits(low, low->waits, low->all_functions[k]))
				low->waits[k] = found = true;
	}
}

static bool may_wait(const struct emitter *e, u32 k)
{
	const struct form *f = &e->matched[k].form;

	if (!f->row)
		return false;
	if (f->row->flags & (ISA_ATOMIC | ISA_SYNC) || form_pick(f, M_volatile, M_acquire) || form_has(f, M_cv))
		return true;
	if (!(f->row->flags & ISA_CALL))
		return false;
	if (!e->low->waits)
		find_waiting_functions(e->low);
	return calls_waiting(e->low, e->low->waits, &e->function->body.items[k]);
}

/* Loops may be nested as deep as the text is long, so each instruction is looked at once for all of them. */
bool spin_loop_waits(struct emitter *e, u32 first, u32 last)
{
	const u32 count = (u32)e->function->body.count;

	if (!e->waits_before) {
		e->waits_before = ARENA_ARRAY(e->low->scratch, count + 1ull, u32);
		for (u32 k = 0; k < count; k++)
			e->waits_before[k + 1] = e->waits_before[k] + may_wait(e, k);
	}
	return e->waits_before[last] > e->waits_before[first] && !counting_loop(e, first, last);
}
