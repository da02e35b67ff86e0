/* SPDX-License-Identifier: Apache-2.0
 *
 * What `check` found, for other programs: JSON of our own, or SARIF 2.1.0 (OASIS), which code hosts and editors show.
 */
#ifndef PTXSIM_REPORT_CHECK_FORMATS_H
#define PTXSIM_REPORT_CHECK_FORMATS_H

#include <jansson.h>
#include <stdio.h>

#include "base/diag.h"

enum check_format { CHECK_TEXT, CHECK_JSON, CHECK_SARIF };

/* Adds diagnostics to the list, as objects of the format. */
void check_add(json_t *list, enum check_format format, const struct diags *d);
/* Adds a file that cannot be read. */
void check_add_unreadable(json_t *list, enum check_format format, const char *path, const char *why);
/* Prints the whole; takes the list. False if memory ran out. */
bool check_print(FILE *to, enum check_format format, json_t *list);

#endif
