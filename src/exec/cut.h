/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts of a launch that ends early. Instructions are counted where straight runs end, so what lanes executed of
 * the run that they are in is missing when a fault stops the launch: it is added here.
 */
#ifndef PTXSIM_EXEC_CUT_H
#define PTXSIM_EXEC_CUT_H

#include "exec/grid.h"

/* Lanes `mask` of the warp have executed the run up to before decoded instruction `insn` of `code`. */
void warp_cut(struct warp *w, const struct code *code, u32 insn, u32 mask);
/* The same for all lanes of the block that wait for their turn. */
void block_cut(struct block *b);

#endif
