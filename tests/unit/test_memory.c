/* SPDX-License-Identifier: Apache-2.0
 *
 * Allocations by their addresses: random ones that are made and released, of sizes that reach over several earlier ones,
 * against a list of who owns each page.
 */
#include <check.h>
#include <string.h>

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

UNIT_TESTS("memory", 60) { UNIT_TEST(are_found_by_address); }
