/* SPDX-License-Identifier: Apache-2.0
 *
 * Independent jobs, handed out to ranks as they become free: job by job in order, so that the longest wait at the end
 * is one job's. Rank 0 works, too, on a thread of its own, while the calling one answers the others.
 */
#ifndef PTXSIM_RANKS_HAND_OUT_H
#define PTXSIM_RANKS_HAND_OUT_H

#include "ranks/parcel.h"

struct hand_out {
	u64 count; /* jobs; the same on all ranks */
	/* Does a job and puts what came of it into the message. One at a time on each rank; on rank 0 not on the thread
	 * that called hand_out. */
	void (*work)(void *context, u64 job, struct parcel *result);
	/* On rank 0, after all are done: each job's result in order. */
	void (*take)(void *context, u64 job, struct parcel *result);
	void *context;
};

/* All ranks call it; it returns when all jobs are done. */
void hand_out(const struct transport *t, const struct hand_out *h);

#endif
