/* SPDX-License-Identifier: Apache-2.0
 *
 * The debugger's engine over the code of one module, kept from launch to launch with its breakpoints, and the launch that it
 * is given. Shared by the two front ends of programs: the prompt (debugging.c) and the editor (debugging_editor.c). Used by
 * one thread at a time.
 */
#ifndef PTXSIM_CUDA_DRIVER_SITTING_H
#define PTXSIM_CUDA_DRIVER_SITTING_H

#include "debug/console.h"

struct sitting {
	struct sitting *next;
	const struct program *program;
	struct arena arena;
	jmp_buf out_of_memory;
	struct debug *debug;
	struct console *console;
	struct launch *launch; /* under way */
	bool taken, is_done;
	enum launch_status status;
	struct launch_stats stats;
	struct fault fault;
};

/* NULL: no memory. */
struct sitting *sitting_new(const struct program *p, const struct debug_options *options, FILE *out,
			    const struct console_options *console);
void sitting_free(struct sitting *s);
/* The next launch that the engine gets. */
void sitting_take(struct sitting *s, struct launch *l);
/* Ends it, and gives what became of it. */
enum launch_status sitting_end(struct sitting *s, struct launch_stats *stats, struct fault *fault, char *message,
			       size_t size);

#endif
