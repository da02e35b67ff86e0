/* SPDX-License-Identifier: Apache-2.0
 *
 * The process of a program under the editor's adapter: its start, its output, its end.
 */
#ifndef PTXSIM_DAP_DAP_PROCESS_H
#define PTXSIM_DAP_DAP_PROCESS_H

#include <sys/types.h>

#include "dap/dap_wire.h"
#include "front/program.h"

struct dap_process {
	pid_t id;        /* also of its group */
	FILE *to, *from; /* the session in it; NULL: there is none */
	int output[2];   /* what it prints: standard output, standard error */
	int wake;        /* what ends the thread that reads those */
	struct wire *wire;
	pthread_t reader, pump;
	bool reads, pumps, is_over; /* reads: the pump's while that runs */
};

/* Starts a program with the keys of a launch. What it says and prints, and its end, go to the wire from now on. NULL with
 * the reason. */
struct dap_process *process_start(const char *path, json_t *launch, struct wire *w, char message[PROGRAM_MESSAGE]);
/* Asks it and its children to end (SIGTERM); ends them (SIGKILL). */
void process_ask_to_end(const struct dap_process *p);
void process_end(const struct dap_process *p);
/* It goes on without this process: what it prints from now on is read and dropped. */
void process_let_go(struct dap_process *p);
/* Its end has been taken from the wire. */
void process_is_over(struct dap_process *p);
/* When the wire takes nothing any more, and the program has been ended or let go. */
void process_close(struct dap_process *p);

#endif
