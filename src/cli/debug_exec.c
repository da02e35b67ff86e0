/* SPDX-License-Identifier: Apache-2.0
 *
 * ptxsim debug --exec PROGRAM ARGUMENTS...: the debugger over a running CUDA program. The engine works inside the program,
 * in libcuda.so.1; this end of the socket has the terminal. See cuda/driver/debugging.h for what is said on it.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "front/debug_terminal.h"

struct talk {
	int socket;
	pid_t program;
	struct terminal *terminal;
	const struct debug_exec *asked;
	size_t started; /* commands that were given beforehand and have been sent */
	bool left, has_stopped;
};

/* Prints what comes, up to a control byte, which is returned; EOF: the program has ended. */
static int pass_on(struct talk *t)
{
	char c;
	ssize_t got;

	while ((got = read(t->socket, &c, 1)) == 1 || (got < 0 && errno == EINTR)) {
		if (got == 1 && c >= 1 && c <= 3)
			return c;
		if (got == 1)
			putchar(c);
	}
	return EOF;
}

static bool read_prompt(const struct talk *t, char *prompt, size_t size)
{
	size_t length = 0;
	char c;

	while (read(t->socket, &c, 1) == 1) {
		prompt[length] = 0;
		if (c == 2)
			return true;
		if (length + 1 < size)
			prompt[length++] = c;
	}
	return false;
}

static bool send_line(const struct talk *t, const char *prefix, const char *line)
{
	char *text;

	if (asprintf(&text, "%s%s\n", prefix, line) < 0)
		return false;
	const size_t length = strlen(text);
	const bool sent = send(t->socket, text, length, MSG_NOSIGNAL) == (ssize_t)length;
	free(text);
	return sent;
}

/* The commands that were given beforehand, then the terminal's. False: there are no more. */
static bool answer(struct talk *t)
{
	char prompt[256];

	if (!read_prompt(t, prompt, sizeof prompt))
		return false;
	fflush(stdout);
	if (t->started < t->asked->start_count) {
		const struct debug_start *s = &t->asked->starts[t->started++];
		return send_line(t, s->is_file ? "source " : "", s->text);
	}
	const char *line = t->asked->batch ? NULL : terminal_read(t->terminal, prompt);
	return line && send_line(t, "", line);
}

/* Until the program has ended, or the user leaves. */
static void converse(struct talk *t)
{
	int what;

	while ((what = pass_on(t)) != EOF) {
		if (what == 3 || !answer(t)) {
			t->left = true;
			return;
		}
		t->has_stopped = true;
	}
}

/* The program has ended without a stop: what was asked for never came. */
static int tell_no_stop(const char *path, int status)
{
	const char *kernel = getenv("PTXSIM_KERNEL"), *launch = getenv("PTXSIM_LAUNCH");

	fprintf(stderr, "ptxsim debug: %s has ended: there was no launch", path);
	if (launch)
		fprintf(stderr, " %s", launch);
	if (kernel)
		fprintf(stderr, " of a kernel '%s'", kernel);
	fputc('\n', stderr);
	return status ? status : CLI_FAILED;
}

static pid_t start(int socket, int token, const char *path, char **words)
{
	char numbers[32];

	fflush(NULL);
	const pid_t child = fork();
	if (child)
		return child;
	snprintf(numbers, sizeof numbers, "%d:%d", socket, token);
	setenv("PTXSIM_DEBUG", numbers, 1);
	execv(path, words);
	fprintf(stderr, "ptxsim debug: %s: %s\n", path, strerror(errno));
	_exit(CLI_WRONG);
}

int debug_exec(const struct debug_exec *asked, char **words)
{
	char path[EXEC_PATH];
	int ends[2], status;
	struct sigaction ignored = {.sa_handler = SIG_IGN}, before;

	if (!exec_prepare(words[0], path))
		return CLI_WRONG;
	struct talk t = {.asked = asked, .terminal = terminal_new()};
	if (!t.terminal || socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) {
		terminal_free(t.terminal);
		return front_no_memory();
	}
	t.socket = ends[0];
	const int token = eventfd(1, EFD_NONBLOCK);
	t.program = token < 0 ? -1 : start(ends[1], token, path, words);
	close(ends[1]);
	close(token);
	/* Ctrl-C stops the kernel. */
	sigaction(SIGINT, &ignored, &before);
	converse(&t);
	fflush(stdout);
	if (t.left && t.program > 0)
		kill(t.program, SIGKILL);
	while (t.program > 0 && waitpid(t.program, &status, 0) < 0 && errno == EINTR)
		;
	sigaction(SIGINT, &before, NULL);
	close(t.socket);
	terminal_free(t.terminal);
	if (t.program < 0)
		return front_no_memory();
	if (t.left)
		return CLI_OK;
	if (WIFSIGNALED(status))
		fprintf(stderr, "ptxsim debug: %s ended by signal %d\n", path, WTERMSIG(status));
	status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	return t.has_stopped ? status : tell_no_stop(path, status);
}
