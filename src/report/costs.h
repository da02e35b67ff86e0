/* SPDX-License-Identifier: Apache-2.0
 *
 * What accesses cost in each state space, over a launch, and the least that it could have been.
 */
#ifndef PTXSIM_REPORT_COSTS_H
#define PTXSIM_REPORT_COSTS_H

#include "observe/counters.h"

/* What an instruction cost in one space, over the launch. */
struct memory_cost {
	enum ir_space space;
	const char *unit; /* "wavefront", "sector", "request" */
	u64 executed, cost, ideal;
};

enum { MEMORY_SPACES = 4 };

/* Fills up to MEMORY_SPACES costs; returns how many spaces the instruction reached. */
u32 memory_costs(const struct account *account, struct memory_cost costs[MEMORY_SPACES]);
/* The cost beyond the ideal. */
u64 memory_excess(const struct memory_cost *c);

/* "shared", "global", "local", "constant". */
const char *memory_space_name(enum ir_space space);

#endif
