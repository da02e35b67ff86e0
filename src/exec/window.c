/* SPDX-License-Identifier: Apache-2.0
 *
 * What an address names before anything is read: the state space that a generic address lies in, and the block of the
 * cluster whose shared memory a shared address reaches.
 */
#include "exec/driver_bank.h"
#include "exec/run.h"

struct block *shared_owner(struct warp *w, u64 address)
{
	const u64 rank = address >> SHARED_RANK_SHIFT;

	/* Machine code puts a block's own rank into all its addresses. */
	if (w->grid->kernel->code->machine_banks)
		return rank < w->block->cluster->count ? w->block->cluster->blocks[rank] : NULL;
	if (!rank)
		return w->block;
	/* A block alone has no address beside its own: see shared_rank_bits. */
	if (w->block->cluster->count == 1)
		return NULL;
	return rank <= w->block->cluster->count ? w->block->cluster->blocks[rank - 1] : NULL;
}

/* Only instructions that say .shared::cluster or to all of the cluster, and generic addresses, reach other blocks. A
 * deferred operation runs from no instruction of the frame, and may be of either kind. */
static bool names_cluster(const struct warp *w, const struct insn *i)
{
	const struct code *c = w->frame->code;
	const size_t at = ((uintptr_t)i - (uintptr_t)grid_entry(w->grid, c)) / sizeof *i;

	if (at >= c->insn_count || c->origin[at] == NO_OPERAND)
		return true;
	const struct form *f = &c->forms[c->origin[at]];
	return form_has(f, M_shared_cluster) || form_has(f, M_multicast_cluster_all);
}

struct block *shared_target(struct warp *w, const struct insn *i, enum ir_space space, u64 address)
{
	if (address >> SHARED_RANK_SHIFT && space == SPACE_SHARED && !w->frame->code->machine_banks &&
	    !names_cluster(w, i))
		return NULL;
	return shared_owner(w, address);
}

enum ir_space generic_space(const struct warp *w, u64 *address)
{
	const struct address_map *m = w->grid->map;
	const u64 span = m->local_window - m->shared_window;

	if (*address - m->shared_window < span) {
		*address -= m->shared_window;
		return SPACE_SHARED;
	}
	if (*address - m->local_window < span) {
		*address -= m->local_window;
		return SPACE_LOCAL;
	}
	if (*address - m->param_window < m->const_base - m->param_window && *address >= m->param_window &&
	    *address - m->param_window < 65536) {
		*address -= m->param_window + param_bias(w->grid);
		return SPACE_PARAM;
	}
	return SPACE_GLOBAL;
}
