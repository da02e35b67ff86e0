/* SPDX-License-Identifier: Apache-2.0
 *
 * What a launch did, in a few lines of text. Used at the end of every run.
 */
#ifndef PTXSIM_REPORT_SUMMARY_H
#define PTXSIM_REPORT_SUMMARY_H

#include <stdio.h>

#include "exec/launch.h"

/* "vecadd<<<33, 256>>>: 8,448 threads ..." and the counts below it. */
void report_launch(FILE *to, const char *kernel, const u32 grid[3], const u32 block[3],
		   const struct launch_stats *stats);
/* A count with commas: 1,234,567. Returns `text`. */
char *report_count(u64 n, char *text, size_t size);

#endif
