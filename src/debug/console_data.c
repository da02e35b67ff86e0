/* SPDX-License-Identifier: Apache-2.0
 *
 * Values: print, x, lanes, display, assignment, settings.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "debug/console_internal.h"

/* --- Formats --------------------------------------------------------------------------------------- */

struct format {
	char letter; /* 0: by type */
	bool all_lanes, vector;
	u32 count, unit; /* of x */
};

/* "/4xw " at the beginning of *text, taken off. */
static bool take_format(struct console *c, char **text, struct format *f)
{
	if (**text != '/')
		return true;
	char *at = *text + 1;
	if (isdigit((unsigned char)*at))
		f->count = (u32)strtoul(at, &at, 10);
	for (; *at && !isspace((unsigned char)*at); at++) {
		if (strchr("xdutcfasi", *at))
			f->letter = *at;
		else if (*at == 'l')
			f->all_lanes = true;
		else if (*at == 'v')
			f->vector = true;
		else if (*at == 'h')
			f->letter = 'h', f->unit = 2;
		else if (*at == 'b')
			f->letter = 'b', f->unit = 1;
		else if (*at == 'w' || *at == 'g')
			f->unit = *at == 'w' ? 4 : 8;
		else
			return console_error(c, "there is no format '%c': x d u t c f h b a s i l v", *at), false;
	}
	while (isspace((unsigned char)*at))
		at++;
	*text = at;
	return true;
}

/* --- print ----------------------------------------------------------------------------------------- */

/* All 32 lanes in rows of eight; lanes that do not execute are dimmed, or in parentheses.
 * Lanes beyond the block have no column; those that are not active are dimmed, or in parentheses without colours. */
static bool print_grid(struct console *c, const char *expression, char letter)
{
	const struct debug_focus f = debug_focus(c->d);
	const struct warp *w = debug_warp(c->d, f.block, f.warp);
	struct debug_split split;
	char texts[WARP_LANES][48] = {""};
	int widest = 0;

	if (!w)
		return console_error(c, "no kernel is running");
	const u32 active = debug_focus_split(c->d, &split) ? split.mask : 0;
	for (u32 l = 0; l < WARP_LANES; l++) {
		struct debug_object o;
		if (!(w->initial_mask >> l & 1))
			continue;
		if (!debug_evaluate_object(c->d, expression, l, &o))
			return console_engine_error(c);
		debug_object_text(c->d, &o, l, letter, texts[l], 46);
		if (!(active >> l & 1) && !c->options.colour) {
			char plain[48];
			memcpy(plain, texts[l], sizeof plain);
			snprintf(texts[l], sizeof texts[l], "(%.45s)", plain);
		}
		widest = (int)strlen(texts[l]) > widest ? (int)strlen(texts[l]) : widest;
	}
	fprintf(c->out, "%s\n", expression);
	const u32 columns = (u32)(widest + 1) * 8 + 4 <= c->options.width ? 8 : 4;
	for (u32 l = 0; l < WARP_LANES; l++) {
		if (l % columns == 0)
			fprintf(c->out, "%3u", l);
		const bool dim = !(active >> l & 1);
		fprintf(c->out, " %s%*s%s", dim ? colour_on(c, "2") : "", widest, texts[l], dim ? colour_off(c) : "");
		if (l % columns == columns - 1)
			fputc('\n', c->out);
	}
	return true;
}

/* A predicate of the whole warp, as a mask. */
static bool print_predicate(struct console *c, const struct debug_register *r)
{
	const struct debug_focus f = debug_focus(c->d);
	const struct warp *w = debug_warp(c->d, f.block, f.warp);
	u32 mask = 0;

	for (u32 l = 0; l < WARP_LANES; l++)
		mask |= (u32)(debug_register_lane(c->d, r, l).bytes[0] & 1) << l;
	fprintf(c->out, "%s = 0x%08x in the live lanes 0x%08x; lane %u: %u\n", r->name,
		mask & (w ? w->initial_mask : 0), w ? w->live : 0, f.lane, mask >> f.lane & 1);
	return true;
}

/* {x, y, z, w} of a vector register. */
static bool print_vector(struct console *c, const char *name, char letter)
{
	static const char letters[] = "xyzw";
	const u32 lane = debug_focus(c->d).lane;
	char one[600], text[64];

	fprintf(c->out, "%s = {", name);
	for (u32 k = 0; k < 4; k++) {
		struct debug_value v;
		snprintf(one, sizeof one, "%.512s.%c", name, letters[k]);
		if (!debug_evaluate(c->d, one, lane, &v)) {
			if (k)
				break;
			fputs("}\n", c->out);
			return console_engine_error(c);
		}
		debug_format(&v, letter, text, sizeof text);
		fprintf(c->out, "%s%s", k ? ", " : "", text);
	}
	fputs("}\n", c->out);
	return true;
}

/* The value becomes $1, $2, ... for later expressions. */
static bool keep_value(struct console *c, char *expression, char letter)
{
	struct debug_object o;
	char text[4096], name[32];
	const u32 lane = debug_focus(c->d).lane;

	if (!debug_evaluate_object(c->d, expression, lane, &o))
		return console_engine_error(c);
	debug_object_text(c->d, &o, lane, letter, text, sizeof text);
	snprintf(name, sizeof name, "$%u", ++c->value_number);
	debug_keep_value(c->d, name, &o);
	fprintf(c->out, "$%u = %s\n", c->value_number, text);
	return true;
}

/* "print LEFT = RIGHT" assigns, then prints LEFT. */
COMMAND(print)
{
	struct format f = {0};
	struct debug_register r;

	if (!take_format(c, &rest, &f))
		return true;
	if (!*rest)
		return console_error(c, "an expression expected");
	if (f.all_lanes)
		return print_grid(c, rest, f.letter);
	if (f.vector)
		return print_vector(c, rest, f.letter);
	char *equals = (char *)(uintptr_t)debug_find_equals(rest);
	if (equals) {
		if (!debug_assign(c->d, rest, 1u << debug_focus(c->d).lane))
			return console_engine_error(c);
		*equals = 0;
	} else if (*rest == '%' && !f.letter && debug_find_register(c->d, rest, &r) && r.place.bits == 1) {
		return print_predicate(c, &r);
	}
	return keep_value(c, rest, f.letter);
}

COMMAND(lanes)
{
	struct format f = {0};

	if (!take_format(c, &rest, &f))
		return true;
	if (!*rest)
		return console_error(c, "an expression expected");
	for (char *at = rest; *at && !c->failed;) {
		char *end = at;
		u32 depth = 0;
		while (*end && (depth || *end != ',')) {
			depth += *end == '(' || *end == '[';
			depth -= (*end == ')' || *end == ']') && depth;
			end++;
		}
		const bool more = *end == ',';
		*end = 0;
		while (isspace((unsigned char)*at))
			at++;
		print_grid(c, at, f.letter);
		at = more ? end + 1 : end;
	}
	return true;
}

/* --- x --------------------------------------------------------------------------------------------- */

static u16 type_of_unit(char letter, u32 unit)
{
	static const u16 floats[] = {[2] = T_f16, [4] = T_f32, [8] = T_f64},
			 plain[] = {[1] = T_b8, [2] = T_b16, [4] = T_b32, [8] = T_b64};

	return letter == 'f' && unit > 1 ? floats[unit] : plain[unit];
}

static bool examine(struct console *c, u32 count)
{
	const u16 type = type_of_unit(c->x_format, c->x_size);
	const u32 columns = c->x_size == 8 || c->x_format == 'f' ? 4 : c->x_size == 4 ? 4 : 8;
	char text[64];

	for (u32 k = 0; k < count; k++) {
		struct debug_value v = {.type = type};
		if (!debug_read(c->d, c->x_space, c->x_address, debug_focus(c->d).lane, v.bytes, c->x_size)) {
			if (k)
				fputc('\n', c->out);
			return console_engine_error(c);
		}
		if (k % columns == 0)
			fprintf(c->out, "%s%s:0x%llx:", k ? "\n" : "", ir_space_word(c->x_space),
				(unsigned long long)c->x_address);
		debug_format(&v, c->x_format, text, sizeof text);
		fprintf(c->out, " %s", text);
		c->x_address += c->x_size;
	}
	fputc('\n', c->out);
	return true;
}

/* Text up to its NUL. */
static bool examine_string(struct console *c)
{
	char byte = 1;

	for (u32 k = 0; k < 4096 && byte; k++, c->x_address++) {
		if (!debug_read(c->d, c->x_space, c->x_address, debug_focus(c->d).lane, &byte, 1)) {
			fputs(k ? "\"...\n" : "", c->out);
			return console_engine_error(c);
		}
		if (!k)
			fprintf(c->out, "%s:0x%llx: \"", ir_space_name(c->x_space), (unsigned long long)c->x_address);
		if (byte)
			fprintf(c->out, byte >= 32 && byte < 127 ? "%c" : "\\%03o", (unsigned char)byte);
	}
	fputs("\"\n", c->out);
	return true;
}

/* Instructions from a location on, or from where the focus is.
 * Leaves "x/Ni" for the instructions that follow as the line that an empty one repeats. */
static bool examine_instructions(struct console *c, const char *location, u32 count)
{
	struct debug_place here = {0}, at;
	char text[1024];
	const bool focused = debug_focus_place(c->d, &here);

	at = here;
	if (*location && strcmp(location, "$pc")) {
		if (!debug_resolve(c->d, console_location(c, location, text), &at, 1))
			return console_engine_error(c);
	} else if (!focused) {
		return console_error(c, "a location expected: no kernel is running");
	}
	for (; count && at.instruction < at.code->function->body.count; count--, at.instruction++) {
		const struct debug_line l = debug_line(&at);
		const bool is_here = focused && here.code == at.code && here.instruction == at.instruction;
		fprintf(c->out, "%s %s+%u\t%s:%u\t%.*s\n", is_here ? "=>" : "  ", debug_function_name(c->d, at.code),
			at.instruction, l.file, l.line, (int)l.length, l.text);
	}
	snprintf(c->last, sizeof c->last, "x/%ui %s+%u", count ? count : 1, at.code->name, at.instruction);
	return true;
}

COMMAND(x)
{
	struct format f = {.count = 1};
	struct debug_memory_place at;

	/* In x, b and h are sizes. */
	if (!take_format(c, &rest, &f))
		return true;
	if (f.letter == 'h' || f.letter == 'b')
		f.letter = 0;
	if (f.letter == 'i')
		return examine_instructions(c, rest, f.count);
	if (*rest) {
		if (!debug_find_address(c->d, rest, debug_focus(c->d).lane, &at))
			return console_engine_error(c);
		c->x_space = at.space;
		c->x_address = at.address;
		const u16 type = at.type;
		const u32 bytes = type_bits(type) / 8;
		if (!f.unit && !c->x_size)
			f.unit = 4;
		if (!f.letter && type_class(type) == 'f' && (bytes == 4 || bytes == 8 || bytes == 2)) {
			c->x_format = 'f';
			f.unit = f.unit ? f.unit : bytes;
		} else if (!f.letter && !c->x_format) {
			c->x_format = 'x';
		}
		if (!f.unit && (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8) && type != T_b32)
			f.unit = bytes;
	} else if (!c->x_size) {
		return console_error(c, "an address expected");
	}
	if (f.letter)
		c->x_format = f.letter;
	if (f.unit)
		c->x_size = f.unit;
	if (c->x_format == 'f' && c->x_size == 1)
		c->x_size = 4;
	snprintf(c->last, sizeof c->last, "x");
	return c->x_format == 's' ? examine_string(c) : examine(c, f.count);
}

/* --- display --------------------------------------------------------------------------------------- */

static void show_display(struct console *c, const struct display *d)
{
	const u32 lane = debug_focus(c->d).lane;
	struct debug_object o;
	char text[1024];

	if (!debug_evaluate_object(c->d, d->expression, lane, &o))
		snprintf(text, sizeof text, "<%.200s>", debug_message(c->d));
	else
		debug_object_text(c->d, &o, lane, d->format, text, sizeof text);
	fprintf(c->out, "%u: %s = %s\n", d->number, d->expression, text);
}

void show_displays(struct console *c)
{
	for (size_t k = 0; k < c->displays.count; k++)
		show_display(c, &c->displays.items[k]);
}

COMMAND(display)
{
	struct format f = {0};
	struct debug_value v;

	if (!take_format(c, &rest, &f))
		return true;
	if (!*rest) {
		show_displays(c);
		return true;
	}
	if (debug_launch(c->d) && !debug_evaluate(c->d, rest, debug_focus(c->d).lane, &v))
		return console_engine_error(c);
	const struct display d = {++c->display_number, arena_copy_text(c->arena, rest, strlen(rest)), f.letter};
	VEC_PUSH(c->arena, &c->displays, d);
	show_display(c, &d);
	return true;
}

COMMAND(undisplay)
{
	u64 number;

	if (!*rest)
		c->displays.count = 0;
	while (*rest) {
		size_t k = 0;
		if (!console_number(c, console_word(&rest), &number))
			return true;
		while (k < c->displays.count && c->displays.items[k].number != number)
			k++;
		if (k == c->displays.count)
			return console_error(c, "there is no display %llu", (unsigned long long)number);
		memmove(&c->displays.items[k], &c->displays.items[k + 1],
			(--c->displays.count - k) * sizeof *c->displays.items);
	}
	return true;
}

/* --- Settings --------------------------------------------------------------------------------------- */

enum setting { SET_LOCKING, SET_HISTORY, SET_HISTORY_LIMIT, SET_WIDTH, SET_CONFIRM, SET_PAGINATION, SETTINGS };

static const struct {
	const char *name, *doc;
} settings[] = {[SET_LOCKING] = {"scheduler-locking", "other warps stay while the focused one moves"},
		[SET_HISTORY] = {"history", "keep what going back needs"},
		[SET_HISTORY_LIMIT] = {"history-limit", "MiB that the history may take"},
		[SET_WIDTH] = {"width", "columns of the screen"},
		[SET_CONFIRM] = {"confirm", "for gdb's scripts: nothing is asked here"},
		[SET_PAGINATION] = {"pagination", "for gdb's scripts: nothing waits for a key here"},
		{NULL, NULL}};

const char *setting_name(u32 index) { return settings[index].name; }

static bool read_switch(struct console *c, const char *text, bool *on)
{
	if (strcmp(text, "on") && strcmp(text, "off")) {
		console_error(c, "on or off expected, not '%s'", text);
		return false;
	}
	*on = !strcmp(text, "on");
	return true;
}

static bool set_setting(struct console *c, u32 which, char *value)
{
	bool on;
	u64 n;

	switch (which) {
	case SET_LOCKING:
		if (read_switch(c, value, &on))
			debug_lock_scheduler(c->d, on);
		return true;
	case SET_HISTORY:
		if (read_switch(c, value, &on) && !debug_set_history(c->d, on))
			console_engine_error(c);
		return true;
	case SET_HISTORY_LIMIT:
		if (console_number(c, value, &n) && !debug_set_history_limit(c->d, n << 20))
			console_engine_error(c);
		return true;
	case SET_CONFIRM:
	case SET_PAGINATION:
		if (read_switch(c, value, &on))
			*(which == SET_CONFIRM ? &c->confirm : &c->pagination) = on;
		return true;
	default:
		if (console_number(c, value, &n))
			c->options.width = n < 20 ? 20 : n > 1000 ? 1000 : (u32)n;
		return true;
	}
}

COMMAND(set)
{
	u32 lanes = 1u << debug_focus(c->d).lane;
	struct debug_split s;

	for (u32 k = 0; settings[k].name; k++) {
		const size_t n = strlen(settings[k].name);
		if (!strncmp(rest, settings[k].name, n) && isspace((unsigned char)rest[n])) {
			rest += n;
			while (isspace((unsigned char)*rest))
				rest++;
			return set_setting(c, k, rest);
		}
	}
	if (!strncmp(rest, "var ", 4) || !strncmp(rest, "variable ", 9))
		rest += rest[3] == ' ' ? 4 : 9;
	if (!strncmp(rest, "lanes ", 6)) {
		rest += 6;
		lanes = debug_focus_split(c->d, &s) ? s.mask : lanes;
	}
	if (!*rest)
		return console_error(c, "a setting or an assignment expected");
	if (!debug_assign(c->d, rest, lanes))
		return console_engine_error(c);
	return true;
}

static void setting_value(const struct console *c, u32 which, char value[64])
{
	const struct debug_history h = debug_history(c->d);
	const bool on = which == SET_LOCKING   ? debug_scheduler_locked(c->d)
			: which == SET_HISTORY ? h.on
			: which == SET_CONFIRM ? c->confirm
					       : c->pagination;

	if (which == SET_HISTORY_LIMIT)
		snprintf(value, 64, "%llu", (unsigned long long)(h.limit_bytes >> 20));
	else if (which == SET_WIDTH)
		snprintf(value, 64, "%u", c->options.width);
	else
		snprintf(value, 64, "%s", on ? "on" : "off");
}

COMMAND(show)
{
	u32 shown = 0;

	for (u32 k = 0; settings[k].name; k++) {
		char value[64];
		if (*rest && strncmp(settings[k].name, rest, strlen(rest)))
			continue;
		setting_value(c, k, value);
		fprintf(c->out, "%-18s %-6s  %s\n", settings[k].name, value, settings[k].doc);
		shown++;
	}
	return shown || console_error(c, "there is no setting '%s': 'show' lists them", rest);
}
