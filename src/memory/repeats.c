/* SPDX-License-Identifier: Apache-2.0
 *
 * Every lane is compared with every earlier one, as the row of keys moved by 1, 2, 3... lanes.
 */
#include "config.h"

#include "memory/repeats.h"

#include <stddef.h>
#include <string.h>
#ifdef HOST_X86_64
#include <immintrin.h>
#endif

enum { NO_KEY = 1u << 31 };

/* NAME by vectors of N lanes; SIGNS(v): their highest bits as a word. */
#define REPEATS(NAME, TARGET, N, SIGNS)                                                                \
	TARGET static u32 NAME(const u32 key[WARP_LANES])                                              \
	{                                                                                              \
		typedef u32 vec __attribute__((vector_size(4 * N)));                                   \
		u32 row[2 * WARP_LANES], found = 0;                                                    \
		for (u32 l = 0; l < WARP_LANES; l++)                                                   \
			row[l] = NO_KEY;                                                               \
		memcpy(&row[WARP_LANES], key, WARP_LANES * sizeof *key);                               \
		for (u32 at = 0; at < WARP_LANES; at += N) {                                           \
			vec same = {0}, own, other;                                                    \
			memcpy(&own, &key[at], sizeof own);                                            \
			_Pragma("GCC unroll 8")                                                        \
			for (u32 away = 1; away < at + N; away++) {                                    \
				memcpy(&other, &row[WARP_LANES + at - away], sizeof other);            \
				same |= (vec)(own == other);                                           \
			}                                                                              \
			found |= (u32)SIGNS(same) << at;                                               \
		}                                                                                      \
		return found;                                                                          \
	}

#ifdef HOST_X86_64
#define SIGNS_4(v) _mm_movemask_ps((__m128)(v))
#define SIGNS_8(v) _mm256_movemask_ps((__m256)(v))
REPEATS(repeats_baseline, , 4, SIGNS_4)
REPEATS(repeats_avx2, __attribute__((target("avx2"))), 8, SIGNS_8)

/* Within a vector the processor compares by itself; the second is compared with all turns of the first. */
__attribute__((target("avx512f,avx512cd"))) static u32 repeats_avx512(const u32 key[WARP_LANES])
{
	const __m512i low = _mm512_loadu_si512(key), high = _mm512_loadu_si512(key + 16);
	const __m512i before_low = _mm512_conflict_epi32(low), before_high = _mm512_conflict_epi32(high);
	const __mmask16 in_low = _mm512_test_epi32_mask(before_low, before_low);
	__mmask16 in_high = _mm512_test_epi32_mask(before_high, before_high);
	__m512i turned = low;

#pragma GCC unroll 16
	for (int k = 0; k < 16; k++) {
		in_high = _kor_mask16(in_high, _mm512_cmpeq_epi32_mask(high, turned));
		turned = _mm512_alignr_epi32(turned, turned, 1);
	}
	return in_low | (u32)in_high << 16;
}
#else
#define SIGNS_1(v) ((v)[0] >> 31)
REPEATS(repeats_baseline, , 1, SIGNS_1)
#endif

repeats_fn *repeats_variant(const char *variant)
{
#ifdef HOST_X86_64
	__builtin_cpu_init();
	if (!strcmp(variant, "avx512"))
		return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") ? repeats_avx512 : NULL;
	if (!strcmp(variant, "avx2"))
		return __builtin_cpu_supports("avx2") ? repeats_avx2 : NULL;
#endif
	return strcmp(variant, "baseline") ? NULL : repeats_baseline;
}

u32 repeats_find(const u32 key[WARP_LANES])
{
#ifdef HOST_X86_64
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd"))
		return repeats_avx512(key);
	if (__builtin_cpu_supports("avx2"))
		return repeats_avx2(key);
#endif
	return repeats_baseline(key);
}
