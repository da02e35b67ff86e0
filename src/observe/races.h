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

struct race_options {
	bool races;
	bool unwritten; /* reads of shared memory that nothing has written */
	bool leaks;     /* of a script: what it allocates and never frees */
};

/* Reads some of "races", "unwritten" and "leaks" with commas between; false if the text is none of these. */
bool race_options_read(const char *text, struct race_options *options);

struct races;

/* Lives as long as the arena; the program must too. */
struct races *races_new(struct arena *arena, const struct program *program, const struct race_options *options);
/* Gives what it remembers of a launch back. */
void races_free(struct races *r);
/* Before each launch_run that the observer watches. */
void races_begin(struct races *r);
struct observer *races_observer(struct races *r);
/* After the launch: what was found, each pair of instructions once, in the order in which they met; NULL: no more.
 * Valid until the next races_begin or races_free. */
const struct fault *races_finding(const struct races *r, u32 k, const struct launch *l);

#endif
