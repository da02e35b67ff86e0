/* SPDX-License-Identifier: Apache-2.0
 *
 * What kernels ask for beside their own grid (CUDA C++ Programming Guide, "CUDA Dynamic Parallelism"): grids to launch,
 * copies, fills. They run after the grid that asked, which is a legal order since nothing in a kernel can wait for them:
 * children in the order in which they were launched, each with all that it launches itself, then the tail launches.
 *
 * Whoever runs a launch gives it a queue, and when it has ended takes from the queue until it is empty:
 *
 *     launch_run(...);
 *     grids_settle(q);
 *     while ((g = grids_take(q))) { run it; grids_settle(q); free(g); }
 */
#ifndef PTXSIM_EXEC_CHILD_GRIDS_H
#define PTXSIM_EXEC_CHILD_GRIDS_H

#include <pthread.h>

#include "decode/program.h"
#include "memory/memory.h"

enum grid_act { GRID_LAUNCH, GRID_COPY, GRID_FILL };

struct grid_request {
	struct grid_request *next;
	enum grid_act act;
	u32 kernel; /* of the whole program's */
	u32 grid[3], block[3];
	u64 shared_bytes;
	u64 to, from, to_pitch, from_pitch, width, height; /* of copies and fills */
	u8 value;
	u8 params[];
};

struct grid_list {
	struct grid_request *first, **last;
};

/* Where the arguments of a launch are gathered before it. */
struct grid_buffer {
	struct grid_buffer *next;
	u64 address, bytes;
	u32 kernel; /* NO_OPERAND: said by the launch itself */
	u32 grid[3], block[3];
	u32 shared_bytes;
};

/* What a thread of the grid that runs was told last, if it was an error. */
struct grid_error {
	struct grid_error *next;
	u64 block;
	u32 thread, number;
};

enum { GRID_TEXTS = 32 };

struct grid_queue {
	pthread_mutex_t lock;
	struct grid_list children, tails; /* of the grid that runs */
	struct grid_list waiting;
	struct grid_buffer *buffers;
	struct grid_error *errors;
	u64 texts[GRID_TEXTS]; /* addresses of what kernels may print, among `buffers`; 0: not there yet */
	u64 handles;           /* of streams and events, given out */
	u32 pending;
};

void grids_init(struct grid_queue *q);
/* Gives back what is left. */
void grids_free(struct grid_queue *q, struct memory *m);

/* Memory for a kernel's arguments; 0: there is none. */
u64 grids_buffer(struct grid_queue *q, struct memory *m, const struct grid_buffer *wanted);
/* Takes it, and its arguments as a launch of `kernel`, out of the list; NULL: it is no such buffer. */
struct grid_request *grids_from_buffer(struct grid_queue *q, struct memory *m, u64 address, struct grid_buffer *buffer);
/* False: too many are pending, and the request is freed. */
bool grids_add(struct grid_queue *q, struct grid_request *g, bool tail);

/* Remembers the thread's last error; what finds no memory is forgotten. */
void grids_fail(struct grid_queue *q, u64 block, u32 thread, u32 number);
/* The last one, or 0; `forget` leaves 0. */
u32 grids_error(struct grid_queue *q, u64 block, u32 thread, bool forget);

/* The address of a copy of the text in memory, the same one for the same `slot`; 0: there is no memory. */
u64 grids_text(struct grid_queue *q, struct memory *m, u32 slot, const char *text);

/* What the grid that has ended asked for comes before all that is waiting. */
void grids_settle(struct grid_queue *q);
/* The next, to be freed by the caller; NULL: there is none. */
struct grid_request *grids_take(struct grid_queue *q);
/* Carries out a copy or a fill; false: it leaves its memory. */
bool grids_move(struct memory *m, const struct grid_request *g);

#endif
