/* SPDX-License-Identifier: Apache-2.0
 *
 * Files read whole: modules, launch scripts, buffers, sources. Paths that a text names, and not the user, are
 * confined to a folder: docs/security.md has the promises.
 */
#ifndef PTXSIM_BASE_FILE_H
#define PTXSIM_BASE_FILE_H

#include "base/types.h"

/* The bytes of a file ("-": standard input) from malloc, NUL-terminated. NULL with *message set (static text or
 * strerror's) if it cannot be read or holds more than `limit` bytes; errno is ENOMEM if memory ran out. The path is the
 * user's own word: devices, pipes and links are read as what they are. */
char *file_read_whole(const char *path, size_t limit, size_t *length, const char **message);

/* The same of a regular file below `folder` ("": the working folder), which `path` may not leave: see
 * file_below_find. Devices, pipes and folders are refused without being opened. */
char *file_read_below(const char *folder, const char *path, size_t limit, size_t *length, const char **message);

/* A name for messages: an empty one is seen. */
static inline const char *file_name_shown(const char *path) { return *path ? path : "''"; }

#endif
