/* SPDX-License-Identifier: Apache-2.0
 *
 * The end of a prefix: an instruction that runs the next one for some of the lanes.
 */
#ifndef PTXSIM_SEM_PREFIX_H
#define PTXSIM_SEM_PREFIX_H

#include "exec/run.h"
#include "exec/warp.h"

/* What follows the instruction behind prefix i, which has run. Where that made the warp give way, its lanes begin again with
 * the prefix: they may not run the rest now, nor what is guarded without its guard. A fault has stopped the warp. */
static inline const struct insn *after_prefix(struct warp *w, const struct insn *i)
{
	if (__builtin_expect(w->stop != STOP_YIELD && w->stop != STOP_FAULT, 1))
		return i + 2;
	for (struct split *s = w->ready_head; s && w->stop == STOP_YIELD; s = s->next)
		if (s->pc == i + 1)
			s->pc = i;
	return NULL;
}

#endif
