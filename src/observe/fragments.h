/* SPDX-License-Identifier: Apache-2.0
 *
 * The accesses that wmma.load and wmma.store become: machine code has one load or store for each run
 * of neighbouring elements that a lane holds, since no instruction moves a whole fragment. Recorded
 * for f16 factors (four loads of 4 bytes) and f32 results (four stores of 8 bytes).
 */
#ifndef PTXSIM_OBSERVE_FRAGMENTS_H
#define PTXSIM_OBSERVE_FRAGMENTS_H

#include "exec/grid.h"

enum { FRAGMENT_ACCESSES = 64 };

/* Where each lane's part of an access lies, in rows and columns of the matrix. */
struct fragment_access {
	u32 bytes; /* of a lane */
	u16 row[WARP_LANES], column[WARP_LANES];
};

struct fragment_accesses {
	u32 count;
	u32 bits; /* of an element */
	bool row_major;
	u32 rows, columns;  /* of the matrix */
	u32 stride_operand; /* in the operand list */
	struct fragment_access access[FRAGMENT_ACCESSES];
};

/* NULL if the form is no wmma.load or wmma.store. */
const struct fragment_accesses *fragments_describe(struct arena *arena, const struct form *form);

/* The addresses of access k, from those of the matrix (by lane) and the elements from row to row (or
 * column to column). */
void fragments_address(const struct fragment_accesses *f, u32 k, const u64 base[WARP_LANES], u64 stride,
		       u64 address[WARP_LANES]);
/* That distance, as the instruction says it. */
u64 fragments_stride(const struct fragment_accesses *f, const struct code *code, const struct form *form,
		     const struct insn *i, const u8 *rows, u32 mask);

#endif
