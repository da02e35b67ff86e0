/* SPDX-License-Identifier: Apache-2.0
 *
 * Telling that a value that nothing has written matters, and where it comes from. A part of the check of unwritten values.
 */
#ifndef PTXSIM_OBSERVE_UNWRITTEN_ORIGIN_H
#define PTXSIM_OBSERVE_UNWRITTEN_ORIGIN_H

#include "observe/unwritten_memory.h"

/* `what` depends on it. origin: the site that made the value undefined; NO_SITE: a register that nothing has written. */
void unwritten_tell(struct unwritten *u, const struct warp *w, u32 site, u32 lanes, u32 origin, const char *what);

#endif
