/* SPDX-License-Identifier: Apache-2.0
 *
 * Files read whole: modules, launch scripts, buffers.
 */
#ifndef PTXSIM_API_FILE_H
#define PTXSIM_API_FILE_H

#include "base/types.h"

/* The bytes of a file ("-": standard input) from malloc, NUL-terminated. NULL with *message set
 * (static text or strerror's) if it cannot be read or holds more than `limit` bytes. */
char *file_read_whole(const char *path, size_t limit, size_t *length, const char **message);

#endif
