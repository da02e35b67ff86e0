/* SPDX-License-Identifier: Apache-2.0
 *
 * Commands that move, and breakpoints.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "debug/console_internal.h"

/* --- What happened --------------------------------------------------------------------------------- */

static void show_place_of(struct console *c, const struct debug_event *e)
{
	u32 at[3];

	debug_block_index(c->d, e->block, at);
	fprintf(c->out, "block (%u,%u,%u), warp %u", at[0], at[1], at[2], e->warp);
}

static void show_launch(struct console *c)
{
	const struct launch *l = debug_launch(c->d);

	fprintf(c->out, "Launch %u: %s, grid (%u,%u,%u), block (%u,%u,%u)\n", debug_launch_number(c->d),
		l->kernel->name, l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2]);
}

static const char *point_name(const struct debug *d, u32 number)
{
	const struct debug_point *p = debug_point(d, number);

	return !p || p->kind == DEBUG_BREAK ? "Breakpoint" : p->kind == DEBUG_WATCH ? "Watchpoint" : "Catchpoint";
}

/* Breakpoints that were deleted or passed while away print nothing; what is left is where the focus is. */
static void show_where(struct console *c, const struct debug_event *e, const struct debug_focus *before)
{
	const struct debug_focus f = debug_focus(c->d);
	struct debug_place here;
	struct debug_split s;

	if (debug_state(c->d) != DEBUG_STOPPED && e->reason != DEBUG_FAULT)
		return;
	if (f.block != before->block || f.warp != before->warp || f.lane != before->lane)
		show_focus(c);
	if (debug_focus_place(c->d, &here))
		show_line(c, &here, debug_focus_split(c->d, &s) ? s.mask : 0);
	show_displays(c);
	c->list_file = NULL;
}

static void show_hit(struct console *c, const struct debug_event *e)
{
	char mask[40];

	fprintf(c->out, "%s%s %u%s: ", colour_on(c, "1"), point_name(c->d, e->number), e->number, colour_off(c));
	show_place_of(c, e);
	fprintf(c->out, ", lanes %s\n", show_mask(e->lanes, mask));
	if (e->text && *e->text)
		fprintf(c->out, "  %s\n", e->text);
	if (e->reason != DEBUG_AT_BREAKPOINT && e->place.code) {
		const struct debug_line l = debug_line(&e->place);
		fprintf(c->out, "  by %s:%u\t%.*s\n", l.file, l.line, (int)l.length, l.text);
	}
}

static void show_event(struct console *c, const struct debug_event *e, const struct debug_focus *before)
{
	switch (e->reason) {
	case DEBUG_LAUNCHED:
		show_launch(c);
		break;
	case DEBUG_AT_BREAKPOINT:
	case DEBUG_WATCHED:
	case DEBUG_CAUGHT:
		show_hit(c, e);
		break;
	case DEBUG_FAULT:
		if (e->number)
			fprintf(c->out, "%sCatchpoint %u:%s ", colour_on(c, "1"), e->number, colour_off(c));
		fprintf(c->out, "%sThe kernel failed:%s %s\n", colour_on(c, "31"), colour_off(c), e->text);
		break;
	case DEBUG_INTERRUPTED:
		fprintf(c->out, "Interrupted.\n");
		break;
	case DEBUG_WARP_ENDED:
		fprintf(c->out, "Warp %u has ended.\n", before->warp);
		break;
	case DEBUG_BLOCKED:
		console_error(c, "Warp %u cannot go on: it waits, and scheduler-locking keeps the others.",
			      before->warp);
		break;
	case DEBUG_LAUNCH_ENDED:
		fprintf(c->out, "Launch %u has ended after %llu warp instructions.\n", debug_launch_number(c->d),
			(unsigned long long)e->position);
		break;
	case DEBUG_OVER:
		fprintf(c->out, "There are no more launches.\n");
		break;
	case DEBUG_AT_START:
		fprintf(c->out, "No more history: this is where it begins.\n");
		break;
	case DEBUG_FAILED:
		console_error(c, "%s", e->text ? e->text : debug_message(c->d));
		return;
	case DEBUG_STEPPED:
		if (e->text && *e->text)
			fprintf(c->out, "%s\n", e->text);
		break;
	}
	show_where(c, e, before);
}

void console_show_event(struct console *c, const struct debug_event *e)
{
	const struct debug_focus nowhere = {.lane = WARP_LANES};

	show_event(c, e, &nowhere);
}

static bool moved(struct console *c, struct debug_event e, const struct debug_focus *before)
{
	c->event = e;
	show_event(c, &e, before);
	return true;
}

static bool read_count(struct console *c, const char *rest, u64 *count)
{
	*count = 1;
	return !*rest || console_value(c, rest, count);
}

static bool go(struct console *c, char *rest, enum debug_motion motion, bool back)
{
	const struct debug_focus before = debug_focus(c->d);
	u64 count;

	if (!read_count(c, rest, &count))
		return true;
	return moved(c, back ? debug_back(c->d, motion, count) : debug_go(c->d, motion, count), &before);
}

#define MOTION(name, motion, back) \
	COMMAND(name) { return go(c, rest, motion, back); }

MOTION(continue, DEBUG_CONTINUE, false)
MOTION(step, DEBUG_STEP, false)
MOTION(next, DEBUG_NEXT, false)
MOTION(step_line, DEBUG_STEP_LINE, false)
MOTION(next_line, DEBUG_NEXT_LINE, false)
MOTION(finish, DEBUG_FINISH, false)
MOTION(step_block, DEBUG_STEP_BLOCK, false)
MOTION(to_barrier, DEBUG_TO_BARRIER, false)
MOTION(to_reconvergence, DEBUG_TO_RECONVERGENCE, false)
MOTION(to_launch, DEBUG_TO_LAUNCH, false)
MOTION(reverse_step, DEBUG_STEP, true)
MOTION(reverse_next, DEBUG_NEXT, true)
MOTION(reverse_continue, DEBUG_CONTINUE, true)
MOTION(reverse_finish, DEBUG_FINISH, true)
MOTION(reverse_step_line, DEBUG_STEP_LINE, true)
MOTION(reverse_next_line, DEBUG_NEXT_LINE, true)
MOTION(reverse_barrier, DEBUG_TO_BARRIER, true)

COMMAND(run)
{
	const struct debug_focus nowhere = {.lane = WARP_LANES};

	(void)rest;
	return moved(c, debug_launch_number(c->d) ? debug_restart(c->d) : debug_go(c->d, DEBUG_CONTINUE, 1), &nowhere);
}

COMMAND(until)
{
	const struct debug_focus before = debug_focus(c->d);
	struct debug_place places[64];

	if (!*rest)
		return console_error(c, "a location expected");
	const u32 count = debug_resolve(c->d, rest, places, COUNT_OF(places));
	if (!count)
		return console_engine_error(c);
	return moved(c, debug_until(c->d, places, min_u32(count, COUNT_OF(places))), &before);
}

COMMAND(goto)
{
	const struct debug_focus before = debug_focus(c->d);
	u64 position;

	if (!strcmp(rest, "start"))
		position = debug_history(c->d).first;
	else if (!strcmp(rest, "end"))
		position = debug_furthest(c->d);
	else if (!*rest)
		return console_error(c, "a position expected: a number, 'start' or 'end'");
	else if (!console_value(c, rest, &position))
		return true;
	return moved(c, debug_goto(c->d, position), &before);
}

COMMAND(who)
{
	const struct debug_focus before = debug_focus(c->d);

	if (!strncmp(rest, "wrote", 5) && (!rest[5] || isspace((unsigned char)rest[5])))
		rest += 5;
	while (isspace((unsigned char)*rest))
		rest++;
	if (!*rest)
		return console_error(c, "a register or memory expected");
	return moved(c, debug_who_wrote(c->d, rest), &before);
}

/* --- Breakpoints ------------------------------------------------------------------------------------ */

/* The word at the end of `text` before which `keyword` stands, cut off; NULL: there is none. */
static char *cut_option(char *text, const char *keyword)
{
	const size_t n = strlen(keyword);

	for (char *at = text; (at = strstr(at, keyword)); at++)
		if ((at == text || isspace((unsigned char)at[-1])) && isspace((unsigned char)at[n])) {
			if (at > text)
				at[-1] = 0;
			*at = 0;
			return at + n + 1;
		}
	return NULL;
}

/* "3" or "1,0,0" */
static bool read_block(struct console *c, const char *text, u64 *block)
{
	const struct launch *l = debug_launch(c->d);
	u32 at[3] = {0};

	if (!strchr(text, ',')) {
		char *end;
		*block = strtoull(text, &end, 0);
		return end != text || (console_error(c, "a block expected, not '%s'", text), false);
	}
	if (!l || sscanf(text, "%u,%u,%u", &at[0], &at[1], &at[2]) < 2) {
		console_error(c, "a block X,Y,Z of a running kernel expected, not '%s'", text);
		return false;
	}
	*block = at[0] + (u64)l->grid[0] * (at[1] + (u64)l->grid[1] * at[2]);
	return true;
}

/* What follows the location: block B, warp W, lane L, if CONDITION (last). */
struct filters {
	const char *condition;
	bool has_block, has_warp, has_lane;
	u64 block, warp, lane;
};

static bool cut_filters(struct console *c, char *text, struct filters *f)
{
	char *word;

	*f = (struct filters){0};
	f->condition = cut_option(text, "if");
	if (!f->condition && !strncmp(text, "if ", 3)) {
		f->condition = text + 3;
		*text = 0;
	}
	if ((word = cut_option(text, "lane")) && !(f->has_lane = console_number(c, console_word(&word), &f->lane)))
		return false;
	if ((word = cut_option(text, "warp")) && !(f->has_warp = console_number(c, console_word(&word), &f->warp)))
		return false;
	if ((word = cut_option(text, "block")) && !(f->has_block = read_block(c, console_word(&word), &f->block)))
		return false;
	if (f->has_lane && f->lane >= WARP_LANES)
		return console_error(c, "a warp has %d lanes", WARP_LANES), false;
	for (size_t n = strlen(text); n && isspace((unsigned char)text[n - 1]);)
		text[--n] = 0;
	return true;
}

static void apply_filters(struct console *c, struct debug_point *p, const struct filters *f)
{
	p->any_block = !f->has_block;
	p->any_warp = !f->has_warp;
	p->block = f->block;
	p->warp = (u32)f->warp;
	p->lanes = f->has_lane ? 1u << f->lane : FULL_MASK;
	if (f->condition && !debug_set_condition(c->d, p, f->condition)) {
		console_engine_error(c);
		debug_delete(c->d, p);
		return;
	}
	debug_point_changed(c->d);
}

static bool make_break(struct console *c, char *rest, bool temporary)
{
	struct filters f;
	char here[1024];
	struct debug_place place;

	if (!cut_filters(c, rest, &f))
		return true;
	if (!*rest) {
		if (!debug_focus_place(c->d, &place))
			return console_error(c, "a location expected");
		snprintf(here, sizeof here, "%s+%u", place.code->name, place.instruction);
		rest = here;
	}
	struct debug_point *p = debug_break(c->d, rest, NULL);
	if (!p)
		return console_engine_error(c);
	p->temporary = temporary;
	apply_filters(c, p, &f);
	if (c->failed)
		return true;
	const struct debug_line l = debug_line(&p->places[0]);
	fprintf(c->out, "Breakpoint %u at %s:%u", p->number, l.file, l.line);
	if (p->place_count > 1)
		fprintf(c->out, " and %u other place%s", p->place_count - 1, p->place_count > 2 ? "s" : "");
	fputc('\n', c->out);
	return true;
}

COMMAND(break) { return make_break(c, rest, false); }
COMMAND(tbreak) { return make_break(c, rest, true); }

static bool make_watch(struct console *c, char *rest, enum debug_watch kind)
{
	static const char *const names[] = {"changes", "writes", "reads", "accesses"};
	struct filters f;
	u64 bytes = 0;

	if (!cut_filters(c, rest, &f))
		return true;
	char *comma = strrchr(rest, ',');
	if (comma && !strchr(comma, ']') && !strchr(comma, ')')) {
		*comma++ = 0;
		while (isspace((unsigned char)*comma))
			comma++;
		if (!console_number(c, comma, &bytes))
			return true;
	}
	if (!*rest)
		return console_error(c, "a register or memory expected");
	struct debug_point *p = debug_watch(c->d, rest, kind, bytes);
	if (!p)
		return console_engine_error(c);
	apply_filters(c, p, &f);
	if (c->failed)
		return true;
	if (p->of_register)
		fprintf(c->out, "Watchpoint %u: %s of %s in warp %u\n", p->number, names[kind], p->what, p->owner_warp);
	else
		fprintf(c->out, "Watchpoint %u: %s of %llu byte%s at %s 0x%llx\n", p->number, names[kind],
			(unsigned long long)p->size, p->size == 1 ? "" : "s", ir_space_word(p->space),
			(unsigned long long)p->address);
	return true;
}

COMMAND(watch) { return make_watch(c, rest, DEBUG_WATCH_CHANGE); }
COMMAND(wwatch) { return make_watch(c, rest, DEBUG_WATCH_WRITE); }
COMMAND(rwatch) { return make_watch(c, rest, DEBUG_WATCH_READ); }
COMMAND(awatch) { return make_watch(c, rest, DEBUG_WATCH_ACCESS); }

COMMAND(catch)
{
	struct filters f;
	u64 above = 0;

	if (!cut_filters(c, rest, &f))
		return true;
	const char *name = console_word(&rest);
	if (!strncmp(rest, "above ", 6))
		rest += 6;
	if (*rest && !console_number(c, rest, &above))
		return true;
	for (u32 k = 0; k < DEBUG_CATCH_COUNT; k++)
		if (*name && !strncmp(debug_catch_name((enum debug_catch)k), name, strlen(name))) {
			struct debug_point *p = debug_catch(c->d, (enum debug_catch)k, above);
			apply_filters(c, p, &f);
			if (!c->failed)
				fprintf(c->out, "Catchpoint %u: %s\n", p->number, p->what);
			return true;
		}
	return console_error(c, "fault, divergence, reconvergence, barrier, conflict, sectors or lock expected");
}

/* Does something to the points that are named, or to all. */
static bool each_point(struct console *c, char *rest, void (*act)(struct console *c, struct debug_point *p))
{
	if (!*rest) {
		for (struct debug_point *p = debug_first_point(c->d), *next; p; p = next) {
			next = p->next;
			act(c, p);
		}
		return true;
	}
	while (*rest) {
		u64 number;
		if (!console_number(c, console_word(&rest), &number))
			return true;
		struct debug_point *p = debug_point(c->d, (u32)number);
		if (!p)
			return console_error(c, "there is no breakpoint %llu", (unsigned long long)number);
		act(c, p);
	}
	return true;
}

static void delete_one(struct console *c, struct debug_point *p) { debug_delete(c->d, p); }

static void enable_one(struct console *c, struct debug_point *p)
{
	p->enabled = true;
	debug_point_changed(c->d);
}

static void disable_one(struct console *c, struct debug_point *p)
{
	p->enabled = false;
	debug_point_changed(c->d);
}

COMMAND(delete) { return each_point(c, rest, delete_one); }
COMMAND(enable) { return each_point(c, rest, enable_one); }
COMMAND(disable) { return each_point(c, rest, disable_one); }

static struct debug_point *named_point(struct console *c, char **rest)
{
	u64 number;

	if (!console_number(c, console_word(rest), &number))
		return NULL;
	struct debug_point *p = debug_point(c->d, (u32)number);
	if (!p)
		console_error(c, "there is no breakpoint %llu", (unsigned long long)number);
	return p;
}

COMMAND(condition)
{
	struct debug_point *p = named_point(c, &rest);

	if (p && !debug_set_condition(c->d, p, *rest ? rest : NULL))
		console_engine_error(c);
	return true;
}

COMMAND(ignore)
{
	struct debug_point *p = named_point(c, &rest);
	u64 count;

	if (p && console_number(c, rest, &count))
		p->ignore = count;
	return true;
}
