/* SPDX-License-Identifier: Apache-2.0
 *
 * All checks of a launch together: the observers that they are, and what they find. Launches that they watch must run
 * on one host thread. Listings of machine code are not looked at.
 */
#ifndef PTXSIM_OBSERVE_CHECKS_H
#define PTXSIM_OBSERVE_CHECKS_H

#include "exec/launch.h"
#include "observe/check_options.h"
#include "observe/footprint.h"
#include "observe/written_kept.h"

struct checks;

enum { CHECKS_OBSERVERS = 9 };

/* Lives as long as the arena; the program must too. */
struct checks *checks_new(struct arena *arena, const struct program *program, const struct check_options *options);
/* Gives what it remembers of a launch back. */
void checks_free(struct checks *c);
/* Before each launch_run that they watch. */
void checks_begin(struct checks *c, const struct launch *l);
/* After that: does any of them watch an instruction of the launch's kernel? If not, none of the observers is needed, and the
 * launch may have as many host threads as without checks; else it must have one. */
bool checks_watch(struct checks *c, const struct launch *l);
/* Writes up to CHECKS_OBSERVERS of them; returns how many. */
u32 checks_observers(struct checks *c, struct observer *to[CHECKS_OBSERVERS]);
/* With them goes the checker of asynchronous operations that tells them. */
const struct async_strict *checks_strict(const struct checks *c);
/* After the launch: what was found, each place or pair of places once, in the order of the text; NULL: no more. Valid
 * until the next checks_begin or checks_free. */
const struct fault *checks_finding(const struct checks *c, u32 k, const struct launch *l);
/* After a launch that ended in a fault: adds what the checks know of it. */
void checks_explain(const struct checks *c, const struct launch *l, struct fault *f);
/* Findings beyond the most that are kept. */
u64 checks_more(const struct checks *c);

/* Before the first checks_begin: what launches before have written of memory that came unwritten is in `kept`. After the last
 * launch: what is known now goes there. */
void checks_take_written(struct checks *c, struct written_kept *kept);
void checks_give_written(const struct checks *c, struct written_kept *kept);

/* After the launch: what it has touched, if that was asked for; the caller's. NULL: it is not known. */
struct footprint *checks_footprint(struct checks *c);

/* For checks_team.h. After checks_begin: may several threads run the launch, each with checks of its own? */
bool checks_may_share(const struct checks *c);
/* After checks_begin: others watch other blocks of the launch. */
void checks_join_team(struct checks *c, struct checks *own, const struct launch *l);
/* After it, if nothing was found: what has been written becomes known to `own`. */
void checks_leave_team(const struct checks *c, struct checks *own);
/* After the launch: is there anything to tell, or that has to be looked at again on one thread? */
bool checks_have_found(const struct checks *c);
/* Have blocks that one watched and blocks that the other watched accessed a word, and written it? */
bool checks_meet(const struct checks *c, const struct checks *other);

/* Between launches: the host has written global memory that came unwritten. */
void checks_host_writes(struct checks *c, const struct memory *m, u64 address, u64 bytes);
/* The host reads it: the first of these bytes that nothing has written; `bytes` if there is none. */
u64 checks_first_unwritten(const struct checks *c, const struct memory *m, u64 address, u64 bytes);

#endif
