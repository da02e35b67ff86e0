/* SPDX-License-Identifier: Apache-2.0
 *
 * run --explore=N: the launches under N schedules, each from the beginning, and what differs from the usual one.
 */
#ifndef PTXSIM_CLI_EXPLORE_H
#define PTXSIM_CLI_EXPLORE_H

#include "script/play.h"

/* Plays what is ready to be played, N + 1 times, and prints what it finds; the exit code. */
int explore_schedules(struct play *p, u32 count);

#endif
