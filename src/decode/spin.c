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

/* What each lane computes for itself from what no other thread writes. */
static bool computes(const struct matched *m)
{
	const u32 odd = ISA_SYNC | ISA_CALL | ISA_RET | ISA_EXIT | ISA_BRANCH | ISA_ATOMIC | ISA_ORDERED | ISA_STORE |
			ISA_CROSS_LANE | ISA_UNMODELLED | ISA_LATE;
	const u32 flags = m->form.row->flags;

	for (u32 u = 0; u < m->use_count; u++)
		if (m->uses[u].kind == USE_SREG_READ)
			return false;
	if (flags & odd)
		return false;
	return !(flags & ISA_MEMORY) || (flags & ISA_PARAM && m->form.param == PARAM_OF_KERNEL);
}

static void describe_branch(const struct emitter *e, u32 first, u32 k, struct counting_step *to)
{
	const struct ir_label *const *labels = NULL;

	to->branches = true;
	to->target_count =
		flow_targets(e->function, &e->function->body.items[k], &e->matched[k].form, &labels, e->low->scratch);
	to->targets = ARENA_ARRAY(e->low->scratch, to->target_count + 1ull, u32);
	for (u32 t = 0; t < to->target_count; t++)
		to->targets[t] = labels[t]->target - first; /* before the loop: no step either */
}

static void describe(const struct emitter *e, u32 first, u32 k, struct counting_step *to)
{
	const struct ir_instruction *x = &e->function->body.items[k];
	const struct matched *m = &e->matched[k];

	if (!m->form.row)
		return;
	to->reads = ARENA_ARRAY(e->low->scratch, m->use_count + 1ull, u32);
	to->writes = ARENA_ARRAY(e->low->scratch, m->use_count + 1ull, u32);
	for (u32 u = 0; u < m->use_count; u++) {
		if (m->uses[u].kind == USE_REGISTER && m->uses[u].read)
			to->reads[to->read_count++] = m->uses[u].reg;
		if (m->uses[u].kind == USE_REGISTER && m->uses[u].written)
			to->writes[to->write_count++] = m->uses[u].reg;
	}
	if (x->guard)
		to->reads[to->read_count++] = ir_guard_slot(x);
	to->computes = computes(m);
	to->leaves = m->form.row->flags & (ISA_RET | ISA_EXIT);
	if (m->form.row->flags & ISA_BRANCH)
		describe_branch(e, first, k, to);
}

static bool counts(struct emitter *e, u32 first, u32 last)
{
	const u32 count = last - first + 1;
	struct counting_step *steps = counting_steps(e->low->scratch, count, &e->counting_work);

	if (!steps)
		return false;
	for (u32 k = 0; k < count; k++)
		describe(e, first, first + k, &steps[k]);
	return counting_loop(e->low->scratch, steps, count, e->function->register_slots, &e->counting_work);
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
	return e->waits_before[last] > e->waits_before[first] && !counts(e, first, last);
}
