/* SPDX-License-Identifier: Apache-2.0
 *
 * The list of breakpoints, watchpoints and catchpoints, and where breakpoints stand. Whether one is met: hits.c,
 * watch.c.
 */
#include <stdio.h>
#include <string.h>

#include "debug/internal.h"

enum { PLACES_MAX = 4096 };

bool debug_no_memory(const struct debug *d) { return d->no_memory; }

struct debug_point *debug_first_point(const struct debug *d) { return d->points.first; }

struct debug_point *debug_point(const struct debug *d, u32 number)
{
	struct debug_point *p = d->points.first;

	while (p && p->number != number)
		p = p->next;
	return p;
}

struct debug_point *points_add(struct debug *d, enum debug_point_kind kind, const char *what)
{
	struct debug_point *p = ARENA_NEW(d->arena, struct debug_point), **at = &d->points.first;

	*p = (struct debug_point){.kind = kind,
				  .number = ++d->points.last_number,
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
	struct debug_point **at = &d->points.first;

	while (*at && *at != p)
		at = &(*at)->next;
	if (*at)
		*at = p->next;
	debug_point_changed(d);
}

void debug_withdraw(struct debug *d, struct debug_point *p)
{
	if (p->number == d->points.last_number)
		d->points.last_number--;
	debug_delete(d, p);
}

/* Marks the instructions at which breakpoints stand. */
static void mark(struct debug *d)
{
	for (u32 c = 0; c < d->program->code_count; c++)
		memset(d->stops[c].breaks, 0, d->program->codes[c]->insn_count);
	for (const struct debug_point *p = d->points.first; p; p = p->next)
		for (u32 k = 0; p->kind == DEBUG_BREAK && p->enabled && k < p->place_count; k++) {
			const struct stops *s = &d->stops[p->places[k].code->index];
			s->breaks[s->of[p->places[k].instruction]] = 1;
		}
}

void debug_point_changed(struct debug *d)
{
	mark(d);
	d->run.hooks_stale = true;
	watch_refresh(d);
}
