/* SPDX-License-Identifier: Apache-2.0
 *
 * Comparison and selection (PTX ISA 9.7.6): setp, set, selp, slct, for all types.
 *
 * The plain setp of numbers up to 64 bits, which every loop has, is one meaning for each comparison
 * and type. All other forms share one meaning for each type: it finds which lanes hold lt, eq and
 * gt (none of them: a NaN), and takes the comparison, the boolean operator and the value of true
 * from a word that the form gives.
 *
 * How the plain rows come about, for setp.lt of s32:
 *
 *  INT_TYPE(s32, 32)                        all of s32
 *    ORDERED(INT_SETP, s32, 32)             for each comparison: INT_SETP(lt, s32, 32)
 *      PLANE2_32(setp_lt_s32, s32, s32,     a function over 32 lanes, and its twin for gangs
 *                a < b)                     (sem/lanes.h), with INT_lt as what a lane does
 *    plain_s32[] = {[M_lt - M_eq] = ...}    where pick_plain finds it
 *
 * and of the others, for setp.lt.and.f16 p|q, a, b, c:
 *
 *  RELATE_HALF(f16, ...)      relate_f16(): less, equal, greater: a bit for each lane
 *  ALL_MEANINGS(f16)          setp_two_f16: holds(relation, word) combined with c
 *  compare_word(form)         word = WORD_LESS | WORD_BOTH: what lt and and mean here
 */
#include "number/convert.h"
#include "number/half.h"
#include "sem/pick.h"

/* --- The plain setp --------------------------------------------------------------------- */

/* clang-format off */
#define ORDERED(X, ...)                                                                         \
	X(eq, __VA_ARGS__) X(ne, __VA_ARGS__) X(lt, __VA_ARGS__)                                \
	X(le, __VA_ARGS__) X(gt, __VA_ARGS__) X(ge, __VA_ARGS__)
#define UNORDERED(X, ...)                                                                       \
	X(equ, __VA_ARGS__) X(neu, __VA_ARGS__) X(ltu, __VA_ARGS__) X(leu, __VA_ARGS__)         \
	X(gtu, __VA_ARGS__) X(geu, __VA_ARGS__) X(num, __VA_ARGS__) X(nan, __VA_ARGS__)
/* clang-format on */

/* What a lane computes, from its a and b. Integers have these six, signed and unsigned alike: the type makes the
 * difference. */
#define INT_eq a == b
#define INT_ne a != b
#define INT_lt a < b
#define INT_le a <= b
#define INT_gt a > b
#define INT_ge a >= b
/* Of floats: with a NaN the ordered ones are false, the others true. */
#define FLOAT_eq  a == b
#define FLOAT_ne  a<b || a> b
#define FLOAT_lt  a < b
#define FLOAT_le  a <= b
#define FLOAT_gt  a > b
#define FLOAT_ge  a >= b
#define FLOAT_equ !(a < b || a > b)
#define FLOAT_neu a != b
#define FLOAT_ltu !(a >= b)
#define FLOAT_leu !(a > b)
#define FLOAT_gtu !(a <= b)
#define FLOAT_geu !(a < b)
#define FLOAT_num a == a &&b == b
#define FLOAT_nan a != a || b != b

#define INT_SETP(CMP, T, W)   PLANE2_##W(setp_##CMP##_##T, T, T, INT_##CMP);
#define FLOAT_SETP(CMP, T, W) FPLANE2_##W(setp_##CMP##_##T, T, T, FLOAT_##CMP);
/* plain_T: the meaning for a comparison's token. Those that a type does not have are not in its rows. */
#define PLAIN_ENTRY(CMP, T) [M_##CMP - M_eq] = &setp_##CMP##_##T,
#define INT_TYPE(T, W)          \
	ORDERED(INT_SETP, T, W) \
	static const struct meaning *const plain_##T[COMPARISONS] = {ORDERED(PLAIN_ENTRY, T)};
#define FLOAT_TYPE(T, W)            \
	ORDERED(FLOAT_SETP, T, W)   \
	UNORDERED(FLOAT_SETP, T, W) \
	static const struct meaning *const plain_##T[COMPARISONS] = {ORDERED(PLAIN_ENTRY, T) UNORDERED(PLAIN_ENTRY, T)};
enum { COMPARISONS = M_nan - M_eq + 1 };

INT_TYPE(u16, 32)
INT_TYPE(s16, 32)
INT_TYPE(u32, 32)
INT_TYPE(s32, 32)
INT_TYPE(u64, 64)
INT_TYPE(s64, 64)
FLOAT_TYPE(f32, 32)
FLOAT_TYPE(f64, 64)

/* Unsigned comparisons have names of their own beside the common ones. */
static int common_name(int compare)
{
	switch (compare) {
	case M_lo:
		return M_lt;
	case M_ls:
		return M_le;
	case M_hi:
		return M_gt;
	case M_hs:
		return M_ge;
	default:
		return compare;
	}
}

static const struct meaning *pick_plain(const struct form *f)
{
	static const struct meaning *const *const by_type[TYPE_COUNT] = {
		[T_b16] = plain_u16, [T_u16] = plain_u16, [T_s16] = plain_s16, [T_b32] = plain_u32,
		[T_u32] = plain_u32, [T_s32] = plain_s32, [T_b64] = plain_u64, [T_u64] = plain_u64,
		[T_s64] = plain_s64, [T_f32] = plain_f32, [T_f64] = plain_f64,
	};

	return by_type[form_type(f, 0)][common_name(form_pick(f, M_eq, M_nan)) - M_eq];
}

/* --- Relations: which lanes are less, equal, greater ------------------------------------- */

/* A bit for each lane. At most one of the three is set; none of them is for lanes with a NaN. */
struct relation {
	u32 less, equal, greater;
};
/* The truth of each, by lane, as wide as the operands. */
struct truths32 {
	s32 less[WARP_LANES], equal[WARP_LANES], greater[WARP_LANES];
} __attribute__((aligned(64)));
struct truths64 {
	s64 less[WARP_LANES], equal[WARP_LANES], greater[WARP_LANES];
} __attribute__((aligned(64)));
/* Truths are 0 or -1 in elements as wide as the operands because that is what vector comparisons leave: packing them to
 * bits at the end is one instruction a vector. */
ALWAYS_INLINE struct relation pack_truths32(const struct truths32 *t)
{
	return (struct relation){pack_lanes32(t->less), pack_lanes32(t->equal), pack_lanes32(t->greater)};
}
ALWAYS_INLINE struct relation pack_truths64(const struct truths64 *t)
{
	return (struct relation){pack_lanes64(t->less), pack_lanes64(t->equal), pack_lanes64(t->greater)};
}

#define RELATE_LANE(NUMBERS, ...)                           \
	{                                                   \
		__VA_ARGS__;                                \
		t.less[l] = (NUMBERS) && a < b ? -1 : 0;    \
		t.equal[l] = (NUMBERS) && a == b ? -1 : 0;  \
		t.greater[l] = (NUMBERS) && a > b ? -1 : 0; \
	}
/* NAME: what the function is called behind relate_; T: the rows' type; W: their width; PRE: what comes before the
 * lanes (the mode of floating point); KEYS: defines a and b, in which lanes are ordered; NUMBERS: whether both are
 * numbers. */
#define RELATE(NAME, T, W, PRE, KEYS, NUMBERS)                                                               \
	static struct relation relate_##NAME(struct warp *w, const struct insn *i, const u8 *rows, u32 at_a, \
					     u32 at_b) {                                                     \
		const ROW_##T *pa = ROW_OF(T, at_a), *pb = ROW_OF(T, at_b);                                  \
		struct truths##W t;                                                                          \
		(void)w, (void)i;                                                                            \
		PRE;                                                                                         \
		EACH_LANE                                                                                    \
			RELATE_LANE(NUMBERS, KEYS)                                                           \
		return pack_truths##W(&t);                                                                   \
	}
#define SAME_KEYS(T)           const T a = SEEN(i, (T)pa[l]), b = SEEN(i, (T)pb[l])
#define RELATE_SAME(T, W, PRE) RELATE(T, T, W, PRE, SAME_KEYS(T), true)
RELATE_SAME(u16, 32, (void)0)
RELATE_SAME(s16, 32, (void)0)
RELATE_SAME(u32, 32, (void)0)
RELATE_SAME(s32, 32, (void)0)
RELATE_SAME(u64, 64, (void)0)
RELATE_SAME(s64, 64, (void)0)
RELATE_SAME(f32, 32, fp_enter(w, i->fp))
RELATE_SAME(f64, 64, fp_enter(w, i->fp))

/* Halves are ordered as integers: the magnitude, with the sign; both zeros are 0. `least` flushes
 * what is below it: 0, or f16's least normal number with .ftz. */
static inline s32 half_rank(u32 bits, u32 least)
{
	const s32 magnitude = (bits & 0x7fff) < least ? 0 : (s32)(bits & 0x7fff);
	return bits & 0x8000 ? -magnitude : magnitude;
}
#define HALF_KEYS(SHIFT, LEAST)                                               \
	const u32 ha = pa[l] >> (SHIFT)&0xffff, hb = pb[l] >> (SHIFT)&0xffff; \
	const s32 a = half_rank(ha, LEAST), b = half_rank(hb, LEAST)
#define HALF_NUMBERS(INFINITY) (ha & 0x7fff) <= (INFINITY) && (hb & 0x7fff) <= (INFINITY)
#define F16_LEAST              0x0400
#define RELATE_HALF(NAME, INFINITY, LEAST)                                          \
	RELATE(NAME, u32, 32, (void)0, HALF_KEYS(0, LEAST), HALF_NUMBERS(INFINITY)) \
	RELATE(NAME##_high, u32, 32, (void)0, HALF_KEYS(16, LEAST), HALF_NUMBERS(INFINITY))
RELATE_HALF(f16, F16_INF, 0)
RELATE_HALF(f16_ftz, F16_INF, F16_LEAST)
RELATE_HALF(bf16, BF16_INF, 0)

/* --- The word that a form gives ---------------------------------------------------------- */

enum {
	WORD_LESS = 1,
	WORD_EQUAL = 2,
	WORD_GREATER = 4,
	WORD_NAN = 8,    /* relations that hold */
	WORD_BOTH = 16,  /* true where comparison and c are */
	WORD_ONE = 32,   /* true where exactly one of them is */
	WORD_ALONE = 64, /* there is no c */
	WORD_TRUTH = 8,  /* shift: index into truths */
};

/* set writes one of these for true, 0 for false. */
static const u32 truths[] = {0xffffffff, 0xffff, 0x3f800000, 0x3c00, 0x3f80};

static u32 relation_bits(int compare)
{
	switch (common_name(compare)) {
	case M_eq:
		return WORD_EQUAL;
	case M_ne:
		return WORD_LESS | WORD_GREATER;
	case M_lt:
		return WORD_LESS;
	case M_le:
		return WORD_LESS | WORD_EQUAL;
	case M_gt:
		return WORD_GREATER;
	case M_ge:
		return WORD_GREATER | WORD_EQUAL;
	case M_equ:
		return WORD_EQUAL | WORD_NAN;
	case M_neu:
		return WORD_LESS | WORD_GREATER | WORD_NAN;
	case M_ltu:
		return WORD_LESS | WORD_NAN;
	case M_leu:
		return WORD_LESS | WORD_EQUAL | WORD_NAN;
	case M_gtu:
		return WORD_GREATER | WORD_NAN;
	case M_geu:
		return WORD_GREATER | WORD_EQUAL | WORD_NAN;
	case M_num:
		return WORD_LESS | WORD_EQUAL | WORD_GREATER;
	default:
		return WORD_NAN;
	}
}

/* PTX ISA 9.7.6.1: set writes all ones for integers, 1.0 for floats, each in the width of its own type. */
static u32 truth_index(int type)
{
	switch (type) {
	case T_u16:
	case T_s16:
		return 1;
	case T_f32:
		return 2;
	case T_f16:
	case T_f16x2:
		return 3;
	case T_bf16:
	case T_bf16x2:
		return 4;
	default:
		return 0;
	}
}

/* What the form says, as bits, so that one function does all of its comparisons: which relations hold it, how c takes
 * part, and what true is. `or` is both flags: (t and c) or (t xor c). */
static u32 compare_word(const struct form *f)
{
	const int operator= form_pick(f, M_and, M_xor);
	u32 word = relation_bits(form_pick(f, M_eq, M_nan)) | truth_index(form_type(f, 0)) << WORD_TRUTH;

	word |= operator== TOKEN_NONE ? WORD_ALONE : 0;
	word |= operator== M_xor ? 0 : WORD_BOTH;
	word |= operator== M_or || operator== M_xor ? WORD_ONE : 0;
	return word;
}

static inline u32 bits_if(u32 word, u32 flag, u32 bits) { return word & flag ? bits : 0; }

static inline u32 holds(struct relation r, u32 word)
{
	return bits_if(word, WORD_LESS, r.less) | bits_if(word, WORD_EQUAL, r.equal) |
	       bits_if(word, WORD_GREATER, r.greater) | bits_if(word, WORD_NAN, ~(r.less | r.equal | r.greater));
}

/* The comparison combined with source predicate c, whose row stands at *offset, if there is one. */
static inline u32 combine(u32 truth, const struct insn *i, const u8 *rows, const u32 *offset, u32 word)
{
	if (word & WORD_ALONE)
		return truth;
	const u32 c = *(const u32 *)(rows + *offset) ^ (0u - (i->aux & 1u));
	return bits_if(word, WORD_BOTH, truth & c) | bits_if(word, WORD_ONE, truth ^ c);
}

/* --- setp and set with everything -------------------------------------------------------- */

/* How operands of one kind relate: relate_NAME. */
typedef struct relation relate_fn(struct warp *w, const struct insn *i, const u8 *rows, u32 at_a, u32 at_b);

/* setp p, a, b, c and setp p|q, a, b, c (a list: p, q, a, b, c; the word in insn.c). */
ALWAYS_INLINE const struct insn *setp_one(struct warp *w, const struct insn *i, u8 *rows, u32 mask, relate_fn *relate)
{
	const u32 word = (u32)i->imm, truth = holds(relate(w, i, rows, i->a, i->b), word);

	pred_write(rows, i->d, mask, combine(truth, i, rows, &i->c, word));
	return i + 1;
}

/* p and q from the truth for each of them. */
ALWAYS_INLINE const struct insn *setp_both(struct warp *w, const struct insn *i, u8 *rows, u32 mask, u32 truth,
					   u32 other)
{
	const u32 *o = warp_operands(w, i);
	const u32 p = combine(truth, i, rows, o + 4, i->c), q = combine(other, i, rows, o + 4, i->c);

	pred_write(rows, o[0], mask, p);
	pred_write(rows, o[1], mask, q);
	return i + 1;
}
ALWAYS_INLINE const struct insn *setp_two(struct warp *w, const struct insn *i, u8 *rows, u32 mask, relate_fn *relate)
{
	const u32 *o = warp_operands(w, i), truth = holds(relate(w, i, rows, o[2], o[3]), i->c);

	return setp_both(w, i, rows, mask, truth, ~truth);
}
/* Of two halves: p is the comparison of the lower ones, q of the upper ones; set does each by itself. */
ALWAYS_INLINE const struct insn *setp_pair(struct warp *w, const struct insn *i, u8 *rows, u32 mask, relate_fn *relate,
					   relate_fn *relate_high)
{
	const u32 *o = warp_operands(w, i);
	const u32 low = holds(relate(w, i, rows, o[2], o[3]), i->c);
	const u32 high = holds(relate_high(w, i, rows, o[2], o[3]), i->c);

	return setp_both(w, i, rows, mask, low, high);
}

/* set d, a, b, c: d is 32 bits wide, or narrower in a row of that width. */
ALWAYS_INLINE const struct insn *set_value(struct warp *w, const struct insn *i, u8 *rows, u32 mask, relate_fn *relate)
{
	const u32 word = (u32)i->imm, value = truths[word >> WORD_TRUTH];
	const u32 truth = holds(relate(w, i, rows, i->a, i->b), word);
	const u32 result = combine(truth, i, rows, &i->c, word);
	u32 *d = ROW_OF(u32, i->d);

	EACH_LANE {
		const u32 old = d[l], own = LANE_ON(u32, result, l) ? value : 0;
		d[l] = LANE_ON(u32, mask, l) ? own : old;
	}
	return i + 1;
}
/* A pair's halves are separate results in one register, the lower one first. */
ALWAYS_INLINE const struct insn *set_pair(struct warp *w, const struct insn *i, u8 *rows, u32 mask, relate_fn *relate,
					  relate_fn *relate_high)
{
	const u32 word = (u32)i->imm, value = truths[word >> WORD_TRUTH] & 0xffff;
	const u32 low = combine(holds(relate(w, i, rows, i->a, i->b), word), i, rows, &i->c, word);
	const u32 high = combine(holds(relate_high(w, i, rows, i->a, i->b), word), i, rows, &i->c, word);
	u32 *d = ROW_OF(u32, i->d);

	EACH_LANE {
		const u32 result = (LANE_ON(u32, low, l) ? value : 0) | (LANE_ON(u32, high, l) ? value << 16 : 0);
		const u32 old = d[l];
		d[l] = LANE_ON(u32, mask, l) ? result : old;
	}
	return i + 1;
}

#define MEANING_COMPARED(NAME, DO)            \
	MEANING_FUNCTION(NAME) { return DO; } \
	static const struct meaning NAME = {.run = NAME##_run, .gang = gang_each, .word = compare_word};
#define ALL_MEANINGS(NAME)                                                           \
	MEANING_COMPARED(setp_one_##NAME, setp_one(w, i, rows, mask, relate_##NAME)) \
	MEANING_COMPARED(setp_two_##NAME, setp_two(w, i, rows, mask, relate_##NAME)) \
	MEANING_COMPARED(set_##NAME, set_value(w, i, rows, mask, relate_##NAME))
#define PAIR_MEANINGS(NAME)                                                                                  \
	MEANING_COMPARED(setp_pair_##NAME, setp_pair(w, i, rows, mask, relate_##NAME, relate_##NAME##_high)) \
	MEANING_COMPARED(set_pair_##NAME, set_pair(w, i, rows, mask, relate_##NAME, relate_##NAME##_high))
#define COMPARED(X) X(u16) X(s16) X(u32) X(s32) X(u64) X(s64) X(f32) X(f64) X(f16) X(f16_ftz) X(bf16)
COMPARED(ALL_MEANINGS)
PAIR_MEANINGS(f16)
PAIR_MEANINGS(f16_ftz)
PAIR_MEANINGS(bf16)

/* The meaning for the type of a form's source; those of f16 with .ftz are apart. */
#define COMPARED_AS(NAME, TYPE, AS) {T_##TYPE, &NAME##_##AS},
#define COMPARED_SAME(NAME, TYPE)   COMPARED_AS(NAME, TYPE, TYPE)
/* clang-format off */
#define COMPARED_TABLE(NAME)                                                                    \
	{                                                                                       \
		COMPARED_AS(NAME, b16, u16) COMPARED_AS(NAME, b32, u32) COMPARED_AS(NAME, b64, u64) \
		COMPARED_SAME(NAME, u16) COMPARED_SAME(NAME, u32) COMPARED_SAME(NAME, u64)      \
		COMPARED_SAME(NAME, s16) COMPARED_SAME(NAME, s32) COMPARED_SAME(NAME, s64)      \
		COMPARED_SAME(NAME, f16) COMPARED_SAME(NAME, f32) COMPARED_SAME(NAME, f64) COMPARED_SAME(NAME, bf16) \
	}
/* clang-format on */
#define PICK_COMPARED(NAME, SOURCE)                                                                     \
	static const struct meaning *pick_##NAME(const struct form *f)                                  \
	{                                                                                               \
		static const struct meaning_of_type table[] = COMPARED_TABLE(NAME);                     \
		const int type = form_type(f, SOURCE);                                                  \
		return type == T_f16 && form_has(f, M_ftz) ? &NAME##_f16_ftz : meaning_of(table, type); \
	}
PICK_COMPARED(setp_one, 0)
PICK_COMPARED(setp_two, 0)
PICK_COMPARED(set, 1)
#define PICK_COMPARED_PAIR(NAME, SOURCE)                                   \
	static const struct meaning *pick_##NAME(const struct form *f)     \
	{                                                                  \
		if (form_type(f, SOURCE) == T_bf16x2)                      \
			return &NAME##_bf16;                               \
		return form_has(f, M_ftz) ? &NAME##_f16_ftz : &NAME##_f16; \
	}
PICK_COMPARED_PAIR(setp_pair, 0)
PICK_COMPARED_PAIR(set_pair, 1)

/* --- What a guard leaves of set ---
 *
 * ptxas 13.0 guards the comparison of a set, but not what comes behind it: the widening of the truth of a comparison of
 * 16 bits, and the conversion of 1 to a float, of the truth's magnitude. So a register that keeps its value is taken
 * for such a truth, as 350 recorded kernels show. The lanes of these meanings are those that the guard holds back. */
static inline s32 truth_16(u32 a) { return (s16)a < 0 ? (s16)(0u - a) : (s16)a; }
static inline s32 truth_32(u32 a) { return (s32)a < 0 ? (s32)(0u - a) : (s32)a; }
#define KEPT(FROM, A)                                                                                \
	LANE1(kept_f32_##FROM, u32, u32, f32_from_s64(truth_##FROM(A), ROUND_RN));                   \
	LANE1(kept_f16_##FROM, u32, u32, f16_from_f64_rn(bits_of_f64((f64)truth_##FROM((u16)(A))))); \
	LANE1(kept_bf16_##FROM, u32, u32, bf16_from_f64_rn(bits_of_f64((f64)truth_##FROM((u16)(A)))));
KEPT(16, a)
KEPT(32, a)
LANE1(kept_s32, u32, u32, (u32)(s32)(s16)a);
static const struct meaning *pick_kept(const struct form *f)
{
	const bool wide = form_type(f, 1) == T_s32;

	switch (form_type(f, 0)) {
	case T_f32:
		return wide ? &kept_f32_32 : &kept_f32_16;
	case T_f16:
		return wide ? &kept_f16_32 : &kept_f16_16;
	case T_bf16:
		return wide ? &kept_bf16_32 : &kept_bf16_16;
	default:
		return &kept_s32;
	}
}

/* --- selp, slct --- */

#define SELP(W)                                                                                             \
	LANE_VALUES(selp_##W, u##W, ROWS2(u##W, u##W);                                                      \
		    const u32 c = PRED_SOURCE(i, i->c, 0), LANES2(u##W, u##W), LANE_ON(u##W, c, l) ? a : b) \
	LANE_HANDLERS(selp_##W, u##W)
SELP(32);
SELP(64);

/* c >= 0: -0 is, a NaN is not; .ftz makes a negative subnormal -0. */
static inline bool not_negative(u32 c, u32 least)
{
	return c <= 0x7f800000u || (c >> 31 && (c & 0x7fffffffu) <= least);
}
#define SLCT(W)                                                                 \
	LANE3(slct_s32_##W, u##W, u##W, u##W, s32, c >= 0 ? a : b);             \
	LANE3(slct_f32_##W, u##W, u##W, u##W, u32, not_negative(c, 0) ? a : b); \
	LANE3(slct_ftz_##W, u##W, u##W, u##W, u32, not_negative(c, 0x7fffff) ? a : b)
SLCT(32);
SLCT(64);

#define PICK_SELECT(NAME)                                                          \
	static const struct meaning *pick_##NAME(const struct form *f)             \
	{                                                                          \
		return type_bits(form_type(f, 0)) == 64 ? &NAME##_64 : &NAME##_32; \
	}
PICK_SELECT(selp)
PICK_SELECT(slct_s32)
PICK_SELECT(slct_f32)
PICK_SELECT(slct_ftz)
static const struct meaning *pick_slct_float(const struct form *f)
{
	return form_has(f, M_ftz) ? pick_slct_ftz(f) : pick_slct_f32(f);
}

#define CMP_BITS     "(.eq|.ne)"
#define CMP_SIGNED   "(.eq|.ne|.lt|.le|.gt|.ge)"
#define CMP_UNSIGNED "(.eq|.ne|.lt|.le|.gt|.ge|.lo|.ls|.hi|.hs)"
#define CMP_FLOAT    "(.eq|.ne|.lt|.le|.gt|.ge|.equ|.neu|.ltu|.leu|.gtu|.geu|.num|.nan)"
#define BOOL         "(.and|.or|.xor)"
#define SELECTED     "(.b16|.b32|.b64|.u16|.u32|.u64|.s16|.s32|.s64|.f32|.f64)"

/* The forms of setp for a set of types: plain, with a second result, with an operator. */
#define SETP_ROWS(CMP, TYPES, PTX, SM)                                                        \
	ROW("setp" CMP TYPES, "=pred 0 0", PTX, SM, 0, pick_plain, "Compares."),              \
		ROW("setp" CMP TYPES, "=_pred|pred 0 0", PTX, SM, 0, pick_setp_two,           \
		    "Compares; q is the opposite of p."),                                     \
		ROW("setp" CMP BOOL TYPES, "=pred 0 0 pred", PTX, SM, 0, pick_setp_one,       \
		    "Compares and combines with c."),                                         \
		ROW("setp" CMP BOOL TYPES, "=_pred|pred 0 0 pred", PTX, SM, 0, pick_setp_two, \
		    "Compares and combines with c; q takes the opposite comparison.")
/* Those of a single half have one result only. */
#define SETP_HALF_ROWS(FTZ, TYPE, PTX, SM)                                                       \
	ROW("setp" CMP_FLOAT FTZ TYPE, "=pred 0 0", PTX, SM, 0, pick_setp_one, "Compares."),     \
		ROW("setp" CMP_FLOAT BOOL FTZ TYPE, "=pred 0 0 pred", PTX, SM, 0, pick_setp_one, \
		    "Compares and combines with c.")
#define SETP_PAIR_ROWS(FTZ, TYPE, PTX, SM)                                                              \
	ROW("setp" CMP_FLOAT FTZ TYPE, "=_pred|pred 0 0", PTX, SM, 0, pick_setp_pair,                   \
	    "Compares the lower halves for p, the upper ones for q."),                                  \
		ROW("setp" CMP_FLOAT BOOL FTZ TYPE, "=_pred|pred 0 0 pred", PTX, SM, 0, pick_setp_pair, \
		    "Compares halves for p and q and combines with c.")
#define SET_INTO(RESULT, CMP, TYPES, PTX, SM, PICK)                                            \
	ROW("set" CMP TYPES, RESULT " 1 1", PTX, SM, 0, PICK, "Compares and writes a value."), \
		ROW("set" CMP BOOL TYPES, RESULT " 1 1 pred", PTX, SM, 0, PICK,                \
		    "Compares, combines with c and writes a value.")
#define SET_ROWS(CMP, TYPES, PTX, SM, PICK) SET_INTO("=0", CMP, TYPES, PTX, SM, PICK)
/* Results that set gives for all sources of 16 to 64 bits, by their PTX versions. */
#define SET_ALL(CMP, SOURCES, FTZ)                                       \
	SET_ROWS(CMP, FTZ "(.u32|.s32|.f32)" SOURCES, 10, 10, pick_set), \
		SET_ROWS(CMP, FTZ ".f16" SOURCES, 42, 53, pick_set)

static const struct isa_row rows_compare[] = {
	SETP_ROWS(CMP_BITS, TYPES_BITS, 10, 10),
	SETP_ROWS(CMP_UNSIGNED, "(.u16|.u32|.u64)", 10, 10),
	SETP_ROWS(CMP_SIGNED, "(.s16|.s32|.s64)", 10, 10),
	SETP_ROWS(CMP_FLOAT, "[.ftz].f32", 10, 10),
	SETP_ROWS(CMP_FLOAT, ".f64", 10, 13),
	SETP_HALF_ROWS("[.ftz]", ".f16", 42, 53),
	SETP_HALF_ROWS("", ".bf16", 78, 90),
	SETP_PAIR_ROWS("[.ftz]", ".f16x2", 42, 53),
	SETP_PAIR_ROWS("", ".bf16x2", 78, 90),
	SET_ALL(CMP_BITS, TYPES_BITS, ""),
	SET_ALL(CMP_UNSIGNED, "(.u16|.u32|.u64)", ""),
	SET_ALL(CMP_SIGNED, "(.s16|.s32|.s64)", ""),
	SET_ALL(CMP_FLOAT, ".f32", "[.ftz]"),
	SET_ALL(CMP_FLOAT, ".f64", ""),
	SET_ROWS(CMP_BITS, ".bf16" TYPES_BITS, 78, 90, pick_set),
	SET_ROWS(CMP_UNSIGNED, ".bf16(.u16|.u32|.u64)", 78, 90, pick_set),
	SET_ROWS(CMP_SIGNED, ".bf16(.s16|.s32|.s64)", 78, 90, pick_set),
	SET_INTO("=u16", CMP_FLOAT, ".bf16(.f16|.f32|.f64)", 78, 90, pick_set),
	SET_ROWS(CMP_FLOAT, "[.ftz](.f16|.u16|.s16|.u32|.s32).f16", 42, 53, pick_set),
	SET_INTO("=u16", CMP_FLOAT, ".bf16.bf16", 78, 90, pick_set),
	SET_ROWS(CMP_FLOAT, "(.u16|.s16|.u32|.s32).bf16", 78, 90, pick_set),
	SET_ROWS(CMP_FLOAT, "[.ftz](.f16x2|.u32|.s32).f16x2", 42, 53, pick_set_pair),
	SET_INTO("=u32", CMP_FLOAT, ".bf16x2.bf16x2", 78, 90, pick_set_pair),
	SET_ROWS(CMP_FLOAT, "(.u32|.s32).bf16x2", 78, 90, pick_set_pair),
	ROW("%kept(.f32|.f16|.bf16|.s32)(.s16|.s32)", "=0 0", 10, 10, 0, pick_kept, "What the guard of a set leaves."),
	ROW("selp" SELECTED, "=0 0 0 pred", 10, 10, 0, pick_selp, "a where c holds, else b."),
	ROW("slct" SELECTED ".s32", "=0 0 0 1", 10, 10, 0, pick_slct_s32, "a where c >= 0, else b."),
	ROW("slct[.ftz]" SELECTED ".f32", "=0 0 0 f32", 10, 10, 0, pick_slct_float,
	    "a where c >= 0, else b; with .ftz, subnormals count as zero."),
};
FAMILY(family_compare, "Comparison and selection", CLASS_BY_TYPE, rows_compare);
