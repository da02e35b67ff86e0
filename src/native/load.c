/* SPDX-License-Identifier: Apache-2.0
 *
 * The plug-in is looked for where it is installed, and beside the program, for one that runs in its build folder. The
 * environment variable PTXSIM_NATIVE_PLUGIN names another file.
 */
#include "config.h"

#include "native/load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef HAVE_DLOPEN
#include <dlfcn.h>
#endif

#define PLUGIN "libptxsim-native.so"

#ifdef HAVE_DLOPEN
static void *open_file(const char *path) { return access(path, R_OK) ? NULL : dlopen(path, RTLD_NOW | RTLD_LOCAL); }

static void *open_beside(void)
{
	char path[4096 + sizeof "/.libs/" PLUGIN];
	const ssize_t length = readlink("/proc/self/exe", path, 4096);

	if (length <= 0)
		return NULL;
	path[length] = 0;
	char *name = strrchr(path, '/');
	if (!name)
		return NULL;
	/* libtool runs programs from .libs. */
	if (name - path >= 6 && !strncmp(name - 6, "/.libs", 6))
		name -= 6;
	strcpy(name, "/.libs/" PLUGIN);
	return open_file(path);
}

const struct native_plugin *native_load(char *message, size_t size)
{
	const char *named = getenv("PTXSIM_NATIVE_PLUGIN");
	void *library = named ? open_file(named) : open_file(PLUGIN_FOLDER "/" PLUGIN);

	if (!library && !named)
		library = open_beside();
	if (!library) {
		const char *why = dlerror();
		snprintf(message, size, "%s", why ? why : PLUGIN " is not installed");
		return NULL;
	}
	const struct native_plugin *(*get)(void);
	*(void **)&get = dlsym(library, "ptxsim_native_plugin");
	const struct native_plugin *plugin = get ? get() : NULL;
	if (!plugin || plugin->version != NATIVE_VERSION) {
		snprintf(message, size, PLUGIN " is of another version");
		return NULL;
	}
	return plugin;
}
#else
const struct native_plugin *native_load(char *message, size_t size)
{
	snprintf(message, size, "this system loads no plug-ins");
	return NULL;
}
#endif
