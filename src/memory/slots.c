/* SPDX-License-Identifier: Apache-2.0
 *
 * Keys: every lane is compared with every earlier one, as the row of keys moved by 1, 2, 3... lanes. Slots: with wide
 * vectors each lane's slot is compared with all 32 numbers at once, so that no lane waits for another's count in memory.
 * Many rows: slots_rows.h.
 */
#include "config.h"

#include "memory/slots.h"

#include <stddef.h>
#include <string.h>
#if defined __SSE2__
#include <immintrin.h>
#endif

enum { NO_LANE = 1u << 30, NO_KEY = 1u << 31, NO_SLOT = NO_LANE >> 24 };

#define INLINE static inline __attribute__((always_inline))

/* Lanes that are not there get keys of their own. */
INLINE const u32 *present_keys(u32 mask, const u32 key[WARP_LANES], u32 present[WARP_LANES])
{
	if (mask == FULL_MASK)
		return key;
	for (u32 l = 0; l < WARP_LANES; l++)
		present[l] = mask >> l & 1 ? key[l] : NO_LANE + l;
	return present;
}

/* Counts in memory. */
INLINE void fill_plain(struct slots *s, u32 mask, const u32 key[WARP_LANES], u32 count, u32 (*repeats)(const u32 *key))
{
	u32 present[WARP_LANES];
	const u32 *const keys = present_keys(mask, key, present);

	memset(s->lanes, 0, sizeof s->lanes);
	for (u32 l = 0; l < WARP_LANES; l++)
		s->lanes[key[l] & (count - 1)] += mask >> l & 1;
	memcpy(s->keys, s->lanes, sizeof s->keys);
	for (u32 left = repeats(keys) & mask; left; left &= left - 1)
		s->keys[key[__builtin_ctz(left)] & (count - 1)]--;
}

#if defined __SSE2__
#define SIGNS_4(v) _mm_movemask_ps((__m128)(v))
#else
#define SIGNS_4(v) ((v)[0] >> 31 | (v)[1] >> 31 << 1 | (v)[2] >> 31 << 2 | (v)[3] >> 31 << 3)
#endif
#define REPEATS  repeats_baseline
#define LANES    4
#define SIGNS(v) SIGNS_4(v)
#define TARGET
#include "memory/slots_repeats.h"

static void fill_baseline(struct slots *s, u32 mask, const u32 key[WARP_LANES], u32 count)
{
	fill_plain(s, mask, key, count, repeats_baseline);
}

#ifdef HOST_X86_64
#define AVX2     __attribute__((target("avx2")))
#define AVX512   __attribute__((target("avx2,avx512f,avx512cd,avx512bw,avx512vl")))
#define REPEATS  repeats_avx2
#define LANES    8
#define SIGNS(v) _mm256_movemask_ps((__m256)(v))
#define TARGET   AVX2
#include "memory/slots_repeats.h"

/* Within a vector the processor compares by itself; the second is compared with all turns of the first, which do not
 * wait for each other. */
#define TURN(k)  _mm512_cmpeq_epi32_mask(high, _mm512_alignr_epi32(low, low, k))
#define TURNS(k) _kor_mask16(_kor_mask16(TURN(k), TURN((k) + 1)), _kor_mask16(TURN((k) + 2), TURN((k) + 3)))
AVX512 static u32 repeats_avx512(const u32 key[WARP_LANES])
{
	const __m512i low = _mm512_loadu_si512(key), high = _mm512_loadu_si512(key + 16);
	const __m512i before_low = _mm512_conflict_epi32(low), before_high = _mm512_conflict_epi32(high);
	const __mmask16 in_low = _mm512_test_epi32_mask(before_low, before_low);
	const __mmask16 in_high = _mm512_test_epi32_mask(before_high, before_high);
	const __mmask16 turned = _kor_mask16(_kor_mask16(TURNS(0), TURNS(4)), _kor_mask16(TURNS(8), TURNS(12)));

	return in_low | (u32)_kor_mask16(in_high, turned) << 16;
}

/* A byte of each half, all through: lanes 0 to 15 of `from`, or 16 to 31. */
#define HALF(from, high) _mm256_permute4x64_epi64(from, (high) ? 0xee : 0x44)
#define BYTE(half, l)    _mm256_shuffle_epi8(half, _mm256_set1_epi8((char)((l) % 16)))
/* A comparison gives -1 in the byte of the lane's slot. */
AVX2 INLINE void fill_wide(struct slots *s, u32 mask, const u32 key[WARP_LANES], u32 count,
			   u32 (*repeats)(const u32 *key))
{
	const __m256i numbers = _mm256_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19,
						 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31);
	u32 present[WARP_LANES];
	const u32 *const keys = present_keys(mask, key, present);
	u8 slot[WARP_LANES] __attribute__((aligned(32)));
	__m256i n = _mm256_setzero_si256(), more = n;

	for (u32 l = 0; l < WARP_LANES; l++)
		slot[l] = (u8)((keys[l] & (count - 1)) | (keys[l] >> 24 & NO_SLOT));
	const __m256i all = _mm256_load_si256((const __m256i *)(const void *)slot);
	const __m256i low = HALF(all, 0), high = HALF(all, 1);
	_Pragma("GCC unroll 16") for (u32 l = 0; l < WARP_LANES / 2; l++)
	{
		n = _mm256_sub_epi8(n, _mm256_cmpeq_epi8(BYTE(low, l), numbers));
		more = _mm256_sub_epi8(more, _mm256_cmpeq_epi8(BYTE(high, l), numbers));
	}
	n = _mm256_add_epi8(n, more);
	_mm256_storeu_si256((__m256i *)(void *)s->lanes, n);
	for (u32 left = repeats(keys) & mask; left; left &= left - 1) {
		const char at = (char)slot[__builtin_ctz(left)];
		n = _mm256_add_epi8(n, _mm256_cmpeq_epi8(_mm256_set1_epi8(at), numbers));
	}
	_mm256_storeu_si256((__m256i *)(void *)s->keys, n);
}
AVX2 static void fill_avx2(struct slots *s, u32 mask, const u32 key[WARP_LANES], u32 count)
{
	fill_wide(s, mask, key, count, repeats_avx2);
}
AVX512 static void fill_avx512(struct slots *s, u32 mask, const u32 key[WARP_LANES], u32 count)
{
	fill_wide(s, mask, key, count, repeats_avx512);
}
#endif

/* --- Many rows ----------------------------------------------------------------------------------- */

/* Words of 16 bits, the upper ones the slot. Of lanes that are not there all bits are set: no key of such a word is looked at so. */
enum { SLOT_SHIFT = 11, NO_WORD = 0xffff, SLOT_GROUP = 8, SLOT_LEVELS = 4, SLOT_PLANES = 9, SUM_PLANES = 11 };

/* Of so few rows one takes less time after the other. */
enum { SLOT_FEW = 6 };

/* One row after the other: also where keys need more than 16 bits. */
static void count_each(struct slots_rows *rows, slots_fn *fill)
{
	memset(rows->sum, 0, sizeof rows->sum);
	for (u32 r = 0; r < rows->count; r++) {
		struct slots s;
		u32 key[WARP_LANES];

		for (u32 l = 0; l < WARP_LANES; l++)
			key[l] = ((rows->base[r][l] + rows->addend) & (rows->range - 1)) >> 2;
		fill(&s, rows->mask[r], key, SLOTS);
		rows->most[r] = 0;
		for (u32 k = 0; k < SLOTS; k++) {
			const u8 most = rows->most_keys ? s.keys[k] : s.lanes[k];
			rows->most[r] = most > rows->most[r] ? most : rows->most[r];
			rows->sum[k] += rows->sum_keys ? s.keys[k] : s.lanes[k];
		}
	}
}

#define OWN(name)  name##_baseline
#define LANES      8
#define LESS(a, b) (vec_baseline)((a) < (b))
#define MIN(a, b)  (((a)&LESS(a, b)) | ((b) & ~LESS(a, b)))
#define MAX(a, b)  (((b)&LESS(a, b)) | ((a) & ~LESS(a, b)))
#define FILL       fill_baseline
#define TARGET
#include "memory/slots_rows.h"

#ifdef HOST_X86_64
#define OWN(name) name##_avx2
#define LANES     16
#define MIN(a, b) (vec_avx2) _mm256_min_epu16((__m256i)(a), (__m256i)(b))
#define MAX(a, b) (vec_avx2) _mm256_max_epu16((__m256i)(a), (__m256i)(b))
#define FILL      fill_avx2
#define TARGET    AVX2
#include "memory/slots_rows.h"

#define OWN(name) name##_avx512
#define LANES     32
#define MIN(a, b) (vec_avx512) _mm512_min_epu16((__m512i)(a), (__m512i)(b))
#define MAX(a, b) (vec_avx512) _mm512_max_epu16((__m512i)(a), (__m512i)(b))
#define FILL      fill_avx512
#define TARGET    AVX512
#include "memory/slots_rows.h"
#endif

slots_fn *slots_variant(const char *variant)
{
#ifdef HOST_X86_64
	__builtin_cpu_init();
	if (!strcmp(variant, "avx512"))
		return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") ? fill_avx512 : NULL;
	if (!strcmp(variant, "avx2"))
		return __builtin_cpu_supports("avx2") ? fill_avx2 : NULL;
#endif
	return strcmp(variant, "baseline") ? NULL : fill_baseline;
}

void slots_fill(struct slots *s, u32 mask, const u32 key[WARP_LANES], u32 count)
{
#ifdef HOST_X86_64
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd"))
		fill_avx512(s, mask, key, count);
	else if (__builtin_cpu_supports("avx2"))
		fill_avx2(s, mask, key, count);
	else
#endif
		fill_baseline(s, mask, key, count);
}

slots_rows_fn *slots_rows_variant(const char *variant)
{
#ifdef HOST_X86_64
	__builtin_cpu_init();
	if (!strcmp(variant, "avx512"))
		return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") ? count_rows_avx512
											       : NULL;
	if (!strcmp(variant, "avx2"))
		return __builtin_cpu_supports("avx2") ? count_rows_avx2 : NULL;
#endif
	return strcmp(variant, "baseline") ? NULL : count_rows_baseline;
}

void slots_count_rows(struct slots_rows *rows)
{
	if (rows->count <= SLOT_FEW) {
		count_each(rows, slots_fill);
		return;
	}
#ifdef HOST_X86_64
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd"))
		count_rows_avx512(rows);
	else if (__builtin_cpu_supports("avx2"))
		count_rows_avx2(rows);
	else
#endif
		count_rows_baseline(rows);
}
