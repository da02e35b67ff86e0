/* SPDX-License-Identifier: Apache-2.0
 *
 * Running a kernel. A launch is synchronous: it returns when every block has finished or the
 * kernel faulted. Two launches may run in two threads if they share no memory object.
 */
#ifndef PTXSIM_EXEC_LAUNCH_H
#define PTXSIM_EXEC_LAUNCH_H

#include "exec/grid.h"

enum launch_status {
	LAUNCH_OK,
	LAUNCH_FAULT,      /* *fault says what and where */
	LAUNCH_BAD_CONFIG, /* *message says what: block too large, too much shared memory, ... */
	LAUNCH_NO_MEMORY,
	LAUNCH_INTERRUPTED, /* launch->stop was set */
};

/* What a variable gets of memory: atomics of 8 and 16 bits are made out of the 32-bit word that holds them, which is the
 * variable's in full. */
u64 global_variable_bytes(const struct memory *m, const struct global_variable *g);
/* Maps the program's module-scope variables into memory and writes their initial bytes; call once
 * for each program and memory, and again (reset) to restore the initial values. */
bool memory_load_program(struct memory *m, const struct program *p);

/* Reads "eager", "strict", "random" or "random:SEED"; false if the text is none of these. */
bool async_choice_read(const char *text, struct async_choice *choice);

/* Runs. `message` gets a one-line reason for LAUNCH_BAD_CONFIG. */
enum launch_status launch_run(const struct launch *l, struct launch_stats *stats, struct fault *fault, char *message,
			      size_t message_size);

/* How many clusters (blocks, in a launch without clusters) it has; 0: its configuration is wrong. */
u64 launch_clusters(const struct launch *l);
/* A block's shared memory, in units if the system's part lies behind it. */
u64 launch_shared_bytes(const struct launch *l);

/* Fills `text` with a full description of the fault: what, instruction, source line, block, thread,
 * address, nearest allocation. */
void fault_describe(const struct memory *m, const struct launch *l, const struct fault *f, char *text, size_t size);

#endif
