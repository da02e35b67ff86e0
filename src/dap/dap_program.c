/* SPDX-License-Identifier: Apache-2.0
 *
 * See dap_program.h. Starting the program and its end: dap_process.c.
 */
#include "dap/dap_program.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dap/dap_process.h"

/* Numbers of requests that the editor knows nothing of: what it said before, and the last of those. */
enum { SAID_BEFORE = -2, SAID_LAST = -1 };

enum phase {
	PHASE_NONE,   /* files are launched, or nothing */
	PHASE_FOUND,  /* starts when the editor has configured it */
	PHASE_RUNS,   /* has not used the driver */
	PHASE_INSIDE, /* its session answers */
	PHASE_ENDED
};

struct dap_program {
	struct wire *wire;
	enum phase phase;
	char path[PROGRAM_PATH], message[PROGRAM_MESSAGE];
	json_t *launch;
	json_t *said;    /* initialize, and requests that set something, in their order */
	json_t *waiting; /* requests that the program has not answered: numbers with names */
	struct dap_process *process;
	bool replays;      /* the session in the program is being told what was said */
	bool pause_wanted; /* before there was one */
	bool launched;     /* a kernel, under the debugger */
	bool used_driver;
};

struct dap_program *dap_program_new(struct wire *w)
{
	struct dap_program *p = calloc(1, sizeof *p);

	if (!p)
		return NULL;
	p->wire = w;
	p->said = json_pack("[{s:s, s:s}]", "type", "request", "command", "initialize");
	p->waiting = json_object();
	return p;
}

static bool is_under_way(const struct dap_program *p) { return p->phase == PHASE_RUNS || p->phase == PHASE_INSIDE; }

void dap_program_close(struct dap_program *p)
{
	if (is_under_way(p))
		process_end(p->process);
	if (p->process)
		process_close(p->process);
	json_decref(p->launch);
	json_decref(p->said);
	json_decref(p->waiting);
	free(p);
}

/* --- Starting ------------------------------------------------------------------------------------------ */

bool dap_program_find(struct dap_program *p, json_t *launch, const char **error)
{
	const char *name = json_string_value(json_object_get(launch, "program"));
	json_t *exec = json_object_get(launch, "exec");

	if (json_is_false(exec) || (!json_is_true(exec) && (!name || !program_is_executable(name))))
		return false;
	if (!name || !*name)
		*error = "\"exec\" needs one \"program\"";
	else if (!program_find(name, p->path, p->message))
		*error = p->message;
	if (*error)
		return true;
	json_decref(p->launch);
	p->launch = json_incref(launch);
	p->phase = PHASE_FOUND;
	return true;
}

/* It has ended: the last that the editor hears of it. */
static void tell_end(struct dap_program *p, struct dap *s, int code, const char *words)
{
	const char *number;
	json_t *name;

	p->phase = PHASE_ENDED;
	json_object_foreach(p->waiting, number, name)
		dap_send(s, json_pack("{s:s, s:I, s:O, s:b, s:s}", "type", "response", "request_seq",
				      (json_int_t)strtoll(number, NULL, 10), "command", name, "success", 0, "message",
				      "the program has ended"));
	json_object_clear(p->waiting);
	if (*words)
		dap_output(s, "console", words, strlen(words));
	s->ended = true;
	dap_event(s, "exited", json_pack("{s:i}", "exitCode", code));
	dap_event(s, "terminated", NULL);
}

void dap_program_start(struct dap_program *p, struct dap *s)
{
	char words[PROGRAM_MESSAGE + 32];

	p->process = process_start(p->path, p->launch, p->wire, p->message);
	if (p->process) {
		p->phase = PHASE_RUNS;
		dap_event(s, "process",
			  json_pack("{s:s, s:I, s:b, s:s}", "name", p->path, "systemProcessId",
				    (json_int_t)p->process->id, "isLocalProcess", 1, "startMethod", "launch"));
		return;
	}
	snprintf(words, sizeof words, "ptxsim: %s\n", p->message);
	tell_end(p, s, CLI_WRONG, words);
}

/* --- Requests ------------------------------------------------------------------------------------------ */

/* What the session in the program has to know. */
static bool sets(const char *command)
{
	static const char *const names[] = {"setBreakpoints", "setFunctionBreakpoints", "setInstructionBreakpoints",
					    "setDataBreakpoints", "setExceptionBreakpoints"};

	for (size_t k = 0; k < COUNT_OF(names); k++)
		if (!strcmp(command, names[k]))
			return true;
	return false;
}

static void forward(struct dap_program *p, const char *command, json_t *message)
{
	const json_int_t number = json_integer_value(json_object_get(message, "seq"));
	char text[32];

	snprintf(text, sizeof text, "%lld", (long long)number);
	json_object_set_new(p->waiting, text, json_string(command));
	wire_write(p->process->to, message);
}

/* The editor leaves: the program ends, or goes on without it. */
static void leave(struct dap_program *p, json_t *arguments)
{
	if (!is_under_way(p))
		return;
	if (!json_is_false(json_object_get(arguments, "terminateDebuggee"))) {
		process_end(p->process);
	} else {
		wire_write(p->process->to, json_pack("{s:i, s:s, s:s}", "seq", SAID_BEFORE, "type", "request",
						     "command", "disconnect"));
		process_let_go(p->process);
	}
	p->phase = PHASE_ENDED;
}

/* Those that are answered here whatever the program does, after what follows from them. */
static bool is_ours(struct dap_program *p, struct dap *s, const char *command, json_t *arguments)
{
	if (!strcmp(command, "disconnect")) {
		leave(p, arguments);
		return true;
	}
	if (!strcmp(command, "terminate")) {
		if (is_under_way(p))
			process_ask_to_end(p->process);
		else if (p->phase == PHASE_FOUND)
			s->terminating = true;
		return true;
	}
	p->pause_wanted |= p->phase == PHASE_RUNS && !strcmp(command, "pause");
	return p->phase != PHASE_INSIDE || !strcmp(command, "initialize") || !strcmp(command, "launch") ||
	       !strcmp(command, "configurationDone");
}

bool dap_program_takes(struct dap_program *p, struct dap *s, json_t *message)
{
	const char *command = json_string_value(json_object_get(message, "command"));

	if (!command)
		return false;
	const bool ours = is_ours(p, s, command, json_object_get(message, "arguments"));
	/* Before there is a program, nothing can be set. */
	if (!strcmp(command, "initialize") && !s->is_program)
		json_array_set_new(p->said, 0, json_deep_copy(message));
	else if (s->is_program && sets(command))
		json_array_append_new(p->said, json_deep_copy(message));
	if (ours)
		return false;
	forward(p, command, message);
	return true;
}

/* --- What the program says ------------------------------------------------------------------------------ */

/* The session in the program begins: it hears what was said here. */
static void replay(struct dap_program *p)
{
	json_t *message;
	size_t k;

	p->phase = PHASE_INSIDE;
	p->replays = p->used_driver = true;
	json_array_foreach(p->said, k, message)
	{
		json_t *copy = json_deep_copy(message);
		json_object_set_new(copy, "seq", json_integer(SAID_BEFORE));
		wire_write(p->process->to, copy);
		if (!k)
			wire_write(p->process->to, json_pack("{s:i, s:s, s:s, s:O}", "seq", SAID_BEFORE, "type",
							     "request", "command", "launch", "arguments", p->launch));
	}
	if (p->pause_wanted)
		wire_write(p->process->to,
			   json_pack("{s:i, s:s, s:s}", "seq", SAID_BEFORE, "type", "request", "command", "pause"));
	wire_write(p->process->to,
		   json_pack("{s:i, s:s, s:s}", "seq", SAID_LAST, "type", "request", "command", "configurationDone"));
}

/* Whether a message of the program's session is the editor's to see. */
static bool is_for_editor(struct dap_program *p, json_t *message)
{
	const char *event = json_string_value(json_object_get(message, "event"));
	json_t *number = json_object_get(message, "request_seq");
	char text[32];

	if (event && !strcmp(event, "ptxsim_ready")) {
		if (p->phase == PHASE_RUNS || p->phase == PHASE_INSIDE)
			replay(p);
		return false;
	}
	p->launched |= event && !strcmp(event, "ptxsim_launched");
	if (event)
		return !p->replays && strncmp(event, "ptxsim_", 7);
	if (json_integer_value(number) == SAID_LAST)
		p->replays = false;
	snprintf(text, sizeof text, "%lld", (long long)json_integer_value(number));
	return json_object_del(p->waiting, text) == 0;
}

/* The end, as waitpid tells it. */
static void ended(struct dap_program *p, struct dap *s, int status)
{
	const char *kernel = json_string_value(json_object_get(p->launch, "kernel"));
	char words[2 * PROGRAM_PATH] = "";

	if (WIFSIGNALED(status))
		snprintf(words, sizeof words, "ptxsim: %s ended by signal %d (%s)\n", p->path, WTERMSIG(status),
			 strsignal(WTERMSIG(status)));
	else if (!json_is_true(json_object_get(p->launch, "noDebug")) && !p->used_driver)
		snprintf(words, sizeof words, "ptxsim: %s has ended, and has not used CUDA's driver\n", p->path);
	else if (!json_is_true(json_object_get(p->launch, "noDebug")) && !p->launched)
		snprintf(words, sizeof words, "ptxsim: %s has ended, and has launched no kernel%s%.200s%s\n", p->path,
			 kernel ? " '" : "", kernel ? kernel : "", kernel ? "'" : "");
	tell_end(p, s, WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status), words);
}

void dap_program_told(struct dap_program *p, struct dap *s, enum wire_origin origin, json_t *message)
{
	if (is_under_way(p)) {
		if (origin == FROM_END) {
			process_is_over(p->process);
			ended(p, s, (int)json_integer_value(json_object_get(message, "status")));
		} else if (origin == FROM_OUTPUT || is_for_editor(p, message)) {
			dap_send(s, json_incref(message));
		}
	}
	json_decref(message);
}
