/* SPDX-License-Identifier: Apache-2.0
 *
 * Launches whose blocks several processes share. Rank 0 plays the script; the other ranks wait for launches, get the
 * memory that they need, run a range of blocks, and send back what these have written. The result is that of one
 * process, bit for bit; a launch of which that is not certain runs on rank 0 alone, and a message says why.
 */
#ifndef PTXSIM_RANKS_RANKS_H
#define PTXSIM_RANKS_RANKS_H

#include <stdio.h>

#include "ranks/transport.h"
#include "script/play.h"

struct ranks;

struct ranks_options {
	u32 jobs;   /* host threads of each rank; 0: as many as its part of the host has processors */
	bool quiet; /* says nothing of launches that run on one rank */
};

/* NULL: there is no memory. */
struct ranks *ranks_begin(const struct transport *t, const struct ranks_options *options);
/* Rank 0 sends the others home; all call it last. */
void ranks_end(struct ranks *r);

/* Rank 0, once the session is built: tells the others the program; `arch` as it was built for, or NULL. */
void ranks_share(struct ranks *r, const struct session *s, const char *arch);
/* Runs a launch of the play: play_options.run, with the struct ranks as its context. */
enum launch_status ranks_launch(void *ranks, struct play *p, const struct launch *l, struct launch_stats *stats,
				struct fault *fault, char *message, size_t message_size);
/* What the launches cost, one line for each. */
void ranks_report(const struct ranks *r, FILE *to);

/* The other ranks: takes part in launches until rank 0 says that it is over. */
void ranks_serve(struct ranks *r);

/* Host threads of this rank unless said otherwise: the processors that it may use, or its part of those that the ranks
 * of its host share. */
u32 ranks_default_jobs(const struct transport *t);

#endif
