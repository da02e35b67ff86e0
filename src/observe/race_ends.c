/* SPDX-License-Identifier: Apache-2.0
 *
 * Accesses of other blocks' shared memory, and whether that could have ended. Of each warp and instruction the newest
 * access is kept, by the block whose memory it is; when that block has ended, all must be before some thread's end.
 *
 * A barrier of the cluster orders execution, even if it is .relaxed and orders no memory: so those are counted by
 * themselves. An access in a warp that has arrived n times is over when the barrier has been waited for n + 1 times.
 */
#include "observe/race_ends.h"

#include <stdio.h>

enum { REMOTES_MOST = 64 };

void race_remote_access(struct arena *arena, struct race_block *owner, const struct race_warp *accessor,
			const struct race_mark *mark, u64 address, u32 size, bool writes)
{
	const struct race_remote new = {*mark, accessor->cluster_arrived, address, size, writes};

	for (size_t k = 0; k < owner->remotes.count; k++) {
		struct race_remote *x = &owner->remotes.items[k];
		if (x->mark.site == mark->site && x->mark.block == mark->block && x->mark.warp == mark->warp) {
			*x = new;
			return;
		}
	}
	if (owner->remotes.count < REMOTES_MOST)
		VEC_PUSH(arena, &owner->remotes, new);
}

/* By its lowest lane, so that lanes which come one by one count once. */
void race_count_cluster(struct race_block *b, const struct warp *w, u32 mask, bool waits)
{
	struct race_warp *me = &b->warps[w->index];

	if (!(mask & w->live & -w->live))
		return;
	if (waits)
		me->cluster_waited++;
	else
		me->cluster_arrived++;
}

static bool is_over(const struct race_block *b, const struct race_remote *x)
{
	for (u32 k = 0; k < b->block->warp_count && k < RACE_WARPS; k++) {
		if (b->warps[k].cluster_waited > x->arrived)
			return true;
		const struct warp *w = &b->block->warps[k];
		for (u32 left = b->warps[k].alone | 1; left; left &= left - 1)
			if (race_ordered(b, w, (u32)__builtin_ctz(left), &x->mark))
				return true;
	}
	return false;
}

static void tell(struct check_findings *f, const struct race_block *b, const struct race_remote *x)
{
	const struct cluster *c = b->block->cluster;
	const u32 *size = b->block->grid->size;
	const u64 index = b->block->index;
	u32 k = 0;

	while (k < c->count && (u32)c->blocks[k]->index != x->mark.block)
		k++;
	if (k == c->count)
		return;
	struct fault *t = check_tell(f, FAULT_FREED, &c->blocks[k]->warps[x->mark.warp], x->mark.site,
				     1u << (x->mark.lane & 31), NO_SITE);
	if (!t)
		return;
	t->address = x->address;
	t->size = x->size;
	t->space = SPACE_SHARED;
	t->is_store = x->writes;
	snprintf(t->detail, sizeof t->detail,
		 "reaches the shared memory of block (%llu,%llu,%llu) of the cluster, which may have ended by then: "
		 "nothing orders the access before the last thread there exits; a cluster barrier before they exit "
		 "does",
		 (unsigned long long)(index % size[0]), (unsigned long long)(index / size[0] % size[1]),
		 (unsigned long long)(index / size[0] / size[1]));
}

void race_block_ends(struct race_clocks *c, struct check_findings *f, struct race_block *b)
{
	for (u32 k = 0; b->remotes.count && k < b->block->warp_count && k < RACE_WARPS; k++)
		race_resume(c, b, &b->block->warps[k]);
	for (size_t k = 0; k < b->remotes.count; k++)
		if (!is_over(b, &b->remotes.items[k]))
			tell(f, b, &b->remotes.items[k]);
	b->remotes.count = 0;
}
