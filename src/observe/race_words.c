/* SPDX-License-Identifier: Apache-2.0
 *
 * Marks of words, and the pages that hold those of global memory.
 */
#include "observe/race_words.h"

#include <string.h>

enum { PAGE_WORDS = 256, FIRST_ROOM = 256 };

struct race_page {
	u64 number;
	struct race_page *next;
	struct race_word words[PAGE_WORDS];
};

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

static struct race_page *find_page(struct race_pages *p, struct arena *arena, u64 number)
{
	if (p->count >= p->room)
		grow(p, arena);
	struct race_page **bucket = &p->buckets[bucket_of(p, number)], *page = *bucket;

	while (page && page->number != number)
		page = page->next;
	if (page)
		return page;
	page = ARENA_NEW(arena, struct race_page);
	page->number = number;
	page->next = *bucket;
	p->count++;
	return *bucket = page;
}

struct race_word *race_page_word(struct race_pages *p, struct arena *arena, u64 address)
{
	const u64 word = address / 4, number = word / PAGE_WORDS;

	if (!p->last || p->last->number != number)
		p->last = find_page(p, arena, number);
	return &p->last->words[word % PAGE_WORDS];
}

struct race_word *race_word_at(struct race_word *word, u32 life)
{
	if (word->life != life) {
		memset(word, 0, sizeof *word);
		word->life = life;
	}
	return word;
}

void race_word_read(struct race_word *word, const struct race_mark *mark)
{
	const struct race_mark *r = &word->read;

	if (r->time && (r->block != mark->block || r->warp != mark->warp))
		word->other_read = *r;
	word->read = *mark;
}

void race_word_write(struct race_word *word, const struct race_mark *mark)
{
	*(mark->scope ? &word->strong : &word->write) = *mark;
}
