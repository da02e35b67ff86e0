/* SPDX-License-Identifier: Apache-2.0
 *
 * Traits of rows beside those of isa/isa.h: of which instructions the assembler has made several blocks when it looks for products
 * that sums may take up (src/ptxas/stretches.c). Told by WITH(), as all traits are.
 */
#ifndef PTXSIM_ISA_EXPANDED_H
#define PTXSIM_ISA_EXPANDED_H

enum {
	TRAIT_EXPANDED = 1 << 24,     /* of all types but u32 */
	TRAIT_EXPANDED_WIDE = 1 << 25 /* of 64 bits */
};

#endif
