/* SPDX-License-Identifier: Apache-2.0
 *
 * A launch that can be stopped before any instruction and gone on with: what the debugger stands
 * on. It runs on the calling thread, one worker, in the same order as launch_run with one job.
 *
 * Everything that a launch changes lies in struct grid, its one worker, that worker's arena and
 * the guest's memory: whoever saves and restores those four has saved and restored the launch.
 */
#ifndef PTXSIM_EXEC_STEPPING_H
#define PTXSIM_EXEC_STEPPING_H

#include "exec/launch.h"

/* What is wanted of one decoded instruction. */
enum hook { HOOK_STOP = 1, HOOK_ACCESS = 2 };

struct hooks {
	void *context;
	/* Asked before an instruction with HOOK_STOP runs; true: suspend the launch here, with *done
	 * instructions since the last accounting point. Not asked when a warp-synchronous
	 * instruction, once waited for, runs at last. */
	bool (*stop)(void *context, struct warp *w, const struct insn *i, u32 mask, s32 *done);
	/* Around an instruction with HOOK_ACCESS, for the lanes that execute it. */
	void (*before)(void *context, struct warp *w, const struct insn *i, u8 *rows, u32 mask);
	void (*after)(void *context, struct warp *w, const struct insn *i, u8 *rows, u32 mask);
	/* Private: by code index and instruction. */
	u8 **wanted;
	meaning_fn ***unhooked;
};

/* Prepares a launch; nothing has run yet. *m must stay where it is. Memory that runs out unwinds
 * `arena`, which must outlive the launch. After another result than LAUNCH_OK there is nothing to
 * close. */
enum launch_status stepping_open(struct grid *grid, const struct launch *l, struct hooks *hooks, struct arena *arena,
				 char *message, size_t size);
/* Wants `hook` (a sum of enum hook, 0: nothing) of an instruction from now on. */
void stepping_hook(struct grid *grid, const struct code *code, u32 insn, u32 hook);
/* Runs until a hook suspends the launch or worker->pause_at is reached (false), or it ends (true). */
bool stepping_run(struct grid *grid);
/* Lets one warp go on, out of order, until a hook suspends it or its turn ends. True: it faulted. */
bool stepping_run_warp(struct grid *grid, struct warp *w);
/* The counts of a launch, finished or not, its fault, and how it ended. */
enum launch_status stepping_result(const struct grid *grid, struct launch_stats *stats, struct fault *fault);
/* Frees what it holds: its warps and blocks cannot be looked at any more. */
void stepping_close(struct grid *grid);

/* Warp instructions issued when instruction i of `w` is about to run, `done` after the last
 * accounting point. */
static inline u64 stepping_now(const struct warp *w, s32 done)
{
	return w->worker->elapsed + (w->issued + (u64)(s64)done - w->counted);
}

#endif
