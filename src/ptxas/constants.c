/* SPDX-License-Identifier: Apache-2.0
 *
 * Seen on an H200 (ptxas 13.0), over some thousand constants. It shows in NaNs, but for the approximations:
 * - f64: a constant in front changes places with what follows, so that the machine, which looks at b before a, takes
 *   its NaN; of sub's b the constant is negated, its NaN too. So it is in modules for debugging.
 * Else, with constants alone, also those that a mov has put into a register:
 * - rcp, sqrt, rsqrt, sin, cos, lg2, ex2 .approx of f32 are rounded correctly, and f32 sums, products, fused
 *   multiply-adds, minima and maxima to nearest are computed before any is contracted, so that chains of all these are one
 *   constant; directed rounding, div.rn, sqrt.rn and tanh are left to the machine;
 * - neg and abs are of the sign bit alone, but that those of f32 make a NaN quiet; f16x2 without .ftz only (also in
 *   modules for debugging, of constants in the text);
 * - of f64, add, sub and mul rounded to nearest take the NaN of b first, otherwise of a; a negative factor turns
 *   the NaN of the other around;
 * - cvt to f32 and f64 from the halves, and from f64 to these by .rn, makes f32's one NaN of any.
 * And with some constants:
 * - div.approx.f32 and div.full.f32 by one are multiplications by its rounded reciprocal;
 * - shifts of 16 bits take the low half of the count;
 * - slct.s32.s32 takes the least s32 for a number >= 0 and the three greatest for negative ones.
 */
#include "ptxas/ptxas.h"

#include <math.h>
#include <string.h>

#include "number/half.h"
#include "number/ieee.h"

/* What a register is known to hold. */
struct known {
	u64 value;
	u32 block; /* of the last definition, plus 1 */
	bool constant;
};

struct placing {
	struct rewriting rewriting;
	struct known *known;
	const u32 *definitions; /* of each register in the function */
	bool optimises;
};

static bool is_number(const struct use *u) { return u->kind == USE_CONSTANT && !u->negated; }

static bool are_numbers(const struct matched *m, u32 first)
{
	for (u32 u = first; u < m->use_count; u++)
		if (!is_number(&m->uses[u]))
			return false;
	return m->use_count > first;
}

/* Makes the instruction a move of a constant. */
static void become_value(const struct placing *p, struct matched *m, const char *type, u64 value)
{
	struct use *uses = ARENA_ARRAY(p->rewriting.arena, 2, struct use);

	uses[0] = m->uses[0];
	uses[1] = (struct use){.kind = USE_CONSTANT,
			       .read = true,
			       .bits = m->uses[0].bits,
			       .type_bits = m->uses[0].type_bits,
			       .low = value};
	matched_become(&p->rewriting, m, OP_mov, &type, 1, uses, 2);
}

/* --- f32 ------------------------------------------------------------------------------------------ */

static double double_of(u32 bits, bool flush)
{
	float f;

	bits = f32_flush_if(bits, flush);
	memcpy(&f, &bits, sizeof f);
	return f;
}

static u32 rounded(double value, bool flush)
{
	const float f = (float)value;
	u32 bits;

	memcpy(&bits, &f, sizeof bits);
	return f32_canonical(f32_flush_if(bits, flush));
}

static double reciprocal(double x) { return 1 / x; }
static double reciprocal_root(double x) { return 1 / sqrt(x); }

struct approximation {
	enum opcode opcode;
	double (*function)(double);
	bool flushes; /* its operand, with or without .ftz */
};

/* What an approximation approximates, or NULL: the assembler does not compute the instruction. */
static const struct approximation *approximation_of(const struct matched *m)
{
	static const struct approximation of[] = {
		{OP_rcp, reciprocal, false}, {OP_sqrt, sqrt, false}, {OP_rsqrt, reciprocal_root, false},
		{OP_sin, sin, true},         {OP_cos, cos, true},    {OP_lg2, log2, false},
		{OP_ex2, exp2, false}};

	for (size_t k = 0; k < COUNT_OF(of) && m->use_count == 2 && form_has(&m->form, M_approx); k++)
		if (matched_is(m, of[k].opcode))
			return &of[k];
	return NULL;
}

static void fold_approximation(const struct placing *p, struct matched *m, const struct approximation *of)
{
	const bool ftz = form_has(&m->form, M_ftz);
	const double a = double_of((u32)m->uses[1].low, ftz || of->flushes);

	become_value(p, m, "b32", rounded(of->function(a), ftz));
}

/* A sum or a product of two f32 in f64, rounded to f32, is the f32 sum or product: f64 has more than twice the digits. */
static double arithmetic(const struct matched *m, const double *a)
{
	if (matched_is(m, OP_add))
		return a[0] + a[1];
	if (matched_is(m, OP_sub))
		return a[0] - a[1];
	return matched_is(m, OP_mul) ? a[0] * a[1] : fmaf((float)a[0], (float)a[1], (float)a[2]);
}

/* To nearest. What is flushed is left to the machine where rounding decides about it. */
static void fold_arithmetic(const struct placing *p, struct matched *m)
{
	const int rounding = form_pick(&m->form, M_rn, M_rp);
	const bool ftz = form_has(&m->form, M_ftz), fuses = matched_is(m, OP_fma) || matched_is(m, OP_mad);
	const bool folds = fuses || matched_is(m, OP_add) || matched_is(m, OP_sub) || matched_is(m, OP_mul);
	double a[3] = {0};

	if (!folds || m->use_count != (fuses ? 4 : 3) || (rounding && rounding != M_rn) || form_has(&m->form, M_sat) ||
	    m->form.type_count != 1)
		return;
	for (u32 u = 1; u < m->use_count; u++)
		a[u - 1] = double_of((u32)m->uses[u].low, ftz);
	const double value = arithmetic(m, a);
	if (!ftz || value == 0 || fabs(value) > 0x1p-125)
		become_value(p, m, "b32", rounded(value, false));
}

static void fold_extreme(const struct placing *p, struct matched *m)
{
	if (m->use_count != 3 || m->form.token_count != 1)
		return;
	const u32 a = (u32)m->uses[1].low, b = (u32)m->uses[2].low;
	const double x = double_of(a, false), y = double_of(b, false);

	if (f32_is_nan(a) || f32_is_nan(b) || x == y)
		return;
	become_value(p, m, "b32", (x < y) == matched_is(m, OP_min) ? a : b);
}

static void fold_f32(const struct placing *p, struct matched *m)
{
	const struct approximation *of = approximation_of(m);

	if (m->use_count < 2 || !are_numbers(m, 1) || form_type(&m->form, 0) != T_f32)
		return;
	const u32 a = (u32)m->uses[1].low;
	if (matched_is(m, OP_min) || matched_is(m, OP_max))
		fold_extreme(p, m);
	else if ((matched_is(m, OP_neg) || matched_is(m, OP_abs)) && m->form.token_count == 1 && !f32_is_nan(a))
		become_value(p, m, "b32", matched_is(m, OP_neg) ? a ^ 0x80000000 : a & 0x7fffffff);
	else if (of)
		fold_approximation(p, m, of);
	else
		fold_arithmetic(p, m);
}

/* Division by a constant whose reciprocal is no subnormal. */
static void fold_division(const struct placing *p, struct matched *m)
{
	const char *texts[2] = {form_has(&m->form, M_ftz) ? "ftz" : "f32", "f32"};
	const u32 divisor = (u32)m->uses[2].low, exponent = divisor >> 23 & 255;
	struct use *uses = ARENA_ARRAY(p->rewriting.arena, 3, struct use);

	if (exponent < 1 || exponent > 252)
		return;
	memcpy(uses, m->uses, 3 * sizeof *uses);
	uses[2].low = rounded(1 / double_of(divisor, false), false);
	matched_become(&p->rewriting, m, OP_mul, texts, form_has(&m->form, M_ftz) ? 2 : 1, uses, 3);
}

/* --- signs and conversions of NaNs ---------------------------------------------------------------- */

static void fold_sign(const struct placing *p, struct matched *m, bool negates)
{
	const u64 v = m->uses[1].low;

	switch (form_type(&m->form, 0)) {
	case T_f32:
		if (f32_is_nan((u32)v) && (p->optimises || !form_has(&m->form, M_ftz)))
			become_value(p, m, "b32",
				     ((negates ? v ^ 0x80000000 : v & 0x7fffffff) | 0x400000) & 0xffffffff);
		break;
	case T_f64:
		if (f64_is_nan(v))
			become_value(p, m, "b64", negates ? v ^ F64_SIGN : v & ~F64_SIGN);
		break;
	case T_f16x2:
		if (!form_has(&m->form, M_ftz) && (f16_is_nan((u16)v) || f16_is_nan((u16)(v >> 16))))
			become_value(p, m, "b32", (negates ? v ^ 0x80008000 : v & 0x7fff7fff) & 0xffffffff);
		break;
	default:
		break;
	}
}

static void fold_conversion(const struct placing *p, struct matched *m)
{
	const int to = form_type(&m->form, 0), from = form_type(&m->form, 1);
	const int rounding = form_pick(&m->form, M_rn, M_rp);
	const u64 v = m->uses[1].low;

	if (form_has(&m->form, M_sat) || form_has(&m->form, M_relu) || (rounding && rounding != M_rn) ||
	    m->form.type_count != 2 || m->uses[0].type_bits != type_bits((u16)to))
		return;
	const bool half_nan = (from == T_f16 && f16_is_nan((u16)v)) || (from == T_bf16 && bf16_is_nan((u16)v));
	if (to == T_f32 && from == T_f32 && form_has(&m->form, M_ftz) && f32_is_nan((u32)v) &&
	    !form_pick(&m->form, M_rni, M_rpi))
		become_value(p, m, "b32", (v | 0x400000) & 0xffffffff);
	else if (to == T_f32 && from == T_bf16 && half_nan)
		become_value(p, m, "b32", 0x7fffffff);
	else if (to == T_f64 && half_nan)
		become_value(p, m, "b64", 0x7fffffffe0000000ull);
	else if ((to == T_f16 || to == T_bf16) && from == T_f64 && f64_is_nan(v))
		become_value(p, m, "b16", 0x7fff);
}

/* In modules for debugging, from f32 and f64 to the same: the machine's own conversion, which treats NaNs as the smaller
 * of a number and itself does. Elsewhere it is a copy. */
static void fold_identity(const struct placing *p, struct matched *m)
{
	const int type = form_type(&m->form, 0);
	const char *text = token_text(type);
	struct use *uses = ARENA_ARRAY(p->rewriting.arena, 3, struct use);

	if (m->form.token_count != 2 || form_type(&m->form, 1) != type || (type != T_f32 && type != T_f64))
		return;
	uses[0] = m->uses[0];
	uses[1] = uses[2] = m->uses[1];
	matched_become(&p->rewriting, m, OP_min, &text, 1, uses, 3);
}

/* --- f64 ------------------------------------------------------------------------------------------ */

static void swap_factors(struct matched *m)
{
	const struct use a = m->uses[1];

	m->uses[1] = m->uses[2];
	m->uses[2] = a;
}

/* a - b as a sum, or with its operands the other way round. */
static void turn_difference(const struct placing *p, struct matched *m, enum opcode opcode)
{
	const int rounding = form_pick(&m->form, M_rn, M_rp);
	const char *texts[2] = {rounding ? token_text((u16)rounding) : "f64", "f64"};
	struct use *uses = ARENA_ARRAY(p->rewriting.arena, 3, struct use);

	memcpy(uses, m->uses, 3 * sizeof *uses);
	matched_become(&p->rewriting, m, opcode, texts, rounding ? 2 : 1, uses, 3);
}

static void place_difference(const struct placing *p, struct matched *m)
{
	struct use *a = &m->uses[1], *b = &m->uses[2];
	const int rounding = form_pick(&m->form, M_rn, M_rp);
	const bool nearest = !rounding || rounding == M_rn;

	if (is_number(a) && is_number(b)) {
		if (!p->optimises || (!f64_is_nan(a->low) && !f64_is_nan(b->low)))
			return;
		const bool second = f64_is_nan(b->low) && (nearest || !f64_is_nan(a->low));
		become_value(p, m, "b64", (second ? b->low ^ F64_SIGN : a->low) | F64_QUIET);
	} else if (is_number(b) && f64_is_nan(b->low)) {
		b->low ^= F64_SIGN;
		turn_difference(p, m, OP_add);
	} else if (is_number(a) && use_is_register(b)) {
		turn_difference(p, m, OP_internal_sub);
	}
}

static void place_f64(const struct placing *p, struct matched *m)
{
	const struct use *a = &m->uses[1], *b = &m->uses[2];
	const int rounding = form_pick(&m->form, M_rn, M_rp);
	const bool nearest = !rounding || rounding == M_rn, both = is_number(a) && is_number(b);

	if (matched_is(m, OP_sub)) {
		place_difference(p, m);
		return;
	}
	if (!(m->form.row->traits & TRAIT_COMMUTES) || !is_number(a) || !(use_is_register(b) || both))
		return;
	const bool product = matched_is(m, OP_mul), sum = matched_is(m, OP_add);
	const u64 other = f64_is_nan(a->low) ? b->low : a->low, nan = f64_is_nan(a->low) ? a->low : b->low;
	if (both && !p->optimises)
		return;
	if (both && product && f64_is_nan(nan) && !f64_is_nan(other) && other & F64_SIGN)
		become_value(p, m, "b64", (nan ^ F64_SIGN) | F64_QUIET);
	else if (!(both && nearest && (product || sum)))
		swap_factors(m);
}

/* --- in order ------------------------------------------------------------------------------------- */

static bool holds_constant(const struct placing *p, const struct use *u, u32 block)
{
	const struct known *k = use_is_register(u) ? &p->known[u->reg] : NULL;

	return k && p->optimises && k->constant && (k->block == block + 1 || p->definitions[u->reg] == 1) && u->read &&
	       !u->written && u->bits != 1;
}

/* Arithmetic of floats, and moves. */
static bool is_arithmetic(const struct matched *m)
{
	static const enum opcode opcodes[] = {OP_neg, OP_abs, OP_add, OP_sub, OP_mul,
					      OP_fma, OP_mad, OP_min, OP_max, OP_mov};

	for (size_t k = 0; k < COUNT_OF(opcodes); k++)
		if (matched_is(m, opcodes[k]))
			return true;
	return false;
}

static bool takes_constants(const struct matched *m)
{
	const int type = form_type(&m->form, 0), last = form_type(&m->form, m->form.type_count - 1u);

	if (m->has_list_shape || type_class(type) != 'f' || type_class(last) != 'f') {
		if (m->has_list_shape || !matched_is(m, OP_mov) || m->use_count != 2)
			return false;
	}
	return is_arithmetic(m) || matched_is(m, OP_cvt);
}

/* Is each operand a constant, or a register that holds one? */
static bool knows_all(const struct placing *p, const struct matched *m, u32 block)
{
	for (u32 u = 1; u < m->use_count; u++)
		if (m->uses[u].negated || (!is_number(&m->uses[u]) && !holds_constant(p, &m->uses[u], block)))
			return false;
	return m->use_count > 1;
}

static void substitute(const struct placing *p, struct matched *m, u32 block)
{
	for (u32 u = 1; u < m->use_count; u++) {
		struct use *use = &m->uses[u];
		if (holds_constant(p, use, block) && !use->negated)
			*use = (struct use){.kind = USE_CONSTANT,
					    .read = true,
					    .bits = use->bits,
					    .type_bits = use->type_bits,
					    .span = use->span,
					    .low = p->known[use->reg].value};
	}
}

static void place_selector(struct use *c)
{
	const u32 v = (u32)c->low;

	if (v == 0x80000000)
		c->low = 0;
	else if (v >= 0x7ffffffd && v <= 0x7fffffff)
		c->low = 0xffffffff;
}

static void place(const struct placing *p, struct matched *m)
{
	const int type = form_type(&m->form, 0);

	if (m->use_count == 3 && type_bits(type) == 16 && (matched_is(m, OP_shl) || matched_is(m, OP_shr)) &&
	    is_number(&m->uses[2])) {
		m->uses[2].low &= 0xffff;
	} else if (m->use_count == 4 && matched_is(m, OP_slct) && type == T_s32 && form_type(&m->form, 1) == T_s32 &&
		   is_number(&m->uses[3])) {
		place_selector(&m->uses[3]);
	} else if (type_class(type) != 'f') {
		return;
	} else if (m->use_count == 2 && (matched_is(m, OP_neg) || matched_is(m, OP_abs))) {
		if (are_numbers(m, 1))
			fold_sign(p, m, matched_is(m, OP_neg));
	} else if (!p->optimises && m->use_count == 2 && matched_is(m, OP_cvt)) {
		fold_identity(p, m);
	} else if (p->optimises && are_numbers(m, 1) && matched_is(m, OP_cvt) && m->use_count == 2) {
		fold_conversion(p, m);
	}
	if (m->form.type_count == 1 && form_type(&m->form, 0) == T_f64 && m->use_count >= 3)
		place_f64(p, m);
}

static void remember(struct placing *p, const struct matched *m, u32 block, bool guarded)
{
	const bool moves =
		m->use_count == 2 && !m->has_list_shape && matched_is(m, OP_mov) && is_number(&m->uses[1]) && !guarded;

	for (u32 u = 0; u < m->use_count; u++)
		if (use_is_register(&m->uses[u]) && m->uses[u].written) {
			struct known *k = &p->known[m->uses[u].reg];
			k->block = block + 1;
			k->constant = moves;
			k->value = moves ? m->uses[1].low : 0;
		}
}

/* What is done with an instruction once the constants among its operands are known. */
struct placement {
	bool (*takes)(const struct matched *m);
	bool all; /* only if all operands are constants; else any that is one */
	void (*place)(const struct placing *p, struct matched *m);
};

static void place_all(const struct assembling *a, struct placement how)
{
	const struct ir_function *f = a->function;
	const struct flow *flow = a->flow;
	struct matched *matched = a->matched;
	struct placing p = {.rewriting = a->rewriting, .optimises = a->optimises};
	u32 slots;

	p.definitions = matched_definitions(matched, (u32)f->body.count, a->rewriting.arena, &slots);
	p.known = ARENA_ARRAY(a->rewriting.arena, slots + 1, struct known);
	for (u32 b = 0; b < flow->block_count; b++)
		for (u32 k = flow->blocks[b].first; k < flow->blocks[b].end; k++) {
			struct matched *m = &matched[k];
			if (!m->form.row)
				continue;
			if (how.takes(m) && (!how.all || knows_all(&p, m, b)))
				substitute(&p, m, b);
			how.place(&p, m);
			remember(&p, m, b, f->body.items[k].guard != NULL);
		}
}

static bool folds(const struct matched *m)
{
	if (m->has_list_shape || (form_type(&m->form, 0) != T_f32 && !matched_is(m, OP_mov)))
		return false;
	return is_arithmetic(m) || approximation_of(m);
}

void fold_constants(const struct assembling *a) { place_all(a, (struct placement){folds, true, fold_f32}); }

void place_constants(const struct assembling *a) { place_all(a, (struct placement){takes_constants, false, place}); }

static bool divides_nearly(const struct matched *m)
{
	return matched_is(m, OP_div) && m->use_count == 3 && form_type(&m->form, 0) == T_f32 &&
	       (form_has(&m->form, M_approx) || form_has(&m->form, M_full));
}

static void place_divisor(const struct placing *p, struct matched *m)
{
	if (divides_nearly(m) && is_number(&m->uses[2]))
		fold_division(p, m);
}

void divide_by_constants(const struct assembling *a)
{
	bool any = false;

	for (size_t k = 0; k < a->function->body.count && !any; k++)
		any = a->matched[k].form.row && divides_nearly(&a->matched[k]);
	if (any)
		place_all(a, (struct placement){divides_nearly, false, place_divisor});
}
