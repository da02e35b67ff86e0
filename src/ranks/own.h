/* SPDX-License-Identifier: Apache-2.0
 *
 * What the two sides of src/ranks share: struct ranks.
 */
#ifndef PTXSIM_RANKS_OWN_H
#define PTXSIM_RANKS_OWN_H

#include <time.h>

#include "ranks/pages.h"
#include "ranks/ranks.h"

/* What a launch cost. */
struct ranks_record {
	const char *kernel;
	const char *why; /* it ran on one rank; or NULL */
	u64 clusters, sent_bytes, received_bytes;
	double share_seconds, own_seconds, slowest_seconds, wait_seconds, merge_seconds, seconds;
	double processor_seconds; /* while its blocks ran, of the rank that took most: on a busy machine, what counts */
};

struct ranks {
	const struct transport *transport;
	struct ranks_options options;
	struct arena arena; /* of rank 0 */
	struct touched *touched;
	struct shared_pages pages;
	VEC_OF(struct ranks_record) records;
	struct session *session; /* whose program the others know */
};

/* Processor time of this process so far. */
static inline double rank_processor_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline u32 rank_jobs(const struct transport *t, u32 asked) { return asked ? asked : ranks_default_jobs(t); }

#endif
