/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts of a launch's first blocks, each apart: a part of the accounting observer (observe/accounting.h). What
 * is kept of a block does not grow with what it runs, and only so many blocks are kept as were asked for.
 */
#ifndef PTXSIM_OBSERVE_BLOCKS_H
#define PTXSIM_OBSERVE_BLOCKS_H

#include "exec/grid.h"
#include "observe/accounting.h"

/* One block's sums. */
struct block_account {
	u32 warps, threads;
	u64 n[ACCOUNT_OPERATIONS][ACCOUNT_FIELD_COUNT];
};

struct blocks;

/* For blocks 0 to count - 1 of each launch; lives as long as the arena. */
struct blocks *blocks_new(struct arena *arena, u64 count);
void blocks_free(struct blocks *b);
void blocks_begin(struct blocks *b);
/* A block starts; its worker runs out of memory as everywhere. */
void blocks_start(struct blocks *b, const struct block *block);
/* Where the block's sums are; NULL: it is not counted apart. */
struct block_account *blocks_find(const struct blocks *b, const struct block *block);
void blocks_add(struct block_account *to, enum account_operation operation, const struct account *from);

/* A copy in `arena` of what block number k did, as a launch of its own: counters of what the launch as a whole did,
 * but for its blocks, warps and threads, are 0. NULL: it did not run, or was not counted apart. */
struct account_run *blocks_run(const struct blocks *b, struct arena *arena, u64 k);

#endif
