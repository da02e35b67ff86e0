/* SPDX-License-Identifier: Apache-2.0
 *
 * Serves one editor: its messages, and those of a program that it debugs, go to the session in the order in which they
 * come.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dap/dap.h"
#include "dap/dap_program.h"
#include "dap/dap_wire.h"
#include "front/arguments.h"

struct serving {
	struct wire *wire;
	struct dap *session;
	struct dap_program *program;
};

static bool read_options(struct run_options *o, int count, char **words)
{
	return !argp_parse(&run_options_argp, count, words, ARGP_NO_EXIT | ARGP_NO_HELP, NULL, o);
}

static void send_message(void *context, json_t *message) { wire_send(((struct serving *)context)->wire, message); }
static bool has_request(void *context) { return wire_has_message(((struct serving *)context)->wire); }

/* While an engine runs here, there is no program. */
static json_t *receive(void *context)
{
	enum wire_origin origin;

	return wire_receive(((struct serving *)context)->wire, &origin);
}

static void interrupts(void *context, struct debug *d) { wire_interrupts(((struct serving *)context)->wire, d); }

static bool find_program(void *context, json_t *launch, const char **error)
{
	return dap_program_find(((struct serving *)context)->program, launch, error);
}

static void start_program(void *context)
{
	struct serving *v = context;

	dap_program_start(v->program, v->session);
}

/* True at the end of the input or of the session; false: no memory. */
static bool serve(struct serving *v)
{
	enum wire_origin origin;

	while (!dap_is_over(v->session)) {
		json_t *message = wire_receive(v->wire, &origin);
		if (!message)
			return true;
		if (origin != FROM_EDITOR)
			dap_program_told(v->program, v->session, origin, message);
		else if (!dap_program_takes(v->program, v->session, message) && !dap_take(v->session, message))
			return false;
	}
	return true;
}

static int serve_session(struct serving *v, const struct dap_transport *t)
{
	const struct dap_link link = {.context = v,
				      .send = send_message,
				      .has_request = has_request,
				      .receive = receive,
				      .interrupts = interrupts,
				      .find_program = find_program,
				      .start_program = start_program,
				      .read_options = read_options,
				      .token = t->token};
	int status = CLI_OK;

	v->session = dap_open(&link);
	if (!v->session) {
		dap_program_close(v->program);
		return CLI_WRONG;
	}
	if (!serve(v) || wire_failed(v->wire))
		status = front_no_memory();
	const char *wrong = wire_wrong(v->wire);
	if (t->tells && status == CLI_OK && wrong) {
		fprintf(stderr, "ptxsim dap: this is not the Debug Adapter Protocol: %s\n", wrong);
		status = CLI_WRONG;
	}
	wire_stop(v->wire);
	dap_program_close(v->program);
	dap_close(v->session);
	return status;
}

/* Serves one session, from the first message to the last. The exit status is the command's. */
int dap_serve(const struct dap_transport *t)
{
	struct wire *w = wire_open(t->in, t->out);
	struct dap_program *program = w ? dap_program_new(w) : NULL;
	struct serving v = {.wire = w, .program = program};

	if (!w)
		return front_no_memory();
	/* An editor or a program that is gone is found out by reading. */
	signal(SIGPIPE, SIG_IGN);
	const int status = program ? serve_session(&v, t) : front_no_memory();
	wire_stop(w);
	if (t->end)
		t->end(t->context);
	wire_close(w, t->ends);
	return status;
}

/* The protocol keeps standard output to itself: whatever else prints goes to standard error. */
int dap_serve_standard(void)
{
	const int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");

	if (!out || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
		perror("ptxsim dap");
		return CLI_WRONG;
	}
	const struct dap_transport t = {.in = stdin, .out = out, .tells = true};
	const int status = dap_serve(&t);
	return fclose(out) ? CLI_WRONG : status;
}
