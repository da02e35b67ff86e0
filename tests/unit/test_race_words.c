/* SPDX-License-Identifier: Apache-2.0
 *
 * Marks of words against tables that have one for each byte, as warps leave them that go over neighbours, over places that
 * lie apart, and over anything.
 */
#include "observe/race_words.h"

#include <string.h>

#include "main.h"

enum { LANES = 32, BYTES = 1 << 14, STEPS = 4000, SITES = 50, FAR_WORDS = 3000 };

struct byte_mark {
	u32 site;
	u8 lane;
};

struct tried {
	struct arena arena;
	struct race_events events;
	struct race_pages pages;
	struct byte_mark table[BYTES];
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
	t->events.arena = &t->arena;
	t->random = 1;
}

static void put(struct tried *t, u64 address, u32 size, u32 site, u32 lane, bool with_neighbours)
{
	for (u64 at = address & ~3ull; at < address + size; at += 4) {
		struct race_word w = race_global_word(&t->pages, &t->events, at, with_neighbours);
		const u64 low = max_u64(at, address), high = min_u64(at + 4, address + size);
		const struct race_mark m = {.time = 1,
					    .block = site % 3,
					    .site = site,
					    .warp = (u8)(site % 5),
					    .lane = (u8)lane,
					    .bytes = (u8)(((1u << (high - low)) - 1) << (low - at))};
		race_mark_put(&t->events, w, RACE_WRITE, &m);
	}
	for (u64 k = address; k < address + size; k++)
		t->table[k] = (struct byte_mark){site, (u8)lane};
}

static bool is_of(const struct race_mark *m, const struct byte_mark *b)
{
	return m->site == b->site && m->lane == b->lane && m->warp == b->site % 5 && m->block == b->site % 3;
}

/* Is each mark of the word what the table has? exact: each byte of the table has a mark, too. */
static bool is_as_the_table(struct tried *t, u64 at, bool exact)
{
	struct race_mark marks[RACE_WORD_MARKS];
	struct race_word w;
	u32 seen = 0;

	if (race_global_find(&t->pages, &t->events, at, &w)) {
		const u32 count = race_marks_get(&t->events, w, RACE_WRITE, RACE_ALL_BYTES, marks);
		for (u32 k = 0; k < count; k++)
			for (u32 b = 0; b < 4; b++)
				if (marks[k].bytes >> b & 1 && (seen >> b & 1 || !is_of(&marks[k], &t->table[at + b])))
					return false;
				else
					seen |= (u32)(marks[k].bytes & 1u << b);
	}
	for (u32 b = 0; b < 4 && exact; b++)
		if ((seen >> b & 1) != (t->table[at + b].site != 0))
			return false;
	return true;
}

/* Whole and narrow words of neighbouring lanes, up or down, over one another: every byte is known for sure while each
 * group has few runs. */
START_TEST(runs_know_each_byte)
{
	static const u32 sizes[] = {1, 2, 4, 8, 16};
	static struct tried t;

	begin(&t);
	for (u32 n = 0; n < STEPS; n++) {
		const u32 size = sizes[any(&t, 5)], site = n + 1;
		const u32 first = any(&t, (BYTES - LANES * 16) / (LANES * 16)) * LANES * 16,
			  down = any(&t, 2) && size <= 4;
		for (u32 l = 0; l < LANES; l++)
			put(&t, first + (down ? LANES - 1 - l : l) * size, size, site, l, true);
		for (u32 at = first; at < first + LANES * 16; at += 4)
			ck_assert(is_as_the_table(&t, at, true));
	}
	arena_free(&t.arena);
}
END_TEST

/* Runs that are too many become marks of words: what these say is still so. */
START_TEST(marks_of_any_order_are_true)
{
	static struct tried t;
	u64 kept = 0;

	begin(&t);
	for (u32 n = 0; n < STEPS; n++) {
		const u32 size = 1u << any(&t, 3), at = any(&t, BYTES / 4 - 1) * 4 / size * size;
		put(&t, at, size, 1 + any(&t, SITES), any(&t, LANES), any(&t, 2));
		ck_assert(is_as_the_table(&t, at & ~3u, false));
	}
	for (u32 at = 0; at < BYTES; at += 4) {
		struct race_word w;
		struct race_mark m;
		ck_assert(is_as_the_table(&t, at, false));
		kept += race_global_find(&t.pages, &t.events, at, &w) && race_mark_get(&t.events, w, RACE_WRITE, &m);
	}
	ck_assert_uint_gt(kept, BYTES / 4 / 2);
	arena_free(&t.arena);
}
END_TEST

static u64 far_word(u32 k) { return (u64)k * k * 52 + 4 * (u64)(k % 7); }

static u32 far_site(u32 k) { return 1 + k % SITES; }

static void put_far(struct tried *t, u32 k, enum race_plane plane)
{
	struct race_word w = race_global_word(&t->pages, &t->events, far_word(k), false);
	const struct race_mark m = {.time = 1, .site = far_site(k), .lane = (u8)(k % LANES), .bytes = 15};

	ck_assert(!w.page);
	race_mark_put(&t->events, w, plane, &m);
}

static bool has_far(struct tried *t, u32 k, enum race_plane plane)
{
	struct race_word w;
	struct race_mark m;

	return race_global_find(&t->pages, &t->events, far_word(k), &w) && race_mark_get(&t->events, w, plane, &m) &&
	       m.site == far_site(k) && m.lane == k % LANES && m.bytes == 15;
}

/* In any order; and a page that comes into being takes over those of its words. */
START_TEST(words_that_lie_apart_are_found)
{
	static struct tried t;
	u64 word;
	u32 count = 0;
	struct race_word_walk walk = {0, NULL, 0, 0};

	begin(&t);
	for (u32 n = 0; n < FAR_WORDS; n++)
		put_far(&t, 100 + n * 1009 % FAR_WORDS, RACE_READ);
	for (u32 n = 0; n < FAR_WORDS; n += 2)
		put_far(&t, 100 + n, RACE_STRONG_WRITE);
	for (u32 n = 0; n < FAR_WORDS; n++) {
		ck_assert(has_far(&t, 100 + n, RACE_READ));
		ck_assert(has_far(&t, 100 + n, RACE_STRONG_WRITE) == !(n % 2));
	}
	for (u32 n = 0; n < FAR_WORDS; n += 3)
		ck_assert_ptr_nonnull(race_global_word(&t.pages, &t.events, far_word(100 + n) ^ 256, true).page);
	for (u32 n = 0; n < FAR_WORDS; n++) {
		ck_assert(has_far(&t, 100 + n, RACE_READ));
		ck_assert(has_far(&t, 100 + n, RACE_STRONG_WRITE) == !(n % 2));
	}
	while (race_leaf_next_word(&t.events.leaves, &walk, &word).leaf)
		count++;
	ck_assert_uint_lt(count, FAR_WORDS);
	ck_assert_uint_gt(count, FAR_WORDS / 2);
	arena_free(&t.arena);
}
END_TEST

/* One word in 16, and then all between: what two marks of a word take, and that they end in pages. */
START_TEST(each_takes_little)
{
	enum { WORDS = 1 << 16, APART = 16 };
	static struct tried t;

	begin(&t);
	for (u32 k = 0; k < WORDS; k++) {
		struct race_word w = race_global_word(&t.pages, &t.events, (u64)k * 4 * APART, false);
		const struct race_mark m = {
			.time = 1, .block = k / LANES, .site = 1, .lane = (u8)(k % LANES), .bytes = 15};
		race_mark_put(&t.events, w, RACE_READ, &m);
		race_mark_put(&t.events, w, RACE_WRITE, &m);
	}
	ck_assert_uint_lt(t.arena.used_bytes, 2 * WORDS * 12);
	for (u32 k = 0; k < WORDS; k++)
		race_global_word(&t.pages, &t.events, (u64)k * 4, false);
	ck_assert_ptr_nonnull(race_global_word(&t.pages, &t.events, 4 * WORDS / 2, false).page);
	arena_free(&t.arena);
}
END_TEST

/* A mark that goes from one plane to another stays of its event. */
START_TEST(moved_marks_make_no_events)
{
	static struct tried t;

	begin(&t);
	for (u32 k = 0; k < FAR_WORDS; k++)
		put_far(&t, 100 + k, RACE_READ);
	const u32 count = t.events.count;
	for (u32 k = 0; k < FAR_WORDS; k++) {
		struct race_word w;
		struct race_mark m;
		ck_assert(race_global_find(&t.pages, &t.events, far_word(100 + k * 7 % FAR_WORDS), &w));
		ck_assert(race_mark_get(&t.events, w, RACE_READ, &m));
		race_mark_put(&t.events, w, RACE_OTHER_READ, &m);
	}
	ck_assert_uint_eq(t.events.count, count);
	for (u32 k = 0; k < FAR_WORDS; k++)
		ck_assert(has_far(&t, 100 + k, RACE_OTHER_READ));
	arena_free(&t.arena);
}
END_TEST

/* All words one after the other, in an order that leaves even gaps, and in one that does not. */
START_TEST(all_words_become_pages)
{
	enum { WORDS = 1 << 15 };
	static struct tried t;

	for (u32 order = 0; order < 2; order++) {
		u32 in_pages = 0;
		begin(&t);
		for (u32 k = 0; k < WORDS; k++) {
			const u64 word = (order ? k * (2 * k + 1) : k * 2654435769u) % WORDS;
			struct race_word w = race_global_word(&t.pages, &t.events, word * 4, false);
			const struct race_mark m = {.time = 1, .site = 1, .lane = (u8)(word % LANES), .bytes = 15};
			race_mark_put(&t.events, w, RACE_WRITE, &m);
		}
		for (u32 word = 0; word < WORDS; word++) {
			struct race_word w;
			struct race_mark m;
			ck_assert(race_global_find(&t.pages, &t.events, (u64)word * 4, &w));
			ck_assert(race_mark_get(&t.events, w, RACE_WRITE, &m) && m.lane == word % LANES);
			in_pages += w.page != NULL;
		}
		ck_assert_uint_gt(in_pages, WORDS / 2);
		arena_free(&t.arena);
	}
}
END_TEST

/* What the same thread has left is taken out, and what others have is not; nothing is left of it. with_neighbours: in pages. */
START_TEST(marks_are_taken_out)
{
	static struct tried t;

	for (u32 with_neighbours = 0; with_neighbours < 2; with_neighbours++) {
		begin(&t);
		for (u32 n = 0; n < STEPS; n++) {
			const u32 half = any(&t, 2);
			const u64 address = (u64)any(&t, BYTES / 4) * 4 * (with_neighbours ? 1 : 52);
			struct race_word w = race_global_word(&t.pages, &t.events, address, with_neighbours);
			const struct race_mark m = {.time = 1,
						    .block = n % 7,
						    .site = 1,
						    .lane = (u8)any(&t, LANES),
						    .bytes = half ? 12 : 3};
			struct race_mark whole = m, other = m;
			struct race_mark kept;
			whole.bytes = RACE_ALL_BYTES;
			other.block = 9;
			race_mark_put(&t.events, w, RACE_READ, &m);
			ck_assert(!race_mark_take(&t.events, w, RACE_READ, &other));
			other = m;
			other.bytes = 1;
			ck_assert(!race_mark_take(&t.events, w, RACE_READ, &other));
			ck_assert(race_mark_get(&t.events, w, RACE_READ, &kept) && kept.block == m.block);
			ck_assert(race_mark_take(&t.events, w, RACE_READ, half ? &whole : &m));
			ck_assert(!race_mark_get(&t.events, w, RACE_READ, &kept));
			ck_assert_uint_eq(race_planes_of(w), 0);
		}
		arena_free(&t.arena);
	}
}
END_TEST

static bool is_all(const u8 *bytes, size_t count, u8 value)
{
	for (size_t k = 0; k < count; k++)
		if (bytes[k] != value)
			return false;
	return true;
}

/* Pieces of all sizes lie apart, are zeros, and what is given back is used again. */
START_TEST(a_heap_holds_its_pieces)
{
	enum { PIECES = 500, LARGEST = 512 };
	static struct tried t;
	static struct {
		u8 *bytes;
		size_t size;
	} pieces[PIECES];
	struct race_heap h = {.left = 0};
	size_t used = 0;

	begin(&t);
	memset(pieces, 0, sizeof pieces);
	for (u32 n = 0; n < 100 * PIECES; n++) {
		const u32 k = any(&t, PIECES);
		ck_assert(is_all(pieces[k].bytes, pieces[k].size, (u8)k));
		if (pieces[k].bytes)
			race_heap_give(&h, pieces[k].bytes, pieces[k].size);
		pieces[k].size = 64 + 32 * any(&t, (LARGEST - 64) / 32 + 1);
		pieces[k].bytes = race_heap_take(&t.arena, &h, pieces[k].size);
		ck_assert(is_all(pieces[k].bytes, pieces[k].size, 0));
		memset(pieces[k].bytes, (u8)k, pieces[k].size);
		if (n == 50 * PIECES)
			used = t.arena.used_bytes;
	}
	ck_assert_uint_le(t.arena.used_bytes, 2 * used);
	ck_assert_uint_lt(t.arena.used_bytes, 4 * PIECES * LARGEST);
	arena_free(&t.arena);
}
END_TEST

UNIT_TESTS("race_words", 60)
{
	UNIT_TEST(runs_know_each_byte);
	UNIT_TEST(marks_of_any_order_are_true);
	UNIT_TEST(words_that_lie_apart_are_found);
	UNIT_TEST(each_takes_little);
	UNIT_TEST(moved_marks_make_no_events);
	UNIT_TEST(all_words_become_pages);
	UNIT_TEST(marks_are_taken_out);
	UNIT_TEST(a_heap_holds_its_pieces);
}
