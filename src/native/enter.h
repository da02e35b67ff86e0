/* SPDX-License-Identifier: Apache-2.0
 *
 * Running native code from a gang, and what native code calls.
 */
#ifndef PTXSIM_NATIVE_ENTER_H
#define PTXSIM_NATIVE_ENTER_H

#include "exec/gang.h"
#include "native/plugin.h"

extern const struct native_services native_services;

/* The handler of a region's first instruction. */
gang_fn native_enter;

#endif
