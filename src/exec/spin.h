/* SPDX-License-Identifier: Apache-2.0
 *
 * What lanes that spin look at.
 */
#ifndef PTXSIM_EXEC_SPIN_H
#define PTXSIM_EXEC_SPIN_H

#include "exec/fault.h"
#include "exec/run.h"

/* Completes the fault of lanes that spin: address and size of what they look at, behind its words the value that is
 * there, and the lines that could change it. Leaves it as it is if the loop looks at nothing that could be found. */
void spin_explain(struct warp *w, const struct split *s, struct fault *f);

#endif
