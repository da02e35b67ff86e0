/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether a warp that goes around a loop gets anywhere.
 */
#ifndef PTXSIM_EXEC_WARP_STATE_H
#define PTXSIM_EXEC_WARP_STATE_H

#include "exec/warp.h"

/* Hash of the registers and program counters of all splits, in whatever order they are to run. Equal hashes at the ends of two
 * slices mean that the warp is spinning: it is back in the same state. */
u64 warp_hash(const struct warp *w);

#endif
