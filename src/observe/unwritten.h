/* SPDX-License-Identifier: Apache-2.0
 *
 * The check of unwritten values: what nothing has written may be read, copied and computed with, and is told of where it
 * matters: in an address, in a branch, in what is stored to memory that is read out, in an atomic operation.
 *
 * As long as nothing undefined has been read only accesses of memory are looked at, and of global memory only what came
 * unwritten. The first undefined value puts every instruction under watch, and ends gangs, for the rest of the launch.
 */
#ifndef PTXSIM_OBSERVE_UNWRITTEN_H
#define PTXSIM_OBSERVE_UNWRITTEN_H

#include "exec/launch.h"
#include "observe/check_findings.h"
#include "observe/check_options.h"
#include "observe/sites.h"
#include "observe/written_kept.h"

struct unwritten;

struct unwritten *unwritten_new(struct arena *arena, const struct check_sites *where, const struct site_list *sites,
				const struct check_options *options);
/* Before a launch, with its findings, whose arena is the launch's. */
void unwritten_begin(struct unwritten *u, struct check_findings *findings, const struct launch *l);
/* Before the first launch: what is known of memory from launches before comes from `kept`, and goes there after the last. */
void unwritten_take(struct unwritten *u, struct written_kept *kept);
void unwritten_give(const struct unwritten *u);
/* For checks_team.h. After unwritten_begin: may several threads run the launch, each with a check of its own? */
bool unwritten_may_share(const struct unwritten *u);
/* After it: others watch other blocks of the launch. What `own` knows of memory is known; whatever would switch to the second
 * speed is given up. */
void unwritten_join_team(struct unwritten *u, struct unwritten *own, const struct launch *l);
/* After the launch: what has been written becomes known to `own`. */
void unwritten_leave_team(const struct unwritten *u, struct unwritten *own);
bool unwritten_gave_up(const struct unwritten *u);
struct observer *unwritten_observer(struct unwritten *u);
/* The host has written global memory that came unwritten. */
void unwritten_host_writes(struct unwritten *u, const struct memory *m, u64 address, u64 bytes);
/* The first of these bytes that nothing has written; `bytes` if there is none. */
u64 unwritten_first(const struct unwritten *u, const struct memory *m, u64 address, u64 bytes);

#endif
