/* SPDX-License-Identifier: Apache-2.0
 *
 * What native code knows for certain of an access's addresses (native/affine.c). It stands in insn.run of its accesses, which count
 * no run of their own there.
 */
#ifndef PTXSIM_SEM_NATIVE_PROVEN_H
#define PTXSIM_SEM_NATIVE_PROVEN_H

/* Neighbours, the size of the access apart; all lanes at one place; each lane along a way of its own, as nothing loaded just before
 * says where; with n added, n bytes apart, a multiple of the size. Beside the first and PROVEN_ALONG: by a scaled row; beside that: what it
 * loads says where another access goes, of which struct ahead stands behind the instruction. */
enum native_proven {
	PROVEN_NOTHING,
	PROVEN_ROW,
	PROVEN_SAME,
	PROVEN_ALONG,
	PROVEN_STEP,
	PROVEN_STEP_MOST = 0x4000,
	PROVEN_SCALED = 0x8000,
	PROVEN_AHEAD = 0x4000
};

/* Of an access by a scaled row, in place of its handler: the row of the base; above that the shift, and whether the index counts with its
 * sign. */
enum { SCALED_SHIFT_AT = 32, SCALED_SIGNED = 256 };

#endif
