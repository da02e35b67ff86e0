/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of shared memory within a window of 64, each lane's at a known distance from the first lane's (native/window.h): what goes where is known
 * when a region is compiled. All of these tables are constants then, conditions go away, and a few shuffles are left. Past a
 * block's shared memory there is room for what is read, or written as it was, beyond a window's end (exec/blocks.c).
 */
#ifndef PTXSIM_SEM_NATIVE_WINDOW_H
#define PTXSIM_SEM_NATIVE_WINDOW_H

#include "sem/native_parts.h"

ALWAYS_INLINE bool is_by_window(const struct insn *i) { return i->run == PROVEN_WINDOW; }

/* Whether all of it is there, with all that surely comes with this access. */
ALWAYS_INLINE bool reaches_window(const struct warp *w, const struct insn *i, const u8 *rows, const struct word_window *z)
{
	const s64 base = (s64)*ROW_OF(u32, i->a) + z->from;
	const int is_there = base + lowest_offset(i) >= 0;
	const int is_aligned = !((base + i->imm) % 4);

	return is_there & is_aligned &
	       (base + highest_offset(i) + 4 * (s64)z->words <= (s64)w->block->near_bytes);
}
ALWAYS_INLINE u8 *window_place(const struct warp *w, const struct insn *i, const u8 *rows, const struct word_window *z)
{
	return w->block->shared + (s64)*ROW_OF(u32, i->a) + z->from + i->imm;
}

#if defined __AVX2__
enum { IN_REGISTER = PART / WINDOW_PIECE, WINDOW_PARTS = WINDOW_WORDS / PART };

ALWAYS_INLINE bool uses(const u32 *used, u32 to, u32 from)
{
	u32 any = 0;

	for (u32 k = 0; k < IN_REGISTER; k++)
		any |= used[IN_REGISTER * to + k];
	return any >> IN_REGISTER * from & ((1u << IN_REGISTER) - 1);
}

/* v, with those words that `number` has in register k taken from there; pick: all of them, of which others are taken elsewhere. */
#if defined HAS_QUARTERS
ALWAYS_INLINE part pick(part source, part number) { return _mm256_permutevar8x32_epi32(source, number); }
ALWAYS_INLINE part pick_from(part v, part source, part number, u32 k)
{
	return _mm256_blendv_epi8(v, pick(source, number),
				  _mm256_cmpeq_epi32(_mm256_srli_epi32(number, 3), all_words(k)));
}
ALWAYS_INLINE void put_words(u8 *to, part v, u32 mask, part bits)
{
	const part old = _mm256_loadu_si256((const part *)(void *)to);
	const part stay = _mm256_cmpeq_epi32(_mm256_and_si256(all_words(mask), bits), _mm256_setzero_si256());

	_mm256_storeu_si256((part *)(void *)to, _mm256_blendv_epi8(v, old, stay));
}
#else
ALWAYS_INLINE part pick(part source, part number) { return _mm512_permutexvar_epi32(number, source); }
ALWAYS_INLINE part pick_from(part v, part source, part number, u32 k)
{
	return _mm512_mask_permutexvar_epi32(v, _mm512_cmpeq_epi32_mask(_mm512_srli_epi32(number, 4), all_words(k)),
					     number, source);
}
ALWAYS_INLINE void put_words(u8 *to, part v, u32 mask, part bits)
{
	_mm512_mask_storeu_epi32(to, _mm512_test_epi32_mask(all_words(mask), bits), v);
}
#endif
ALWAYS_INLINE part words_at(const void *from)
{
	part v;

	memcpy(&v, from, sizeof v);
	return v;
}

ALWAYS_INLINE bool load_by_window(struct warp *w, const struct insn *i, u8 *rows, u32 mask)
{
	const struct window_load *z = (const struct window_load *)(const void *)(i + 1);
	u32 value[WARP_LANES] __attribute__((aligned(64)));

	if (!reaches_window(w, i, rows, &z->at))
		return false;
	const u8 *from = window_place(w, i, rows, &z->at);
	for (u32 to = 0; to < PARTS; to++) {
		const part slot = words_at(z->slot + PART * to);
		part v = all_words(0);
		bool any = false;
		for (u32 k = 0; k < WINDOW_PARTS; k++)
			if (uses(z->used, to, k)) {
				const part source = words_at(from + 4 * PART * k);
				v = any ? pick_from(v, source, slot, k) : pick(source, slot);
				any = true;
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
		const part lane = words_at(z->lane + PART * k);
		part v = all_words(0);
		bool any = false;
		for (u32 from = 0; from < PARTS; from++)
			if (uses(z->used, k, from)) {
				const part source = part_of(ROW_OF(u32, i->b), from);
				v = any ? pick_from(v, source, lane, from) : pick(source, lane);
				any = true;
			}
		if (any)
			put_words(to + 4 * PART * k, v, mask, words_at(z->bit + PART * k));
	}
	return true;
}
#endif

#endif
