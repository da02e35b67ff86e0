/* SPDX-License-Identifier: Apache-2.0
 *
 * How many lanes, and how many different keys, fall into each of up to 32 slots: what the cost of an access without a
 * pattern comes down to. In the widest vectors that the host has; the answer is the same in all.
 */
#ifndef PTXSIM_MEMORY_SLOTS_H
#define PTXSIM_MEMORY_SLOTS_H

#include "base/types.h"

enum { SLOTS = 32 };

struct slots {
	u8 lanes[SLOTS]; /* of the mask */
	u8 keys[SLOTS];  /* those without an earlier lane that has their key */
};

/* Key k (below 1 << 30) lies in slot k modulo `count`, a power of two up to SLOTS. */
typedef void slots_fn(struct slots *s, u32 mask, const u32 key[WARP_LANES], u32 count);

/* variant: "avx512", "avx2", "baseline"; NULL if it does not run here. */
slots_fn *slots_variant(const char *variant);
/* By the widest that runs here. */
slots_fn slots_fill;

#endif
