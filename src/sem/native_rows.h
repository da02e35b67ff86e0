/* SPDX-License-Identifier: Apache-2.0
 *
 * What rows of addresses look like, asked of all lanes at once: for accesses in native code, in line and by functions of the library.
 */
#ifndef PTXSIM_SEM_NATIVE_ROWS_H
#define PTXSIM_SEM_NATIVE_ROWS_H

#include "sem/native_parts.h"

/* Whether any of the lanes' truths, 0 or -1, is set; any_of: among the lanes of the mask. */
ALWAYS_INLINE bool any_lanes32(const s32 t[WARP_LANES])
{
#if defined HAS_QUARTERS
	const u32 *row = (const u32 *)t;

	return !is_zero(any_bit(any_bit(part_of(row, 0), part_of(row, 1)), any_bit(part_of(row, 2), part_of(row, 3))));
#else
	return pack_lanes32(t);
#endif
}
ALWAYS_INLINE bool any_lanes64(const s64 t[WARP_LANES])
{
#if defined HAS_QUARTERS
	__m256i any = _mm256_setzero_si256();

	for (u32 k = 0; k < 2 * PARTS; k++)
		any = _mm256_or_si256(any, _mm256_load_si256((const __m256i *)(const void *)(t + 4 * k)));
	return !is_zero(any);
#else
	return pack_lanes64(t);
#endif
}

#ifdef __clang__
#define EACH_LANE_OF_HALF _Pragma("clang loop vectorize(assume_safety)") for (int l = 0; l < WARP_LANES / 2; l++)
#else
#define EACH_LANE_OF_HALF _Pragma("GCC ivdep") for (int l = 0; l < WARP_LANES / 2; l++)
#endif

ALWAYS_INLINE bool all_same64(const u64 at[WARP_LANES])
{
	s64 other[WARP_LANES] __attribute__((aligned(64)));

	EACH_LANE
		other[l] = at[l] != at[0] ? -1 : 0;
	return !any_lanes64(other);
}
ALWAYS_INLINE bool all_same32(const u32 at[WARP_LANES])
{
	s32 other[WARP_LANES] __attribute__((aligned(64)));

	EACH_LANE
		other[l] = at[l] != at[0] ? -1 : 0;
	return !any_lanes32(other);
}
/* Each half of a warp `size` apart; 0: at one place. */
ALWAYS_INLINE bool in_two_rows64(const u64 at[WARP_LANES], u32 size)
{
	const u64 *steps = lane_steps64[__builtin_ctz(size | 8)];
	s64 off[WARP_LANES] __attribute__((aligned(64)));

	EACH_LANE_OF_HALF
	off[l] = at[l] - (size ? steps[l] : 0) != at[0] ? -1 : 0;
	EACH_LANE_OF_HALF
	off[l + WARP_LANES / 2] = at[l + WARP_LANES / 2] - (size ? steps[l] : 0) != at[WARP_LANES / 2] ? -1 : 0;
	return !any_lanes64(off);
}
ALWAYS_INLINE bool in_row32(const u32 at[WARP_LANES], u32 size)
{
	const u32 *steps = lane_steps32[__builtin_ctz(size)];
	s32 off[WARP_LANES] __attribute__((aligned(64)));

	EACH_LANE
		off[l] = at[l] - steps[l] != at[0] ? -1 : 0;
	return !any_lanes32(off);
}

#endif
