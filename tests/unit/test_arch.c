/* SPDX-License-Identifier: Apache-2.0
 *
 * The architecture table: names, order, figures that must hold together, which target runs
 * where, and the occupancy calculator against figures worked out by hand from its rules.
 */
#include "arch/arch.h"
#include "arch/device.h"
#include "main.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

START_TEST(finds_by_either_name)
{
	ck_assert_str_eq(arch_find("sm_90a")->name, "sm_90a");
	ck_assert_str_eq(arch_find("compute_90")->name, "sm_90");
	ck_assert_int_eq(arch_find("compute_121f")->suffix, 'f');
	ck_assert_ptr_null(arch_find("sm_9"));
	ck_assert_ptr_null(arch_find("sm_90b"));
	ck_assert_ptr_null(arch_find("90"));
	ck_assert_ptr_null(arch_find(""));
	ck_assert_ptr_null(arch_row(arch_rows()));
}
END_TEST

START_TEST(rows_hold_together)
{
	for (size_t i = 0; i < arch_rows(); i++) {
		const struct arch *a = arch_row(i);
		char number[16];

		snprintf(number, sizeof number, "sm_%u%.1s", a->cc, a->suffix ? &a->suffix : "");
		ck_assert_str_eq(a->name, number);
		ck_assert_ptr_eq(arch_find(a->name), a);
		ck_assert(i == 0 || arch_row(i - 1)->cc <= a->cc);
		ck_assert(a->ptx_version >= 10 && a->ptx_version <= 90);
		ck_assert(a->banks * a->bank_bytes == (a->cc < 20 ? 64 : a->cc / 10 == 3 ? 256 : 128));
		ck_assert(a->shared_block <= a->shared_block_optin);
		ck_assert(a->shared_block_optin <= a->shared_sm);
		ck_assert(a->max_threads_block <= a->max_warps_sm * 32);
		ck_assert((a->divergence == ARCH_INDEPENDENT) == (a->cc >= 70));
		ck_assert((a->max_cluster > 0) == (a->cc >= 90));
		ck_assert((a->l1_bytes > 0) == (a->cc >= 20));
		ck_assert(!a->l1_unified || a->l1_bytes >= a->shared_sm);
		ck_assert(a->max_block[0] == a->max_threads_block);
	}
}
END_TEST

START_TEST(knows_which_target_runs_where)
{
	static const struct {
		const char *gpu, *code;
		bool runs;
	} cases[] = {
		{"sm_90", "sm_20", true},     {"sm_20", "sm_90", false},   {"sm_90", "sm_90a", true},
		{"sm_100", "sm_90a", false},  {"sm_103", "sm_100f", true}, {"sm_100", "sm_103f", false},
		{"sm_110", "sm_100f", false}, {"sm_110", "sm_101f", true}, {"sm_121", "sm_120f", true},
		{"sm_120", "sm_100f", false},
	};
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		ck_assert_msg(arch_runs(arch_find(cases[i].gpu), arch_find(cases[i].code)) == cases[i].runs, "%s on %s",
			      cases[i].code, cases[i].gpu);
}
END_TEST

START_TEST(computes_occupancy)
{
	static const struct {
		const char *arch;
		u32 threads, registers, shared, blocks;
		enum arch_limit limit;
	} cases[] = {
		/* 8 warps a block, 64 on an SM */
		{"sm_90", 256, 32, 0, 8, ARCH_LIMIT_WARPS},
		{"sm_90", 32, 32, 0, 32, ARCH_LIMIT_BLOCKS},
		/* 255 registers: 8192 a warp, two warps in each quarter of 16384 */
		{"sm_90", 128, 255, 0, 2, ARCH_LIMIT_REGISTERS},
		{"sm_90", 1024, 65, 0, 0, ARCH_LIMIT_REGISTERS},
		/* 100 KiB + 1 KiB reserved: two in 228 */
		{"sm_90", 128, 32, 100 * 1024, 2, ARCH_LIMIT_SHARED},
		{"sm_90", 128, 32, 227 * 1024, 1, ARCH_LIMIT_SHARED},
		{"sm_90", 128, 32, 228 * 1024, 0, ARCH_LIMIT_SHARED},
		{"sm_90", 1025, 32, 0, 0, ARCH_LIMIT_WARPS},
		{"sm_86", 256, 40, 0, 6, ARCH_LIMIT_WARPS},
		{"sm_75", 1024, 32, 0, 1, ARCH_LIMIT_WARPS},
		/* two schedulers: 20 registers are 640 a warp, 25 warps a half, 50 in all */
		{"sm_20", 192, 20, 0, 8, ARCH_LIMIT_WARPS},
		{"sm_20", 192, 32, 0, 5, ARCH_LIMIT_REGISTERS},
		{"sm_20", 192, 16, 20000, 2, ARCH_LIMIT_SHARED},
		{"sm_20", 32, 64, 0, 0, ARCH_LIMIT_REGISTERS},
		/* a block of 256 threads with 10 registers takes 2560 of 8192 */
		{"sm_10", 256, 10, 0, 3, ARCH_LIMIT_WARPS},
		{"sm_10", 256, 11, 0, 2, ARCH_LIMIT_REGISTERS},
		{"sm_13", 256, 16, 4000, 3, ARCH_LIMIT_SHARED},
		/* 2 x 5 warps of 5632 would fit, but not on 6.1, which has 4 sub-partitions */
		{"sm_60", 288, 169, 0, 0, ARCH_LIMIT_REGISTERS},
		{"sm_35", 256, 33, 0, 6, ARCH_LIMIT_REGISTERS},
	};
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct arch_occupancy o =
			arch_occupancy(arch_find(cases[i].arch), cases[i].threads, cases[i].registers, cases[i].shared);
		ck_assert_msg(o.blocks == cases[i].blocks && o.limit == cases[i].limit, "case %zu: %u blocks by %s", i,
			      o.blocks, arch_limit_name(o.limit));
		ck_assert_uint_eq(o.warps, o.blocks * ((cases[i].threads + 31) / 32));
	}
}
END_TEST

START_TEST(splits_the_first_level)
{
	ck_assert_uint_eq(arch_l1_bytes(arch_find("sm_90"), 100 * 1024), 156 * 1024);
	ck_assert_uint_eq(arch_l1_bytes(arch_find("sm_20"), 48 * 1024), 16 * 1024);
	ck_assert_uint_eq(arch_l1_bytes(arch_find("sm_52"), 96 * 1024), 48 * 1024);
	ck_assert_uint_eq(arch_l1_bytes(arch_find("sm_10"), 16 * 1024), 0);
}
END_TEST

/* Attributes of products that are put together from the target's row and the product's figures, as NVIDIA documents them. */
START_TEST(devices_have_attributes)
{
	static const struct {
		const char *device;
		int number;
		s32 value;
	} known[] = {
		{"t4", 1, 1024},       {"t4", 2, 1024},         {"t4", 4, 64},        {"t4", 5, 2147483647},
		{"t4", 7, 65535},      {"t4", 8, 49152},        {"t4", 12, 65536},    {"t4", 13, 1590000},
		{"t4", 16, 40},        {"t4", 36, 5001000},     {"t4", 37, 256},      {"t4", 38, 4 << 20},
		{"t4", 39, 1024},      {"t4", 40, 3},           {"t4", 75, 7},        {"t4", 76, 5},
		{"t4", 82, 65536},     {"t4", 87, 32},          {"t4", 97, 65536},    {"t4", 106, 16},
		{"t4", 108, 0},        {"t4", 109, 0},          {"t4", 111, 0},       {"t4", 120, 0},
		{"a100", 16, 108},     {"a100", 75, 8},         {"a100", 76, 0},      {"a100", 81, 167936},
		{"a100", 97, 166912},  {"a100", 106, 32},       {"a100", 111, 1024},  {"rtx4090", 16, 128},
		{"rtx4090", 39, 1536}, {"rtx4090", 97, 101376}, {"rtx4090", 106, 24}, {"rtx4090", 88, 0},
		{"h200", 16, 132},     {"h200", 75, 9},         {"h200", 120, 1},
	};
	s32 value;

	for (size_t k = 0; k < COUNT_OF(known); k++) {
		const struct device *d = device_find(known[k].device);
		ck_assert_ptr_nonnull(d);
		ck_assert(device_attribute(d, known[k].number, &value));
		ck_assert_msg(value == known[k].value, "%s, attribute %d: %d, not %d", known[k].device, known[k].number,
			      value, known[k].value);
	}
	ck_assert(!device_attribute(device_find("t4"), 0, &value));
	ck_assert(!device_attribute(device_find("t4"), DEVICE_ATTRIBUTES + 1, &value));
	ck_assert_ptr_eq(device_find("sm_89"), device_find("rtx4090"));
	ck_assert_ptr_null(device_find("gtx1"));
}
END_TEST

UNIT_TESTS("arch", 0)
{
	UNIT_TEST(finds_by_either_name);
	UNIT_TEST(rows_hold_together);
	UNIT_TEST(knows_which_target_runs_where);
	UNIT_TEST(computes_occupancy);
	UNIT_TEST(splits_the_first_level);
	UNIT_TEST(devices_have_attributes);
}
