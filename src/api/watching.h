/* SPDX-License-Identifier: Apache-2.0
 *
 * The observers of one launch of a context or of the CUDA driver, and what they saw.
 */
#ifndef PTXSIM_API_WATCHING_H
#define PTXSIM_API_WATCHING_H

#include "api/observing.h"
#include "exec/fault_report.h"
#include "observe/accounting.h"
#include "observe/checks.h"
#include "observe/checks_team.h"

/* All zeros: nothing is watched. It may not be moved once it is used. */
struct watching {
	struct ptxsim_watching wanted;
	struct arena arena;
	jmp_buf out_of_memory; /* to be set by whoever uses the arena */
	bool used;             /* the arena is */
	struct accounting *accounting;
	struct checks *checks;
	struct checks_team *team;    /* of these, by host threads; NULL: others watch the launch, too */
	struct observing *observing; /* for the context's public observer; or NULL */
	struct observer *extra;      /* of the caller, or NULL */
	bool footprints;             /* what the launch touches is wanted */
	struct footprint *footprint; /* of it, whoever takes it; or NULL */
	struct written_kept *kept;   /* of memory that came unwritten, from launch to launch; or NULL */
	struct observer *observers[4 + CHECKS_OBSERVERS];
	struct account_run *run; /* NULL: not counted */
	const char **findings;   /* NULL-terminated, in the arena; or NULL */
	/* What went wrong, by its parts: the fault that ended the launch, if any, then the findings. In the arena. */
	struct fault_report *faults;
	const char **fault_texts;
	u32 fault_count;
};

/* Whether anything is counted or looked for. */
bool watching_is_wanted(const struct ptxsim_watching *wanted);
/* Before launch_run: adds the observers to the launch; `told`, if not NULL, says who is told of events and of what launch.
 * False: no memory. */
bool watching_begin(struct watching *w, struct launch *l, const struct told_launch *told);
/* In place of launch_run: on several threads. False: it has not run, and has to by launch_run. */
bool watching_run(struct watching *w, const struct launch *l, struct launch_stats *stats);
/* After it: reads them off. `ended`: the fault that ended it, or NULL; *found: the first finding of the checks, or NULL.
 * False: no memory; nothing is known then. */
bool watching_end(struct watching *w, const struct launch *l, const struct launch_stats *stats,
		  const struct fault *ended, const struct fault **found);
/* The program is about to go: keeps what does not need it, which are counters and findings. */
void watching_forget_program(struct watching *w);
void watching_free(struct watching *w);

#endif
