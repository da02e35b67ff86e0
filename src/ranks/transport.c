/* SPDX-License-Identifier: Apache-2.0
 *
 * Finding the plug-in: beside this program in a build folder, else where it is installed.
 */
#include "ranks/transport.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* MPI libraries load parts of their own, which look for the library's names among the global ones. */
static void *open_plugin(const char *folder, const char *below)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof path, "%s%s/libptxsim-mpi.so", folder, below) >= (int)sizeof path)
		return NULL;
	return access(path, R_OK) ? NULL : dlopen(path, RTLD_NOW | RTLD_GLOBAL);
}

static void *find_plugin(void)
{
	char self[PATH_MAX];
	const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
	void *plugin = NULL;

	if (length > 0) {
		self[length] = 0;
		char *slash = strrchr(self, '/');
		if (slash)
			*slash = 0;
		plugin = open_plugin(self, "/.libs");
		if (!plugin)
			plugin = open_plugin(self, "");
	}
	return plugin ? plugin : open_plugin(PLUGINS, "");
}

const struct transport *transport_begin(char **why)
{
	void *plugin = find_plugin();
	transport_begin_fn *begin;

	if (!plugin) {
		const char *error = dlerror();
		if (asprintf(why, "the plug-in libptxsim-mpi.so is not there or cannot be loaded%s%s",
			     error ? ": " : "", error ? error : "") < 0)
			*why = NULL;
		return NULL;
	}
	*(void **)&begin = dlsym(plugin, TRANSPORT_BEGIN);
	const struct transport *t = begin ? begin() : NULL;
	*why = t ? NULL : strdup("MPI does not start");
	return t;
}
