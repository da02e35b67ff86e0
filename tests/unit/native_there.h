/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether native code can be made here, for tests of it.
 */
#ifndef PTXSIM_TESTS_UNIT_NATIVE_THERE_H
#define PTXSIM_TESTS_UNIT_NATIVE_THERE_H

#include <stdio.h>

#include "api/session.h"

#ifdef __SANITIZE_ADDRESS__
/* The search for leaks itself crashes where it looks into the thread-local memory of LLVM's library. */
const char *__lsan_default_options(void);
const char *__lsan_default_options(void) { return "use_tls=0"; }
#endif

/* If not, says why. */
static bool native_is_there(void)
{
	char why[256];
	struct native *n = native_open();
	const bool there = n && native_available(n, why, sizeof why);

	if (!there)
		fprintf(stderr, "no native code is tested: %s\n", why);
	native_close(n);
	return there;
}

#endif
