/* SPDX-License-Identifier: Apache-2.0
 *
 * Predicates that are decided before a launch, because its parameters and shape decide them: comparisons of sums of thread and
 * block indices (observe/affine.h), and what logic makes of them.
 */
#ifndef PTXSIM_OBSERVE_DECIDED_H
#define PTXSIM_OBSERVE_DECIDED_H

#include "observe/affine.h"

struct decided {
	bool known, value; /* it holds in all threads whenever it is computed, or in none */
	bool uniform;      /* it is the same in all threads of a block, and each time */
};

/* Whether the guard of an instruction of that function's text holds; of one without a guard it does. */
struct decided decided_guard(struct affine_values *v, const struct code *code, const struct ir_instruction *x);

#endif
