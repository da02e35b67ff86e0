/* SPDX-License-Identifier: Apache-2.0
 *
 * Files that are not PTX but belong to the same work: what they are, and what to do with them.
 */
#ifndef PTXSIM_GRAMMAR_FOREIGN_H
#define PTXSIM_GRAMMAR_FOREIGN_H

#include "base/source.h"

struct foreign {
	const char *what; /* "CUDA C++", to stand behind "is" */
	const char *hint; /* what to type instead; %s stands for the file's name */
};

/* NULL: it may be PTX. */
const struct foreign *foreign_find(const struct source *s);

#endif
