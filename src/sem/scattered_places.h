/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the lanes of a scattered access in native code go. Each lane has a number, and its place is that many pieces after the beginning
 * of a range of host memory, which all numbers are held against at once:
 *
 *      BY_ADDRESS   addresses of 64 bits           within the allocation that the instruction accessed last
 *      BY_NEAR      32-bit addresses               within shared memory
 *      BY_INDEX     scaled rows (native_scaled.h)  within the allocation, 2^shift bytes apart
 *
 * `by` is a constant of the callers, into which all of this is inlined.
 */
#ifndef PTXSIM_SEM_SCATTERED_PLACES_H
#define PTXSIM_SEM_SCATTERED_PLACES_H

#include "sem/native_rows.h"
#include "sem/native_scaled.h"

enum numbered { BY_ADDRESS, BY_NEAR, BY_INDEX };

/* An access's lanes: their row, of addresses without the instruction's offset, or of indices. */
struct scattered {
	const void *row;
	enum ir_space space; /* BY_ADDRESS: shared memory, or any that allocations are in */
	u64 base;            /* BY_INDEX: where index 0 is, without the instruction's offset */
	u32 mask, bytes;     /* the lanes that run; of each access */
	bool is_store;
};

/* Number n is in it if n - first, without sign, is at most `last`; its place is so many times 2^shift after `host`. */
struct range {
	u8 *host;
	u64 first, last;
	u32 shift;
	bool any; /* else no number is */
};

ALWAYS_INLINE struct range range_of_index(const struct remembered *r, const struct insn *i, u64 start_at, u64 size,
					  u32 bytes)
{
	const u32 how = (u32)((uintptr_t)i->fn >> SCALED_SHIFT_AT), shift = how % SCALED_SIGNED;
	const u64 base = start_at + (u64)(s64)i->imm, most = how & SCALED_SIGNED ? INT32_MAX : UINT32_MAX;
	const u64 from = base - r->low, room = size - bytes;
	const u64 first = (s64)from < 0 ? (-from + (1u << shift) - 1) >> shift : 0, start = from + (first << shift);
	const u64 last = (room - start) >> shift;

	return (struct range){(u8 *)((uintptr_t)r->host + (uintptr_t)start), first,
			      last < most - first ? last : most - first, shift,
			      (size >= bytes) & (first <= most) & (start <= room) & !(base & (bytes - 1))};
}
/* Whether the first lane that runs goes to the block's shared memory, by a generic address. */
ALWAYS_INLINE bool begins_in_shared(const struct warp *w, const struct insn *i, const struct scattered *s)
{
	const u64 first = ((const u64 *)s->row)[__builtin_ctz(s->mask)] + (u64)(s64)i->imm;

	return shared_offset(w, first) < w->block->near_bytes;
}
ALWAYS_INLINE struct range range_of(const struct warp *w, const struct insn *i, enum numbered by,
				    const struct scattered *s)
{
	if (by == BY_NEAR || s->space == SPACE_SHARED) {
		const u64 size = w->block->near_bytes < INT32_MAX ? w->block->near_bytes : INT32_MAX;
		return (struct range){w->block->shared, 0, size - s->bytes, 0, size >= s->bytes};
	}
	if (by == BY_ADDRESS && s->space == SPACE_GENERIC && begins_in_shared(w, i, s))
		return (struct range){w->block->shared, w->grid->map->shared_window, w->block->near_bytes - s->bytes, 0,
				      w->block->near_bytes >= s->bytes};
	const struct remembered *r = native_remembered(w, i);
	const u64 size = s->is_store && r->flags & ALLOCATION_READ_ONLY ? 0 : r->high - r->low;
	if (by == BY_INDEX)
		return range_of_index(r, i, s->base, size, s->bytes);
	return (struct range){r->host, r->low, size - s->bytes, 0, size >= s->bytes};
}

/* Has the next access find the allocation of the first lane that runs; false: there is none. */
SEPARATE __attribute__((unused)) bool remember_allocation(struct warp *w, const struct insn *i, enum numbered by,
							  const struct scattered *s)
{
	const u32 how = (u32)((uintptr_t)i->fn >> SCALED_SHIFT_AT), lane = (u32)__builtin_ctz(s->mask);
	u64 address = (u64)(s64)i->imm;

	if (by == BY_NEAR || s->space == SPACE_SHARED)
		return false;
	if (by == BY_INDEX) {
		const u32 own = ((const u32 *)s->row)[lane];
		address += s->base + ((how & SCALED_SIGNED ? (u64)(s64)(s32)own : own) << how % SCALED_SIGNED);
	} else {
		address += ((const u64 *)s->row)[lane];
	}
	return native_range_slow(w, i, address, address + s->bytes) != NULL;
}

/* The same for lanes that are looked at one by one: each one's place is so many bytes after `host`, at most `last`. */
struct reach {
	u8 *host;
	u64 offset, last; /* of address or index 0 */
	u32 shift;        /* of indices */
	bool none;        /* no place is */
};
enum reach_for { REACH_SHARED, REACH_LOAD, REACH_STORE };
enum lane_number { FAR_ADDRESS, NEAR_ADDRESS, INDEX, SIGNED_INDEX };

/* base: of index 0. */
ALWAYS_INLINE struct reach reach_of(const struct warp *w, const struct insn *i, enum reach_for what, u64 base,
				    u32 bytes)
{
	const u64 from = base + (u64)(s64)i->imm;

	if (what == REACH_SHARED) {
		const u64 near_ = w->block->near_bytes;
		return (struct reach){w->block->shared, (u32)from, near_ - bytes, 0, near_ < bytes};
	}
	const struct remembered *r = native_remembered(w, i);
	const u64 size = what == REACH_STORE && r->flags & ALLOCATION_READ_ONLY ? 0 : r->high - r->low;
	return (struct reach){r->host, from - r->low, size - bytes, index_shift(i), size < bytes};
}
/* Above r->last: out of reach. Read from memory, where a lane costs nothing. */
ALWAYS_INLINE u64 place_within(const struct reach *r, enum lane_number by, const void *numbers, u32 lane)
{
	const u64 far = by == FAR_ADDRESS ? ((const volatile u64 *)numbers)[lane] : 0;
	const u32 near_ = by != FAR_ADDRESS ? ((const volatile u32 *)numbers)[lane] : 0;

	switch (by) {
	case FAR_ADDRESS:
		return far + r->offset;
	case NEAR_ADDRESS:
		return (u32)(near_ + r->offset);
	case INDEX:
		return ((u64)near_ << r->shift) + r->offset;
	case SIGNED_INDEX:
	default:
		return ((u64)(s64)(s32)near_ << r->shift) + r->offset;
	}
}

/* Of few lanes. */
ALWAYS_INLINE bool all_reach(const struct reach *r, enum lane_number by, const void *numbers, u32 mask, u32 bytes)
{
	u64 bits = 0;

	if (UNLIKELY(r->none))
		return false;
	for (u32 left = mask; left; left &= left - 1) {
		const u64 at = place_within(r, by, numbers, (u32)__builtin_ctz(left));
		if (UNLIKELY(at > r->last))
			return false;
		bits |= at;
	}
	return LIKELY(!(bits & (bytes - 1)));
}

/* Lane l's place is `far`, or by indices and near addresses `near_`, times 2^shift, after `host`; that of a lane that takes no part is 0. */
struct places {
	u8 *host;
	u32 shift;
	union {
		u64 far[WARP_LANES] __attribute__((aligned(64)));
		u32 near_[WARP_LANES];
	};
};

/* Read lane by lane from memory, where it costs least. */
ALWAYS_INLINE u8 *place_of(const struct places *p, enum numbered by, u32 lane)
{
	const u64 at = by == BY_ADDRESS ? *(const volatile u64 *)&p->far[lane] : *(const volatile u32 *)&p->near_[lane];

	return p->host + (at << p->shift);
}

#if defined HAS_QUARTERS
/* There is no comparison of such long numbers without sign: each is two, and what lies 4 GB above the range's beginning counts as out of
 * reach. */
ALWAYS_INLINE bool find_far(u64 at[WARP_LANES], const u64 number[WARP_LANES], u32 mask, u64 first, u64 last, u32 bytes)
{
	const __m256i from = _mm256_set1_epi64x((s64)first), lanes = _mm256_set1_epi64x(mask);
	__m256i top = _mm256_setzero_si256(), all = top;

	for (u32 l = 0; l < WARP_LANES; l += 4) {
		const __m256i bit = _mm256_load_si256((const __m256i *)(const void *)(lane_bit64 + l));
		const __m256i on = _mm256_cmpeq_epi64(_mm256_and_si256(lanes, bit), bit);
		const __m256i own = _mm256_load_si256((const __m256i *)(const void *)(number + l));
		const __m256i place = _mm256_and_si256(_mm256_sub_epi64(own, from), on);
		top = _mm256_max_epu32(top, place);
		all = _mm256_or_si256(all, _mm256_and_si256(own, on));
		_mm256_store_si256((__m256i *)(void *)(at + l), place);
	}
	return are_within(top, _mm256_set1_epi64x(last < UINT32_MAX ? (s64)last : UINT32_MAX), all,
			  _mm256_set1_epi64x(bytes - 1));
}
ALWAYS_INLINE bool find_near(u32 at[WARP_LANES], const u32 number[WARP_LANES], u32 mask, u32 last, u32 bytes)
{
	const __m256i lanes = _mm256_set1_epi32((s32)mask);
	__m256i top = _mm256_setzero_si256(), all = top;

	for (u32 l = 0; l < WARP_LANES; l += PART) {
		const __m256i bit = _mm256_load_si256((const __m256i *)(const void *)(lane_bit + l));
		const __m256i on = _mm256_cmpeq_epi32(_mm256_and_si256(lanes, bit), bit);
		const __m256i own = _mm256_load_si256((const __m256i *)(const void *)(number + l));
		const __m256i place = _mm256_and_si256(own, on);
		top = _mm256_max_epu32(top, place);
		all = _mm256_or_si256(all, place);
		_mm256_store_si256((__m256i *)(void *)(at + l), place);
	}
	return are_within(top, _mm256_set1_epi32((s32)last), all, _mm256_set1_epi32((s32)bytes - 1));
}
#else
ALWAYS_INLINE bool find_far(u64 at[WARP_LANES], const u64 number[WARP_LANES], u32 mask, u64 first, u64 last, u32 bytes)
{
	__m512i top = _mm512_setzero_si512(), all = top;

	for (u32 l = 0; l < WARP_LANES; l += 8) {
		const __mmask8 on = (__mmask8)(mask >> l);
		const __m512i own = _mm512_maskz_mov_epi64(on, _mm512_load_si512(number + l));
		const __m512i place = _mm512_maskz_sub_epi64(on, own, _mm512_set1_epi64((s64)first));
		top = _mm512_max_epu64(top, place);
		all = _mm512_or_si512(all, own);
		_mm512_store_si512(at + l, place);
	}
	return !(_mm512_cmpgt_epu64_mask(top, _mm512_set1_epi64((s64)last)) |
		 _mm512_test_epi64_mask(all, _mm512_set1_epi64((s64)bytes - 1)));
}
ALWAYS_INLINE bool find_near(u32 at[WARP_LANES], const u32 number[WARP_LANES], u32 mask, u32 last, u32 bytes)
{
	part top = all_words(0), all = top;

	for (u32 k = 0; k < PARTS; k++) {
		const part place = _mm512_maskz_mov_epi32((__mmask16)(mask >> PART * k), part_of(number, k));
		top = highest_words(top, place);
		all = any_bit(all, place);
		set_part(at, k, place);
	}
	return are_within(top, all_words(last), all, all_words(bytes - 1));
}
#endif

/* False: not all within the range, or not aligned. */
ALWAYS_INLINE bool find_places_in(struct places *p, const struct insn *i, enum numbered by, const struct scattered *s,
				  const struct range *r)
{
	p->host = r->host;
	p->shift = by == BY_INDEX ? r->shift : 0;
	if (by == BY_ADDRESS) {
		const u64 *base = s->row;
		u64 address[WARP_LANES] __attribute__((aligned(64)));
		EACH_LANE
			address[l] = base[l] + (u64)(s64)i->imm;
		return r->any & find_far(p->far, address, s->mask, r->first, r->last, s->bytes);
	}
	const u32 *own = s->row, from = by == BY_INDEX ? -(u32)r->first : (u32)i->imm;
	u32 number[WARP_LANES] __attribute__((aligned(64)));

	EACH_LANE
		number[l] = own[l] + from;
	return r->any & find_near(p->near_, number, s->mask, (u32)r->last, by == BY_INDEX ? 1 : s->bytes);
}
ALWAYS_INLINE bool find_places(struct places *p, struct warp *w, const struct insn *i, enum numbered by,
			       const struct scattered *s)
{
	const struct range r = range_of(w, i, by, s);

	return LIKELY(find_places_in(p, i, by, s, &r));
}

#endif
