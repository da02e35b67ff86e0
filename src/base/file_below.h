/* SPDX-License-Identifier: Apache-2.0
 *
 * Finding a file below a folder, for paths that a text from a stranger names. The walk holds each folder open on
 * its way and follows links itself, so that nobody who moves folders or links meanwhile can lead it out.
 */
#ifndef PTXSIM_BASE_FILE_BELOW_H
#define PTXSIM_BASE_FILE_BELOW_H

#include <limits.h>

#include "base/types.h"

struct file_place {
	int folder; /* that holds the file: open, the caller's to close */
	char name[NAME_MAX + 1];
};

enum file_last { FILE_LAST_FOLLOWED, FILE_LAST_AS_IT_IS };

/* The place of `path` below `folder` ("": the working folder; a link there is the user's own word). False with
 * *message (static text or strerror's) for an absolute path, a name that begins with a dot ("./" alone may), a
 * symbolic link that leads out of the folder, or a folder on the way that cannot be entered. A last name that is a
 * link is followed or not, as `last` says; it need not exist. */
bool file_below_find(const char *folder, const char *path, enum file_last last, struct file_place *place,
		     const char **message);

/* Opens the regular file at a place for reading: a descriptor, or -1 with *message. Devices and pipes are not
 * touched. */
int file_below_open(const struct file_place *place, const char **message);

#endif
