/* SPDX-License-Identifier: Apache-2.0
 *
 * The progress bar of long launches, drawn on standard error. It observes blocks only, so that no instruction pays
 * for it.
 */
#ifndef PTXSIM_REPORT_PROGRESS_H
#define PTXSIM_REPORT_PROGRESS_H

#include <pthread.h>

#include "exec/launch.h"

struct progress {
	struct observer observer;
	pthread_mutex_t lock;
	const char *kernel;
	u64 blocks, done;
	double started, drawn;
	bool visible;
};

/* Is standard error a terminal, where a bar can be drawn? */
bool progress_is_seen(void);
void progress_init(struct progress *p);
/* Before a launch: under which name, and how many blocks it has. The name must outlive it. */
void progress_start(struct progress *p, const char *kernel, u64 blocks);
/* After it: takes the bar away. */
void progress_end(struct progress *p);

#endif
