/* SPDX-License-Identifier: Apache-2.0
 *
 * Integer arithmetic (PTX ISA 9.7.1): rows and meanings. Results wrap around unless .sat says
 * otherwise; division by zero gives all ones, as recorded. Bit counts and fields are in bits.c.
 */
#include "number/integer.h"
#include "isa/expanded.h"
#include "isa/linear.h"
#include "sem/pick.h"

/* --- add, sub: .sat clamps to the range of s32. --- */

WIDTHS2(add, a + b)
WIDTHS2(sub, a - b)
ONE2(add_sat_s32, s32, int_clamp_s32((s64)a + b))
ONE2(sub_sat_s32, s32, int_clamp_s32((s64)a - b))
ONE2(add_pair, u32, int_add_x2(a, b))

/* --- mul, mad: half of the double-width product, or all of it (.wide). --- */

WIDTHS2(mul_lo, INT_UNSIGNED(a) * INT_UNSIGNED(b))
SIGNS2(mul_hi, int_mul_hi(a, b))
/* clang-format off */
LANE2(mul_wide_u16, u32, u16, u16, (u32)a * b);
LANE2(mul_wide_s16, s32, s16, s16, (s32)a * b);
LANE2(mul_wide_u32, u64, u32, u32, (u64)a * b);
LANE2(mul_wide_s32, s64, s32, s32, (s64)a * b);
/* clang-format on */
PICK_SIGNS_16_32(mul_wide)

WIDTHS3(mad_lo, INT_UNSIGNED(a) * INT_UNSIGNED(b) + c)
SIGNS3(mad_hi, int_mul_hi(a, b) + c)
/* clang-format off */
LANE3(mad_wide_u16, u32, u16, u16, u32, (u32)a * b + c);
LANE3(mad_wide_s16, u32, s16, s16, u32, (u32)((s32)a * b) + c);
LANE3(mad_wide_u32, u64, u32, u32, u64, (u64)a * b + c);
LANE3(mad_wide_s32, u64, s32, s32, u64, (u64)((s64)a * b) + c);
/* clang-format on */
PICK_SIGNS_16_32(mad_wide)
ONE3(mad_hi_sat_s32, s32, int_clamp_s32(((s64)a * b >> 32) + c))

/* --- mul24, mad24: 24-bit factors, the 48-bit product's bits 31..0 or 47..16. --- */

LANE2(mul24_lo_u32, u32, u32, u32, int_low24_u32(a) * int_low24_u32(b));
LANE2(mul24_lo_s32, u32, u32, u32, (u32)int_low24_s32(a) * (u32)int_low24_s32(b));
LANE2(mul24_hi_u32, u32, u32, u32, ((u64)int_low24_u32(a) * int_low24_u32(b)) >> 16);
LANE2(mul24_hi_s32, u32, u32, u32, ((s64)int_low24_s32(a) * int_low24_s32(b)) >> 16);
LANE3(mad24_lo_u32, u32, u32, u32, u32, int_low24_u32(a) * int_low24_u32(b) + c);
LANE3(mad24_lo_s32, u32, u32, u32, u32, (u32)int_low24_s32(a) * (u32)int_low24_s32(b) + c);
LANE3(mad24_hi_u32, u32, u32, u32, u32, (u32)((u64)int_low24_u32(a) * int_low24_u32(b) >> 16) + c);
LANE3(mad24_hi_s32, u32, u32, u32, u32, (u32)((s64)int_low24_s32(a) * int_low24_s32(b) >> 16) + c);
LANE3(mad24_hi_sat_s32, s32, u32, u32, s32, int_clamp_s32(((s64)int_low24_s32(a) * int_low24_s32(b) >> 16) + c));
PICK_SIGNS_32(mul24_lo)
PICK_SIGNS_32(mul24_hi)
PICK_SIGNS_32(mad24_lo)
PICK_SIGNS_32(mad24_hi)
PICK_ONE(mad24_hi_sat_s32)

/* --- sad: c + |a - b|, modulo the width. --- */

SIGNS3(sad, c + (a > b ? INT_UNSIGNED(a) - INT_UNSIGNED(b) : INT_UNSIGNED(b) - INT_UNSIGNED(a)))

/* --- div, rem --- */

SIGNS2(div, int_div(a, b))
SIGNS2(rem, int_rem(a, b))

/* --- abs, neg: the least number is its own. min, max: .relu makes negative results 0. --- */

SIGNED1(abs, a < 0 ? 0 - INT_UNSIGNED(a) : INT_UNSIGNED(a))
SIGNED1(neg, 0 - INT_UNSIGNED(a))

SIGNS2(minimum, a < b ? a : b)
SIGNS2(maximum, a > b ? a : b)
LANE2(minimum_u16x2, u32, u32, u32, int_min_u16x2(a, b));
LANE2(minimum_s16x2, u32, u32, u32, int_min_s16x2(a, b));
LANE2(maximum_u16x2, u32, u32, u32, int_max_u16x2(a, b));
LANE2(maximum_s16x2, u32, u32, u32, int_max_s16x2(a, b));
LANE2(minimum_relu_s32, s32, s32, s32, int_max_s32(int_min_s32(a, b), 0));
LANE2(maximum_relu_s32, s32, s32, s32, int_max_s32(int_max_s32(a, b), 0));
LANE2(minimum_relu_s16x2, u32, u32, u32, int_max_s16x2(int_min_s16x2(a, b), 0));
LANE2(maximum_relu_s16x2, u32, u32, u32, int_max_s16x2(int_max_s16x2(a, b), 0));
PICK_(minimum_pair, TYPED(minimum, u16x2) TYPED(minimum, s16x2))
PICK_(maximum_pair, TYPED(maximum, u16x2) TYPED(maximum, s16x2))
PICK_(minimum_relu, TYPED(minimum_relu, s32) TYPED(minimum_relu, s16x2))
PICK_(maximum_relu, TYPED(maximum_relu, s32) TYPED(maximum_relu, s16x2))

/* --- dp4a, dp2a: sums of products of bytes; a's and b's types apart. --- */

#define DOTS(NAME, SUM)                                                \
	LANE3(NAME##_uu, u32, u32, u32, u32, SUM(false, false));       \
	LANE3(NAME##_us, u32, u32, u32, u32, SUM(false, true));        \
	LANE3(NAME##_su, u32, u32, u32, u32, SUM(true, false));        \
	LANE3(NAME##_ss, u32, u32, u32, u32, SUM(true, true));         \
	static const struct meaning *pick_##NAME(const struct form *f) \
	{                                                              \
		const bool b_signed = form_type(f, 1) == T_s32;        \
		if (form_type(f, 0) == T_s32)                          \
			return b_signed ? &NAME##_ss : &NAME##_su;     \
		return b_signed ? &NAME##_us : &NAME##_uu;             \
	}
#define DP4A(a_signed, b_signed)    int_dot4(a, b, c, a_signed, b_signed)
#define DP2A_LO(a_signed, b_signed) int_dot2(a, b, c, a_signed, b_signed, false)
#define DP2A_HI(a_signed, b_signed) int_dot2(a, b, c, a_signed, b_signed, true)
DOTS(dp4a, DP4A)
DOTS(dp2a_lo, DP2A_LO)
DOTS(dp2a_hi, DP2A_HI)

static const struct isa_row rows_integer[] = {
	ROW("add" TYPES_SIGNS, "=0 0 0", 10, 10, WITH(TRAIT_LINEAR), pick_add, "Adds."),
	ROW("add.sat.s32", "=0 0 0", 10, 10, 0, pick_add_sat_s32, "Adds, clamped to the range of s32."),
	ROW("add" TYPES_SIGNS_X2, "=0 0 0", 80, 90, 0, pick_add_pair, "Adds two pairs of 16-bit numbers."),
	ROW("sub" TYPES_SIGNS, "=0 0 0", 10, 10, WITH(TRAIT_LINEAR), pick_sub, "Subtracts b from a."),
	ROW("sub.sat.s32", "=0 0 0", 10, 10, 0, pick_sub_sat_s32, "Subtracts, clamped to the range of s32."),
	ROW("mul.lo" TYPES_SIGNS, "=0 0 0", 10, 10, WITH(TRAIT_LINEAR), pick_mul_lo, "The product's lower half."),
	ROW("mul.hi" TYPES_SIGNS, "=0 0 0", 10, 10, 0, pick_mul_hi, "The product's upper half."),
	ROW("mul.wide" TYPES_SIGNS_16_32, "=w0 0 0", 10, 10, WITH(TRAIT_LINEAR), pick_mul_wide,
	    "The whole product, twice as wide."),
	ROW("mad.lo" TYPES_SIGNS, "=0 0 0 0", 10, 10, WITH(TRAIT_LINEAR), pick_mad_lo,
	    "The product's lower half plus c."),
	ROW("mad.hi" TYPES_SIGNS, "=0 0 0 0", 10, 10, 0, pick_mad_hi, "The product's upper half plus c."),
	ROW("mad.hi.sat.s32", "=0 0 0 0", 10, 10, 0, pick_mad_hi_sat_s32,
	    "The product's upper half plus c, clamped to the range of s32."),
	ROW("mad.wide" TYPES_SIGNS_16_32, "=w0 0 0 w0", 10, 10, WITH(TRAIT_LINEAR), pick_mad_wide,
	    "The whole product plus c."),
	ROW("mul24.lo" TYPES_SIGNS_32, "=0 0 0", 10, 10, 0, pick_mul24_lo, "Bits 31 to 0 of a 24 by 24 bit product."),
	ROW("mul24.hi" TYPES_SIGNS_32, "=0 0 0", 10, 10, 0, pick_mul24_hi, "Bits 47 to 16 of a 24 by 24 bit product."),
	ROW("mad24.lo" TYPES_SIGNS_32, "=0 0 0 0", 10, 10, 0, pick_mad24_lo, "mul24.lo plus c."),
	ROW("mad24.hi" TYPES_SIGNS_32, "=0 0 0 0", 10, 10, 0, pick_mad24_hi, "mul24.hi plus c."),
	ROW("mad24.hi.sat.s32", "=0 0 0 0", 10, 10, 0, pick_mad24_hi_sat_s32,
	    "mul24.hi plus c, clamped to the range of s32."),
	ROW("sad" TYPES_SIGNS, "=0 0 0 0", 10, 10, 0, pick_sad, "c plus the difference of a and b without sign."),
	ROW("div" TYPES_SIGNS, "=0 0 0", 10, 10, 0, pick_div, "Divides, cut toward zero; all ones for b = 0."),
	ROW("rem" TYPES_SIGNS, "=0 0 0", 10, 10, WITH(TRAIT_EXPANDED), pick_rem,
	    "The remainder of div; all ones for b = 0."),
	ROW("abs" TYPES_SIGNED, "=0 0", 10, 10, 0, pick_abs, "The number without its sign."),
	ROW("neg" TYPES_SIGNED, "=0 0", 10, 10, WITH(TRAIT_LINEAR), pick_neg, "The negative."),
	ROW("min" TYPES_SIGNS, "=0 0 0", 10, 10, 0, pick_minimum, "The lesser."),
	ROW("min" TYPES_SIGNS_X2, "=0 0 0", 80, 90, 0, pick_minimum_pair, "The lesser, of each half."),
	ROW("min.relu(.s32|.s16x2)", "=0 0 0", 80, 90, 0, pick_minimum_relu, "The lesser, or 0 if that is negative."),
	ROW("max" TYPES_SIGNS, "=0 0 0", 10, 10, 0, pick_maximum, "The greater."),
	ROW("max" TYPES_SIGNS_X2, "=0 0 0", 80, 90, 0, pick_maximum_pair, "The greater, of each half."),
	ROW("max.relu(.s32|.s16x2)", "=0 0 0", 80, 90, 0, pick_maximum_relu, "The greater, or 0 if that is negative."),
	ROW("dp4a(.u32|.s32)(.u32|.s32)", "=u32 0 1 u32", 50, 61, 0, pick_dp4a,
	    "c plus the sum of four products of bytes."),
	ROW("dp2a.lo(.u32|.s32)(.u32|.s32)", "=u32 0 1 u32", 50, 61, 0, pick_dp2a_lo,
	    "c plus a's halves times b's lower bytes."),
	ROW("dp2a.hi(.u32|.s32)(.u32|.s32)", "=u32 0 1 u32", 50, 61, 0, pick_dp2a_hi,
	    "c plus a's halves times b's upper bytes."),
};
FAMILY(family_integer, "Integer arithmetic", CLASS_BY_TYPE, rows_integer);
