/* SPDX-License-Identifier: Apache-2.0
 *
 * Lanes of a warp of machine code that part in a region, as exec/converge.c has them part for a warp by itself: who goes first, who
 * waits beside them, which of those that wait become one. They are kept on the region's stack of ways, as a gang's are
 * (exec/gang_split.c).
 */
#include "native/converge.h"

#include "exec/converge.h"

static const u32 *barrier_row(const struct native_run *r, const u8 *rows, u32 block)
{
	return (const u32 *)(const void *)(rows + r->code->insns[r->blocks[block]].d);
}

/* Whether all of the lanes are to meet those of `awaited`. */
static bool meet_all(const u32 *row, u32 lanes, u32 awaited)
{
	u32 off = 0;

	for (u32 l = 0; l < WARP_LANES; l++)
		off |= lanes >> l & 1 ? row[l] ^ awaited : 0;
	return !off;
}

/* Who has waited beside those that run joins the pool, as they part again: those that wait at the same place, up to the innermost
 * join. */
static void join_pool(struct native_run *r, const u8 *rows)
{
	struct native_way *from = r->ways + (r->beside ? r->beside - 1 : 0);

	for (u32 below = r->beside ? r->beside - 1 : 0; below-- > 0 && !r->ways[below].is_join;) {
		struct native_way *to = &r->ways[below];
		if (to->block != from->block || !to->lanes ||
		    !converge_alike(r->code, r->blocks[to->block], rows, from->lanes, to->lanes))
			continue;
		to->lanes |= from->lanes;
		from->lanes = 0;
		break;
	}
	r->beside = 0;
}

u32 native_part_machine(struct native_run *r, u8 *rows, u64 lanes, u64 blocks, bool fewer_first)
{
	const u32 mask = (u32)lanes, taken = (u32)(lanes >> 32), stay = mask & ~taken;
	const u32 target = (u32)blocks & 0xffff, next = (u32)blocks >> 16, join = (u32)(blocks >> 32);
	const bool opens = r->join != join;
	const u32 awaited = opens ? mask : r->ways[r->join_at].awaited;

	if (r->depth + 3 > NATIVE_WAYS || !meet_all(barrier_row(r, rows, join), mask, awaited))
		return NATIVE_NONE_FIRST;
	join_pool(r, rows);
	if (opens) {
		r->ways[r->depth] = (struct native_way){
			.block = join, .is_join = true, .outer = r->join, .outer_at = r->join_at, .awaited = mask};
		r->join = join;
		r->join_at = r->depth++;
	}
	const bool stay_first = fewer_first && 2 * lanes_of(taken) >= lanes_of(mask);
	r->ways[r->depth++] =
		(struct native_way){.block = stay_first ? target : next, .lanes = stay_first ? taken : stay};
	r->beside = r->depth;
	r->mask = stay_first ? stay : taken;
	return stay_first ? NATIVE_OTHERS_FIRST : NATIVE_TAKEN_FIRST;
}

u32 native_awaits(struct native_run *r, const u8 *rows, u32 mask, u32 block)
{
	const u32 *row = barrier_row(r, rows, block);
	u32 awaited = 0;

	for (u32 left = mask; left; left &= left - 1)
		awaited |= row[__builtin_ctz(left)];
	return awaited & ~mask;
}
