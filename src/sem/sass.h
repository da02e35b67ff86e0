/* SPDX-License-Identifier: Apache-2.0
 *
 * What the SASS families share: rows for the machines that are modelled, and macros that turn an
 * expression over lanes into meanings. isa/sass.h says where operands are. Expressions see a, b, c
 * as 32-bit values, x as what is carried in, and `word` as the form's word.
 */
#ifndef PTXSIM_SEM_SASS_H
#define PTXSIM_SEM_SASS_H

#include "isa/sass.h"
#include "sem/lanes.h"

/* A row for Fermi, compute capability 2.x. */
#define FERMI(FORM, OPERANDS, FLAGS, PICK, DOC) ROW_UNTIL(21, FORM, OPERANDS, 0, 20, FLAGS, PICK, DOC)

#define PICK_SASS(NAME, CHOICE)                                        \
	static const struct meaning *pick_##NAME(const struct form *f) \
	{                                                              \
		(void)f;                                               \
		return (CHOICE);                                       \
	}
#define MEANING_WORD(NAME, WORD) static const struct meaning NAME = {.run = NAME##_run, .word = WORD}

#define SASS_SOURCES                                                                         \
	const u32 *pa = ROW_OF(u32, i->a), *pb = ROW_OF(u32, i->b), *pc = ROW_OF(u32, i->c); \
	const u32 *list = warp_operands(w, i);                                               \
	const u32 word = list[SASS_WORD], carry = PRED_OF(list[SASS_CARRY]);                 \
	(void)pb;                                                                            \
	(void)pc;                                                                            \
	(void)word;                                                                          \
	(void)carry
#define SASS_VALUES                               \
	const u32 a = pa[l];                      \
	const u32 b = pb[l];                      \
	const u32 c = pc[l];                      \
	const u32 x = (carry & lane_bit[l]) != 0; \
	(void)a;                                  \
	(void)b;                                  \
	(void)c;                                  \
	(void)x

/* SASS_LANES(name, expression): d = expression. */
#define SASS_LANES_WORD(NAME, WORD, EXPR)         \
	LANE_FUNCTION(NAME)                       \
	{                                         \
		u32 *d = ROW_OF(u32, i->d);       \
		SASS_SOURCES;                     \
		LANE_BODY(u32, SASS_VALUES, EXPR) \
		return i + 1;                     \
	}                                         \
	MEANING_WORD(NAME, WORD)
#define SASS_LANES(NAME, EXPR) SASS_LANES_WORD(NAME, NULL, EXPR)

/* The condition code of the active lanes. */
static inline __attribute__((unused)) void write_code(u8 *rows, u32 mask, u32 carry, u32 zero, u32 sign, u32 overflow)
{
	pred_write(rows, SASS_FRAME_CF, mask, carry);
	pred_write(rows, SASS_FRAME_ZF, mask, zero);
	pred_write(rows, SASS_FRAME_SF, mask, sign);
	pred_write(rows, SASS_FRAME_OF, mask, overflow);
}

/* What a condition code is made of: each lane's result, and 0 or -1 for each of its parts. */
struct sass_code {
	u32 r[WARP_LANES];
	s32 cf[WARP_LANES], of[WARP_LANES];
} __attribute__((aligned(64)));

ALWAYS_INLINE void sass_sum(struct sass_code *s, int l, u32 p, u32 q, u32 x)
{
	const u64 sum = (u64)p + q + x;

	s->r[l] = (u32)sum;
	s->cf[l] = sum >> 32 ? -1 : 0;
	s->of[l] = (s32)((p ^ s->r[l]) & (q ^ s->r[l])) >> 31;
}

/* The result to row d, and the condition code; logic has neither carry nor overflow. */
ALWAYS_INLINE const struct insn *sass_set_code(const struct insn *i, u8 *rows, u32 mask, const struct sass_code *s,
					       u32 carry, u32 overflow)
{
	s32 zf[WARP_LANES] __attribute__((aligned(64))), sf[WARP_LANES] __attribute__((aligned(64)));

	EACH_LANE {
		zf[l] = !s->r[l] ? -1 : 0;
		sf[l] = (s32)s->r[l] >> 31;
	}
	write_code(rows, mask, carry, pack_lanes32(zf), pack_lanes32(sf), overflow);
	merge_row(rows + i->d, s->r, sizeof s->r[0], mask);
	return i + 1;
}

/* SASS_ADD(name, p, q): d = p + q + x, and name_cc, which sets the condition code too: the carry out
 * of bit 31 and the overflow of signed numbers. The product or shifted term is p, wrapped to 32 bits. */
#define SASS_ADD_CODE(NAME, P, Q)                                                                \
	MEANING_FUNCTION(NAME##_cc)                                                              \
	{                                                                                        \
		struct sass_code s;                                                              \
		SASS_SOURCES;                                                                    \
		EACH_LANE {                                                                      \
			SASS_VALUES;                                                             \
			sass_sum(&s, l, (u32)(P), (u32)(Q), x);                                  \
		}                                                                                \
		return sass_set_code(i, rows, mask, &s, pack_lanes32(s.cf), pack_lanes32(s.of)); \
	}
#define SASS_ADD_WORD(NAME, WORD, P, Q)                       \
	SASS_LANES_WORD(NAME, WORD, (u32)(P) + (u32)(Q) + x); \
	SASS_ADD_CODE(NAME, P, Q)                             \
	MEANING_WORD(NAME##_cc, WORD)
#define SASS_ADD(NAME, P, Q) SASS_ADD_WORD(NAME, NULL, P, Q)

/* SASS_LOGIC(name, expression): the same without carry and overflow. */
#define SASS_LOGIC_CODE(NAME, EXPR)                            \
	MEANING_FUNCTION(NAME##_cc)                            \
	{                                                      \
		struct sass_code s;                            \
		SASS_SOURCES;                                  \
		EACH_LANE {                                    \
			SASS_VALUES;                           \
			s.r[l] = (u32)(EXPR);                  \
		}                                              \
		return sass_set_code(i, rows, mask, &s, 0, 0); \
	}
#define SASS_LOGIC_WORD(NAME, WORD, EXPR)  \
	SASS_LANES_WORD(NAME, WORD, EXPR); \
	SASS_LOGIC_CODE(NAME, EXPR)        \
	MEANING_WORD(NAME##_cc, WORD)
#define SASS_LOGIC(NAME, EXPR) SASS_LOGIC_WORD(NAME, NULL, EXPR)

/* A meaning or its _cc, by the form. */
#define WITH_CC(NAME) (f->writes_cc ? &NAME##_cc : &NAME)

/* The condition CC.name of each lane. */
static inline __attribute__((unused)) u32 condition_holds(const u8 *rows, enum sass_condition condition)
{
	const u32 cf = *(const u32 *)(rows + SASS_FRAME_CF), zf = *(const u32 *)(rows + SASS_FRAME_ZF);
	const u32 sf = *(const u32 *)(rows + SASS_FRAME_SF), of = *(const u32 *)(rows + SASS_FRAME_OF);
	const u32 lt = (sf ^ of) & ~zf, gt = ~(sf ^ of) & ~zf;

	switch (condition) {
	case SASS_CC_OFF:
		return ~of;
	case SASS_CC_LO:
		return ~cf;
	case SASS_CC_SFF:
		return ~sf;
	case SASS_CC_LS:
		return ~cf | zf;
	case SASS_CC_HI:
		return cf & ~zf;
	case SASS_CC_SFT:
		return sf;
	case SASS_CC_HS:
		return cf;
	case SASS_CC_OFT:
		return of;
	default: /* the first sixteen: bits for less, equal, greater; unordered never holds for integers */
		return (condition & 1 ? lt : 0) | (condition & 2 ? zf : 0) | (condition & 4 ? gt : 0);
	}
}

#endif
