/* SPDX-License-Identifier: Apache-2.0
 *
 * Each of these was seen on an H200 (ptxas 13.0). All but the first show only in what becomes of a NaN: a
 * copy keeps its bits, arithmetic does not.
 * - bfi.b32 with both numbers constant: of the length the low five bits count, unless the
 *   position is 0.
 * - mul.f32 by 1.0, div.full.f32 and div.approx.f32 by 1.0, without .ftz, .sat, .rn: a copy.
 * - min and max of a register with itself (f32, f64, f16; without .ftz and .NaN): a copy.
 * - neg.f32 and abs.f32 under a guard: the sign bit alone.
 */
#include "decode/fold.h"

#include <string.h>

struct folding {
	const struct isa *isa;
	u32 arch;
	struct arena *arena, *kept;
};

static bool is_opcode(const struct matched *m, const char *opcode)
{
	const size_t length = strlen(opcode);

	return !strncmp(m->form.row->form, opcode, length) && strchr("([.", m->form.row->form[length]);
}

static bool is_constant(const struct use *u, u64 value) { return u->kind == USE_CONSTANT && u->low == value; }

/* Makes the instruction `opcode` of operands 0 and 1, and `value` if the opcode takes it. */
static void become(struct folding *c, struct matched *m, const char *opcode, const char *type, const u32 *value)
{
	struct use *uses = ARENA_ARRAY(c->arena, 3, struct use);
	u8 *bits = ARENA_ARRAY(c->kept, FORM_OPERANDS, u8);
	const u32 count = value ? 3 : 2;
	struct form form = {0};
	u32 row, bad;

	if (isa_match_form(c->isa, opcode, &type, 1, 0, &form, &row, &bad) != ISA_MATCHED)
		return;
	uses[0] = m->uses[0];
	uses[1] = m->uses[1];
	if (value)
		uses[2] = (struct use){.kind = USE_CONSTANT, .read = true, .bits = 32, .type_bits = 32, .low = *value};
	for (u32 u = 0; u < count; u++)
		bits[u] = uses[u].type_bits;
	form.arch = c->arch;
	form.operand_count = (u8)count;
	form.operand_bits = bits;
	m->form = form;
	m->uses = uses;
	m->use_count = count;
}

static void fold_insert(struct matched *m)
{
	if (form_type(&m->form, 0) == T_b32 && m->uses[3].kind == USE_CONSTANT && m->uses[4].kind == USE_CONSTANT &&
	    m->uses[3].low != 0 && m->uses[4].low >= 32)
		m->uses[4].low &= 31;
}

/* Multiplication and division by one. */
static void fold_one(struct folding *c, struct matched *m)
{
	const u64 one = 0x3f800000;

	if (form_type(&m->form, 0) != T_f32 || m->form.type_count != 1 || form_has(&m->form, M_ftz) ||
	    form_has(&m->form, M_sat) || form_pick(&m->form, M_rn, M_rp))
		return;
	if (is_opcode(m, "mul") && is_constant(&m->uses[1], one)) {
		const struct use other = m->uses[2];
		m->uses[2] = m->uses[1];
		m->uses[1] = other;
	}
	if (is_constant(&m->uses[2], one) && m->uses[1].kind == USE_REGISTER)
		become(c, m, "mov", "f32", NULL);
}

static void fold_same(struct folding *c, struct matched *m)
{
	const int type = form_type(&m->form, 0);

	if ((type == T_f32 || type == T_f64 || type == T_f16) && !form_has(&m->form, M_ftz) &&
	    !form_has(&m->form, M_NaN) && !form_has(&m->form, M_xorsign) && m->uses[1].kind == USE_REGISTER &&
	    m->uses[2].kind == USE_REGISTER && m->uses[1].reg == m->uses[2].reg)
		become(c, m, "mov", type == T_f16 ? "b16" : token_text((u16)type), NULL);
}

static void fold_sign(struct folding *c, struct matched *m, bool negates)
{
	const u32 mask = negates ? 0x80000000u : 0x7fffffffu;

	if (form_type(&m->form, 0) == T_f32 && !form_has(&m->form, M_ftz) && m->uses[1].kind == USE_REGISTER)
		become(c, m, negates ? "xor" : "and", "b32", &mask);
}

void fold_instructions(const struct isa *isa, const struct ir_function *f, struct matched *matched, u32 arch,
		       struct arena *arena, struct arena *kept)
{
	struct folding c = {.isa = isa, .arch = arch, .arena = arena, .kept = kept};

	for (u32 k = 0; k < f->body.count; k++) {
		struct matched *m = &matched[k];
		if (!m->form.row)
			continue;
		if (m->use_count == 5 && is_opcode(m, "bfi"))
			fold_insert(m);
		else if (m->use_count == 3 && (is_opcode(m, "mul") || is_opcode(m, "div")))
			fold_one(&c, m);
		else if (m->use_count == 3 && (is_opcode(m, "min") || is_opcode(m, "max")))
			fold_same(&c, m);
		else if (m->use_count == 2 && f->body.items[k].guard && (is_opcode(m, "neg") || is_opcode(m, "abs")))
			fold_sign(&c, m, is_opcode(m, "neg"));
	}
}
