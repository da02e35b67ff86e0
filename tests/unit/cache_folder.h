/* SPDX-License-Identifier: Apache-2.0
 *
 * A cache folder of native code that a test has for itself, from cache_begin to cache_end.
 */
#ifndef PTXSIM_TESTS_UNIT_CACHE_FOLDER_H
#define PTXSIM_TESTS_UNIT_CACHE_FOLDER_H

#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char cache_folder[64];

static void cache_begin(void)
{
	strcpy(cache_folder, "/tmp/ptxsim-cache-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(cache_folder));
	setenv("PTXSIM_CACHE", cache_folder, 1);
	unsetenv("PTXSIM_NATIVE_DUMP");
}

static void cache_end(void)
{
	DIR *d = opendir(cache_folder);
	const struct dirent *e;
	char path[400];

	while (d && (e = readdir(d)))
		if (*e->d_name != '.') {
			snprintf(path, sizeof path, "%s/%s", cache_folder, e->d_name);
			unlink(path);
		}
	if (d)
		closedir(d);
	rmdir(cache_folder);
}

#endif
