/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether native code can be made here, for tests of it.
 */
#ifndef PTXSIM_TESTS_UNIT_NATIVE_THERE_H
#define PTXSIM_TESTS_UNIT_NATIVE_THERE_H

#include <check.h>
#include <dlfcn.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "api/session.h"

#ifdef __SANITIZE_ADDRESS__
/* The search for leaks itself crashes where it looks into the thread-local memory of LLVM's library. */
const char *__lsan_default_options(void);
const char *__lsan_default_options(void) { return "use_tls=0"; }
#endif

/* A plug-in that was made and cannot be loaded is a failure: else all tests of native code would pass without any. */
static void check_plugin(void)
{
	const char *named = getenv("PTXSIM_NATIVE_PLUGIN");
	void *plugin = named && !access(named, F_OK) ? dlopen(named, RTLD_NOW | RTLD_LOCAL) : NULL;

	if (named && !access(named, F_OK) && !plugin)
		ck_abort_msg("%s", dlerror());
	if (plugin)
		dlclose(plugin);
}

/* If not, says why. From here on what is freed is overwritten, so that who reads it, in the plug-in and LLVM too, fails. */
static bool native_is_there(void)
{
#ifdef M_PERTURB
	mallopt(M_PERTURB, 0x55);
#endif
	char why[256];
	struct native *n = native_open();
	const bool there = n && native_available(n, why, sizeof why);

	if (!there) {
		check_plugin();
		fprintf(stderr, "no native code is tested: %s\n", why);
	}
	native_close(n);
	return there;
}

#endif
