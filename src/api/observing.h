/* SPDX-License-Identifier: Apache-2.0
 *
 * The observer that turns what exec and observe know of a launch into the events of ptxsim_observe.h, for the one that the
 * program that uses the library has set.
 */
#ifndef PTXSIM_API_OBSERVING_H
#define PTXSIM_API_OBSERVING_H

#include "base/arena.h"
#include "exec/launch.h"
#include "ptxsim_observe.h"

struct observing;

/* A launch as its events name it, and who is told. */
struct told_launch {
	const struct ptxsim_observer *observer;
	const ptxsim_function *kernel;
	u64 number;
};

/* In the arena, for one launch, which is kept on one host thread unless the observer allows more. */
struct observing *observing_new(struct arena *arena, struct launch *l, const struct told_launch *told);
struct observer *observing_observer(struct observing *o);

#endif
