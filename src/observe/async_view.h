/* SPDX-License-Identifier: Apache-2.0
 *
 * What the strict checker knows of a resident block's asynchronous work, for front ends that draw it between two
 * instructions. There is nothing to see in launches that are not ASYNC_STRICT.
 */
#ifndef PTXSIM_OBSERVE_ASYNC_VIEW_H
#define PTXSIM_OBSERVE_ASYNC_VIEW_H

#include "exec/async.h"

/* An mbarrier of the block in its present phase. Warps are bits. */
struct async_barrier_view {
	u32 address;           /* in shared memory */
	u32 expected, pending; /* arrivals */
	s32 bytes;             /* that are still to come */
	u32 phases;            /* completed */
	u32 came;              /* warps of the block that have arrived */
	u32 waiting;           /* warps of the block whose last wait found the phase incomplete */
	bool others;           /* warps of other blocks of the cluster have arrived */
};
/* At most `room` of them, by address; returns how many there are. */
u32 async_barriers_of(const struct block *b, struct async_barrier_view *to, u32 room);

/* An operation that a warp of the block began and has not waited for; one that an mbarrier counts, until any warp has
 * waited for that. Its bytes may not be touched, wherever they
 * stand by now. */
struct async_copy_view {
	enum async_kind kind;
	u32 warp, lanes;  /* lanes that have not waited for its effects */
	u32 reading;      /* lanes that may not change its sources yet */
	u32 committed;    /* lanes that have closed its group */
	u64 global_bytes; /* that it touches of global memory */
	const struct code *code;
	u32 insn;     /* decoded */
	bool counted; /* an mbarrier of this cluster tells its end: */
	u32 mbarrier; /* its address in the shared memory of its block */
};
/* At most `room` of them, the newest first; returns how many there are. */
u32 async_copies_of(const struct block *b, struct async_copy_view *to, u32 room);

#endif
