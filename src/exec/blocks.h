/* SPDX-License-Identifier: Apache-2.0
 *
 * Which blocks a worker runs, and what happens where one begins and ends.
 */
#ifndef PTXSIM_EXEC_BLOCKS_H
#define PTXSIM_EXEC_BLOCKS_H

#include "exec/internal.h"

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

#endif
