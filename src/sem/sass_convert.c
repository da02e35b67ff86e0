/* SPDX-License-Identifier: Apache-2.0
 *
 * SASS: conversions F2F, F2I, I2F, I2I. The destination's type stands first. The source may be a
 * part of a register (.B1, .H1); results narrower than a register are extended by their sign.
 */
#include "number/convert.h"
#include "number/half.h"
#include "number/ieee.h"
#include "sem/sass.h"

/* --- What a form says ----------------------------------------------------------------------- */

/* In the word: for each side the kind and the logarithm of the bytes, then rounding and the rest. */
enum {
	SIDE_SOURCE = 4,
	SIDE_FLOAT = 4,
	SIDE_SIGNED = 8,
	WORD_ROUND = 8,
	WORD_FTZ = 1 << 10,
	WORD_SAT = 1 << 11,
	WORD_INTEGRAL = 1 << 12,
	WORD_SHIFT = 16
};

static bool type_side(const char *text, u32 *side)
{
	static const char *const bits[] = {"8", "16", "32", "64"};

	if (*text != 'F' && *text != 'S' && *text != 'U')
		return false;
	for (u32 k = 0; k < COUNT_OF(bits); k++)
		if (!strcmp(text + 1, bits[k])) {
			*side = k | (*text == 'F' ? SIDE_FLOAT : *text == 'S' ? SIDE_SIGNED : 0);
			return true;
		}
	return false;
}

static u32 word_convert(const struct form *f)
{
	u32 word = 0, sides = 0;

	for (u32 k = 0; k < f->word_count; k++) {
		const char *t = f->words[k];
		u32 side;
		if (type_side(t, &side))
			word |= side << SIDE_SOURCE * sides++;
		else if (!strcmp(t, "RM") || !strcmp(t, "FLOOR"))
			word |= ROUND_RM << WORD_ROUND;
		else if (!strcmp(t, "RP") || !strcmp(t, "CEIL"))
			word |= ROUND_RP << WORD_ROUND;
		else if (!strcmp(t, "RZ") || !strcmp(t, "TRUNC"))
			word |= ROUND_RZ << WORD_ROUND;
		if (!strcmp(t, "FLOOR") || !strcmp(t, "CEIL") || !strcmp(t, "TRUNC") || !strcmp(t, "ROUND"))
			word |= WORD_INTEGRAL;
	}
	return word | (form_has_word(f, "FTZ") ? WORD_FTZ : 0) | (form_has_word(f, "SAT") ? WORD_SAT : 0) |
	       (u32)f->selects << WORD_SHIFT;
}

/* --- One lane ------------------------------------------------------------------------------- */

static inline u32 side_bits(u32 side) { return 8u << (side & 3); }

/* The low `bits` of a number, extended. */
static inline u64 extend(u64 value, u32 bits, bool is_signed)
{
	const u32 spare = 64 - bits;
	return is_signed ? (u64)((s64)(value << spare) >> spare) : value << spare >> spare;
}

static u64 int_to_float(u32 word, u64 a, bool is_signed)
{
	const enum round round = (enum round)(word >> WORD_ROUND & 3);

	switch (side_bits(word)) {
	case 64:
		return is_signed ? f64_from_s64((s64)a, round) : f64_from_u64(a, round);
	case 32:
		return is_signed ? f32_from_s64((s64)a, round) : f32_from_u64(a, round);
	default:
		return is_signed ? f16_from_s64((s64)a, round) : f16_from_u64(a, round);
	}
}

static u64 float_to_int(u32 word, u64 a)
{
	const u32 bits = side_bits(word);
	const bool is_signed = word & SIDE_SIGNED;
	const enum round round = (enum round)(word >> WORD_ROUND & 3);

	switch (side_bits(word >> SIDE_SOURCE)) {
	case 64:
		return int_from_f64(a, bits, is_signed, round);
	case 32:
		return int_from_f32((u32)a, bits, is_signed, round, word & WORD_FTZ);
	default:
		return int_from_f32(f32_from_f16((u16)a), bits, is_signed, round, false);
	}
}

static u64 float_to_float(u32 word, u64 a)
{
	const u32 to = side_bits(word), from = side_bits(word >> SIDE_SOURCE);
	const enum round round = (enum round)(word >> WORD_ROUND & 3);
	const bool ftz = word & WORD_FTZ;
	u64 r = a;

	if (to == 64)
		r = from == 64 ? (word & WORD_INTEGRAL ? f64_round_integral(a, round) : a) : f64_from_f32((u32)a, ftz);
	else if (to == 16)
		r = f16_from_f32((u32)a, round);
	else if (from == 64)
		r = f32_from_f64(a, round, ftz);
	else if (from == 16)
		r = f32_from_f16((u16)a);
	else
		r = word & WORD_INTEGRAL ? f32_round_integral((u32)a, round, ftz) : f32_flush_if((u32)a, ftz);
	if (!(word & WORD_SAT))
		return r;
	return to == 64 ? f64_saturate(r) : to == 32 ? f32_saturate((u32)r) : r;
}

static u64 int_to_int(u32 word, s64 a)
{
	const u32 bits = side_bits(word);
	const bool is_signed = word & SIDE_SIGNED;
	const s64 low = is_signed ? -((s64)1 << (bits - 1)) : 0;
	const s64 high = ((s64)1 << (is_signed ? bits - 1 : bits)) - 1;

	if (word & WORD_SAT)
		a = a < low ? low : a > high ? high : a;
	return extend((u64)a, bits, is_signed);
}

static u64 convert(u32 word, u64 a)
{
	const u32 source = word >> SIDE_SOURCE;

	if (source & SIDE_FLOAT)
		return word & SIDE_FLOAT ? float_to_float(word, a) : float_to_int(word, a);
	a = extend(a, side_bits(source), source & SIDE_SIGNED);
	return word & SIDE_FLOAT ? int_to_float(word, a, source & SIDE_SIGNED) : int_to_int(word, (s64)a);
}

/* --- Meanings ------------------------------------------------------------------------------- */

MEANING_FUNCTION(convert_lanes)
{
	const u32 word = warp_operands(w, i)[SASS_WORD], shift = word >> WORD_SHIFT;
	const bool wide_source = side_bits(word >> SIDE_SOURCE) == 64, wide = side_bits(word) == 64;
	const u32 *pa = ROW_OF(u32, i->a);
	u32 *d = ROW_OF(u32, i->d);
	u64 result[WARP_LANES];

	fp_enter(w, FP_RN);
	for (u32 l = 0; l < WARP_LANES; l++)
		result[l] = convert(word, wide_source ? pa[l] | (u64)pa[l + WARP_LANES] << 32 : pa[l] >> shift);
	for (u32 l = 0; l < WARP_LANES; l++) {
		if (!(mask >> l & 1))
			continue;
		d[l] = (u32)result[l];
		if (wide)
			d[l + WARP_LANES] = (u32)(result[l] >> 32);
	}
	return i + 1;
}
MEANING_WORD(convert_lanes, word_convert);
PICK_SASS(convert, &convert_lanes)

/* --- Rows ----------------------------------------------------------------------------------- */

#define INTEGRAL "[.FLOOR|.CEIL|.TRUNC|.ROUND|.PASS]"
#define ROUND    "[.RN|.RM|.RP|.RZ]"
#define INTS     "(.U8|.S8|.U16|.S16|.U32|.S32)"
#define WIDE     "(.U64|.S64)"

static const struct isa_row rows_convert[] = {
	FERMI("F2F[.FTZ](.F32.F32|.F32.F16|.F16.F32)" INTEGRAL ROUND "[.SAT]", "D -|S", SASS_FLOAT | SASS_SELECT,
	      pick_convert, "Converts between floats, or rounds to whole numbers."),
	FERMI("F2F[.FTZ].F64.F32", "D2 -|S", SASS_FLOAT, pick_convert, "Converts between floats."),
	FERMI("F2F[.FTZ].F32.F64" ROUND "[.SAT]", "D -|S2", SASS_FLOAT, pick_convert, "Converts between floats."),
	FERMI("F2F.F64.F64" INTEGRAL, "D2 -|S2", SASS_FLOAT, pick_convert, "Rounds to whole numbers."),
	FERMI("F2I[.FTZ]" INTS "(.F32|.F16)" INTEGRAL, "D -|S", SASS_FLOAT | SASS_SELECT, pick_convert,
	      "Converts to an integer, clamped to its range."),
	FERMI("F2I[.FTZ]" WIDE "(.F32|.F16)" INTEGRAL, "D2 -|S", SASS_FLOAT | SASS_SELECT, pick_convert,
	      "Converts to an integer, clamped to its range."),
	FERMI("F2I" INTS ".F64" INTEGRAL, "D -|S2", SASS_FLOAT, pick_convert,
	      "Converts to an integer, clamped to its range."),
	FERMI("F2I" WIDE ".F64" INTEGRAL, "D2 -|S2", SASS_FLOAT, pick_convert,
	      "Converts to an integer, clamped to its range."),
	FERMI("I2F(.F32|.F16)" INTS ROUND, "D -|S", SASS_SELECT, pick_convert, "Converts from an integer."),
	FERMI("I2F.F64" INTS ROUND, "D2 -|S", SASS_SELECT, pick_convert, "Converts from an integer."),
	FERMI("I2F(.F32|.F16)" WIDE ROUND, "D S2", 0, pick_convert, "Converts from an integer."),
	FERMI("I2F.F64" WIDE ROUND, "D2 S2", 0, pick_convert, "Converts from an integer."),
	FERMI("I2I" INTS INTS "[.SAT]", "D -|S", SASS_SELECT, pick_convert, "Converts between integers."),
};
FAMILY(sass_convert, "SASS: conversions", CLASS_CONVERSION, rows_convert);
