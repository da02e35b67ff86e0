/* SPDX-License-Identifier: Apache-2.0
 *
 * The report as JSON, for other programs; docs/report.schema.json describes it.
 */
#ifndef PTXSIM_REPORT_JSON_H
#define PTXSIM_REPORT_JSON_H

#include <stdio.h>

#include "observe/counters.h"

/* Prints the launches as one object; false if memory ran out or the text could not be written. */
bool report_json(FILE *to, const struct accounting *a, const struct account_run *const *runs, size_t count);

#endif
