/* SPDX-License-Identifier: Apache-2.0
 *
 * Fragments of matrix instructions shown as the matrices they are: what a warp's registers hold, each
 * element at its row and column. For the debugger and for reports.
 */
#ifndef PTXSIM_REPORT_FRAGMENT_H
#define PTXSIM_REPORT_FRAGMENT_H

#include <stdio.h>

#include "decode/program.h"
#include "number/tensor_fragments.h"

struct fragment {
	struct tensor_form form;
	enum tensor_role role;
	bool transposed; /* of m8n8k4 with f16: A by columns, B by rows */
	u32 warp;        /* of wgmma: the warp's number in its group, whose 16 rows are shown */
	u32 count;       /* registers */
	const void *rows[TENSOR_MAX_REGISTERS];
};

/* Operand `letter` (A, B, C, D; of wmma.load and wmma.store the one there is) of instruction `insn` of a
 * function, in a frame's rows. False: the instruction is none of matrices, or has no such operand in
 * registers. `warp` is the warp's index in its block. */
bool fragment_find(struct fragment *x, const struct code *code, u32 insn, const u8 *frame, u32 warp, char letter);

/* "A 16x16 f16", a line of column numbers, and a line for each row. Sparse A: as stored. m8n8k4 with f16:
 * the four matrices of the four groups of lanes. */
void fragment_print(FILE *to, const struct fragment *x);

#endif
