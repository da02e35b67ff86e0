/* SPDX-License-Identifier: Apache-2.0
 *
 * Parts of JSON objects that reports and faults have in common. Each is a new reference; NULL if memory ran out.
 */
#ifndef PTXSIM_REPORT_JSON_PARTS_H
#define PTXSIM_REPORT_JSON_PARTS_H

#include <jansson.h>

#include "base/arena.h"

/* A string of any bytes: those that are not UTF-8 become U+FFFD. */
json_t *report_string(struct arena *arena, const char *text, size_t length);
/* [x, y, z] */
json_t *report_dimensions(const u32 d[3]);

#endif
