/* SPDX-License-Identifier: Apache-2.0
 *
 * Which loops wait for what other threads do. Lanes that go around one give others a turn after a few rounds; in
 * any other loop they go on for a whole turn. So a wait that is missed here costs time, not results.
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
	static const char *const opcodes[] = {"atom", "mbarrier", "bar", "barrier"};
	static const char *const modifiers[] = {"volatile", "relaxed", "acquire", "cv"};

	for (size_t k = 0; k < COUNT_OF(opcodes); k++)
		if (!strcmp(x->opcode, opcodes[k]))
			return true;
	for (size_t k = 0; k < COUNT_OF(modifiers); k++)
		if (has_modifier(x, modifiers[k]))
			return true;
	return false;
}

static bool *function_entry(const struct lowering *low, bool *of, const struct ir_function *f)
{
	for (u32 k = 0; k < low->all_function_count; k++)
		if (low->all_functions[k] == f)
			return &of[k];
	return NULL;
}

/* Does the instruction call a function that waits? One that it finds in a register may be any. */
static bool calls_waiting(struct lowering *low, bool *waits, const struct ir_instruction *x)
{
	if (strcmp(x->opcode, "call"))
		return false;
	for (u32 k = 0; k < x->operand_count; k++) {
		const struct ir_operand *o = &x->operands[k];
		if (!o->symbol || o->symbol->kind != SYM_FUNCTION)
			continue;
		const bool *entry = function_entry(low, waits, layout_definition(low, o->symbol->function));
		return entry && *entry;
	}
	return true;
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

bool spin_loop_waits(const struct emitter *e, u32 first, u32 last)
{
	for (u32 k = first; k < last; k++) {
		const struct form *f = &e->matched[k].form;
		if (!f->row)
			continue;
		if (f->row->flags & (ISA_ATOMIC | ISA_SYNC) || form_pick(f, M_volatile, M_acquire) || form_has(f, M_cv))
			return true;
		if (!(f->row->flags & ISA_CALL))
			continue;
		if (!e->low->waits)
			find_waiting_functions(e->low);
		if (calls_waiting(e->low, e->low->waits, &e->function->body.items[k]))
			return true;
	}
	return false;
}
