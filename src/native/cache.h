/* SPDX-License-Identifier: Apache-2.0
 *
 * Native code that outlives the process: a folder of files, one a kernel, which hold the object files of its regions.
 *
 * The folder is ptxsim/native below $XDG_CACHE_HOME, or below $HOME/.cache; the environment variable PTXSIM_CACHE names
 * another one, or is "off". Processes may use it at the same time: a file appears whole, by renaming. Code from it is run,
 * so the folder and its files must belong to the user, and nobody else may be able to write them; a file counts only if
 * its checksum and all of its key are right, not just its name. What is wrong with it costs no more than compiling again.
 */
#ifndef PTXSIM_NATIVE_CACHE_H
#define PTXSIM_NATIVE_CACHE_H

#include "native/key.h"
#include "native/link.h"

/* What a file holds. */
struct cached_objects {
	u8 *bytes; /* of the file; NULL: there is none */
	struct native_object *objects;
};

/* Whether there is a folder, so that something may be found in it. */
bool cache_is_there(void);
/* Finds the objects of `count` regions; all refer to c->bytes. Some may be untried, if a process ended before it had compiled
 * them. False: they are not there. */
bool cache_find(const struct native_key *key, u32 count, struct cached_objects *c);
void cache_release(struct cached_objects *c);
/* Keeps objects, if that can be, until the file `library` of the compiler is another one; NULL: there is none. Files that have
 * not been used for longest go, once there are too many bytes. */
void cache_keep(const struct native_key *key, const char *library, const struct native_object *objects, u32 count);

#endif
