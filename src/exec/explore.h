/* SPDX-License-Identifier: Apache-2.0
 *
 * Schedules other than the usual one, to find what only some of them show. Any of them is one that the hardware could
 * take; a seed always gives the same.
 *
 * At random: warps of a block take turns in any order, each for some accesses to memory and barriers, and blocks start
 * before others have ended. By priority (Burckhardt and others, ASPLOS 2010): every warp has a priority, the first that
 * can run does, and at three points the running one falls behind all others; that finds what needs few changes at
 * the right places.
 *
 * Such launches run on one host thread, without gangs.
 */
#ifndef PTXSIM_EXEC_EXPLORE_H
#define PTXSIM_EXEC_EXPLORE_H

#include "base/types.h"

struct arena;
struct block;
struct grid;
struct warp;
struct worker;

enum schedule_mode { SCHEDULE_USUAL, SCHEDULE_RANDOM, SCHEDULE_PRIORITY };
struct schedule_choice {
	enum schedule_mode mode;
	u64 seed;
};

/* Of a worker: where it is in its schedule. All zero: not begun. */
enum { SCHEDULE_CHANGES = 3 };
struct schedule_state {
	u64 random; /* the generator's state */
	u64 steps;  /* accesses and barriers so far */
	u64 changes[SCHEDULE_CHANGES];
};

/* "usual", "random", "random:SEED", "priority", "priority:SEED"; false: none of them. */
bool schedule_choice_read(const char *text, struct schedule_choice *choice);

/* Patches the launch's own copy of the code, after observers have. */
void explore_watch(struct grid *grid, struct arena *arena);
/* A block's warps take turns: how many places on in their order the warp number `turn` of this pass stands. */
u32 explore_turn(struct block *b, u32 turn);
/* A warp's turn begins. */
void explore_begin(struct warp *w);
/* May a cluster be taken up beside those that run? Where in the list of `count` running ones does it go? */
u32 explore_place(struct worker *k, u32 count);

#endif
