/* SPDX-License-Identifier: Apache-2.0
 *
 * Lowering of machine code: rows of operands.
 */
#include "sass/lower.h"

/* --- Temporary rows ------------------------------------------------------------------------- */

static u32 take(struct lower *l, const u32 *rows, u32 *used)
{
	if (*used == LOWER_TEMPORARIES) {
		lower_fails(l);
		return rows[0];
	}
	return rows[(*used)++];
}

u32 lower_word(struct lower *l) { return take(l, l->words, &l->used_words); }
u32 lower_long(struct lower *l) { return take(l, l->longs, &l->used_longs); }
u32 lower_quad(struct lower *l)
{
	if (l->used_quads == LOWER_QUADS) {
		lower_fails(l);
		return l->quads[0];
	}
	return l->quads[l->used_quads++];
}
u32 lower_truth(struct lower *l) { return take(l, l->truths, &l->used_truths); }

u32 lower_number(struct lower *l, u32 value)
{
	return value ? emit_constant(&l->e, (struct constant_row){.bits = 32, .low = value}) : l->zero;
}

u32 lower_number64(struct lower *l, u64 value)
{
	return emit_constant(&l->e, (struct constant_row){.bits = 64, .low = value});
}

/* --- Registers ------------------------------------------------------------------------------ */

u32 lower_register(const struct lower *l, u32 number)
{
	return number == SASS_RZ || number >= l->registers ? l->zero : LOWER_REGISTERS + number * LOWER_ROW;
}

u32 lower_uniform(const struct lower *l, u32 number)
{
	return number == SASS_RZ || number >= l->uniform_registers ? l->zero : l->uniform_rows + number * LOWER_ROW;
}

u32 lower_barrier(const struct lower *l, u32 number) { return l->barrier_rows + (number & 15) * LOWER_ROW; }

bool lower_is_rz(const struct lower *l, u32 k)
{
	const struct sass_operand *o = &l->i->operands[k];

	return (o->arg == ARG_REGISTER || o->arg == ARG_UREGISTER) && o->number == SASS_RZ;
}

bool lower_is_pt(const struct lower *l, u32 k)
{
	return l->i->operands[k].number == SASS_PT && !(l->i->operands[k].flags & SASS_NOT);
}

static u32 predicate_row(const struct sass_operand *o)
{
	return (o->arg == ARG_UPREDICATE ? LOWER_UPREDICATES : LOWER_PREDICATES) + o->number * 4u;
}

struct predicate lower_predicate(struct lower *l, u32 k)
{
	const struct sass_operand *o = &l->i->operands[k];

	if (k >= l->i->operand_count || (o->arg != ARG_PREDICATE && o->arg != ARG_UPREDICATE)) {
		lower_fails(l);
		return (struct predicate){l->true_row, false};
	}
	if (o->number == SASS_PT)
		return (struct predicate){o->flags & SASS_NOT ? l->false_row : l->true_row, false};
	return (struct predicate){predicate_row(o), o->flags & SASS_NOT};
}

u32 lower_to_predicate(const struct lower *l, u32 k)
{
	const struct sass_operand *o = &l->i->operands[k];

	return o->number == SASS_PT ? l->pred_sink : predicate_row(o);
}

u32 lower_to(const struct lower *l, u32 k, u32 word)
{
	const struct sass_operand *o = &l->i->operands[k];

	if (o->number == SASS_RZ)
		return l->sink + (word & 3) * LOWER_ROW;
	return o->arg == ARG_UREGISTER ? lower_uniform(l, o->number + word) : lower_register(l, o->number + word);
}

/* --- Sources -------------------------------------------------------------------------------- */

u32 lower_bank_word(struct lower *l, u32 bank, u32 at)
{
	struct emitter *e = &l->e;

	for (size_t k = 0; k < e->banks.count; k++)
		if (e->banks.items[k].bank == bank && e->banks.items[k].at == at)
			return e->banks.items[k].offset;
	const struct bank_row row = {emit_row(e, 32), bank, at};
	VEC_PUSH(e->low->scratch, &e->banks, row);
	return row.offset;
}

u32 lower_plain(struct lower *l, u32 k, u32 word)
{
	const struct sass_operand *o = &l->i->operands[k];

	switch (k < l->i->operand_count ? o->arg : ARG_NONE) {
	case ARG_REGISTER:
		return o->number == SASS_RZ ? l->zero : lower_register(l, o->number + word);
	case ARG_UREGISTER:
		return o->number == SASS_RZ ? l->zero : lower_uniform(l, o->number + word);
	case ARG_FLOAT:
		if (o->type == SASS_F64)
			return word ? lower_number(l, (u32)o->value) : l->zero;
		return lower_number(l, (u32)o->value);
	case ARG_INTEGER:
		return lower_number(l, word ? (u32)(o->value >> 32) : (u32)o->value);
	case ARG_CONSTANT:
		if (o->base == SASS_RZ && o->uniform == SASS_NO_REGISTER && o->value < UINT32_MAX - 8)
			return lower_bank_word(l, o->number, (u32)o->value + 4 * word);
		break;
	default:
		break;
	}
	lower_fails(l);
	return l->zero;
}

static u32 modified(struct lower *l, u32 from, u32 and, u32 xor, u32 add, bool absolute)
{
	const u32 to = lower_word(l);

	lower_machine(l, absolute ? MACHINE_modify_absolute : MACHINE_modify,
		      (struct insn){.d = to, .a = from, .b = and, .c = xor, .imm = (s32)add});
	return to;
}

u32 lower_source(struct lower *l, u32 k)
{
	const struct sass_operand *o = &l->i->operands[k];
	const u32 from = lower_plain(l, k, 0);

	if (!(o->flags & (SASS_MINUS | SASS_BARS)) || o->arg == ARG_INTEGER || o->arg == ARG_FLOAT)
		return from;
	if (o->flags & SASS_COMPLEMENT)
		return modified(l, from, ~0u, ~0u, 0, false);
	return modified(l, from, ~0u, o->flags & SASS_MINUS ? ~0u : 0, o->flags & SASS_MINUS ? 1 : 0,
			o->flags & SASS_BARS);
}

u32 lower_float(struct lower *l, u32 k)
{
	const u32 sign = 0x80000000;
	const struct sass_operand *o = &l->i->operands[k];
	const u32 from = lower_plain(l, k, 0);

	if (!(o->flags & (SASS_MINUS | SASS_BARS)) || o->arg == ARG_FLOAT)
		return from;
	return modified(l, from, o->flags & SASS_BARS ? ~sign : ~0u, o->flags & SASS_MINUS ? sign : 0, 0, false);
}

u32 lower_wide(struct lower *l, u32 k)
{
	const struct sass_operand *o = &l->i->operands[k];
	const u32 row = lower_join(l, lower_plain(l, k, 0), lower_plain(l, k, 1));

	if (o->flags & SASS_MINUS && o->arg != ARG_INTEGER)
		PTX(l, o->flags & SASS_COMPLEMENT ? "not.b64" : "neg.s64", TO64(row), ROW64(row));
	return row;
}

/* The sign of what is not a number stays. */
u32 lower_double(struct lower *l, u32 k)
{
	const struct sass_operand *o = &l->i->operands[k];
	const u32 row = lower_join(l, lower_plain(l, k, 0), lower_plain(l, k, 1));

	if (o->flags & (SASS_MINUS | SASS_BARS) && o->arg != ARG_FLOAT)
		lower_machine(l, MACHINE_sign_of_double,
			      (struct insn){.d = row,
					    .a = row,
					    .b = o->flags & SASS_BARS ? 0 : 1,
					    .c = o->flags & SASS_MINUS ? 1 : 0});
	return row;
}

u32 lower_stored(struct lower *l, u32 k, u32 word)
{
	const struct sass_operand *o = &l->i->operands[k];

	return o->number == SASS_RZ ? l->zero : lower_plain(l, k, word);
}
