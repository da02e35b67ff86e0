/* SPDX-License-Identifier: Apache-2.0
 *
 * Where all ways from a block meet, of code that does not say it: each block's immediate postdominator, found by going over the blocks
 * until nothing changes, from the ends upwards (Cooper, Harvey and Kennedy: A Simple, Fast Dominance Algorithm).
 */
#include "native/flow.h"

struct order {
	const struct code_flow *f;
	u32 *list,
		count; /* blocks, those behind others first: a block comes after all that it leads to, but for loops */
	u32 *place;    /* of each block in `list`; of the end, 0 */
};

/* Nothing comes behind such a block, as far as is known. */
static bool is_end(const struct code_flow *f, u32 b)
{
	return !f->blocks[b].successor_count || f->steps[f->blocks[b].end - 1].opaque;
}

/* From the ends along the edges against their direction: children before parents, turned round. */
static void find_order(struct order *o)
{
	const struct code_flow *f = o->f;
	const u32 blocks = f->block_count;
	u32 *stack = ARENA_ARRAY(f->arena, blocks + 1, u32), *next = ARENA_ARRAY(f->arena, blocks + 1, u32);
	bool *seen = ARENA_ARRAY(f->arena, blocks + 1, bool);
	u32 at = blocks;

	for (u32 end = 0; end < blocks; end++) {
		u32 depth = 0;
		if (!is_end(f, end) || seen[end])
			continue;
		seen[end] = true;
		stack[depth++] = end;
		while (depth) {
			const struct code_block *x = &f->blocks[stack[depth - 1]];
			u32 *n = &next[stack[depth - 1]];
			while (*n < x->predecessor_count && seen[x->predecessors[*n]])
				++*n;
			if (*n == x->predecessor_count) {
				o->list[--at] = stack[--depth];
				continue;
			}
			seen[x->predecessors[*n]] = true;
			stack[depth++] = x->predecessors[*n];
		}
	}
	o->count = blocks - at;
	for (u32 k = 0; k < o->count; k++)
		o->list[k] = o->list[at + k];
	for (u32 k = 0; k < o->count; k++)
		o->place[o->list[k]] = k + 1;
}

/* The nearest block behind both. */
static u32 meet(const struct order *o, u32 a, u32 b)
{
	while (a != b) {
		while (o->place[a] > o->place[b])
			a = o->f->blocks[a].after;
		while (o->place[b] > o->place[a])
			b = o->f->blocks[b].after;
	}
	return a;
}

void flow_find_meetings(struct code_flow *f)
{
	const u32 end = f->block_count, unknown = NO_BLOCK_NUMBER;
	struct order o = {.f = f};

	o.list = ARENA_ARRAY(f->arena, end + 1, u32);
	o.place = ARENA_ARRAY(f->arena, end + 1, u32);
	f->blocks[end].after = end;
	for (u32 b = 0; b < end; b++)
		f->blocks[b].after = unknown;
	find_order(&o);
	for (bool changed = true; changed;) {
		changed = false;
		for (u32 k = 0; k < o.count; k++) {
			struct code_block *x = &f->blocks[o.list[k]];
			u32 after = is_end(f, o.list[k]) ? end : unknown;
			for (u32 s = 0; s < x->successor_count; s++) {
				const u32 to = x->successors[s];
				if (f->blocks[to].after != unknown && o.place[to])
					after = after == unknown ? to : meet(&o, after, to);
			}
			changed |= after != x->after;
			x->after = after;
		}
	}
	for (u32 b = 0; b < end; b++)
		if (f->blocks[b].after == unknown)
			f->blocks[b].after = end;
}
