/* SPDX-License-Identifier: Apache-2.0
 *
 * Parts as sorted entries, and larger ones as lists of them.
 */
#include "observe/race_parts.h"

#include <string.h>

enum { BLOCK_SHIFT = 12, FIRST_WARP = 1, FIRST_THREAD = 64, WARPS = 32, LANES = 32 };
enum {
	SPAN_BITS = 4,
	SPAN = 1 << SPAN_BITS,
	SPAN_SHIFT = BLOCK_SHIFT + SPAN_BITS,
	WHOLE_SHIFT = SPAN_SHIFT + SPAN_BITS
};

/* The smaller part, of SPAN blocks, and the larger one, of SPAN of those. */
struct leaf {
	struct race_part part;
	struct race_entry entries[];
};

struct whole {
	struct race_part part;
	struct race_part *parts[SPAN];
};

static const struct race_entry *entries_of(const struct race_part *p) { return ((const struct leaf *)p)->entries; }
static struct race_parts parts_of(const struct race_part *p)
{
	return (struct race_parts){((const struct whole *)p)->parts, p->held.count};
}

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
struct race_join {
	u64 one, other, number;
	struct race_held *result;
};

enum { JOINS_BITS = 12 };

static size_t place_of(u64 one, u64 other)
{
	return (one * 0x9e3779b97f4a7c15u ^ other * 0xc2b2ae3d27d4eb4fu) >> (64 - JOINS_BITS);
}

struct race_held *race_recall(const struct race_sets *sets, u64 one, u64 other)
{
	const u64 low = one < other ? one : other, high = one < other ? other : one;

	if (!sets->joins)
		return NULL;
	const struct race_join *m = &sets->joins[place_of(low, high)];
	return m->one == low && m->other == high && m->result && m->result->number == m->number ? m->result : NULL;
}

void race_remember(struct race_sets *sets, u64 one, u64 other, struct race_held *result)
{
	const u64 low = one < other ? one : other, high = one < other ? other : one;

	if (!sets->joins)
		sets->joins = ARENA_ARRAY(sets->arena, (size_t)1 << JOINS_BITS, struct race_join);
	sets->joins[place_of(low, high)] = (struct race_join){low, high, result->number, result};
}

/* --- Parts ---------------------------------------------------------------------------------- */

/* What the entries say together of their blocks. */
static void sum_up(struct race_part *p)
{
	const struct race_entry *entries = entries_of(p);
	u32 least = UINT32_MAX, most = 0, blocks = 0;

	for (u32 k = 0; k < p->held.count; k++) {
		const struct race_entry *e = &entries[k];
		most = max_u32(most, e->time);
		if (part_of(e->key))
			continue;
		least = min_u32(least, e->time);
		blocks++;
	}
	p->span = entries[0].key >> SPAN_SHIFT;
	p->least = blocks == SPAN ? least : 0;
	p->most = most;
	p->entries = p->held.count;
	p->is_short = blocks == p->held.count;
	p->is_reads = entries[0].key & READS_ONLY;
	p->has_parts = false;
	memset(p->made, 0, sizeof p->made);
}

static struct leaf *unsummed(struct race_sets *sets, const struct race_entry *entries, u32 count)
{
	const u32 class = race_class(count);
	struct leaf *l = (struct leaf *)race_take(sets, sets->unused_parts, class,
						  sizeof *l + sizeof *entries * ((size_t)1 << class));

	l->part.held.count = count;
	memcpy(l->entries, entries, count * sizeof *entries);
	return l;
}

static struct race_part *leaf_new(struct race_sets *sets, const struct race_entry *entries, u32 count)
{
	struct leaf *l = unsummed(sets, entries, count);

	sum_up(&l->part);
	return &l->part;
}

/* Takes over the hold of each part. */
static struct race_part *whole_new(struct race_sets *sets, struct race_part *const *parts, u32 count)
{
	struct whole *x = (struct whole *)race_take(sets, sets->unused_wholes, 0, sizeof *x);
	struct race_part *p = &x->part;

	memcpy(x->parts, parts, count * sizeof *parts);
	p->held.count = count;
	p->span = parts[0]->span >> SPAN_BITS;
	p->least = count == SPAN ? UINT32_MAX : 0;
	p->most = p->entries = 0;
	p->is_short = p->has_parts = true;
	p->is_reads = parts[0]->is_reads;
	memset(p->made, 0, sizeof p->made);
	for (u32 k = 0; k < count; k++) {
		p->least = min_u32(p->least, parts[k]->least);
		p->most = max_u32(p->most, parts[k]->most);
		p->entries += parts[k]->entries;
		p->is_short &= parts[k]->is_short;
	}
	return p;
}

struct race_part *race_part_new(struct race_sets *sets, const struct race_entry *entries, u32 count)
{
	struct race_part *leaf = leaf_new(sets, entries, count);

	return whole_new(sets, &leaf, 1);
}

void race_part_drop(struct race_sets *sets, struct race_part *p)
{
	if (--p->held.holders)
		return;
	const struct race_parts x = p->has_parts ? parts_of(p) : (struct race_parts){NULL, 0};
	for (u32 k = 0; k < x.count; k++)
		race_part_drop(sets, x.parts[k]);
	for (u32 k = 0; k < RACE_MADE; k++)
		if (p->made[k])
			race_part_drop(sets, p->made[k]);
	race_give(p->has_parts ? sets->unused_wholes : sets->unused_parts, &p->held);
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
	const struct race_entry *x = entries_of(a), *const x_end = x + a->held.count;
	const struct race_entry *y = entries_of(b), *const y_end = y + b->held.count;
	struct known known = {.block = UINT64_MAX};
	u32 used = 0;

	while (x < x_end || y < y_end) {
		struct race_entry e;
		if (y == y_end || (x < x_end && x->key < y->key)) {
			e = *x++;
		} else if (x == x_end || y->key < x->key) {
			e = *y++;
		} else {
			e = *x++;
			e.time = max_u32(e.time, (y++)->time);
		}
		if (!is_known(&known, &e))
			to[used++] = e;
	}
	return used;
}

static bool is_same(const struct race_part *p, const struct race_entry *entries, u32 count)
{
	const struct race_entry *own = entries_of(p);

	if (p->held.count != count)
		return false;
	for (u32 k = 0; k < count; k++)
		if (own[k].key != entries[k].key || own[k].time != entries[k].time)
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
	return leaf_new(sets, to, count);
}

/* The same of larger ones: their parts are of the same SPAN ones. */
static struct race_part *merged_wholes(struct race_sets *sets, struct race_part *a, struct race_part *b)
{
	struct race_part *parts[SPAN];
	const u32 count = race_parts_join(sets, parts, parts_of(a), parts_of(b));
	const struct race_parts joined = {parts, count};
	struct race_part *same = race_parts_are(joined, parts_of(a))   ? a
				 : race_parts_are(joined, parts_of(b)) ? b
								       : NULL;

	if (!same)
		return whole_new(sets, parts, count);
	for (u32 k = 0; k < count; k++)
		race_part_drop(sets, parts[k]);
	return race_part_keep(same);
}

/* Of two of one span. */
static struct race_part *join(struct race_sets *sets, struct race_part *a, struct race_part *b)
{
	if (a == b || a->least >= b->most)
		return race_part_keep(a);
	if (b->least >= a->most)
		return race_part_keep(b);
	struct race_part *p = (struct race_part *)race_recall(sets, a->held.number, b->held.number);
	if (p)
		return race_part_keep(p);
	p = a->has_parts ? merged_wholes(sets, a, b) : merged(sets, a, b);
	race_remember(sets, a->held.number, b->held.number, &p->held);
	return p;
}

u32 race_parts_join(struct race_sets *sets, struct race_part **to, struct race_parts a, struct race_parts b)
{
	u32 i = 0, j = 0, used = 0;

	while (i < a.count && j < b.count) {
		struct race_part *x = a.parts[i], *y = b.parts[j];
		const u64 left = x->span, right = y->span;
		to[used++] = left < right ? race_part_keep(x) : left > right ? race_part_keep(y) : join(sets, x, y);
		i += left <= right;
		j += left >= right;
	}
	for (; i < a.count; i++)
		to[used++] = race_part_keep(a.parts[i]);
	for (; j < b.count; j++)
		to[used++] = race_part_keep(b.parts[j]);
	return used;
}

bool race_parts_are(struct race_parts a, struct race_parts b)
{
	return a.count == b.count && !memcmp(a.parts, b.parts, a.count * sizeof *a.parts);
}

/* --- Others made of one --------------------------------------------------------------------- */

static struct race_part *shortened(struct race_sets *sets, struct race_part *p)
{
	const struct race_entry *from = entries_of(p);
	struct race_entry *to = merging_room(sets, p->held.count);
	u32 used = 0;

	for (u32 k = 0; k < p->held.count; k++) {
		const u64 key = from[k].key >> BLOCK_SHIFT << BLOCK_SHIFT;
		if (used && to[used - 1].key == key)
			to[used - 1].time = max_u32(to[used - 1].time, from[k].time);
		else
			to[used++] = (struct race_entry){key, from[k].time};
	}
	return leaf_new(sets, to, used);
}

static struct race_part *as_reads(struct race_sets *sets, struct race_part *p)
{
	struct leaf *reads = unsummed(sets, entries_of(p), p->held.count);

	for (u32 k = 0; k < p->held.count; k++)
		reads->entries[k].key |= READS_ONLY;
	sum_up(&reads->part);
	return &reads->part;
}

/* Kept with the part, so that sets share these as they did those that they were made of. */
static struct race_part *made_of(struct race_sets *sets, struct race_part *p, enum race_made as)
{
	struct race_part *parts[SPAN];

	if (as == RACE_SHORT && p->is_short)
		return race_part_keep(p);
	if (p->made[as])
		return race_part_keep(p->made[as]);
	if (p->has_parts) {
		const struct race_parts x = parts_of(p);
		for (u32 k = 0; k < x.count; k++)
			parts[k] = made_of(sets, x.parts[k], as);
		p->made[as] = whole_new(sets, parts, x.count);
	} else {
		p->made[as] = as == RACE_SHORT ? shortened(sets, p) : as_reads(sets, p);
	}
	return race_part_keep(p->made[as]);
}

struct race_part *race_part_shorten(struct race_sets *sets, struct race_part *p)
{
	return made_of(sets, p, RACE_SHORT);
}

struct race_part *race_part_reads(struct race_sets *sets, struct race_part *p) { return made_of(sets, p, RACE_READS); }

/* --- Asking --------------------------------------------------------------------------------- */

static u32 time_of(const struct race_part *p, u64 key)
{
	const struct race_entry *entries = entries_of(p);
	u32 low = 0, high = p->held.count;

	while (low < high) {
		const u32 middle = low + (high - low) / 2;
		if (entries[middle].key < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low < p->held.count && entries[low].key == key ? entries[low].time : 0;
}

static const struct race_part *part_at(struct race_parts x, u64 span)
{
	u32 low = 0, high = x.count;

	while (low < high) {
		const u32 middle = low + (high - low) / 2;
		if (x.parts[middle]->span < span)
			low = middle + 1;
		else
			high = middle;
	}
	return low < x.count && x.parts[low]->span == span ? x.parts[low] : NULL;
}

bool race_parts_cover(struct race_parts x, bool reads, u32 block, u32 warp, u32 lane, u32 time)
{
	const u64 only = reads ? READS_ONLY : 0, key = race_block_key(block) | only;
	const struct race_part *p = part_at(x, key >> WHOLE_SHIFT);

	if (p && time > p->least)
		p = time > p->most ? NULL : part_at(parts_of(p), key >> SPAN_SHIFT);
	if (!p || time <= p->least)
		return p;
	if (time > p->most)
		return false;
	return time <= time_of(p, key) ||
	       (!p->is_short && (time <= time_of(p, race_warp_key(block, warp) | only) ||
				 time <= time_of(p, race_thread_key(block, warp, lane) | only)));
}
