/* SPDX-License-Identifier: Apache-2.0
 *
 * The 4- to 8-bit formats, tf32 and stochastic rounding, against values written out from the
 * formats' definitions and a search for the nearest of them.
 */
#include <check.h>
#include <math.h>

#include "number/half.h"
#include "number/ieee.h"
#include "number/small.h"
#include "main.h"

/* Bias and widths; codes above max are no numbers. */
static const struct {
	enum small_format format;
	int exp_bits, man_bits, bias, max, nan;
} formats[] = {
	{SMALL_E4M3, 4, 3, 7, 0x7e, 0x7f}, {SMALL_E5M2, 5, 2, 15, 0x7b, 0x7f}, {SMALL_E2M3, 2, 3, 1, 0x1f, 0x1f},
	{SMALL_E3M2, 3, 2, 3, 0x1f, 0x1f}, {SMALL_E2M1, 2, 1, 1, 0x07, 0x07},
};

static f64 code_value(int f, int code)
{
	const int man = code & ((1 << formats[f].man_bits) - 1), field = code >> formats[f].man_bits;

	if (field == 0)
		return ldexp(man, 1 - formats[f].bias - formats[f].man_bits);
	return ldexp(man + (1 << formats[f].man_bits), field - formats[f].bias - formats[f].man_bits);
}

static int sign_of(int f) { return 1 << (formats[f].exp_bits + formats[f].man_bits); }

/* The code of the nearest magnitude, ties to the even code, the greatest for all above it. */
static int nearest(int f, f64 x)
{
	int best = 0;

	for (int code = 1; code <= formats[f].max; code++) {
		const f64 old = fabs(x - code_value(f, best)), new = fabs(x - code_value(f, code));
		if (new < old || (new == old && !(code & 1)))
			best = code;
	}
	return best;
}

START_TEST(every_half_becomes_the_nearest_code)
{
	const int f = _i;

	for (u32 h = 0; h < 0x8000; h++) {
		const f64 x = f32_of_bits(f32_from_f16((u16)h));
		const int want = isnan(x) ? formats[f].nan : isinf(x) ? formats[f].max : nearest(f, x);
		const int minus = isnan(x) ? formats[f].nan : want | sign_of(f);
		ck_assert_int_eq(small_from_f16(formats[f].format, (u16)h, false), want);
		ck_assert_int_eq(small_from_f16(formats[f].format, (u16)(h | 0x8000), false), minus);
		ck_assert_int_eq(small_from_f16(formats[f].format, (u16)h, true), want);
		ck_assert_int_eq(small_from_f16(formats[f].format, (u16)(h | 0x8000), true),
				 isnan(x) ? formats[f].nan : 0);
	}
	ck_assert_int_eq(small_from_f32(formats[f].format, 0x7f7fffff, false), formats[f].max);
	ck_assert_int_eq(small_from_f32(formats[f].format, 0xff800001, false), formats[f].nan);
	ck_assert_int_eq(small_from_f32(formats[f].format, 0x80000001, false), sign_of(f));
}
END_TEST

/* f32 has more bits than f16: a hair above and below each tie. */
START_TEST(ties_are_seen_to_the_last_bit)
{
	const int f = _i;

	for (int code = 0; code < formats[f].max; code++) {
		const f32 tie = (f32)((code_value(f, code) + code_value(f, code + 1)) / 2);
		const u32 bits = bits_of_f32(tie);
		ck_assert_int_eq(small_from_f32(formats[f].format, bits, false), code + (code & 1));
		ck_assert_int_eq(small_from_f32(formats[f].format, bits - 1, false), code);
		ck_assert_int_eq(small_from_f32(formats[f].format, bits + 1, false), code + 1);
	}
}
END_TEST

START_TEST(every_code_becomes_its_value)
{
	const int f = _i;

	for (int code = 0; code < 2 * sign_of(f); code++) {
		const int magnitude = code & (sign_of(f) - 1);
		const bool minus = code & sign_of(f), number = magnitude <= formats[f].max;
		const bool inf = formats[f].format == SMALL_E5M2 && magnitude == 0x7c;
		const u16 got = f16_from_small(formats[f].format, (u8)code, false);
		const u16 relu = f16_from_small(formats[f].format, (u8)code, true);
		if (!number && !inf) {
			ck_assert_uint_eq(got, HALF_NAN);
			ck_assert_uint_eq(relu, HALF_NAN);
			continue;
		}
		const f64 x = inf ? (f64)INFINITY : code_value(f, magnitude);
		ck_assert_uint_eq(f32_from_f16(got), bits_of_f32((f32)(minus ? -x : x)));
		ck_assert_uint_eq(relu, minus ? 0 : got);
	}
}
END_TEST

/* Of all random values, as many round up as the discarded bits say. */
START_TEST(stochastic_rounding_counts_the_discarded_bits)
{
	static const u32 operands[] = {0x3f801234, 0xc0491fff, 0x477fdfff, 0x38800001, 0x3f800000, 0x42f6e979};

	for (size_t n = 0; n < COUNT_OF(operands); n++) {
		const u32 a = operands[n];
		u32 up16 = 0, up_bf = 0;
		for (u32 r = 0; r < 0x2000; r++)
			up16 += f16_from_f32_rs(a, false, false, r) != f16_from_f32(a, ROUND_RZ);
		for (u32 r = 0; r < 0x10000; r++)
			up_bf += bf16_from_f32_rs(a, false, false, r) != a >> 16;
		ck_assert_uint_eq(up16, a & 0x1fff);
		ck_assert_uint_eq(up_bf, a & 0xffff);
	}
	/* An f16 subnormal: 2^-16 * 1.5 has 15 discarded bits, of which the upper 13 count. */
	u32 up = 0;
	for (u32 r = 0; r < 0x2000; r++)
		up += f16_from_f32_rs(0x33c00000, false, false, r) != 1;
	ck_assert_uint_eq(up, 0x1000);
	ck_assert_uint_eq(f16_from_f32_rs(0x477fffff, false, false, 0x1fff), F16_INF);
	ck_assert_uint_eq(f16_from_f32_rs(0x477fffff, false, true, 0x1fff), F16_INF - 1);
	ck_assert_uint_eq(f16_from_f32_rs(0xc77fffff, true, true, 0x1fff), 0);
	ck_assert_uint_eq(bf16_from_f32_rs(0x7f800000, false, true, 0), BF16_INF - 1);
	ck_assert_uint_eq(bf16_from_f32_rs(0xffc00000, true, false, 0), HALF_NAN);
}
END_TEST

START_TEST(stochastic_rounding_of_small_formats)
{
	for (size_t f = 0; f < COUNT_OF(formats); f++) {
		const enum small_format format = formats[f].format;
		const u32 span = format == SMALL_E2M1 ? 0x100 : 0x10000;
		/* A quarter of the way from one code to the next, in the normal numbers. */
		const f64 low = code_value((int)f, 1 << formats[f].man_bits);
		const f64 high = code_value((int)f, (1 << formats[f].man_bits) + 1);
		const u32 a = bits_of_f32((f32)(low + (high - low) / 4));
		u32 up = 0;
		for (u32 r = 0; r < span; r++)
			up += small_from_f32_rs(format, a, false, r) != 1 << formats[f].man_bits;
		ck_assert_uint_eq(up, span / 4);
		ck_assert_uint_eq(small_from_f32_rs(format, 0x7f7fffff, false, span - 1), formats[f].max);
		ck_assert_uint_eq(small_from_f32_rs(format, F32_NAN, true, 0), formats[f].nan);
		ck_assert_uint_eq(small_from_f32_rs(format, a | F32_SIGN, true, 0), 0);
	}
}
END_TEST

START_TEST(powers_of_two)
{
	for (u32 code = 0; code < 255; code++) {
		const u32 exact = bits_of_f32((f32)ldexp(1, (int)code - 127));
		ck_assert_uint_eq(ue8m0_from_f32(exact, ROUND_RZ, false), code);
		ck_assert_uint_eq(ue8m0_from_f32(exact, ROUND_RP, false), code);
		ck_assert_uint_eq(ue8m0_from_f32(exact + 1, ROUND_RP, false), code + 1);
		ck_assert_uint_eq(ue8m0_from_f32(exact + 1, ROUND_RZ, false), code);
		ck_assert_uint_eq(bf16_from_ue8m0((u8)code), exact >> 16);
		ck_assert_uint_eq(ue8m0_from_bf16((u16)(exact >> 16), ROUND_RP, true), code);
	}
	ck_assert_uint_eq(bf16_from_ue8m0(0xff), HALF_NAN);
	ck_assert_uint_eq(ue8m0_from_f32(F32_NAN, ROUND_RZ, true), 0xff);
	ck_assert_uint_eq(ue8m0_from_f32(F32_INF, ROUND_RZ, false), 0xff);
	ck_assert_uint_eq(ue8m0_from_f32(F32_INF, ROUND_RZ, true), 0xfe);
	ck_assert_uint_eq(ue8m0_from_f32(0x7f000001, ROUND_RP, true), 0xfe);
	ck_assert_uint_eq(ue8m0_from_f32(0, ROUND_RP, false), 0);
	ck_assert_uint_eq(ue8m0_from_f32(0x00000001, ROUND_RP, false), 0);
}
END_TEST

START_TEST(tf32_keeps_ten_bits)
{
	ck_assert_uint_eq(tf32_from_f32(0x3f801000, ROUND_RN, false, false), 0x3f800000);
	ck_assert_uint_eq(tf32_from_f32(0x3f803000, ROUND_RN, false, false), 0x3f804000);
	ck_assert_uint_eq(tf32_from_f32(0x3f801000, ROUND_RNA, false, false), 0x3f802000);
	ck_assert_uint_eq(tf32_from_f32(0x3f803fff, ROUND_RZ, false, false), 0x3f802000);
	ck_assert_uint_eq(tf32_from_f32(0x7f7fffff, ROUND_RN, false, false), F32_INF);
	ck_assert_uint_eq(tf32_from_f32(0x7f7fffff, ROUND_RN, true, false), 0x7f7fe000);
	ck_assert_uint_eq(tf32_from_f32(0xff800001, ROUND_RNA, false, false), 0xff800000);
	ck_assert_uint_eq(tf32_from_f32(0xff800001, ROUND_RN, false, false), 0x7fffe000);
	ck_assert_uint_eq(tf32_from_f32(0xbf800000, ROUND_RN, false, true), 0);
	ck_assert_uint_eq(tf32_from_f32(F32_NAN, ROUND_RZ, false, true), 0x7fffe000);
}
END_TEST

UNIT_TESTS("number/small", 60)
{
	tcase_add_loop_test(unit, every_half_becomes_the_nearest_code, 0, COUNT_OF(formats));
	tcase_add_loop_test(unit, ties_are_seen_to_the_last_bit, 0, COUNT_OF(formats));
	tcase_add_loop_test(unit, every_code_becomes_its_value, 0, COUNT_OF(formats));
	UNIT_TEST(stochastic_rounding_counts_the_discarded_bits);
	UNIT_TEST(stochastic_rounding_of_small_formats);
	UNIT_TEST(powers_of_two);
	UNIT_TEST(tf32_keeps_ten_bits);
}
