/* SPDX-License-Identifier: Apache-2.0
 *
 * Sets as lists of parts, in order. A set that grows beyond MOST_ENTRIES forgets which threads of a block it was about:
 * that errs towards order.
 */
#include "observe/race_sets.h"

#include <string.h>

enum { WARPS = 32, LANES = 32, MOST_ENTRIES = 1024 };

/* held.count: of the parts. */
struct race_set {
	struct race_held held;
	struct race_part *parts[];
};

static struct race_parts parts_of(const struct race_set *s) { return (struct race_parts){s->parts, s->held.count}; }

/* --- Holders -------------------------------------------------------------------------------- */

struct race_set *race_set_keep(struct race_set *s)
{
	if (s)
		s->held.holders++;
	return s;
}

void race_set_drop(struct race_sets *sets, struct race_set *s)
{
	if (!s || --s->held.holders)
		return;
	for (u32 k = 0; k < s->held.count; k++)
		race_part_drop(sets, s->parts[k]);
	race_give(sets->unused_sets, &s->held);
}

void race_set_put(struct race_sets *sets, struct race_set **at, struct race_set *s)
{
	struct race_set *old = *at;

	*at = s;
	race_set_drop(sets, old);
}

/* Takes over the hold of each part. */
static struct race_set *set_of_parts(struct race_sets *sets, struct race_part *const *parts, u32 count)
{
	const u32 class = race_class(count);
	struct race_set *s = (struct race_set *)race_take(sets, sets->unused_sets, class,
							  sizeof *s + sizeof *parts * ((size_t)1 << class));

	s->held.count = count;
	memcpy(s->parts, parts, count * sizeof *parts);
	return s;
}

static struct race_part **listing_room(struct race_sets *sets, size_t room)
{
	if (room > sets->listed_room) {
		sets->listed_room = room * 2;
		sets->listed = ARENA_ARRAY(sets->arena, sets->listed_room, struct race_part *);
	}
	return sets->listed;
}

/* --- Simple ones ---------------------------------------------------------------------------- */

/* Of one block. */
static struct race_set *set_of_entries(struct race_sets *sets, const struct race_entry *entries, u32 count)
{
	struct race_part *p = race_part_new(sets, entries, count);

	return set_of_parts(sets, &p, 1);
}

struct race_set *race_set_of_thread(struct race_sets *sets, u32 block, u32 warp, u32 lane, u32 time)
{
	return set_of_entries(sets, &(struct race_entry){race_thread_key(block, warp, lane), time}, 1);
}

struct race_set *race_set_of_lanes(struct race_sets *sets, u32 block, u32 warp, u32 mask, u32 time)
{
	struct race_entry entries[LANES];
	u32 count = 0;

	for (u32 left = mask; left; left &= left - 1)
		entries[count++] = (struct race_entry){race_thread_key(block, warp, (u32)__builtin_ctz(left)), time};
	return count ? set_of_entries(sets, entries, count) : NULL;
}

struct race_set *race_set_of_warps(struct race_sets *sets, u32 block, const u32 *times, u32 count)
{
	struct race_entry entries[WARPS + 1];
	u32 least = UINT32_MAX, used = 0;

	for (u32 k = 0; k < count; k++)
		least = min_u32(least, times[k]);
	if (count && least)
		entries[used++] = (struct race_entry){race_block_key(block), least};
	for (u32 k = 0; k < count; k++)
		if (times[k] > least)
			entries[used++] = (struct race_entry){race_warp_key(block, k), times[k]};
	return used ? set_of_entries(sets, entries, used) : NULL;
}

/* --- Joining -------------------------------------------------------------------------------- */

static void shorten_all(struct race_sets *sets, struct race_part **parts, u32 count)
{
	for (u32 k = 0; k < count; k++) {
		struct race_part *whole = parts[k];
		parts[k] = race_part_shorten(sets, whole);
		race_part_drop(sets, whole);
	}
}

/* Those parts, whose holds it takes over: one of the two, if they are its. */
static struct race_set *one_of(struct race_sets *sets, struct race_set *a, struct race_set *b, struct race_parts x)
{
	struct race_set *same = race_parts_are(x, parts_of(a)) ? a : race_parts_are(x, parts_of(b)) ? b : NULL;

	if (!same)
		return set_of_parts(sets, x.parts, x.count);
	for (u32 k = 0; k < x.count; k++)
		race_part_drop(sets, x.parts[k]);
	return race_set_keep(same);
}

struct race_set *race_set_join(struct race_sets *sets, struct race_set *a, struct race_set *b)
{
	if (!a || a == b)
		return race_set_keep(b);
	if (!b)
		return race_set_keep(a);
	struct race_set *s = (struct race_set *)race_recall(sets, a->held.number, b->held.number);
	if (s)
		return race_set_keep(s);
	struct race_part **parts = listing_room(sets, (size_t)a->held.count + b->held.count);
	const u32 count = race_parts_join(sets, parts, parts_of(a), parts_of(b));
	size_t entries = 0;
	for (u32 k = 0; k < count; k++)
		entries += parts[k]->entries;
	if (entries > MOST_ENTRIES)
		shorten_all(sets, parts, count);
	s = one_of(sets, a, b, (struct race_parts){parts, count});
	race_remember(sets, a->held.number, b->held.number, &s->held);
	if (s != a && s != b) /* who has learnt from b asks b again */
		race_remember(sets, s->held.number, b->held.number, &s->held);
	return s;
}

void race_set_add(struct race_sets *sets, struct race_set **at, struct race_set *s)
{
	race_set_put(sets, at, race_set_join(sets, *at, s));
}

/* --- Asking --------------------------------------------------------------------------------- */

bool race_set_covers(const struct race_set *s, u32 block, u32 warp, u32 lane, u32 time)
{
	return s && race_parts_cover(parts_of(s), false, block, warp, lane, time);
}

bool race_set_covers_read(const struct race_set *s, u32 block, u32 warp, u32 lane, u32 time)
{
	return s && race_parts_cover(parts_of(s), true, block, warp, lane, time);
}

/* The first parts of a set as reads, and the rest of them, which are already. */
static struct race_set *reads_of(struct race_sets *sets, const struct race_set *s, u32 all)
{
	struct race_part **parts = listing_room(sets, s->held.count);
	struct race_set *reads = NULL;

	for (u32 k = 0; k < all; k++)
		parts[k] = race_part_reads(sets, s->parts[k]);
	struct race_set *known = set_of_parts(sets, parts, all);
	for (u32 k = all; k < s->held.count; k++)
		parts[k] = race_part_keep(s->parts[k]);
	if (all < s->held.count)
		reads = set_of_parts(sets, parts + all, s->held.count - all);
	race_set_add(sets, &known, reads);
	race_set_drop(sets, reads);
	return known;
}

struct race_set *race_set_reads(struct race_sets *sets, struct race_set *s)
{
	u32 all = 0;

	while (s && all < s->held.count && !s->parts[all]->is_reads)
		all++;
	if (!all)
		return race_set_keep(s);
	struct race_set *reads = (struct race_set *)race_recall(sets, s->held.number, 0);
	if (reads)
		return race_set_keep(reads);
	reads = reads_of(sets, s, all);
	race_remember(sets, s->held.number, 0, &reads->held);
	return reads;
}
