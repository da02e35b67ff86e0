/* SPDX-License-Identifier: Apache-2.0
 *
 * The matrix unit's one step: n products and the accumulator aligned to the greatest exponent, cut toward zero, added
 * exactly, rounded once:
 *
 *     c  +  a0 * b0  +  a1 * b1  + ...          exponents   c: 3     a0 b0: 5     a1 b1: -20
 *                                               reference   5: the greatest
 *     in units of 2^(reference - F), F = 25 fraction bits (13 in narrow steps):
 *
 *         c       0000 0000 0001.0110 1 ... 1|01        what lies below the last unit is cut, toward zero
 *         a0 b0   0000 0000 1010.1110 0 ... 0|
 *         a1 b1   0000 0000 0000.0000 0 ... 1|1011
 *         sum     exact, then rounded once to f32 (toward zero) or f16 (to nearest even)
 *
 * So the order of the products does not matter, but how many are summed in one step does, which differs by chip and type
 * (docs/numerics.md). Works on tiles of 16 rows by 16 columns whose operands were taken apart beforehand, a vector of rows at
 * a time. Included by tensor_variant.c only, once for each vector width.
 *
 * What must hold: F + 2 bits hold an aligned addend, so the sum of 16 products stays within +-(2^31
 * - 1) at F = 25 (the accumulator joins afterwards, in sign and magnitude), that of 64 at F = 13.
 */
#ifndef PTXSIM_NUMBER_TENSOR_FUSED_H
#define PTXSIM_NUMBER_TENSOR_FUSED_H

#include "number/tensor.h"
#include "number/tensor_lanes.h"

enum { TILE = 16, MAX_FACTORS = 64 };

/*
 * Stand-ins for exponents. Any sum with EXP_ZERO or EXP_ABSENT is below every real reference
 * exponent, so such a product does not count in the maximum, whatever the other factor is; its
 * significand is 0 or never looked at.
 */
enum {
	EXP_ABSENT = -0x5000, /* place of a sparse row that holds nothing: not even 0 * inf */
	EXP_ZERO = -0x4000,
	EXP_INF = 0x1000,
	EXP_NAN = 0x1001,
	EXP_LEAST = -133, /* lower bound of the reference exponent; measured */
};

/*
 * Words between the planes, so that they do not fall on the same lines of the host's first-level
 * cache.
 */
enum { PLANE_GAP = 5 * TILE };

/*
 * 16 rows of A or up to 16 columns of B taken apart into three planes: exponents; significands,
 * scaled so that A's and B's scales make up for F; signs (-1 where negative). In a plane, element
 * (place in K, row or column) is at place * width + row. A's width is TILE, B's is TILE or, in the
 * forms of 8 columns, 8. The order of places is the same in A and B, else free.
 */
struct factors {
	_Alignas(64) s32 data[3 * (MAX_FACTORS * TILE + PLANE_GAP)];
	_Alignas(64) s32 special[TILE]; /* not 0: the row has an infinity or a NaN */
	u32 plane, width;
};

/* How a step rounds its sum. */
enum step_result {
	STEP_F32,        /* toward zero */
	STEP_F32_NARROW, /* toward zero to 13 fraction bits */
	STEP_F16,        /* to nearest even */
};

/* The layout of a floating-point format: sign, exponent, fraction from the top bit down. */
struct float_layout {
	u8 fraction_bits, exponent_bits;
	s16 bias;
	bool has_inf;   /* e4m3 has none, and only its all-ones pattern is NaN */
	bool normalise; /* subnormals count as normal numbers, as after conversion to f16 */
};

/* An accumulator taken apart. */
struct addend {
	vs32 exp, neg;
	vu32 sig; /* in units of 2^(exp - F), F the fraction bits of the step */
};

/*
 * Takes apart the element in the low bits of each word into three planes from `at` on; the
 * significand gets `sig_bits` bits. Returns -1 where it is an infinity or a NaN.
 */
static inline __attribute__((always_inline)) vs32 factor_decode(s32 *at, size_t plane, vu32 x,
								const struct float_layout *l, u32 sig_bits)
{
	s32 top = (1 << l->exponent_bits) - 1;
	s32 one = 1 << l->fraction_bits;
	vs32 fraction = (vs32)x & (one - 1);
	vs32 field = (vs32)(x >> l->fraction_bits) & top;
	vs32 normal = field != 0;
	vs32 exp = field + normal + (1 - l->bias);
	vs32 sig = fraction | (normal & one);
	vs32 special = l->has_inf ? field == top : (field == top) & (fraction == one - 1);
	vs32 none = l->has_inf ? fraction != 0 : special;
	if (l->normalise) {
		vs32 up = ~normal & (1 - (fraction < 4) - (fraction < 2));
		sig = (vs32)vu32_shift_left((vu32)sig, up);
		exp -= up;
	}
	exp = vs32_select((fraction | field) == 0, vs32_all(EXP_ZERO), exp);
	exp = vs32_select(special, EXP_INF - none, exp);
	vs32 neg = -((vs32)(x >> (l->fraction_bits + l->exponent_bits)) & 1);
	vs32_store(at, exp);
	vs32_store(at + plane, sig << (sig_bits - l->fraction_bits - 1));
	vs32_store(at + 2 * plane, neg);
	return special;
}

/* The accumulator's bits taken apart, in the format of the step's result. */
static inline struct addend addend_decode(vu32 c, u32 fraction_bits, enum step_result result)
{
	u32 stored = result == STEP_F16 ? 10 : 23;
	s32 top = result == STEP_F16 ? 31 : 255;
	vs32 field = (vs32)(c >> stored) & top;
	vs32 fraction = (vs32)c & ((1 << stored) - 1);
	vs32 normal = field != 0;
	vs32 sig = fraction | (normal & (1 << stored));
	struct addend s;
	s.exp = field + normal + (result == STEP_F16 ? -14 : -126);
	s.exp = vs32_select(sig == 0, vs32_all(EXP_ZERO), s.exp);
	s.exp = vs32_select(field == top, EXP_INF - (vs32)(fraction != 0), s.exp);
	s.neg = -((vs32)(c >> (result == STEP_F16 ? 15 : 31)) & 1);
	s.sig = fraction_bits >= stored ? (vu32)sig << (fraction_bits - stored) : (vu32)sig >> (stored - fraction_bits);
	return s;
}

/*
 * neg ? -1 : 1 times magnitude * 2^unit in f32, cut toward zero (narrow: to 13 fraction bits). A
 * zero is +0.
 */
static inline vu32 round_f32(vu32 magnitude, vs32 neg, vs32 unit, bool narrow)
{
	vs32 top = vu32_top_bit(magnitude);
	vu32 fraction = vu32_shift_left(magnitude, 31 - top) >> 8;
	vs32 exp = top + unit;
	vs32 bound = vs32_max(exp, vs32_all(-126));
	fraction = vu32_shift_right(fraction, bound - exp);
	vu32 bits = ((vu32)(bound + 126) << 23) + fraction;
	if (narrow)
		bits &= ~0x3ffu;
	bits = (vu32)vs32_select(exp > 127, vs32_all(0x7f800000), (vs32)bits);
	bits &= (vu32)(magnitude != 0);
	return bits | ((vu32)neg & 0x80000000u & (vu32)(bits != 0));
}

/* The same in f16, rounded to nearest even. */
static inline vu32 round_f16(vu32 magnitude, vs32 neg, vs32 unit)
{
	vs32 top = vu32_top_bit(magnitude);
	vu32 full = vu32_shift_left(magnitude, 31 - top);
	vs32 exp = top + unit;
	vs32 bound = vs32_max(exp, vs32_all(-14));
	vs32 lost = bound - exp + 1; /* one more than a subnormal loses, for room to round up */
	vu32 kept = vu32_shift_right(full, lost);
	kept |= (vu32)(vu32_shift_left(kept, lost) != full) & 1;
	vu32 fraction = (kept + 0x7ffffu + ((kept >> 20) & 1)) >> 20;
	vu32 bits = ((vu32)(bound + 14) << 10) + fraction;
	bits = (vu32)vs32_select(exp > 15, vs32_all(0x7c00), (vs32)bits);
	bits &= (vu32)(magnitude != 0);
	return bits | ((vu32)neg & 0x8000u & (vu32)(bits != 0));
}

/*
 * Adds the accumulator to the exact sum of products and rounds; all in units of 2^(reference - F).
 */
static inline vu32 sum_finish(vs32 products, const struct addend *c, vs32 reference, u32 fraction_bits,
			      enum step_result result)
{
	vs32 neg = products >> 31;
	vu32 sum = (vu32)((products ^ neg) - neg);
	vu32 aligned = vu32_shift_right(c->sig, reference - c->exp);
	vs32 differ = neg ^ c->neg;
	vu32 total = sum + ((aligned ^ (vu32)differ) - (vu32)differ);
	vs32 borrowed = differ & (sum < aligned);
	total = (total ^ (vu32)borrowed) - (vu32)borrowed;
	neg ^= borrowed;
	vs32 unit = reference - (s32)fraction_bits;
	if (result == STEP_F16)
		return round_f16(total, neg, unit);
	return round_f32(total, neg, unit, result == STEP_F32_NARROW);
}

/*
 * One result that involves an infinity or a NaN: true and the bits, or false when all its own
 * operands are finite.
 */
static bool special_result(const struct factors *a, const struct factors *b, u32 row, u32 column, u32 first, u32 count,
			   s32 c_exp, bool c_neg, bool half, u32 *bits)
{
	bool nan = c_exp == EXP_NAN;
	bool inf[2] = {false, false};
	if (c_exp == EXP_INF)
		inf[c_neg] = true;
	for (u32 k = first; k < first + count; k++) {
		const s32 *x_at = a->data + k * TILE + row, *y_at = b->data + k * b->width + column;
		s32 x = *x_at, y = *y_at;
		if (x == EXP_ABSENT || (x < EXP_INF && y < EXP_INF))
			continue;
		if (x == EXP_NAN || y == EXP_NAN || x == EXP_ZERO || y == EXP_ZERO)
			nan = true;
		else
			inf[(x_at[2 * a->plane] ^ y_at[2 * b->plane]) & 1] = true;
	}
	if (!nan && !inf[0] && !inf[1])
		return false;
	if (nan || (inf[0] && inf[1]))
		*bits = half ? 0x7fff : 0x7fffffff;
	else
		*bits = (half ? 0x7c00u : 0x7f800000u) | ((u32)inf[1] << (half ? 15 : 31));
	return true;
}

/* Replaces the results in d that infinities and NaNs decide; the sum computed for them is meaningless. */
static __attribute__((noinline, cold)) vu32 step_specials(const struct factors *a, const struct factors *b, u32 row,
							  u32 column, u32 first, u32 count, vu32 c, bool half, vu32 d)
{
	struct addend acc = addend_decode(c, 25, half ? STEP_F16 : STEP_F32);
	for (u32 lane = 0; lane < LANES; lane++) {
		u32 bits;
		if (special_result(a, b, row + lane, column, first, count, acc.exp[lane], acc.neg[lane] != 0, half,
				   &bits))
			d[lane] = bits;
	}
	return d;
}

/*
 * One step of a tile: c and d are [column][stride] with the tile's rows first; c may be NULL for
 * zero.
 */
struct step {
	const struct factors *a, *b;
	const u32 *c;
	u32 *d;
	u32 stride, columns, first, count;
};

/*
 * What is fixed in the code of a step: F, the result, B's width and, unless 0, the number of
 * products.
 */
struct step_kind {
	u32 fraction_bits;
	enum step_result result;
	u32 width, count;
};

enum { ABREAST = 2 }; /* columns computed together: independent sums hide the host's latencies */

/*
 * One step for a vector of rows and ABREAST columns. First the exponents of all products, and the greatest; then each
 * product, shifted to it, is added. The sum is kept as that of all magnitudes and that of the negative ones (all - 2 *
 * negative): one operation less for each product than negating. Significands have 16 bits at most, so that their product is
 * what vs32_dot16 gives, one instruction on the host.
 */
static inline __attribute__((always_inline)) void step_vector(const struct step *s, size_t row, size_t column,
							      struct step_kind kind)
{
	const size_t count = kind.count ? kind.count : s->count, width = kind.width;
	const s32 *a_exp = s->a->data + s->first * TILE + row, *b_exp = s->b->data + s->first * width + column;
	const s32 *a_sig = a_exp + s->a->plane, *b_sig = b_exp + s->b->plane;
	const s32 *a_neg = a_sig + s->a->plane, *b_neg = b_sig + s->b->plane;
	vu32 c[ABREAST], all[ABREAST] = {{0}}, negative[ABREAST] = {{0}};
	vs32 reference[ABREAST], exp[MAX_FACTORS][ABREAST];
	struct addend acc[ABREAST];
	for (size_t j = 0; j < ABREAST; j++) {
		c[j] = s->c ? (vu32)vs32_load(s->c + (column + j) * s->stride + row) : (vu32){0};
		acc[j] = addend_decode(c[j], kind.fraction_bits, kind.result);
		reference[j] = vs32_max(acc[j].exp, vs32_all(EXP_LEAST));
	}
#pragma GCC unroll 16
	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < ABREAST; j++) {
			exp[i][j] = vs32_load(a_exp + i * TILE) + b_exp[i * width + j];
			reference[j] = vs32_max(reference[j], exp[i][j]);
		}
	}
#pragma GCC unroll 16
	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < ABREAST; j++) {
			vs32 product = vs32_dot16(vs32_load(a_sig + i * TILE), vs32_all(b_sig[i * width + j]));
			vu32 term = vu32_shift_right((vu32)product, reference[j] - exp[i][j]);
			all[j] += term;
			negative[j] +=
				vu32_and_differ(term, vs32_load(a_neg + i * TILE), vs32_all(b_neg[i * width + j]));
		}
	}
	for (size_t j = 0; j < ABREAST; j++) {
		vs32 sum = (vs32)(all[j] - 2 * negative[j]);
		vu32 d = sum_finish(sum, &acc[j], reference[j], kind.fraction_bits, kind.result);
		vs32 special = (acc[j].exp >= EXP_INF) | vs32_load(&s->a->special[row]) | s->b->special[column + j];
		if (__builtin_expect(vs32_any(special), 0))
			d = step_specials(s->a, s->b, row, column + j, s->first, count, c[j], kind.result == STEP_F16,
					  d);
		vs32_store(s->d + (column + j) * s->stride + row, (vs32)d);
	}
}

static inline __attribute__((always_inline)) void step_tile(const struct step *s, struct step_kind kind)
{
	for (size_t column = 0; column < s->columns; column += ABREAST) {
		for (size_t row = 0; row < TILE; row += LANES)
			step_vector(s, row, column, kind);
	}
}

/* Common forms have their number of products as a constant, so that the compiler unrolls them; others share a loop. */
static __attribute__((noinline)) void step_wide_f32_by8(const struct step *s)
{
	if (s->count == 16)
		step_tile(s, (struct step_kind){25, STEP_F32, 8, 16});
	else if (s->count == 8)
		step_tile(s, (struct step_kind){25, STEP_F32, 8, 8});
	else if (s->count == 32)
		step_tile(s, (struct step_kind){25, STEP_F32, 8, 32});
	else
		step_tile(s, (struct step_kind){25, STEP_F32, 8, 0});
}

static __attribute__((noinline)) void step_wide_f32_by16(const struct step *s)
{
	if (s->count == 16)
		step_tile(s, (struct step_kind){25, STEP_F32, 16, 16});
	else if (s->count == 32)
		step_tile(s, (struct step_kind){25, STEP_F32, 16, 32});
	else
		step_tile(s, (struct step_kind){25, STEP_F32, 16, 0});
}

static __attribute__((noinline)) void step_wide_f16(const struct step *s)
{
	if (s->b->width == 8 && s->count == 16)
		step_tile(s, (struct step_kind){25, STEP_F16, 8, 16});
	else if (s->b->width == 8)
		step_tile(s, (struct step_kind){25, STEP_F16, 8, 0});
	else if (s->count == 16)
		step_tile(s, (struct step_kind){25, STEP_F16, 16, 16});
	else
		step_tile(s, (struct step_kind){25, STEP_F16, 16, 0});
}

static __attribute__((noinline)) void step_narrow_f32(const struct step *s)
{
	if (s->count == 32)
		step_tile(s, (struct step_kind){13, STEP_F32_NARROW, TILE, 32});
	else
		step_tile(s, (struct step_kind){13, STEP_F32_NARROW, TILE, 0});
}

static __attribute__((noinline)) void step_narrow_f16(const struct step *s)
{
	if (s->count == 32)
		step_tile(s, (struct step_kind){13, STEP_F16, TILE, 32});
	else
		step_tile(s, (struct step_kind){13, STEP_F16, TILE, 0});
}

static void step_run(const struct step *s, bool narrow, bool half)
{
	if (narrow)
		half ? step_narrow_f16(s) : step_narrow_f32(s);
	else if (half)
		step_wide_f16(s);
	else
		s->b->width == 8 ? step_wide_f32_by8(s) : step_wide_f32_by16(s);
}

#endif
