/* SPDX-License-Identifier: Apache-2.0
 *
 * Parts as sorted entries.
 */
#include "observe/race_parts.h"

#include <string.h>

enum { BLOCK_SHIFT = 12, FIRST_WARP = 1, FIRST_THREAD = 64, WARPS = 32, LANES = 32 };
enum { SPAN_BITS = 4, SPAN_BLOCKS = 1 << SPAN_BITS, SPAN_SHIFT = BLOCK_SHIFT + SPAN_BITS };

/* A key is the block << BLOCK_SHIFT, plus 0 for all of it, a warp's number or a thread's; READS_ONLY: of their reads
 * alone. */
static const u64 READS_ONLY = 1ull << 63;

u64 race_block_key(u32 block) { return (u64)block << BLOCK_SHIFT; }
u64 race_warp_key(u32 block, u32 warp) { return race_block_key(block) | (FIRST_WARP + warp); }
u64 race_thread_key(u32 block, u32 warp, u32 lane)
{
	return race_block_key(block) | (FIRST_THREAD + warp * LANES + lane);
}
static u32 part_of(u64 key) { return (u32)key & ((1u << BLOCK_SHIFT) - 1); }

u64 race_part_span(const struct race_part *p) { return p->entries[0].key >> SPAN_SHIFT; }
u64 race_span(u32 block, bool reads) { return (race_block_key(block) | (reads ? READS_ONLY : 0)) >> SPAN_SHIFT; }
bool race_span_is_reads(u64 span) { return span & READS_ONLY >> SPAN_SHIFT; }

/* --- Stores --------------------------------------------------------------------------------- */

u32 race_class(size_t count)
{
	u32 class = 0;

	while ((size_t)1 << class < count)
		class ++;
	return class;
}

struct race_held *race_take(struct race_sets *sets, struct race_held **unused, u32 class, size_t bytes)
{
	struct race_held *h = unused[class];

	if (h)
		unused[class] = h->next;
	else
		h = arena_alloc(sets->arena, bytes);
	h->holders = 1;
	h->class = class;
	h->number = ++sets->numbers;
	return h;
}

void race_give(struct race_held **unused, struct race_held *h)
{
	h->number = 0;
	h->next = unused[h->class];
	unused[h->class] = h;
}

/* --- What joins have given ------------------------------------------------------------------- */

/* A result that is not in use any more has another number by then, or none. */
struct race_memory {
	u64 one, other, number;
	struct race_held *result;
};

enum { MEMORY_BITS = 12 };

static size_t place_of(u64 one, u64 other)
{
	return (one * 0x9e3779b97f4a7c15u ^ other * 0xc2b2ae3d27d4eb4fu) >> (64 - MEMORY_BITS);
}

struct race_held *race_recall(const struct race_sets *sets, u64 one, u64 other)
{
	const u64 low = one < other ? one : other, high = one < other ? other : one;

	if (!sets->memory)
		return NULL;
	const struct race_memory *m = &sets->memory[place_of(low, high)];
	return m->one == low && m->other == high && m->result && m->result->number == m->number ? m->result : NULL;
}

void race_remember(struct race_sets *sets, u64 one, u64 other, struct race_held *result)
{
	const u64 low = one < other ? one : other, high = one < other ? other : one;

	if (!sets->memory)
		sets->memory = ARENA_ARRAY(sets->arena, (size_t)1 << MEMORY_BITS, struct race_memory);
	sets->memory[place_of(low, high)] = (struct race_memory){low, high, result->number, result};
}

/* --- Parts ---------------------------------------------------------------------------------- */

/* What the entries say together of their blocks. */
static void sum_up(struct race_part *p)
{
	u32 least = UINT32_MAX, most = 0, blocks = 0;

	for (u32 k = 0; k < p->held.count; k++) {
		const struct race_entry *e = &p->entries[k];
		most = max_u32(most, e->time);
		if (part_of(e->key))
			continue;
		least = min_u32(least, e->time);
		blocks++;
	}
	p->least = blocks == SPAN_BLOCKS ? least : 0;
	p->most = most;
	p->is_short = blocks == p->held.count;
}

static struct race_part *unsummed(struct race_sets *sets, const struct race_entry *entries, u32 count)
{
	const u32 class = race_class(count);
	struct race_part *p = (struct race_part *)race_take(sets, sets->unused_parts, class,
							    sizeof *p + sizeof *entries * ((size_t)1 << class));

	p->held.count = count;
	memcpy(p->entries, entries, count * sizeof *entries);
	return p;
}

struct race_part *race_part_new(struct race_sets *sets, const struct race_entry *entries, u32 count)
{
	struct race_part *p = unsummed(sets, entries, count);

	sum_up(p);
	return p;
}

void race_part_drop(struct race_sets *sets, struct race_part *p)
{
	if (!--p->held.holders)
		race_give(sets->unused_parts, &p->held);
}

/* --- Joining -------------------------------------------------------------------------------- */

/* What the entries of one block so far say of all of it, and of its warps. */
struct known {
	u64 block;
	u32 time, warp[WARPS];
	bool any_warp;
};

/* Does a shorter entry before it say what this one does? Else it is noted. */
static bool is_known(struct known *k, const struct race_entry *e)
{
	const u64 block = e->key >> BLOCK_SHIFT;
	const u32 part = part_of(e->key);

	if (block != k->block) {
		k->block = block;
		k->time = 0;
		if (k->any_warp)
			memset(k->warp, 0, sizeof k->warp);
		k->any_warp = false;
	}
	if (e->time <= k->time)
		return true;
	if (part == 0) {
		k->time = e->time;
	} else if (part < FIRST_THREAD) {
		k->warp[part - FIRST_WARP] = e->time;
		k->any_warp = true;
	} else {
		return e->time <= k->warp[(part - FIRST_THREAD) / LANES];
	}
	return false;
}

static u32 merge(struct race_entry *to, const struct race_part *a, const struct race_part *b)
{
	struct known known = {.block = UINT64_MAX};
	u32 i = 0, j = 0, used = 0;

	while (i < a->held.count || j < b->held.count) {
		struct race_entry e;
		if (j == b->held.count || (i < a->held.count && a->entries[i].key < b->entries[j].key)) {
			e = a->entries[i++];
		} else if (i == a->held.count || b->entries[j].key < a->entries[i].key) {
			e = b->entries[j++];
		} else {
			e = a->entries[i++];
			e.time = max_u32(e.time, b->entries[j++].time);
		}
		if (!is_known(&known, &e))
			to[used++] = e;
	}
	return used;
}

static bool is_same(const struct race_part *p, const struct race_entry *entries, u32 count)
{
	if (p->held.count != count)
		return false;
	for (u32 k = 0; k < count; k++)
		if (p->entries[k].key != entries[k].key || p->entries[k].time != entries[k].time)
			return false;
	return true;
}

static struct race_entry *merging_room(struct race_sets *sets, size_t room)
{
	if (room > sets->merged_room) {
		sets->merged_room = room * 2;
		sets->merged = ARENA_ARRAY(sets->arena, sets->merged_room, struct race_entry);
	}
	return sets->merged;
}

static struct race_part *merged(struct race_sets *sets, struct race_part *a, struct race_part *b)
{
	struct race_entry *to = merging_room(sets, (size_t)a->held.count + b->held.count);
	const u32 count = merge(to, a, b);

	if (is_same(a, to, count))
		return race_part_keep(a);
	if (is_same(b, to, count))
		return race_part_keep(b);
	return race_part_new(sets, to, count);
}

struct race_part *race_part_join(struct race_sets *sets, struct race_part *a, struct race_part *b)
{
	if (a == b || a->least >= b->most)
		return race_part_keep(a);
	if (b->least >= a->most)
		return race_part_keep(b);
	struct race_part *p = (struct race_part *)race_recall(sets, a->held.number, b->held.number);
	if (p)
		return race_part_keep(p);
	p = merged(sets, a, b);
	race_remember(sets, a->held.number, b->held.number, &p->held);
	return p;
}

struct race_part *race_part_shorten(struct race_sets *sets, struct race_part *p)
{
	struct race_entry *to = merging_room(sets, p->held.count);
	u32 used = 0;

	if (p->is_short)
		return race_part_keep(p);
	for (u32 k = 0; k < p->held.count; k++) {
		const u64 key = p->entries[k].key >> BLOCK_SHIFT << BLOCK_SHIFT;
		if (used && to[used - 1].key == key)
			to[used - 1].time = max_u32(to[used - 1].time, p->entries[k].time);
		else
			to[used++] = (struct race_entry){key, p->entries[k].time};
	}
	return race_part_new(sets, to, used);
}

struct race_part *race_part_reads(struct race_sets *sets, struct race_part *p)
{
	struct race_part *reads = (struct race_part *)race_recall(sets, p->held.number, 0);

	if (reads)
		return race_part_keep(reads);
	reads = unsummed(sets, p->entries, p->held.count);
	for (u32 k = 0; k < reads->held.count; k++)
		reads->entries[k].key |= READS_ONLY;
	sum_up(reads);
	race_remember(sets, p->held.number, 0, &reads->held);
	return reads;
}

/* --- Asking --------------------------------------------------------------------------------- */

static u32 time_of(const struct race_part *p, u64 key)
{
	u32 low = 0, high = p->held.count;

	while (low < high) {
		const u32 middle = low + (high - low) / 2;
		if (p->entries[middle].key < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low < p->held.count && p->entries[low].key == key ? p->entries[low].time : 0;
}

bool race_part_covers(const struct race_part *p, u32 block, u32 warp, u32 lane, u32 time)
{
	const u64 reads = p->entries[0].key & READS_ONLY;

	if (time <= p->least)
		return true;
	if (time > p->most)
		return false;
	return time <= time_of(p, race_block_key(block) | reads) ||
	       (!p->is_short && (time <= time_of(p, race_warp_key(block, warp) | reads) ||
				 time <= time_of(p, race_thread_key(block, warp, lane) | reads)));
}
