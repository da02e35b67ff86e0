/* SPDX-License-Identifier: Apache-2.0
 *
 * Pictures of single executions: who was served by which bank or sector, when.
 */
#ifndef PTXSIM_REPORT_PICTURE_H
#define PTXSIM_REPORT_PICTURE_H

#include <stdio.h>

#include "observe/accounting.h"

/* The costliest execution of each access on a line, lane by lane: address, and which bank and
 * wavefront or which sector serves it. False if no access on that line ran. */
bool report_explain(FILE *to, const struct accounting *a, const struct account_run *run, u32 line);

/* One execution, lane by lane: what it cost, and which bank or sector served each lane. */
void report_access(FILE *to, const struct accounting *a, const struct account_site *site,
		   const struct account_sample *s);

#endif
