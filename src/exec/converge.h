/* SPDX-License-Identifier: Apache-2.0
 *
 * Convergence of lanes as machine code of sm_70 and later asks for it. A convergence barrier is a row of the frame: for
 * each lane the mask of those that are to meet. BSSY writes it for the lanes that run together, BREAK takes lanes out of it,
 * code may save and restore it. BSYNC parks lanes until all of their mask that live are parked at that barrier; they go on
 * behind their own BSYNC, those at the same place together. WARPSYNC does the same with a mask of its own.
 */
#ifndef PTXSIM_EXEC_CONVERGE_H
#define PTXSIM_EXEC_CONVERGE_H

#include "exec/run.h"

/* In place of a barrier's row: by a mask alone; and so that all go on where one of them does. */
enum { CONVERGE_BY_MASK = -1, CONVERGE_COLLECTIVELY = -2 };

/* Parks the running lanes, to go on at `next`, until those have come that the row `barrier` of the frame names, or with
 * CONVERGE_BY_MASK or CONVERGE_COLLECTIVELY the lanes `members`; wakes all if these were the last. No split runs then: the
 * caller takes the next one. warp_converge (exec/run.h) is what an instruction calls. */
void converge_park(struct warp *w, s32 barrier, u32 members, const struct insn *next);
/* Lanes spin: those that are parked at barriers, maybe for them, go on alone, and nobody waits for them any more. */
void converge_give_up(struct warp *w);
/* YIELD: the running lanes go behind the warp's other ready splits, to go on at `next`; the turn goes on with the first of
 * those. */
const struct insn *converge_stand_back(struct warp *w, const struct insn *next);
/* Lanes exited, or left a barrier: others may have waited for them alone. */
void converge_recheck(struct warp *w);

#endif
