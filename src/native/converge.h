/* SPDX-License-Identifier: Apache-2.0
 *
 * What native code of machine code calls where lanes part and meet: see native_services.
 */
#ifndef PTXSIM_NATIVE_CONVERGE_H
#define PTXSIM_NATIVE_CONVERGE_H

#include "native/plugin.h"

u32 native_part_machine(struct native_run *r, u8 *rows, u64 lanes, u64 blocks, bool fewer_first);
u32 native_awaits(struct native_run *r, const u8 *rows, u32 mask, u32 block);

#endif
