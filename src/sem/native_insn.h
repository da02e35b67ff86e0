/* SPDX-License-Identifier: Apache-2.0
 *
 * Read before every family that is compiled for native code. Operands that do not fit an instruction stand behind it
 * there (native/llvm/emit.c), as constants, not in the kernel's code.
 */
#ifndef PTXSIM_SEM_NATIVE_INSN_H
#define PTXSIM_SEM_NATIVE_INSN_H

#include "exec/warp.h"

#define warp_operands(w, i) ((void)(w), (const u32 *)(const void *)((i) + 1))

/* Marks a meaning whose results depend on the floating-point mode: native/llvm/meanings.c takes the call away. */
void native_under_mode(void);
/* Likewise, marks one with a loop over lanes that takes values from copies of its rows, which may then stay in registers. */
void native_loops(void);
/* Likewise, marks an access that may be by a scaled row: sem/native_scaled.h. */
void native_scales(void);

#endif
