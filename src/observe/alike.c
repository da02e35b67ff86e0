/* SPDX-License-Identifier: Apache-2.0
 *
 * One function for each vector width and lane width.
 */
#include "config.h"

#include "observe/alike.h"

#include <string.h>
#ifdef HOST_X86_64
#include <immintrin.h>
#endif

/* NAME for lanes of type T by vectors of BYTES: a row is alike if SAME holds for `off`, its vectors' differences
 * from what they should be, or-ed. */
#define ALIKE(NAME, TARGET, T, BYTES, SAME)                                                                      \
	TARGET static u32 NAME(const u8 *rows, size_t stride, u32 count, const void *distance)                   \
	{                                                                                                        \
		typedef T vec __attribute__((vector_size(BYTES), may_alias));                                    \
		const vec *const wanted = __builtin_assume_aligned(distance, 64);                                \
		u32 k = 0;                                                                                       \
		for (; k < count; k++, rows += stride) {                                                         \
			const vec *const row = __builtin_assume_aligned(rows, 64);                               \
			const vec first = row[0][0] - (vec){0};                                                  \
			vec off = {0};                                                                           \
			_Pragma("GCC unroll 16") for (u32 v = 0; v < WARP_LANES * sizeof(T) / BYTES; v++) off |= \
				(row[v] - first) ^ wanted[v];                                                    \
			if (!(SAME))                                                                             \
				break;                                                                           \
		}                                                                                                \
		return k;                                                                                        \
	}

#define NO_TARGET
ALIKE(wide_baseline, NO_TARGET, u64, 16, (off[0] | off[1]) == 0)
ALIKE(narrow_baseline, NO_TARGET, u32, 16, (off[0] | off[1] | off[2] | off[3]) == 0)
#ifdef HOST_X86_64
#define AVX2     __attribute__((target("avx2")))
#define AVX512   __attribute__((target("avx512f")))
#define ZERO_256 _mm256_testz_si256((__m256i)off, (__m256i)off)
#define ZERO_512 (_mm512_test_epi32_mask((__m512i)off, (__m512i)off) == 0)
ALIKE(wide_avx2, AVX2, u64, 32, ZERO_256)
ALIKE(narrow_avx2, AVX2, u32, 32, ZERO_256)
ALIKE(wide_avx512, AVX512, u64, 64, ZERO_512)
ALIKE(narrow_avx512, AVX512, u32, 64, ZERO_512)
#endif

bool alike_choose(const char *variant, struct alike *alike)
{
#ifdef HOST_X86_64
	__builtin_cpu_init();
	if ((!variant || !strcmp(variant, "avx512")) && __builtin_cpu_supports("avx512f")) {
		*alike = (struct alike){wide_avx512, narrow_avx512};
		return true;
	}
	if ((!variant || !strcmp(variant, "avx2")) && __builtin_cpu_supports("avx2")) {
		*alike = (struct alike){wide_avx2, narrow_avx2};
		return true;
	}
#endif
	*alike = (struct alike){wide_baseline, narrow_baseline};
	return !variant || !strcmp(variant, "baseline");
}
