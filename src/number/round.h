/* SPDX-License-Identifier: Apache-2.0
 *
 * Rounding modes, named as PTX names them. Passed by value to every function of this folder that
 * can round; never read from or written to the host's floating-point environment.
 */
#ifndef PTXSIM_NUMBER_ROUND_H
#define PTXSIM_NUMBER_ROUND_H

enum round {
	ROUND_RN, /* to nearest, ties to even */
	ROUND_RZ, /* toward zero */
	ROUND_RM, /* toward minus infinity */
	ROUND_RP, /* toward plus infinity */
	ROUND_RNA /* to nearest, ties away from zero: cvt.rna.tf32 only */
};

#endif
