/* SPDX-License-Identifier: Apache-2.0
 *
 * Traits of rows beside those of isa/isa.h, which native code asks for (native/affine.c). Told by WITH(), as all traits are.
 */
#ifndef PTXSIM_ISA_LINEAR_H
#define PTXSIM_ISA_LINEAR_H

enum {
	/* Of whole numbers of 32 or 64 bits: the result is a sum of products of its operands, modulo its width. A narrower operand
	 * counts with its sign or without, as its type has it, and a shift by so many places as a product by that power of two. */
	TRAIT_LINEAR = 1 << 26,
	/* Each bit of the result follows, by one rule for all, from one bit of each operand: that of the same place, or so many places
	 * away, as other operands say. */
	TRAIT_BITWISE = 1 << 27,
	TRAITS_ALGEBRAIC = TRAIT_LINEAR | TRAIT_BITWISE
};

#endif
