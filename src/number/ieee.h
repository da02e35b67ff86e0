/* SPDX-License-Identifier: Apache-2.0
 *
 * f32 and f64 arithmetic as an H200 does it, on bits: any rounding mode, .ftz, .sat, NaN rules.
 * The functions out of line are integer code, exact whatever the host's floating-point
 * environment; the lane loops use the host's own operations for round-to-nearest and come here
 * for the rest. The inline ones are branch-free, so that a loop over lanes becomes vector code.
 *
 * NaN: f32 results are F32_NAN, sign and payload of the operands lost. f64 results keep sign and
 * payload of one operand, quietened: add, sub, mul, min, max prefer b to a; fma prefers b, then c,
 * then a; div prefers a to b. A NaN made from numbers is F64_NAN.
 * ftz: operands below the least normal number count as zero of their sign, and so does a result
 * that is below it after rounding to the full significand with an unbounded exponent (so
 * 0x3f7fffff * 0x00800000 is 0 with ftz, although IEEE rounding gives 0x00800000).
 * sat: the result is clamped to [+0, 1]; a NaN becomes +0.
 */
#ifndef PTXSIM_NUMBER_IEEE_H
#define PTXSIM_NUMBER_IEEE_H

#include "base/types.h"
#include "number/round.h"

#define F32_SIGN  0x80000000u
#define F32_INF   0x7f800000u
#define F32_NAN   0x7fffffffu
#define F32_ONE   0x3f800000u
#define F64_SIGN  0x8000000000000000u
#define F64_INF   0x7ff0000000000000u
#define F64_NAN   0xfff8000000000000u
#define F64_QUIET 0x0008000000000000u
#define F64_ONE   0x3ff0000000000000u

u32 f32_add(u32 a, u32 b, enum round round, bool ftz, bool sat);
u32 f32_sub(u32 a, u32 b, enum round round, bool ftz, bool sat);
u32 f32_mul(u32 a, u32 b, enum round round, bool ftz, bool sat);
u32 f32_fma(u32 a, u32 b, u32 c, enum round round, bool ftz, bool sat);
u32 f32_div(u32 a, u32 b, enum round round, bool ftz);
u32 f32_rcp(u32 a, enum round round, bool ftz);
u32 f32_sqrt(u32 a, enum round round, bool ftz);

u64 f64_add(u64 a, u64 b, enum round round);
u64 f64_sub(u64 a, u64 b, enum round round);
u64 f64_mul(u64 a, u64 b, enum round round);
u64 f64_fma(u64 a, u64 b, u64 c, enum round round);
u64 f64_div(u64 a, u64 b, enum round round);
u64 f64_rcp(u64 a, enum round round);
u64 f64_sqrt(u64 a, enum round round);

/* cvt.rni, .rzi, .rmi, .rpi between equal types: the nearest integral value in that direction. */
u32 f32_round_integral(u32 a, enum round round, bool ftz);
u64 f64_round_integral(u64 a, enum round round);

static inline bool f32_is_nan(u32 a) { return (a & ~F32_SIGN) > F32_INF; }
static inline bool f64_is_nan(u64 a) { return (a & ~F64_SIGN) > F64_INF; }

/* A subnormal becomes zero of its sign; the rest stays. */
static inline u32 f32_flush(u32 a) { return (a & F32_INF) ? a : a & F32_SIGN; }

static inline u32 f32_flush_if(u32 a, bool ftz) { return ftz ? f32_flush(a) : a; }

/* Any NaN becomes the one NaN that f32 arithmetic returns. */
static inline u32 f32_canonical(u32 a) { return f32_is_nan(a) ? F32_NAN : a; }

static inline u64 f64_quieten(u64 a) { return f64_is_nan(a) ? a | F64_QUIET : a; }

/* .sat: negative numbers, -0 and NaN become +0, numbers above one become one. */
static inline u32 f32_saturate(u32 a)
{
	u32 low = a > F32_INF ? 0 : a;
	return low > F32_ONE ? F32_ONE : low;
}
static inline u64 f64_saturate(u64 a)
{
	u64 low = a > F64_INF ? 0 : a;
	return low > F64_ONE ? F64_ONE : low;
}

/* Bits of a number mapped to integers in the order of the numbers, -0 just below +0. */
static inline s32 f32_order(u32 a) { return (s32)(a ^ ((u32)((s32)a >> 31) & ~F32_SIGN)); }
static inline s64 f64_order(u64 a) { return (s64)(a ^ ((u64)((s64)a >> 63) & ~F64_SIGN)); }

/* The same with both zeros as 0. */
static inline s32 f32_rank(u32 a) { return a & F32_SIGN ? -(s32)(a & ~F32_SIGN) : (s32)a; }
static inline s64 f64_rank(u64 a) { return a & F64_SIGN ? -(s64)(a & ~F64_SIGN) : (s64)a; }

/*
 * min and max: -0 < +0; with one NaN the other operand, or the NaN if propagate (.NaN);
 * xorsign_abs compares magnitudes and gives the result the exclusive or of the signs.
 */
static inline u32 f32_pick(u32 a, u32 b, bool want_max, bool ftz, bool propagate, bool xorsign_abs)
{
	u32 x = f32_flush_if(a, ftz), y = f32_flush_if(b, ftz);
	u32 sign = xorsign_abs ? (x ^ y) & F32_SIGN : 0;
	x = xorsign_abs ? x & ~F32_SIGN : x;
	y = xorsign_abs ? y & ~F32_SIGN : y;
	bool x_nan = f32_is_nan(x), y_nan = f32_is_nan(y);
	bool less = f32_order(x) < f32_order(y);
	u32 number = less != want_max ? x : y;
	u32 one = (y_nan ? x : x_nan ? y : number) | sign;
	bool nan = (x_nan & y_nan) | (propagate & (x_nan | y_nan));
	return nan ? F32_NAN : one;
}
static inline u32 f32_min(u32 a, u32 b, bool ftz, bool propagate, bool xorsign_abs)
{
	return f32_pick(a, b, false, ftz, propagate, xorsign_abs);
}
static inline u32 f32_max(u32 a, u32 b, bool ftz, bool propagate, bool xorsign_abs)
{
	return f32_pick(a, b, true, ftz, propagate, xorsign_abs);
}

/* The three-operand forms; abs compares and returns magnitudes. */
static inline u32 f32_pick3(u32 a, u32 b, u32 c, bool want_max, bool ftz, bool propagate, bool abs)
{
	u32 keep = abs ? ~F32_SIGN : ~0u;
	u32 first = f32_pick(a & keep, b & keep, want_max, ftz, propagate, false);
	return f32_pick(first, c & keep, want_max, ftz, propagate, false);
}
static inline u32 f32_min3(u32 a, u32 b, u32 c, bool ftz, bool propagate, bool abs)
{
	return f32_pick3(a, b, c, false, ftz, propagate, abs);
}
static inline u32 f32_max3(u32 a, u32 b, u32 c, bool ftz, bool propagate, bool abs)
{
	return f32_pick3(a, b, c, true, ftz, propagate, abs);
}

static inline u64 f64_pick(u64 a, u64 b, bool want_max)
{
	bool less = f64_order(a) < f64_order(b);
	u64 number = less != want_max ? a : b;
	return f64_is_nan(a) ? f64_quieten(b) : f64_is_nan(b) ? a : number;
}
static inline u64 f64_min(u64 a, u64 b) { return f64_pick(a, b, false); }
static inline u64 f64_max(u64 a, u64 b) { return f64_pick(a, b, true); }

/* abs and neg canonicalise an f32 NaN; an f64 NaN keeps its sign and turns quiet. */
static inline u32 f32_abs(u32 a, bool ftz) { return f32_canonical(f32_flush_if(a, ftz) & ~F32_SIGN); }
static inline u32 f32_neg(u32 a, bool ftz) { return f32_canonical(f32_flush_if(a, ftz) ^ F32_SIGN); }
static inline u64 f64_abs(u64 a) { return f64_is_nan(a) ? a | F64_QUIET : a & ~F64_SIGN; }
static inline u64 f64_neg(u64 a) { return f64_is_nan(a) ? a | F64_QUIET : a ^ F64_SIGN; }

/* The magnitude of b with the sign of a (the manual's operand order); bits of a NaN are kept. */
static inline u32 f32_copysign(u32 a, u32 b) { return (a & F32_SIGN) | (b & ~F32_SIGN); }
static inline u64 f64_copysign(u64 a, u64 b) { return (a & F64_SIGN) | (b & ~F64_SIGN); }

/* testp.op. NORMAL holds for zeros too: the recording says so, the manual does not. */
enum testp { TESTP_FINITE, TESTP_INFINITE, TESTP_NUMBER, TESTP_NOTANUMBER, TESTP_NORMAL, TESTP_SUBNORMAL };
bool f32_testp(u32 a, enum testp property);
bool f64_testp(u64 a, enum testp property);

/* set, setp, slct comparisons of floats: ordered ones are false with a NaN, ...U ones true. */
enum float_cmp {
	FLOAT_EQ,
	FLOAT_NE,
	FLOAT_LT,
	FLOAT_LE,
	FLOAT_GT,
	FLOAT_GE,
	FLOAT_EQU,
	FLOAT_NEU,
	FLOAT_LTU,
	FLOAT_LEU,
	FLOAT_GTU,
	FLOAT_GEU,
	FLOAT_NUM,
	FLOAT_NAN
};

/* The comparison, given which of the three ordered relations hold (none: a NaN is among them). */
static inline bool float_cmp_holds(enum float_cmp cmp, bool lt, bool eq, bool gt)
{
	bool nan = !(lt | eq | gt);
	switch (cmp) {
	case FLOAT_EQ:
		return eq;
	case FLOAT_NE:
		return lt | gt;
	case FLOAT_LT:
		return lt;
	case FLOAT_LE:
		return lt | eq;
	case FLOAT_GT:
		return gt;
	case FLOAT_GE:
		return gt | eq;
	case FLOAT_EQU:
		return eq | nan;
	case FLOAT_NEU:
		return !eq;
	case FLOAT_LTU:
		return lt | nan;
	case FLOAT_LEU:
		return !gt;
	case FLOAT_GTU:
		return gt | nan;
	case FLOAT_GEU:
		return !lt;
	case FLOAT_NUM:
		return !nan;
	case FLOAT_NAN:
		return nan;
	}
	return false;
}

/* With a constant cmp and ftz these fold to one or two host compares, which no mode affects. */
static inline bool f32_compare(enum float_cmp cmp, u32 a, u32 b, bool ftz)
{
	f32 x = f32_of_bits(f32_flush_if(a, ftz)), y = f32_of_bits(f32_flush_if(b, ftz));
	return float_cmp_holds(cmp, x<y, x == y, x> y);
}
static inline bool f64_compare(enum float_cmp cmp, u64 a, u64 b)
{
	f64 x = f64_of_bits(a), y = f64_of_bits(b);
	return float_cmp_holds(cmp, x<y, x == y, x> y);
}

#endif
