/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of a whole warp at small equal distances that are known when a region is compiled, as of one member of an array of structs: registers of
 * what lies there, of which permutations by constants take the words, or store them by masks that are constants. The step is the
 * instruction's, so that LLVM folds all of this to a few loads and shuffles.
 */
#ifndef PTXSIM_SEM_NATIVE_STRIDED_H
#define PTXSIM_SEM_NATIVE_STRIDED_H

#include "sem/native_parts.h"

/* Bytes from lane to lane; more of them would take more registers than there are lanes in these. */
enum { STRIDE_LEAST = 8, STRIDE_MOST = 32 };

#if defined __AVX512F__
typedef u32 words16 __attribute__((vector_size(64)));

ALWAYS_INLINE bool has_small_stride(u32 step, u32 bytes)
{
	return bytes == 4 && step >= STRIDE_LEAST && step <= STRIDE_MOST && step % 4 == 0;
}
/* Registers from the first lane of a half warp to its last. */
ALWAYS_INLINE u32 strided_registers(u32 step) { return ((PART - 1) * step + 4 + 63) / 64; }

ALWAYS_INLINE words16 numbers_from(u32 first)
{
	const words16 number = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

	return number + first;
}

/* Written out, since loops over them would stay: how many there are is known later. */
#define EACH_STRIDED_REGISTER(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)

/* v, with the words that lanes want of register number k. */
ALWAYS_INLINE part take_strided(part v, const u8 *from, u32 step, u32 k)
{
	/* No more than a lane wants: the last allocation may end there. */
	const u32 words = (PART - 1) * (step / 4) + 1 - PART * k;
	const part there =
		_mm512_maskz_loadu_epi32((__mmask16)(words < PART ? (1u << words) - 1 : 0xffff), from + 64 * k);
	const part slot = (part)(numbers_from(0) * (step / 4) - PART * k);

	return _mm512_mask_permutexvar_epi32(v, _mm512_cmplt_epu32_mask(slot, all_words(PART)), slot, there);
}
ALWAYS_INLINE void load_strided_half(u32 *value, const u8 *from, u32 step)
{
	part v = all_words(0);

#define TAKE(K)                            \
	if ((K) < strided_registers(step)) \
		v = take_strided(v, from, step, K);
	EACH_STRIDED_REGISTER(TAKE)
#undef TAKE
	set_part(value, 0, v);
}
ALWAYS_INLINE void load_strided(u32 *value, const u8 *from, u32 step)
{
	load_strided_half(value, from, step);
	load_strided_half(value + PART, from + (u64)step * PART, step);
}

ALWAYS_INLINE void put_strided(u8 *to, const u32 *s, u32 step, u32 k)
{
	const words16 word = numbers_from(PART * k), lane = word / (step / 4);
	const __mmask16 on = _mm512_cmpeq_epi32_mask((part)(lane * (step / 4)), (part)word) &
			     _mm512_cmplt_epu32_mask((part)lane, all_words(PART));

	_mm512_mask_storeu_epi32(to + 64 * k, on, _mm512_permutexvar_epi32((part)lane, part_of(s, 0)));
}
ALWAYS_INLINE void store_strided_half(u8 *to, const u32 *s, u32 step)
{
#define PUT(K)                             \
	if ((K) < strided_registers(step)) \
		put_strided(to, s, step, K);
	EACH_STRIDED_REGISTER(PUT)
#undef PUT
}
ALWAYS_INLINE void store_strided(u8 *to, const u32 *s, u32 step)
{
	store_strided_half(to, s, step);
	store_strided_half(to + (u64)step * PART, s + PART, step);
}
#else
/* Permutations between so many smaller registers gain nothing over a lane at a time. */
ALWAYS_INLINE bool has_small_stride(u32 step, u32 bytes)
{
	(void)step, (void)bytes;
	return false;
}
ALWAYS_INLINE void load_strided(u32 *value, const u8 *from, u32 step) { (void)value, (void)from, (void)step; }
ALWAYS_INLINE void store_strided(u8 *to, const u32 *s, u32 step) { (void)to, (void)s, (void)step; }
#endif

#endif
