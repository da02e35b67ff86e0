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
/* Lanes of the running split part from it, to go on at pc when it is their turn. A card knows three kinds of ready splits (read off
 * an H100, docs/sass.md): the one that runs, the one that it parted from last, which waits beside it and is next, and a pool.
 * When lanes part again, who waits there goes to the pool, where splits at the same instruction become one. */
void converge_part(struct warp *w, u32 lanes, const struct insn *pc);
/* Lanes of a warp that are at one place: do they wait for the same ones at all barriers that code from there on may look at?
 * index: the place's, in the code; rows: the warp's. */
bool converge_alike(const struct code *code, u32 index, const u8 *rows, u32 lanes, u32 others);
/* Lanes exited, or left a barrier: others may have waited for them alone. */
void converge_recheck(struct warp *w);

#endif
