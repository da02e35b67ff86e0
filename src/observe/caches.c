/* SPDX-License-Identifier: Apache-2.0
 *
 * Which cache an access goes through, and where local memory lies among global addresses.
 */
#include "observe/caches.h"

#include "exec/warp.h"

/* Above every global address: a region for each warp, as large as local memory can be. */
static const u64 LOCAL_BASE = 1ull << 62;
enum { LOCAL_SHIFT = 24 };

struct caches {
	const struct arch *arch;
	struct arena l1_arena;
	struct cache *l1; /* of each SM; NULL until the launch's first block */
	struct cache l2;
	bool has_l1_arena, keep_l2;
};

struct caches *caches_new(struct arena *arena, const struct arch *arch, bool keep_l2)
{
	struct caches *c = ARENA_NEW(arena, struct caches);

	c->arch = arch;
	c->keep_l2 = keep_l2;
	cache_init_l2(&c->l2, arena, arch);
	return c;
}

void caches_free(struct caches *c)
{
	if (c->has_l1_arena)
		arena_free(&c->l1_arena);
	c->has_l1_arena = false;
	c->l1 = NULL;
}

void caches_begin(struct caches *c)
{
	caches_free(c);
	if (!c->keep_l2)
		cache_clear(&c->l2);
}

void caches_block(struct caches *c, const struct block *b)
{
	if (c->l1)
		return;
	arena_init(&c->l1_arena, &b->worker->out_of_memory);
	c->has_l1_arena = true;
	struct cache *l1 = ARENA_ARRAY(&c->l1_arena, c->arch->sms, struct cache);
	const u64 blocks = b->grid->block_count;
	/* Shared memory that a block takes, times the blocks that an SM then holds. */
	const u32 own = (u32)(b->shared_bytes - b->grid->kernel->reserved_shared);
	const u32 most = c->arch->shared_sm, each = own + c->arch->shared_reserved;
	const u64 resident = max_u64(1, min_u64(c->arch->max_blocks_sm, (blocks + c->arch->sms - 1) / c->arch->sms));
	const u32 shared = own ? (u32)min_u64(most, each * resident) : 0;
	for (u32 k = 0; k < c->arch->sms && k < blocks; k++)
		cache_init_l1(&l1[k], &c->l1_arena, c->arch, shared);
	c->l1 = l1;
}

void caches_global(struct caches *c, const struct block *b, const struct sector_access *access, bool through_l1,
		   const u64 address[WARP_LANES], struct cache_outcome *outcome)
{
	struct cache *l1 = &c->l1[b->index % c->arch->sms];

	cache_warp(c->arch->l1_bytes ? l1 : NULL, &c->l2, access, through_l1, address, &outcome->l1, &outcome->l2);
}

void caches_local(struct caches *c, const struct warp *w, const struct sector_access *access,
		  const u64 offset[WARP_LANES], struct cache_outcome *outcome)
{
	const u64 number = w->block->index * w->block->warp_count + w->index;
	const struct sector_access word = {access->kind, 4, access->mask, access->l1, false};
	struct cache *l1 = &c->l1[w->block->index % c->arch->sms];
	const enum cache_write policy = l1->write;

	/* No other SM sees it, so a store stays until its line must go. */
	l1->write = CACHE_WRITE_BACK;
	for (u32 at = 0; at < access->width; at += 4) {
		u64 address[WARP_LANES];
		for (u32 l = 0; l < WARP_LANES; l++)
			address[l] =
				(LOCAL_BASE + (number << LOCAL_SHIFT) + sectors_local_place(l, (u32)offset[l] + at)) &
				~3ull;
		caches_global(c, w->block, &word, true, address, outcome);
	}
	l1->write = policy;
}
