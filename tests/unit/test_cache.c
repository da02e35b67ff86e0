/* SPDX-License-Identifier: Apache-2.0
 *
 * The cache estimate: hits by sector, replacement, the three write policies, and a warp's way
 * through two levels.
 */
#include "memory/cache.h"
#include "main.h"

#include <check.h>

static struct arena arena;

static void setup(void) { arena_init(&arena, NULL); }

static void teardown(void) { arena_free(&arena); }

START_TEST(hits_by_sector)
{
	struct cache c;
	struct cache_count n = {0};

	cache_init(&c, &arena, 4096, 4, 128, 32, CACHE_WRITE_BACK);
	ck_assert_uint_eq(cache_access(&c, 0, 0x3, false, &n), 0x3);
	ck_assert_uint_eq(cache_access(&c, 0, 0x7, false, &n), 0x4);
	ck_assert_uint_eq(cache_access(&c, 0, 0xf, false, &n), 0x8);
	ck_assert_uint_eq(cache_access(&c, 128, 0x1, false, &n), 0x1);
	ck_assert_uint_eq(n.read_hits, 5);
	ck_assert_uint_eq(n.read_misses, 5);
	cache_clear(&c);
	ck_assert_uint_eq(cache_access(&c, 0, 0x1, false, &n), 0x1);
}
END_TEST

START_TEST(replaces_the_longest_unused)
{
	struct cache c;
	struct cache_count n = {0};

	/* One set of two ways. */
	cache_init(&c, &arena, 256, 2, 128, 32, CACHE_WRITE_BACK);
	cache_access(&c, 0, 1, false, &n);
	cache_access(&c, 128, 1, true, &n);
	cache_access(&c, 0, 1, false, &n);
	ck_assert_uint_eq(n.written_back, 0);
	cache_access(&c, 256, 1, false, &n);
	ck_assert_uint_eq(n.written_back, 1);
	ck_assert_uint_eq(cache_access(&c, 0, 1, false, &n), 0);
	ck_assert_uint_eq(cache_access(&c, 128, 1, false, &n), 1);
}
END_TEST

START_TEST(writes_by_policy)
{
	struct cache c;
	struct cache_count n = {0};

	cache_init(&c, &arena, 4096, 4, 128, 32, CACHE_WRITE_EVICT);
	cache_access(&c, 0, 0xf, false, &n);
	ck_assert_uint_eq(cache_access(&c, 0, 0x1, true, &n), 0x1);
	ck_assert_uint_eq(cache_access(&c, 0, 0x3, false, &n), 0x1);

	cache_init(&c, &arena, 4096, 4, 128, 32, CACHE_WRITE_THROUGH);
	cache_access(&c, 0, 0xf, false, &n);
	ck_assert_uint_eq(cache_access(&c, 0, 0x1, true, &n), 0x1);
	ck_assert_uint_eq(cache_access(&c, 0, 0x3, false, &n), 0);
	ck_assert_uint_eq(cache_access(&c, 128, 0x1, true, &n), 0x1);
	ck_assert_uint_eq(cache_access(&c, 128, 0x1, false, &n), 0x1);

	cache_init(&c, &arena, 4096, 4, 128, 32, CACHE_WRITE_BACK);
	ck_assert_uint_eq(cache_access(&c, 128, 0x1, true, &n), 0);
	ck_assert_uint_eq(cache_access(&c, 128, 0x1, false, &n), 0);
}
END_TEST

START_TEST(an_empty_cache_always_misses)
{
	struct cache c;
	struct cache_count n = {0};

	cache_init_l1(&c, &arena, arch_find("sm_10"), 0);
	cache_access(&c, 0, 0xf, false, &n);
	ck_assert_uint_eq(cache_access(&c, 0, 0xf, false, &n), 0xf);
	ck_assert_uint_eq(cache_access(&c, 0, 0xf, true, &n), 0xf);
	ck_assert_uint_eq(n.read_hits + n.write_hits, 0);
}
END_TEST

START_TEST(warps_go_through_both_levels)
{
	const struct arch *arch = arch_find("sm_90");
	struct sector_access load = {SECTOR_LOAD, 4, FULL_MASK, true, false};
	struct sector_access store = {SECTOR_STORE, 4, FULL_MASK, true, false};
	struct sector_access red = {SECTOR_RED, 4, FULL_MASK, true, false};
	struct cache_count n1 = {0}, n2 = {0};
	struct cache l1, l2;
	u64 address[WARP_LANES];

	cache_init_l1(&l1, &arena, arch, 228 * 1024);
	cache_init_l2(&l2, &arena, arch);
	for (u32 l = 0; l < WARP_LANES; l++)
		address[l] = 0x10000 + 4 * l;
	cache_warp(&l1, &l2, &load, true, address, &n1, &n2);
	ck_assert_uint_eq(n1.read_misses, 4);
	ck_assert_uint_eq(n2.read_misses, 4);
	cache_warp(&l1, &l2, &load, true, address, &n1, &n2);
	ck_assert_uint_eq(n1.read_hits, 4);
	ck_assert_uint_eq(n2.read_hits + n2.read_misses, 4);
	cache_warp(&l1, &l2, &load, false, address, &n1, &n2);
	ck_assert_uint_eq(n2.read_hits, 4);
	cache_warp(&l1, &l2, &store, true, address, &n1, &n2);
	ck_assert_uint_eq(n2.write_hits, 4);
	ck_assert_uint_eq(n1.write_hits, 4);
	/* An atomic works at the second level and drops what the first level holds. */
	cache_warp(&l1, &l2, &red, true, address, &n1, &n2);
	cache_warp(&l1, &l2, &load, true, address, &n1, &n2);
	ck_assert_uint_eq(n1.read_misses, 8);
	/* Strided lanes: a line each. */
	for (u32 l = 0; l < WARP_LANES; l++)
		address[l] = 0x80000 + 4096 * l;
	cache_warp(NULL, &l2, &load, true, address, NULL, &n2);
	ck_assert_uint_eq(n2.read_misses, 36);
	cache_warp(NULL, &l2, &load, true, address, NULL, &n2);
	ck_assert_uint_eq(n2.read_misses, 36);
}
END_TEST

/* A working set that fits stays; one twice as large, walked in order, never hits. */
START_TEST(capacity_shows)
{
	struct cache c;
	struct cache_count n = {0};

	cache_init(&c, &arena, 16384, 4, 128, 32, CACHE_WRITE_THROUGH);
	for (u32 round = 0; round < 3; round++)
		for (u64 a = 0; a < 16384; a += 128)
			cache_access(&c, a, 0xf, false, &n);
	ck_assert_uint_eq(n.read_misses, 128 * 4);
	n = (struct cache_count){0};
	cache_clear(&c);
	for (u32 round = 0; round < 3; round++)
		for (u64 a = 0; a < 32768; a += 128)
			cache_access(&c, a, 0xf, false, &n);
	ck_assert_uint_eq(n.read_hits, 0);
}
END_TEST

UNIT_TESTS("cache", 0)
{
	tcase_add_checked_fixture(unit, setup, teardown);
	UNIT_TEST(hits_by_sector);
	UNIT_TEST(replaces_the_longest_unused);
	UNIT_TEST(writes_by_policy);
	UNIT_TEST(an_empty_cache_always_misses);
	UNIT_TEST(warps_go_through_both_levels);
	UNIT_TEST(capacity_shows);
}
