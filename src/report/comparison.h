/* SPDX-License-Identifier: Apache-2.0
 *
 * Two JSON reports beside each other: two runs of a kernel before and after a change, or one run on
 * two architectures.
 */
#ifndef PTXSIM_REPORT_COMPARISON_H
#define PTXSIM_REPORT_COMPARISON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* A report from a text of `name`, to be released by json_decref; NULL after telling on `to` what is wrong with it. */
json_t *report_read(const char *name, const char *text, size_t length, FILE *to);
/* A report from a file, to be released by json_decref; NULL after telling on standard error what is
 * wrong with it. */
json_t *report_load(const char *path);

/* As text: for each pair of launches the counters that differ, then the accesses whose excess does. */
void report_comparison(FILE *to, const char *const names[2], json_t *const reports[2]);

#endif
