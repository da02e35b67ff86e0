/* SPDX-License-Identifier: Apache-2.0
 *
 * f16 and bf16: conversions from and to f32, arithmetic with a single rounding to nearest even,
 * minimum and maximum, comparisons; one element at a time on bits (the x2 forms do it twice).
 * Called by the lane loops, so all of the usual path is inline and branch-free. It computes with
 * the host's f32 and f64: those functions need the host in round-to-nearest with subnormals kept,
 * which the executor sets at its door. Functions with a rounding mode other than ROUND_RN go out
 * of line into integer code that needs nothing.
 *
 * NaN: every arithmetic result is F16_NAN or BF16_NAN (0x7fff). ftz (f16 only) and sat as in
 * number/ieee.h; relu turns negative results into +0 and keeps a NaN.
 */
#ifndef PTXSIM_NUMBER_HALF_H
#define PTXSIM_NUMBER_HALF_H

#include "base/types.h"
#include "number/ieee.h"
#include "number/round.h"

#define F16_INF   0x7c00u
#define BF16_INF  0x7f80u
#define F16_ONE   0x3c00u
#define BF16_ONE  0x3f80u
#define HALF_NAN  0x7fffu
#define HALF_SIGN 0x8000u
/* .oob: this NaN, of either sign and in both formats, marks an element out of bounds. */
#define HALF_OOB 0x7ff7u

u16 f16_from_f32_exact(u32 a, enum round round);
u16 bf16_from_f32_exact(u32 a, enum round round);
u16 f16_from_bf16(u16 a, enum round round);
u16 bf16_from_f16(u16 a, enum round round);
u16 f16_round_integral(u16 a, enum round round);
u16 bf16_round_integral(u16 a, enum round round);

static inline bool f16_is_nan(u16 a) { return (a & 0x7fff) > F16_INF; }
static inline bool bf16_is_nan(u16 a) { return (a & 0x7fff) > BF16_INF; }

/* Exact. A NaN becomes F32_NAN; cvt.ftz does not flush an f16 subnormal. */
static inline u32 f32_from_f16(u16 a)
{
	u32 magnitude = a & 0x7fffu, sign = (u32)(a & HALF_SIGN) << 16;
	u32 normal = (magnitude << 13) + (112u << 23);
	/* 2^-14 * (1 + m / 2^10) - 2^-14: exact, and no host operation sees a subnormal. */
	f32 tiny = f32_of_bits((magnitude << 13) + (113u << 23)) - 0x1p-14f;
	u32 bits = magnitude < 0x0400 ? bits_of_f32(tiny) & ~F32_SIGN : normal;
	bits = magnitude == F16_INF ? F32_INF : bits;
	return magnitude > F16_INF ? F32_NAN : bits | sign;
}

/* A plain shift, so a signalling NaN stays one; with .ftz (cvt.rn.ftz.f32.bf16) it is F32_NAN. */
static inline u32 f32_from_bf16(u16 a) { return (u32)a << 16; }
static inline u32 f32_from_bf16_ftz(u16 a) { return f32_canonical(f32_flush(f32_from_bf16(a))); }

/* To nearest even, from f32 bits. */
static inline u16 f16_from_f32_rn(u32 a)
{
	u32 magnitude = a & ~F32_SIGN, sign = (a >> 16) & HALF_SIGN;
	u32 normal = (magnitude - (112u << 23) + 0xfff + ((magnitude >> 13) & 1)) >> 13;
	/* Below 2^-14 the addition rounds to a multiple of 2^-24, the unit of 0.5f's last place. */
	u32 tiny = bits_of_f32(f32_of_bits(magnitude) + 0.5f) - bits_of_f32(0.5f);
	u32 bits = magnitude < (113u << 23) ? tiny : normal;
	bits = magnitude >= (143u << 23) ? F16_INF : bits;
	return (u16)(magnitude > F32_INF ? HALF_NAN : bits | sign);
}

static inline u16 bf16_from_f32_rn(u32 a)
{
	u32 rounded = (a + 0x7fff + ((a >> 16) & 1)) >> 16;
	return (u16)(f32_is_nan(a) ? HALF_NAN : rounded);
}

/* cvt.{rn,rz,rm,rp}.f16.f32: .ftz does not flush the operand (recorded). */
static inline u16 f16_from_f32(u32 a, enum round round)
{
	return round == ROUND_RN ? f16_from_f32_rn(a) : f16_from_f32_exact(a, round);
}
/* cvt.{rn,rz,rm,rp}.bf16.f32: with .ftz pass the operand through f32_flush. */
static inline u16 bf16_from_f32(u32 a, enum round round)
{
	return round == ROUND_RN ? bf16_from_f32_rn(a) : bf16_from_f32_exact(a, round);
}

/* f64 to f16 or bf16 to nearest even, for values that arithmetic below has made (any NaN sign). */
static inline u16 f16_from_f64_rn(u64 a)
{
	u64 magnitude = a & ~F64_SIGN, sign = (a >> 48) & HALF_SIGN;
	u64 normal = (magnitude - (1008ull << 52) + 0x1ffffffffffull + ((magnitude >> 42) & 1)) >> 42;
	u64 tiny = bits_of_f64(f64_of_bits(magnitude) + 0x1p28) - bits_of_f64(0x1p28);
	u64 bits = magnitude < (1009ull << 52) ? tiny : normal;
	bits = magnitude >= (1039ull << 52) ? F16_INF : bits;
	return (u16)(magnitude > F64_INF ? HALF_NAN : bits | sign);
}
static inline u16 bf16_from_f64_rn(u64 a)
{
	u64 magnitude = a & ~F64_SIGN, sign = (a >> 48) & HALF_SIGN;
	u64 normal = (magnitude - (896ull << 52) + 0xfffffffffffull + ((magnitude >> 45) & 1)) >> 45;
	u64 tiny = bits_of_f64(f64_of_bits(magnitude) + 0x1p-81) - bits_of_f64(0x1p-81);
	u64 bits = magnitude < (897ull << 52) ? tiny : normal;
	bits = magnitude >= (1151ull << 52) ? BF16_INF : bits;
	return (u16)(magnitude > F64_INF ? HALF_NAN : bits | sign);
}

/* cvt.f16.f16 does this; mov and selp keep the bits. */
static inline u16 f16_canonical(u16 a) { return f16_is_nan(a) ? HALF_NAN : a; }

static inline u16 f16_flush(u16 a) { return (a & F16_INF) ? a : a & HALF_SIGN; }
static inline u16 bf16_flush(u16 a) { return (a & BF16_INF) ? a : a & HALF_SIGN; }
static inline u16 f16_flush_if(u16 a, bool ftz) { return ftz ? f16_flush(a) : a; }

static inline u16 f16_saturate(u16 a)
{
	u16 low = a > F16_INF ? 0 : a;
	return low > F16_ONE ? F16_ONE : low;
}
static inline u16 bf16_saturate(u16 a)
{
	u16 low = a > BF16_INF ? 0 : a;
	return low > BF16_ONE ? BF16_ONE : low;
}

static inline u16 f16_relu(u16 a) { return f16_is_nan(a) ? HALF_NAN : a & HALF_SIGN ? 0 : a; }
static inline u16 bf16_relu(u16 a) { return bf16_is_nan(a) ? HALF_NAN : a & HALF_SIGN ? 0 : a; }

/* .satfinite: an infinity becomes the greatest finite number of its sign; NaN stays. */
static inline u16 f16_satfinite(u16 a) { return (a & 0x7fff) == F16_INF ? a - 1 : a; }
static inline u16 bf16_satfinite(u16 a) { return (a & 0x7fff) == BF16_INF ? a - 1 : a; }

/* What follows the f16 rounding of an exact or nearly exact result of given f32 bits. With ftz a
 * result is zero unless 11 bits with an unbounded exponent round it up to 2^-14. */
static inline u16 f16_finish(u32 exact, bool ftz, bool sat)
{
	u16 rounded = f16_from_f32_rn(exact);
	u16 result = ftz && (exact & ~F32_SIGN) < 0x387ff000 ? rounded & HALF_SIGN : rounded;
	return sat ? f16_saturate(result) : result;
}

/* The f32 sum or product of two f16 or bf16 rounds innocuously: 24 bits >= 2 * 11 + 2. */
static inline u16 f16_add(u16 a, u16 b, bool ftz, bool sat)
{
	f32 x = f32_of_bits(f32_from_f16(f16_flush_if(a, ftz)));
	f32 y = f32_of_bits(f32_from_f16(f16_flush_if(b, ftz)));
	return f16_finish(bits_of_f32(x + y), ftz, sat);
}
static inline u16 f16_sub(u16 a, u16 b, bool ftz, bool sat) { return f16_add(a, b ^ HALF_SIGN, ftz, sat); }
static inline u16 f16_mul(u16 a, u16 b, bool ftz, bool sat)
{
	f32 x = f32_of_bits(f32_from_f16(f16_flush_if(a, ftz)));
	f32 y = f32_of_bits(f32_from_f16(f16_flush_if(b, ftz)));
	return f16_finish(bits_of_f32(x * y), ftz, sat);
}

/*
 * The product is exact in f64. The sum is exact too, but where one term is below the other's last
 * f16 place by far: then it is near an f16 number and not near a tie, as an f16 term has 11 bits
 * and the product reaches down only to 2^-48.
 */
static inline u16 f16_fma(u16 a, u16 b, u16 c, bool ftz, bool sat, bool relu)
{
	f64 x = f32_of_bits(f32_from_f16(f16_flush_if(a, ftz)));
	f64 y = f32_of_bits(f32_from_f16(f16_flush_if(b, ftz)));
	f64 z = f32_of_bits(f32_from_f16(f16_flush_if(c, ftz)));
	u64 sum = bits_of_f64(x * y + z);
	u16 rounded = f16_from_f64_rn(sum);
	bool tiny = (sum & ~F64_SIGN) < 0x3f0ffe0000000000ull;
	u16 result = ftz && tiny ? rounded & HALF_SIGN : rounded;
	result = sat ? f16_saturate(result) : result;
	return relu ? f16_relu(result) : result;
}

static inline u16 bf16_add(u16 a, u16 b)
{
	return bf16_from_f32_rn(bits_of_f32(f32_of_bits(f32_from_bf16(a)) + f32_of_bits(f32_from_bf16(b))));
}
static inline u16 bf16_sub(u16 a, u16 b) { return bf16_add(a, b ^ HALF_SIGN); }
static inline u16 bf16_mul(u16 a, u16 b)
{
	return bf16_from_f32_rn(bits_of_f32(f32_of_bits(f32_from_bf16(a)) * f32_of_bits(f32_from_bf16(b))));
}

/*
 * The product is exact in f64, the sum may not be, and a product that is a tie of bf16 with a tiny
 * addend would round wrongly: so the sum is made odd in its last place when it is inexact.
 */
static inline u16 bf16_fma(u16 a, u16 b, u16 c, bool relu)
{
	f64 product = (f64)f32_of_bits(f32_from_bf16(a)) * f32_of_bits(f32_from_bf16(b));
	f64 z = f32_of_bits(f32_from_bf16(c));
	f64 sum = product + z;
	f64 back = sum - product;
	f64 error = (product - (sum - back)) + (z - back);
	u64 bits = bits_of_f64(sum);
	/* Toward the error: away from zero if it has the sum's sign, else toward zero. */
	u64 step = ((bits ^ bits_of_f64(error)) >> 63) ? ~0ull : 1;
	bool inexact = error != 0 && error == error;
	u64 odd = inexact && !(bits & 1) ? bits + step : bits;
	u16 result = bf16_from_f64_rn(odd);
	return relu ? bf16_relu(result) : result;
}

/* fma.rn.oob: HALF_OOB of either sign in a or b makes the result +0; in c it is a plain NaN. */
static inline u16 half_oob_mask(u16 a, u16 b)
{
	bool oob = (a & 0x7fff) == HALF_OOB || (b & 0x7fff) == HALF_OOB;
	return (u16)((u32)oob - 1);
}
static inline u16 f16_fma_oob(u16 a, u16 b, u16 c, bool relu)
{
	return f16_fma(a, b, c, false, false, relu) & half_oob_mask(a, b);
}
static inline u16 f16_fma_oob_sat(u16 a, u16 b, u16 c)
{
	return f16_fma(a, b, c, false, true, false) & half_oob_mask(a, b);
}
static inline u16 bf16_fma_oob(u16 a, u16 b, u16 c, bool relu) { return bf16_fma(a, b, c, relu) & half_oob_mask(a, b); }

/* min and max, as f32_pick; inf is the format's infinity. */
static inline s16 half_order(u16 a) { return (s16)(a ^ ((u16)((s16)a >> 15) & 0x7fff)); }
static inline u16 half_pick(u16 a, u16 b, u16 inf, bool want_max, bool propagate, bool xorsign_abs)
{
	u16 keep = xorsign_abs ? 0x7fff : 0xffff;
	u16 sign = xorsign_abs ? (a ^ b) & HALF_SIGN : 0;
	u16 x = a & keep, y = b & keep;
	bool x_nan = (x & 0x7fff) > inf, y_nan = (y & 0x7fff) > inf;
	bool less = half_order(x) < half_order(y);
	u16 number = less != want_max ? x : y;
	u16 one = (y_nan ? x : x_nan ? y : number) | sign;
	bool nan = (x_nan & y_nan) | (propagate & (x_nan | y_nan));
	return nan ? HALF_NAN : one;
}
static inline u16 f16_min(u16 a, u16 b, bool ftz, bool propagate, bool xorsign_abs)
{
	return half_pick(f16_flush_if(a, ftz), f16_flush_if(b, ftz), F16_INF, false, propagate, xorsign_abs);
}
static inline u16 f16_max(u16 a, u16 b, bool ftz, bool propagate, bool xorsign_abs)
{
	return half_pick(f16_flush_if(a, ftz), f16_flush_if(b, ftz), F16_INF, true, propagate, xorsign_abs);
}
static inline u16 bf16_min(u16 a, u16 b, bool propagate, bool xorsign_abs)
{
	return half_pick(a, b, BF16_INF, false, propagate, xorsign_abs);
}
static inline u16 bf16_max(u16 a, u16 b, bool propagate, bool xorsign_abs)
{
	return half_pick(a, b, BF16_INF, true, propagate, xorsign_abs);
}

static inline u16 f16_abs(u16 a, bool ftz) { return f16_is_nan(a) ? HALF_NAN : f16_flush_if(a, ftz) & 0x7fff; }
static inline u16 f16_neg(u16 a, bool ftz) { return f16_is_nan(a) ? HALF_NAN : f16_flush_if(a, ftz) ^ HALF_SIGN; }
static inline u16 bf16_abs(u16 a) { return bf16_is_nan(a) ? HALF_NAN : a & 0x7fff; }
static inline u16 bf16_neg(u16 a) { return bf16_is_nan(a) ? HALF_NAN : a ^ HALF_SIGN; }

static inline bool f16_compare(enum float_cmp cmp, u16 a, u16 b, bool ftz)
{
	return f32_compare(cmp, f32_from_f16(f16_flush_if(a, ftz)), f32_from_f16(f16_flush_if(b, ftz)), false);
}
static inline bool bf16_compare(enum float_cmp cmp, u16 a, u16 b)
{
	return f32_compare(cmp, f32_from_bf16(a), f32_from_bf16(b), false);
}

#endif
