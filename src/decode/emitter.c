/* SPDX-License-Identifier: Apache-2.0
 *
 * What all that emit code use of an emitter (PTX, calls, listings, machine code): appending an instruction, rows for
 * constants and special registers, the row of an operand, and the count of a straight run.
 */
#include "decode/lowering.h"

/* Appends a decoded instruction. `gang` is the handler that gangs run for it: NULL, unless the caller has set it for
 * this one. */
void emit(struct emitter *e, struct insn insn)
{
	VEC_PUSH(e->low->scratch, &e->insns, insn);
	VEC_PUSH(e->low->scratch, &e->origin, e->body_index);
	VEC_PUSH(e->low->scratch, &e->gangs, e->gang);
	e->gang = NULL;
}

/* Rows are never freed here: registers have theirs from rows_plan(), what is added are constants and scratch. */
u32 emit_row(struct emitter *e, u32 bits)
{
	const u32 bytes = bits == 1 ? 64 : bits * 4;
	const u64 at = e->frame_top;

	e->frame_top += bytes;
	return (u32)at; /* cut only in what emit_function refuses */
}

/* Equal constants of a function share a row, which frames are filled with once. */
u32 emit_constant(struct emitter *e, struct constant_row row)
{
	const u64 key = (row.low * 31 + row.high) * 31 + row.bits * 2u + row.frame_relative;
	u32 at;

	for (u32 k = lookup_first(&e->constant_of, key, &at); k != LOOKUP_NONE;
	     k = lookup_next(&e->constant_of, key, &at)) {
		const struct constant_row *c = &e->constants.items[k];
		if (c->bits == row.bits && c->low == row.low && c->high == row.high &&
		    c->frame_relative == row.frame_relative)
			return c->offset;
	}
	row.offset = emit_row(e, row.bits);
	lookup_add(e->low->scratch, &e->constant_of, key, (u32)e->constants.count);
	VEC_PUSH(e->low->scratch, &e->constants, row);
	return row.offset;
}

/* A special register that does not change while the block runs: its row is filled when the block gets its frames. */
u32 emit_sreg(struct emitter *e, const struct use *u)
{
	for (size_t k = 0; k < e->sregs.count; k++) {
		const struct sreg_row *s = &e->sregs.items[k];
		if (s->sreg == u->sreg && s->element == u->element && s->bits == u->bits)
			return s->offset;
	}
	const struct sreg_row row = {
		.offset = emit_row(e, u->bits), .sreg = u->sreg, .element = u->element, .bits = u->bits};
	VEC_PUSH(e->low->scratch, &e->sregs, row);
	return row.offset;
}

/* Reads a changing special register into a scratch row just before the instruction. */
u32 emit_sreg_read(struct emitter *e, const struct use *u)
{
	const u32 row = emit_row(e, u->bits);

	e->reads_clock = true;
	emit(e, (struct insn){.fn = e->low->internal.sreg_read,
			      .d = row,
			      .a = u->sreg,
			      .b = u->element,
			      .c = u->bits,
			      .imm = (s32)e->run});
	return row;
}

/* array[register]: the address, computed into a scratch row just before the instruction. */
static u32 index_now(struct emitter *e, const struct use *u)
{
	const u32 row = emit_row(e, u->bits);
	const u32 step = emit_constant(e, (struct constant_row){.bits = 64, .low = u->step});
	const u32 base =
		emit_constant(e, (struct constant_row){.bits = 64, .low = u->low, .frame_relative = u->frame_relative});

	emit(e, (struct insn){.fn = e->low->internal.element,
			      .d = row,
			      .a = e->rows->places[u->reg].offset,
			      .b = step,
			      .c = base,
			      .imm = u->index_bits | u->bits << 8});
	return row;
}

/* The row of an operand. */
u32 emit_use(struct emitter *e, const struct use *u)
{
	switch (u->kind) {
	case USE_REGISTER:
		return u->step ? index_now(e, u) : e->rows->places[u->reg].offset;
	case USE_CONSTANT:
		return emit_constant(e, (struct constant_row){.bits = u->bits, .low = u->low, .high = u->high});
	case USE_LOCAL:
		return emit_constant(e, (struct constant_row){.bits = u->bits, .low = u->low, .frame_relative = true});
	case USE_SREG:
		return emit_sreg(e, u);
	case USE_SREG_READ:
		return emit_sreg_read(e, u);
	case USE_OFFSET:
	case USE_IMMEDIATE:
		return (u32)u->low;
	case USE_ABSENT:
		if (!u->written)
			break;
		if (!e->sink_row)
			e->sink_row = emit_row(e, 128);
		return e->sink_row;
	case USE_PARAM_ADDRESS:
		break;
	}
	return NO_OPERAND;
}

/* Hands over the number of text instructions since the last one that counted: it goes into `run` of an instruction that
 * ends a straight run. */
u32 emit_take_run(struct emitter *e)
{
	const u32 run = e->run;

	e->run = 0;
	return run;
}

/* A block begins: what ran before it must be counted before control can come from elsewhere. */
void emit_count(struct emitter *e)
{
	if (e->run)
		emit(e, (struct insn){.fn = e->low->internal.count, .run = (u16)emit_take_run(e)});
}
