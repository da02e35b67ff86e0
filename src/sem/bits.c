/* SPDX-License-Identifier: Apache-2.0
 *
 * Counting bits, finding them, and bit fields (PTX ISA 9.7.1): rows and meanings. The arithmetic,
 * with what is defined for positions and lengths of any value, is in number/integer.h.
 */
#include "number/integer.h"
#include "isa/expanded.h"
#include "sem/pick.h"

LANE1(popc_b32, u32, u32, int_popc32(a));
LANE1(popc_b64, u32, u64, int_popc64(a));
LANE1(clz_b32, u32, u32, int_clz32(a));
LANE1(clz_b64, u32, u64, int_clz64(a));
LANE1(brev_b32, u32, u32, int_brev32(a));
LANE1(brev_b64, u64, u64, int_brev64(a));
PICK_BITS_32_64(popc)
PICK_BITS_32_64(clz)
PICK_BITS_32_64(brev)

LANE1(bfind_u32, u32, u32, int_bfind32(a));
LANE1(bfind_s32, u32, u32, int_bfind32(int_unsign32(a)));
LANE1(bfind_u64, u32, u64, int_bfind64(a));
LANE1(bfind_s64, u32, u64, int_bfind64(int_unsign64(a)));
LANE1(bfind_shift_u32, u32, u32, int_bfind_shift32(a));
LANE1(bfind_shift_s32, u32, u32, int_bfind_shift32(int_unsign32(a)));
LANE1(bfind_shift_u64, u32, u64, int_bfind_shift64(a));
LANE1(bfind_shift_s64, u32, u64, int_bfind_shift64(int_unsign64(a)));
PICK_SIGNS_32_64(bfind)
PICK_SIGNS_32_64(bfind_shift)

LANE3(bfe_u32, u32, u32, u32, u32, int_bfe_u32(a, b, c));
LANE3(bfe_s32, u32, s32, u32, u32, int_bfe_s32(a, b, c));
LANE3(bfe_u64, u64, u64, u32, u32, int_bfe_u64(a, b, c));
LANE3(bfe_s64, u64, s64, u32, u32, int_bfe_s64(a, b, c));
LANE1(bfe_ones, u32, u32, (a & 0) - 1);
static const struct meaning *pick_bfe(const struct form *f)
{
	/* Operands are d, a, position, length. The assembler takes a field of a register that starts,
	 * by a constant, beyond the sign for all ones (recorded for bfe.s32 32, 1). */
	const bool constants_only = (f->constant_mask & 0xe) == 0xc;

	switch (form_type(f, 0)) {
	case T_u32:
		return &bfe_u32;
	case T_s32:
		return constants_only && f->constants[2] > 31 && f->constants[3] ? &bfe_ones : &bfe_s32;
	case T_u64:
		return &bfe_u64;
	default:
		return &bfe_s64;
	}
}

/* bfi has four sources, so its operands stand in a list: d, a, b, position, length. */
#define BFI(NAME, T)                                                                                \
	LANE_FUNCTION(NAME)                                                                         \
	{                                                                                           \
		const u32 *operands = warp_operands(w, i);                                          \
		ROW_##T *d = ROW_OF(T, operands[0]);                                                \
		const ROW_##T *pa = ROW_OF(T, operands[1]), *pb = ROW_OF(T, operands[2]);           \
		const u32 *position = ROW_OF(u32, operands[3]), *length = ROW_OF(u32, operands[4]); \
		if (operands[0] != NO_OPERAND)                                                      \
			LANE_BODY(T, (void)0, int_##NAME(pa[l], pb[l], position[l], length[l]))     \
		return i + 1;                                                                       \
	}                                                                                           \
	MEANING_EACH(NAME)
BFI(bfi_b32, b32);
BFI(bfi_b64, b64);
PICK_BITS_32_64(bfi)

ONE2(bmsk_clamp, u32, int_bmsk_clamp(a, b))
ONE2(bmsk_wrap, u32, int_bmsk_wrap(a, b))

LANE2(szext_clamp_u32, u32, u32, u32, int_szext_u32(a, b));
LANE2(szext_clamp_s32, u32, u32, u32, int_szext_s32(a, b));
LANE2(szext_wrap_u32, u32, u32, u32, int_szext_u32(a, b & 31));
LANE2(szext_wrap_s32, u32, u32, u32, int_szext_s32(a, b & 31));
PICK_SIGNS_32(szext_clamp)
PICK_SIGNS_32(szext_wrap)

LANE3(fns, u32, u32, u32, s32, int_find_nth_set(a, b, c));
PICK_ONE(fns)

static const struct isa_row rows_bits[] = {
	ROW("popc" TYPES_BITS_32_64, "=u32 0", 20, 20, 0, pick_popc, "Counts the ones."),
	ROW("clz" TYPES_BITS_32_64, "=u32 0", 20, 20, 0, pick_clz, "Counts the zeros from the top."),
	ROW("brev" TYPES_BITS_32_64, "=0 0", 20, 20, 0, pick_brev, "Turns the order of the bits around."),
	ROW("bfind" TYPES_SIGNS_32_64, "=u32 0", 20, 20, WITH(TRAIT_EXPANDED_WIDE), pick_bfind,
	    "The place of the highest bit that is not the sign; all ones if there is none."),
	ROW("bfind.shiftamt" TYPES_SIGNS_32_64, "=u32 0", 20, 20, WITH(TRAIT_EXPANDED_WIDE), pick_bfind_shift,
	    "The shift that brings the highest bit that is not the sign to the top."),
	ROW("bfe" TYPES_SIGNS_32_64, "=0 0 u32<0,255> u32<0,255>", 20, 20, 0, pick_bfe,
	    "Takes the field of c bits at bit b out of a, extended by zeros or its sign."),
	ROW("bfi" TYPES_BITS_32_64, "=0 0 0 u32<0,255> u32<0,255>", 20, 20, 0, pick_bfi,
	    "b with a's low d bits put in at bit c."),
	ROW("bmsk.clamp.b32", "=u32 u32 u32", 76, 70, 0, pick_bmsk_clamp, "b ones from bit a on, both clamped to 32."),
	ROW("bmsk.wrap.b32", "=u32 u32 u32", 76, 70, 0, pick_bmsk_wrap, "b ones from bit a on, both modulo 32."),
	ROW("szext.clamp" TYPES_SIGNS_32, "=0 0 u32", 76, 70, 0, pick_szext_clamp,
	    "a's low b bits, extended by zeros or the sign; b clamped to 32."),
	ROW("szext.wrap" TYPES_SIGNS_32, "=0 0 u32", 76, 70, 0, pick_szext_wrap,
	    "a's low b bits, extended by zeros or the sign; b modulo 32."),
	ROW("fns.b32", "=b32 b32 b32 b32", 60, 30, 0, pick_fns,
	    "The place of the c-th one in a, counted from bit b; all ones if there is none."),
};
FAMILY(family_bits, "Bit counts and fields", CLASS_BY_TYPE, rows_bits);
