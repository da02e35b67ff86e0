/* SPDX-License-Identifier: Apache-2.0
 *
 * Sharing pages by content.
 *
 * Before a launch all ranks need the memory that rank 0 has. Rank 0 remembers the hash of what it sent last, and offers
 * only pages that differ; ranks answer with those that they really lack, so that what several computed alike is not
 * sent:
 *
 *      rank 0     ranges, offers (page, hash)  ->  all
 *      others     a bit for each offer          ->  rank 0
 *      rank 0     pages that several want       ->  all, by one broadcast; others one by one
 */
#include "ranks/pages.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

/* --- Hashes --------------------------------------------------------------------------------- */

static inline u64 rotated(u64 x, u32 by) { return x << by | x >> (64 - by); }

static inline u64 mixed(u64 h, u64 x, u64 odd) { return rotated(h ^ x, 29) * odd; }

/* 128 bits: each step is invertible, so pages that differ in one place differ in their hashes, and what collides by
 * chance is one pair in 2^128. Nothing is protected from those who make pages that collide. */
static struct page_hash hash_of(const u8 *bytes, size_t count)
{
	static const u64 odd[4] = {0x9e3779b97f4a7c15u, 0xc2b2ae3d27d4eb4fu, 0x165667b19e3779f9u, 0xd6e8feb86659fd93u};
	u64 lane[4] = {count, 1, 2, 3}, x[4];
	size_t at = 0;

	for (; at + sizeof x <= count; at += sizeof x) {
		memcpy(x, bytes + at, sizeof x);
		for (u32 k = 0; k < 4; k++)
			lane[k] = mixed(lane[k], x[k], odd[k]);
	}
	if (at < count) {
		memset(x, 0, sizeof x);
		memcpy(x, bytes + at, count - at);
		for (u32 k = 0; k < 4; k++)
			lane[k] = mixed(lane[k], x[k], odd[k]);
	}
	struct page_hash h = {lane[0], lane[1]};
	for (u32 k = 0; k < 4; k++) {
		h.a = mixed(h.a, lane[k] ^ lane[k] >> 31, odd[k]);
		h.b = mixed(h.b, rotated(lane[k], 17) ^ lane[k] >> 27, odd[3 - k]);
	}
	h.a ^= h.a >> 32;
	h.b ^= h.b >> 32;
	return h;
}

static bool is_same(struct page_hash x, struct page_hash y) { return x.a == y.a && x.b == y.b; }

static struct page_hash page_hash(const struct allocation *a, u64 page)
{
	return hash_of(a->host + page * TOUCHED_PAGE, min_u64(TOUCHED_PAGE, a->size - page * TOUCHED_PAGE));
}

/* --- What rank 0 knows ---------------------------------------------------------------------- */

static u64 pages_in(u64 size) { return (size + TOUCHED_PAGE - 1) / TOUCHED_PAGE; }

static void range_free(struct shared_range *r)
{
	free(r->hashes);
	free(r->dirty);
}

void shared_pages_free(struct shared_pages *s)
{
	for (u32 k = 0; k < s->count; k++)
		range_free(&s->ranges[k]);
	free(s->ranges);
	*s = (struct shared_pages){0};
}

static struct shared_range *find_range(const struct shared_pages *s, u64 base)
{
	u32 low = 0, high = s->count;

	while (low < high) {
		const u32 middle = low + (high - low) / 2;
		if (s->ranges[middle].base < base)
			low = middle + 1;
		else
			high = middle;
	}
	return low < s->count && s->ranges[low].base == base ? &s->ranges[low] : NULL;
}

void shared_pages_dirty(struct shared_pages *s, u64 base, u64 page)
{
	struct shared_range *r = find_range(s, base);

	if (r && page < pages_in(r->size))
		r->dirty[page] = true;
}

/* What others have of a new allocation: zeros. */
static bool range_begin(struct shared_range *r, const struct allocation *a)
{
	static const u8 zeros[TOUCHED_PAGE];
	const u64 pages = pages_in(a->size);

	*r = (struct shared_range){.base = a->base, .size = a->size, .flags = a->flags};
	r->hashes = calloc(pages, sizeof *r->hashes);
	r->dirty = calloc(pages, sizeof *r->dirty);
	if (!r->hashes || !r->dirty)
		return false;
	const struct page_hash whole = hash_of(zeros, TOUCHED_PAGE);
	for (u64 p = 0; p < pages; p++)
		r->hashes[p] = whole;
	r->hashes[pages - 1] = hash_of(zeros, a->size - (pages - 1) * TOUCHED_PAGE);
	return true;
}

/* Whether others keep what they have: the allocation is still there. */
static bool is_kept(const struct shared_range *r, const struct allocation *a)
{
	return r->size == a->size && (r->flags | ALLOCATION_BORROWED) == (a->flags | ALLOCATION_BORROWED);
}

/* Makes the list of ranges that of the memory's allocations.
 * Allocations that came or went since the last launch; others keep what is known of them. */
static void follow(struct shared_pages *s, const struct memory *m, const struct transport *t)
{
	struct shared_pages now = {calloc(m->count + 1ull, sizeof *now.ranges), 0};

	for (u32 k = 0; now.ranges && k < m->count; k++) {
		const struct allocation *a = &m->list[k];
		if (!a->size)
			continue;
		struct shared_range *before = find_range(s, a->base), *r = &now.ranges[now.count++];
		if (before && is_kept(before, a)) {
			*r = *before;
			before->hashes = NULL;
			before->dirty = NULL;
		} else if (!range_begin(r, a)) {
			rank_fails(t, "no memory left");
		}
	}
	if (!now.ranges)
		rank_fails(t, "no memory left");
	shared_pages_free(s);
	*s = now;
}

/* --- Offers --------------------------------------------------------------------------------- */

/* A page that some ranks may not have. */
struct offer {
	u64 range, page;
	struct page_hash hash;
};

static void put_ranges(struct parcel *w, const struct memory *m, u32 count)
{
	parcel_put_number(w, count);
	for (u32 k = 0; k < m->count; k++) {
		const struct allocation *a = &m->list[k];
		if (!a->size)
			continue;
		parcel_put_number(w, a->base);
		parcel_put_number(w, a->size);
		parcel_put_number(w, a->flags & ~(u32)ALLOCATION_BORROWED);
		parcel_put_text(w, a->name);
	}
}

/* Behind the ranges: offers, with their number before them. */
static u64 put_offers(struct parcel *w, const struct shared_pages *s, const struct memory *m)
{
	u64 count = 0;
	u32 number = 0;

	parcel_put_number(w, 0);
	const size_t at = w->count - sizeof count;
	for (u32 k = 0; k < m->count; k++) {
		const struct allocation *a = &m->list[k];
		if (!a->size)
			continue;
		const struct shared_range *r = &s->ranges[number];
		for (u64 p = 0; p < pages_in(a->size); p++) {
			const struct offer o = {number, p, page_hash(a, p)};
			if (!r->dirty[p] && is_same(o.hash, r->hashes[p]))
				continue;
			r->dirty[p] = false;
			r->hashes[p] = o.hash;
			parcel_put(w, &o, sizeof o);
			count++;
		}
		number++;
	}
	memcpy(w->bytes + at, &count, sizeof count);
	return count;
}

static size_t words_of(u64 bits) { return (bits + 63) / 64; }

static bool has_bit(const u64 *bits, u64 k) { return bits[k / 64] >> (k % 64) & 1; }

/* The bytes of the offered pages in `which`. */
static void put_pages(struct parcel *w, const struct offer *offers, u64 count, const u64 *which, const struct memory *m)
{
	for (u64 k = 0; k < count; k++) {
		if (!has_bit(which, k))
			continue;
		const struct allocation *a = &m->list[offers[k].range];
		const u64 at = offers[k].page * TOUCHED_PAGE;
		parcel_put(w, a->host + at, min_u64(TOUCHED_PAGE, a->size - at));
	}
}

static void take_pages(struct parcel *w, const struct offer *offers, u64 count, const u64 *which,
		       const struct memory *m)
{
	for (u64 k = 0; k < count; k++) {
		if (!has_bit(which, k))
			continue;
		const struct allocation *a = &m->list[offers[k].range];
		const u64 at = offers[k].page * TOUCHED_PAGE, bytes = min_u64(TOUCHED_PAGE, a->size - at);
		memcpy(a->host + at, parcel_take(w, bytes), bytes);
	}
}

/* Allocations of size 0 are emptied places, which ranks number differently. */
static struct memory without_empty(const struct memory *m, const struct transport *t)
{
	struct memory dense = {.list = calloc(m->count + 1ull, sizeof *dense.list)};

	if (!dense.list)
		rank_fails(t, "no memory left");
	for (u32 k = 0; k < m->count; k++)
		if (m->list[k].size)
			dense.list[dense.count++] = m->list[k];
	return dense;
}

/* --- Rank 0 --------------------------------------------------------------------------------- */

/* What each rank wants, and what is sent to all: what several do, or the only other one. */
static u64 *gather_wants(const struct transport *t, struct parcel *replies, u64 count)
{
	const size_t words = words_of(count);
	u64 *all = calloc(words + 1, sizeof *all), *any = calloc(words + 1, sizeof *any);

	if (!all || !any)
		rank_fails(t, "no memory left");
	for (u32 r = 1; r < t->count; r++) {
		parcel_receive(&replies[r], r);
		const u64 *wants = (const u64 *)(const void *)parcel_take(&replies[r], words * sizeof *wants);
		for (size_t k = 0; k < words; k++) {
			all[k] |= t->count == 2 ? wants[k] : any[k] & wants[k];
			any[k] |= wants[k];
		}
	}
	free(any);
	return all;
}

/* Pages that several ranks want go to all at once, others to the one that does.
 * Returns the bytes sent, for the summary. */
static u64 give_pages(const struct memory *m, const struct transport *t, const struct offer *offers, u64 count)
{
	struct parcel w = {.transport = t};
	struct parcel *replies = calloc(t->count, sizeof *replies);

	if (!replies)
		rank_fails(t, "no memory left");
	for (u32 r = 0; r < t->count; r++)
		replies[r].transport = t;
	u64 *all = gather_wants(t, replies, count);
	parcel_put(&w, all, words_of(count) * sizeof *all);
	put_pages(&w, offers, count, all, m);
	parcel_broadcast(&w);
	u64 sent = w.count;
	for (u32 r = 1; r < t->count; r++) {
		u64 *wants = (u64 *)(void *)replies[r].bytes;
		for (size_t k = 0; k < words_of(count); k++)
			wants[k] &= ~all[k];
		parcel_empty(&w);
		put_pages(&w, offers, count, wants, m);
		parcel_send(&w, r);
		sent += w.count;
		parcel_free(&replies[r]);
	}
	free(all);
	free(replies);
	parcel_free(&w);
	return sent;
}

u64 pages_share(struct shared_pages *s, struct memory *m, const struct transport *t)
{
	struct parcel w = {.transport = t};

	follow(s, m, t);
	put_ranges(&w, m, s->count);
	const u64 count = put_offers(&w, s, m);
	parcel_broadcast(&w);
	u64 sent = w.count;
	if (count) {
		struct memory dense = without_empty(m, t);
		const struct offer *offers = (const struct offer *)(const void *)(w.bytes + w.count) - count;
		sent += give_pages(&dense, t, offers, count);
		free(dense.list);
	}
	parcel_free(&w);
	return sent;
}

/* --- The others ----------------------------------------------------------------------------- */

struct wanted_range {
	u64 base, size;
	u32 flags;
	const char *name;
};

static bool is_listed(const struct wanted_range *ranges, u64 count, const struct allocation *a)
{
	u64 low = 0, high = count;

	while (low < high) {
		const u64 middle = low + (high - low) / 2;
		if (ranges[middle].base < a->base)
			low = middle + 1;
		else
			high = middle;
	}
	return low < count && ranges[low].base == a->base && ranges[low].size == a->size &&
	       ranges[low].flags == a->flags;
}

/* Makes the memory's allocations those of the list. */
static void take_ranges(struct parcel *w, struct memory *m, struct arena *names)
{
	const u64 count = parcel_take_number(w);
	struct wanted_range *ranges = calloc(count + 1, sizeof *ranges);

	if (!ranges)
		rank_fails(w->transport, "no memory left");
	for (u64 k = 0; k < count; k++) {
		ranges[k].base = parcel_take_number(w);
		ranges[k].size = parcel_take_number(w);
		ranges[k].flags = (u32)parcel_take_number(w);
		ranges[k].name = parcel_take_text(w);
	}
	for (u32 k = 0; k < m->count;) {
		const u64 base = m->list[k].base;
		if (!m->list[k].size || is_listed(ranges, count, &m->list[k]) || !memory_forget(m, base))
			k++;
		else
			k = 0;
	}
	for (u64 k = 0; k < count; k++) {
		const struct wanted_range *r = &ranges[k];
		if (memory_find(m, r->base, r->size))
			continue;
		const char *name = r->name ? arena_copy_text(names, r->name, strlen(r->name)) : NULL;
		if (!memory_map(m, r->base, r->size, NULL, name, r->flags))
			rank_fails(w->transport, "no memory for '%s', %llu bytes", name ? name : "an allocation",
				   (unsigned long long)r->size);
	}
	free(ranges);
}

/* The counterpart of pages_share() on the other ranks. */
void pages_take(struct memory *m, struct arena *names, const struct transport *t)
{
	struct parcel w = {.transport = t}, other = {.transport = t};

	parcel_broadcast(&w);
	take_ranges(&w, m, names);
	const u64 count = parcel_take_number(&w);
	const struct offer *offers = (const struct offer *)(const void *)parcel_take(&w, count * sizeof *offers);
	struct memory dense = without_empty(m, t);
	if (count) {
		u64 *wants = (u64 *)(void *)parcel_room(&other, words_of(count) * sizeof *wants);
		memset(wants, 0, words_of(count) * sizeof *wants);
		for (u64 k = 0; k < count; k++)
			if (!is_same(page_hash(&dense.list[offers[k].range], offers[k].page), offers[k].hash))
				wants[k / 64] |= 1ull << (k % 64);
		parcel_send(&other, 0);
		struct parcel all = {.transport = t};
		parcel_broadcast(&all);
		const u64 *common = (const u64 *)(const void *)parcel_take(&all, words_of(count) * sizeof *common);
		take_pages(&all, offers, count, common, &dense);
		for (size_t k = 0; k < words_of(count); k++)
			wants[k] &= ~common[k];
		struct parcel own = {.transport = t};
		parcel_receive(&own, 0);
		take_pages(&own, offers, count, wants, &dense);
		parcel_free(&own);
		parcel_free(&all);
	}
	free(dense.list);
	parcel_free(&other);
	parcel_free(&w);
}
