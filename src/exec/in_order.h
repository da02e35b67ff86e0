/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels in whose results the order of blocks shows, on several host threads and with the results of one.
 *
 * The order shows by some accesses only: decode/block_order.h. Of a block they wait until no earlier block has such an
 * access of the same memory ahead, so that each allocation sees them in the order of blocks; all else runs side by side:
 *
 *     block 0   loads, sums | ticket | ..... | looks back, makes its sum known | barrier | stores
 *     block 1       loads, sums | waits | ticket | ..... | waits               | looks back ... | barrier | stores
 *                                        ^ the ticket's memory is behind block 0    ^ and here the sums'
 *
 * Where a block has come to is known at its barriers and at its end. An allocation that is accessed both ways, in order and
 * otherwise, is accessed in order only. Pointers are taken to stay within their allocations, as in C.
 *
 * Atomic operations then need not be the host's: no two threads have access to one allocation at a time (worker.exclusive).
 *
 * No block waits for a later one in this way, so that one always goes on. If the oldest block itself waits for a later one,
 * as at a barrier of the whole grid, the order is given up for the rest of the launch, and when all workers know, nobody waits. Launches whose first block does run
 * on one thread from start to end.
 */
#ifndef PTXSIM_EXEC_IN_ORDER_H
#define PTXSIM_EXEC_IN_ORDER_H

#include "exec/grid.h"

struct in_order;

/* Whether the launch may be long enough to pay for it, at first sight; the grid is about to begin. */
bool in_order_may_pay(const struct grid *grid);
/* Before workers and observers are there: sets grid->in_order; or if too little of the blocks would run side by side, or
 * their pointers meet, leaves the grid one worker. */
void in_order_begin(struct grid *grid, struct arena *arena);
/* When no worker runs any more; NULL is allowed. */
void in_order_end(struct in_order *o);
/* What keeps the order, to be told by the launch as other observers are. */
struct observer *in_order_observer(struct in_order *o);

/* The worker has a new cluster; all before it have been taken. Called with a lower bound before it takes one, too. */
void in_order_take(struct worker *k, u64 cluster);
/* Whether the worker had better take no more clusters: all wait most of the time, for each other's accesses or for processors that
 * other programs have. One is always left. */
bool in_order_gives_way(struct worker *k);
/* What a thread at the instruction of the kernel has ahead that comes in order: pointers, a bit each. */
u16 in_order_ahead(const struct in_order *o, u32 insn);
/* All threads of the worker's only block have come to where they have no more than these ahead. */
void in_order_pass(struct block *b, u16 ahead);
/* The worker takes no more clusters. */
void in_order_leave(struct worker *k);
/* The worker's cluster does not get on: whether it is to try again alone. No longer if it is the oldest. */
bool in_order_holds(struct worker *k);
/* Whether the order is still kept. */
bool in_order_is_kept(const struct in_order *o);

#endif
