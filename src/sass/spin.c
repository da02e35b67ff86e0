/* SPDX-License-Identifier: Apache-2.0
 *
 * Which loops of machine code wait for what other threads do: those with an atomic operation, a try_wait or a load that is
 * ordered, unless they only count (decode/counting.h).
 */
#include "sass/effects.h"
#include "sass/lower.h"

static bool may_wait(const struct sass_insn *i)
{
	switch (i->opcode) {
	case SASS_OP_ATOM:
	case SASS_OP_ATOMG:
	case SASS_OP_ATOMS:
	case SASS_OP_SYNCS:
	case SASS_OP_NANOSLEEP:
	case SASS_OP_YIELD:
		return true;
	case SASS_OP_LDG:
	case SASS_OP_LD:
		return sass_modifier(i, MOD_ORDER) || sass_modifier(i, MOD_ORDER75) > 1;
	default:
		return false;
	}
}

static bool decode(const struct lower *l, u32 at, struct sass_insn *i)
{
	const u8 *code = l->section->code + at;

	return sass_decode(l->m->decoder, read_u64(code), read_u64(code + 8), at, i);
}

/* What lanes compute from registers and constants, and who votes with whom. */
static bool computes(const struct sass_insn *i)
{
	switch (i->opcode) {
	case SASS_OP_SHFL:
	case SASS_OP_MATCH:
	case SASS_OP_REDUX:
	case SASS_OP_CREDUX:
	case SASS_OP_ELECT:
	case SASS_OP_B2R:
	case SASS_OP_TEX:
	case SASS_OP_TLD:
	case SASS_OP_TLD4:
	case SASS_OP_TXD:
	case SASS_OP_SULD:
	case SASS_OP_SURED:
	case SASS_OP_UGETNEXTWORKID:
		return false;
	default:
		break;
	}
	for (u32 k = 0; k < i->operand_count; k++)
		switch (i->operands[k].arg) {
		case ARG_ADDRESS:
		case ARG_SPECIAL:
		case ARG_BARRIER:
		case ARG_TARGET:
			return false;
		default:
			break;
		}
	return true;
}

/* Calls and jumps by registers go where this does not look. */
static bool is_followed(const struct sass_insn *i)
{
	return i->opcode != SASS_OP_CALL && i->opcode != SASS_OP_BRX && i->opcode != SASS_OP_RET &&
	       i->opcode != SASS_OP_ENDCOLLECTIVE;
}

static void describe(struct lower *l, const struct sass_insn *i, u32 first, struct counting_step *to)
{
	struct sass_effects effects;
	u32 total = 0;

	sass_effects_of(l->m->decoder, i, &effects);
	for (u32 k = 0; k < effects.count; k++)
		total += effects.items[k].count;
	to->reads = ARENA_ARRAY(l->e.low->scratch, total + 1ull, u32);
	to->writes = ARENA_ARRAY(l->e.low->scratch, total + 1ull, u32);
	for (u32 k = 0; k < effects.count; k++) {
		const struct sass_effect *x = &effects.items[k];
		for (u32 r = x->first; r < x->first + x->count; r++)
			if (x->written)
				to->writes[to->write_count++] = r;
			else
				to->reads[to->read_count++] = r;
	}
	to->computes = computes(i);
	to->leaves = i->opcode == SASS_OP_EXIT;
	to->branches = i->opcode == SASS_OP_BRA;
	to->targets = ARENA_ARRAY(l->e.low->scratch, SASS_OPERANDS, u32);
	for (u32 k = 0; to->branches && k < i->operand_count; k++)
		if (i->operands[k].arg == ARG_TARGET)
			to->targets[to->target_count++] = ((u32)i->operands[k].value - first) / SASS_INSN_BYTES;
}

static bool counts(struct lower *l, u32 first, u32 last)
{
	const u32 count = (last - first) / SASS_INSN_BYTES + 1;
	struct counting_step *steps = counting_steps(l->e.low->scratch, count, &l->e.counting_work);

	if (!steps)
		return false;
	for (u32 k = 0; k < count; k++) {
		struct sass_insn i;
		if (!decode(l, first + k * SASS_INSN_BYTES, &i) || !is_followed(&i))
			return false;
		describe(l, &i, first, &steps[k]);
	}
	return counting_loop(l->e.low->scratch, steps, count, SASS_INDEX_COUNT, &l->e.counting_work);
}

bool lower_loop_waits(struct lower *l, u32 first, u32 last)
{
	for (u32 at = first; at < last; at += SASS_INSN_BYTES) {
		struct sass_insn i;
		if (decode(l, at, &i) && may_wait(&i))
			return !counts(l, first, last);
	}
	return false;
}
