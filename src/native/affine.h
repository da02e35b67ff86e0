/* SPDX-License-Identifier: Apache-2.0
 *
 * Which rows hold the same number in every lane, or numbers at equal distances, whenever they are read: native code keeps the first lane's
 * alone, and need not ask what addresses look like.
 */
#ifndef PTXSIM_NATIVE_AFFINE_H
#define PTXSIM_NATIVE_AFFINE_H

#include "native/flow.h"

/* Of the rows that such blocks have, as struct code_flow has it. */
u32 affine_row_threads(const u32 block[3]);

/* Sets `affine`, `step` and `distances` of the flow's rows, and its `row_threads`: of the blocks that code is made for, if it reads
 * where in them a thread is. Rows stay as they are if there is no memory. */
void affine_find(struct code_flow *f, u32 row_threads);

/* Whether the step's results are affine by themselves: the first lane's follows from the first lanes of what it reads, all of which are
 * affine. */
bool affine_step(const struct code_flow *f, const struct step *s);

/* Whether a row is read as a narrower number than the step's result: its lanes must not wrap around. 's', 'u': with or without sign;
 * 0: they may. */
char affine_widened(const struct code_flow *f, const struct step *s, const struct step_operand *read);

#endif
