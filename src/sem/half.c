/* SPDX-License-Identifier: Apache-2.0
 *
 * Half-precision arithmetic (PTX ISA 9.7.4): f16, f16x2, bf16, bf16x2. The exact operations are
 * number/half.h's, inline and branch-free; the x2 forms apply them to both halves of a lane.
 * ex2 and tanh are in approx.c.
 */
#define LANES_LARGE
#include "sem/floats.h"

#define LOW(v)          ((u16)(v))
#define HIGH(v)         ((u16)((v) >> 16))
#define BOTH(low, high) ((u32)(low) | (u32)(high) << 16)

/* X1..X3(macro, name, function, modifiers): the scalar and the x2 meaning of one variant. */
#define HALF1(NAME, T, FN, ...)                                         \
	FLANE1(NAME##_##T, b16, b16, FN(a __VA_OPT__(, ) __VA_ARGS__)); \
	FLANE1(NAME##_##T##x2, b32, b32,                                \
	       BOTH(FN(LOW(a) __VA_OPT__(, ) __VA_ARGS__), FN(HIGH(a) __VA_OPT__(, ) __VA_ARGS__)))
#define HALF2(NAME, T, FN, ...)                                                 \
	FLANE2(NAME##_##T, b16, b16, b16, FN(a, b __VA_OPT__(, ) __VA_ARGS__)); \
	FLANE2(NAME##_##T##x2, b32, b32, b32,                                   \
	       BOTH(FN(LOW(a), LOW(b) __VA_OPT__(, ) __VA_ARGS__), FN(HIGH(a), HIGH(b) __VA_OPT__(, ) __VA_ARGS__)))
#define HALF3(NAME, T, FN, ...)                                                         \
	FLANE3(NAME##_##T, b16, b16, b16, b16, FN(a, b, c __VA_OPT__(, ) __VA_ARGS__)); \
	FLANE3(NAME##_##T##x2, b32, b32, b32, b32,                                      \
	       BOTH(FN(LOW(a), LOW(b), LOW(c) __VA_OPT__(, ) __VA_ARGS__),              \
		    FN(HIGH(a), HIGH(b), HIGH(c) __VA_OPT__(, ) __VA_ARGS__)))

static u32 is_x2(const struct form *f)
{
	const int t = form_type(f, 0);
	return t == T_f16x2 || t == T_bf16x2;
}

/* --- add, sub, mul ---------------------------------------------------------------------------- */

/* X(op, suffix, .ftz, .sat): in the order of sat_variant. */
#define SAT_VARIANTS(X, OP)       X(OP, , false, false) X(OP, _s, false, true) X(OP, _f, true, false) X(OP, _fs, true, true)
#define VARIANT2(OP, V, FTZ, SAT) HALF2(OP##V, f16, f16_##OP, FTZ, SAT);
#define VARIANT3(OP, V, FTZ, SAT) HALF3(OP##V, f16, f16_##OP, FTZ, SAT);
#define ENTRY(OP, V, ...)         {&OP##V##_f16, &OP##V##_f16x2},
static u32 sat_variant(const struct form *f) { return (form_has(f, M_ftz) ? 2u : 0u) + (form_has(f, M_sat) ? 1u : 0u); }

#define PICK_SAT(OP)                                                                          \
	static const struct meaning *pick_##OP##_f16(const struct form *f)                    \
	{                                                                                     \
		static const struct meaning *const variants[][2] = {SAT_VARIANTS(ENTRY, OP)}; \
		return variants[sat_variant(f)][is_x2(f)];                                    \
	}
#define ARITHMETIC(OP)              \
	SAT_VARIANTS(VARIANT2, OP)  \
	HALF2(OP, bf16, bf16_##OP); \
	PICK_SAT(OP)                \
	PICK2(OP##_bf16, is_x2(f), OP##_bf16x2)
ARITHMETIC(add)
ARITHMETIC(sub)
ARITHMETIC(mul)

/* --- fma -------------------------------------------------------------------------------------- */

HALF3(fma, f16, f16_fma, false, false, false);
HALF3(fma_s, f16, f16_fma, false, true, false);
HALF3(fma_r, f16, f16_fma, false, false, true);
HALF3(fma_f, f16, f16_fma, true, false, false);
HALF3(fma_fs, f16, f16_fma, true, true, false);
HALF3(fma_fr, f16, f16_fma, true, false, true);
HALF3(fma, bf16, bf16_fma, false);
HALF3(fma_r, bf16, bf16_fma, true);
HALF3(fma_oob, f16, f16_fma_oob, false);
HALF3(fma_oob_r, f16, f16_fma_oob, true);
HALF3(fma_oob_s, f16, f16_fma_oob_sat);
HALF3(fma_oob, bf16, bf16_fma_oob, false);
HALF3(fma_oob_r, bf16, bf16_fma_oob, true);

/* What sub of a product contracts to: a * b - c, c - a * b, and -(a * b) - c. */
#define f16_fms(a, b, c, ftz, sat)  f16_fma(a, b, (c) ^ HALF_SIGN, ftz, sat, false)
#define f16_fnm(a, b, c, ftz, sat)  f16_fma((a) ^ HALF_SIGN, b, c, ftz, sat, false)
#define bf16_fms(a, b, c, relu)     bf16_fma(a, b, (c) ^ HALF_SIGN, relu)
#define bf16_fnm(a, b, c, relu)     bf16_fma((a) ^ HALF_SIGN, b, c, relu)
#define f16_fnms(a, b, c, ftz, sat) f16_fma((a) ^ HALF_SIGN, b, (c) ^ HALF_SIGN, ftz, sat, false)
#define bf16_fnms(a, b, c, relu)    bf16_fma((a) ^ HALF_SIGN, b, (c) ^ HALF_SIGN, relu)
#define CONTRACTED(OP)                     \
	SAT_VARIANTS(VARIANT3, OP)         \
	HALF3(OP, bf16, bf16_##OP, false); \
	PICK_SAT(OP)                       \
	PICK2(OP##_bf16, is_x2(f), OP##_bf16x2)
CONTRACTED(fms)
CONTRACTED(fnm)
CONTRACTED(fnms)

static const struct meaning *pick_fma_f16(const struct form *f)
{
	static const struct meaning *const variants[2][3][2] = {
		{{&fma_f16, &fma_f16x2}, {&fma_s_f16, &fma_s_f16x2}, {&fma_r_f16, &fma_r_f16x2}},
		{{&fma_f_f16, &fma_f_f16x2}, {&fma_fs_f16, &fma_fs_f16x2}, {&fma_fr_f16, &fma_fr_f16x2}},
	};
	const u32 clamp = form_has(f, M_relu) ? 2 : form_has(f, M_sat);
	return variants[form_has(f, M_ftz)][clamp][is_x2(f)];
}

static const struct meaning *pick_fma_bf16(const struct form *f)
{
	static const struct meaning *const variants[2][2] = {
		{&fma_bf16, &fma_bf16x2},
		{&fma_r_bf16, &fma_r_bf16x2},
	};
	return variants[form_has(f, M_relu)][is_x2(f)];
}

static const struct meaning *pick_fma_oob(const struct form *f)
{
	static const struct meaning *const variants[2][2][2] = {
		{{&fma_oob_f16, &fma_oob_f16x2}, {&fma_oob_r_f16, &fma_oob_r_f16x2}},
		{{&fma_oob_bf16, &fma_oob_bf16x2}, {&fma_oob_r_bf16, &fma_oob_r_bf16x2}},
	};
	const int t = form_type(f, 0);
	return variants[t == T_bf16 || t == T_bf16x2][form_has(f, M_relu)][is_x2(f)];
}

static const struct meaning *pick_fma_oob_sat(const struct form *f)
{
	return is_x2(f) ? &fma_oob_s_f16x2 : &fma_oob_s_f16;
}

/* --- abs, neg --------------------------------------------------------------------------------- */

#define SIGN_VARIANTS(OP)                                               \
	{                                                               \
		{&OP##_f16, &OP##_f16x2}, {&OP##_f_f16, &OP##_f_f16x2}, \
	}
#define SIGNS(OP)                                                                     \
	HALF1(OP, f16, f16_##OP, false);                                              \
	HALF1(OP##_f, f16, f16_##OP, true);                                           \
	HALF1(OP, bf16, bf16_##OP);                                                   \
	static const struct meaning *pick_##OP##_f16(const struct form *f)            \
	{                                                                             \
		static const struct meaning *const variants[][2] = SIGN_VARIANTS(OP); \
		return variants[form_has(f, M_ftz)][is_x2(f)];                        \
	}                                                                             \
	PICK2(OP##_bf16, is_x2(f), OP##_bf16x2)
SIGNS(abs)
SIGNS(neg)

/* --- min, max --------------------------------------------------------------------------------- */

/* X(op, suffix, .NaN, .xorsign.abs), and X(op, suffix, .ftz, .NaN, .xorsign.abs): in the order of min_max_variant. */
/* clang-format off */
#define BF16_VARIANTS(X, OP) X(OP, , false, false) X(OP, _x, false, true) X(OP, _n, true, false) X(OP, _nx, true, true)
#define F16_VARIANTS(X, OP)                                                                     \
	X(OP, , false, false, false) X(OP, _x, false, false, true)                              \
	X(OP, _n, false, true, false) X(OP, _nx, false, true, true)                             \
	X(OP, _f, true, false, false) X(OP, _fx, true, false, true)                             \
	X(OP, _fn, true, true, false) X(OP, _fnx, true, true, true)
/* clang-format on */
#define MIN_MAX_F16(OP, V, FTZ, NAN_, XORSIGN) HALF2(OP##V, f16, f16_##OP, FTZ, NAN_, XORSIGN);
#define MIN_MAX_BF16(OP, V, NAN_, XORSIGN)     HALF2(OP##V, bf16, bf16_##OP, NAN_, XORSIGN);
#define BF16_ENTRY(OP, V, ...)                 {&OP##V##_bf16, &OP##V##_bf16x2},
static u32 min_max_variant(const struct form *f)
{
	return 4 * form_has(f, M_ftz) + 2 * form_has(f, M_NaN) + form_has(f, M_xorsign);
}
static bool is_f16(const struct form *f) { return form_type(f, 0) == T_f16 || form_type(f, 0) == T_f16x2; }

#define MIN_MAX(OP)                                                                             \
	F16_VARIANTS(MIN_MAX_F16, OP)                                                           \
	BF16_VARIANTS(MIN_MAX_BF16, OP)                                                         \
	static const struct meaning *pick_##OP##_half(const struct form *f)                     \
	{                                                                                       \
		static const struct meaning *const f16[][2] = {F16_VARIANTS(ENTRY, OP)};        \
		static const struct meaning *const bf16[][2] = {BF16_VARIANTS(BF16_ENTRY, OP)}; \
		return (is_f16(f) ? f16 : bf16)[min_max_variant(f)][is_x2(f)];                  \
	}
MIN_MAX(min)
MIN_MAX(max)

/* --- rows ------------------------------------------------------------------------------------- */

#define F16  "(.f16|.f16x2)"
#define BF16 "(.bf16|.bf16x2)"

#define ARITHMETIC_ROWS(OP, DOC)                                                     \
	ROW(#OP "[.rn][.ftz][.sat]" F16, "=0 0 0", 42, 53, 0, pick_##OP##_f16, DOC), \
		ROW(#OP "[.rn]" BF16, "=0 0 0", 78, 90, 0, pick_##OP##_bf16, DOC)
#define SIGN_ROWS(OP, PTX, DOC)                                          \
	ROW(#OP "[.ftz]" F16, "=0 0", PTX, 53, 0, pick_##OP##_f16, DOC), \
		ROW(#OP BF16, "=0 0", 70, 80, 0, pick_##OP##_bf16, DOC)
#define MIN_MAX_ROWS(OP, DOC)                                                                        \
	ROW(#OP "[.ftz][.NaN]" F16, "=0 0 0", 70, 80, 0, pick_##OP##_half, DOC),                     \
		ROW(#OP "[.ftz][.NaN].xorsign.abs" F16, "=0 0 0", 72, 86, 0, pick_##OP##_half, DOC), \
		ROW(#OP "[.NaN]" BF16, "=0 0 0", 70, 80, 0, pick_##OP##_half, DOC),                  \
		ROW(#OP "[.NaN].xorsign.abs" BF16, "=0 0 0", 72, 86, 0, pick_##OP##_half, DOC)

static const struct isa_row rows_half[] = {
	ARITHMETIC_ROWS(add, "Adds two values."),
	ARITHMETIC_ROWS(sub, "Subtracts b from a."),
	ARITHMETIC_ROWS(mul, "Multiplies two values."),
	ROW("%fms.rn[.ftz][.sat]" F16, "=0 0 0 0", 10, 10, 0, pick_fms_f16,
	    "a * b - c, rounded once: a contracted sub."),
	ROW("%fnm.rn[.ftz][.sat]" F16, "=0 0 0 0", 10, 10, 0, pick_fnm_f16,
	    "c - a * b, rounded once: a contracted sub."),
	ROW("%fnms.rn[.ftz][.sat]" F16, "=0 0 0 0", 10, 10, 0, pick_fnms_f16,
	    "-(a * b) - c, rounded once: a contracted sub."),
	ROW("%fms.rn" BF16, "=0 0 0 0", 10, 10, 0, pick_fms_bf16, "a * b - c, rounded once: a contracted sub."),
	ROW("%fnm.rn" BF16, "=0 0 0 0", 10, 10, 0, pick_fnm_bf16, "c - a * b, rounded once: a contracted sub."),
	ROW("%fnms.rn" BF16, "=0 0 0 0", 10, 10, 0, pick_fnms_bf16, "-(a * b) - c, rounded once: a contracted sub."),
	ROW("fma.rn[.ftz][.sat]" F16, "=0 0 0 0", 42, 53, 0, pick_fma_f16, "a * b + c, rounded once."),
	ROW("fma.rn[.ftz].relu" F16, "=0 0 0 0", 70, 80, 0, pick_fma_f16, "a * b + c; negative results become 0."),
	ROW("fma.rn[.relu]" BF16, "=0 0 0 0", 70, 80, 0, pick_fma_bf16, "a * b + c, rounded once."),
	ROW("fma.rn.sat.oob(.f16|.f16x2)", "=0 0 0 0", 81, 90, 0, pick_fma_oob_sat,
	    "a * b + c within [0, 1]; 0 where a factor is the out-of-bounds NaN. Beyond the manual."),
	ROW("fma.rn.oob[.relu](.f16|.f16x2|.bf16|.bf16x2)", "=0 0 0 0", 81, 90, 0, pick_fma_oob,
	    "a * b + c; 0 where a factor is the out-of-bounds NaN."),
	SIGN_ROWS(neg, 60, "Changes the sign."),
	SIGN_ROWS(abs, 65, "Absolute value."),
	MIN_MAX_ROWS(min, "The lesser; a number before a NaN, or with .NaN the NaN."),
	MIN_MAX_ROWS(max, "The greater; a number before a NaN, or with .NaN the NaN."),
};
FAMILY(family_half, "Half-precision floating-point arithmetic", CLASS_BY_TYPE, rows_half);
