/* SPDX-License-Identifier: Apache-2.0
 *
 * Video instructions (PTX ISA 9.7.17): rows and meanings. They are rare, so a meaning computes lane
 * by lane and reads selectors, types and modifiers from insn.imm: the selectors as isa/isa.h packs
 * them, above those the word that the form gives.
 *
 * Hardware has only parts of them since sm_50; the assembler builds the rest from others, and what
 * comes out differs from the ISA's text. The rules here are read off the instructions that ptxas
 * 13.0 makes, and agree with every recording:
 * - .sat to unsigned clamps at zero only: a sum or difference above 2^32 wraps;
 * - .sat into a byte or half takes negative values for large ones; but shifts saturate to 32 bits
 *   always, from a value of 34 bits;
 * - a .h1 destination takes the upper half of the 32-bit result;
 * - the secondary .min and .max compare in 64 bits, signed if d is: sums, differences and saturated
 *   shifts sign-extended from 32 bits, other values as they are;
 * - vmad multiplies signed numbers, whatever the types, and adds a signed c; .shr and .sat treat
 *   the sum as signed if a or b is, or if anything is negated.
 */
#include "number/integer.h"
#include "sem/lanes.h"

/* Functions whose copies for each operation would take the compiler longer than they ever save. */
#ifdef __clang__
#define ONE_COPY __attribute__((noinline))
#else
#define ONE_COPY __attribute__((noinline, noclone))
#endif

/* --- Scalar video ------------------------------------------------------------------------- */

enum {
	VIDEO_D_SIGNED = 1 << SELECT_END,
	VIDEO_A_SIGNED = 2 << SELECT_END,
	VIDEO_B_SIGNED = 4 << SELECT_END,
	VIDEO_SAT = 8 << SELECT_END,
	VIDEO_ADD = 16 << SELECT_END,
	VIDEO_MIN = 32 << SELECT_END,
	VIDEO_MAX = 64 << SELECT_END,
	VIDEO_WRAP = 128 << SELECT_END,
	VIDEO_PO = 256 << SELECT_END,
	VIDEO_SHR7 = 512 << SELECT_END,
	VIDEO_SHR15 = 1024 << SELECT_END,
	VIDEO_LESS = 2048 << SELECT_END,
	VIDEO_EQUAL = 4096 << SELECT_END,
	VIDEO_GREATER = 8192 << SELECT_END,
};

static u32 flag_if(bool condition, u32 flag) { return condition ? flag : 0; }

static u32 scalar_word(const struct form *f)
{
	const bool compares = form_pick(f, M_eq, M_ge) != TOKEN_NONE;
	const int a = form_type(f, compares ? 0 : 1), b = form_type(f, compares ? 1 : 2);

	return flag_if(form_type(f, 0) == T_s32, VIDEO_D_SIGNED) | flag_if(a == T_s32, VIDEO_A_SIGNED) |
	       flag_if(b == T_s32, VIDEO_B_SIGNED) | flag_if(form_has(f, M_sat), VIDEO_SAT) |
	       flag_if(form_has(f, M_add), VIDEO_ADD) | flag_if(form_has(f, M_min), VIDEO_MIN) |
	       flag_if(form_has(f, M_max), VIDEO_MAX) | flag_if(form_has(f, M_wrap), VIDEO_WRAP) |
	       flag_if(form_has(f, M_po), VIDEO_PO) | flag_if(form_has(f, M_shr7), VIDEO_SHR7) |
	       flag_if(form_has(f, M_shr15), VIDEO_SHR15) |
	       flag_if(form_has(f, M_lt) || form_has(f, M_le) || form_has(f, M_ne), VIDEO_LESS) |
	       flag_if(form_has(f, M_gt) || form_has(f, M_ge) || form_has(f, M_ne), VIDEO_GREATER) |
	       flag_if(form_has(f, M_eq) || form_has(f, M_le) || form_has(f, M_ge), VIDEO_EQUAL);
}

static inline u32 selector_at(u32 word, u32 place) { return word >> place & SELECT_BITS; }

/* The part of v that a selector names, extended. */
static s64 part_of(u32 v, u32 selector, bool is_signed)
{
	if (selector == 0)
		return is_signed ? (s64)(s32)v : (s64)v;
	if (selector <= 4) {
		const u32 byte = v >> 8 * (selector - 1) & 0xff;
		return is_signed ? (s64)(s8)byte : (s64)byte;
	}
	const u32 half = v >> 16 * (selector - 5) & 0xffff;
	return is_signed ? (s64)(s16)half : (s64)half;
}

static s64 clamp_32(s64 v, bool is_signed)
{
	const s64 low = is_signed ? INT32_MIN : 0, high = is_signed ? INT32_MAX : UINT32_MAX;
	return v < low ? low : v > high ? high : v;
}

/* What .sat and the secondary operation do differs for these. */
enum video_kind { VIDEO_SUM, VIDEO_SHIFT, VIDEO_CHOICE };

static s64 saturate(s64 v, u32 selector, bool is_signed, enum video_kind kind)
{
	const u64 bits34 = (u64)v & 0x3ffffffffull;

	if (kind == VIDEO_SHIFT)
		return clamp_32((s64)(bits34 << 30) >> 30, is_signed);
	if (selector == 0)
		return is_signed ? clamp_32(v, true) : v < 0 ? 0 : v;
	const u64 high = (1ull << ((selector <= 4 ? 8 : 16) - is_signed)) - 1;
	return (s64)(bits34 < high ? bits34 : high);
}

/* What d gets: the value merged into c, or combined with it, or as it is. */
static u32 deliver(s64 value, u32 c, u32 word, enum video_kind kind)
{
	const u32 selector = selector_at(word, SELECT_D), v = (u32)value;

	if (selector == 6)
		return (v & 0xffff0000u) | (c & 0xffff);
	if (selector == 5)
		return (v & 0xffff) | (c & 0xffff0000u);
	if (selector) {
		const u32 shift = 8 * (selector - 1);
		return (c & ~(0xffu << shift)) | (v & 0xff) << shift;
	}
	if (word & VIDEO_ADD)
		return v + c;
	if (!(word & (VIDEO_MIN | VIDEO_MAX)))
		return v;
	if (kind == VIDEO_SUM || (kind == VIDEO_SHIFT && word & VIDEO_SAT))
		value = (s32)v;
	const bool less = word & VIDEO_D_SIGNED ? value < (s32)c : (u64)value < c;
	return less == !!(word & VIDEO_MIN) ? v : c;
}

struct video_sources {
	s64 a, b;
	u32 word;
};

static s64 video_add(struct video_sources s) { return s.a + s.b; }
static s64 video_sub(struct video_sources s) { return s.a - s.b; }
static s64 video_absdiff(struct video_sources s) { return s.a > s.b ? s.a - s.b : s.b - s.a; }
static s64 video_min(struct video_sources s) { return s.a < s.b ? s.a : s.b; }
static s64 video_max(struct video_sources s) { return s.a > s.b ? s.a : s.b; }
static u32 shift_count(struct video_sources s) { return s.word & VIDEO_WRAP ? s.b & 31 : s.b > 32 ? 32 : (u32)s.b; }
static s64 video_shl(struct video_sources s) { return (s64)((u64)s.a << shift_count(s)); }
static s64 video_shr(struct video_sources s) { return s.a >> shift_count(s); }
static s64 video_set(struct video_sources s)
{
	return s.a < s.b ? !!(s.word & VIDEO_LESS) : s.a > s.b ? !!(s.word & VIDEO_GREATER) : !!(s.word & VIDEO_EQUAL);
}

static ONE_COPY void scalar_lanes(const struct insn *i, u8 *rows, u32 mask, s64 (*operation)(struct video_sources s),
				  enum video_kind kind)
{
	const u32 word = (u32)i->imm;
	const u32 *pa = ROW_OF(u32, i->a), *pb = ROW_OF(u32, i->b);
	const u32 *pc = i->c == NO_OPERAND ? NULL : ROW_OF(u32, i->c);
	u32 *d = ROW_OF(u32, i->d);

	for (u32 l = 0; l < WARP_LANES; l++) {
		if (!(mask >> l & 1))
			continue;
		s64 value = operation((struct video_sources){
			part_of(pa[l], selector_at(word, SELECT_A), word & VIDEO_A_SIGNED),
			part_of(pb[l], selector_at(word, SELECT_B), word & VIDEO_B_SIGNED), word});
		if (word & VIDEO_SAT)
			value = saturate(value, selector_at(word, SELECT_D), word & VIDEO_D_SIGNED, kind);
		d[l] = deliver(value, pc ? pc[l] : 0, word, kind);
	}
}

#define SCALAR_MEANING(NAME, KIND)                                                                           \
	MEANING_FUNCTION(NAME) { return (void)w, scalar_lanes(i, rows, mask, NAME, KIND), i + 1; }           \
	static const struct meaning of_##NAME = {.run = NAME##_run, .gang = gang_each, .word = scalar_word}; \
	static const struct meaning *pick_##NAME(const struct form *f)                                       \
	{                                                                                                    \
		(void)f;                                                                                     \
		return &of_##NAME;                                                                           \
	}
SCALAR_MEANING(video_add, VIDEO_SUM)
SCALAR_MEANING(video_sub, VIDEO_SUM)
SCALAR_MEANING(video_absdiff, VIDEO_CHOICE)
SCALAR_MEANING(video_min, VIDEO_CHOICE)
SCALAR_MEANING(video_max, VIDEO_CHOICE)
SCALAR_MEANING(video_shl, VIDEO_SHIFT)
SCALAR_MEANING(video_shr, VIDEO_SHIFT)
SCALAR_MEANING(video_set, VIDEO_CHOICE)

/* vmad: the product and c, one of them negated, or plus one (.po), shifted right. A minus is a
 * complement plus one. */
static u32 video_mad(u32 a, u32 b, u32 c, u32 word)
{
	const bool minus_product = (word >> SELECT_MINUS_A ^ word >> SELECT_MINUS_B) & 1;
	const bool minus_c = !minus_product && (word >> SELECT_MINUS_C & 1);
	const bool is_signed = word & (VIDEO_A_SIGNED | VIDEO_B_SIGNED) || minus_product || minus_c;
	const s64 x = (s32)part_of(a, selector_at(word, SELECT_A), word & VIDEO_A_SIGNED);
	const s64 y = (s32)part_of(b, selector_at(word, SELECT_B), word & VIDEO_B_SIGNED);
	const u32 shift = word & VIDEO_SHR7 ? 7 : word & VIDEO_SHR15 ? 15 : 0;
	const u64 product = (u64)(x * y), addend = (u64)(s64)(s32)c;
	const u64 sum = (minus_product ? ~product : product) + (minus_c ? ~addend : addend) +
			(minus_product || minus_c || word & VIDEO_PO);
	const s64 value = is_signed ? (s64)sum >> shift : (s64)(sum >> shift);

	return (u32)(word & VIDEO_SAT ? clamp_32(value, is_signed) : value);
}
MEANING_FUNCTION(vmad)
{
	const u32 *pa = ROW_OF(u32, i->a), *pb = ROW_OF(u32, i->b), *pc = ROW_OF(u32, i->c);
	u32 *d = ROW_OF(u32, i->d);

	(void)w;
	for (u32 l = 0; l < WARP_LANES; l++)
		if (mask >> l & 1)
			d[l] = video_mad(pa[l], pb[l], pc[l], (u32)i->imm);
	return i + 1;
}
static const struct meaning vmad = {.run = vmad_run, .gang = gang_each, .word = scalar_word};
static const struct meaning *pick_vmad(const struct form *f)
{
	(void)f;
	return &vmad;
}

/* --- Two halves, four bytes ----------------------------------------------------------------- */

enum {
	SIMD_D_SIGNED = 1 << SIMD_END,
	SIMD_A_SIGNED = 2 << SIMD_END,
	SIMD_B_SIGNED = 4 << SIMD_END,
};
#define SIMD_SAT (8u << SIMD_END)

static u32 simd_word(const struct form *f)
{
	const bool compares = form_pick(f, M_eq, M_ge) != TOKEN_NONE;
	const int a = form_type(f, compares ? 0 : 1), b = form_type(f, compares ? 1 : 2);

	return flag_if(!compares && form_type(f, 0) == T_s32, SIMD_D_SIGNED) | flag_if(a == T_s32, SIMD_A_SIGNED) |
	       flag_if(b == T_s32, SIMD_B_SIGNED) | flag_if(form_has(f, M_sat), SIMD_SAT);
}

/* Element number k (by the selector at `place`) of b:a, extended. */
static inline s32 simd_element(u64 ba, u32 word, u32 place, u32 k, u32 bits, bool is_signed)
{
	const u32 number = word >> (place + SIMD_BITS * k) & 7;
	const u32 element = (u32)(ba >> bits * number) << (32 - bits);
	return is_signed ? (s32)element >> (32 - bits) : (s32)(element >> (32 - bits));
}

static inline s32 simd_saturate(s32 v, u32 bits, bool is_signed)
{
	const s32 high = (1 << (bits - is_signed)) - 1, low = is_signed ? -high - 1 : 0;
	return v < low ? low : v > high ? high : v;
}

static s32 simd_add(s32 a, s32 b) { return a + b; }
static s32 simd_sub(s32 a, s32 b) { return a - b; }
static s32 simd_absdiff(s32 a, s32 b) { return a > b ? a - b : b - a; }
static s32 simd_min(s32 a, s32 b) { return a < b ? a : b; }
static s32 simd_max(s32 a, s32 b) { return a > b ? a : b; }
/* The average, rounded away from zero. */
static s32 simd_avrg(s32 a, s32 b) { return (a + b + (a + b >= 0)) >> 1; }
static s32 simd_eq(s32 a, s32 b) { return a == b; }
static s32 simd_ne(s32 a, s32 b) { return a != b; }
static s32 simd_lt(s32 a, s32 b) { return a < b; }
static s32 simd_le(s32 a, s32 b) { return a <= b; }
static s32 simd_gt(s32 a, s32 b) { return a > b; }
static s32 simd_ge(s32 a, s32 b) { return a >= b; }

/* One lane: results replace c's elements, or are added to c, where d's mask has them. */
static u32 simd_lane(s32 (*operation)(s32 a, s32 b), u64 ba, u32 c, u32 word, u32 elements, bool adds)
{
	const u32 bits = 32 / elements, ones = elements == 2 ? 0xffff : 0xff;
	u32 result = c;

	for (u32 k = 0; k < elements; k++) {
		if (!(word >> (SIMD_D + k) & 1))
			continue;
		s32 v = operation(simd_element(ba, word, SIMD_A, k, bits, word & SIMD_A_SIGNED),
				  simd_element(ba, word, SIMD_B, k, bits, word & SIMD_B_SIGNED));
		if (word & SIMD_SAT)
			v = simd_saturate(v, bits, word & SIMD_D_SIGNED);
		result = adds ? result + (u32)v : (result & ~(ones << bits * k)) | ((u32)v & ones) << bits * k;
	}
	return result;
}

static ONE_COPY void simd_lanes(const struct insn *i, u8 *rows, u32 mask, s32 (*operation)(s32 a, s32 b), u32 elements,
				bool adds)
{
	const u32 *pa = ROW_OF(u32, i->a), *pb = ROW_OF(u32, i->b), *pc = ROW_OF(u32, i->c);
	u32 *d = ROW_OF(u32, i->d);

	for (u32 l = 0; l < WARP_LANES; l++)
		if (mask >> l & 1)
			d[l] = simd_lane(operation, (u64)pb[l] << 32 | pa[l], pc[l], (u32)i->imm, elements, adds);
}

#define SIMD_MEANING(NAME, OPERATION, ELEMENTS, ADDS)                        \
	MEANING_FUNCTION(NAME)                                               \
	{                                                                    \
		(void)w;                                                     \
		simd_lanes(i, rows, mask, simd_##OPERATION, ELEMENTS, ADDS); \
		return i + 1;                                                \
	}                                                                    \
	static const struct meaning NAME = {.run = NAME##_run, .gang = gang_each, .word = simd_word};

#define SIMD_MEANINGS(OPERATION)                                                       \
	SIMD_MEANING(OPERATION##2, OPERATION, 2, false)                                \
	SIMD_MEANING(OPERATION##2_add, OPERATION, 2, true)                             \
	SIMD_MEANING(OPERATION##4, OPERATION, 4, false)                                \
	SIMD_MEANING(OPERATION##4_add, OPERATION, 4, true)                             \
	static const struct meaning *pick_##OPERATION(const struct form *f)            \
	{                                                                              \
		if (f->row->flags & ISA_SELECT2)                                       \
			return form_has(f, M_add) ? &OPERATION##2_add : &OPERATION##2; \
		return form_has(f, M_add) ? &OPERATION##4_add : &OPERATION##4;         \
	}
SIMD_MEANINGS(add)
SIMD_MEANINGS(sub)
SIMD_MEANINGS(absdiff)
SIMD_MEANINGS(min)
SIMD_MEANINGS(max)
SIMD_MEANINGS(avrg)
SIMD_MEANINGS(eq)
SIMD_MEANINGS(ne)
SIMD_MEANINGS(lt)
SIMD_MEANINGS(le)
SIMD_MEANINGS(gt)
SIMD_MEANINGS(ge)

static const struct meaning *pick_simd_set(const struct form *f)
{
	switch (form_pick(f, M_eq, M_ge)) {
	case M_eq:
		return pick_eq(f);
	case M_ne:
		return pick_ne(f);
	case M_lt:
		return pick_lt(f);
	case M_le:
		return pick_le(f);
	case M_gt:
		return pick_gt(f);
	default:
		return pick_ge(f);
	}
}

#define SIGN      "(.u32|.s32)"
#define COMPARE   "(.eq|.ne|.lt|.le|.gt|.ge)"
#define SECONDARY "(.add|.min|.max)"

#define SCALAR_ROWS_(NAME, TYPES, MODE, D, A, B, PICK, DOC)                                       \
	ROW(NAME TYPES MODE, "=" D " " A " " B " ?" D, 20, 20, ISA_SELECT, PICK, DOC),            \
		ROW(NAME TYPES MODE SECONDARY, "=" D " " A " " B " " D, 20, 20, ISA_SELECT, PICK, \
		    DOC " Then adds c or compares with it.")
#define SCALAR_ROWS(NAME, LAST, MODE, PICK, DOC) SCALAR_ROWS_(NAME, SIGN SIGN LAST, MODE, "0", "1", "2", PICK, DOC)
#define SIMD_ROWS(NAME, PICK, DOC)                                                                                \
	ROW(NAME "2" SIGN SIGN SIGN "[.sat|.add]", "=0 1 2 0", 30, 30, ISA_SELECT2, PICK, DOC " Of two halves."), \
		ROW(NAME "4" SIGN SIGN SIGN "[.sat|.add]", "=0 1 2 0", 30, 30, ISA_SELECT4, PICK,                 \
		    DOC " Of four bytes.")

static const struct isa_row rows_video[] = {
	SCALAR_ROWS("vadd", SIGN, "[.sat]", pick_video_add, "Adds parts of a and b."),
	SCALAR_ROWS("vsub", SIGN, "[.sat]", pick_video_sub, "Subtracts parts of a and b."),
	SCALAR_ROWS("vabsdiff", SIGN, "[.sat]", pick_video_absdiff, "The difference without sign."),
	SCALAR_ROWS("vmin", SIGN, "[.sat]", pick_video_min, "The lesser of parts of a and b."),
	SCALAR_ROWS("vmax", SIGN, "[.sat]", pick_video_max, "The greater of parts of a and b."),
	SCALAR_ROWS("vshl", ".u32", "[.sat](.clamp|.wrap)", pick_video_shl, "Shifts a left."),
	SCALAR_ROWS("vshr", ".u32", "[.sat](.clamp|.wrap)", pick_video_shr, "Shifts a right."),
	SCALAR_ROWS_("vset", SIGN SIGN, COMPARE, "u32", "0", "1", pick_video_set, "1 if the comparison holds, else 0."),
	ROW("vmad" SIGN SIGN SIGN "[.po][.sat][.shr7|.shr15]", "=0 1 2 0", 20, 20, ISA_SELECT | ISA_MINUS, pick_vmad,
	    "The product plus c, plus one (.po), shifted."),
	SIMD_ROWS("vadd", pick_add, "Sums."),
	SIMD_ROWS("vsub", pick_sub, "Differences."),
	SIMD_ROWS("vabsdiff", pick_absdiff, "Differences without sign."),
	SIMD_ROWS("vmin", pick_min, "The lesser ones."),
	SIMD_ROWS("vmax", pick_max, "The greater ones."),
	SIMD_ROWS("vavrg", pick_avrg, "Averages, rounded away from zero."),
	ROW("vset2" SIGN SIGN COMPARE "[.add]", "=u32 0 1 u32", 30, 30, ISA_SELECT2, pick_simd_set,
	    "Comparisons of two halves, 1 or 0."),
	ROW("vset4" SIGN SIGN COMPARE "[.add]", "=u32 0 1 u32", 30, 30, ISA_SELECT4, pick_simd_set,
	    "Comparisons of four bytes, 1 or 0."),
};
FAMILY(family_video, "Video", CLASS_BY_TYPE, rows_video);
