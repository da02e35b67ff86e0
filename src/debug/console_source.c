/* SPDX-License-Identifier: Apache-2.0
 *
 * Source lines: of the text that runs, and of the CUDA C that it came from, where that is found.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "debug/console_internal.h"
#include "report/lines.h"

enum { LIST_LINES = 10 };

/* --- Texts ------------------------------------------------------------------------------------------ */

/* The text of a file of CUDA C; each is looked for once. */
static const char *find_source(struct console *c, const char *path)
{
	for (size_t k = 0; k < c->sources.count; k++)
		if (!strcmp(c->sources.items[k].path, path))
			return c->sources.items[k].text;
	const struct found_source found = {arena_copy_text(c->arena, path, strlen(path)),
					   report_find_source(c->arena, debug_accounting(c->d), path)};
	VEC_PUSH(c->arena, &c->sources, found);
	return found.text;
}

/* A line of a file, without its end: of a text that the engine has, or of CUDA C found on disk. NULL: there is no such
 * line. */
const char *source_line(struct console *c, const char *file, u32 line, u32 *length)
{
	const char *text = debug_source_text(c->d, file, line, length);
	u32 first;

	if (text || debug_source_text(c->d, file, 1, &first))
		return text;
	text = find_source(c, file);
	for (u32 k = 1; k < line && text; k++) {
		text = strchr(text, '\n');
		text = text ? text + 1 : NULL;
	}
	if (!text || !*text || !line)
		return NULL;
	*length = (u32)strcspn(text, "\r\n");
	return text;
}

/* --- At stops ---------------------------------------------------------------------------------------- */

/* The line of CUDA C, unless it is the one that was shown last. True: it is on the screen. */
static bool show_source_line(struct console *c, const struct debug_line *l)
{
	const bool same =
		c->shown_file && l->loc_file && !strcmp(c->shown_file, l->loc_file) && c->shown_line == l->loc_line;
	u32 length;
	const char *text = l->loc_file && l->loc_line ? source_line(c, l->loc_file, l->loc_line, &length) : NULL;

	if (!text)
		return false;
	c->shown_file = l->loc_file;
	c->shown_line = l->loc_line;
	if (same)
		return true;
	while (length && isspace((unsigned char)*text)) {
		text++;
		length--;
	}
	fprintf(c->out, "%s%s:%u%s\t%.*s\n", colour_on(c, "36"), l->loc_file, l->loc_line, colour_off(c), (int)length,
		text);
	return true;
}

const char *console_source_line(struct console *c, const char *file, u32 line, u32 *length)
{
	return source_line(c, file, line, length);
}

/* The line of PTX that machine code came from, unless it is the one that was shown last. */
static void show_ptx_line(struct console *c, const struct debug_line *l)
{
	const char *text = l->ptx_text;
	u32 length = l->ptx_length;

	if (!l->ptx_file || c->shown_ptx == l->ptx_line)
		return;
	c->shown_ptx = l->ptx_line;
	while (length && isspace((unsigned char)*text)) {
		text++;
		length--;
	}
	fprintf(c->out, "%s%s:%u%s\t%.*s\n", colour_on(c, "36"), l->ptx_file, l->ptx_line, colour_off(c), (int)length,
		text);
}

/* What a stop shows: the line of CUDA C, that of PTX for machine code, and the instruction. Lines that were shown at
 * the stop before are not repeated. */
void show_line(struct console *c, const struct debug_place *p, u32 lanes)
{
	const struct debug_line l = debug_line(p);
	char mask[40];

	if (!l.file)
		return;
	const bool is_fresh = !c->shown_file;
	if (is_fresh)
		c->shown_ptx = 0;
	const bool shown = show_source_line(c, &l);
	show_ptx_line(c, &l);
	if (!shown && l.loc_file && l.loc_line)
		fprintf(c->out, "%s%s:%u%s ", colour_on(c, "2"), l.loc_file, l.loc_line, colour_off(c));
	fprintf(c->out, "%s%s:%u%s\t%.*s", colour_on(c, "36"), l.file, l.line, colour_off(c), (int)l.length, l.text);
	if (lanes && lanes != FULL_MASK)
		fprintf(c->out, "\t%slanes %s%s", colour_on(c, "33"), show_mask(lanes, mask), colour_off(c));
	fputc('\n', c->out);
}

/* --- list --------------------------------------------------------------------------------------------- */

/* Lines of a file, of which `asked` is the one that was asked for.
 * Prints lines first to last, `mark` with an arrow, and remembers where `list` goes on. */
static bool list_lines(struct console *c, const char *file, u32 asked, u32 first, u32 last, u32 mark)
{
	u32 length;

	if (!source_line(c, file, 1, &length))
		return console_error(c, "%s: there is no such source here", file);
	if (!source_line(c, file, asked, &length))
		return console_error(c, "%s has no line %u", file, asked);
	for (u32 line = first; line <= last; line++) {
		const char *text = source_line(c, file, line, &length);
		if (!text)
			break;
		fprintf(c->out, "%s%5u%s %.*s%s\n", line == mark ? colour_on(c, "1") : "", line,
			line == mark ? " >" : "  ", (int)length, text, line == mark ? colour_off(c) : "");
	}
	c->list_file = file;
	c->list_first = first;
	c->list_line = last + 1;
	return true;
}

static bool list_around(struct console *c, const char *file, u32 line, u32 mark)
{
	const u32 first = line > LIST_LINES / 2 ? line - LIST_LINES / 2 : 1;

	return list_lines(c, file, line, first, first + LIST_LINES - 1, mark);
}

/* Where the focus is, else where the program begins; false: there is no program. */
static bool default_place(struct console *c, struct debug_place *place)
{
	const struct program *p = debug_program(c->d);

	if (debug_focus_place(c->d, place))
		return true;
	if (!p->code_count)
		return false;
	*place = (struct debug_place){p->codes[0], 0};
	return true;
}

/* In CUDA C if that is found and not refused. */
static bool list_place(struct console *c, const struct debug_place *place, const char *language)
{
	const struct debug_line l = debug_line(place);
	u32 length;

	if (!strcmp(language, "cuda") && !l.loc_file)
		return console_error(c, "the instruction has no .loc line");
	if (!strcmp(language, "ptx") && l.ptx_file)
		return list_around(c, l.ptx_file, l.ptx_line, l.ptx_line);
	if (strcmp(language, "ptx") && strcmp(language, "sass") && l.loc_file &&
	    (*language || source_line(c, l.loc_file, 1, &length)))
		return list_around(c, l.loc_file, l.loc_line, l.loc_line);
	return list_around(c, l.file, l.line, l.line);
}

/* "A" or "FILE:A"; a number alone is of the default file. False: it is neither. */
static bool read_line_number(struct console *c, char *text, const char **file, u32 *line)
{
	char *colon = strrchr(text, ':'), *number = colon ? colon + 1 : text;
	const size_t digits = strspn(number, "0123456789");
	struct debug_place place;

	if (!digits || number[digits] || digits > 9)
		return false;
	*line = (u32)strtoul(number, NULL, 10);
	if (colon) {
		*file = arena_copy_text(c->arena, text, (size_t)(colon - text));
		return true;
	}
	*file = c->list_file;
	if (!*file && default_place(c, &place)) {
		const struct debug_line l = debug_line(&place);
		u32 length;
		*file = l.loc_file && source_line(c, l.loc_file, 1, &length) ? l.loc_file : l.file;
	}
	return *file != NULL;
}

static bool list_range(struct console *c, char *from, char *to)
{
	const char *file, *other;
	u32 first, last;

	while (isspace((unsigned char)*to))
		to++;
	for (size_t n = strlen(from); n && isspace((unsigned char)from[n - 1]);)
		from[--n] = 0;
	if (!read_line_number(c, from, &file, &first))
		return console_error(c, "a line expected before ',', not '%s'", from);
	last = first + LIST_LINES - 1;
	if (*to && !read_line_number(c, to, &other, &last))
		return console_error(c, "expected a line after ',', not '%s'", to);
	if (last < first)
		return console_error(c, "line %u is before line %u", last, first);
	return list_lines(c, file, first, first ? first : 1, last, 0);
}

COMMAND(list)
{
	char *comma = strchr(rest, ',');
	struct debug_place place;
	const char *file;
	u32 line, length;

	if (comma && !strchr(rest, '<')) {
		*comma = 0;
		list_range(c, rest, comma + 1);
	} else if (!*rest && c->list_file) {
		list_lines(c, c->list_file, c->list_line, c->list_line, c->list_line + LIST_LINES - 1, 0);
	} else if (!strcmp(rest, "-") && c->list_file) {
		const u32 end = c->list_first;
		const u32 first = end > LIST_LINES ? end - LIST_LINES : 1;
		list_lines(c, c->list_file, first, first, end > 1 ? end - 1 : 1, 0);
		return true;
	} else if (!*rest || !strcmp(rest, "cuda") || !strcmp(rest, "ptx") || !strcmp(rest, "sass") ||
		   !strcmp(rest, "-")) {
		if (!default_place(c, &place))
			return console_error(c, "there is no source");
		list_place(c, &place, strcmp(rest, "-") ? rest : "");
	} else if (read_line_number(c, rest, &file, &line) && source_line(c, file, 1, &length)) {
		list_around(c, file, line, line);
	} else if (debug_resolve(c->d, rest, &place, 1)) {
		list_place(c, &place, "");
	} else {
		return console_engine_error(c);
	}
	snprintf(c->last, sizeof c->last, "list");
	return true;
}

const char *console_location(struct console *c, const char *location, char text[1024])
{
	const size_t digits = strspn(location, "0123456789");

	if (!digits || location[digits] || !c->list_file)
		return location;
	snprintf(text, 1024, "%s:%s", c->list_file, location);
	return text;
}

/* --- info ----------------------------------------------------------------------------------------------- */

void info_source(struct console *c, char *rest)
{
	struct debug_place place;
	u32 length;

	(void)rest;
	if (!default_place(c, &place)) {
		console_error(c, "there is no source");
		return;
	}
	const struct debug_line l = debug_line(&place);
	const struct ir_module *m = place.code->function->module;
	const struct dwarf *w = debug_dwarf(c->d, m);
	if (place.code->function->machine)
		fprintf(c->out, "Machine code: %s for %s\nPTX: %s\n", l.file, m->target,
			l.ptx_file ? l.ptx_file : "not in the file (-lineinfo or -G puts it there)");
	else
		fprintf(c->out, "PTX: %s, version %u.%u for %s\n", l.file, m->version / 10, m->version % 10, m->target);
	if (!l.loc_file)
		fprintf(c->out, "Made from: not told, it has no lines of the source\n");
	else
		fprintf(c->out, "Made from: %s, %s\n", l.loc_file,
			source_line(c, l.loc_file, 1, &length) ? "which is shown at stops" : "which is not found here");
	fprintf(c->out, "Debug sections: %s\n",
		!w                 ? "none, so variables of the source are not known (nvcc -G writes them)"
		: dwarf_problem(w) ? dwarf_problem(w)
				   : "types, variables and scopes are known");
	if (w && dwarf_producer(w))
		fprintf(c->out, "Compiler: %s\n", dwarf_producer(w));
}

void info_line(struct console *c, char *rest)
{
	struct debug_place places[16];
	char text[1024];
	u32 count = 1;

	if (*rest)
		count = debug_resolve(c->d, console_location(c, rest, text), places, COUNT_OF(places));
	else if (!debug_focus_place(c->d, &places[0]))
		count = 0;
	if (!count)
		(void)(*rest ? console_engine_error(c) : console_error(c, "a location expected: no kernel is running"));
	for (u32 k = 0; k < count && k < COUNT_OF(places); k++) {
		const struct debug_line l = debug_line(&places[k]);
		if (l.loc_file)
			fprintf(c->out, "%s:%u is at ", l.loc_file, l.loc_line);
		fprintf(c->out, "%s:%u, %s+%u\t%.*s\n", l.file, l.line, debug_function_name(c->d, places[k].code),
			places[k].instruction, (int)l.length, l.text);
	}
	if (count > COUNT_OF(places))
		fprintf(c->out, "and %u other places\n", count - (u32)COUNT_OF(places));
}
