/* SPDX-License-Identifier: Apache-2.0
 *
 * Barriers, fences and the like (PTX ISA 9.7.13): bar, barrier, barrier.cluster, bar.warp.sync, fence,
 * membar, griddepcontrol, setmaxnreg.
 *
 * A warp's accesses are carried out in program order and at once: fences matter only between blocks that
 * run on different host threads. Grids do not overlap, and registers do not run out: griddepcontrol
 * and setmaxnreg have no effect.
 */
#include "sem/meet.h"
#include "sem/pick.h"

/* The barrier's number and thread count are the same in all lanes. */
static inline u32 any_lane(const u8 *rows, u32 offset, u32 mask)
{
	return offset == NO_OPERAND ? 0 : ROW_OF(u32, offset)[__builtin_ctz(mask)];
}

MEANING_FUNCTION(barrier_sync)
{
	return block_barrier(w, i, any_lane(rows, i->a, mask), any_lane(rows, i->b, mask), true, BARRIER_NONE, 0);
}
static inline bool same_in_gang(const struct gang *g, u32 offset, u32 value)
{
	if (g->on) {
		EACH_MEMBER (g, m)
			if (any_lane(m->rows, offset, m->mask) != value)
				return false;
		return true;
	}
	EACH_WARP (g)
		if (any_lane(rows, offset, FULL_MASK) != value)
			return false;
	return true;
}
GANG_FUNCTION(barrier_sync)
{
	const u8 *rows = g->on ? g->on->rows : g->rows;
	const u32 mask = g->on ? g->on->mask : FULL_MASK;
	const u32 number = any_lane(rows, i->a, mask), threads = any_lane(rows, i->b, mask);

	if (!same_in_gang(g, i->a, number) || !same_in_gang(g, i->b, threads))
		return gang_part(g, i, 0);
	return gang_barrier(g, i, number, threads);
}
MEANING_GANG(barrier_sync);

MEANING_FUNCTION(barrier_arrive)
{
	return block_barrier(w, i, any_lane(rows, i->a, mask), any_lane(rows, i->b, mask), false, BARRIER_NONE, 0);
}
MEANING(barrier_arrive);

/* Without a thread count the predicate is operand b, with one it is operand c. */
ALWAYS_INLINE const struct insn *barrier_red(struct warp *w, const struct insn *i, u8 *rows, u32 mask,
					     enum barrier_reduce kind)
{
	return block_barrier(w, i, any_lane(rows, i->a, mask), 0, true, kind, PRED_SOURCE(i, i->b, 0));
}
ALWAYS_INLINE const struct insn *barrier_red_counted(struct warp *w, const struct insn *i, u8 *rows, u32 mask,
						     enum barrier_reduce kind)
{
	return block_barrier(w, i, any_lane(rows, i->a, mask), any_lane(rows, i->b, mask), true, kind,
			     PRED_SOURCE(i, i->c, 0));
}
#define BARRIER_RED(NAME, KIND)                                                                  \
	MEANING_FUNCTION(NAME) { return barrier_red(w, i, rows, mask, KIND); }                   \
	MEANING(NAME);                                                                           \
	MEANING_FUNCTION(NAME##_counted) { return barrier_red_counted(w, i, rows, mask, KIND); } \
	MEANING(NAME##_counted);
BARRIER_RED(barrier_red_popc, BARRIER_POPC)
BARRIER_RED(barrier_red_and, BARRIER_AND)
BARRIER_RED(barrier_red_or, BARRIER_OR)

static const struct meaning *pick_barrier_red(const struct form *f)
{
	const bool counted = f->operand_count == 4;

	if (form_has(f, M_popc))
		return counted ? &barrier_red_popc_counted : &barrier_red_popc;
	if (form_has(f, M_and))
		return counted ? &barrier_red_and_counted : &barrier_red_and;
	return counted ? &barrier_red_or_counted : &barrier_red_or;
}

static void meet_only(struct warp *w, const struct insn *i, u8 *rows, u32 mask, u32 members, const u64 *exchange)
{
	(void)w;
	(void)i;
	(void)rows;
	(void)mask;
	(void)members;
	(void)exchange;
}
MEANING_FUNCTION(barrier_warp) { return meet(w, i, rows, mask, i->a, NO_OPERAND, 32, false, meet_only); }
MEANING_MEET(barrier_warp, i->a, meet_only);

MEANING_FUNCTION(barrier_cluster_arrive)
{
	(void)rows;
	(void)mask;
	return cluster_arrive(w, i);
}
MEANING(barrier_cluster_arrive);

MEANING_FUNCTION(barrier_cluster_wait)
{
	(void)rows;
	(void)mask;
	return cluster_wait(w, i);
}
MEANING(barrier_cluster_wait);

MEANING_FUNCTION(no_effect)
{
	(void)w;
	(void)rows;
	(void)mask;
	return i + 1;
}
MEANING_EACH(no_effect);

MEANING_FUNCTION(fence)
{
	(void)rows;
	(void)mask;
	if (grid_shares_memory(w->grid))
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return i + 1;
}
MEANING_EACH(fence);

PICK_ONE(barrier_sync)
PICK_ONE(barrier_arrive)
PICK_ONE(barrier_warp)
PICK_ONE(barrier_cluster_arrive)
PICK_ONE(barrier_cluster_wait)
PICK_ONE(fence)
PICK_ONE(no_effect)

#define DOC_SYNC   "Waits for the threads of the block."
#define DOC_ARRIVE "Counts as arrived at a barrier, and goes on."
#define DOC_RED    "Waits for the threads of the block, and reduces a predicate over them."
#define DOC_FENCE  "Orders memory accesses."

/* A barrier's number; how many threads take part. */
#define NUMBER  "u32<0,15>"
#define THREADS "u32<0,0xffffffff,32>"

/* How they order memory and who meets. */
#define BLOCK   (ISA_SYNC | WITH(TRAIT_BARRIER | TRAIT_ORDERS))
#define WARP    (ISA_SYNC | WITH(TRAIT_WARP_BARRIER | TRAIT_ORDERS))
#define CLUSTER (ISA_SYNC | WITH(TRAIT_CLUSTER_BARRIER | TRAIT_ORDERS))
#define FENCE   WITH(TRAIT_ORDERS)
#define PROXY   WITH(TRAIT_ORDERS | TRAIT_PROXY_FENCE)
#define MAP     WITH(TRAIT_ORDERS | TRAIT_MAP_FENCE)

#define RESTRICT "(.sync_restrict::shared::cta|.sync_restrict::shared::cluster)"
#define DOC_SAME "The same without .sync_restrict. Beyond the manual."

static const struct isa_row rows_barrier[] = {
	ROW("bar.sync", NUMBER, 10, 10, BLOCK, pick_barrier_sync, DOC_SYNC),
	ROW("bar.sync", NUMBER " " THREADS, 10, 10, BLOCK, pick_barrier_sync, DOC_SYNC),
	ROW("bar.arrive", NUMBER " " THREADS, 20, 20, BLOCK, pick_barrier_arrive, DOC_ARRIVE),
	ROW("bar.red.popc.u32", "=u32 " NUMBER " pred", 20, 20, BLOCK, pick_barrier_red, DOC_RED),
	ROW("bar.red.popc.u32", "=u32 " NUMBER " " THREADS " pred", 20, 20, BLOCK, pick_barrier_red, DOC_RED),
	ROW("bar.red(.and|.or).pred", "=pred " NUMBER " pred", 20, 20, BLOCK, pick_barrier_red, DOC_RED),
	ROW("bar.red(.and|.or).pred", "=pred " NUMBER " " THREADS " pred", 20, 20, BLOCK, pick_barrier_red, DOC_RED),
	ROW("bar.cta.sync", NUMBER " ?" THREADS, 78, 20, BLOCK, pick_barrier_sync, DOC_SYNC),
	ROW("bar.cta.arrive", NUMBER " " THREADS, 78, 20, BLOCK, pick_barrier_arrive, DOC_ARRIVE),
	ROW("bar.cta.red.popc.u32", "=u32 " NUMBER " pred", 78, 20, BLOCK, pick_barrier_red, DOC_RED),
	ROW("bar.cta.red.popc.u32", "=u32 " NUMBER " " THREADS " pred", 78, 20, BLOCK, pick_barrier_red, DOC_RED),
	ROW("bar.cta.red(.and|.or).pred", "=pred " NUMBER " pred", 78, 20, BLOCK, pick_barrier_red, DOC_RED),
	ROW("bar.cta.red(.and|.or).pred", "=pred " NUMBER " " THREADS " pred", 78, 20, BLOCK, pick_barrier_red,
	    DOC_RED),
	ROW("barrier.sync[.aligned]", NUMBER " ?" THREADS, 60, 30, BLOCK, pick_barrier_sync, DOC_SYNC),
	ROW("barrier.arrive[.aligned]", NUMBER " " THREADS, 60, 30, BLOCK, pick_barrier_arrive, DOC_ARRIVE),
	ROW("barrier.red[.aligned].popc.u32", "=u32 " NUMBER " pred", 60, 30, BLOCK, pick_barrier_red, DOC_RED),
	ROW("barrier.red[.aligned].popc.u32", "=u32 " NUMBER " " THREADS " pred", 60, 30, BLOCK, pick_barrier_red,
	    DOC_RED),
	ROW("barrier.red[.aligned](.and|.or).pred", "=pred " NUMBER " pred", 60, 30, BLOCK, pick_barrier_red, DOC_RED),
	ROW("barrier.red[.aligned](.and|.or).pred", "=pred " NUMBER " " THREADS " pred", 60, 30, BLOCK,
	    pick_barrier_red, DOC_RED),
	ROW("barrier.cta.sync[.aligned]", NUMBER " ?" THREADS, 78, 20, BLOCK, pick_barrier_sync, DOC_SYNC),
	ROW("barrier.cta.arrive[.aligned]", NUMBER " " THREADS, 78, 20, BLOCK, pick_barrier_arrive, DOC_ARRIVE),
	ROW("barrier.cta.red[.aligned].popc.u32", "=u32 " NUMBER " pred", 78, 20, BLOCK, pick_barrier_red, DOC_RED),
	ROW("barrier.cta.red[.aligned].popc.u32", "=u32 " NUMBER " " THREADS " pred", 78, 20, BLOCK, pick_barrier_red,
	    DOC_RED),
	ROW("barrier.cta.red[.aligned](.and|.or).pred", "=pred " NUMBER " pred", 78, 20, BLOCK, pick_barrier_red,
	    DOC_RED),
	ROW("barrier.cta.red[.aligned](.and|.or).pred", "=pred " NUMBER " " THREADS " pred", 78, 20, BLOCK,
	    pick_barrier_red, DOC_RED),
	ROW("bar.warp.sync", "u32", 60, 30, WARP, pick_barrier_warp, "Waits for the lanes of a mask."),
	ROW("barrier.cluster.arrive[.aligned]", "", 78, 90, CLUSTER, pick_barrier_cluster_arrive,
	    "Counts as arrived at the cluster's barrier, and goes on."),
	ROW("barrier.cluster.arrive(.release|.relaxed)[.aligned]", "", 80, 90, CLUSTER, pick_barrier_cluster_arrive,
	    "Counts as arrived at the cluster's barrier, and goes on."),
	ROW("barrier.cluster.wait[.aligned]", "", 78, 90, CLUSTER, pick_barrier_cluster_wait,
	    "Waits until every thread of the cluster has arrived."),
	ROW("barrier.cluster.wait.acquire[.aligned]", "", 80, 90, CLUSTER, pick_barrier_cluster_wait,
	    "Waits until every thread of the cluster has arrived."),
	ROW("membar(.cta|.gl)", "", 14, 10, FENCE, pick_fence, DOC_FENCE),
	ROW("membar.sys", "", 20, 20, FENCE, pick_fence, DOC_FENCE),
	ROW("membar.proxy.alias", "", 75, 60, FENCE, pick_fence, DOC_FENCE),
	ROW("fence[.sc|.acq_rel|.acquire|.release](.cta|.gpu|.sys)", "", 60, 70, FENCE, pick_fence, DOC_FENCE),
	ROW("fence[.sc|.acq_rel|.acquire|.release].cluster", "", 78, 90, FENCE, pick_fence, DOC_FENCE),
	ROW("fence.acquire.sync_restrict::shared::cluster.cluster", "", 86, 90, FENCE, pick_fence, DOC_FENCE),
	ROW("fence.release.sync_restrict::shared::cta.cluster", "", 86, 90, FENCE, pick_fence, DOC_FENCE),
	ROW("fence.mbarrier_init.release.cluster", "", 80, 90, FENCE, pick_fence, DOC_FENCE),
	ROW("fence.proxy.alias", "", 75, 70, FENCE, pick_fence, DOC_FENCE),
	ROW("fence.proxy.async[.global|.shared::cta|.shared::cluster]", "", 80, 90, PROXY, pick_fence, DOC_FENCE),
	ROW("fence.proxy.tensormap::generic.release(.cta|.cluster|.gpu|.sys)", "", 83, 90, FENCE, pick_fence,
	    DOC_FENCE),
	ROW("fence.proxy(.alias|.async[.global|.shared::cta|.shared::cluster])" RESTRICT, "", 86, 90, FENCE, pick_fence,
	    DOC_SAME),
	ROW("fence.proxy.tensormap::generic.release" RESTRICT "(.cta|.cluster|.gpu|.sys)", "", 86, 90, FENCE,
	    pick_fence, DOC_SAME),
	ROW("fence.proxy.tensormap::generic.acquire(.cta|.cluster|.gpu|.sys)", "@any #u32<128,128>", 83, 90, MAP,
	    pick_fence, DOC_FENCE),
	ROW("fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster", "", 86, 90, PROXY, pick_fence,
	    DOC_FENCE),
	ROW("fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster", "", 86, 90, PROXY, pick_fence,
	    DOC_FENCE),
	ROW("griddepcontrol(.launch_dependents|.wait)", "", 78, 90, 0, pick_no_effect,
	    "Lets dependent grids start, or waits for those this one depends on; no effect here."),
	ROW("setmaxnreg(.inc|.dec).sync.aligned.u32", "#u32<24,256,8>", 80, 90, ISA_A_TARGET, pick_no_effect,
	    "Changes how many registers a warp may use; no effect here."),
};
FAMILY(family_barrier, "Barriers and fences", CLASS_BARRIER, rows_barrier);
