/* SPDX-License-Identifier: Apache-2.0
 *
 * Time that only goes forwards.
 */
#ifndef PTXSIM_BASE_CLOCK_H
#define PTXSIM_BASE_CLOCK_H

#include <time.h>

/* Seconds since a moment that stays the same for the host. */
static inline double seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
