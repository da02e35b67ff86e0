/* SPDX-License-Identifier: Apache-2.0
 *
 * What compiling a kernel may cost. Most kernels are compiled in full. One for which that would take too long is cut into small regions of
 * lean code, and as many of these are compiled as there is time for, those in loops before others.
 */
#ifndef PTXSIM_NATIVE_COSTS_H
#define PTXSIM_NATIVE_COSTS_H

#include "native/region.h"

/* Whether a region must end, but for a branch that it has begun. meetings: branches times rows. */
bool region_exceeds(bool lean, u32 insns, u32 accesses, u64 meetings);

/* The shapes that an access of lean code has ways in line for. seen: by the trial, if there was one. */
u8 lean_shapes(const struct code_flow *f, u8 seen);

/* Microseconds of processor time that compiling the kernel may take. */
u64 regions_budget(const struct code_flow *f);

/* The regions to compile: those of regions_find, in full or lean, some of them `left`. */
struct regions regions_choose(const struct code_flow *f);

#endif
