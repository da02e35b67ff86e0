/* SPDX-License-Identifier: Apache-2.0
 *
 * Machine code as PTX: each instruction of a cubin's kernel becomes the PTX instructions that compute the same bits, so
 * that kernels without PTX run, and machine code can be compared with the PTX that it was made of. A first executor:
 * one arithmetic serves both. Straight code, branches, calls of routines in the kernel's own section, global, shared, local,
 * generic and constant memory; what has no translation is an error that names it, where it is reached.
 *
 * Registers are .b32 registers of the same numbers (%r4, %u4 for UR4), pairs are joined for 64-bit operations, predicates
 * are %p0 and %q0. Convergence barriers vanish: PTX lanes meet where their ways meet.
 */
#ifndef PTXSIM_SASS_PTX_H
#define PTXSIM_SASS_PTX_H

#include "sass/cubin.h"

/* The text of a module with the cubin's kernels. NULL, and `why`: not a target of sm_90 to sm_99, for which bank 0 is known. */
char *sass_to_ptx(struct arena *a, const struct cubin *c, const char **why);

#endif
