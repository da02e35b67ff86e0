/* SPDX-License-Identifier: Apache-2.0
 *
 * Why one execution of a memory instruction cost more than the ideal, worked out from its lane
 * addresses, and what would help. A change is proposed only where the rules, asked again about
 * the changed addresses, say that it costs less.
 */
#ifndef PTXSIM_REPORT_ADVICE_H
#define PTXSIM_REPORT_ADVICE_H

#include "observe/accounting.h"

struct advice {
	char cause[200];
	char remedy[200]; /* empty: none was found */
	u32 cost_then;    /* what the remedy would bring the cost to */
};

/* For the sample of a site in a run. */
void advice_find(const struct accounting *a, const struct account_site *site, const struct account_sample *sample,
		 struct advice *advice);

#endif
