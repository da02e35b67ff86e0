/* SPDX-License-Identifier: Apache-2.0
 *
 * What a launch cost, as text: first what is wrong and why, then tables, of its memory accesses above all.
 */
#ifndef PTXSIM_REPORT_MEMORY_H
#define PTXSIM_REPORT_MEMORY_H

#include <stdio.h>

#include "observe/counters.h"

/* Scratch memory comes from the arena. */
void report_memory(FILE *to, struct arena *arena, const struct accounting *a, const struct account_run *run);

/* The counters that match one of the comma-separated names or patterns, a line each: the kernel,
 * the counter's own name, the value. False with
 * *bad set to the first that matches none (its length in *bad_length). */
bool report_metrics(FILE *to, const struct account_run *run, const char *names, const char **bad, size_t *bad_length);

#endif
