/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of C++ as their source has them. The work is done by the C++ runtime's own __cxa_demangle, which is
 * looked for when the first mangled name is met and never linked: where there is no such library, names stay as
 * they are. Thread-safe.
 */
#ifndef PTXSIM_BASE_DEMANGLE_H
#define PTXSIM_BASE_DEMANGLE_H

#include <stdio.h>

#include "base/arena.h"

/* "void scale<float>(float*, float, int)" of "_Z5scaleIfEvPT_S0_i"; `name` itself if it is not mangled. */
const char *demangle(struct arena *a, const char *name);
/* The same without result and parameters: "scale<float>". */
const char *demangle_short(struct arena *a, const char *name);
/* Writes it. */
void demangle_print(FILE *to, const char *name);
/* Does `wanted` mean that name? It may be the mangled name, or the demangled one: whole, without its
 * parameters, without its template arguments, or without the namespaces before it. Blanks do not count. */
bool demangle_matches(struct arena *a, const char *name, const char *wanted, size_t length);

#endif
