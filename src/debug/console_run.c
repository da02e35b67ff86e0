/* SPDX-License-Identifier: Apache-2.0
 *
 * Commands that move, and breakpoints.
 *
 * A motion command goes to the engine (debug_go, debug_back, ...), which returns an event; moved() keeps the event for
 * scripts and editors, and show_event() prints it. A breakpoint's own commands may silence that.
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

static const char *point_name(const struct debug *d, u32 number)
{
	const struct debug_point *p = debug_point(d, number);

	return !p || p->kind == DEBUG_BREAK ? "Breakpoint" : p->kind == DEBUG_WATCH ? "Watchpoint" : "Catchpoint";
}

/* Breakpoints bound to a block or warp that this launch does not have would silently never stop: they are named. */
static void show_launch(struct console *c)
{
	const struct launch *l = debug_launch(c->d);

	fprintf(c->out, "Launch %u: %s, grid (%u,%u,%u), block (%u,%u,%u)\n", debug_launch_number(c->d),
		debug_function_name(c->d, l->kernel->code), l->grid[0], l->grid[1], l->grid[2], l->block[0],
		l->block[1], l->block[2]);
	const u64 blocks = (u64)l->grid[0] * l->grid[1] * l->grid[2];
	const u64 warps = ((u64)l->block[0] * l->block[1] * l->block[2] + WARP_LANES - 1) / WARP_LANES;
	for (const struct debug_point *p = debug_first_point(c->d); p; p = p->next)
		if (p->enabled && ((!p->any_block && p->block >= blocks) || (!p->any_warp && p->warp >= warps)))
			fprintf(c->out, "%s %u cannot be reached in it: there is no such %s.\n",
				point_name(c->d, p->number), p->number,
				!p->any_block && p->block >= blocks ? "block" : "warp");
	c->shown_file = NULL;
}

/* Where the focus is after an event, with its line and the expressions on display. The focus itself is printed only
 * when it has moved, and nothing at all when there is no stopped kernel to show. */
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

/* A watchpoint or catchpoint names the instruction that set it off too, since the focus may stand behind it by now;
 * one on a source variable has said so in its text. */
static void show_hit(struct console *c, const struct debug_event *e)
{
	char mask[40];

	fprintf(c->out, "%s%s %u%s: ", colour_on(c, "1"), point_name(c->d, e->number), e->number, colour_off(c));
	show_place_of(c, e);
	fprintf(c->out, ", lanes %s\n", show_mask(e->lanes, mask));
	if (e->text && *e->text)
		fprintf(c->out, "  %s\n", e->text);
	const struct debug_point *p = debug_point(c->d, e->number);
	if (e->reason != DEBUG_AT_BREAKPOINT && e->place.code && !(p && p->of_variable)) {
		const struct debug_line l = debug_line(&e->place);
		fprintf(c->out, "  by %s:%u\t%.*s\n", l.file, l.line, (int)l.length, l.text);
	}
}

/* For people; an editor's session takes the event itself. */
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

/* For callers that have no earlier focus: lane 32 is in no warp, so the focus counts as moved. */
void console_show_event(struct console *c, const struct debug_event *e)
{
	const struct debug_focus nowhere = {.lane = WARP_LANES};

	show_event(c, e, &nowhere);
}

/* The end of every motion. `hit` makes the console run the point's commands before it asks for input again. */
static bool moved(struct console *c, struct debug_event e, const struct debug_focus *before)
{
	const struct point_commands *p = e.number ? console_point_commands(c, e.number) : NULL;

	c->event = e;
	c->hit = p ? e.number : 0;
	if (e.reason != DEBUG_STEPPED && e.reason != DEBUG_FAILED)
		c->shown_file = NULL;
	if (!console_is_silent(p))
		show_event(c, &e, before);
	return true;
}

/* Of steps: more than any launch has. */
static const u64 MOST_COUNT = 1000000000000000;

/* The optional count of step, next and the like; expressions are allowed. False, with a message: not from 1 to
 * MOST_COUNT. */
static bool read_count(struct console *c, const char *rest, u64 *count)
{
	*count = 1;
	if (!*rest)
		return true;
	if (*rest != '-' && !console_value(c, rest, count))
		return false;
	if (*rest == '-' || !*count || *count > MOST_COUNT)
		return !console_error(c, "a number from 1 to %llu expected, not '%s'", (unsigned long long)MOST_COUNT,
				      rest);
	return true;
}

/* A count that is refused moves nothing and has printed why. */
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
MOTION(step_block, DEBUG_STEP_BLOCK, false)
MOTION(to_barrier, DEBUG_TO_BARRIER, false)
MOTION(to_warp, DEBUG_TO_OTHER_WARP, false)
MOTION(to_reconvergence, DEBUG_TO_RECONVERGENCE, false)
MOTION(to_launch, DEBUG_TO_LAUNCH, false)
MOTION(reverse_step, DEBUG_STEP, true)
MOTION(reverse_next, DEBUG_NEXT, true)
MOTION(reverse_continue, DEBUG_CONTINUE, true)
MOTION(reverse_finish, DEBUG_FINISH, true)
MOTION(reverse_step_line, DEBUG_STEP_LINE, true)
MOTION(reverse_next_line, DEBUG_NEXT_LINE, true)
MOTION(reverse_barrier, DEBUG_TO_BARRIER, true)
MOTION(reverse_warp, DEBUG_TO_OTHER_WARP, true)

/* The callee is noted before the motion: after it the frame is gone, and the value's type hangs on the function. */
COMMAND(finish)
{
	const struct debug_focus before = debug_focus(c->d);
	struct debug_frame frames[2];
	const u32 depth = debug_frames(c->d, frames, 2);
	const struct code *callee = depth ? frames[0].frame->code : NULL;
	char expression[64];

	(void)rest;
	moved(c, debug_go(c->d, DEBUG_FINISH, 1), &before);
	struct debug_object o;
	if (depth < 2 || c->event.reason != DEBUG_STEPPED ||
	    !debug_returned(c->d, &frames[1].place, callee, debug_focus(c->d).lane, &o))
		return true;
	snprintf(expression, sizeof expression, "$%u", ++c->value_number);
	debug_keep_value(c->d, expression, &o);
	char text[1024];
	debug_object_text(c->d, &o, debug_focus(c->d).lane, 0, text, sizeof text);
	fprintf(c->out, "Value returned is %s = %s\n", expression, text);
	return true;
}

/* The first `run` begins, later ones start again from the first launch; breakpoints and settings stay. */
COMMAND(run)
{
	const struct debug_focus nowhere = {.lane = WARP_LANES};

	(void)rest;
	return moved(c, debug_launch_number(c->d) ? debug_restart(c->d) : debug_go(c->d, DEBUG_CONTINUE, 1), &nowhere);
}

/* Without a location: past the end of the source line, so that a loop's jump back is not followed. A location may be
 * many places (a macro, an inlined function); the first 64 count. */
COMMAND(until)
{
	const struct debug_focus before = debug_focus(c->d);
	struct debug_place places[64];
	char text[1024];

	if (!*rest)
		return moved(c, debug_go(c->d, DEBUG_PAST_LINE, 1), &before);
	const u32 count = debug_resolve(c->d, console_location(c, rest, text), places, COUNT_OF(places));
	if (!count)
		return console_engine_error(c);
	return moved(c, debug_until(c->d, places, min_u32(count, COUNT_OF(places))), &before);
}

/* Positions count the warp instructions of the session; a negative number would be a huge one in 64 bits. */
COMMAND(goto)
{
	const struct debug_focus before = debug_focus(c->d);
	u64 position;

	c->shown_file = NULL;
	if (!strcmp(rest, "start"))
		position = debug_history(c->d).first;
	else if (!strcmp(rest, "end"))
		position = debug_furthest(c->d);
	else if (!*rest)
		return console_error(c, "a position expected: a number, 'start' or 'end'");
	else if (!console_value(c, rest, &position))
		return true;
	if ((s64)position < 0)
		return console_error(c, "a position from 0 on expected, not '%s'", rest);
	return moved(c, debug_goto(c->d, position), &before);
}

/* "who wrote WHAT"; "wrote" may be left out. */
COMMAND(who)
{
	const struct debug_focus before = debug_focus(c->d);

	if (!strncmp(rest, "wrote", 5) && (!rest[5] || isspace((unsigned char)rest[5])))
		rest += 5;
	while (isspace((unsigned char)*rest))
		rest++;
	if (!*rest)
		return console_error(c, "a register or memory expected");
	c->shown_file = NULL;
	return moved(c, debug_who_wrote(c->d, rest), &before);
}

/* --- Breakpoints ------------------------------------------------------------------------------------ */

/* Cuts `text` before the first `keyword` that is a word of its own with something behind it, and returns what is
 * behind. NULL: it is not there, and the text stays. */
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

/* As cut_option, for the last one, which is left where it stands. */
static char *last_option(char *text, const char *keyword)
{
	const size_t n = strlen(keyword);
	char *found = NULL;

	for (char *at = text; (at = strstr(at, keyword)); at++)
		if ((at == text || isspace((unsigned char)at[-1])) && isspace((unsigned char)at[n]))
			found = at;
	return found;
}

/* "3" or "1,0,0"; within the grid, if there is one. */
static bool read_block(struct console *c, const char *text, u64 *block)
{
	const struct launch *l = debug_launch(c->d);

	if (l)
		return console_index(c, text, "grid", l->grid, block);
	if (strchr(text, ',')) {
		console_error(c, "a block X,Y,Z can be given while a kernel runs; before, its number");
		return false;
	}
	return console_number(c, text, block);
}

/* Without a launch the number is held against the largest block, 1,024 threads. */
static bool check_warp(struct console *c, u64 warp)
{
	const struct launch *l = debug_launch(c->d);
	const u64 threads = l ? (u64)l->block[0] * l->block[1] * l->block[2] : 1024;
	const u64 warps = (threads + WARP_LANES - 1) / WARP_LANES;

	return warp < warps ||
	       (console_error(c, "a block has %llu warp%s: there is no warp %llu", (unsigned long long)warps,
			      warps == 1 ? "" : "s", (unsigned long long)warp),
		false);
}

/* What follows the location: block B, warp W, lane L, if CONDITION (last). */
struct filters {
	const char *condition;
	bool has_block, has_warp, has_lane;
	u64 block, warp, lane;
};

/* The word behind `keyword`, which is cut off with it; "" : there is nothing. NULL: the keyword is not there. */
static const char *cut_filter(struct console *c, char *text, const char *keyword)
{
	char *word = cut_option(text, keyword);

	if (!word)
		return NULL;
	const char *value = console_word(&word);
	if (!*word)
		return value;
	console_error(c, "unexpected '%s' after '%s %s'", word, keyword, value);
	return "";
}

/* What stands behind a location:
 *
 *  break sum.cu:12 block 3 warp 1 lane 4 if i > 7
 *        `location` `--------------------' `-------'
 *                    any order, read        first, since a condition may hold
 *                    from the last one      the words block, warp and lane
 *
 * The text keeps the location. False: a message has been printed. */
static bool cut_filters(struct console *c, char *text, struct filters *f)
{
	const char *word;

	*f = (struct filters){0};
	f->condition = cut_option(text, "if");
	if (!f->condition && !strncmp(text, "if ", 3)) {
		f->condition = text + 3;
		*text = 0;
	}
	/* From the last one on, so that what is behind each is its own word alone. */
	for (u32 left = 3; left; left--) {
		char *lane = last_option(text, "lane"), *warp = last_option(text, "warp"),
		     *block = last_option(text, "block");
		char *last = lane > warp ? lane : warp;
		last = block > last ? block : last;
		if (!last)
			break;
		if (last == lane)
			f->has_lane =
				(word = cut_filter(c, text, "lane")) && *word && console_number(c, word, &f->lane);
		else if (last == warp)
			f->has_warp = (word = cut_filter(c, text, "warp")) && *word &&
				      console_number(c, word, &f->warp) && check_warp(c, f->warp);
		else
			f->has_block = (word = cut_filter(c, text, "block")) && *word && read_block(c, word, &f->block);
		if (c->failed)
			return false;
	}
	if (f->has_lane && f->lane >= WARP_LANES)
		return console_error(c, "a warp has %d lanes", WARP_LANES), false;
	for (size_t n = strlen(text); n && isspace((unsigned char)text[n - 1]);)
		text[--n] = 0;
	return true;
}

/* $bpnum, as in gdb. */
static void note_number(struct console *c, u32 number)
{
	char line[40];

	snprintf(line, sizeof line, "$bpnum = %u", number);
	debug_assign(c->d, line, 1);
}

/* A point whose condition is wrong is taken away again: it would stop everywhere. */
static void apply_filters(struct console *c, struct debug_point *p, const struct filters *f)
{
	p->any_block = !f->has_block;
	p->any_warp = !f->has_warp;
	p->block = f->block;
	p->warp = (u32)f->warp;
	p->lanes = f->has_lane ? 1u << f->lane : FULL_MASK;
	if (f->condition && !debug_set_condition(c->d, p, f->condition)) {
		console_engine_error(c);
		debug_withdraw(c->d, p);
		return;
	}
	debug_point_changed(c->d);
	note_number(c, p->number);
}

/* "Breakpoint 1 at sum.cu:11, sum.ptx:42 and 2 other places". */
static void tell_break(struct console *c, const struct debug_point *p, const char *location)
{
	const struct debug_line l = debug_line(&p->places[0]);
	const char *colon = strrchr(location, ':'), *number = colon ? colon + 1 : location;
	const u32 wanted = number[strspn(number, "0123456789")] ? 0 : (u32)strtoul(number, NULL, 10);
	const bool moved_on = wanted && l.line != wanted && l.loc_line != wanted;

	fprintf(c->out, "Breakpoint %u at ", p->number);
	if (l.loc_file && l.loc_line)
		fprintf(c->out, "%s:%u, ", l.loc_file, l.loc_line);
	fprintf(c->out, "%s:%u", l.file, l.line);
	if (p->place_count > 1)
		fprintf(c->out, " and %u other place%s", p->place_count - 1, p->place_count > 2 ? "s" : "");
	fprintf(c->out, "%s\n", moved_on ? ": the next line with code" : "");
}

/* Without a location, the instruction at the focus, named as FUNCTION+INDEX. */
static bool make_break(struct console *c, char *rest, bool temporary)
{
	struct filters f;
	char here[1024], text[1024];
	const char *location = here;
	struct debug_place place;

	if (!cut_filters(c, rest, &f))
		return true;
	if (*rest) {
		location = console_location(c, rest, text);
	} else {
		if (!debug_focus_place(c->d, &place))
			return console_error(c, "a location expected");
		snprintf(here, sizeof here, "%s+%u", place.code->name, place.instruction);
	}
	struct debug_point *p = debug_break(c->d, location, NULL);
	if (!p)
		return console_engine_error(c);
	p->temporary = temporary;
	apply_filters(c, p, &f);
	if (!c->failed)
		tell_break(c, p, location);
	return true;
}

COMMAND(break) { return make_break(c, rest, false); }
COMMAND(tbreak) { return make_break(c, rest, true); }

/* A comma that is not inside brackets or parentheses begins a count of bytes: "shared 0x40, 16", but "a[i,j]" and "f(x,
 * y)" are expressions. */
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
	if (p->of_variable)
		fprintf(c->out, "Watchpoint %u: %s of %s in lane %u of warp %u\n", p->number, names[kind], p->what,
			p->owner_lane, p->owner_warp);
	else if (p->of_register)
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

/* The beginning of a kind's name is enough; "above N" is for conflicts (wavefronts beyond the
 * first) and sectors. */
COMMAND(catch)
{
	struct filters f;
	u64 above = 0;

	if (!cut_filters(c, rest, &f))
		return true;
	const char *name = console_word(&rest);
	if (!strncmp(rest, "above ", 6)) {
		rest += 6;
		if (!console_number(c, rest, &above))
			return true;
	} else if (*rest) {
		return console_error(c, "'%s' is not understood: 'above N' may stand here", rest);
	}
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
