/* SPDX-License-Identifier: Apache-2.0
 *
 * Starting helper threads on processors of their own.
 */
#ifndef PTXSIM_EXEC_SPREAD_H
#define PTXSIM_EXEC_SPREAD_H

#include <pthread.h>
#include <stdbool.h>

/* Starts a thread on the number-th allowed processor after the caller's, where the host can do that; the
 * system may move it from there. False: no thread was started. */
bool thread_spread(pthread_t *thread, unsigned number, void *(*run)(void *), void *argument);

#endif
