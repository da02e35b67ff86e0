/* SPDX-License-Identifier: Apache-2.0
 *
 * ptxsim debug: the debugger at the command line.
 *
 * Two commands in one: kernels of files, in this process (the engine and its console), or kernels of a program, in the
 * program's own process (--exec: cli/debug_exec.c starts it, and cuda/driver/debugging.c has the console there).
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/cli.h"
#include "front/debug_terminal.h"
#include "front/debuggee.h"
#include "screen/screen.h"

enum {
	OPTION_BATCH = 1024,
	OPTION_EX,
	OPTION_NO_HISTORY,
	OPTION_HISTORY_LIMIT,
	OPTION_SPACING,
	OPTION_COUNTERS,
	OPTION_TUI,
	OPTION_EXEC,
	OPTION_LAUNCH
};

struct debug_command {
	struct run_options run;
	struct debug_options debug;
	bool batch, full_screen;
	VEC_OF(struct debug_start) starts;
	char **exec_words; /* behind --exec: the program and its arguments; or NULL */
};

static const struct argp_option options[] = {
	{"command", 'x', "FILE", 0, "Execute the commands of this file first", 0},
	{"ex", OPTION_EX, "COMMAND", 0, "Execute this command first", 0},
	{"exec", OPTION_EXEC, NULL, 0, "Debug a CUDA program: its name and arguments follow", 0},
	{"launch", OPTION_LAUNCH, "N[-M]", 0,
	 "With --exec: stop in launches N to M only; with --kernel, of that kernel", 0},
	{"tui", OPTION_TUI, NULL, 0, "Full screen: source, registers by lane, warps, memory", 0},
	{"batch", OPTION_BATCH, NULL, 0, "Leave after these commands; ask nothing", 0},
	{"no-history", OPTION_NO_HISTORY, NULL, 0, "Keep nothing for going back", 0},
	{"history-limit", OPTION_HISTORY_LIMIT, "MIB", 0, "Memory that the history may take (default 512)", 0},
	{"history-spacing", OPTION_SPACING, "N", 0, "Warp instructions between checkpoints", 0},
	{"counters", OPTION_COUNTERS, NULL, 0, "Count memory accesses, for 'info counters'", 0},
	{0},
};

/* With --exec these stand in for the options of run, which would have no effect. */
static const struct argp_option exec_options[] = {
	{"kernel", 'k', "NAME", 0, "Stop in launches of this kernel only", 1},
	{0},
};

static error_t parse_exec_option(int key, char *text, struct argp_state *state)
{
	switch (key) {
	case 'k':
		return setenv("PTXSIM_KERNEL", text, 1) ? ENOMEM : 0;
	case ARGP_KEY_ARG:
		argp_error(state, "--exec takes no files: the program has its kernels in it");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* The program's process reads these from its environment. */
static error_t choose_launches(struct argp_state *state, const char *text)
{
	u64 first, last;

	if (!check_launches_read(text, &first, &last))
		argp_error(state, "--launch is a number from 1, or two like 2-5, not '%s'", text);
	return setenv("PTXSIM_LAUNCH", text, 1) ? ENOMEM : 0;
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	struct debug_command *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = o->exec_words ? NULL : &o->run;
		return 0;
	case 'x':
		VEC_PUSH(&o->run.arena, &o->starts, ((struct debug_start){true, text}));
		return 0;
	case OPTION_EX:
		VEC_PUSH(&o->run.arena, &o->starts, ((struct debug_start){false, text}));
		return 0;
	case OPTION_EXEC:
		return 0; /* taken before: what follows is not for argp */
	case OPTION_LAUNCH:
		if (!o->exec_words)
			argp_error(state, "--launch is for --exec");
		return choose_launches(state, text);
	case OPTION_TUI:
		o->full_screen = true;
		return 0;
	case OPTION_BATCH:
		o->batch = true;
		return 0;
	case OPTION_NO_HISTORY:
		o->debug.no_history = true;
		return 0;
	case OPTION_HISTORY_LIMIT:
		o->debug.history_bytes = min_u64(front_number(state, "history-limit", text, 1), UINT64_MAX >> 20) << 20;
		return 0;
	case OPTION_SPACING:
		o->debug.history_spacing = front_number(state, "history-spacing", text, 1);
		return 0;
	case OPTION_COUNTERS:
		o->debug.counters = true;
		return 0;
	case ARGP_KEY_END:
		if (check_options_watch(&o->run.choices.check))
			argp_error(state, "--check is for run and test: it cannot go back");
		if (o->exec_words && (o->debug.history_bytes || o->debug.history_spacing || o->debug.counters))
			argp_error(state, "--history-limit, --history-spacing and --counters are not for --exec");
		if (o->run.explore)
			argp_error(state, "--explore is for run; --schedule repeats here what it found");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* gdb's -batch and -ex have one dash. */
static void accept_single_dashes(int count, char **words)
{
	static const char *const both[][2] = {{"-batch", "--batch"}, {"-ex", "--ex"}, {"-tui", "--tui"}};

	for (int k = 1; k < count; k++)
		for (size_t n = 0; n < COUNT_OF(both); n++)
			if (!strcmp(words[k], both[n][0]))
				words[k] = (char *)(uintptr_t)both[n][1];
}

/* Everything behind --exec is the program's: takes it off the words. NULL: there is no --exec. */
static char **take_program(int *count, char **words)
{
	for (int k = 1; k < *count; k++)
		if (!strcmp(words[k], "--exec")) {
			*count = k;
			return words + k + 1;
		}
	return NULL;
}

/* --exec: what the program's process needs to know goes by environment variables. */
static int debug_program_of(struct debug_command *o)
{
	const struct debug_exec asked = {o->starts.items, o->starts.count, o->batch};

	if (!*o->exec_words || o->full_screen) {
		fprintf(stderr, "ptxsim debug: %s\n",
			!*o->exec_words ? "--exec needs a program" : "--exec has no full screen");
		return CLI_WRONG;
	}
	if (o->debug.no_history)
		setenv("PTXSIM_DEBUG_NO_HISTORY", "1", 1);
	return debug_exec(&asked, o->exec_words);
}

/* --- Ctrl-C ---------------------------------------------------------------------------------------- */

/* A signal's handler has no other way to the engine. */
static struct debug *volatile interruptible;

static void on_interrupt(int number)
{
	(void)number;
	if (interruptible)
		debug_interrupt(interruptible);
}

static void catch_interrupts(struct debug *d)
{
	struct sigaction action = {.sa_handler = d ? on_interrupt : SIG_DFL};

	interruptible = d;
	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
}

/* --- The session ----------------------------------------------------------------------------------- */

static void print_text(void *context, const char *text, size_t length) { fwrite(text, 1, length, context); }

static u32 screen_width(void)
{
	struct winsize size;

	return isatty(STDOUT_FILENO) && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col ? size.ws_col : 80;
}

/* After each command: the script's expectations once it is over. */
static void after(struct debuggee *b, const struct console *c, const struct debug_command *o)
{
	if (console_event(c)->reason == DEBUG_OVER)
		debuggee_tell(b, b->print_context);
	front_print_diagnostics(b->session, o->run.choices.colour);
	b->session->diags.list.count = b->session->diags.error_count = 0;
}

static bool run_starts(struct debuggee *b, struct console *c, const struct debug_command *o)
{
	for (size_t k = 0; k < o->starts.count; k++) {
		const struct debug_start *s = &o->starts.items[k];
		const bool stay = s->is_file ? console_source(c, s->text) : console_execute(c, s->text, false);
		after(b, c, o);
		if (!stay)
			return false;
	}
	return !o->batch;
}

/* A command of the batch, a kernel, or an expectation; a kernel may stand where it failed. */
static bool has_failed(const struct debuggee *b, const struct console *c)
{
	return console_failed(c) || debug_fault(b->debug) || b->play.faulted || b->play.checks_failed;
}

static int interact(struct debuggee *b, const struct debug_command *o)
{
	struct terminal *t = terminal_new();

	if (!t)
		return front_no_memory();
	const struct console_options options_of = {.colour = colour_for(o->run.choices.colour, stdout),
						   .width = screen_width(),
						   .read = terminal_read,
						   .read_context = t};
	struct console *c = console_new(&b->session->arena, b->debug, stdout, &options_of);
	terminal_complete_from(t, c);
	catch_interrupts(b->debug);
	bool stay = run_starts(b, c, o);
	while (stay) {
		const char *line = terminal_read(t, "(ptxsim) ");
		stay = line && console_execute(c, line, true);
		after(b, c, o);
	}
	catch_interrupts(NULL);
	terminal_free(t);
	if (b->play.no_memory || b->session->memory.host_refused || debug_no_memory(b->debug))
		return front_no_memory();
	return o->batch && has_failed(b, c) ? CLI_FAILED : CLI_OK;
}

static int interact_on_screen(struct debuggee *b, const struct debug_command *o, struct screen *screen)
{
	const struct console_options plain = {.width = 0};
	struct console *c = console_new(&b->session->arena, b->debug, screen_out(screen), &plain);
	int status = CLI_OK;

	catch_interrupts(b->debug);
	if (run_starts(b, c, o) && !screen_run(screen, b, c, colour_for(o->run.choices.colour, stdout))) {
		fprintf(stderr, "ptxsim debug: --tui needs a terminal that can be drawn on\n");
		status = CLI_WRONG;
	}
	catch_interrupts(NULL);
	return status;
}

static int debug(struct session *s, void *command)
{
	const struct debug_command *o = command;
	struct screen *screen = o->full_screen ? screen_new() : NULL;
	struct debuggee b = {.print = print_text, .print_context = screen ? screen_out(screen) : stdout};
	int status = CLI_WRONG;

	if (o->full_screen && !screen)
		return front_no_memory();
	if (debuggee_open(&b, s, &o->run, &o->debug))
		status = screen ? interact_on_screen(&b, o, screen) : interact(&b, o);
	debuggee_close(&b);
	if (screen)
		screen_free(screen);
	return status;
}

int cli_debug(int count, char **words)
{
	static const struct argp exec_argp = {.options = exec_options, .parser = parse_exec_option};
	static const struct argp_child run_children[] = {{&run_options_argp, 0, "As for run:", 1}, {0}};
	static const struct argp_child exec_children[] = {{&exec_argp, 0, NULL, 1}, {0}};
	struct argp argp = {.options = options,
			    .parser = parse_option,
			    .args_doc = "FILE...\n--exec PROGRAM [ARGUMENT...]",
			    .doc = "Runs kernels under the debugger: 'help' at its prompt lists the commands.",
			    .children = run_children};
	struct debug_command o = {.run = {.heads = 8, .choices.async.mode = ASYNC_STRICT}};

	arena_init(&o.run.arena, NULL);
	o.exec_words = take_program(&count, words);
	if (o.exec_words)
		argp.children = exec_children;
	accept_single_dashes(count, words);
	front_parse(&argp, count, words, &o);
	const int status = o.exec_words ? debug_program_of(&o) : front_in_session(debug, &o, o.run.choices.colour);
	arena_free(&o.run.arena);
	return status;
}
