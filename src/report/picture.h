/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory accesses beside the source: every line of the functions that ran with what its accesses
 * cost, and one execution of a line lane by lane.
 */
#ifndef PTXSIM_REPORT_PICTURE_H
#define PTXSIM_REPORT_PICTURE_H

#include <stdio.h>

#include "observe/accounting.h"

/* The PTX text of each function with an access that ran: executions, cost and excess by line. */
void report_annotate(FILE *to, const struct accounting *a, const struct account_run *run);

/* The costliest execution of each access on a line, lane by lane: address, and which bank and
 * wavefront or which sector serves it. False if no access on that line ran. */
bool report_explain(FILE *to, const struct accounting *a, const struct account_run *run, u32 line);

#endif
