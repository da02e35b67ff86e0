/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the matrix family share: the check that a whole warp is there, and pointers to
 * the rows of a fragment.
 */
#ifndef PTXSIM_SEM_MATRIX_H
#define PTXSIM_SEM_MATRIX_H

#include "isa/matrix.h"
#include "sem/access.h"

/* The plan of an instruction, made by its meaning's `plan`. */
static inline const void *matrix_plan(const struct warp *w, const struct insn *i)
{
	return w->frame->code->plans[i->c];
}

/* Matrix instructions are .aligned: all lanes that live execute them together. Lanes that never
 * existed or have exited take part with whatever stands in their rows. */
static inline bool matrix_together(struct warp *w, const struct insn *i, u32 mask)
{
	if (LIKELY(mask == FULL_MASK || mask == w->live))
		return true;
	warp_fault(w, i, FAULT_ILLEGAL_INSTRUCTION, mask,
		   "an .aligned matrix instruction needs all lanes of the warp; here are 0x%08x of 0x%08x", mask,
		   w->live);
	return false;
}

/* The metadata of 16 rows is in as many lanes as it needs: a quarter of them, which 0 to 3 tell, a half, or
 * all. The assembler of older PTX takes 2 and 3 of f16 with f32 sums as well. */
static inline bool matrix_selector_fits(const struct tensor_form *t, s64 selector)
{
	const u32 lanes = 2u * t->k / t->group;

	if (t->a == TENSOR_F16 && t->d == TENSOR_F32 && t->family == TENSOR_MMA)
		return selector >= 0 && selector <= 3;
	return selector >= 0 && selector * lanes < WARP_LANES;
}

/* Rows of `count` registers from a list of operands; returns what follows in the list. */
static inline const u32 *matrix_rows(u8 *rows, const u32 *list, u32 count, void **pointers)
{
	for (u32 k = 0; k < count; k++)
		pointers[k] = rows + list[k];
	return list + count;
}

#endif
