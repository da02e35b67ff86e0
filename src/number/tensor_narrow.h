/* SPDX-License-Identifier: Apache-2.0
 *
 * The products of narrow floats that sm_120 has, with or without scales for blocks of elements (PTX ISA, mma with .kind,
 * and "Block Scaling for mma.sync"). By the manual: no recording exists. It leaves the precision of the sums open but for
 * a lower bound; they are formed as an H200 forms its others: all addends aligned to the greatest exponent, cut 25 bits
 * below it, added exactly, and rounded once.
 */
#ifndef PTXSIM_NUMBER_TENSOR_NARROW_H
#define PTXSIM_NUMBER_TENSOR_NARROW_H

#include "number/tensor.h"

/* One multiplication of a form whose `arith` is TENSOR_NARROW; of 16 rows and 8 columns. */
void tensor_mma_narrow(const struct tensor_form *form, const struct tensor_operands *o);

#endif
