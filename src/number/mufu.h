/* SPDX-License-Identifier: Apache-2.0
 *
 * The approximate functions, bit for bit as the special-function unit of an H200 computes them
 * (mufu_*) and as CUDA 13.0 lowers the PTX forms onto it. Quadratic interpolation in exact
 * integers on the tables of number/mufu_tables.h: a form known since Oberman and Siu (2005), of
 * which envytools (nvhw/sfu.c, Marcin Kościelnicki, MIT licence) published the G80's. A NaN
 * operand gives 0x7fffffff (f32) or 0x7fff (f16, bf16). Inline and branch-free, so that a loop
 * over lanes becomes vector code with gathers.
 *
 * The mufu_* functions and what is built only on them do not depend on the host. The forms without
 * ftz, and both divisions, scale with host f32 arithmetic: they need round-to-nearest and
 * subnormals kept, as number/half.h does.
 */
#ifndef PTXSIM_NUMBER_MUFU_H
#define PTXSIM_NUMBER_MUFU_H

#include "base/types.h"
#include "number/half.h"
#include "number/ieee.h"
#include "number/mufu_tables.h"

/*
 * The truncated squarer, about x * x / 2^19 for a 17-bit x: the bits of the product array below column 18 are left out,
 * the others added, and one more bit is dropped. The cut shows in the results. With x = 2^9 * high + low, high's products
 * with itself all lie above the cut and low's all below it; high's with low come twice, each of their rows cut.
 */
static inline u32 mufu_square(u32 x)
{
	const u32 high = x >> 9, low = x & 0x1ff;
	u32 mixed = 0;

#pragma GCC unroll 8
	for (int i = 10; i <= 16; i++)
		mixed += (low >> (18 - i)) & (0 - ((x >> i) & 1));
	return (high * high >> 1) + mixed;
}

/* a or 0. A mask where a choice would make the compiler split the loop's body in two. */
static inline u32 mufu_keep_if(u32 a, bool keep) { return a & (0 - (u32)keep); }

/* c0 * 2^scale + c1 * first + c2 * second + k, exact. */
static inline s64 mufu_quadratic(s32 c0, s32 c1, s32 c2, int scale, u32 first, u32 second, s32 k)
{
	return (s64)c0 * ((s64)1 << scale) + (s64)c1 * (s32)first + (s64)c2 * (s32)second + k;
}

/* |v| * 2^weight as f32 bits: the leading 24 bits, the rest cut. 0 <= v < 2^52; 0 gives 0. */
static inline u32 mufu_normalise(u64 v, int weight)
{
	/* v in the low bits of 2^52's significand, less 2^52: exact in any rounding mode. */
	u64 bits = bits_of_f64(f64_of_bits(v | 0x4330000000000000ull) - 0x1p52);
	u64 rebased = bits - ((u64)(1023 - 127 - weight) << 52);
	return v ? (u32)(rebased >> 29) : 0;
}

/* 2^24 / m, cut: 2^23 to 2^24, from the 23 mantissa bits of m. */
static inline u32 mufu_rcp_significand(u32 mantissa)
{
	u32 i = mantissa >> 16, x = mantissa & 0xffff;
	return (u32)(mufu_quadratic(mufu_table_rcp[0][i], mufu_table_rcp[1][i], mufu_table_rcp[2][i], 13, x,
				    mufu_square(2 * x), 0x47e7) >>
		     15);
}

/* 2^24 / sqrt(m * 2^odd), cut. */
static inline u32 mufu_rsqrt_significand(u32 mantissa, u32 odd)
{
	u32 i = odd << 6 | mantissa >> 17, x = mantissa & 0x1ffff;
	return (u32)(mufu_quadratic(mufu_table_rsqrt[0][i], mufu_table_rsqrt[1][i], mufu_table_rsqrt[2][i], 14, x,
				    4 * mufu_square(x), 0x7fff) >>
		     16);
}

/*
 * The unit itself (SASS MUFU.*). Subnormal operands are zeros of their sign and so are results
 * below the least normal number. Below, a significand's leading bit adds one to the exponent field
 * that it is added to, and a significand that has reached the next power of two adds two.
 */
static inline u32 mufu_rcp(u32 a)
{
	u32 exp = (a >> 23) & 0xff, sign = a & F32_SIGN;
	s32 bits = ((252 - (s32)exp) * (1 << 23)) + (s32)mufu_rcp_significand(a & 0x7fffff);
	u32 result = bits < 0x00800000 ? 0 : (u32)bits;
	result = exp == 0 ? F32_INF : result;
	return f32_is_nan(a) ? F32_NAN : result | sign;
}

static inline u32 mufu_rsqrt(u32 a)
{
	u32 exp = (a >> 23) & 0xff, odd = ~exp & 1, mantissa = a & 0x7fffff;
	/* The result's exponent field is 127 - h or one less, 2h + odd being the operand's. */
	u32 field = 127 - (u32)((s32)(exp - 127 - odd) >> 1);
	u32 bits = ((field - 2) << 23) + mufu_rsqrt_significand(mantissa, odd);
	bits = (mantissa | odd) == 0 ? field << 23 : bits;
	bits = exp == 255 ? 0 : bits;
	bits = a >> 31 || f32_is_nan(a) ? F32_NAN : bits;
	return exp == 0 ? (a & F32_SIGN) | F32_INF : bits;
}

static inline u32 mufu_sqrt(u32 a)
{
	u32 exp = (a >> 23) & 0xff, odd = ~exp & 1;
	u32 i = odd << 6 | (a >> 17 & 0x3f), x = a & 0x1ffff;
	u32 sig = (u32)(mufu_quadratic(mufu_table_sqrt[0][i], mufu_table_sqrt[1][i], mufu_table_sqrt[2][i], 15,
				       x << odd, 2 * mufu_square(x), 0xffff) >>
			17);
	u32 bits = ((126 + (u32)((s32)(exp - 127 - odd) >> 1)) << 23) + sig;
	bits = exp == 255 ? F32_INF : bits;
	bits = a >> 31 || f32_is_nan(a) ? F32_NAN : bits;
	return exp == 0 ? a & F32_SIGN : bits;
}

static inline u32 mufu_ex2(u32 a)
{
	u32 magnitude = a & ~F32_SIGN;
	bool big = magnitude >= 0x43000000, negative = a >> 31;
	u32 usual = mufu_keep_if(magnitude, magnitude - 0x00800000 < 0x43000000 - 0x00800000);
	/* Fixed point with 23 fraction bits, cut; below zero the ones' complement, which is one
	 * unit below the true one, but for whole numbers. */
	s32 fixed = (s32)(f32_of_bits(usual) * 0x1p23f);
	s32 flipped = fixed & 0x7fffff ? ~fixed : 0 - fixed;
	fixed = negative ? flipped : fixed;
	u32 i = (u32)fixed >> 17 & 0x3f, x = (u32)fixed & 0x1ffff;
	s32 sig = (s32)(mufu_quadratic(mufu_table_ex2[0][i], mufu_table_ex2[1][i], mufu_table_ex2[2][i], 13, x,
				       mufu_square(x), 0x77e2) >>
			15);
	s32 bits = (126 + (fixed >> 23)) * (1 << 23) + sig;
	u32 result = bits < 0x00800000 ? 0 : (u32)bits;
	result = big ? (negative ? 0 : F32_INF) : result;
	return f32_is_nan(a) ? F32_NAN : result;
}

static inline u32 mufu_lg2(u32 a)
{
	u32 exp = (a >> 23) & 0xff, i = a >> 17 & 0x3f, x = a & 0x1ffff;
	s64 v = mufu_quadratic(mufu_table_lg2[0][i], mufu_table_lg2[1][i], mufu_table_lg2[2][i], 12, x,
			       2 * mufu_square(x), 0x3345);
	/* (v >> 2) + (exp - 127) * 2^36: v is positive, so the bias of 64 units keeps it so. */
	s64 sum = (s64)((u64)v >> 2) + (s64)((s32)exp - 127) * ((s64)1 << 36);
	u64 magnitude = (u64)(sum < 0 ? ~sum : sum);
	u32 bits = mufu_normalise(magnitude, -36) | (sum < 0 ? F32_SIGN : 0);
	bits = a == F32_ONE ? 0 : bits;
	bits = exp == 255 ? F32_INF : bits;
	bits = a >> 31 || f32_is_nan(a) ? F32_NAN : bits;
	return exp == 0 ? F32_SIGN | F32_INF : bits;
}

/* Angle in revolutions; a quarter of a revolution later for the cosine. */
static inline u32 mufu_circular(u32 magnitude, u32 sign, u32 quarter)
{
	/* From 2^23 on every number is whole; the fraction below is exact. */
	f32 usual = f32_of_bits(mufu_keep_if(magnitude, magnitude < 0x4b000000));
	f32 fraction = usual - (f32)(s32)usual;
	u32 fixed = (u32)(s32)(fraction * 0x1p25f);
	u32 quadrant = (fixed >> 23) + quarter, f = fixed & 0x7fffff;
	f ^= (0 - (quadrant & 1)) & 0x7fffff;
	sign ^= (quadrant & 2) << 30;
	u32 i = f >> 17, x = f & 0x1ffff;
	s64 v = mufu_quadratic(mufu_table_sin[0][i], mufu_table_sin[1][i], mufu_table_sin[2][i], 11, x, mufu_square(x),
			       0);
	return magnitude >= F32_INF ? F32_NAN : mufu_normalise((u64)v, -37) | sign;
}
static inline u32 mufu_sin(u32 a) { return mufu_circular(a & ~F32_SIGN, a & F32_SIGN, 0); }
static inline u32 mufu_cos(u32 a) { return mufu_circular(a & ~F32_SIGN, 0, 1); }

static inline u32 mufu_tanh(u32 a)
{
	u32 magnitude = a & ~F32_SIGN, sign = a & F32_SIGN;
	u32 between = magnitude < 0x3b800000 || magnitude >= 0x41000000 ? 0x3b800000 : magnitude;
	u32 binade = (between >> 23) - 119, mantissa = between & 0x7fffff;
	u32 n = (u32)mufu_tanh_bits[binade];
	u32 i = (u32)mufu_tanh_first[binade] + (mantissa >> (23 - n));
	u32 x = (mantissa >> (6 - n)) & 0x1ffff;
	s64 v = mufu_quadratic(mufu_table_tanh[0][i], mufu_table_tanh[1][i], mufu_table_tanh[2][i], 14, x,
			       mufu_square(x), 0);
	u32 bits = mufu_normalise((u64)v, -40);
	bits = magnitude < 0x3b800000 ? magnitude : bits;
	bits = magnitude >= 0x41000000 ? F32_ONE : bits;
	return f32_is_nan(a) ? F32_NAN : bits | sign;
}

/* The high word of an f64 in, the high word of the result out, 20 mantissa bits. */
static inline u32 mufu_rcp64h(u32 a)
{
	u32 exp = (a >> 20) & 0x7ff, sign = a & F32_SIGN;
	u32 sig = mufu_rcp_significand((a & 0xfffff) << 3) >> 3;
	s32 bits = (2044 - (s32)exp) * (1 << 20) + (s32)sig;
	u32 result = bits < 0x00100000 ? 0 : (u32)bits;
	result = exp == 0 ? 0x7ff00000 : result;
	return (a & ~F32_SIGN) > 0x7ff00000 ? F32_NAN : result | sign;
}

static inline u32 mufu_rsqrt64h(u32 a)
{
	u32 exp = (a >> 20) & 0x7ff, odd = ~exp & 1, mantissa = a & 0xfffff;
	u32 field = 1023 - (u32)((s32)(exp - 1023 - odd) >> 1);
	u32 bits = ((field - 2) << 20) + (mufu_rsqrt_significand(mantissa << 3, odd) >> 3);
	bits = (mantissa | odd) == 0 ? field << 20 : bits;
	bits = exp == 2047 ? 0 : bits;
	bits = a >> 31 || (a & ~F32_SIGN) > 0x7ff00000 ? F32_NAN : bits;
	return exp == 0 ? (a & F32_SIGN) | 0x7ff00000 : bits;
}

/* Bits of a host product or sum. */
static inline u32 mufu_times(u32 a, f32 factor) { return bits_of_f32(f32_of_bits(a) * factor); }

static inline bool mufu_is_small(u32 a) { return (a & ~F32_SIGN) < 0x00800000; }

/* The PTX instructions. */
static inline u32 f32_rcp_approx(u32 a, bool ftz)
{
	if (ftz)
		return mufu_rcp(a);
	f32 scale = mufu_is_small(a) ? 0x1p24f : (a & ~F32_SIGN) > 0x7e800000 ? 0.25f : 1.0f;
	return f32_canonical(mufu_times(mufu_rcp(mufu_times(a, scale)), scale));
}

static inline u32 f32_rsqrt_approx(u32 a, bool ftz)
{
	if (ftz)
		return mufu_rsqrt(a);
	bool small = mufu_is_small(a);
	u32 y = mufu_rsqrt(mufu_times(a, small ? 0x1p24f : 1.0f));
	return f32_canonical(mufu_times(y, small ? 0x1p12f : 1.0f));
}

static inline u32 f32_sqrt_approx(u32 a, bool ftz)
{
	if (ftz)
		return mufu_sqrt(a);
	bool small = mufu_is_small(a);
	u32 y = mufu_sqrt(mufu_times(a, small ? 0x1p24f : 1.0f));
	return f32_canonical(mufu_times(y, small ? 0x1p-12f : 1.0f));
}

static inline u32 f32_lg2_approx(u32 a, bool ftz)
{
	if (ftz)
		return mufu_lg2(a);
	bool small = mufu_is_small(a);
	f32 y = f32_of_bits(mufu_lg2(mufu_times(a, small ? 0x1p24f : 1.0f)));
	return f32_canonical(bits_of_f32(small ? y - 24.0f : y));
}

static inline u32 f32_ex2_approx(u32 a, bool ftz)
{
	if (ftz)
		return mufu_ex2(a);
	bool deep = f32_of_bits(a) < -126.0f;
	u32 y = mufu_ex2(deep ? mufu_times(a, 0.5f) : a);
	return f32_canonical(mufu_times(y, deep ? f32_of_bits(y) : 1.0f));
}

/* 1 / 2pi, to which the angle is brought by a product cut towards zero, subnormals kept. */
static inline u32 mufu_revolutions(u32 a)
{
	f64 exact = (f64)f32_of_bits(a & ~F32_SIGN) * (f64)f32_of_bits(0x3e22f983);
	u64 bits = bits_of_f64(exact);
	/* Below 2^-126 any small number does: the unit sees a zero. Infinity becomes NaN. */
	u32 cut = mufu_keep_if((u32)((bits - (896ull << 52)) >> 29), bits >= (897ull << 52));
	u32 invalid = mufu_keep_if(F32_NAN, (a & ~F32_SIGN) >= F32_INF);
	return cut | invalid | (a & F32_SIGN);
}
static inline u32 f32_sin_approx(u32 a) { return mufu_sin(mufu_revolutions(a)); }
static inline u32 f32_cos_approx(u32 a) { return mufu_cos(mufu_revolutions(a)); }
static inline u32 f32_tanh_approx(u32 a) { return mufu_tanh(a); }

/*
 * a * rcp(b), both scaled so that rcp's operand and result are normal numbers; div.approx does not
 * scale a great b, so there the reciprocal is zero.
 */
struct mufu_factors {
	f32 dividend, reciprocal;
};
static inline struct mufu_factors mufu_scale_division(u32 a, u32 b, bool full, bool ftz)
{
	u32 x = f32_flush_if(a, ftz), y = f32_flush_if(b, ftz);
	bool great = full && (y & ~F32_SIGN) > 0x7e800000;
	f32 scale = mufu_is_small(y) ? 0x1p24f : great ? 0.25f : 1.0f;
	return (struct mufu_factors){f32_of_bits(x) * scale, f32_of_bits(mufu_rcp(mufu_times(y, scale)))};
}
static inline u32 mufu_divide(u32 a, u32 b, bool full, bool ftz)
{
	struct mufu_factors f = mufu_scale_division(a, b, full, ftz);
	return f32_canonical(f32_flush_if(bits_of_f32(f.reciprocal * f.dividend), ftz));
}
static inline u32 f32_div_approx(u32 a, u32 b, bool ftz) { return mufu_divide(a, b, false, ftz); }
static inline u32 f32_div_full(u32 a, u32 b, bool ftz) { return mufu_divide(a, b, true, ftz); }

/* rcp, rsqrt.approx.ftz.f64 read the high word only and leave zero in the low one. */
static inline u64 f64_rcp_approx_ftz(u64 a) { return (u64)mufu_rcp64h((u32)(a >> 32)) << 32; }
static inline u64 f64_rsqrt_approx_ftz(u64 a) { return (u64)mufu_rsqrt64h((u32)(a >> 32)) << 32; }

/*
 * rsqrt.approx.f64: the unit's estimate and one step of third order, a subnormal operand scaled by
 * 2^54 first; mostly but not always the correctly rounded value. A NaN keeps sign and payload. The
 * order of the operations is sqrt.rn.f64's, and the one that gives the recorded bits.
 */
static inline u64 f64_rsqrt_approx(u64 a)
{
	bool small = (a & ~F64_SIGN) < 0x0010000000000000ull;
	f64 x = f64_of_bits(a) * (small ? 0x1p54 : 1.0);
	f64 y = f64_of_bits(f64_rsqrt_approx_ftz(bits_of_f64(x)));
	f64 error = __builtin_fma(x, -(y * y), 1.0);
	f64 step = __builtin_fma(error, 0.375, 0.5);
	u64 bits = bits_of_f64(__builtin_fma(step, y * error, y) * (small ? 0x1p27 : 1.0));
	bits = a > F64_SIGN ? F64_NAN : bits;
	bits = a == F64_INF ? 0 : bits;
	bits = (a & ~F64_SIGN) == 0 ? a | F64_INF : bits;
	return f64_is_nan(a) ? a | F64_QUIET : bits;
}

/* f32 bits cut towards zero to f16, subnormals too; from 2^16 on infinity. */
static inline u16 mufu_cut_f16(u32 a)
{
	u32 magnitude = a & ~F32_SIGN, sign = (a >> 16) & HALF_SIGN;
	u32 clamped = magnitude < 0x38800000 ? magnitude : 0;
	u32 tiny = (u32)(s32)(f32_of_bits(clamped) * 0x1p24f);
	u32 bits = magnitude < 0x38800000 ? tiny : (magnitude - 0x38000000) >> 13;
	bits = magnitude >= 0x47800000 ? F16_INF : bits;
	return (u16)(magnitude > F32_INF ? HALF_NAN : bits | sign);
}
static inline u16 mufu_cut_bf16(u32 a) { return (u16)(f32_is_nan(a) ? HALF_NAN : a >> 16); }

static inline u16 f16_ex2_approx(u16 a) { return mufu_cut_f16(mufu_ex2(f32_from_f16(a))); }
static inline u16 f16_tanh_approx(u16 a) { return mufu_cut_f16(mufu_tanh(f32_from_f16(a))); }
/* ex2.approx.ftz.bf16 is the only form. */
static inline u16 bf16_ex2_approx(u16 a) { return mufu_cut_bf16(mufu_ex2(f32_from_bf16(a))); }
static inline u16 bf16_tanh_approx(u16 a) { return mufu_cut_bf16(mufu_tanh(f32_from_bf16(a))); }

#endif
