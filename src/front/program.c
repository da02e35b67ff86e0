/* SPDX-License-Identifier: Apache-2.0
 *
 * See program.h.
 */
#include "front/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/types.h"
#include "front/needed.h"

static bool has(const char *bytes, size_t length, const char *text)
{
	return memmem(bytes, length, text, strlen(text)) != NULL;
}

/* CUDA's runtime linked statically: fat binaries in it, but the shared runtime is not asked for.
 * Such a program never asks for libcudart.so, so nothing could be put in its place; the message says how to link it. */
static bool has_static_runtime(const char *bytes, size_t length)
{
	return length > 4 && !memcmp(bytes, "\177ELF", 4) && has(bytes, length, ".nvFatBinSegment") &&
	       !has(bytes, length, "libcudart.so");
}

static bool is_file(const char *path, int access_wanted)
{
	struct stat about;

	return stat(path, &about) == 0 && S_ISREG(about.st_mode) && access(path, access_wanted) == 0;
}

/* Where the program lies: as it is named, or in PATH. */
static bool find_file(const char *name, char path[PROGRAM_PATH])
{
	const char *list = getenv("PATH");

	if (strchr(name, '/')) {
		snprintf(path, PROGRAM_PATH, "%s", name);
		return is_file(path, R_OK);
	}
	for (const char *at = list && *name ? list : ""; *at;) {
		const size_t length = strcspn(at, ":");
		snprintf(path, PROGRAM_PATH, "%.*s/%s", (int)length, at, name);
		if (is_file(path, X_OK))
			return true;
		at += length + (at[length] == ':');
	}
	return false;
}

/* Where the libraries are: beside this program in a build folder, else where they are installed. */
static bool find_libraries(char folder[PROGRAM_PATH])
{
	char self[PROGRAM_PATH], tried[PROGRAM_PATH + 32];
	const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);

	if (length > 0) {
		self[length] = 0;
		char *slash = strrchr(self, '/');
		if (slash)
			*slash = 0;
		static const char *const beside[] = {"/.libs", ""};
		for (size_t k = 0; slash && k < COUNT_OF(beside); k++) {
			snprintf(tried, sizeof tried, "%s%s/libcuda.so.1", self, beside[k]);
			if (access(tried, R_OK) == 0 && strlen(self) + 8 < PROGRAM_PATH) {
				snprintf(folder, PROGRAM_PATH, "%.*s%s", PROGRAM_PATH - 8, self, beside[k]);
				return true;
			}
		}
	}
	snprintf(folder, PROGRAM_PATH, "%s", CUDA_LIBRARIES);
	snprintf(tried, sizeof tried, "%s/libcuda.so.1", folder);
	return access(tried, R_OK) == 0;
}

/* Folders below that of libcuda.so.1 where runtimes are: CUDA 12's is in one of its own, or where it was built. */
static const char *const runtime_folders[] = {"", "/12", "/../src/cuda/twelve/.libs"};

static bool has_runtime(const char *folder, const char *name)
{
	char tried[2 * PROGRAM_PATH];

	for (size_t k = 0; k < COUNT_OF(runtime_folders); k++)
		if (snprintf(tried, sizeof tried, "%s%s/%s", folder, runtime_folders[k], name) < (int)sizeof tried &&
		    access(tried, R_OK) == 0)
			return true;
	return false;
}

/* Whether the runtime that a program asks for is one of ours. */
static bool runtime_fits(const char *name, const char *bytes, size_t length, char message[PROGRAM_MESSAGE])
{
	const char *runtime = needed_library(bytes, length, "libcudart.so.");
	char folder[PROGRAM_PATH];

	/* No libraries at all are told of by program_library_path. */
	if (!runtime || !find_libraries(folder) || has_runtime(folder, runtime))
		return true;
	snprintf(message, PROGRAM_MESSAGE,
		 "%s needs %.80s, which is not among ptxsim's libraries: there are libcudart.so.12 and "
		 "libcudart.so.13, for "
		 "programs built with CUDA 12 and 13",
		 name, runtime);
	return false;
}

static bool can_run(const char *name, const char *bytes, size_t length, char message[PROGRAM_MESSAGE])
{
	if (!has_static_runtime(bytes, length))
		return runtime_fits(name, bytes, length, message);
	snprintf(
		message, PROGRAM_MESSAGE,
		"%s has CUDA's runtime linked statically, which needs NVIDIA's own driver: build it with 'nvcc -cudart "
		"shared' (CMake: CUDA_RUNTIME_LIBRARY Shared)",
		name);
	return false;
}

bool program_find(const char *name, char path[PROGRAM_PATH], char message[PROGRAM_MESSAGE])
{
	size_t length;
	const char *unread;

	if (!find_file(name, path)) {
		if (is_file(name, X_OK))
			snprintf(message, PROGRAM_MESSAGE,
				 "'%s' is not in PATH; for the file in this folder write ./ before its name", name);
		else
			snprintf(message, PROGRAM_MESSAGE, "'%s': there is no such program", name);
		return false;
	}
	/* What cannot be read is left to the system to refuse. */
	char *bytes = file_read_whole(path, (size_t)1 << 31, &length, &unread);
	const bool can = !bytes || can_run(name, bytes, length, message);
	free(bytes);
	return can;
}

bool program_is_executable(const char *path)
{
	enum { TYPE = 16, MACHINE = 18, EXECUTABLE = 2, SHARED = 3, CUDA = 190 };
	u8 head[20] = {0};
	FILE *file = is_file(path, R_OK) ? fopen(path, "rb") : NULL;

	if (!file)
		return false;
	const bool whole = fread(head, sizeof head, 1, file) == 1;
	fclose(file);
	return whole && !memcmp(head, "\177ELF", 4) && (head[TYPE] == EXECUTABLE || head[TYPE] == SHARED) &&
	       head[MACHINE] != CUDA;
}

char *program_library_path(const char *before, char message[PROGRAM_MESSAGE])
{
	char folder[PROGRAM_PATH], *path;

	if (!find_libraries(folder)) {
		snprintf(
			message, PROGRAM_MESSAGE,
			"ptxsim's own libcuda.so.1 is neither beside ptxsim nor in %s, and no program runs without it: "
			"install ptxsim with its libraries ('make install')",
			folder);
		return NULL;
	}
	if (asprintf(&path, "%s%s:%s%s:%s%s%s%s", folder, runtime_folders[0], folder, runtime_folders[1], folder,
		     runtime_folders[2], before && *before ? ":" : "", before ? before : "") >= 0)
		return path;
	snprintf(message, PROGRAM_MESSAGE, "no memory");
	return NULL;
}
