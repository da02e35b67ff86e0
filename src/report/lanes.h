/* SPDX-License-Identifier: Apache-2.0
 *
 * Which branches leave lanes idle: what the code between a branch and where its lanes meet again lacks of full
 * warps, laid to the innermost branch that can be blamed for it.
 */
#ifndef PTXSIM_REPORT_LANES_H
#define PTXSIM_REPORT_LANES_H

#include "observe/accounting.h"

struct lanes_lost {
	const struct code *code;
	u32 branch; /* body instruction */
	u64 branches, diverged;
	u64 instructions, lanes; /* executed by warps, and active lanes, in the code that it splits */
	u64 lost;                /* lanes */
};

/* One for each branch that diverged, in `arena`. */
const struct lanes_lost *lanes_find(struct arena *arena, const struct account_run *run, const struct program *program,
				    u32 *count);

#endif
