/* SPDX-License-Identifier: Apache-2.0
 *
 * The race check: an observer that finds where two threads access a word of shared or global memory, at least one
 * of them writing, and nothing orders the two; and where a thread reads shared memory that no thread of the block
 * has written. Launches that it watches must run on one host thread.
 *
 * Threads are ordered by barriers of the block and the cluster, by .sync instructions within a warp, by mbarriers, and
 * by strong accesses (atomic, volatile, .relaxed and stronger) from one that writes a word to one that later reads it.
 * Where that is not exact it errs towards order, so what is told is a race of the run at hand; another run of
 * the same program may show more. Listings are not looked at.
 */
#ifndef PTXSIM_OBSERVE_RACES_H
#define PTXSIM_OBSERVE_RACES_H

#include "exec/launch.h"
#include "observe/async_check.h"
#include "observe/check_findings.h"
#include "observe/check_options.h"
#include "observe/footprint.h"
#include "observe/sites.h"

struct races;

/* Lives as long as the arena; the program must too. */
struct races *races_new(struct arena *arena, const struct check_sites *where, const struct site_list *sites,
			const struct check_options *options);
/* These are told of asynchronous operations, too, of which observers hear nothing. */
void races_tell_footprints(struct races *r, struct footprints *f);
/* Before each launch_run that the observer watches; `arena` is for what it remembers of the launch. */
void races_begin(struct races *r, struct check_findings *others, const struct launch *l);
struct observer *races_observer(struct races *r);
/* The checker of asynchronous operations for those launches. */
const struct async_strict *races_strict(const struct races *r);
/* After the launch: what was found, each pair of instructions once, in the order in which they met; NULL: no more.
 * Valid until the launch's arena is freed. */
struct fault *races_finding(const struct races *r, u32 k, const struct launch *l);
u32 races_count(const struct races *r);
/* Of blocks that nothing orders: those that one watched and those that the other watched have accessed a word of global
 * memory, and one of them has written it. */
bool races_meet(const struct races *r, const struct races *other);
/* After a launch that ended in a deadlock: adds to the fault who wrote last what is spun on, if that was watched. */
void races_explain(const struct races *r, const struct launch *l, struct fault *f);
/* Does a race take place at the site? */
bool races_have(const struct races *r, u32 site);
/* Pairs beyond the most that are kept were met so often. */
u64 races_more(const struct races *r);

#endif
