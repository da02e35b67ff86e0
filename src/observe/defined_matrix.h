/* SPDX-License-Identifier: Apache-2.0
 *
 * Undefined bits through the products of matrices: an element of the result is undefined if one of its
 * row of A, of its column of B, or its own of C is. A part of observe/defined.h.
 */
#ifndef PTXSIM_OBSERVE_DEFINED_MATRIX_H
#define PTXSIM_OBSERVE_DEFINED_MATRIX_H

#include "observe/defined.h"

/* Can the places of the form's elements be told, so that defined_product can follow it? */
bool defined_is_product(const struct form *f);
/* Writes the undefined bits of the results. False: nothing has been done, because what says how the elements are used is
 * undefined itself: metadata or scales. */
bool defined_product(const struct defined_insn *d, const struct frame *f, const struct form *form, u32 site);

enum { DEFINED_ROW_BYTES = 16 };

/* ldmatrix of 8x8 matrices of 16 bits: the undefined bits of the rows that the lanes name, into up to four registers. */
void defined_load_matrices(const struct frame *f, const struct defined_operand *const *registers, u32 count,
			   u8 rows[WARP_LANES][DEFINED_ROW_BYTES], bool transposed, u32 origin);

#endif
