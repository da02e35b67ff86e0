/* SPDX-License-Identifier: Apache-2.0
 *
 * The names that a linker's inputs define for one another and ask of one another.
 */
#ifndef PTXSIM_CUDA_DRIVER_LINK_NAMES_H
#define PTXSIM_CUDA_DRIVER_LINK_NAMES_H

#include "api/context.h"

struct link_name {
	char *name; /* from malloc */
	u32 text;   /* the number of the one that defines or wants it */
};

struct link_names {
	struct link_name *items;
	u32 count, room;
	bool failed; /* memory has run out since link_names_free */
};

struct linked_names {
	struct link_names of[NAME_KINDS];
};

/* Adds what a text says that has been checked by itself. A CUresult; *twice: the first of its names that an earlier text
 * defines, too, or NULL. */
int linked_names_add(struct linked_names *n, ptxsim_module *m, u32 text, const struct link_name **twice);
/* Forgets texts from that number on. */
void linked_names_cut(struct linked_names *n, u32 from);
/* The next name from *at on that is wanted and not defined; NULL: there is none. */
const struct link_name *linked_names_undefined(const struct linked_names *n, u32 *at);
void linked_names_free(struct linked_names *n);

#endif
