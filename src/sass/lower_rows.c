/* SPDX-License-Identifier: Apache-2.0
 *
 * Lowering of machine code: the frame of a warp. Which rows there are, and which of them are zero at the start.
 */
#include <string.h>

#include "sass/live.h"
#include "sass/lower.h"
#include "sass/registers.h"

/* Registers are rows by number: one more than the highest that the code names, with room for the widest operand. */
static void count_registers(struct lower *l)
{
	enum { WIDEST = 4, MATRIX = 128 };
	struct sass_insn i;

	l->registers = 24; /* those of calls among them */
	l->uniform_registers = 8;
	for (u32 k = 0; k < l->e.function->body.count; k++) {
		if (!lower_decode_at(l, k, &i))
			continue;
		const bool is_matrix = i.opcode == SASS_OP_HGMMA || i.opcode == SASS_OP_IGMMA ||
				       i.opcode == SASS_OP_QGMMA || i.opcode == SASS_OP_BGMMA;
		for (u32 o = 0; o < i.operand_count; o++) {
			const struct sass_operand *x = &i.operands[o];
			const bool uniform = x->arg == ARG_UREGISTER;
			u32 top = x->number;
			if (x->arg == ARG_ADDRESS || x->arg == ARG_CONSTANT || x->arg == ARG_UCONSTANT) {
				top = x->base;
				if (x->uniform < SASS_NO_REGISTER)
					l->uniform_registers = max_u32(l->uniform_registers, x->uniform + 4u);
			} else if (!uniform && x->arg != ARG_REGISTER) {
				continue;
			}
			u32 *count = uniform ? &l->uniform_registers : &l->registers;
			if (top < SASS_NO_REGISTER)
				*count = max_u32(*count, top + (is_matrix ? MATRIX : 2 * WIDEST));
		}
	}
	l->registers = min_u32(l->registers, 256 + MATRIX);
	l->uniform_registers = min_u32(l->uniform_registers, 260);
}

static u32 rows_of(struct lower *l, u32 count)
{
	const u32 first = emit_row(&l->e, 32);

	for (u32 k = 1; k < count; k++)
		emit_row(&l->e, 32);
	return first;
}

static void zeros(struct lower *l, u32 first, u32 count)
{
	for (u32 k = 0; k < count; k++) {
		const struct constant_row row = {.offset = first + k * LOWER_ROW, .bits = 32};
		VEC_PUSH(l->e.low->scratch, &l->e.constants, row);
	}
}

/* Where the registers are that the kernel's code names, for who looks at them. */
static void place_registers(struct lower *l, struct row_place *places)
{
	bool used[SASS_INDEX_COUNT];

	sass_registers_used(l->e.function, used);
	for (u32 k = 0; k < SASS_NO_REGISTER; k++) {
		if (used[SASS_INDEX_R + k] && k < l->registers)
			places[SASS_INDEX_R + k] = (struct row_place){lower_register(l, k), 32};
		if (used[SASS_INDEX_UR + k] && k < l->uniform_registers)
			places[SASS_INDEX_UR + k] = (struct row_place){lower_uniform(l, k), 32};
	}
	for (u32 k = 0; k < SASS_PT; k++) {
		if (used[SASS_INDEX_P + k])
			places[SASS_INDEX_P + k] = (struct row_place){LOWER_PREDICATES + k * 4, 1};
		if (used[SASS_INDEX_UP + k])
			places[SASS_INDEX_UP + k] = (struct row_place){LOWER_UPREDICATES + k * 4, 1};
	}
	for (u32 k = 0; k < 16; k++)
		if (used[SASS_INDEX_B + k])
			places[SASS_INDEX_B + k] = (struct row_place){lower_barrier(l, k), 32};
}

static void clear(struct row_plan *plan, u32 offset, u32 bits)
{
	plan->undefined[plan->undefined_count++] = (struct row_place){offset, (u8)bits};
}

/* Registers that may be read before they are written are zero at the start; all are for who looks at them. */
static void plan_clearing(struct lower *l, struct row_plan *plan)
{
	const struct ir_function *f = l->e.function;
	bool live[SASS_INDEX_COUNT];
	u32 entry;

	plan->undefined = ARENA_ARRAY(l->e.low->scratch, SASS_INDEX_COUNT, struct row_place);
	l->barriers_read = ARENA_ARRAY(l->e.low->scratch, f->body.count + 1, u16);
	const bool known = ir_find_address(f, l->m->sections[l->kernel->section].base, &entry);
	sass_live_at(l->e.low->scratch, f, l->leads, l->bases, known ? entry : 0, live, l->barriers_read);
	if (l->e.low->options->keep_registers || !known)
		memset(live, true, sizeof live);
	for (u32 k = 0; k < SASS_NO_REGISTER; k++) {
		if (live[SASS_INDEX_R + k] && k < l->registers)
			clear(plan, lower_register(l, k), 32);
		if (live[SASS_INDEX_UR + k] && k < l->uniform_registers)
			clear(plan, lower_uniform(l, k), 32);
	}
	for (u32 k = 0; k < SASS_PT; k++) {
		if (live[SASS_INDEX_P + k])
			clear(plan, LOWER_PREDICATES + k * 4, 1);
		if (live[SASS_INDEX_UP + k])
			clear(plan, LOWER_UPREDICATES + k * 4, 1);
	}
	for (u32 k = 0; k < 16; k++)
		if (live[SASS_INDEX_B + k])
			clear(plan, lower_barrier(l, k), 32);
}

/* Rows in the order of the registers' numbers, so that pairs and quads are neighbours, as the text assumes; predicates stand
 * before them, one word each. Temporaries come last: lower_emit knows them by their place. */
void lower_plan_rows(struct lower *l)
{
	struct emitter *e = &l->e;
	struct row_plan *plan = ARENA_NEW(e->low->scratch, struct row_plan);

	count_registers(l);
	plan->places = ARENA_ARRAY(e->low->scratch, SASS_INDEX_COUNT, struct row_place);
	plan->predicate_bytes = LOWER_REGISTERS;
	e->rows = plan;
	e->frame_top = LOWER_REGISTERS;
	rows_of(l, l->registers);
	l->uniform_rows = rows_of(l, l->uniform_registers);
	l->barrier_rows = rows_of(l, 16);
	place_registers(l, plan->places);
	plan->used_bytes = (u32)e->frame_top;
	plan_clearing(l, plan);
	l->zero = rows_of(l, 4);
	zeros(l, l->zero, 4);
	l->sink = rows_of(l, 4);
	l->zero64 = lower_number64(l, 0);
	l->pred_sink = emit_row(e, 1);
	l->counted_row = emit_row(e, 32);
	l->agreed_row = emit_row(e, 1);
	l->collective_row = emit_row(e, 32);
	l->rpc_rows = rows_of(l, 2);
	if (l->has_helpers)
		l->helper_rows = rows_of(l, 1 + l->registers);
	l->true_row = emit_constant(e, (struct constant_row){.bits = 1, .low = 1});
	l->false_row = emit_constant(e, (struct constant_row){.bits = 1, .low = 0});
	l->first_temporary = (u32)e->frame_top;
	l->guard_copy = emit_row(e, 1);
	for (u32 k = 0; k < LOWER_TEMPORARIES; k++) {
		l->words[k] = emit_row(e, 32);
		l->longs[k] = emit_row(e, 64);
		l->truths[k] = emit_row(e, 1);
	}
	for (u32 k = 0; k < LOWER_QUADS; k++)
		l->quads[k] = emit_row(e, 128);
	l->last_temporary = (u32)e->frame_top;
}
