/* SPDX-License-Identifier: Apache-2.0
 *
 * Extended-precision arithmetic (PTX ISA 9.7.2): rows and meanings. The carry flag CC.CF is a bit
 * for each lane in warp.carry.
 *
 * A subtraction is a + ~b + carry, and sub.cc leaves that sum's carry: set where nothing was
 * borrowed (recorded: addc after sub.cc, subc after add.cc).
 */
#include "number/integer.h"
#include "sem/lanes.h"
#include "sem/pick.h"

/* EXTENDED(name, width, sources, x, y, carry in, writes the flag): d = x + y + carry, modulo the width. NAME_sums
 * gives all lanes' sums and which of them carried. The operand c of instructions that have only two sources is a again,
 * unread. */
#define EXTENDED(NAME, W, SOURCES, X, Y, CARRY_IN, WRITE_FLAG)            \
	EXTENDED_SUMS(NAME, W, SOURCES, X, Y, CARRY_IN)                   \
	MEANING_FUNCTION(NAME)                                            \
	{                                                                 \
		u##W sums[WARP_LANES] __attribute__((aligned(64)));       \
		const u32 carried = NAME##_sums(i, rows, w->carry, sums); \
		merge_row(rows + i->d, sums, sizeof sums[0], mask);       \
		if (WRITE_FLAG)                                           \
			w->carry = (w->carry & ~mask) | (carried & mask); \
		return i + 1;                                             \
	}                                                                 \
	MEANING(NAME)
#define EXTENDED_SUMS(NAME, W, SOURCES, X, Y, CARRY_IN)                                                      \
	ALWAYS_INLINE u32 NAME##_sums(const struct insn *i, const u8 *rows, u32 flag, u##W sums[WARP_LANES]) \
	{                                                                                                    \
		const u##W *pa = ROW_OF(u##W, i->a), *pb = ROW_OF(u##W, i->b);                               \
		const u##W *pc = ROW_OF(u##W, SOURCES == 3 ? i->c : i->a);                                   \
		s##W out[WARP_LANES] __attribute__((aligned(64)));                                           \
		EACH_LANE                                                                                    \
			EXTENDED_LANE(W, X, Y, CARRY_IN)                                                     \
		return pack_lanes##W(out);                                                                   \
	}
#define EXTENDED_LANE(W, X, Y, CARRY_IN)                                                            \
	{                                                                                           \
		const u##W a = pa[l], b = pb[l], c = pc[l], carry = LANE_ON(u##W, flag, l) ? 1 : 0; \
		const u##W x = (X), sum = x + (Y);                                                  \
		(void)c, (void)b, (void)carry;                                                      \
		sums[l] = sum + (CARRY_IN);                                                         \
		out[l] = ((sum < x) | (sums[l] < sum)) ? -1 : 0;                                    \
	}

/* clang-format off */
#define EXTENDED_SUMS_OF(W)                                                                            \
	EXTENDED(add_cc_##W, W, 2, a, b, 0, true);                                                     \
	EXTENDED(addc_##W, W, 2, a, b, carry, false);                                                  \
	EXTENDED(addc_cc_##W, W, 2, a, b, carry, true);                                                \
	EXTENDED(sub_cc_##W, W, 2, a, ~b, 1, true);                                                    \
	EXTENDED(subc_##W, W, 2, a, ~b, carry, false);                                                 \
	EXTENDED(subc_cc_##W, W, 2, a, ~b, carry, true);                                               \
	EXTENDED(mad_lo_cc_##W, W, 3, a * b, c, 0, true);                                               \
	EXTENDED(madc_lo_##W, W, 3, a * b, c, carry, false);                                            \
	EXTENDED(madc_lo_cc_##W, W, 3, a * b, c, carry, true)
/* clang-format on */
#define EXTENDED_HIGH(T, W)                                                       \
	EXTENDED(mad_hi_cc_##T, W, 3, (u##W)int_mul_hi_##T(a, b), c, 0, true);    \
	EXTENDED(madc_hi_##T, W, 3, (u##W)int_mul_hi_##T(a, b), c, carry, false); \
	EXTENDED(madc_hi_cc_##T, W, 3, (u##W)int_mul_hi_##T(a, b), c, carry, true)

EXTENDED_SUMS_OF(32);
EXTENDED_SUMS_OF(64);
EXTENDED_HIGH(u32, 32);
EXTENDED_HIGH(s32, 32);
EXTENDED_HIGH(u64, 64);
EXTENDED_HIGH(s64, 64);

/* What only the assembler knows: those of 16 bits, which neither take nor give a carry above bit 15, and those
 * that saturate. Recorded. */
#define TAKING(NAME, RESULT)                                                                 \
	MEANING_FUNCTION(NAME)                                                               \
	{                                                                                    \
		u32 *d = ROW_OF(u32, i->d);                                                  \
		const u32 *pa = ROW_OF(u32, i->a), *pb = ROW_OF(u32, i->b), flag = w->carry; \
		const u32 *pc = i->c == NO_OPERAND ? pa : ROW_OF(u32, i->c);                 \
		LANE_BODY(u32, TAKING_LANE, RESULT)                                          \
		return i + 1;                                                                \
	}                                                                                    \
	MEANING(NAME);                                                                       \
	PICK_ONE(NAME)
#define TAKING_LANE                                                                       \
	const u32 a = pa[l], b = pb[l], c = pc[l], carry = LANE_ON(u32, flag, l) ? 1 : 0; \
	(void)c

static inline u32 clamped(s64 x) { return (u32)(x < INT32_MIN ? INT32_MIN : x > INT32_MAX ? INT32_MAX : (s32)x); }

TAKING(addc_16, (u16)(a + b + carry))
TAKING(subc_16, (u16)(a + ~b + carry))
TAKING(madc_lo_16, (u16)((a & 0xffff) * (b & 0xffff) + c + carry))
TAKING(addc_sat, clamped((s64)(s32)a + (s32)b + carry))
TAKING(subc_sat, clamped((s64)(s32)a + (s32)~b + carry))

PICK_WIDTH_32_64(add_cc)
PICK_WIDTH_32_64(addc)
PICK_WIDTH_32_64(addc_cc)
PICK_WIDTH_32_64(sub_cc)
PICK_WIDTH_32_64(subc)
PICK_WIDTH_32_64(subc_cc)
PICK_WIDTH_32_64(mad_lo_cc)
PICK_WIDTH_32_64(madc_lo)
PICK_WIDTH_32_64(madc_lo_cc)
PICK_SIGNS_32_64(mad_hi_cc)
PICK_SIGNS_32_64(madc_hi)
PICK_SIGNS_32_64(madc_hi_cc)

/* 64-bit types came later where the flag is set. */
#define EXTENDED_ROWS(FORM, OPERANDS, PTX, SM, PICK, DOC)         \
	ROW(FORM "(.u32|.s32)", OPERANDS, PTX, SM, 0, PICK, DOC), \
		ROW(FORM "(.u64|.s64)", OPERANDS, 43, 20, 0, PICK, DOC)
#define TAKING_ROW(FORM, OPERANDS, PTX, SM, PICK, DOC) \
	ROW(FORM "(.u32|.s32|.u64|.s64)", OPERANDS, PTX, SM, 0, PICK, DOC)

static const struct isa_row rows_extended[] = {
	EXTENDED_ROWS("add.cc", "=0 0 0", 12, 10, pick_add_cc, "Adds and sets the carry flag."),
	TAKING_ROW("addc", "=0 0 0", 12, 10, pick_addc, "Adds with the carry flag."),
	ROW("addc.u16", "=0 0 0", 12, 10, 0, pick_addc_16, "Adds with the carry flag. Beyond the manual."),
	ROW("addc.sat.s32", "=0 0 0", 12, 10, 0, pick_addc_sat,
	    "Adds with the carry flag, clamped. Beyond the manual."),
	EXTENDED_ROWS("addc.cc", "=0 0 0", 12, 10, pick_addc_cc, "Adds with the carry flag and sets it."),
	EXTENDED_ROWS("sub.cc", "=0 0 0", 13, 10, pick_sub_cc, "Subtracts and sets the carry flag."),
	TAKING_ROW("subc", "=0 0 0", 13, 10, pick_subc, "Subtracts with the borrow."),
	ROW("subc.u16", "=0 0 0", 13, 10, 0, pick_subc_16, "Subtracts with the borrow. Beyond the manual."),
	ROW("subc.sat.s32", "=0 0 0", 13, 10, 0, pick_subc_sat,
	    "Subtracts with the borrow, clamped. Beyond the manual."),
	EXTENDED_ROWS("subc.cc", "=0 0 0", 13, 10, pick_subc_cc, "Subtracts with the borrow and sets the flag."),
	EXTENDED_ROWS("mad.lo.cc", "=0 0 0 0", 30, 20, pick_mad_lo_cc, "mad.lo that sets the carry flag."),
	EXTENDED_ROWS("mad.hi.cc", "=0 0 0 0", 30, 20, pick_mad_hi_cc, "mad.hi that sets the carry flag."),
	TAKING_ROW("madc.lo", "=0 0 0 0", 30, 20, pick_madc_lo, "mad.lo with the carry flag."),
	TAKING_ROW("madc.hi", "=0 0 0 0", 30, 20, pick_madc_hi, "mad.hi with the carry flag."),
	ROW("madc.lo.u16", "=0 0 0 0", 30, 20, 0, pick_madc_lo_16, "mad.lo with the carry flag. Beyond the manual."),
	ROW("madc.hi.sat.s32", "=0 0 0 0", 30, 20, 0, pick_madc_hi, "The same as madc.hi. Beyond the manual."),
	EXTENDED_ROWS("madc.lo.cc", "=0 0 0 0", 30, 20, pick_madc_lo_cc, "mad.lo with the carry flag, which it sets."),
	EXTENDED_ROWS("madc.hi.cc", "=0 0 0 0", 30, 20, pick_madc_hi_cc, "mad.hi with the carry flag, which it sets."),
};
FAMILY(family_extended, "Extended-precision integer arithmetic", CLASS_BY_TYPE, rows_extended);
