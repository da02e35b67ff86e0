/* SPDX-License-Identifier: Apache-2.0
 *
 * Writing a file whole or not at all: under another name beside its own first, which it gets when all is written.
 */
#ifndef PTXSIM_BASE_FILE_NEW_H
#define PTXSIM_BASE_FILE_NEW_H

#include <stdio.h>

#include "base/file_below.h"

struct file_new {
	FILE *to;                /* to be written to */
	struct file_place place; /* of the file; folder is -1 if `to` is the file itself */
	bool overwrites;
	char temporary[48];
};

/* Begins the file `path`, wherever it is: an existing file is replaced, with its permissions, if `overwrite`; what is
 * no regular file (a pipe, /dev/stdout) is written to as it is. False with *message (static text or strerror's). */
bool file_new_begin(struct file_new *n, const char *path, bool overwrite, const char **message);
/* Begins a file below `folder`, which `path` may not leave (file_below_find). One that exists is replaced only if
 * `overwrite`. */
bool file_new_begin_below(struct file_new *n, const char *folder, const char *path, bool overwrite,
			  const char **message);
/* Ends what was begun: the file is there now if all that was written arrived. False with *message if not; nothing
 * is left of it then. */
bool file_new_end(struct file_new *n, const char **message);

#endif
