/* SPDX-License-Identifier: Apache-2.0
 *
 * The approximate functions: published values, special operands, errors against libm, and that
 * neither they nor the integer arithmetic depend on the host's rounding mode or its treatment of
 * subnormals. Recorded results are test_number_recorded's.
 */
#include <check.h>
#include <fenv.h>
#include <math.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "number/convert.h"
#include "number/ieee.h"
#include "number/mufu.h"
#include "number/small.h"
#include "main.h"

static u32 rcp(u32 a) { return f32_rcp_approx(a, true); }
static u32 rsqrt(u32 a) { return f32_rsqrt_approx(a, true); }
static u32 square_root(u32 a) { return f32_sqrt_approx(a, true); }
static u32 lg2(u32 a) { return f32_lg2_approx(a, true); }
static u32 ex2(u32 a) { return f32_ex2_approx(a, true); }
static u32 rcp_kept(u32 a) { return f32_rcp_approx(a, false); }
static u32 rsqrt_kept(u32 a) { return f32_rsqrt_approx(a, false); }
static u32 sqrt_kept(u32 a) { return f32_sqrt_approx(a, false); }
static u32 lg2_kept(u32 a) { return f32_lg2_approx(a, false); }
static u32 ex2_kept(u32 a) { return f32_ex2_approx(a, false); }

static const struct {
	u32 (*function)(u32);
	u32 operand[4], result[4];
} published[] = {
#define OPERANDS                                               \
	{                                                      \
		0x3f800001, 0x40490fdb, 0x3fb504f3, 0x3dcccccd \
	}
	{rcp, OPERANDS, {0x3f7ffffe, 0x3ea2f983, 0x3f3504f3, 0x41200000}},
	{rsqrt, OPERANDS, {0x3f7ffffe, 0x3f106eba, 0x3f5744fd, 0x404a62c2}},
	{square_root, OPERANDS, {0x3f800000, 0x3fe2dfc5, 0x3f9837f0, 0x3ea1e89b}},
	{lg2, OPERANDS, {0x3495f600, 0x3fd3643a, 0x3effffff, 0xc0549a77}},
	{ex2, OPERANDS, {0x40000001, 0x410d331d, 0x402a91b9, 0x3f892fdf}},
	{f32_sin_approx, OPERANDS, {0x3f576aa4, 0x00000000, 0x3f7cde3a, 0x3dcc7566}},
	{f32_cos_approx, OPERANDS, {0x3f0a513e, 0xbf800000, 0x3e1fafb3, 0x3f7eb897}},
	{f32_tanh_approx, OPERANDS, {0x3f42f848, 0x3f7f0bac, 0x3f636ce9, 0x3dcc1ee8}},
/* Zero and infinity of both signs. */
#define ENDS                                                   \
	{                                                      \
		0x00000000, 0x80000000, 0x7f800000, 0xff800000 \
	}
	{rcp, ENDS, {F32_INF, 0xff800000, 0, 0x80000000}},
	{rsqrt, ENDS, {F32_INF, 0xff800000, 0, F32_NAN}},
	{square_root, ENDS, {0, 0x80000000, F32_INF, F32_NAN}},
	{lg2, ENDS, {0xff800000, 0xff800000, F32_INF, F32_NAN}},
	{ex2, ENDS, {F32_ONE, F32_ONE, F32_INF, 0}},
	{f32_sin_approx, ENDS, {0, 0x80000000, F32_NAN, F32_NAN}},
	{f32_cos_approx, ENDS, {F32_ONE, F32_ONE, F32_NAN, F32_NAN}},
	{f32_tanh_approx, ENDS, {0, 0x80000000, F32_ONE, 0xbf800000}},
/* A subnormal of each sign, a negative number, a NaN. */
#define ODD                                                    \
	{                                                      \
		0x00400000, 0x80400000, 0xbf800000, 0xff800001 \
	}
	{rcp, ODD, {F32_INF, 0xff800000, 0xbf800000, F32_NAN}},
	{rcp_kept, ODD, {0x7f000000, 0xff000000, 0xbf800000, F32_NAN}},
	{rsqrt, ODD, {F32_INF, 0xff800000, F32_NAN, F32_NAN}},
	{rsqrt_kept, ODD, {0x5f3504f2, F32_NAN, F32_NAN, F32_NAN}},
	{square_root, ODD, {0, 0x80000000, F32_NAN, F32_NAN}},
	{sqrt_kept, ODD, {0x1fb504f3, F32_NAN, F32_NAN, F32_NAN}},
	{lg2, ODD, {0xff800000, 0xff800000, F32_NAN, F32_NAN}},
	{lg2_kept, ODD, {0xc2fdffff, F32_NAN, F32_NAN, F32_NAN}},
	{ex2, ODD, {F32_ONE, F32_ONE, 0x3f000000, F32_NAN}},
	{f32_sin_approx, ODD, {0, 0x80000000, 0xbf576aa3, F32_NAN}},
	{f32_tanh_approx, ODD, {0x00400000, 0x80400000, 0xbf42f848, F32_NAN}},
	/* Where results leave the normal numbers. */
	{ex2, {0xc2fc0000, 0xc2fe0000, 0x43000000, 0x42fe0000}, {0x00800000, 0, F32_INF, 0x7f000000}},
	{ex2_kept, {0xc2fc0000, 0xc3150000, 0xc3170000, 0x42fe0000}, {0x00800000, 1, 0, 0x7f000000}},
	{rcp, {0x7e800000, 0x7e800001, 0x7f7fffff, 0x00800000}, {0x00800000, 0, 0, 0x7e800000}},
	{rcp_kept, {0x7f000000, 0x7f7fffff, 0x00000001, 0x00200001}, {0x00400000, 0x00200000, F32_INF, 0x7f7ffff8}},
};

START_TEST(known_values)
{
	for (int i = 0; i < 4; i++) {
		const u32 got = published[_i].function(published[_i].operand[i]);
		ck_assert_msg(got == published[_i].result[i], "row %d: %08x gives %08x, not %08x", _i,
			      published[_i].operand[i], got, published[_i].result[i]);
	}
}
END_TEST

/* The documented errors hold over a sweep; libm rounds well enough to tell. */
static f64 ulps(u32 got, f64 exact)
{
	return fabs(f32_of_bits(got) - exact) / (nextafterf((f32)fabs(exact), INFINITY) - (f32)fabs(exact));
}

START_TEST(errors_are_within_what_is_documented)
{
	for (u32 bits = 0x3e000000; bits < 0x42000000; bits += 0x1357) {
		const f64 x = f32_of_bits(bits);
		ck_assert(ulps(rcp(bits), 1 / x) <= 1);
		ck_assert(ulps(rsqrt(bits), 1 / sqrt(x)) <= 2);
		ck_assert(ulps(square_root(bits), sqrt(x)) <= 1);
		ck_assert(ulps(ex2(bits), exp2(x)) <= 2);
		ck_assert(fabs(f32_of_bits(lg2(bits)) - log2(x)) <= fmax(0x1p-22, 0x1p-22 * fabs(log2(x))));
		ck_assert(fabs(f32_of_bits(f32_tanh_approx(bits)) - tanh(x)) <= 0x1p-16 * tanh(x));
		ck_assert(x > 6 || fabs(f32_of_bits(f32_sin_approx(bits)) - sin(x)) <= 0x1p-20);
		ck_assert(x > 6 || fabs(f32_of_bits(f32_cos_approx(bits)) - cos(x)) <= 0x1p-20);
		ck_assert(ulps(f32_div_full(0x40490fdb, bits, false), f32_of_bits(0x40490fdb) / x) <= 2);
	}
}
END_TEST

START_TEST(division_forms_differ_for_great_divisors)
{
	ck_assert_uint_eq(f32_div_full(0x7f000000, 0x7f000000, false), F32_ONE);
	ck_assert_uint_eq(f32_div_approx(0x7f000000, 0x7f000000, false), 0);
	ck_assert_uint_eq(f32_div_approx(0xff800000, 0x7f000000, false), F32_NAN);
	ck_assert_uint_eq(f32_div_full(0x00000002, 0x00000001, false), 0x40000000);
	ck_assert_uint_eq(f32_div_full(0x00000002, 0x00000001, true), F32_NAN);
}
END_TEST

START_TEST(double_forms)
{
	ck_assert_uint_eq(f64_rcp_approx_ftz(0xfff0000000000001), 0x8000000000000000);
	ck_assert_uint_eq(f64_rcp_approx_ftz(0x000fffffffffffff), F64_INF);
	ck_assert_uint_eq(f64_rcp_approx_ftz(0x4000000000000000), 0x3fe0000000000000);
	ck_assert_uint_eq(f64_rcp_approx_ftz(0x7fe0000000000001), 0);
	ck_assert_uint_eq(f64_rsqrt_approx_ftz(0x7ff0000000000001), 0);
	ck_assert_uint_eq(f64_rsqrt_approx_ftz(0xbff0000000000000), 0x7fffffff00000000);
	ck_assert_uint_eq(f64_rsqrt_approx_ftz(0x4010000000000000), 0x3fe0000000000000);
	ck_assert_uint_eq(f64_rsqrt_approx(0xbff0000000000000), F64_NAN);
	ck_assert_uint_eq(f64_rsqrt_approx(0xfff0000000000001), 0xfff8000000000001);
	ck_assert_uint_eq(f64_rsqrt_approx(0x8000000000000000), 0xfff0000000000000);
	ck_assert_uint_eq(f64_rsqrt_approx(0x0000000000000001), bits_of_f64(0x1p537));
	ck_assert_uint_eq(f64_rsqrt_approx(F64_INF), 0);
}
END_TEST

/* Read anew each time, so that the compiler computes again what it has computed before. */
static volatile u32 operand;

/* A number that depends on every function that promises not to look at the host's environment. */
static u64 digest_step(u64 digest, u64 value) { return (digest ^ value) * 0x100000001b3ull; }

static u64 digest_of_arithmetic(void)
{
	u64 digest = 0xcbf29ce484222325ull, r = operand;

	for (int i = 0; i < 4000; i++) {
		r = r * 6364136223846793005ull + 1442695040888963407ull;
		const u64 a = r, b = r << 29 | r >> 35, c = r << 47 | r >> 17;
		const u32 x = (u32)(i & 1 ? a >> 32 : a >> 40), y = (u32)(b >> 32), z = (u32)(c >> 32);
		const enum round round = i % 4;
		const bool ftz = i & 4;
		digest = digest_step(digest, f32_fma(x, y, z, round, ftz, i & 8));
		digest = digest_step(digest, f32_div(x, y, round, ftz));
		digest = digest_step(digest, f32_sqrt(x & ~F32_SIGN, round, ftz));
		digest = digest_step(digest, f64_fma(a, b, c, round));
		digest = digest_step(digest, f64_div(a, b, round));
		digest = digest_step(digest, f64_sqrt(a >> 1, round));
		digest = digest_step(digest, f64_from_f32(x, ftz));
		digest = digest_step(digest, f32_from_f64(a, round, ftz));
		digest = digest_step(digest, f32_from_f16((u16)x));
		digest = digest_step(digest, f16_from_f32_exact(x, round));
		digest = digest_step(digest, int_from_f32(x, 32, i & 16, round, ftz));
		digest = digest_step(digest, f32_from_u64(a, round));
		digest = digest_step(digest, small_from_f32(SMALL_E4M3, x, false));
		digest = digest_step(digest, f32_compare(FLOAT_LT, x, y, false) + f32_max(x, z, ftz, false, false));
		digest = digest_step(digest, mufu_rcp(x) ^ mufu_rsqrt(x) ^ mufu_sqrt(x));
		digest = digest_step(digest, mufu_ex2(0x42000000 ^ (x & 0x81ffffff)) ^ mufu_lg2(x));
		digest = digest_step(digest, f32_sin_approx(x) ^ f32_cos_approx(x >> 2) ^ f32_tanh_approx(x >> 2));
		digest = digest_step(digest, f64_rcp_approx_ftz(a) ^ f64_rsqrt_approx_ftz(a));
		digest = digest_step(digest, f16_tanh_approx((u16)x) ^ bf16_ex2_approx((u16)x));
	}
	return digest;
}

START_TEST(the_host_environment_does_not_matter)
{
	static const int modes[] = {FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
	operand = 1;
	const u64 normal = digest_of_arithmetic();

	for (size_t m = 0; m < COUNT_OF(modes); m++) {
		ck_assert_int_eq(fesetround(modes[m]), 0);
		const u64 digest = digest_of_arithmetic();
		fesetround(FE_TONEAREST);
		ck_assert_uint_eq(digest, normal);
	}
}
END_TEST

#if defined(__x86_64__)
/* The unit's functions make no use of subnormals; comparisons and the forms without ftz do. */
static u32 digest_of_unit(void)
{
	const u32 a = operand;

	return mufu_rcp(a) ^ mufu_ex2(a) ^ mufu_lg2(a) ^ f32_sin_approx(a) ^ f32_cos_approx(a) ^ f32_tanh_approx(a);
}

START_TEST(flushed_host_subnormals_do_not_matter_to_the_unit)
{
	const unsigned csr = _mm_getcsr();

	for (u32 bits = 0; bits < 0xff800000; bits += 0x12345) {
		operand = bits;
		const u32 want = digest_of_unit();
		_mm_setcsr(csr | 0x8040); /* flush results and operands */
		const u32 got = digest_of_unit();
		_mm_setcsr(csr);
		ck_assert_uint_eq(got, want);
	}
}
END_TEST
#endif

UNIT_TESTS("number/mufu", 60)
{
	tcase_add_loop_test(unit, known_values, 0, COUNT_OF(published));
	UNIT_TEST(errors_are_within_what_is_documented);
	UNIT_TEST(division_forms_differ_for_great_divisors);
	UNIT_TEST(double_forms);
	UNIT_TEST(the_host_environment_does_not_matter);
#if defined(__x86_64__)
	UNIT_TEST(flushed_host_subnormals_do_not_matter_to_the_unit);
#endif
}
