/* SPDX-License-Identifier: Apache-2.0
 *
 * What rank 0 asks of the others, as it travels: the program, and launches of it.
 */
#ifndef PTXSIM_RANKS_ORDER_H
#define PTXSIM_RANKS_ORDER_H

#include "ranks/parcel.h"
#include "script/play.h"

enum order { ORDER_END, ORDER_PROGRAM, ORDER_LAUNCH };

/* A launch as it stands in parcels, but for the parameters, which follow. */
struct ordered_launch {
	u64 kernel; /* of the program's */
	u32 grid[3], block[3], cluster[3];
	u32 jobs;
	u32 native; /* enum native_mode */
	u64 clusters;
	u64 dynamic_shared, heap_bytes, local_limit_bytes;
	struct async_choice async;
	struct lock_order lock_order;
	u32 counts; /* accesses are counted, as accounting says */
	struct accounting_options accounting;
	u64 param_bytes;
};

/* The blocks of rank `rank` of `count`: clusters [first, end), neighbours. */
static inline u64 rank_first(u64 clusters, u32 rank, u32 count)
{
	return clusters / count * rank + min_u64(rank, clusters % count);
}

void order_put_program(struct parcel *w, const struct session *s, const char *arch);
/* Adds the texts to the session and builds it. A failure ends the run. */
void order_take_program(struct parcel *w, struct session *s);
void order_put_launch(struct parcel *w, const struct launch *l, u64 clusters, const struct play *p);

/* How a rank's part ended, and what it counted; what it counted of accesses and what it has written follow. */
struct part_result {
	u32 status; /* enum launch_status */
	u32 is_whole;
	struct launch_stats stats;
	u32 fault_kind;
	double seconds;           /* of its blocks alone */
	double processor_seconds; /* of all the rank's threads, meanwhile */
};

#endif
