/* SPDX-License-Identifier: Apache-2.0
 *
 * What a launch cost, as text: first what is wrong and why, then tables, of its memory accesses above all.
 */
#ifndef PTXSIM_REPORT_MEMORY_H
#define PTXSIM_REPORT_MEMORY_H

#include <stdio.h>

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

/* "shared", "global", "local", "constant". */
const char *memory_space_name(enum ir_space space);

/* Scratch memory comes from the arena. */
void report_memory(FILE *to, struct arena *arena, const struct accounting *a, const struct account_run *run);

/* The counters that match one of the comma-separated names or patterns, a line each: the kernel,
 * the counter's own name, the value. False with
 * *bad set to the first that matches none (its length in *bad_length). */
bool report_metrics(FILE *to, const struct account_run *run, const char *names, const char **bad, size_t *bad_length);

#endif
