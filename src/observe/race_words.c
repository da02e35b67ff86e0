/* SPDX-License-Identifier: Apache-2.0
 *
 * Marks of words, the pages that hold them, and the events that they name.
 */
#include "observe/race_words.h"

#include <string.h>

enum {
	EVENTS_MOST = 1 << (32 - RACE_EVENT_SHIFT),
	EVENTS_FIRST = 1 << 15, /* as many are kept, however few of them are named */
	CHUNK_EVENTS = 4096,
	RECENT = 4096, /* a power of two */
	PLANE_BYTES = RACE_PAGE_WORDS * 4,
	RUNS_MARKS = RACE_RUN_GROUPS * RACE_RUNS,
};

struct race_event {
	u32 time, block, site;
};

/* Apart from them, as three words and a byte would take four. */
struct race_event_chunk {
	struct race_event events[CHUNK_EVENTS];
	u8 who[CHUNK_EVENTS]; /* warp, scope, and whether any lane is meant */
};

/* WHO_READS: in place of a scope, as of plain writes alone. */
enum { WHO_WARP = 0x1f, WHO_SCOPE_SHIFT = 5, WHO_SCOPE = 3, WHO_ANY_LANE = 0x80, WHO_READS = 1 };

/* --- Events ----------------------------------------------------------------------------------- */

static struct race_event *event_at(const struct race_events *e, u32 k)
{
	return &e->chunks[k / CHUNK_EVENTS]->events[k % CHUNK_EVENTS];
}

static u8 *who_at(const struct race_events *e, u32 k) { return &e->chunks[k / CHUNK_EVENTS]->who[k % CHUNK_EVENTS]; }

static u8 who_is(const struct race_mark *m)
{
	const u32 scope = m->reads ? WHO_READS : m->scope;

	return (u8)(m->warp | scope << WHO_SCOPE_SHIFT | (m->lane == RACE_ANY_LANE ? WHO_ANY_LANE : 0));
}

static bool is_event_of(const struct race_events *e, u32 k, const struct race_mark *m)
{
	const struct race_event *x = event_at(e, k);

	return x->time == m->time && x->block == m->block && x->site == m->site && *who_at(e, k) == who_is(m);
}

/* A plane's marks, whatever they are of; and how many, or 0. */
static u32 *marks_of(const struct race_page *p, u32 plane, u32 *count)
{
	*count = !p->planes[plane] ? 0 : p->is_runs >> plane & 1 ? RUNS_MARKS : RACE_PAGE_WORDS;
	return p->planes[plane];
}

static void note(u32 *number, const u32 *marks, u32 count)
{
	for (u32 k = 0; k < count; k++)
		number[marks[k] >> RACE_EVENT_SHIFT] = 1;
}

static void rename_events(const u32 *number, u32 *marks, u32 count)
{
	for (u32 k = 0; k < count; k++)
		marks[k] = number[marks[k] >> RACE_EVENT_SHIFT] << RACE_EVENT_SHIFT |
			   (marks[k] & ((1 << RACE_EVENT_SHIFT) - 1));
}

static void note_all(const struct race_events *e, u32 *number)
{
	struct race_leaf_walk walk = {NULL, 0};
	const struct race_leaf *leaf;

	for (struct race_page *p = e->pages; p; p = p->made_before)
		for (u32 n = 0, count; n < RACE_PLANES; n++) {
			const u32 *marks = marks_of(p, n, &count);
			note(number, marks, count);
		}
	while ((leaf = race_leaf_next(&e->leaves, &walk)))
		for (u32 n = 0; n < RACE_PLANES; n++)
			if (leaf->columns[n])
				note(number, leaf->columns[n], leaf->count);
}

static void rename_all(const struct race_events *e, const u32 *number)
{
	struct race_leaf_walk walk = {NULL, 0};
	const struct race_leaf *leaf;

	for (struct race_page *p = e->pages; p; p = p->made_before)
		for (u32 n = 0, count; n < RACE_PLANES; n++) {
			u32 *marks = marks_of(p, n, &count);
			rename_events(number, marks, count);
		}
	while ((leaf = race_leaf_next(&e->leaves, &walk)))
		for (u32 n = 0; n < RACE_PLANES; n++)
			if (leaf->columns[n])
				rename_events(number, leaf->columns[n], leaf->count);
}

/* Numbers the events that marks name anew, from 1, and forgets the others. */
static void give_up_unnamed(struct race_events *e)
{
	struct arena *scratch = arena_child(e->arena);
	u32 *number = ARENA_ARRAY(scratch, e->count, u32), count = 1;

	note_all(e, number);
	number[0] = 0;
	for (u32 k = 1; k < e->count; k++)
		if (number[k]) {
			*event_at(e, count) = *event_at(e, k);
			*who_at(e, count) = *who_at(e, k);
			number[k] = count++;
		}
	rename_all(e, number);
	e->count = count;
	memset(e->recent, 0, RECENT * sizeof *e->recent);
	arena_free(scratch);
}

/* Room for one more. Events that no mark names are given up when there are a quarter more than were named the last time;
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
		e->most = min_u32(EVENTS_MOST, max_u32(EVENTS_FIRST, e->count + e->count / 4));
	}
	if (e->count == EVENTS_MOST)
		e->count = 1;
	if (e->count / CHUNK_EVENTS >= e->chunk_room) {
		const u32 room = e->chunk_room ? 2 * e->chunk_room : 8;
		struct race_event_chunk **more = ARENA_ARRAY(e->arena, room, struct race_event_chunk *);
		if (e->chunk_room)
			memcpy(more, e->chunks, e->chunk_room * sizeof *more);
		e->chunks = more;
		e->chunk_room = room;
	}
	if (!e->chunks[e->count / CHUNK_EVENTS])
		e->chunks[e->count / CHUNK_EVENTS] = ARENA_NEW(e->arena, struct race_event_chunk);
	return e->count++;
}

static u32 event_of(struct race_events *e, const struct race_mark *m)
{
	const u32 slot = (m->site * 64 + m->warp * 2 + (m->lane == RACE_ANY_LANE)) % RECENT;

	if (e->most && e->recent[slot] && is_event_of(e, e->recent[slot], m))
		return e->recent[slot];
	const u32 k = new_event(e);
	*event_at(e, k) = (struct race_event){m->time, m->block, m->site};
	*who_at(e, k) = who_is(m);
	return e->recent[slot] = k;
}

/* --- Marks ------------------------------------------------------------------------------------ */

/* The marks of a word as they are kept, the newest first. */
static u32 get(struct race_word w, enum race_plane plane, u32 bytes, u32 marks[RACE_WORD_MARKS])
{
	if (!(race_planes_of(w) >> plane & 1))
		return 0;
	if (race_keeps_bytes(w, plane))
		return race_runs_get(w.page->planes[plane], w.at, bytes, marks);
	marks[0] = w.page ? ((const u32 *)w.page->planes[plane])[w.at] : w.leaf->columns[plane][w.at];
	return marks[0] != 0;
}

static void put(struct race_events *e, struct race_word w, enum race_plane plane, u32 mark);

/* Runs become a mark for each word, and a second one in the plane beside it, if that has none. */
static void spoil(struct race_events *e, struct race_page *p, enum race_plane plane)
{
	struct race_runs *runs = p->planes[plane];
	const bool has_other = plane == RACE_WRITE || plane == RACE_STRONG_WRITE || plane == RACE_READ;
	u32 *plain = race_heap_take(e->arena, &e->leaves.heap, PLANE_BYTES), marks[RACE_WORD_MARKS];

	p->planes[plane] = plain;
	p->is_runs &= (u8) ~(1u << plane);
	for (u32 at = 0; at < RACE_PAGE_WORDS; at++) {
		const u32 count = race_runs_get(runs, at, RACE_ALL_BYTES, marks);
		const struct race_word w = {p, NULL, at};
		u32 before[RACE_WORD_MARKS];
		plain[at] = count ? marks[0] : 0;
		if (count > 1 && has_other && !get(w, (enum race_plane)(plane + 1), RACE_ALL_BYTES, before))
			put(e, w, (enum race_plane)(plane + 1), marks[1]);
	}
	race_heap_give(&e->leaves.heap, runs, sizeof *runs);
}

static void put(struct race_events *e, struct race_word w, enum race_plane plane, u32 mark)
{
	if (w.leaf) {
		*race_leaf_mark(&e->leaves, e->arena, (struct race_entry_at){w.leaf, w.at}, plane) = mark;
		return;
	}
	if (!w.page->planes[plane]) {
		w.page->planes[plane] = race_heap_take(e->arena, &e->leaves.heap, sizeof(struct race_runs));
		w.page->is_runs |= (u8)(1u << plane);
		w.page->has |= (u8)(1u << plane);
	}
	if (race_keeps_bytes(w, plane)) {
		if (race_runs_put(w.page->planes[plane], w.at, mark))
			return;
		spoil(e, w.page, plane);
	}
	((u32 *)w.page->planes[plane])[w.at] = mark;
}

u32 race_marks_read(const struct race_events *e, struct race_word w, enum race_plane plane, u32 bytes,
		    struct race_mark marks[RACE_WORD_MARKS])
{
	u32 kept[RACE_WORD_MARKS];
	const u32 count = get(w, plane, bytes, kept);

	for (u32 k = 0; k < count; k++) {
		const struct race_event *x = event_at(e, kept[k] >> RACE_EVENT_SHIFT);
		const u32 who = *who_at(e, kept[k] >> RACE_EVENT_SHIFT), scope = who >> WHO_SCOPE_SHIFT & WHO_SCOPE;
		const bool is_plain_write = plane == RACE_WRITE || plane == RACE_OTHER_WRITE;
		marks[k] = (struct race_mark){.time = x->time,
					      .block = x->block,
					      .site = x->site,
					      .warp = who & WHO_WARP,
					      .lane = who & WHO_ANY_LANE ? RACE_ANY_LANE
									 : kept[k] & ((1 << RACE_LANE_BITS) - 1),
					      .bytes = kept[k] >> RACE_LANE_BITS & RACE_ALL_BYTES,
					      .scope = is_plain_write ? 0 : scope,
					      .reads = is_plain_write && scope == WHO_READS,
					      .event = kept[k] >> RACE_EVENT_SHIFT};
	}
	return count;
}

bool race_mark_get(const struct race_events *e, struct race_word w, enum race_plane plane, struct race_mark *mark)
{
	struct race_mark marks[RACE_WORD_MARKS];

	if (!race_marks_get(e, w, plane, RACE_ALL_BYTES, marks))
		return false;
	*mark = marks[0];
	return true;
}

void race_mark_put(struct race_events *e, struct race_word w, enum race_plane plane, const struct race_mark *mark)
{
	const u32 event = mark->event ? mark->event : event_of(e, mark);

	put(e, w, plane, race_packed(event, mark->bytes, mark->lane));
}

void race_mark_remove(struct race_events *e, struct race_word w, enum race_plane plane)
{
	u32 marks[RACE_WORD_MARKS];

	if (!get(w, plane, RACE_ALL_BYTES, marks))
		return;
	if (race_keeps_bytes(w, plane))
		spoil(e, w.page, plane);
	put(e, w, plane, 0);
}

static bool is_all_zeros(const u32 *marks, u32 count)
{
	u32 any = 0;

	for (u32 k = 0; k < count; k++)
		any |= marks[k];
	return !any;
}

/* What has no mark of that kind any more needs no room for one. */
static void drop_empty(struct race_events *e, struct race_page *p, enum race_plane plane)
{
	u32 count;
	const u32 *marks = marks_of(p, plane, &count);

	if (!count || !is_all_zeros(marks, count))
		return;
	race_heap_give(&e->leaves.heap, p->planes[plane],
		       p->is_runs >> plane & 1 ? sizeof(struct race_runs) : PLANE_BYTES);
	p->planes[plane] = NULL;
	p->has &= (u8) ~(1u << plane);
	p->is_runs &= (u8) ~(1u << plane);
}

bool race_mark_take(struct race_events *e, struct race_word w, enum race_plane plane, const struct race_mark *of)
{
	struct race_mark last[RACE_WORD_MARKS];

	const bool is_run = race_keeps_bytes(w, plane);
	const u32 run = is_run ? race_runs_apart(w.page->planes[plane], w.at) : 0;

	if ((is_run && !run) || !race_marks_get(e, w, plane, RACE_ALL_BYTES, last) || last->lane != of->lane ||
	    last->warp != of->warp || last->block != of->block || last->bytes & ~of->bytes ||
	    (is_run && last->bytes != run))
		return false;
	if (w.leaf) {
		race_leaf_unmark(&e->leaves, (struct race_entry_at){w.leaf, w.at}, plane);
		return true;
	}
	if (is_run)
		race_runs_take(w.page->planes[plane], w.at);
	else
		((u32 *)w.page->planes[plane])[w.at] = 0;
	drop_empty(e, w.page, plane);
	return true;
}

/* --- Pages ------------------------------------------------------------------------------------ */

/* Its marks will be looked through. */
static void list_page(struct race_events *e, struct race_page *page)
{
	page->made_before = e->pages;
	e->pages = page;
}

static struct race_page *page_in(const struct race_pages *p, u64 number)
{
	return (struct race_page *)(void *)race_table_find(&p->table, number);
}

/* With the marks that leaves have of its words. */
static struct race_page *new_page(struct race_pages *p, struct race_events *e, u64 number)
{
	struct race_page *page = race_store_take(e->arena, &e->page_store, sizeof *page);
	const u64 from = number * RACE_PAGE_WORDS, end = from + RACE_PAGE_WORDS;
	u32 marks[RACE_PLANES];
	u64 word;

	page->as.number = number;
	race_table_add(&p->table, e->arena, &page->as);
	list_page(e, page);
	while (race_leaf_take(&e->leaves, e->arena, from, end, &word, marks))
		for (u32 n = 0; n < RACE_PLANES; n++)
			if (marks[n])
				put(e, (struct race_word){page, NULL, (u32)(word - from)}, (enum race_plane)n,
				    marks[n]);
	return page;
}

struct race_word race_global_word(struct race_pages *p, struct race_events *e, u64 address, bool with_neighbours)
{
	const u64 word = address / 4, number = word / RACE_PAGE_WORDS;
	struct race_page *page = p->last && p->last->as.number == number ? p->last : page_in(p, number);

	while (!page && !with_neighbours) {
		u64 dense = word;
		struct race_entry_at x = race_leaf_find(&e->leaves, word);
		if (!x.leaf)
			x = race_leaf_add(&e->leaves, e->arena, word, &dense);
		if (x.leaf)
			return (struct race_word){NULL, x.leaf, x.at};
		new_page(p, e, dense / RACE_PAGE_WORDS);
		page = page_in(p, number);
	}
	p->last = page ? page : new_page(p, e, number);
	return (struct race_word){p->last, NULL, word % RACE_PAGE_WORDS};
}

bool race_global_find(const struct race_pages *p, const struct race_events *e, u64 address, struct race_word *w)
{
	const u64 word = address / 4;
	struct race_page *page = page_in(p, word / RACE_PAGE_WORDS);
	const struct race_entry_at x = page ? (struct race_entry_at){NULL, 0} : race_leaf_find(&e->leaves, word);

	*w = (struct race_word){page, x.leaf, page ? word % RACE_PAGE_WORDS : x.at};
	return page || x.leaf;
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
				memset(page->planes[n], 0,
				       page->is_runs >> n & 1 ? sizeof(struct race_runs)
							      : RACE_PAGE_WORDS * sizeof(u32));
	page->life = life;
	return (struct race_word){page, NULL, word % RACE_PAGE_WORDS};
}

/* --- Two threads' pages ------------------------------------------------------------------------- */

/* What a word's marks are of: a write or a read, strong at the grid's scope or not. */
enum { MEET_WRITE = 1, MEET_READ = 2, MEET_STRONG_WRITE = 4, MEET_STRONG_READ = 8 };

static u32 kinds_of(const struct race_events *e, struct race_word w, u8 strong_scope)
{
	u32 kinds = 0;

	for (u32 n = 0; n < RACE_PLANES; n++) {
		struct race_mark marks[RACE_WORD_MARKS];
		const u32 count = race_marks_get(e, w, (enum race_plane)n, RACE_ALL_BYTES, marks);
		for (u32 k = 0; k < count; k++) {
			const bool strong = marks[k].scope == strong_scope;
			kinds |= n < RACE_READ ? (strong ? MEET_STRONG_WRITE : MEET_WRITE)
					       : (strong ? MEET_STRONG_READ : MEET_READ);
		}
	}
	return kinds;
}

static bool kinds_meet(u32 a, u32 b)
{
	if (a & MEET_WRITE || b & MEET_WRITE)
		return a && b;
	return (a & MEET_STRONG_WRITE && b & MEET_READ) || (b & MEET_STRONG_WRITE && a & MEET_READ);
}

/* One side of the comparison. */
struct side {
	const struct race_pages *pages;
	const struct race_events *events;
};

static bool word_meets(const struct side *a, struct race_word x, const struct side *b, u64 word, u8 strong_scope)
{
	struct race_word y;

	return race_global_find(b->pages, b->events, word * 4, &y) &&
	       kinds_meet(kinds_of(a->events, x, strong_scope), kinds_of(b->events, y, strong_scope));
}

bool race_pages_meet(const struct race_pages *a, const struct race_events *a_events, const struct race_pages *b,
		     const struct race_events *b_events, u8 strong_scope)
{
	const struct side one = {a, a_events}, other = {b, b_events};
	struct race_word_walk walk = {0, NULL, 0, 0};
	struct race_entry_at x;
	u64 word;

	for (size_t k = 0; k < a->table.room; k++)
		for (struct race_numbered *p = a->table.buckets[k]; p; p = p->next)
			for (u32 n = 0; n < RACE_PAGE_WORDS; n++)
				if (word_meets(&one, (struct race_word){(struct race_page *)(void *)p, NULL, n}, &other,
					       p->number * RACE_PAGE_WORDS + n, strong_scope))
					return true;
	while ((x = race_leaf_next_word(&a_events->leaves, &walk, &word)).leaf)
		if (word_meets(&one, (struct race_word){NULL, x.leaf, x.at}, &other, word, strong_scope))
			return true;
	return false;
}
