/* SPDX-License-Identifier: Apache-2.0
 *
 * What the two cvt families share: loops whose source and destination rows may be wider than the
 * types. cvt alone takes registers wider than its types: the source's low bits count, and an
 * integer result is extended to the register by its type's sign.
 */
#ifndef PTXSIM_SEM_CVT_H
#define PTXSIM_SEM_CVT_H

#include "number/convert.h"
#include "sem/floats.h"

/* CVT(name, source lane, value type of the source, destination lane, expression over a): vector
 * code. CVT_RARE: the same, small; for forms that no hot loop has. F...: under the fp mode. */
#define AS_IT_IS(i, x) (x)
#define CVT_VALUES(NAME, RA, TA, RD, SEES, EXPR)                                          \
	ALWAYS_INLINE void NAME##_values(const struct insn *i, const u8 *rows, void *row) \
	{                                                                                 \
		RD *const d = __builtin_assume_aligned(row, 64);                          \
		const RA *const pa = __builtin_assume_aligned(rows + i->a, 64);           \
		EACH_LANE {                                                               \
			const TA a = SEES(i, (TA)pa[l]);                                  \
			d[l] = (RD)(EXPR);                                                \
		}                                                                         \
	}
/* One loop for all masks: conversions are many. Native code has rows in registers, and no pointer to choose one by. */
#ifdef SEM_NATIVE
#define CVT_STORE(NAME, RD)                                                                     \
	ALWAYS_INLINE const struct insn *NAME##_store(const struct insn *i, u8 *rows, u32 mask) \
	{                                                                                       \
		RD kept[WARP_LANES] __attribute__((aligned(64)));                               \
		NAME##_values(i, rows, kept);                                                   \
		merge_row(rows + i->d, kept, sizeof kept[0], mask);                             \
		return i + 1;                                                                   \
	}
#else
#define CVT_STORE(NAME, RD)                                                                               \
	ALWAYS_INLINE const struct insn *NAME##_store(const struct insn *i, u8 *rows, u32 mask)           \
	{                                                                                                 \
		RD kept[WARP_LANES] __attribute__((aligned(64)));                                         \
		NAME##_values(i, rows, LIKELY(mask == FULL_MASK) ? (void *)(rows + i->d) : (void *)kept); \
		if (UNLIKELY(mask != FULL_MASK))                                                          \
			merge_row(rows + i->d, kept, sizeof kept[0], mask);                               \
		return i + 1;                                                                             \
	}
#endif
#define CVT(NAME, RA, TA, RD, EXPR)                                          \
	CVT_VALUES(NAME, RA, TA, RD, AS_IT_IS, EXPR)                         \
	CVT_STORE(NAME, RD)                                                  \
	LANE_FUNCTION(NAME) { return (void)w, NAME##_store(i, rows, mask); } \
	LANE_GANG_RUN(NAME, gang_each)                                       \
	MEANING_GANG(NAME)
#define FCVT(NAME, RA, TA, RD, EXPR)                                                                \
	CVT_VALUES(NAME, RA, TA, RD, SEEN, EXPR)                                                    \
	CVT_STORE(NAME, RD)                                                                         \
	LANE_FUNCTION(NAME)                                                                         \
	{                                                                                           \
		return UNLIKELY(OTHER_MODE(w, i)) ? lane_run_switched(w, i, rows, mask, NAME##_run) \
						  : NAME##_store(i, rows, mask);                    \
	}                                                                                           \
	FLANE_GANG_RUN(NAME, gang_each)                                                             \
	MEANING_GANG(NAME)
#ifdef SEM_NATIVE
#define CVT_RARE_BODY(RA, TA, RD, EXPR)                           \
	const RA *pa = __builtin_assume_aligned(rows + i->a, 64); \
	RD result[WARP_LANES] __attribute__((aligned(64)));       \
	EACH_LANE {                                               \
		const TA a = (TA)pa[l];                           \
		result[l] = (RD)(EXPR);                           \
	}                                                         \
	merge_row(rows + i->d, result, sizeof result[0], mask);
#else
#define CVT_RARE_BODY(RA, TA, RD, EXPR)                           \
	RD *d = __builtin_assume_aligned(rows + i->d, 64);        \
	const RA *pa = __builtin_assume_aligned(rows + i->a, 64); \
	RD result[WARP_LANES];                                    \
	for (u32 l = 0; l < WARP_LANES; l++) {                    \
		const TA a = (TA)pa[l];                           \
		result[l] = (RD)(EXPR);                           \
	}                                                         \
	for (u32 l = 0; l < WARP_LANES; l++)                      \
		d[l] = mask >> l & 1 ? result[l] : d[l];
#endif
#define CVT_RARE(NAME, RA, TA, RD, EXPR)             \
	__attribute__((cold)) MEANING_FUNCTION(NAME) \
	{                                            \
		(void)w;                             \
		CVT_RARE_BODY(RA, TA, RD, EXPR)      \
		return i + 1;                        \
	}                                            \
	MEANING_EACH(NAME)

/* The rounding of a meaning on bits: the instruction's mode. enum round has fp_mode's order. */
#define ROUND_OF(i) ((enum round)((i)->fp & 3))

/* Integer types in the order of the tables. */
enum int_kind { INT_U8, INT_S8, INT_U16, INT_S16, INT_U32, INT_S32, INT_U64, INT_S64, INT_KINDS };

static inline enum int_kind int_kind(int type)
{
	const u32 bits = type_bits(type);
	const u32 size = bits == 8 ? 0 : bits == 16 ? 1 : bits == 32 ? 2 : 3;
	return (enum int_kind)(2 * size + (type_class(type) == 's'));
}

/* 0 to 3 for the destination's register: 8, 16, 32, 64 bits. At least as wide as the type. */
static inline u32 dest_size(const struct form *f)
{
	const u32 type = type_bits(form_type(f, 0)), bits = f->operand_bits[0] > type ? f->operand_bits[0] : type;
	return bits <= 8 ? 0 : bits == 16 ? 1 : bits == 32 ? 2 : 3;
}
/* Whether the source is narrower than 64 bits in a 64-bit register. */
static inline u32 source_is_wide(const struct form *f)
{
	return type_bits(form_type(f, 1)) < 64 && f->operand_bits[1] == 64;
}

#endif
