/* SPDX-License-Identifier: Apache-2.0
 *
 * f32 and f64 arithmetic in integers, for the modes that the lane loops leave to it and as the
 * oracle of tests. Each function sees to NaN, infinity and zero, then soft.c does the rest.
 */
#include "number/ieee.h"
#include "number/soft.h"

static bool f32_is_inf(u32 a) { return (a & ~F32_SIGN) == F32_INF; }
static bool f64_is_inf(u64 a) { return (a & ~F64_SIGN) == F64_INF; }
static bool f32_is_zero(u32 a) { return (a & ~F32_SIGN) == 0; }
static bool f64_is_zero(u64 a) { return (a & ~F64_SIGN) == 0; }

static struct soft open32(u32 a) { return soft_unpack(&soft_f32, a); }
static struct soft open64(u64 a) { return soft_unpack(&soft_f64, a); }
static u32 close32(struct soft v, enum round round, bool ftz) { return (u32)soft_pack(&soft_f32, v, round, ftz); }
static u64 close64(struct soft v, enum round round) { return soft_pack(&soft_f64, v, round, false); }

/* c is added to the product a * b; c or the product may be infinite. */
static u32 f32_fma_flushed(u32 a, u32 b, u32 c, enum round round, bool ftz)
{
	if (f32_is_nan(a) || f32_is_nan(b) || f32_is_nan(c))
		return F32_NAN;
	u32 sign = (a ^ b) & F32_SIGN;
	if (f32_is_inf(a) || f32_is_inf(b)) {
		bool invalid = f32_is_zero(a) || f32_is_zero(b) || c == ((sign ^ F32_SIGN) | F32_INF);
		return invalid ? F32_NAN : sign | F32_INF;
	}
	if (f32_is_inf(c))
		return c;
	struct soft_wide product = soft_product(open32(a), open32(b));
	return close32(soft_sum(product, soft_widen(open32(c)), round), round, ftz);
}

static u32 f32_sat_if(u32 a, bool sat) { return sat ? f32_saturate(a) : a; }

u32 f32_fma(u32 a, u32 b, u32 c, enum round round, bool ftz, bool sat)
{
	a = f32_flush_if(a, ftz);
	b = f32_flush_if(b, ftz);
	c = f32_flush_if(c, ftz);
	return f32_sat_if(f32_fma_flushed(a, b, c, round, ftz), sat);
}

u32 f32_add(u32 a, u32 b, enum round round, bool ftz, bool sat) { return f32_fma(a, F32_ONE, b, round, ftz, sat); }

u32 f32_sub(u32 a, u32 b, enum round round, bool ftz, bool sat) { return f32_add(a, b ^ F32_SIGN, round, ftz, sat); }

u32 f32_mul(u32 a, u32 b, enum round round, bool ftz, bool sat)
{
	a = f32_flush_if(a, ftz);
	b = f32_flush_if(b, ftz);
	if (f32_is_nan(a) || f32_is_nan(b))
		return f32_sat_if(F32_NAN, sat);
	u32 sign = (a ^ b) & F32_SIGN, result;
	if (f32_is_inf(a) || f32_is_inf(b))
		result = f32_is_zero(a) || f32_is_zero(b) ? F32_NAN : sign | F32_INF;
	else
		result = close32(soft_narrow(soft_product(open32(a), open32(b))), round, ftz);
	return f32_sat_if(result, sat);
}

u32 f32_div(u32 a, u32 b, enum round round, bool ftz)
{
	a = f32_flush_if(a, ftz);
	b = f32_flush_if(b, ftz);
	if (f32_is_nan(a) || f32_is_nan(b))
		return F32_NAN;
	u32 sign = (a ^ b) & F32_SIGN;
	if (f32_is_inf(a))
		return f32_is_inf(b) ? F32_NAN : sign | F32_INF;
	if (f32_is_inf(b))
		return sign;
	if (f32_is_zero(b))
		return f32_is_zero(a) ? F32_NAN : sign | F32_INF;
	return close32(soft_quotient(open32(a), open32(b)), round, ftz);
}

u32 f32_rcp(u32 a, enum round round, bool ftz) { return f32_div(F32_ONE, a, round, ftz); }

u32 f32_sqrt(u32 a, enum round round, bool ftz)
{
	a = f32_flush_if(a, ftz);
	if (f32_is_nan(a) || (a > F32_SIGN))
		return F32_NAN;
	if (f32_is_zero(a) || a == F32_INF)
		return a;
	return close32(soft_square_root(open32(a)), round, ftz);
}

/* The quietened NaN among the operands, in order of preference. Called if there is one. */
static u64 f64_nan_of(u64 first, u64 second, u64 third)
{
	u64 nan = f64_is_nan(first) ? first : f64_is_nan(second) ? second : third;
	return nan | F64_QUIET;
}

u64 f64_fma(u64 a, u64 b, u64 c, enum round round)
{
	if (f64_is_nan(a) || f64_is_nan(b) || f64_is_nan(c))
		return f64_nan_of(b, c, a);
	u64 sign = (a ^ b) & F64_SIGN;
	if (f64_is_inf(a) || f64_is_inf(b)) {
		bool invalid = f64_is_zero(a) || f64_is_zero(b) || c == ((sign ^ F64_SIGN) | F64_INF);
		return invalid ? F64_NAN : sign | F64_INF;
	}
	if (f64_is_inf(c))
		return c;
	struct soft_wide product = soft_product(open64(a), open64(b));
	return close64(soft_sum(product, soft_widen(open64(c)), round), round);
}

u64 f64_add(u64 a, u64 b, enum round round)
{
	if (f64_is_nan(a) || f64_is_nan(b))
		return f64_nan_of(b, a, a);
	return f64_fma(a, F64_ONE, b, round);
}

u64 f64_sub(u64 a, u64 b, enum round round)
{
	if (f64_is_nan(a) || f64_is_nan(b))
		return f64_nan_of(b, a, a);
	return f64_fma(a, F64_ONE, b ^ F64_SIGN, round);
}

u64 f64_mul(u64 a, u64 b, enum round round)
{
	if (f64_is_nan(a) || f64_is_nan(b))
		return f64_nan_of(b, a, a);
	u64 sign = (a ^ b) & F64_SIGN;
	if (f64_is_inf(a) || f64_is_inf(b))
		return f64_is_zero(a) || f64_is_zero(b) ? F64_NAN : sign | F64_INF;
	return close64(soft_narrow(soft_product(open64(a), open64(b))), round);
}

u64 f64_div(u64 a, u64 b, enum round round)
{
	if (f64_is_nan(a) || f64_is_nan(b))
		return f64_nan_of(a, b, b);
	u64 sign = (a ^ b) & F64_SIGN;
	if (f64_is_inf(a))
		return f64_is_inf(b) ? F64_NAN : sign | F64_INF;
	if (f64_is_inf(b))
		return sign;
	if (f64_is_zero(b))
		return f64_is_zero(a) ? F64_NAN : sign | F64_INF;
	return close64(soft_quotient(open64(a), open64(b)), round);
}

u64 f64_rcp(u64 a, enum round round) { return f64_div(F64_ONE, a, round); }

u64 f64_sqrt(u64 a, enum round round)
{
	if (f64_is_nan(a))
		return a | F64_QUIET;
	if (f64_is_zero(a) || a == F64_INF)
		return a;
	if (a > F64_SIGN)
		return F64_NAN;
	return close64(soft_square_root(open64(a)), round);
}

u32 f32_round_integral(u32 a, enum round round, bool ftz)
{
	a = f32_flush_if(a, ftz);
	if (f32_is_nan(a))
		return F32_NAN;
	u64 value;
	if (f32_is_inf(a) || !soft_to_integer(open32(a), round, &value))
		return a;
	return close32(soft_from_u64(value, a >> 31), round, ftz);
}

u64 f64_round_integral(u64 a, enum round round)
{
	u64 value;
	if (f64_is_nan(a))
		return a | F64_QUIET;
	if (f64_is_inf(a) || !soft_to_integer(open64(a), round, &value))
		return a;
	return close64(soft_from_u64(value, a >> 63), round);
}

/* The answer to testp from the exponent field (min, inside, max) and whether the rest is zero. */
static bool testp_holds(enum testp property, bool low, bool high, bool rest_zero)
{
	switch (property) {
	case TESTP_FINITE:
		return !high;
	case TESTP_INFINITE:
		return high && rest_zero;
	case TESTP_NUMBER:
		return !high || rest_zero;
	case TESTP_NOTANUMBER:
		return high && !rest_zero;
	case TESTP_NORMAL:
		return !high && (!low || rest_zero);
	case TESTP_SUBNORMAL:
		return low && !rest_zero;
	}
	return false;
}

bool f32_testp(u32 a, enum testp property)
{
	u32 field = a & F32_INF;
	return testp_holds(property, field == 0, field == F32_INF, !(a & 0x007fffff));
}

bool f64_testp(u64 a, enum testp property)
{
	u64 field = a & F64_INF;
	return testp_holds(property, field == 0, field == F64_INF, !(a & 0x000fffffffffffffull));
}
