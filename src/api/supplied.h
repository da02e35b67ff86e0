/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions of the device runtime that are made of ordinary instructions, and so are supplied as PTX of our own: those that
 * tell of a cooperative grid and wait for all of it (cuda_device_runtime_api.h). Others are in sem/device_runtime.c.
 */
#ifndef PTXSIM_API_SUPPLIED_H
#define PTXSIM_API_SUPPLIED_H

#include "base/strings.h"
#include "ir/ir.h"

/* The text that defines what the modules declare and none of them defines; NULL: there is nothing to supply. `strings` has
 * the modules' names. */
const char *supplied_text(struct ir_module *const *modules, u32 count, struct strings *strings);

#endif
