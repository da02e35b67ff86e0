/* SPDX-License-Identifier: Apache-2.0
 *
 * SASS: floating-point arithmetic. As in PTX's families, one meaning serves all roundings and .FTZ
 * by the mode, and NaNs follow the same rules: no machine of that time was at hand to ask.
 * The special-function unit is that of later machines, whose results fit in the same error bounds.
 */
#include "number/mufu.h"
#include "sem/floats.h"
#include "sem/sass.h"

/* --- f32 ------------------------------------------------------------------------------------ */

FLANE2(fadd, f32, f32, f32, one_nan(add32(i, a, b)));
FLANE2(fadd_sat, f32, f32, f32, saturate32(add32(i, a, b)));
FLANE2(fmul, f32, f32, f32, one_nan(mul32(i, a, b)));
FLANE2(fmul_sat, f32, f32, f32, saturate32(mul32(i, a, b)));
FLANE3(ffma, f32, f32, f32, f32, one_nan(fma32(i, a, b, c)));
FLANE3(ffma_sat, f32, f32, f32, f32, saturate32(fma32(i, a, b, c)));
PICK_SASS(fadd, form_has_word(f, "SAT") ? &fadd_sat : &fadd)
PICK_SASS(fmul, form_has_word(f, "SAT") ? &fmul_sat : &fmul)
PICK_SASS(ffma, form_has_word(f, "SAT") ? &ffma_sat : &ffma)

static u32 word_ftz(const struct form *f) { return form_has_word(f, "FTZ"); }

/* Where the predicate holds the lesser, elsewhere the greater. */
LANE_FUNCTION(fmnmx)
{
	u32 *d = ROW_OF(u32, i->d);
	const u32 *pa = ROW_OF(u32, i->a), *pb = ROW_OF(u32, i->b), *list = warp_operands(w, i);
	const u32 lesser = PRED_SOURCE(i, list[SASS_S], 0);
	const bool ftz = list[SASS_WORD];

	EACH_LANE {
		const u32 value = f32_pick(pa[l], pb[l], !(lesser & lane_bit[l]), ftz, false, false);
		d[l] = mask & lane_bit[l] ? value : d[l];
	}
	return i + 1;
}
MEANING_WORD(fmnmx, word_ftz);
PICK_SASS(fmnmx, &fmnmx)

/* --- The special-function unit -------------------------------------------------------------- */

/* RRO makes the argument of MUFU: for sine and cosine revolutions, for powers of two the number
 * itself. What the machine puts into the register between the two is not known. */
SASS_LANES(mufu_rcp_lanes, mufu_rcp(a));
SASS_LANES(mufu_rsq_lanes, mufu_rsqrt(a));
SASS_LANES(mufu_ex2_lanes, mufu_ex2(a));
SASS_LANES(mufu_lg2_lanes, mufu_lg2(a));
SASS_LANES(mufu_sin_lanes, mufu_sin(a));
SASS_LANES(mufu_cos_lanes, mufu_cos(a));
SASS_LANES(mufu_rcp64h_lanes, mufu_rcp64h(a));
SASS_LANES(mufu_rsq64h_lanes, mufu_rsqrt64h(a));
LANE_FUNCTION(rro_sincos)
{
	u32 *d = ROW_OF(u32, i->d);
	const u32 *pa = ROW_OF(u32, i->a);

	fp_enter(w, FP_RN);
	LANE_BODY(u32, (void)0, mufu_revolutions(pa[l]))
	return i + 1;
}
MEANING(rro_sincos);
SASS_LANES(rro_ex2, a);

PICK_SASS(mufu, form_has_word(f, "RCP")      ? &mufu_rcp_lanes
		: form_has_word(f, "RSQ")    ? &mufu_rsq_lanes
		: form_has_word(f, "EX2")    ? &mufu_ex2_lanes
		: form_has_word(f, "LG2")    ? &mufu_lg2_lanes
		: form_has_word(f, "SIN")    ? &mufu_sin_lanes
		: form_has_word(f, "COS")    ? &mufu_cos_lanes
		: form_has_word(f, "RCP64H") ? &mufu_rcp64h_lanes
					     : &mufu_rsq64h_lanes)
PICK_SASS(rro, form_has_word(f, "EX2") ? &rro_ex2 : &rro_sincos)

/* --- f64 in pairs --------------------------------------------------------------------------- */

static inline f64 pair_of(const u32 *row, u32 l) { return f64_of_bits(row[l] | (u64)row[l + WARP_LANES] << 32); }

/* Doubles into a pair of rows. */
ALWAYS_INLINE void write_pairs(u8 *rows, u32 offset, u32 mask, const f64 r[WARP_LANES])
{
	u32 *d = ROW_OF(u32, offset);

	EACH_LANE {
		d[l] = mask & lane_bit[l] ? (u32)bits_of_f64(r[l]) : d[l];
		d[l + WARP_LANES] = mask & lane_bit[l] ? (u32)(bits_of_f64(r[l]) >> 32) : d[l + WARP_LANES];
	}
}

/* PAIRS(name, expression in a, b, c), which sees what PRE declares. All lanes are computed before one is written. */
#define PAIRS_LANE(EXPR)                                                                             \
	{                                                                                            \
		const f64 a = pair_of(pa, (u32)l), b = pair_of(pb, (u32)l), c = pair_of(pc, (u32)l); \
		(void)c;                                                                             \
		r[l] = (EXPR);                                                                       \
	}
#define PAIRS_PRE(NAME, PRE, EXPR)                                                                   \
	LANE_FUNCTION(NAME)                                                                          \
	{                                                                                            \
		const u32 *pa = ROW_OF(u32, i->a), *pb = ROW_OF(u32, i->b), *pc = ROW_OF(u32, i->c); \
		f64 r[WARP_LANES] __attribute__((aligned(64)));                                      \
		PRE;                                                                                 \
		fp_enter(w, i->fp);                                                                  \
		EACH_LANE                                                                            \
			PAIRS_LANE(EXPR)                                                             \
		write_pairs(rows, i->d, mask, r);                                                    \
		return i + 1;                                                                        \
	}
#define PAIRS(NAME, EXPR)              \
	PAIRS_PRE(NAME, (void)0, EXPR) \
	MEANING(NAME);                 \
	PICK_SASS(NAME, &NAME)
/* clang-format off */
PAIRS(dadd, nan_of2(add64(i, a, b), b, a))
PAIRS(dmul, nan_of2(mul64(i, a, b), b, a))
PAIRS(dfma, nan_of3(fma64(i, a, b, c), b, c, a))
/* clang-format on */

PAIRS_PRE(dmnmx, const u32 lesser = PRED_SOURCE(i, warp_operands(w, i)[SASS_S], 0),
	  f64_of_bits(f64_pick(bits_of_f64(a), bits_of_f64(b), !(lesser & lane_bit[l]))))
MEANING(dmnmx);
PICK_SASS(dmnmx, &dmnmx)

/* --- Rows ----------------------------------------------------------------------------------- */

#define ROUND "[.RN|.RM|.RP|.RZ]"

static const struct isa_row rows_float[] = {
	FERMI("FADD[.FTZ]" ROUND "[.SAT]", "D -|R -|S", SASS_FLOAT, pick_fadd, "Adds."),
	FERMI("FADD32I[.FTZ]", "D -|R I", SASS_FLOAT, pick_fadd, "Adds a number of 32 bits."),
	FERMI("FMUL[.FTZ]" ROUND "[.SAT]", "D -R -S", SASS_FLOAT, pick_fmul, "Multiplies."),
	FERMI("FMUL32I[.FTZ][.SAT]", "D -R I", SASS_FLOAT, pick_fmul, "Multiplies by a number of 32 bits."),
	FERMI("FFMA[.FTZ]" ROUND "[.SAT]", "D -R -S -S", SASS_FLOAT, pick_ffma, "Multiplies and adds, rounding once."),
	FERMI("FFMA32I[.FTZ]", "D -R I -R", SASS_FLOAT, pick_ffma, "Multiplies and adds, rounding once."),
	FERMI("FMNMX[.FTZ]", "D -|R -|S p", SASS_FLOAT, pick_fmnmx,
	      "The lesser where a predicate holds, else the greater."),
	FERMI("MUFU(.COS|.SIN|.EX2|.LG2|.RCP|.RSQ|.RCP64H|.RSQ64H)", "D -|R", SASS_FLOAT, pick_mufu,
	      "Approximates a function; .RCP64H and .RSQ64H the upper words of doubles."),
	FERMI("RRO(.SINCOS|.EX2)", "D -|S", SASS_FLOAT, pick_rro, "Makes the argument of MUFU."),
	FERMI("DADD" ROUND, "D2 -|R2 -|S2", SASS_FLOAT | WITH(TRAIT_DOUBLES), pick_dadd, "Adds doubles."),
	FERMI("DMUL" ROUND, "D2 -R2 -S2", SASS_FLOAT | WITH(TRAIT_DOUBLES), pick_dmul, "Multiplies doubles."),
	FERMI("DFMA" ROUND, "D2 -R2 -S2 -S2", SASS_FLOAT | WITH(TRAIT_DOUBLES), pick_dfma,
	      "Multiplies and adds doubles, rounding once."),
	FERMI("DMNMX", "D2 -|R2 -|S2 p", SASS_FLOAT | WITH(TRAIT_DOUBLES), pick_dmnmx,
	      "The lesser where a predicate holds, else the greater."),
};
FAMILY(sass_float, "SASS: floating point", CLASS_BY_TYPE, rows_float);
