/* SPDX-License-Identifier: Apache-2.0
 *
 * The approximate functions (PTX ISA 9.7.3 and 9.7.4: .approx and .full): what the special-function
 * unit computes, bit for bit, by number/mufu.h. What is the unit's alone does not depend on the
 * host's mode; the forms that scale around it, and the divisions, run under the instruction's.
 */
#define LANES_LARGE
#include "number/mufu.h"
#include "sem/floats.h"

/* f32 functions with and without .ftz. */
#define APPROX32(NAME)                                        \
	FLANE1(NAME##_f32, b32, b32, f32_##NAME(a, false));   \
	LANE1(NAME##_ftz_f32, b32, b32, f32_##NAME(a, true)); \
	PICK2(NAME##_f32, flushes(f), NAME##_ftz_f32)
/* Those that do the same in both forms, and the 64-bit ones. */
#define APPROX_SAME(W, NAME)                              \
	LANE1(NAME##_f##W, b##W, b##W, f##W##_##NAME(a)); \
	PICK1(NAME##_f##W)

APPROX32(rcp_approx)
APPROX32(sqrt_approx)
APPROX32(rsqrt_approx)
APPROX32(lg2_approx)
APPROX32(ex2_approx)
APPROX_SAME(32, sin_approx)
APPROX_SAME(32, cos_approx)
APPROX_SAME(32, tanh_approx)
APPROX_SAME(64, rcp_approx_ftz)
APPROX_SAME(64, rsqrt_approx_ftz)
FLANE1(rsqrt_approx_f64, b64, b64, f64_rsqrt_approx(a));
PICK1(rsqrt_approx_f64)

FLANE2(div_approx, b32, b32, b32, f32_div_approx(a, b, false));
FLANE2(div_approx_ftz, b32, b32, b32, f32_div_approx(a, b, true));
FLANE2(div_full, b32, b32, b32, f32_div_full(a, b, false));
FLANE2(div_full_ftz, b32, b32, b32, f32_div_full(a, b, true));
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
