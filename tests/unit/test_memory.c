/* SPDX-License-Identifier: Apache-2.0
 *
 * Allocations by their addresses: random ones that are made and released, of sizes that reach over several earlier ones,
 * against a list of who owns each page. And their bytes, which come from the system in pages of two sizes.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "memory/guest_bytes.h"
#include "memory/memory.h"
#include "main.h"

enum { SEQUENCES = 40, STEPS = 400, PAGES = 64, PAGE = 4096 };

static const u64 FIRST = 1 << 20;

static u64 draw(u64 *state, u64 below)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (*state >> 11) % below;
}

static bool is_free(const u32 *owners, u32 first, u32 count)
{
	for (u32 k = first; k < first + count; k++)
		if (owners[k])
			return false;
	return true;
}

/* Makes one where it fits; where it does not, it must be refused. */
static void make(struct memory *m, u32 *owners, u64 *state)
{
	static u8 bytes[PAGES * PAGE];
	const u32 count = 1 + (u32)draw(state, 8), first = (u32)draw(state, PAGES - count);
	const bool fits = is_free(owners, first, count);

	ck_assert_int_eq(memory_map(m, FIRST + first * PAGE, (u64)count * PAGE, bytes + first * PAGE, "a", 0), fits);
	for (u32 k = first; fits && k < first + count; k++)
		owners[k] = first + 1;
}

static void release(struct memory *m, u32 *owners, u64 *state)
{
	const u32 page = (u32)draw(state, PAGES), owner = owners[page];

	ck_assert_int_eq(memory_release(m, FIRST + page * PAGE), owner == page + 1);
	for (u32 k = page; owner == page + 1 && k < PAGES && owners[k] == owner; k++)
		owners[k] = 0;
}

static void run_sequence(u64 seed)
{
	u64 state = seed * 0x9e3779b97f4a7c15 + 1;
	u32 owners[PAGES] = {0}; /* the first page of the allocation that has it, plus 1 */
	struct memory m;

	memory_init(&m, FIRST, FIRST << 10, (u64)1 << 40, BOUNDS_OBJECT);
	for (u32 step = 0; step < STEPS; step++) {
		if (draw(&state, 2))
			make(&m, owners, &state);
		else
			release(&m, owners, &state);
		for (u32 k = 0; k < PAGES; k++) {
			struct allocation a;
			const bool there = memory_look(&m, FIRST + k * PAGE + 8, 4, &a);
			ASSERT_EACH(there == (owners[k] != 0) && (!there || a.base == FIRST + (owners[k] - 1) * PAGE),
				    "sequence %u, step %u: page %u is found %d, but has owner %u", (u32)seed, step, k,
				    there, owners[k]);
		}
	}
	memory_free(&m);
}

START_TEST(are_found_by_address)
{
	for (u32 k = 0; k < SEQUENCES; k++)
		run_sequence(k);
}
END_TEST

/* How many pages the process has mapped; 0: the system does not say. */
static unsigned long mapped_pages(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	unsigned long pages = 0;

	if (!f)
		return 0;
	if (fscanf(f, "%lu", &pages) != 1)
		pages = 0;
	fclose(f);
	return pages;
}

static void check_bytes(u64 size)
{
	u8 *bytes = guest_bytes_new(size);
	const u64 all = size + GUEST_BYTES_SLACK;

	ck_assert_ptr_nonnull(bytes);
	ck_assert_uint_eq((uintptr_t)bytes % 64, 0);
	for (u64 k = 0; k < all; k += k + 5000 < all ? 4096 : 1)
		ck_assert_msg(!bytes[k], "byte %llu of %llu", (unsigned long long)k, (unsigned long long)size);
	memset(bytes, 0xff, size);
	guest_bytes_free(bytes, size);
}

/* Also those that an earlier allocation has had, and one byte more or less than a page takes. */
START_TEST(bytes_are_zero_and_given_back)
{
	static const u64 sizes[] = {1,       4096,           (1 << 20) - 64, (1 << 20) - 63, 1 << 20, (2 << 20) - 64,
				    2 << 20, (3 << 20) - 65, (3 << 20) - 64, 3 << 20,        5000001, (64 << 20) + 7};
	unsigned long before = 0;

	for (u32 round = 0; round < 8; round++) {
		for (size_t k = 0; k < COUNT_OF(sizes); k++)
			check_bytes(sizes[k]);
		if (round == 5) /* a sanitizer holds back what is released, but not for ever */
			before = mapped_pages();
	}
	ck_assert_uint_le(mapped_pages(), before + 16);
	ck_assert_ptr_null(guest_bytes_new(UINT64_MAX));
	ck_assert_ptr_null(guest_bytes_new(UINT64_MAX - (2 << 20)));
}
END_TEST

UNIT_TESTS("memory", 60)
{
	UNIT_TEST(are_found_by_address);
	UNIT_TEST(bytes_are_zero_and_given_back);
}
