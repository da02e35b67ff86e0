/* SPDX-License-Identifier: Apache-2.0
 *
 * The report as JSON, for other programs; docs/report.schema.json describes it.
 */
#ifndef PTXSIM_REPORT_JSON_H
#define PTXSIM_REPORT_JSON_H

#include <jansson.h>
#include <stdio.h>

#include "observe/counters.h"

/* The launches as one object, to be released by json_decref; NULL if memory ran out. */
json_t *report_object(struct arena *arena, const struct accounting *a, const struct account_run *const *runs,
		      size_t count);

/* One execution of a memory instruction, and how an architecture (NULL: the launch's own) serves its lanes. */
json_t *report_execution(const struct accounting *a, const struct arch *arch, const struct account_site *site,
			 const struct account_sample *sample);

/* Prints it; false if memory ran out or the text could not be written. */
bool report_json(FILE *to, struct arena *arena, const struct accounting *a, const struct account_run *const *runs,
		 size_t count);

#endif
