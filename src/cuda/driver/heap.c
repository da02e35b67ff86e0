/* SPDX-License-Identifier: Apache-2.0
 *
 * A device's memory as addresses: one large range of the host's address space, of which pages come into being when they
 * are touched. Small blocks lie in chunks of 2 MiB in steps of 512 bytes, as the driver packs them; larger ones have
 * chunks of their own.
 *
 *  h->base                                              h->top            h->bytes
 *  +---------+---------+---------+---------+---------+----------------------+
 *  | chunk   | chunk   | large block       | free    | never given out      |
 *  | small.. | small.. | (2 chunks)        | extent  | (no pages yet)       |
 *  +---------+---------+---------+---------+---------+----------------------+
 *
 * Free small blocks stand in lists by size (small[grains]); free chunks in extents, in order, joined with their
 * neighbours.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cuda/driver/driver.h"
#include "cuda/driver/shared.h"

enum { GRAIN = 512, CHUNK = 2 << 20, GRAINS = CHUNK / GRAIN, KEPT_BYTES = 64 << 10 };

/* A free small block holds the next one's address elsewhere: its own bytes are zero, or the system's. */
struct heap_free {
	struct heap_free *next;
	u8 *at;
};

/* Free chunks side by side. */
struct heap_extent {
	u64 at, bytes; /* offset */
};

/* Chunks whose bytes are a file's that other processes may have mapped. */
struct heap_shared {
	struct heap_shared *next;
	u8 *at;
	u64 bytes, id;
	int file;
};

static u64 round_up(u64 n, u64 to) { return (n + to - 1) / to * to; }

/* The range is reserved, not filled: pages come when they are touched. A host that refuses so much gets half, and so
 * on. */
bool heap_open(struct heap *h, u64 bytes)
{
	memset(h, 0, sizeof *h);
	h->small = calloc(GRAINS + 1, sizeof(struct heap_free *));
	h->pages = calloc(bytes / CHUNK + 1, 1);
	if (!h->small || !h->pages) {
		free(h->pages);
		free(h->small);
		return false;
	}
	for (h->bytes = bytes; h->bytes > (u64)1 << 28; h->bytes /= 2) {
		u8 *base = mmap(NULL, h->bytes + CHUNK, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (base != MAP_FAILED) {
			h->base = (u8 *)(((uintptr_t)base + CHUNK - 1) & ~(uintptr_t)(CHUNK - 1));
			return true;
		}
	}
	free(h->pages);
	free(h->small);
	return false;
}

/* Notes whether the chunks have pages on the modelled device. Kernels ask meanwhile. */
static void set_pages(struct heap *h, u64 at, u64 bytes, bool there)
{
	for (u64 k = at / CHUNK; k < (at + bytes) / CHUNK; k++)
		__atomic_store_n(&h->pages[k], there, __ATOMIC_RELAXED);
}

bool heap_has_page(const struct heap *h, u64 address)
{
	const u64 at = address - (u64)(uintptr_t)h->base;

	return h->base && at < h->bytes && __atomic_load_n(&h->pages[at / CHUNK], __ATOMIC_RELAXED);
}

void heap_hide(struct heap *h, const void *at, u64 bytes)
{
	set_pages(h, (u64)((const u8 *)at - h->base), round_up(bytes, CHUNK), false);
}

/* The first extent that is large enough, else new chunks. NULL: the device is full. */
static u8 *find_chunks(struct heap *h, u64 bytes)
{
	for (u32 k = 0; k < h->extent_count; k++) {
		struct heap_extent *e = &h->extents[k];
		if (e->bytes < bytes)
			continue;
		u8 *at = h->base + e->at;
		e->at += bytes;
		e->bytes -= bytes;
		if (!e->bytes)
			memmove(e, e + 1, (--h->extent_count - k) * sizeof *e);
		return at;
	}
	if (bytes > h->bytes - h->top)
		return NULL;
	h->top += bytes;
	return h->base + h->top - bytes;
}

static u8 *take_chunks(struct heap *h, u64 bytes)
{
	u8 *at = find_chunks(h, bytes);

	if (at)
		set_pages(h, (u64)(at - h->base), bytes, true);
	return at;
}

/* Adds free chunks, joined with their neighbours. Where there is no memory to note them, they are lost. */
static void give_chunks(struct heap *h, u64 at, u64 bytes)
{
	u32 k = 0;

	set_pages(h, at, bytes, false);
	while (k < h->extent_count && h->extents[k].at < at)
		k++;
	if (k && h->extents[k - 1].at + h->extents[k - 1].bytes == at) {
		h->extents[k - 1].bytes += bytes;
		if (k < h->extent_count && at + bytes == h->extents[k].at) {
			h->extents[k - 1].bytes += h->extents[k].bytes;
			memmove(&h->extents[k], &h->extents[k + 1], (--h->extent_count - k) * sizeof *h->extents);
		}
		return;
	}
	if (k < h->extent_count && at + bytes == h->extents[k].at) {
		h->extents[k].at = at;
		h->extents[k].bytes += bytes;
		return;
	}
	if (h->extent_count == h->extent_room) {
		const u32 room = h->extent_room ? h->extent_room * 2 : 16;
		struct heap_extent *more = realloc(h->extents, room * sizeof *more);
		if (!more)
			return;
		h->extents = more;
		h->extent_room = room;
	}
	memmove(&h->extents[k + 1], &h->extents[k], (h->extent_count - k) * sizeof *h->extents);
	h->extents[k] = (struct heap_extent){at, bytes};
	h->extent_count++;
}

static void *take_small(struct heap *h, u64 bytes)
{
	const u32 grains = (u32)(bytes / GRAIN);
	struct heap_free *f = h->small[grains];

	if (f) {
		u8 *at = f->at;
		h->small[grains] = f->next;
		free(f);
		return at;
	}
	if (h->chunk + bytes > h->chunk_end) {
		u8 *chunk = take_chunks(h, CHUNK);
		if (!chunk)
			return NULL;
		h->chunk = (u64)(chunk - h->base);
		h->chunk_end = h->chunk + CHUNK;
	}
	h->chunk += bytes;
	return h->base + h->chunk - bytes;
}

u64 heap_whole(u64 bytes) { return round_up(bytes, bytes > CHUNK ? CHUNK : GRAIN); }

void *heap_take(struct heap *h, u64 bytes)
{
	if (!bytes || bytes > h->bytes)
		return NULL;
	const u64 whole = heap_whole(bytes);
	if (whole > h->bytes - h->used)
		return NULL;
	void *at = whole > CHUNK ? take_chunks(h, whole) : take_small(h, whole);
	if (at)
		h->used += whole;
	return at;
}

/* --- Shared memory ------------------------------------------------------------------------------ */

static struct heap_shared **shared_at(struct heap *h, const u8 *at)
{
	struct heap_shared **s = &h->shared;

	while (*s && (u64)(at - (*s)->at) >= (*s)->bytes)
		s = &(*s)->next;
	return s;
}

/* Pages of the heap's own again, all zero. */
static void unmap(u8 *at, u64 bytes)
{
	if (mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) ==
	    MAP_FAILED)
		memset(at, 0, bytes);
}

/* Puts the bytes into a file and the file in their place. Pages of zeros stay holes. */
static bool move_to_file(u8 *at, u64 bytes, int file)
{
	enum { PAGE = 4096 };
	static const u8 zero[PAGE];

	for (u64 k = 0; k < bytes; k += PAGE)
		if (memcmp(at + k, zero, PAGE) && pwrite(file, at + k, PAGE, (off_t)k) != PAGE)
			return false;
	return mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) != MAP_FAILED;
}

bool heap_share(struct heap *h, u8 *at, u64 bytes, struct shared_name *n)
{
	struct heap_shared *s = *shared_at(h, at);

	if (!s) {
		s = malloc(sizeof *s);
		if (!s)
			return false;
		*s = (struct heap_shared){.next = h->shared,
					  .at = (u8 *)((uintptr_t)at & ~(uintptr_t)(CHUNK - 1)),
					  .bytes = round_up(bytes, CHUNK)};
		s->file = shared_make(s->bytes, &s->id);
		if (s->file < 0 || !move_to_file(s->at, s->bytes, s->file)) {
			if (s->file >= 0)
				close(s->file);
			free(s);
			return false;
		}
		h->shared = s;
	}
	n->file = s->file;
	n->id = s->id;
	n->offset = (u64)(at - s->at);
	n->file_bytes = s->bytes;
	return true;
}

void *heap_take_apart(struct heap *h, u64 bytes) { return heap_take(h, max_u64(bytes, CHUNK + 1)); }

void heap_give_apart(struct heap *h, void *at, u64 bytes)
{
	unmap(at, bytes);
	heap_give(h, at, max_u64(bytes, CHUNK + 1));
}

/* --- Giving back --------------------------------------------------------------------------------- */

/* What other processes may see of memory that is given back: a chunk of its own stays theirs, the rest is zeroed. */
static void empty_shared(struct heap_shared **where, u8 *at, u64 bytes)
{
	struct heap_shared *s = *where;

	if (bytes <= CHUNK) {
		memset(at, 0, bytes);
		return;
	}
	unmap(at, bytes);
	*where = s->next;
	close(s->file);
	free(s);
}

/* Bytes that come back are zeroed at once, whole pages by the system. */
static void empty(u8 *at, u64 bytes)
{
	if (bytes < KEPT_BYTES ||
	    madvise((void *)(((uintptr_t)at + 4095) & ~(uintptr_t)4095), (bytes - 4096) & ~4095ull, MADV_DONTNEED)) {
		memset(at, 0, bytes);
		return;
	}
	const u64 head = -(uintptr_t)at & 4095, middle = (bytes - 4096) & ~4095ull;
	memset(at, 0, head);
	memset(at + head + middle, 0, bytes - head - middle);
}

void heap_give(struct heap *h, void *at, u64 bytes)
{
	const u64 whole = heap_whole(bytes);

	struct heap_shared **shared = shared_at(h, at);

	h->used -= whole;
	if (*shared)
		empty_shared(shared, at, whole);
	else
		empty(at, whole);
	if (whole > CHUNK) {
		give_chunks(h, (u64)((u8 *)at - h->base), whole);
		return;
	}
	struct heap_free *f = malloc(sizeof *f);
	if (!f)
		return;
	*f = (struct heap_free){h->small[whole / GRAIN], at};
	h->small[whole / GRAIN] = f;
}
