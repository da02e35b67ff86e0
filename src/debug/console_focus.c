/* SPDX-License-Identifier: Apache-2.0
 *
 * The focus and the call stack.
 */
#include <stdlib.h>
#include <string.h>

#include "debug/console_internal.h"

enum { FRAMES_MAX = 256 };

/* --- Focus ------------------------------------------------------------------------------------------ */

/* Moves the focus and shows where it stands. True: the console goes on. */
bool console_focus(struct console *c, struct debug_focus f)
{
	struct debug_place p;
	struct debug_split s;

	if (!debug_set_focus(c->d, f))
		return console_engine_error(c);
	show_focus(c);
	c->shown_file = NULL;
	if (debug_focus_place(c->d, &p))
		show_line(c, &p, debug_focus_split(c->d, &s) ? s.mask : 0);
	c->list_file = NULL;
	return true;
}

COMMAND(focus)
{
	(void)rest;
	if (!debug_launch(c->d))
		return console_error(c, "no kernel is running");
	return console_focus(c, debug_focus(c->d));
}

/* Reads a block or thread as "(x,y,z)", "x,y" or as a number, x fastest. False after a complaint. */
bool console_index(struct console *c, const char *text, const char *whole, const u32 shape[3], u64 *index)
{
	const u64 count = (u64)shape[0] * shape[1] * shape[2];
	u32 at[3] = {0};
	int used = 0, read;

	if (*text != '(' && !strchr(text, ',')) {
		if (!console_value(c, text, index))
			return false;
		if (*index >= count)
			return console_error(c, "%llu is not within the %s (%u,%u,%u)", (unsigned long long)*index,
					     whole, shape[0], shape[1], shape[2]),
			       false;
		return true;
	}
	const char *numbers = text + (*text == '(');
	read = sscanf(numbers, "%u%n,%u%n,%u%n", &at[0], &used, &at[1], &used, &at[2], &used);
	const char *end = numbers + (read > 0 ? used : 0);
	if (read > 0 && *text == '(')
		end = *end == ')' ? end + 1 : "?";
	if (read < 1 || *end || at[0] >= shape[0] || at[1] >= shape[1] || at[2] >= shape[2])
		return console_error(c, "'%s' is not within the %s (%u,%u,%u)", text, whole, shape[0], shape[1],
				     shape[2]),
		       false;
	*index = at[0] + (u64)shape[0] * (at[1] + (u64)shape[1] * at[2]);
	return true;
}

COMMAND(block)
{
	struct debug_focus f = debug_focus(c->d);
	const struct launch *l = debug_launch(c->d);

	if (!*rest || !l)
		return command_focus(c, rest);
	if (!console_index(c, rest, "grid", l->grid, &f.block))
		return true;
	f = (struct debug_focus){.block = f.block};
	return console_focus(c, f);
}

COMMAND(warp)
{
	struct debug_focus f = debug_focus(c->d);
	u64 n;

	if (!*rest)
		return command_focus(c, rest);
	if (!console_value(c, rest, &n))
		return true;
	const struct warp *w = debug_warp(c->d, f.block, (u32)n);
	f.warp = (u32)n;
	f.frame = 0;
	f.lane = w && w->ready_head ? (u32)__builtin_ctz(w->ready_head->mask) : 0;
	return console_focus(c, f);
}

COMMAND(lane)
{
	struct debug_focus f = debug_focus(c->d);
	u64 n;

	if (!*rest)
		return command_focus(c, rest);
	if (!console_value(c, rest, &n))
		return true;
	f.lane = n > WARP_LANES ? WARP_LANES : (u32)n;
	f.frame = 0;
	return console_focus(c, f);
}

COMMAND(thread)
{
	struct debug_focus f = debug_focus(c->d);
	const struct launch *l = debug_launch(c->d);
	u64 n;

	if (!*rest || !l)
		return command_focus(c, rest);
	if (!console_index(c, rest, "block", l->block, &n))
		return true;
	f.warp = (u32)(n / WARP_LANES);
	f.lane = (u32)(n % WARP_LANES);
	f.frame = 0;
	return console_focus(c, f);
}

/* --- The stack --------------------------------------------------------------------------------------- */

void show_frame(struct console *c, u32 number, const struct debug_frame *f, bool here)
{
	const struct debug_line l = debug_line(&f->place);

	fprintf(c->out, "%s#%-2u ", here ? "* " : "  ", number);
	show_call(c, f);
	fprintf(c->out, " at %s:%u", l.file ? l.file : "?", l.line);
	if (l.loc_file && l.loc_line)
		fprintf(c->out, " (%s:%u)", l.loc_file, l.loc_line);
	fprintf(c->out, ", lanes 0x%08x\n", f->lanes);
}

COMMAND(backtrace)
{
	struct debug_frame frames[FRAMES_MAX];
	const u32 count = debug_frames(c->d, frames, FRAMES_MAX);
	const struct debug_focus before = debug_focus(c->d);
	u64 most = FRAMES_MAX;

	if (*rest && !console_value(c, rest, &most))
		return true;
	if (!count)
		return console_error(c, "there is no stack: no kernel is running");
	/* Arguments are those of the focused frame. */
	for (u32 k = 0; k < count && k < FRAMES_MAX && k < most; k++) {
		struct debug_focus f = before;
		f.frame = k;
		debug_set_focus(c->d, f);
		show_frame(c, k, &frames[k], k == before.frame);
	}
	debug_set_focus(c->d, before);
	if (count > min_u64(most, FRAMES_MAX))
		fprintf(c->out, "  ... and %u more\n", count - (u32)min_u64(most, FRAMES_MAX));
	return true;
}

static bool select_frame(struct console *c, s64 number)
{
	struct debug_focus f = debug_focus(c->d);
	struct debug_frame frame;

	if (number < 0)
		return console_error(c, "this is the innermost frame");
	f.frame = number > 1000000 ? 1000000 : (u32)number;
	if (!debug_set_focus(c->d, f))
		return console_engine_error(c);
	if (!debug_focus_frame(c->d, &frame))
		return console_error(c, "there is no stack");
	show_frame(c, f.frame, &frame, true);
	c->shown_file = NULL;
	show_line(c, &frame.place, 0);
	c->list_file = NULL;
	return true;
}

COMMAND(frame)
{
	u64 n = debug_focus(c->d).frame;

	return *rest && !console_value(c, rest, &n) ? true : select_frame(c, (s64)n);
}

COMMAND(up)
{
	u64 n = 1;

	return *rest && !console_value(c, rest, &n) ? true : select_frame(c, (s64)debug_focus(c->d).frame + (s64)n);
}

COMMAND(down)
{
	u64 n = 1;

	return *rest && !console_value(c, rest, &n) ? true : select_frame(c, (s64)debug_focus(c->d).frame - (s64)n);
}
