/* SPDX-License-Identifier: Apache-2.0
 *
 * SASS: comparisons. A comparison's code has a bit for less, equal, greater and unordered, in the
 * order in which the machine numbers them (F LT EQ LE GT NE GE NUM NAN LTU ... T), so that the
 * truth follows from those four masks.
 */
#include "number/ieee.h"
#include "sem/sass.h"

enum { WORD_UNSIGNED = 1 << 4, WORD_EXTENDED = 1 << 5, WORD_FTZ = 1 << 6, WORD_BF = 1 << 7, WORD_COMBINE = 8 };

struct relation {
	u32 less, equal, greater; /* none: unordered */
};

static inline u32 truth_of(u32 word, struct relation r)
{
	return (word & 1 ? r.less : 0) | (word & 2 ? r.equal : 0) | (word & 4 ? r.greater : 0) |
	       (word & 8 ? ~(r.less | r.equal | r.greater) : 0);
}

static inline u32 combined(u32 word, u32 a, u32 b)
{
	const u32 how = word >> WORD_COMBINE & 3;
	return how == 0 ? a & b : how == 1 ? a | b : a ^ b;
}

static u32 word_compare(const struct form *f)
{
	u32 word = 0;

	for (u32 k = 0; k < f->word_count; k++) {
		const char *w = f->words[k];
		const enum sass_condition code = sass_condition_find(w);
		if (code <= SASS_CC_T)
			word |= code;
		else if (!strcmp(w, "OR") || !strcmp(w, "XOR"))
			word |= (*w == 'O' ? 1u : 2u) << WORD_COMBINE;
	}
	return word | (form_has_word(f, "U32") ? WORD_UNSIGNED : 0) | (form_has_word(f, "X") ? WORD_EXTENDED : 0) |
	       (form_has_word(f, "FTZ") ? WORD_FTZ : 0) | (form_has_word(f, "BF") ? WORD_BF : 0);
}

/* --- Relations ------------------------------------------------------------------------------ */

#define TRUTHS                                                                                             \
	s32 less[WARP_LANES] __attribute__((aligned(64))), equal[WARP_LANES] __attribute__((aligned(64))); \
	s32 greater[WARP_LANES] __attribute__((aligned(64)))
#define PACKED ((struct relation){pack_lanes32(less), pack_lanes32(equal), pack_lanes32(greater)})

/* .X compares the upper words of pairs whose lower words a subtraction has left in the condition code:
 * no carry is a borrow, the lower word is less. */
static inline struct relation extended(const u8 *rows, struct relation r)
{
	const u32 lower_less = ~*(const u32 *)(rows + SASS_FRAME_CF),
		  lower_equal = *(const u32 *)(rows + SASS_FRAME_ZF);
	const struct relation x = {r.less | (r.equal & lower_less & ~lower_equal), r.equal & lower_equal,
				   r.greater | (r.equal & ~lower_less & ~lower_equal)};
	return x;
}

static inline struct relation relate_int(const u8 *rows, u32 word, const u32 *a, const u32 *b)
{
	const u32 flip = word & WORD_UNSIGNED ? 0x80000000 : 0;
	TRUTHS;

	EACH_LANE {
		const s32 x = (s32)(a[l] ^ flip), y = (s32)(b[l] ^ flip);
		less[l] = x < y ? -1 : 0;
		equal[l] = x == y ? -1 : 0;
		greater[l] = x > y ? -1 : 0;
	}
	return word & WORD_EXTENDED ? extended(rows, PACKED) : PACKED;
}

static inline struct relation relate_f32(const u8 *rows, u32 word, const u32 *a, const u32 *b)
{
	const bool ftz = word & WORD_FTZ;
	TRUTHS;

	(void)rows;
	EACH_LANE {
		const f32 x = f32_of_bits(f32_flush_if(a[l], ftz)), y = f32_of_bits(f32_flush_if(b[l], ftz));
		less[l] = x < y ? -1 : 0;
		equal[l] = x == y ? -1 : 0;
		greater[l] = x > y ? -1 : 0;
	}
	return PACKED;
}

static inline f64 pair_of(const u32 *row, u32 l) { return f64_of_bits(row[l] | (u64)row[l + WARP_LANES] << 32); }

static inline struct relation relate_f64(const u8 *rows, u32 word, const u32 *a, const u32 *b)
{
	TRUTHS;

	(void)rows;
	(void)word;
	EACH_LANE {
		const f64 x = pair_of(a, (u32)l), y = pair_of(b, (u32)l);
		less[l] = x < y ? -1 : 0;
		equal[l] = x == y ? -1 : 0;
		greater[l] = x > y ? -1 : 0;
	}
	return PACKED;
}

/* --- Meanings ------------------------------------------------------------------------------- */

typedef struct relation relate_fn(const u8 *rows, u32 word, const u32 *a, const u32 *b);

/* The truth of a comparison of operands a and b. A flushed or kept subnormal must compare as the form says: the host's
 * mode would flush it too. */
ALWAYS_INLINE u32 compared(struct warp *w, const struct insn *i, const u8 *rows, u32 word, relate_fn *relate)
{
	fp_enter(w, i->fp);
	return truth_of(word, relate(rows, word, ROW_OF(u32, i->a), ROW_OF(u32, i->b)));
}

ALWAYS_INLINE const struct insn *setp(struct warp *w, const struct insn *i, u8 *rows, u32 mask, relate_fn *relate)
{
	const u32 *list = warp_operands(w, i), word = list[SASS_WORD];
	const u32 truth = compared(w, i, rows, word, relate), with = PRED_SOURCE(i, list[SASS_S], 0);

	pred_write(rows, list[SASS_P], mask, combined(word, truth, with));
	pred_write(rows, list[SASS_Q], mask, combined(word, ~truth, with));
	return i + 1;
}

ALWAYS_INLINE const struct insn *set(struct warp *w, const struct insn *i, u8 *rows, u32 mask, relate_fn *relate)
{
	const u32 *list = warp_operands(w, i), word = list[SASS_WORD], value = word & WORD_BF ? F32_ONE : ~0u;
	const u32 truth = compared(w, i, rows, word, relate);
	const u32 all = combined(word, truth, PRED_SOURCE(i, list[SASS_S], 0));
	u32 *d = ROW_OF(u32, i->d);

	EACH_LANE
		d[l] = mask & lane_bit[l] ? (all & lane_bit[l] ? value : 0) : d[l];
	return i + 1;
}

/* a where c compares so with zero, else b. */
ALWAYS_INLINE const struct insn *choose(struct warp *w, const struct insn *i, u8 *rows, u32 mask, relate_fn *relate)
{
	static const u32 zeros[WARP_LANES] __attribute__((aligned(64)));
	const u32 word = warp_operands(w, i)[SASS_WORD];
	const u32 *pa = ROW_OF(u32, i->a), *pb = ROW_OF(u32, i->b);
	u32 *d = ROW_OF(u32, i->d);

	fp_enter(w, i->fp);
	const u32 truth = truth_of(word, relate(rows, word, ROW_OF(u32, i->c), zeros));
	EACH_LANE
		d[l] = mask & lane_bit[l] ? (truth & lane_bit[l] ? pa[l] : pb[l]) : d[l];
	return i + 1;
}

#define MEANING_COMPARED(NAME, DO)            \
	MEANING_FUNCTION(NAME) { return DO; } \
	MEANING_WORD(NAME, word_compare);     \
	PICK_SASS(NAME, &NAME)
#define COMPARES(TYPE)                                                       \
	MEANING_COMPARED(setp_##TYPE, setp(w, i, rows, mask, relate_##TYPE)) \
	MEANING_COMPARED(set_##TYPE, set(w, i, rows, mask, relate_##TYPE))
#define CHOOSES(TYPE) MEANING_COMPARED(cmp_##TYPE, choose(w, i, rows, mask, relate_##TYPE))
COMPARES(int)
COMPARES(f32)
COMPARES(f64)

CHOOSES(int)
CHOOSES(f32)

/* --- Rows ----------------------------------------------------------------------------------- */

#define INT_COMPARE   "(.F|.LT|.EQ|.LE|.GT|.NE|.GE|.T)"
#define FLOAT_COMPARE "(.F|.LT|.EQ|.LE|.GT|.NE|.GE|.NUM|.NAN|.LTU|.EQU|.LEU|.GTU|.NEU|.GEU|.T)"
#define COMBINE       "(.AND|.OR|.XOR)"

static const struct isa_row rows_compare[] = {
	FERMI("ISETP" INT_COMPARE "[.U32|.S32][.X]" COMBINE, "P P R S p", 0, pick_setp_int,
	      "Compares integers; the second predicate gets the opposite. .X: with the condition code."),
	FERMI("ISET[.BF]" INT_COMPARE "[.U32|.S32][.X]" COMBINE, "D R S p", 0, pick_set_int,
	      "Compares integers: all ones or, with .BF, 1.0 where it holds, else zero."),
	FERMI("ICMP" INT_COMPARE "[.U32|.S32]", "D R S S", 0, pick_cmp_int,
	      "Chooses by an integer's relation to zero."),
	FERMI("FSETP" FLOAT_COMPARE "[.FTZ]" COMBINE, "P P -|R -|S p", SASS_FLOAT, pick_setp_f32, "Compares floats."),
	FERMI("FSET[.BF]" FLOAT_COMPARE "[.FTZ]" COMBINE, "D -|R -|S p", SASS_FLOAT, pick_set_f32, "Compares floats."),
	FERMI("FSET[.BF][.FTZ]" FLOAT_COMPARE COMBINE, "D -|R -|S p", SASS_FLOAT, pick_set_f32, "Compares floats."),
	FERMI("FCMP" FLOAT_COMPARE "[.FTZ]", "D R S -S", SASS_FLOAT, pick_cmp_f32,
	      "Chooses by a float's relation to zero."),
	FERMI("DSETP" FLOAT_COMPARE COMBINE, "P P -|R2 -|S2 p", SASS_FLOAT | WITH(TRAIT_DOUBLES), pick_setp_f64,
	      "Compares doubles."),
	FERMI("DSET[.BF]" FLOAT_COMPARE COMBINE, "D -|R2 -|S2 p", SASS_FLOAT | WITH(TRAIT_DOUBLES), pick_set_f64,
	      "Compares doubles."),
};
FAMILY(sass_compare, "SASS: comparisons", CLASS_BY_TYPE, rows_compare);
