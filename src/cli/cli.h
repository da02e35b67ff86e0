/* SPDX-License-Identifier: Apache-2.0
 *
 * The subcommands.
 */
#ifndef PTXSIM_CLI_CLI_H
#define PTXSIM_CLI_CLI_H

#include "front/arguments.h"

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
/* Prints what the last of the words may become; they are those after `ptxsim complete`. */
int cli_complete(const struct cli_command *commands, size_t command_count, int count, char **words);

#endif
