/* SPDX-License-Identifier: Apache-2.0
 *
 * Damaged input of what stands around the kernels: launch lines, .npy files, JSON reports, the debugger's commands,
 * an editor's messages. Nothing here may start a program or write a file: those doors are closed.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dap/dap.h"
#include "fuzz_text.h"
#include "report/comparison.h"
#include "report/html.h"
#include "script/npy.h"
#include "script/play.h"

enum { INSTRUCTIONS = 3000, LINES = 64, LINE = 400 };
static const u64 MEMORY = 1 << 20;

/* The library's own are not reached once a target has run: commands that start programs find them refused. Before, libFuzzer
 * starts itself by them. */
static bool doors_closed;

int system(const char *command)
{
	int (*own)(const char *) = (int (*)(const char *))dlsym(RTLD_NEXT, "system");

	if (!doors_closed && own)
		return own(command);
	errno = EPERM;
	return -1;
}

FILE *popen(const char *command, const char *mode)
{
	FILE *(*own)(const char *, const char *) = (FILE * (*)(const char *, const char *)) dlsym(RTLD_NEXT, "popen");

	if (!doors_closed && own)
		return own(command, mode);
	errno = EPERM;
	return NULL;
}

static FILE *nowhere(void)
{
	static FILE *f;

	if (!f)
		f = fopen("/dev/null", "w");
	return f;
}

/* --- Launch lines ----------------------------------------------------------------------------------- */

static void print_nothing(void *context, const char *text, size_t length)
{
	(void)context;
	(void)text;
	(void)length;
}

static void play_lines(struct session *s, const char *bytes, size_t length)
{
	const struct lower_options lower = {.arch = NULL};
	struct script script;

	s->memory_limit = MEMORY;
	session_add_text(s, "program.ptx", fuzz_program, strlen(fuzz_program));
	script_init(&script, &s->arena, &s->strings, &s->diags);
	/* A folder that is not there: no file can be read or written. */
	script_read(&script, source_add(&s->sources, "/nonexistent/fuzz", bytes, length), true);
	if (!s->diags.error_count && session_build(s, &lower)) {
		struct play play = {.session = s,
				    .script = &script,
				    .options = {.jobs = 1, .limit = INSTRUCTIONS, .print = print_nothing}};
		if (!play_run(&play) && !s->diags.error_count)
			abort();
		play_free(&play);
	}
	session_diagnostics(s, false);
}

void fuzz_script(const char *bytes, size_t length)
{
	struct session s;

	doors_closed = true;
	if (!fuzz_session_open(&s, "baseline"))
		abort();
	if (!SESSION_ENTER(&s))
		play_lines(&s, bytes, length);
	session_close(&s);
}

/* --- .npy ---------------------------------------------------------------------------------------------- */

void fuzz_npy(const char *bytes, size_t length)
{
	struct npy a, again;
	char *text = NULL;
	size_t size;

	u8 *copy = malloc(length + 1); /* exactly as long: what reads beyond it is caught */
	memcpy(copy, bytes, length);
	if (!npy_parse(copy, length, &a)) {
		FILE *f = open_memstream(&text, &size);
		if (!npy_write(f, a.type, a.rank, a.dims, a.data) || fclose(f))
			abort();
		if (npy_parse((const u8 *)text, size, &again) || again.type != a.type || again.count != a.count ||
		    (a.count && memcmp(again.data, a.data, a.count * element_bytes(a.type))))
			abort();
		free(text);
	}
	free(copy);
}

/* --- JSON reports -------------------------------------------------------------------------------------- */

void fuzz_json(const char *bytes, size_t length)
{
	static const char *const names[2] = {"a.json", "b.json"};
	const char *cut = memmem(bytes, length, "\n===\n", 5);
	const size_t first = cut ? (size_t)(cut - bytes) : length;
	json_t *reports[2] = {report_read(names[0], bytes, first, nowhere()),
			      cut ? report_read(names[1], cut + 5, length - first - 5, nowhere()) : NULL};

	if (!cut && reports[0])
		reports[1] = json_incref(reports[0]);
	if (reports[0] && reports[1]) {
		report_comparison(nowhere(), names, reports);
		report_html_comparison(nowhere(), names, reports);
	}
	json_decref(reports[0]);
	json_decref(reports[1]);
}

/* --- The debugger -------------------------------------------------------------------------------------- */

enum { PROGRAM_FD = 900 };

/* The fixed program as a file that only this process has, always under the same name. */
static const char *program_path(void)
{
	static const char path[] = "/proc/self/fd/900";
	static bool there;

	if (!there) {
		const int fd = memfd_create("kernel.ptx", 0);
		const ssize_t length = (ssize_t)strlen(fuzz_program);
		if (fd < 0 || write(fd, fuzz_program, (size_t)length) != length || dup2(fd, PROGRAM_FD) < 0)
			abort();
		close(fd);
		there = true;
	}
	return path;
}

/* Commands that read or write files by the user's own word. */
static bool names_files(const char *line)
{
	static const char *const words[] = {"sou", "sav", "she", "!", "dump", "log", "cd", "make", "ed", "restore"};

	line += strspn(line, " \t");
	for (size_t k = 0; k < COUNT_OF(words); k++)
		if (!strncmp(line, words[k], strlen(words[k])))
			return true;
	return false;
}

static void execute_lines(struct console *c, const char *bytes, size_t length)
{
	char line[LINE], completion[256];

	for (u32 count = 0; length && count < LINES; count++) {
		const char *newline = memchr(bytes, '\n', length);
		const size_t size = newline ? (size_t)(newline - bytes) : length;
		const size_t kept = size < sizeof line ? size : sizeof line - 1;
		memcpy(line, bytes, kept);
		line[kept] = 0;
		if (!names_files(line)) {
			for (u32 k = 0; k < 3 && console_complete(c, line, (u32)strlen(line), k, completion); k++)
				continue;
			if (!console_execute(c, line, true))
				return;
		}
		bytes += size + (newline != NULL);
		length -= size + (newline != NULL);
	}
}

static void debug_lines(struct session *s, const char *bytes, size_t length)
{
	const struct debug_options options = {.history_bytes = 1 << 22};
	const struct console_options plain = {0};
	struct run_options o = {.limit = INSTRUCTIONS, .choices.async.mode = ASYNC_STRICT};
	struct debuggee b = {.print = print_nothing};
	char *path = (char *)program_path();

	arena_init(&o.arena, NULL);
	VEC_PUSH(&o.arena, &o.files, path);
	if (debuggee_open(&b, s, &o, &options)) {
		struct console *c = console_new(&s->arena, b.debug, nowhere(), &plain);
		execute_lines(c, bytes, length);
	}
	debuggee_close(&b);
	arena_free(&o.arena);
}

void fuzz_debug(const char *bytes, size_t length)
{
	struct session s;

	doors_closed = true;
	if (!fuzz_session_open(&s, "baseline"))
		abort();
	if (!SESSION_ENTER(&s))
		debug_lines(&s, bytes, length);
	session_close(&s);
}

/* --- Editors --------------------------------------------------------------------------------------------- */

/* A line is a message, whose header is put before it; input that does not begin so is taken as it is. */
void fuzz_dap(const char *bytes, size_t length)
{
	char *text = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);

	doors_closed = true;
	program_path();
	while (length && *bytes == '{') {
		const char *newline = memchr(bytes, '\n', length);
		const size_t line = newline ? (size_t)(newline - bytes) : length;
		fprintf(to, "Content-Length: %zu\r\n\r\n", line);
		fwrite(bytes, 1, line, to);
		bytes += line + (newline != NULL);
		length -= line + (newline != NULL);
	}
	fwrite(bytes, 1, length, to);
	fclose(to);
	FILE *in = size ? fmemopen(text, size, "r") : NULL;
	if (in) {
		const struct dap_transport t = {.in = in, .out = nowhere(), .ends = true};
		dap_serve(&t);
		fclose(in);
	}
	free(text);
}
