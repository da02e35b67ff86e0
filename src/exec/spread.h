/* SPDX-License-Identifier: Apache-2.0
 *
 * Starting and waking helper threads on processors of their own.
 */
#ifndef PTXSIM_EXEC_SPREAD_H
#define PTXSIM_EXEC_SPREAD_H

#include <pthread.h>
#include <stdbool.h>

/* Starts a thread on the number-th allowed processor after the caller's, where the host can do that; the
 * system may move it from there. False: no thread was started. */
bool thread_spread(pthread_t *thread, unsigned number, void *(*run)(void *), void *argument);
/* Signals the condition that the thread, and no other, waits on. It goes on as if it started there. */
void thread_wake_elsewhere(pthread_t thread, unsigned number, pthread_cond_t *wake);

#endif
