/* SPDX-License-Identifier: Apache-2.0
 *
 * A sorted list of allocations, each with its bits. Those of which all is written have none.
 */
#include "observe/written_kept.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct kept {
	u64 base;
	struct written written; /* bits from malloc; NULL: all of it is */
	u32 launches;           /* that have taken it and not given it back */
};

struct written_kept {
	pthread_mutex_t lock;
	struct kept *list; /* sorted by base */
	u32 count, room;
	u32 partly; /* of these, with bits */
};

struct written_kept *written_kept_new(void)
{
	struct written_kept *k = calloc(1, sizeof *k);

	if (k)
		pthread_mutex_init(&k->lock, NULL);
	return k;
}

/* How many begin at or before the address. */
static u32 upper_bound(const struct written_kept *k, u64 address)
{
	u32 low = 0, high = k->count;

	while (low < high) {
		const u32 middle = low + (high - low) / 2;
		if (k->list[middle].base <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The one that holds the address, if some of it is not written; else NULL. */
static struct kept *partly_at(const struct written_kept *k, u64 address)
{
	const u32 at = upper_bound(k, address);
	struct kept *x = at ? &k->list[at - 1] : NULL;

	return x && address - x->base < x->written.size && x->written.bits ? x : NULL;
}

static void make_whole(struct written_kept *k, struct kept *x)
{
	k->partly -= x->written.bits != NULL;
	free(x->written.bits);
	x->written.bits = NULL;
	x->written.left = 0;
}

static void mark(struct written_kept *k, struct kept *x, u64 offset, u64 bytes)
{
	written_mark(&x->written, offset, min_u64(bytes, x->written.size - offset));
	if (!x->written.left)
		make_whole(k, x);
}

/* Where all of an allocation's bits fit, or none do. */
static u8 *bits_for(u64 size) { return calloc(size / 8 + 8, 1); }

void written_kept_add(struct written_kept *k, u64 base, u64 size)
{
	pthread_mutex_lock(&k->lock);
	const u32 at = upper_bound(k, base), room = 2 * k->room + 16;
	if (k->count == k->room) {
		struct kept *more = realloc(k->list, room * sizeof *more);
		k->list = more ? more : k->list;
		k->room = more ? room : k->room;
	}
	if (k->count < k->room) {
		memmove(k->list + at + 1, k->list + at, (k->count - at) * sizeof *k->list);
		k->list[at] =
			(struct kept){.base = base, .written = {.size = size, .left = size, .bits = bits_for(size)}};
		k->partly += k->list[at].written.bits != NULL;
		k->count++;
	}
	pthread_mutex_unlock(&k->lock);
}

void written_kept_drop(struct written_kept *k, u64 base)
{
	pthread_mutex_lock(&k->lock);
	const u32 at = upper_bound(k, base);
	if (at && k->list[at - 1].base == base) {
		make_whole(k, &k->list[at - 1]);
		memmove(k->list + at - 1, k->list + at, (k->count - at) * sizeof *k->list);
		k->count--;
	}
	pthread_mutex_unlock(&k->lock);
}

void written_kept_mark(struct written_kept *k, u64 address, u64 bytes)
{
	pthread_mutex_lock(&k->lock);
	struct kept *x = partly_at(k, address);
	if (x)
		mark(k, x, address - x->base, bytes);
	pthread_mutex_unlock(&k->lock);
}

static bool is_written(const struct kept *x, u64 address)
{
	return !x || address - x->base >= x->written.size || !written_lacks(&x->written, address - x->base, 1);
}

/* An allocation of which all was written, and now no longer is, gets its bits back. */
static void forget(struct written_kept *k, u64 address)
{
	const u32 at = upper_bound(k, address);
	struct kept *x = at ? &k->list[at - 1] : NULL;

	if (!x || address - x->base >= x->written.size)
		return;
	if (!x->written.bits) {
		x->written.bits = bits_for(x->written.size);
		if (!x->written.bits)
			return;
		memset(x->written.bits, 0xff, x->written.size / 8 + 8);
		k->partly++;
	}
	written_forget(&x->written, address - x->base, 1);
}

void written_kept_copy(struct written_kept *k, u64 to, u64 from, u64 bytes)
{
	pthread_mutex_lock(&k->lock);
	const struct kept *source = partly_at(k, from);
	if (!source || !written_lacks(&source->written, from - source->base,
				      min_u64(bytes, source->written.size - (from - source->base)))) {
		struct kept *x = partly_at(k, to);
		if (x)
			mark(k, x, to - x->base, bytes);
	} else {
		for (u64 at = 0; at < bytes; at++) {
			struct kept *x = partly_at(k, to + at);
			if (!is_written(source, from + at))
				forget(k, to + at);
			else if (x)
				mark(k, x, to + at - x->base, 1);
			source = partly_at(k, from + at);
		}
	}
	pthread_mutex_unlock(&k->lock);
}

u64 written_kept_first(struct written_kept *k, u64 address, u64 bytes, u64 least, u64 *first)
{
	u64 run = 0;

	pthread_mutex_lock(&k->lock);
	const struct kept *x = partly_at(k, address);
	const u64 end = x ? min_u64(bytes, x->written.size - (address - x->base)) : 0;
	for (u64 at = 0; at < end; at++) {
		if (!is_written(x, address + at)) {
			*first = run++ ? *first : at;
			continue;
		}
		if (run >= least)
			break;
		run = 0;
	}
	pthread_mutex_unlock(&k->lock);
	return run >= least ? run : 0;
}

void written_kept_all(struct written_kept *k)
{
	pthread_mutex_lock(&k->lock);
	for (u32 n = 0; n < k->count; n++)
		make_whole(k, &k->list[n]);
	pthread_mutex_unlock(&k->lock);
}

bool written_kept_is_whole(struct written_kept *k)
{
	pthread_mutex_lock(&k->lock);
	const bool whole = !k->partly;
	pthread_mutex_unlock(&k->lock);
	return whole;
}

static struct kept *begins_at(const struct written_kept *k, u64 base)
{
	const u32 at = upper_bound(k, base);

	return at && k->list[at - 1].base == base ? &k->list[at - 1] : NULL;
}

bool written_kept_take(struct written_kept *k, u64 base, struct written *to)
{
	pthread_mutex_lock(&k->lock);
	struct kept *x = begins_at(k, base);
	const bool taken = x && x->written.bits && x->written.size == to->size;
	if (taken) {
		memcpy(to->bits, x->written.bits, to->size / 8 + 8);
		to->left = x->written.left;
		x->launches++;
	} else {
		written_mark(to, 0, to->size);
	}
	pthread_mutex_unlock(&k->lock);
	return taken;
}

/* What a kernel has stored of undefined values is not written. */
void written_kept_give(struct written_kept *k, u64 base, const struct written *from, bool taken)
{
	pthread_mutex_lock(&k->lock);
	struct kept *x = begins_at(k, base);
	if (x && taken && x->launches)
		x->launches--;
	if (x && x->written.bits && x->written.size == from->size) {
		written_add(&x->written, from);
		if (!x->written.left && !from->undefined)
			make_whole(k, x);
	}
	for (u64 at = 0; from->undefined && at < from->size; at++)
		if (from->undefined[at])
			forget(k, base + at);
	pthread_mutex_unlock(&k->lock);
}

/* What launches beside it have written is theirs alone until they end: that they have taken the allocation, too, is enough. */
bool written_kept_elsewhere(struct written_kept *k, u64 address, u64 bytes)
{
	pthread_mutex_lock(&k->lock);
	const struct kept *x = partly_at(k, address);
	const bool elsewhere = !x || x->launches > 1 || !written_lacks(&x->written, address - x->base, bytes);
	pthread_mutex_unlock(&k->lock);
	return elsewhere;
}
