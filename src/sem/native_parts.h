/* SPDX-License-Identifier: Apache-2.0
 *
 * Accesses of shared memory as native code has them in line: a row of words is four registers with AVX2, two with AVX-512, each a
 * part of the warp, and it is asked what each part does. All tests look at the row of addresses alone, without the instruction's
 * offset, and come before any branch: the accesses of a region by one row share them.
 *
 *      same      all lanes of a part at one place              a broadcast
 *      ramp      neighbours                                    a move
 *      near      within two registers of the first lane's      a permutation of these
 *      strided   at equal distances (vectors, AVX2)            a load for each lane, without a row of places
 */
#ifndef PTXSIM_SEM_NATIVE_PARTS_H
#define PTXSIM_SEM_NATIVE_PARTS_H

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
	const int is_there = base + lowest_offset(i) >= 0;
	if (!(is_there & (base + highest_offset(i) + (s64)bytes <= (s64)w->block->near_bytes)))
		return NULL;
	return w->block->shared + base + i->imm;
}

#if defined __AVX2__ && !defined __AVX512F__
#define HAS_QUARTERS 1
#endif

#if defined __AVX2__
/* A part of a row of words: a register. */
#if defined HAS_QUARTERS
enum { PART = 8, PARTS = WARP_LANES / PART };
typedef __m256i part;

ALWAYS_INLINE part part_of(const u32 *row, u32 k)
{
	return _mm256_load_si256((const part *)(const void *)(row + PART * k));
}
ALWAYS_INLINE void set_part(u32 *row, u32 k, part v) { _mm256_store_si256((part *)(void *)(row + PART * k), v); }
ALWAYS_INLINE part all_words(u32 v) { return _mm256_set1_epi32((s32)v); }
ALWAYS_INLINE part from_other(part v, part first) { return _mm256_sub_epi32(v, first); }
ALWAYS_INLINE part any_bit(part a, part b) { return _mm256_or_si256(a, b); }
ALWAYS_INLINE part other_bits(part a, part b) { return _mm256_xor_si256(a, b); }
/* Bytes in words; what is no word is far. */
ALWAYS_INLINE part in_words(part v) { return any_bit(_mm256_srli_epi32(v, 2), _mm256_slli_epi32(v, 30)); }
ALWAYS_INLINE bool has_none(part v, part bits) { return _mm256_testz_si256(v, bits); }
ALWAYS_INLINE part highest_words(part a, part b) { return _mm256_max_epu32(a, b); }
/* Whether no word of `top` is above its word of `limit`, and none of `all` has any of `bits`. */
ALWAYS_INLINE bool are_within(part top, part limit, part all, part bits)
{
	const part in = _mm256_cmpeq_epi32(highest_words(top, limit), limit);

	return has_none(any_bit(other_bits(in, _mm256_set1_epi32(-1)), _mm256_and_si256(all, bits)),
			_mm256_set1_epi32(-1));
}
/* Two registers as a table of words. */
ALWAYS_INLINE part pick_near(const u8 *from, part slot)
{
	const part low = _mm256_loadu_si256((const part *)(const void *)from);
	const part high = _mm256_loadu_si256((const part *)(const void *)(from + 32));
	const __m256 a = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(low, slot));
	const __m256 b = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(high, slot));

	return _mm256_castps_si256(_mm256_blendv_ps(a, b, _mm256_castsi256_ps(_mm256_slli_epi32(slot, 28))));
}
#else
enum { PART = 16, PARTS = WARP_LANES / PART };
typedef __m512i part;

ALWAYS_INLINE part part_of(const u32 *row, u32 k) { return _mm512_load_si512(row + PART * k); }
ALWAYS_INLINE void set_part(u32 *row, u32 k, part v) { _mm512_store_si512(row + PART * k, v); }
ALWAYS_INLINE part all_words(u32 v) { return _mm512_set1_epi32((s32)v); }
ALWAYS_INLINE part from_other(part v, part first) { return _mm512_sub_epi32(v, first); }
ALWAYS_INLINE part any_bit(part a, part b) { return _mm512_or_si512(a, b); }
ALWAYS_INLINE part other_bits(part a, part b) { return _mm512_xor_si512(a, b); }
ALWAYS_INLINE part in_words(part v) { return _mm512_ror_epi32(v, 2); }
ALWAYS_INLINE bool has_none(part v, part bits) { return !_mm512_test_epi32_mask(v, bits); }
ALWAYS_INLINE part highest_words(part a, part b) { return _mm512_max_epu32(a, b); }
ALWAYS_INLINE bool are_within(part top, part limit, part all, part bits)
{
	return !(_mm512_cmpgt_epu32_mask(top, limit) | _mm512_test_epi32_mask(all, bits));
}
ALWAYS_INLINE part pick_near(const u8 *from, part slot)
{
	return _mm512_permutex2var_epi32(_mm512_loadu_si512(from), slot, _mm512_loadu_si512(from + 64));
}
#endif
ALWAYS_INLINE bool is_zero(part v) { return has_none(v, v); }

enum { NEAR_WORDS = 2 * PART, QUARTERS = 4 };
/* Shapes by quarters of a warp that may be near by parts. */
#if defined HAS_QUARTERS
enum { MAYBE_NEAR = SHAPE_NEAR };
#else
enum { MAYBE_NEAR = SHAPE_NEAR | SHAPE_PARTS | SHAPE_SPOTS | SHAPE_OTHER };
#endif

struct parts {
	bool same, ramp, near;
	bool aligned;        /* to words */
	u32 first[QUARTERS]; /* the first lanes' */
	u32 low, span;       /* of these the lowest; from there to the highest */
	part slot[PARTS];    /* near: in words from the part's first */
};

ALWAYS_INLINE void find_extent(struct parts *z, u32 count)
{
	u32 high = z->first[0], bits = z->first[0];

	z->low = z->first[0];
	for (u32 k = 1; k < count; k++) {
		z->low = z->first[k] < z->low ? z->first[k] : z->low;
		high = z->first[k] > high ? z->first[k] : high;
		bits |= z->first[k];
	}
	z->span = high - z->low;
	z->aligned = !(bits & 3);
}

ALWAYS_INLINE void find_parts(struct parts *z, const u32 *base)
{
	const part steps = part_of(lane_steps32[2], 0);
	part apart = all_words(0), off = apart, far = apart;

	for (u32 k = 0; k < PARTS; k++) {
		z->first[k] = base[PART * k];
		const part from = from_other(part_of(base, k), all_words(z->first[k]));
		z->slot[k] = in_words(from);
		apart = any_bit(apart, from);
		off = any_bit(off, other_bits(from, steps));
		far = any_bit(far, z->slot[k]);
	}
	z->same = is_zero(apart);
	z->ramp = is_zero(off);
	z->near = has_none(far, all_words(~(u32)(NEAR_WORDS - 1)));
	find_extent(z, PARTS);
}

/* Whether `bytes` from each part's first place on, past offsets from `least` to `most`, are there. */
ALWAYS_INLINE bool parts_reach_from(const struct parts *z, const struct warp *w, s64 least, s64 most, s64 bytes)
{
	return ((s64)z->low + least >= 0) & ((s64)z->low + z->span + most + bytes <= (s64)w->block->near_bytes);
}
/* Past the instruction's own offset, and those of all that come with it: one test serves them all. */
ALWAYS_INLINE bool parts_reach(const struct parts *z, const struct warp *w, const struct insn *i, s64 bytes)
{
	return parts_reach_from(z, w, lowest_offset(i), highest_offset(i), bytes);
}
/* What has been found there. */
ALWAYS_INLINE u8 *part_place(const struct parts *z, const struct warp *w, const struct insn *i, u32 k)
{
	return w->block->shared + z->first[k] + (s64)i->imm;
}

/* Words by 32-bit addresses. What lanes that take no part read is there, too. False: in no such order. */
ALWAYS_INLINE bool load_parts(struct warp *w, const struct insn *i, const u32 *base, u32 *d)
{
	struct parts z;

	find_parts(&z, base);
	if (i->imm % 4)
		return false;
	/* One place, and a row, are near, too: where nothing is known, one test sorts out what goes anywhere. */
	if (!(i->fp & SHAPE_KNOWN) && !z.near)
		return false;
	if (may_be(i, SHAPE_SAME | SHAPE_SPOTS) && z.aligned & z.same & parts_reach(&z, w, i, 4)) {
		for (u32 k = 0; k < PARTS; k++)
			set_part(d, k, all_words(*(const u32 *)(const void *)part_place(&z, w, i, k)));
		return true;
	}
	if (may_be(i, SHAPE_ROW | SHAPE_PARTS) && z.aligned & z.ramp & parts_reach(&z, w, i, 4 * PART)) {
		for (u32 k = 0; k < PARTS; k++)
			memcpy(d + PART * k, part_place(&z, w, i, k), 4 * PART);
		return true;
	}
	if (!may_be(i, MAYBE_NEAR) || !(z.aligned & z.near & parts_reach_from(&z, w, i->imm, i->imm, 4 * NEAR_WORDS)))
		return false;
	for (u32 k = 0; k < PARTS; k++)
		set_part(d, k, pick_near(part_place(&z, w, i, k), z.slot[k]));
	return true;
}

/* Words to their places; the others there are written as they were, which nobody else can see: a block's shared memory
 * belongs to one thread of the host. */
ALWAYS_INLINE void put_part(u8 *to, part v, u32 mask, u32 k)
{
#if defined HAS_QUARTERS
	const part bits = part_of(lane_bit, k);

	if (mask != FULL_MASK)
		v = _mm256_blendv_epi8(_mm256_loadu_si256((part *)(void *)to), v,
				       _mm256_cmpeq_epi32(_mm256_and_si256(all_words(mask), bits), bits));
	_mm256_storeu_si256((part *)(void *)to, v);
#else
	_mm512_mask_storeu_epi32(to, (__mmask16)(mask >> PART * k), v);
#endif
}
ALWAYS_INLINE bool store_parts(struct warp *w, const struct insn *i, const u32 *base, const u32 *s, u32 mask)
{
	struct parts z;

	if (!may_be(i, SHAPE_ROW | SHAPE_PARTS))
		return false;
	find_parts(&z, base);
	if (i->imm % 4 || !(z.aligned & z.ramp & parts_reach(&z, w, i, 4 * PART)))
		return false;
	for (u32 k = 0; k < PARTS; k++)
		put_part(part_place(&z, w, i, k), part_of(s, k), mask, k);
	return true;
}
/* --- Vectors of n words: parts are quarters of the warp ------------------------------------------- */

enum { IN_PART = QUARTERS / PARTS };

#if defined HAS_QUARTERS
ALWAYS_INLINE part firsts_of_quarters(const u32 *base, u32 k) { return all_words(base[PART * k]); }
ALWAYS_INLINE part times_number(u32 step)
{
	return _mm256_mullo_epi32(all_words(step), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
ALWAYS_INLINE part low_words(part a, part b) { return _mm256_unpacklo_epi32(a, b); }
ALWAYS_INLINE part high_words(part a, part b) { return _mm256_unpackhi_epi32(a, b); }
ALWAYS_INLINE part low_pairs(part a, part b) { return _mm256_unpacklo_epi64(a, b); }
ALWAYS_INLINE part high_pairs(part a, part b) { return _mm256_unpackhi_epi64(a, b); }
#else
ALWAYS_INLINE part firsts_of_quarters(const u32 *base, u32 k)
{
	return _mm512_permutexvar_epi32(_mm512_setr_epi32(0, 0, 0, 0, 0, 0, 0, 0, 8, 8, 8, 8, 8, 8, 8, 8),
					part_of(base, k));
}
ALWAYS_INLINE part times_number(u32 step)
{
	return _mm512_mullo_epi32(all_words(step), _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7));
}
ALWAYS_INLINE part low_words(part a, part b) { return _mm512_unpacklo_epi32(a, b); }
ALWAYS_INLINE part high_words(part a, part b) { return _mm512_unpackhi_epi32(a, b); }
ALWAYS_INLINE part low_pairs(part a, part b) { return _mm512_unpacklo_epi64(a, b); }
ALWAYS_INLINE part high_pairs(part a, part b) { return _mm512_unpackhi_epi64(a, b); }
#endif

/* Lane l's piece. */
ALWAYS_INLINE __m128i piece_at(const u8 *from, u32 n)
{
	words4 a = {0};

	memcpy(&a, from, 4 * n);
	return (__m128i)a;
}
/* Lanes l and l + 4 of each quarter of a part in the quarters of a register. from: where the part's lane n is. */
#if defined HAS_QUARTERS
#define PIECES_AT(FROM, L, N) _mm256_set_m128i(piece_at(FROM((L) + 4), N), piece_at(FROM(L), N))
#else
#define PIECES_AT(FROM, L, N)                                                                                          \
	_mm512_inserti64x4(_mm512_castsi256_si512(_mm256_set_m128i(piece_at(FROM((L) + 4), N), piece_at(FROM(L), N))), \
			   _mm256_set_m128i(piece_at(FROM((L) + 12), N), piece_at(FROM((L) + 8), N)), 1)
#endif
/* Four registers of pieces as parts of rows. */
ALWAYS_INLINE void set_parts_of_pieces(u32 value[][WARP_LANES], const part v[4], u32 k, u32 n)
{
	const part a = low_words(v[0], v[1]), b = low_words(v[2], v[3]);

	set_part(value[0], k, low_pairs(a, b));
	set_part(value[1], k, high_pairs(a, b));
	if (n < 4)
		return;
	const part c = high_words(v[0], v[1]), e = high_words(v[2], v[3]);
	set_part(value[2], k, low_pairs(c, e));
	set_part(value[3], k, high_pairs(c, e));
}

/* The upper half of the warp reads what the lower does. */
ALWAYS_INLINE bool are_halves_equal(const struct parts *z)
{
	return z->first[0] == z->first[2] && z->first[1] == z->first[3];
}

/* Word n of each quarter, whose lanes are all at one place. */
ALWAYS_INLINE part words_of_quarters(const struct parts *z, const struct warp *w, const struct insn *i, u32 k, u32 n)
{
	const u32 *a = (const u32 *)(const void *)part_place(z, w, i, IN_PART * k);
#if defined HAS_QUARTERS
	return all_words(a[n]);
#else
	const u32 *b = (const u32 *)(const void *)part_place(z, w, i, IN_PART * k + 1);
	return _mm512_mask_set1_epi32(all_words(a[n]), 0xff00, (s32)b[n]);
#endif
}

ALWAYS_INLINE void load_strided_quarters(u32 value[][WARP_LANES], const struct parts *z, struct warp *w,
					 const struct insn *i, u32 step, u32 k, u32 n)
{
	part v[4];

#define STRIDED(L) (part_place(z, w, i, IN_PART * k + (L) / 8) + (u64)step * ((L) % 8))
	for (u32 l = 0; l < 4; l++)
		v[l] = PIECES_AT(STRIDED, l, n);
#undef STRIDED
	set_parts_of_pieces(value, v, k, n);
}

ALWAYS_INLINE bool load_vector_quarters(u32 value[][WARP_LANES], struct warp *w, const struct insn *i, const u32 *base,
					u32 n)
{
	const u32 step = base[1] - base[0];
	const part steps = times_number(step);
	part off = all_words(0);
	struct parts z;
	u32 bits = step;

	for (u32 k = 0; k < PARTS; k++) {
		const part from = from_other(part_of(base, k), firsts_of_quarters(base, k));
		off = any_bit(off, other_bits(from, steps));
	}
	for (u32 q = 0; q < QUARTERS; q++) {
		z.first[q] = base[WARP_LANES / QUARTERS * q];
		bits |= z.first[q];
	}
	find_extent(&z, QUARTERS);
	const int is_even = is_zero(off) & !(bits % (4 * n)) & (step <= 4096);
	if ((u32)i->imm % (4 * n) ||
	    !(is_even & parts_reach(&z, w, i, (WARP_LANES / QUARTERS - 1) * (s64)step + 4 * n)))
		return false;
	if (may_be(i, SHAPE_SAME | SHAPE_SPOTS) && !step) {
		for (u32 k = 0; k < PARTS; k++)
			for (u32 word = 0; word < n; word++)
				set_part(value[word], k, words_of_quarters(&z, w, i, k, word));
		return true;
	}
	if (!may_be(i, SHAPE_ROW | SHAPE_PARTS | SHAPE_STRIDED))
		return false;
	for (u32 k = 0; k < PARTS / 2; k++)
		load_strided_quarters(value, &z, w, i, step, k, n);
	if (are_halves_equal(&z)) {
		for (u32 k = 0; k < n; k++)
			memcpy(value[k] + WARP_LANES / 2, value[k], 4 * WARP_LANES / 2);
		return true;
	}
	for (u32 k = PARTS / 2; k < PARTS; k++)
		load_strided_quarters(value, &z, w, i, step, k, n);
	return true;
}
#endif

#endif
