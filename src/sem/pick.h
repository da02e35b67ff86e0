/* SPDX-License-Identifier: Apache-2.0
 *
 * Choosing a meaning by the form's first type: pick_NAME for the meanings NAME_u32 and so on.
 * Used by the integer families. A type that the row does not list never gets here.
 */
#ifndef PTXSIM_SEM_PICK_H
#define PTXSIM_SEM_PICK_H

#include "sem/lanes.h"

struct meaning_of_type {
	int type;
	const struct meaning *meaning;
};

/* The entry for a type. Rows list only types that their tables have. */
static inline __attribute__((unused)) const struct meaning *meaning_of(const struct meaning_of_type *entry, int type)
{
	while (entry->type != type)
		entry++;
	return entry->meaning;
}

/* pick_NAME, for the meanings NAME_u32 and so on that the entries TYPED(NAME, u32) list. */
#define TYPED(NAME, T) {T_##T, &NAME##_##T},
#define PICK_(NAME, ENTRIES)                                             \
	static const struct meaning *pick_##NAME(const struct form *f)   \
	{                                                                \
		static const struct meaning_of_type table[] = {ENTRIES}; \
		return meaning_of(table, form_type(f, 0));               \
	}
/* For signed and unsigned types, those alone, and bits. */
#define SIGNS_16(NAME)         TYPED(NAME, u16) TYPED(NAME, s16)
#define SIGNS_32(NAME)         TYPED(NAME, u32) TYPED(NAME, s32)
#define SIGNS_64(NAME)         TYPED(NAME, u64) TYPED(NAME, s64)
#define PICK_SIGNS(NAME)       PICK_(NAME, SIGNS_16(NAME) SIGNS_32(NAME) SIGNS_64(NAME))
#define PICK_SIGNS_32_64(NAME) PICK_(NAME, SIGNS_32(NAME) SIGNS_64(NAME))
#define PICK_SIGNS_16_32(NAME) PICK_(NAME, SIGNS_16(NAME) SIGNS_32(NAME))
#define PICK_SIGNS_32(NAME)    PICK_(NAME, SIGNS_32(NAME))
#define PICK_SIGNED(NAME)      PICK_(NAME, TYPED(NAME, s16) TYPED(NAME, s32) TYPED(NAME, s64))
#define PICK_BITS_32_64(NAME)  PICK_(NAME, TYPED(NAME, b32) TYPED(NAME, b64))
#define PICK_BITS(NAME)        PICK_(NAME, TYPED(NAME, b16) TYPED(NAME, b32) TYPED(NAME, b64))

/* The same meaning NAME_16, NAME_32 or NAME_64 for every type of one width. */
#define PICK_WIDTH(NAME)                                                               \
	static const struct meaning *pick_##NAME(const struct form *f)                 \
	{                                                                              \
		const u32 bits = type_bits(form_type(f, 0));                           \
		return bits == 16 ? &NAME##_16 : bits == 32 ? &NAME##_32 : &NAME##_64; \
	}
#define PICK_WIDTH_32_64(NAME)                                                     \
	static const struct meaning *pick_##NAME(const struct form *f)             \
	{                                                                          \
		return type_bits(form_type(f, 0)) == 32 ? &NAME##_32 : &NAME##_64; \
	}
#define PICK_ONE(NAME)                                                 \
	static const struct meaning *pick_##NAME(const struct form *f) \
	{                                                              \
		(void)f;                                               \
		return &NAME;                                          \
	}

/* One line for all types of a row: meaning and choice. The number is that of the sources, all of the row's type, as the
 * result is; an expression of a narrow type wraps when it is kept.
 * WIDTHSn: the same for signed and unsigned numbers. SIGNSn: for each in its own type. ONEn: of one type. */
#define WIDTHS2(NAME, EXPR)                    \
	LANE2(NAME##_16, u16, u16, u16, EXPR); \
	LANE2(NAME##_32, u32, u32, u32, EXPR); \
	LANE2(NAME##_64, u64, u64, u64, EXPR); \
	PICK_WIDTH(NAME)
#define WIDTHS3(NAME, EXPR)                         \
	LANE3(NAME##_16, u16, u16, u16, u16, EXPR); \
	LANE3(NAME##_32, u32, u32, u32, u32, EXPR); \
	LANE3(NAME##_64, u64, u64, u64, u64, EXPR); \
	PICK_WIDTH(NAME)
#define SIGNS2(NAME, EXPR)                      \
	LANE2(NAME##_u16, u16, u16, u16, EXPR); \
	LANE2(NAME##_s16, s16, s16, s16, EXPR); \
	LANE2(NAME##_u32, u32, u32, u32, EXPR); \
	LANE2(NAME##_s32, s32, s32, s32, EXPR); \
	LANE2(NAME##_u64, u64, u64, u64, EXPR); \
	LANE2(NAME##_s64, s64, s64, s64, EXPR); \
	PICK_SIGNS(NAME)
/* c, an addend, counts modulo the width. */
#define SIGNS3(NAME, EXPR)                           \
	LANE3(NAME##_u16, u16, u16, u16, u16, EXPR); \
	LANE3(NAME##_s16, u16, s16, s16, u16, EXPR); \
	LANE3(NAME##_u32, u32, u32, u32, u32, EXPR); \
	LANE3(NAME##_s32, u32, s32, s32, u32, EXPR); \
	LANE3(NAME##_u64, u64, u64, u64, u64, EXPR); \
	LANE3(NAME##_s64, u64, s64, s64, u64, EXPR); \
	PICK_SIGNS(NAME)
#define SIGNED1(NAME, EXPR)                \
	LANE1(NAME##_s16, u16, s16, EXPR); \
	LANE1(NAME##_s32, u32, s32, EXPR); \
	LANE1(NAME##_s64, u64, s64, EXPR); \
	PICK_SIGNED(NAME)
#define BITS1(NAME, EXPR)                  \
	LANE1(NAME##_b16, b16, b16, EXPR); \
	LANE1(NAME##_b32, b32, b32, EXPR); \
	LANE1(NAME##_b64, b64, b64, EXPR)
#define BITS2(NAME, EXPR)                       \
	LANE2(NAME##_b16, b16, b16, b16, EXPR); \
	LANE2(NAME##_b32, b32, b32, b32, EXPR); \
	LANE2(NAME##_b64, b64, b64, b64, EXPR)
#define ONE2(NAME, T, EXPR)         \
	LANE2(NAME, T, T, T, EXPR); \
	PICK_ONE(NAME)
#define ONE3(NAME, T, EXPR)            \
	LANE3(NAME, T, T, T, T, EXPR); \
	PICK_ONE(NAME)

#define TYPES_SIGNS       "(.u16|.u32|.u64|.s16|.s32|.s64)"
#define TYPES_SIGNED      "(.s16|.s32|.s64)"
#define TYPES_SIGNS_32_64 "(.u32|.u64|.s32|.s64)"
#define TYPES_SIGNS_16_32 "(.u16|.u32|.s16|.s32)"
#define TYPES_SIGNS_32    "(.u32|.s32)"
#define TYPES_SIGNS_X2    "(.u16x2|.s16x2)"
#define TYPES_BITS        "(.b16|.b32|.b64)"
#define TYPES_BITS_32_64  "(.b32|.b64)"

#endif
