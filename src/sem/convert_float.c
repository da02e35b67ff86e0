/* SPDX-License-Identifier: Apache-2.0
 *
 * cvt from one floating-point type to another (PTX ISA 9.7.9: cvt): f16, bf16, f32, f64, tf32, the
 * packed pairs, and the 4- to 8-bit formats with stochastic rounding.
 *
 * Recorded on an H200: .ftz acts on the f32 side only, and not on the source of f16.f32; f64 keeps
 * a NaN's sign and the top of its payload, all others give one NaN of the destination.
 */
#include "number/small.h"
#include "sem/cvt.h"

#define BOTH(high, low) ((u32)(high) << 16 | (u32)(low))

/* --- the same type ---------------------------------------------------------------------------- */

/* Without rounding the bits stay, but for .ftz and .sat; halves pass an adder, which knows one NaN. */
LANE1(copy_f16, b16, b16, f16_is_nan(a) ? HALF_NAN : a);
LANE1(copy_bf16, b16, b16, bf16_is_nan(a) ? HALF_NAN : a);
LANE1(copy_32, b32, b32, a);
LANE1(copy_64, b64, b64, a);
LANE1(flush_f32, b32, b32, f32_flush(f32_canonical(a)));
LANE1(sat_f16, b16, b16, f16_saturate(a));
LANE1(sat_f32, b32, b32, f32_saturate(a));
LANE1(sat_ftz_f32, b32, b32, f32_saturate(f32_flush(a)));
LANE1(sat_f64, b64, b64, f64_saturate(a));
static const struct meaning *pick_same(const struct form *f)
{
	switch (form_type(f, 0)) {
	case T_f16:
		return form_has(f, M_sat) ? &sat_f16 : &copy_f16;
	case T_bf16:
		return &copy_bf16;
	case T_f64:
		return form_has(f, M_sat) ? &sat_f64 : &copy_64;
	default:
		if (form_has(f, M_sat))
			return flushes(f) ? &sat_ftz_f32 : &sat_f32;
		return flushes(f) ? &flush_f32 : &copy_32;
	}
}

/* To an integral value. Order of the tokens: .rni .rzi .rmi .rpi. */
#define INTEGRAL(NAME, FN, ROUND)                                                            \
	FLANE1(NAME##_f32, f32, f32, one_nan(FN##f(a)));                                     \
	FLANE1(NAME##_sat_f32, f32, f32, saturate32(FN##f(a)));                              \
	FLANE1(NAME##_f64, f64, f64, nan_of1(FN(a), a));                                     \
	FLANE1(NAME##_sat_f64, f64, f64, saturate64(FN(a)));                                 \
	CVT_RARE(NAME##_f16, u32, u16, u32, f16_round_integral(a, ROUND));                   \
	CVT_RARE(NAME##_sat_f16, u32, u16, u32, f16_saturate(f16_round_integral(a, ROUND))); \
	CVT_RARE(NAME##_bf16, u32, u16, u32, bf16_round_integral(a, ROUND))
INTEGRAL(rni, __builtin_nearbyint, ROUND_RN);
INTEGRAL(rzi, __builtin_trunc, ROUND_RZ);
INTEGRAL(rmi, __builtin_floor, ROUND_RM);
INTEGRAL(rpi, __builtin_ceil, ROUND_RP);

#define INTEGRAL_TABLE(NAME)                                                                          \
	{                                                                                             \
		{&NAME##_f16, &NAME##_sat_f16}, {&NAME##_bf16, NULL}, {&NAME##_f32, &NAME##_sat_f32}, \
			{&NAME##_f64, &NAME##_sat_f64},                                               \
	}
static const struct meaning *pick_integral(const struct form *f)
{
	static const struct meaning *const table[4][4][2] = {INTEGRAL_TABLE(rni), INTEGRAL_TABLE(rzi),
							     INTEGRAL_TABLE(rmi), INTEGRAL_TABLE(rpi)};
	const int type = form_type(f, 0);
	const u32 index = type == T_f16 ? 0 : type == T_bf16 ? 1 : type == T_f32 ? 2 : 3;
	return table[form_pick(f, M_rni, M_rpi) - M_rni][index][form_has(f, M_sat)];
}

/* --- to a wider type: exact ------------------------------------------------------------------- */

CVT(f32_f16, u32, u16, u32, f32_from_f16(a));
CVT(f32_sat_f16, u32, u16, u32, f32_saturate(f32_from_f16(a)));
CVT(f32_bf16, u32, u16, u32, f32_from_bf16(a));
CVT(f32_ftz_bf16, u32, u16, u32, f32_from_bf16_ftz(a));
CVT_RARE(f64_f16, u32, u16, u64, f64_from_f16(a));
CVT_RARE(f64_sat_f16, u32, u16, u64, f64_saturate(f64_from_f16(a)));
CVT_RARE(f64_bf16, u32, u16, u64, f64_from_bf16(a));
FCVT(f64_f32, f32, f32, f64, (f64)a);
FCVT(f64_ftz_f32, f32, f32, f64, (f64)one_nan(a));
FCVT(f64_sat_f32, f32, f32, f64, saturate64((f64)a));
PICK2(f32_f16, form_has(f, M_sat), f32_sat_f16)
PICK2(f32_bf16, form_has(f, M_ftz), f32_ftz_bf16)
PICK2(f64_f16, form_has(f, M_sat), f64_sat_f16)
PICK1(f64_bf16)
static const struct meaning *pick_f64_f32(const struct form *f)
{
	return form_has(f, M_sat) ? &f64_sat_f32 : flushes(f) ? &f64_ftz_f32 : &f64_f32;
}

/* --- to a narrower type ----------------------------------------------------------------------- */

FCVT(f32_f64, f64, f64, f32, f32_of_f64(i, a));
FCVT(f32_sat_f64, f64, f64, f32, saturate32(f32_of_f64(i, a)));
PICK2(f32_f64, form_has(f, M_sat), f32_sat_f64)

CVT_RARE(f16_f64, u64, u64, u32, f16_from_f64(a, ROUND_OF(i)));
CVT_RARE(f16_sat_f64, u64, u64, u32, f16_saturate(f16_from_f64(a, ROUND_OF(i))));
CVT_RARE(bf16_f64, u64, u64, u32, bf16_from_f64(a, ROUND_OF(i)));
CVT_RARE(f16_bf16, u32, u16, u32, f16_from_bf16(a, ROUND_OF(i)));
CVT_RARE(bf16_f16, u32, u16, u32, bf16_from_f16(a, ROUND_OF(i)));
PICK2(f16_f64, form_has(f, M_sat), f16_sat_f64)
PICK1(bf16_f64)
PICK1(f16_bf16)
PICK1(bf16_f16)

/* f32 to f16 and bf16: to nearest by vector code, otherwise on bits. X(type, suffix, what is done to the half), in the
 * order of clamp_variant; .satfinite turns infinity into the greatest number. */
#define CLAMPS(X, T)        X(T, , ) X(T, _r, T##_relu) X(T, _f, T##_satfinite) X(T, _rf, T##_relu_finite)
#define f16_relu_finite(h)  f16_relu(f16_satfinite(h))
#define bf16_relu_finite(h) bf16_relu(bf16_satfinite(h))
static u32 clamp_variant(const struct form *f)
{
	return (form_has(f, M_relu) ? 1u : 0u) + (form_has(f, M_satfinite) ? 2u : 0u);
}

#define HALF_RN(T, V, DO) FLANE1(T##_rn##V, b16, b32, DO(T##_from_f32_rn(a)));
#define HALF_RX(T, V, DO) CVT_RARE(T##_rx##V, u32, u32, u32, DO(T##_from_f32_exact(a, ROUND_OF(i))));
#define PAIR_RN(T, V, DO) FLANE2(T##x2_rn##V, b32, b32, b32, BOTH(DO(T##_from_f32_rn(a)), DO(T##_from_f32_rn(b))));
#define PAIR_RZ(T, V, DO)                 \
	LANE2(T##x2_rz##V, b32, b32, b32, \
	      BOTH(DO(T##_from_f32_exact(a, ROUND_RZ)), DO(T##_from_f32_exact(b, ROUND_RZ))));
#define RN_ENTRY(T, V, DO) &T##_rn##V,
#define RX_ENTRY(T, V, DO) &T##_rx##V,
#define RZ_ENTRY(T, V, DO) &T##_rz##V,
/* By .rn, and by the clamp. */
#define PICK_CLAMPED(NAME, OTHERS, TO_NEAREST)                                                \
	static const struct meaning *pick_##NAME##_f32(const struct form *f)                  \
	{                                                                                     \
		static const struct meaning *const variants[2][4] = {{OTHERS}, {TO_NEAREST}}; \
		return variants[form_has(f, M_rn)][clamp_variant(f)];                         \
	}
#define TO_HALF(T)                                                \
	CLAMPS(HALF_RN, T)                                        \
	CLAMPS(HALF_RX, T)                                        \
	CLAMPS(PAIR_RN, T)                                        \
	CLAMPS(PAIR_RZ, T)                                        \
	PICK_CLAMPED(T, CLAMPS(RX_ENTRY, T), CLAMPS(RN_ENTRY, T)) \
	PICK_CLAMPED(T##x2, CLAMPS(RZ_ENTRY, T##x2), CLAMPS(RN_ENTRY, T##x2))
TO_HALF(f16)
TO_HALF(bf16)

CVT_RARE(f16_sat_f32, u32, u32, u32, f16_saturate(f16_from_f32_exact(a, ROUND_OF(i))));
CVT_RARE(bf16_ftz_f32, u32, u32, u32, bf16_from_f32_exact(f32_flush(a), ROUND_OF(i)));
PICK1(f16_sat_f32)
PICK1(bf16_ftz_f32)

/* tf32: f32 whose low 13 bits are zero. */
CVT_RARE(tf32_rna, u32, u32, u32, tf32_from_f32(a, ROUND_RNA, false, false));
CVT_RARE(tf32_rna_f, u32, u32, u32, tf32_from_f32(a, ROUND_RNA, true, false));
CVT_RARE(tf32, u32, u32, u32, tf32_from_f32(a, ROUND_OF(i), false, false));
CVT_RARE(tf32_r, u32, u32, u32, tf32_from_f32(a, ROUND_OF(i), false, true));
CVT_RARE(tf32_f, u32, u32, u32, tf32_from_f32(a, ROUND_OF(i), true, false));
CVT_RARE(tf32_rf, u32, u32, u32, tf32_from_f32(a, ROUND_OF(i), true, true));
PICK2(tf32_rna, form_has(f, M_satfinite), tf32_rna_f)
static const struct meaning *pick_tf32(const struct form *f)
{
	static const struct meaning *const variants[] = {&tf32, &tf32_r, &tf32_f, &tf32_rf};
	return variants[clamp_variant(f)];
}

/* --- 4- to 8-bit formats ---------------------------------------------------------------------- */

/* Pairs: a, or the upper half of a packed operand, goes to the upper part. */
#define SMALL_(T, FORMAT, BITS, RELU, R)                                                       \
	LANE2(T##x2_f32##R, b32, b32, b32,                                                     \
	      (u32)small_from_f32(FORMAT, a, RELU) << BITS | small_from_f32(FORMAT, b, RELU)); \
	LANE1(f16x2_##T##x2##R, b32, b32,                                                      \
	      BOTH(f16_from_small(FORMAT, (u8)((a >> BITS) & ((1u << BITS) - 1)), RELU),       \
		   f16_from_small(FORMAT, (u8)(a & ((1u << BITS) - 1)), RELU)))
#define SMALL(T, FORMAT, BITS)                             \
	SMALL_(T, FORMAT, BITS, false, );                  \
	SMALL_(T, FORMAT, BITS, true, _r);                 \
	PICK2(T##x2_f32, form_has(f, M_relu), T##x2_f32_r) \
	PICK2(f16x2_##T##x2, form_has(f, M_relu), f16x2_##T##x2_r)
SMALL(e4m3, SMALL_E4M3, 8)
SMALL(e5m2, SMALL_E5M2, 8)
SMALL(e2m3, SMALL_E2M3, 8)
SMALL(e3m2, SMALL_E3M2, 8)
SMALL(e2m1, SMALL_E2M1, 4)

#define SMALL_OF_F16(T, FORMAT, BITS, RELU, R) \
	LANE1(T##x2_f16x2##R, b32, b32,        \
	      (u32)small_from_f16(FORMAT, (u16)(a >> 16), RELU) << BITS | small_from_f16(FORMAT, (u16)a, RELU))
#define SMALL_F16(T, FORMAT, BITS)               \
	SMALL_OF_F16(T, FORMAT, BITS, false, );  \
	SMALL_OF_F16(T, FORMAT, BITS, true, _r); \
	PICK2(T##x2_f16x2, form_has(f, M_relu), T##x2_f16x2_r)
SMALL_F16(e4m3, SMALL_E4M3, 8)
SMALL_F16(e5m2, SMALL_E5M2, 8)
SMALL_F16(e2m1, SMALL_E2M1, 4)

/* ue8m0: powers of two. */
#define UE8M0(F, R)                                                                             \
	LANE2(ue8m0x2_f32##R, b32, b32, b32,                                                    \
	      (u32)ue8m0_from_f32(a, ROUND_OF(i), F) << 8 | ue8m0_from_f32(b, ROUND_OF(i), F)); \
	LANE1(ue8m0x2_bf16x2##R, b32, b32,                                                      \
	      (u32)ue8m0_from_bf16((u16)(a >> 16), ROUND_OF(i), F) << 8 | ue8m0_from_bf16((u16)a, ROUND_OF(i), F))
UE8M0(false, );
UE8M0(true, _f);
LANE1(bf16x2_ue8m0x2, b32, b32, BOTH(bf16_from_ue8m0((u8)(a >> 8)), bf16_from_ue8m0((u8)a)));
PICK2(ue8m0x2_f32, form_has(f, M_satfinite), ue8m0x2_f32_f)
PICK2(ue8m0x2_bf16x2, form_has(f, M_satfinite), ue8m0x2_bf16x2_f)
PICK1(bf16x2_ue8m0x2)

/* --- stochastic rounding ---------------------------------------------------------------------- */

#define HALF_RS(T, MASK, RELU, FINITE, R)      \
	LANE3(T##x2_rs##R, b32, b32, b32, b32, \
	      BOTH(T##_from_f32_rs(a, RELU, FINITE, c >> 16 & MASK), T##_from_f32_rs(b, RELU, FINITE, c &MASK)))
#define HALF_RS_ALL(T, MASK)                                                                                         \
	HALF_RS(T, MASK, false, false, );                                                                            \
	HALF_RS(T, MASK, true, false, _r);                                                                           \
	HALF_RS(T, MASK, false, true, _f);                                                                           \
	HALF_RS(T, MASK, true, true, _rf);                                                                           \
	static const struct meaning *pick_##T##x2_rs(const struct form *f)                                           \
	{                                                                                                            \
		static const struct meaning *const variants[] = {&T##x2_rs, &T##x2_rs_r, &T##x2_rs_f, &T##x2_rs_rf}; \
		return variants[clamp_variant(f)];                                                                   \
	}
HALF_RS_ALL(f16, 0x1fff)
HALF_RS_ALL(bf16, 0xffff)

/* Which random bits each of the four elements gets: number/small.h. */
static inline u32 random_of(u32 rbits, int element, bool is_four_bit)
{
	static const u8 four_bit_shift[] = {24, 8, 16, 0};
	return is_four_bit ? rbits >> four_bit_shift[element] & 0xff : rbits >> (element < 2 ? 16 : 0) & 0xffff;
}

/* d, {a, b, e, f}, rbits: a goes to the top. */
static const struct insn *small_rs(struct warp *w, const struct insn *i, u8 *rows, u32 mask, enum small_format format,
				   u32 bits, bool relu)
{
	const u32 *operands = warp_operands(w, i), *rbits = ROW_OF(b32, operands[5]);
	u32 result[WARP_LANES] __attribute__((aligned(64))) = {0};

	for (int e = 0; e < 4; e++) {
		const u32 *source = ROW_OF(b32, operands[1 + e]);
		for (u32 l = 0; l < WARP_LANES; l++)
			result[l] = result[l] << bits |
				    small_from_f32_rs(format, source[l], relu, random_of(rbits[l], e, bits == 4));
	}
	merge_row(rows + operands[0], result, sizeof result[0], mask);
	return i + 1;
}
#define SMALL_RS_(T, FORMAT, BITS, RELU, R)                                                      \
	MEANING_FUNCTION(T##x4_rs##R) { return small_rs(w, i, rows, mask, FORMAT, BITS, RELU); } \
	MEANING(T##x4_rs##R)
#define SMALL_RS(T, FORMAT, BITS)             \
	SMALL_RS_(T, FORMAT, BITS, false, );  \
	SMALL_RS_(T, FORMAT, BITS, true, _r); \
	PICK2(T##x4_rs, form_has(f, M_relu), T##x4_rs_r)
SMALL_RS(e4m3, SMALL_E4M3, 8)
SMALL_RS(e5m2, SMALL_E5M2, 8)
SMALL_RS(e2m3, SMALL_E2M3, 8)
SMALL_RS(e3m2, SMALL_E3M2, 8)
SMALL_RS(e2m1, SMALL_E2M1, 4)

/* --- rows ------------------------------------------------------------------------------------- */

#define FRND  "(.rn|.rz|.rm|.rp)"
#define OFRND "[.rn|.rz|.rm|.rp]"
/* What all rows of cvt that it is for have. */
#define CONVERTS (ISA_RELAXED | ISA_CONVERTS)
#define IRND     "(.rni|.rzi|.rmi|.rpi)"
/* Manual and assembler let .relu and .satfinite stand in either order. */
#define CLAMP "[.relu][.satfinite]"

/* What is for sm_100a and its like, by the manual alone. */
#define NEWER (ISA_A_TARGET | ISA_UNVERIFIED)
#define SMALL_ROWS(T, PTX, SM, FLAGS, PACKED, FOUR)                                                                \
	ROW("cvt.rn.satfinite[.relu]." #T "x2.f32", "=" PACKED " 1 1", PTX, SM, FLAGS, pick_##T##x2_f32,           \
	    "Two f32 to " #T ", packed."),                                                                         \
		ROW("cvt.rn[.relu].f16x2." #T "x2", "=0 " PACKED, PTX, SM, FLAGS, pick_f16x2_##T##x2,              \
		    "Two " #T " to f16x2."),                                                                       \
		ROW("cvt.rs[.relu].satfinite." #T "x4.f32", "=" FOUR " {4}1 b32", 87, 100, NEWER, pick_##T##x4_rs, \
		    "Four f32 to " #T ", rounded by random bits.")

static const struct isa_row rows_convert_float[] = {
	ROW("cvt[.sat].f16.f16", "=0 1", 10, 10, CONVERTS, pick_same, "Copies, or clamps to [0, 1]."),
	ROW("cvt.bf16.bf16", "=0 1", 78, 90, 0, pick_same, "Copies; a NaN becomes 0x7fff."),
	ROW("cvt[.ftz][.sat].f32.f32", "=0 1", 10, 10, CONVERTS, pick_same, "Copies, or clamps to [0, 1]."),
	ROW("cvt[.sat].f64.f64", "=0 1", 10, 13, CONVERTS, pick_same, "Copies, or clamps to [0, 1]."),
	ROW("cvt" IRND "[.sat].f16.f16", "=0 1", 10, 10, CONVERTS, pick_integral, "To an integral value."),
	ROW("cvt" IRND ".bf16.bf16", "=0 1", 78, 90, 0, pick_integral, "To an integral value."),
	ROW("cvt" IRND "[.ftz][.sat].f32.f32", "=0 1", 10, 10, CONVERTS, pick_integral, "To an integral value."),
	ROW("cvt" IRND "[.sat].f64.f64", "=0 1", 10, 13, CONVERTS, pick_integral, "To an integral value."),
	ROW("cvt[.ftz][.sat].f32.f16", "=0 1", 10, 10, CONVERTS, pick_f32_f16, "f16 to f32."),
	ROW("cvt" OFRND ".f32.bf16", "=0 1", 71, 80, 0, pick_f32_bf16, "bf16 to f32."),
	ROW("cvt" OFRND ".ftz.f32.bf16", "=0 1", 78, 90, 0, pick_f32_bf16, "bf16 to f32."),
	ROW("cvt[.sat].f64.f16", "=0 1", 10, 13, CONVERTS, pick_f64_f16, "f16 to f64."),
	ROW("cvt" OFRND ".f64.bf16", "=0 1", 78, 90, 0, pick_f64_bf16, "bf16 to f64."),
	ROW("cvt[.ftz][.sat].f64.f32", "=0 1", 10, 13, CONVERTS, pick_f64_f32, "f32 to f64."),
	ROW("cvt" FRND "[.ftz][.sat].f32.f64", "=0 1", 10, 13, CONVERTS, pick_f32_f64, "f64 to f32."),
	ROW("cvt" FRND "[.sat].f16.f64", "=0 1", 10, 13, CONVERTS, pick_f16_f64, "f64 to f16."),
	ROW("cvt" FRND ".bf16.f64", "=0 1", 78, 90, 0, pick_bf16_f64, "f64 to bf16."),
	ROW("cvt" OFRND ".f16.bf16", "=0 1", 78, 90, 0, pick_f16_bf16, "bf16 to f16."),
	ROW("cvt" OFRND ".bf16.f16", "=0 1", 78, 90, 0, pick_bf16_f16, "f16 to bf16."),
	ROW("cvt" FRND "[.ftz].f16.f32", "=0 1", 10, 10, CONVERTS, pick_f16_f32, "f32 to f16."),
	ROW("cvt" FRND "[.ftz].sat.f16.f32", "=0 1", 10, 10, CONVERTS, pick_f16_sat_f32,
	    "f32 to f16, clamped to [0, 1]."),
	ROW("cvt(.rn|.rz).relu.f16.f32", "=0 1", 70, 80, CONVERTS, pick_f16_f32, "f32 to f16."),
	ROW("cvt(.rn|.rz).satfinite.f16.f32", "=0 1", 81, 70, CONVERTS, pick_f16_f32,
	    "f32 to f16, infinities made finite."),
	ROW("cvt(.rn|.rz).relu.satfinite.f16.f32", "=0 1", 81, 80, CONVERTS, pick_f16_f32,
	    "f32 to f16, infinities made finite."),
	ROW("cvt(.rn|.rz)[.relu].bf16.f32", "=0 1", 70, 80, 0, pick_bf16_f32, "f32 to bf16."),
	ROW("cvt(.rm|.rp).bf16.f32", "=0 1", 70, 80, 0, pick_bf16_f32, "f32 to bf16."),
	ROW("cvt" FRND ".ftz.bf16.f32", "=0 1", 70, 80, 0, pick_bf16_ftz_f32, "f32 to bf16."),
	ROW("cvt(.rn|.rz)[.relu].satfinite.bf16.f32", "=0 1", 81, 80, 0, pick_bf16_f32,
	    "f32 to bf16, infinities made finite."),
	ROW("cvt(.rn|.rz)[.relu].f16x2.f32", "=0 1 1", 70, 80, 0, pick_f16x2_f32, "Two f32 to f16x2."),
	ROW("cvt(.rn|.rz)[.relu].satfinite.f16x2.f32", "=0 1 1", 81, 80, 0, pick_f16x2_f32,
	    "Two f32 to f16x2, infinities made finite."),
	ROW("cvt(.rn|.rz)[.relu].bf16x2.f32", "=0 1 1", 70, 80, 0, pick_bf16x2_f32, "Two f32 to bf16x2."),
	ROW("cvt(.rn|.rz)[.relu].satfinite.bf16x2.f32", "=0 1 1", 81, 80, 0, pick_bf16x2_f32,
	    "Two f32 to bf16x2, infinities made finite."),
	ROW("cvt.rs" CLAMP ".f16x2.f32", "=0 1 1 b32", 87, 100, NEWER, pick_f16x2_rs,
	    "Two f32 to f16x2, rounded by random bits."),
	ROW("cvt.rs" CLAMP ".bf16x2.f32", "=0 1 1 b32", 87, 100, NEWER, pick_bf16x2_rs,
	    "Two f32 to bf16x2, rounded by random bits."),
	ROW("cvt.rna.tf32.f32", "=b32 1", 70, 80, 0, pick_tf32_rna, "f32 to tf32, ties away from zero."),
	ROW("cvt.rna.satfinite.tf32.f32", "=b32 1", 81, 80, 0, pick_tf32_rna, "f32 to tf32, ties away from zero."),
	ROW("cvt(.rn|.rz)[.relu].tf32.f32", "=b32 1", 78, 90, 0, pick_tf32, "f32 to tf32."),
	ROW("cvt(.rn|.rz).satfinite[.relu].tf32.f32", "=b32 1", 86, 100, ISA_UNVERIFIED, pick_tf32, "f32 to tf32."),
	SMALL_ROWS(e4m3, 78, 89, 0, "b16", "b32"),
	SMALL_ROWS(e5m2, 78, 89, 0, "b16", "b32"),
	SMALL_ROWS(e2m3, 86, 100, NEWER, "b16", "b32"),
	SMALL_ROWS(e3m2, 86, 100, NEWER, "b16", "b32"),
	SMALL_ROWS(e2m1, 86, 100, NEWER, "b8", "b16"),
	ROW("cvt.rn.satfinite[.relu].e4m3x2.f16x2", "=b16 1", 78, 89, 0, pick_e4m3x2_f16x2, "f16x2 to e4m3, packed."),
	ROW("cvt.rn.satfinite[.relu].e5m2x2.f16x2", "=b16 1", 78, 89, 0, pick_e5m2x2_f16x2, "f16x2 to e5m2, packed."),
	ROW("cvt.rn.satfinite[.relu].e2m1x2.f16x2", "=b8 1", 86, 100, NEWER, pick_e2m1x2_f16x2,
	    "f16x2 to e2m1, packed."),
	ROW("cvt(.rz|.rp)[.satfinite].ue8m0x2.f32", "=b16 1 1", 86, 100, NEWER, pick_ue8m0x2_f32,
	    "Two f32 to powers of two."),
	ROW("cvt(.rz|.rp)[.satfinite].ue8m0x2.bf16x2", "=b16 1", 86, 100, NEWER, pick_ue8m0x2_bf16x2,
	    "bf16x2 to powers of two."),
	ROW("cvt.rn.bf16x2.ue8m0x2", "=0 b16", 86, 100, NEWER, pick_bf16x2_ue8m0x2, "Two powers of two to bf16x2."),
};
FAMILY(family_convert_float, "Conversion: floating point", CLASS_CONVERSION, rows_convert_float);
