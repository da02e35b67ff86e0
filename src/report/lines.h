/* SPDX-License-Identifier: Apache-2.0
 *
 * What the lines of the source cost that a kernel was compiled from, as the .loc lines tell.
 */
#ifndef PTXSIM_REPORT_LINES_H
#define PTXSIM_REPORT_LINES_H

#include <stdio.h>

#include "observe/lines.h"

/* A table of the lines that cost most beyond what they must; nothing where the PTX has no .loc. */
void report_source_lines(FILE *to, struct arena *arena, const struct accounting *a, const struct account_run *run);

/* The PTX text of each function that ran, with counts beside each line. */
void report_annotate(FILE *to, struct arena *arena, const struct accounting *a, const struct account_run *run);

/* The source files with counts beside each line; of files that are not found, the lines alone. */
void report_annotate_source(FILE *to, struct arena *arena, const struct accounting *a, const struct account_run *run);

/* The text of a source file that .file lines call `path`, or NULL: origin_find. The arena's. */
const char *report_find_source(struct arena *arena, const struct accounting *a, const char *path);

#endif
