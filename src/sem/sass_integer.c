/* SPDX-License-Identifier: Apache-2.0
 *
 * SASS: moves, integer arithmetic, logic, shifts, fields, votes, predicates as numbers.
 */
#include "number/integer.h"
#include "sem/sass.h"

/* --- Moves ---------------------------------------------------------------------------------- */

SASS_LANES(mov, a);
PICK_SASS(mov, &mov)

MEANING_FUNCTION(sel)
{
	u32 *d = ROW_OF(u32, i->d);
	const u32 *pa = ROW_OF(u32, i->a), *pb = ROW_OF(u32, i->b);
	const u32 on = PRED_SOURCE(i, warp_operands(w, i)[SASS_S], 0);

	EACH_LANE {
		const u32 value = on & lane_bit[l] ? pa[l] : pb[l];
		d[l] = mask & lane_bit[l] ? value : d[l];
	}
	return i + 1;
}
MEANING(sel);
PICK_SASS(sel, &sel)

enum { PREDICATES = 7 };

/* P2R: the bits of the mask come from the predicates, the others from the source. */
MEANING_FUNCTION(p2r)
{
	u32 *d = ROW_OF(u32, i->d);
	const u32 *pa = ROW_OF(u32, i->a), *pb = ROW_OF(u32, i->b);

	(void)w;
	for (u32 l = 0; l < WARP_LANES; l++) {
		u32 bits = 0;
		for (u32 k = 0; k < PREDICATES; k++)
			bits |= (PRED_OF(SASS_FRAME_PREDICATES + 4 * k) >> l & 1) << k;
		if (mask >> l & 1)
			d[l] = (pa[l] & ~pb[l]) | (bits & pb[l]);
	}
	return i + 1;
}
MEANING(p2r);
PICK_SASS(p2r, &p2r)

MEANING_FUNCTION(r2p)
{
	const u32 *pa = ROW_OF(u32, i->a), *pb = ROW_OF(u32, i->b);

	(void)w;
	for (u32 k = 0; k < PREDICATES; k++) {
		u32 value = 0, chosen = 0;
		for (u32 l = 0; l < WARP_LANES; l++) {
			value |= (pa[l] >> k & 1) << l;
			chosen |= (pb[l] >> k & 1) << l;
		}
		pred_write(rows, SASS_FRAME_PREDICATES + 4 * k, mask & chosen, value);
	}
	return i + 1;
}
MEANING(r2p);
PICK_SASS(r2p, &r2p)

/* --- Sums and products ---------------------------------------------------------------------- */

SASS_ADD(iadd, a, b);
SASS_LANES(iadd_sat, int_clamp_s32((s64)(s32)a + (s32)b + x));
PICK_SASS(iadd, form_has_word(f, "SAT") ? &iadd_sat : WITH_CC(iadd))

/* Which of the factors are signed: bit 0 for a, bit 1 for b. One word is for both; none is signed. */
static u32 word_signs(const struct form *f)
{
	u32 signs = 3, seen = 0;

	for (u32 k = 0; k < f->word_count; k++) {
		const bool is_unsigned = !strcmp(f->words[k], "U32");
		if (!is_unsigned && strcmp(f->words[k], "S32"))
			continue;
		if (!seen++)
			signs = is_unsigned ? 0 : 3;
		else
			signs = (signs & 1) | (is_unsigned ? 0 : 2);
	}
	return signs;
}
/* The upper word of the product: extended to 64 bits, it is right modulo 2^64. */
static inline u32 high_product(u32 a, u32 b, u32 signs)
{
	const u64 wide_a = signs & 1 ? (u64)(s64)(s32)a : a, wide_b = signs & 2 ? (u64)(s64)(s32)b : b;
	return (u32)((wide_a * wide_b) >> 32);
}
/* clang-format off */
SASS_LOGIC(imul, a * b);
/* clang-format on */
SASS_LOGIC_WORD(imul_high, word_signs, high_product(a, b, word));
PICK_SASS(imul, form_has_word(f, "HI") ? WITH_CC(imul_high) : WITH_CC(imul))

/* clang-format off */
SASS_ADD(imad, a * b, c);
/* clang-format on */
SASS_ADD_WORD(imad_high, word_signs, high_product(a, b, word), c);
SASS_LANES_WORD(imad_high_sat, word_signs, int_clamp_s32((s64)(s32)high_product(a, b, word) + (s32)c + x));
PICK_SASS(imad, WITH_CC(imad))
PICK_SASS(imad_high, form_has_word(f, "SAT") ? &imad_high_sat : WITH_CC(imad_high))

SASS_ADD(iscadd, a << (c & 31), b);
PICK_SASS(iscadd, WITH_CC(iscadd))

SASS_LANES(isad_s32, ((s32)a < (s32)b ? b - a : a - b) + c);
SASS_LANES(isad_u32, (a < b ? b - a : a - b) + c);
PICK_SASS(isad, form_has_word(f, "U32") ? &isad_u32 : &isad_s32)

/* Where the predicate holds the lesser, elsewhere the greater. */
#define MINMAX(NAME, T)                                                            \
	MEANING_FUNCTION(NAME)                                                     \
	{                                                                          \
		u32 *d = ROW_OF(u32, i->d);                                        \
		const u32 *pa = ROW_OF(u32, i->a), *pb = ROW_OF(u32, i->b);        \
		const u32 lesser = PRED_SOURCE(i, warp_operands(w, i)[SASS_S], 0); \
		LANE_BODY(u32, const bool less = (T)pa[l] < (T)pb[l],              \
			  less == ((lesser & lane_bit[l]) != 0) ? pa[l] : pb[l])   \
		return i + 1;                                                      \
	}                                                                          \
	MEANING(NAME);
MINMAX(imnmx_s32, s32)
MINMAX(imnmx_u32, u32)
PICK_SASS(imnmx, form_has_word(f, "U32") ? &imnmx_u32 : &imnmx_s32)

/* --- Logic and shifts ----------------------------------------------------------------------- */

/* clang-format off */
SASS_LOGIC(lop_and, a & b);
SASS_LOGIC(lop_or, a | b);
SASS_LOGIC(lop_xor, a ^ b);
SASS_LOGIC(lop_pass, b);
/* clang-format on */
PICK_SASS(lop, form_has_word(f, "AND")   ? WITH_CC(lop_and)
	       : form_has_word(f, "OR")  ? WITH_CC(lop_or)
	       : form_has_word(f, "XOR") ? WITH_CC(lop_xor)
					 : WITH_CC(lop_pass))

SASS_LOGIC(shl, int_shl32(a, b));
SASS_LOGIC(shl_wrap, a << (b & 31));
PICK_SASS(shl, form_has_word(f, "W") ? WITH_CC(shl_wrap) : WITH_CC(shl))

SASS_LOGIC(shr_s32, (u32)int_sar32((s32)a, b));
SASS_LOGIC(shr_u32, int_shr32(a, b));
SASS_LOGIC(shr_s32_wrap, (u32)((s32)a >> (b & 31)));
SASS_LOGIC(shr_u32_wrap, a >> (b & 31));
PICK_SASS(shr, form_has_word(f, "U32") ? form_has_word(f, "W") ? WITH_CC(shr_u32_wrap) : WITH_CC(shr_u32)
	       : form_has_word(f, "W") ? WITH_CC(shr_s32_wrap)
				       : WITH_CC(shr_s32))

/* --- Bits and fields ------------------------------------------------------------------------ */

static inline u32 reversed(u32 a)
{
	a = __builtin_bswap32(a);
	a = (a >> 4 & 0x0f0f0f0f) | (a & 0x0f0f0f0f) << 4;
	a = (a >> 2 & 0x33333333) | (a & 0x33333333) << 2;
	return (a >> 1 & 0x55555555) | (a & 0x55555555) << 1;
}

/* b: the position in its low byte, the length in the next. */
SASS_LANES(bfe_s32, int_bfe_s32((s32)a, b & 0xff, b >> 8 & 0xff));
SASS_LANES(bfe_u32, int_bfe_u32(a, b & 0xff, b >> 8 & 0xff));
SASS_LANES(bfe_s32_reversed, int_bfe_s32((s32)reversed(a), b & 0xff, b >> 8 & 0xff));
SASS_LANES(bfe_u32_reversed, int_bfe_u32(reversed(a), b & 0xff, b >> 8 & 0xff));
PICK_SASS(bfe, form_has_word(f, "U32")    ? form_has_word(f, "BREV") ? &bfe_u32_reversed : &bfe_u32
	       : form_has_word(f, "BREV") ? &bfe_s32_reversed
					  : &bfe_s32)

SASS_LANES(bfi, int_bfi_b32(a, c, b & 0xff, b >> 8 & 0xff));
PICK_SASS(bfi, &bfi)

SASS_LANES(flo_u32, int_bfind32(a));
SASS_LANES(flo_s32, int_bfind32(int_unsign32(a)));
SASS_LANES(flo_u32_shift, int_bfind_shift32(a));
SASS_LANES(flo_s32_shift, int_bfind_shift32(int_unsign32(a)));
PICK_SASS(flo, form_has_word(f, "U32")  ? form_has_word(f, "SH") ? &flo_u32_shift : &flo_u32
	       : form_has_word(f, "SH") ? &flo_s32_shift
					: &flo_s32)

static inline u32 ones(u32 a)
{
	a -= a >> 1 & 0x55555555;
	a = (a & 0x33333333) + (a >> 2 & 0x33333333);
	return ((a + (a >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
}
/* clang-format off */
SASS_LANES(popc_both, ones(a & b));
/* clang-format on */
SASS_LANES(popc, ones(a));
PICK_SASS(popc, &popc)
PICK_SASS(popc_both, &popc_both)

/* The selectors that a mode stands for, n being the low two bits of the operand. */
static inline u32 mode_selectors(u32 mode, u32 n)
{
	u32 selectors = 0;

	for (u32 k = 0; k < 4; k++) {
		const u32 byte = mode == 1   ? n + k
				 : mode == 2 ? (n - k) & 7
				 : mode == 3 ? n
				 : mode == 4 ? (k > n ? k : n)
				 : mode == 5 ? (k < n ? k : n)
					     : (n & 1) * 2 + (k & 1);
		selectors |= byte << 4 * k;
	}
	return selectors;
}
static u32 word_mode(const struct form *f)
{
	static const char *const modes[] = {"F4E", "B4E", "RC8", "ECL", "ECR", "RC16"};

	for (u32 k = 0; k < COUNT_OF(modes); k++)
		if (form_has_word(f, modes[k]))
			return k + 1;
	return 0;
}
SASS_LANES_WORD(prmt, word_mode, int_permute_bytes(a, c, word ? mode_selectors(word, b & 3) : b));
PICK_SASS(prmt, &prmt)

/* --- Votes and predicates ------------------------------------------------------------------- */

/* word: 0 all, 1 any, 2 equal. The register gets the lanes where the predicate holds. */
MEANING_FUNCTION(vote)
{
	const u32 *list = warp_operands(w, i);
	const u32 on = mask & PRED_SOURCE(i, list[SASS_S], 0);
	const bool truth = list[SASS_WORD] == 0 ? on == mask : list[SASS_WORD] == 1 ? on != 0 : on == mask || !on;
	u32 *d = ROW_OF(u32, i->d);

	EACH_LANE
		d[l] = mask & lane_bit[l] ? on : d[l];
	pred_write(rows, list[SASS_P], mask, truth ? mask : 0);
	return i + 1;
}
static u32 word_vote(const struct form *f) { return form_has_word(f, "ALL") ? 0 : form_has_word(f, "ANY") ? 1 : 2; }
MEANING_WORD(vote, word_vote);
PICK_SASS(vote, &vote)

static inline u32 combine(u32 how, u32 a, u32 b) { return how == 0 ? a & b : how == 1 ? a | b : a ^ b; }
static u32 word_combine(const struct form *f)
{
	u32 word = 0, count = 0;

	for (u32 k = 0; k < f->word_count; k++)
		if (strcmp(f->words[k], "BF"))
			word |= (!strcmp(f->words[k], "AND") ? 0 : !strcmp(f->words[k], "OR") ? 1 : 2) << 2 * count++;
	return word | (u32)form_has_word(f, "BF") << 8;
}

MEANING_FUNCTION(psetp)
{
	const u32 *list = warp_operands(w, i), word = list[SASS_WORD];
	const u32 first = combine(word & 3, PRED_SOURCE(i, list[SASS_S], 0), PRED_SOURCE(i, list[SASS_S2], 1));
	const u32 third = PRED_SOURCE(i, list[SASS_S3], 2);

	pred_write(rows, list[SASS_P], mask, combine(word >> 2 & 3, first, third));
	pred_write(rows, list[SASS_Q], mask, combine(word >> 2 & 3, ~first, third));
	return i + 1;
}
MEANING_WORD(psetp, word_combine);
PICK_SASS(psetp, &psetp)

MEANING_FUNCTION(pset)
{
	const u32 *list = warp_operands(w, i), word = list[SASS_WORD];
	const u32 first = combine(word & 3, PRED_SOURCE(i, list[SASS_S], 0), PRED_SOURCE(i, list[SASS_S2], 1));
	const u32 truth = combine(word >> 2 & 3, first, PRED_SOURCE(i, list[SASS_S3], 2));
	const u32 value = word >> 8 ? 0x3f800000 : ~0u;
	u32 *d = ROW_OF(u32, i->d);

	EACH_LANE
		d[l] = mask & lane_bit[l] ? (truth & lane_bit[l] ? value : 0) : d[l];
	return i + 1;
}
MEANING_WORD(pset, word_combine);
PICK_SASS(pset, &pset)

/* --- Rows ----------------------------------------------------------------------------------- */

#define FACTORS "[.U32|.S32][.U32|.S32]"

static const struct isa_row rows_move[] = {
	FERMI("MOV[.U32]", "D S", 0, pick_mov, "Copies."),
	FERMI("MOV32I", "D I", 0, pick_mov, "Sets to a number of 32 bits."),
	FERMI("S2R", "D X", 0, pick_mov, "Reads a special register."),
	FERMI("SEL", "D R S p", 0, pick_sel, "Chooses by a predicate."),
	FERMI("P2R", "D M R S", 0, pick_p2r, "Puts predicates into a register's low bits."),
	FERMI("R2P", "M R S", 0, pick_r2p, "Sets predicates from a register's low bits."),
	FERMI("PRMT[.F4E|.B4E|.RC8|.ECL|.ECR|.RC16]", "D R S S", 0, pick_prmt, "Picks bytes of a pair."),
	FERMI("VOTE(.ALL|.ANY|.EQ)", "D P p", ISA_CROSS_LANE | WITH(TRAIT_VOTES), pick_vote,
	      "Combines a predicate over the active lanes."),
	FERMI("VOTE(.ALL|.ANY|.EQ)", "P p", ISA_CROSS_LANE | WITH(TRAIT_VOTES), pick_vote,
	      "Combines a predicate over the active lanes."),
	FERMI("VOTE(.ALL|.ANY|.EQ)", "D p", ISA_CROSS_LANE | WITH(TRAIT_VOTES), pick_vote,
	      "Gathers a predicate of the active lanes."),
	FERMI("PSETP(.AND|.OR|.XOR)(.AND|.OR|.XOR)", "P P p p p", 0, pick_psetp, "Combines three predicates."),
	FERMI("PSET[.BF](.AND|.OR|.XOR)(.AND|.OR|.XOR)", "D p p p", 0, pick_pset,
	      "Combines three predicates into a number."),
};
FAMILY(sass_move, "SASS: moves and predicates", CLASS_MISC, rows_move);

static const struct isa_row rows_integer[] = {
	FERMI("IADD[.PO][.X]", "D +R +S", SASS_CC, pick_iadd, "Adds or subtracts; .X adds the carry, .PO one."),
	FERMI("IADD.SAT[.X]", "D +R +S", 0, pick_iadd, "Adds or subtracts, within the range of signed numbers."),
	FERMI("IADD32I[.X]", "D -R I", SASS_CC, pick_iadd, "Adds a number of 32 bits."),
	FERMI("IMUL" FACTORS, "D R S", SASS_CC, pick_imul, "The low word of a product."),
	FERMI("IMUL" FACTORS ".HI", "D R S", SASS_CC, pick_imul, "The high word of a product."),
	FERMI("IMUL.HI" FACTORS, "D R S", SASS_CC, pick_imul, "The high word of a product."),
	FERMI("IMUL32I[.HI]" FACTORS "[.HI]", "D R I", SASS_CC, pick_imul,
	      "A word of the product with a number of 32 bits."),
	FERMI("IMAD" FACTORS "[.X]", "D -R S +S", SASS_CC, pick_imad, "The low word of a product, added."),
	FERMI("IMAD32I" FACTORS "[.X]", "D -R I +R", SASS_CC, pick_imad, "The low word of a product, added."),
	FERMI("IMAD" FACTORS ".HI[.X][.SAT]", "D R S +S", SASS_CC, pick_imad_high,
	      "The high word of a product, added."),
	FERMI("IMAD.HI" FACTORS "[.X][.SAT]", "D R S +S", SASS_CC, pick_imad_high,
	      "The high word of a product, added."),
	FERMI("ISCADD", "D -R +S N", SASS_CC, pick_iscadd, "Shifts left and adds."),
	FERMI("ISCADD32I", "D R I N", SASS_CC, pick_iscadd, "Shifts left and adds a number of 32 bits."),
	FERMI("ISAD[.U32|.S32]", "D R S S", 0, pick_isad, "Adds a distance."),
	FERMI("IMNMX[.U32|.S32]", "D R S p", 0, pick_imnmx, "The lesser where a predicate holds, else the greater."),
	FERMI("LOP(.AND|.OR|.XOR|.PASS_B)", "D ~R ~S", SASS_CC, pick_lop, "Combines bits."),
	FERMI("LOP32I(.AND|.OR|.XOR|.PASS_B)", "D ~R I", SASS_CC, pick_lop, "Combines bits with a number of 32 bits."),
	FERMI("SHL[.W]", "D R S", SASS_CC, pick_shl, "Shifts left; by 32 or more gives 0, with .W the count wraps."),
	FERMI("SHR[.U32|.S32][.W]", "D R S", SASS_CC, pick_shr, "Shifts right."),
	FERMI("BFE[.U32|.S32][.BREV]", "D R S", 0, pick_bfe, "Extracts a field; .BREV reverses the bits first."),
	FERMI("BFE.BREV[.U32|.S32]", "D R S", 0, pick_bfe, "Extracts a field of the reversed bits."),
	FERMI("BFI", "D R S S", 0, pick_bfi, "Inserts a field."),
	FERMI("FLO[.U32|.S32][.SH]", "D ~S", 0, pick_flo, "Finds the leading one, or the shift that puts it on top."),
	FERMI("POPC", "D ~R ~S", 0, pick_popc_both, "Counts the ones that two numbers share."),
	FERMI("POPC", "D ~S", 0, pick_popc, "Counts ones."),
};
FAMILY(sass_integer, "SASS: integers", CLASS_INTEGER, rows_integer);
