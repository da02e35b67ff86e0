/* SPDX-License-Identifier: Apache-2.0
 *
 * Arenas: memory is zeroed, also when it is used again, and children go with their parents.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "main.h"

START_TEST(memory_is_zeroed_and_aligned)
{
	struct arena a;
	static const u8 zeros[5000];

	arena_init(&a, NULL);
	for (int round = 0; round < 3; round++) {
		for (size_t bytes = 1; bytes < sizeof zeros; bytes += 97) {
			u8 *p = arena_alloc(&a, bytes);
			ck_assert_uint_eq((uintptr_t)p % (bytes >= 64 ? 64 : 16), 0);
			ck_assert_int_eq(memcmp(p, zeros, bytes), 0);
			memset(p, 0xee, bytes);
		}
		arena_reset(&a);
	}
	arena_free(&a);
	arena_reset(&a);
	arena_free(&a);
}
END_TEST

START_TEST(reset_keeps_what_one_chunk_holds)
{
	struct arena a;

	arena_init(&a, NULL);
	for (int k = 0; k < 1000; k++)
		arena_alloc(&a, 1000);
	const size_t most = a.used_bytes;
	arena_reset(&a);
	ck_assert_uint_gt(a.used_bytes, 0);
	ck_assert_uint_lt(a.used_bytes, most);
	arena_free(&a);
	ck_assert_uint_eq(a.used_bytes, 0);
}
END_TEST

/* A leak checker sees what is left over. */
START_TEST(children_go_with_the_parent)
{
	struct arena a;

	arena_init(&a, NULL);
	struct arena *first = arena_child(&a), *second = arena_child(&a);
	memset(arena_alloc(first, 100000), 1, 100000);
	memset(arena_alloc(second, 10), 2, 10);
	arena_free(second);
	arena_free(&a);
}
END_TEST

/* They lie in memory that is now others'. */
START_TEST(reset_ends_children)
{
	struct arena a;

	arena_init(&a, NULL);
	memset(arena_alloc(arena_child(&a), 100000), 1, 100000);
	arena_reset(&a);
	memset(arena_alloc(&a, 3000), 0xee, 3000);
	arena_free(&a);
}
END_TEST

/* What no memory can hold unwinds, from children too. */
START_TEST(overflow_unwinds)
{
	struct arena a;
	jmp_buf out;
	volatile int unwound = 0;

	arena_init(&a, &out);
	if (setjmp(out)) {
		unwound++;
	} else {
		arena_array(arena_child(&a), SIZE_MAX / 2, 3);
		ck_abort_msg("no memory is that large");
	}
	arena_free(&a);
	ck_assert_int_eq(unwound, 1);
}
END_TEST

UNIT_TESTS("arena", 0)
{
	UNIT_TEST(memory_is_zeroed_and_aligned);
	UNIT_TEST(reset_keeps_what_one_chunk_holds);
	UNIT_TEST(children_go_with_the_parent);
	UNIT_TEST(reset_ends_children);
	UNIT_TEST(overflow_unwinds);
}
