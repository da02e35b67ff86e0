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
#include <unistd.h>

#include "cuda/driver/watch.h"
#include "debug/console.h"

enum { LINE_MOST = 4096, POINT_LINES_MOST = 64 };

/* The engine of one module's code, kept from launch to launch with its breakpoints. */
struct sitting {
	struct sitting *next;
	const struct program *program;
	struct arena arena;
	jmp_buf out_of_memory;
	struct debug *debug;
	struct console *console;
	struct launch *launch; /* under way */
	bool taken, is_done;
	enum launch_status status;
	struct launch_stats stats;
	struct fault fault;
};

static struct {
	int socket; /* 0: no debugger */
	pthread_mutex_t lock;
	struct sitting *first;
	FILE *out;
	bool muted, has_stopped, left;
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

bool debugging_is_on(void) { return debugger.socket != 0; }

bool debugging_open(void)
{
	const char *text = getenv("PTXSIM_DEBUG");
	const struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = SA_RESTART};
	const cookie_io_functions_t functions = {.write = print_out};

	if (!text || debugger.socket)
		return true;
	debugger.socket = atoi(text);
	if (debugger.socket <= STDERR_FILENO || fcntl(debugger.socket, F_SETFD, FD_CLOEXEC) < 0 ||
	    !(debugger.out = fopencookie(NULL, "w", functions))) {
		fprintf(stderr, "ptxsim: PTXSIM_DEBUG: '%s' is not a socket of ptxsim debug\n", text);
		debugger.socket = 0;
		return false;
	}
	/* Of the program's children none is debugged. */
	unsetenv("PTXSIM_DEBUG");
	sigaction(SIGINT, &action, NULL);
	return true;
}

/* The user leaves, and the program with him: the front end ends it. */
static void leave(void)
{
	fflush(debugger.out);
	send_all("\3", 1);
	debugger.left = true;
	for (;;)
		pause();
}

/* --- Engines ------------------------------------------------------------------------------------------- */

static bool on_next(void *context, struct launch *l)
{
	struct sitting *s = context;

	if (s->taken)
		return false;
	s->taken = true;
	*l = *s->launch;
	l->native = NULL;
	l->threads = NULL;
	return true;
}

static void on_done(void *context, enum launch_status status, const struct launch_stats *stats,
		    const struct fault *fault)
{
	struct sitting *s = context;

	s->is_done = true;
	s->status = status;
	s->stats = *stats;
	s->fault = *fault;
}

static void on_print(void *context, const char *text, size_t length)
{
	const struct launch *l = ((struct sitting *)context)->launch;

	if (l->print)
		l->print(l->print_context, text, length);
}

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

/* False: no memory. */
static bool sitting_open(struct sitting *s)
{
	const struct debug_source source = {.context = s, .next = on_next, .done = on_done, .print = on_print};
	const struct debug_options options = {.no_history = getenv("PTXSIM_DEBUG_NO_HISTORY") != NULL};
	const struct console_options console = {.read = read_line};

	arena_init(&s->arena, &s->out_of_memory);
	if (setjmp(s->out_of_memory))
		return false;
	s->debug = debug_new(&s->arena, s->program, &source, &options);
	s->console = console_new(&s->arena, s->debug, debugger.out, &console);
	return true;
}

static struct sitting *sitting_new(const struct program *p)
{
	struct sitting *s = calloc(1, sizeof *s);

	if (!s)
		return NULL;
	s->program = p;
	if (!sitting_open(s)) {
		arena_free(&s->arena);
		free(s);
		return NULL;
	}
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
	return s ? s : sitting_new(p);
}

void debugging_forget(const struct program *p)
{
	if (!debugging_is_on())
		return;
	pthread_mutex_lock(&debugger.lock);
	for (struct sitting **at = &debugger.first; *at; at = &(*at)->next) {
		struct sitting *s = *at;
		if (s->program != p)
			continue;
		*at = s->next;
		debug_free(s->debug);
		arena_free(&s->arena);
		free(s);
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
	*s = (struct sitting){.next = s->next,
			      .program = s->program,
			      .arena = s->arena,
			      .debug = s->debug,
			      .console = s->console,
			      .launch = l,
			      .status = LAUNCH_NO_MEMORY};
	s->arena.out_of_memory = &s->out_of_memory;
	interruptible = s->debug;
	if (!setjmp(s->out_of_memory))
		run_launch(s, chosen);
	interruptible = NULL;
	debug_end_launch(s->debug);
	s->launch = NULL;
}

enum launch_status debugging_run(void *context, struct launch *l, struct launch_stats *stats, struct fault *fault,
				 char *message, size_t size)
{
	const bool chosen = context != NULL;

	pthread_mutex_lock(&debugger.lock);
	struct sitting *s = sitting_of(l->program);
	if (!s) {
		pthread_mutex_unlock(&debugger.lock);
		return LAUNCH_NO_MEMORY;
	}
	run_sitting(s, l, chosen);
	enum launch_status status = s->status;
	if (s->is_done) {
		*stats = s->stats;
		*fault = s->fault;
	} else if (!debug_no_memory(s->debug)) {
		snprintf(message, size, "%s", debug_message(s->debug));
		status = LAUNCH_BAD_CONFIG;
	}
	pthread_mutex_unlock(&debugger.lock);
	return status;
}
