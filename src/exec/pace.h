/* SPDX-License-Identifier: Apache-2.0
 *
 * What a kernel's clusters took when it was launched last. A launch of few long blocks would else have run one of them by the time it
 * knows that more host threads pay.
 */
#ifndef PTXSIM_EXEC_PACE_H
#define PTXSIM_EXEC_PACE_H

#include "base/types.h"

struct kernel;

/* All zeros: no kernel is known. Two kernels may want one place, of which the later has it. */
struct paces {
	struct pace {
		const struct kernel *kernel; /* compared, never looked at: it may be gone */
		double nanoseconds;          /* of a cluster, by one host thread */
	} of[8];
};

void pace_note(struct paces *p, const struct kernel *kernel, double nanoseconds);
/* In nanoseconds for a cluster; 0: not known. */
double pace_expected(const struct paces *p, const struct kernel *kernel);

#endif
