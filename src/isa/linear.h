/* SPDX-License-Identifier: Apache-2.0
 *
 * A trait of rows beside those of isa/isa.h, which native code asks for (native/affine.c). Told by WITH(), as all traits are.
 */
#ifndef PTXSIM_ISA_LINEAR_H
#define PTXSIM_ISA_LINEAR_H

/* Of whole numbers of 32 or 64 bits: the result is a sum of products of its operands, modulo its width. A narrower operand
 * counts with its sign or without, as its type has it, and a shift by so many places as a product by that power of two. */
enum { TRAIT_LINEAR = 1 << 26 };

#endif
