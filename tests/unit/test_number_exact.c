/* SPDX-License-Identifier: Apache-2.0
 *
 * The arithmetic against MPFR, which rounds exactly: every operation of f32, f64, f16 and bf16 in
 * each rounding mode it has, with and without ftz, and every conversion, on pairs of special
 * values and on random ones. NaN operands are the recordings' business (test_number_recorded).
 * Without MPFR at build time the program says so and is skipped.
 */
#include <stdio.h>

#ifndef HAVE_MPFR
int main(void)
{
	puts("skipped: built without MPFR");
	return 77;
}
#else

#include <check.h>
#include <math.h>
#include <mpfr.h>
#include <stdlib.h>

#include "main.h"
#include "number/convert.h"
#include "number/half.h"
#include "number/ieee.h"

/* A binary format: precision, its width, exponents as MPFR counts them (0.1xxx * 2^e). */
struct format {
	const char *name;
	int precision, bits;
	long least_subnormal, least_normal, greatest;
};

static const struct format f16_format = {"f16", 11, 16, -23, -13, 16};
static const struct format bf16_format = {"bf16", 8, 16, -132, -125, 128};
static const struct format f32_format = {"f32", 24, 32, -148, -125, 128};
static const struct format f64_format = {"f64", 53, 64, -1073, -1021, 1024};

static const mpfr_rnd_t mpfr_modes[] = {
	[ROUND_RN] = MPFR_RNDN, [ROUND_RZ] = MPFR_RNDZ, [ROUND_RM] = MPFR_RNDD, [ROUND_RP] = MPFR_RNDU};
enum { MODES = 4 };

static u64 seed;

static u64 random_bits(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed * 0x2545f4914f6cdd1dull;
}

/* Bits of the format to an MPFR number wide enough for all. */
static void decode(const struct format *f, u64 bits, mpfr_t to)
{
	const int man_bits = f->precision - 1;
	const u64 man = bits & ((1ull << man_bits) - 1), top = (1ull << (f->bits - f->precision)) - 1;
	const u64 field = bits >> man_bits & top;
	const bool sign = bits >> (f->bits - 1) & 1;

	if (field == top)
		mpfr_set_inf(to, 1);
	else
		mpfr_set_ui_2exp(to, field ? man | 1ull << man_bits : man,
				 f->least_subnormal - 1 + (field ? (long)field - 1 : 0), MPFR_RNDN);
	mpfr_setsign(to, to, sign, MPFR_RNDN);
	if (field == top && man)
		mpfr_set_nan(to);
}

/* A number that is one of the format's, to bits; NaN as `nan`. */
static u64 encode(const struct format *f, mpfr_t x, u64 nan)
{
	const int man_bits = f->precision - 1;
	const u64 inf = ((1ull << (f->bits - f->precision)) - 1) << man_bits;
	u64 magnitude = 0;

	if (mpfr_nan_p(x))
		return nan;
	if (mpfr_inf_p(x)) {
		magnitude = inf;
	} else if (!mpfr_zero_p(x)) {
		long e = mpfr_get_exp(x) < f->least_normal ? f->least_normal : mpfr_get_exp(x);
		mpfr_t scaled;
		mpfr_init2(scaled, 64);
		mpfr_mul_2si(scaled, x, man_bits + 1 - e, MPFR_RNDN);
		mpfr_abs(scaled, scaled, MPFR_RNDN);
		magnitude = mpfr_get_uj(scaled, MPFR_RNDN) + ((u64)(e - f->least_normal) << man_bits);
		mpfr_clear(scaled);
	}
	return magnitude | (u64)(mpfr_signbit(x) != 0) << (f->bits - 1);
}

/* Subnormal operands as zeros of their sign. */
static u64 flush(const struct format *f, u64 bits)
{
	const u64 field = ((1ull << (f->bits - f->precision)) - 1) << (f->precision - 1);

	return bits & field ? bits : bits & 1ull << (f->bits - 1);
}

static u64 saturate(const struct format *f, u64 bits)
{
	const u64 sign = 1ull << (f->bits - 1);
	const u64 inf = ((1ull << (f->bits - f->precision)) - 1) << (f->precision - 1);
	const u64 one = (inf >> 1) & ~((1ull << (f->precision - 1)) - 1);

	if ((bits & ~sign) > inf || bits & sign)
		return 0;
	return bits > one ? one : bits;
}

enum op { ADD, SUB, MUL, FMA, DIV, SQRT, RCP, CONVERT, OPS };
static const char *const op_names[] = {"add", "sub", "mul", "fma", "div", "sqrt", "rcp", "convert"};

static int apply(enum op op, mpfr_t d, mpfr_t a, mpfr_t b, mpfr_t c, mpfr_rnd_t mode)
{
	switch (op) {
	case ADD:
		return mpfr_add(d, a, b, mode);
	case SUB:
		return mpfr_sub(d, a, b, mode);
	case MUL:
		return mpfr_mul(d, a, b, mode);
	case FMA:
		return mpfr_fma(d, a, b, c, mode);
	case DIV:
		return mpfr_div(d, a, b, mode);
	case SQRT:
		return mpfr_sqrt(d, a, mode);
	case RCP:
		return mpfr_ui_div(d, 1, a, mode);
	case CONVERT:
		return mpfr_set(d, a, mode);
	case OPS:
		break;
	}
	return 0;
}

/* What the operation on operands of format `from` must give in format `f`. */
static u64 expected(const struct format *f, const struct format *from, enum op op, const u64 x[3], enum round round,
		    bool ftz, u64 nan)
{
	mpfr_t a, b, c, d;
	mpfr_inits2(64, a, b, c, (mpfr_ptr)NULL);
	mpfr_init2(d, f->precision);
	decode(from, ftz && from == f ? flush(f, x[0]) : x[0], a);
	decode(from, ftz && from == f ? flush(f, x[1]) : x[1], b);
	decode(from, ftz && from == f ? flush(f, x[2]) : x[2], c);
	const mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
	mpfr_set_emax(f->greatest);
	if (!ftz)
		mpfr_set_emin(f->least_subnormal);
	int inexact = apply(op, d, a, b, c, mpfr_modes[round]);
	inexact = mpfr_check_range(d, inexact, mpfr_modes[round]);
	if (!ftz)
		mpfr_subnormalize(d, inexact, mpfr_modes[round]);
	mpfr_set_emin(emin);
	mpfr_set_emax(emax);
	if (ftz && mpfr_regular_p(d) && mpfr_get_exp(d) < f->least_normal) {
		const int sign = mpfr_signbit(d);
		mpfr_set_zero(d, 1);
		mpfr_setsign(d, d, sign, MPFR_RNDN);
	}
	const u64 bits = encode(f, d, nan);
	mpfr_clears(a, b, c, d, (mpfr_ptr)NULL);
	return bits;
}

/* Numbers where things happen: zeros, the ends of the subnormals, of the normals, one, ties. */
static u64 special_value(const struct format *f, u64 i)
{
	const int m = f->precision - 1;
	const u64 inf = ((1ull << (f->bits - f->precision)) - 1) << m, one = inf >> (m + 1) << m;
	const u64 magnitudes[] = {0,
				  1,
				  2,
				  3,
				  (1ull << m) - 1,
				  1ull << m,
				  (1ull << m) + 1,
				  2ull << m,
				  one - 1,
				  one,
				  one + 1,
				  one - (1ull << m),
				  one + (1ull << m),
				  one | 1ull << (m - 1),
				  inf - 1,
				  inf - 2,
				  inf - (1ull << m),
				  inf};
	const u64 n = COUNT_OF(magnitudes);

	return magnitudes[i % n] | (i / n % 2) << (f->bits - 1);
}
enum { SPECIALS = 36 };

/* Not a NaN. Half of them lie within a few binades of one, so that sums and ties meet. */
static u64 random_value(const struct format *f)
{
	const int m = f->precision - 1;
	const u64 inf = ((1ull << (f->bits - f->precision)) - 1) << m, one = inf >> (m + 1) << m;
	const u64 r = random_bits(), sign = (r >> 63) << (f->bits - 1);
	u64 magnitude = (r >> 1) % (inf + 1);

	if (r & 1)
		magnitude = one - (20ull << m) / (f->bits == 16 ? 4 : 1) +
			    (r >> 1) % ((40ull << m) / (f->bits == 16 ? 4 : 1));
	switch (random_bits() & 7) {
	case 0:
		magnitude &= ~((1ull << (m / 2 + 1)) - 1);
		break; /* short: products tie */
	case 1:
		magnitude |= (1ull << (m / 2 + 1)) - 1;
		break;
	case 2:
		magnitude &= (1ull << (m + 2)) - 1;
		break; /* about the subnormals */
	default:
		break;
	}
	return (magnitude > inf ? inf : magnitude) | sign;
}

typedef u64 compute(enum op op, const u64 x[3], enum round round, bool ftz);

static u64 compute_f32(enum op op, const u64 x[3], enum round round, bool ftz)
{
	const u32 a = (u32)x[0], b = (u32)x[1], c = (u32)x[2];
	switch (op) {
	case ADD:
		return f32_add(a, b, round, ftz, false);
	case SUB:
		return f32_sub(a, b, round, ftz, false);
	case MUL:
		return f32_mul(a, b, round, ftz, false);
	case FMA:
		return f32_fma(a, b, c, round, ftz, false);
	case DIV:
		return f32_div(a, b, round, ftz);
	case SQRT:
		return f32_sqrt(a, round, ftz);
	default:
		return f32_rcp(a, round, ftz);
	}
}

static u64 compute_f64(enum op op, const u64 x[3], enum round round, bool ftz)
{
	(void)ftz;
	switch (op) {
	case ADD:
		return f64_add(x[0], x[1], round);
	case SUB:
		return f64_sub(x[0], x[1], round);
	case MUL:
		return f64_mul(x[0], x[1], round);
	case FMA:
		return f64_fma(x[0], x[1], x[2], round);
	case DIV:
		return f64_div(x[0], x[1], round);
	case SQRT:
		return f64_sqrt(x[0], round);
	default:
		return f64_rcp(x[0], round);
	}
}

static u64 compute_f16(enum op op, const u64 x[3], enum round round, bool ftz)
{
	const u16 a = (u16)x[0], b = (u16)x[1], c = (u16)x[2];
	(void)round;
	switch (op) {
	case ADD:
		return f16_add(a, b, ftz, false);
	case SUB:
		return f16_sub(a, b, ftz, false);
	case MUL:
		return f16_mul(a, b, ftz, false);
	default:
		return f16_fma(a, b, c, ftz, false, false);
	}
}

static u64 compute_bf16(enum op op, const u64 x[3], enum round round, bool ftz)
{
	const u16 a = (u16)x[0], b = (u16)x[1], c = (u16)x[2];
	(void)round, (void)ftz;
	switch (op) {
	case ADD:
		return bf16_add(a, b);
	case SUB:
		return bf16_sub(a, b);
	case MUL:
		return bf16_mul(a, b);
	default:
		return bf16_fma(a, b, c, false);
	}
}

static const struct {
	const struct format *format;
	compute *compute;
	u64 nan;
	int ops, modes, ftz; /* how many of each it has */
} machines[] = {
	{&f32_format, compute_f32, F32_NAN, CONVERT, MODES, 2},
	{&f64_format, compute_f64, F64_NAN, CONVERT, MODES, 1},
	{&f16_format, compute_f16, HALF_NAN, DIV, 1, 2},
	{&bf16_format, compute_bf16, HALF_NAN, DIV, 1, 1},
};

static void check_one(int machine, enum op op, const u64 x[3])
{
	const struct format *f = machines[machine].format;
	for (int round = 0; round < machines[machine].modes; round++)
		for (int ftz = 0; ftz < machines[machine].ftz; ftz++) {
			const u64 want = expected(f, f, op, x, round, ftz, machines[machine].nan);
			const u64 got = machines[machine].compute(op, x, round, ftz);
			ck_assert_msg(got == want, "%s.%s mode %d ftz %d of %llx %llx %llx: %llx, MPFR %llx",
				      op_names[op], f->name, round, ftz, (unsigned long long)x[0],
				      (unsigned long long)x[1], (unsigned long long)x[2], (unsigned long long)got,
				      (unsigned long long)want);
		}
}

START_TEST(operations_round_once_on_special_values)
{
	const struct format *f = machines[_i].format;
	seed = 1;
	for (int op = 0; op < machines[_i].ops; op++)
		for (int i = 0; i < SPECIALS * SPECIALS; i++) {
			const u64 x[3] = {special_value(f, i % SPECIALS), special_value(f, i / SPECIALS),
					  special_value(f, random_bits() % SPECIALS)};
			check_one(_i, op, x);
		}
}
END_TEST

START_TEST(operations_round_once_on_random_values)
{
	const struct format *f = machines[_i].format;
	seed = 0x9e3779b97f4a7c15ull + (u64)_i;
	for (int op = 0; op < machines[_i].ops; op++)
		for (int i = 0; i < 12000; i++) {
			const u64 x[3] = {random_value(f), random_value(f),
					  i & 1 ? random_value(f) : special_value(f, random_bits() % SPECIALS)};
			check_one(_i, op, x);
		}
}
END_TEST

START_TEST(saturation_clamps_to_zero_and_one)
{
	const struct format *f = &f32_format, *h = &f16_format;
	seed = 3;
	for (int i = 0; i < 20000; i++) {
		const u64 x[3] = {random_value(f), random_value(f), random_value(f)};
		const u64 y[3] = {random_value(h), random_value(h), random_value(h)};
		const enum round round = i % MODES;
		const u32 a = (u32)x[0], b = (u32)x[1], c = (u32)x[2];
		const u64 fma = expected(f, f, FMA, x, round, false, F32_NAN);
		const u64 sum = expected(f, f, ADD, x, round, true, F32_NAN);
		const u64 half = expected(h, h, FMA, y, ROUND_RN, false, HALF_NAN);
		ck_assert_uint_eq(f32_fma(a, b, c, round, false, true), saturate(f, fma));
		ck_assert_uint_eq(f32_add(a, b, round, true, true), saturate(f, sum));
		ck_assert_uint_eq(f16_fma((u16)y[0], (u16)y[1], (u16)y[2], false, true, false), saturate(h, half));
	}
}
END_TEST

/* Float to float. One line each: a function of bits, mode and ftz, whatever of these it uses. */
#define CONVERSION(name, expression)                       \
	static u64 name(u64 a, enum round round, bool ftz) \
	{                                                  \
		(void)round, (void)ftz;                    \
		return expression;                         \
	}
CONVERSION(f32_to_f64, f64_from_f32((u32)a, ftz))
CONVERSION(f64_to_f32, f32_from_f64(a, round, ftz))
CONVERSION(f64_to_f16, f16_from_f64(a, round))
CONVERSION(f64_to_bf16, bf16_from_f64(a, round))
CONVERSION(f32_to_f16, f16_from_f32((u32)a, round))
CONVERSION(f32_to_bf16, bf16_from_f32((u32)a, round))
CONVERSION(bf16_to_f16, f16_from_bf16((u16)a, round))
CONVERSION(f16_to_bf16, bf16_from_f16((u16)a, round))
CONVERSION(f16_to_f32, f32_from_f16((u16)a))
CONVERSION(bf16_to_f32, f32_from_bf16((u16)a))
CONVERSION(f16_to_f64, f64_from_f16((u16)a))
CONVERSION(bf16_to_f64, f64_from_bf16((u16)a))
CONVERSION(made_f16, f16_from_f64_rn(a))
CONVERSION(made_bf16, bf16_from_f64_rn(a))

static const struct {
	const struct format *from, *to;
	u64 (*convert)(u64 a, enum round round, bool ftz);
	int modes, ftz;
} conversions[] = {
	{&f32_format, &f64_format, f32_to_f64, MODES, 1},   {&f64_format, &f32_format, f64_to_f32, MODES, 2},
	{&f64_format, &f16_format, f64_to_f16, MODES, 1},   {&f64_format, &bf16_format, f64_to_bf16, MODES, 1},
	{&f32_format, &f16_format, f32_to_f16, MODES, 1},   {&f32_format, &bf16_format, f32_to_bf16, MODES, 1},
	{&bf16_format, &f16_format, bf16_to_f16, MODES, 1}, {&f16_format, &bf16_format, f16_to_bf16, MODES, 1},
	{&f16_format, &f32_format, f16_to_f32, MODES, 1},   {&bf16_format, &f32_format, bf16_to_f32, MODES, 1},
	{&f16_format, &f64_format, f16_to_f64, MODES, 1},   {&bf16_format, &f64_format, bf16_to_f64, MODES, 1},
	{&f64_format, &f16_format, made_f16, 1, 1},         {&f64_format, &bf16_format, made_bf16, 1, 1},
};

/* Values of a wide format that lie where a narrow one rounds, overflows or becomes subnormal. */
static u64 narrowing_value(const struct format *from, const struct format *to, int i)
{
	const int dropped = from->precision - to->precision;
	const u64 field = (u64)(to->least_normal - from->least_normal);
	u64 value;

	if (from->bits == 16)
		return (u64)i & 0xffff;
	if (i & 1 || dropped <= 0)
		return random_value(from);
	value = (field + random_bits() % (u64)(to->greatest - to->least_normal + 30) - 15) << (from->precision - 1);
	value += random_bits() % (1ull << (from->precision - 1));
	if (i & 2)
		value = (value >> (dropped - 1) << (dropped - 1)) + (u64)(i >> 2) % 3 - 1;
	const u64 inf = ((1ull << (from->bits - from->precision)) - 1) << (from->precision - 1);
	value &= (1ull << (from->bits - 1)) - 1;
	return (value > inf ? inf : value) | (u64)(i >> 4 & 1) << (from->bits - 1);
}

START_TEST(float_conversions_round_once)
{
	const struct format *from = conversions[_i].from, *to = conversions[_i].to;
	seed = 5 + (u64)_i;
	for (int i = 0; i < 65536; i++) {
		const u64 x[3] = {narrowing_value(from, to, i), 0, 0};
		mpfr_t a;
		mpfr_init2(a, 64);
		decode(from, x[0], a);
		const bool nan = mpfr_nan_p(a);
		mpfr_clear(a);
		if (nan)
			continue;
		const enum round round = i / 3 % conversions[_i].modes;
		const bool ftz = i / 12 % conversions[_i].ftz;
		const u64 want = expected(to, from, CONVERT, x, round, ftz, 0);
		const u64 got = conversions[_i].convert(x[0], round, ftz);
		ck_assert_msg(got == want, "%s to %s mode %d ftz %d of %llx: %llx, MPFR %llx", from->name, to->name,
			      round, ftz, (unsigned long long)x[0], (unsigned long long)got, (unsigned long long)want);
	}
}
END_TEST

/* An integer of any size. */
static u64 random_integer(void)
{
	const u64 r = random_bits();
	const u64 value = r >> (random_bits() & 63);

	switch (random_bits() & 3) {
	case 0:
		return 1ull << (r & 63);
	case 1:
		return (1ull << (r & 63)) - 1 + (1ull << (r >> 6 & 63));
	case 2:
		return 0 - value;
	default:
		return value;
	}
}

static u64 from_integer(const struct format *f, u64 value, bool is_signed, enum round round)
{
	mpfr_t d;
	mpfr_init2(d, f->precision);
	const mpfr_exp_t emax = mpfr_get_emax();
	mpfr_set_emax(f->greatest);
	if (is_signed)
		mpfr_set_sj(d, (s64)value, mpfr_modes[round]);
	else
		mpfr_set_uj(d, value, mpfr_modes[round]);
	mpfr_set_emax(emax);
	const u64 bits = encode(f, d, 0);
	mpfr_clear(d);
	return bits;
}

START_TEST(integers_become_floats_rounded_once)
{
	seed = 7;
	for (int i = 0; i < 60000; i++) {
		const u64 v = random_integer();
		const s64 n = (s64)v;
		const enum round r = i % MODES;
		ck_assert_uint_eq(f16_from_u64(v, r), from_integer(&f16_format, v, false, r));
		ck_assert_uint_eq(f16_from_s64(n, r), from_integer(&f16_format, v, true, r));
		ck_assert_uint_eq(bf16_from_u64(v, r), from_integer(&bf16_format, v, false, r));
		ck_assert_uint_eq(bf16_from_s64(n, r), from_integer(&bf16_format, v, true, r));
		ck_assert_uint_eq(f32_from_u64(v, r), from_integer(&f32_format, v, false, r));
		ck_assert_uint_eq(f32_from_s64(n, r), from_integer(&f32_format, v, true, r));
		ck_assert_uint_eq(f64_from_u64(v, r), from_integer(&f64_format, v, false, r));
		ck_assert_uint_eq(f64_from_s64(n, r), from_integer(&f64_format, v, true, r));
	}
}
END_TEST

/* Rounded to an integer by MPFR, clamped to the type. */
static u64 expected_integer(const struct format *f, u64 bits, unsigned width, bool is_signed, enum round round)
{
	mpfr_t x, limit;
	mpfr_inits2(128, x, limit, (mpfr_ptr)NULL);
	decode(f, bits, x);
	mpfr_rint(x, x, mpfr_modes[round]);
	mpfr_set_ui_2exp(limit, 1, is_signed ? width - 1 : width, MPFR_RNDN);
	mpfr_sub_ui(limit, limit, 1, MPFR_RNDN);
	mpfr_min(x, x, limit, MPFR_RNDN);
	if (is_signed)
		mpfr_set_si_2exp(limit, -1, width - 1, MPFR_RNDN);
	else
		mpfr_set_zero(limit, 1);
	mpfr_max(x, x, limit, MPFR_RNDN);
	const u64 value = is_signed ? (u64)mpfr_get_sj(x, MPFR_RNDN) : mpfr_get_uj(x, MPFR_RNDN);
	mpfr_clears(x, limit, (mpfr_ptr)NULL);
	return value;
}

/* Half of the values within the reach of an integer. */
static u64 value_near_integers(const struct format *f, int i)
{
	const int m = f->precision - 1;
	const u64 one = ((1ull << (f->bits - f->precision)) - 1) >> 1 << m;

	if (i & 1)
		return random_value(f);
	const u64 magnitude = one - (3ull << m) + random_bits() % (70ull << m);
	const u64 cut = i & 2 ? magnitude >> (m / 2 + 1) << (m / 2 + 1) : magnitude;
	return cut | (u64)(i >> 2 & 1) << (f->bits - 1);
}

START_TEST(floats_become_integers_clamped)
{
	static const unsigned widths[] = {8, 16, 32, 64};
	seed = 11;
	for (int i = 0; i < 60000; i++) {
		const unsigned bits = widths[i / 4 % 4];
		const bool is_signed = i / 16 % 2;
		const enum round round = random_bits() % MODES;
		const u64 a = value_near_integers(&f32_format, i), b = value_near_integers(&f64_format, i);
		ck_assert_uint_eq(int_from_f32((u32)a, bits, is_signed, round, false),
				  expected_integer(&f32_format, a, bits, is_signed, round));
		ck_assert_uint_eq(int_from_f32((u32)a, bits, is_signed, round, true),
				  expected_integer(&f32_format, flush(&f32_format, a), bits, is_signed, round));
		ck_assert_uint_eq(int_from_f64(b, bits, is_signed, round),
				  expected_integer(&f64_format, b, bits, is_signed, round));
	}
}
END_TEST

static u64 expected_integral(const struct format *f, u64 bits, enum round round)
{
	mpfr_t x;
	mpfr_init2(x, 64);
	decode(f, bits, x);
	mpfr_rint(x, x, mpfr_modes[round]);
	const u64 result = encode(f, x, 0);
	mpfr_clear(x);
	return result;
}

START_TEST(integral_values_are_the_nearest_in_the_direction)
{
	seed = 13;
	for (int i = 0; i < 60000; i++) {
		const enum round round = random_bits() % MODES;
		const u64 a = value_near_integers(&f32_format, i), b = value_near_integers(&f64_format, i);
		ck_assert_uint_eq(f32_round_integral((u32)a, round, false), expected_integral(&f32_format, a, round));
		ck_assert_uint_eq(f64_round_integral(b, round), expected_integral(&f64_format, b, round));
		const u64 h = random_value(&f16_format), g = random_value(&bf16_format);
		ck_assert_uint_eq(f16_round_integral((u16)h, round), expected_integral(&f16_format, h, round));
		ck_assert_uint_eq(bf16_round_integral((u16)g, round), expected_integral(&bf16_format, g, round));
	}
}
END_TEST

UNIT_TESTS("number/exact", 120)
{
	tcase_add_loop_test(unit, operations_round_once_on_special_values, 0, COUNT_OF(machines));
	tcase_add_loop_test(unit, operations_round_once_on_random_values, 0, COUNT_OF(machines));
	UNIT_TEST(saturation_clamps_to_zero_and_one);
	tcase_add_loop_test(unit, float_conversions_round_once, 0, COUNT_OF(conversions));
	UNIT_TEST(integers_become_floats_rounded_once);
	UNIT_TEST(floats_become_integers_clamped);
	UNIT_TEST(integral_values_are_the_nearest_in_the_direction);
}
#endif
