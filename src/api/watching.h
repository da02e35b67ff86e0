/* SPDX-License-Identifier: Apache-2.0
 *
 * The observers of a context's launches, and what they saw of the last one.
 */
#ifndef PTXSIM_API_WATCHING_H
#define PTXSIM_API_WATCHING_H

#include "exec/fault_report.h"
#include "observe/accounting.h"
#include "observe/checks.h"
#include "ptxsim_observe.h"

/* All zeros: nothing is watched. */
struct watching {
	struct ptxsim_watching wanted;
	struct arena arena; /* of the last launch */
	jmp_buf out_of_memory;
	bool used; /* the arena is */
	struct accounting *accounting;
	struct checks *checks;
	struct observer *extra; /* of the caller, or NULL */
	struct observer *observers[3 + CHECKS_OBSERVERS];
	struct account_run *run; /* NULL: not counted */
	char *report;            /* from malloc */
	const char **findings;   /* NULL-terminated, in the arena; or NULL */
	/* What went wrong, by its parts: the fault that ended the launch, if any, then the findings. In the arena. */
	struct fault_report *faults;
	const char **fault_texts;
	u32 fault_count;
};

/* Before launch_run: adds the observers to the launch. False: no memory. */
bool watching_begin(struct watching *w, struct launch *l);
/* After it: reads them off. `ended`: the fault that ended it, or NULL; *found: the first finding of the checks, or NULL.
 * False: no memory; nothing is known then. */
bool watching_end(struct watching *w, const struct launch *l, const struct launch_stats *stats,
		  const struct fault *ended, const struct fault **found);
void watching_free(struct watching *w);

#endif
