/* SPDX-License-Identifier: Apache-2.0
 *
 * Breakpoints: where they stand, their conditions, filters and counts. Watchpoints and catchpoints
 * are in the same list; watch.c knows when they hit.
 */
#include <stdio.h>
#include <string.h>

#include "debug/internal.h"

enum { PLACES_MAX = 4096 };

bool debug_fail(struct debug *d, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(d->message, sizeof d->message, format, args);
	va_end(args);
	return false;
}

bool debug_no_memory(const struct debug *d) { return d->no_memory; }

const char *debug_message(const struct debug *d) { return d->message; }

struct debug_point *debug_first_point(const struct debug *d) { return d->points; }

struct debug_point *debug_point(const struct debug *d, u32 number)
{
	struct debug_point *p = d->points;

	while (p && p->number != number)
		p = p->next;
	return p;
}

struct debug_point *points_add(struct debug *d, enum debug_point_kind kind, const char *what)
{
	struct debug_point *p = ARENA_NEW(d->arena, struct debug_point), **at = &d->points;

	*p = (struct debug_point){.kind = kind,
				  .number = ++d->next_number,
				  .enabled = true,
				  .any_block = true,
				  .any_warp = true,
				  .lanes = FULL_MASK,
				  .what = arena_copy_text(d->arena, what, strlen(what))};
	while (*at)
		at = &(*at)->next;
	*at = p;
	return p;
}

struct debug_point *debug_break(struct debug *d, const char *location, const char *condition)
{
	struct debug_place *places = ARENA_ARRAY(d->arena, 1, struct debug_place);
	const u32 found = debug_resolve(d, location, places, 1);

	if (!found)
		return NULL;
	if (found > PLACES_MAX) {
		debug_fail(d, "'%s' is at %u places; %d are the most", location, found, PLACES_MAX);
		return NULL;
	}
	if (found > 1) {
		places = ARENA_ARRAY(d->arena, found, struct debug_place);
		debug_resolve(d, location, places, found);
	}
	if (condition && !expression_check(d, condition, places, found))
		return NULL;
	struct debug_point *p = points_add(d, DEBUG_BREAK, location);
	p->places = places;
	p->place_count = found;
	if (condition)
		p->condition = arena_copy_text(d->arena, condition, strlen(condition));
	debug_point_changed(d);
	return p;
}

bool debug_set_condition(struct debug *d, struct debug_point *p, const char *condition)
{
	if (condition && !expression_check(d, condition, p->places, p->place_count))
		return false;
	p->condition = condition ? arena_copy_text(d->arena, condition, strlen(condition)) : NULL;
	return true;
}

void debug_delete(struct debug *d, struct debug_point *p)
{
	struct debug_point **at = &d->points;

	while (*at && *at != p)
		at = &(*at)->next;
	if (*at)
		*at = p->next;
	debug_point_changed(d);
}

/* Marks the instructions at which breakpoints stand. */
static void mark(struct debug *d)
{
	for (u32 c = 0; c < d->program->code_count; c++)
		memset(d->stops[c].breaks, 0, d->program->codes[c]->insn_count);
	for (const struct debug_point *p = d->points; p; p = p->next)
		for (u32 k = 0; p->kind == DEBUG_BREAK && p->enabled && k < p->place_count; k++) {
			const struct stops *s = &d->stops[p->places[k].code->index];
			s->breaks[s->of[p->places[k].instruction]] = 1;
		}
}

void debug_point_changed(struct debug *d)
{
	mark(d);
	d->hooks_stale = true;
	watch_refresh(d);
}

/* --- Hits ---------------------------------------------------------------------------------------- */

/* Lanes of `lanes` for which the condition holds, seen from that warp. An expression that cannot be
 * evaluated holds: the user is shown why. */
bool points_condition(struct debug *d, const struct debug_point *p, const struct warp *w, u32 *lanes)
{
	const struct debug_focus focus = d->focus;
	u32 holds = 0;

	d->condition_text[0] = 0;
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
			snprintf(d->condition_text, sizeof d->condition_text, "its condition cannot be evaluated: %s",
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
	if (d->search)
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
	for (struct debug_point *p = d->points; p; p = p->next) {
		u32 lanes = s->mask;
		if (p->kind != DEBUG_BREAK || !p->enabled || !stands_at(p, s->code, s->code->origin[s->insn]))
			continue;
		d->asking = *s;
		const bool holds = points_condition(d, p, s->w, &lanes);
		d->asking.w = NULL;
		if (!holds || !points_hit(d, p))
			continue;
		d->event = (struct debug_event){
			.reason = DEBUG_AT_BREAKPOINT, .number = p->number, .lanes = lanes, .text = d->condition_text};
		return true;
	}
	return false;
}
