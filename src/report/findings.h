/* SPDX-License-Identifier: Apache-2.0
 *
 * What a launch spends that it need not, whatever it is, the worst first: lanes that divergence or the block's shape
 * leave idle, memory accesses that cost more than their ideal, local memory. All reports tell these findings.
 *
 * They are ordered by an estimate of issue slots: 1 for a warp instruction (of one with idle lanes, their share),
 * 4 for a wavefront of shared memory, 2 for a sector of global memory, 1 for one of local or a replay of constant
 * memory. It ranks; it is no time.
 */
#ifndef PTXSIM_REPORT_FINDINGS_H
#define PTXSIM_REPORT_FINDINGS_H

#include "observe/counters.h"

enum finding_kind {
	FINDING_DIVERGENCE,
	FINDING_BLOCK_SHAPE,
	FINDING_SHARED,
	FINDING_GLOBAL,
	FINDING_LOCAL,
	FINDING_CONSTANT
};

struct finding {
	enum finding_kind kind;
	u64 slots;      /* estimated; the order */
	bool has_place; /* else it is the launch's */
	struct place_of place;
	const char *text;                /* what, in one line, without the place */
	const char *cause, *remedy;      /* or "" */
	const struct account_site *site; /* of memory accesses, else NULL */
};

/* In `arena`, as are the texts. */
const struct finding *findings_find(struct arena *arena, const struct accounting *a, const struct account_run *run,
				    u32 *count);
/* "divergence", "block_shape", "shared", ...: stable, part of the JSON report. */
const char *finding_kind_name(enum finding_kind kind);
/* The counter that shows by line what the finding is about. */
const char *finding_counter(enum finding_kind kind);

#endif
