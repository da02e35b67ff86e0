/* SPDX-License-Identifier: Apache-2.0
 *
 * Floating-point arithmetic (PTX ISA 9.7.3): rows and meanings for f32, f64, f32x2 and the mixed
 * forms. The approximate functions are in approx.c, 16-bit arithmetic in half.c.
 *
 * One meaning serves all roundings and .ftz, by the mode (insn.fp). NaN rules are
 * recorded on an H200: f32 has one NaN, 0x7fffffff; f64 keeps an operand's payload.
 */
#include "sem/floats.h"

/* --- add, sub, mul ---------------------------------------------------------------------------- */

FLANE2(add_f32, f32, f32, f32, one_nan(add32(i, a, b)));
FLANE2(sub_f32, f32, f32, f32, one_nan(sub32(i, a, b)));
FLANE2(mul_f32, f32, f32, f32, one_nan(mul32(i, a, b)));
FLANE2(add_sat_f32, f32, f32, f32, saturate32(add32(i, a, b)));
FLANE2(sub_sat_f32, f32, f32, f32, saturate32(sub32(i, a, b)));
FLANE2(mul_sat_f32, f32, f32, f32, saturate32(mul32(i, a, b)));
FLANE2(add_f64, f64, f64, f64, nan_of2(add64(i, a, b), b, a));
FLANE2(sub_f64, f64, f64, f64, nan_of2(sub64(i, a, b), b, a));
FLANE2(mul_f64, f64, f64, f64, nan_of2(mul64(i, a, b), b, a));
FLANE2(turned_sub_f64, f64, f64, f64, nan_of2(sub64(i, a, b), a, b));
PICK2(add_f32, form_has(f, M_sat), add_sat_f32)
PICK2(sub_f32, form_has(f, M_sat), sub_sat_f32)
PICK2(mul_f32, form_has(f, M_sat), mul_sat_f32)
/* FMUL.M2 to .D8 (recorded on an H200, over 393,216 products): a power of two scales the product before it is rounded.
 * In f64 the product of two f32 and such a number is exact. */
static inline f32 scaled_product(const struct insn *i, f32 a, f32 b, f32 c) { return f32_of_f64(i, (f64)a * b * c); }
FLANE3(mul_scaled_f32, f32, f32, f32, f32, one_nan(scaled_product(i, a, b, c)));
FLANE3(mul_scaled_sat_f32, f32, f32, f32, f32, saturate32(scaled_product(i, a, b, c)));
PICK2(mul_scaled_f32, form_has(f, M_sat), mul_scaled_sat_f32)
PICK1(add_f64)
PICK1(sub_f64)
PICK1(mul_f64)
PICK1(turned_sub_f64)

/* f32x2: two f32 in a 64-bit register, the first in the low half. */
static inline f32 low_of(u64 v) { return f32_of_bits((u32)v); }
static inline f32 high_of(u64 v) { return f32_of_bits((u32)(v >> 32)); }
static inline u64 pair_of(f32 low, f32 high)
{
	return bits_of_f32(one_nan(low)) | (u64)bits_of_f32(one_nan(high)) << 32;
}
FLANE2(add_f32x2, b64, b64, b64, pair_of(add32(i, low_of(a), low_of(b)), add32(i, high_of(a), high_of(b))));
FLANE2(sub_f32x2, b64, b64, b64, pair_of(sub32(i, low_of(a), low_of(b)), sub32(i, high_of(a), high_of(b))));
FLANE2(mul_f32x2, b64, b64, b64, pair_of(mul32(i, low_of(a), low_of(b)), mul32(i, high_of(a), high_of(b))));
PICK1(add_f32x2)
PICK1(sub_f32x2)
PICK1(mul_f32x2)

/* Mixed precision: the 16-bit operand is widened, which is exact, then one f32 operation rounds. */
static inline f32 wide_f16(b16 a) { return f32_of_bits(f32_from_f16(a)); }
static inline f32 wide_bf16(b16 a) { return f32_of_bits(f32_from_bf16(a)); }
FLANE2(add_f32_f16, f32, b16, f32, one_nan(add32(i, wide_f16(a), b)));
FLANE2(sub_f32_f16, f32, b16, f32, one_nan(sub32(i, wide_f16(a), b)));
FLANE2(add_f32_bf16, f32, b16, f32, one_nan(add32(i, wide_bf16(a), b)));
FLANE2(sub_f32_bf16, f32, b16, f32, one_nan(sub32(i, wide_bf16(a), b)));
FLANE2(add_sat_f32_f16, f32, b16, f32, saturate32(add32(i, wide_f16(a), b)));
FLANE2(sub_sat_f32_f16, f32, b16, f32, saturate32(sub32(i, wide_f16(a), b)));
FLANE2(add_sat_f32_bf16, f32, b16, f32, saturate32(add32(i, wide_bf16(a), b)));
FLANE2(sub_sat_f32_bf16, f32, b16, f32, saturate32(sub32(i, wide_bf16(a), b)));

#define PICK_MIXED(OP)                                                        \
	static const struct meaning *pick_##OP##_mixed(const struct form *f)  \
	{                                                                     \
		const bool bf16 = form_type(f, 1) == T_bf16;                  \
		if (form_has(f, M_sat))                                       \
			return bf16 ? &OP##_sat_f32_bf16 : &OP##_sat_f32_f16; \
		return bf16 ? &OP##_f32_bf16 : &OP##_f32_f16;                 \
	}
PICK_MIXED(add)
PICK_MIXED(sub)

/* --- fma, mad --------------------------------------------------------------------------------- */

FLANE3(fma_f32, f32, f32, f32, f32, one_nan(fma32(i, a, b, c)));
FLANE3(fma_sat_f32, f32, f32, f32, f32, saturate32(fma32(i, a, b, c)));
FLANE3(fma_f64, f64, f64, f64, f64, nan_of3(fma64(i, a, b, c), b, c, a));
/* What add and sub of a product contract to: a * b - c, and c - a * b. */
FLANE3(fms_f32, f32, f32, f32, f32, one_nan(fma32(i, a, b, -c)));
FLANE3(fms_sat_f32, f32, f32, f32, f32, saturate32(fma32(i, a, b, -c)));
FLANE3(fnm_f32, f32, f32, f32, f32, one_nan(fma32(i, -a, b, c)));
FLANE3(fnm_sat_f32, f32, f32, f32, f32, saturate32(fma32(i, -a, b, c)));
FLANE3(fnms_f32, f32, f32, f32, f32, one_nan(fma32(i, -a, b, -c)));
FLANE3(fnms_sat_f32, f32, f32, f32, f32, saturate32(fma32(i, -a, b, -c)));
FLANE3(fms_f64, f64, f64, f64, f64, nan_of3(fma64(i, a, b, -c), b, c, a));
FLANE3(fnm_f64, f64, f64, f64, f64, nan_of3(fma64(i, -a, b, c), b, c, a));
FLANE3(fnms_f64, f64, f64, f64, f64, nan_of3(fma64(i, -a, b, -c), b, c, a));
FLANE3(fma_f32x2, b64, b64, b64, b64,
       pair_of(fma32(i, low_of(a), low_of(b), low_of(c)), fma32(i, high_of(a), high_of(b), high_of(c))));
FLANE3(fma_f32_f16, f32, b16, b16, f32, one_nan(fma32(i, wide_f16(a), wide_f16(b), c)));
FLANE3(fma_f32_bf16, f32, b16, b16, f32, one_nan(fma32(i, wide_bf16(a), wide_bf16(b), c)));
FLANE3(fma_sat_f32_f16, f32, b16, b16, f32, saturate32(fma32(i, wide_f16(a), wide_f16(b), c)));
FLANE3(fma_sat_f32_bf16, f32, b16, b16, f32, saturate32(fma32(i, wide_bf16(a), wide_bf16(b), c)));
PICK2(fma_f32, form_has(f, M_sat), fma_sat_f32)
PICK2(fms_f32, form_has(f, M_sat), fms_sat_f32)
PICK2(fnm_f32, form_has(f, M_sat), fnm_sat_f32)
PICK2(fnms_f32, form_has(f, M_sat), fnms_sat_f32)
PICK1(fms_f64)
PICK1(fnm_f64)
PICK1(fnms_f64)
PICK1(fma_f64)
PICK1(fma_f32x2)
PICK_MIXED(fma)

/* mad.f32 of sm_1x: the product is cut to 24 bits, then the sum rounds to nearest. The product of
 * two f32 is exact in f64, so cutting is clearing its low 29 bits; the exponent has no end. */
static inline f32 mad_cut(const struct insn *i, f32 a, f32 b, f32 c)
{
	const f64 product = (f64)a * b;
	const f64 cut = f64_of_bits(bits_of_f64(product) & ~((1ull << 29) - 1));
	const f64 size = __builtin_fabs(cut);
	const bool fits = size >= 0x1p-126 && size < 0x1p128;
	const f32 sum = fits ? add32(i, (f32)cut, c) : f32_of_f64(i, cut + c);
	return product == product ? one_nan(sum) : f32_of_bits(F32_NAN);
}
FLANE3(mad_cut_f32, f32, f32, f32, f32, mad_cut(i, a, b, c));
FLANE3(mad_cut_sat_f32, f32, f32, f32, f32, saturate32(mad_cut(i, a, b, c)));
static const struct meaning *pick_mad_plain(const struct form *f)
{
	if (f->arch >= 20)
		return pick_fma_f32(f);
	return form_has(f, M_sat) ? &mad_cut_sat_f32 : &mad_cut_f32;
}

/* --- div, rcp, sqrt with IEEE rounding ------------------------------------------------------- */

FLANE2(div_f32, f32, f32, f32, one_nan(div32(i, a, b)));
FLANE2(div_f64, f64, f64, f64, nan_of2(div64(i, a, b), a, b));
FLANE1(rcp_f32, f32, f32, one_nan(div32(i, 1.0f, a)));
FLANE1(rcp_f64, f64, f64, nan_of1(div64(i, 1.0, a), a));
FLANE1(sqrt_f32, f32, f32, one_nan(sqrt32(i, a)));
FLANE1(sqrt_f64, f64, f64, nan_of1(sqrt64(i, a), a));
PICK1(div_f32)
PICK1(div_f64)
PICK1(rcp_f32)
PICK1(rcp_f64)
PICK1(sqrt_f32)
PICK1(sqrt_f64)

/* --- abs, neg, copysign, testp ---------------------------------------------------------------- */

LANE1(abs_f32, b32, b32, f32_abs(a, false));
LANE1(abs_ftz_f32, b32, b32, f32_abs(a, true));
LANE1(neg_f32, b32, b32, f32_neg(a, false));
LANE1(neg_ftz_f32, b32, b32, f32_neg(a, true));
LANE1(abs_f64, b64, b64, f64_abs(a));
LANE1(neg_f64, b64, b64, f64_neg(a));
LANE2(copysign_f32, b32, b32, b32, f32_copysign(a, b));
LANE2(copysign_f64, b64, b64, b64, f64_copysign(a, b));
PICK2(abs_f32, flushes(f), abs_ftz_f32)
PICK2(neg_f32, flushes(f), neg_ftz_f32)
PICK1(abs_f64)
PICK1(neg_f64)
PICK1(copysign_f32)
PICK1(copysign_f64)

/* Each property by the operand's magnitude. A zero counts as normal: recorded. */
#define MAGNITUDE_IS(T, W)                                                                                            \
	static inline b##W magnitude_##T(b##W a) { return a & ~F##W##_SIGN; }                                         \
	PLANE1_##W(testp_finite_##T, b##W, magnitude_##T(a) < F##W##_INF);                                            \
	PLANE1_##W(testp_infinite_##T, b##W, magnitude_##T(a) == F##W##_INF);                                         \
	PLANE1_##W(testp_number_##T, b##W, magnitude_##T(a) <= F##W##_INF);                                           \
	PLANE1_##W(testp_notanumber_##T, b##W, magnitude_##T(a) > F##W##_INF);                                        \
	PLANE1_##W(testp_normal_##T, b##W, magnitude_##T(a) < F##W##_INF && (!magnitude_##T(a) || (a & F##W##_INF))); \
	PLANE1_##W(testp_subnormal_##T, b##W, magnitude_##T(a) && !(a & F##W##_INF))
MAGNITUDE_IS(f32, 32);
MAGNITUDE_IS(f64, 64);

static const struct meaning *pick_testp(const struct form *f)
{
	static const struct meaning *const by_property[][2] = {
		{&testp_finite_f32, &testp_finite_f64}, {&testp_infinite_f32, &testp_infinite_f64},
		{&testp_number_f32, &testp_number_f64}, {&testp_notanumber_f32, &testp_notanumber_f64},
		{&testp_normal_f32, &testp_normal_f64}, {&testp_subnormal_f32, &testp_subnormal_f64},
	};
	return by_property[form_pick(f, M_finite, M_subnormal) - M_finite][form_type(f, 0) == T_f64];
}

/* --- min, max --------------------------------------------------------------------------------- */

/* X(op, suffix, .ftz, .NaN, .xorsign.abs of two or .abs of three): in the order of min_max_variant. */
#define MIN_MAX_VARIANTS(X, OP)       \
	X(OP, , false, false, false)  \
	X(OP, _x, false, false, true) \
	X(OP, _n, false, true, false) \
	X(OP, _nx, false, true, true) \
	X(OP, _f, true, false, false) \
	X(OP, _fx, true, false, true) \
	X(OP, _fn, true, true, false) \
	X(OP, _fnx, true, true, true)
static u32 min_max_variant(const struct form *f)
{
	return (flushes(f) ? 4u : 0u) + (form_has(f, M_NaN) ? 2u : 0u) + (form_has(f, M_abs) ? 1u : 0u);
}

#define OF_TWO(OP, V, FTZ, NAN_, XORSIGN) LANE2(OP##V##_f32, b32, b32, b32, f32_##OP(a, b, FTZ, NAN_, XORSIGN));
#define OF_THREE(OP, V, FTZ, NAN_, ABS)   LANE3(OP##3##V##_f32, b32, b32, b32, b32, f32_##OP##3(a, b, c, FTZ, NAN_, ABS));
#define TWO_ENTRY(OP, V, ...)             &OP##V##_f32,
#define THREE_ENTRY(OP, V, ...)           &OP##3##V##_f32,
#define PICK_MIN_MAX(NAME, ENTRIES)                                        \
	static const struct meaning *pick_##NAME(const struct form *f)     \
	{                                                                  \
		static const struct meaning *const variants[] = {ENTRIES}; \
		return variants[min_max_variant(f)];                       \
	}
#define MIN_MAX(OP)                                                \
	MIN_MAX_VARIANTS(OF_TWO, OP)                               \
	MIN_MAX_VARIANTS(OF_THREE, OP)                             \
	LANE2(OP##_f64, b64, b64, b64, f64_##OP(a, b));            \
	PICK_MIN_MAX(OP##_f32, MIN_MAX_VARIANTS(TWO_ENTRY, OP))    \
	PICK_MIN_MAX(OP##3_f32, MIN_MAX_VARIANTS(THREE_ENTRY, OP)) \
	PICK1(OP##_f64)
MIN_MAX(min)
MIN_MAX(max)

/* --- rows ------------------------------------------------------------------------------------- */

#define RND       "(.rn|.rz|.rm|.rp)"
#define ORND      "[.rn|.rz|.rm|.rp]"
#define EXCHANGED WITH(TRAIT_COMMUTES)

static const struct isa_row rows_float[] = {
	ROW("testp(.finite|.infinite|.number|.notanumber|.normal|.subnormal)(.f32|.f64)", "=pred 0", 20, 20, 0,
	    pick_testp, "Tests a property of a floating-point value."),
	ROW("copysign.f32", "=0 0 0", 20, 20, 0, pick_copysign_f32, "Copies the sign of a into b."),
	ROW("copysign.f64", "=0 0 0", 20, 20, 0, pick_copysign_f64, "Copies the sign of a into b."),
	ROW("add[.rn|.rz][.ftz][.sat].f32", "=0 0 0", 10, 10, 0, pick_add_f32, "Adds two values."),
	ROW("add(.rm|.rp)[.ftz][.sat].f32", "=0 0 0", 20, 20, 0, pick_add_f32, "Adds two values."),
	ROW("add" ORND ".f64", "=0 0 0", 10, 13, EXCHANGED, pick_add_f64, "Adds two values."),
	ROW("add" ORND "[.ftz].f32x2", "=0 0 0", 86, 100, ISA_UNVERIFIED, pick_add_f32x2, "Adds two pairs."),
	ROW("add" ORND "[.sat].f32(.f16|.bf16)", "=0 1 0", 86, 100, ISA_UNVERIFIED, pick_add_mixed,
	    "Adds a 16-bit value to an f32."),
	ROW("sub[.rn|.rz][.ftz][.sat].f32", "=0 0 0", 10, 10, 0, pick_sub_f32, "Subtracts b from a."),
	ROW("sub(.rm|.rp)[.ftz][.sat].f32", "=0 0 0", 20, 20, 0, pick_sub_f32, "Subtracts b from a."),
	ROW("sub" ORND ".f64", "=0 0 0", 10, 13, EXCHANGED, pick_sub_f64, "Subtracts b from a."),
	ROW("sub" ORND "[.ftz].f32x2", "=0 0 0", 86, 100, ISA_UNVERIFIED, pick_sub_f32x2, "Subtracts two pairs."),
	ROW("sub" ORND "[.sat].f32(.f16|.bf16)", "=0 1 0", 86, 100, ISA_UNVERIFIED, pick_sub_mixed,
	    "Subtracts an f32 from a 16-bit value."),
	ROW("mul[.rn|.rz][.ftz][.sat].f32", "=0 0 0", 10, 10, 0, pick_mul_f32, "Multiplies two values."),
	ROW("mul(.rm|.rp)[.ftz][.sat].f32", "=0 0 0", 20, 20, 0, pick_mul_f32, "Multiplies two values."),
	ROW("mul" ORND ".f64", "=0 0 0", 10, 13, EXCHANGED, pick_mul_f64, "Multiplies two values."),
	ROW("mul" ORND "[.ftz].f32x2", "=0 0 0", 86, 100, ISA_UNVERIFIED, pick_mul_f32x2, "Multiplies two pairs."),
	ROW("fma" RND "[.ftz][.sat].f32", "=0 0 0 0", 20, 20, 0, pick_fma_f32, "a * b + c, rounded once."),
	ROW("%sub" ORND ".f64", "=0 0 0", 10, 13, 0, pick_turned_sub_f64,
	    "A sub whose operands the assembler turned around."),
	ROW("%mul_scaled" RND "[.ftz][.sat].f32", "=0 0 0 0", 10, 10, 0, pick_mul_scaled_f32,
	    "a * b * c, rounded once; c is a power of two that the machine scales by."),
	ROW("%fms.rn[.ftz][.sat].f32", "=0 0 0 0", 10, 10, 0, pick_fms_f32,
	    "a * b - c, rounded once: a contracted sub."),
	ROW("%fnm.rn[.ftz][.sat].f32", "=0 0 0 0", 10, 10, 0, pick_fnm_f32,
	    "c - a * b, rounded once: a contracted sub."),
	ROW("%fnms.rn[.ftz][.sat].f32", "=0 0 0 0", 10, 10, 0, pick_fnms_f32,
	    "-(a * b) - c, rounded once: a contracted sub."),
	ROW("%fms.rn.f64", "=0 0 0 0", 10, 10, EXCHANGED, pick_fms_f64, "a * b - c, rounded once: a contracted sub."),
	ROW("%fnm.rn.f64", "=0 0 0 0", 10, 10, EXCHANGED, pick_fnm_f64, "c - a * b, rounded once: a contracted sub."),
	ROW("%fnms.rn.f64", "=0 0 0 0", 10, 10, EXCHANGED, pick_fnms_f64,
	    "-(a * b) - c, rounded once: a contracted sub."),
	ROW("fma" RND ".f64", "=0 0 0 0", 14, 13, EXCHANGED, pick_fma_f64, "a * b + c, rounded once."),
	ROW("fma" RND "[.ftz].f32x2", "=0 0 0 0", 86, 100, ISA_UNVERIFIED, pick_fma_f32x2,
	    "a * b + c of two pairs, rounded once."),
	ROW("fma" RND "[.sat].f32(.f16|.bf16)", "=0 1 1 0", 86, 100, ISA_UNVERIFIED, pick_fma_mixed,
	    "a * b + c with 16-bit factors, rounded once."),
	ROW("mad" RND "[.ftz][.sat].f32", "=0 0 0 0", 20, 20, 0, pick_fma_f32, "The same as fma."),
	ROW_UNTIL(31, "mad[.ftz][.sat].f32", "=0 0 0 0", 10, 10, ISA_UNVERIFIED, pick_mad_plain,
		  "a * b + c; on sm_1x the product is cut to 24 bits, later ones round once."),
	ROW_UNTIL(13, "mad.f64", "=0 0 0 0", 10, 13, EXCHANGED, pick_fma_f64, "The same as mad.rn."),
	ROW_UNTIL(13, "div.f64", "=0 0 0", 10, 13, 0, pick_div_f64, "The same as div.rn."),
	ROW_UNTIL(13, "rcp.f64", "=0 0", 10, 13, 0, pick_rcp_f64, "The same as rcp.rn."),
	ROW_UNTIL(13, "sqrt.f64", "=0 0", 10, 13, 0, pick_sqrt_f64, "The same as sqrt.rn."),
	ROW("mad(.rn|.rz).f64", "=0 0 0 0", 10, 13, EXCHANGED, pick_fma_f64, "The same as fma."),
	ROW("mad(.rm|.rp).f64", "=0 0 0 0", 14, 13, EXCHANGED, pick_fma_f64, "The same as fma."),
	ROW("div" RND "[.ftz].f32", "=0 0 0", 14, 20, 0, pick_div_f32, "Divides a by b."),
	ROW("div.rn.f64", "=0 0 0", 10, 13, 0, pick_div_f64, "Divides a by b."),
	ROW("div(.rz|.rm|.rp).f64", "=0 0 0", 14, 20, 0, pick_div_f64, "Divides a by b."),
	ROW("rcp" RND "[.ftz].f32", "=0 0", 14, 20, 0, pick_rcp_f32, "Reciprocal."),
	ROW("rcp.rn.f64", "=0 0", 14, 13, 0, pick_rcp_f64, "Reciprocal."),
	ROW("rcp(.rz|.rm|.rp).f64", "=0 0", 14, 20, 0, pick_rcp_f64, "Reciprocal."),
	ROW("rcp" RND ".ftz.f64", "=0 0", 14, 20, 0, pick_rcp_f64, "The same without .ftz. Beyond the manual."),
	ROW("sqrt" RND "[.ftz].f32", "=0 0", 14, 20, 0, pick_sqrt_f32, "Square root."),
	ROW("sqrt.rn.f64", "=0 0", 10, 13, 0, pick_sqrt_f64, "Square root."),
	ROW("sqrt(.rz|.rm|.rp).f64", "=0 0", 14, 20, 0, pick_sqrt_f64, "Square root."),
	ROW("abs[.ftz].f32", "=0 0", 10, 10, 0, pick_abs_f32, "Absolute value."),
	ROW("abs.f64", "=0 0", 10, 13, 0, pick_abs_f64, "Absolute value."),
	ROW("neg[.ftz].f32", "=0 0", 10, 10, 0, pick_neg_f32, "Changes the sign."),
	ROW("neg.f64", "=0 0", 10, 13, 0, pick_neg_f64, "Changes the sign."),
	ROW("min[.ftz].f32", "=0 0 0", 10, 10, 0, pick_min_f32, "The lesser; a number before a NaN."),
	ROW("min[.ftz].NaN.f32", "=0 0 0", 70, 80, 0, pick_min_f32, "The lesser, or NaN."),
	ROW("min[.ftz][.NaN].xorsign.abs.f32", "=0 0 0", 72, 86, 0, pick_min_f32,
	    "The lesser magnitude, with the exclusive or of the signs."),
	ROW("min[.ftz][.NaN][.abs].f32", "=0 0 0 0", 88, 100, ISA_UNVERIFIED, pick_min3_f32, "The least of three."),
	ROW("min.f64", "=0 0 0", 10, 13, EXCHANGED, pick_min_f64, "The lesser; a number before a NaN."),
	ROW("max[.ftz].f32", "=0 0 0", 10, 10, 0, pick_max_f32, "The greater; a number before a NaN."),
	ROW("max[.ftz].NaN.f32", "=0 0 0", 70, 80, 0, pick_max_f32, "The greater, or NaN."),
	ROW("max[.ftz][.NaN].xorsign.abs.f32", "=0 0 0", 72, 86, 0, pick_max_f32,
	    "The greater magnitude, with the exclusive or of the signs."),
	ROW("max[.ftz][.NaN][.abs].f32", "=0 0 0 0", 88, 100, ISA_UNVERIFIED, pick_max3_f32, "The greatest of three."),
	ROW("max.f64", "=0 0 0", 10, 13, EXCHANGED, pick_max_f64, "The greater; a number before a NaN."),
};
FAMILY(family_float, "Floating-point arithmetic", CLASS_BY_TYPE, rows_float);
