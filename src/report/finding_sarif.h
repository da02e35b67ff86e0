/* SPDX-License-Identifier: Apache-2.0
 *
 * What stopped launches and what checks found in them, as SARIF 2.1.0 (OASIS), which code hosts and editors show.
 */
#ifndef PTXSIM_REPORT_FINDING_SARIF_H
#define PTXSIM_REPORT_FINDING_SARIF_H

#include <jansson.h>
#include <stdio.h>

#include "exec/fault_report.h"

/* One result: `message` is the fault as text, `times` how often it was found in all. NULL if memory ran out. */
json_t *sarif_finding(const struct fault_report *r, const char *message, u64 times);
/* What the host, not a kernel, has done to memory, or left undone; file: where the text says so, or NULL. */
json_t *sarif_host(const char *file, u32 line, const char *message);
/* Prints an array of results, which it takes; false if it cannot be printed. */
bool sarif_print(FILE *to, json_t *results);

#endif
