/* SPDX-License-Identifier: Apache-2.0
 *
 * The checks of a launch on several host threads, each of which has checks of its own for the blocks that it runs.
 *
 *      thread 0   blocks 0 to 255  ... checks 0 --.
 *      thread 1   blocks 256 to 511 .. checks 1 --+-- nothing found, no word that two threads' blocks race for: done
 *                                                 '-- else: memory as it was, and again on one thread
 *
 * Only kernels in whose results the order of blocks cannot show run on several threads (decode/block_order.h), so nothing
 * orders blocks of two threads: what they do to one word races if one of them writes, in whatever order they did it. What
 * the threads find is no finding yet. The launch is run again on one thread, and what that finds counts: so findings are
 * the same for any number of threads. Launches without findings, which are the ones that take long, gain.
 */
#ifndef PTXSIM_OBSERVE_CHECKS_TEAM_H
#define PTXSIM_OBSERVE_CHECKS_TEAM_H

#include "exec/launch.h"
#include "observe/check_options.h"
#include "observe/checks.h"

enum { CHECKS_TEAM_MOST = 16 }; /* host threads */

struct checks_team;

/* Lives as long as the arena; the program must too. `jobs`: host threads, 0: as many as the host has cores. */
struct checks_team *checks_team_new(struct arena *arena, const struct program *program,
				    const struct check_options *options, u32 jobs);
/* Gives what it remembers of a launch back. */
void checks_team_free(struct checks_team *t);
/* Runs a launch that `own` has begun to watch. False: it has to run on one thread, with the observers of `own`, and memory is
 * as it was. True: it has run, nothing was found, and `stats` are set. */
bool checks_team_run(struct checks_team *t, struct checks *own, const struct launch *l, struct launch_stats *stats);

#endif
