/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts of a launch that ends early, or stands still. Instructions are counted where straight runs end, so what lanes
 * executed of the run that they are within is missing: it is found here, and added when a fault stops the launch.
 */
#ifndef PTXSIM_EXEC_CUT_H
#define PTXSIM_EXEC_CUT_H

#include "exec/grid.h"

/* Told of a straight run that lanes `mask` of the warp are within: body instructions first to end - 1 of `code` have been
 * executed and are not counted yet. */
typedef void open_run_fn(void *context, struct warp *w, const struct code *code, u32 first, u32 end, u32 mask);
/* Tells of the runs of all lanes of the block that wait for their turn. */
void block_open_runs(const struct block *b, open_run_fn *tell, void *context);

/* Lanes `mask` of the warp have executed the run up to before decoded instruction `insn` of `code`. */
void warp_cut(struct warp *w, const struct code *code, u32 insn, u32 mask);
/* Counts the runs of block_open_runs. */
void block_cut(struct block *b);

#endif
