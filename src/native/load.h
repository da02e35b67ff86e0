/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds libptxsim-native.so.
 */
#ifndef PTXSIM_NATIVE_LOAD_H
#define PTXSIM_NATIVE_LOAD_H

#include "native/plugin.h"

/* NULL and a message: it is not there, or is not of this version. It stays loaded for good: LLVM cannot be unloaded. */
const struct native_plugin *native_load(char *message, size_t size);

#endif
