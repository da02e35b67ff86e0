/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether two launches of one kernel have come to the same end.
 */
#ifndef PTXSIM_TESTS_UNIT_SAME_OUTCOME_H
#define PTXSIM_TESTS_UNIT_SAME_OUTCOME_H

#include <check.h>

#include "exec/launch.h"

struct launch_end {
	enum launch_status status;
	struct launch_stats stats;
	struct fault fault;
};

static inline void same_stats(const struct launch_stats *a, const struct launch_stats *b)
{
	ck_assert_uint_eq(a->blocks, b->blocks);
	ck_assert_uint_eq(a->warps, b->warps);
	ck_assert_uint_eq(a->warp_instructions, b->warp_instructions);
	ck_assert_uint_eq(a->thread_instructions, b->thread_instructions);
	ck_assert_uint_eq(a->branches, b->branches);
	ck_assert_uint_eq(a->divergent_branches, b->divergent_branches);
}

/* Of a launch that has failed the fault counts, not how far others have come. what: of which launch, for messages. */
static inline void same_end(const struct launch_end *a, const struct launch_end *b, const char *what)
{
	ck_assert_msg(a->status == b->status, "%s: another end", what);
	if (a->status == LAUNCH_OK) {
		same_stats(&a->stats, &b->stats);
		return;
	}
	ck_assert_int_eq(a->fault.kind, b->fault.kind);
	ck_assert_uint_eq(a->fault.block, b->fault.block);
	ck_assert_uint_eq(a->fault.warp, b->fault.warp);
	ck_assert_uint_eq(a->fault.lanes, b->fault.lanes);
	ck_assert_uint_eq(a->fault.address, b->fault.address);
}

#endif
