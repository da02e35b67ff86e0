/* SPDX-License-Identifier: Apache-2.0
 *
 * Loads and stores of two or four registers: a lane's vector of 8 or 16 bytes lies in one piece in memory and is spread
 * over as many rows. So the lanes' pieces are moved whole, and what stands between memory and rows is a transposition of
 * small squares in the host's 128-bit vectors, which every host has. (A gather for each row, as the compiler makes of the
 * plain loop, costs five times as much.) Included by the family of loads and stores.
 */
#ifndef PTXSIM_SEM_VECTOR_ACCESS_H
#define PTXSIM_SEM_VECTOR_ACCESS_H

#include "sem/access.h"

typedef u32 u32x4 __attribute__((vector_size(16)));
typedef u64 u64x2 __attribute__((vector_size(16)));

/* Rows of a vector's elements; elements of 4 or 8 bytes. */
enum { VECTOR_ROWS = 4, VECTOR_BYTES = 16 };

/* Where the lanes' vectors lie in the host: lane l's at host + at[l]. A lane that takes no part has the lowest's, so that
 * it can be read. host: NULL if they are not all aligned and within 4 GB of one allocation. */
struct lane_pieces {
	u8 *host;
	bool same; /* all at one place */
	u32 at[WARP_LANES] __attribute__((aligned(64)));
};

/* By 32-bit addresses, in 32-bit lanes all through. */
ALWAYS_INLINE void find_pieces_32(struct lane_pieces *p, struct warp *w, const struct insn *i, const u32 *base,
				  u32 mask, enum ir_space space, u32 bytes, bool is_store)
{
	const u32 first = base[__builtin_ctz(mask)];
	u32 low = UINT32_MAX, high = 0, bits = 0;

	EACH_LANE
		p->at[l] = (mask == FULL_MASK || mask & lane_bit[l] ? base[l] : first) + (u32)i->imm;
	for (int l = 0; l < WARP_LANES; l++) {
		low = p->at[l] < low ? p->at[l] : low;
		high = p->at[l] > high ? p->at[l] : high;
		bits |= p->at[l];
	}
	p->host = bits % bytes ? NULL : space_range(w, i, space, low, (u64)high + bytes, is_store);
	p->same = low == high;
	EACH_LANE
		p->at[l] -= low;
}
ALWAYS_INLINE void find_pieces_64(struct lane_pieces *p, struct warp *w, const struct insn *i, const u64 *base,
				  u32 mask, enum ir_space space, u32 bytes, bool is_store)
{
	u64 address[WARP_LANES] __attribute__((aligned(64)));

	EACH_LANE
		address[l] = base[l] + (u64)(s64)i->imm;
	const struct extent e = extent_of(address, mask);
	p->host = e.bits % bytes || e.high - e.low > UINT32_MAX
			  ? NULL
			  : space_range(w, i, space, e.low, e.high + bytes, is_store);
	p->same = e.low == e.high;
	EACH_LANE
		p->at[l] = mask & lane_bit[l] ? (u32)(address[l] - e.low) : 0;
}
ALWAYS_INLINE void find_pieces(struct lane_pieces *p, struct warp *w, const struct insn *i, const u8 *rows, u32 mask,
			       enum ir_space space, u32 bytes, bool wide, bool is_store)
{
	if (wide)
		find_pieces_64(p, w, i, ROW_OF(u64, i->a), mask, space, bytes, is_store);
	else
		find_pieces_32(p, w, i, ROW_OF(u32, i->a), mask, space, bytes, is_store);
}

/* Four lanes' pieces of four words become four words of each of four rows, and the other way round. */
ALWAYS_INLINE void transpose_words(u32x4 v[4])
{
	const u32x4 a = __builtin_shufflevector(v[0], v[1], 0, 4, 1, 5);
	const u32x4 b = __builtin_shufflevector(v[2], v[3], 0, 4, 1, 5);
	const u32x4 c = __builtin_shufflevector(v[0], v[1], 2, 6, 3, 7);
	const u32x4 d = __builtin_shufflevector(v[2], v[3], 2, 6, 3, 7);

	v[0] = __builtin_shufflevector(a, b, 0, 1, 4, 5);
	v[1] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
	v[2] = __builtin_shufflevector(c, d, 0, 1, 4, 5);
	v[3] = __builtin_shufflevector(c, d, 2, 3, 6, 7);
}
ALWAYS_INLINE void transpose_pairs(u64x2 v[2])
{
	const u64x2 low = __builtin_shufflevector(v[0], v[1], 0, 2);

	v[1] = __builtin_shufflevector(v[0], v[1], 1, 3);
	v[0] = low;
}

/* The pieces of `count` lanes from l on, and the same of the lanes that take part, back to memory. */
ALWAYS_INLINE void read_pieces(void *v, const struct lane_pieces *p, u32 l, u32 count, u32 bytes)
{
#pragma GCC unroll 4
	for (u32 k = 0; k < count; k++)
		memcpy((u8 *)v + k * bytes, p->host + p->at[l + k], bytes);
}
ALWAYS_INLINE void write_pieces(const void *v, const struct lane_pieces *p, u32 l, u32 mask, u32 count, u32 bytes)
{
#pragma GCC unroll 4
	for (u32 k = 0; k < count; k++)
		if (mask >> (l + k) & 1)
			memcpy(p->host + p->at[l + k], (const u8 *)v + k * bytes, bytes);
}

/* 16 bytes of each of `count` rows, at a place of the rows. */
ALWAYS_INLINE void read_rows(void *v, u8 *const from[VECTOR_ROWS], u32 at, u32 count)
{
#pragma GCC unroll 4
	for (u32 k = 0; k < count; k++)
		memcpy((u8 *)v + k * VECTOR_BYTES, from[k] + at, VECTOR_BYTES);
}
ALWAYS_INLINE void write_rows(const void *v, u8 *const to[VECTOR_ROWS], u32 at, u32 count)
{
#pragma GCC unroll 4
	for (u32 k = 0; k < count; k++)
		memcpy(to[k] + at, (const u8 *)v + k * VECTOR_BYTES, VECTOR_BYTES);
}

/* Lanes l to l + 3 of four rows of words. */
ALWAYS_INLINE void load_four_words(u8 *const to[VECTOR_ROWS], const struct lane_pieces *p, u32 l)
{
	u32x4 v[4];

	read_pieces(v, p, l, 4, VECTOR_BYTES);
	transpose_words(v);
	write_rows(v, to, 4 * l, 4);
}
ALWAYS_INLINE void store_four_words(u8 *const from[VECTOR_ROWS], const struct lane_pieces *p, u32 l, u32 mask)
{
	u32x4 v[4];

	read_rows(v, from, 4 * l, 4);
	transpose_words(v);
	write_pieces(v, p, l, mask, 4, VECTOR_BYTES);
}

/* The same of two rows of words: four pieces of 8 bytes. */
ALWAYS_INLINE void load_two_words(u8 *const to[VECTOR_ROWS], const struct lane_pieces *p, u32 l)
{
	u32x4 v[2];

	read_pieces(v, p, l, 4, VECTOR_BYTES / 2);
	const u32x4 first = __builtin_shufflevector(v[0], v[1], 0, 2, 4, 6);
	v[1] = __builtin_shufflevector(v[0], v[1], 1, 3, 5, 7);
	v[0] = first;
	write_rows(v, to, 4 * l, 2);
}
ALWAYS_INLINE void store_two_words(u8 *const from[VECTOR_ROWS], const struct lane_pieces *p, u32 l, u32 mask)
{
	u32x4 v[2];

	read_rows(v, from, 4 * l, 2);
	const u32x4 low = __builtin_shufflevector(v[0], v[1], 0, 4, 1, 5);
	v[1] = __builtin_shufflevector(v[0], v[1], 2, 6, 3, 7);
	v[0] = low;
	write_pieces(v, p, l, mask, 4, VECTOR_BYTES / 2);
}

/* Lanes l and l + 1 of two rows of pairs of words. */
ALWAYS_INLINE void load_two_pairs(u8 *const to[VECTOR_ROWS], const struct lane_pieces *p, u32 l)
{
	u64x2 v[2];

	read_pieces(v, p, l, 2, VECTOR_BYTES);
	transpose_pairs(v);
	write_rows(v, to, 8 * l, 2);
}
ALWAYS_INLINE void store_two_pairs(u8 *const from[VECTOR_ROWS], const struct lane_pieces *p, u32 l, u32 mask)
{
	u64x2 v[2];

	read_rows(v, from, 8 * l, 2);
	transpose_pairs(v);
	write_pieces(v, p, l, mask, 2, VECTOR_BYTES);
}

/* All lanes of the rows. `count` elements of `bytes` each. */
ALWAYS_INLINE void load_pieces(u8 *const to[VECTOR_ROWS], const struct lane_pieces *p, u32 count, u32 bytes)
{
	if (p->same) {
		for (u32 k = 0; k < count; k++) {
			u64 one = 0;
			memcpy(&one, p->host + k * bytes, bytes);
			if (bytes == 4)
				EACH_LANE ((u32 *)(void *)to[k])
					[l] = (u32)one;
			else
				EACH_LANE ((u64 *)(void *)to[k])
					[l] = one;
		}
		return;
	}
	for (u32 l = 0; l < WARP_LANES; l += bytes == 8 ? 2 : 4)
		if (bytes == 8)
			load_two_pairs(to, p, l);
		else if (count == 2)
			load_two_words(to, p, l);
		else
			load_four_words(to, p, l);
}

/* A load into the rows whose offsets `list` names; false, having done nothing, if the access is not of that kind. */
ALWAYS_INLINE bool load_vector(struct warp *w, const struct insn *i, u8 *rows, u32 mask, enum ir_space space, u32 count,
			       u32 bytes, bool wide)
{
	const u32 *list = w->frame->code->operands + i->b;
	u8 kept[VECTOR_ROWS][WARP_LANES * 8] __attribute__((aligned(64)));
	u8 *to[VECTOR_ROWS];
	struct lane_pieces p;

	find_pieces(&p, w, i, rows, mask, space, count * bytes, wide, false);
	if (UNLIKELY(!p.host))
		return false;
	for (u32 k = 0; k < count; k++)
		to[k] = LIKELY(mask == FULL_MASK) ? rows + list[k] : kept[k];
	load_pieces(to, &p, count, bytes);
	for (u32 k = 0; UNLIKELY(mask != FULL_MASK) && k < count; k++)
		merge_row(rows + list[k], kept[k], bytes, mask);
	return true;
}

/* A store; of several lanes at one address the highest wins. */
ALWAYS_INLINE bool store_vector(struct warp *w, const struct insn *i, u8 *rows, u32 mask, enum ir_space space,
				u32 count, u32 bytes, bool wide)
{
	const u32 *list = w->frame->code->operands + i->b;
	u8 *from[VECTOR_ROWS];
	struct lane_pieces p;

	find_pieces(&p, w, i, rows, mask, space, count * bytes, wide, true);
	if (UNLIKELY(!p.host))
		return false;
	for (u32 k = 0; k < count; k++)
		from[k] = rows + list[k];
	for (u32 l = 0; l < WARP_LANES; l += bytes == 8 ? 2 : 4)
		if (bytes == 8)
			store_two_pairs(from, &p, l, mask);
		else if (count == 2)
			store_two_words(from, &p, l, mask);
		else
			store_four_words(from, &p, l, mask);
	return true;
}

#endif
