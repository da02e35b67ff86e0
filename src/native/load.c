/* SPDX-License-Identifier: Apache-2.0
 *
 * The plug-in is looked for where it is installed, and beside the program or the library, for those that run in their build
 * folder. The environment variable PTXSIM_NATIVE_PLUGIN names another file.
 */
#include "config.h"

#include "native/load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef HAVE_DLOPEN
#include <dlfcn.h>
#endif

#include "native/plugin.h"
#include "native/processor.h"

#define PLUGIN "libptxsim-native.so"

bool file_identity(const char *path, u64 words[FILE_IDENTITY_WORDS])
{
	struct stat about;

	if (stat(path, &about))
		return false;
	/* What has been changed or replaced has another time of change, which cannot be set. */
	const u64 all[FILE_IDENTITY_WORDS] = {about.st_dev,
					      about.st_ino,
					      (u64)about.st_size,
					      (u64)about.st_mtim.tv_sec << 32 ^ (u64)about.st_mtim.tv_nsec,
					      (u64)about.st_ctim.tv_sec,
					      (u64)about.st_ctim.tv_nsec};
	memcpy(words, all, sizeof all);
	return true;
}

#ifdef HAVE_DLOPEN
enum { PATH_BYTES = 4096 + sizeof "/.libs/" PLUGIN };

/* LLVM is to find the plug-in's own __cxa_atexit first: see llvm/outlive.c. Sanitizers allow none of this. */
static int binding(void)
{
#ifdef RTLD_DEEPBIND
	if (!dlsym(RTLD_DEFAULT, "__asan_init") && !dlsym(RTLD_DEFAULT, "__tsan_init"))
		return RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND;
#endif
	return RTLD_NOW | RTLD_LOCAL;
}

/* Where the program is that runs. */
static bool find_beside(char path[PATH_BYTES])
{
	const ssize_t length = readlink("/proc/self/exe", path, 4096);

	if (length <= 0)
		return false;
	path[length] = 0;
	char *name = strrchr(path, '/');
	if (!name)
		return false;
	/* libtool runs programs from .libs. */
	if (name - path >= 6 && !strncmp(name - 6, "/.libs", 6))
		name -= 6;
	strcpy(name, "/.libs/" PLUGIN);
	return !access(path, R_OK);
}

/* Beside the library that this code is part of, as in a build folder: under `ptxsim exec` the program is another. */
static bool find_beside_library(char path[PATH_BYTES])
{
	static const char here;
	Dl_info about;

	if (!dladdr(&here, &about) || !about.dli_fname)
		return false;
	const char *end = strrchr(about.dli_fname, '/');
	const size_t folder = end ? (size_t)(end - about.dli_fname) : 0;
	if (!end || folder + sizeof "/" PLUGIN > PATH_BYTES)
		return false;
	memcpy(path, about.dli_fname, folder);
	strcpy(path + folder, "/" PLUGIN);
	return !access(path, R_OK);
}

/* The file's path, in `path` or elsewhere; NULL: there is none, and why is in the message. */
static const char *find_file(char path[PATH_BYTES], char *message, size_t size)
{
	const char *named = getenv("PTXSIM_NATIVE_PLUGIN");

	if (named && !access(named, R_OK))
		return named;
	if (named) {
		snprintf(message, size, "PTXSIM_NATIVE_PLUGIN names %s: %s", named, strerror(errno));
		return NULL;
	}
	if (!access(PLUGIN_FOLDER "/" PLUGIN, R_OK))
		return PLUGIN_FOLDER "/" PLUGIN;
	if (find_beside(path) || find_beside_library(path))
		return path;
	snprintf(message, size, PLUGIN " is not installed");
	return NULL;
}

bool plugin_identity(u64 words[FILE_IDENTITY_WORDS])
{
	char path[PATH_BYTES];
	const char *file = find_file(path, NULL, 0);

	return file && file_identity(file, words);
}

const struct native_plugin *native_load(char *message, size_t size)
{
	char path[PATH_BYTES];
	const char *file = find_file(path, message, size);
	void *library = file ? dlopen(file, binding()) : NULL;

	if (!library) {
		const char *why = file ? dlerror() : NULL;
		if (why)
			snprintf(message, size, "%s", why);
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

static bool is_there(char *message, size_t size)
{
	char path[PATH_BYTES];

	return find_file(path, message, size);
}
#else
static bool is_there(char *message, size_t size)
{
	snprintf(message, size, "this system loads no plug-ins");
	return false;
}

const struct native_plugin *native_load(char *message, size_t size)
{
	snprintf(message, size, "this system loads no plug-ins");
	return NULL;
}

bool plugin_identity(u64 words[FILE_IDENTITY_WORDS])
{
	(void)words;
	return false;
}
#endif

static bool is_for_processor(char *message, size_t size)
{
	const bool is = processor_vector_bytes() != 0;

	if (!is)
		snprintf(message, size, "this processor has neither AVX-512 nor AVX2");
	return is;
}

bool native_is_possible(char *message, size_t size)
{
	return is_for_processor(message, size) && is_there(message, size);
}

struct native_compiler *native_load_compiler(const struct native_plugin **plugin, char *message, size_t size)
{
	*plugin = is_for_processor(message, size) ? native_load(message, size) : NULL;
	return *plugin ? (*plugin)->open(processor_vector_bytes(), message, size) : NULL;
}
