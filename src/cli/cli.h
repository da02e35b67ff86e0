/* SPDX-License-Identifier: Apache-2.0
 *
 * The subcommands.
 */
#ifndef PTXSIM_CLI_CLI_H
#define PTXSIM_CLI_CLI_H

#include "front/arguments.h"
#include "front/program.h"

struct cli_command {
	const char *name;
	int (*run)(int count, char **words); /* words[0] is "ptxsim NAME" */
	const char *doc;
};

int cli_run(int count, char **words);
int cli_compare(int count, char **words);
int cli_debug(int count, char **words);
int cli_dap(int count, char **words);
int cli_view(int count, char **words);
int cli_check(int count, char **words);
int cli_info(int count, char **words);
int cli_test(int count, char **words);
int cli_isa(int count, char **words);
int cli_disasm(int count, char **words);
int cli_exec(int count, char **words);

/* Finds a CUDA program by name, and the libraries, which it puts in front of others; false after telling why it cannot
 * run. */
enum { EXEC_PATH = PROGRAM_PATH };
bool exec_prepare(const char *name, char path[EXEC_PATH]);

/* ptxsim debug --exec: what is done before the first prompt. */
struct debug_start {
	bool is_file; /* -x; else -ex */
	const char *text;
};
struct debug_exec {
	const struct debug_start *starts;
	size_t start_count;
	bool batch;
};
/* Runs a program, whose words begin with its name, under the debugger; its exit status. */
int debug_exec(const struct debug_exec *asked, char **words);

/* Prints what the last of the words may become; they are those after `ptxsim complete`. */
int cli_complete(const struct cli_command *commands, size_t command_count, int count, char **words);

#endif
