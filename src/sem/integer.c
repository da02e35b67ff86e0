/* SPDX-License-Identifier: Apache-2.0
 *
 * Integer arithmetic (PTX ISA 9.7.1): rows and meanings.
 */
#include "sem/lanes.h"

/* --- add, sub: wrap around; .sat clamps to the range of s32. --- */

LANE2(add_16, u16, u16, u16, a + b);
LANE2(add_32, u32, u32, u32, a + b);
LANE2(add_64, u64, u64, u64, a + b);
LANE2(sub_16, u16, u16, u16, a - b);
LANE2(sub_32, u32, u32, u32, a - b);
LANE2(sub_64, u64, u64, u64, a - b);

static inline s32 clamp_s32(s64 v) { return v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : (s32)v; }
LANE2(add_sat_s32, s32, s32, s32, clamp_s32((s64)a + b));
LANE2(sub_sat_s32, s32, s32, s32, clamp_s32((s64)a - b));

/* The same meaning for every type of one width. */
#define PICK_WIDTH(NAME)                                                                               \
	static const struct meaning *pick_##NAME(const struct form *f)                                 \
	{                                                                                              \
		switch (type_bits(form_type(f, 0))) {                                                  \
		case 16:                                                                               \
			return &NAME##_16;                                                             \
		case 32:                                                                               \
			return &NAME##_32;                                                             \
		default:                                                                               \
			return &NAME##_64;                                                             \
		}                                                                                      \
	}
#define PICK_ONE(NAME)                                                                                 \
	static const struct meaning *pick_##NAME(const struct form *f)                                 \
	{                                                                                              \
		(void)f;                                                                               \
		return &NAME;                                                                          \
	}
PICK_WIDTH(add)
PICK_WIDTH(sub)
PICK_ONE(add_sat_s32)
PICK_ONE(sub_sat_s32)

static const struct isa_row rows_integer[] = {
	ROW("add(.u16|.u32|.u64|.s16|.s32|.s64)", "=0 0 0", 10, 10, 0, pick_add, "Adds two values."),
	ROW("add.sat.s32", "=0 0 0", 10, 10, 0, pick_add_sat_s32, "Adds, clamped to the range of s32."),
	ROW("sub(.u16|.u32|.u64|.s16|.s32|.s64)", "=0 0 0", 10, 10, 0, pick_sub, "Subtracts b from a."),
	ROW("sub.sat.s32", "=0 0 0", 10, 10, 0, pick_sub_sat_s32, "Subtracts, clamped to the range of s32."),
};
FAMILY(family_integer, "Integer arithmetic", rows_integer);
