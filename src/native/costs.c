/* SPDX-License-Identifier: Apache-2.0 */
#include "native/costs.h"

#include <string.h>

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

/* Microseconds for each of a region's parts, of one processor of the machine that docs/native.md names; between those for AVX2 and AVX-512,
 * so that the same is compiled everywhere. tests/bench/costs.py finds them anew. */
static const u32 prices[COST_PARTS] = {
	[COST_REGION] = 3490,   [COST_INSN] = 217,     [COST_HALF] = 11800,  [COST_LONG] = 2700,
	[COST_DOUBLE] = 1580,   [COST_AFFINE] = 370,   [COST_HANDLER] = 392, [COST_KNOWN] = 2340,
	[COST_TOGETHER] = 1760, [COST_ACCESS] = 977,   [COST_SHAPE] = 2960,  [COST_OTHER] = 1130,
	[COST_ATOMIC] = 2490,   [COST_SOME] = 4830,    [COST_BRANCH] = 1800, [COST_LEFT_ROW] = 280,
	[COST_MERGED_ROW] = 16, [COST_DOUBLE_ROW] = 6,
};

/* Families whose meanings are long: halves are made of bits; approximations and conversions look at special values. */
static enum cost_part part_of(const char *meaning)
{
	static const struct {
		const char *file;
		enum cost_part part;
	} families[] = {{"/half.c:", COST_HALF},
			{"/convert_float.c:", COST_LONG},
			{"/approx.c:", COST_LONG},
			{"/convert.c:", COST_LONG}};

	for (u32 k = 0; k < COUNT_OF(families); k++)
		if (strstr(meaning, families[k].file))
			return families[k].part;
	return COST_INSN;
}

static bool of_doubles(const struct region_insn *i)
{
	bool found = false;

	for (u32 k = 0; k < i->operand_count; k++)
		found |= i->operands[k].bits == 64;
	return found && i->of_floats;
}

static void count_access(const struct region_insn *i, u64 parts[COST_PARTS])
{
	const u32 kind = i->proven & (u32)~PROVEN_SCALED;
	const bool steps = proven_is_step(i->proven);

	parts[COST_SOME] += i->merges;
	if (!i->moves) {
		parts[COST_ATOMIC]++;
		return;
	}
	if (kind == PROVEN_ROW || kind == PROVEN_SAME || steps) {
		parts[COST_KNOWN]++;
		return;
	}
	if (i->reach) {
		parts[COST_TOGETHER]++;
		return;
	}
	parts[COST_ACCESS]++;
	parts[COST_OTHER] += !i->shapes || i->shapes & SHAPE_OTHER;
	parts[COST_SHAPE] += (u64)__builtin_popcount(i->shapes & ~(SHAPE_KNOWN | SHAPE_OTHER));
}

static void count_insn(const struct region_insn *i, u64 parts[COST_PARTS])
{
	if (!i->meaning)
		parts[COST_HANDLER]++;
	else if (i->accesses)
		count_access(i, parts);
	else if (i->affine)
		parts[COST_AFFINE]++;
	else {
		parts[part_of(i->meaning)]++;
		parts[COST_DOUBLE] += of_doubles(i);
	}
}

/* Rows that a warp writes to the frame if it leaves before the instruction. */
static u32 rows_left(const struct region *r, const struct region_insn *i)
{
	u32 count = 0;

	for (u32 row = 0; i->live && (i->leaves || !i->ends_alone) && row < r->row_count; row++)
		count += r->rows[row].written && i->live[row / 64] >> row % 64 & 1;
	return count;
}

static u64 rows_written(const struct region *r)
{
	u64 count = 0;

	for (u32 row = 0; row < r->row_count; row++)
		count += r->rows[row].written;
	return count;
}

static void count_parts(const struct region *r, u64 parts[COST_PARTS])
{
	const u64 written = rows_written(r);
	u64 merges = 0;

	memset(parts, 0, COST_PARTS * sizeof *parts);
	parts[COST_REGION] = 1;
	for (u32 b = 0; b < r->block_count; b++) {
		const struct region_block *x = &r->blocks[b];
		parts[COST_BRANCH] += x->end == REGION_BRANCH && !x->uniform;
		for (u32 k = 0; k < x->insn_count; k++) {
			const struct region_insn *i = &x->insns[k];
			if (i->scales || i->hoisted)
				continue;
			count_insn(i, parts);
			merges += i->merges;
			parts[COST_LEFT_ROW] += rows_left(r, i);
		}
	}
	parts[COST_MERGED_ROW] = merges * written;
	parts[COST_DOUBLE_ROW] = parts[COST_DOUBLE] * written;
}

u64 regions_budget(const struct code_flow *f)
{
	enum { LEAST = 4000000, EACH = 1000 };

	return max_u64(LEAST, (u64)f->code->insn_count * EACH);
}

/* Of all together. */
static u64 find_costs(struct regions *all)
{
	u64 sum = 0;

	for (u32 k = 0; k < all->count; k++) {
		struct region *r = &all->items[k];
		count_parts(r, r->cost_parts);
		r->cost = 0;
		for (u32 part = 0; part < COST_PARTS; part++)
			r->cost += r->cost_parts[part] * prices[part];
		sum += r->cost;
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

	/* Of code in full the estimate may be four times too low, where many rows come together. */
	if (find_costs(&found) <= regions_budget(f) / 2)
		return found;
	found = regions_find(f, true);
	find_costs(&found);
	leave_some(f, &found);
	return found;
}
