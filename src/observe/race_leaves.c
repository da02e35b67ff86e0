/* SPDX-License-Identifier: Apache-2.0
 *
 * Leaves, by regions.
 */
#include "observe/race_leaves.h"

#include <string.h>

enum {
	REGION_WORDS = 1 << 16, /* which a key can tell apart */
	FIRST_ROOM = 64,
	SLAB_LEAVES = 32,
	HALF = RACE_LEAF_WORDS / 2,
	/* Half a leaf is better a part of a page if it is of fewer neighbours; and of a few more, if it is going to fill, as
	 * what lies at no regular distances is. */
	DENSE_WORDS = HALF * 5 / 4,
	FILLING_WORDS = HALF * 4,
	REGULAR_GAPS = 2,
};

/* Of a region's leaves; behind them their first keys. */
struct race_lists {
	struct race_lists *next; /* of unused ones */
	struct race_leaf *leaves[];
};

struct race_region {
	u64 number;
	struct race_region *next;
	struct race_lists *lists;
	struct race_leaf **leaves; /* in order, none of them empty */
	u16 *firsts;               /* keys of theirs */
	u32 count, room;           /* room: a power of two, 64 Ki at most */
};

struct race_leaf_slab {
	struct race_leaf_slab *older;
	struct race_leaf leaves[SLAB_LEAVES];
	u32 used;
};

/* --- Regions ---------------------------------------------------------------------------------- */

static size_t bucket_of(const struct race_leaves *l, u64 number)
{
	return (size_t)(number * 0x9e3779b97f4a7c15u >> 32) & (l->room - 1);
}

static struct race_region *find_region(const struct race_leaves *l, u64 number)
{
	if (l->last && l->last->number == number)
		return l->last;
	struct race_region *r = l->room ? l->buckets[bucket_of(l, number)] : NULL;
	while (r && r->number != number)
		r = r->next;
	return r;
}

static void grow(struct race_leaves *l, struct arena *arena)
{
	struct race_region **old = l->buckets;
	const size_t room = l->room;

	l->room = room ? room * 4 : FIRST_ROOM;
	l->buckets = ARENA_ARRAY(arena, l->room, struct race_region *);
	for (size_t k = 0; k < room; k++)
		for (struct race_region *r = old[k], *next; r; r = next) {
			next = r->next;
			r->next = l->buckets[bucket_of(l, r->number)];
			l->buckets[bucket_of(l, r->number)] = r;
		}
}

static struct race_region *region_of(struct race_leaves *l, struct arena *arena, u64 number)
{
	struct race_region *r = find_region(l, number);

	if (!r) {
		if (l->count++ >= l->room)
			grow(l, arena);
		r = ARENA_NEW(arena, struct race_region);
		r->number = number;
		r->next = l->buckets[bucket_of(l, number)];
		l->buckets[bucket_of(l, number)] = r;
	}
	return l->last = r;
}

/* --- Leaves of a region ------------------------------------------------------------------------- */

static struct race_leaf *new_leaf(struct race_leaves *l, struct arena *arena)
{
	if (l->unused.count)
		return l->unused.items[--l->unused.count];
	if (!l->slabs || l->slabs->used == SLAB_LEAVES) {
		struct race_leaf_slab *slab = ARENA_NEW(arena, struct race_leaf_slab);
		slab->older = l->slabs;
		l->slabs = slab;
	}
	return &l->slabs->leaves[l->slabs->used++];
}

/* The leaf that has the key, if any has: the last one that does not begin behind it. count: there is none. */
static u32 leaf_for(const struct race_region *r, u32 key)
{
	u32 low = 0, high = r->count;

	while (high - low > 1) {
		const u32 middle = low + (high - low) / 2;
		if (r->firsts[middle] <= key)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* The first of the leaf's words at or behind the key. */
static u32 position_of(const struct race_leaf *leaf, u32 key)
{
	u32 low = 0, high = leaf->count;

	while (low < high) {
		const u32 middle = (low + high) / 2;
		if (leaf->keys[middle] < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Room for twice as many. Regions come one after the other, and take what those before have outgrown. */
static void grow_region(struct race_leaves *l, struct race_region *r, struct arena *arena)
{
	const u32 room = r->room ? 2 * r->room : 2, class = (u32)__builtin_ctz(room);
	struct race_lists *lists = l->unused_lists[class];

	if (lists)
		l->unused_lists[class] = lists->next;
	else
		lists = arena_alloc(arena, sizeof *lists + room * (sizeof(struct race_leaf *) + sizeof(u16)));
	u16 *firsts = (u16 *)(void *)&lists->leaves[room];
	if (r->count) {
		memcpy(lists->leaves, r->lists->leaves, r->count * sizeof(struct race_leaf *));
		memcpy(firsts, r->firsts, r->count * sizeof *firsts);
	}
	if (r->lists) {
		r->lists->next = l->unused_lists[class - 1];
		l->unused_lists[class - 1] = r->lists;
	}
	r->lists = lists;
	r->leaves = lists->leaves;
	r->firsts = firsts;
	r->room = room;
}

static void insert_leaf(struct race_leaves *l, struct race_region *r, struct arena *arena, u32 at,
			struct race_leaf *leaf)
{
	if (r->count == r->room)
		grow_region(l, r, arena);
	memmove(r->leaves + at + 1, r->leaves + at, (r->count - at) * sizeof(struct race_leaf *));
	memmove(r->firsts + at + 1, r->firsts + at, (r->count - at) * sizeof *r->firsts);
	r->leaves[at] = leaf;
	r->count++;
}

/* Words of one leaf from `from` on go to another, which is empty. */
static void move_words(struct arena *arena, struct race_leaf *to, struct race_leaf *leaf, u32 from)
{
	const u32 count = leaf->count - from;

	memcpy(to->keys, leaf->keys + from, count * sizeof *to->keys);
	for (u32 n = 0; n < RACE_PLANES; n++)
		if (leaf->columns[n]) {
			if (!to->columns[n])
				to->columns[n] = ARENA_ARRAY(arena, RACE_LEAF_WORDS, u32);
			memcpy(to->columns[n], leaf->columns[n] + from, count * sizeof(u32));
			memset(leaf->columns[n] + from, 0, count * sizeof(u32));
		}
	to->has |= leaf->has;
	to->count = (u8)count;
	leaf->count = (u8)from;
}

static void open_word(struct race_leaf *leaf, u32 at, u32 key)
{
	const u32 behind = leaf->count - at;

	memmove(leaf->keys + at + 1, leaf->keys + at, behind * sizeof *leaf->keys);
	leaf->keys[at] = (u16)key;
	for (u32 n = 0; n < RACE_PLANES; n++)
		if (leaf->columns[n]) {
			memmove(leaf->columns[n] + at + 1, leaf->columns[n] + at, behind * sizeof(u32));
			leaf->columns[n][at] = 0;
		}
	leaf->count++;
}

static void close_word(struct race_leaf *leaf, u32 at)
{
	const u32 behind = --leaf->count - at;

	memmove(leaf->keys + at, leaf->keys + at + 1, behind * sizeof *leaf->keys);
	for (u32 n = 0; n < RACE_PLANES; n++)
		if (leaf->columns[n]) {
			memmove(leaf->columns[n] + at, leaf->columns[n] + at + 1, behind * sizeof(u32));
			leaf->columns[n][leaf->count] = 0;
		}
}

/* An empty one, whose columns are all zeros. */
static void drop_leaf(struct race_leaves *l, struct arena *arena, struct race_region *r, u32 at)
{
	VEC_PUSH(arena, &l->unused, r->leaves[at]);
	r->count--;
	memmove(r->leaves + at, r->leaves + at + 1, (r->count - at) * sizeof(struct race_leaf *));
	memmove(r->firsts + at, r->firsts + at + 1, (r->count - at) * sizeof *r->firsts);
}

/* --- Words -------------------------------------------------------------------------------------- */

struct race_entry_at race_leaf_find(const struct race_leaves *l, u64 word)
{
	const struct race_region *r = find_region(l, word / REGION_WORDS);
	const u32 key = word % REGION_WORDS;

	if (!r || !r->count)
		return (struct race_entry_at){NULL, 0};
	struct race_leaf *leaf = r->leaves[leaf_for(r, key)];
	const u32 at = position_of(leaf, key);
	if (at == leaf->count || leaf->keys[at] != key)
		return (struct race_entry_at){NULL, 0};
	return (struct race_entry_at){leaf, at};
}

/* Is that half of a full leaf better a part of a page? */
static bool is_dense(const struct race_leaf *leaf, u32 from)
{
	const u32 words = leaf->keys[from + HALF - 1] - leaf->keys[from] + 1u;
	u64 seen[FILLING_WORDS / 64 + 1] = {0};
	u32 gaps = 0;

	if (words > FILLING_WORDS)
		return false;
	for (u32 k = from + 1; k < from + HALF; k++) {
		const u32 gap = leaf->keys[k] - leaf->keys[k - 1];
		gaps += !(seen[gap / 64] >> gap % 64 & 1);
		seen[gap / 64] |= 1ull << gap % 64;
	}
	return words <= DENSE_WORDS || gaps > REGULAR_GAPS;
}

struct race_entry_at race_leaf_add(struct race_leaves *l, struct arena *arena, u64 word, u64 *dense)
{
	struct race_region *r = region_of(l, arena, word / REGION_WORDS);
	const u32 key = word % REGION_WORDS;

	if (!r->count)
		insert_leaf(l, r, arena, 0, new_leaf(l, arena));
	u32 n = leaf_for(r, key);
	struct race_leaf *leaf = r->leaves[n];
	u32 at = position_of(leaf, key);
	if (leaf->count == RACE_LEAF_WORDS) {
		for (u32 from = 0; from < RACE_LEAF_WORDS; from += HALF)
			if (is_dense(leaf, from)) {
				*dense = r->number * REGION_WORDS + leaf->keys[from];
				return (struct race_entry_at){NULL, 0};
			}
		struct race_leaf *more = new_leaf(l, arena);
		insert_leaf(l, r, arena, n + 1, more);
		/* Words that come in order leave full leaves behind. */
		const u32 half = at == RACE_LEAF_WORDS ? at : HALF;
		move_words(arena, more, leaf, half);
		r->firsts[n + 1] = more->keys[0];
		if (at >= half) {
			leaf = more;
			at -= half;
			n++;
		}
	}
	open_word(leaf, at, key);
	r->firsts[n] = leaf->keys[0];
	return (struct race_entry_at){leaf, at};
}

bool race_leaf_take(struct race_leaves *l, struct arena *arena, u64 from, u64 end, u64 *word, u32 marks[RACE_PLANES])
{
	struct race_region *r = find_region(l, from / REGION_WORDS);
	const u32 key = from % REGION_WORDS;

	if (!r || !r->count)
		return false;
	u32 n = leaf_for(r, key), at = position_of(r->leaves[n], key);
	if (at == r->leaves[n]->count) {
		n++;
		at = 0;
	}
	if (n == r->count || r->number * REGION_WORDS + r->leaves[n]->keys[at] >= end)
		return false;
	*word = r->number * REGION_WORDS + r->leaves[n]->keys[at];
	for (u32 k = 0; k < RACE_PLANES; k++)
		marks[k] = r->leaves[n]->columns[k] ? r->leaves[n]->columns[k][at] : 0;
	close_word(r->leaves[n], at);
	if (r->leaves[n]->count)
		r->firsts[n] = r->leaves[n]->keys[0];
	else
		drop_leaf(l, arena, r, n);
	return true;
}

struct race_leaf *race_leaf_next(const struct race_leaves *l, struct race_leaf_walk *walk)
{
	if (!walk->slab && !walk->next)
		walk->slab = l->slabs;
	for (; walk->slab; walk->slab = walk->slab->older, walk->next = 0)
		while (walk->next < walk->slab->used) {
			const struct race_leaf *leaf = &walk->slab->leaves[walk->next++];
			if (leaf->count)
				return (struct race_leaf *)(uintptr_t)leaf;
		}
	return NULL;
}

struct race_entry_at race_leaf_next_word(const struct race_leaves *l, struct race_word_walk *walk, u64 *word)
{
	for (;;) {
		while (!walk->region || walk->leaf == walk->region->count) {
			if (walk->region)
				walk->region = walk->region->next;
			else if (walk->bucket < l->room)
				walk->region = l->buckets[walk->bucket++];
			else
				return (struct race_entry_at){NULL, 0};
			walk->leaf = walk->next = 0;
		}
		struct race_leaf *leaf = walk->region->leaves[walk->leaf];
		if (walk->next < leaf->count) {
			*word = walk->region->number * REGION_WORDS + leaf->keys[walk->next];
			return (struct race_entry_at){leaf, walk->next++};
		}
		walk->leaf++;
		walk->next = 0;
	}
}
