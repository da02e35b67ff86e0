/* SPDX-License-Identifier: Apache-2.0
 *
 * Each of these was seen on an H200 (ptxas 13.0). All but the first show only in what becomes of a NaN: a
 * copy keeps its bits, arithmetic does not.
 * - bfi.b32 with both numbers constant: of the length the low five bits count, unless the
 *   position is that of a byte or what is inserted into is constant, too.
 * - mul.f32 by 1.0, div.full.f32 and div.approx.f32 by 1.0, without .ftz, .sat, .rn: a copy.
 * - min and max of a register with itself (f32, f64, f16; without .ftz and .NaN): a copy.
 * - neg.f32 and abs.f32 under a guard, or whose result is overwritten next under a guard by what does not read it, so
 *   that it goes into a select: the sign bit alone.
 */
#include "ptxas/ptxas.h"

static bool is_constant(const struct use *u, u64 value) { return u->kind == USE_CONSTANT && u->low == value; }

/* Makes the instruction `opcode` of operands 0 and 1, and `value` if the opcode takes it. */
static void become(const struct rewriting *r, struct matched *m, enum opcode opcode, const char *type, const u32 *value)
{
	struct use *uses = ARENA_ARRAY(r->arena, 3, struct use);

	uses[0] = m->uses[0];
	uses[1] = m->uses[1];
	if (value)
		uses[2] = (struct use){.kind = USE_CONSTANT, .read = true, .bits = 32, .type_bits = 32, .low = *value};
	matched_become(r, m, opcode, &type, 1, uses, value ? 3 : 2);
}

static void fold_insert(struct matched *m)
{
	if (form_type(&m->form, 0) == T_b32 && m->uses[3].kind == USE_CONSTANT && m->uses[4].kind == USE_CONSTANT &&
	    m->uses[2].kind != USE_CONSTANT && m->uses[3].low % 8 != 0 && m->uses[4].low >= 32)
		m->uses[4].low &= 31;
}

/* Multiplication and division by one. */
static void fold_one(const struct rewriting *r, struct matched *m)
{
	const u64 one = 0x3f800000;

	if (form_type(&m->form, 0) != T_f32 || m->form.type_count != 1 || form_has(&m->form, M_ftz) ||
	    form_has(&m->form, M_sat) || form_pick(&m->form, M_rn, M_rp))
		return;
	if (matched_is(m, OP_mul) && is_constant(&m->uses[1], one)) {
		const struct use other = m->uses[2];
		m->uses[2] = m->uses[1];
		m->uses[1] = other;
	}
	if (is_constant(&m->uses[2], one) && m->uses[1].kind == USE_REGISTER)
		become(r, m, OP_mov, "f32", NULL);
}

static void fold_same(const struct rewriting *r, struct matched *m)
{
	const int type = form_type(&m->form, 0);

	if ((type == T_f32 || type == T_f64 || type == T_f16) && !form_has(&m->form, M_ftz) &&
	    !form_has(&m->form, M_NaN) && !form_has(&m->form, M_xorsign) && m->uses[1].kind == USE_REGISTER &&
	    m->uses[2].kind == USE_REGISTER && m->uses[1].reg == m->uses[2].reg)
		become(r, m, OP_mov, type == T_f16 ? "b16" : token_text((u16)type), NULL);
}

static void fold_sign(const struct rewriting *r, struct matched *m, bool negates)
{
	const u32 mask = negates ? 0x80000000u : 0x7fffffffu;

	if (form_type(&m->form, 0) == T_f32 && !form_has(&m->form, M_ftz) && m->uses[1].kind == USE_REGISTER)
		become(r, m, negates ? OP_xor : OP_and, "b32", &mask);
}

static bool reads(const struct matched *m, u32 slot)
{
	for (u32 u = 0; u < m->use_count; u++)
		if (m->uses[u].kind == USE_REGISTER && m->uses[u].read && m->uses[u].reg == slot)
			return true;
	return false;
}

/* Marks the instructions of which the next one of the block that writes the same register is guarded. */
static bool *find_selected(const struct ir_function *f, const struct flow *flow, const struct matched *matched,
			   struct arena *arena)
{
	bool *selected = ARENA_ARRAY(arena, f->body.count + 1, bool);
	u32 slots = 0;

	for (u32 k = 0; k < f->body.count; k++)
		for (u32 u = 0; u < matched[k].use_count; u++)
			if (matched[k].uses[u].kind == USE_REGISTER && matched[k].uses[u].reg >= slots)
				slots = matched[k].uses[u].reg + 1;
	u32 *writer = ARENA_ARRAY(arena, slots + 1, u32); /* plus 1 */
	for (u32 k = 0; k < f->body.count; k++)
		for (u32 u = 0; u < matched[k].use_count; u++) {
			const struct use *d = &matched[k].uses[u];
			if (d->kind != USE_REGISTER || !d->written)
				continue;
			const u32 last = writer[d->reg];
			if (last && flow->block_of[last - 1] == flow->block_of[k] && f->body.items[k].guard &&
			    !reads(&matched[k], d->reg))
				selected[last - 1] = true;
			writer[d->reg] = k + 1;
		}
	return selected;
}

void fold_instructions(const struct assembling *a)
{
	const struct ir_function *f = a->function;
	struct matched *matched = a->matched;
	const struct rewriting r = a->rewriting;
	const bool *selected = find_selected(f, a->flow, matched, r.arena);

	for (u32 k = 0; k < f->body.count; k++) {
		struct matched *m = &matched[k];
		if (!m->form.row)
			continue;
		if (m->use_count == 5 && matched_is(m, OP_bfi))
			fold_insert(m);
		else if (m->use_count == 3 && (matched_is(m, OP_mul) || matched_is(m, OP_div)))
			fold_one(&r, m);
		else if (m->use_count == 3 && (matched_is(m, OP_min) || matched_is(m, OP_max)))
			fold_same(&r, m);
		else if (m->use_count == 2 && (matched_is(m, OP_neg) || matched_is(m, OP_abs)) &&
			 (f->body.items[k].guard || selected[k]))
			fold_sign(&r, m, matched_is(m, OP_neg));
	}
}
