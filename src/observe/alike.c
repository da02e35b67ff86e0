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

/* Each by vectors of a width; ZERO(v): whether a vector is 0. */
#define VECTOR_BYTES 16
#define ZERO(v)      zero_baseline((const u32 *)(const void *)&(v))
#define TARGET
static inline bool zero_baseline(const u32 v[4]) { return (v[0] | v[1] | v[2] | v[3]) == 0; }
#define NAME wide_baseline
#define LANE u64
#include "observe/alike_vector.h"
#define NAME narrow_baseline
#define LANE u32
#include "observe/alike_vector.h"
#undef VECTOR_BYTES
#undef ZERO
#undef TARGET
#ifdef HOST_X86_64
#define VECTOR_BYTES 32
#define ZERO(v)      _mm256_testz_si256((__m256i)(v), (__m256i)(v))
#define TARGET       __attribute__((target("avx2")))
#define NAME         wide_avx2
#define LANE         u64
#include "observe/alike_vector.h"
#define NAME narrow_avx2
#define LANE u32
#include "observe/alike_vector.h"
#undef VECTOR_BYTES
#undef ZERO
#undef TARGET
#define VECTOR_BYTES 64
#define ZERO(v)      (_mm512_test_epi32_mask((__m512i)(v), (__m512i)(v)) == 0)
#define TARGET       __attribute__((target("avx512f")))
#define NAME         wide_avx512
#define LANE         u64
#include "observe/alike_vector.h"
#define NAME narrow_avx512
#define LANE u32
#include "observe/alike_vector.h"
#undef VECTOR_BYTES
#undef ZERO
#undef TARGET
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
