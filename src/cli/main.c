/* SPDX-License-Identifier: Apache-2.0
 *
 * ptxsim: picks the subcommand.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "native/tier.h"

static const struct cli_command commands[] = {
	{"run", cli_run, "run a kernel, or the launches that a file describes"},
	{"debug", cli_debug, "the same under the debugger, forwards and backwards"},
	{"dap", cli_dap, "serve the debugger to an editor: Debug Adapter Protocol"},
	{"view", cli_view, "show a kernel in the browser, with time running both ways"},
	{"test", cli_test, "run the launches of files and check what they expect"},
	{"compare", cli_compare, "set two JSON reports beside each other, as text or HTML"},
	{"check", cli_check, "read and validate only: every error with line and column"},
	{"info", cli_info, "kernels, parameters, registers, memory, control-flow graph"},
	{"isa", cli_isa, "list the instructions that are known"},
	{"exec", cli_exec, "run a CUDA program with the simulator as its GPU"},
	{"disasm", cli_disasm, "print the machine code in cubins, executables, listings"},
};

static int usage(FILE *to, int status)
{
	fprintf(to, "Usage: ptxsim COMMAND [OPTION...] FILE...\n"
		    "Runs GPU code with no GPU, bit for bit as the hardware would.\n\n");
	for (size_t k = 0; k < COUNT_OF(commands); k++)
		fprintf(to, "  %-8s %s\n", commands[k].name, commands[k].doc);
	fprintf(to, "\n'ptxsim COMMAND --help' lists a command's options.\n"
		    "Exit status: 0 success; 1 the kernel failed, a check found something or an\n"
		    "expectation did not hold; 2 wrong usage, file or syntax.\n");
	return status;
}

/* At every exit: what was to be printed and could not be is an error, whatever the command says. */
static void close_output(void)
{
	const bool failed = ferror(stdout);
	int failed_because = 0;

	/* The parser of options prints less help, and says nothing, if memory runs out. */
	if (errno == ENOMEM)
		_exit(front_no_memory());
	errno = 0;
	/* Why an earlier write failed is forgotten by now; another one says. */
	if (failed && write(STDOUT_FILENO, "\n", 1) != 1)
		failed_because = errno;
	errno = 0;
	if (fclose(stdout) || failed) {
		errno = failed ? failed_because : errno;
		fprintf(stderr, "ptxsim: standard output cannot be written%s%s\n", errno ? ": " : "",
			errno ? strerror(errno) : "");
		_exit(CLI_WRONG);
	}
	if (ferror(stderr) || fflush(stderr))
		_exit(CLI_WRONG);
}

/* Keeps files that are opened later from getting the number of a standard stream that the caller has closed, which
 * would then be written into them. */
static void hold_standard_streams(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

/* A report that lacks what there was no memory for would be taken for a whole one. */
static void *allocate_for_json(size_t size)
{
	void *p = malloc(size);

	if (!p)
		exit(front_no_memory());
	return p;
}

/* Nobody is to wait for a compiler of native code. */
static int leave(int status)
{
	if (!native_underway())
		return status;
	close_output();
	_exit(status);
}

int main(int count, char **words)
{
	char name[64];

	hold_standard_streams();
	json_set_alloc_funcs(allocate_for_json, free);
	/* A pipe that nobody reads and a file that may not grow are errors of the write, which tells of them. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	atexit(close_output);
	argp_err_exit_status = CLI_WRONG;
	if (count < 2)
		return usage(stderr, CLI_WRONG);
	if (!strcmp(words[1], "--help") || !strcmp(words[1], "-h") || !strcmp(words[1], "help"))
		return usage(stdout, CLI_OK);
	if (!strcmp(words[1], "--version") || !strcmp(words[1], "-V")) {
		printf("%s\n", PACKAGE_STRING);
		return CLI_OK;
	}
	if (!strcmp(words[1], "complete"))
		return cli_complete(commands, COUNT_OF(commands), count - 2, words + 2);
	for (size_t k = 0; k < COUNT_OF(commands); k++) {
		if (strcmp(words[1], commands[k].name))
			continue;
		snprintf(name, sizeof name, "ptxsim %s", commands[k].name);
		words[1] = name;
		return leave(commands[k].run(count - 1, words + 1));
	}
	fprintf(stderr, "ptxsim: there is no command '%s'\n\n", words[1]);
	return usage(stderr, CLI_WRONG);
}
