/* SPDX-License-Identifier: Apache-2.0
 *
 * Values of special registers. Clocks count warp instructions of the host thread, so that runs are
 * repeatable; timers advance with them at 1 ns each.
 */
#include "exec/internal.h"

#include "arch/arch.h"
#include "isa/sregs.h"

static u64 tid_value(const struct warp *w, u32 element, u32 lane)
{
	const u32 *shape = w->grid->launch->block;
	const u32 t = w->index * WARP_LANES + lane;

	switch (element) {
	case 0:
		return t % shape[0];
	case 1:
		return t / shape[0] % shape[1];
	case 2:
		return t / shape[0] / shape[1];
	default:
		return 0;
	}
}

/* The same of all lanes, by counting on: a launch of a tiny kernel has no time for divisions. */
void tid_row(const struct warp *w, u32 element, u32 row[WARP_LANES])
{
	const u32 *shape = w->grid->launch->block;
	const u32 first = w->index * WARP_LANES;
	u32 at[4] = {first % shape[0], first / shape[0] % shape[1], first / shape[0] / shape[1], 0};

	if (at[0] + WARP_LANES <= shape[0]) {
		for (u32 l = 0; l < WARP_LANES; l++)
			row[l] = at[element & 3] + (element ? 0 : l);
		return;
	}
	for (u32 l = 0; l < WARP_LANES; l++) {
		row[l] = at[element & 3];
		if (++at[0] < shape[0])
			continue;
		at[0] = 0;
		if (++at[1] < shape[1])
			continue;
		at[1] = 0;
		at[2]++;
	}
}

static u64 lane_mask_value(u32 sreg, u32 lane)
{
	const u32 bit = 1u << lane;

	switch (sreg) {
	case SREG_lanemask_eq:
		return bit;
	case SREG_lanemask_lt:
		return bit - 1;
	case SREG_lanemask_le:
		return bit | (bit - 1);
	case SREG_lanemask_gt:
		return ~(bit | (bit - 1));
	default:
		return ~(bit - 1);
	}
}

static u64 element_of(const u32 v[3], u32 element) { return element < 3 ? v[element] : 0; }

static u64 cluster_value(const struct warp *w, u32 sreg, u32 element)
{
	const struct grid *grid = w->grid;
	const struct block *b = w->block;

	switch (sreg) {
	case SREG_clusterid:
		return element_of(b->cluster->index, element);
	case SREG_nclusterid:
		return element_of(grid->clusters, element);
	case SREG_cluster_ctaid:
		return element < 3 ? b->ctaid[element] % grid->cluster_shape[element] : 0;
	case SREG_cluster_nctaid:
		return element_of(grid->cluster_shape, element);
	case SREG_cluster_ctarank:
		return b->cluster_rank;
	case SREG_cluster_nctarank:
		return grid->blocks_per_cluster;
	default:
		return grid->explicit_cluster;
	}
}

/* How much of the system's part of shared memory is in use: recorded.
 * Its variables take a multiple of 16 bytes; %aggr_smem_size is not rounded to units, %total_smem_size is. */
enum { RESERVED_USED = 0x120 };

static u64 shared_value(const struct warp *w, u32 sreg)
{
	const struct grid *grid = w->grid;
	const u64 reserved = grid->arch_row->shared_reserved;
	const u64 own = ((grid->kernel->static_shared_bytes + 15) & ~15ull) + grid->launch->dynamic_shared;

	switch (sreg) {
	case SREG_total_smem_size:
		return (own + SHARED_UNIT - 1) / SHARED_UNIT * SHARED_UNIT;
	case SREG_aggr_smem_size:
		return own + reserved;
	case SREG_dynamic_smem_size:
		return grid->launch->dynamic_shared;
	case SREG_reserved_smem_offset_end:
		return reserved ? RESERVED_USED : 0;
	case SREG_reserved_smem_offset_cap:
		return reserved;
	default:
		return 0;
	}
}

/* Clocks count instructions. A warp that waits for one would have to execute as many as it waits ticks, and so would each
 * warp of a launch that only passes time. So the clock runs on, further with each look, while a loop does nothing else:
 * the same instruction reads it again, after few others, and the loop does not look at what other threads write (those
 * count `spins`). */
void sreg_look_at_clock(struct warp *w, const struct insn *i)
{
	enum { LOOP_MOST = 16, STEP_MOST = 4096 };
	/* The other half of a 64-bit value. */
	if (w->looked.at && w->looked.at != i && w->looked.issued == w->issued)
		return;
	const bool waits =
		w->looked.at == i && w->looked.spins == w->spins && w->issued - w->looked.issued <= LOOP_MOST;
	const u32 step = waits ? min_u32(2 * w->looked.step + 1, STEP_MOST) : 0;

	w->looked.at = i;
	w->looked.issued = w->issued;
	w->looked.spins = w->spins;
	w->looked.step = step;
	w->idled += step;
}

u64 sreg_value(const struct warp *w, u32 sreg, u32 element, u32 lane)
{
	const struct grid *grid = w->grid;
	const u64 clock = w->worker->clock + w->worker->idled + w->issued + w->idled;

	switch (sreg) {
	case SREG_tid:
		return tid_value(w, element, lane);
	case SREG_ntid:
		return element_of(grid->launch->block, element);
	case SREG_laneid:
		return lane;
	case SREG_warpid:
		return w->index;
	case SREG_nwarpid:
		return grid->arch_row->max_warps_sm;
	case SREG_ctaid:
		return element_of(w->block->ctaid, element);
	case SREG_nctaid:
		return element_of(grid->size, element);
	case SREG_smid:
		return w->block->index % grid->arch_row->sms;
	case SREG_nsmid:
		return grid->arch_row->sms;
	case SREG_gridid:
		return 1;
	case SREG_clusterid:
	case SREG_nclusterid:
	case SREG_cluster_ctaid:
	case SREG_cluster_nctaid:
	case SREG_cluster_ctarank:
	case SREG_cluster_nctarank:
	case SREG_is_explicit_cluster:
		return cluster_value(w, sreg, element);
	case SREG_lanemask_eq:
	case SREG_lanemask_lt:
	case SREG_lanemask_le:
	case SREG_lanemask_gt:
	case SREG_lanemask_ge:
		return lane_mask_value(sreg, lane);
	case SREG_clock:
		return (u32)clock;
	case SREG_clock_hi:
		return clock >> 32;
	case SREG_clock64:
	case SREG_globaltimer:
		return clock;
	case SREG_globaltimer_lo:
		return (u32)clock;
	case SREG_globaltimer_hi:
		return clock >> 32;
	case SREG_WARP_SZ:
		return WARP_LANES;
	/* Where the driver tells cooperative groups about the grid (cooperative_groups/details/driver_abi.h). */
	case SREG_envreg1:
		return grid->workspace >> 32;
	case SREG_envreg2:
		return (u32)grid->workspace;
	default:
		return sreg == SREG_current_graph_exec ? grid->launch->graph : shared_value(w, sreg);
	}
}
