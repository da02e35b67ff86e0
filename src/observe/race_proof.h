/* SPDX-License-Identifier: Apache-2.0
 *
 * Which accesses of a launch cannot race, found before it runs: those of memory that nothing writes, of places that are
 * each one thread's alone, of shared memory that is written only between other barriers, and atomic operations on what
 * only they touch. A part of the race check, which leaves them alone.
 *
 * A pair of instructions is looked at once, with the threads that could meet there (observe/affine.h). Whatever the text
 * does not tell counts as if it could race. An access that runs out of the allocation that it was computed from into
 * another one is not thought of: that is a fault of its own.
 */
#ifndef PTXSIM_OBSERVE_RACE_PROOF_H
#define PTXSIM_OBSERVE_RACE_PROOF_H

#include "exec/launch.h"
#include "observe/sites.h"

struct race_proof;

/* What an access is, besides what the site says. */
struct race_proof_role {
	bool strong;       /* with a scope */
	bool reaches_grid; /* its scope is .gpu or wider */
	bool read_only;    /* nothing may write there, not even the thread itself */
	bool separates;    /* no access: a barrier of all threads of the block */
	bool orders;       /* a fence, or an access that acquires or releases */
};

/* For a kernel in PTX that calls no function of the program; NULL: for this one nothing can be said. `roles` are by
 * instruction of the text and outlive the result, which lives as long as the arena. */
struct race_proof *race_proof_new(struct arena *arena, const struct program *program, const struct kernel *k,
				  const struct site_list *sites, const struct race_proof_role *roles);
/* For a launch: which instructions of the text cannot race. Valid until the next call. *any: some can. */
const bool *race_proof_find(struct race_proof *p, const struct launch *l, bool *any);

#endif
