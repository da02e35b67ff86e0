/* SPDX-License-Identifier: Apache-2.0
 *
 * What ptxsim_last_error says: the words of the calling thread's last call of the library that failed. Every failing path of
 * the interface passes through call_fails.
 */
#ifndef PTXSIM_API_ERROR_H
#define PTXSIM_API_ERROR_H

#include "ptxsim.h"

/* Keeps "call: words" for the thread, or the status's own text if `words` is NULL; returns the status. The words may be
 * those of ptxsim_last_error itself. */
ptxsim_status call_fails(const char *call, ptxsim_status status, const char *words, ...)
	__attribute__((format(printf, 3, 4)));

/* Of a wrong argument: what it should be. */
#define WRONG_ARGUMENT(words) call_fails(__func__, PTXSIM_ERROR_ARGUMENT, words)

#endif
