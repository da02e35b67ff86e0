/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory that ends while others may still use it: the shared memory of a block of a cluster, which ends with its last
 * thread. What other blocks do to it must come before that: by a barrier of the cluster, or by what a thread of the block
 * waits for before it exits. A part of the race check, whose clocks know what is ordered.
 */
#ifndef PTXSIM_OBSERVE_RACE_ENDS_H
#define PTXSIM_OBSERVE_RACE_ENDS_H

#include "observe/check_findings.h"
#include "observe/race_clocks.h"

/* A lane of another block of the cluster accesses shared memory of `owner`. */
void race_remote_access(struct arena *arena, struct race_block *owner, const struct race_warp *accessor,
			const struct race_mark *mark, u64 address, u32 size, bool writes);
/* The lanes come to the cluster's barrier, or wait for it; relaxed or not. */
void race_count_cluster(struct race_block *b, const struct warp *w, u32 mask, bool waits);
/* All threads of the block have exited. */
void race_block_ends(struct race_clocks *c, struct check_findings *f, struct race_block *b);

#endif
