/* SPDX-License-Identifier: Apache-2.0
 *
 * What a handler's operands are is found before the run; during it the handler's rule (observe/machine_rules.h) is applied lane
 * by lane.
 */
#include "observe/defined_machine.h"

#include <string.h>

#include "decode/machine_operands.h"
#include "exec/run.h"
#include "isa/form.h"
#include "observe/machine_rules.h"

/* --- Before the run ---------------------------------------------------------------------------------- */

static u32 role_of(enum machine_role role)
{
	static const u32 roles[] = {[MACHINE_SOURCE] = DEFINED_SOURCE,
				    [MACHINE_RESULT] = DEFINED_RESULT_OF,
				    [MACHINE_BASE] = DEFINED_BASE,
				    [MACHINE_BRANCH] = DEFINED_BRANCH,
				    [MACHINE_TEXEL] = DEFINED_TEXEL};

	return roles[role];
}

static void add_operand(struct defined_insn *d, u32 row, u32 bits, u32 role)
{
	if (d->count < DEFINED_OPERANDS && row != NO_OPERAND)
		d->operands[d->count++] = (struct defined_operand){row, (u8)bits, role};
}

static void add_operands(struct defined_insn *d, const char *text, const struct insn *i, const u32 *list)
{
	struct machine_operand o;

	while (machine_operand_next(&text, i, list, &o))
		for (u32 k = 0; k < o.rows; k++)
			add_operand(d, o.row + k * 4, o.bits, role_of((enum machine_role)o.role));
}

/* What a function of the system gives. */
static void add_system(struct defined_insn *d, const struct call_site *call)
{
	for (u32 n = 0; n < call->out_count; n++)
		for (u32 k = 0; call->out[n].to_register && k < (call->out[n].bytes + 3) / 4; k++)
			add_operand(d, call->out[n].to + k * MACHINE_ROW_BYTES, 32, DEFINED_RESULT_OF);
}

/* What the row cannot say. */
static void add_rest(struct defined_insn *d, u32 handler, const struct insn *i, const u32 *list)
{
	if (handler == MACHINE_imad_carry && !(list[0] & MACHINE_WIDE))
		d->operands[2].row = NO_OPERAND;
	if (handler == MACHINE_warpsync && i->c & 1)
		d->count = 0;
	for (u32 k = 1; handler == MACHINE_bank && k < (list[2] + 3) / 4; k++)
		add_operand(d, i->d + k * MACHINE_ROW_BYTES, 32, DEFINED_RESULT_OF);
}

static bool is_guard(const struct code *code, u32 insn)
{
	const struct machine_step *s = &code->steps[insn];

	return !s->form &&
	       (s->handler == MACHINE_STEP_GUARD || (s->handler == MACHINE_all && !(code->insns[insn].aux & 2)));
}

/* What others see: memory that is written, a barrier, a copy. */
static bool is_seen(const struct machine_step *s)
{
	if (s->form)
		return s->form->row->flags & (ISA_STORE | ISA_ATOMIC | ISA_SYNC) ||
		       s->form->row->traits & (TRAIT_ASYNC | TRAIT_ORDERS | TRAIT_BARRIER | TRAIT_MBARRIER);
	return s->handler == MACHINE_sust || s->handler == MACHINE_sured || s->handler == MACHINE_arrive;
}

void defined_machine_guard(struct defined_insn *d, const struct code *code, u32 insn)
{
	if (!insn || !is_guard(code, insn - 1))
		return;
	const struct insn *guard = &code->insns[insn - 1];
	d->off = guard->aux & 1;
	if (is_seen(&code->steps[insn]))
		d->guard = guard->a;
	else
		d->selects = guard->a;
}

/* Of a guard: the results of what it guards. */
static void describe_guard(struct defined_insn *d, struct arena *arena, const struct code *code, u32 insn)
{
	struct defined_insn next;

	defined_describe(&next, arena, code, insn + 1);
	d->rule = DEFINED_GUARD;
	d->guard = next.guard;
	d->selects = next.selects;
	d->off = next.off;
	d->operands = next.operands;
	d->count = next.count;
	for (u32 k = 0; k < d->count; k++)
		if (d->operands[k].role != DEFINED_RESULT_OF)
			d->operands[k].row = NO_OPERAND;
}

void defined_machine_describe(struct defined_insn *d, struct arena *arena, const struct code *code, u32 insn)
{
	const u32 handler = code->steps[insn].handler;
	const struct insn *i = &code->insns[insn];

	if (is_guard(code, insn) && insn + 1 < code->insn_count) {
		describe_guard(d, arena, code, insn);
		return;
	}
	d->machine = machine_rule(handler);
	if (!d->machine)
		return;
	const u32 *list = code->operands + i->imm;
	d->rule = DEFINED_MACHINE;
	d->computes = d->machine->computes;
	d->operands = ARENA_ARRAY(arena, DEFINED_OPERANDS, struct defined_operand);
	add_operands(d, machine_operands(handler)->text, i, list);
	add_rest(d, handler, i, list);
	if (handler == MACHINE_system_call)
		add_system(d, &code->calls[i->c]);
}

/* --- During the run ---------------------------------------------------------------------------------- */

/* Returns whether any source is undefined. */
static bool read_lane(struct rule_lane *l, const struct defined_insn *d, const struct frame *f, const u8 *rows,
		      u32 lane, u32 *origin)
{
	u32 at = 0;
	bool any = false;

	for (u32 k = 0; k < d->count; k++) {
		const struct defined_operand *o = &d->operands[k];
		if (o->role != DEFINED_SOURCE || at == RULE_SOURCES)
			continue;
		l->value[at] = defined_value(rows, o, lane);
		l->undefined[at] = defined_get(f, o, lane);
		l->name[at] = l->undefined[at] ? defined_name(f, o, lane) : 0;
		if (l->undefined[at] && !any)
			*origin = *defined_origin(f, o->row);
		any |= l->undefined[at++] != 0;
	}
	return any;
}

static void write_lane(const struct rule_lane *l, const struct defined_insn *d, const struct frame *f, u32 lane,
		       u32 origin)
{
	u32 at = 0;

	for (u32 k = 0; k < d->count; k++) {
		const struct defined_operand *o = &d->operands[k];
		if (o->role != DEFINED_RESULT_OF || at == RULE_RESULTS)
			continue;
		defined_put(f, o, lane, l->result[at] & rule_full(o->bits), origin);
		if (!at++ && l->result[0])
			defined_rename(f, o, lane, l->named);
	}
}

void defined_machine_step(const struct defined_insn *d, const struct warp *w, const struct insn *i, const u8 *rows,
			  u32 mask, u32 site)
{
	const struct frame *f = w->frame;

	if (d->machine->across) {
		d->machine->across(d, w, i, rows, mask, site);
		return;
	}
	if (defined_sources_are_clean(d, f)) {
		defined_clear_results(d, f, mask);
		return;
	}
	for (u32 left = mask; left; left &= left - 1) {
		const u32 lane = (u32)__builtin_ctz(left);
		struct rule_lane l = {.i = i, .list = f->code->operands + i->imm};
		u32 origin = site;
		if (read_lane(&l, d, f, rows, lane, &origin))
			d->machine->lane(&l);
		if (origin == NO_SITE)
			origin = site;
		write_lane(&l, d, f, lane, d->computes && !l.is_copy ? origin | DEFINED_COMPUTED : origin);
	}
}

void defined_machine_select(const struct defined_insn *d, const struct frame *f, const u8 *rows, u32 mask)
{
	const struct defined_operand guard = {d->selects, 1, DEFINED_SOURCE};
	const u32 undefined = d->selects == NO_OPERAND ? 0 : defined_lanes(f, &guard, mask);

	for (u32 left = undefined; left; left &= left - 1) {
		const u32 lane = (u32)__builtin_ctz(left);
		const bool on = (defined_value(rows, &guard, lane) != 0) != d->off;
		for (u32 k = 0; k < d->count; k++)
			if (d->operands[k].role == DEFINED_RESULT_OF && on == (d->rule != DEFINED_GUARD))
				defined_put(f, &d->operands[k], lane, UINT64_MAX, *defined_origin(f, guard.row));
	}
}
