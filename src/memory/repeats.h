/* SPDX-License-Identifier: Apache-2.0
 *
 * Which lanes hold what an earlier lane holds: what the cost of an access without a pattern comes down to. In the
 * widest vectors that the host has; the answer is the same in all.
 */
#ifndef PTXSIM_MEMORY_REPEATS_H
#define PTXSIM_MEMORY_REPEATS_H

#include "base/types.h"

/* Bit l: some lane below l has the key of lane l. Keys are below 1 << 31. */
typedef u32 repeats_fn(const u32 key[WARP_LANES]);

/* variant: "avx512", "avx2", "baseline"; NULL if it does not run here. */
repeats_fn *repeats_variant(const char *variant);
/* By the widest that runs here. */
repeats_fn repeats_find;

#endif
