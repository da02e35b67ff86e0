/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether two launches of one kernel were counted alike, down to samples and timelines. For tests that run a
 * kernel in several ways.
 */
#ifndef PTXSIM_TESTS_SAME_COUNTS_H
#define PTXSIM_TESTS_SAME_COUNTS_H

#include "observe/accounting.h"

/* Fails the running test, which `what` names, at the first difference. */
void same_counts(const char *what, const struct accounting *a, const struct account_run *x, const struct accounting *b,
		 const struct account_run *y);

#endif
