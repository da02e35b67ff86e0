/* SPDX-License-Identifier: Apache-2.0
 *
 * Row allocation: which register of the text lives in which row of the frame. Registers that are
 * never live together share a row, so that a warp's working set stays small.
 */
#ifndef PTXSIM_DECODE_ROWS_H
#define PTXSIM_DECODE_ROWS_H

#include "decode/flow.h"
#include "decode/match.h"

struct liveness;

struct row_plan {
	struct row_place *places; /* by register slot; bits 0: the register is never used */
	u32 predicate_bytes;      /* predicate 0 is the carry flag */
	u64 used_bytes;           /* predicates, then rows; constants follow */
	u32 live_words; /* of 32 bits, in registers that are live together, at most; without liveness: in all */
	struct row_place *undefined; /* rows of registers that are live at the function's entry */
	u32 undefined_count;
};

enum { CARRY_FLAG_OFFSET = 0 };

/* Which registers are live where. NULL: too many to find out. */
struct liveness *liveness_find(struct arena *arena, const struct ir_function *f, const struct flow *flow,
			       const struct matched *matched);
bool liveness_at_entry(const struct liveness *live, u32 slot);

/* `live` NULL: every register has a row of its own. `kept` (or NULL): those that have one anyway, and
 * `same` (or NULL): those that need none; both by slot. */
struct row_plan *rows_plan(struct arena *arena, const struct ir_function *f, const struct flow *flow,
			   const struct matched *matched, const struct liveness *live, const bool *kept,
			   const struct use *const *same);

#endif
