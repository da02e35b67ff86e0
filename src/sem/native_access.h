/* SPDX-License-Identifier: Apache-2.0
 *
 * Accesses as native code has them in line: what access.h and vector_access.h do, without a loop over lanes and without a
 * variable index into rows, which would keep all rows of a region in memory. Every lane's place is held against one range
 * of host memory, all lanes at once; what does not fit (another allocation than last time, an address out of reach) is
 * the interpreter's. Included by the family of loads and stores when it is compiled for native code.
 */
#ifndef PTXSIM_SEM_NATIVE_ACCESS_H
#define PTXSIM_SEM_NATIVE_ACCESS_H

#include "sem/native_quarters.h"

/* Whether any of the lanes' truths, 0 or -1, is set; any_of: among the lanes of the mask. */
ALWAYS_INLINE bool any_lanes32(const s32 t[WARP_LANES])
{
#if defined HAS_QUARTERS
	const u32 *row = (const u32 *)t;

	return !is_zero(_mm256_or_si256(_mm256_or_si256(quarter_of(row, 0), quarter_of(row, 1)),
					_mm256_or_si256(quarter_of(row, 2), quarter_of(row, 3))));
#else
	return pack_lanes32(t);
#endif
}
ALWAYS_INLINE bool any_lanes64(const s64 t[WARP_LANES])
{
#if defined HAS_QUARTERS
	__m256i any = _mm256_setzero_si256();

	for (u32 k = 0; k < 2 * QUARTERS; k++)
		any = _mm256_or_si256(any, _mm256_load_si256((const __m256i *)(const void *)(t + 4 * k)));
	return !is_zero(any);
#else
	return pack_lanes64(t);
#endif
}

#define EACH_LANE_OF_HALF _Pragma("clang loop vectorize(assume_safety)") for (int l = 0; l < WARP_LANES / 2; l++)

/* What an instruction may reach: a space's bytes, or the allocation of its last access. */
struct reach {
	u8 *host;
	u64 low, size;
};

ALWAYS_INLINE struct reach reach_of(const struct warp *w, const struct insn *i, enum ir_space space, bool is_store)
{
	if (space == SPACE_SHARED)
		return (struct reach){w->block->shared, 0, w->block->near_bytes};
	const struct remembered *r = global_remembered(w, i);
	const u64 allowed = is_store && r->flags & ALLOCATION_READ_ONLY ? 0 : ~(u64)0;
	return (struct reach){r->host, r->low, (r->high - r->low) & allowed};
}

/* Whether few lanes are looked for before anything else: where nothing is known of the addresses. */
ALWAYS_INLINE bool begins_with_few(const struct insn *i, enum ir_space space, bool wide)
{
	return space == SPACE_GLOBAL && wide && !(i->fp & SHAPE_KNOWN);
}

/* Whether a way for two rows pays, one for each half of the warp: with AVX2 only where they are likely. */
ALWAYS_INLINE bool has_halves(const struct insn *i)
{
#if defined HAS_QUARTERS
	return (i->fp & (SHAPE_KNOWN | SHAPE_PARTS)) == (SHAPE_KNOWN | SHAPE_PARTS);
#else
	return may_be(i, SHAPE_PARTS);
#endif
}

/* A whole warp at equal distances that are known for certain: each lane's place is a constant from the first. */
ALWAYS_INLINE bool is_stepped(const struct insn *i, u32 mask)
{
	return i->run > PROVEN_STEP && i->run < PROVEN_SCALED && mask == FULL_MASK;
}
ALWAYS_INLINE u32 step_of(const struct insn *i) { return i->run - PROVEN_STEP; }
/* The first lane's bytes; NULL: not all lanes' are within reach, or aligned to `bytes`. */
ALWAYS_INLINE u8 *first_of_steps(struct warp *w, const struct insn *i, const u8 *rows, enum ir_space space, bool wide,
				 u32 bytes, bool is_store)
{
	if (first_address(rows, i, wide) % bytes)
		return NULL;
	return proven_range(w, i, rows, space, wide, (WARP_LANES - 1) * (u64)step_of(i) + bytes, is_store);
}

/* Whether words of shared memory that lie in a row for each quarter of the warp have a store of their own. */
ALWAYS_INLINE bool has_parts(enum ir_space space, bool wide, u32 bytes)
{
#if defined HAS_QUARTERS
	return space == SPACE_SHARED && !wide && bytes == 4;
#else
	(void)space, (void)wide, (void)bytes;
	return false;
#endif
}

/* The lanes' places: lane l's at host + at[l]. A lane that takes no part has place 0, so that it can be read. */
struct places64 {
	u8 *host;
	u64 at[WARP_LANES] __attribute__((aligned(64)));
};
struct places32 {
	u8 *host;
	u32 at[WARP_LANES] __attribute__((aligned(64)));
};

/* Has the next access find the allocation of this one. */
ALWAYS_INLINE void remember_allocation(struct warp *w, const struct insn *i, const u64 address[WARP_LANES], u32 mask,
				       u32 bytes)
{
	u64 own[WARP_LANES] __attribute__((aligned(64)));

	EACH_LANE
		own[l] = address[l];
	const u64 first = own[__builtin_ctz(mask)];
	global_range_slow(w, i, first, first + bytes);
}

#if defined HAS_QUARTERS
/* Whether no word of `top` is above its word of `limit`, and none of `all` has a bit of `low`. */
ALWAYS_INLINE bool all_below(__m256i top, __m256i limit, __m256i all, __m256i low)
{
	const __m256i in = _mm256_cmpeq_epi32(_mm256_max_epu32(top, limit), limit);

	return is_zero(_mm256_or_si256(_mm256_xor_si256(in, _mm256_set1_epi32(-1)), _mm256_and_si256(all, low)));
}
/* There is no comparison of such long numbers without sign: each is two, and what lies 4 GB above the range's beginning counts as out of
 * reach. */
ALWAYS_INLINE bool places_reach64(struct places64 *p, const u64 address[WARP_LANES], u32 mask, u64 low, u64 last,
				  u32 bytes)
{
	const __m256i from = _mm256_set1_epi64x((s64)low), lanes = _mm256_set1_epi64x(mask);
	__m256i top = _mm256_setzero_si256(), all = top;

	for (u32 l = 0; l < WARP_LANES; l += 4) {
		const __m256i bit = _mm256_load_si256((const __m256i *)(const void *)(lane_bit64 + l));
		const __m256i on = _mm256_cmpeq_epi64(_mm256_and_si256(lanes, bit), bit);
		const __m256i own = _mm256_load_si256((const __m256i *)(const void *)(address + l));
		const __m256i at = _mm256_and_si256(_mm256_sub_epi64(own, from), on);
		top = _mm256_max_epu32(top, at);
		all = _mm256_or_si256(all, _mm256_and_si256(own, on));
		_mm256_store_si256((__m256i *)(void *)(p->at + l), at);
	}
	return all_below(top, _mm256_set1_epi64x(last < UINT32_MAX ? (s64)last : UINT32_MAX), all,
			 _mm256_set1_epi64x(bytes - 1));
}
ALWAYS_INLINE bool places_reach32(struct places32 *p, const u32 address[WARP_LANES], u32 mask, u32 last, u32 bytes)
{
	const __m256i lanes = _mm256_set1_epi32((s32)mask);
	__m256i top = _mm256_setzero_si256(), all = top;

	for (u32 l = 0; l < WARP_LANES; l += QUARTER) {
		const __m256i bit = _mm256_load_si256((const __m256i *)(const void *)(lane_bit + l));
		const __m256i on = _mm256_cmpeq_epi32(_mm256_and_si256(lanes, bit), bit);
		const __m256i own = _mm256_load_si256((const __m256i *)(const void *)(address + l));
		const __m256i at = _mm256_and_si256(own, on);
		top = _mm256_max_epu32(top, at);
		all = _mm256_or_si256(all, at);
		_mm256_store_si256((__m256i *)(void *)(p->at + l), at);
	}
	return all_below(top, _mm256_set1_epi32((s32)last), all, _mm256_set1_epi32((s32)bytes - 1));
}
#else
ALWAYS_INLINE bool any_of32(const s32 t[WARP_LANES], u32 mask)
{
	return mask == FULL_MASK ? any_lanes32(t) : pack_lanes32(t) & mask;
}
ALWAYS_INLINE bool any_of64(const s64 t[WARP_LANES], u32 mask)
{
	return mask == FULL_MASK ? any_lanes64(t) : pack_lanes64(t) & mask;
}

ALWAYS_INLINE bool places_reach64(struct places64 *p, const u64 address[WARP_LANES], u32 mask, u64 low, u64 last,
				  u32 bytes)
{
	s64 wrong[WARP_LANES] __attribute__((aligned(64)));

	EACH_LANE
		wrong[l] = address[l] - low > last || address[l] % bytes ? -1 : 0;
	EACH_LANE
		p->at[l] = mask & lane_bit64[l] ? address[l] - low : 0;
	return !any_of64(wrong, mask);
}
ALWAYS_INLINE bool places_reach32(struct places32 *p, const u32 address[WARP_LANES], u32 mask, u32 last, u32 bytes)
{
	s32 wrong[WARP_LANES] __attribute__((aligned(64)));

	EACH_LANE
		wrong[l] = address[l] > last || address[l] % bytes ? -1 : 0;
	EACH_LANE
		p->at[l] = mask & lane_bit[l] ? address[l] : 0;
	return !any_of32(wrong, mask);
}
#endif

/* False: not all within reach, or not aligned to `bytes`. */
ALWAYS_INLINE bool find_places64(struct places64 *p, struct warp *w, const struct insn *i, const u8 *rows, u32 mask,
				 enum ir_space space, u32 bytes, bool is_store)
{
	const struct reach r = reach_of(w, i, space, is_store);
	u64 address[WARP_LANES] __attribute__((aligned(64)));

	p->host = r.host;
	addresses_of(rows, i, true, address);
	const bool reach = places_reach64(p, address, mask, r.low, r.size - bytes, bytes);
	if (LIKELY(reach & (r.size >= bytes)))
		return true;
	if (space != SPACE_SHARED)
		remember_allocation(w, i, address, mask, bytes);
	return false;
}
/* By 32-bit addresses, of shared memory alone. */
ALWAYS_INLINE bool find_places32(struct places32 *p, struct warp *w, const struct insn *i, const u8 *rows, u32 mask,
				 u32 bytes)
{
	const u64 size = w->block->near_bytes < INT32_MAX ? w->block->near_bytes : INT32_MAX;
	const u32 *base = ROW_OF(u32, i->a);
	u32 address[WARP_LANES] __attribute__((aligned(64)));

	p->host = w->block->shared;
	EACH_LANE
		address[l] = base[l] + (u32)i->imm;
	const bool reach = places_reach32(p, address, mask, (u32)size - bytes, bytes);
	return LIKELY(reach & (size >= bytes));
}

ALWAYS_INLINE bool all_same64(const u64 at[WARP_LANES])
{
	s64 other[WARP_LANES] __attribute__((aligned(64)));

	EACH_LANE
		other[l] = at[l] != at[0] ? -1 : 0;
	return !any_lanes64(other);
}
ALWAYS_INLINE bool all_same32(const u32 at[WARP_LANES])
{
	s32 other[WARP_LANES] __attribute__((aligned(64)));

	EACH_LANE
		other[l] = at[l] != at[0] ? -1 : 0;
	return !any_lanes32(other);
}
ALWAYS_INLINE bool in_two_rows64(const u64 at[WARP_LANES], u32 size)
{
	const u64 *steps = lane_steps64[__builtin_ctz(size)];
	s64 off[WARP_LANES] __attribute__((aligned(64)));

	EACH_LANE_OF_HALF
	off[l] = at[l] - steps[l] != at[0] ? -1 : 0;
	EACH_LANE_OF_HALF
	off[l + WARP_LANES / 2] = at[l + WARP_LANES / 2] - steps[l] != at[WARP_LANES / 2] ? -1 : 0;
	return !any_lanes64(off);
}
ALWAYS_INLINE bool in_row32(const u32 at[WARP_LANES], u32 size)
{
	const u32 *steps = lane_steps32[__builtin_ctz(size)];
	s32 off[WARP_LANES] __attribute__((aligned(64)));

	EACH_LANE
		off[l] = at[l] - steps[l] != at[0] ? -1 : 0;
	return !any_lanes32(off);
}

/* Words of shared memory within WARP_LANES words of the first lane's, in any order. The tests look at the base row alone and come
 * first, so that the accesses of a region by one base share them. */
ALWAYS_INLINE bool load_near_row(struct warp *w, const struct insn *i, const u32 *base, u32 *d, u32 mask)
{
#if defined __AVX512F__
	const u32 at = base[0] + (u32)i->imm;
	u32 slot[WARP_LANES] __attribute__((aligned(64)));
	s32 far[WARP_LANES] __attribute__((aligned(64)));

	EACH_LANE
		slot[l] = (base[l] - base[0]) >> 2 | (base[l] - base[0]) << 30;
	EACH_LANE
		far[l] = slot[l] >= WARP_LANES ? -1 : 0;
	if (pack_lanes32(far) & mask || at % 4 || (u64)at + 4 * WARP_LANES > w->block->near_bytes)
		return false;
	const u32 *from = (const u32 *)(const void *)(w->block->shared + at);
	const __m512i low = _mm512_loadu_si512(from), high = _mm512_loadu_si512(from + 16);
	_mm512_store_si512(d, _mm512_permutex2var_epi32(low, _mm512_load_si512(slot), high));
	_mm512_store_si512(d + 16, _mm512_permutex2var_epi32(low, _mm512_load_si512(slot + 16), high));
	return true;
#else
	(void)mask; /* quarters are so quickly looked at that all lanes have to be in place */
	return load_quarters(w, i, base, d);
#endif
}

ALWAYS_INLINE bool load_near_row_of_some(struct warp *w, const struct insn *i, const u32 *base, u32 *d, u32 mask)
{
	u32 value[WARP_LANES] __attribute__((aligned(64)));

	if (mask == FULL_MASK)
		return load_near_row(w, i, base, d, mask);
	if (!load_near_row(w, i, base, value, mask))
		return false;
	merge_row(d, value, sizeof value[0], mask);
	return true;
}

/* The same within twice as many words, as where lanes work on pairs. What of them lies past the end of shared memory is not
 * read. False where the host has no such permutation: its gather is as good. */
ALWAYS_INLINE bool load_wide_window(struct warp *w, const struct insn *i, const u32 *base, u32 *d)
{
#if defined __AVX512F__
	if (!may_be(i, ~(u32)(SHAPE_ROW | SHAPE_SAME | SHAPE_KNOWN)))
		return false;
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

/* The same at equal distances upwards, as down a column: a load for each lane, whose places the host's addressing gives, is
 * twice as fast as a gather. */
ALWAYS_INLINE bool load_column(struct warp *w, const struct insn *i, const u32 *base, u32 *d)
{
	const u32 at = base[0] + (u32)i->imm, step = base[1] - base[0], *number = lane_steps32[0];
	s32 off[WARP_LANES] __attribute__((aligned(64)));

	if (!may_be(i, SHAPE_STRIDED))
		return false;
	EACH_LANE
		off[l] = base[l] - base[0] != step * number[l] ? -1 : 0;
	if (any_lanes32(off) || (at | step) % 4 || at + (WARP_LANES - 1) * (u64)step + 4 > w->block->near_bytes)
		return false;
	const u8 *from = w->block->shared + at;
	_Pragma("clang loop unroll(full)") for (u32 l = 0; l < WARP_LANES; l += 4, from += 4 * (u64)step)
	{
		const words4 v = {*(const u32 *)(const void *)from, *(const u32 *)(const void *)(from + step),
				  *(const u32 *)(const void *)(from + 2 * (u64)step),
				  *(const u32 *)(const void *)(from + 3 * (u64)step)};
		memcpy(&d[l], &v, sizeof v);
	}
	return true;
}

/* --- Some of a warp's lanes --- */

/* Lane l's bytes; read lane by lane from memory, where an index costs nothing. */
#define PIECE(p, l) ((p)->host + *(const volatile u64 *)&(p)->at[l])
/* The same where all lanes' are `step` bytes apart; 0: they are not. */
#define PIECE_BY(p, step, l) ((step) ? (p)->host + (u64)(step) * (l) : PIECE(p, l))

#if defined __AVX512F__
/* A value into the words, or pairs of words, of a register that `lanes` says. */
ALWAYS_INLINE __m512i set_lanes(__m512i v, u32 lanes, u64 value, u32 bytes)
{
	return bytes == 8 ? _mm512_mask_set1_epi64(v, (__mmask8)lanes, (s64)value)
			  : _mm512_mask_set1_epi32(v, (__mmask16)lanes, (s32)value);
}
#endif

#if defined HAS_QUARTERS
/* A value into lane l of a register that begins with lane `first`, if it is one of its own. */
ALWAYS_INLINE __m256i set_lane_of(__m256i v, u32 first, u32 l, u64 value, u32 bytes)
{
	if (bytes == 8) {
		const __m256i own = _mm256_load_si256((const __m256i *)(const void *)(lane_steps64[0] + first));
		return _mm256_blendv_epi8(v, _mm256_set1_epi64x((s64)value),
					  _mm256_cmpeq_epi64(own, _mm256_set1_epi64x(l)));
	}
	const __m256i own = _mm256_load_si256((const __m256i *)(const void *)(lane_steps32[0] + first));
	return _mm256_blendv_epi8(v, _mm256_set1_epi32((s32)value), _mm256_cmpeq_epi32(own, _mm256_set1_epi32((s32)l)));
}
#endif

/* Whether a way of its own for one lane alone pays: not where a loop over lanes does. */
ALWAYS_INLINE bool is_one_lane(u32 mask)
{
#if defined HAS_QUARTERS
	(void)mask;
	return false;
#else
	return !(mask & (mask - 1));
#endif
}

/* The only lane's place: those of all others are 0. */
ALWAYS_INLINE u64 only_place64(const u64 at[WARP_LANES])
{
	u64 place = 0;

	EACH_LANE
		place |= at[l];
	return place;
}
ALWAYS_INLINE u32 only_place32(const u32 at[WARP_LANES])
{
	u32 place = 0;

	EACH_LANE
		place |= at[l];
	return place;
}

/* Words, or pairs of words, to their places in a row. False, and nothing done: there is no such store. is_own: no other thread of the
 * host reaches what lies between. */
ALWAYS_INLINE bool store_row_of_some(void *to, const void *from, u32 mask, u32 bytes, bool is_own)
{
#if defined __AVX512F__
	(void)is_own;
	const u8 *s = from;
	u8 *d = to;
	for (u32 k = 0; bytes == 4 && k < 2; k++)
		_mm512_mask_storeu_epi32(d + 64 * k, (__mmask16)(mask >> 16 * k), _mm512_load_si512(s + 64 * k));
	for (u32 k = 0; bytes == 8 && k < 4; k++)
		_mm512_mask_storeu_epi64(d + 64 * k, (__mmask8)(mask >> 8 * k), _mm512_load_si512(s + 64 * k));
	return bytes >= 4;
#else
	for (u32 q = 0; bytes == 4 && is_own && q < QUARTERS; q++)
		put_quarter((u8 *)to + 32 * q, quarter_of(from, q), mask, q);
	return bytes == 4 && is_own;
#endif
}

/* The same of words in shared memory of which each half of the warp has a row. */
ALWAYS_INLINE bool store_row_of_two(struct warp *w, const struct insn *i, const u8 *rows, u32 mask)
{
#if defined __AVX512F__
	const u32 *base = ROW_OF(u32, i->a), *s = ROW_OF(u32, i->b);
	const u64 low = base[0] + (u32)i->imm, high = base[WARP_LANES / 2] + (u32)i->imm;
	const u64 bytes = 4 * WARP_LANES / 2, near = w->block->near_bytes;
	s32 off[WARP_LANES] __attribute__((aligned(64)));

	EACH_LANE_OF_HALF
	off[l] = base[l] - lane_steps32[2][l] != base[0] ? -1 : 0;
	EACH_LANE_OF_HALF
	off[l + WARP_LANES / 2] = base[l + WARP_LANES / 2] - lane_steps32[2][l] != base[WARP_LANES / 2] ? -1 : 0;
	if (pack_lanes32(off) || (low | high) % 4 || low + bytes > near || high + bytes > near)
		return false;
	_mm512_mask_storeu_epi32(w->block->shared + low, (__mmask16)mask, _mm512_load_si512(s));
	_mm512_mask_storeu_epi32(w->block->shared + high, (__mmask16)(mask >> 16), _mm512_load_si512(s + 16));
	return true;
#else
	return store_quarters(w, i, ROW_OF(u32, i->a), ROW_OF(u32, i->b), mask);
#endif
}

/* --- Scattered words ---- */

#if defined HAS_QUARTERS
/* Lane by lane, from a copy of the row, which may stay in registers: to host + at[l] * 2^shift. */
#define SCATTER_LANES(T, from, host, at, shift, mask)                                         \
	do {                                                                                  \
		T own_[WARP_LANES] __attribute__((aligned(64)));                              \
		native_loops();                                                               \
		memcpy(own_, from, sizeof own_);                                              \
		for (u32 left_ = mask; left_; left_ &= left_ - 1) {                           \
			const u32 l_ = (u32)__builtin_ctz(left_);                             \
			*(T *)(void *)((host) + ((u64)place_of_lane(&(at)[l_]) << (shift))) = \
				value_of_lane(&own_[l_]);                                     \
		}                                                                             \
	} while (0)
#define value_of_lane(from) (*(const volatile __typeof__(*(from)) *)(from))
#define place_of_lane(at)   (*(const volatile __typeof__(*(at)) *)(at))
#endif

/* Word or pair of words l of `from` to the place of lane l; of several lanes at one place the highest wins, as the host's
 * scatters have it. False, and nothing done: the host has none. */
ALWAYS_INLINE bool scatter64(const void *from, const struct places64 *p, u32 mask, u32 bytes)
{
#if defined __AVX512F__
	const u8 *s = from;
	for (u32 k = 0; bytes == 4 && k < 4; k++)
		_mm512_mask_i64scatter_epi32(p->host, (__mmask8)(mask >> 8 * k), _mm512_load_si512(p->at + 8 * k),
					     _mm256_load_si256((const __m256i *)(const void *)(s + 32 * k)), 1);
	for (u32 k = 0; bytes == 8 && k < 4; k++)
		_mm512_mask_i64scatter_epi64(p->host, (__mmask8)(mask >> 8 * k), _mm512_load_si512(p->at + 8 * k),
					     _mm512_load_si512(s + 64 * k), 1);
	return bytes >= 4;
#else
	if (bytes == 4)
		SCATTER_LANES(u32, from, p->host, p->at, 0, mask);
	if (bytes == 8)
		SCATTER_LANES(u64, from, p->host, p->at, 0, mask);
	return bytes >= 4;
#endif
}
ALWAYS_INLINE bool scatter32(const void *from, const struct places32 *p, u32 mask, u32 bytes)
{
#if defined __AVX512F__
	const u8 *s = from;
	for (u32 k = 0; bytes == 4 && k < 2; k++)
		_mm512_mask_i32scatter_epi32(p->host, (__mmask16)(mask >> 16 * k), _mm512_load_si512(p->at + 16 * k),
					     _mm512_load_si512(s + 64 * k), 1);
	return bytes == 4;
#else
	if (bytes == 4)
		SCATTER_LANES(u32, from, p->host, p->at, 0, mask);
	return bytes == 4;
#endif
}

/* --- Vectors: each lane's `count` elements of `bytes` lie in one piece ------------------------------------------- */

/* The rows of an instruction's vector: native code has them behind the instruction. */
static inline const u32 *vector_rows(const struct insn *i) { return (const u32 *)(const void *)(i + 1); }

enum { PIECE_WORDS = 4 };

/* Four lanes at a time: with AVX2 by a loop, for there is too much code of them all, upon copies of the rows, as no row that a loop
 * goes along becomes registers. */
#if defined HAS_QUARTERS
#define EACH_FOUR_LANES _Pragma("clang loop unroll(disable) vectorize(disable)")
typedef volatile words4 looped_words4;
#else
#define EACH_FOUR_LANES _Pragma("clang loop unroll(full)")
typedef words4 looped_words4;
#endif

/* Rows value[k] become the lanes' elements k. */
ALWAYS_INLINE void load_pieces(u32 value[PIECE_WORDS][WARP_LANES], const struct places64 *p, u32 step, u32 n)
{
	words4 copy[PIECE_WORDS][WARP_LANES / 4] __attribute__((aligned(64)));

	native_loops();
	EACH_FOUR_LANES for (u32 l = 0; l < WARP_LANES; l += 4)
	{
		words4 v[4] = {{0}};
		_Pragma("clang loop unroll(full)") for (u32 k = 0; k < 4; k++)
			memcpy(&v[k], PIECE_BY(p, step, l + k), 4 * n);
		const words4 a = __builtin_shufflevector(v[0], v[1], 0, 4, 1, 5);
		const words4 b = __builtin_shufflevector(v[2], v[3], 0, 4, 1, 5);
		copy[0][l / 4] = __builtin_shufflevector(a, b, 0, 1, 4, 5);
		copy[1][l / 4] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
		if (n < 4)
			continue;
		const words4 c = __builtin_shufflevector(v[0], v[1], 2, 6, 3, 7);
		const words4 d = __builtin_shufflevector(v[2], v[3], 2, 6, 3, 7);
		copy[2][l / 4] = __builtin_shufflevector(c, d, 0, 1, 4, 5);
		copy[3][l / 4] = __builtin_shufflevector(c, d, 2, 3, 6, 7);
	}
	/* Read as it was written, which the host has at hand, where it would wait for whole rows. */
	for (u32 k = 0; k < n; k++)
		_Pragma("clang loop unroll(full)") for (u32 l = 0; l < WARP_LANES; l += 4)
		{
			const words4 four = *(const looped_words4 *)&copy[k][l / 4];
			memcpy(&value[k][l], &four, sizeof four);
		}
}

ALWAYS_INLINE struct places64 widened(const struct places32 *p)
{
	struct places64 wide;

	wide.host = p->host;
	EACH_LANE
		wide.at[l] = p->at[l];
	return wide;
}

/* All lanes' pieces one after the other, from `from` on. */
ALWAYS_INLINE void load_row_of_pieces(u32 value[PIECE_WORDS][WARP_LANES], const u8 *host, u32 n)
{
	const u32 *from = (const u32 *)(const void *)host;

	if (n == 4)
		EACH_LANE {
			value[0][l] = from[4 * l];
			value[1][l] = from[4 * l + 1];
			value[2][l] = from[4 * l + 2];
			value[3][l] = from[4 * l + 3];
		}
	else
		EACH_LANE {
			value[0][l] = from[2 * l];
			value[1][l] = from[2 * l + 1];
		}
}
ALWAYS_INLINE void load_same_piece(u32 value[PIECE_WORDS][WARP_LANES], const u8 *host, u32 n)
{
	const u32 *from = (const u32 *)(const void *)host;

	for (u32 k = 0; k < n; k++) {
		const u32 one = from[k];
		EACH_LANE
			value[k][l] = one;
	}
}

/* n words into the rows of the instruction. */
ALWAYS_INLINE void keep_pieces(const struct insn *i, u8 *rows, u32 mask, u32 value[PIECE_WORDS][WARP_LANES], u32 n)
{
	for (u32 k = 0; k < n; k++)
		write_lanes(ROW_OF(u32, vector_rows(i)[k]), value[k], mask);
}

/* Whether what load_near_vector does not know may be meant. */
ALWAYS_INLINE bool is_scattered(const struct insn *i)
{
#if defined HAS_QUARTERS
	return may_be(i, SHAPE_NEAR | SHAPE_OTHER);
#else
	(void)i;
	return true;
#endif
}

/* What each quarter of a whole warp reads at equal distances, where the host has quarters. */
ALWAYS_INLINE bool load_near_vector(u32 value[PIECE_WORDS][WARP_LANES], struct warp *w, const struct insn *i,
				    const u8 *rows, u32 mask, enum ir_space space, u32 n)
{
#if defined HAS_QUARTERS
	return space == SPACE_SHARED && mask == FULL_MASK && load_vector_quarters(value, w, i, ROW_OF(u32, i->a), n);
#else
	(void)value, (void)w, (void)i, (void)rows, (void)mask, (void)space, (void)n;
	return false;
#endif
}

/* Where all lanes' vectors lie one after the other, as far as that is known to be likely; NULL: not so. */
ALWAYS_INLINE u8 *row_of_vectors(struct warp *w, const struct insn *i, const u8 *rows, u32 mask, enum ir_space space,
				 u32 bytes, bool wide, bool is_store)
{
	u64 start = first_address(rows, i, wide);

	if (mask != FULL_MASK || !(is_store ? may_be(i, SHAPE_ROW) : i->fp & SHAPE_ROW) ||
	    (i->run != PROVEN_ROW && !is_row(rows, i, wide, bytes, &start)) || start % bytes)
		return NULL;
	return proven_range(w, i, rows, space, wide, (u64)WARP_LANES * bytes, is_store);
}

/* A load of n words a lane. */
ALWAYS_INLINE bool load_vector_words(struct warp *w, const struct insn *i, u8 *rows, u32 mask, enum ir_space space,
				     u32 n, bool wide)
{
	u32 value[PIECE_WORDS][WARP_LANES] __attribute__((aligned(64)));
	const bool any = may_be(i, ~(u32)(SHAPE_ROW | SHAPE_KNOWN));
	const u8 *row =
		wide || i->run == PROVEN_ROW ? row_of_vectors(w, i, rows, mask, space, 4 * n, wide, false) : NULL;

	if (i->run == PROVEN_SAME) {
		const u8 *from = first_address(rows, i, wide) % (4 * n)
					 ? NULL
					 : proven_range(w, i, rows, space, wide, 4 * n, false);
		if (!from)
			return false;
		load_same_piece(value, from, n);
	} else if (is_stepped(i, mask)) {
		struct places64 p;
		p.host = first_of_steps(w, i, rows, space, wide, 4 * n, false);
		if (!p.host)
			return false;
		load_pieces(value, &p, step_of(i), n);
	} else if (row) {
		if (space == SPACE_GLOBAL)
			fetch_ahead(row, 4 * n * WARP_LANES);
		load_row_of_pieces(value, row, n);
	} else if (wide) {
		struct places64 p;
		if (!any || !find_places64(&p, w, i, rows, mask, space, 4 * n, false))
			return false;
		if (mask == FULL_MASK && all_same64(p.at))
			load_same_piece(value, p.host + p.at[0], n);
		else if (mask == FULL_MASK && in_two_rows64(p.at, 4 * n) && p.at[31] - p.at[0] == 31 * 4 * n)
			load_row_of_pieces(value, p.host + p.at[0], n);
		else
			load_pieces(value, &p, 0, n);
	} else if (!load_near_vector(value, w, i, rows, mask, space, n)) {
		struct places32 p;
		if (!is_scattered(i) || space != SPACE_SHARED || !find_places32(&p, w, i, rows, mask, 4 * n))
			return false;
		if (mask == FULL_MASK && all_same32(p.at))
			load_same_piece(value, p.host + p.at[0], n);
		else if (mask == FULL_MASK && in_row32(p.at, 4 * n))
			load_row_of_pieces(value, p.host + p.at[0], n);
		else {
			const struct places64 all = widened(&p);
			load_pieces(value, &all, 0, n);
		}
	}
	keep_pieces(i, rows, mask, value, n);
	return true;
}

/* The lanes' n words to their places; of several lanes at one the highest wins. */
ALWAYS_INLINE void store_pieces(const struct insn *i, const u8 *rows, const struct places64 *p, u32 step, u32 n)
{
	u32 copy[PIECE_WORDS][WARP_LANES] __attribute__((aligned(64)));

	native_loops();
	for (u32 k = 0; k < n; k++)
		memcpy(copy[k], rows + vector_rows(i)[k], sizeof copy[k]);
	EACH_FOUR_LANES for (u32 l = 0; l < WARP_LANES; l += 4)
	{
		words4 v[4] = {{0}};
		_Pragma("clang loop unroll(full)") for (u32 k = 0; k < n; k++) v[k] =
			*(const looped_words4 *)(const void *)&copy[k][l];
		const words4 a = __builtin_shufflevector(v[0], v[1], 0, 4, 1, 5);
		const words4 b = __builtin_shufflevector(v[2], v[3], 0, 4, 1, 5);
		const words4 c = __builtin_shufflevector(v[0], v[1], 2, 6, 3, 7);
		const words4 d = __builtin_shufflevector(v[2], v[3], 2, 6, 3, 7);
		const words4 piece[4] = {
			__builtin_shufflevector(a, b, 0, 1, 4, 5), __builtin_shufflevector(a, b, 2, 3, 6, 7),
			__builtin_shufflevector(c, d, 0, 1, 4, 5), __builtin_shufflevector(c, d, 2, 3, 6, 7)};
		_Pragma("clang loop unroll(full)") for (u32 k = 0; k < 4; k++)
			memcpy(PIECE_BY(p, step, l + k), &piece[k], 4 * n);
	}
}

ALWAYS_INLINE void store_row_of_pieces(const struct insn *i, const u8 *rows, u8 *host, u32 n)
{
	u32 *to = (u32 *)(void *)host;
	const u32 *a = ROW_OF(u32, vector_rows(i)[0]), *b = ROW_OF(u32, vector_rows(i)[1]);
	const u32 *c = n == 4 ? ROW_OF(u32, vector_rows(i)[2]) : a, *d = n == 4 ? ROW_OF(u32, vector_rows(i)[3]) : a;

	if (n == 4)
		EACH_LANE {
			to[4 * l] = a[l];
			to[4 * l + 1] = b[l];
			to[4 * l + 2] = c[l];
			to[4 * l + 3] = d[l];
		}
	else
		EACH_LANE {
			to[2 * l] = a[l];
			to[2 * l + 1] = b[l];
		}
}

/* A store of n words by each lane of a whole warp. */
ALWAYS_INLINE bool store_vector_words(struct warp *w, const struct insn *i, u8 *rows, u32 mask, enum ir_space space,
				      u32 n, bool wide)
{
	u8 *row = row_of_vectors(w, i, rows, mask, space, 4 * n, wide, true);
	struct places64 p;

	if (mask != FULL_MASK)
		return false;
	if (row) {
		store_row_of_pieces(i, rows, row, n);
		return true;
	}
	if (is_stepped(i, mask)) {
		p.host = first_of_steps(w, i, rows, space, wide, 4 * n, true);
		if (!p.host)
			return false;
		store_pieces(i, rows, &p, step_of(i), n);
		return true;
	}
	if (!may_be(i, ~(u32)(SHAPE_ROW | SHAPE_KNOWN)))
		return false;
	if (wide) {
		if (!find_places64(&p, w, i, rows, mask, space, 4 * n, true))
			return false;
	} else {
		struct places32 narrow;
		if (space != SPACE_SHARED || !find_places32(&narrow, w, i, rows, mask, 4 * n))
			return false;
		p = widened(&narrow);
	}
	store_pieces(i, rows, &p, 0, n);
	return true;
}

#endif
