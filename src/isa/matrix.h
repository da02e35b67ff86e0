/* SPDX-License-Identifier: Apache-2.0
 *
 * What a matrix instruction's words say: the multiplication of number/tensor.h that wmma, mma or
 * wgmma names, and how many registers each of its fragments takes. Called when operands are
 * matched and by the matrix family when it prepares an instruction.
 */
#ifndef PTXSIM_ISA_MATRIX_H
#define PTXSIM_ISA_MATRIX_H

#include "isa/isa.h"
#include "number/tensor_fragments.h"

/* The multiplication that the form's words name, resolved; of wmma.load and wmma.store one whose
 * fragment of the role loaded or stored is that. False: there is none on this hardware. Signs in
 * immediate operands (form->immediates) count for wgmma. */
bool isa_tensor_form(const struct form *form, struct tensor_form *tensor);

/* Of wmma.load and wmma.store: what is loaded or stored. */
enum tensor_role isa_wmma_role(const struct form *form);

/* Of ldmatrix and stmatrix: how many lanes, from the first on, name a row of 16 bytes in memory. A 16x16 matrix has 16
 * rows there; one of 16x8 bytes is stored by its columns. */
u32 isa_matrix_rows(const struct form *form);

/* Registers of a fragment; `letter` is A, B, C or D. 0 where isa_tensor_form is false. */
u32 isa_fragment_registers(const struct form *form, char letter);

#endif
