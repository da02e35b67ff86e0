/* SPDX-License-Identifier: Apache-2.0
 *
 * Which loops only count: the registers that decide when lanes leave come from nothing but registers, constants and the
 * kernel's parameters. Such a loop ends by itself, whatever atomics and calls stand in it, so its lanes wait for nobody, and
 * those that have left it wait where the text lets them meet, as on the hardware. For PTX (decode/spin.c) and machine code
 * (sass/spin.c) alike.
 */
#ifndef PTXSIM_DECODE_COUNTING_H
#define PTXSIM_DECODE_COUNTING_H

#include "base/arena.h"

/* An instruction of the loop's text, which runs from the one that is jumped back to, number 0, to the branch that does. Its
 * lists lie in the arena of who fills it. */
struct counting_step {
	u32 *reads, *writes; /* registers, below the number that counting_loop gets; the guard is among `reads` */
	u32 read_count, write_count;
	u32 *targets; /* of a branch: steps; any number that is none is out of the loop */
	u32 target_count;
	bool branches; /* may go elsewhere than to the next instruction */
	bool leaves;   /* a return or an exit */
	bool computes; /* each lane for itself, from what no other thread writes */
};

enum { COUNTING_WORK = 1 << 20 }; /* steps and registers to be looked at in all loops of a function, at most */

/* Room for the steps of a loop, in the arena; NULL: more than what is left of *work, on which it draws. */
struct counting_step *counting_steps(struct arena *scratch, u32 count, u64 *work);
/* Does the loop end by itself, whatever other threads do? False also of one that may, but needs more than is left of *work,
 * which it draws on. */
bool counting_loop(struct arena *scratch, const struct counting_step *steps, u32 count, u32 registers, u64 *work);

#endif
