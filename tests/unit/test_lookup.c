/* SPDX-License-Identifier: Apache-2.0
 *
 * Lookups: what was added is found, in its order, whatever the keys.
 */
#include <check.h>
#include <stdlib.h>

#include "base/lookup.h"
#include "main.h"

enum { ITEMS = 5000 };

/* Items of one key, and of keys that share their low or high bits. */
static u64 key_of(u32 item, u32 keys, u32 shift) { return (u64)(item % keys) << shift; }

static void try_keys(u32 keys, u32 shift)
{
	struct arena arena;
	struct lookup l = {0};
	u32 at;

	arena_init(&arena, NULL);
	for (u32 k = 0; k < ITEMS; k++)
		lookup_add(&arena, &l, key_of(k, keys, shift), k);
	for (u32 first = 0; first < keys; first++) {
		const u64 key = key_of(first, keys, shift);
		ck_assert_uint_eq(lookup_find(&l, key), first);
		u32 found = lookup_first(&l, key, &at);
		for (u32 k = first; k < ITEMS; k += keys, found = lookup_next(&l, key, &at))
			ck_assert_uint_eq(found, k);
		ck_assert_uint_eq(found, LOOKUP_NONE);
	}
	ck_assert_uint_eq(lookup_find(&l, (u64)keys << shift), LOOKUP_NONE);
	arena_free(&arena);
}

START_TEST(test_empty)
{
	const struct lookup l = {0};

	ck_assert_uint_eq(lookup_find(&l, 0), LOOKUP_NONE);
}
END_TEST

START_TEST(test_order)
{
	static const u32 shifts[] = {0, 4, 12, 32, 44};

	for (size_t k = 0; k < COUNT_OF(shifts); k++) {
		try_keys(1, shifts[k]);
		try_keys(7, shifts[k]);
		try_keys(1000, shifts[k]);
	}
}
END_TEST

UNIT_TESTS("lookup", 0)
{
	UNIT_TEST(test_empty);
	UNIT_TEST(test_order);
}
