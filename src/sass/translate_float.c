/* SPDX-License-Identifier: Apache-2.0
 *
 * Machine code as PTX: floats, doubles, halves, conversions. Roundings are always spelled out, so that nothing is contracted.
 */
#include <stdio.h>
#include <string.h>

#include "sass/translate.h"

static const char *rounding(const struct translation *t)
{
	static const char *const names[] = {"rn", "rm", "rp", "rz"};

	return names[modifier(t, MOD_ROUND) & 3];
}

static const char *flushing(const struct translation *t)
{
	return modifier(t, MOD_FTZ) || modifier(t, MOD_FMZ) == SASS_FMZ_FTZ ? ".ftz" : "";
}

static const char *saturating(const struct translation *t) { return modifier(t, MOD_SAT) ? ".sat" : ""; }

/* --- f32 ------------------------------------------------------------------------------------ */

void translate_fadd(struct translation *t)
{
	const struct text a = source_float(t, 1), b = source_float(t, 2);

	emit_ptx(t, "add.%s%s%s.f32 %s, %s, %s", rounding(t), flushing(t), saturating(t), destination(t, 0).s, a.s,
		 b.s);
}

void translate_fmul(struct translation *t)
{
	const struct text a = source_float(t, 1), b = source_float(t, 2);

	if (modifier(t, MOD_FMZ) > SASS_FMZ_FTZ || modifier(t, MOD_SCALE_BY) != 4)
		fails(t);
	emit_ptx(t, "mul.%s%s%s.f32 %s, %s, %s", rounding(t), flushing(t), saturating(t), destination(t, 0).s, a.s,
		 b.s);
}

void translate_ffma(struct translation *t)
{
	const struct text a = source_float(t, 1), b = source_float(t, 2), c = source_float(t, 3);

	if (modifier(t, MOD_FMZ) > SASS_FMZ_FTZ)
		fails(t);
	emit_ptx(t, "fma.%s%s%s.f32 %s, %s, %s, %s", rounding(t), flushing(t), saturating(t), destination(t, 0).s, a.s,
		 b.s, c.s);
}

void translate_fsel(struct translation *t)
{
	const struct text a = source_float(t, 1), b = source_float(t, 2), p = source_predicate(t, 3);

	if (modifier(t, MOD_FTZ))
		fails(t);
	emit_ptx(t, "selp.b32 %s, %s, %s, %s", destination(t, 0).s, a.s, b.s, p.s);
}

/* The lesser where the predicate holds. */
void translate_fmnmx(struct translation *t)
{
	struct sass_operand *operands = t->i->operands;
	const bool xors = modifier(t, MOD_XORSIGN);

	/* The signs that are combined are those of the registers, so bars are left to PTX's .abs. */
	if (xors && !(operands[1].flags & operands[2].flags & SASS_BARS))
		fails(t);
	for (u32 k = 1; k <= 2 && xors; k++)
		operands[k].flags &= (u8)~SASS_BARS;
	const struct text a = source_float(t, 1), b = source_float(t, 2), p = source_predicate(t, 3);
	const struct text less = temporary(t, 't'), more = temporary(t, 't');
	const char *nan = modifier(t, MOD_NAN) ? ".NaN" : "", *sign = xors ? ".xorsign.abs" : "";

	if (modifier(t, MOD_IS_A))
		fails(t);
	emit_ptx(t, "min%s%s%s.f32 %s, %s, %s", flushing(t), nan, sign, less.s, a.s, b.s);
	emit_ptx(t, "max%s%s%s.f32 %s, %s, %s", flushing(t), nan, sign, more.s, a.s, b.s);
	emit_ptx(t, "selp.b32 %s, %s, %s, %s", destination(t, 0).s, less.s, more.s, p.s);
}

static const char *const comparisons[] = {NULL,  "lt",  "eq",  "le",  "gt",  "ne",  "ge", "num",
					  "nan", "ltu", "equ", "leu", "gtu", "neu", "geu"};
static const char *const combinations[] = {"and", "or", "xor"};

/* A comparison's outcome as a predicate. */
static struct text compare(struct translation *t, const char *type, u32 comparison, const char *flush, const char *a,
			   const char *b)
{
	const struct text c = temporary(t, 'c');

	if (comparison == 0 || comparison == 15)
		emit_ptx(t, "mov.pred %s, %s", c.s, comparison ? "%true" : "%false");
	else
		emit_ptx(t, "setp.%s%s.%s %s, %s, %s", comparisons[comparison], flush, type, c.s, a, b);
	return c;
}

/* Both outcomes of a comparison, combined with a predicate: operands `first` and the next. */
static void set_predicates(struct translation *t, u32 first, struct text c, struct text with)
{
	const char *combination = combinations[modifier(t, MOD_BOOL) % 3];
	const struct text not = temporary(t, 'c'), u = temporary(t, 'c'), v = temporary(t, 'c');

	emit_ptx(t, "%s.pred %s, %s, %s", combination, u.s, c.s, with.s);
	emit_ptx(t, "not.pred %s, %s", not .s, c.s);
	emit_ptx(t, "%s.pred %s, %s, %s", combination, v.s, not .s, with.s);
	emit_ptx(t, "mov.pred %s, %s", destination_predicate(t, first).s, u.s);
	emit_ptx(t, "mov.pred %s, %s", destination_predicate(t, first + 1).s, v.s);
}

void translate_fsetp(struct translation *t)
{
	const struct text a = source_float(t, 2), b = source_float(t, 3), with = source_predicate(t, 4);

	set_predicates(t, 0, compare(t, "f32", modifier(t, MOD_FCMP), flushing(t), a.s, b.s), with);
}

void translate_fset(struct translation *t)
{
	const struct text a = source_float(t, 1), b = source_float(t, 2), with = source_predicate(t, 3);
	const struct text c = compare(t, "f32", modifier(t, MOD_FCMP), flushing(t), a.s, b.s);

	emit_ptx(t, "%s.pred %s, %s, %s", combinations[modifier(t, MOD_BOOL) % 3], c.s, c.s, with.s);
	emit_ptx(t, "selp.b32 %s, 0x3f800000, 0, %s", destination(t, 0).s, c.s);
}

/* Whether a quotient needs the slow path, which gives the same result where it is not needed. */
void translate_fchk(struct translation *t) { emit_ptx(t, "mov.pred %s, %%true", destination_predicate(t, 0).s); }

/* The unit flushes; RCP64H and RSQ64H take and give upper halves of doubles. */
void translate_mufu(struct translation *t)
{
	static const char *const names[] = {NULL, NULL, "ex2", "lg2", "rcp", "rsqrt", "rcp", "rsqrt", "sqrt", "tanh"};
	const u32 op = modifier(t, MOD_MUFU), type = modifier(t, MOD_MUFU_TYPE);
	const struct text a = source_float(t, 1);

	if (op >= COUNT_OF(names) || !names[op] || type) {
		fails(t);
	} else if (op == 6 || op == 7) {
		const struct text x = temporary(t, 'x'), low = temporary(t, 't');

		emit_ptx(t, "mov.b64 %s, {0, %s}", x.s, a.s);
		emit_ptx(t, "%s.approx.ftz.f64 %s, %s", names[op], x.s, x.s);
		emit_ptx(t, "mov.b64 {%s, %s}, %s", low.s, destination(t, 0).s, x.s);
	} else {
		emit_ptx(t, "%s.approx%s.f32 %s, %s", names[op], op == 9 ? "" : ".ftz", destination(t, 0).s, a.s);
	}
}

/* --- f64 ------------------------------------------------------------------------------------ */

void translate_dadd(struct translation *t)
{
	const struct text a = source_double(t, 1), b = source_double(t, 2), x = temporary(t, 'x');

	emit_ptx(t, "add.%s.f64 %s, %s, %s", rounding(t), x.s, a.s, b.s);
	write_wide(t, 0, x.s);
}

void translate_dmul(struct translation *t)
{
	const struct text a = source_double(t, 1), b = source_double(t, 2), x = temporary(t, 'x');

	emit_ptx(t, "mul.%s.f64 %s, %s, %s", rounding(t), x.s, a.s, b.s);
	write_wide(t, 0, x.s);
}

void translate_dfma(struct translation *t)
{
	const struct text a = source_double(t, 1), b = source_double(t, 2), c = source_double(t, 3),
			  x = temporary(t, 'x');

	emit_ptx(t, "fma.%s.f64 %s, %s, %s, %s", rounding(t), x.s, a.s, b.s, c.s);
	write_wide(t, 0, x.s);
}

/* The first predicate: the first source is the lesser or greater, or the only number; of zeros the negative is the lesser.
 * The second: neither is a number, and code makes a quiet one of the second. */
static void choose(struct translation *t, u32 comparison, const char *a, const char *b)
{
	const struct text c = temporary(t, 'c'), equal = temporary(t, 'c'), negative = temporary(t, 'c');
	const struct text nan_a = temporary(t, 'c'), nan_b = temporary(t, 'c'), only = temporary(t, 'c');

	if (!is_pt(t, 4))
		fails(t);
	emit_ptx(t, "setp.%s.f64 %s, %s, %s", comparison ? "gt" : "lt", c.s, a, b);
	emit_ptx(t, "setp.eq.f64 %s, %s, %s", equal.s, a, b);
	emit_ptx(t, "setp.lt.s64 %s, %s, 0", negative.s, comparison ? b : a);
	emit_ptx(t, "and.pred %s, %s, %s", equal.s, equal.s, negative.s);
	emit_ptx(t, "or.pred %s, %s, %s", c.s, c.s, equal.s);
	emit_ptx(t, "setp.nan.f64 %s, %s, %s", nan_a.s, a, a);
	emit_ptx(t, "setp.nan.f64 %s, %s, %s", nan_b.s, b, b);
	emit_ptx(t, "not.pred %s, %s", only.s, nan_a.s);
	emit_ptx(t, "and.pred %s, %s, %s", only.s, only.s, nan_b.s);
	emit_ptx(t, "or.pred %s, %s, %s", destination_predicate(t, 0).s, c.s, only.s);
	emit_ptx(t, "and.pred %s, %s, %s", destination_predicate(t, 1).s, nan_a.s, nan_b.s);
}

/* .MIN and .MAX stand at both ends of the list of comparisons: they take the place of never and always. */
void translate_dsetp(struct translation *t)
{
	const struct text a = source_double(t, 2), b = source_double(t, 3), with = source_predicate(t, 4);
	const u32 comparison = modifier(t, MOD_DCMP);
	struct text c;

	if (comparison == 0 || comparison == 15) {
		choose(t, comparison, a.s, b.s);
		return;
	}
	c = compare(t, "f64", comparison, "", a.s, b.s);
	set_predicates(t, 0, c, with);
}

/* --- Conversions ---------------------------------------------------------------------------- */

static const char *const reals[] = {NULL, "f16", "f32", "f64", "bf16"};

/* A source of `bits` in a register of that width, of the part that the operand names. */
static struct text narrow(struct translation *t, u32 k, u32 bits)
{
	const u32 part = t->i->operands[k].part_of ? t->i->operands[k].part : 0;
	struct text a = source_float(t, k), h;

	if (part) {
		const struct text shifted = temporary(t, 't');

		emit_ptx(t, "shr.u32 %s, %s, %u", shifted.s, a.s, part * bits % 32);
		a = shifted;
	}
	if (bits == 32)
		return a;
	h = temporary(t, 'h');
	emit_ptx(t, "cvt.u16.u32 %s, %s", h.s, a.s);
	return h;
}

static void write_narrow(struct translation *t, u32 type, const char *value)
{
	if (type == 3)
		write_wide(t, 0, value);
	else if (type == 2)
		emit_ptx(t, "mov.b32 %s, %s", destination(t, 0).s, value);
	else
		emit_ptx(t, "cvt.u32.u16 %s, %s", destination(t, 0).s, value);
}

static struct text result_of(struct translation *t, u32 type)
{
	return temporary(t, type == 3 ? 'x' : type == 2 ? 't' : 'h');
}

void translate_i2f(struct translation *t)
{
	static const char *const types[] = {"u32", "s32", "u32", "s32", "u32", "s32", "u64", "s64"};
	const bool packed = t->i->opcode == SASS_OP_I2FP;
	const u32 to = packed ? 2 : sass_modifier(t->i, MOD_REAL) + sass_modifier(t->i, MOD_REAL32);
	const u32 from = packed ? modifier(t, MOD_INT_PACK) : modifier(t, MOD_INT_IN);
	struct text a = from >= 6 ? source_wide(t, 1) : source_float(t, 1), d = result_of(t, to);

	/* An immediate is the upper half of 64 bits here, too. */
	if (from >= 6 && t->i->operands[1].arg == ARG_INTEGER)
		emit_ptx(t, "shl.b64 %s, %s, 32", a.s, a.s);

	if (from < 4) { /* a byte or half of the register */
		const u32 bits = from < 2 ? 8 : 16, part = t->i->operands[1].part_of ? t->i->operands[1].part : 0;

		const struct text field = temporary(t, 't');

		emit_ptx(t, "bfe.%s %s, %s, %u, %u", types[from], field.s, a.s, part * 8, bits);
		a = field;
	}
	if (packed && modifier(t, MOD_ROUND_PACK) % 3)
		fails(t);
	emit_ptx(t, "cvt.%s.%s.%s %s, %s", packed && modifier(t, MOD_ROUND_PACK) ? "rz" : rounding(t), reals[to],
		 types[from], d.s, a.s);
	write_narrow(t, to, d.s);
}

void translate_f2i(struct translation *t)
{
	static const char *const types[] = {"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"};
	static const char *const modes[] = {"rni", "rmi", "rpi", "rzi"};
	static const s32 least[] = {0, -128, 0, -32768}, most[] = {255, 127, 65535, 32767};
	const u32 from = modifier(t, MOD_REAL_IN32), to = sass_modifier(t->i, MOD_INT) + sass_modifier(t->i, MOD_INT64);
	const struct text a = from == 3 ? source_double(t, 1) : narrow(t, 1, from == 2 ? 32 : 16);
	const struct text d = temporary(t, to >= 6 ? 'x' : 't');

	emit_ptx(t, "cvt.%s%s.%s.%s %s, %s", modes[modifier(t, MOD_ROUND_INT)],
		 from == 2 && modifier(t, MOD_FTZ) ? ".ftz" : "", to < 4 ? "s32" : types[to], reals[from], d.s, a.s);
	if (to >= 6) {
		write_wide(t, 0, d.s);
	} else if (to < 4) { /* to 32 bits, then into the range */
		emit_ptx(t, "max.s32 %s, %s, %d", d.s, d.s, least[to]);
		emit_ptx(t, "min.s32 %s, %s, %d", destination(t, 0).s, d.s, most[to]);
	} else {
		emit_ptx(t, "mov.b32 %s, %s", destination(t, 0).s, d.s);
	}
}

void translate_f2f(struct translation *t)
{
	const u32 from = modifier(t, MOD_REAL_IN), to = modifier(t, MOD_REAL_OUT);
	const struct text a = from == 3 ? source_double(t, 1) : narrow(t, 1, from == 2 ? 32 : 16), d = result_of(t, to);
	const bool exact = (from == 1 || from == 4) && (to == 2 || to == 3), wider = from == 2 && to == 3;

	emit_ptx(t, "cvt%s%s%s.%s.%s %s, %s", exact || wider ? "" : ".", exact || wider ? "" : rounding(t),
		 modifier(t, MOD_FTZ) && (from == 2 || to == 2) ? ".ftz" : "", reals[to], reals[from], d.s, a.s);
	write_narrow(t, to, d.s);
}

void translate_frnd(struct translation *t)
{
	static const char *const modes[] = {"rni", "rmi", "rpi", "rzi"};
	const u32 type = sass_modifier(t->i, MOD_FRND64) ? 3 : modifier(t, MOD_REAL);
	const struct text a = type == 3 ? source_double(t, 1) : narrow(t, 1, type == 2 ? 32 : 16),
			  d = result_of(t, type);

	emit_ptx(t, "cvt.%s%s.%s.%s %s, %s", modes[modifier(t, MOD_ROUND_INT)],
		 type == 2 && modifier(t, MOD_FTZ) ? ".ftz" : "", reals[type], reals[type], d.s, a.s);
	write_narrow(t, type, d.s);
}

/* --- Halves --------------------------------------------------------------------------------- */

/* Two halves with the parts and signs that the operand names. An immediate has the first in its upper half. */
static struct text halves(struct translation *t, u32 k)
{
	const struct sass_operand *o = &t->i->operands[k];
	struct text from, to = temporary(t, 't');

	if (o->arg == ARG_FLOAT) {
		emit_ptx(t, "mov.b32 %s, 0x%x", to.s, (u32)o->value << 16 | (u32)o->value >> 16);
		return to;
	}
	from = register_at(t, k, 0);
	if (o->part == 1 || o->part > 3 || o->arg == ARG_CONSTANT)
		fails(t);
	if (o->number == SASS_RZ)
		emit_ptx(t, "mov.b32 %s, 0", to.s);
	else
		emit_ptx(t, "prmt.b32 %s, %s, 0, 0x%x", to.s, from.s,
			 o->part == 2   ? 0x1010
			 : o->part == 3 ? 0x3232
					: 0x3210);
	if (o->flags & SASS_BARS)
		emit_ptx(t, "and.b32 %s, %s, 0x7fff7fff", to.s, to.s);
	if (o->flags & SASS_MINUS)
		emit_ptx(t, "xor.b32 %s, %s, 0x80008000", to.s, to.s);
	return to;
}

static const char *half_type(const struct translation *t)
{
	return sass_modifier(t->i, MOD_HALF_TYPE) || sass_modifier(t->i, MOD_HALF_TYPE4) == 2 ||
			       sass_modifier(t->i, MOD_HALF_TYPE2) == 2
		       ? "bf16x2"
		       : "f16x2";
}

void translate_hadd2(struct translation *t)
{
	const struct text a = halves(t, 1), b = halves(t, 2);

	/* .F32 widens the lower half: the other operand is -RZ. */
	if (modifier(t, MOD_HALF_F32_OUT)) {
		const struct text h = temporary(t, 'h');

		if (t->i->operands[1].number != SASS_RZ && t->i->operands[2].number != SASS_RZ)
			fails(t);
		emit_ptx(t, "cvt.u16.u32 %s, %s", h.s, t->i->operands[1].number == SASS_RZ ? b.s : a.s);
		emit_ptx(t, "cvt%s.f32.f16 %s, %s", flushing(t), destination(t, 0).s, h.s);
		return;
	}
	emit_ptx(t, "add.rn%s%s.%s %s, %s, %s", flushing(t), saturating(t), half_type(t), destination(t, 0).s, a.s,
		 b.s);
}

void translate_hmul2(struct translation *t)
{
	const struct text a = halves(t, 1), b = halves(t, 2);

	if (modifier(t, MOD_FMZ) > SASS_FMZ_FTZ)
		fails(t);
	emit_ptx(t, "mul.rn%s%s.%s %s, %s, %s", flushing(t), saturating(t), half_type(t), destination(t, 0).s, a.s,
		 b.s);
}

void translate_hfma2(struct translation *t)
{
	const struct text a = halves(t, 1), b = halves(t, 2), c = halves(t, 3);
	const u32 mode = sass_modifier(t->i, MOD_FMZ_OOB) + sass_modifier(t->i, MOD_FMZ);

	if (mode == 2 || sass_modifier(t->i, MOD_HALF_F32_OUT))
		fails(t);
	emit_ptx(t, "fma.rn%s%s%s.%s %s, %s, %s, %s",
		 mode == 1   ? ".ftz"
		 : mode == 3 ? ".oob"
			     : "",
		 modifier(t, MOD_RELU) ? ".relu" : "", saturating(t), half_type(t), destination(t, 0).s, a.s, b.s, c.s);
}

/* The outcomes of both halves. */
static void compare_halves(struct translation *t, struct text a, struct text b, struct text c[2])
{
	const u32 comparison = modifier(t, MOD_FCMP);

	for (u32 k = 0; k < 2; k++)
		c[k] = temporary(t, 'c');
	if (comparison == 0 || comparison == 15)
		for (u32 k = 0; k < 2; k++)
			emit_ptx(t, "mov.pred %s, %s", c[k].s, comparison ? "%true" : "%false");
	else
		emit_ptx(t, "setp.%s%s.%s %s|%s, %s, %s", comparisons[comparison], flushing(t), half_type(t), c[0].s,
			 c[1].s, a.s, b.s);
}

void translate_hsetp2(struct translation *t)
{
	const struct text a = halves(t, 2), b = halves(t, 3), with = source_predicate(t, 4);
	const char *combination = combinations[modifier(t, MOD_BOOL) % 3];
	struct text c[2];

	compare_halves(t, a, b, c);
	if (modifier(t, MOD_H_AND)) {
		emit_ptx(t, "and.pred %s, %s, %s", c[0].s, c[0].s, c[1].s);
		set_predicates(t, 0, c[0], with);
		return;
	}
	for (u32 k = 0; k < 2; k++)
		emit_ptx(t, "%s.pred %s, %s, %s", combination, c[k].s, c[k].s, with.s);
	for (u32 k = 0; k < 2; k++)
		emit_ptx(t, "mov.pred %s, %s", destination_predicate(t, k).s, c[k].s);
}

void translate_hset2(struct translation *t)
{
	const struct text a = halves(t, 1), b = halves(t, 2), with = source_predicate(t, 3);
	const bool bf16 = sass_modifier(t->i, MOD_HALF_TYPE2) == 2;
	const u32 one = !modifier(t, MOD_BF) ? 0xffff : bf16 ? 0x3f80 : 0x3c00;
	const struct text d = temporary(t, 't');
	struct text c[2];

	compare_halves(t, a, b, c);
	for (u32 k = 0; k < 2; k++)
		emit_ptx(t, "%s.pred %s, %s, %s", combinations[modifier(t, MOD_BOOL) % 3], c[k].s, c[k].s, with.s);
	const struct text low = temporary(t, 't');

	emit_ptx(t, "selp.b32 %s, 0x%x, 0, %s", low.s, one, c[0].s);
	emit_ptx(t, "selp.b32 %s, 0x%x, 0, %s", d.s, one << 16, c[1].s);
	emit_ptx(t, "or.b32 %s, %s, %s", destination(t, 0).s, d.s, low.s);
}

/* The lesser where the predicate holds. */
void translate_hmnmx2(struct translation *t)
{
	struct sass_operand *operands = t->i->operands;
	const bool xors = modifier(t, MOD_XORSIGN);

	if (modifier(t, MOD_IS_A) || (xors && !(operands[1].flags & operands[2].flags & SASS_BARS)))
		fails(t);
	for (u32 k = 1; k <= 2 && xors; k++)
		operands[k].flags &= (u8)~SASS_BARS;
	const struct text a = halves(t, 1), b = halves(t, 2), p = source_predicate(t, 3), less = temporary(t, 't'),
			  more = temporary(t, 't');
	const char *nan = modifier(t, MOD_NAN) ? ".NaN" : "", *sign = xors ? ".xorsign.abs" : "";

	emit_ptx(t, "min%s%s%s.%s %s, %s, %s", flushing(t), nan, sign, half_type(t), less.s, a.s, b.s);
	emit_ptx(t, "max%s%s%s.%s %s, %s, %s", flushing(t), nan, sign, half_type(t), more.s, a.s, b.s);
	emit_ptx(t, "selp.b32 %s, %s, %s, %s", destination(t, 0).s, less.s, more.s, p.s);
}

/* --- Packing -------------------------------------------------------------------------------- */

/* Results of 16 bits, the upper half zero: the other half comes from a register that is RZ. */
static void pack_small(struct translation *t, const char *cvt, u32 last, const char *sources)
{
	const struct text h = temporary(t, 'h');

	if (t->i->operands[last].number != SASS_RZ || t->i->operands[last].arg != ARG_REGISTER)
		fails(t);
	emit_ptx(t, "%s %s, %s", cvt, h.s, sources);
	emit_ptx(t, "cvt.u32.u16 %s, %s", destination(t, 0).s, h.s);
}

/* By the row's text: what is packed, and how. */
void translate_f2fp(struct translation *t)
{
	static const char *const names[] = {"f16x2", "bf16x2", NULL, "tf32", "e5m2x2", "e4m3x2"};
	const char *text = sass_row_text(t->decoder, t->i),
		   *round = sass_modifier(t->i, MOD_F2FP_ROUND) == 3 ? "rz" : "rn";
	const char *relu = modifier(t, MOD_PRELU) ? ".relu" : "",
		   *finite = modifier(t, MOD_SATFINITE) ? ".satfinite" : "";
	const u32 to = modifier(t, MOD_F2FP_TO);
	char cvt[96], sources[128];

	if (to >= COUNT_OF(names) || !names[to] || sass_modifier(t->i, MOD_F2FP_ROUND) % 3) {
		fails(t);
		return;
	}
	if (strstr(text, "F32.PACK_AB_MERGE_C")) {
		snprintf(cvt, sizeof cvt, "cvt.%s%s%s.%s.f32", round, finite, relu, names[to]);
		snprintf(sources, sizeof sources, "%s, %s", source_float(t, 1).s, source_float(t, 2).s);
		pack_small(t, cvt, 3, sources);
	} else if (strstr(text, "F32.PACK_AB")) {
		const struct text a = source_float(t, 1), b = source_float(t, 2);

		emit_ptx(t, "cvt.%s%s%s.%s.f32 %s, %s, %s", round, relu, finite, names[to], destination(t, 0).s, a.s,
			 b.s);
	} else if (strstr(text, "F32.MERGE_C")) {
		snprintf(cvt, sizeof cvt, "cvt.%s%s%s.%s.f32", round, relu, finite, to ? "bf16" : "f16");
		snprintf(sources, sizeof sources, "%s", source_float(t, 1).s);
		pack_small(t, cvt, 2, sources);
	} else if (strstr(text, "F16.UNPACK_B_MERGE_C")) {
		snprintf(cvt, sizeof cvt, "cvt.%s%s%s.%s.f16x2", round, finite, relu, names[to]);
		snprintf(sources, sizeof sources, "%s", source_float(t, 1).s);
		pack_small(t, cvt, 2, sources);
	} else if (strstr(text, "UNPACK_B")) {
		const struct text h = narrow(t, 1, 16);

		emit_ptx(t, "cvt.rn%s.%s.%s %s, %s", relu, names[to], modifier(t, MOD_F2FP_FROM8) ? "e4m3x2" : "e5m2x2",
			 destination(t, 0).s, h.s);
	} else if (to == 3) {
		const struct text a = source_float(t, 1);

		emit_ptx(t, "cvt.%s%s%s.tf32.f32 %s, %s", round, relu, finite, destination(t, 0).s, a.s);
	} else {
		fails(t);
	}
}

void translate_i2i(struct translation *t)
{
	static const char *const types[] = {"u8", "s8", "u16", "s16"};
	const struct text a = source(t, 1), h = temporary(t, 'h');
	const u32 to = modifier(t, MOD_I2I);

	emit_ptx(t, "cvt.sat.%s.s32 %s, %s", types[to], h.s, a.s);
	emit_ptx(t, "cvt.%s32.%s16 %s, %s", to & 1 ? "s" : "u", to & 1 ? "s" : "u", destination(t, 0).s, h.s);
}

void translate_i2ip(struct translation *t)
{
	static const char *const types[] = {"u8", "s8", "u16", "s16", "u2", "s2", "u4", "s4"};
	const struct text a = source(t, 1), b = source(t, 2), c = source(t, 3);
	const u32 to = modifier(t, MOD_I2IP);

	if (modifier(t, MOD_I2IP_SAT) != 1)
		fails(t);
	if (to == 2 || to == 3)
		emit_ptx(t, "cvt.pack.sat.%s.s32 %s, %s, %s", types[to], destination(t, 0).s, a.s, b.s);
	else
		emit_ptx(t, "cvt.pack.sat.%s.s32.b32 %s, %s, %s, %s", types[to], destination(t, 0).s, a.s, b.s, c.s);
}
