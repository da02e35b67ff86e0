/* SPDX-License-Identifier: Apache-2.0
 *
 * Splits that wait: see exec/split.h.
 */
#include "exec/split.h"

struct split *warp_store(struct warp *w, const struct insn *pc, enum split_state state)
{
	struct split *s = split_running(w, pc);

	s->state = state;
	s->next = w->waiting;
	w->waiting = s;
	return s;
}

void warp_wake(struct warp *w, struct split *s)
{
	struct split **at = &w->waiting;

	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
	split_append(w, s);
}
