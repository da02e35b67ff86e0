/* SPDX-License-Identifier: Apache-2.0
 *
 * Sets as sorted entries. A set that grows beyond MOST_ENTRIES forgets which threads of a block it was about: that errs
 * towards order.
 */
#include "observe/race_sets.h"

#include <string.h>

enum { BLOCK_SHIFT = 12, FIRST_WARP = 1, FIRST_THREAD = 64, WARPS = 32, LANES = 32, MOST_ENTRIES = 1024 };

/* key: block << BLOCK_SHIFT, plus 0 for all of it, a warp's number or a thread's; READS_ONLY: of their reads alone. */
struct race_entry {
	u64 key;
	u32 time;
};

struct race_set {
	u32 holders, count;
	u32 class;
	struct race_set *next; /* unused */
	struct race_entry entries[];
};

static const u64 READS_ONLY = 1ull << 63;

static u64 key_of(u32 block, u32 part) { return (u64)block << BLOCK_SHIFT | part; }
static u32 part_of(u64 key) { return (u32)key & ((1u << BLOCK_SHIFT) - 1); }

/* --- Holders -------------------------------------------------------------------------------- */

struct race_set *race_set_keep(struct race_set *s)
{
	if (s)
		s->holders++;
	return s;
}

void race_set_drop(struct race_sets *sets, struct race_set *s)
{
	if (!s || --s->holders)
		return;
	s->next = sets->unused[s->class];
	sets->unused[s->class] = s;
}

void race_set_put(struct race_sets *sets, struct race_set **at, struct race_set *s)
{
	struct race_set *old = *at;

	*at = s;
	race_set_drop(sets, old);
}

static struct race_set *new_set(struct race_sets *sets, const struct race_entry *entries, u32 count)
{
	u32 class = 0;

	while (1u << class < count)
		class ++;
	struct race_set *s = sets->unused[class];
	if (s)
		sets->unused[class] = s->next;
	else
		s = arena_alloc(sets->arena, sizeof *s + sizeof *entries * ((size_t)1 << class));
	s->holders = 1;
	s->count = count;
	s->class = class;
	memcpy(s->entries, entries, count * sizeof *entries);
	return s;
}

/* --- Simple ones ---------------------------------------------------------------------------- */

struct race_set *race_set_of_block(struct race_sets *sets, u32 block, u32 time)
{
	return new_set(sets, &(struct race_entry){key_of(block, 0), time}, 1);
}

struct race_set *race_set_of_thread(struct race_sets *sets, u32 block, u32 warp, u32 lane, u32 time)
{
	return new_set(sets, &(struct race_entry){key_of(block, FIRST_THREAD + warp * LANES + lane), time}, 1);
}

struct race_set *race_set_of_lanes(struct race_sets *sets, u32 block, u32 warp, u32 mask, u32 time)
{
	struct race_entry entries[LANES];
	u32 count = 0;

	for (u32 left = mask; left; left &= left - 1)
		entries[count++] = (struct race_entry){
			key_of(block, FIRST_THREAD + warp * LANES + (u32)__builtin_ctz(left)), time};
	return count ? new_set(sets, entries, count) : NULL;
}

struct race_set *race_set_of_warps(struct race_sets *sets, u32 block, const u32 *times, u32 count)
{
	struct race_entry entries[WARPS + 1];
	u32 least = UINT32_MAX, used = 0;

	for (u32 k = 0; k < count; k++)
		least = min_u32(least, times[k]);
	if (count && least)
		entries[used++] = (struct race_entry){key_of(block, 0), least};
	for (u32 k = 0; k < count; k++)
		if (times[k] > least)
			entries[used++] = (struct race_entry){key_of(block, FIRST_WARP + k), times[k]};
	return used ? new_set(sets, entries, used) : NULL;
}

/* --- Joining -------------------------------------------------------------------------------- */

/* What the entries of one block so far say of all of it, and of its warps. */
struct known {
	u64 block;
	u32 time, warp[WARPS];
	bool any_warp;
};

/* Does a shorter entry before it say what this one does? Else it is noted. */
static bool is_known(struct known *k, const struct race_entry *e)
{
	const u64 block = e->key >> BLOCK_SHIFT;
	const u32 part = part_of(e->key);

	if (block != k->block) {
		k->block = block;
		k->time = 0;
		if (k->any_warp)
			memset(k->warp, 0, sizeof k->warp);
		k->any_warp = false;
	}
	if (e->time <= k->time)
		return true;
	if (part == 0) {
		k->time = e->time;
	} else if (part < FIRST_THREAD) {
		k->warp[part - FIRST_WARP] = e->time;
		k->any_warp = true;
	} else {
		return e->time <= k->warp[(part - FIRST_THREAD) / LANES];
	}
	return false;
}

/* Of each block one entry, with the newest time. */
static u32 shorten(struct race_entry *entries, u32 count)
{
	u32 used = 0;

	for (u32 k = 0; k < count; k++) {
		const u64 key = entries[k].key >> BLOCK_SHIFT << BLOCK_SHIFT;
		if (used && entries[used - 1].key == key)
			entries[used - 1].time = max_u32(entries[used - 1].time, entries[k].time);
		else
			entries[used++] = (struct race_entry){key, entries[k].time};
	}
	return used;
}

static u32 merge(struct race_entry *to, const struct race_set *a, const struct race_set *b)
{
	struct known known = {.block = UINT64_MAX};
	u32 i = 0, j = 0, used = 0;

	while (i < a->count || j < b->count) {
		struct race_entry e;
		if (j == b->count || (i < a->count && a->entries[i].key < b->entries[j].key)) {
			e = a->entries[i++];
		} else if (i == a->count || b->entries[j].key < a->entries[i].key) {
			e = b->entries[j++];
		} else {
			e = a->entries[i++];
			e.time = max_u32(e.time, b->entries[j++].time);
		}
		if (!is_known(&known, &e))
			to[used++] = e;
	}
	return used;
}

static bool is_same(const struct race_set *s, const struct race_entry *entries, u32 count)
{
	if (s->count != count)
		return false;
	for (u32 k = 0; k < count; k++)
		if (s->entries[k].key != entries[k].key || s->entries[k].time != entries[k].time)
			return false;
	return true;
}

struct race_set *race_set_join(struct race_sets *sets, struct race_set *a, struct race_set *b)
{
	if (!a || a == b)
		return race_set_keep(b);
	if (!b)
		return race_set_keep(a);
	const size_t room = (size_t)a->count + b->count;
	if (room > sets->merged_room) {
		sets->merged_room = room * 2;
		sets->merged = ARENA_ARRAY(sets->arena, sets->merged_room, struct race_entry);
	}
	u32 count = merge(sets->merged, a, b);
	if (is_same(a, sets->merged, count))
		return race_set_keep(a);
	if (is_same(b, sets->merged, count))
		return race_set_keep(b);
	if (count > MOST_ENTRIES)
		count = shorten(sets->merged, count);
	return new_set(sets, sets->merged, count);
}

void race_set_add(struct race_sets *sets, struct race_set **at, struct race_set *s)
{
	race_set_put(sets, at, race_set_join(sets, *at, s));
}

/* --- Asking --------------------------------------------------------------------------------- */

static u32 time_of(const struct race_set *s, u64 key)
{
	u32 low = 0, high = s->count;

	while (low < high) {
		const u32 middle = low + (high - low) / 2;
		if (s->entries[middle].key < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low < s->count && s->entries[low].key == key ? s->entries[low].time : 0;
}

static bool covers(const struct race_set *s, u64 block, u32 warp, u32 lane, u32 time)
{
	return time <= time_of(s, block) || time <= time_of(s, block | (FIRST_WARP + warp)) ||
	       time <= time_of(s, block | (FIRST_THREAD + warp * LANES + lane));
}

bool race_set_covers(const struct race_set *s, u32 block, u32 warp, u32 lane, u32 time)
{
	return s && covers(s, key_of(block, 0), warp, lane, time);
}

bool race_set_covers_read(const struct race_set *s, u32 block, u32 warp, u32 lane, u32 time)
{
	return s && covers(s, key_of(block, 0) | READS_ONLY, warp, lane, time);
}

struct race_set *race_set_reads(struct race_sets *sets, struct race_set *s)
{
	u32 all = 0;

	while (s && all < s->count && !(s->entries[all].key & READS_ONLY))
		all++;
	if (!all)
		return race_set_keep(s);
	struct race_set *known = new_set(sets, s->entries, all), *reads = NULL;
	for (u32 k = 0; k < all; k++)
		known->entries[k].key |= READS_ONLY;
	if (all < s->count)
		reads = new_set(sets, s->entries + all, s->count - all);
	race_set_add(sets, &known, reads);
	race_set_drop(sets, reads);
	return known;
}
