/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory, for the check of unwritten values.
 */
#include "observe/unwritten_memory.h"

#include "memory/tensormap.h"
#include "observe/unwritten.h"

struct unwritten_block *unwritten_record(const struct unwritten *u, const struct block *b)
{
	struct unwritten_block *x = u->blocks[((uintptr_t)b / sizeof *b) % UNWRITTEN_BUCKETS];

	while (x && x->block != b)
		x = x->next;
	return x;
}

static struct unwritten_memory **bucket_of(struct unwritten *u, u64 base)
{
	return &u->memories[(base * 0x9e3779b97f4a7c15u >> 40) % UNWRITTEN_BUCKETS];
}

static struct unwritten_memory *find_memory(struct unwritten *u, u64 base)
{
	if (u->last && u->last->base == base)
		return u->last;
	struct unwritten_memory *x = *bucket_of(u, base);
	while (x && x->base != base)
		x = x->next;
	return x ? u->last = x : NULL;
}

bool unwritten_came(const struct allocation *a) { return a->flags & (ALLOCATION_HEAP | ALLOCATION_UNWRITTEN); }

struct unwritten_memory *unwritten_memory_of(struct unwritten *u, const struct allocation *a, bool make)
{
	struct unwritten_memory *x = find_memory(u, a->base);

	if (x || !(make || unwritten_came(a)))
		return x;
	x = ARENA_NEW(u->arena, struct unwritten_memory);
	x->base = a->base;
	written_init(&x->written, u->arena, a->size);
	if (!unwritten_came(a))
		written_mark(&x->written, 0, a->size);
	else if (u->kept && !(a->flags & ALLOCATION_HEAP))
		x->taken = written_kept_take(u->kept, a->base, &x->written);
	x->next = *bucket_of(u, a->base);
	return *bucket_of(u, a->base) = x;
}

struct written *unwritten_local_of(struct unwritten *u, struct unwritten_block *r, const struct warp *w)
{
	const u32 k = w->index % UNWRITTEN_WARPS;

	if (r->stride[k] < w->local_bytes) {
		const u64 stride = max_u64(w->local_bytes, 2 * r->stride[k]);
		struct written more;
		written_init(&more, u->findings->arena, stride * WARP_LANES);
		for (u64 l = 0; l < WARP_LANES && r->stride[k]; l++)
			written_take(&more, u->findings->arena, l * stride, &r->local[k], l * r->stride[k],
				     r->stride[k]);
		r->local[k] = more;
		r->stride[k] = stride;
	}
	return &r->local[k];
}

bool unwritten_is_padding(const u8 *mask, u32 bytes, u32 elements)
{
	const u32 each = bytes / elements;
	u32 whole = 0, absent = 0;

	for (u32 k = 0; k < elements; k++) {
		u32 defined = 0, undefined = 0;
		while (defined < each && !mask[k * each + defined])
			defined++;
		while (defined + undefined < each && mask[k * each + defined + undefined] == 0xff)
			undefined++;
		if (defined + undefined != each)
			return false;
		whole += undefined == 0;
		absent += defined == 0;
		if (defined && undefined && defined & (defined - 1))
			return false;
	}
	return absent == 0 || (whole && elements > 1);
}

static bool find_global(struct unwritten *u, const struct warp *w, u64 address, u64 size, struct unwritten_place *s)
{
	s->memory = memory_find(w->grid->memory, address, size);
	if (!s->memory || s->memory->flags & ALLOCATION_READ_ONLY)
		return false;
	struct unwritten_memory *x = unwritten_memory_of(u, s->memory, false);
	s->written = x ? &x->written : NULL;
	s->offset = address - s->memory->base;
	/* Who waits for a flag reads what a launch of another stream has written meanwhile. */
	if (x && x->taken && written_misses(&x->written, s->offset, size) &&
	    written_kept_elsewhere(u->kept, address, size))
		written_mark(&x->written, s->offset, size);
	return true;
}

bool unwritten_spot(struct unwritten *u, struct warp *w, u32 lane, enum ir_space space, u64 address, u64 size,
		    struct unwritten_place *s)
{
	*s = (struct unwritten_place){.offset = address};
	if (space == SPACE_GENERIC)
		space = generic_space(w, &s->offset);
	if (space == SPACE_GLOBAL)
		return find_global(u, w, s->offset, size, s);
	if (space == SPACE_LOCAL) {
		struct unwritten_block *r = unwritten_record(u, w->block);
		s->written = r ? unwritten_local_of(u, r, w) : NULL;
		if (!s->written || s->offset + size > r->stride[w->index % UNWRITTEN_WARPS])
			return false;
		s->offset += lane * r->stride[w->index % UNWRITTEN_WARPS];
		return true;
	}
	struct block *owner = space == SPACE_SHARED ? shared_owner(w, s->offset) : NULL;
	struct unwritten_block *r = owner ? unwritten_record(u, owner) : NULL;
	s->offset &= (1u << SHARED_RANK_SHIFT) - 1;
	if (!r || s->offset + size > r->shared.size)
		return false;
	s->written = &r->shared;
	return true;
}

static const u8 *map_bytes(const struct warp *w, u64 map)
{
	const struct grid *g = w->grid;
	const enum ir_space space = generic_space(w, &map);

	if (space == SPACE_PARAM)
		return map < g->kernel->param_bytes && TENSOR_MAP_BYTES <= g->kernel->param_bytes - map
			       ? g->launch->params + map
			       : NULL;
	const struct allocation *a = space == SPACE_GLOBAL ? memory_find(g->memory, map, TENSOR_MAP_BYTES) : NULL;
	return a ? a->host + (map - a->base) : NULL;
}

void unwritten_tensor_store(struct unwritten *u, const struct warp *w, u64 map)
{
	const u8 *bytes = map_bytes(w, map);
	struct tensor_map m;

	if (!bytes || !tensor_map_decode(bytes, &m))
		return;
	const struct allocation *a = memory_find(w->grid->memory, m.address, 1);
	struct unwritten_memory *x = a ? unwritten_memory_of(u, a, false) : NULL;
	if (x)
		written_mark(&x->written, 0, a->size);
}

/* --- Between launches --------------------------------------------------------------------------------- */

void unwritten_host_writes(struct unwritten *u, const struct memory *m, u64 address, u64 bytes)
{
	const struct allocation *a = memory_find(m, address, bytes);
	struct unwritten_memory *x = a && bytes ? unwritten_memory_of(u, a, false) : NULL;

	if (x)
		written_mark(&x->written, address - a->base, bytes);
}

/* The first byte of a range that nothing has written; `bytes`: there is none. */
u64 unwritten_first(const struct unwritten *u, const struct memory *m, u64 address, u64 bytes)
{
	const struct allocation *a = bytes ? memory_find(m, address, bytes) : NULL;
	const struct unwritten_memory *x = a ? unwritten_memory_of((struct unwritten *)(uintptr_t)u, a, false) : NULL;
	u64 k = 0;

	if (!x || !written_lacks(&x->written, address - a->base, bytes))
		return bytes;
	while (k < bytes && !written_lacks(&x->written, address - a->base + k, 1))
		k++;
	return k;
}

void unwritten_take(struct unwritten *u, struct written_kept *kept) { u->kept = kept; }

void unwritten_give(const struct unwritten *u)
{
	for (u32 k = 0; u->kept && k < UNWRITTEN_BUCKETS; k++)
		for (const struct unwritten_memory *m = u->memories[k]; m; m = m->next)
			written_kept_give(u->kept, m->base, &m->written, m->taken);
}
