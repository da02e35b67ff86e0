/* SPDX-License-Identifier: Apache-2.0
 *
 * The debugger inside a running program: `ptxsim debug --exec` starts the program with one end of a socket and with a token,
 * an eventfd at 1, and PTXSIM_DEBUG=SOCKET:TOKEN with their numbers. Of several processes of the program, the first to use the
 * driver takes the token, and is debugged. Launches then run under the engine, on the thread that executes them, one at a time; at a stop the
 * commands come through the socket, and what they print goes back:
 *
 *     to the front end    text as it is printed; \1 PROMPT \2 asks for a line; \3: the user wants to leave
 *     from it             lines
 *
 * With PTXSIM_DEBUG=dap:SOCKET:TOKEN the front end is the editor's adapter: see debugging_editor.h.
 *
 * A launch stops at its first instruction if it is the first, if PTXSIM_KERNEL or PTXSIM_LAUNCH choose it, or as long as
 * there is no breakpoint, watchpoint or catchpoint. Launches that those variables leave out run at full speed.
 */
#ifndef PTXSIM_CUDA_DRIVER_DEBUGGING_H
#define PTXSIM_CUDA_DRIVER_DEBUGGING_H

#include "api/context.h"

/* Reads what is asked for; false after telling what is wrong. */
bool debugging_open(void);
/* Is there a debugger? Modules are then built for it. */
bool debugging_is_on(void);
/* A launch_runner. */
enum launch_status debugging_run(void *context, struct launch *l, struct launch_stats *stats, struct fault *fault,
				 char *message, size_t size);
/* The module's code has come, and is about to go. */
void debugging_loaded(const struct program *p);
void debugging_forget(const struct program *p);
/* In a process that the program forked, which has no device. */
void debugging_in_child(void);

#endif
