/* SPDX-License-Identifier: Apache-2.0
 *
 * Accesses as native code has them in line: what access.h and vector_access.h do, without a loop over lanes and without a
 * variable index into rows, which would keep all rows of a region in memory. These are the ways that are cheap and common; where lanes
 * go to scattered places a function of the library is called (native_scattered.h). Included by the family of loads and stores when it
 * is compiled for native code.
 */
#ifndef PTXSIM_SEM_NATIVE_ACCESS_H
#define PTXSIM_SEM_NATIVE_ACCESS_H

#include "sem/few_lanes.h"
#include "sem/native_rows.h"
#include "sem/native_scaled.h"
#include "sem/native_scattered.h"
#include "sem/native_strided.h"
#include "sem/native_window.h"

/* Whether few lanes are looked for before anything else: where nothing is known of the addresses. */
ALWAYS_INLINE bool begins_with_few(const struct insn *i, enum ir_space space, bool wide)
{
	return space == SPACE_GLOBAL && wide && !(i->fp & SHAPE_KNOWN);
}

/* The halves of a warp, as of blocks 16 wide: where a way for those pays, since they are likely to be rows, or each to be at one place. */
ALWAYS_INLINE bool has_halves(const struct insn *i, u32 shape)
{
	return (i->fp & (SHAPE_KNOWN | shape)) == (SHAPE_KNOWN | shape);
}
struct halves {
	u8 *low, *high;
};
/* Where they are, each with lanes `step` apart, of `bytes`; all lanes are asked, whichever run. False: not so, out of reach, or not aligned. */
ALWAYS_INLINE bool find_halves(struct halves *h, struct warp *w, const struct insn *i, const u8 *rows,
			       enum ir_space space, u32 step, u32 bytes, bool is_store)
{
	const u64 *base = ROW_OF(u64, i->a), span = (WARP_LANES / 2 - 1) * (u64)step + bytes;

	if (!in_two_rows64(base, step))
		return false;
	const u64 first = base[0] + (u64)(s64)i->imm, second = base[WARP_LANES / 2] + (u64)(s64)i->imm;
	h->low = (first | second) % bytes ? NULL : space_range(w, i, space, first, first + span, is_store);
	h->high = h->low ? space_range(w, i, space, second, second + span, is_store) : NULL;
	return LIKELY(h->high != NULL);
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

ALWAYS_INLINE bool has_spot(const struct insn *i, enum ir_space space)
{
	return space == SPACE_GLOBAL && (uintptr_t)i->fn & HAS_SPOT;
}

/* The host's address of a row that begins at `start`; NULL: it is not all within reach, or not aligned to `align`. One range test serves
 * all accesses that have a spot together. *flags: the allocation's, of global memory. */
ALWAYS_INLINE u8 *row_place(struct warp *w, const struct insn *i, u8 *rows, enum ir_space space, bool wide, u64 start,
			    u32 align, bool is_store, u32 *flags)
{
	struct spot *spot = has_spot(i, space) ? (struct spot *)(void *)(rows + i->c) : NULL;
	u8 *host = spot ? spot->host : NULL;

	if (host) {
		*flags = spot->flags;
		return is_store && UNLIKELY(*flags & ALLOCATION_READ_ONLY) ? NULL : host;
	}
	host = start % align ? NULL : proven_range(w, i, rows, space, wide, (u64)WARP_LANES * align, is_store);
	*flags = space == SPACE_GLOBAL ? native_remembered(w, i)->flags : 0;
	if (spot)
		*spot = (struct spot){host, *flags};
	return host;
}

/* Whether words of shared memory that lie in a row for each part of the warp have a store of their own. */
ALWAYS_INLINE bool has_parts(enum ir_space space, bool wide, u32 bytes)
{
	return space == SPACE_SHARED && !wide && bytes == 4;
}

/* Words of shared memory of which each part of the warp has one place, a row, or a few neighbours. Parts are so quickly looked at that
 * lanes may be missing. */
ALWAYS_INLINE bool load_near_row(struct warp *w, const struct insn *i, const u32 *base, u32 *d, u32 mask)
{
	u32 value[WARP_LANES] __attribute__((aligned(64)));

	if (!load_parts(w, i, base, value))
		return false;
	merge_row(d, value, sizeof value[0], mask);
	return true;
}

/* Words, or pairs of words, to their places in a row. False, and nothing done: there is no such store. is_own: no other thread of the
 * host reaches what lies between. */
ALWAYS_INLINE bool store_row_of_some(void *to, const void *from, u32 mask, u32 bytes, bool is_own)
{
	for (u32 k = 0; bytes == 4 && (is_own || PARTS == 2) && k < PARTS; k++)
		put_part((u8 *)to + 4 * PART * k, part_of(from, k), mask, k);
#if defined __AVX512F__
	for (u32 k = 0; bytes == 8 && k < 4; k++)
		_mm512_mask_storeu_epi64((u8 *)to + 64 * k, (__mmask8)(mask >> 8 * k),
					 _mm512_load_si512((const u8 *)from + 64 * k));
	return bytes >= 4;
#else
	return bytes == 4 && is_own;
#endif
}

/* The same of a half each to two rows that others may write, too. */
ALWAYS_INLINE bool store_halves_of_some(const struct halves *h, const void *from, u32 mask, u32 bytes)
{
#if defined __AVX512F__
	const u8 *row = from;

	if (bytes == 4) {
		_mm512_mask_storeu_epi32(h->low, (__mmask16)mask, _mm512_load_si512(row));
		_mm512_mask_storeu_epi32(h->high, (__mmask16)(mask >> 16), _mm512_load_si512(row + 64));
	}
	for (u32 k = 0; bytes == 8 && k < 4; k++)
		_mm512_mask_storeu_epi64((k < 2 ? h->low : h->high) + 64 * (k % 2), (__mmask8)(mask >> 8 * k),
					 _mm512_load_si512(row + 64 * k));
	return bytes >= 4;
#else
	(void)h, (void)from, (void)mask, (void)bytes;
	return false;
#endif
}

/* --- Vectors: each lane's `count` elements of `bytes` lie in one piece ------------------------------------------- */

/* The rows of an instruction's vector: native code has them behind the instruction. */
static inline const u32 *vector_rows(const struct insn *i) { return (const u32 *)(const void *)(i + 1); }

/* Four lanes at a time: with AVX2 by a loop, for there is too much code of them all, upon copies of the rows, as no row that a loop
 * goes along becomes registers. */
#if defined HAS_QUARTERS
#define EACH_FOUR_LANES _Pragma("clang loop unroll(disable) vectorize(disable)")
typedef volatile words4 looped_words4;
#else
#define EACH_FOUR_LANES _Pragma("clang loop unroll(full)")
typedef words4 looped_words4;
#endif

/* Rows value[k] become the lanes' elements k, of which those of neighbours lie `step` bytes apart. */
ALWAYS_INLINE void load_pieces(u32 value[SCATTERED_WORDS][WARP_LANES], const u8 *from, u64 step, u32 n)
{
	words4 copy[SCATTERED_WORDS][WARP_LANES / 4] __attribute__((aligned(64)));

	native_loops();
	EACH_FOUR_LANES for (u32 l = 0; l < WARP_LANES; l += 4)
	{
		words4 v[4] = {{0}};
		_Pragma("clang loop unroll(full)") for (u32 k = 0; k < 4; k++)
			memcpy(&v[k], from + step * (l + k), 4 * n);
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

/* All lanes' pieces one after the other, from `from` on. */
ALWAYS_INLINE void load_row_of_pieces(u32 value[SCATTERED_WORDS][WARP_LANES], const u8 *host, u32 n)
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
ALWAYS_INLINE void load_same_piece(u32 value[SCATTERED_WORDS][WARP_LANES], const u8 *host, u32 n)
{
	const u32 *from = (const u32 *)(const void *)host;

	for (u32 k = 0; k < n; k++) {
		const u32 one = from[k];
		EACH_LANE
			value[k][l] = one;
	}
}

/* n words into the rows of the instruction. */
ALWAYS_INLINE void keep_pieces(const struct insn *i, u8 *rows, u32 mask, u32 value[SCATTERED_WORDS][WARP_LANES], u32 n)
{
	for (u32 k = 0; k < n; k++)
		write_lanes(ROW_OF(u32, vector_rows(i)[k]), value[k], mask);
}

/* Whether what load_near_vector does not know may be meant. */
ALWAYS_INLINE bool is_scattered(const struct insn *i) { return may_be(i, SHAPE_NEAR | SHAPE_OTHER); }

/* What each quarter of a whole warp reads at equal distances. */
ALWAYS_INLINE bool load_near_vector(u32 value[SCATTERED_WORDS][WARP_LANES], struct warp *w, const struct insn *i,
				    const u8 *rows, u32 mask, enum ir_space space, u32 n)
{
	return space == SPACE_SHARED && mask == FULL_MASK && load_vector_quarters(value, w, i, ROW_OF(u32, i->a), n);
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

/* Wherever the lanes' pieces are: by a function of the library, from and to copies of the rows. */
ALWAYS_INLINE bool load_scattered_pieces(u32 value[SCATTERED_WORDS][WARP_LANES], struct warp *w, const struct insn *i,
					 const u8 *rows, u32 mask, enum ir_space space, u32 n, bool wide)
{
	u32 own[SCATTERED_WORDS][WARP_LANES] __attribute__((aligned(64)));
	u64 far[WARP_LANES] __attribute__((aligned(64)));
	u32 near_[WARP_LANES] __attribute__((aligned(64)));

	if (wide) {
		memcpy(far, rows + i->a, sizeof far);
		if (!scattered_load_vector(w, i, far, own, mask, space, n))
			return false;
	} else {
		memcpy(near_, rows + i->a, sizeof near_);
		if (space != SPACE_SHARED || !scattered_load_vector_near(w, i, near_, own, mask, n))
			return false;
	}
	for (u32 k = 0; k < n; k++)
		memcpy(value[k], own[k], sizeof own[k]);
	return true;
}

/* A load of n words a lane. */
ALWAYS_INLINE bool load_vector_words(struct warp *w, const struct insn *i, u8 *rows, u32 mask, enum ir_space space,
				     u32 n, bool wide)
{
	u32 value[SCATTERED_WORDS][WARP_LANES] __attribute__((aligned(64)));
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
		const u8 *from = first_of_steps(w, i, rows, space, wide, 4 * n, false);
		if (!from)
			return false;
		load_pieces(value, from, step_of(i), n);
	} else if (row) {
		if (space == SPACE_GLOBAL)
			fetch_ahead(row, 4 * n * WARP_LANES);
		load_row_of_pieces(value, row, n);
	} else if (wide || !load_near_vector(value, w, i, rows, mask, space, n)) {
		if (!(wide ? may_be(i, ~(u32)(SHAPE_ROW | SHAPE_KNOWN)) : is_scattered(i)) ||
		    !load_scattered_pieces(value, w, i, rows, mask, space, n, wide))
			return false;
	}
	keep_pieces(i, rows, mask, value, n);
	return true;
}

/* The lanes' n words, `step` bytes apart; of several lanes at one place the highest wins. */
ALWAYS_INLINE void store_pieces(const struct insn *i, const u8 *rows, u8 *to, u64 step, u32 n)
{
	u32 copy[SCATTERED_WORDS][WARP_LANES] __attribute__((aligned(64)));

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
			memcpy(to + step * (l + k), &piece[k], 4 * n);
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

ALWAYS_INLINE bool store_scattered_pieces(struct warp *w, const struct insn *i, const u8 *rows, u32 mask,
					  enum ir_space space, u32 n, bool wide)
{
	u32 own[SCATTERED_WORDS][WARP_LANES] __attribute__((aligned(64)));
	u64 far[WARP_LANES] __attribute__((aligned(64)));
	u32 near_[WARP_LANES] __attribute__((aligned(64)));

	for (u32 k = 0; k < n; k++)
		memcpy(own[k], rows + vector_rows(i)[k], sizeof own[k]);
	if (wide) {
		memcpy(far, rows + i->a, sizeof far);
		return scattered_store_vector(w, i, far, own, mask, space, n);
	}
	memcpy(near_, rows + i->a, sizeof near_);
	return space == SPACE_SHARED && scattered_store_vector_near(w, i, near_, own, mask, n);
}

/* A store of n words by each lane. */
ALWAYS_INLINE bool store_vector_words(struct warp *w, const struct insn *i, u8 *rows, u32 mask, enum ir_space space,
				      u32 n, bool wide)
{
	u8 *row = row_of_vectors(w, i, rows, mask, space, 4 * n, wide, true);

	if (row) {
		store_row_of_pieces(i, rows, row, n);
		return true;
	}
	if (is_stepped(i, mask)) {
		u8 *to = first_of_steps(w, i, rows, space, wide, 4 * n, true);
		if (!to)
			return false;
		store_pieces(i, rows, to, step_of(i), n);
		return true;
	}
	return may_be(i, ~(u32)(SHAPE_ROW | SHAPE_KNOWN)) && store_scattered_pieces(w, i, rows, mask, space, n, wide);
}

#endif
