/* SPDX-License-Identifier: Apache-2.0
 *
 * Accesses of shared memory as native code for AVX2 has them in line: a row of words is four registers there, each a
 * quarter of the warp, and no permutation reaches over more than one. So it is asked what each quarter does. All tests look
 * at the row of addresses alone, without the instruction's offset, and come before any branch: the accesses of a region by one
 * row share them.
 *
 *      same      all lanes of a quarter at one place      a broadcast
 *      ramp      neighbours                               a move
 *      near      within 16 words of the first lane's      two permutations and a choice
 *      strided   at equal distances (vectors)             a load for each lane, without a row of places
 */
#ifndef PTXSIM_SEM_NATIVE_QUARTERS_H
#define PTXSIM_SEM_NATIVE_QUARTERS_H

#include "sem/access.h"
#include "sem/native_proven.h"

typedef u32 words4 __attribute__((vector_size(16)));

/* A load or store in native code has in insn.c how far others that surely come with it, by the same base, reach below and above its own
 * offset, in words (native/reaches.c). */
ALWAYS_INLINE s64 lowest_offset(const struct insn *i) { return i->imm - 4 * (s64)(i->c & 0xffff); }
ALWAYS_INLINE s64 highest_offset(const struct insn *i) { return i->imm + 4 * (s64)(i->c >> 16); }

/* Whether the lanes' addresses may look like one of `shapes` (enum access_shape), of which accesses in native code have a set where other
 * instructions have their mode: what they have not looked like in a trial has no way in line. */
ALWAYS_INLINE bool may_be(const struct insn *i, u32 shapes) { return !(i->fp & SHAPE_KNOWN) || i->fp & shapes; }

/* The first lane's address, without the instruction's offset. */
ALWAYS_INLINE u64 first_base(const u8 *rows, const struct insn *i, bool wide)
{
	return wide ? *ROW_OF(u64, i->a) : *ROW_OF(u32, i->a);
}
ALWAYS_INLINE u64 first_address(const u8 *rows, const struct insn *i, bool wide)
{
	return wide ? first_base(rows, i, wide) + (u64)(s64)i->imm : *ROW_OF(u32, i->a) + (u32)i->imm;
}

/* `bytes` from the first lane's address on, of shared memory by 32-bit addresses: one test serves all accesses that surely come together.
 * Others by their own. NULL: not all there. */
ALWAYS_INLINE u8 *proven_range(struct warp *w, const struct insn *i, const u8 *rows, enum ir_space space, bool wide,
			       u64 bytes, bool is_store)
{
	const u64 first = first_address(rows, i, wide);
	const s64 base = (s64)first_base(rows, i, wide);

	if (wide || space != SPACE_SHARED)
		return space_range(w, i, space, first, first + bytes, is_store);
	if (!((base + lowest_offset(i) >= 0) & (base + highest_offset(i) + (s64)bytes <= (s64)w->block->near_bytes)))
		return NULL;
	return w->block->shared + base + i->imm;
}

#if defined __AVX2__ && !defined __AVX512F__
#define HAS_QUARTERS 1

enum { QUARTER = 8, QUARTERS = WARP_LANES / QUARTER, NEAR_WORDS = 2 * QUARTER };

struct quarters {
	bool same, ramp, near;
	bool aligned;           /* to words */
	u32 first[QUARTERS];    /* the first lanes' */
	u32 low, span;          /* of these the lowest; from there to the highest */
	__m256i slot[QUARTERS]; /* near: in words from the quarter's first */
};

ALWAYS_INLINE __m256i quarter_of(const u32 *row, u32 q)
{
	return _mm256_load_si256((const __m256i *)(const void *)(row + QUARTER * q));
}
ALWAYS_INLINE void set_quarter(u32 *row, u32 q, __m256i v)
{
	_mm256_store_si256((__m256i *)(void *)(row + QUARTER * q), v);
}
ALWAYS_INLINE bool is_zero(__m256i v) { return _mm256_testz_si256(v, v); }

ALWAYS_INLINE void find_extent(struct quarters *z)
{
	u32 high = z->first[0], bits = z->first[0];

	z->low = z->first[0];
	for (u32 q = 1; q < QUARTERS; q++) {
		z->low = z->first[q] < z->low ? z->first[q] : z->low;
		high = z->first[q] > high ? z->first[q] : high;
		bits |= z->first[q];
	}
	z->span = high - z->low;
	z->aligned = !(bits & 3);
}

/* base: aligned; log: of the bytes from neighbour to neighbour. */
ALWAYS_INLINE void find_quarters(struct quarters *z, const u32 *base, u32 log)
{
	const __m256i steps = _mm256_slli_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), (int)log);
	__m256i apart = _mm256_setzero_si256(), off = apart, far = apart;

	for (u32 q = 0; q < QUARTERS; q++) {
		z->first[q] = base[QUARTER * q];
		const __m256i from = _mm256_sub_epi32(quarter_of(base, q), _mm256_set1_epi32((s32)z->first[q]));
		z->slot[q] = _mm256_or_si256(_mm256_srli_epi32(from, 2), _mm256_slli_epi32(from, 30));
		apart = _mm256_or_si256(apart, from);
		off = _mm256_or_si256(off, _mm256_xor_si256(from, steps));
		far = _mm256_or_si256(far, z->slot[q]);
	}
	z->same = is_zero(apart);
	z->ramp = is_zero(off);
	z->near = _mm256_testz_si256(far, _mm256_set1_epi32(~(NEAR_WORDS - 1)));
	find_extent(z);
}

/* Whether `bytes` from each quarter's first place on, past offsets from `least` to `most`, are there. */
ALWAYS_INLINE bool quarters_reach_from(const struct quarters *z, const struct warp *w, s64 least, s64 most, s64 bytes)
{
	return ((s64)z->low + least >= 0) & ((s64)z->low + z->span + most + bytes <= (s64)w->block->near_bytes);
}
/* Past the instruction's own offset, and those of all that come with it: one test serves them all. */
ALWAYS_INLINE bool quarters_reach(const struct quarters *z, const struct warp *w, const struct insn *i, s64 bytes)
{
	return quarters_reach_from(z, w, lowest_offset(i), highest_offset(i), bytes);
}
/* What has been found there. */
ALWAYS_INLINE u8 *quarter_place(const struct quarters *z, const struct warp *w, const struct insn *i, u32 q)
{
	return w->block->shared + z->first[q] + (s64)i->imm;
}

/* Two registers as a table of sixteen words. */
ALWAYS_INLINE __m256i pick_near(const u8 *from, __m256i slot)
{
	const __m256i low = _mm256_loadu_si256((const __m256i *)(const void *)from);
	const __m256i high = _mm256_loadu_si256((const __m256i *)(const void *)(from + 32));
	const __m256 a = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(low, slot));
	const __m256 b = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(high, slot));

	return _mm256_castps_si256(_mm256_blendv_ps(a, b, _mm256_castsi256_ps(_mm256_slli_epi32(slot, 28))));
}

/* Words by 32-bit addresses. What lanes that take no part read is there, too. False: in no such order. */
ALWAYS_INLINE bool load_quarters(struct warp *w, const struct insn *i, const u32 *base, u32 *d)
{
	struct quarters z;

	find_quarters(&z, base, 2);
	if (i->imm % 4)
		return false;
	if (may_be(i, SHAPE_SAME | SHAPE_SPOTS) && z.aligned & z.same & quarters_reach(&z, w, i, 4)) {
		for (u32 q = 0; q < QUARTERS; q++) {
			const u32 one = *(const u32 *)(const void *)quarter_place(&z, w, i, q);
			set_quarter(d, q, _mm256_set1_epi32((s32)one));
		}
		return true;
	}
	if (may_be(i, SHAPE_ROW | SHAPE_PARTS) && z.aligned & z.ramp & quarters_reach(&z, w, i, 4 * QUARTER)) {
		for (u32 q = 0; q < QUARTERS; q++)
			memcpy(d + QUARTER * q, quarter_place(&z, w, i, q), 4 * QUARTER);
		return true;
	}
	if (!may_be(i, SHAPE_NEAR) ||
	    !(z.aligned & z.near & quarters_reach_from(&z, w, i->imm, i->imm, 4 * NEAR_WORDS)))
		return false;
	for (u32 q = 0; q < QUARTERS; q++)
		set_quarter(d, q, pick_near(quarter_place(&z, w, i, q), z.slot[q]));
	return true;
}

/* The lanes of the mask that are in quarter q. */
ALWAYS_INLINE __m256i quarter_mask(u32 mask, u32 q)
{
	const __m256i bits = _mm256_load_si256((const __m256i *)(const void *)(lane_bit + QUARTER * q));

	return _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32((s32)mask), bits), bits);
}

/* Words to their places; the others there are written as they were, which nobody else can see: a block's shared memory
 * belongs to one thread of the host. */
ALWAYS_INLINE void put_quarter(u8 *to, __m256i v, u32 mask, u32 q)
{
	__m256i *place = (__m256i *)(void *)to;

	if (mask != FULL_MASK)
		v = _mm256_blendv_epi8(_mm256_loadu_si256(place), v, quarter_mask(mask, q));
	_mm256_storeu_si256(place, v);
}
ALWAYS_INLINE bool store_quarters(struct warp *w, const struct insn *i, const u32 *base, const u32 *s, u32 mask)
{
	struct quarters z;

	if (!may_be(i, SHAPE_ROW | SHAPE_PARTS))
		return false;
	find_quarters(&z, base, 2);
	if (i->imm % 4 || !(z.aligned & z.ramp & quarters_reach(&z, w, i, 4 * QUARTER)))
		return false;
	for (u32 q = 0; q < QUARTERS; q++)
		put_quarter(quarter_place(&z, w, i, q), quarter_of(s, q), mask, q);
	return true;
}

/* --- Vectors of n words ------------------------------------------------------------------------- */

/* Lanes k and k + 4 of a quarter in the halves of a register. */
ALWAYS_INLINE __m256i two_pieces(const u8 *low, const u8 *high, u32 n)
{
	words4 a = {0}, b = {0};

	memcpy(&a, low, 4 * n);
	memcpy(&b, high, 4 * n);
	return _mm256_set_m128i((__m128i)b, (__m128i)a);
}
ALWAYS_INLINE __m256i low_pairs(__m256i a, __m256i b) { return _mm256_unpacklo_epi64(a, b); }
ALWAYS_INLINE __m256i high_pairs(__m256i a, __m256i b) { return _mm256_unpackhi_epi64(a, b); }

/* A quarter's pieces, lane l's at from + step * l, as rows. */
ALWAYS_INLINE void load_strided(u32 value[][WARP_LANES], const u8 *from, u64 step, u32 q, u32 n)
{
	__m256i v[4];

	for (u32 k = 0; k < 4; k++)
		v[k] = two_pieces(from + step * k, from + step * (k + 4), n);
	const __m256i a = _mm256_unpacklo_epi32(v[0], v[1]), b = _mm256_unpacklo_epi32(v[2], v[3]);
	set_quarter(value[0], q, low_pairs(a, b));
	set_quarter(value[1], q, high_pairs(a, b));
	if (n < 4)
		return;
	const __m256i c = _mm256_unpackhi_epi32(v[0], v[1]), e = _mm256_unpackhi_epi32(v[2], v[3]);
	set_quarter(value[2], q, low_pairs(c, e));
	set_quarter(value[3], q, high_pairs(c, e));
}

/* The upper half of the warp reads what the lower does. */
ALWAYS_INLINE bool are_halves_equal(const struct quarters *z)
{
	return z->first[0] == z->first[2] && z->first[1] == z->first[3];
}

ALWAYS_INLINE bool load_vector_quarters(u32 value[][WARP_LANES], struct warp *w, const struct insn *i, const u32 *base,
					u32 n)
{
	const __m256i number = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
	const u32 step = base[1] - base[0];
	const __m256i steps = _mm256_mullo_epi32(_mm256_set1_epi32((s32)step), number);
	__m256i off = _mm256_setzero_si256();
	struct quarters z;
	u32 bits = step;

	for (u32 q = 0; q < QUARTERS; q++) {
		z.first[q] = base[QUARTER * q];
		const __m256i from = _mm256_sub_epi32(quarter_of(base, q), _mm256_set1_epi32((s32)z.first[q]));
		off = _mm256_or_si256(off, _mm256_xor_si256(from, steps));
		bits |= z.first[q];
	}
	find_extent(&z);
	if ((u32)i->imm % (4 * n) || !(is_zero(off) & !(bits % (4 * n)) & (step <= 4096) &
				       quarters_reach(&z, w, i, (QUARTER - 1) * (s64)step + 4 * n)))
		return false;
	if (may_be(i, SHAPE_SAME | SHAPE_SPOTS) && !step) {
		for (u32 q = 0; q < QUARTERS; q++)
			for (u32 k = 0; k < n; k++) {
				const u32 *from = (const u32 *)(const void *)quarter_place(&z, w, i, q);
				set_quarter(value[k], q, _mm256_set1_epi32((s32)from[k]));
			}
		return true;
	}
	if (!may_be(i, SHAPE_ROW | SHAPE_PARTS | SHAPE_STRIDED))
		return false;
	for (u32 q = 0; q < QUARTERS / 2; q++)
		load_strided(value, quarter_place(&z, w, i, q), step, q, n);
	if (are_halves_equal(&z)) {
		for (u32 k = 0; k < n; k++)
			memcpy(value[k] + WARP_LANES / 2, value[k], 4 * WARP_LANES / 2);
		return true;
	}
	for (u32 q = QUARTERS / 2; q < QUARTERS; q++)
		load_strided(value, quarter_place(&z, w, i, q), step, q, n);
	return true;
}
#endif

#endif
