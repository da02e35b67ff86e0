/* SPDX-License-Identifier: Apache-2.0
 *
 * How many lanes, and how many different keys, fall into each of up to 32 slots: what the cost of an access without a
 * pattern comes down to. In the widest vectors that the host has; the answer is the same in all.
 */
#ifndef PTXSIM_MEMORY_SLOTS_H
#define PTXSIM_MEMORY_SLOTS_H

#include <stdbool.h>

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

/* The same of many rows of 32 lanes, of which only the greatest numbers and the sums are wanted, modulo SLOTS. Row r's key in
 * lane l is (base[r][l] + addend) % range / 4. */
enum { SLOTS_ROWS = 32 };
struct slots_rows {
	const u32 (*base)[WARP_LANES]; /* SLOTS_ROWS, aligned to 64 bytes */
	const u32 *mask;               /* likewise; those from `count` on do not matter */
	u32 count, addend;
	u32 range;                /* a power of two, at most 1 << 31 */
	bool most_keys, sum_keys; /* which are counted: keys, or lanes */
	u8 most[SLOTS_ROWS];      /* in a slot, by row */
	u32 sum[SLOTS];           /* over all rows, by slot */
};

/* Fills in most and sum. */
typedef void slots_rows_fn(struct slots_rows *rows);
slots_rows_fn *slots_rows_variant(const char *variant);
slots_rows_fn slots_count_rows;

#endif
