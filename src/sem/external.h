/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions that a GPU program calls and the system supplies: vprintf, malloc, free, __assertfail, and the
 * device runtime's.
 */
#ifndef PTXSIM_SEM_EXTERNAL_H
#define PTXSIM_SEM_EXTERNAL_H

#include "exec/run.h"

/* Carries out site->external for the lanes in mask, lane by lane in order. */
const struct insn *external_call(struct warp *w, const struct insn *i, u8 *rows, u32 mask,
				 const struct call_site *site);

/* The device runtime's function of that name, for one lane. False after a fault. */
bool device_runtime_call(struct warp *w, const struct insn *i, u8 *rows, const struct call_site *site, u32 lane);

#endif
