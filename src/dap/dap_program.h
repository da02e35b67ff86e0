/* SPDX-License-Identifier: Apache-2.0
 *
 * A CUDA program under the editor's adapter, seen from the adapter: it starts the program, carries messages between the
 * editor and the session in the program, and tells what the program prints and how it ends.
 *
 *   editor  <->  this process: wire, session without an engine   <- socket ->   the program: session, engines, kernels
 *                        ^-------- standard output and error ------------------'
 *
 * Until the program initialises the driver, this process answers. Then the session in the program is told all that the
 * editor has set so far (its breakpoints have the same numbers there), and answers everything else. One thread knows all
 * this: the one that takes messages from the wire. Threads that read the socket and the output put theirs there, too.
 */
#ifndef PTXSIM_DAP_DAP_PROGRAM_H
#define PTXSIM_DAP_DAP_PROGRAM_H

#include "dap/dap.h"
#include "dap/dap_wire.h"

struct dap_program;

/* NULL: no memory. */
struct dap_program *dap_program_new(struct wire *w);
/* Ends the program, unless it was let go. */
void dap_program_close(struct dap_program *p);

/* Do the keys of a launch name a program? *error: why it cannot run; of the session's arena or the program's. */
bool dap_program_find(struct dap_program *p, json_t *launch, const char **error);
/* Starts it; what goes wrong is told as its end. */
void dap_program_start(struct dap_program *p, struct dap *s);
/* A request of the editor. True: the program answers it, and the message is taken over; else it is the session's here. */
bool dap_program_takes(struct dap_program *p, struct dap *s, json_t *message);
/* Messages that other threads have put into the wire; taken over. */
void dap_program_told(struct dap_program *p, struct dap *s, enum wire_origin origin, json_t *message);

#endif
