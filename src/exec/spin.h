/* SPDX-License-Identifier: Apache-2.0
 *
 * What lanes that spin look at.
 */
#ifndef PTXSIM_EXEC_SPIN_H
#define PTXSIM_EXEC_SPIN_H

#include "exec/fault.h"
#include "exec/run.h"

/* "; the kernel initialises mbarriers at lines 12 (k.cu:5) and arrives at lines 13, 14". */
void spin_tell_mbarriers(const struct grid *grid, char *text, size_t size);
/* "; the mbarrier waits for 1 of 33 arrivals ...": what a loop at that place waits for, if it is one for an mbarrier; else empty. */
void spin_tell_wait(struct warp *w, const struct split *s, char text[ASYNC_WAIT_TEXT]);
/* Completes the fault of lanes that spin: address and size of what they look at, behind its words the value that is
 * there, and the lines that could change it. Leaves it as it is if the loop looks at nothing that could be found. */
void spin_explain(struct warp *w, const struct split *s, struct fault *f);

#endif
