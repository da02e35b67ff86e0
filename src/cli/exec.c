/* SPDX-License-Identifier: Apache-2.0
 *
 * `ptxsim exec PROGRAM ARGUMENTS...`: runs a CUDA program with libcuda.so.1 and libcudart.so of this project in front of
 * NVIDIA's, and prints afterwards what its kernels did wrong. The program's exit status is passed on.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/cli.h"

static const char usage_text[] =
	"Usage: ptxsim exec [OPTION...] PROGRAM [ARGUMENT...]\n"
	"Runs a CUDA program with the simulator as its GPU.\n\n"
	"  --devices LIST   what GPUs the program finds: h200 (at first), a100, rtx4090, t4,\n"
	"                   sm_86 and the like, or several: h200,h200\n"
	"  --trace FILE     write each call of the driver interface, with arguments and result\n"
	"  --no-execute     kernels do nothing\n"
	"  -h, --help       this text\n\n"
	"The program must be linked with 'nvcc -cudart shared', or use the driver interface. The\n"
	"exit status is the program's own; 2: it could not be started.\n";

static int wrong(const char *format, const char *what)
{
	fprintf(stderr, "ptxsim exec: ");
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	fprintf(stderr, format, what);
#pragma GCC diagnostic pop
	fputc('\n', stderr);
	return CLI_WRONG;
}

/* --- Before it starts -------------------------------------------------------------------------------- */

static bool has(const char *bytes, size_t length, const char *text)
{
	return memmem(bytes, length, text, strlen(text)) != NULL;
}

/* CUDA's runtime linked statically: fat binaries in it, but the shared runtime is not asked for. */
static bool has_static_runtime(const char *path)
{
	size_t length;
	const char *message;
	char *bytes = file_read_whole(path, (size_t)1 << 31, &length, &message);

	if (!bytes)
		return false;
	const bool is = length > 4 && !memcmp(bytes, "\177ELF", 4) && has(bytes, length, ".nvFatBinSegment") &&
			!has(bytes, length, "libcudart.so");
	free(bytes);
	return is;
}

/* Where the program lies: as it is named, or in PATH. */
static bool find_program(const char *name, char path[PATH_MAX])
{
	const char *list = getenv("PATH");

	if (strchr(name, '/')) {
		snprintf(path, PATH_MAX, "%s", name);
		return access(path, R_OK) == 0;
	}
	for (const char *at = list ? list : ""; *at;) {
		const size_t length = strcspn(at, ":");
		snprintf(path, PATH_MAX, "%.*s/%s", (int)length, at, name);
		if (access(path, X_OK) == 0)
			return true;
		at += length + (at[length] == ':');
	}
	return false;
}

/* Where the libraries are: beside this program in a build folder, else where they are installed. */
static bool find_libraries(char folder[PATH_MAX])
{
	char self[PATH_MAX], tried[PATH_MAX + 32];
	const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);

	if (length > 0) {
		self[length] = 0;
		char *slash = strrchr(self, '/');
		if (slash)
			*slash = 0;
		static const char *const beside[] = {"/.libs", ""};
		for (size_t k = 0; slash && k < COUNT_OF(beside); k++) {
			snprintf(tried, sizeof tried, "%s%s/libcuda.so.1", self, beside[k]);
			if (access(tried, R_OK) == 0 && strlen(self) + 8 < PATH_MAX) {
				snprintf(folder, PATH_MAX, "%.*s%s", PATH_MAX - 8, self, beside[k]);
				return true;
			}
		}
	}
	snprintf(folder, PATH_MAX, "%s", CUDA_LIBRARIES);
	snprintf(tried, sizeof tried, "%s/libcuda.so.1", folder);
	return access(tried, R_OK) == 0;
}

static bool put_in_front(const char *folder)
{
	const char *before = getenv("LD_LIBRARY_PATH");
	char *path = NULL;

	/* The runtime of CUDA 12 is in a folder below, or where it was built. */
	if (asprintf(&path, "%s:%s/12:%s/../src/cuda/twelve/.libs%s%s", folder, folder, folder,
		     before && *before ? ":" : "", before ? before : "") < 0)
		return false;
	const bool ok = setenv("LD_LIBRARY_PATH", path, 1) == 0;
	free(path);
	return ok;
}

/* --- The run ------------------------------------------------------------------------------------------- */

static void print_findings(const char *path)
{
	size_t length;
	const char *message;
	char *text = file_read_whole(path, (size_t)1 << 26, &length, &message);

	if (text && length)
		fwrite(text, 1, length, stderr);
	free(text);
}

static int run(const char *path, char **words)
{
	char findings[] = "/tmp/ptxsim-exec-XXXXXX";
	const int file = mkstemp(findings);
	int status;

	if (file >= 0) {
		close(file);
		setenv("PTXSIM_FINDINGS", findings, 1);
	}
	fflush(NULL);
	const pid_t child = fork();
	if (child == 0) {
		execv(path, words);
		fprintf(stderr, "ptxsim exec: %s: %s\n", path, strerror(errno));
		_exit(CLI_WRONG);
	}
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (file >= 0) {
		print_findings(findings);
		unlink(findings);
	}
	if (child < 0)
		return wrong("cannot start a process: %s", strerror(errno));
	if (WIFSIGNALED(status)) {
		fprintf(stderr, "ptxsim exec: %s ended by signal %d\n", path, WTERMSIG(status));
		return 128 + WTERMSIG(status);
	}
	return WEXITSTATUS(status);
}

/* The number of the first word that is not an option; 0: wrong usage. */
static int read_options(int count, char **words)
{
	int k = 1;

	for (; k < count && words[k][0] == '-'; k++) {
		if (!strcmp(words[k], "--"))
			return k + 1;
		if (!strcmp(words[k], "--no-execute"))
			setenv("PTXSIM_EXECUTE", "no", 1);
		else if (!strcmp(words[k], "--devices") && k + 1 < count)
			setenv("PTXSIM_DEVICES", words[++k], 1);
		else if (!strcmp(words[k], "--trace") && k + 1 < count)
			setenv("PTXSIM_TRACE", words[++k], 1);
		else
			return wrong("unknown option, or one without its value: %s", words[k]), 0;
	}
	return k;
}

int cli_exec(int count, char **words)
{
	char path[PATH_MAX], folder[PATH_MAX];

	if (count > 1 && (!strcmp(words[1], "-h") || !strcmp(words[1], "--help"))) {
		fputs(usage_text, stdout);
		return 0;
	}
	const int first = read_options(count, words);
	if (!first)
		return CLI_WRONG;
	if (first >= count) {
		fputs(usage_text, stderr);
		return CLI_WRONG;
	}
	if (!find_program(words[first], path))
		return wrong("%s: there is no such program", words[first]);
	if (has_static_runtime(path))
		return wrong(
			"%s has CUDA's runtime linked statically, which needs NVIDIA's own driver: build it with 'nvcc "
			"-cudart shared' (CMake: CUDA_RUNTIME_LIBRARY Shared)",
			words[first]);
	if (!find_libraries(folder))
		return wrong("libcuda.so.1 is not in %s", folder);
	if (!put_in_front(folder))
		return wrong("%s", "no memory");
	return run(path, words + first);
}
