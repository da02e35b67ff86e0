/* SPDX-License-Identifier: Apache-2.0
 *
 * The special-function unit's values where a row of words is four registers (AVX2) or two (AVX-512): what number/mufu.h says of one
 * lane, for all of a register. Products of 64 bits are made of the even and of the odd lanes, without rows of 64 bits; the squarer's
 * rows are high halves of 16-bit products. Three coefficients of each lane are loaded in one piece with AVX2; with AVX-512, where two
 * registers can be permuted as one, each comes out of a table in four or eight registers.
 */
#ifndef PTXSIM_SEM_APPROX_VECTORS_H
#define PTXSIM_SEM_APPROX_VECTORS_H

#include "number/mufu.h"
#include "sem/lanes.h"

/* A warp's significands, from what of the arguments goes into them. */
struct unit_rows {
	u32 number[WARP_LANES], first[WARP_LANES], squared[WARP_LANES], significand[WARP_LANES];
} __attribute__((aligned(64)));

/* Where a function's coefficients stand: by coefficient and segment, and by segment. */
struct unit_table {
	const s32 *columns;
	u32 count;
	const s32 (*pieces)[4];
};
#define UNIT_TABLE(NAME)                                                                                         \
	((struct unit_table){mufu_table_##NAME[0], sizeof mufu_table_##NAME[0] / sizeof mufu_table_##NAME[0][0], \
			     mufu_pieces_##NAME})

#if defined __AVX512F__
#define HAS_UNIT_VECTORS 1
typedef __m512i unit_vector;
#define VECTOR(OPERATION) _mm512_##OPERATION
ALWAYS_INLINE unit_vector unit_load(const void *from) { return _mm512_load_si512(from); }
ALWAYS_INLINE void unit_store(void *to, unit_vector v) { _mm512_store_si512(to, v); }
ALWAYS_INLINE unit_vector unit_and(unit_vector a, unit_vector b) { return _mm512_and_si512(a, b); }
ALWAYS_INLINE unit_vector unit_all64(s64 v) { return _mm512_set1_epi64(v); }
ALWAYS_INLINE unit_vector unit_zip(unit_vector even, unit_vector odd)
{
	return _mm512_mask_blend_epi32(0xaaaa, even, odd);
}
#elif defined __AVX2__
#define HAS_UNIT_VECTORS  1
typedef __m256i unit_vector;
#define VECTOR(OPERATION) _mm256_##OPERATION
ALWAYS_INLINE unit_vector unit_load(const void *from) { return _mm256_load_si256(from); }
ALWAYS_INLINE void unit_store(void *to, unit_vector v) { _mm256_store_si256(to, v); }
ALWAYS_INLINE unit_vector unit_and(unit_vector a, unit_vector b) { return _mm256_and_si256(a, b); }
ALWAYS_INLINE unit_vector unit_all64(s64 v) { return _mm256_set1_epi64x(v); }
ALWAYS_INLINE unit_vector unit_zip(unit_vector even, unit_vector odd) { return _mm256_blend_epi32(even, odd, 0xaa); }
#endif

#if defined HAS_UNIT_VECTORS
enum { UNIT_LANES = sizeof(unit_vector) / 4 };

struct unit_segments {
	unit_vector c0, c1, c2;
};

#if defined __AVX512F__
/* Of a table of 64 or 128 numbers. */
ALWAYS_INLINE unit_vector look_up_column(const s32 *column, u32 count, unit_vector number)
{
	const __mmask16 odd = _mm512_test_epi32_mask(number, _mm512_set1_epi32(32));
	unit_vector half[2];

	for (u32 k = 0; k < count / 64; k++) {
		const s32 *from = column + 64 * k;
		half[k] = _mm512_permutex2var_epi32(_mm512_loadu_si512(from), number, _mm512_loadu_si512(from + 16));
		half[k] = _mm512_mask_mov_epi32(half[k], odd,
						_mm512_permutex2var_epi32(_mm512_loadu_si512(from + 32), number,
									  _mm512_loadu_si512(from + 48)));
	}
	return count == 128
		       ? _mm512_mask_mov_epi32(half[0], _mm512_test_epi32_mask(number, _mm512_set1_epi32(64)), half[1])
		       : half[0];
}
ALWAYS_INLINE struct unit_segments look_up_segments(const struct unit_table *t, unit_vector number)
{
	return (struct unit_segments){look_up_column(t->columns, t->count, number),
				      look_up_column(t->columns + t->count, t->count, number),
				      look_up_column(t->columns + 2 * t->count, t->count, number)};
}
#else
ALWAYS_INLINE __m256i two_segments(const s32 pieces[][4], u64 low, u64 high)
{
	const __m128i a = _mm_load_si128((const __m128i *)(const void *)((const u8 *)pieces + low));
	const __m128i b = _mm_load_si128((const __m128i *)(const void *)((const u8 *)pieces + high));

	return _mm256_set_m128i(b, a);
}
/* The pieces are aligned to 16 bytes. Where a lane's lies leaves the registers by pairs, which is half of what single words cost. */
ALWAYS_INLINE struct unit_segments look_up_segments(const struct unit_table *t, __m256i number)
{
	const __m256i at = _mm256_slli_epi32(number, 4);
	const u64 p01 = (u64)_mm256_extract_epi64(at, 0), p23 = (u64)_mm256_extract_epi64(at, 1);
	const u64 p45 = (u64)_mm256_extract_epi64(at, 2), p67 = (u64)_mm256_extract_epi64(at, 3);
	const __m256i a = two_segments(t->pieces, p01 & 0xffff, p45 & 0xffff),
		      b = two_segments(t->pieces, p01 >> 32, p45 >> 32);
	const __m256i c = two_segments(t->pieces, p23 & 0xffff, p67 & 0xffff),
		      d = two_segments(t->pieces, p23 >> 32, p67 >> 32);
	const __m256i ab = _mm256_unpacklo_epi32(a, b), cd = _mm256_unpacklo_epi32(c, d);

	return (struct unit_segments){_mm256_unpacklo_epi64(ab, cd), _mm256_unpackhi_epi64(ab, cd),
				      _mm256_unpacklo_epi64(_mm256_unpackhi_epi32(a, b), _mm256_unpackhi_epi32(c, d))};
}
#endif

/* mufu_square. Row i adds low >> 18 - i where bit i is set, which is the high half of low times that bit, two places down. */
ALWAYS_INLINE unit_vector square_lanes(unit_vector x)
{
	const unit_vector high = VECTOR(srli_epi32)(x, 9), low = unit_and(x, VECTOR(set1_epi32)(0x1ff));
	const unit_vector bits = VECTOR(srli_epi32)(x, 2);
	unit_vector sum = VECTOR(srli_epi32)(VECTOR(mullo_epi16)(high, high), 1);

	_Pragma("GCC unroll 8") for (int i = 10; i <= 16; i++)
	{
		const unit_vector bit = unit_and(bits, VECTOR(set1_epi32)(1 << (i - 2)));
		sum = VECTOR(add_epi32)(sum, VECTOR(mulhi_epu16)(low, bit));
	}
	return sum;
}

/* Of the even lanes; the operands' upper halves count for nothing. */
ALWAYS_INLINE unit_vector quadratic_even(const struct mufu_plan *p, struct unit_segments c, unit_vector first,
					 unit_vector second)
{
	const unit_vector a = VECTOR(mul_epi32)(c.c0, unit_all64((s64)1 << p->scale));
	const unit_vector b = VECTOR(add_epi64)(VECTOR(mul_epi32)(c.c1, first), VECTOR(mul_epi32)(c.c2, second));

	return VECTOR(add_epi64)(VECTOR(add_epi64)(a, unit_all64(p->k)), b);
}
ALWAYS_INLINE unit_vector odd_lanes(unit_vector v) { return VECTOR(srli_epi64)(v, 32); }

/* mufu_significand. */
ALWAYS_INLINE unit_vector significand_lanes(const struct mufu_plan *p, struct unit_segments c, unit_vector first,
					    unit_vector squared)
{
	const unit_vector second = VECTOR(slli_epi32)(square_lanes(squared), __builtin_ctz(p->factor));
	const struct unit_segments odd = {odd_lanes(c.c0), odd_lanes(c.c1), odd_lanes(c.c2)};
	const unit_vector low = quadratic_even(p, c, first, second);
	const unit_vector high = quadratic_even(p, odd, odd_lanes(first), odd_lanes(second));

	return unit_zip(VECTOR(srli_epi64)(low, p->cut), VECTOR(slli_epi64)(high, 32 - p->cut));
}

ALWAYS_INLINE void find_significands(struct unit_rows *r, const struct mufu_plan *p, const struct unit_table *t)
{
	for (u32 l = 0; l < WARP_LANES; l += UNIT_LANES) {
		const struct unit_segments c = look_up_segments(t, unit_load(r->number + l));
		unit_store(r->significand + l,
			   significand_lanes(p, c, unit_load(r->first + l), unit_load(r->squared + l)));
	}
}
#endif

#endif
