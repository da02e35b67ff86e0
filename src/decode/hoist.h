/* SPDX-License-Identifier: Apache-2.0
 *
 * Hoisting: which instructions of a kernel give the same lanes the same result in every block of a
 * launch, because all that they use are parameters, constants and the thread's place in its block. Gangs
 * (exec/gang.h) compute those once for a launch. Single warps run them as they stand, to the same
 * result, so that a gang may part anywhere.
 *
 * Such an instruction is lane-wise or loads a parameter or from a constant variable whose address the function does not take,
 * has no guard, writes one register that nothing else writes, and every path to a use of that register leads through it. A register that is only a name
 * for a constant or a special register shares that one's row.
 */
#ifndef PTXSIM_DECODE_HOIST_H
#define PTXSIM_DECODE_HOIST_H

#include "decode/match.h"
#include "decode/rows.h"

struct hoist {
	bool *once; /* by body instruction: a gang does not run it in its place */
	bool any;
	bool *kept; /* by register slot: its row is not shared with other registers, so that it lasts, and single
		     * warps find what they compute from as well */
	const struct use **same; /* by register slot: the constant or special register that it is, or NULL */
};

/* param_bytes: of the kernel's parameters. */
struct hoist *hoist_find(struct arena *arena, const struct ir_function *f, const struct matched *matched,
			 const struct liveness *live, u64 param_bytes);

#endif
