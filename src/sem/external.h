/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions that a GPU program calls and the system supplies: vprintf, malloc, free, __assertfail.
 */
#ifndef PTXSIM_SEM_EXTERNAL_H
#define PTXSIM_SEM_EXTERNAL_H

#include "exec/run.h"

/* Carries out site->external for the lanes in mask, lane by lane in order. */
const struct insn *external_call(struct warp *w, const struct insn *i, u8 *rows, u32 mask,
				 const struct call_site *site);

#endif
