/* SPDX-License-Identifier: Apache-2.0
 *
 * What is known for certain of where an access goes: sem/native_proven.h.
 */
#ifndef PTXSIM_NATIVE_PROVEN_H
#define PTXSIM_NATIVE_PROVEN_H

#include "native/flow.h"
#include "sem/native_proven.h"

/* Of access number k, a load or store whose form the flow knows: one of enum native_proven, or PROVEN_STEP and a distance in bytes.
 * affine: what affine_find has found holds where it stands. */
u16 proven_find(const struct code_flow *f, u32 k, bool affine);

#endif
