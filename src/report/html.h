/* SPDX-License-Identifier: Apache-2.0
 *
 * The report as one HTML file that needs nothing else: the JSON report, the source files and the
 * page that shows them.
 */
#ifndef PTXSIM_REPORT_HTML_H
#define PTXSIM_REPORT_HTML_H

#include "report/json.h"

/* title: what was run. False if memory ran out or the text could not be written. */
bool report_html(FILE *to, struct arena *arena, const struct accounting *a, const char *title,
		 const struct account_run *const *runs, size_t count);

/* The texts of the files that the launches' report names, for report_html_object. NULL if memory ran out. */
json_t *report_sources(struct arena *arena, const struct accounting *a, const struct account_run *const *runs,
		       size_t count);
/* The page of a report that was put together before; takes both objects. */
bool report_html_object(FILE *to, const char *title, json_t *report, json_t *sources);

/* Two JSON reports beside each other, under these names. */
bool report_html_comparison(FILE *to, const char *const names[2], json_t *const reports[2]);

#endif
