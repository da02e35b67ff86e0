/* SPDX-License-Identifier: Apache-2.0
 *
 * cvt among integers, and between integers and floats (PTX ISA 9.7.9: cvt), and cvt.pack. From one
 * float type to another: convert_float.c.
 *
 * Floats become integers clamped to the type's range, with .sat or without; NaN becomes 0 or the
 * top bit alone, as recorded on an H200 (number/convert.h has the rule).
 */
#include "isa/linear.h"
#include "sem/cvt.h"
#include "sem/pick.h"

/* X(name, type, lane): every kind of integer source; w: in a 64-bit register. */
#define INT_SOURCES(X)    \
	X(u8, u8, u32)    \
	X(s8, s8, u32)    \
	X(u16, u16, u32)  \
	X(s16, s16, u32)  \
	X(u32, u32, u32)  \
	X(s32, s32, u32)  \
	X(u64, u64, u64)  \
	X(s64, s64, u64)  \
	X(u8w, u8, u64)   \
	X(s8w, s8, u64)   \
	X(u16w, u16, u64) \
	X(s16w, s16, u64) \
	X(u32w, u32, u64) \
	X(s32w, s32, u64)

/* Tables of meanings: [source][destination type][destination register]. */
typedef const struct meaning *by_dest[INT_KINDS][4];
#define DEST_TABLE(P)                                                                                        \
	{                                                                                                    \
		{&P##_u8, &P##_u8, &P##_u8, &P##_u8_64}, {&P##_s8, &P##_s8_16, &P##_s8_32, &P##_s8_64},      \
			{NULL, &P##_u16, &P##_u16, &P##_u16_64}, {NULL, &P##_s16, &P##_s16_32, &P##_s16_64}, \
			{NULL, NULL, &P##_u32, &P##_u32_64}, {NULL, NULL, &P##_s32, &P##_s32_64},            \
			{NULL, NULL, NULL, &P##_u64}, {NULL, NULL, NULL, &P##_s64},                          \
	}

/* --- integer to integer ----------------------------------------------------------------------- */

/* Without .sat: cut to the destination type, then extended to the register. */
#define INT_TO_INT(S, T, R)                          \
	CVT(cvt_##S##_u8, R, T, u32, (u8)a);         \
	CVT(cvt_##S##_s8_16, R, T, u32, (u16)(s8)a); \
	CVT(cvt_##S##_s8_32, R, T, u32, (s8)a);      \
	CVT(cvt_##S##_u16, R, T, u32, (u16)a);       \
	CVT(cvt_##S##_s16_32, R, T, u32, (s16)a);    \
	CVT(cvt_##S##_u32, R, T, u32, (u32)a);
#define INT_TO_INT_64(S, T, R)                    \
	CVT(cvt_##S##_u8_64, R, T, u64, (u8)a);   \
	CVT(cvt_##S##_s8_64, R, T, u64, (s8)a);   \
	CVT(cvt_##S##_u16_64, R, T, u64, (u16)a); \
	CVT(cvt_##S##_s16_64, R, T, u64, (s16)a); \
	CVT(cvt_##S##_u32_64, R, T, u64, (u32)a); \
	CVT(cvt_##S##_s32_64, R, T, u64, (s32)a); \
	CVT(cvt_##S##_u64, R, T, u64, a);
INT_SOURCES(INT_TO_INT_64)
INT_SOURCES(INT_TO_INT)

/* Where the sign does not matter, one meaning serves two types. */
#define INT_TABLE(S, T, R)                                                             \
	{                                                                              \
		{&cvt_##S##_u8, &cvt_##S##_u8, &cvt_##S##_u8, &cvt_##S##_u8_64},       \
		{&cvt_##S##_u8, &cvt_##S##_s8_16, &cvt_##S##_s8_32, &cvt_##S##_s8_64}, \
		{NULL, &cvt_##S##_u16, &cvt_##S##_u16, &cvt_##S##_u16_64},             \
		{NULL, &cvt_##S##_u16, &cvt_##S##_s16_32, &cvt_##S##_s16_64},          \
		{NULL, NULL, &cvt_##S##_u32, &cvt_##S##_u32_64},                       \
		{NULL, NULL, &cvt_##S##_u32, &cvt_##S##_s32_64},                       \
		{NULL, NULL, NULL, &cvt_##S##_u64},                                    \
		{NULL, NULL, NULL, &cvt_##S##_u64},                                    \
	},
static const by_dest int_to_int[] = {INT_SOURCES(INT_TABLE)};

/* .sat: the operand widened to 64 bits, which keeps its value, then clamped. */
static inline s64 clamp_s(s64 v, s64 low, s64 high) { return v < low ? low : v > high ? high : v; }
static inline u64 clamp_u(u64 v, u64 high) { return v > high ? high : v; }
#define CLAMP(a, L, H) _Generic((a), u64 : (s64)clamp_u((u64)(a), H), default : clamp_s((s64)(a), L, H))
#define INT_SAT(S, T, R)                                                  \
	CVT(sat_##S##_u8, R, T, u32, CLAMP(a, 0, 0xff));                  \
	CVT(sat_##S##_s8, R, T, u32, (u8)CLAMP(a, -0x80, 0x7f));          \
	CVT_RARE(sat_##S##_s8_16, R, T, u32, (u16)CLAMP(a, -0x80, 0x7f)); \
	CVT_RARE(sat_##S##_s8_32, R, T, u32, CLAMP(a, -0x80, 0x7f));      \
	CVT(sat_##S##_u16, R, T, u32, CLAMP(a, 0, 0xffff));               \
	CVT(sat_##S##_s16, R, T, u32, (u16)CLAMP(a, -0x8000, 0x7fff));    \
	CVT_RARE(sat_##S##_s16_32, R, T, u32, CLAMP(a, -0x8000, 0x7fff)); \
	CVT(sat_##S##_u32, R, T, u32, CLAMP(a, 0, 0xffffffff));           \
	CVT(sat_##S##_s32, R, T, u32, CLAMP(a, INT32_MIN, INT32_MAX));
#define INT_SAT_64(S, T, R)                                                    \
	CVT_RARE(sat_##S##_u8_64, R, T, u64, CLAMP(a, 0, 0xff));               \
	CVT_RARE(sat_##S##_s8_64, R, T, u64, CLAMP(a, -0x80, 0x7f));           \
	CVT_RARE(sat_##S##_u16_64, R, T, u64, CLAMP(a, 0, 0xffff));            \
	CVT_RARE(sat_##S##_s16_64, R, T, u64, CLAMP(a, -0x8000, 0x7fff));      \
	CVT_RARE(sat_##S##_u32_64, R, T, u64, CLAMP(a, 0, 0xffffffff));        \
	CVT_RARE(sat_##S##_s32_64, R, T, u64, CLAMP(a, INT32_MIN, INT32_MAX)); \
	CVT_RARE(sat_##S##_u64, R, T, u64, CLAMP(a, 0, INT64_MAX));            \
	CVT_RARE(sat_##S##_s64, R, T, u64, CLAMP(a, INT64_MIN, INT64_MAX));
INT_SOURCES(INT_SAT_64)
INT_SOURCES(INT_SAT)
#define SAT_TABLE(S, T, R) DEST_TABLE(sat_##S),
static const by_dest int_to_int_sat[] = {INT_SOURCES(SAT_TABLE)};

static u32 int_source(const struct form *f)
{
	return (u32)int_kind(form_type(f, 1)) + (source_is_wide(f) ? (u32)INT_KINDS : 0);
}

static const struct meaning *pick_int_to_int(const struct form *f)
{
	const by_dest *table = form_has(f, M_sat) ? int_to_int_sat : int_to_int;
	return table[int_source(f)][int_kind(form_type(f, 0))][dest_size(f)];
}

/* --- float to integer ------------------------------------------------------------------------- */

/* Clamps x, of type F, rounded or to be cut. INT_HIGH is 2^n, which an F holds where the greatest
 * integer is none. A NaN fails every comparison and becomes NAN_AS. The conversion itself only sees
 * what fits. */
#define CLAMP_SIGNED(F, I, x, LOW, INT_HIGH, NAN_AS) \
	((x) >= (F)(INT_HIGH) ? (I)(-((LOW) + 1)) : (x) > (F)(LOW) ? (I)(x) : (x) == (x) ? (I)(LOW) : (I)(NAN_AS))
#define CLAMP_UNSIGNED(F, I, x, GREATEST, INT_HIGH, NAN_AS) \
	((x) >= (F)(INT_HIGH) ? (I)(GREATEST) : (x) > (F)0 ? (I)(x) : (x) == (x) ? (I)0 : (I)(NAN_AS))

/* From f32 (and f16, bf16): NaN is 0 in up to 32 bits, the top bit in 64. From f64: the top bit. */
#define FLOAT_TO_SIGNED(F, I, BITS, LOW, HIGH, NAN_AS) \
	static inline I F##_to_s##BITS(F x) { return CLAMP_SIGNED(F, I, x, LOW, HIGH, NAN_AS); }
#define FLOAT_TO_UNSIGNED(F, U, I, BITS, GREATEST, HIGH, NAN_AS) \
	static inline U F##_to_u##BITS(F x) { return (U)CLAMP_UNSIGNED(F, I, x, GREATEST, HIGH, NAN_AS); }
#define FLOAT_TO_INT(F, N8, N16, N32)                                      \
	FLOAT_TO_UNSIGNED(F, u32, s32, 8, 0xff, 0x1p8, N8 & 0xff)          \
	FLOAT_TO_SIGNED(F, s32, 8, -0x80, 0x1p7, N8)                       \
	FLOAT_TO_UNSIGNED(F, u32, s32, 16, 0xffff, 0x1p16, N16 & 0xffff)   \
	FLOAT_TO_SIGNED(F, s32, 16, -0x8000, 0x1p15, N16)                  \
	FLOAT_TO_UNSIGNED(F, u32, u32, 32, UINT32_MAX, 0x1p32, N32)        \
	FLOAT_TO_SIGNED(F, s32, 32, INT32_MIN, 0x1p31, N32)                \
	FLOAT_TO_UNSIGNED(F, u64, u64, 64, UINT64_MAX, 0x1p64, 1ull << 63) \
	FLOAT_TO_SIGNED(F, s64, 64, INT64_MIN, 0x1p63, INT64_MIN)
FLOAT_TO_INT(f32, 0, 0, 0)
FLOAT_TO_INT(f64, -0x80, -0x8000, INT32_MIN)

/* .rni is the host's nearest-even: decode gives these forms FP_RN. The cut of .rzi is the
 * conversion's own. */
#define RNI_f32(x) __builtin_nearbyintf(x)
#define RMI_f32(x) __builtin_floorf(x)
#define RPI_f32(x) __builtin_ceilf(x)
#define RZI_f32(x) (x)
#define RNI_f64(x) __builtin_nearbyint(x)
#define RMI_f64(x) __builtin_floor(x)
#define RPI_f64(x) __builtin_ceil(x)
#define RZI_f64(x) (x)

#define OPEN_f16(a)  f32_of_bits(f32_from_f16(a))
#define OPEN_bf16(a) f32_of_bits(f32_from_bf16(a))
#define OPEN_f32(a)  (a)
#define OPEN_f64(a)  (a)

/* P: prefix of the names; R, T: lane and type of the source; F: what it is computed in. */
#define ROUNDED_TO_INT_32(P, R, T, F, x)               \
	FCVT(P##_u8, R, T, u32, F##_to_u8(x));         \
	FCVT(P##_s8, R, T, u32, (u8)F##_to_s8(x));     \
	FCVT(P##_s8_16, R, T, u32, (u16)F##_to_s8(x)); \
	FCVT(P##_s8_32, R, T, u32, F##_to_s8(x));      \
	FCVT(P##_u16, R, T, u32, F##_to_u16(x));       \
	FCVT(P##_s16, R, T, u32, (u16)F##_to_s16(x));  \
	FCVT(P##_s16_32, R, T, u32, F##_to_s16(x));    \
	FCVT(P##_u32, R, T, u32, F##_to_u32(x));       \
	FCVT(P##_s32, R, T, u32, F##_to_s32(x));
#define ROUNDED_TO_INT_64(P, R, T, F, x)            \
	FCVT(P##_u8_64, R, T, u64, F##_to_u8(x));   \
	FCVT(P##_s8_64, R, T, u64, F##_to_s8(x));   \
	FCVT(P##_u16_64, R, T, u64, F##_to_u16(x)); \
	FCVT(P##_s16_64, R, T, u64, F##_to_s16(x)); \
	FCVT(P##_u32_64, R, T, u64, F##_to_u32(x)); \
	FCVT(P##_s32_64, R, T, u64, F##_to_s32(x)); \
	FCVT(P##_u64, R, T, u64, F##_to_u64(x));    \
	FCVT(P##_s64, R, T, u64, F##_to_s64(x));
#define ROUNDED_TO_INT(P, R, T, F, x) ROUNDED_TO_INT_32(P, R, T, F, x) ROUNDED_TO_INT_64(P, R, T, F, x)
#define FLOAT_SOURCE(S, R, T, F)                               \
	ROUNDED_TO_INT(rni_##S, R, T, F, RNI_##F(OPEN_##S(a))) \
	ROUNDED_TO_INT(rzi_##S, R, T, F, RZI_##F(OPEN_##S(a))) \
	ROUNDED_TO_INT(rmi_##S, R, T, F, RMI_##F(OPEN_##S(a))) \
	ROUNDED_TO_INT(rpi_##S, R, T, F, RPI_##F(OPEN_##S(a)))
FLOAT_SOURCE(f16, u32, u16, f32)
FLOAT_SOURCE(bf16, u32, u16, f32)
FLOAT_SOURCE(f32, f32, f32, f32)
FLOAT_SOURCE(f64, f64, f64, f64)

/* Tokens .rni .rzi .rmi .rpi stand in this order. */
#define ROUND_TABLE(S)                                                                             \
	{                                                                                          \
		DEST_TABLE(rni_##S), DEST_TABLE(rzi_##S), DEST_TABLE(rmi_##S), DEST_TABLE(rpi_##S) \
	}
static const by_dest float_to_int[4][4] = {ROUND_TABLE(f16), ROUND_TABLE(bf16), ROUND_TABLE(f32), ROUND_TABLE(f64)};

static const struct meaning *pick_float_to_int(const struct form *f)
{
	const int from = form_type(f, 1);
	const u32 source = from == T_f16 ? 0 : from == T_bf16 ? 1 : from == T_f32 ? 2 : 3;
	const u32 round = (u32)(form_pick(f, M_rni, M_rpi) - M_rni);
	return float_to_int[source][round][int_kind(form_type(f, 0))][dest_size(f)];
}

/* --- integer to float ------------------------------------------------------------------------- */

/* In vector code clang converts unsigned integers by a subtraction, which makes 0 a -0 when rounding down: not native code's. */
#if defined __clang__ && !defined SEM_NATIVE
#pragma STDC FENV_ACCESS ON
#endif

/* The host rounds to f32 and f64; halves are made on bits, as f32 on the way would round twice. */
#define HALF_OF(T, a) \
	_Generic((a), u64 : T##_from_u64((u64)(a), ROUND_OF(i)), default : T##_from_s64((s64)(a), ROUND_OF(i)))
#define INT_TO_FLOAT(S, T, R)                                              \
	FCVT(f32_##S, R, T, f32, FLOAT_OF_INT(f32, i, a));                 \
	FCVT(f32_sat_##S, R, T, f32, saturate32(FLOAT_OF_INT(f32, i, a))); \
	FCVT(f64_##S, R, T, f64, FLOAT_OF_INT(f64, i, a));                 \
	FCVT(f64_sat_##S, R, T, f64, saturate64(FLOAT_OF_INT(f64, i, a))); \
	CVT_RARE(f16_##S, R, T, u32, HALF_OF(f16, a));                     \
	CVT_RARE(f16_sat_##S, R, T, u32, f16_saturate(HALF_OF(f16, a)));   \
	CVT_RARE(bf16_##S, R, T, u32, HALF_OF(bf16, a));
INT_SOURCES(INT_TO_FLOAT)

/* To nearest, from up to 32 bits: f64 holds the integer, so one rounding is left, in vector code. */
#define INT_TO_HALF_RN(S, T)                                                 \
	FCVT(f16_rn_##S, u32, T, u32, f16_from_f64_rn(bits_of_f64((f64)a))); \
	FCVT(bf16_rn_##S, u32, T, u32, bf16_from_f64_rn(bits_of_f64((f64)a)));
INT_TO_HALF_RN(u8, u8)
INT_TO_HALF_RN(s8, s8)
INT_TO_HALF_RN(u16, u16)
INT_TO_HALF_RN(s16, s16)
INT_TO_HALF_RN(u32, u32)
INT_TO_HALF_RN(s32, s32)
static const struct meaning *const int_to_half_rn[][2] = {
	{&f16_rn_u8, &bf16_rn_u8},   {&f16_rn_s8, &bf16_rn_s8},   {&f16_rn_u16, &bf16_rn_u16},
	{&f16_rn_s16, &bf16_rn_s16}, {&f16_rn_u32, &bf16_rn_u32}, {&f16_rn_s32, &bf16_rn_s32},
};

#define FLOAT_TABLE(S, T, R) \
	{{&f16_##S, &f16_sat_##S}, {&bf16_##S, NULL}, {&f32_##S, &f32_sat_##S}, {&f64_##S, &f64_sat_##S}},
static const struct meaning *const int_to_float[][4][2] = {INT_SOURCES(FLOAT_TABLE)};

static const struct meaning *pick_int_to_float(const struct form *f)
{
	const int to = form_type(f, 0);
	const u32 dest = to == T_f16 ? 0 : to == T_bf16 ? 1 : to == T_f32 ? 2 : 3;
	if (dest < 2 && int_source(f) < COUNT_OF(int_to_half_rn) && form_has(f, M_rn) && !form_has(f, M_sat))
		return int_to_half_rn[int_source(f)][dest];
	return int_to_float[int_source(f)][dest][form_has(f, M_sat)];
}

/* --- floating-point values in 64-bit registers -------------------------------------------------- */

/* The low bits of such a source count; such a result is extended by zeros (as the assembler translates
 * them). The conversion proper runs on rows of its own. */
MEANING_FUNCTION(cvt_wide)
{
	enum { SOURCE = 0, RESULT = 256, BYTES = 512 };
	u8 temporary[BYTES] __attribute__((aligned(64))) = {0};
	struct form narrow = *warp_form(w, i);
	struct insn inner = *i;
	u8 bits[2] = {narrow.operand_bits[0], narrow.operand_bits[1]};
	const bool wide_result = form_is_wide_float(&narrow, 0), wide_source = form_is_wide_float(&narrow, 1);

	for (u32 l = 0; wide_source && l < WARP_LANES; l++)
		((u32 *)(void *)(temporary + SOURCE))[l] = (u32)ROW_OF(u64, i->a)[l];
	if (!wide_source)
		memcpy(temporary + SOURCE, rows + i->a, bits[1] == 64 ? 256 : 128);
	for (u32 k = 0; k < 2; k++)
		if (form_is_wide_float(&narrow, k))
			bits[k] = (u8)type_bits(form_type(&narrow, k));
	narrow.operand_bits = bits;
	inner.d = RESULT;
	inner.a = SOURCE;
	narrow.row->meaning(&narrow)->run(w, &inner, temporary, mask);
	for (u32 l = 0; l < WARP_LANES; l++) {
		if (!(mask >> l & 1))
			continue;
		if (wide_result)
			ROW_OF(u64, i->d)[l] = ((const u32 *)(const void *)(temporary + RESULT))[l];
		else if (bits[0] == 64)
			ROW_OF(u64, i->d)[l] = ((const u64 *)(const void *)(temporary + RESULT))[l];
		else
			ROW_OF(u32, i->d)[l] = ((const u32 *)(const void *)(temporary + RESULT))[l];
	}
	return i + 1;
}
MEANING(cvt_wide);
PICK1(cvt_wide)

/* --- cvt.pack --------------------------------------------------------------------------------- */

/* d = a and b, saturated, side by side, b in the low part; the forms with c put c's low bits above. */
#define PACK16(NAME, LOW_, HIGH_) \
	LANE2(pack_##NAME, u32, s32, s32, (u16)clamp_s(b, LOW_, HIGH_) | (u32)(u16)clamp_s(a, LOW_, HIGH_) << 16)
PACK16(u16, 0, 0xffff);
PACK16(s16, -0x8000, 0x7fff);
#define PACK(NAME, BITS, LOW_, HIGH_)                               \
	LANE3(pack_##NAME, u32, s32, s32, u32,                      \
	      ((u32)clamp_s(b, LOW_, HIGH_) & ((1u << BITS) - 1)) | \
		      ((u32)clamp_s(a, LOW_, HIGH_) & ((1u << BITS) - 1)) << BITS | c << 2 * BITS)
PACK(u8, 8, 0, 0xff);
PACK(s8, 8, -0x80, 0x7f);
PACK(u4, 4, 0, 15);
PACK(s4, 4, -8, 7);
PACK(u2, 2, 0, 3);
PACK(s2, 2, -2, 1);

PICK_(pack, TYPED(pack, u16) TYPED(pack, s16) TYPED(pack, u8) TYPED(pack, s8) TYPED(pack, u4) TYPED(pack, s4)
		    TYPED(pack, u2) TYPED(pack, s2))

/* --- rows ------------------------------------------------------------------------------------- */

#define ANY_INT "(.u8|.u16|.u32|.u64|.s8|.s16|.s32|.s64)"
#define FRND    "(.rn|.rz|.rm|.rp)"
/* What all rows of cvt have. */
#define CONVERTS (ISA_RELAXED | ISA_CONVERTS)
#define IRND     "(.rni|.rzi|.rmi|.rpi)"

#define SAT_ROW(TYPES) ROW("cvt.sat" TYPES, "=0 $1", 10, 10, CONVERTS, pick_int_to_int, "Integer to integer, clamped.")

static const struct isa_row rows_convert[] = {
	ROW("%cvt_wide", "", 10, 10, 0, pick_cvt_wide,
	    "A conversion with a floating-point value in a 64-bit register."),
	ROW("cvt" ANY_INT ANY_INT, "=0 $1", 10, 10, CONVERTS | WITH(TRAIT_LINEAR), pick_int_to_int,
	    "Integer to integer."),
	/* .sat only where the destination does not hold every value of the source. */
	SAT_ROW(".u8(.u16|.u32|.u64|.s8|.s16|.s32|.s64)"),
	SAT_ROW(".u16(.u32|.u64|.s8|.s16|.s32|.s64)"),
	SAT_ROW(".u32(.u64|.s8|.s16|.s32|.s64)"),
	SAT_ROW(".u64(.s8|.s16|.s32|.s64)"),
	SAT_ROW(".s8(.u8|.u16|.u32|.u64|.s16|.s32|.s64)"),
	SAT_ROW(".s16(.u16|.u32|.u64|.s32|.s64)"),
	SAT_ROW(".s32(.u32|.u64|.s64)"),
	SAT_ROW(".s64.u64"),
	ROW("cvt" IRND "[.ftz][.sat]" ANY_INT ".f32", "=0 1", 10, 10, CONVERTS, pick_float_to_int,
	    "f32 to integer, clamped to its range."),
	ROW("cvt" IRND "[.sat]" ANY_INT ".f16", "=0 1", 10, 10, CONVERTS, pick_float_to_int,
	    "f16 to integer, clamped to its range."),
	ROW("cvt" IRND "[.sat]" ANY_INT ".f64", "=0 1", 10, 13, CONVERTS, pick_float_to_int,
	    "f64 to integer, clamped to its range."),
	ROW("cvt" IRND ANY_INT ".bf16", "=0 1", 78, 90, 0, pick_float_to_int, "bf16 to integer, clamped to its range."),
	ROW("cvt" FRND "[.ftz][.sat].f32" ANY_INT, "=0 1", 10, 10, CONVERTS, pick_int_to_float, "Integer to f32."),
	ROW("cvt" FRND "[.sat].f16" ANY_INT, "=0 1", 10, 10, CONVERTS, pick_int_to_float, "Integer to f16."),
	ROW("cvt" FRND "[.sat].f64" ANY_INT, "=0 1", 10, 13, CONVERTS, pick_int_to_float, "Integer to f64."),
	ROW("cvt" FRND ".bf16" ANY_INT, "=0 1", 78, 90, 0, pick_int_to_float, "Integer to bf16."),
	ROW("cvt.pack.sat(.u16|.s16).s32", "=u32 1 1", 65, 72, 0, pick_pack, "Two integers saturated and packed."),
	ROW("cvt.pack.sat(.u8|.s8).s32.b32", "=u32 1 1 2", 65, 72, 0, pick_pack,
	    "Two integers saturated and packed below c."),
	ROW("cvt.pack.sat(.u4|.s4|.u2|.s2).s32.b32", "=u32 1 1 2", 65, 75, 0, pick_pack,
	    "Two integers saturated and packed below c."),
};
FAMILY(family_convert, "Conversion: integers", CLASS_CONVERSION, rows_convert);
