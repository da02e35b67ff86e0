/* SPDX-License-Identifier: Apache-2.0
 *
 * Processors for host threads: how many there are, and starting and waking helpers on ones of their own.
 */
#ifndef PTXSIM_EXEC_SPREAD_H
#define PTXSIM_EXEC_SPREAD_H

#include <pthread.h>
#include <stdbool.h>

/* That the caller may use: those of the machine, unless it is bound to some of them (taskset, a container's share). At least 1. */
unsigned processors_allowed(void);

/* Starts a thread on the number-th allowed processor after the caller's, where the host can do that; the
 * system may move it from there. False: no thread was started. */
bool thread_spread(pthread_t *thread, unsigned number, void *(*run)(void *), void *argument);
/* Signals the condition that the thread, and no other, waits on. It goes on as if it started there. */
void thread_wake_elsewhere(pthread_t thread, unsigned number, pthread_cond_t *wake);

#endif
