/* SPDX-License-Identifier: Apache-2.0
 *
 * The sources that PTX was compiled from, as .file lines name them: finds, judges and reads them. A text from a
 * stranger can name any file of the host, so only what lies below a known folder and looks like the source is read.
 * docs/security.md has the promises. For reports, messages and debuggers.
 */
#ifndef PTXSIM_IR_ORIGIN_H
#define PTXSIM_IR_ORIGIN_H

#include "ir/ir.h"

struct origin {
	const char *path; /* where it was found, for who opens it */
	const char *text; /* NUL-terminated, without NULs in it */
	size_t length;
};

/* The source that .file lines of the modules call `path`; false if it is not found. It is looked for as named and by
 * its last part, below the folders of sources->folders, the modules' own and the working folder, without hidden
 * folders; it must be a regular file of text, with all the lines that .loc names. The arena's. */
bool origin_find(struct arena *arena, const struct ir_module *const *modules, u32 count, const char *path,
		 struct origin *found);

#endif
