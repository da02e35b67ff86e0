/* SPDX-License-Identifier: Apache-2.0
 *
 * What may differ from the recorded memory counters, and why: for metrics-run and for the tests
 * of the rules.
 */
#ifndef PTXSIM_TESTS_KNOWN_H
#define PTXSIM_TESTS_KNOWN_H

#include <stddef.h>

/* Shell patterns. */
struct known {
	const char *pattern, *metric, *reason;
};

extern const struct known known_differences[];
extern const size_t known_count;

/* The first that covers them; NULL: they must be equal. */
const struct known *known_find(const char *pattern, const char *metric);
/* The same for machine code. */
const struct known *known_of_machine_code(const char *pattern, const char *metric);

#endif
