/* SPDX-License-Identifier: Apache-2.0
 *
 * Lowering of machine code: pairs of halves, and packed formats.
 */
#include <string.h>

#include "number/half.h"
#include "sass/lower.h"

static const char *flushing(const struct lower *l)
{
	return modifier(l, MOD_FTZ) || modifier(l, MOD_FMZ) + modifier(l, MOD_FMZ_OOB) == SASS_FMZ_FTZ ? ".ftz" : "";
}
static const char *saturating(const struct lower *l) { return modifier(l, MOD_SAT) ? ".sat" : ""; }

/* Two halves with the parts and signs that the operand names. .H0_NH1 names the upper one first: it is the operand's lower half,
 * and the lower one is its upper half with the sign changed, as products of complex numbers want them. */
static u32 halves(struct lower *l, u32 k)
{
	const struct sass_operand *o = &l->i->operands[k];
	const u32 parts[] = {0x3210, 0, 0x1010, 0x3232, 0x1032};
	u32 row, to;

	if (o->arg == ARG_FLOAT)
		return lower_number(l, (u32)o->value);
	row = lower_plain(l, k, 0);
	if (o->part == 1 || o->part >= COUNT_OF(parts))
		lower_fails(l);
	if (o->part >= 2) {
		to = lower_word(l);
		PTX(l, "prmt.b32", TO32(to), ROW32(row), ROW32(l->zero), ROW32(lower_number(l, parts[o->part])));
		row = to;
	}
	const u32 flip = (o->flags & SASS_MINUS ? 0x80008000u : 0) ^ (o->part == 4 ? 0x8000u : 0);
	if (!flip && !(o->flags & SASS_BARS))
		return row;
	to = lower_word(l);
	lower_machine(l, MACHINE_modify,
		      (struct insn){.d = to, .a = row, .b = o->flags & SASS_BARS ? 0x7fff7fff : ~0u, .c = flip});
	return to;
}

/* bf16 instead of f16: in one of three fields, by the generation. */
static bool is_brain(const struct lower *l)
{
	return sass_modifier(l->i, MOD_HALF_TYPE) || sass_modifier(l->i, MOD_HALF_TYPE4) == 2 ||
	       sass_modifier(l->i, MOD_HALF_TYPE2) == 2;
}
static const char *half_type(const struct lower *l) { return is_brain(l) ? "bf16x2" : "f16x2"; }

/* The sum, the product or both of lower halves, rounded to a half and widened: sm_75 has that in one. */
static void widened(struct lower *l, const char *operation, u32 d, u32 count)
{
	const u32 result = lower_word(l);
	struct lower_arg args[4] = {TO32(result)};

	if (!modifier(l, MOD_HALF_F32_OUT) || l->sm >= 90)
		lower_fails(l);
	for (u32 k = 1; k <= count; k++)
		args[k] = ROW32(halves(l, k));
	lower_ptx(l, lower_text(l, "%s.rn%s%s.f16x2", operation, flushing(l), saturating(l)), args, count + 1);
	PTX(l, "and.b32", TO32(result), ROW32(result), ROW32(lower_number(l, 0xffff)));
	PTX(l, "cvt.f32.f16", TO32(d), ROW16(result));
}

void lower_hadd2(struct lower *l)
{
	struct sass_operand *o = l->i->operands;
	const u32 d = lower_to(l, 0, 0);

	/* .F32, of the result or up to sm_89 of a source, widens the lower half: the other operand is -RZ. On sm_75 .F32 of the
	 * operand itself narrows it to both halves, towards zero. */
	if (modifier(l, MOD_HALF_F32_OUT) || (l->sm < 90 && (o[1].part == 1 || o[2].part == 1))) {
		const u32 from = lower_is_rz(l, 1) ? 2 : 1, h = lower_word(l);
		if (!lower_is_rz(l, 1) && !lower_is_rz(l, 2)) {
			widened(l, "add", d, 2);
		} else if (o[from].part == 1) {
			PTX(l, lower_text(l, "cvt.rz%s%s.f16.f32", flushing(l), saturating(l)), TO16(h),
			    ROW32(lower_float(l, from)));
			PTX(l, "prmt.b32", TO32(d), ROW32(h), ROW32(h), ROW32(lower_number(l, 0x1010)));
		} else {
			PTX(l, "and.b32", TO32(h), ROW32(halves(l, from)), ROW32(lower_number(l, 0xffff)));
			PTX(l, lower_text(l, "cvt%s%s.f32.f16", flushing(l), saturating(l)), TO32(d), ROW16(h));
		}
		return;
	}
	PTX(l, lower_text(l, "add.rn%s%s.%s", flushing(l), saturating(l), half_type(l)), TO32(d), ROW32(halves(l, 1)),
	    ROW32(halves(l, 2)));
}

void lower_hmul2(struct lower *l)
{
	const u32 a = halves(l, 1), b = halves(l, 2);

	if (modifier(l, MOD_FMZ) > SASS_FMZ_FTZ)
		lower_fails(l);
	if (modifier(l, MOD_HALF_F32_OUT)) {
		widened(l, "mul", lower_to(l, 0, 0), 2);
		return;
	}
	PTX(l, lower_text(l, "mul.rn%s%s.%s", flushing(l), saturating(l), half_type(l)), TO32(lower_to(l, 0, 0)),
	    ROW32(a), ROW32(b));
}

/* The assembler loads constants as the sum of a product of zeros and an immediate. */
static bool load_constant(struct lower *l)
{
	const struct sass_operand *o = l->i->operands;
	const u32 c = (u32)o[3].value;
	u16 sum[2];

	if (!lower_is_rz(l, 1) || !lower_is_rz(l, 2) || o[3].arg != ARG_FLOAT || o[1].part || o[2].part)
		return false;
	for (u32 k = 0; k < 2; k++) {
		const u16 a = o[1].flags & SASS_MINUS ? 0x8000 : 0, b = o[2].flags & SASS_MINUS ? 0x8000 : 0,
			  half = (u16)(c >> 16 * k);

		sum[k] = is_brain(l) ? bf16_fma(a, b, half, false) : f16_fma(a, b, half, false, false, false);
	}
	PTX(l, "mov.b32", TO32(lower_to(l, 0, 0)), ROW32(lower_number(l, sum[0] | (u32)sum[1] << 16)));
	return true;
}

void lower_hfma2(struct lower *l)
{
	const u32 mode = sass_modifier(l->i, MOD_FMZ_OOB) + sass_modifier(l->i, MOD_FMZ);
	const bool plain = !mode && !modifier(l, MOD_RELU) && !modifier(l, MOD_SAT);
	u32 a, b, c;

	if (modifier(l, MOD_HALF_F32_OUT)) {
		if (mode > SASS_FMZ_FTZ || modifier(l, MOD_RELU) || is_brain(l))
			lower_fails(l);
		widened(l, "fma", lower_to(l, 0, 0), 3);
		return;
	}
	if (plain && load_constant(l))
		return;
	a = halves(l, 1);
	b = halves(l, 2);
	c = halves(l, 3);
	if (mode == 2 || (l->i->operand_count > 4 && modifier(l, MOD_RELU) && !lower_is_pt(l, 4)))
		lower_fails(l);
	PTX(l,
	    lower_text(l, "fma.rn%s%s%s.%s",
		       mode == 1   ? ".ftz"
		       : mode == 3 ? ".oob"
				   : "",
		       modifier(l, MOD_RELU) ? ".relu" : "", saturating(l), half_type(l)),
	    TO32(lower_to(l, 0, 0)), ROW32(a), ROW32(b), ROW32(c));
}

/* The outcomes of both halves. */
static void compare_halves(struct lower *l, u32 a, u32 b, u32 c[2])
{
	static const char *const comparisons[] = {NULL,  "lt",  "eq",  "le",  "gt",  "ne",  "ge", "num",
						  "nan", "ltu", "equ", "leu", "gtu", "neu", "geu"};
	const u32 comparison = modifier(l, MOD_FCMP);

	if (comparison == 0 || comparison == 15) {
		c[0] = c[1] = comparison ? l->true_row : l->false_row;
		return;
	}
	c[0] = lower_truth(l);
	c[1] = lower_truth(l);
	PTX(l, lower_text(l, "setp.%s%s.%s", comparisons[comparison], flushing(l), half_type(l)), TO1(c[0]), TO1(c[1]),
	    ROW32(a), ROW32(b));
}

/* A logical function of two predicates: how 0 and, 1 or, 2 exclusive or. */
static void combine(struct lower *l, u32 to, struct predicate a, struct predicate b, u32 how)
{
	lower_machine(
		l, MACHINE_logic_pred,
		(struct insn){.d = to, .a = a.row, .b = b.row, .c = how, .aux = (u8)(a.negated | b.negated << 1)});
}

/* p and q are the outcomes of the two halves, or with .H_AND that of both and its opposite. */
void lower_hsetp2(struct lower *l)
{
	const u32 a = halves(l, 2), b = halves(l, 3), how = modifier(l, MOD_BOOL) % 3, both = lower_truth(l);
	const u32 first = lower_truth(l), second = lower_truth(l);
	const struct predicate with = lower_predicate(l, 4);
	u32 c[2];

	compare_halves(l, a, b, c);
	struct predicate x = {c[0], false}, y = {c[1], false};
	if (modifier(l, MOD_H_AND)) {
		combine(l, both, x, y, 0);
		x = (struct predicate){both, false};
		y = (struct predicate){both, true};
	}
	combine(l, first, x, with, how);
	combine(l, second, y, with, how);
	x = (struct predicate){first, false};
	y = (struct predicate){second, false};
	combine(l, lower_to_predicate(l, 0), x, x, 0);
	combine(l, lower_to_predicate(l, 1), y, y, 0);
}

/* Each half becomes all ones, or 1.0 with .BF; or 0. */
void lower_hset2(struct lower *l)
{
	const u32 a = halves(l, 1), b = halves(l, 2), low = lower_word(l), high = lower_word(l);
	const struct predicate with = lower_predicate(l, 3);
	const u32 one = !modifier(l, MOD_BF) ? 0xffff : is_brain(l) ? 0x3f80 : 0x3c00, how = modifier(l, MOD_BOOL) % 3;
	struct predicate p[2] = {{lower_truth(l), false}, {lower_truth(l), false}};
	u32 c[2];

	compare_halves(l, a, b, c);
	for (u32 k = 0; k < 2; k++)
		combine(l, p[k].row, (struct predicate){c[k], false}, with, how);
	PTX(l, "selp.b32", TO32(low), ROW32(lower_number(l, one)), ROW32(l->zero), TRUTH(p[0]));
	PTX(l, "selp.b32", TO32(high), ROW32(lower_number(l, one << 16)), ROW32(l->zero), TRUTH(p[1]));
	PTX(l, "or.b32", TO32(lower_to(l, 0, 0)), ROW32(low), ROW32(high));
}

void lower_hmnmx2(struct lower *l) { lower_lesser(l, half_type(l), halves); }
void lower_vhmnmx(struct lower *l) { lower_least_of_three(l, half_type(l), halves); }

/* --- Packing -------------------------------------------------------------------------------- */

/* Results of 16 bits; operand `last` gives the other half: its lower half becomes the result's upper one. */
static void merge(struct lower *l, const char *text, u32 last, const struct lower_arg *sources, u32 count)
{
	const u32 h = lower_word(l), up = lower_word(l), d = lower_to(l, 0, 0);
	struct lower_arg args[4] = {TO16(lower_is_rz(l, last) ? d : h)};

	memcpy(args + 1, sources, count * sizeof *sources);
	lower_ptx(l, text, args, count + 1);
	if (lower_is_rz(l, last))
		return;
	PTX(l, "shl.b32", TO32(up), ROW32(lower_plain(l, last, 0)), ROW32(lower_number(l, 16)));
	PTX(l, "or.b32", TO32(d), ROW32(up), ROW32(h));
}

/* The operand's lower or upper half. */
static u32 half_of(struct lower *l, u32 k)
{
	const u32 h = lower_word(l);
	const bool upper = l->i->operands[k].part_of && l->i->operands[k].part;

	PTX(l, "bfe.u32", TO32(h), ROW32(lower_plain(l, k, 0)), ROW32(lower_number(l, upper ? 16 : 0)),
	    ROW32(lower_number(l, 16)));
	return h;
}

/* Formats that sm_100 added. False: none of them. */
static bool narrow_floats(struct lower *l, const char *text)
{
	static const char *const narrow[] = {NULL, "e2m1x2", "e2m3x2", "e3m2x2"};
	enum { ROUND_UP = 2 };
	const char *finite = modifier(l, MOD_SATFINITE) ? ".satfinite" : "",
		   *relu = modifier(l, MOD_PRELU) ? ".relu" : "",
		   *round = modifier(l, MOD_F2FP_ROUND8) == ROUND_UP ? "rp" : "rz";
	const char *to = narrow[modifier(l, MOD_F2FP_TO4) & 3], *from = narrow[modifier(l, MOD_F2FP_FROM4) & 3];

	if (strstr(text, ".E8.F32"))
		merge(l, lower_text(l, "cvt.%s%s%s.ue8m0x2.f32", round, finite, relu), 3,
		      (struct lower_arg[]){ROW32(lower_float(l, 1)), ROW32(lower_float(l, 2))}, 2);
	else if (strstr(text, ".E8.BF16"))
		merge(l, lower_text(l, "cvt.%s%s%s.ue8m0x2.bf16x2", round, finite, relu), 2,
		      (struct lower_arg[]){ROW32(lower_float(l, 1))}, 1);
	else if (to)
		merge(l, lower_text(l, "cvt.rn%s%s.%s.f32", finite, relu, to), 3,
		      (struct lower_arg[]){ROW32(lower_float(l, 1)), ROW32(lower_float(l, 2))}, 2);
	else if (from)
		PTX(l, lower_text(l, "cvt.rn%s.f16x2.%s", relu, from), TO32(lower_to(l, 0, 0)), ROW16(half_of(l, 1)));
	else if (strstr(text, ".BF16.E8"))
		PTX(l, lower_text(l, "cvt.rn%s.bf16x2.ue8m0x2", relu), TO32(lower_to(l, 0, 0)), ROW16(half_of(l, 1)));
	else
		return false;
	if (modifier(l, MOD_F2FP_ROUND))
		lower_fails(l);
	return true;
}

/* Two of the four results that cvt.rs rounds: ptxas makes two of these instructions of it, the second with the first one's
 * result for C. So C is shifted left by the pair that comes below it, its upper half are the random bits of a pair (of two
 * bytes, as f4 has them, bits 24 and up and bits 8 and up), and what is shifted up are those of the second. */
static void pack_stochastic_pair(struct lower *l, const char *relu, const char *to, bool is_byte)
{
	const u32 four = lower_word(l), up = lower_word(l), bits = lower_plain(l, 3, 0);

	PTX(l, lower_text(l, "cvt.rs%s.satfinite.%s.f32", relu, to), is_byte ? TO16(four) : TO32(four),
	    ROW32(lower_float(l, 1)), ROW32(lower_float(l, 2)), ROW32(l->zero), ROW32(l->zero), ROW32(bits));
	PTX(l, "bfe.u32", TO32(four), ROW32(four), ROW32(lower_number(l, is_byte ? 8 : 16)),
	    ROW32(lower_number(l, is_byte ? 8 : 16)));
	PTX(l, "shl.b32", TO32(up), ROW32(bits), ROW32(lower_number(l, is_byte ? 8 : 16)));
	PTX(l, "or.b32", TO32(lower_to(l, 0, 0)), ROW32(up), ROW32(four));
}

/* Stochastic rounding, with the random bits in C. */
static void pack_stochastic(struct lower *l, const char *text)
{
	static const char *const wide[] = {"f16x2", "bf16x2"}, *const bytes[] = {NULL, NULL,     NULL,
										 NULL, "e5m2x4", "e4m3x4"},
				 *const narrow[] = {NULL, "e2m1x4", "e2m3x4", "e3m2x4"};
	const char *relu = modifier(l, MOD_PRELU) ? ".relu" : "";
	const u32 to = modifier(l, MOD_F2FP_TO), small = modifier(l, MOD_F2FP_TO4);
	const char *pair = small ? narrow[small & 3] : to < COUNT_OF(bytes) ? bytes[to] : NULL;

	if (strstr(text, "MERGE_C") && pair && modifier(l, MOD_SATFINITE))
		pack_stochastic_pair(l, relu, pair, small == 1);
	else if (strstr(text, "MERGE_C") || to >= COUNT_OF(wide))
		lower_fails(l);
	else
		PTX(l,
		    lower_text(l, "cvt.rs%s%s.%s.f32", relu, modifier(l, MOD_SATFINITE) ? ".satfinite" : "", wide[to]),
		    TO32(lower_to(l, 0, 0)), ROW32(lower_float(l, 1)), ROW32(lower_float(l, 2)),
		    ROW32(lower_source(l, 3)));
}

/* By the row's text: what is packed, and how. */
void lower_f2fp(struct lower *l)
{
	static const char *const names[] = {"f16x2", "bf16x2", NULL, "tf32", "e5m2x2", "e4m3x2"};
	const char *text = sass_row_text(l->m->decoder, l->i), *round = modifier(l, MOD_F2FP_ROUND) == 3 ? "rz" : "rn";
	const char *relu = modifier(l, MOD_PRELU) ? ".relu" : "",
		   *finite = modifier(l, MOD_SATFINITE) ? ".satfinite" : "";
	const u32 to = sass_modifier(l->i, MOD_F2FP_TO) + sass_modifier(l->i, MOD_F2FP_TO80);

	if (strstr(text, ".RS ")) {
		pack_stochastic(l, text);
		return;
	}
	if (narrow_floats(l, text))
		return;
	if (to >= COUNT_OF(names) || !names[to] || modifier(l, MOD_F2FP_ROUND) % 3) {
		lower_fails(l);
	} else if (strstr(text, "F32.PACK_AB_MERGE_C")) {
		merge(l, lower_text(l, "cvt.%s%s%s.%s.f32", round, finite, relu, names[to]), 3,
		      (struct lower_arg[]){ROW32(lower_float(l, 1)), ROW32(lower_float(l, 2))}, 2);
	} else if (strstr(text, "PACK_AB")) {
		PTX(l, lower_text(l, "cvt.%s%s%s.%s.f32", round, relu, finite, names[to]), TO32(lower_to(l, 0, 0)),
		    ROW32(lower_float(l, 1)), ROW32(lower_float(l, 2)));
	} else if (strstr(text, "F16.UNPACK_B_MERGE_C")) {
		merge(l, lower_text(l, "cvt.%s%s%s.%s.f16x2", round, finite, relu, names[to]), 2,
		      (struct lower_arg[]){ROW32(lower_float(l, 1))}, 1);
	} else if (strstr(text, "MERGE_C")) {
		merge(l, lower_text(l, "cvt.%s%s%s.%s.f32", round, relu, finite, to ? "bf16" : "f16"), 2,
		      (struct lower_arg[]){ROW32(lower_float(l, 1))}, 1);
	} else if (strstr(text, "UNPACK_B")) {
		PTX(l,
		    lower_text(l, "cvt.rn%s.%s.%s", relu, names[to], modifier(l, MOD_F2FP_FROM8) ? "e4m3x2" : "e5m2x2"),
		    TO32(lower_to(l, 0, 0)), ROW16(half_of(l, 1)));
	} else if (to == 3) {
		PTX(l, lower_text(l, "cvt.%s%s%s.tf32.f32", round, relu, finite), TO32(lower_to(l, 0, 0)),
		    ROW32(lower_float(l, 1)));
	} else {
		lower_fails(l);
	}
}

void lower_i2i(struct lower *l)
{
	static const char *const types[] = {"u8", "s8", "u16", "s16"};
	static const s32 least[] = {0, -128, 0, -32768}, most[] = {255, 127, 65535, 32767};
	const u32 to = modifier(l, MOD_I2I), x = lower_word(l);

	if (to >= COUNT_OF(types)) {
		lower_fails(l);
		return;
	}
	PTX(l, "max.s32", TO32(x), ROW32(lower_source(l, 1)), ROW32(lower_number(l, (u32)least[to])));
	PTX(l, "min.s32", TO32(lower_to(l, 0, 0)), ROW32(x), ROW32(lower_number(l, (u32)most[to])));
}

void lower_i2ip(struct lower *l)
{
	static const char *const types[] = {"u8", "s8", "u16", "s16", "u2", "s2", "u4", "s4"};
	const u32 a = lower_source(l, 1), b = lower_source(l, 2), c = lower_source(l, 3), to = modifier(l, MOD_I2IP);
	const u32 d = lower_to(l, 0, 0);

	if (to >= COUNT_OF(types) || (l->sm >= 90 && modifier(l, MOD_I2IP_SAT) != 1))
		lower_fails(l);
	else if (to == 2 || to == 3)
		PTX(l, lower_text(l, "cvt.pack.sat.%s.s32", types[to]), TO32(d), ROW32(a), ROW32(b));
	else
		PTX(l, lower_text(l, "cvt.pack.sat.%s.s32.b32", types[to]), TO32(d), ROW32(a), ROW32(b), ROW32(c));
}
