/* SPDX-License-Identifier: Apache-2.0
 *
 * See debugging.h.
 *
 * The program's process has the engine and the console; ptxsim debug has the terminal. Between them is a socket:
 *
 *  console prints         bytes, as they are
 *  a line is wanted       \1 prompt \2; the front end answers with a line
 *  the user leaves        \3: the front end ends the program
 *
 * A launch that is to be debugged runs on the thread that runs the stream's work, under debugger.lock: one at a time.
 */
#include "cuda/driver/debugging.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cuda/driver/debugging_editor.h"
#include "cuda/driver/sitting.h"
#include "cuda/driver/watch.h"

enum { LINE_MOST = 4096, POINT_LINES_MOST = 64 };

static struct {
	int socket; /* 0: no debugger */
	pthread_mutex_t lock;
	struct sitting *first;
	FILE *out;
	bool muted, has_stopped, left, has_editor;
	char line[LINE_MOST];
	/* Lines that set breakpoints, for modules that are loaded later. */
	char *point_lines[POINT_LINES_MOST];
	u32 point_line_count;
} debugger = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* A signal's handler has no other way to the engine. */
static struct debug *volatile interruptible;

/* --- The front end ------------------------------------------------------------------------------------- */

static bool send_all(const char *bytes, size_t count)
{
	while (count) {
		const ssize_t sent = write(debugger.socket, bytes, count);
		if (sent <= 0)
			return false;
		bytes += sent;
		count -= (size_t)sent;
	}
	return true;
}

/* What the console prints goes to the front end; nothing while breakpoints are set again (muted). */
static ssize_t print_out(void *cookie, const char *bytes, size_t count)
{
	(void)cookie;
	/* A front end that is gone is found out when a line is wanted. */
	if (!debugger.muted)
		send_all(bytes, count);
	return (ssize_t)count;
}

/* NULL: the front end is gone. */
static char *read_line(void *context, const char *prompt)
{
	size_t length = 0;

	(void)context;
	fflush(debugger.out);
	if (!send_all("\1", 1) || !send_all(prompt, strlen(prompt)) || !send_all("\2", 1))
		return NULL;
	while (length + 1 < sizeof debugger.line && read(debugger.socket, debugger.line + length, 1) == 1) {
		if (debugger.line[length] == '\n') {
			debugger.line[length] = 0;
			return debugger.line;
		}
		length++;
	}
	return NULL;
}

static void on_interrupt(int number)
{
	(void)number;
	if (interruptible)
		debug_interrupt(interruptible);
}

bool debugging_is_on(void) { return debugger.has_editor ? editor_is_there() : debugger.socket != 0; }

/* Of several processes that have the token, an eventfd, the first to read it is debugged. In the socket itself a token would
 * stand where the front end's first message does: a second process could take a byte of that. */
static bool take_token(int token)
{
	u64 count;

	return read(token, &count, sizeof count) == sizeof count;
}

static bool open_prompt(int socket)
{
	const struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = SA_RESTART};
	const cookie_io_functions_t functions = {.write = print_out};

	debugger.out = fopencookie(NULL, "w", functions);
	if (!debugger.out)
		return false;
	debugger.socket = socket;
	sigaction(SIGINT, &action, NULL);
	return true;
}

bool debugging_open(void)
{
	const char *text = getenv("PTXSIM_DEBUG");
	const bool is_editor = text && !strncmp(text, "dap:", 4);

	if (!text || debugger.socket || debugger.has_editor)
		return true;
	int socket = 0, token = 0;
	if (sscanf(is_editor ? text + 4 : text, "%9d:%9d", &socket, &token) != 2 || socket <= STDERR_FILENO ||
	    token <= STDERR_FILENO || fcntl(socket, F_SETFD, FD_CLOEXEC) < 0 || fcntl(token, F_GETFD) < 0) {
		fprintf(stderr, "ptxsim: PTXSIM_DEBUG: '%s' does not name the socket of ptxsim debug and its token\n",
			text);
		return false;
	}
	/* Of the program's children none is debugged. */
	unsetenv("PTXSIM_DEBUG");
	const bool is_ours = take_token(token);
	close(token);
	if (!is_ours)
		return close(socket), true;
	debugger.has_editor = is_editor;
	return is_editor ? editor_open(socket) : open_prompt(socket);
}

void debugging_in_child(void)
{
	if (debugger.has_editor)
		editor_in_child();
	else if (debugger.socket)
		close(debugger.socket);
	debugger.socket = 0;
}

void debugging_loaded(const struct program *p)
{
	if (debugger.has_editor)
		editor_loaded(p);
}

/* The user leaves, and the program with him: the front end ends it. */
static void leave(void)
{
	fflush(debugger.out);
	send_all("\3", 1);
	debugger.left = true;
	/* One that is gone itself ends nobody. */
	char byte;
	while (read(debugger.socket, &byte, 1) == 1)
		;
	kill(getpid(), SIGKILL);
}

/* --- Engines ------------------------------------------------------------------------------------------- */

static bool sets_a_point(const char *line)
{
	static const char *const words[] = {"b", "br", "bre", "brea", "break", "tb", "tbreak", "hbreak"};
	const size_t length = strcspn(line, " \t");

	for (u32 k = 0; k < COUNT_OF(words); k++)
		if (length == strlen(words[k]) && !strncmp(line, words[k], length))
			return line[length] != 0;
	return false;
}

/* A module that is loaded later gets the breakpoints that were set before: the lines are executed again. */
static void replay_points(struct sitting *s)
{
	debugger.muted = true;
	for (u32 k = 0; k < debugger.point_line_count; k++)
		console_execute(s->console, debugger.point_lines[k], false);
	fflush(debugger.out);
	debugger.muted = false;
}

static struct sitting *add_sitting(const struct program *p)
{
	const struct debug_options options = {.no_history = getenv("PTXSIM_DEBUG_NO_HISTORY") != NULL};
	const struct console_options console = {.read = read_line};
	struct sitting *s = sitting_new(p, &options, debugger.out, &console);

	if (!s)
		return NULL;
	s->next = debugger.first;
	debugger.first = s;
	replay_points(s);
	return s;
}

/* The engine of a program, made at its first launch. */
static struct sitting *sitting_of(const struct program *p)
{
	struct sitting *s = debugger.first;

	while (s && s->program != p)
		s = s->next;
	return s ? s : add_sitting(p);
}

void debugging_forget(const struct program *p)
{
	if (debugger.has_editor) {
		editor_forget(p);
		return;
	}
	if (!debugging_is_on())
		return;
	pthread_mutex_lock(&debugger.lock);
	for (struct sitting **at = &debugger.first; *at; at = &(*at)->next) {
		struct sitting *s = *at;
		if (s->program != p)
			continue;
		*at = s->next;
		sitting_free(s);
		break;
	}
	pthread_mutex_unlock(&debugger.lock);
}

/* --- A launch ------------------------------------------------------------------------------------------ */

static bool is_under_way(const struct sitting *s)
{
	const enum debug_state state = debug_state(s->debug);

	return state == DEBUG_STOPPED || state == DEBUG_FAULTED;
}

/* A kernel that has failed cannot go on, but the program can. */
static bool lets_the_program_go_on(const struct sitting *s, const char *line)
{
	static const char *const words[] = {"c", "cont", "continue", "run", "r"};

	for (u32 k = 0; k < COUNT_OF(words); k++)
		if (!strcmp(line, words[k]))
			return debug_state(s->debug) == DEBUG_FAULTED;
	return false;
}

/* Commands, until the launch is over. */
static void converse(struct sitting *s)
{
	while (is_under_way(s)) {
		const char *line = read_line(NULL, "(ptxsim) ");
		if (!line)
			leave();
		if (lets_the_program_go_on(s, line))
			break;
		if (sets_a_point(line) && debugger.point_line_count < POINT_LINES_MOST) {
			char *kept = strdup(line);
			if (kept)
				debugger.point_lines[debugger.point_line_count++] = kept;
		}
		if (!console_execute(s->console, line, true))
			leave();
	}
	fflush(debugger.out);
}

static void run_launch(struct sitting *s, bool chosen)
{
	struct debug_event e = debug_go(s->debug, DEBUG_CONTINUE, 1);

	if (e.reason != DEBUG_LAUNCHED)
		return;
	const bool stops = chosen || !debugger.has_stopped || !debug_first_point(s->debug);
	if (!stops && !debug_breaks_here(s->debug, &e))
		e = debug_go(s->debug, DEBUG_CONTINUE, 1);
	if (e.reason == DEBUG_LAUNCH_ENDED)
		return;
	debugger.has_stopped = true;
	console_show_event(s->console, &e);
	converse(s);
}

static void run_sitting(struct sitting *s, struct launch *l, bool chosen)
{
	sitting_take(s, l);
	s->arena.out_of_memory = &s->out_of_memory;
	interruptible = s->debug;
	if (!setjmp(s->out_of_memory))
		run_launch(s, chosen);
	interruptible = NULL;
}

enum launch_status debugging_run(void *context, struct launch *l, struct launch_stats *stats, struct fault *fault,
				 char *message, size_t size)
{
	const bool chosen = context != NULL;

	if (debugger.has_editor)
		return editor_run(chosen, l, stats, fault, message, size);
	pthread_mutex_lock(&debugger.lock);
	struct sitting *s = sitting_of(l->program);
	if (!s) {
		pthread_mutex_unlock(&debugger.lock);
		return LAUNCH_NO_MEMORY;
	}
	run_sitting(s, l, chosen);
	const enum launch_status status = sitting_end(s, stats, fault, message, size);
	pthread_mutex_unlock(&debugger.lock);
	return status;
}
