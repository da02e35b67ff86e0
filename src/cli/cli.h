/* SPDX-License-Identifier: Apache-2.0
 *
 * The subcommands, and what they share: exit codes, loading files, printing diagnostics.
 */
#ifndef PTXSIM_CLI_CLI_H
#define PTXSIM_CLI_CLI_H

#include <argp.h>

#include "api/session.h"
#include "cli/play.h"

/* Exit codes. FAILED: the kernel failed, a check found something, an expectation did not hold. */
enum cli_exit { CLI_OK = 0, CLI_FAILED = 1, CLI_WRONG = 2 };

struct cli_command {
	const char *name;
	int (*run)(int count, char **words); /* words[0] is "ptxsim NAME" */
	const char *doc;
};

int cli_run(int count, char **words);
int cli_compare(int count, char **words);
int cli_debug(int count, char **words);
int cli_dap(int count, char **words);
int cli_check(int count, char **words);
int cli_info(int count, char **words);
int cli_test(int count, char **words);
int cli_isa(int count, char **words);

/* Opens a session; false after telling why not. */
bool cli_open(struct session *s);
/* Reads the files into the session; false after telling which cannot be read. */
bool cli_read_files(struct session *s, char *const *paths, size_t count);
/* Prints the session's diagnostics to standard error, in colour on a terminal. */
void cli_print_diagnostics(const struct session *s);
int cli_no_memory(void);

/* A whole decimal or 0x number of at least `low`, or an argp error. */
u64 cli_number(struct argp_state *state, const char *option, const char *text, u64 low);

/* What the options of cli_launch_argp say of how launches run. It is a child's parser: its input is this. */
struct launch_choices {
	u32 jobs; /* 0: not given */
	struct async_choice async;
	struct lock_order lock_order;
	struct race_options check;
};
extern const struct argp cli_launch_argp;
enum { CLI_LAUNCH_GROUP = 3 }; /* of its options in --help */

/* Runs `body` in a session of its own and prints the session's diagnostics: the exit code. */
int cli_in_session(int (*body)(struct session *s, void *options), void *options);

/* Prints each buffer of the script: name, type, range, the first `heads` elements. */
void cli_print_buffers(FILE *to, const struct script *s, u32 heads);

/* An observer that draws a progress bar on standard error; NULL where that is no terminal. */
struct progress;
struct progress *progress_new(struct arena *arena);
struct observer *progress_observer(struct progress *p);
void progress_start(struct progress *p, const char *kernel, u64 blocks);
void progress_end(struct progress *p);

#endif
