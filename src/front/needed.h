/* SPDX-License-Identifier: Apache-2.0
 *
 * Which shared libraries an executable asks the dynamic linker for.
 */
#ifndef PTXSIM_FRONT_NEEDED_H
#define PTXSIM_FRONT_NEEDED_H

#include <stddef.h>

/* The first of them whose name begins so, in the executable's bytes; NULL: there is none, or this is no 64-bit ELF file
 * of little endian, or it is broken. */
const char *needed_library(const char *bytes, size_t length, const char *beginning);

#endif
