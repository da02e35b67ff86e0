/* SPDX-License-Identifier: Apache-2.0
 *
 * The rules of f16, bf16, f32 and f64 that are no arithmetic: widening and rounding at every f16
 * and bf16 number, minimum and maximum, comparisons, signs, clamps. The references are written
 * over the values as doubles, not over bits.
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "number/convert.h"
#include "number/half.h"
#include "number/ieee.h"
#include "main.h"

/* The value of a 16-bit float of the given mantissa width, from the definition. */
static f64 value_of(u16 bits, int man_bits)
{
	const int man = bits & ((1 << man_bits) - 1), top = (1 << (15 - man_bits)) - 1;
	const int field = bits >> man_bits & top, bias = top >> 1;
	const f64 sign = bits >> 15 ? -1.0 : 1.0;

	if (field == top)
		return man ? (f64)NAN : sign * (f64)INFINITY;
	if (field == 0)
		return sign * ldexp(man, 1 - bias - man_bits);
	return sign * ldexp(man + (1 << man_bits), field - bias - man_bits);
}

static u32 bits32(f64 exact)
{
	ck_assert(isnan(exact) || (f64)(f32)exact == exact);
	return isnan(exact) ? F32_NAN : bits_of_f32((f32)exact);
}

START_TEST(every_half_widens_exactly)
{
	for (u32 h = 0; h < 0x10000; h++) {
		const f64 x = value_of((u16)h, 10), y = value_of((u16)h, 7);
		ck_assert_uint_eq(f32_from_f16((u16)h), bits32(x));
		ck_assert_uint_eq(f32_from_bf16((u16)h), isnan(y) ? h << 16 : bits32(y));
		if (!isnan(x))
			ck_assert_uint_eq(f64_from_f16((u16)h), bits_of_f64(x));
		if (!isnan(y))
			ck_assert_uint_eq(f64_from_bf16((u16)h), bits_of_f64(y));
		ck_assert_uint_eq(f16_from_f32_rn(bits32(x)), isnan(x) ? HALF_NAN : h);
		ck_assert_uint_eq(bf16_from_f32_rn(bits32(y)), isnan(y) ? HALF_NAN : h);
	}
}
END_TEST

/* Between each number and the next: the tie goes to the even one, its neighbours to the nearer. */
START_TEST(every_tie_goes_to_even)
{
	for (u32 h = 0; h < 0x7c00; h++) {
		const f64 next = h == 0x7bff ? 65536.0 : value_of((u16)(h + 1), 10);
		const u32 tie = bits32((value_of((u16)h, 10) + next) / 2);
		for (u32 sign = 0; sign < 2; sign++) {
			const u32 s = sign << 31, r = sign << 15;
			ck_assert_uint_eq(f16_from_f32_rn(tie | s), (h + (h & 1)) | r);
			ck_assert_uint_eq(f16_from_f32_rn((tie - 1) | s), h | r);
			ck_assert_uint_eq(f16_from_f32_rn((tie + 1) | s), (h + 1) | r);
			ck_assert_uint_eq(f16_from_f32(tie | s, ROUND_RZ), h | r);
			ck_assert_uint_eq(f16_from_f32(tie | s, ROUND_RP), (h + !sign) | r);
			ck_assert_uint_eq(f16_from_f32(tie | s, ROUND_RM), (h + sign) | r);
		}
	}
	for (u32 h = 0; h < 0x7f80; h++) {
		const u32 tie = h << 16 | 0x8000;
		ck_assert_uint_eq(bf16_from_f32_rn(tie), h + (h & 1));
		ck_assert_uint_eq(bf16_from_f32_rn(tie - 1), h);
		ck_assert_uint_eq(bf16_from_f32_rn(tie + 1), h + 1);
		ck_assert_uint_eq(bf16_from_f32(tie, ROUND_RP), h + 1);
		ck_assert_uint_eq(bf16_from_f32(tie, ROUND_RZ), h);
	}
}
END_TEST

static const u16 f16_values[] = {0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x83ff, 0x0400, 0x8400, 0x3c00,
				 0xbc00, 0x3c01, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7c01, 0xfe00, 0x7fff};

static bool below(f64 a, f64 b) { return a < b || (a == b && signbit(a) && !signbit(b)); }

/* min or max by the manual: the number if one is a NaN, -0 below +0. NaN in, NaN out is the
 * caller's. Gives which operand it is. */
static bool second_wins(f64 a, f64 b, bool want_max)
{
	if (isnan(a) || isnan(b))
		return isnan(a);
	return want_max ? below(a, b) : below(b, a);
}

static f64 drop_sign(f64 a, bool drop) { return drop ? fabs(a) : a; }

START_TEST(minimum_and_maximum)
{
	for (size_t n = 0; n < COUNT_OF(f16_values) * COUNT_OF(f16_values) * 16; n++) {
		const u16 a = f16_values[n / 16 % COUNT_OF(f16_values)];
		const u16 b = f16_values[n / 16 / COUNT_OF(f16_values)];
		const bool want_max = n & 1, ftz = n & 2, propagate = n & 4, xorsign = n & 8;
		const u16 x = ftz ? f16_flush(a) : a, y = ftz ? f16_flush(b) : b;
		const f64 u = drop_sign(value_of(x, 10), xorsign), v = drop_sign(value_of(y, 10), xorsign);
		const u16 winner = second_wins(u, v, want_max) ? y : x;
		const bool nan = propagate ? isnan(u) || isnan(v) : isnan(u) && isnan(v);
		const u16 signs = xorsign ? (u16)((x ^ y) & HALF_SIGN) : winner & HALF_SIGN;
		const u16 want = nan ? HALF_NAN : (u16)((winner & 0x7fff) | signs);
		const u16 got =
			want_max ? f16_max(a, b, ftz, propagate, xorsign) : f16_min(a, b, ftz, propagate, xorsign);
		ck_assert_msg(got == want, "f16 %x %x variant %zu: %x, not %x", a, b, n & 15, got, want);
		if (ftz)
			continue; /* an f16 subnormal is no f32 subnormal */
		const u32 wide_a = bits32(value_of(a, 10)), wide_b = bits32(value_of(b, 10));
		const u32 wide = want_max ? f32_max(wide_a, wide_b, false, propagate, xorsign)
					  : f32_min(wide_a, wide_b, false, propagate, xorsign);
		/* Widening makes NaNs positive, so only the sign of a number can be compared. */
		if (!isnan(u) && !isnan(v))
			ck_assert_uint_eq(wide, f32_from_f16(want));
	}
	ck_assert_uint_eq(f32_min(0x80000001, 0x00000001, true, false, false), 0x80000000);
	ck_assert_uint_eq(f32_max3(0x3f800000, F32_NAN, 0x40000000, false, false, false), 0x40000000);
	ck_assert_uint_eq(f32_max3(0x3f800000, F32_NAN, 0x40000000, false, true, false), F32_NAN);
	ck_assert_uint_eq(f32_min3(0xbf800000, 0xc0000000, 0xc0400000, false, false, true), 0x3f800000);
	ck_assert_uint_eq(f64_min(F64_SIGN, 0), F64_SIGN);
	ck_assert_uint_eq(f64_max(F64_SIGN, 0), 0);
	ck_assert_uint_eq(f64_max(0xfff0000000000001, 0xfff0000000000002), 0xfff8000000000002);
	ck_assert_uint_eq(f64_max(0xfff0000000000001, F64_ONE), F64_ONE);
	ck_assert_uint_eq(bf16_min(0xffff, 0x3f80, false, false), 0x3f80);
	ck_assert_uint_eq(bf16_max(0x7f81, 0x3f80, true, false), HALF_NAN);
}
END_TEST

static bool relation(enum float_cmp cmp, f64 a, f64 b)
{
	const bool nan = isnan(a) || isnan(b);

	switch (cmp) {
	case FLOAT_EQ:
	case FLOAT_EQU:
		return nan ? cmp == FLOAT_EQU : a == b;
	case FLOAT_NE:
	case FLOAT_NEU:
		return nan ? cmp == FLOAT_NEU : a != b;
	case FLOAT_LT:
	case FLOAT_LTU:
		return nan ? cmp == FLOAT_LTU : a < b;
	case FLOAT_LE:
	case FLOAT_LEU:
		return nan ? cmp == FLOAT_LEU : a <= b;
	case FLOAT_GT:
	case FLOAT_GTU:
		return nan ? cmp == FLOAT_GTU : a > b;
	case FLOAT_GE:
	case FLOAT_GEU:
		return nan ? cmp == FLOAT_GEU : a >= b;
	case FLOAT_NUM:
		return !nan;
	case FLOAT_NAN:
		break;
	}
	return nan;
}

START_TEST(comparisons)
{
	for (size_t n = 0; n < COUNT_OF(f16_values) * COUNT_OF(f16_values); n++)
		for (enum float_cmp cmp = FLOAT_EQ; cmp <= FLOAT_NAN; cmp++) {
			const u16 a = f16_values[n % COUNT_OF(f16_values)];
			const u16 b = f16_values[n / COUNT_OF(f16_values)];
			const f64 x = value_of(a, 10), y = value_of(b, 10);
			const f64 u = value_of(a, 7), v = value_of(b, 7);
			const bool flushed = relation(cmp, value_of(f16_flush(a), 10), value_of(f16_flush(b), 10));
			ck_assert_int_eq(f16_compare(cmp, a, b, false), relation(cmp, x, y));
			ck_assert_int_eq(f16_compare(cmp, a, b, true), flushed);
			ck_assert_int_eq(bf16_compare(cmp, a, b), relation(cmp, u, v));
			ck_assert_int_eq(f32_compare(cmp, bits32(x), bits32(y), false), relation(cmp, x, y));
			ck_assert_int_eq(f64_compare(cmp, bits_of_f64(x), bits_of_f64(y)), relation(cmp, x, y));
		}
	ck_assert(f32_compare(FLOAT_EQ, 0x80000001, 0, true));
	ck_assert(!f32_compare(FLOAT_EQ, 0x80000001, 0, false));
}
END_TEST

START_TEST(signs_and_clamps)
{
	for (u32 n = 0; n < 0x10000; n++) {
		const u16 h = (u16)n;
		const f64 x = value_of(h, 10), y = value_of(h, 7);
		const u16 plain = h & 0x7fff, flipped = h ^ 0x8000;
		ck_assert_uint_eq(f16_abs(h, false), isnan(x) ? HALF_NAN : plain);
		ck_assert_uint_eq(f16_neg(h, false), isnan(x) ? HALF_NAN : flipped);
		ck_assert_uint_eq(bf16_abs(h), isnan(y) ? HALF_NAN : plain);
		ck_assert_uint_eq(bf16_neg(h), isnan(y) ? HALF_NAN : flipped);
		ck_assert_uint_eq(f16_relu(h), isnan(x) ? HALF_NAN : signbit(x) ? 0 : h);
		ck_assert_uint_eq(bf16_relu(h), isnan(y) ? HALF_NAN : signbit(y) ? 0 : h);
		ck_assert_uint_eq(f16_saturate(h), !(x > 0) ? 0 : x > 1 ? F16_ONE : h);
		ck_assert_uint_eq(bf16_saturate(h), !(y > 0) ? 0 : y > 1 ? BF16_ONE : h);
		ck_assert_uint_eq(f16_satfinite(h), isinf(x) ? h - 1 : h);
		ck_assert_uint_eq(bf16_satfinite(h), isinf(y) ? h - 1 : h);
		ck_assert_uint_eq(f16_flush(h), fabs(x) < 0x1p-14 ? h & 0x8000 : h);
		ck_assert_uint_eq(bf16_flush(h), fabs(y) < 0x1p-126 ? h & 0x8000 : h);
	}
	ck_assert_uint_eq(f32_abs(0x80000001, true), 0);
	ck_assert_uint_eq(f32_neg(0x00000001, true), 0x80000000);
	ck_assert_uint_eq(f32_neg(0xffc00000, false), F32_NAN);
	ck_assert_uint_eq(f64_neg(0xfff0000000000001), 0xfff8000000000001);
	ck_assert_uint_eq(f64_abs(0xfff0000000000001), 0xfff8000000000001);
	ck_assert_uint_eq(f32_copysign(0x80000000, 0x7f800001), 0xff800001);
	ck_assert_uint_eq(f64_saturate(F64_NAN), 0);
	ck_assert_uint_eq(f64_saturate(0x7ff8000000000000), 0);
	ck_assert_uint_eq(f64_saturate(0x4000000000000000), F64_ONE);
	ck_assert_uint_eq(f32_saturate(0x80000000), 0);
}
END_TEST

UNIT_TESTS("number/half", 60)
{
	UNIT_TEST(every_half_widens_exactly);
	UNIT_TEST(every_tie_goes_to_even);
	UNIT_TEST(minimum_and_maximum);
	UNIT_TEST(comparisons);
	UNIT_TEST(signs_and_clamps);
}
