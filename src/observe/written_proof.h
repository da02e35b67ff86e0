/* SPDX-License-Identifier: Apache-2.0
 *
 * Which accesses of a launch read only shared memory that their block has written, found before it runs:
 *
 *      st.shared [s + 4 * tid], x      all threads of the block come here before the barrier, and
 *      bar.sync 0                      all of them behind it: what they have stored together is a set of bytes
 *      ld.shared y, [s + 4 * n]        that holds whatever is read here
 *
 * or only what the thread itself has stored. Branches that the launch decides (observe/decided.h) count as jumps, or as none.
 * Whatever the text does not tell counts as not written. A part of the check of unwritten values, which leaves these accesses
 * alone.
 */
#ifndef PTXSIM_OBSERVE_WRITTEN_PROOF_H
#define PTXSIM_OBSERVE_WRITTEN_PROOF_H

#include "exec/launch.h"
#include "observe/sites.h"

struct written_proof;

/* NULL: of this kernel nothing can be said. Lives as long as the arena. */
struct written_proof *written_proof_new(struct arena *arena, const struct program *program, const struct kernel *k,
					const struct site_list *sites);
/* For a launch: which instructions of the text read only what is written. Valid until the next call. *all: all that read
 * shared memory do, so that it need not be known what is written. */
const bool *written_proof_find(struct written_proof *p, const struct launch *l, bool *all);

#endif
