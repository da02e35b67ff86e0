/* SPDX-License-Identifier: Apache-2.0
 *
 * Pieces of one size and of several, and tables by number.
 */
#include "observe/race_store.h"

#include <string.h>

enum {
	BATCH_BYTES = 4096,
	FIRST_ROOM = 64,
	UNIT_BYTES = 64,
	BLOCK_UNITS = 64,
	BLOCK_BYTES = BLOCK_UNITS * UNIT_BYTES,
	FAMILY_BLOCKS = 4, /* whose records lie together in the first */
	FAMILY_BYTES = FAMILY_BLOCKS * BLOCK_BYTES,
	FAMILIES_MOST = 8, /* that come at once: one at first, then twice as many */
};

struct race_heap_block {
	u64 free; /* a bit for each unit */
	struct race_heap_block *next, **at;
};

enum { RECORD_UNITS = (FAMILY_BLOCKS * sizeof(struct race_heap_block) + UNIT_BYTES - 1) / UNIT_BYTES };

/* --- Pieces of one size ----------------------------------------------------------------------------------- */

void *race_store_take(struct arena *arena, struct race_store *s, size_t bytes)
{
	void *item = s->unused;

	if (item) {
		memcpy(&s->unused, item, sizeof s->unused);
		return memset(item, 0, bytes);
	}
	if (!s->left) {
		s->left = bytes < BATCH_BYTES ? (u32)(BATCH_BYTES / bytes) : 1;
		s->next = arena_array(arena, s->left, bytes);
	}
	item = s->next;
	s->next += bytes;
	s->left--;
	return item;
}

void race_store_give(struct race_store *s, void *item)
{
	memcpy(item, &s->unused, sizeof s->unused);
	s->unused = item;
}

/* --- Pieces of several sizes ------------------------------------------------------------------------ */

static u32 units_of(size_t bytes) { return (u32)((bytes + UNIT_BYTES - 1) / UNIT_BYTES); }

static u64 units_from(u32 first, u32 count) { return ((1ull << count) - 1) << first; }

/* Where so many free units lie together, a bit for the first of them. */
static u64 places_for(u64 free, u32 count)
{
	u64 places = free;

	for (u32 k = 1; k < count; k++)
		places &= free >> k;
	return places;
}

static u32 most_together(u64 free)
{
	u32 most = 0;

	for (u64 places = free; places && most < RACE_HEAP_UNITS; places &= free >> most)
		most++;
	return most;
}

static void leave_list(struct race_heap_block *b)
{
	if (b->at)
		*b->at = b->next;
	if (b->next)
		b->next->at = b->at;
}

static void set_free(struct race_heap *h, struct race_heap_block *b, u64 free)
{
	struct race_heap_block **list = &h->blocks[most_together(free)];

	leave_list(b);
	b->free = free;
	b->next = *list;
	b->at = list;
	if (b->next)
		b->next->at = &b->next;
	*list = b;
}

/* Families lie at multiples of their size, so that a piece's record is found. */
static void add_family(struct arena *arena, struct race_heap *h)
{
	if (!h->left) {
		h->came = min_u32(h->came ? 2 * h->came : 1, FAMILIES_MOST);
		h->next = arena_aligned(arena, h->came * (size_t)FAMILY_BYTES, FAMILY_BYTES);
		h->left = h->came;
	}
	struct race_heap_block *records = (struct race_heap_block *)(void *)h->next;
	h->next += FAMILY_BYTES;
	h->left--;
	for (u32 k = FAMILY_BLOCKS; k-- > 0;)
		set_free(h, &records[k], k ? ~0ull : ~0ull << RECORD_UNITS);
}

void *race_heap_take(struct arena *arena, struct race_heap *h, size_t bytes)
{
	const u32 count = units_of(bytes);
	u32 list = count;

	while (list <= RACE_HEAP_UNITS && !h->blocks[list])
		list++;
	if (list > RACE_HEAP_UNITS) {
		add_family(arena, h);
		list = RACE_HEAP_UNITS;
	}
	struct race_heap_block *b = h->blocks[list];
	const u32 first = (u32)__builtin_ctzll(places_for(b->free, count));
	u8 *family = (u8 *)b - ((uintptr_t)b & (FAMILY_BYTES - 1));
	const size_t at = (size_t)(b - (struct race_heap_block *)(void *)family) * BLOCK_BYTES;
	set_free(h, b, b->free & ~units_from(first, count));
	return memset(family + at + (size_t)first * UNIT_BYTES, 0, bytes);
}

void race_heap_give(struct race_heap *h, void *piece, size_t bytes)
{
	const uintptr_t at = (uintptr_t)piece & (FAMILY_BYTES - 1);
	struct race_heap_block *b = (struct race_heap_block *)(void *)((u8 *)piece - at) + at / BLOCK_BYTES;

	set_free(h, b, b->free | units_from((u32)(at % BLOCK_BYTES / UNIT_BYTES), units_of(bytes)));
}

/* --- Tables --------------------------------------------------------------------------------------------- */

static void add(struct race_table *t, struct race_numbered *x)
{
	struct race_numbered **bucket = &t->buckets[race_table_bucket(t, x->number)];

	x->next = *bucket;
	*bucket = x;
}

void race_table_add(struct race_table *t, struct arena *arena, struct race_numbered *x)
{
	struct race_numbered **old = t->buckets;
	const size_t room = t->room;

	if (t->count++ >= room) {
		t->room = room ? room * 4 : FIRST_ROOM;
		t->buckets = ARENA_ARRAY(arena, t->room, struct race_numbered *);
		for (size_t k = 0; k < room; k++)
			for (struct race_numbered *y = old[k], *next; y; y = next) {
				next = y->next;
				add(t, y);
			}
	}
	add(t, x);
}
