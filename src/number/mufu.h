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
#ifdef SEM_NATIVE
#include "number/mufu_tables.c" /* native code brings its own */
#endif

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

/* Zeros and subnormals. */
static inline bool mufu_is_small(u32 a) { return (a & ~F32_SIGN) < 0x00800000; }

/* The coefficients of one segment of an argument. A function of the unit comes in three parts, so that a warp's segments
 * can be looked up together (sem/approx.h): mufu_NAME_segment(a), the number of the segment; mufu_NAME_in(a, c), the
 * value with the segment's coefficients; and mufu_NAME(a), both. */
struct mufu_segment {
	s32 c0, c1, c2;
};
#define MUFU_SEGMENT(NAME, number)                                                         \
	((struct mufu_segment){mufu_table_##NAME[0][number], mufu_table_##NAME[1][number], \
			       mufu_table_##NAME[2][number]})

/* c0 * 2^scale + c1 * first + c2 * second + k, exact. */
static inline s64 mufu_quadratic(struct mufu_segment c, int scale, u32 first, u32 second, s32 k)
{
	return (s64)c.c0 * ((s64)1 << scale) + (s64)c.c1 * (s32)first + (s64)c.c2 * (s32)second + k;
}

/* |v| * 2^weight as f32 bits: the leading 24 bits, the rest cut. 0 <= v < 2^52; 0 gives 0. */
static inline u32 mufu_normalise(u64 v, int weight)
{
	/* v in the low bits of 2^52's significand, less 2^52: exact in any rounding mode. */
	u64 bits = bits_of_f64(f64_of_bits(v | 0x4330000000000000ull) - 0x1p52);
	u64 rebased = bits - ((u64)(1023 - 127 - weight) << 52);
	return v ? (u32)(rebased >> 29) : 0;
}

/* How a unit's significand comes of its segment: c0 * 2^scale + c1 * first + c2 * factor * square + k, without the lowest `cut`
 * bits; first and the squarer's operand come of the argument. */
struct mufu_plan {
	int scale, cut;
	u32 factor;
	s32 k;
};
static const struct mufu_plan mufu_rcp_plan = {13, 15, 1, 0x47e7}, mufu_rsqrt_plan = {14, 16, 4, 0x7fff};
static const struct mufu_plan mufu_sqrt_plan = {15, 17, 2, 0xffff}, mufu_ex2_plan = {13, 15, 1, 0x77e2};

static inline u32 mufu_significand(const struct mufu_plan *p, struct mufu_segment c, u32 first, u32 squared)
{
	return (u32)(mufu_quadratic(c, p->scale, first, p->factor * mufu_square(squared), p->k) >> p->cut);
}

/* 2^24 / m, cut: 2^23 to 2^24, from the 23 mantissa bits of m. */
static inline u32 mufu_rcp_first(u32 a) { return a & 0xffff; }
static inline u32 mufu_rcp_squared(u32 a) { return 2 * (a & 0xffff); }
static inline u32 mufu_rcp_significand(u32 mantissa, struct mufu_segment c)
{
	return mufu_significand(&mufu_rcp_plan, c, mufu_rcp_first(mantissa), mufu_rcp_squared(mantissa));
}

/* 2^24 / sqrt(m * 2^odd), cut. */
static inline u32 mufu_rsqrt_first(u32 a) { return a & 0x1ffff; }
static inline u32 mufu_rsqrt_squared(u32 a) { return a & 0x1ffff; }
static inline u32 mufu_rsqrt_significand(u32 mantissa, struct mufu_segment c)
{
	return mufu_significand(&mufu_rsqrt_plan, c, mufu_rsqrt_first(mantissa), mufu_rsqrt_squared(mantissa));
}
/* From the low bit of the exponent and six of the mantissa. */
static inline u32 mufu_root_segment(u32 a) { return (~a >> 23 & 1) << 6 | (a >> 17 & 0x3f); }

/*
 * The unit itself (SASS MUFU.*). Subnormal operands are zeros of their sign and so are results
 * below the least normal number. Below, a significand's leading bit adds one to the exponent field
 * that it is added to, and a significand that has reached the next power of two adds two.
 */
static inline u32 mufu_rcp_segment(u32 a) { return a >> 16 & 0x7f; }
/* Usual operands are those that an instruction without .ftz hands to the unit as they are and whose value needs no care for zeros,
 * infinities, NaNs and subnormals: mufu_NAME_above(a) < mufu_NAME_usual_span. mufu_NAME_usual(a, significand) is the value then. */
enum {
	mufu_rcp_usual_span = 0x7e000001,
	mufu_rsqrt_usual_span = 0x7f000000,
	mufu_sqrt_usual_span = 0x7f000000,
	mufu_ex2_usual_span = 0x42fc0000 /* 126.0 */
};
static inline u32 mufu_rcp_above(u32 a) { return (a & ~F32_SIGN) - 0x00800000; }
static inline s32 mufu_rcp_bits(u32 a, u32 significand)
{
	return ((252 - (s32)(a >> 23 & 0xff)) * (1 << 23)) + (s32)significand;
}
static inline u32 mufu_rcp_usual(u32 a, u32 significand) { return (u32)mufu_rcp_bits(a, significand) | (a & F32_SIGN); }
static inline u32 mufu_rcp_of(u32 a, u32 significand)
{
	s32 bits = mufu_rcp_bits(a, significand);
	u32 result = bits < 0x00800000 ? 0 : (u32)bits;
	result = mufu_is_small(a) ? F32_INF : result;
	return f32_is_nan(a) ? F32_NAN : result | (a & F32_SIGN);
}
static inline u32 mufu_rcp_in(u32 a, struct mufu_segment c) { return mufu_rcp_of(a, mufu_rcp_significand(a, c)); }
static inline u32 mufu_rcp(u32 a) { return mufu_rcp_in(a, MUFU_SEGMENT(rcp, mufu_rcp_segment(a))); }

static inline u32 mufu_rsqrt_segment(u32 a) { return mufu_root_segment(a); }
static inline u32 mufu_rsqrt_above(u32 a) { return a - 0x00800000; }
static inline u32 mufu_rsqrt_usual(u32 a, u32 significand)
{
	u32 exp = (a >> 23) & 0xff, odd = ~exp & 1, mantissa = a & 0x7fffff;
	/* The result's exponent field is 127 - h or one less, 2h + odd being the operand's. */
	u32 field = 127 - (u32)((s32)(exp - 127 - odd) >> 1);
	return (mantissa | odd) == 0 ? field << 23 : ((field - 2) << 23) + significand;
}
static inline u32 mufu_rsqrt_of(u32 a, u32 significand)
{
	u32 bits = mufu_rsqrt_usual(a, significand);
	bits = (a >> 23 & 0xff) == 255 ? 0 : bits;
	bits = a >> 31 || f32_is_nan(a) ? F32_NAN : bits;
	return mufu_is_small(a) ? (a & F32_SIGN) | F32_INF : bits;
}

static inline u32 mufu_rsqrt_in(u32 a, struct mufu_segment c) { return mufu_rsqrt_of(a, mufu_rsqrt_significand(a, c)); }
static inline u32 mufu_rsqrt(u32 a) { return mufu_rsqrt_in(a, MUFU_SEGMENT(rsqrt, mufu_rsqrt_segment(a))); }

static inline u32 mufu_sqrt_segment(u32 a) { return mufu_root_segment(a); }
static inline u32 mufu_sqrt_first(u32 a) { return (a & 0x1ffff) << (~a >> 23 & 1); }
static inline u32 mufu_sqrt_squared(u32 a) { return a & 0x1ffff; }
static inline u32 mufu_sqrt_above(u32 a) { return a - 0x00800000; }
static inline u32 mufu_sqrt_usual(u32 a, u32 significand)
{
	u32 exp = (a >> 23) & 0xff, odd = ~exp & 1;
	return ((126 + (u32)((s32)(exp - 127 - odd) >> 1)) << 23) + significand;
}
static inline u32 mufu_sqrt_of(u32 a, u32 significand)
{
	u32 bits = mufu_sqrt_usual(a, significand);
	bits = (a >> 23 & 0xff) == 255 ? F32_INF : bits;
	bits = a >> 31 || f32_is_nan(a) ? F32_NAN : bits;
	return mufu_is_small(a) ? a & F32_SIGN : bits;
}

static inline u32 mufu_sqrt_in(u32 a, struct mufu_segment c)
{
	return mufu_sqrt_of(a, mufu_significand(&mufu_sqrt_plan, c, mufu_sqrt_first(a), mufu_sqrt_squared(a)));
}
static inline u32 mufu_sqrt(u32 a) { return mufu_sqrt_in(a, MUFU_SEGMENT(sqrt, mufu_sqrt_segment(a))); }

/* The operand in fixed point with 23 fraction bits. */
static inline s32 mufu_ex2_fixed(u32 a)
{
	u32 magnitude = a & ~F32_SIGN;
	u32 usual = mufu_keep_if(magnitude, magnitude - 0x00800000 < 0x43000000 - 0x00800000);
	/* Cut; below zero the ones' complement, which is one unit below the true one, but for whole numbers. */
	s32 fixed = (s32)(f32_of_bits(usual) * 0x1p23f);
	s32 flipped = fixed & 0x7fffff ? ~fixed : 0 - fixed;
	return a >> 31 ? flipped : fixed;
}
static inline u32 mufu_ex2_segment(u32 a) { return (u32)mufu_ex2_fixed(a) >> 17 & 0x3f; }
static inline u32 mufu_ex2_first(u32 a) { return (u32)mufu_ex2_fixed(a) & 0x1ffff; }
static inline u32 mufu_ex2_squared(u32 a) { return mufu_ex2_first(a); }
static inline u32 mufu_ex2_above(u32 a) { return a & ~F32_SIGN; }
static inline u32 mufu_ex2_usual(u32 a, u32 significand)
{
	return (u32)((126 + (mufu_ex2_fixed(a) >> 23)) * (1 << 23) + (s32)significand);
}
static inline u32 mufu_ex2_of(u32 a, u32 significand)
{
	bool big = (a & ~F32_SIGN) >= 0x43000000, negative = a >> 31;
	s32 bits = (s32)mufu_ex2_usual(a, significand);
	u32 result = bits < 0x00800000 ? 0 : (u32)bits;
	result = big ? (negative ? 0 : F32_INF) : result;
	return f32_is_nan(a) ? F32_NAN : result;
}

static inline u32 mufu_ex2_in(u32 a, struct mufu_segment c)
{
	return mufu_ex2_of(a, mufu_significand(&mufu_ex2_plan, c, mufu_ex2_first(a), mufu_ex2_squared(a)));
}
static inline u32 mufu_ex2(u32 a) { return mufu_ex2_in(a, MUFU_SEGMENT(ex2, mufu_ex2_segment(a))); }

static inline u32 mufu_lg2_segment(u32 a) { return a >> 17 & 0x3f; }
static inline u32 mufu_lg2_in(u32 a, struct mufu_segment c)
{
	u32 exp = (a >> 23) & 0xff, x = a & 0x1ffff;
	s64 v = mufu_quadratic(c, 12, x, 2 * mufu_square(x), 0x3345);
	/* (v >> 2) + (exp - 127) * 2^36: v is positive, so the bias of 64 units keeps it so. */
	s64 sum = (s64)((u64)v >> 2) + (s64)((s32)exp - 127) * ((s64)1 << 36);
	u64 magnitude = (u64)(sum < 0 ? ~sum : sum);
	u32 bits = mufu_normalise(magnitude, -36) | (sum < 0 ? F32_SIGN : 0);
	bits = a == F32_ONE ? 0 : bits;
	bits = exp == 255 ? F32_INF : bits;
	bits = a >> 31 || f32_is_nan(a) ? F32_NAN : bits;
	return exp == 0 ? F32_SIGN | F32_INF : bits;
}

static inline u32 mufu_lg2(u32 a) { return mufu_lg2_in(a, MUFU_SEGMENT(lg2, mufu_lg2_segment(a))); }

/* Angle in revolutions; a quarter of a revolution later for the cosine. The place within the quadrant, 23 bits; *quadrant
 * as well. */
static inline u32 mufu_quadrant(u32 a, u32 quarter, u32 *quadrant)
{
	/* From 2^23 on every number is whole; the fraction below is exact. */
	u32 magnitude = a & ~F32_SIGN;
	f32 usual = f32_of_bits(mufu_keep_if(magnitude, magnitude < 0x4b000000));
	f32 fraction = usual - (f32)(s32)usual;
	u32 fixed = (u32)(s32)(fraction * 0x1p25f);
	*quadrant = (fixed >> 23) + quarter;
	return (fixed & 0x7fffff) ^ ((0 - (*quadrant & 1)) & 0x7fffff);
}
static inline u32 mufu_circular_segment(u32 a, u32 quarter)
{
	u32 quadrant;
	return mufu_quadrant(a, quarter, &quadrant) >> 17;
}
static inline u32 mufu_circular_in(u32 a, u32 quarter, struct mufu_segment c)
{
	u32 quadrant, x = mufu_quadrant(a, quarter, &quadrant) & 0x1ffff;
	u32 sign = (quarter ? 0 : a & F32_SIGN) ^ (quadrant & 2) << 30;
	s64 v = mufu_quadratic(c, 11, x, mufu_square(x), 0);
	return (a & ~F32_SIGN) >= F32_INF ? F32_NAN : mufu_normalise((u64)v, -37) | sign;
}
static inline u32 mufu_sin_segment(u32 a) { return mufu_circular_segment(a, 0); }
static inline u32 mufu_cos_segment(u32 a) { return mufu_circular_segment(a, 1); }
static inline u32 mufu_sin_in(u32 a, struct mufu_segment c) { return mufu_circular_in(a, 0, c); }
static inline u32 mufu_cos_in(u32 a, struct mufu_segment c) { return mufu_circular_in(a, 1, c); }
static inline u32 mufu_sin(u32 a) { return mufu_sin_in(a, MUFU_SEGMENT(sin, mufu_sin_segment(a))); }
static inline u32 mufu_cos(u32 a) { return mufu_cos_in(a, MUFU_SEGMENT(sin, mufu_cos_segment(a))); }

static inline u32 mufu_tanh(u32 a)
{
	u32 magnitude = a & ~F32_SIGN, sign = a & F32_SIGN;
	u32 between = magnitude < 0x3b800000 || magnitude >= 0x41000000 ? 0x3b800000 : magnitude;
	u32 binade = (between >> 23) - 119, mantissa = between & 0x7fffff;
	u32 n = (u32)mufu_tanh_bits[binade];
	u32 i = (u32)mufu_tanh_first[binade] + (mantissa >> (23 - n));
	u32 x = (mantissa >> (6 - n)) & 0x1ffff;
	s64 v = mufu_quadratic(MUFU_SEGMENT(tanh, i), 14, x, mufu_square(x), 0);
	u32 bits = mufu_normalise((u64)v, -40);
	bits = magnitude < 0x3b800000 ? magnitude : bits;
	bits = magnitude >= 0x41000000 ? F32_ONE : bits;
	return f32_is_nan(a) ? F32_NAN : bits | sign;
}

/* The high word of an f64 in, the high word of the result out, 20 mantissa bits. */
static inline u32 mufu_rcp64h(u32 a)
{
	u32 exp = (a >> 20) & 0x7ff, sign = a & F32_SIGN;
	u32 mantissa = (a & 0xfffff) << 3;
	u32 sig = mufu_rcp_significand(mantissa, MUFU_SEGMENT(rcp, mantissa >> 16)) >> 3;
	s32 bits = (2044 - (s32)exp) * (1 << 20) + (s32)sig;
	u32 result = bits < 0x00100000 ? 0 : (u32)bits;
	result = exp == 0 ? 0x7ff00000 : result;
	return (a & ~F32_SIGN) > 0x7ff00000 ? F32_NAN : result | sign;
}

static inline u32 mufu_rsqrt64h(u32 a)
{
	u32 exp = (a >> 20) & 0x7ff, odd = ~exp & 1, mantissa = a & 0xfffff;
	u32 field = 1023 - (u32)((s32)(exp - 1023 - odd) >> 1);
	struct mufu_segment c = MUFU_SEGMENT(rsqrt, odd << 6 | mantissa >> 14);
	u32 bits = ((field - 2) << 20) + (mufu_rsqrt_significand(mantissa << 3, c) >> 3);
	bits = (mantissa | odd) == 0 ? field << 20 : bits;
	bits = exp == 2047 ? 0 : bits;
	bits = a >> 31 || (a & ~F32_SIGN) > 0x7ff00000 ? F32_NAN : bits;
	return exp == 0 ? (a & F32_SIGN) | 0x7ff00000 : bits;
}

/* Bits of a host product or sum. */
static inline u32 mufu_times(u32 a, f32 factor) { return bits_of_f32(f32_of_bits(a) * factor); }

/* The PTX instructions. Without ftz, mufu_NAME_operand(a) is what the unit gets, scaled so that neither that nor its
 * result y is subnormal, and mufu_NAME_result(a, y) what the instruction gives. */
static inline f32 mufu_rcp_scale(u32 a)
{
	return mufu_is_small(a) ? 0x1p24f : (a & ~F32_SIGN) > 0x7e800000 ? 0.25f : 1.0f;
}
static inline u32 mufu_rcp_operand(u32 a) { return mufu_times(a, mufu_rcp_scale(a)); }
static inline u32 mufu_rcp_result(u32 a, u32 y) { return f32_canonical(mufu_times(y, mufu_rcp_scale(a))); }
static inline u32 f32_rcp_approx(u32 a, bool ftz)
{
	return ftz ? mufu_rcp(a) : mufu_rcp_result(a, mufu_rcp(mufu_rcp_operand(a)));
}

static inline u32 mufu_rsqrt_operand(u32 a) { return mufu_times(a, mufu_is_small(a) ? 0x1p24f : 1.0f); }
static inline u32 mufu_rsqrt_result(u32 a, u32 y)
{
	return f32_canonical(mufu_times(y, mufu_is_small(a) ? 0x1p12f : 1.0f));
}
static inline u32 f32_rsqrt_approx(u32 a, bool ftz)
{
	return ftz ? mufu_rsqrt(a) : mufu_rsqrt_result(a, mufu_rsqrt(mufu_rsqrt_operand(a)));
}

static inline u32 mufu_sqrt_operand(u32 a) { return mufu_rsqrt_operand(a); }
static inline u32 mufu_sqrt_result(u32 a, u32 y)
{
	return f32_canonical(mufu_times(y, mufu_is_small(a) ? 0x1p-12f : 1.0f));
}
static inline u32 f32_sqrt_approx(u32 a, bool ftz)
{
	return ftz ? mufu_sqrt(a) : mufu_sqrt_result(a, mufu_sqrt(mufu_sqrt_operand(a)));
}

static inline u32 mufu_lg2_operand(u32 a) { return mufu_rsqrt_operand(a); }
static inline u32 mufu_lg2_result(u32 a, u32 y)
{
	return f32_canonical(bits_of_f32(mufu_is_small(a) ? f32_of_bits(y) - 24.0f : f32_of_bits(y)));
}
static inline u32 f32_lg2_approx(u32 a, bool ftz)
{
	return ftz ? mufu_lg2(a) : mufu_lg2_result(a, mufu_lg2(mufu_lg2_operand(a)));
}

static inline bool mufu_is_deep(u32 a) { return f32_of_bits(a) < -126.0f; }
static inline u32 mufu_ex2_operand(u32 a) { return mufu_is_deep(a) ? mufu_times(a, 0.5f) : a; }
static inline u32 mufu_ex2_result(u32 a, u32 y)
{
	return f32_canonical(mufu_times(y, mufu_is_deep(a) ? f32_of_bits(y) : 1.0f));
}
static inline u32 f32_ex2_approx(u32 a, bool ftz)
{
	return ftz ? mufu_ex2(a) : mufu_ex2_result(a, mufu_ex2(mufu_ex2_operand(a)));
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
static inline f32 mufu_division_scale(u32 b, bool full, bool ftz)
{
	u32 y = f32_flush_if(b, ftz);
	bool great = full && (y & ~F32_SIGN) > 0x7e800000;
	return mufu_is_small(y) ? 0x1p24f : great ? 0.25f : 1.0f;
}
static inline u32 mufu_divisor(u32 b, bool full, bool ftz)
{
	return mufu_times(f32_flush_if(b, ftz), mufu_division_scale(b, full, ftz));
}
/* y: the unit's reciprocal of the divisor. */
static inline u32 mufu_quotient(u32 a, u32 b, u32 y, bool full, bool ftz)
{
	f32 dividend = f32_of_bits(f32_flush_if(a, ftz)) * mufu_division_scale(b, full, ftz);
	return f32_canonical(f32_flush_if(bits_of_f32(f32_of_bits(y) * dividend), ftz));
}
static inline u32 mufu_divide(u32 a, u32 b, bool full, bool ftz)
{
	return mufu_quotient(a, b, mufu_rcp(mufu_divisor(b, full, ftz)), full, ftz);
}
struct mufu_factors {
	f32 dividend, reciprocal;
};
static inline struct mufu_factors mufu_scale_division(u32 a, u32 b, bool full, bool ftz)
{
	f32 dividend = f32_of_bits(f32_flush_if(a, ftz)) * mufu_division_scale(b, full, ftz);
	return (struct mufu_factors){dividend, f32_of_bits(mufu_rcp(mufu_divisor(b, full, ftz)))};
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
