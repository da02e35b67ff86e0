/* SPDX-License-Identifier: Apache-2.0
 *
 * Sets of threads against tables that have a time for each thread.
 */
#include "observe/race_sets.h"

#include <string.h>

#include "main.h"

/* Blocks are APART, so that sets have several larger parts. */
enum { BLOCKS = 40, APART = 13, WARPS = 2, LANES = 32, SETS = 24, STEPS = 6000, LATEST = 1000 };

/* Up to when a set covers each thread, and its reads. */
struct table {
	u32 time[2][BLOCKS][WARPS][LANES];
};

struct tried {
	struct arena arena;
	struct race_sets sets;
	struct race_set *set[SETS];
	struct table table[SETS];
	u32 random;
};

static u32 any(struct tried *t, u32 below)
{
	t->random = t->random * 1664525 + 1013904223;
	return (t->random >> 8) % below;
}

static void begin(struct tried *t)
{
	memset(t, 0, sizeof *t);
	arena_init(&t->arena, NULL);
	t->sets.arena = &t->arena;
	t->random = 1;
}

static void raise_to(u32 *to, u32 time) { *to = max_u32(*to, time); }

/* The first half are neighbours. */
static u32 number_of(u32 block) { return block < BLOCKS / 2 ? block : block * APART; }

/* Adds something of one block to the set. */
static void add_simple(struct tried *t, u32 at)
{
	const u32 block = any(t, BLOCKS), warp = any(t, WARPS), lane = any(t, LANES), time = 1 + any(t, LATEST);
	const u32 times[WARPS] = {time, 1 + any(t, LATEST)}, mask = 1u << lane | 1u << any(t, LANES);
	const u32 kind = any(t, 6), number = number_of(block);
	struct race_set *s = kind < 4    ? race_set_of_warps(&t->sets, number, times, WARPS)
			     : kind == 4 ? race_set_of_lanes(&t->sets, number, warp, mask, time)
					 : race_set_of_thread(&t->sets, number, warp, lane, time);

	for (u32 w = 0; w < WARPS; w++)
		for (u32 l = 0; l < LANES; l++) {
			const bool of_lanes = w == warp && (kind == 4 ? mask >> l & 1 : l == lane);
			if (kind < 4 || of_lanes)
				raise_to(&t->table[at].time[0][block][w][l], kind < 4 ? times[w] : time);
		}
	race_set_add(&t->sets, &t->set[at], s);
	race_set_drop(&t->sets, s);
}

static void join(struct tried *t, u32 at, u32 with)
{
	u32 *to = &t->table[at].time[0][0][0][0];
	const u32 *from = &t->table[with].time[0][0][0][0];

	race_set_add(&t->sets, &t->set[at], t->set[with]);
	for (size_t k = 0; k < sizeof(struct table) / sizeof *to; k++)
		raise_to(&to[k], from[k]);
}

static void become_reads(struct tried *t, u32 at)
{
	const size_t half = sizeof t->table[at].time[0] / sizeof(u32);
	u32 *whole = &t->table[at].time[0][0][0][0], *reads = whole + half;

	race_set_put(&t->sets, &t->set[at], race_set_reads(&t->sets, t->set[at]));
	for (size_t k = 0; k < half; k++) {
		raise_to(&reads[k], whole[k]);
		whole[k] = 0;
	}
}

static void forget(struct tried *t, u32 at)
{
	race_set_put(&t->sets, &t->set[at], NULL);
	memset(&t->table[at], 0, sizeof t->table[at]);
}

typedef bool covering(const struct race_set *, u32, u32, u32, u32);

static bool covers_just(covering *covers, const struct race_set *s, u32 block, u32 warp, u32 lane, u32 time)
{
	return (!time || covers(s, number_of(block), warp, lane, time)) &&
	       !covers(s, number_of(block), warp, lane, time + 1);
}

static bool is_as_its_table(const struct tried *t, u32 at)
{
	const struct table *x = &t->table[at];
	bool is = true;

	for (u32 b = 0; b < BLOCKS; b++)
		for (u32 w = 0; w < WARPS; w++)
			for (u32 l = 0; l < LANES; l++)
				is = is && covers_just(race_set_covers, t->set[at], b, w, l, x->time[0][b][w][l]) &&
				     covers_just(race_set_covers_read, t->set[at], b, w, l, x->time[1][b][w][l]);
	return is;
}

START_TEST(joins_are_as_tables_say)
{
	static struct tried t;

	begin(&t);
	for (u32 n = 0; n < STEPS; n++) {
		const u32 at = any(&t, SETS), what = any(&t, 64);
		if (what < 32)
			add_simple(&t, at);
		else if (what < 60)
			join(&t, at, any(&t, SETS));
		else if (what < 61)
			become_reads(&t, at);
		else
			forget(&t, at);
		ck_assert(is_as_its_table(&t, at));
	}
	arena_free(&t.arena);
}
END_TEST

/* Who waits asks for the same join each time, and gets the very set that it had. */
START_TEST(what_is_known_is_shared)
{
	static struct tried t;
	struct race_set *released = NULL, *mine = NULL;

	begin(&t);
	for (u32 b = 0; b < BLOCKS; b++) {
		struct race_set *s = race_set_of_warps(&t.sets, b, (const u32[]){b + 1, b + 2}, 2);
		race_set_add(&t.sets, &released, s);
		if (b % 2)
			race_set_add(&t.sets, &mine, s);
		race_set_drop(&t.sets, s);
	}
	struct race_set *joined = race_set_join(&t.sets, mine, released);
	ck_assert_ptr_eq(joined, released);
	race_set_drop(&t.sets, mine);
	struct race_set *again = race_set_join(&t.sets, joined, released);
	ck_assert_ptr_eq(again, released);
	arena_free(&t.arena);
}
END_TEST

/* Sets of very many threads are about blocks: those that they name are covered, up to the newest time. */
START_TEST(large_ones_are_of_blocks)
{
	static struct tried t;
	struct race_set *s = NULL;

	begin(&t);
	for (u32 b = 0; b < BLOCKS; b++) {
		struct race_set *lanes = race_set_of_lanes(&t.sets, b, 1, 0x7fffffff, 5);
		race_set_add(&t.sets, &s, lanes);
		race_set_drop(&t.sets, lanes);
		ck_assert(race_set_covers(s, b, 1, 0, 5));
		ck_assert(!race_set_covers(s, b, 1, 0, 6));
		ck_assert(race_set_covers(s, 0, 0, 31, 5) == ((b + 1) * 31 > 1024));
	}
	arena_free(&t.arena);
}
END_TEST

UNIT_TESTS("race_sets", 60)
{
	UNIT_TEST(joins_are_as_tables_say);
	UNIT_TEST(what_is_known_is_shared);
	UNIT_TEST(large_ones_are_of_blocks);
}
