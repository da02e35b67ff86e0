/* SPDX-License-Identifier: Apache-2.0
 *
 * What native code knows for certain of an access's addresses (native/affine.c). It stands in insn.run of its accesses, which count
 * no run of their own there.
 */
#ifndef PTXSIM_SEM_NATIVE_PROVEN_H
#define PTXSIM_SEM_NATIVE_PROVEN_H

#include "exec/shared_margin.h"

/* Neighbours, the size of the access apart; all lanes at one place; each lane along a way of its own, as nothing loaded just before
 * says where; words of shared memory within a window, each at a known distance from the first lane's; with n added, n bytes apart upwards, or downwards, a multiple of the size. Beside the first and PROVEN_ALONG: by a scaled row; beside that: what it
 * loads says where another access goes, of which struct ahead stands behind the instruction. */
enum native_proven {
	PROVEN_NOTHING,
	PROVEN_ROW,
	PROVEN_SAME,
	PROVEN_ALONG,
	PROVEN_WINDOW,
	PROVEN_STEP = 0x3000,
	PROVEN_DOWN_MOST = 0x2000,
	PROVEN_STEP_MOST = 0x4000,
	PROVEN_SCALED = 0x8000,
	PROVEN_AHEAD = 0x4000
};

static inline int proven_is_step(unsigned proven)
{
	return proven >= PROVEN_STEP - PROVEN_DOWN_MOST && proven <= PROVEN_STEP + PROVEN_STEP_MOST;
}
/* Whether all lanes of such an access by a 32-bit address of shared memory may be read if some of them are within reach. */
static inline int proven_has_margin(unsigned proven)
{
	const int step = (int)proven - PROVEN_STEP, others = 31;

	return proven_is_step(proven) && others * (step < 0 ? -step : step) <= SHARED_MARGIN;
}
/* Whether the access has a way in line that asks which lanes run. */
static inline int proven_by_some(unsigned proven, int wide)
{
	return wide ? proven_is_step(proven) && proven < PROVEN_STEP : proven_has_margin(proven);
}

enum { WINDOW_WORDS = 64, WINDOW_PIECE = 8, WINDOW_PIECES = WINDOW_WORDS / WINDOW_PIECE };

/* What stands behind an access of PROVEN_WINDOW. */
struct word_window {
	s32 from;  /* bytes, from the first lane's address to the window */
	u32 words; /* that are within it, from the first that is accessed to the last */
};
struct window_load {
	struct word_window at;
	u32 slot[32];                /* by lane: its word of the window */
	u32 used[32 / WINDOW_PIECE]; /* by eight lanes: the pieces of eight words that they load from, a set */
};
struct window_store {
	struct word_window at;
	u32 lane[WINDOW_WORDS];  /* by word: the lane that stores there, */
	u32 bit[WINDOW_WORDS];   /* and that lane's bit of a mask; 0: none does */
	u32 used[WINDOW_PIECES]; /* by piece: which eight lanes store there, a set */
};

/* In place of other accesses' handlers: others of the same place in global memory come together with it (native/spots.c). Then insn.c says
 * where among the rows this is, which the one tells the next: */
enum { HAS_SPOT = 0x100 };
struct spot {
	unsigned char *host; /* NULL: it is not known */
	unsigned flags;      /* of the allocation */
};

/* Of an access by a scaled row, in place of its handler: the row of the base; above that the shift, and whether the index counts with its
 * sign. */
enum { SCALED_SHIFT_AT = 32, SCALED_SIGNED = 256 };

#endif
