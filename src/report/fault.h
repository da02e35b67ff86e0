/* SPDX-License-Identifier: Apache-2.0
 *
 * A fault as a JSON object: docs/report.schema.json describes it.
 */
#ifndef PTXSIM_REPORT_FAULT_H
#define PTXSIM_REPORT_FAULT_H

#include <jansson.h>

#include "exec/fault_report.h"

/* `message`: the fault as text. NULL if memory ran out. */
json_t *report_fault(struct arena *arena, const struct fault_report *f, const char *message);

#endif
