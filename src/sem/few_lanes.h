/* SPDX-License-Identifier: Apache-2.0
 *
 * Loads of few lanes, each by itself: a row that is kept in registers while one lane after the other gets its value, since a row that is
 * stored by lanes is not to be read as a row for long. load_few.h has the loads.
 */
#ifndef PTXSIM_SEM_FEW_LANES_H
#define PTXSIM_SEM_FEW_LANES_H

#include "sem/scattered_places.h"

#if defined __AVX512F__
enum { REGISTER_BYTES = 64 };
typedef __m512i row_register;
#else
enum { REGISTER_BYTES = 32 };
typedef __m256i row_register;
#endif
/* Lanes of 4 bytes take half of it. */
struct row_in_registers {
	row_register part[WARP_LANES * 8 / REGISTER_BYTES];
};

ALWAYS_INLINE void take_row(struct row_in_registers *r, const void *d, u32 bytes)
{
	for (u32 k = 0; k < WARP_LANES * bytes / REGISTER_BYTES; k++)
		memcpy(&r->part[k], (const u8 *)d + REGISTER_BYTES * k, REGISTER_BYTES);
}
ALWAYS_INLINE void keep_row(void *d, const struct row_in_registers *r, u32 bytes)
{
	for (u32 k = 0; k < WARP_LANES * bytes / REGISTER_BYTES; k++)
		memcpy((u8 *)d + REGISTER_BYTES * k, &r->part[k], REGISTER_BYTES);
}

/* v becomes value in lane l, if that is one of those that begin with `first`. */
ALWAYS_INLINE row_register set_lane(row_register v, u32 first, u32 l, u64 value, u32 bytes)
{
	const void *const numbers = bytes == 8 ? (const void *)(lane_steps64[0] + first) : lane_steps32[0] + first;
#if defined __AVX512F__
	const __m512i own = _mm512_load_si512(numbers);
	if (bytes == 8)
		return _mm512_mask_set1_epi64(v, _mm512_cmpeq_epi64_mask(own, _mm512_set1_epi64(l)), (s64)value);
	return _mm512_mask_set1_epi32(v, _mm512_cmpeq_epi32_mask(own, _mm512_set1_epi32((s32)l)), (s32)value);
#else
	const __m256i own = _mm256_load_si256(numbers);
	if (bytes == 8)
		return _mm256_blendv_epi8(v, _mm256_set1_epi64x((s64)value),
					  _mm256_cmpeq_epi64(own, _mm256_set1_epi64x(l)));
	return _mm256_blendv_epi8(v, _mm256_set1_epi32((s32)value), _mm256_cmpeq_epi32(own, _mm256_set1_epi32((s32)l)));
#endif
}
ALWAYS_INLINE void put_lane(struct row_in_registers *r, u32 l, u64 value, u32 bytes)
{
	const u32 each = REGISTER_BYTES / bytes;

	for (u32 k = 0; k < WARP_LANES / each; k++)
		r->part[k] = set_lane(r->part[k], k * each, l, value, bytes);
}

/* What few lanes that load fetch besides: the line behind their own, and what the number behind their own says. */
struct fetching {
	bool along, ahead;
	uintptr_t start; /* where number 0 leads */
	u32 shift;
};

/* Words of shared memory within 64 words of the first lane's, as where lanes work on pairs. What of them lies past the end of shared memory is not
 * read. False where the host has no such permutation: its gather is as good. */
ALWAYS_INLINE bool load_window(struct warp *w, const struct insn *i, const u32 *base, u32 *d)
{
#if defined __AVX512F__
	const u32 at = base[0] + (u32)i->imm;
	const u64 near = w->block->near_bytes, left = at < near ? (near - at) / 4 : 0;
	const u32 words = left < 2 * WARP_LANES ? (u32)left : 2 * WARP_LANES;
	const u64 there = words ? ~(u64)0 >> (2 * WARP_LANES - words) : 0;
	u32 slot[WARP_LANES] __attribute__((aligned(64)));
	s32 far[WARP_LANES] __attribute__((aligned(64)));

	EACH_LANE
		slot[l] = (base[l] - base[0]) >> 2 | (base[l] - base[0]) << 30;
	EACH_LANE
		far[l] = slot[l] >= words ? -1 : 0;
	if (pack_lanes32(far) || at % 4)
		return false;
	const u8 *from = w->block->shared + at;
	const __m512i a = _mm512_maskz_loadu_epi32((__mmask16)there, from);
	const __m512i b = _mm512_maskz_loadu_epi32((__mmask16)(there >> 16), from + 64);
	const __m512i c = _mm512_maskz_loadu_epi32((__mmask16)(there >> 32), from + 128);
	const __m512i e = _mm512_maskz_loadu_epi32((__mmask16)(there >> 48), from + 192);
	for (u32 k = 0; k < WARP_LANES; k += 16) {
		const __m512i s = _mm512_load_si512(slot + k);
		const __mmask16 upper = _mm512_test_epi32_mask(s, _mm512_set1_epi32(WARP_LANES));
		_mm512_store_si512(d + k, _mm512_mask_blend_epi32(upper, _mm512_permutex2var_epi32(a, s, b),
								  _mm512_permutex2var_epi32(c, s, e)));
	}
	return true;
#else
	(void)w, (void)i, (void)base, (void)d;
	return false;
#endif
}

#endif
