/* SPDX-License-Identifier: Apache-2.0
 *
 * Lanes at equal distances, of which some may be missing, whose places native code does not compute: where the distance is known when a region
 * is compiled, or a column of words is likely. Lanes that do not run read, too, wherever they would go, as long as that is memory: it is not to be
 * a fault, and nobody sees what they get.
 */
#ifndef PTXSIM_SEM_NATIVE_STEPS_H
#define PTXSIM_SEM_NATIVE_STEPS_H

#include "sem/native_access.h"

ALWAYS_INLINE s64 signed_step(const struct insn *i) { return (s64)i->run - PROVEN_STEP; }

/* Whether the access asks which lanes run: words of shared memory, whose margin is wide enough for others, or rows that go downwards. */
ALWAYS_INLINE bool is_stepped_by_some(const struct insn *i, enum ir_space space, bool wide)
{
	return (wide ? space == SPACE_GLOBAL : space == SPACE_SHARED) && proven_by_some(i->run, wide);
}

/* Where the first lane's bytes are, or would be: of shared memory all lanes that run are held against it, from the first of them to the last, with
 * all accesses that surely come with this one. NULL: these are out of reach. */
ALWAYS_INLINE u8 *near_steps(const struct warp *w, const struct insn *i, const u8 *rows, u32 mask, u32 bytes)
{
	const u32 lane = (u32)__builtin_ctz(mask), more = 31 - (u32)__builtin_clz(mask) - lane;
	const s64 step = signed_step(i), base = (s32)(*ROW_OF(u32, i->a) + (u32)step * lane), last = base + step * more;
	const s64 low = step < 0 ? last : base, high = step < 0 ? base : last;
	const int is_there = low + lowest_offset(i) >= 0, is_aligned = !((base + i->imm) % bytes);

	if (!(is_there & is_aligned & (high + highest_offset(i) + bytes <= (s64)w->block->near_bytes)))
		return NULL;
	return w->block->shared + base + i->imm - step * lane;
}

/* The same of a row of global memory that goes downwards, all of which must be there. */
ALWAYS_INLINE u8 *far_row_downwards(struct warp *w, const struct insn *i, const u8 *rows, u32 bytes, bool is_store)
{
	const u64 first = first_address(rows, i, true), way = (WARP_LANES - 1) * (u64)bytes;
	u8 *low = first < way || first % bytes ? NULL
					       : space_range(w, i, SPACE_GLOBAL, first - way, first + bytes, is_store);

	return low ? low + way : NULL;
}

ALWAYS_INLINE const u8 *steps_of_some(struct warp *w, const struct insn *i, const u8 *rows, u32 mask, bool wide,
				      u32 bytes)
{
	return wide ? far_row_downwards(w, i, rows, bytes, false) : near_steps(w, i, rows, mask, bytes);
}

/* Where a generic address by which all lanes go leads into each one's local memory: NULL: elsewhere, or out of reach. */
ALWAYS_INLINE u32 *own_words(const struct warp *w, const struct insn *i, const u8 *rows, u32 bytes)
{
	const u64 *base = ROW_OF(u64, i->a), top = w->frame->local_top;
	const u64 at = base[0] + (u64)(s64)i->imm - w->grid->map->local_window;

	if (at > top || bytes > top - at || at % (bytes < 4 ? 4 : bytes) || !(may_be(i, SHAPE_SAME)) ||
	    (i->run != PROVEN_SAME && !all_same64(base)))
		return NULL;
	return (u32 *)(void *)w->local + at / 4 * WARP_LANES;
}

/* Words at equal distances upwards, as down a column, where that is likely: the first one's place; NULL: they are not. */
ALWAYS_INLINE const u8 *column_place(struct warp *w, const struct insn *i, const u32 *base, u32 step)
{
	const u32 at = base[0] + (u32)i->imm, *number = lane_steps32[0];
	s32 off[WARP_LANES] __attribute__((aligned(64)));

	if ((i->fp & (SHAPE_KNOWN | SHAPE_STRIDED)) != (SHAPE_KNOWN | SHAPE_STRIDED))
		return NULL;
	EACH_LANE
		off[l] = base[l] - base[0] != step * number[l] ? -1 : 0;
	if (any_lanes32(off) || (at | step) % 4 || at + (WARP_LANES - 1) * (u64)step + 4 > w->block->near_bytes)
		return NULL;
	return w->block->shared + at;
}

/* A load for each lane, whose places the host's addressing gives. */
ALWAYS_INLINE void load_words_along(u32 *value, const u8 *from, s64 step)
{
	_Pragma("clang loop unroll(full)") for (u32 l = 0; l < WARP_LANES; l += 4, from += 4 * step)
	{
		const words4 v = {*(const u32 *)(const void *)from, *(const u32 *)(const void *)(from + step),
				  *(const u32 *)(const void *)(from + 2 * step),
				  *(const u32 *)(const void *)(from + 3 * step)};
		memcpy(&value[l], &v, sizeof v);
	}
}

/* Words of shared memory at known distances, or in a column. False: they are not, or out of reach. */
ALWAYS_INLINE bool load_along(struct warp *w, const struct insn *i, u8 *rows, u32 mask)
{
	const bool known = is_stepped_by_some(i, SPACE_SHARED, false);
	const u32 *base = ROW_OF(u32, i->a);
	const s64 step = known ? signed_step(i) : base[1] - base[0];
	u32 value[WARP_LANES] __attribute__((aligned(64)));
	const u8 *from = known               ? near_steps(w, i, rows, mask, 4)
			 : mask == FULL_MASK ? column_place(w, i, base, (u32)step)
					     : NULL;

	if (!from)
		return false;
	load_words_along(value, from, step);
	merge_row(rows + i->d, value, sizeof value[0], mask);
	return true;
}

#endif
