/* SPDX-License-Identifier: Apache-2.0
 *
 * Leaves, by regions.
 */
#include "observe/race_leaves.h"

#include <string.h>

#include "observe/race_runs.h"

enum {
	REGION_WORDS = 1 << 16, /* which a key can tell apart */
	SLAB_LEAVES = 32,
	FIRST_ROOM = 4, /* of a leaf; twice as many up to ROOM_STEP, then so many more */
	ROOM_STEP = 16,
	HALF = RACE_LEAF_WORDS / 2,
	/* Half a leaf is better a part of a page if it is of fewer neighbours; and of a few more, if it is going to fill, as
	 * what lies at no regular distances is. */
	DENSE_WORDS = HALF * 5 / 4,
	FILLING_WORDS = HALF * 4,
	REGULAR_GAPS = 2,
	/* Of a page's words: then a page takes less. */
	FULL_PAGE_WORDS = RACE_PAGE_WORDS * 3 / 4,
};

/* Of a region's leaves; behind them their first keys. */
struct race_lists {
	struct race_lists *next; /* of unused ones */
	struct race_leaf *leaves[];
};

struct race_region {
	struct race_numbered as;
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

static struct race_region *find_region(const struct race_leaves *l, u64 number)
{
	if (l->last && l->last->as.number == number)
		return l->last;
	return (struct race_region *)(void *)race_table_find(&l->regions, number);
}

static struct race_region *region_of(struct race_leaves *l, struct arena *arena, u64 number)
{
	struct race_region *r = find_region(l, number);

	if (!r) {
		r = ARENA_NEW(arena, struct race_region);
		r->as.number = number;
		race_table_add(&l->regions, arena, &r->as);
	}
	return l->last = r;
}

/* --- Keys and columns ----------------------------------------------------------------------------- */

static void *take_array(struct race_leaves *l, struct arena *arena, size_t bytes)
{
	return bytes / 8 < RACE_LEAF_SIZES ? race_store_take(arena, &l->small[bytes / 8], bytes)
					   : race_heap_take(arena, &l->heap, bytes);
}

static void give_array(struct race_leaves *l, void *array, size_t bytes)
{
	if (array && bytes / 8 < RACE_LEAF_SIZES)
		race_store_give(&l->small[bytes / 8], array);
	else if (array)
		race_heap_give(&l->heap, array, bytes);
}

static u32 key_of(const struct race_leaf *leaf, u32 at)
{
	return leaf->keys ? leaf->keys[at] : leaf->first + leaf->step * at;
}

/* Room for that many words, no fewer than there are. */
static void set_room(struct race_leaves *l, struct arena *arena, struct race_leaf *leaf, u32 room)
{
	u16 *keys = take_array(l, arena, room * sizeof *keys);

	for (u32 k = 0; k < leaf->count; k++)
		keys[k] = (u16)key_of(leaf, k);
	give_array(l, leaf->keys, leaf->room * sizeof *keys);
	leaf->keys = keys;
	for (u32 n = 0; n < RACE_PLANES && room != leaf->room; n++)
		if (leaf->columns[n]) {
			u32 *column = take_array(l, arena, room * sizeof *column);
			memcpy(column, leaf->columns[n], leaf->count * sizeof *column);
			give_array(l, leaf->columns[n], leaf->room * sizeof *column);
			leaf->columns[n] = column;
		}
	leaf->room = (u8)room;
}

static u32 room_for(u32 count)
{
	u32 room = FIRST_ROOM;

	while (room < count)
		room += room < ROOM_STEP ? room : ROOM_STEP;
	return room;
}

/* Of a full leaf whose words are all the same distance apart, as threads leave them in the order of their numbers, two keys tell
 * all. */
static void drop_keys(struct race_leaves *l, struct race_leaf *leaf)
{
	const u32 step = leaf->keys[1] - leaf->keys[0] + 0u;

	for (u32 k = 2; k < RACE_LEAF_WORDS; k++)
		if (leaf->keys[k] - leaf->keys[k - 1] + 0u != step)
			return;
	leaf->first = leaf->keys[0];
	leaf->step = (u16)step;
	give_array(l, leaf->keys, leaf->room * sizeof *leaf->keys);
	leaf->keys = NULL;
}

u32 *race_leaf_mark(struct race_leaves *l, struct arena *arena, struct race_entry_at e, enum race_plane plane)
{
	if (!e.leaf->columns[plane]) {
		e.leaf->columns[plane] = take_array(l, arena, e.leaf->room * sizeof(u32));
		e.leaf->has |= (u8)(1u << plane);
	}
	return &e.leaf->columns[plane][e.at];
}

static void drop_column(struct race_leaves *l, struct race_leaf *leaf, u32 plane)
{
	give_array(l, leaf->columns[plane], leaf->room * sizeof(u32));
	leaf->columns[plane] = NULL;
	leaf->has &= (u8) ~(1u << plane);
}

void race_leaf_unmark(struct race_leaves *l, struct race_entry_at e, enum race_plane plane)
{
	u32 *column = e.leaf->columns[plane];

	if (!column)
		return;
	column[e.at] = 0;
	for (u32 k = e.at + 1; k < e.leaf->count; k++)
		if (column[k])
			return;
	for (u32 k = 0; k < e.at; k++)
		if (column[k])
			return;
	drop_column(l, e.leaf, plane);
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
static inline u32 position_of(const struct race_leaf *leaf, u32 key)
{
	const u16 *keys = leaf->keys;
	u32 low = 0, high = leaf->count;

	if (!high)
		return 0;
	if (!keys)
		return key <= leaf->first ? 0 : min_u32((key - leaf->first + leaf->step - 1) / leaf->step, leaf->count);
	while (low < high) {
		const u32 middle = (low + high) / 2;
		if (keys[middle] < key)
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

/* Words of one leaf from `from` on go to another, which is empty; both have no more room than they need. */
static void move_words(struct race_leaves *l, struct arena *arena, struct race_leaf *to, struct race_leaf *leaf,
		       u32 from)
{
	const u32 count = leaf->count - from;

	set_room(l, arena, to, room_for(count + 1));
	for (u32 k = 0; k < count; k++)
		to->keys[k] = (u16)key_of(leaf, from + k);
	for (u32 n = 0; n < RACE_PLANES && count; n++)
		if (leaf->columns[n])
			memcpy(race_leaf_mark(l, arena, (struct race_entry_at){to, 0}, (enum race_plane)n),
			       leaf->columns[n] + from, count * sizeof(u32));
	to->count = (u8)count;
	leaf->count = (u8)from;
	if (count)
		set_room(l, arena, leaf, room_for(from + 1));
}

static void open_word(struct race_leaves *l, struct arena *arena, struct race_leaf *leaf, u32 at, u32 key)
{
	const u32 behind = leaf->count - at;

	if (leaf->count == leaf->room || !leaf->keys)
		set_room(l, arena, leaf, room_for(leaf->count + 1u));
	memmove(leaf->keys + at + 1, leaf->keys + at, behind * sizeof *leaf->keys);
	leaf->keys[at] = (u16)key;
	for (u32 n = 0; n < RACE_PLANES; n++)
		if (leaf->columns[n]) {
			memmove(leaf->columns[n] + at + 1, leaf->columns[n] + at, behind * sizeof(u32));
			leaf->columns[n][at] = 0;
		}
	leaf->count++;
	if (leaf->count == RACE_LEAF_WORDS)
		drop_keys(l, leaf);
}

static void close_word(struct race_leaves *l, struct arena *arena, struct race_leaf *leaf, u32 at)
{
	if (!leaf->keys)
		set_room(l, arena, leaf, leaf->room);
	const u32 behind = --leaf->count - at;
	memmove(leaf->keys + at, leaf->keys + at + 1, behind * sizeof *leaf->keys);
	for (u32 n = 0; n < RACE_PLANES; n++)
		if (leaf->columns[n]) {
			memmove(leaf->columns[n] + at, leaf->columns[n] + at + 1, behind * sizeof(u32));
			leaf->columns[n][leaf->count] = 0;
		}
	if (leaf->count && leaf->room > room_for(leaf->count) + ROOM_STEP)
		set_room(l, arena, leaf, room_for(leaf->count));
}

/* An empty one. */
static void drop_leaf(struct race_leaves *l, struct arena *arena, struct race_region *r, u32 at)
{
	struct race_leaf *leaf = r->leaves[at];

	for (u32 n = 0; n < RACE_PLANES; n++)
		if (leaf->columns[n])
			drop_column(l, leaf, n);
	give_array(l, leaf->keys, leaf->room * sizeof *leaf->keys);
	*leaf = (struct race_leaf){0};
	VEC_PUSH(arena, &l->unused, leaf);
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
	if (at == leaf->count || key_of(leaf, at) != key)
		return (struct race_entry_at){NULL, 0};
	return (struct race_entry_at){leaf, at};
}

/* Is that half of a full leaf better a part of a page? */
static bool is_dense(const struct race_leaf *leaf, u32 from)
{
	const u32 words = key_of(leaf, from + HALF - 1) - key_of(leaf, from) + 1u;
	u64 seen[FILLING_WORDS / 64 + 1] = {0};
	u32 gaps = 0;

	if (words > FILLING_WORDS)
		return false;
	for (u32 k = from + 1; k < from + HALF; k++) {
		const u32 gap = key_of(leaf, k) - key_of(leaf, k - 1);
		gaps += !(seen[gap / 64] >> gap % 64 & 1);
		seen[gap / 64] |= 1ull << gap % 64;
	}
	return words <= DENSE_WORDS || gaps > REGULAR_GAPS;
}

/* Has the leaf most words of the key's page? */
static bool fills_page(const struct race_leaf *leaf, u32 key)
{
	const u32 first = key / RACE_PAGE_WORDS * RACE_PAGE_WORDS;

	return leaf->count >= FULL_PAGE_WORDS &&
	       position_of(leaf, first + RACE_PAGE_WORDS) - position_of(leaf, first) >= FULL_PAGE_WORDS;
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
	if (fills_page(leaf, key)) {
		*dense = word;
		return (struct race_entry_at){NULL, 0};
	}
	if (leaf->count == RACE_LEAF_WORDS) {
		for (u32 from = 0; from < RACE_LEAF_WORDS; from += HALF)
			if (is_dense(leaf, from)) {
				*dense = r->as.number * REGION_WORDS + key_of(leaf, from);
				return (struct race_entry_at){NULL, 0};
			}
		struct race_leaf *more = new_leaf(l, arena);
		insert_leaf(l, r, arena, n + 1, more);
		/* Words that come in order leave full leaves behind. */
		const u32 half = at == RACE_LEAF_WORDS ? at : HALF;
		move_words(l, arena, more, leaf, half);
		r->firsts[n + 1] = (u16)(more->count ? key_of(more, 0) : key);
		if (at >= half) {
			leaf = more;
			at -= half;
			n++;
		}
	}
	open_word(l, arena, leaf, at, key);
	r->firsts[n] = (u16)key_of(leaf, 0);
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
	if (n == r->count || r->as.number * REGION_WORDS + key_of(r->leaves[n], at) >= end)
		return false;
	*word = r->as.number * REGION_WORDS + key_of(r->leaves[n], at);
	for (u32 k = 0; k < RACE_PLANES; k++)
		marks[k] = r->leaves[n]->columns[k] ? r->leaves[n]->columns[k][at] : 0;
	close_word(l, arena, r->leaves[n], at);
	if (r->leaves[n]->count)
		r->firsts[n] = (u16)key_of(r->leaves[n], 0);
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
			if (!walk->region && walk->bucket == l->regions.room)
				return (struct race_entry_at){NULL, 0};
			const struct race_numbered *next =
				walk->region ? walk->region->as.next : l->regions.buckets[walk->bucket++];
			walk->region = (const struct race_region *)(const void *)next;
			walk->leaf = walk->next = 0;
		}
		struct race_leaf *leaf = walk->region->leaves[walk->leaf];
		if (walk->next < leaf->count) {
			*word = walk->region->as.number * REGION_WORDS + key_of(leaf, walk->next);
			return (struct race_entry_at){leaf, walk->next++};
		}
		walk->leaf++;
		walk->next = 0;
	}
}
