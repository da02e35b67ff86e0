/* SPDX-License-Identifier: Apache-2.0
 *
 * Is a breakpoint met? Its place, filters, condition and counts, asked while the grid runs.
 */
#include <stdio.h>

#include "debug/internal.h"

/* Lanes of `lanes` for which the condition holds, seen from that warp. An expression that cannot be
 * evaluated holds: the user is shown why. */
bool points_condition(struct debug *d, const struct debug_point *p, const struct warp *w, u32 *lanes)
{
	const struct debug_focus focus = d->focus;
	u32 holds = 0;

	d->points.why[0] = 0;
	*lanes &= p->lanes;
	if ((!p->any_block && p->block != w->block->index) || (!p->any_warp && p->warp != w->index) || !*lanes)
		return false;
	if (!p->condition)
		return true;
	for (u32 left = *lanes; left; left &= left - 1) {
		struct debug_value v;
		d->focus = (struct debug_focus){w->block->index, w->index, (u32)__builtin_ctz(left), 0};
		const bool known = debug_evaluate(d, p->condition, d->focus.lane, &v);
		if (!known)
			snprintf(d->points.why, sizeof d->points.why, "its condition cannot be evaluated: %s",
				 d->message);
		if (!known || debug_value_true(&v))
			holds |= 1u << d->focus.lane;
	}
	d->focus = focus;
	*lanes = holds;
	return holds != 0;
}

/* The point is met: counts, and says whether to stop. */
bool points_hit(struct debug *d, struct debug_point *p)
{
	if (d->run.search)
		return true;
	p->hits++;
	if (p->ignore) {
		p->ignore--;
		return false;
	}
	if (p->temporary)
		p->enabled = false;
	return true;
}

static bool stands_at(const struct debug_point *p, const struct code *code, u32 instruction)
{
	for (u32 k = 0; k < p->place_count; k++)
		if (p->places[k].code == code && p->places[k].instruction == instruction)
			return true;
	return false;
}

bool points_at_stop(struct debug *d, const struct standing *s)
{
	if (!d->stops[s->code->index].breaks[s->insn])
		return false;
	for (struct debug_point *p = d->points.first; p; p = p->next) {
		u32 lanes = s->mask;
		if (p->kind != DEBUG_BREAK || !p->enabled || !stands_at(p, s->code, s->code->origin[s->insn]))
			continue;
		d->points.asking = *s;
		const bool holds = points_condition(d, p, s->w, &lanes);
		d->points.asking.w = NULL;
		if (!holds || !points_hit(d, p))
			continue;
		d->run.event = (struct debug_event){
			.reason = DEBUG_AT_BREAKPOINT, .number = p->number, .lanes = lanes, .text = d->points.why};
		return true;
	}
	return false;
}
