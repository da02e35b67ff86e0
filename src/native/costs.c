/* SPDX-License-Identifier: Apache-2.0 */
#include "native/costs.h"

enum { DEPTH_MOST = 8 };

/* What compiling takes grows faster than a region: with its accesses, each of which is blocks of its own to LLVM, and with rows that come
 * together on many ways, where lanes part. */
struct limits {
	u32 insns, accesses, meetings;
};

bool region_exceeds(bool lean, u32 insns, u32 accesses, u64 meetings)
{
	static const struct limits full = {1536, 64, 1400}, small = {1024, 24, 90};
	const struct limits *most = lean ? &small : &full;

	return insns > most->insns || accesses > most->accesses || meetings > most->meetings;
}

/* What has not been seen is left to the handler. */
u8 lean_shapes(const struct code_flow *f, u8 seen)
{
	return f->shapes ? (seen & (u8)~SHAPE_OTHER) | SHAPE_KNOWN : SHAPE_KNOWN | SHAPE_ROW | SHAPE_SAME;
}

/* Microseconds, measured with AVX2 (docs/performance.md). */
struct prices {
	u64 region, insn, access;
	u64 other; /* an access that may be of any shape, besides */
	u64 merging,
		branch; /* for each row that the region writes: an instruction that some lanes run alone, and what parts them */
};

static u64 cost_of(const struct region *r)
{
	static const struct prices full = {8000, 750, 5000, 12000, 180, 240}, lean = {16000, 850, 7000, 0, 0, 1200};
	const struct prices *p = r->lean ? &lean : &full;
	u64 cost = p->region, for_each_row = 0, written = 0;

	for (u32 row = 0; row < r->row_count; row++)
		written += r->rows[row].written;
	for (u32 b = 0; b < r->block_count; b++) {
		const struct region_block *x = &r->blocks[b];
		for_each_row += x->end == REGION_BRANCH && !x->uniform ? p->branch : 0;
		for (u32 k = 0; k < x->insn_count; k++) {
			const struct region_insn *i = &x->insns[k];
			const bool any = !i->shapes || i->shapes & SHAPE_OTHER;
			cost += p->insn + (i->accesses ? p->access + (any ? p->other : 0) : 0);
			for_each_row += i->merges ? p->merging : 0;
		}
	}
	return cost + for_each_row * written;
}

u64 regions_budget(const struct code_flow *f)
{
	enum { LEAST = 8000000, EACH = 1000 };

	return max_u64(LEAST, (u64)f->code->insn_count * EACH);
}

/* Of all together. */
static u64 find_costs(struct regions *all)
{
	u64 sum = 0;

	for (u32 k = 0; k < all->count; k++) {
		all->items[k].cost = cost_of(&all->items[k]);
		sum += all->items[k].cost;
	}
	return sum;
}

/* How many loops each instruction is in, by jumps upwards. */
static u8 *find_depths(const struct code_flow *f)
{
	const u32 count = f->code->insn_count;
	s32 *change = ARENA_ARRAY(f->arena, count + 2, s32), depth = 0;
	u8 *depths = ARENA_ARRAY(f->arena, count + 1, u8);

	for (u32 k = 0; k < count; k++) {
		const s64 to = (s64)k + f->code->insns[k].imm;
		if (!f->steps[k].jumps || to > k || to < 0)
			continue;
		change[to]++;
		change[k + 1]--;
	}
	for (u32 k = 0; k < count; k++) {
		depth += change[k];
		depths[k] = (u8)(depth < DEPTH_MOST ? depth : DEPTH_MOST);
	}
	return depths;
}

static u8 depth_of(const struct region *r, const u8 *depths)
{
	u8 most = 0;

	for (u32 b = 0; b < r->block_count; b++)
		most = depths[r->blocks[b].at] > most ? depths[r->blocks[b].at] : most;
	return most;
}

/* What is in most loops comes first. */
static void leave_some(const struct code_flow *f, struct regions *all)
{
	const u8 *depths = find_depths(f);
	u64 left = regions_budget(f);

	for (u32 depth = DEPTH_MOST + 1; depth-- > 0;)
		for (u32 k = 0; k < all->count; k++) {
			struct region *r = &all->items[k];
			if (depth_of(r, depths) != depth)
				continue;
			r->left = r->cost > left;
			left -= r->left ? 0 : r->cost;
		}
}

struct regions regions_choose(const struct code_flow *f)
{
	struct regions found = regions_find(f, false);

	if (find_costs(&found) <= regions_budget(f))
		return found;
	found = regions_find(f, true);
	find_costs(&found);
	leave_some(f, &found);
	return found;
}
