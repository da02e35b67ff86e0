/* SPDX-License-Identifier: Apache-2.0
 *
 * Lanes lost, by branch. A branch's region is what can run between it and its post-dominator. Regions are visited
 * from the smallest on; of each block they take what it lacks of the lanes that arrived at the branch, less what
 * smaller regions have taken already.
 */
#include "report/lanes.h"

#include <stdlib.h>
#include <string.h>

#include "decode/flow.h"

struct region {
	u32 block; /* that ends in the branch */
	u32 size;
	bool *holds; /* by block */
};

struct function_lanes {
	struct arena *arena;
	const struct code *code;
	const struct flow *flow;
	const struct flow_count *counts; /* by body instruction */
	u64 *taken;                      /* by block */
};

static u32 branch_of(const struct flow_block *b) { return b->end - 1; }

static void grow(const struct flow *flow, struct region *r, u32 block, u32 stop, u32 *stack)
{
	u32 depth = 0;

	stack[depth++] = block;
	while (depth) {
		const u32 b = stack[--depth];
		if (b == stop || r->holds[b])
			continue;
		r->holds[b] = true;
		r->size++;
		for (u32 k = 0; k < flow->blocks[b].successor_count; k++)
			if (!r->holds[flow->blocks[b].successors[k]])
				stack[depth++] = flow->blocks[b].successors[k];
	}
}

static struct region region_of(const struct function_lanes *f, u32 block)
{
	struct region r = {.block = block, .holds = ARENA_ARRAY(f->arena, f->flow->block_count + 1, bool)};
	const struct flow_block *b = &f->flow->blocks[block];
	u32 edges = 1;

	for (u32 k = 0; k < f->flow->block_count; k++)
		edges += f->flow->blocks[k].successor_count;
	u32 *stack = ARENA_ARRAY(f->arena, edges + 1, u32);
	for (u32 k = 0; k < b->successor_count; k++)
		grow(f->flow, &r, b->successors[k], b->post_dominator, stack);
	return r;
}

static double average_lanes(const struct flow_count *n)
{
	return n->executed ? (double)n->lanes / (double)n->executed : 0;
}

/* Lanes that an average warp brings to the region: at the branch, or, where that is in the region itself (a loop),
 * where the region is entered. */
static double arriving(const struct function_lanes *f, const struct region *r)
{
	double most = 0;

	if (!r->holds[r->block])
		return average_lanes(&f->counts[branch_of(&f->flow->blocks[r->block])]);
	for (u32 b = 0; b < f->flow->block_count; b++)
		for (u32 k = 0; r->holds[b] && k < f->flow->blocks[b].predecessor_count; k++) {
			const u32 p = f->flow->blocks[b].predecessors[k];
			const double lanes = average_lanes(&f->counts[branch_of(&f->flow->blocks[p])]);
			if (!r->holds[p] && lanes > most)
				most = lanes;
		}
	return most > 0 ? most : average_lanes(&f->counts[0]);
}

static void take(const struct function_lanes *f, const struct region *r, struct lanes_lost *to)
{
	const double wanted = arriving(f, r);

	for (u32 b = 0; b < f->flow->block_count; b++) {
		u64 lacks = 0;
		if (!r->holds[b])
			continue;
		for (u32 k = f->flow->blocks[b].first; k < f->flow->blocks[b].end; k++) {
			const struct flow_count *n = &f->counts[k];
			const u64 full = (u64)((double)n->executed * wanted + 0.5);
			lacks += full > n->lanes ? full - n->lanes : 0;
			to->instructions += n->executed;
			to->lanes += n->lanes;
		}
		if (lacks > f->taken[b]) {
			to->lost += lacks - f->taken[b];
			f->taken[b] = lacks;
		}
	}
}

static int by_size(const void *left, const void *right)
{
	const struct region *a = left, *b = right;

	if (a->size != b->size)
		return a->size < b->size ? -1 : 1;
	return a->block < b->block ? -1 : 1;
}

static u32 function_find(struct arena *arena, const struct code *code, const struct flow_count *counts,
			 struct lanes_lost *to)
{
	struct function_lanes f = {.arena = arena, .code = code, .counts = counts};
	u32 count = 0;

	for (size_t k = 0; k < code->function->body.count; k++)
		count += counts[k].divergent != 0;
	if (!count || code->function->listing)
		return 0;
	f.flow = flow_build(arena, code->function, code->forms);
	f.taken = ARENA_ARRAY(arena, f.flow->block_count + 1, u64);
	struct region *regions = ARENA_ARRAY(arena, count, struct region);
	count = 0;
	for (u32 b = 0; b < f.flow->block_count; b++)
		if (counts[branch_of(&f.flow->blocks[b])].divergent)
			regions[count++] = region_of(&f, b);
	qsort(regions, count, sizeof *regions, by_size);
	for (u32 k = 0; k < count; k++) {
		const u32 branch = branch_of(&f.flow->blocks[regions[k].block]);
		to[k] = (struct lanes_lost){.code = code,
					    .branch = branch,
					    .branches = counts[branch].branches,
					    .diverged = counts[branch].divergent};
		take(&f, &regions[k], &to[k]);
	}
	return count;
}

const struct lanes_lost *lanes_find(struct arena *arena, const struct account_run *run, const struct program *program,
				    u32 *count)
{
	size_t room = 1;

	for (u32 c = 0; c < program->code_count; c++)
		for (size_t k = 0; k < program->codes[c]->function->body.count; k++)
			room += run->flow[c][k].divergent != 0;
	struct lanes_lost *list = ARENA_ARRAY(arena, room, struct lanes_lost);
	*count = 0;
	for (u32 c = 0; c < program->code_count; c++)
		*count += function_find(arena, program->codes[c], run->flow[c], list + *count);
	return list;
}
