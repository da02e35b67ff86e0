/* SPDX-License-Identifier: Apache-2.0
 *
 * Logic and shifts (PTX ISA 9.7.8): rows and meanings. Shift amounts are 32-bit unsigned numbers
 * that clamp. The predicate forms work on whole masks, one bit for each lane.
 */
#include "isa/linear.h"
#include "number/integer.h"
#include "sem/pick.h"

/* A predicate form, of whole masks. */
#define LOGIC_PRED(NAME, EXPR)                                                      \
	MEANING_FUNCTION(NAME##_pred)                                               \
	{                                                                           \
		const u32 a = PRED_SOURCE(i, i->a, 0), b = PRED_SOURCE(i, i->b, 1); \
		(void)w;                                                            \
		pred_write(rows, i->d, mask, EXPR);                                 \
		return i + 1;                                                       \
	}                                                                           \
	MEANING_EACH(NAME##_pred);
#define PICK_BITS_PRED(NAME) PICK_(NAME, TYPED(NAME, pred) TYPED(NAME, b16) TYPED(NAME, b32) TYPED(NAME, b64))
#define LOGIC2(NAME, EXPR)     \
	BITS2(NAME, EXPR);     \
	LOGIC_PRED(NAME, EXPR) \
	PICK_BITS_PRED(NAME)
/* clang-format off */
LOGIC2(and, a & b)
LOGIC2(or, a | b)
LOGIC2(xor, a ^ b)
/* clang-format on */

BITS1(not, ~a);
MEANING_FUNCTION(not_pred)
{
	(void)w;
	pred_write(rows, i->d, mask, ~PRED_SOURCE(i, i->a, 0));
	return i + 1;
}
MEANING_EACH(not_pred);
PICK_BITS_PRED(not )

BITS1(cnot, a == 0);
PICK_BITS(cnot)

/* --- lop3: any function of three bits, by its truth table --- */

/* The tables that compilers use most have a meaning of their own. */
/* clang-format off */
#define LOP3_COMMON(X)                                                                                 \
	X(0x80, a & b & c)                                                                             \
	X(0xfe, a | b | c)                                                                             \
	X(0x96, a ^ b ^ c)                                                                             \
	X(0xe8, (a & b) | (c & (a | b)))                                                               \
	X(0xca, (a & b) | (~a & c))                                                                    \
	X(0xb8, (b & c) | (a & ~b))                                                                    \
	X(0xd8, (c & b) | (a & ~c))                                                                    \
	X(0xf8, a | (b & c))                                                                           \
	X(0xea, c | (a & b))                                                                           \
	X(0xec, b | (a & c))                                                                           \
	X(0xe0, a & (b | c))                                                                           \
	X(0xa8, c & (a | b))                                                                           \
	X(0xc8, b & (a | c))                                                                           \
	X(0x78, a ^ (b & c))                                                                           \
	X(0x6a, c ^ (a & b))                                                                           \
	X(0x6c, b ^ (a & c))                                                                           \
	X(0x28, c & (a ^ b))                                                                           \
	X(0x48, b & (a ^ c))                                                                           \
	X(0x60, a & (b ^ c))                                                                           \
	X(0xf6, a | (b ^ c))                                                                           \
	X(0x1e, a ^ (b | c))
#define LOP3_PAIRS(X)                                                                                  \
	X(0xc0, a & b)                                                                                 \
	X(0xfc, a | b)                                                                                 \
	X(0x3c, a ^ b)
/* clang-format on */

#define LOP3_MEANING(TABLE, EXPR) LANE3(lop3_##TABLE, u32, u32, u32, u32, EXPR);
#define LOP3_PAIR(TABLE, EXPR)    LANE2(lop3_##TABLE, u32, u32, u32, EXPR);
LOP3_COMMON(LOP3_MEANING)
LOP3_PAIRS(LOP3_PAIR)

/* The others: the table is in imm. */
LANE3(lop3_any, u32, u32, u32, u32, int_lop3(a, b, c, (u32)i->imm));

static const struct meaning *pick_lop3(const struct form *f)
{
#define LOP3_ENTRY(TABLE, EXPR) [TABLE] = &lop3_##TABLE,
	static const struct meaning *const common[256] = {LOP3_COMMON(LOP3_ENTRY) LOP3_PAIRS(LOP3_ENTRY)};
	const u64 table = f->immediates[0];

	return table < COUNT_OF(common) && common[table] ? common[table] : &lop3_any;
}

/* lop3.BoolOp: d|p, a, b, c, table, q; p = (d != 0) BoolOp q. List: d, p, a, b, c, q, table. */
ALWAYS_INLINE u32 lop3_nonzero(struct warp *w, const struct insn *i, u8 *rows, u32 mask)
{
	const u32 *o = warp_operands(w, i);
	const u32 *pa = ROW_OF(u32, o[2]), *pb = ROW_OF(u32, o[3]), *pc = ROW_OF(u32, o[4]), table = o[6];
	u32 value[WARP_LANES] __attribute__((aligned(64)));
	s32 t[WARP_LANES] __attribute__((aligned(64)));

	EACH_LANE {
		value[l] = int_lop3(pa[l], pb[l], pc[l], table);
		t[l] = value[l] ? -1 : 0;
	}
	if (o[0] != NO_OPERAND)
		merge_row(rows + o[0], value, sizeof value[0], mask);
	return pack_lanes32(t);
}
#define LOP3_BOOL(NAME, OP)                                                        \
	LANE_FUNCTION(NAME)                                                        \
	{                                                                          \
		const u32 *o = warp_operands(w, i), q = PRED_SOURCE(i, o[5], 0);   \
		pred_write(rows, o[1], mask, lop3_nonzero(w, i, rows, mask) OP q); \
		return i + 1;                                                      \
	}                                                                          \
	MEANING_EACH(NAME);                                                        \
	PICK_ONE(NAME)
LOP3_BOOL(lop3_and, &)
LOP3_BOOL(lop3_or, |)

/* --- Shifts --- */

LANE2(shl_16, u16, u16, u32, int_shl32(a, b));
LANE2(shl_32, u32, u32, u32, int_shl32(a, b));
LANE2(shl_64, u64, u64, u32, int_shl64(a, b));
LANE2(shr_u16, u16, u16, u32, int_shr32(a, b));
LANE2(shr_s16, s16, s16, u32, int_sar32(a, b));
LANE2(shr_u32, u32, u32, u32, int_shr32(a, b));
LANE2(shr_s32, s32, s32, u32, int_sar32(a, b));
LANE2(shr_u64, u64, u64, u32, int_shr64(a, b));
LANE2(shr_s64, s64, s64, u32, int_sar64(a, b));
/* By a constant within the width, which is the instruction's word: the hosts' vector shifts by one count for all
 * lanes. */
static u32 shift_word(const struct form *f) { return (u32)f->constants[2]; }
LANE1_WORD(shl_by_32, u32, u32, shift_word, a << (i->imm & 31));
LANE1_WORD(shl_by_64, u64, u64, shift_word, a << (i->imm & 63));
LANE1_WORD(shr_by_u32, u32, u32, shift_word, a >> (i->imm & 31));
LANE1_WORD(shr_by_s32, s32, s32, shift_word, a >> (i->imm & 31));
LANE1_WORD(shr_by_u64, u64, u64, shift_word, a >> (i->imm & 63));

static bool by_constant(const struct form *f)
{
	return f->constant_mask & 4 && f->constants[2] < type_bits(form_type(f, 0));
}
static const struct meaning *pick_shl(const struct form *f)
{
	const u32 bits = type_bits(form_type(f, 0));

	if (bits == 16)
		return &shl_16;
	if (by_constant(f))
		return bits == 32 ? &shl_by_32 : &shl_by_64;
	return bits == 32 ? &shl_32 : &shl_64;
}
static const struct meaning *pick_shr(const struct form *f)
{
	const u32 bits = type_bits(form_type(f, 0));
	const bool is_signed = type_class(form_type(f, 0)) == 's';

	if (bits == 16)
		return is_signed ? &shr_s16 : &shr_u16;
	if (by_constant(f) && !(is_signed && bits == 64))
		return bits == 64 ? &shr_by_u64 : is_signed ? &shr_by_s32 : &shr_by_u32;
	if (bits == 32)
		return is_signed ? &shr_s32 : &shr_u32;
	return is_signed ? &shr_s64 : &shr_u64;
}

LANE3(shf_l_wrap, u32, u32, u32, u32, int_funnel_left(a, b, c & 31));
LANE3(shf_l_clamp, u32, u32, u32, u32, int_funnel_left(a, b, c > 32 ? 32 : c));
LANE3(shf_r_wrap, u32, u32, u32, u32, int_funnel_right(a, b, c & 31));
LANE3(shf_r_clamp, u32, u32, u32, u32, int_funnel_right(a, b, c > 32 ? 32 : c));
static const struct meaning *pick_shf(const struct form *f)
{
	if (form_has(f, M_l))
		return form_has(f, M_wrap) ? &shf_l_wrap : &shf_l_clamp;
	return form_has(f, M_wrap) ? &shf_r_wrap : &shf_r_clamp;
}

/* --- prmt: bytes of b:a by a selector; the named modes are selectors by the low two bits of c --- */

LANE3(prmt, u32, u32, u32, u32, int_permute_bytes(a, b, c));
#define PRMT_MODE(NAME, S0, S1, S2, S3)        \
	LANE3(prmt_##NAME, u32, u32, u32, u32, \
	      int_permute_bytes(a, b, (c & 2) ? (c & 1 ? S3 : S2) : (c & 1 ? S1 : S0)));
PRMT_MODE(f4e, 0x3210, 0x4321, 0x5432, 0x6543)
PRMT_MODE(b4e, 0x5670, 0x6701, 0x7012, 0x0123)
PRMT_MODE(rc8, 0x0000, 0x1111, 0x2222, 0x3333)
PRMT_MODE(ecl, 0x3210, 0x3211, 0x3222, 0x3333)
PRMT_MODE(ecr, 0x0000, 0x1110, 0x2210, 0x3210)
PRMT_MODE(rc16, 0x1010, 0x3232, 0x1010, 0x3232)
static const struct meaning *pick_prmt(const struct form *f)
{
	static const struct meaning *const by_mode[] = {
		[M_f4e - M_f4e] = &prmt_f4e, [M_b4e - M_f4e] = &prmt_b4e, [M_rc8 - M_f4e] = &prmt_rc8,
		[M_ecl - M_f4e] = &prmt_ecl, [M_ecr - M_f4e] = &prmt_ecr, [M_rc16 - M_f4e] = &prmt_rc16,
	};
	const int mode = form_pick(f, M_f4e, M_ecr);

	return mode == TOKEN_NONE ? &prmt : by_mode[mode - M_f4e];
}

static const struct isa_row rows_logic[] = {
	ROW("and(.pred|.b16|.b32|.b64)", "=0 0 0", 10, 10, WITH(TRAIT_BITWISE), pick_and, "Bits that both have."),
	ROW("or(.pred|.b16|.b32|.b64)", "=0 0 0", 10, 10, WITH(TRAIT_BITWISE), pick_or, "Bits that either has."),
	ROW("xor(.pred|.b16|.b32|.b64)", "=0 0 0", 10, 10, WITH(TRAIT_BITWISE), pick_xor, "Bits that one of them has."),
	ROW("not(.pred|.b16|.b32|.b64)", "=0 0", 10, 10, WITH(TRAIT_BITWISE), pick_not, "Every bit inverted."),
	ROW("cnot" TYPES_BITS, "=0 0", 10, 10, 0, pick_cnot, "1 for 0, else 0."),
	ROW("lop3.b32", "=0 0 0 0 #u32", 43, 50, WITH(TRAIT_BITWISE), pick_lop3,
	    "The function of three bits with this truth table."),
	ROW("lop3.and.b32", "=_0||pred 0 0 0 #u32 pred", 82, 70, 0, pick_lop3_and,
	    "lop3; and p is whether the result is not 0, and q."),
	ROW("lop3.or.b32", "=_0||pred 0 0 0 #u32 pred", 82, 70, 0, pick_lop3_or,
	    "lop3; and p is whether the result is not 0, or q."),
	ROW("shl" TYPES_BITS, "=0 0 u32", 10, 10, WITH(TRAIT_LINEAR), pick_shl, "Shifts left, zeros following."),
	ROW("shr" TYPES_BITS, "=0 0 u32", 10, 10, WITH(TRAIT_BITWISE), pick_shr, "Shifts right, zeros following."),
	ROW("shr" TYPES_SIGNS, "=0 0 u32", 10, 10, WITH(TRAIT_BITWISE), pick_shr,
	    "Shifts right, the sign or zeros following."),
	ROW("shf(.l|.r)(.clamp|.wrap).b32", "=0 0 0 u32", 31, 32, 0, pick_shf,
	    "Shifts b:a and takes the upper (.l) or lower (.r) word."),
	ROW("prmt.b32[.f4e|.b4e|.rc8|.ecl|.ecr|.rc16]", "=0 0 0 0", 20, 20, 0, pick_prmt,
	    "Any four bytes of b:a, or their signs."),
};
FAMILY(family_logic, "Logic and shift", CLASS_BY_TYPE, rows_logic);
