/* SPDX-License-Identifier: Apache-2.0
 *
 * Arenas: chunks from calloc, doubled in size up to a bound so that small parses stay small.
 */
#include "base/arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct arena_chunk {
	struct arena_chunk *older;
	size_t bytes;
};

/* CHUNK_SPARE: the header, and 64 bytes more than asked for, so that it fits whatever the alignment takes. */
enum {
	CHUNK_MIN = 4 << 10,
	CHUNK_MAX = 4 << 20,
	CHUNK_HEADER = 64,
	CHUNK_SPARE = CHUNK_HEADER + 64,
	CHUNK_LARGE = 2 << 20
};
enum { LARGE_PAGE = 2 << 20 };

/* A large chunk, zeroed, on large pages of its own where the system has any: a fifth of the time that a large text takes
 * to read went into faults of small pages and into clearing what malloc had kept. The search for leaks of AddressSanitizer
 * follows pointers in malloc's memory only. */
#if defined MADV_HUGEPAGE && !defined __SANITIZE_ADDRESS__
static struct arena_chunk *large_chunk(size_t size)
{
	const size_t reserved = size + LARGE_PAGE;
	u8 *at = reserved > size ? mmap(NULL, reserved, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
				 : MAP_FAILED;

	if (at == MAP_FAILED)
		return NULL;
	const size_t before = -(uintptr_t)at % LARGE_PAGE;
	if (before)
		munmap(at, before);
	munmap(at + before + size, LARGE_PAGE - before);
	madvise(at + before, size, MADV_HUGEPAGE);
	return (struct arena_chunk *)(void *)(at + before);
}

static void free_chunk(struct arena_chunk *c)
{
	if (c->bytes >= CHUNK_LARGE - CHUNK_SPARE)
		munmap(c, CHUNK_SPARE + c->bytes);
	else
		free(c);
}
#else
static struct arena_chunk *large_chunk(size_t size) { return calloc(1, size); }
static void free_chunk(struct arena_chunk *c) { free(c); }
#endif

void arena_init(struct arena *a, jmp_buf *out_of_memory)
{
	memset(a, 0, sizeof *a);
	a->out_of_memory = out_of_memory;
}

/* Children have none of their own. */
static void free_chunks(struct arena *a)
{
	for (struct arena_chunk *c = a->chunks, *older; c; c = older) {
		older = c->older;
		free_chunk(c);
	}
	for (struct arena_chunk *c = a->aside, *older; c; c = older) {
		older = c->older;
		free_chunk(c);
	}
	a->chunks = a->aside = NULL;
	a->next = a->end = NULL;
	a->used_bytes = 0;
}

static void free_children(struct arena *a)
{
	for (struct arena *child = a->children; child; child = child->sibling)
		free_chunks(child);
	a->children = NULL; /* they lie in the parent's chunks */
}

/* All that was ever allocated, children's, too. */
void arena_free(struct arena *a)
{
	free_children(a);
	free_chunks(a);
}

struct arena *arena_child(struct arena *parent)
{
	struct arena *child = ARENA_NEW(parent, struct arena);

	arena_init(child, parent->out_of_memory);
	child->sibling = parent->children;
	parent->children = child;
	return child;
}

/* The newest chunk is the largest but for single large allocations. */
void arena_reset(struct arena *a)
{
	struct arena_chunk *newest = a->chunks;

	free_children(a);
	if (!newest)
		return;
	for (struct arena_chunk *c = newest->older, *older; c; c = older) {
		older = c->older;
		free_chunk(c);
	}
	newest->older = NULL;
	u8 *const first = (u8 *)newest + CHUNK_HEADER;
	memset(first, 0, (size_t)(a->next - first));
	a->next = first;
	a->used_bytes = newest->bytes;
}

void arena_out_of_memory(struct arena *a)
{
	if (a->out_of_memory)
		longjmp(*a->out_of_memory, 1);
	fputs("ptxsim: no memory left\n", stderr);
	exit(2);
}

/* A chunk of that size that was set aside, zeroed; NULL if there is none. */
static struct arena_chunk *take_aside(struct arena *a, size_t bytes)
{
	struct arena_chunk **at = &a->aside;

	while (*at && (*at)->bytes != bytes)
		at = &(*at)->older;
	struct arena_chunk *c = *at;
	if (!c)
		return NULL;
	*at = c->older;
	return memset(c, 0, CHUNK_SPARE + bytes);
}

/* Bytes that a new chunk has: at least `need`, doubled from chunk to chunk; a large one fills its pages. 0: too many. */
static size_t chunk_bytes(const struct arena *a, size_t need)
{
	size_t bytes = CHUNK_MIN;

	while (bytes < CHUNK_MAX && bytes < a->used_bytes)
		bytes *= 2;
	if (bytes < CHUNK_LARGE && need < CHUNK_LARGE - CHUNK_SPARE)
		return bytes < need ? need : bytes;
	if (need > SIZE_MAX / 2)
		return 0;
	if (bytes < need + CHUNK_SPARE)
		bytes = (need + CHUNK_SPARE + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
	return bytes - CHUNK_SPARE;
}

static void arena_add_chunk(struct arena *a, size_t need)
{
	const size_t bytes = chunk_bytes(a, need);
	struct arena_chunk *c = bytes ? take_aside(a, bytes) : NULL;

	if (!c && bytes)
		c = bytes < CHUNK_LARGE - CHUNK_SPARE ? calloc(1, CHUNK_SPARE + bytes)
						      : large_chunk(CHUNK_SPARE + bytes);
	if (!c)
		arena_out_of_memory(a);
	c->older = a->chunks;
	c->bytes = bytes;
	a->chunks = c;
	a->used_bytes += bytes;
	a->next = (u8 *)c + CHUNK_HEADER;
	a->end = (u8 *)c + CHUNK_SPARE + bytes;
}

size_t arena_chunk_count(const struct arena *a)
{
	size_t count = 0;

	for (const struct arena_chunk *c = a->chunks; c; c = c->older)
		count++;
	return count;
}

/* What a checkpoint has to keep of an arena: its chunks and how far they are used. Chunks that are made later are set
 * aside by arena_restore, and taken again in the same order, so that addresses are the same when time is repeated. */
void arena_mark(const struct arena *a, struct arena_mark *mark)
{
	mark->count = 0;
	for (struct arena_chunk *c = a->chunks; c; c = c->older)
		mark->chunks[mark->count++] = c;
	mark->next = a->next;
	mark->end = a->end;
	mark->used_bytes = a->used_bytes;
}

static void unlink_chunk(struct arena_chunk **list, struct arena_chunk *c)
{
	while (*list && *list != c)
		list = &(*list)->older;
	if (*list)
		*list = c->older;
}

void arena_restore(struct arena *a, const struct arena_mark *mark)
{
	for (size_t k = 0; k < mark->count; k++) {
		unlink_chunk(&a->chunks, mark->chunks[k]);
		unlink_chunk(&a->aside, mark->chunks[k]);
	}
	/* Newest first becomes oldest first, before those that are younger still. */
	for (struct arena_chunk *c = a->chunks, *older; c; c = older) {
		older = c->older;
		c->older = a->aside;
		a->aside = c;
	}
	a->chunks = NULL;
	for (size_t k = mark->count; k-- > 0;) {
		mark->chunks[k]->older = a->chunks;
		a->chunks = mark->chunks[k];
	}
	a->next = mark->next;
	a->end = mark->end;
	a->used_bytes = mark->used_bytes;
}

u8 *arena_chunk_bytes(struct arena_chunk *c, size_t *bytes)
{
	*bytes = c->bytes + 64;
	return (u8 *)c + CHUNK_HEADER;
}

static u8 *aligned(const u8 *p, size_t align) { return (u8 *)(((uintptr_t)p + align - 1) & ~(uintptr_t)(align - 1)); }

static inline void *place(struct arena *a, size_t bytes, size_t align)
{
	if (bytes > SIZE_MAX / 2)
		arena_out_of_memory(a);
	u8 *p = aligned(a->next, align);
	if (!a->next || p > a->end || bytes > (size_t)(a->end - p)) {
		arena_add_chunk(a, bytes + (align > CHUNK_SPARE - CHUNK_HEADER ? align : 0));
		p = aligned(a->next, align);
	}
	a->next = p + bytes;
	return p;
}

/* Zeroed; aligned to 64 bytes from that size on, else to 16. */
void *arena_alloc(struct arena *a, size_t bytes) { return place(a, bytes, bytes >= 64 ? 64 : 16); }

void *arena_aligned(struct arena *a, size_t bytes, size_t align) { return place(a, bytes, align); }

void *arena_array(struct arena *a, size_t count, size_t bytes)
{
	size_t total;

	if (__builtin_mul_overflow(count, bytes, &total))
		arena_out_of_memory(a);
	return arena_alloc(a, total);
}

char *arena_copy_text(struct arena *a, const char *text, size_t length)
{
	char *copy = arena_alloc(a, length + 1);

	if (length)
		memcpy(copy, text, length);
	return copy;
}

char *arena_vprintf(struct arena *a, const char *format, va_list args)
{
	va_list again;

	va_copy(again, args);
	const int length = vsnprintf(NULL, 0, format, again);
	va_end(again);
	if (length < 0)
		arena_out_of_memory(a);
	char *text = arena_alloc(a, (size_t)length + 1);
	vsnprintf(text, (size_t)length + 1, format, args);
	return text;
}

char *arena_printf(struct arena *a, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	char *text = arena_vprintf(a, format, args);
	va_end(args);
	return text;
}

void *arena_grow(struct arena *a, void *items, size_t count, size_t *capacity, size_t item_bytes)
{
	const size_t more = *capacity ? *capacity * 2 : 8;
	void *grown = arena_array(a, more, item_bytes);

	if (count)
		memcpy(grown, items, count * item_bytes);
	*capacity = more;
	return grown;
}
