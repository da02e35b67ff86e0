/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks JSON against a schema: as much of JSON Schema 2020-12 as docs/report.schema.json uses.
 */
#ifndef PTXSIM_TESTS_JSON_SCHEMA_H
#define PTXSIM_TESTS_JSON_SCHEMA_H

#include <jansson.h>
#include <stdbool.h>

/* False with a path and a reason in `why` if the value does not follow schema->$defs and schema itself. A keyword that
 * is not known is a reason, too. */
bool json_follows(const json_t *schema, const json_t *value, char *why, size_t size);

#endif
