/* SPDX-License-Identifier: Apache-2.0
 *
 * Accounting of global, local and constant memory for 9.0 against what Nsight Compute read on an
 * H200. The rules of earlier generations are in test_sectors_old.c.
 */
#include "memory/sectors.h"
#include "memory/copies.h"
#include "recorded.h"
#include "main.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

/* "gld_b32", "gst_cg_v4", "gatom_add_u64", "cpa_g_ca16", "loc_b64": kind and width by name. */
static bool global_kernel(const char *kernel, struct sector_access *a)
{
	static const struct {
		const char *prefix;
		enum sector_kind kind;
	} kinds[] = {
		{"gld_", SECTOR_LOAD},   {"gst_", SECTOR_STORE}, {"gatom_cas_", SECTOR_ATOM_CAS},
		{"gatom_", SECTOR_ATOM}, {"gred_", SECTOR_RED},  {"cpa_g_ca", SECTOR_ASYNC},
	};
	static const struct {
		const char *suffix;
		u32 width;
	} widths[] = {
		{"v2b64", 16}, {"v4", 16}, {"v2", 8},    {"64", 8}, {"ca8", 8},
		{"ca4", 4},    {"b8", 1},  {"f16x2", 4}, {"16", 2}, {"", 4},
	};
	size_t length = strlen(kernel);

	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		if (strncmp(kernel, kinds[i].prefix, strlen(kinds[i].prefix)) != 0)
			continue;
		a->kind = kinds[i].kind;
		for (size_t w = 0; w < COUNT_OF(widths); w++) {
			size_t n = strlen(widths[w].suffix);

			if (length < n || strcmp(kernel + length - n, widths[w].suffix) != 0)
				continue;
			a->width = strncmp(kernel, "cpa", 3) == 0 && widths[w].width == 2 ? 16 : widths[w].width;
			return true;
		}
	}
	return false;
}

static void add_up(struct sector_count *t, const struct sector_count *n)
{
	t->requests += n->requests;
	t->sectors += n->sectors;
	t->ideal_sectors += n->ideal_sectors;
	t->lines += n->lines;
	t->tag_wavefronts += n->tag_wavefronts;
	t->data_reads += n->data_reads;
	t->data_writes += n->data_writes;
	t->data_conflicts += n->data_conflicts;
	t->touched_sectors += n->touched_sectors;
	t->touched_lines += n->touched_lines;
}

/* The recorded copies go to lanes side by side in shared memory. */
static u32 copy_conflicts(const struct arch *arch, const struct sector_access *a, const u64 address[WARP_LANES])
{
	struct copy_count n;
	u32 shared[WARP_LANES];

	for (u32 l = 0; l < WARP_LANES; l++)
		shared[l] = l * a->width;
	copies_count(arch, a->width, a->mask, 0, address, shared, &n);
	return n.conflicts + n.data_conflicts;
}

static struct sector_count count_launch(const struct recorded_case *c, struct sector_access *a)
{
	const struct arch *arch = arch_find("sm_90");
	struct sector_count total = {0};

	a->mask = c->mask;
	for (u32 w = 0; w < c->warps; w++) {
		struct sector_count n;
		u64 address[WARP_LANES];

		for (u32 l = 0; l < WARP_LANES; l++)
			address[l] = 0x7f0000000000ull + c->table[l] + (u64)w * c->wstride;
		sectors_count_global(arch, a, address, &n, NULL);
		if (a->kind == SECTOR_ASYNC)
			n.data_conflicts = (u16)copy_conflicts(arch, a, address);
		add_up(&total, &n);
	}
	return total;
}

static void compare_op(struct recorded_score *s, const struct recorded_case *c, const char *space, const char *op,
		       const struct sector_count *n)
{
	char metric[96];

	snprintf(metric, sizeof metric, "l1tex__t_requests_pipe_lsu_mem_%s_op_%s.sum", space, op);
	recorded_compare(s, c, metric, n->requests);
	snprintf(metric, sizeof metric, "l1tex__t_sectors_pipe_lsu_mem_%s_op_%s.sum", space, op);
	recorded_compare(s, c, metric, n->sectors);
	snprintf(metric, sizeof metric, "l1tex__t_output_wavefronts_pipe_lsu_mem_%s_op_%s.sum", space, op);
	recorded_compare(s, c, metric, n->tag_wavefronts);
}

#define DATA "l1tex__data_pipe_lsu_wavefronts_mem_lgds"

static void compare_global(struct recorded_score *s, const struct recorded_case *c, const struct sector_access *a,
			   const struct sector_count *n)
{
	static const char *const ops[] = {
		[SECTOR_LOAD] = "ld",
		[SECTOR_STORE] = "st",
		[SECTOR_RED] = "red",
		[SECTOR_ATOM] = "atom",
		[SECTOR_ATOM_CAS] = "atom",
		[SECTOR_ATOM_HALF] = "atom",
		[SECTOR_ATOM_HALF_CAS] = "atom",
		[SECTOR_ASYNC] = "ld",
		[SECTOR_ASYNC_BYPASS] = "ld",
	};
	static const char *const all_ops[] = {"ld", "st", "red", "atom"};
	static const struct sector_count none;

	if (c->warps == 1) {
		for (size_t i = 0; i < COUNT_OF(all_ops); i++)
			compare_op(s, c, "global", all_ops[i], strcmp(ops[a->kind], all_ops[i]) == 0 ? n : &none);
		compare_op(s, c, "global", "ldgsts_cache_access", a->kind == SECTOR_ASYNC ? n : &none);
		recorded_compare(s, c, DATA ".sum", n->data_reads + n->data_writes);
		recorded_compare(s, c, DATA "_cmd_read.sum", n->data_reads);
		recorded_compare(s, c, DATA "_cmd_write.sum", n->data_writes);
		recorded_compare(s, c, "l1tex__data_bank_conflicts_pipe_lsu.sum", n->data_conflicts);
	}
	recorded_compare(s, c, "memory_l2_theoretical_sectors_global", n->touched_sectors);
	recorded_compare(s, c, "memory_l2_theoretical_sectors_global_ideal", n->ideal_sectors);
	recorded_compare(s, c, "memory_l1_tag_requests_global", n->touched_lines);
}

START_TEST(global_equals_the_recordings)
{
	struct recorded_score score = {0};
	u32 patterns = 0;

	recorded_load();
	for (size_t i = 0; i < recorded_cases(); i++) {
		const struct recorded_case *c = recorded_case(i);
		struct sector_access a = {0};

		if (!global_kernel(c->kernel, &a))
			continue;
		struct sector_count n = count_launch(c, &a);
		compare_global(&score, c, &a, &n);
		patterns++;
	}
	ck_assert_uint_gt(patterns, 500);
	ck_assert(recorded_finish(&score, "global memory"));
	ck_assert_uint_le(score.known, 127);
}
END_TEST

/* Each loc_ kernel stores to the table's offset, then loads from `wstride` further. */
static void compare_local(struct recorded_score *s, const struct recorded_case *c, u32 width)
{
	const struct arch *arch = arch_find("sm_90");
	struct sector_access a = {SECTOR_STORE, width, c->mask, false, false};
	struct sector_count store, load;
	u32 loaded[WARP_LANES];

	sectors_count_local(arch, &a, c->table, &store);
	a.kind = SECTOR_LOAD;
	for (u32 l = 0; l < WARP_LANES; l++)
		loaded[l] = c->table[l] + c->wstride;
	sectors_count_local(arch, &a, loaded, &load);
	compare_op(s, c, "local", "st", &store);
	compare_op(s, c, "local", "ld", &load);
	recorded_compare(s, c, "memory_l2_theoretical_sectors_local", store.sectors + load.sectors);
}

START_TEST(local_equals_the_recordings)
{
	static const struct {
		const char *kernel;
		u32 width;
	} kernels[] = {{"loc_b8", 1}, {"loc_b16", 2}, {"loc_b32", 4}, {"loc_b64", 8}, {"loc_b128", 16}};
	struct recorded_score score = {0};

	recorded_load();
	for (size_t i = 0; i < recorded_cases(); i++)
		for (size_t k = 0; k < COUNT_OF(kernels); k++)
			if (strcmp(recorded_case(i)->kernel, kernels[k].kernel) == 0)
				compare_local(&score, recorded_case(i), kernels[k].width);
	ck_assert(recorded_finish(&score, "local memory"));
	/* By where the launch's frames lay: one of the places is what is counted. */
	ck_assert_uint_le(score.known, 93);
}
END_TEST

/* Each const_ kernel reads two parameters, uniformly, besides its indexed load. */
START_TEST(constant_equals_the_recordings)
{
	struct recorded_score score = {0};

	recorded_load();
	for (size_t i = 0; i < recorded_cases(); i++) {
		const struct recorded_case *c = recorded_case(i);
		u64 address[WARP_LANES];

		if (strncmp(c->kernel, "const_b", 7) != 0)
			continue;
		for (u32 l = 0; l < WARP_LANES; l++)
			address[l] = c->table[l];
		u32 n = strcmp(c->kernel, "const_base") == 0
				? 0
				: sectors_count_constant(arch_find("sm_90"), c->mask, address);
		recorded_compare(&score, c, "idc__requests.sum", n + 2);
		recorded_compare(&score, c, "sm__idc_divergent_instruction_replays.sum", n ? n - 1 : 0);
		recorded_compare(&score, c, "sm__idc_divergent_instructions.sum", n > 1);
	}
	ck_assert(recorded_finish(&score, "constant memory"));
}
END_TEST

/* A line at a single bit of the address met one in each of the other banks or not, as recorded. */
START_TEST(tag_banks_of_single_bits)
{
	static const u8 banks[] = {[14] = 1, [15] = 2, [16] = 3, [17] = 2, [18] = 3, [19] = 1,
				   [20] = 3, [21] = 1, [22] = 2, [23] = 3, [24] = 1, [25] = 3};

	for (u32 bit = 14; bit < COUNT_OF(banks); bit++)
		ck_assert_uint_eq(sectors_tag_bank(1u << bit), banks[bit]);
}
END_TEST

UNIT_TESTS("sectors", 0)
{
	UNIT_TEST(global_equals_the_recordings);
	UNIT_TEST(local_equals_the_recordings);
	UNIT_TEST(constant_equals_the_recordings);
	UNIT_TEST(tag_banks_of_single_bits);
}
