/* SPDX-License-Identifier: Apache-2.0
 *
 * Global memory: a sorted array of allocations. Guard gaps of at least GAP bytes lie between
 * neighbours.
 *
 * Callers: launches (exec/access.c), the API's allocations, device malloc. Addresses, from the bottom:
 *
 *      | variables of modules | GAP | buffer | GAP | buffer | ... next -> free | limit
 *
 * Released buffers leave their address unused (`next` only grows), so that a use after free is found and can name what
 * was there. Host pointers stay valid while an allocation exists: the list may move, the bytes do not.
 */
#include "memory/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory/guest_bytes.h"
#include "memory/peers.h"

enum { GAP = 512, ALIGN_AT_LEAST = 256 };

/* Of the sizes in which host bytes of device heaps are kept, the logarithm of the least. */
enum { CLASS_LEAST = 6 };

/* The driver packs buffers into chunks, one behind the other, as long as they fit; a larger one has memory of its own. */
enum { CHUNK = 2 << 20, CHUNK_GRAIN = 512 };

/* Released allocations that are remembered; a power of two. */
enum { RELEASED_MOST = 4096 };

/* Address bits that decide in which tag bank a line lies: see memory/sectors.h. */
enum { TAG_SPAN = 1 << 16 };

/* Emptied places of the list that are borne with. */
enum { EMPTY_MOST = 64 };

void memory_init(struct memory *m, u64 first, u64 limit, u64 budget, enum memory_bounds bounds)
{
	memset(m, 0, sizeof *m);
	m->next = first;
	m->limit = limit;
	m->budget = budget;
	m->bounds = bounds;
	m->generation = 1; /* 0: that of a worker that has not looked yet */
}

bool memory_bounds_read(const char *text, enum memory_bounds *bounds)
{
	static const char *const names[] = {
		[BOUNDS_OBJECT] = "object", [BOUNDS_WORD] = "word", [BOUNDS_ALLOCATION] = "allocation"};

	for (u32 k = BOUNDS_OBJECT; k < COUNT_OF(names); k++)
		if (!strcmp(text, names[k])) {
			*bounds = (enum memory_bounds)k;
			return true;
		}
	return false;
}

/* The logarithm of the size in which a device heap's bytes are kept.
 * Device heaps release and allocate in short order, from several threads that may still hold pointers: see memory.h. */
static u32 class_of(u64 size)
{
	u32 k = CLASS_LEAST;

	while (k + 1 < MEMORY_CLASSES && 1ull << k < size)
		k++;
	return k;
}

static void free_host(struct memory *m, const struct allocation *a)
{
	if (a->flags & ALLOCATION_HEAP) {
		struct spare_bytes *b = (struct spare_bytes *)(void *)a->host, **at = &m->spare[class_of(a->size)];
		b->next = *at;
		*at = b;
	} else if (!(a->flags & ALLOCATION_BORROWED)) {
		guest_bytes_free(a->host, a->size);
	}
}

void memory_free(struct memory *m)
{
	for (u32 k = 0; k < m->count; k++)
		free_host(m, &m->list[k]);
	for (u32 k = 0; k < MEMORY_CLASSES; k++)
		for (struct spare_bytes *b = m->spare[k], *next; b; b = next) {
			next = b->next;
			guest_bytes_free((u8 *)b, 1ull << k);
		}
	for (u32 k = 0; k < m->multicast_count; k++)
		free(m->multicasts[k].members);
	free(m->multicasts);
	free(m->released);
	free(m->list);
	pthread_rwlock_destroy(&m->lock);
	memset(m, 0, sizeof *m);
}

/* Index of the first allocation whose base is above `address`.
 * By bisection; emptied places (size 0) stay in the order of their bases. */
static u32 upper_bound(const struct memory *m, u64 address)
{
	u32 low = 0, high = m->count;

	while (low < high) {
		const u32 middle = low + (high - low) / 2;
		if (m->list[middle].base <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Takes the emptied places from `at` on out of the list whose bases are below `end`: within an allocation they would hide
 * what lies above them. */
static void drop_emptied(struct memory *m, u32 at, u64 end)
{
	u32 past = at;

	while (past < m->count && !m->list[past].size && m->list[past].base < end)
		past++;
	memmove(&m->list[at], &m->list[past], (m->count - past) * sizeof *m->list);
	m->count -= past - at;
	m->empty -= past - at;
}

/* The list stays sorted. It has no hash and no tree: lookups are cached in instructions, which remember what they
 * hit. */
static bool insert(struct memory *m, const struct allocation *a)
{
	if (m->count == m->capacity) {
		const u32 more = m->capacity ? m->capacity * 2 : 16;
		struct allocation *list = realloc(m->list, more * sizeof *list);
		if (!list)
			return false;
		m->list = list;
		m->capacity = more;
	}
	const u32 at = upper_bound(m, a->base);
	m->total_bytes += a->flags & ALLOCATION_BORROWED ? 0 : a->size;
	m->heap_bytes += a->flags & ALLOCATION_HEAP ? a->size : 0;
	drop_emptied(m, at, a->base + a->size);
	/* Programs mostly ask again for what they have just released: an emptied place beside is taken over. */
	if (at && !m->list[at - 1].size) {
		m->list[at - 1] = *a;
		m->empty--;
		return true;
	}
	memmove(&m->list[at + 1], &m->list[at], (m->count - at) * sizeof *m->list);
	m->list[at] = *a;
	m->count++;
	return true;
}

/* Zeroed, like new ones: what a kernel finds in memory from malloc must not depend on what ran before. */
static u8 *heap_host_bytes(struct memory *m, u64 size)
{
	const u32 k = class_of(size);
	struct spare_bytes *spare = m->spare[k];

	if (!spare)
		return guest_bytes_new(1ull << k);
	m->spare[k] = spare->next;
	return memset(spare, 0, 1ull << k);
}

/* With the lock. Fails when the range wraps around, overlaps an allocation, or passes the budget; `host` bytes are
 * borrowed from the caller and not counted. */
static bool map(struct memory *m, u64 base, u64 size, u8 *host, const char *name, u32 flags)
{
	const u32 at = upper_bound(m, base);
	u32 next = at;

	while (next < m->count && !m->list[next].size)
		next++;
	if (base + size < base || (next < m->count && m->list[next].base < base + size) ||
	    (at > 0 && m->list[at - 1].base + m->list[at - 1].size > base))
		return false;
	if (!host && size > m->budget - min_u64(m->budget, m->total_bytes))
		return false;
	struct allocation a = {.base = base, .size = size, .host = host, .name = name, .flags = flags};
	if (host) {
		a.flags |= ALLOCATION_BORROWED;
		guest_bytes_lend(host, size);
	} else {
		a.host = flags & ALLOCATION_HEAP ? heap_host_bytes(m, size) : guest_bytes_new(size);
	}
	if (a.host && insert(m, &a))
		return true;
	m->host_refused = true;
	if (a.host)
		free_host(m, &a);
	return false;
}

bool memory_map(struct memory *m, u64 base, u64 size, u8 *host, const char *name, u32 flags)
{
	pthread_rwlock_wrlock(&m->lock);
	const bool done = map(m, base, size, host, name, flags);
	pthread_rwlock_unlock(&m->lock);
	return done;
}

/* The next free address with room for `size` bytes that is `offset` beyond a multiple of `align`; 0: there is none. */
static u64 next_base(const struct memory *m, u64 size, u64 align, u64 offset)
{
	const u64 base = ((m->next - offset + align - 1) & ~(align - 1)) + offset;

	return base < m->next || base >= m->limit || size > m->limit - base ? 0 : base;
}

/* At the next such address where nothing was mapped by its address; `host` as for memory_map. */
static u64 place(struct memory *m, u64 size, u64 align, u64 offset, u8 *host, const char *name, u32 flags)
{
	u64 base;

	while ((base = next_base(m, size, align, offset))) {
		const u32 at = upper_bound(m, base + size - 1);
		const struct allocation *below = at ? &m->list[at - 1] : NULL;
		if (!below || below->base + below->size <= base)
			break;
		m->next = below->base + below->size + GAP;
	}
	if (!base || !map(m, base, size, host, name, flags))
		return 0;
	m->next = base + size + GAP;
	return base;
}

static u64 place_locked(struct memory *m, u64 size, u64 align, u64 offset, u8 *host, const char *name, u32 flags)
{
	pthread_rwlock_wrlock(&m->lock);
	const u64 base = place(m, size, align, offset, host, name, flags);
	pthread_rwlock_unlock(&m->lock);
	return base;
}

u64 memory_allocate(struct memory *m, u64 size, u64 align, const char *name, u32 flags)
{
	return place_locked(m, size ? size : 1, align < ALIGN_AT_LEAST ? ALIGN_AT_LEAST : align, 0, NULL, name, flags);
}

/* Device malloc: `most` is the heap's limit in bytes; 0 is malloc's NULL. */
u64 memory_allocate_heap(struct memory *m, u64 size, u64 most, const char *name, const struct memory_act *by)
{
	u64 base = 0;

	pthread_rwlock_wrlock(&m->lock);
	if (size <= most - min_u64(most, m->heap_bytes))
		base = place(m, size, ALIGN_AT_LEAST, 0, NULL, name, ALLOCATION_HEAP);
	if (base)
		m->list[upper_bound(m, base) - 1].by = *by;
	pthread_rwlock_unlock(&m->lock);
	return base;
}

/* Where the driver would put the next buffer, within TAG_SPAN. */
static u64 pack(struct memory *m, u64 size)
{
	const u64 bytes = (size + CHUNK_GRAIN - 1) & ~(u64)(CHUNK_GRAIN - 1);

	if (bytes > CHUNK)
		return 0;
	if (m->packed + bytes > CHUNK)
		m->packed = 0;
	m->packed += bytes;
	return (m->packed - bytes) % TAG_SPAN;
}

/* Buffers of host programs: spaced by TAG_SPAN, at the offsets within it that the driver's packing would give, so that
 * figures of tag banks agree with recorded ones. */
u64 memory_allocate_buffer(struct memory *m, u64 size, const char *name)
{
	if (m->bounds == BOUNDS_ALLOCATION && size <= UINT64_MAX - CHUNK_GRAIN)
		size = (size + CHUNK_GRAIN - 1) & ~(u64)(CHUNK_GRAIN - 1);
	pthread_rwlock_wrlock(&m->lock);
	const u64 base = place(m, size ? size : 1, TAG_SPAN, pack(m, size ? size : 1), NULL, name, 0);
	pthread_rwlock_unlock(&m->lock);
	return base;
}

u64 memory_attach(struct memory *m, u8 *host, u64 size, const char *name)
{
	pthread_rwlock_wrlock(&m->lock);
	const u64 base = place(m, size, TAG_SPAN, pack(m, size), host, name, 0);
	pthread_rwlock_unlock(&m->lock);
	return base;
}

/* Where there is no memory to remember it, a later message says less.
 * A ring of the last RELEASED_MOST releases, for messages about uses after free. */
static void remember(struct memory *m, const struct allocation *a, const struct memory_act *by)
{
	if (m->released_count == m->released_room && m->released_room < RELEASED_MOST) {
		const u32 room = m->released_room ? m->released_room * 2 : 16;
		struct released *list = realloc(m->released, room * sizeof *list);
		if (list) {
			m->released = list;
			m->released_room = room;
		}
	}
	if (!m->released_room)
		return;
	m->released[m->released_count++ % m->released_room] =
		(struct released){.base = a->base,
				  .size = a->size,
				  .name = a->name,
				  .flags = a->flags,
				  .by = by ? *by : (struct memory_act){0}};
}

const struct released *memory_find_released(const struct memory *m, u64 address)
{
	const u32 kept = m->released_count < m->released_room ? m->released_count : m->released_room;

	for (u32 k = 1; k <= kept; k++) {
		const struct released *r = &m->released[(m->released_count - k) % m->released_room];
		if (address - r->base < r->size)
			return r;
	}
	return NULL;
}

u64 memory_reserve(struct memory *m, u64 size)
{
	pthread_rwlock_wrlock(&m->lock);
	const u64 base = next_base(m, size, ALIGN_AT_LEAST, 0);
	if (base)
		m->next = base + size + GAP;
	pthread_rwlock_unlock(&m->lock);
	return base;
}

/* Takes emptied places out of the list. */
static void compact(struct memory *m)
{
	u32 kept = 0;

	for (u32 k = 0; k < m->count; k++)
		if (m->list[k].size)
			m->list[kept++] = m->list[k];
	m->count = kept;
	m->empty = 0;
}

/* With the lock. The place in the list is emptied, not removed, which would move all that follow with each release.
 * `generation` tells instructions that what they remember may be gone. */
static bool release(struct memory *m, u64 base)
{
	const u32 at = upper_bound(m, base);

	if (!at || m->list[at - 1].base != base || !m->list[at - 1].size)
		return false;
	struct allocation *a = &m->list[at - 1];
	m->heap_bytes -= a->flags & ALLOCATION_HEAP ? a->size : 0;
	m->total_bytes -= a->flags & ALLOCATION_BORROWED ? 0 : a->size;
	free_host(m, a);
	*a = (struct allocation){.base = base};
	m->empty++;
	while (m->count && !m->list[m->count - 1].size) {
		m->count--;
		m->empty--;
	}
	if (m->empty > EMPTY_MOST && m->empty > m->count / 2)
		compact(m);
	__atomic_add_fetch(&m->generation, 1, __ATOMIC_RELEASE);
	return true;
}

void memory_refusal(const struct memory *m, u64 size, char *text, size_t length)
{
	const unsigned long long budget = m->budget, used = m->total_bytes, wanted = size;

	if (size > m->budget - min_u64(m->budget, m->total_bytes))
		snprintf(text, length,
			 "%llu bytes are more than the limit of %llu leaves, of which %llu are in use: --memory-limit "
			 "sets it",
			 wanted, budget, used);
	else
		snprintf(text, length, "the host has no %llu bytes of memory left", wanted);
}

bool memory_release_by(struct memory *m, u64 base, const struct memory_act *by)
{
	pthread_rwlock_wrlock(&m->lock);
	const struct allocation *a = memory_find(m, base, 1);
	if (a && a->base == base)
		remember(m, a, by);
	const bool done = release(m, base);
	pthread_rwlock_unlock(&m->lock);
	return done;
}

bool memory_release(struct memory *m, u64 base) { return memory_release_by(m, base, NULL); }

bool memory_forget(struct memory *m, u64 base)
{
	pthread_rwlock_wrlock(&m->lock);
	const bool done = release(m, base);
	pthread_rwlock_unlock(&m->lock);
	return done;
}

bool memory_name(struct memory *m, u64 base, const char *name)
{
	pthread_rwlock_wrlock(&m->lock);
	const u32 at = upper_bound(m, base);
	struct allocation *a = at ? &m->list[at - 1] : NULL;
	const bool found = a && a->base == base && a->size;
	if (found)
		a->name = name;
	pthread_rwlock_unlock(&m->lock);
	return found;
}

void memory_forget_acts(struct memory *m)
{
	pthread_rwlock_wrlock(&m->lock);
	for (u32 k = 0; k < m->released_count && k < m->released_room; k++)
		m->released[k].by = (struct memory_act){0};
	for (u32 k = 0; k < m->count; k++)
		m->list[k].by = (struct memory_act){0};
	pthread_rwlock_unlock(&m->lock);
}

u64 memory_multicast(struct memory *m, const u64 *members, u32 count, u64 size)
{
	const u64 base = next_base(m, size, ALIGN_AT_LEAST, 0);
	struct multicast *list = realloc(m->multicasts, (m->multicast_count + (size_t)1) * sizeof *list);
	u64 *copy = calloc(count, sizeof *copy);

	if (list)
		m->multicasts = list;
	if (!base || !list || !copy) {
		free(copy);
		return 0;
	}
	memcpy(copy, members, count * sizeof *copy);
	list[m->multicast_count++] = (struct multicast){.base = base, .size = size, .members = copy, .count = count};
	m->next = base + size + GAP;
	return base;
}

const struct multicast *memory_find_multicast(const struct memory *m, u64 address, u64 size)
{
	for (u32 k = 0; k < m->multicast_count; k++) {
		const struct multicast *r = &m->multicasts[k];
		if (address - r->base < r->size && size <= r->size - (address - r->base))
			return r;
	}
	return NULL;
}

/* Without a lock: for callers that hold it, or that run when nobody allocates. See memory_look() for kernels. */
const struct allocation *memory_find(const struct memory *m, u64 address, u64 size)
{
	const u32 at = upper_bound(m, address);

	if (!at)
		return NULL;
	const struct allocation *a = &m->list[at - 1];
	const u64 offset = address - a->base;
	return offset < a->size && size <= a->size - offset ? a : NULL;
}

void memory_set_unwritten(struct memory *m, u64 base)
{
	pthread_rwlock_wrlock(&m->lock);
	const u32 at = upper_bound(m, base);
	if (at && m->list[at - 1].base == base)
		m->list[at - 1].flags |= ALLOCATION_UNWRITTEN;
	pthread_rwlock_unlock(&m->lock);
}

void memory_close(struct memory *m, u64 base, u16 closed_to, u16 read_only_for)
{
	pthread_rwlock_wrlock(&m->lock);
	const u32 at = upper_bound(m, base);
	if (at && m->list[at - 1].base == base && m->list[at - 1].size) {
		m->list[at - 1].closed_to = closed_to;
		m->list[at - 1].read_only_for = read_only_for;
		__atomic_add_fetch(&m->generation, 1, __ATOMIC_RELEASE);
	}
	pthread_rwlock_unlock(&m->lock);
}

bool memory_look(struct memory *m, u64 address, u64 size, struct allocation *found)
{
	pthread_rwlock_rdlock(&m->lock);
	const struct allocation *a = memory_find(m, address, size);
	if (a)
		*found = *a;
	pthread_rwlock_unlock(&m->lock);
	return a != NULL;
}

/* The bytes past the end are host slack, or what lies between the variables of a module. */
u8 *memory_read_past_end(struct memory *m, u64 address, u64 size)
{
	struct allocation a;

	if (m->bounds == BOUNDS_OBJECT || size > GUEST_BYTES_SLACK || !memory_look(m, address, 1, &a))
		return NULL;
	if (a.flags & ALLOCATION_VARIABLE)
		return a.host + (address - a.base);
	return m->bounds == BOUNDS_DEFAULT || a.flags & ALLOCATION_BORROWED ? NULL : a.host + (address - a.base);
}

/* Does the allocation end before the address, and what its bytes are rounded up to behind it? */
static bool rounds_up_to(const struct memory *m, const struct allocation *a, u64 address, u64 size)
{
	const u64 offset = address - a->base;

	if (a->flags & (ALLOCATION_VARIABLE | ALLOCATION_HEAP | ALLOCATION_READ_ONLY) || offset < a->size)
		return false;
	const u64 whole = m->whole_bytes(a->size);
	return offset < whole && size <= whole - offset;
}

bool memory_is_rounding(struct memory *m, u64 address, u64 size)
{
	if (!m->has_page || !m->has_page(address))
		return false;
	pthread_rwlock_rdlock(&m->lock);
	u32 at = upper_bound(m, address);
	while (at && !m->list[at - 1].size)
		at--;
	const bool is = at && rounds_up_to(m, &m->list[at - 1], address, size);
	pthread_rwlock_unlock(&m->lock);
	return is;
}

/* For messages: the allocation nearest to an address that hit none, by distance in bytes. */
const struct allocation *memory_nearest(const struct memory *m, u64 address)
{
	u32 at = upper_bound(m, address), next = at;

	while (at && !m->list[at - 1].size)
		at--;
	while (next < m->count && !m->list[next].size)
		next++;
	const struct allocation *below = at ? &m->list[at - 1] : NULL, *above = next < m->count ? &m->list[next] : NULL;
	if (!below || !above)
		return below ? below : above;
	if (address - below->base < below->size)
		return below;
	return address - (below->base + below->size - 1) <= above->base - address ? below : above;
}
