/* SPDX-License-Identifier: Apache-2.0
 *
 * Classifies the insns of machine code. Lowering has left beside each what it is (struct machine_step): a row of PTX, whose form
 * tells its operands as in PTX itself, or a handler of isa/machine.h, whose operands stand in decode/machine_operands.h.
 *
 *      guard, all       prefixes: the next insn runs for the lanes of a predicate; for all lanes of the warp, as uniform ones do
 *      bra              a branch; that its lanes meet again, at a BSYNC, lowering has read off the text. Without that, or where a region
 *                       does not reach up to there, lanes must not part: those that would leave to the interpreter
 *      bsync            a join, which is an instruction itself
 *      what is left     lane by lane, or a wall
 */
#include "native/flow.h"

#include "decode/machine_operands.h"

/* The value of a row of predicates that is the same for all: 0, 1; -1: it is not. */
static int constant_truth(const struct code *code, u32 offset)
{
	for (u32 k = 0; k < code->constant_count; k++)
		if (code->constants[k].offset == offset && code->constants[k].bits == 1)
			return code->constants[k].low != 0;
	return -1;
}

/* Adds the predicate of a branch unless it holds for all lanes. False: it holds for none. */
static bool add_condition(struct code_flow *f, struct step *s, u8 place, u32 row, bool negated)
{
	const int truth = constant_truth(f->code, row);

	if (truth >= 0)
		return truth != negated;
	s->negated |= (u8)(negated << s->operand_count);
	return step_add(f, s, place, row, 1, true, false);
}

/* False: it is never taken. */
static bool add_conditions(struct code_flow *f, struct step *s, const struct insn *i)
{
	return add_condition(f, s, PLACE_A, i->a, i->aux & MACHINE_NOT_GUARD) &&
	       add_condition(f, s, PLACE_B, i->b, i->aux & MACHINE_NOT_SECOND);
}

static void be_wall(struct step *s, const char *reason, bool opaque)
{
	s->kind = STEP_WALL;
	s->reason = reason;
	s->opaque = opaque;
}

static void take_branch(struct code_flow *f, struct step *s, u32 k)
{
	const struct insn *i = &f->code->insns[k];
	const bool may = add_conditions(f, s, i);

	s->jumps = true;
	if (!may || i->aux & (MACHINE_SPIN | MACHINE_ANY)) {
		be_wall(s, i->aux & MACHINE_SPIN ? "a loop that may wait for others" : "all lanes go one way", false);
		return;
	}
	s->falls = s->operand_count;
	s->kind = s->falls ? STEP_BRANCH_IF : STEP_BRANCH;
	if (s->falls && i->c) {
		s->join = k + i->c;
		s->parts = true;
	}
}

/* Without a predicate: lanes that come here meet those of their barrier. */
static void take_join(struct code_flow *f, struct step *s, const struct insn *i)
{
	if (!add_conditions(f, s, i) || s->operand_count) {
		be_wall(s, "some lanes meet others", true);
		return;
	}
	s->kind = STEP_JOIN;
	step_add(f, s, PLACE_D, i->d, 32, true, false);
}

static void take_exit(struct code_flow *f, struct step *s, const struct insn *i)
{
	be_wall(s, "threads end", false);
	s->ends = add_conditions(f, s, i) && !s->operand_count;
}

/* Operands that the handler has, but this insn not: of a product with carries without MACHINE_WIDE, the upper word. */
static bool is_left_out(u32 handler, const struct machine_operand *o, const u32 *list)
{
	return handler == MACHINE_imad_carry && o->place == MACHINE_IN_LIST + 4 && !(list[0] & MACHINE_WIDE);
}

static bool add_operands(struct code_flow *f, struct step *s, u32 handler, const struct insn *i)
{
	const struct machine_operands *all = machine_operands(handler);
	const u32 *list = all->words ? f->code->operands + i->imm : NULL;
	const char *text = all->text;
	struct machine_operand o;

	while (machine_operand_next(&text, i, list, &o)) {
		const bool written = o.role == MACHINE_RESULT;
		for (u32 k = 0; k < o.rows && !is_left_out(handler, &o, list); k++)
			if (!step_add(f, s, o.behind || k ? PLACE_BEHIND : o.place, o.row + k * 4, o.bits,
				      !written || o.kept, written))
				return false;
	}
	s->words = all->words;
	return true;
}

static void take_handler(struct code_flow *f, const struct isa *isa, struct step *s, u32 handler, const struct insn *i)
{
	const struct machine_operands *all = machine_operands(handler);
	const struct meaning *m = handler < MACHINE_COUNT ? isa->machine[handler] : NULL;

	be_wall(s, "only its handler does it", true);
	if (!all || !(all->by_lane || all->by_mask) || !m || m->run != i->fn)
		return;
	if (!add_operands(f, s, handler, i)) {
		s->operand_count = 0;
		return;
	}
	s->meaning = m;
	s->by_mask = all->by_mask;
	s->opaque = false;
	s->reason = NULL;
	s->kind = STEP_PLAIN;
}

static void take_prefix(struct code_flow *f, struct step *s, const struct insn *i, bool guards)
{
	s->kind = STEP_GUARD;
	if (guards)
		step_add(f, s, PLACE_A, i->a, 1, true, false);
}

/* What only counts or skips has no step of its own. */
static void take_nobody(const struct isa *isa, struct step *s, const struct insn *i)
{
	const struct meaning *count = isa_internal(isa, OP_internal_count), *skip = isa_internal(isa, OP_internal_skip);

	if (count && i->fn == count->run) {
		s->kind = STEP_COUNT;
	} else if (skip && i->fn == skip->run) {
		be_wall(s, NULL, false);
		s->jumps = true;
		s->falls = false;
	} else if (i->fn == isa->machine[MACHINE_end]->run) {
		be_wall(s, NULL, false);
		s->ends = true;
	} else {
		be_wall(s, "only its handler does it", true);
	}
}

static void take_control(struct code_flow *f, const struct isa *isa, struct step *s, u32 handler, u32 k)
{
	const struct insn *i = &f->code->insns[k];

	switch (handler) {
	case MACHINE_STEP_NONE:
		take_nobody(isa, s, i);
		break;
	case MACHINE_STEP_GUARD:
	case MACHINE_all:
		take_prefix(f, s, i, handler != MACHINE_all || !(i->aux & 2));
		break;
	case MACHINE_one:
		be_wall(s, NULL, false);
		step_add(f, s, PLACE_A, i->a, 1, true, false);
		break;
	case MACHINE_bra:
		take_branch(f, s, k);
		break;
	case MACHINE_bsync:
		take_join(f, s, i);
		break;
	case MACHINE_ends:
		take_exit(f, s, i);
		break;
	case MACHINE_bra_div:
	case MACHINE_apart:
	case MACHINE_warpsync:
	case MACHINE_collect:
		be_wall(s, "some lanes may wait for others", true);
		s->jumps = true;
		break;
	case MACHINE_trap:
		be_wall(s, "a trap, or what nothing reaches", true);
		break;
	case MACHINE_brx:
		be_wall(s, "a branch by index, a call or a return", true);
		break;
	default:
		take_handler(f, isa, s, handler, i);
	}
}

/* What the insn before says of the lanes that run this one. */
static void note_prefix(struct step *s, const struct machine_step *before, const struct insn *prefix)
{
	if (before->form)
		return;
	const bool is_all = before->handler == MACHINE_all;
	s->prefixed = is_all || before->handler == MACHINE_one || before->handler == MACHINE_STEP_GUARD;
	s->whole = is_all;
	s->guarded = s->prefixed && !(is_all && prefix->aux & 2);
}

void step_of_machine(struct code_flow *f, const struct isa *isa, u32 k)
{
	const struct machine_step *of = &f->code->steps[k];
	struct step *s = &f->steps[k];

	s->falls = true;
	s->join = NO_OPERAND;
	if (k)
		note_prefix(s, of - 1, &f->code->insns[k - 1]);
	if (of->form) {
		s->form = of->form;
		step_by_form(f, s, &f->code->insns[k]);
		if (s->kind == STEP_WALL)
			s->reason = step_wall_reason(s, &f->code->insns[k]);
	} else {
		take_control(f, isa, s, of->handler, k);
	}
	if (s->together || (s->prefixed && of[-1].handler == MACHINE_one))
		be_wall(s, "it runs for one lane", s->opaque);
}

/* A register is one row of 32 bits, and pairs are two; a handler that took both for one row would need more than numbers of rows. */
bool flow_rows_are_apart(const struct code_flow *f)
{
	u32 end = 0;

	for (u32 at = 0; at < f->code->frame_bytes / 4; at++) {
		const u32 row = f->row_numbers[at];
		if (row == NO_OPERAND)
			continue;
		if (at * 4 < end)
			return false;
		end = at * 4 + (f->rows[row].bits == 1 ? 4 : f->rows[row].bits * WARP_LANES / 8);
	}
	return true;
}
