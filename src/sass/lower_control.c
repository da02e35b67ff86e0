/* SPDX-License-Identifier: Apache-2.0
 *
 * Lowering of machine code: branches, calls, convergence, barriers.
 *
 * Targets are addresses in the section as the decoder gives them; the insns that they become are found at the end
 * (lower_jump_to and lower.c's starts[]), since those behind have no place yet. Function pointers are function_base +
 * section + address, the same in all launches of a module.
 *
 *  instruction             what it becomes
 *  BRA, BRX, CALL, RET     MACHINE_bra to a known place, MACHINE_brx to an address in registers: calls are jumps,
 *                          since the code itself keeps return addresses in registers
 *  BRA.DIV, BRA.CONV       MACHINE_bra_div: all lanes, by whether the guard holds for all of the mask
 *  BSSY, BSYNC, BREAK ...  rows that hold which lanes a barrier waits for (exec/converge.h)
 *  BAR, UCGABAR            PTX barriers, by their text
 *  CALL to vprintf ...     a jump to the insns that lower_system (lower_system.c) leaves behind the function's body
 */
#include <string.h>

#include "isa/sregs.h"
#include "sass/lower.h"

/* Whether the instruction's text in the table has this word, where the decoder has no modifier of its own for it. */
static bool says(const struct lower *l, const char *word)
{
	return strstr(sass_row_text(l->m->decoder, l->i), word) != NULL;
}

/* The predicate of lanes that run whatever comes: row of all ones. */
static struct predicate always(const struct lower *l) { return (struct predicate){l->true_row, false}; }

/* The predicate that some control instructions have beside their guard. */
static struct predicate second(struct lower *l) { return lower_predicate(l, 0); }

/* Branches out of the function do not occur in what compilers make; the lowering reports them instead of guessing. */
static bool inside(const struct lower *l, u64 target)
{
	return target < l->section->function->code_bytes && target % SASS_INSN_BYTES == 0;
}

/* Only branches backwards close loops. */
static u8 spinning(struct lower *l, u64 target)
{
	return target <= l->i->address && lower_loop_waits(l, (u32)target, l->i->address) ? MACHINE_SPIN : 0;
}

/* A branch to a known place. lower_meets notes where its lanes meet again: at the end of the innermost region
 * (BSSY to BSYNC) that it stands in. */
static void branch(struct lower *l, u64 target, struct predicate p)
{
	const u8 aux = (u8)(spinning(l, target) | (modifier(l, MOD_ANY) ? MACHINE_ANY : 0) |
			    (lower_parts_for_long(l, target) ? MACHINE_FEWER_FIRST : 0));

	lower_control(l, MACHINE_bra, (struct insn){.aux = aux}, p);
	lower_jump_to(l, l->section->base + (u32)target);
	lower_meets(l, NO_OPERAND);
}

/* A branch to itself is the end that nothing reaches. */
void lower_bra(struct lower *l)
{
	const u32 last = l->i->operand_count - 1;
	const struct sass_operand *o = &l->i->operands[last];
	struct predicate p = second(l);

	if (o->arg != ARG_TARGET || !inside(l, o->value)) {
		lower_fails(l);
		return;
	}
	if (says(l, ".DIV") || says(l, ".CONV")) {
		const bool named = l->i->operand_count > 2;
		const u32 members = named ? lower_plain(l, 1, 0) : lower_number(l, FULL_MASK);
		const u32 flip = named && l->i->operands[1].flags & SASS_MINUS ? ~0u : 0;
		lower_control(l, MACHINE_bra_div,
			      (struct insn){.d = members, .c = flip, .aux = says(l, ".CONV") ? MACHINE_MET : 0}, p);
		lower_jump_to(l, l->section->base + (u32)o->value);
		return;
	}
	if (l->i->operand_count > 2) {
		const struct predicate more = lower_predicate(l, 1);
		const u32 both = lower_truth(l);
		const bool guarded = l->guarded;
		l->guarded = false;
		lower_machine(
			l, MACHINE_logic_pred,
			(struct insn){
				.d = both, .a = p.row, .b = more.row, .aux = (u8)(p.negated | more.negated << 1)});
		l->guarded = guarded;
		p = (struct predicate){both, false};
	}
	if (o->value == l->i->address)
		lower_control(l, MACHINE_trap, (struct insn){.d = 0}, p);
	else
		branch(l, o->value, p);
}

/* To an address in registers: low and high row, plus `distance`; `absolute`: a pointer to code. */
static void jump(struct lower *l, u32 low, u32 high, u64 distance, bool absolute)
{
	const u32 list[] = {(u32)distance, (u32)(distance >> 32), high, 0};
	const s32 at = (s32)lower_list(l, list, COUNT_OF(list));

	lower_control(l, MACHINE_brx, (struct insn){.d = low, .c = absolute, .imm = at}, second(l));
	lower_meets(l, (u32)at + 3);
}

void lower_brx(struct lower *l)
{
	const u32 k = l->i->operand_count - 2;
	const u64 distance = l->i->operands[k + 1].value + l->i->address + SASS_INSN_BYTES + l->section->base;

	if (modifier(l, MOD_INCDEC) || l->i->operands[k].arg != ARG_REGISTER) {
		lower_fails(l);
		return;
	}
	jump(l, lower_plain(l, k, 0), lower_plain(l, k, 1), (u32)distance, false);
}

void lower_exit(struct lower *l) { lower_control(l, MACHINE_ends, (struct insn){.d = 0}, second(l)); }

/* --- Calls ---------------------------------------------------------------------------------- */

/* A call leaves its return address to registers: a jump. */
void lower_call(struct lower *l)
{
	const struct sass_operand *o = &l->i->operands[l->i->operand_count - 1];
	const bool relative = strstr(sass_row_text(l->m->decoder, l->i), ".REL") != NULL;
	const u64 code = address_map(64)->function_base;

	if (l->i->operand_count == 2 && o->arg == ARG_TARGET && relative) {
		if (!inside(l, o->value))
			lower_fails(l);
		else
			branch(l, o->value, second(l));
		return;
	}
	if (l->i->operand_count == 2 && (o->arg == ARG_TARGET || o->arg == ARG_INTEGER) && !relative) {
		u32 index;
		if (o->value < code || o->value - code > UINT32_MAX ||
		    (!ir_find_address(l->e.function, o->value - code, &index) &&
		     !sass_system_name(l->m, o->value - code))) {
			lower_fails(l);
		} else {
			lower_control(l, MACHINE_bra, (struct insn){.d = 0}, second(l));
			lower_jump_to(l, (u32)(o->value - code));
		}
		return;
	}
	if (l->i->operand_count < 2 || l->i->operands[1].arg != ARG_REGISTER) {
		lower_fails(l);
		return;
	}
	if (relative)
		jump(l, lower_plain(l, 1, 0), lower_plain(l, 1, 1), (u32)(o->value + l->section->base), false);
	else
		jump(l, lower_plain(l, 1, 0), lower_plain(l, 1, 1), l->i->operand_count > 2 ? o->value : 0, true);
}

/* .REL: to the register plus where the function begins; .ABS: to a pointer. */
void lower_ret(struct lower *l)
{
	const struct sass_operand *o = &l->i->operands[l->i->operand_count - 1];
	const bool absolute = modifier(l, MOD_RET);

	if (l->i->operands[1].arg != ARG_REGISTER) {
		lower_fails(l);
		return;
	}
	jump(l, lower_plain(l, 1, 0), lower_plain(l, 1, 1), absolute ? o->value : (u32)(o->value + l->section->base),
	     absolute);
}

void lower_lepc(struct lower *l)
{
	/* Without a distance, as up to sm_89, its own address. */
	const u64 ahead = l->i->operand_count > 1 ? l->i->operands[1].value : l->i->address;
	const u64 address = address_map(64)->function_base + l->section->base + ahead;

	PTX(l, "mov.b32", TO32(lower_to(l, 0, 0)), ROW32(lower_number(l, (u32)address)));
	PTX(l, "mov.b32", TO32(lower_to(l, 0, 1)), ROW32(lower_number(l, (u32)(address >> 32))));
}

/* --- Convergence ---------------------------------------------------------------------------- */

static void converge(struct lower *l, enum machine_handler handler)
{
	lower_control(l, handler, (struct insn){.d = lower_barrier(l, l->i->operands[1].number), .imm = 1}, second(l));
}

/* A second predicate that is not PT narrows the lanes as a guard does. */
void lower_bssy(struct lower *l)
{
	if (!lower_is_pt(l, 0)) {
		const struct predicate p = lower_predicate(l, 0);
		const u32 both = lower_truth(l), guard = l->guarded ? l->guard_row : l->true_row;
		const u8 aux = (u8)((l->guarded && l->guard_negated) | p.negated << 1);
		l->guarded = false;
		lower_machine(l, MACHINE_logic_pred, (struct insn){.d = both, .a = guard, .b = p.row, .aux = aux});
		l->guarded = true;
		l->guard_negated = false;
		l->guard_row = both;
	}
	lower_machine(l, MACHINE_bssy, (struct insn){.d = lower_barrier(l, l->i->operands[1].number)});
}
void lower_bsync(struct lower *l) { converge(l, MACHINE_bsync); }
void lower_leave(struct lower *l) { converge(l, MACHINE_leave); }
void lower_yield(struct lower *l) { lower_control(l, MACHINE_yield, (struct insn){.d = 0}, always(l)); }

/* With a target, .COLLECTIVE, the lanes go on there. */
void lower_warpsync(struct lower *l)
{
	enum { EXCLUSIVE90 = 1 };
	const bool all = says(l, ".ALL"),
		   exclusive = modifier(l, MOD_EXCLUSIVE) || modifier(l, MOD_COLLECTIVE) == EXCLUSIVE90;
	const struct sass_operand *last = &l->i->operands[l->i->operand_count - 1];
	const u32 members = all ? l->zero : lower_source(l, 1);

	if (last->arg == ARG_TARGET) {
		if (!lower_is_pt(l, 0) || l->guarded)
			lower_fails(l);
		lower_control(l, MACHINE_collect,
			      (struct insn){.d = all ? lower_number(l, FULL_MASK) : members, .c = l->collective_row},
			      second(l));
	} else {
		lower_control(l, MACHINE_warpsync,
			      (struct insn){.d = members, .c = (all ? 1u : 0) | (exclusive ? 2u : 0), .imm = 1},
			      second(l));
	}
	if (last->arg == ARG_TARGET)
		lower_jump_to(l, l->section->base + (u32)last->value);
}

/* A barrier's lanes become MACTIVE, those that run: with .PQUAD together with the rest of their quads, else alone, as before. */
static void run_quads(struct lower *l, u32 barrier)
{
	if (l->guarded)
		lower_fails(l);
	lower_machine(
		l, modifier(l, MOD_BMOV_PQUAD) ? MACHINE_help : MACHINE_help_ends,
		(struct insn){
			.d = l->sink, .a = lower_barrier(l, barrier), .c = l->helper_rows, .imm = (s32)l->registers});
}

/* Barriers are rows, so saving and restoring one moves rows. .CLEAR leaves none behind. */
void lower_bmov(struct lower *l)
{
	const struct sass_operand *to = &l->i->operands[0], *from = &l->i->operands[1];

	if (to->arg == ARG_WORD) {
		run_quads(l, from->number);
		return;
	}
	if (from->arg == ARG_WORD) {
		PTX(l, "activemask.b32", TO32(lower_barrier(l, to->number)));
		return;
	}
	if (to->arg == ARG_BARRIER) {
		if (modifier(l, MOD_BMOV_PQUAD))
			lower_fails(l);
		PTX(l, "mov.b32", TO32(lower_barrier(l, to->number)), ROW32(lower_source(l, 1)));
		return;
	}
	PTX(l, "mov.b32", TO32(lower_to(l, 0, 0)), ROW32(lower_barrier(l, from->number)));
	if (modifier(l, MOD_BMOV_CLEAR))
		PTX(l, "mov.b32", TO32(lower_barrier(l, from->number)), ROW32(l->zero));
}

/* --- Barriers, traps ------------------------------------------------------------------------ */

/* Reductions leave their result to the warp, B2R.RESULT reads it. */
static void reduce(struct lower *l, u32 id, u32 count, bool counts)
{
	static const char *const texts[] = {"barrier.red.popc.u32", "barrier.red.and.pred", "barrier.red.or.pred"};
	const u32 op = modifier(l, MOD_BAR_RED);
	const struct predicate p = lower_predicate(l, l->i->operand_count - 1);

	if (op >= COUNT_OF(texts)) {
		lower_fails(l);
		return;
	}
	const struct lower_arg to = op ? TO1(l->agreed_row) : TO32(l->counted_row);
	if (counts)
		PTX(l, texts[op], to, ROW32(id), ROW32(count), TRUTH(p));
	else
		PTX(l, texts[op], to, ROW32(id), TRUTH(p));
}

/* Of a register: the barrier's number in bits 0 to 3, how many threads from bit 16 on, 0: all that have not ended. */
static void barrier_in_register(struct lower *l, u32 *id, u32 *count)
{
	const u32 row = lower_source(l, 0), number = lower_word(l), threads = lower_word(l);

	PTX(l, "and.b32", TO32(number), ROW32(row), ROW32(lower_number(l, 15)));
	*id = number;
	if (!count)
		return;
	PTX(l, "bfe.u32", TO32(threads), ROW32(row), ROW32(lower_number(l, 16)), ROW32(lower_number(l, 12)));
	*count = threads;
}

void lower_bar(struct lower *l)
{
	const struct sass_operand *threads = &l->i->operands[1];
	const u32 mode = modifier(l, MOD_BAR);
	const bool in_register = l->i->operand_count > 1 && threads->arg == ARG_REGISTER,
		   counts = in_register || (l->i->operand_count > 1 && threads->arg == ARG_INTEGER && threads->value);
	u32 count = l->zero, number;

	if (l->i->operands[0].arg == ARG_REGISTER) {
		if (in_register && threads->number != l->i->operands[0].number)
			lower_fails(l);
		barrier_in_register(l, &number, in_register ? &count : NULL);
	} else {
		number = lower_source(l, 0);
	}
	if (counts && count == l->zero)
		count = lower_source(l, 1);
	if (mode == 2)
		reduce(l, number, count, counts);
	else if (mode > 2 || (mode == 1 && !counts))
		lower_fails(l);
	else if (counts)
		PTX(l, mode ? "barrier.arrive" : "barrier.sync", ROW32(number), ROW32(count));
	else
		PTX(l, "barrier.sync", ROW32(number));
}

void lower_b2r(struct lower *l)
{
	if (l->i->operands[l->i->operand_count - 1].arg == ARG_INTEGER) {
		lower_fails(l);
		return;
	}
	PTX(l, "mov.b32", TO32(lower_to(l, 0, 0)), ROW32(l->counted_row));
	if (l->i->operand_count > 1)
		lower_machine(l, MACHINE_logic_pred,
			      (struct insn){.d = lower_to_predicate(l, 1), .a = l->agreed_row, .b = l->agreed_row});
}

void lower_cluster_barrier(struct lower *l)
{
	lower_ptx(l, l->i->opcode == SASS_OP_UCGABAR_ARV ? "barrier.cluster.arrive" : "barrier.cluster.wait", NULL, 0);
}

void lower_bpt(struct lower *l)
{
	enum { BPT_TRAP = 3 };

	if (modifier(l, MOD_BPT) != BPT_TRAP)
		lower_fails(l);
	lower_control(l, MACHINE_trap, (struct insn){.d = 0}, always(l));
}

void lower_nanosleep(struct lower *l) { lower_control(l, MACHINE_yield, (struct insn){.d = 0}, always(l)); }

void lower_endcollective(struct lower *l)
{
	lower_control(l, MACHINE_disperse, (struct insn){.c = l->collective_row}, always(l));
}
