/* SPDX-License-Identifier: Apache-2.0
 *
 * The special-function unit's values where a row of words is four registers (AVX2): what number/mufu.h says of one lane, for the
 * eight of a quarter. Each lane's three coefficients are loaded in one piece; products of 64 bits are made of the even and of
 * the odd lanes, without rows of 64 bits; the squarer's rows are high halves of 16-bit products.
 */
#ifndef PTXSIM_SEM_APPROX_QUARTERS_H
#define PTXSIM_SEM_APPROX_QUARTERS_H

#include "number/mufu.h"
#include "sem/lanes.h"

/* A warp's significands, from what of the arguments goes into them. */
struct unit_rows {
	u32 number[WARP_LANES], first[WARP_LANES], squared[WARP_LANES], significand[WARP_LANES];
} __attribute__((aligned(64)));

#if defined __AVX2__ && !defined __AVX512F__
#define HAS_UNIT_QUARTERS 1

struct quarter_segments {
	__m256i c0, c1, c2;
};

ALWAYS_INLINE __m256i two_segments(const s32 pieces[][4], u64 low, u64 high)
{
	const __m128i a = _mm_load_si128((const __m128i *)(const void *)((const u8 *)pieces + low));
	const __m128i b = _mm_load_si128((const __m128i *)(const void *)((const u8 *)pieces + high));

	return _mm256_set_m128i(b, a);
}

/* pieces: aligned to 16 bytes. Where a lane's piece lies leaves the registers by pairs, which is half of what single words cost. */
ALWAYS_INLINE struct quarter_segments look_up_quarter(const s32 pieces[][4], __m256i number)
{
	const __m256i at = _mm256_slli_epi32(number, 4);
	const u64 p01 = (u64)_mm256_extract_epi64(at, 0), p23 = (u64)_mm256_extract_epi64(at, 1);
	const u64 p45 = (u64)_mm256_extract_epi64(at, 2), p67 = (u64)_mm256_extract_epi64(at, 3);
	const __m256i a = two_segments(pieces, p01 & 0xffff, p45 & 0xffff),
		      b = two_segments(pieces, p01 >> 32, p45 >> 32);
	const __m256i c = two_segments(pieces, p23 & 0xffff, p67 & 0xffff),
		      d = two_segments(pieces, p23 >> 32, p67 >> 32);
	const __m256i ab = _mm256_unpacklo_epi32(a, b), cd = _mm256_unpacklo_epi32(c, d);

	return (struct quarter_segments){
		_mm256_unpacklo_epi64(ab, cd), _mm256_unpackhi_epi64(ab, cd),
		_mm256_unpacklo_epi64(_mm256_unpackhi_epi32(a, b), _mm256_unpackhi_epi32(c, d))};
}

/* mufu_square. Row i adds low >> 18 - i where bit i is set, which is the high half of low times that bit, two places down. */
ALWAYS_INLINE __m256i square_quarter(__m256i x)
{
	const __m256i high = _mm256_srli_epi32(x, 9), low = _mm256_and_si256(x, _mm256_set1_epi32(0x1ff));
	const __m256i bits = _mm256_srli_epi32(x, 2);
	__m256i sum = _mm256_srli_epi32(_mm256_mullo_epi16(high, high), 1);

	_Pragma("GCC unroll 8") for (int i = 10; i <= 16; i++)
	{
		const __m256i bit = _mm256_and_si256(bits, _mm256_set1_epi32(1 << (i - 2)));
		sum = _mm256_add_epi32(sum, _mm256_mulhi_epu16(low, bit));
	}
	return sum;
}

/* Of the even lanes; the operands' upper halves count for nothing. */
ALWAYS_INLINE __m256i quadratic_even(const struct mufu_plan *p, struct quarter_segments c, __m256i first,
				     __m256i second)
{
	const __m256i a = _mm256_mul_epi32(c.c0, _mm256_set1_epi64x((s64)1 << p->scale));
	const __m256i b = _mm256_add_epi64(_mm256_mul_epi32(c.c1, first), _mm256_mul_epi32(c.c2, second));

	return _mm256_add_epi64(_mm256_add_epi64(a, _mm256_set1_epi64x(p->k)), b);
}
ALWAYS_INLINE __m256i odd_lanes(__m256i v) { return _mm256_srli_epi64(v, 32); }

/* mufu_significand. */
ALWAYS_INLINE __m256i significand_quarter(const struct mufu_plan *p, struct quarter_segments c, __m256i first,
					  __m256i squared)
{
	const __m256i second = _mm256_slli_epi32(square_quarter(squared), __builtin_ctz(p->factor));
	const struct quarter_segments odd = {odd_lanes(c.c0), odd_lanes(c.c1), odd_lanes(c.c2)};
	const __m256i low = quadratic_even(p, c, first, second);
	const __m256i high = quadratic_even(p, odd, odd_lanes(first), odd_lanes(second));

	return _mm256_blend_epi32(_mm256_srli_epi64(low, p->cut), _mm256_slli_epi64(high, 32 - p->cut), 0xaa);
}

ALWAYS_INLINE void find_significands(struct unit_rows *r, const struct mufu_plan *p, const s32 pieces[][4])
{
	for (u32 l = 0; l < WARP_LANES; l += 8) {
		const struct quarter_segments c =
			look_up_quarter(pieces, _mm256_load_si256((const __m256i *)(const void *)(r->number + l)));
		const __m256i first = _mm256_load_si256((const __m256i *)(const void *)(r->first + l));
		const __m256i squared = _mm256_load_si256((const __m256i *)(const void *)(r->squared + l));
		_mm256_store_si256((__m256i *)(void *)(r->significand + l), significand_quarter(p, c, first, squared));
	}
}
#endif

#endif
