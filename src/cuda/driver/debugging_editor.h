/* SPDX-License-Identifier: Apache-2.0
 *
 * The debugger inside a running program, for an editor: a session of the Debug Adapter Protocol on a thread of its own, with
 * the adapter (dap/dap_program.h) at the other end of the socket. Engines run on that thread, one launch at a time, while
 * the program's thread that launches waits.
 */
#ifndef PTXSIM_CUDA_DRIVER_DEBUGGING_EDITOR_H
#define PTXSIM_CUDA_DRIVER_DEBUGGING_EDITOR_H

#include "exec/launch.h"

/* Waits until the adapter has said what the editor has set. False after telling what is wrong. */
bool editor_open(int socket);
/* False: it has left, and the program goes on without it. */
bool editor_is_there(void);
/* As debugging_run. */
enum launch_status editor_run(bool chosen, struct launch *l, struct launch_stats *stats, struct fault *fault,
			      char *message, size_t size);
void editor_loaded(const struct program *p);
void editor_forget(const struct program *p);
void editor_in_child(void);

#endif
