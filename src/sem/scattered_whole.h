/* SPDX-License-Identifier: Apache-2.0
 *
 * Scattered accesses of whole warps: what scattered_places.h does, for all lanes, without masks. Places are not computed: lanes' numbers are read
 * from the row itself, which the caller has just put there.
 */
#ifndef PTXSIM_SEM_SCATTERED_WHOLE_H
#define PTXSIM_SEM_SCATTERED_WHOLE_H

#include "sem/few_lanes.h"
#include "sem/scattered_places.h"

/* Each lane's place is its number in the row times 2^shift after `host`. */
struct whole {
	u8 *host;
	u32 shift;
};

/* Whether all numbers less `low` are at most `span`, and have none of `bits` with `plus` added. */
ALWAYS_INLINE bool all_near(const u32 *number, u32 low, u32 span, u32 plus, u32 bits)
{
	part top = all_words(0), all = top;

	for (u32 k = 0; k < PARTS; k++) {
		const part own = part_of(number, k);
		top = highest_words(top, from_other(own, all_words(low)));
		all = any_bit(all, from_other(own, all_words(-plus)));
	}
	return are_within(top, all_words(span), all, all_words(bits));
}
#if defined __AVX512F__
ALWAYS_INLINE bool all_far(const u64 *number, u64 low, u64 span, u64 plus, u64 bits)
{
	__m512i top = _mm512_setzero_si512(), all = top;

	for (u32 l = 0; l < WARP_LANES; l += 8) {
		const __m512i own = _mm512_load_si512(number + l);
		top = _mm512_max_epu64(top, _mm512_sub_epi64(own, _mm512_set1_epi64((s64)low)));
		all = _mm512_or_si512(all, _mm512_add_epi64(own, _mm512_set1_epi64((s64)plus)));
	}
	return !(_mm512_cmpgt_epu64_mask(top, _mm512_set1_epi64((s64)span)) |
		 _mm512_test_epi64_mask(all, _mm512_set1_epi64((s64)bits)));
}
#endif

/* False: not all are within the range and aligned, or the host has no comparison of such numbers. */
ALWAYS_INLINE bool find_whole(struct whole *z, struct warp *w, const struct insn *i, enum numbered by,
			      const struct scattered *s)
{
	const struct range r = range_of(w, i, by, s);
	const s64 imm = i->imm, low = imm < 0 ? -imm : 0, high = (s64)r.last - imm;

	z->shift = by == BY_INDEX ? r.shift : 0;
	switch (by) {
	case BY_NEAR:
		z->host = (u8 *)((uintptr_t)r.host + (uintptr_t)imm);
		return r.any & (high >= low) && all_near(s->row, (u32)low, (u32)(high - low), (u32)imm, s->bytes - 1);
	case BY_INDEX:
		z->host = (u8 *)((uintptr_t)r.host - (uintptr_t)(r.first << r.shift));
		return r.any && all_near(s->row, (u32)r.first, (u32)r.last, 0, 0);
	case BY_ADDRESS:
	default:
		z->host = (u8 *)((uintptr_t)r.host + (uintptr_t)(imm - (s64)r.first));
#if defined __AVX512F__
		return r.any && all_far(s->row, r.first - (u64)imm, r.last, (u64)imm, s->bytes - 1);
#else
		return false;
#endif
	}
}

/* Of neighbours, where the last one's number is not past the end of them all. */
ALWAYS_INLINE bool is_row_of_indices(const void *row)
{
	const u32 *index = row;

	return in_row32(index, 1) && index[0] <= index[WARP_LANES - 1];
}

ALWAYS_INLINE u64 number_at(enum numbered by, const void *row, u32 lane)
{
	return by == BY_ADDRESS ? ((const u64 *)row)[lane] : ((const u32 *)row)[lane];
}
/* Of lanes l and l + 1. Two of 32 bits are read at once, as there are fewer loads at a time than anything else. */
struct two_numbers {
	u64 low, high;
};
ALWAYS_INLINE struct two_numbers two_numbers_of(enum numbered by, const void *row, u32 l)
{
	if (by == BY_ADDRESS)
		return (struct two_numbers){number_at(by, row, l), number_at(by, row, l + 1)};
	const u64 both = *(const volatile u64 *)(const void *)((const u8 *)row + 4 * l);
	struct two_numbers n = {(u32)both, both >> 32};

	/* Or gcc multiplies first, and cuts then, by a mask in a register. */
	__asm__("" : "+r"(n.low));
	return n;
}

ALWAYS_INLINE u8 *whole_place(const struct whole *z, u64 number, u32 shift)
{
	/* Where number 0 is may be no place of the host's. */
	return (u8 *)((uintptr_t)z->host + (number << shift));
}

/* Lanes are read one after the other, no more at once than there are general registers. */
#define LANES_SO_FAR() __asm__ volatile("" : : : "memory")

ALWAYS_INLINE row_register joined(const __m128i *group)
{
	const __m256i low = _mm256_inserti128_si256(_mm256_castsi128_si256(group[0]), group[1], 1);
#if defined __AVX512F__
	return _mm512_inserti64x4(_mm512_castsi256_si512(low),
				  _mm256_inserti128_si256(_mm256_castsi128_si256(group[2]), group[3], 1), 1);
#else
	return low;
#endif
}

#endif
