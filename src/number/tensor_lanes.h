/* SPDX-License-Identifier: Apache-2.0
 *
 * A vector of 32-bit words as wide as the instruction set that the including file is compiled for:
 * LANES words, the usual operators of GNU C, and by name the operations that C has no operator for
 * or leaves undefined. Only for files that are compiled once for each width; nothing here has
 * linkage.
 */
#ifndef PTXSIM_NUMBER_TENSOR_LANES_H
#define PTXSIM_NUMBER_TENSOR_LANES_H

#include "base/types.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#if defined(__AVX512BW__)
#define LANES 16
#elif defined(__AVX2__)
#define LANES 8
#else
#define LANES 4
#endif

typedef s32 vs32 __attribute__((vector_size(4 * LANES)));
typedef u32 vu32 __attribute__((vector_size(4 * LANES)));
typedef f32 vf32 __attribute__((vector_size(4 * LANES)));
typedef s16 vs16 __attribute__((vector_size(4 * LANES)));
typedef u16 vu16 __attribute__((vector_size(4 * LANES)));

static inline vs32 vs32_load(const void *p)
{
	vs32 v;
	__builtin_memcpy(&v, p, sizeof v);
	return v;
}

static inline void vs32_store(void *p, vs32 v) { __builtin_memcpy(p, &v, sizeof v); }

static inline vs32 vs32_all(s32 x) { return x - (vs32){0}; }

/* Where the mask is -1 the first, where it is 0 the second. */
static inline vs32 vs32_select(vs32 mask, vs32 a, vs32 b) { return (a & mask) | (b & ~mask); }

static inline vs32 vs32_max(vs32 a, vs32 b)
{
#if defined(__AVX512BW__)
	return (vs32)_mm512_max_epi32((__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
	return (vs32)_mm256_max_epi32((__m256i)a, (__m256i)b);
#else
	return vs32_select(a > b, a, b);
#endif
}

/* For each word the sum of the products of its signed 16-bit halves. */
static inline vs32 vs32_dot16(vs32 a, vs32 b)
{
#if defined(__AVX512BW__)
	return (vs32)_mm512_madd_epi16((__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
	return (vs32)_mm256_madd_epi16((__m256i)a, (__m256i)b);
#elif defined(__SSE2__)
	return (vs32)_mm_madd_epi16((__m128i)a, (__m128i)b);
#else
	return (a << 16 >> 16) * (b << 16 >> 16) + (a >> 16) * (b >> 16);
#endif
}

#if defined(__SSE2__) && !defined(__AVX2__)
/* SSE2 shifts a whole vector by one count: shift four times, keep a lane of each. */
#define SSE2_SHIFT_EACH(op, x, n)                                                                    \
	({                                                                                           \
		__m128i x_ = (__m128i)(x), n_ = (__m128i)(n);                                        \
		__m128i zero_ = _mm_setzero_si128();                                                 \
		__m128i low_ = _mm_unpacklo_epi32(n_, zero_), high_ = _mm_unpackhi_epi32(n_, zero_); \
		__m128i s0_ = op(x_, low_), s1_ = op(x_, _mm_unpackhi_epi64(low_, low_));            \
		__m128i s2_ = op(x_, high_), s3_ = op(x_, _mm_unpackhi_epi64(high_, high_));         \
		__m128i s01_ = _mm_unpacklo_epi32(s0_, _mm_srli_si128(s1_, 4));                      \
		__m128i s23_ = _mm_unpackhi_epi32(s2_, _mm_srli_si128(s3_, 4));                      \
		(vu32) _mm_unpacklo_epi64(s01_, s23_);                                               \
	})
#endif

/* x & (a ^ b) */
static inline vu32 vu32_and_differ(vu32 x, vs32 a, vs32 b)
{
#if defined(__AVX512BW__)
	return (vu32)_mm512_ternarylogic_epi32((__m512i)x, (__m512i)a, (__m512i)b, 0x60);
#else
	return x & (vu32)(a ^ b);
#endif
}

/* x >> n in each lane, 0 where n is 32 or more (n as an unsigned number). */
static inline vu32 vu32_shift_right(vu32 x, vs32 n)
{
#if defined(__AVX512BW__)
	return (vu32)_mm512_srlv_epi32((__m512i)x, (__m512i)n);
#elif defined(__AVX2__)
	return (vu32)_mm256_srlv_epi32((__m256i)x, (__m256i)n);
#elif defined(__SSE2__)
	return SSE2_SHIFT_EACH(_mm_srl_epi32, x, n);
#else
	return (x >> (n & 31)) & (vu32)((vu32)n < 32);
#endif
}

/* x << n in each lane, 0 where n is 32 or more (n as an unsigned number). */
static inline vu32 vu32_shift_left(vu32 x, vs32 n)
{
#if defined(__AVX512BW__)
	return (vu32)_mm512_sllv_epi32((__m512i)x, (__m512i)n);
#elif defined(__AVX2__)
	return (vu32)_mm256_sllv_epi32((__m256i)x, (__m256i)n);
#elif defined(__SSE2__)
	return SSE2_SHIFT_EACH(_mm_sll_epi32, x, n);
#else
	return (x << (n & 31)) & (vu32)((vu32)n < 32);
#endif
}

/* Whether any bit of the vector is set. */
static inline bool vs32_any(vs32 v)
{
#if defined(__AVX512BW__)
	return _mm512_test_epi32_mask((__m512i)v, (__m512i)v) != 0;
#elif defined(__AVX2__)
	return !_mm256_testz_si256((__m256i)v, (__m256i)v);
#elif defined(__SSE2__)
	return _mm_movemask_epi8(_mm_cmpeq_epi8((__m128i)v, _mm_setzero_si128())) != 0xffff;
#else
	return (v[0] | v[1] | v[2] | v[3]) != 0;
#endif
}

/*
 * Position of the highest set bit in each lane; for 0 some negative number. Through the exponent of
 * a float: the conversion of 16 bits is exact, so it asks nothing of the rounding mode.
 */
static inline vs32 vu32_top_bit(vu32 x)
{
#if defined(__AVX512CD__)
	vs32 zeros = (vs32)_mm512_lzcnt_epi32((__m512i)x);
	return 31 - zeros;
#else
	vs32 upper = (vs32)(x >> 16);
	vs32 in_upper = upper != 0;
	vs32 half = vs32_select(in_upper, upper, (vs32)x);
	vf32 number = __builtin_convertvector(half, vf32);
	return (((vs32)number) >> 23) - 127 + (in_upper & 16);
#endif
}

#endif
