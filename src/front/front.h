/* SPDX-License-Identifier: Apache-2.0
 *
 * What the front ends share: exit codes, loading files, printing diagnostics, choices of how launches run.
 */
#ifndef PTXSIM_FRONT_FRONT_H
#define PTXSIM_FRONT_FRONT_H

#include "api/session.h"
#include "front/colour.h"
#include "script/play.h"

/* Exit codes. FAILED: the kernel failed, a check found something, an expectation did not hold. */
enum cli_exit { CLI_OK = 0, CLI_FAILED = 1, CLI_WRONG = 2 };

/* Opens a session; false after telling why not. */
bool front_open(struct session *s);
/* Reads the files into the session; false after telling which cannot be read. */
bool front_read_files(struct session *s, char *const *paths, size_t count);
/* Prints the session's diagnostics to standard error. */
void front_print_diagnostics(const struct session *s, enum colour_choice colour);
int front_no_memory(void);

enum { FRONT_SOURCE_FOLDERS = 32 };

/* How launches run. */
struct launch_choices {
	enum colour_choice colour;
	u32 jobs; /* 0: not given */
	enum native_mode native;
	bool native_given; /* by an option, and not by the environment */
	bool any_order;
	struct async_choice async;
	struct lock_order lock_order;
	struct schedule_choice schedule;
	struct check_options check;
	enum memory_bounds bounds;
	u64 memory_limit; /* bytes of global memory; 0: not given */
	/* What texts may do with files: docs/security.md. */
	bool allow_paths, overwrite;
	const char *source_folders[FRONT_SOURCE_FOLDERS];
	u32 source_folder_count;
};

/* Tells the session and the script, before anything is read into it, what the options say about memory and files. */
void front_set_limits(const struct launch_choices *c, struct session *s, struct script *script);

/* Runs `body` in a session of its own and prints the session's diagnostics: the exit code. */
int front_in_session(int (*body)(struct session *s, void *options), void *options, enum colour_choice colour);

#endif
