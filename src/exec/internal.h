/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of exec share and meanings do not need.
 */
#ifndef PTXSIM_EXEC_INTERNAL_H
#define PTXSIM_EXEC_INTERNAL_H

#include "exec/run.h"

enum { CALL_DEPTH_MAX = 20000 };

void fp_save(struct worker *worker);
void fp_restore(struct worker *worker);

/* Frames are kept for reuse by their code: constants need filling only once. */
struct frame *frame_new(struct warp *w, const struct code *code, u64 local_base);
void frame_free(struct warp *w, struct frame *f);
/* Makes a kernel's frame, once made for this warp, ready for the next block. */
void frame_restart(struct warp *w, struct frame *f);

void worker_run(struct worker *worker);
void worker_free_local(struct worker *worker);
void machine_start_helpers(struct machine *m);
void machine_fault_memory(struct machine *m);
/* Makes patched copies of all code if the launch has observers. */
void machine_watch(struct machine *m, struct arena *arena);
/* Puts the warp's live lanes at the kernel's entry. */
void warp_start(struct warp *w, const struct code *code);
/* Can something other than the cluster's own warps wake one of them? */
bool cluster_can_wait(const struct cluster *c);

/* Parks the running split without choosing another. */
struct split *warp_store(struct warp *w, const struct insn *pc, enum split_state state);
/* After lanes exited: .sync instructions that waited for them may be complete. */
void warp_recheck_sync(struct warp *w);

#endif
