/* SPDX-License-Identifier: Apache-2.0
 *
 * Fragments of matrix instructions element by element, for who draws them.
 */
#ifndef PTXSIM_REPORT_FRAGMENT_CELLS_H
#define PTXSIM_REPORT_FRAGMENT_CELLS_H

#include "decode/program.h"

/* An element: its place in the matrix, and the lane and register (from 0) that hold it. */
struct fragment_cell {
	u32 part; /* of m8n8k4 with f16: which of the four matrices; else 0 */
	u32 row, column, lane, reg;
	const char *text; /* its value; lives for the call */
};
typedef void fragment_visitor(void *context, const struct fragment_cell *cell);

/* Visits the elements of an operand, as fragment_find names it; NULL: it is none. Else "A 16x16 f16", in the arena. */
const char *fragment_visit(struct arena *arena, const struct code *code, u32 insn, const u8 *frame, u32 warp,
			   char letter, fragment_visitor *visit, void *context);

#endif
