/* SPDX-License-Identifier: Apache-2.0
 *
 * The report as comma-separated values, for spreadsheets and scripts: one row for each counter of
 * each launch, instruction, PTX line and source line; counters that are 0 are left out but for the
 * launch. Fields are quoted as RFC 4180 has it.
 */
#ifndef PTXSIM_REPORT_CSV_H
#define PTXSIM_REPORT_CSV_H

#include <stdio.h>

#include "observe/counters.h"

/* The line of names. */
void report_csv_head(FILE *to);
/* The rows of one launch, under a number. False if memory ran out. */
bool report_csv_launch(FILE *to, struct arena *arena, const struct accounting *a, const struct account_run *run,
		       u64 launch);
/* All of it, launches numbered from 1. False if memory ran out. */
bool report_csv(FILE *to, struct arena *arena, const struct accounting *a, const struct account_run *const *runs,
		size_t count);

#endif
