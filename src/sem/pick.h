/* SPDX-License-Identifier: Apache-2.0
 *
 * Choosing a meaning by the form's first type: pick_NAME for the meanings NAME_u32 and so on.
 * Used by the integer families. A type that the row does not list never gets here.
 */
#ifndef PTXSIM_SEM_PICK_H
#define PTXSIM_SEM_PICK_H

#include "sem/lanes.h"

#define PICK_(NAME, CASES)                                                                             \
	static const struct meaning *pick_##NAME(const struct form *f)                                 \
	{                                                                                              \
		switch (form_type(f, 0)) {                                                             \
			CASES                                                                          \
		default:                                                                               \
			return NULL;                                                                   \
		}                                                                                      \
	}
#define CASE_(NAME, T)                                                                                 \
	case T_##T:                                                                                    \
		return &NAME##_##T;
/* For signed and unsigned types, those alone, and bits. */
#define PICK_SIGNS(NAME)                                                                               \
	PICK_(NAME, CASE_(NAME, u16) CASE_(NAME, s16) CASE_(NAME, u32) CASE_(NAME, s32)                \
			    CASE_(NAME, u64) CASE_(NAME, s64))
#define PICK_SIGNED(NAME)      PICK_(NAME, CASE_(NAME, s16) CASE_(NAME, s32) CASE_(NAME, s64))
#define PICK_SIGNS_32_64(NAME) PICK_(NAME, CASE_(NAME, u32) CASE_(NAME, s32) CASE_(NAME, u64) CASE_(NAME, s64))
#define PICK_SIGNS_16_32(NAME) PICK_(NAME, CASE_(NAME, u16) CASE_(NAME, s16) CASE_(NAME, u32) CASE_(NAME, s32))
#define PICK_SIGNS_32(NAME)    PICK_(NAME, CASE_(NAME, u32) CASE_(NAME, s32))
#define PICK_SIGNS_X2(NAME)    PICK_(NAME, CASE_(NAME, u16x2) CASE_(NAME, s16x2))
#define PICK_BITS_32_64(NAME)  PICK_(NAME, CASE_(NAME, b32) CASE_(NAME, b64))
#define PICK_BITS(NAME)        PICK_(NAME, CASE_(NAME, b16) CASE_(NAME, b32) CASE_(NAME, b64))

/* The same meaning NAME_16, NAME_32 or NAME_64 for every type of one width. */
#define PICK_WIDTH(NAME)                                                                               \
	static const struct meaning *pick_##NAME(const struct form *f)                                 \
	{                                                                                              \
		const u32 bits = type_bits(form_type(f, 0));                                           \
		return bits == 16 ? &NAME##_16 : bits == 32 ? &NAME##_32 : &NAME##_64;                 \
	}
#define PICK_ONE(NAME)                                                                                 \
	static const struct meaning *pick_##NAME(const struct form *f)                                 \
	{                                                                                              \
		(void)f;                                                                               \
		return &NAME;                                                                          \
	}

#define TYPES_SIGNS       "(.u16|.u32|.u64|.s16|.s32|.s64)"
#define TYPES_SIGNED      "(.s16|.s32|.s64)"
#define TYPES_SIGNS_32_64 "(.u32|.u64|.s32|.s64)"
#define TYPES_SIGNS_16_32 "(.u16|.u32|.s16|.s32)"
#define TYPES_SIGNS_32    "(.u32|.s32)"
#define TYPES_SIGNS_X2    "(.u16x2|.s16x2)"
#define TYPES_BITS        "(.b16|.b32|.b64)"
#define TYPES_BITS_32_64  "(.b32|.b64)"

#endif
