/* SPDX-License-Identifier: Apache-2.0
 *
 * Merging what ranks have written: small cases by hand, and random ones against one memory that all ranks' accesses reach
 * in turn. What touched bytes are is made up here, so that no kernel is needed.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "decode/program.h"
#include "main.h"
#include "ranks/merge.h"

enum { RANKS = 4, RANGES = 2, PAGES = 3 };
static const u64 sizes[RANGES] = {2 * TOUCHED_PAGE + 100, 40};
static const u64 bases[RANGES] = {0x7f0002000000, 0x7f0002010000};

/* In place of the observer's: a rank's memory, and what it did there. */
struct touched {
	struct touched_range range[RANGES];
	struct touched_page *pages[RANGES][PAGES];
	u8 host[RANGES][PAGES * TOUCHED_PAGE];
	bool keeps_images;
};

const struct touched_range *touched_ranges(const struct touched *t, u32 *count)
{
	*count = RANGES;
	return t->range;
}

static struct touched *ranks[RANKS], *alone;
static struct arena arena;
static jmp_buf out_of_memory;
static u64 reductions;
static char why[200];

static struct touched *touched_make(bool keeps_images)
{
	struct touched *t = calloc(1, sizeof *t);

	ck_assert_ptr_nonnull(t);
	t->keeps_images = keeps_images;
	for (u32 r = 0; r < RANGES; r++) {
		t->range[r] = (struct touched_range){.base = bases[r],
						     .size = sizes[r],
						     .host = t->host[r],
						     .pages = t->pages[r],
						     .page_count = (sizes[r] + TOUCHED_PAGE - 1) / TOUCHED_PAGE};
		for (u64 k = 0; k < sizes[r]; k++)
			t->host[r][k] = (u8)(k * 7 + r);
	}
	return t;
}

static void touched_end(struct touched *t)
{
	for (u32 r = 0; r < RANGES; r++)
		for (u32 p = 0; p < PAGES; p++) {
			if (t->pages[r][p])
				free(t->pages[r][p]->image);
			free(t->pages[r][p]);
		}
	free(t);
}

static void begin(void)
{
	arena_init(&arena, &out_of_memory);
	for (u32 k = 0; k < RANKS; k++)
		ranks[k] = touched_make(k == 0);
	alone = touched_make(false);
	reductions = 0;
}

static void end(void)
{
	for (u32 k = 0; k < RANKS; k++)
		touched_end(ranks[k]);
	touched_end(alone);
	arena_free(&arena);
}

static struct touched_page *page_of(struct touched *t, u32 range, u64 at)
{
	struct touched_page **page = &t->pages[range][at / TOUCHED_PAGE];

	if (!*page)
		*page = calloc(1, sizeof **page);
	ck_assert_ptr_nonnull(*page);
	return *page;
}

static void set_bit(u64 *bits, u64 at) { bits[at % TOUCHED_PAGE / 64] |= 1ull << (at % 64); }

/* Before the first change of a page. */
static void keep_image(struct touched *t, u32 range, u64 at)
{
	struct touched_page *page = page_of(t, range, at);

	if (!t->keeps_images || page->image)
		return;
	page->image = malloc(TOUCHED_PAGE);
	ck_assert_ptr_nonnull(page->image);
	memcpy(page->image, t->host[range] + at / TOUCHED_PAGE * TOUCHED_PAGE, TOUCHED_PAGE);
}

/* A rank's access, on its own memory and on the one of all. */
static void store(u32 rank, u32 range, u64 at, u8 value)
{
	keep_image(ranks[rank], range, at);
	set_bit(page_of(ranks[rank], range, at)->written, at);
	ranks[rank]->host[range][at] = value;
	alone->host[range][at] = value;
}

/* Returns what the rank has there; a kernel may do anything with that. */
static u8 load(u32 rank, u32 range, u64 at)
{
	set_bit(page_of(ranks[rank], range, at)->read, at);
	return ranks[rank]->host[range][at];
}

static void reduce(u8 *to, enum reduction_operation operation, bool is_signed, u32 value)
{
	u32 x;

	memcpy(&x, to, sizeof x);
	switch (operation) {
	case REDUCTION_ADD:
		x += value;
		break;
	case REDUCTION_MIN:
		x = is_signed ? ((s32)x < (s32)value ? x : value) : min_u32(x, value);
		break;
	case REDUCTION_MAX:
		x = is_signed ? ((s32)x > (s32)value ? x : value) : max_u32(x, value);
		break;
	case REDUCTION_AND:
		x &= value;
		break;
	case REDUCTION_OR:
		x |= value;
		break;
	case REDUCTION_XOR:
		x ^= value;
		break;
	}
	memcpy(to, &x, sizeof x);
}

static void red(u32 rank, u32 range, u64 at, enum reduction_operation operation, bool is_signed, u32 value)
{
	keep_image(ranks[rank], range, at);
	for (u64 k = at; k < at + 4; k++)
		set_bit(page_of(ranks[rank], range, k)->reduced, k);
	reductions |= 1ull << (operation * 4 + is_signed);
	reduce(ranks[rank]->host[range] + at, operation, is_signed, value);
	reduce(alone->host[range] + at, operation, is_signed, value);
}

/* As rank 0 does, with messages that stay here: puts together what ranks up to `last` did, if it can be. */
static bool merge_ranks(u32 last)
{
	/* What was taken lies in the message. */
	struct parcel written[RANKS] = {{0}}, answers[RANKS] = {{0}}, question = {0};
	struct merge *m = merge_new(&arena, ranks[0], reductions);

	for (u32 k = 1; k < RANKS; k++) {
		merge_put_written(&written[k], ranks[k]);
		merge_take_written(m, &written[k], k);
	}
	merge_put_question(m, &question);
	for (u32 k = 1; k < RANKS; k++) {
		question.at = 0;
		merge_put_answer(&answers[k], &question, ranks[k], k);
		merge_take_answer(m, &answers[k], k);
	}
	const bool ok = merge_check(m, last, why, sizeof why);
	if (ok)
		merge_apply(m, last);
	for (u32 k = 1; k < RANKS; k++) {
		parcel_free(&written[k]);
		parcel_free(&answers[k]);
	}
	parcel_free(&question);
	return ok;
}

static void assert_as_alone(void)
{
	for (u32 r = 0; r < RANGES; r++)
		for (u64 k = 0; k < sizes[r]; k++)
			ASSERT_EACH(ranks[0]->host[r][k] == alone->host[r][k], "range %u, byte %llu: %u, alone %u", r,
				    (unsigned long long)k, ranks[0]->host[r][k], alone->host[r][k]);
}

static void assert_refused(u32 last, const char *words)
{
	ck_assert_msg(!merge_ranks(last), "nothing stood in the way");
	ck_assert_msg(strstr(why, words) != NULL, "'%s' is not in: %s", words, why);
}

/* --- By hand --------------------------------------------------------------------------------- */

START_TEST(bytes_of_all_ranks_come_together)
{
	begin();
	for (u32 k = 0; k < RANKS; k++)
		for (u64 at = k; at < 300; at += RANKS)
			store(k, 0, at, (u8)(100 + k));
	/* A whole page, its neighbour's first byte, the short page's last, the short range's last. */
	for (u64 at = TOUCHED_PAGE; at < 2 * TOUCHED_PAGE; at++)
		store(2, 0, at, (u8)at);
	store(3, 0, 2 * TOUCHED_PAGE, 1);
	store(1, 0, sizes[0] - 1, 2);
	for (u64 at = 0; at < sizes[1]; at++)
		store(3, 1, at, 9);
	ck_assert_msg(merge_ranks(RANKS - 1), "%s", why);
	assert_as_alone();
	end();
}
END_TEST

START_TEST(equal_bytes_are_no_conflict_and_different_ones_are)
{
	begin();
	store(1, 0, 50, 7);
	store(3, 0, 50, 7);
	ck_assert_msg(merge_ranks(RANKS - 1), "%s", why);
	assert_as_alone();
	end();
	begin();
	store(1, 0, 50, 7);
	store(3, 0, 50, 8);
	assert_refused(RANKS - 1,
		       "the byte at 0x7f0002000032 is written by several ranks' blocks, with different values");
	end();
	/* Those of rank 0 are compared, too; and the third of three. */
	begin();
	store(0, 0, 4200, 7);
	store(2, 0, 4200, 7);
	store(3, 0, 4200, 8);
	assert_refused(RANKS - 1, "the byte at 0x7f0002001068 is written by several");
	end();
}
END_TEST

START_TEST(reading_what_another_rank_wrote_is_a_conflict)
{
	const u32 pairs[][2] = {{1, 2}, {2, 1}, {0, 3}, {3, 0}};

	for (u32 k = 0; k < COUNT_OF(pairs); k++) {
		begin();
		store(pairs[k][0], 1, 39, 5);
		load(pairs[k][1], 1, 39);
		assert_refused(RANKS - 1,
			       "the byte at 0x7f0002010027 is written by one rank's blocks and read by another's");
		end();
	}
	/* The neighbour byte, and one's own. */
	begin();
	store(1, 1, 38, 5);
	load(1, 1, 38);
	load(2, 1, 39);
	load(0, 0, 38);
	ck_assert_msg(merge_ranks(RANKS - 1), "%s", why);
	assert_as_alone();
	end();
}
END_TEST

START_TEST(reductions_of_all_ranks_are_combined)
{
	static const u32 values[RANKS] = {5, 0xfffffff0, 77, 0x80000001};

	for (u32 operation = REDUCTION_ADD; operation <= REDUCTION_XOR; operation++)
		for (u32 is_signed = 0; is_signed < 2; is_signed++) {
			begin();
			for (u32 k = 0; k < RANKS; k++)
				for (u64 at = 0; at < 4000; at += 4)
					if (at / 4 % RANKS != k)
						red(k, 0, at, (enum reduction_operation)operation, is_signed,
						    values[k] + (u32)at);
			ck_assert_msg(merge_ranks(RANKS - 1), "%s", why);
			assert_as_alone();
			end();
		}
}
END_TEST

START_TEST(what_is_reduced_is_not_read_or_written_elsewhere)
{
	begin();
	red(1, 0, 64, REDUCTION_ADD, false, 1);
	load(2, 0, 67);
	assert_refused(RANKS - 1,
		       "is changed by atomic operations in one rank's blocks, and read or written in another's");
	end();
	begin();
	red(1, 0, 64, REDUCTION_ADD, false, 1);
	store(0, 0, 64, 1);
	assert_refused(RANKS - 1, "the byte at 0x7f0002000040 is changed by atomic operations");
	end();
	begin();
	red(1, 0, 64, REDUCTION_ADD, false, 1);
	load(1, 0, 64);
	store(2, 0, 68, 3);
	ck_assert_msg(merge_ranks(RANKS - 1), "%s", why);
	assert_as_alone();
	end();
}
END_TEST

START_TEST(ranks_behind_a_fault_count_for_nothing)
{
	begin();
	store(0, 0, 10, 1);
	store(1, 0, 11, 2);
	const u8 before = alone->host[0][12];
	store(2, 0, 12, 3);
	store(3, 0, 10, 99);
	alone->host[0][10] = 1;
	alone->host[0][12] = before;
	ck_assert_msg(merge_ranks(1), "%s", why);
	assert_as_alone();
	end();
}
END_TEST

/* --- By chance ------------------------------------------------------------------------------- */

static u64 state;

static u32 chance(u32 below)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (u32)((state >> 33) % below);
}

static void act(u32 rank, u32 crowd, enum reduction_operation operation)
{
	/* Few places, so that ranks meet; or each rank's own. */
	const u64 at = chance(2) ? 4 * (chance(crowd) * RANKS + rank) : 4 * chance(crowd) * RANKS * 16;

	switch (chance(4)) {
	case 0:
		store(rank, 0, at, (u8)chance(2));
		break;
	case 1:
		store(rank, 1, at % sizes[1], (u8)(load(rank, 0, at) + 1));
		break;
	case 2:
		load(rank, 0, at);
		break;
	default:
		red(rank, 0, at, operation, false, chance(1000));
	}
}

START_TEST(random_accesses_merge_or_are_refused)
{
	u32 merged = 0, refused = 0;

	for (u32 run = 0; run < 3000; run++) {
		state = run;
		begin();
		const u32 crowd = 1 + chance(30), count = 1 + chance(12);
		const enum reduction_operation operation = (enum reduction_operation)chance(6);
		/* Rank by rank, in the order of blocks; a rank that reads sees only its own writes, so if what it read was
		 * another's the two memories may differ, and the merge must refuse. */
		for (u32 k = 0; k < RANKS; k++)
			for (u32 n = 0; n < count; n++)
				act(k, crowd, operation);
		if (merge_ranks(RANKS - 1)) {
			merged++;
			assert_as_alone();
		} else {
			refused++;
		}
		end();
	}
	/* Both happen often enough to mean something. */
	ck_assert_uint_gt(merged, 300);
	ck_assert_uint_gt(refused, 300);
}
END_TEST

UNIT_TESTS("merge", 60)
{
	UNIT_TEST(bytes_of_all_ranks_come_together);
	UNIT_TEST(equal_bytes_are_no_conflict_and_different_ones_are);
	UNIT_TEST(reading_what_another_rank_wrote_is_a_conflict);
	UNIT_TEST(reductions_of_all_ranks_are_combined);
	UNIT_TEST(what_is_reduced_is_not_read_or_written_elsewhere);
	UNIT_TEST(ranks_behind_a_fault_count_for_nothing);
	UNIT_TEST(random_accesses_merge_or_are_refused);
}
