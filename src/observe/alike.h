/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether the lanes of whole warps stand at given distances from their first lanes: what counting asks of
 * nearly every access. In the widest vectors that the host has; the answer is the same in all.
 */
#ifndef PTXSIM_OBSERVE_ALIKE_H
#define PTXSIM_OBSERVE_ALIKE_H

#include <stdbool.h>

#include "base/types.h"

/* Rows of 32 lanes, `stride` bytes apart, all aligned to 64 bytes as distance[] is: how many of them, from the
 * first on and at most `count`, have lane l at distance[l] from lane 0. */
typedef u32 alike_fn(const u8 *rows, size_t stride, u32 count, const void *distance);

struct alike {
	alike_fn *wide, *narrow; /* lanes of 64 and of 32 bits */
};

/* variant: "avx512", "avx2", "baseline", or NULL for the widest that runs here. False: it does not. */
bool alike_choose(const char *variant, struct alike *alike);

#endif
