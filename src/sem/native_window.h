/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of shared memory within a window of 64, each lane's at a known distance from the first lane's (native/window.h): what goes where is known
 * when a region is compiled. All of these tables are constants then, conditions go away, and a few shuffles are left. Past a
 * block's shared memory there is room for what is read, or written as it was, beyond a window's end (SHARED_MARGIN).
 */
#ifndef PTXSIM_SEM_NATIVE_WINDOW_H
#define PTXSIM_SEM_NATIVE_WINDOW_H

#include "sem/native_parts.h"

ALWAYS_INLINE bool is_by_window(const struct insn *i) { return i->run == PROVEN_WINDOW; }

/* Whether all of it is there, with all that surely comes with this access. */
ALWAYS_INLINE bool reaches_window(const struct warp *w, const struct insn *i, const u8 *rows,
				  const struct word_window *z)
{
	const s64 base = (s64)*ROW_OF(u32, i->a) + z->from;
	const int is_there = base + lowest_offset(i) >= 0;
	const int is_aligned = !((base + i->imm) % 4);

	return is_there & is_aligned & (base + highest_offset(i) + 4 * (s64)z->words <= (s64)w->block->near_bytes);
}
ALWAYS_INLINE u8 *window_place(const struct warp *w, const struct insn *i, const u8 *rows, const struct word_window *z)
{
	return w->block->shared + (s64)*ROW_OF(u32, i->a) + z->from + i->imm;
}

#if defined __AVX2__
/* Words are picked from a table of registers: of one with AVX2, of two with AVX-512. */
#if defined HAS_QUARTERS
enum { TABLE = PART };
struct word_table {
	part words;
};

ALWAYS_INLINE part pick(const struct word_table *t, part number)
{
	return _mm256_permutevar8x32_epi32(t->words, number);
}
/* v, with those words that `number` has in table k taken from there. */
ALWAYS_INLINE part pick_from(part v, const struct word_table *t, part number, u32 k)
{
	return _mm256_blendv_epi8(v, pick(t, number), _mm256_cmpeq_epi32(_mm256_srli_epi32(number, 3), all_words(k)));
}
ALWAYS_INLINE void put_words(u8 *to, part v, u32 mask, part bits)
{
	const part old = _mm256_loadu_si256((const part *)(void *)to);
	const part stay = _mm256_cmpeq_epi32(_mm256_and_si256(all_words(mask), bits), _mm256_setzero_si256());

	_mm256_storeu_si256((part *)(void *)to, _mm256_blendv_epi8(v, old, stay));
}
#else
enum { TABLE = 2 * PART };
struct word_table {
	part words, more;
};

ALWAYS_INLINE part pick(const struct word_table *t, part number)
{
	return _mm512_permutex2var_epi32(t->words, number, t->more);
}
ALWAYS_INLINE part pick_from(part v, const struct word_table *t, part number, u32 k)
{
	return _mm512_mask_mov_epi32(v, _mm512_cmpeq_epi32_mask(_mm512_srli_epi32(number, 5), all_words(k)),
				     pick(t, number));
}
ALWAYS_INLINE void put_words(u8 *to, part v, u32 mask, part bits)
{
	_mm512_mask_storeu_epi32(to, _mm512_test_epi32_mask(all_words(mask), bits), v);
}
#endif
enum { WINDOW_TABLES = WINDOW_WORDS / TABLE, ROW_TABLES = WARP_LANES / TABLE, WINDOW_PARTS = WINDOW_WORDS / PART };

/* Of which pieces register `to` has words, a set. */
ALWAYS_INLINE u32 pieces_of(const u32 *used, u32 to)
{
	u32 pieces = 0;

	for (u32 k = 0; k < PART / WINDOW_PIECE; k++)
		pieces |= used[PART / WINDOW_PIECE * to + k];
	return pieces;
}
/* Those of tables before number k, and of that one: what is asked of these alone is known as soon as the set is. */
ALWAYS_INLINE u32 before(u32 pieces, u32 k) { return pieces & ((1u << TABLE / WINDOW_PIECE * k) - 1); }
ALWAYS_INLINE u32 among(u32 pieces, u32 k)
{
	return pieces & ((1u << TABLE / WINDOW_PIECE) - 1) << TABLE / WINDOW_PIECE * k;
}

/* A register of a table that is constant: LLVM takes no more than 32 bytes at a time for one. */
ALWAYS_INLINE part numbers_at(const u32 *from)
{
	const __m256i low = _mm256_loadu_si256((const __m256i *)(const void *)from);
#if defined HAS_QUARTERS
	return low;
#else
	return _mm512_inserti64x4(_mm512_castsi256_si512(low),
				  _mm256_loadu_si256((const __m256i *)(const void *)(from + PART / 2)), 1);
#endif
}
ALWAYS_INLINE struct word_table table_at(const void *from)
{
	struct word_table t;

	memcpy(&t, from, sizeof t);
	return t;
}

ALWAYS_INLINE bool load_by_window(struct warp *w, const struct insn *i, u8 *rows, u32 mask)
{
	const struct window_load *z = (const struct window_load *)(const void *)(i + 1);
	u32 value[WARP_LANES] __attribute__((aligned(64)));

	if (!reaches_window(w, i, rows, &z->at))
		return false;
	const u8 *from = window_place(w, i, rows, &z->at);
	for (u32 to = 0; to < PARTS; to++) {
		const part slot = numbers_at(z->slot + PART * to);
		const u32 pieces = pieces_of(z->used, to);
		part v = all_words(0);
		for (u32 k = 0; k < WINDOW_TABLES; k++)
			if (among(pieces, k)) {
				const struct word_table t = table_at(from + 4 * TABLE * k);
				v = before(pieces, k) ? pick_from(v, &t, slot, k) : pick(&t, slot);
			}
		set_part(value, to, v);
	}
	merge_row(rows + i->d, value, sizeof value[0], mask);
	return true;
}

ALWAYS_INLINE bool store_by_window(struct warp *w, const struct insn *i, const u8 *rows, u32 mask)
{
	const struct window_store *z = (const struct window_store *)(const void *)(i + 1);

	if (!reaches_window(w, i, rows, &z->at))
		return false;
	u8 *to = window_place(w, i, rows, &z->at);
	for (u32 k = 0; k < WINDOW_PARTS; k++) {
		const part lane = numbers_at(z->lane + PART * k);
		const u32 pieces = pieces_of(z->used, k);
		part v = all_words(0);
		for (u32 from = 0; from < ROW_TABLES; from++)
			if (among(pieces, from)) {
				const struct word_table t = table_at(ROW_OF(u32, i->b) + TABLE * from);
				v = before(pieces, from) ? pick_from(v, &t, lane, from) : pick(&t, lane);
			}
		if (pieces)
			put_words(to + 4 * PART * k, v, mask, numbers_at(z->bit + PART * k));
	}
	return true;
}
#endif

#endif
