/* SPDX-License-Identifier: Apache-2.0
 *
 * Lowering of machine code: floats, doubles, conversions. The rows of halves and packed formats are in lower_half.c.
 */
#include <string.h>

#include "isa/sregs.h"
#include "sass/lower.h"

static const char *rounding(const struct lower *l)
{
	static const char *const names[] = {"rn", "rm", "rp", "rz"};

	return names[modifier(l, MOD_ROUND) & 3];
}

static const char *flushing(const struct lower *l)
{
	return modifier(l, MOD_FTZ) || modifier(l, MOD_FMZ) == SASS_FMZ_FTZ ? ".ftz" : "";
}

static const char *saturating(const struct lower *l) { return modifier(l, MOD_SAT) ? ".sat" : ""; }

/* --- f32 ------------------------------------------------------------------------------------ */

void lower_fadd(struct lower *l)
{
	const u32 a = lower_float(l, 1), b = lower_float(l, 2);

	PTX(l, lower_text(l, "add.%s%s%s.f32", rounding(l), flushing(l), saturating(l)), TO32(lower_to(l, 0, 0)),
	    ROW32(a), ROW32(b));
}

/* A source of 16 bits, of the half that the operand names, with its signs. */
static u32 half_source(struct lower *l, u32 k)
{
	const struct sass_operand *o = &l->i->operands[k];
	const u32 half = lower_word(l);

	PTX(l, "bfe.u32", TO32(half), ROW32(lower_plain(l, k, 0)),
	    ROW32(lower_number(l, o->part_of && o->part ? 16 : 0)), ROW32(lower_number(l, 16)));
	if (o->flags & SASS_BARS)
		PTX(l, "and.b32", TO32(half), ROW32(half), ROW32(lower_number(l, 0x7fff)));
	if (o->flags & SASS_MINUS)
		PTX(l, "xor.b32", TO32(half), ROW32(half), ROW32(lower_number(l, 0x8000)));
	return half;
}

/* A source of `bits`. */
static struct lower_arg narrow(struct lower *l, u32 k, u32 bits)
{
	return bits == 32 ? ROW32(lower_float(l, k)) : ROW16(half_source(l, k));
}

static u32 widened(struct lower *l, u32 k)
{
	const u32 x = lower_word(l);

	PTX(l, modifier(l, MOD_BF16) ? "cvt.f32.bf16" : "cvt.f32.f16", TO32(x), ROW16(half_source(l, k)));
	return x;
}

/* Sums of halves, which are widened first, and floats. */
void lower_fhadd(struct lower *l)
{
	const u32 a = widened(l, 1), b = lower_float(l, 2);

	PTX(l, lower_text(l, "add.%s%s.f32", rounding(l), saturating(l)), TO32(lower_to(l, 0, 0)), ROW32(a), ROW32(b));
}

void lower_fhfma(struct lower *l)
{
	const u32 a = widened(l, 1), b = widened(l, 2), c = lower_float(l, 3);

	PTX(l, lower_text(l, "fma.%s%s.f32", rounding(l), saturating(l)), TO32(lower_to(l, 0, 0)), ROW32(a), ROW32(b),
	    ROW32(c));
}

void lower_fmul(struct lower *l)
{
	/* .D8 to .M8: the exponent's distance from one. */
	const u32 a = lower_float(l, 1), b = lower_float(l, 2), scale = modifier(l, MOD_SCALE_BY);

	if (modifier(l, MOD_FMZ) > SASS_FMZ_FTZ || !scale)
		lower_fails(l);
	if (scale && scale != 4) {
		PTX(l, lower_text(l, "%%mul_scaled.%s%s%s.f32", rounding(l), flushing(l), saturating(l)),
		    TO32(lower_to(l, 0, 0)), ROW32(a), ROW32(b), ROW32(lower_number(l, (127 - 4 + scale) << 23)));
		return;
	}
	PTX(l, lower_text(l, "mul.%s%s%s.f32", rounding(l), flushing(l), saturating(l)), TO32(lower_to(l, 0, 0)),
	    ROW32(a), ROW32(b));
}

void lower_ffma(struct lower *l)
{
	const u32 a = lower_float(l, 1), b = lower_float(l, 2), c = lower_float(l, 3);

	if (modifier(l, MOD_FMZ) > SASS_FMZ_FTZ)
		lower_fails(l);
	PTX(l, lower_text(l, "fma.%s%s%s.f32", rounding(l), flushing(l), saturating(l)), TO32(lower_to(l, 0, 0)),
	    ROW32(a), ROW32(b), ROW32(c));
}

/* Which word of the operand's pair goes into word h of the result: .HI_LO as they lie, .LO_HI the other one, .F32 the same
 * register twice. */
static u32 packed_word(struct lower *l, u32 k, u32 h)
{
	enum { AS_THEY_LIE, EXCHANGED, ONE_FOR_BOTH };
	const u8 part = l->i->operands[k].part;

	if (part > ONE_FOR_BOTH)
		lower_fails(l);
	return lower_plain(l, k, part == AS_THEY_LIE ? h : part == EXCHANGED ? 1 - h : 0);
}

/* Two floats in a pair of registers, each by itself. */
static void packed(struct lower *l, const char *name, u32 count)
{
	const char *text = lower_text(l, "%s.%s%s.f32", name, rounding(l), flushing(l));
	u32 d[2];

	for (u32 h = 0; h < 2; h++) {
		struct lower_arg args[4] = {TO32(d[h] = lower_word(l))};
		for (u32 k = 1; k <= count; k++) {
			const u32 flags = l->i->operands[k].flags, x = packed_word(l, k, h), y = lower_word(l);
			args[k] = ROW32(flags & (SASS_BARS | SASS_MINUS) ? y : x);
			if (flags & SASS_BARS)
				PTX(l, "abs.f32", TO32(y), ROW32(x));
			if (flags & SASS_MINUS)
				PTX(l, "neg.f32", TO32(y), ROW32(flags & SASS_BARS ? y : x));
		}
		lower_ptx(l, text, args, count + 1);
	}
	for (u32 h = 0; h < 2; h++)
		PTX(l, "mov.b32", TO32(lower_to(l, 0, h)), ROW32(d[h]));
}

void lower_fadd2(struct lower *l) { packed(l, "add", 2); }
void lower_fmul2(struct lower *l) { packed(l, "mul", 2); }
void lower_ffma2(struct lower *l) { packed(l, "fma", 3); }

void lower_fsel(struct lower *l)
{
	const u32 a = lower_float(l, 1), b = lower_float(l, 2);
	const struct predicate p = lower_predicate(l, 3);

	if (modifier(l, MOD_FTZ))
		lower_fails(l);
	PTX(l, "selp.b32", TO32(lower_to(l, 0, 0)), ROW32(a), ROW32(b), TRUTH(p));
}

/* The signs that .XORSIGN of a minimum combines are those of the registers: bars are left to .abs of PTX. *xors: it has
 * the word. False: a form of it that is not modelled, which is told. */
static bool takes_xorsign(struct lower *l, bool *xors)
{
	struct sass_operand *operands = l->i->operands;

	*xors = modifier(l, MOD_XORSIGN);
	/* A number that is not negative is its own absolute value. */
	const bool bars =
		operands[1].flags & SASS_BARS &&
		(operands[2].flags & SASS_BARS || (operands[2].arg == ARG_FLOAT && !(operands[2].value >> 31 & 1)));
	if (modifier(l, MOD_IS_A) || (*xors && !bars)) {
		lower_fails(l);
		return false;
	}
	for (u32 k = 1; k <= 2 && *xors; k++)
		operands[k].flags &= (u8)~SASS_BARS;
	return true;
}

void lower_lesser(struct lower *l, const char *type, u32 (*source)(struct lower *l, u32 k))
{
	bool xors;

	if (!takes_xorsign(l, &xors))
		return;
	const u32 a = source(l, 1), b = source(l, 2), less = lower_word(l), more = lower_word(l);
	const struct predicate p = lower_predicate(l, 3);
	const char *nan = modifier(l, MOD_NAN) ? ".NaN" : "", *sign = xors ? ".xorsign.abs" : "";
	const bool is_min = p.row == l->true_row, is_max = p.row == l->false_row;
	const u32 d = lower_to(l, 0, 0);

	if (!is_max)
		PTX(l, lower_text(l, "min%s%s%s.%s", flushing(l), nan, sign, type), TO32(is_min ? d : less), ROW32(a),
		    ROW32(b));
	if (!is_min)
		PTX(l, lower_text(l, "max%s%s%s.%s", flushing(l), nan, sign, type), TO32(is_max ? d : more), ROW32(a),
		    ROW32(b));
	if (!is_min && !is_max)
		PTX(l, "selp.b32", TO32(d), ROW32(less), ROW32(more), TRUTH(p));
}
void lower_fmnmx(struct lower *l) { lower_lesser(l, "f32", lower_float); }

/* Of three: the least where the predicate holds. */
void lower_least_of_three(struct lower *l, const char *type, u32 (*source)(struct lower *l, u32 k))
{
	const u32 a = source(l, 1), b = source(l, 2), c = source(l, 3), d = lower_to(l, 0, 0), x = lower_word(l);
	const struct predicate p = lower_predicate(l, 4);
	const char *nan = modifier(l, MOD_NAN) ? ".NaN" : "", *name = p.row == l->true_row ? "min" : "max";

	if (modifier(l, MOD_XORSIGN) || (p.row != l->true_row && p.row != l->false_row))
		lower_fails(l);
	const char *text = lower_text(l, "%s%s%s.%s", name, flushing(l), nan, type);
	PTX(l, text, TO32(x), ROW32(a), ROW32(b));
	PTX(l, text, TO32(d), ROW32(x), ROW32(c));
}
void lower_fmnmx3(struct lower *l) { lower_least_of_three(l, "f32", lower_float); }

/* A comparison to two predicates, combined with a third one: operands `first` and the next, `with`. */
static void compare(struct lower *l, enum machine_handler handler, u32 a, u32 b, u32 how, u32 to, u32 other, u32 with)
{
	const struct predicate p = lower_predicate(l, with);
	const u32 list[] = {to, other, p.row, modifier(l, MOD_BOOL) % 3, how, l->true_row};

	lower_machine_list(l, handler, (struct insn){.d = to, .a = a, .b = b, .aux = p.negated}, list, COUNT_OF(list));
}

void lower_fsetp(struct lower *l)
{
	const u32 a = lower_float(l, 2), b = lower_float(l, 3);

	if (lower_plain_setp(l, modifier(l, MOD_FCMP), modifier(l, MOD_FTZ) ? ".ftz.f32" : "f32", a, b))
		return;
	compare(l, MACHINE_fsetp, a, b, modifier(l, MOD_FCMP) | (modifier(l, MOD_FTZ) ? 16 : 0),
		lower_to_predicate(l, 0), lower_to_predicate(l, 1), 4);
}

void lower_fset(struct lower *l)
{
	const u32 a = lower_float(l, 1), b = lower_float(l, 2), c = lower_truth(l);

	compare(l, MACHINE_fsetp, a, b, modifier(l, MOD_FCMP) | (modifier(l, MOD_FTZ) ? 16 : 0), c, l->pred_sink, 3);
	PTX(l, "selp.b32", TO32(lower_to(l, 0, 0)), ROW32(lower_number(l, 0x3f800000)), ROW32(l->zero),
	    TRUTH(((struct predicate){c, false})));
}

/* Whether a quotient needs the slow path: the quotient's steps could overflow, vanish, or meet what is not finite. */
void lower_fchk(struct lower *l)
{
	const u32 a = lower_float(l, 1), b = lower_float(l, 2);

	lower_machine(l, MACHINE_fchk, (struct insn){.d = lower_to_predicate(l, 0), .a = a, .b = b});
}

/* The unit flushes; RCP64H and RSQ64H take and give upper halves of doubles. */
void lower_mufu(struct lower *l)
{
	static const char *const names[] = {"cos", "sin", "ex2", "lg2", "rcp", "rsqrt", "rcp", "rsqrt", "sqrt", "tanh"};
	const u32 op = modifier(l, MOD_MUFU),
		  type = sass_modifier(l->i, MOD_MUFU_TYPE) | sass_modifier(l->i, MOD_MUFU_TYPE_OLD) / 2;
	/* A number that stands for a double has its upper half, as a register would. */
	const u32 a =
		l->i->operands[1].arg == ARG_FLOAT ? lower_number(l, (u32)l->i->operands[1].value) : lower_float(l, 1);
	const u32 d = lower_to(l, 0, 0);

	if (op >= COUNT_OF(names) || (type && op != 9 && op != 2) || type > 2) {
		lower_fails(l);
	} else if (type) {
		const u32 half = half_source(l, 1);
		PTX(l,
		    lower_text(l, "%s.approx%s.%s", names[op], type == 2 && op == 2 ? ".ftz" : "",
			       type == 2 ? "bf16" : "f16"),
		    TO16(d), ROW16(half));
	} else if (op < 2) {
		lower_machine(l, MACHINE_mufu_circle, (struct insn){.d = d, .a = a, .c = op});
	} else if (op == 6 || op == 7) {
		const u32 x = lower_join(l, l->zero, a), low = lower_word(l);
		PTX(l, lower_text(l, "%s.approx.ftz.f64", names[op]), TO64(x), ROW64(x));
		lower_split(l, low, d, x);
	} else {
		PTX(l, lower_text(l, "%s.approx%s.f32", names[op], op == 9 ? "" : ".ftz"), TO32(d), ROW32(a));
	}
}

/* --- f64 ------------------------------------------------------------------------------------ */

static void arithmetic64(struct lower *l, const char *op, u32 sources)
{
	const u32 x = lower_long(l), a = lower_double(l, 1), b = lower_double(l, 2);
	const char *text = lower_text(l, "%s.%s.f64", op, rounding(l));

	if (sources == 2)
		PTX(l, text, TO64(x), ROW64(a), ROW64(b));
	else
		PTX(l, text, TO64(x), ROW64(a), ROW64(b), ROW64(lower_double(l, 3)));
	lower_write_wide(l, 0, x);
}

void lower_dadd(struct lower *l) { arithmetic64(l, "add", 2); }
void lower_dmul(struct lower *l) { arithmetic64(l, "mul", 2); }
void lower_dfma(struct lower *l) { arithmetic64(l, "fma", 3); }

/* .MIN and .MAX stand at both ends of the list of comparisons: they take the place of never and always. */
void lower_dsetp(struct lower *l)
{
	const u32 a = lower_double(l, 2), b = lower_double(l, 3), comparison = modifier(l, MOD_DCMP);
	const u32 how = comparison == 0 ? 32 + 1 : comparison == 15 ? 32 + 4 : comparison;

	if (how & 32 && !lower_is_pt(l, 4))
		lower_fails(l);
	compare(l, MACHINE_dsetp, a, b, how, lower_to_predicate(l, 0), lower_to_predicate(l, 1), 4);
}

/* --- Conversions ---------------------------------------------------------------------------- */

static const char *const reals[] = {NULL, "f16", "f32", "f64", "bf16"};

/* Converts to a real of that kind, which may take two registers. */
static void convert(struct lower *l, const char *text, u32 to, struct lower_arg from)
{
	const u32 d = to == 3 ? lower_long(l) : lower_to(l, 0, 0);

	PTX(l, text, to == 3 ? TO64(d) : to == 2 ? TO32(d) : TO16(d), from);
	if (to == 3)
		lower_write_wide(l, 0, d);
}

void lower_i2f(struct lower *l)
{
	static const char *const types[] = {"u32", "s32", "u32", "s32", "u32", "s32", "u64", "s64"};
	const bool packed = l->i->opcode == SASS_OP_I2FP || l->i->opcode == SASS_OP_UI2FP;
	const u32 to = packed ? 2 : sass_modifier(l->i, MOD_REAL) + sass_modifier(l->i, MOD_REAL32);
	const u32 from = packed ? modifier(l, MOD_INT_PACK) : modifier(l, MOD_INT_IN);
	const char *round = packed && modifier(l, MOD_ROUND_PACK) ? "rz" : rounding(l);
	struct lower_arg a;

	if (to >= COUNT_OF(reals) || !reals[to] || from >= COUNT_OF(types) ||
	    (packed && modifier(l, MOD_ROUND_PACK) % 3)) {
		lower_fails(l);
		return;
	}
	if (from >= 6) /* an immediate is the upper half of 64 bits here, too */
		a = ROW64(l->i->operands[1].arg == ARG_INTEGER ? lower_join(l, l->zero, lower_plain(l, 1, 0))
							       : lower_wide(l, 1));
	else
		a = ROW32(lower_float(l, 1));
	if (from < 4) { /* a byte or half of the register */
		const u32 bits = from < 2 ? 8 : 16, part = l->i->operands[1].part_of ? l->i->operands[1].part : 0;
		const u32 field = lower_word(l);
		PTX(l, from & 1 ? "bfe.s32" : "bfe.u32", TO32(field), a, ROW32(lower_number(l, part * bits)),
		    ROW32(lower_number(l, bits)));
		a = ROW32(field);
	}
	convert(l, lower_text(l, "cvt.%s.%s.%s", round, reals[to], types[from]), to, a);
}

void lower_f2i(struct lower *l)
{
	static const char *const types[] = {"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"};
	static const char *const modes[] = {"rni", "rmi", "rpi", "rzi"};
	static const s32 least[] = {0, -128, 0, -32768}, most[] = {255, 127, 65535, 32767};
	const u32 from = modifier(l, MOD_REAL_IN32), to = sass_modifier(l->i, MOD_INT) + sass_modifier(l->i, MOD_INT64);

	if (from >= COUNT_OF(reals) || !reals[from] || to >= COUNT_OF(types)) {
		lower_fails(l);
		return;
	}
	const struct lower_arg a = from == 3 ? ROW64(lower_double(l, 1)) : narrow(l, 1, from == 2 ? 32 : 16);
	const char *text =
		lower_text(l, "cvt.%s%s.%s.%s", modes[modifier(l, MOD_ROUND_INT)],
			   from == 2 && modifier(l, MOD_FTZ) ? ".ftz" : "", to < 4 ? "s32" : types[to], reals[from]);
	if (to >= 6) {
		const u32 x = lower_long(l);
		PTX(l, text, TO64(x), a);
		lower_write_wide(l, 0, x);
	} else if (to < 4) { /* to 32 bits, then into the range */
		const u32 x = lower_word(l);
		PTX(l, text, TO32(x), a);
		PTX(l, "max.s32", TO32(x), ROW32(x), ROW32(lower_number(l, (u32)least[to])));
		if (from == 3 && !(to & 1)) { /* not a number: the uppermost bit of the type */
			const struct predicate nan = {lower_truth(l), false};
			PTX(l, "setp.nan.f64", TO1(nan.row), a, a);
			PTX(l, "min.s32", TO32(x), ROW32(x), ROW32(lower_number(l, (u32)most[to])));
			PTX(l, "selp.b32", TO32(lower_to(l, 0, 0)), ROW32(lower_number(l, ((u32)most[to] + 1) / 2)),
			    ROW32(x), TRUTH(nan));
			return;
		}
		PTX(l, "min.s32", TO32(lower_to(l, 0, 0)), ROW32(x), ROW32(lower_number(l, (u32)most[to])));
	} else {
		PTX(l, text, TO32(lower_to(l, 0, 0)), a);
	}
}

void lower_f2f(struct lower *l)
{
	const u32 from = modifier(l, MOD_REAL_IN), to = modifier(l, MOD_REAL_OUT);

	if (from >= COUNT_OF(reals) || !reals[from] || to >= COUNT_OF(reals) || !reals[to]) {
		lower_fails(l);
		return;
	}
	const struct lower_arg a = from == 3 ? ROW64(lower_double(l, 1)) : narrow(l, 1, from == 2 ? 32 : 16);
	const bool exact = ((from == 1 || from == 4) && (to == 2 || to == 3)) || (from == 2 && to == 3);
	convert(l,
		lower_text(l, "cvt%s%s%s.%s.%s", exact ? "" : ".", exact ? "" : rounding(l),
			   modifier(l, MOD_FTZ) && (from == 2 || to == 2) ? ".ftz" : "", reals[to], reals[from]),
		to, a);
}

void lower_frnd(struct lower *l)
{
	static const char *const modes[] = {"rni", "rmi", "rpi", "rzi"};
	const u32 type = sass_modifier(l->i, MOD_FRND64) ? 3 : modifier(l, MOD_REAL);

	if (type >= COUNT_OF(reals) || !reals[type]) {
		lower_fails(l);
		return;
	}
	const struct lower_arg a = type == 3 ? ROW64(lower_double(l, 1)) : narrow(l, 1, type == 2 ? 32 : 16);
	convert(l,
		lower_text(l, "cvt.%s%s.%s.%s", modes[modifier(l, MOD_ROUND_INT)],
			   type == 2 && modifier(l, MOD_FTZ) ? ".ftz" : "", reals[type], reals[type]),
		type, a);
}

/* F2IP packs two bytes, a in the upper one, in front of the lower half of c. */
void lower_f2ip(struct lower *l)
{
	static const char *const modes[] = {"rni", "rmi", "rpi", "rzi"};
	const bool is_signed = modifier(l, MOD_F2IP);
	const char *text = lower_text(l, "cvt.%s.%s.f32", modes[modifier(l, MOD_ROUND_IP) & 3], "s32");
	const u32 least = is_signed ? (u32)-128 : 0, most = is_signed ? 127 : 255;
	u32 bytes[2], to = lower_word(l), up = lower_word(l);

	if (modifier(l, MOD_F2IP_RELU) || (l->i->operands[3].part_of && l->i->operands[3].part)) {
		lower_fails(l);
		return;
	}
	for (u32 k = 0; k < 2; k++) {
		bytes[k] = lower_word(l);
		PTX(l, text, TO32(bytes[k]), ROW32(lower_float(l, 1 + k)));
		PTX(l, "max.s32", TO32(bytes[k]), ROW32(bytes[k]), ROW32(lower_number(l, least)));
		PTX(l, "min.s32", TO32(bytes[k]), ROW32(bytes[k]), ROW32(lower_number(l, most)));
	}
	PTX(l, "prmt.b32", TO32(to), ROW32(bytes[1]), ROW32(bytes[0]), ROW32(lower_number(l, 0x7740)));
	PTX(l, "and.b32", TO32(to), ROW32(to), ROW32(lower_number(l, 0xffff)));
	PTX(l, "shl.b32", TO32(up), ROW32(lower_plain(l, 3, 0)), ROW32(lower_number(l, 16)));
	PTX(l, "or.b32", TO32(lower_to(l, 0, 0)), ROW32(to), ROW32(up));
}

/* Each lane of a quad has a sum of its own: two bits say which signs its sources take, or that the first counts as zero. Lane 0's
 * are the uppermost. Read off an H200. */
void lower_fswzadd(struct lower *l)
{
	enum { PLUS, SECOND_MINUS, FIRST_MINUS, SECOND };
	static const char *const rounds[] = {"rn", "rm", "rp", "rz"};
	const u32 signs = lower_word(l), a = lower_word(l), b = lower_word(l), lane = lower_word(l),
		  bit = lower_word(l), pattern = modifier(l, MOD_SWIZZLE);
	u32 flips_a = 0, flips_b = 0, drops = 0;

	for (u32 k = 0; k < 4; k++) {
		const u32 code = pattern >> (6 - 2 * k) & 3;
		flips_a |= (u32)(code == FIRST_MINUS) << k;
		flips_b |= (u32)(code == SECOND_MINUS) << k;
		drops |= (u32)(code == SECOND) << k;
	}
	const struct use own = {.sreg = SREG_laneid, .bits = 32};
	PTX(l, "and.b32", TO32(lane), ROW32(emit_sreg(&l->e, &own)), ROW32(lower_number(l, 3)));
	PTX(l, "sub.u32", TO32(bit), ROW32(lower_number(l, 31)), ROW32(lane));
	PTX(l, "shl.b32", TO32(signs), ROW32(lower_number(l, flips_b)), ROW32(bit));
	PTX(l, "and.b32", TO32(signs), ROW32(signs), ROW32(lower_number(l, 0x80000000)));
	PTX(l, "xor.b32", TO32(b), ROW32(lower_plain(l, 2, 0)), ROW32(signs));
	PTX(l, "shl.b32", TO32(signs), ROW32(lower_number(l, flips_a)), ROW32(bit));
	PTX(l, "and.b32", TO32(signs), ROW32(signs), ROW32(lower_number(l, 0x80000000)));
	PTX(l, "xor.b32", TO32(a), ROW32(lower_plain(l, 1, 0)), ROW32(signs));
	PTX(l, "shl.b32", TO32(signs), ROW32(lower_number(l, drops)), ROW32(bit));
	PTX(l, "shr.s32", TO32(signs), ROW32(signs), ROW32(lower_number(l, 31)));
	PTX(l, "not.b32", TO32(signs), ROW32(signs));
	PTX(l, "and.b32", TO32(a), ROW32(a), ROW32(signs));
	PTX(l, lower_text(l, "add.%s%s.f32", rounds[modifier(l, MOD_ROUND) & 3], modifier(l, MOD_FTZ) ? ".ftz" : ""),
	    TO32(lower_to(l, 0, 0)), ROW32(a), ROW32(b));
}
