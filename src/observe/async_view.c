/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading the strict checker's records.
 */
#include <string.h>

#include "observe/async_records.h"
#include "observe/async_view.h"

static const struct async_records *records_of(const struct block *b)
{
	const struct async_cluster *a = b->cluster ? b->cluster->async : NULL;

	return a && b->grid->async == ASYNC_STRICT ? a->records : NULL;
}

static u32 waiting_for(const struct async_records *r, const struct block *b, const u8 *mbarrier)
{
	u32 warps = 0;

	for (u32 k = 0; k < b->warp_count; k++)
		if (b->warps[k].live && r->warps[async_warp_number(&b->warps[k])].missed == mbarrier)
			warps |= 1u << k;
	return warps;
}

u32 async_barriers_of(const struct block *b, struct async_barrier_view *to, u32 room)
{
	const struct async_records *r = records_of(b);
	u32 count = 0;

	for (u32 k = 0; r && r->mbarriers && r->touched && k < b->shared_bytes / 8; k++) {
		const struct async_mbarrier *m = &r->mbarriers[b->cluster_rank][k];
		u64 word;
		if (!m->made)
			continue;
		memcpy(&word, b->shared + (size_t)k * 8, 8);
		if (count < room)
			to[count] = (struct async_barrier_view){
				.address = k * 8,
				.expected = (u32)word & MBARRIER_COUNT_MASK,
				.pending = mbarrier_pending(word),
				.bytes = mbarrier_bytes(word),
				.phases = m->phase,
				.came = m->came,
				.others = m->others,
				.waiting = waiting_for(r, b, b->shared + (size_t)k * 8),
			};
		count++;
	}
	return count;
}

/* Lanes that have closed the group in which the operation is. */
static u32 committed(const struct async_op *op)
{
	u32 lanes = 0;

	if (op->kind >= ASYNC_GROUP_KINDS)
		return 0;
	const u32 *closed = async_of(op->warp)->groups[async_warp_number(op->warp)][op->kind];
	for (u32 left = op->pending | op->reading; left; left &= left - 1) {
		const u32 lane = (u32)__builtin_ctz(left);
		if (op->group[lane] < closed[lane])
			lanes |= 1u << lane;
	}
	return lanes;
}

u32 async_copies_of(const struct block *b, struct async_copy_view *to, u32 room)
{
	const struct async_records *r = records_of(b);
	u32 count = 0;

	for (const struct async_op *op = r ? r->live : NULL; op; op = op->next) {
		if (op->warp->block != b || !(op->pending | op->reading))
			continue;
		if (op->mbarrier && op->seen)
			continue;
		if (count < room) {
			struct async_copy_view *v = &to[count];
			*v = (struct async_copy_view){.kind = op->kind,
						      .warp = op->warp->index,
						      .lanes = op->pending,
						      .reading = op->reading,
						      .committed = committed(op),
						      .code = op->code,
						      .insn = op->insn,
						      .counted = op->mbarrier != NULL};
			for (size_t k = 0; k < op->global.count; k++)
				v->global_bytes += op->global.items[k].high - op->global.items[k].low;
			if (op->mbarrier)
				v->mbarrier = (u32)(op->mbarrier - op->home->shared);
		}
		count++;
	}
	return count;
}
