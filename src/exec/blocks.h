/* SPDX-License-Identifier: Apache-2.0
 *
 * Which blocks a worker runs, and what happens where one begins and ends.
 */
#ifndef PTXSIM_EXEC_BLOCKS_H
#define PTXSIM_EXEC_BLOCKS_H

#include "exec/internal.h"

/* The least remaining work, in nanoseconds, for which another worker pays: starting it takes half as long. A build that
 * looks for races starts workers for any launch. */
#ifndef HELPERS_PAY_NS
#define HELPERS_PAY_NS 200000
#endif

enum { WORKER_TURN = 1 << 20 }; /* warp instructions of a time slice */

/* Of each warp of a block that follows. */
static inline s64 block_budget(const struct block *b) { return WORKER_TURN / b->warp_count; }

/* Takes the next cluster that nobody has begun, and makes its blocks ready; NULL: there is none. */
struct cluster *cluster_admit(struct worker *k);
/* All blocks of the cluster have ended. Its objects are kept for the next one. */
void cluster_end(struct worker *k, struct cluster *c);
/* Adds what the block's warps have executed since it began. */
void block_count(struct worker *k, const struct block *b);
/* The cluster's blocks have ended. If it is alone, and its only block was one gang from start to end, the next blocks may follow
 * in its place, each as such a gang. True: one of them has been begun, and is to go on in turns. False: all that have begun have
 * ended, and the last is still to be counted. */
bool blocks_follow(struct worker *k, struct cluster *c);
/* The gang's block, of which it is all, has ended. True: another one that follows has begun in its place, to be run from g->insns on. */
bool block_goes_on(struct gang *g);

/* --- Blocks that pass: nothing but %ctaid tells them from each other, and no scheduler, observer or limit looks at them in between. Native
 * code that is all of a kernel runs them one after the other. They are counted together. */

struct passing {
	struct gang *g;
	u32 x;                /* the row of %ctaid.x; NO_OPERAND: nobody reads it */
	u64 blocks;           /* that have ended, and are yet to be counted, */
	u64 issued, branches; /* by each of their warps */
	bool thin;            /* the block's %ctaid stands in the first lane of its first warp alone */
};

/* Whether blocks may pass behind the gang's, of which it is all. */
bool passing_begin(struct passing *p, struct gang *g);
/* The block has ended, whose warps have each issued so many instructions, all lanes of them. True: the next one has begun in its place, and
 * its rows are thin. False: none has begun. */
bool passing_next(struct passing *p, u64 issued, u64 branches);
/* Counts what has passed, and has all warps have their rows. */
void passing_settle(struct passing *p);

#endif
