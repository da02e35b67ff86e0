/* SPDX-License-Identifier: Apache-2.0
 *
 * Who comes to which phase of a barrier that counts threads (bar.sync and bar.arrive with a count). A warp that comes to
 * one phase, and could as well have come to the one before, may take another warp's place there: the wrong threads go on.
 * So does one that arrives twice in a phase. A part of the race check, whose clocks know what is ordered.
 */
#ifndef PTXSIM_OBSERVE_RACE_BARRIERS_H
#define PTXSIM_OBSERVE_RACE_BARRIERS_H

#include "observe/check_findings.h"
#include "observe/race_clocks.h"

/* Before the warp's lanes arrive, at time `now`. */
void race_barrier_arrive(struct check_findings *f, struct race_block *b, const struct warp *w, u32 mask,
			 const struct race_arrival *arrival, u32 now);

#endif
