/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads that stay between launches: to wake one takes a fraction of what it takes to start one. So does memory, for
 * launches so small that they would notice, and what is known of kernels' speed. Whoever owns the struct uses it from one thread at a
 * time. A process that forks while no work is under way may go on to use it in the child, where its threads do not exist: new ones are
 * started there.
 */
#ifndef PTXSIM_EXEC_HOST_THREADS_H
#define PTXSIM_EXEC_HOST_THREADS_H

#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/types.h"
#include "exec/pace.h"

struct host_threads {
	pthread_mutex_t lock;
	pthread_cond_t all_done;
	struct host_thread *list; /* NULL: none was ever needed, and the rest is not set up */
	u32 count;
	pid_t process;   /* whose threads they are */
	u64 given, done; /* pieces of work */
	bool ending;
	struct paces paces; /* of the kernels that were launched */
	struct worker
		*room; /* a small launch's worker, whose memory the next one uses again (exec/launch.c); NULL: none */
};

/* Has a waiting thread, or a new one, call work(argument). False: none could be started. All zeros are an owner
 * that has no threads yet. */
bool host_threads_do(struct host_threads *t, void (*work)(void *), void *argument);
/* Returns when all work is done. */
void host_threads_wait(struct host_threads *t);
/* Ends all threads, which must be done. The room is freed. The struct may be used again. */
void host_threads_end(struct host_threads *t);

#endif
