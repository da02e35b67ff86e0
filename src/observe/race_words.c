/* SPDX-License-Identifier: Apache-2.0
 *
 * Marks of words, the pages that hold them, and the events that they name.
 */
#include "observe/race_words.h"

#include <string.h>

/* A mark: event, bytes, lane. */
enum {
	LANE_BITS = 5,
	BYTES_BITS = 4,
	EVENT_SHIFT = LANE_BITS + BYTES_BITS,
	EVENTS_MOST = 1 << (32 - EVENT_SHIFT),
	EVENTS_FIRST = 1 << 15, /* as many are kept, however few of them are named */
	CHUNK_EVENTS = 4096,
	RECENT = 4096, /* a power of two */
	FIRST_ROOM = 256,
};

struct race_event {
	u32 time, block, site;
	u8 warp, scope;
	bool any_lane;
};

/* --- Events ----------------------------------------------------------------------------------- */

static struct race_event *event_at(const struct race_events *e, u32 k)
{
	return &e->chunks[k / CHUNK_EVENTS][k % CHUNK_EVENTS];
}

static bool is_event_of(const struct race_event *x, const struct race_mark *m)
{
	return x->time == m->time && x->block == m->block && x->site == m->site && x->warp == m->warp &&
	       x->scope == m->scope && x->any_lane == (m->lane == RACE_ANY_LANE);
}

/* Numbers the events that marks name anew, from 1, and forgets the others. */
static void give_up_unnamed(struct race_events *e)
{
	struct arena *scratch = arena_child(e->arena);
	u32 *number = ARENA_ARRAY(scratch, e->count, u32), count = 1;

	for (struct race_page *p = e->pages; p; p = p->made_before)
		for (u32 n = 0; n < RACE_PLANES; n++)
			for (u32 k = 0; p->planes[n] && k < RACE_PAGE_WORDS; k++)
				number[p->planes[n][k] >> EVENT_SHIFT] = 1;
	number[0] = 0;
	for (u32 k = 1; k < e->count; k++)
		if (number[k]) {
			*event_at(e, count) = *event_at(e, k);
			number[k] = count++;
		}
	for (struct race_page *p = e->pages; p; p = p->made_before)
		for (u32 n = 0; n < RACE_PLANES; n++)
			for (u32 k = 0; p->planes[n] && k < RACE_PAGE_WORDS; k++) {
				u32 *mark = &p->planes[n][k];
				*mark = number[*mark >> EVENT_SHIFT] << EVENT_SHIFT |
					(*mark & ((1 << EVENT_SHIFT) - 1));
			}
	e->count = count;
	memset(e->recent, 0, RECENT * sizeof *e->recent);
	arena_free(scratch);
}

/* Room for one more. Events that no mark names are given up when there are twice as many as were named the last time;
 * if marks name too many, the oldest marks' are taken again. */
static u32 new_event(struct race_events *e)
{
	if (!e->most) {
		e->recent = ARENA_ARRAY(e->arena, RECENT, u32);
		e->count = 1;
		e->most = EVENTS_FIRST;
	}
	if (e->count == e->most) {
		give_up_unnamed(e);
		e->most = min_u32(EVENTS_MOST, max_u32(EVENTS_FIRST, 2 * e->count));
	}
	if (e->count == EVENTS_MOST)
		e->count = 1;
	if (e->count / CHUNK_EVENTS >= e->chunk_room) {
		const u32 room = e->chunk_room ? 2 * e->chunk_room : 8;
		struct race_event **more = ARENA_ARRAY(e->arena, room, struct race_event *);
		if (e->chunk_room)
			memcpy(more, e->chunks, e->chunk_room * sizeof *more);
		e->chunks = more;
		e->chunk_room = room;
	}
	if (!e->chunks[e->count / CHUNK_EVENTS])
		e->chunks[e->count / CHUNK_EVENTS] = ARENA_ARRAY(e->arena, CHUNK_EVENTS, struct race_event);
	return e->count++;
}

static u32 event_of(struct race_events *e, const struct race_mark *m)
{
	const u32 slot = (m->site * 64 + m->warp * 2 + (m->lane == RACE_ANY_LANE)) % RECENT;

	if (e->most && e->recent[slot] && is_event_of(event_at(e, e->recent[slot]), m))
		return e->recent[slot];
	const u32 k = new_event(e);
	*event_at(e, k) = (struct race_event){m->time, m->block, m->site, m->warp, m->scope, m->lane == RACE_ANY_LANE};
	return e->recent[slot] = k;
}

/* --- Pages ------------------------------------------------------------------------------------ */

static size_t bucket_of(const struct race_pages *p, u64 number)
{
	return (size_t)(number * 0x9e3779b97f4a7c15u >> 32) & (p->room - 1);
}

static void grow(struct race_pages *p, struct arena *arena)
{
	struct race_page **old = p->buckets;
	const size_t room = p->room;

	p->room = room ? room * 4 : FIRST_ROOM;
	p->buckets = ARENA_ARRAY(arena, p->room, struct race_page *);
	for (size_t k = 0; k < room; k++)
		for (struct race_page *page = old[k], *next; page; page = next) {
			next = page->next;
			page->next = p->buckets[bucket_of(p, page->number)];
			p->buckets[bucket_of(p, page->number)] = page;
		}
}

/* Its marks will be looked through. */
static void list_page(struct race_events *e, struct race_page *page)
{
	page->made_before = e->pages;
	e->pages = page;
}

static struct race_page *find_page(struct race_pages *p, struct race_events *e, u64 number)
{
	if (p->count >= p->room)
		grow(p, e->arena);
	struct race_page **bucket = &p->buckets[bucket_of(p, number)], *page = *bucket;

	while (page && page->number != number)
		page = page->next;
	if (page)
		return page;
	page = ARENA_NEW(e->arena, struct race_page);
	page->number = number;
	page->next = *bucket;
	list_page(e, page);
	p->count++;
	return *bucket = page;
}

struct race_word race_global_word(struct race_pages *p, struct race_events *e, u64 address)
{
	const u64 word = address / 4, number = word / RACE_PAGE_WORDS;

	if (!p->last || p->last->number != number)
		p->last = find_page(p, e, number);
	return (struct race_word){p->last, word % RACE_PAGE_WORDS};
}

struct race_word race_shared_word(struct race_page *pages, struct race_events *e, u64 offset, u32 life)
{
	const u64 word = offset / 4;
	struct race_page *page = &pages[word / RACE_PAGE_WORDS];

	if (!page->life)
		list_page(e, page);
	if (page->life != life)
		for (u32 n = 0; n < RACE_PLANES; n++)
			if (page->planes[n])
				memset(page->planes[n], 0, RACE_PAGE_WORDS * sizeof *page->planes[n]);
	page->life = life;
	return (struct race_word){page, word % RACE_PAGE_WORDS};
}

/* --- Marks ------------------------------------------------------------------------------------ */

bool race_mark_get(const struct race_events *e, struct race_word w, enum race_plane plane, struct race_mark *mark)
{
	const u32 *marks = w.page->planes[plane];

	if (!marks || !marks[w.at])
		return false;
	const u32 m = marks[w.at];
	const struct race_event *x = event_at(e, m >> EVENT_SHIFT);
	*mark = (struct race_mark){.time = x->time,
				   .block = x->block,
				   .site = x->site,
				   .warp = x->warp,
				   .lane = x->any_lane ? RACE_ANY_LANE : m & ((1 << LANE_BITS) - 1),
				   .bytes = m >> LANE_BITS & ((1 << BYTES_BITS) - 1),
				   .scope = x->scope};
	return true;
}

void race_mark_put(struct race_events *e, struct race_word w, enum race_plane plane, const struct race_mark *mark)
{
	u32 **marks = &w.page->planes[plane];

	if (!*marks)
		*marks = ARENA_ARRAY(e->arena, RACE_PAGE_WORDS, u32);
	(*marks)[w.at] = event_of(e, mark) << EVENT_SHIFT | (u32)mark->bytes << LANE_BITS |
			 (mark->lane & ((1 << LANE_BITS) - 1));
}

void race_mark_remove(struct race_word w, enum race_plane plane)
{
	if (w.page->planes[plane])
		w.page->planes[plane][w.at] = 0;
}

/* --- Two threads' pages ------------------------------------------------------------------------- */

/* What a word's marks are of: a write or a read, strong at the grid's scope or not. */
enum { MEET_WRITE = 1, MEET_READ = 2, MEET_STRONG_WRITE = 4, MEET_STRONG_READ = 8 };

static u32 kinds_of(const struct race_page *p, const struct race_events *e, u32 at, u8 strong_scope)
{
	u32 kinds = 0;

	for (u32 n = 0; n < RACE_PLANES; n++) {
		struct race_mark m;
		if (!race_mark_get(e, (struct race_word){(struct race_page *)(uintptr_t)p, at}, (enum race_plane)n, &m))
			continue;
		const bool strong = m.scope == strong_scope;
		kinds |= n < RACE_READ ? (strong ? MEET_STRONG_WRITE : MEET_WRITE)
				       : (strong ? MEET_STRONG_READ : MEET_READ);
	}
	return kinds;
}

static bool kinds_meet(u32 a, u32 b)
{
	if (a & MEET_WRITE || b & MEET_WRITE)
		return a && b;
	return (a & MEET_STRONG_WRITE && b & MEET_READ) || (b & MEET_STRONG_WRITE && a & MEET_READ);
}

static const struct race_page *page_in(const struct race_pages *p, u64 number)
{
	const struct race_page *page = p->room ? p->buckets[bucket_of(p, number)] : NULL;

	while (page && page->number != number)
		page = page->next;
	return page;
}

bool race_global_find(const struct race_pages *p, u64 address, struct race_word *w)
{
	const u64 word = address / 4;
	const struct race_page *page = page_in(p, word / RACE_PAGE_WORDS);

	*w = (struct race_word){(struct race_page *)(uintptr_t)page, word % RACE_PAGE_WORDS};
	return page;
}

bool race_pages_meet(const struct race_pages *a, const struct race_events *a_events, const struct race_pages *b,
		     const struct race_events *b_events, u8 strong_scope)
{
	for (size_t k = 0; k < a->room; k++)
		for (const struct race_page *x = a->buckets[k]; x; x = x->next) {
			const struct race_page *y = page_in(b, x->number);
			for (u32 n = 0; y && n < RACE_PAGE_WORDS; n++)
				if (kinds_meet(kinds_of(x, a_events, n, strong_scope),
					       kinds_of(y, b_events, n, strong_scope)))
					return true;
		}
	return false;
}
