/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds libptxsim-native.so.
 */
#ifndef PTXSIM_NATIVE_LOAD_H
#define PTXSIM_NATIVE_LOAD_H

#include "base/types.h"

struct native_compiler;
struct native_plugin;

/* NULL and a message: it is not there, or is not of this version. It stays loaded for good: LLVM cannot be unloaded. */
const struct native_plugin *native_load(char *message, size_t size);

/* The same, and a compiler of it for this processor, which the plug-in's `close` ends. NULL and a message: there is none. */
struct native_compiler *native_load_compiler(const struct native_plugin **plugin, char *message, size_t size);

/* Whether both the plug-in's file and a processor for its code are there, found out without loading it; else a message. */
bool native_is_possible(char *message, size_t size);

enum { FILE_IDENTITY_WORDS = 6 };

/* Tells a file from all others, and from itself before it was replaced. False: there is none. */
bool file_identity(const char *path, u64 words[FILE_IDENTITY_WORDS]);
/* The same of the file that native_load() takes. */
bool plugin_identity(u64 words[FILE_IDENTITY_WORDS]);

#endif
