/* SPDX-License-Identifier: Apache-2.0
 *
 * Values that lanes take from one another: shfl of PTX and SHFL of machine code.
 */
#ifndef PTXSIM_SEM_SHUFFLE_H
#define PTXSIM_SEM_SHUFFLE_H

#include "sem/lanes.h"

/* What shfl works on: the operands by lane, what they are taken from, and whether that lies in the segment. */
struct shuffle {
	u32 a[WARP_LANES];
	s32 from[WARP_LANES], inside[WARP_LANES];
} __attribute__((aligned(64)));

/* value[l] = a[from[l]]: a permutation in registers where the host has one, since a gather from a row just stored waits
 * for the stores and costs four times as much. 0 <= from[l] < 32. */
ALWAYS_INLINE void permute_lanes(u32 value[WARP_LANES], const u32 a[WARP_LANES], const s32 from[WARP_LANES])
{
#if defined __AVX512F__
	const __m512i low = _mm512_load_si512(a), high = _mm512_load_si512(a + 16);
	for (u32 l = 0; l < WARP_LANES; l += 16)
		_mm512_store_si512(value + l, _mm512_permutex2var_epi32(low, _mm512_load_si512(from + l), high));
#elif defined __AVX2__
	__m256i part[4];
	for (u32 k = 0; k < 4; k++)
		part[k] = _mm256_load_si256((const __m256i *)(const void *)(a + 8 * k));
	for (u32 l = 0; l < WARP_LANES; l += 8) {
		const __m256i index = _mm256_load_si256((const __m256i *)(const void *)(from + l));
		__m256 kept[4];
		for (u32 k = 0; k < 4; k++)
			kept[k] = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(part[k], index));
		const __m256 odd = _mm256_castsi256_ps(_mm256_slli_epi32(index, 28));
		const __m256 upper = _mm256_castsi256_ps(_mm256_slli_epi32(index, 27));
		const __m256 first = _mm256_blendv_ps(kept[0], kept[1], odd);
		const __m256 last = _mm256_blendv_ps(kept[2], kept[3], odd);
		_mm256_store_ps((float *)(void *)(value + l), _mm256_blendv_ps(first, last, upper));
	}
#else
	EACH_LANE
		value[l] = a[from[l]];
#endif
}

/* Each mode's source lane j and whether it lies in the segment; else a lane gets its own value and false
 * (recorded: warp-collective). A lane that is no member gives 0, and true (recorded: mixed-forms). Only the low five
 * bits of b count. */
#define SHFL_LANE(s, SOURCE, INSIDE)                                               \
	{                                                                          \
		const s32 b = (s32)(pb[l] & 31), segment = (s32)(pc[l] >> 8 & 31); \
		const s32 last = (l & segment) | ((s32)(pc[l] & 31) & ~segment);   \
		const s32 j = (SOURCE);                                            \
		s->inside[l] = (INSIDE) ? -1 : 0;                                  \
		s->from[l] = (INSIDE) ? j & 31 : l;                                \
	}
/* The modes of both. */
#define SHFL_MODES(X)                                     \
	X(idx, (l & segment) | (b & ~segment), j <= last) \
	X(up, l - b, j >= last)                           \
	X(down, l + b, j <= last)                         \
	X(bfly, l ^ b, j <= last)

#endif
