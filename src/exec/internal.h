/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of exec share and meanings do not need.
 */
#ifndef PTXSIM_EXEC_INTERNAL_H
#define PTXSIM_EXEC_INTERNAL_H

#include "exec/async.h"
#include "exec/launch.h"
#include "exec/run.h"

enum { CALL_DEPTH_MAX = 20000 };

void fp_save(struct worker *worker);
void fp_restore(struct worker *worker);

/* Frames are kept for reuse by their code: constants need filling only once. */
struct frame *frame_new(struct warp *w, const struct code *code, u64 local_base);
void frame_free(struct warp *w, struct frame *f);
/* Makes the kernel's frames of a block's warps, in one piece for gangs, or ready for the next block. True: they have been
 * made, and lack what gangs compute once for a launch. */
bool frames_of_block(struct block *b, const struct code *code);
/* Their rows of %ctaid, whatever stands there. */
void frames_place_block(const struct block *b, const struct code *code);

/* %tid's element of all lanes of a warp. */
void tid_row(const struct warp *w, u32 element, u32 row[WARP_LANES]);

/* Why worker_run came back: no blocks are left, or the launch has ended; it stands at a stop (exec/stepping.h); it is the
 * first worker, and other host threads would pay now. After the last two it is called again. */
enum worker_state { WORKER_ENDED, WORKER_SUSPENDED, WORKER_WANTS_OTHERS };
/* Runs blocks, on the calling thread. */
enum worker_state worker_run(struct worker *worker);
/* Lets one warp have a turn out of order. */
void worker_turn(struct worker *worker, struct warp *w);
void grid_fault_memory(struct grid *grid);
/* Before grid_begin. */
void grid_clear(struct grid *grid);
/* Prepares *m and its first worker; `arena` outlives it. LAUNCH_OK, or why not. */
enum launch_status grid_begin(struct grid *grid, const struct launch *l, struct arena *arena, bool alone, char *message,
			      size_t size);
/* Runs the first worker here. False: it was suspended. */
bool grid_work(struct grid *grid);
/* Of a grid whose helpers are done, or that has none: the counts so far, the fault, how it ended. */
enum launch_status grid_result(const struct grid *grid, struct launch_stats *stats, struct fault *fault);
/* Frees a grid of one worker. */
void grid_drop(struct grid *grid);
/* Frees a worker that no grid has any longer; or NULL. */
void worker_free(struct worker *worker);
/* Waits for the helpers, collects counts and fault, frees. */
enum launch_status grid_end(struct grid *grid, struct launch_stats *stats, struct fault *fault);
/* standstill.c: whether a worker whose clusters all wait or spin may go on. False: none of the launch's workers ever
 * will, and a fault was raised. */
bool worker_goes_on(struct worker *k);
/* Some of its clusters have got somewhere. */
void worker_moved(struct worker *k);
/* Workers that are about to take clusters, and one that takes no more. */
void worker_begins(struct grid *grid);
void worker_ends(struct worker *k);
/* Raises a fault that says what the first warp of the cluster that cannot go on waits for. */
void tell_deadlock(struct cluster *c);

/* Makes patched copies of all code if the launch has observers. */
void grid_watch(struct grid *grid, struct arena *arena);
struct native_kernel *grid_watch_native(struct grid *grid, struct arena *arena, struct native_kernel *kernel);
/* Of a launch that has native code, or may have it: whether its observers let the block, which begins, run natively. */
bool block_natively(const struct block *b);
void worker_give_tallies(struct worker *k);
/* What native code notes of an instruction of NATIVE_REPEATS, number `insn`, when all lanes of w have come to it. */
void native_note_repeat(struct native_repeats *r, const struct warp *w, const struct insn *i, u32 insn, const u8 *rows);
/* Puts the warp at the kernel's entry; warp_enter makes a split of its lanes there. */
void warp_start(struct warp *w, const struct code *code);
void warp_enter(struct warp *w);
/* All live lanes of the warp stand together, ready to go on at the kernel's level: where, or NULL. */
const struct insn *warp_stands(const struct warp *w);
/* Makes it so; and takes that only split away, to be run otherwise. */
void warp_stand(struct warp *w, const struct insn *pc);
void warp_take(struct warp *w);
/* The running split is all that lives of the warp, at the kernel's level. */
bool warp_is_whole(const struct warp *w);
/* The split that comes first lets the others go before it, as one that yields does. */
void warp_give_way(struct warp *w);
/* The warp spins and nothing changes: lanes that wait at joins go on alone. True if there were any. */
bool warp_let_go(struct warp *w);
/* Ends the warp's turn, to go on at `pc` in the next one. */
const struct insn *warp_rest(struct warp *w, const struct insn *pc);
/* Lanes of the entry frame that are to run from `pc`, before what is ready already; and a join of lanes
 * that go different ways. */
void warp_stand_apart(struct warp *w, const struct insn *pc, u32 mask, struct join *join);
/* Lanes of the entry frame that wait at the convergence barrier of that row, to go on at `pc`. */
void warp_park_apart(struct warp *w, const struct insn *pc, u32 mask, u32 barrier);
struct join *warp_open_join(struct warp *w, const struct insn *pc, u32 expected, u32 arrived, struct join *parent);
/* A fault that no running instruction has: of an instruction that ran, by its number in `code`. */
void block_fault(struct warp *w, const struct code *code, u32 insn, const char *detail, ...)
	__attribute__((format(printf, 4, 5)));

/* Puts the running split back before instruction i, in the middle of its turn. `done`: instructions
 * since the last accounting point. */
const struct insn *warp_suspend(struct warp *w, const struct insn *i, s32 done);
/* Parks the running split without choosing another. */
struct split *warp_store(struct warp *w, const struct insn *pc, enum split_state state);
/* The lanes have exited: nothing in the warp waits for them any longer. */
void warp_forget(struct warp *w, u32 lanes);
/* A join of the warp, all of whose fields are zero; and one whose last lane has arrived or exited. */
struct join *warp_new_join(struct warp *w);
void warp_complete_join(struct warp *w, struct join *j);
/* After lanes exited: .sync instructions that waited for them may be complete. */
void warp_recheck_sync(struct warp *w);

struct gang_place;
/* As gang_place, of machine code. beside: the place, plus 1, of lanes that wait beside those that run (exec/converge.h); 0: none. */
void gang_place_machine(struct gang *g, u32 k, const struct gang_place *places, u32 count, u32 beside, u32 running,
			const struct insn *pc);

#endif
