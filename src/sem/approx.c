/* SPDX-License-Identifier: Apache-2.0
 *
 * The approximate functions (PTX ISA 9.7.3 and 9.7.4: .approx and .full): what the special-function
 * unit computes, bit for bit, by number/mufu.h. What is the unit's alone does not depend on the
 * host's mode; the forms that scale around it, and the divisions, run under the instruction's.
 */
#define LANES_LARGE
#include "number/mufu.h"
#include "sem/approx_vectors.h"
#include "sem/floats.h"

/* --- A warp's values of the unit --- */

/* A warp's coefficients. */
struct segments {
	u32 number[WARP_LANES];
	s32 c[3][WARP_LANES];
} __attribute__((aligned(64)));

/* By permutations, where the host has them, which costs a third of what the compiler makes of the plain loop: a load and an insertion
 * for each lane. */
ALWAYS_INLINE void look_up_row(s32 c[WARP_LANES], const s32 *column, u32 count, const u32 number[WARP_LANES])
{
#if defined __AVX512F__
	for (u32 l = 0; l < WARP_LANES; l += UNIT_LANES)
		unit_store(c + l, look_up_column(column, count, unit_load(number + l)));
#else
	(void)count;
	EACH_LANE
		c[l] = column[number[l]];
#endif
}
#define LOOK_UP(s, TABLE)           \
	for (u32 k = 0; k < 3; k++) \
	look_up_row((s)->c[k], mufu_table_##TABLE[k], COUNT_OF(mufu_table_##TABLE[0]), (s)->number)
#define SEGMENT_OF(s, l) ((struct mufu_segment){(s)->c[0][l], (s)->c[1][l], (s)->c[2][l]})

/* NAME_unit(): the unit's values of a row of operands. */
#define UNIT(NAME, TABLE)                                                                    \
	ALWAYS_INLINE void NAME##_unit(u32 value[WARP_LANES], const u32 operand[WARP_LANES]) \
	{                                                                                    \
		struct segments s;                                                           \
		EACH_LANE                                                                    \
			s.number[l] = mufu_##NAME##_segment(operand[l]);                     \
		LOOK_UP(&s, TABLE);                                                          \
		EACH_LANE                                                                    \
			value[l] = mufu_##NAME##_in(operand[l], SEGMENT_OF(&s, l));          \
	}
/* NAME_significands(): of the units whose value is a significand and what becomes of it. */
#if defined HAS_UNIT_VECTORS
#define FIND_SIGNIFICANDS(r, NAME)                         \
	const struct unit_table table_ = UNIT_TABLE(NAME); \
	find_significands(&r, &mufu_##NAME##_plan, &table_)
#else
#define FIND_SIGNIFICANDS(r, NAME)                                                                     \
	struct segments s;                                                                             \
	EACH_LANE                                                                                      \
		s.number[l] = r.number[l];                                                             \
	LOOK_UP(&s, NAME);                                                                             \
	EACH_LANE {                                                                                    \
		const struct mufu_segment c = SEGMENT_OF(&s, l);                                       \
		r.significand[l] = mufu_significand(&mufu_##NAME##_plan, c, r.first[l], r.squared[l]); \
	}
#endif
#define UNIT_ROWS(r, NAME)                                        \
	EACH_LANE {                                               \
		r.number[l] = mufu_##NAME##_segment(operand[l]);  \
		r.first[l] = mufu_##NAME##_first(operand[l]);     \
		r.squared[l] = mufu_##NAME##_squared(operand[l]); \
	}
#define UNIT_OF_SIGNIFICAND(NAME)                                                                          \
	ALWAYS_INLINE void NAME##_significands(u32 significand[WARP_LANES], const u32 operand[WARP_LANES]) \
	{                                                                                                  \
		struct unit_rows r;                                                                        \
		UNIT_ROWS(r, NAME)                                                                         \
		FIND_SIGNIFICANDS(r, NAME);                                                                \
		EACH_LANE                                                                                  \
			significand[l] = r.significand[l];                                                 \
	}                                                                                                  \
	ARE_USUAL(NAME)
/* NAME_are_usual(): whether all of a warp's operands are usual ones, which go a short way. */
#define ARE_USUAL(NAME)                                                      \
	ALWAYS_INLINE bool NAME##_are_usual(const u32 operand[WARP_LANES])   \
	{                                                                    \
		u32 far = 0;                                                 \
		EACH_LANE                                                    \
			far = max_u32(far, mufu_##NAME##_above(operand[l])); \
		return far < mufu_##NAME##_usual_span;                       \
	}
UNIT_OF_SIGNIFICAND(rcp)
UNIT_OF_SIGNIFICAND(rsqrt)
UNIT_OF_SIGNIFICAND(sqrt)
UNIT_OF_SIGNIFICAND(ex2)
UNIT(lg2, lg2)
UNIT(sin, sin)
UNIT(cos, sin)

/* --- From the unit's values to instructions --- */

#define EACH_OPERAND1(v, OPERAND) \
	EACH_LANE {               \
		LANES1(b32);      \
		v[l] = (OPERAND); \
	}
#define EACH_RESULT1(RESULT, Y)       \
	EACH_LANE {                   \
		LANES1(b32), y = (Y); \
		d[l] = (RESULT);      \
	}
#define EACH_RESULT2(RESULT)      \
	EACH_LANE {               \
		LANES2(b32, b32); \
		d[l] = (RESULT);  \
	}

/* NAME_values() for handlers: OPERAND is what the unit OF gets of a lane's sources, RESULT what becomes of its y. */
#define UNIT1(NAME, OF, OPERAND, RESULT)                                                  \
	ALWAYS_INLINE void NAME##_values(const struct insn *i, const u8 *rows, void *row) \
	{                                                                                 \
		u32 v[WARP_LANES] __attribute__((aligned(64))), *const d = row;           \
		ROWS1(b32);                                                               \
		EACH_OPERAND1(v, OPERAND)                                                 \
		OF##_unit(v, v);                                                          \
		EACH_RESULT1(RESULT, v[l])                                                \
	}

/* The same truth, but of two branches on one the compiler makes two copies of what lies between. */
ALWAYS_INLINE bool untraced(bool truth)
{
	asm("" : "+r"(truth));
	return truth;
}
/* NAME_usually(): the operands and significands of a unit that has these; whether all operands are usual ones. */
#define USUALLY_OPERANDS(NAME, OF, OPERAND)                                                                           \
	ALWAYS_INLINE bool NAME##_usually(const struct insn *i, const u8 *rows, u32 v[WARP_LANES], u32 s[WARP_LANES]) \
	{                                                                                                             \
		ROWS1(b32);                                                                                           \
		EACH_OPERAND1(v, a)                                                                                   \
		const bool usual = OF##_are_usual(v);                                                                 \
		if (!LIKELY(usual))                                                                                   \
			EACH_OPERAND1(v, OPERAND)                                                                     \
		OF##_significands(s, v);                                                                              \
		return untraced(usual);                                                                               \
	}
#define USUAL_RESULTS(OF) \
	EACH_LANE         \
	d[l] = mufu_##OF##_usual(v[l], s[l])
/* UNIT1 for these. Native code calls their handlers, which are as fast as code in line and need no compiling. */
#define USUALLY1(NAME, OF, OPERAND, RESULT)                                                    \
	USUALLY_OPERANDS(NAME, OF, OPERAND)                                                    \
	ALWAYS_INLINE void NAME##_values(const struct insn *i, const u8 *rows, void *row)      \
	{                                                                                      \
		u32 v[WARP_LANES] __attribute__((aligned(64))), s[WARP_LANES], *const d = row; \
		ROWS1(b32);                                                                    \
		if (LIKELY(NAME##_usually(i, rows, v, s)))                                     \
			USUAL_RESULTS(OF);                                                     \
		else                                                                           \
			EACH_RESULT1(RESULT, mufu_##OF##_of(v[l], s[l]))                       \
	}

ALWAYS_INLINE void reciprocals(u32 d[WARP_LANES], const u32 v[WARP_LANES])
{
	u32 s[WARP_LANES] __attribute__((aligned(64)));

	rcp_significands(s, v);
	if (LIKELY(rcp_are_usual(v)))
		USUAL_RESULTS(rcp);
	else
		EACH_LANE
			d[l] = mufu_rcp_of(v[l], s[l]);
}
#define DIVISION(NAME, FULL, FTZ)                                                         \
	ALWAYS_INLINE void NAME##_values(const struct insn *i, const u8 *rows, void *row) \
	{                                                                                 \
		u32 y[WARP_LANES] __attribute__((aligned(64))), *const d = row;           \
		ROWS2(b32, b32);                                                          \
		EACH_LANE                                                                 \
			y[l] = mufu_divisor(pb[l], FULL, FTZ);                            \
		reciprocals(y, y);                                                        \
		EACH_RESULT2(mufu_quotient(a, b, y[l], FULL, FTZ))                        \
	}                                                                                 \
	FLANE_HANDLERS(NAME, b32)

/* f32 functions with and without .ftz. */
#define APPROX32(NAME, WAY)                                                                          \
	WAY(NAME##_approx_f32, NAME, mufu_##NAME##_operand(a), mufu_##NAME##_result(a, y))           \
	FLANE_HANDLERS(NAME##_approx_f32, b32);                                                      \
	WAY(NAME##_approx_ftz_f32, NAME, a, ((void)a, y)) LANE_HANDLERS(NAME##_approx_ftz_f32, b32); \
	PICK2(NAME##_approx_f32, flushes(f), NAME##_approx_ftz_f32)
/* Those that do the same in both forms. */
#define APPROX_CIRCULAR(NAME)                                             \
	UNIT1(NAME##_approx_f32, NAME, mufu_revolutions(a), ((void)a, y)) \
	LANE_HANDLERS(NAME##_approx_f32, b32);                            \
	PICK1(NAME##_approx_f32)
#define APPROX_SAME(W, NAME)                              \
	LANE1(NAME##_f##W, b##W, b##W, f##W##_##NAME(a)); \
	PICK1(NAME##_f##W)

APPROX32(rcp, USUALLY1)
APPROX32(sqrt, USUALLY1)
APPROX32(rsqrt, USUALLY1)
APPROX32(lg2, UNIT1)
APPROX32(ex2, USUALLY1)
APPROX_CIRCULAR(sin)
APPROX_CIRCULAR(cos)
APPROX_SAME(32, tanh_approx)
APPROX_SAME(64, rcp_approx_ftz)
APPROX_SAME(64, rsqrt_approx_ftz)
FLANE1(rsqrt_approx_f64, b64, b64, f64_rsqrt_approx(a));
PICK1(rsqrt_approx_f64)

DIVISION(div_approx, false, false);
DIVISION(div_approx_ftz, false, true);
DIVISION(div_full, true, false);
DIVISION(div_full_ftz, true, true);
PICK2(div_approx, flushes(f), div_approx_ftz)
PICK2(div_full, flushes(f), div_full_ftz)

/* c + a / b where the division's last multiplication is fused with the sum (ptxas/contract.c); imm: enum quotient. */
static inline f32 add_quotient(const struct insn *i, u32 a, u32 b, f32 c)
{
	const u32 bits = (u32)i->imm;
	const struct mufu_factors f = mufu_scale_division(a, b, bits & QUOTIENT_FULL, i->fp & FP_FTZ);
	const f32 sum = fma32(i, f.reciprocal, bits & QUOTIENT_MINUS ? -f.dividend : f.dividend,
			      bits & QUOTIENT_MINUS_ADDEND ? -c : c);

	return bits & QUOTIENT_SATURATES ? saturate32(sum) : one_nan(sum);
}
FLANE3(quotient_sum, f32, b32, b32, f32, add_quotient(i, a, b, c));
PICK1(quotient_sum)

/* 16-bit functions, alone and in pairs. */
#define APPROX16(NAME, T, X2)                                                                                          \
	LANE1(NAME##_##T, b16, b16, T##_##NAME##_approx(a));                                                           \
	LANE1(NAME##_##T##x2, b32, b32, T##_##NAME##_approx((u16)a) | (u32)T##_##NAME##_approx((u16)(a >> 16)) << 16); \
	PICK2(NAME##_##T, form_type(f, 0) == X2, NAME##_##T##x2)
APPROX16(ex2, f16, T_f16x2)
APPROX16(ex2, bf16, T_bf16x2)
APPROX16(tanh, f16, T_f16x2)
APPROX16(tanh, bf16, T_bf16x2)

/* --- rows ------------------------------------------------------------------------------------- */

static const struct isa_row rows_approx[] = {
	ROW("div.approx[.ftz].f32", "=0 0 0", 14, 10, 0, pick_div_approx, "a times the approximate reciprocal of b."),
	ROW_UNTIL(13, "div[.ftz].f32", "=0 0 0", 10, 10, 0, pick_div_approx, "The same as div.approx."),
	ROW_UNTIL(13, "rcp[.ftz].f32", "=0 0", 10, 10, 0, pick_rcp_approx_f32, "The same as rcp.approx."),
	ROW_UNTIL(13, "sqrt[.ftz].f32", "=0 0", 10, 10, 0, pick_sqrt_approx_f32, "The same as sqrt.approx."),
	ROW_UNTIL(13, "rsqrt[.ftz].f32", "=0 0", 10, 10, 0, pick_rsqrt_approx_f32, "The same as rsqrt.approx."),
	ROW_UNTIL(13, "rsqrt.f64", "=0 0", 10, 13, 0, pick_rsqrt_approx_f64, "The same as rsqrt.approx."),
	ROW_UNTIL(13, "sin[.ftz].f32", "=0 0", 10, 10, 0, pick_sin_approx_f32, "The same as sin.approx."),
	ROW_UNTIL(13, "cos[.ftz].f32", "=0 0", 10, 10, 0, pick_cos_approx_f32, "The same as cos.approx."),
	ROW_UNTIL(13, "lg2[.ftz].f32", "=0 0", 10, 10, 0, pick_lg2_approx_f32, "The same as lg2.approx."),
	ROW_UNTIL(13, "ex2[.ftz].f32", "=0 0", 10, 10, 0, pick_ex2_approx_f32, "The same as ex2.approx."),
	ROW("%quotient_sum.rn[.ftz].f32", "=0 0 0 0", 10, 10, 0, pick_quotient_sum,
	    "c + a * (1 / b), rounded once: a contracted add after an approximate division."),
	ROW("div.full[.ftz].f32", "=0 0 0", 14, 10, 0, pick_div_full, "The same over the whole range."),
	ROW("rcp.approx[.ftz].f32", "=0 0", 14, 10, 0, pick_rcp_approx_f32, "Approximate reciprocal."),
	ROW("rcp.approx.ftz.f64", "=0 0", 21, 20, 0, pick_rcp_approx_ftz_f64, "Gross approximate reciprocal."),
	ROW("sqrt.approx[.ftz].f32", "=0 0", 14, 10, 0, pick_sqrt_approx_f32, "Approximate square root."),
	ROW("rsqrt.approx[.ftz].f32", "=0 0", 14, 10, 0, pick_rsqrt_approx_f32, "Approximate 1 / sqrt(a)."),
	ROW("rsqrt.approx.f64", "=0 0", 14, 13, 0, pick_rsqrt_approx_f64, "Approximate 1 / sqrt(a)."),
	ROW("rsqrt.approx.ftz.f64", "=0 0", 40, 20, 0, pick_rsqrt_approx_ftz_f64, "Gross approximate 1 / sqrt(a)."),
	ROW("sin.approx[.ftz].f32", "=0 0", 14, 10, 0, pick_sin_approx_f32, "Approximate sine."),
	ROW("cos.approx[.ftz].f32", "=0 0", 14, 10, 0, pick_cos_approx_f32, "Approximate cosine."),
	ROW("lg2.approx[.ftz].f32", "=0 0", 14, 10, 0, pick_lg2_approx_f32, "Approximate base-2 logarithm."),
	ROW("ex2.approx[.ftz].f32", "=0 0", 14, 10, 0, pick_ex2_approx_f32, "Approximate power of two."),
	ROW("tanh.approx.f32", "=0 0", 70, 75, 0, pick_tanh_approx_f32, "Approximate hyperbolic tangent."),
	ROW("ex2.approx(.f16|.f16x2)", "=0 0", 70, 75, 0, pick_ex2_f16, "Approximate power of two."),
	ROW("ex2.approx.ftz(.bf16|.bf16x2)", "=0 0", 78, 90, 0, pick_ex2_bf16, "Approximate power of two."),
	ROW("tanh.approx(.f16|.f16x2)", "=0 0", 70, 75, 0, pick_tanh_f16, "Approximate hyperbolic tangent."),
	ROW("tanh.approx(.bf16|.bf16x2)", "=0 0", 78, 90, 0, pick_tanh_bf16, "Approximate hyperbolic tangent."),
};
FAMILY(family_approx, "Approximate functions", CLASS_BY_TYPE, rows_approx);
