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

/* The lanes' operand c for instructions that have only two sources is a again, unread. */
#define EXTENDED(NAME, W, SOURCES, X, Y, CARRY_IN, WRITE_FLAG)                                         \
	MEANING_FUNCTION(NAME)                                                                         \
	{                                                                                              \
		u##W *d = ROW_OF(u##W, i->d);                                                          \
		const u##W *pa = ROW_OF(u##W, i->a), *pb = ROW_OF(u##W, i->b);                         \
		const u##W *pc = ROW_OF(u##W, SOURCES == 3 ? i->c : i->a);                             \
		s##W out[WARP_LANES] __attribute__((aligned(64)));                                     \
		const u32 flag = w->carry;                                                             \
		EACH_LANE                                                                              \
		{                                                                                      \
			const u##W a = pa[l], b = pb[l], c = pc[l];                                    \
			const u##W carry = LANE_ON(u##W, flag, l) ? 1 : 0;                             \
			const u##W x = (X), sum = x + (Y), total = sum + (CARRY_IN);                   \
			(void)c, (void)b, (void)carry;                                                 \
			out[l] = ((sum < x) | (total < sum)) ? -1 : 0;                                   \
			d[l] = LANE_ON(u##W, mask, l) ? total : d[l];                                  \
		}                                                                                      \
		if (WRITE_FLAG)                                                                        \
			w->carry = (flag & ~mask) | (pack_lanes##W(out) & mask);                       \
		return i + 1;                                                                          \
	}                                                                                              \
	MEANING(NAME)

#define HI_u32(a, b) (u32)((u64)(a) * (b) >> 32)
#define HI_s32(a, b) (u32)((u64)((s64)(s32)(a) * (s32)(b)) >> 32)
#define HI_u64(a, b) int_mul_hi_u64(a, b)
#define HI_s64(a, b) int_mul_hi_s64(a, b)

#define EXTENDED_WIDTH(W)                                                                              \
	EXTENDED(add_cc_##W, W, 2, a, b, 0, true);                                                     \
	EXTENDED(addc_##W, W, 2, a, b, carry, false);                                                  \
	EXTENDED(addc_cc_##W, W, 2, a, b, carry, true);                                                \
	EXTENDED(sub_cc_##W, W, 2, a, ~b, 1, true);                                                    \
	EXTENDED(subc_##W, W, 2, a, ~b, carry, false);                                                 \
	EXTENDED(subc_cc_##W, W, 2, a, ~b, carry, true);                                               \
	EXTENDED(mad_lo_cc_##W, W, 3, a * b, c, 0, true);                                              \
	EXTENDED(madc_lo_##W, W, 3, a * b, c, carry, false);                                           \
	EXTENDED(madc_lo_cc_##W, W, 3, a * b, c, carry, true);                                         \
	EXTENDED(mad_hi_cc_u##W, W, 3, HI_u##W(a, b), c, 0, true);                                     \
	EXTENDED(mad_hi_cc_s##W, W, 3, HI_s##W(a, b), c, 0, true);                                     \
	EXTENDED(madc_hi_u##W, W, 3, HI_u##W(a, b), c, carry, false);                                  \
	EXTENDED(madc_hi_s##W, W, 3, HI_s##W(a, b), c, carry, false);                                  \
	EXTENDED(madc_hi_cc_u##W, W, 3, HI_u##W(a, b), c, carry, true);                                \
	EXTENDED(madc_hi_cc_s##W, W, 3, HI_s##W(a, b), c, carry, true)

EXTENDED_WIDTH(32);
EXTENDED_WIDTH(64);

/* What only the assembler knows: those of 16 bits, which neither take nor give a carry above bit 15, and those
 * that saturate. Recorded. */
#define TAKING(NAME, RESULT)                                                                           \
	MEANING_FUNCTION(NAME)                                                                         \
	{                                                                                              \
		u32 *d = ROW_OF(u32, i->d);                                                            \
		const u32 *pa = ROW_OF(u32, i->a), *pb = ROW_OF(u32, i->b);                            \
		const u32 *pc = i->c == NO_OPERAND ? pa : ROW_OF(u32, i->c);                           \
		EACH_LANE                                                                              \
		{                                                                                      \
			const u32 a = pa[l], b = pb[l], c = pc[l], carry = LANE_ON(u32, w->carry, l) ? 1 : 0; \
			(void)c;                                                                       \
			d[l] = LANE_ON(u32, mask, l) ? (u32)(RESULT) : d[l];                           \
		}                                                                                      \
		return i + 1;                                                                          \
	}                                                                                              \
	MEANING(NAME)

static inline u32 clamped(s64 x) { return (u32)(x < INT32_MIN ? INT32_MIN : x > INT32_MAX ? INT32_MAX : (s32)x); }

TAKING(addc_16, (u16)(a + b + carry));
TAKING(subc_16, (u16)(a + ~b + carry));
TAKING(madc_lo_16, (u16)((a & 0xffff) * (b & 0xffff) + c + carry));
TAKING(addc_sat, clamped((s64)(s32)a + (s32)b + carry));
TAKING(subc_sat, clamped((s64)(s32)a + (s32)~b + carry));
PICK_ONE(addc_16)
PICK_ONE(subc_16)
PICK_ONE(madc_lo_16)
PICK_ONE(addc_sat)
PICK_ONE(subc_sat)

#define PICK_EXTENDED(NAME)                                                                            \
	static const struct meaning *pick_##NAME(const struct form *f)                                 \
	{                                                                                              \
		return type_bits(form_type(f, 0)) == 32 ? &NAME##_32 : &NAME##_64;                     \
	}
#define PICK_EXTENDED_SIGNS(NAME)                                                                      \
	static const struct meaning *pick_##NAME(const struct form *f)                                 \
	{                                                                                              \
		switch (form_type(f, 0)) {                                                             \
		case T_u32:                                                                            \
			return &NAME##_u32;                                                            \
		case T_s32:                                                                            \
			return &NAME##_s32;                                                            \
		case T_u64:                                                                            \
			return &NAME##_u64;                                                            \
		default:                                                                               \
			return &NAME##_s64;                                                            \
		}                                                                                      \
	}
PICK_EXTENDED(add_cc)
PICK_EXTENDED(addc)
PICK_EXTENDED(addc_cc)
PICK_EXTENDED(sub_cc)
PICK_EXTENDED(subc)
PICK_EXTENDED(subc_cc)
PICK_EXTENDED(mad_lo_cc)
PICK_EXTENDED(madc_lo)
PICK_EXTENDED(madc_lo_cc)
PICK_EXTENDED_SIGNS(mad_hi_cc)
PICK_EXTENDED_SIGNS(madc_hi)
PICK_EXTENDED_SIGNS(madc_hi_cc)

/* 64-bit types came later where the flag is set. */
#define EXTENDED_ROWS(FORM, OPERANDS, PTX, SM, PICK, DOC)                                              \
	ROW(FORM "(.u32|.s32)", OPERANDS, PTX, SM, 0, PICK, DOC),                                      \
		ROW(FORM "(.u64|.s64)", OPERANDS, 43, 20, 0, PICK, DOC)
#define TAKING_ROW(FORM, OPERANDS, PTX, SM, PICK, DOC) ROW(FORM "(.u32|.s32|.u64|.s64)", OPERANDS, PTX, SM, 0, PICK, DOC)

static const struct isa_row rows_extended[] = {
	EXTENDED_ROWS("add.cc", "=0 0 0", 12, 10, pick_add_cc, "Adds and sets the carry flag."),
	TAKING_ROW("addc", "=0 0 0", 12, 10, pick_addc, "Adds with the carry flag."),
	ROW("addc.u16", "=0 0 0", 12, 10, 0, pick_addc_16, "Adds with the carry flag. Beyond the manual."),
	ROW("addc.sat.s32", "=0 0 0", 12, 10, 0, pick_addc_sat, "Adds with the carry flag, clamped. Beyond the manual."),
	EXTENDED_ROWS("addc.cc", "=0 0 0", 12, 10, pick_addc_cc, "Adds with the carry flag and sets it."),
	EXTENDED_ROWS("sub.cc", "=0 0 0", 13, 10, pick_sub_cc, "Subtracts and sets the carry flag."),
	TAKING_ROW("subc", "=0 0 0", 13, 10, pick_subc, "Subtracts with the borrow."),
	ROW("subc.u16", "=0 0 0", 13, 10, 0, pick_subc_16, "Subtracts with the borrow. Beyond the manual."),
	ROW("subc.sat.s32", "=0 0 0", 13, 10, 0, pick_subc_sat, "Subtracts with the borrow, clamped. Beyond the manual."),
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
