/* SPDX-License-Identifier: Apache-2.0
 *
 * What is debugged: files, the launches that they or the options describe, and the engine over them.
 * Shared by the debugger's front ends.
 */
#ifndef PTXSIM_FRONT_DEBUGGEE_H
#define PTXSIM_FRONT_DEBUGGEE_H

#include "front/options.h"
#include "debug/debug.h"

struct debuggee {
	struct session *session;
	struct script script;
	struct play play;
	struct launch launch; /* the current one, as played */
	struct debug *debug;
	void (*print)(void *context, const char *text, size_t length); /* what kernels print */
	void *print_context;
	bool told; /* the expectations, at the end */
};

/* Reads the files and launches and makes the engine; *b must stay where it is. False after telling why not. */
bool debuggee_open(struct debuggee *b, struct session *s, const struct run_options *o,
		   const struct debug_options *options);
/* After the last launch: expectations that do not hold, on `to`. False: some do not, or a kernel failed. */
bool debuggee_tell(struct debuggee *b, FILE *to);
void debuggee_close(struct debuggee *b);

#endif
