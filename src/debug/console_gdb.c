/* SPDX-License-Identifier: Apache-2.0
 *
 * More of gdb's commands: types, printf, commands of breakpoints, saving them, the shell.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "debug/console_internal.h"

/* --- Types -------------------------------------------------------------------------------------------- */

static void print_structure(struct console *c, const struct dwarf_type *t)
{
	fprintf(c->out, "%s%s%s {\n", t->kind == DWARF_UNION ? "union" : "struct", t->name ? " " : "",
		t->name ? t->name : "");
	for (size_t k = 0; k < t->members.count; k++) {
		const struct dwarf_member *m = &t->members.items[k];
		fprintf(c->out, "    %s", dwarf_type_name(c->arena, m->type, m->name));
		if (m->bit_size)
			fprintf(c->out, " : %u", m->bit_size);
		fprintf(c->out, ";\n");
	}
	fputc('}', c->out);
}

static void print_enumeration(struct console *c, const struct dwarf_type *t)
{
	s64 next = 0;

	fprintf(c->out, "enum%s%s {", t->name ? " " : "", t->name ? t->name : "");
	for (size_t k = 0; k < t->enumerators.count; k++) {
		const struct dwarf_enumerator *e = &t->enumerators.items[k];
		fprintf(c->out, "%s%s", k ? ", " : "", e->name);
		if (e->value != next)
			fprintf(c->out, " = %lld", (long long)e->value);
		next = e->value + 1;
	}
	fputc('}', c->out);
}

/* A structure with its members, and what is behind it: "struct Body {...} *". */
static void print_whole_type(struct console *c, const struct dwarf_type *t)
{
	const struct dwarf_type *core = dwarf_plain(t);
	char behind[64] = "";
	size_t used = 0;

	while (core && (core->kind == DWARF_POINTER || core->kind == DWARF_ARRAY) && used + 24 < sizeof behind) {
		used += (size_t)(core->kind == DWARF_POINTER ? snprintf(behind + used, sizeof behind - used, "*")
							     : snprintf(behind + used, sizeof behind - used, "[%llu]",
									(unsigned long long)core->count));
		core = dwarf_plain(core->of);
	}
	if (core && (core->kind == DWARF_STRUCT || core->kind == DWARF_UNION))
		print_structure(c, core);
	else if (core && core->kind == DWARF_ENUM)
		print_enumeration(c, core);
	else {
		fputs(dwarf_type_name(c->arena, t, NULL), c->out);
		used = 0;
	}
	fprintf(c->out, "%s%s\n", used ? " " : "", used ? behind : "");
}

static bool show_type(struct console *c, const char *text, bool whole)
{
	struct debug_object o;

	if (!*text)
		return console_error(c, "an expression or a type expected");
	const struct dwarf_type *t = debug_find_type(c->d, text);
	if (!t && !debug_evaluate_object(c->d, text, debug_focus(c->d).lane, &o))
		return console_engine_error(c);
	fprintf(c->out, "type = ");
	if (whole && (t || o.type) && !(!t && o.repeat))
		print_whole_type(c, t ? t : o.type);
	else
		fprintf(c->out, "%s\n", t ? dwarf_type_name(c->arena, t, NULL) : debug_object_type(c->d, &o, c->arena));
	return true;
}

COMMAND(ptype) { return show_type(c, rest, true); }
COMMAND(whatis) { return show_type(c, rest, false); }

/* --- printf --------------------------------------------------------------------------------------------- */

/* The string between quotes with its escapes undone, taken off; false: there is none. */
static bool take_string(char **rest, char to[1024])
{
	char *at = *rest;
	size_t n = 0;

	if (*at++ != '"')
		return false;
	for (; *at && *at != '"' && n + 1 < 1024; at++) {
		char one = *at;
		if (one == '\\' && at[1]) {
			one = *++at;
			one = one == 'n' ? '\n' : one == 't' ? '\t' : one == 'a' ? '\a' : one;
		}
		to[n++] = one;
	}
	to[n] = 0;
	if (*at != '"')
		return false;
	*rest = at + 1;
	return true;
}

/* The next argument, up to a comma outside of brackets and quotes; NULL: there is none. */
static char *take_argument(char **rest)
{
	char *at = *rest + strspn(*rest, " \t"), *begin;
	u32 depth = 0;

	if (*at != ',')
		return NULL;
	begin = ++at;
	for (; *at && (depth || *at != ','); at++) {
		depth += *at == '(' || *at == '[';
		depth -= (*at == ')' || *at == ']') && depth;
	}
	*rest = at;
	return begin;
}

/* One conversion, "%5.2f", with its value. */
static bool print_conversion(struct console *c, const char *spec, size_t length, const char *argument)
{
	const u32 lane = debug_focus(c->d).lane;
	const char letter = spec[length - 1];
	char format[40], text[1024];
	struct debug_object o;

	/* Widths of a thousand and more are no use and much output. */
	if (length > 16 || strspn(spec + strcspn(spec, "123456789"), "0123456789") > 3 ||
	    !strchr("diuxXocfgeEGsp", letter))
		return console_error(c, "there is no conversion '%.*s'", (int)length, spec), false;
	if (!argument)
		return console_error(c, "printf has too few arguments"), false;
	if (!debug_evaluate_object(c->d, argument, lane, &o))
		return console_engine_error(c), false;
	size_t flags = 0;
	for (size_t k = 0; k + 1 < length; k++)
		if (!strchr("lhzjt", spec[k]) && spec[k] != '*')
			format[flags++] = spec[k];
	if (letter == 's' || letter == 'p') {
		debug_object_text(c->d, &o, lane, 0, text, sizeof text);
		snprintf(format + flags, sizeof format - flags, "s");
		fprintf(c->out, format, text); // NOLINT: the format is made of flags above
	} else if (strchr("fgeEG", letter)) {
		snprintf(format + flags, sizeof format - flags, "%c", letter);
		fprintf(c->out, format, debug_value_number(&o.value));
	} else if (letter == 'c') {
		fputc((int)debug_value_whole(&o.value) & 0xff, c->out);
	} else {
		snprintf(format + flags, sizeof format - flags, "ll%c", letter);
		fprintf(c->out, format, (long long)debug_value_whole(&o.value));
	}
	return true;
}

COMMAND(printf)
{
	char format[1024];

	if (!take_string(&rest, format))
		return console_error(c, "a format in quotes expected");
	for (const char *at = format; *at;) {
		if (at[0] != '%' || at[1] == '%') {
			fputc(*at, c->out);
			at += at[0] == '%' ? 2 : 1;
			continue;
		}
		const size_t length = 2 + strspn(at + 1, "-+ #0123456789.lhzjt");
		char *argument = at[length - 1] ? take_argument(&rest) : NULL, one[1024];
		if (argument)
			snprintf(one, sizeof one, "%.*s", (int)(rest - argument), argument);
		if (!print_conversion(c, at, length, argument ? one : NULL))
			return true;
		at += length;
	}
	rest += strspn(rest, " \t");
	return !*rest || console_error(c, "printf has too many arguments: '%s'", rest);
}

/* --- commands ---------------------------------------------------------------------------------------------- */

struct point_commands *console_point_commands(struct console *c, u32 number)
{
	for (size_t k = 0; k < c->point_commands.count; k++)
		if (c->point_commands.items[k].number == number)
			return &c->point_commands.items[k];
	return NULL;
}

bool console_is_silent(const struct point_commands *p)
{
	return p && p->lines.count && !strcmp(p->lines.items[0], "silent");
}

COMMAND(commands)
{
	u64 number = 0;

	for (const struct debug_point *p = debug_first_point(c->d); p; p = p->next)
		number = p->number;
	if (*rest && !console_number(c, rest, &number))
		return true;
	if (!debug_point(c->d, (u32)number))
		return console_error(c, *rest ? "there is no breakpoint %llu" : "there is no breakpoint",
				     (unsigned long long)number);
	struct point_commands *p = console_point_commands(c, (u32)number);
	if (!p) {
		VEC_PUSH(c->arena, &c->point_commands, ((struct point_commands){.number = (u32)number}));
		p = &c->point_commands.items[c->point_commands.count - 1];
	}
	p->lines.count = 0;
	p->from_file = c->from_file;
	console_collect(c, &p->lines);
	return true;
}

/* --- Files and the shell -------------------------------------------------------------------------------------- */

/* What touches the host beyond the debugger's own work is done on the user's word alone. */
static bool may_touch_host(struct console *c, const char *what)
{
	if (!c->options.confined && !c->from_file)
		return true;
	console_error(c, "%s works at the prompt only, not from %s", what,
		      c->options.confined ? "an editor" : "a file of commands");
	return false;
}

static void save_point(struct console *c, FILE *to, const struct debug_point *p)
{
	static const char *const watches[] = {"watch", "wwatch", "rwatch", "awatch"};
	const struct point_commands *commands = console_point_commands(c, p->number);

	fprintf(to, "%s %s",
		p->kind == DEBUG_WATCH   ? watches[p->watch]
		: p->kind == DEBUG_CATCH ? "catch"
		: p->temporary           ? "tbreak"
					 : "break",
		p->what);
	if (!p->any_block)
		fprintf(to, " block %llu", (unsigned long long)p->block);
	if (!p->any_warp)
		fprintf(to, " warp %u", p->warp);
	if (p->lanes != FULL_MASK)
		fprintf(to, " lane %u", (u32)__builtin_ctz(p->lanes));
	if (p->condition)
		fprintf(to, " if %s", p->condition);
	fputc('\n', to);
	if (!p->enabled)
		fprintf(to, "disable $bpnum\n");
	if (!commands)
		return;
	fprintf(to, "commands\n");
	for (size_t k = 0; k < commands->lines.count; k++)
		fprintf(to, "  %s\n", commands->lines.items[k]);
	fprintf(to, "end\n");
}

COMMAND(save)
{
	const char *what = console_word(&rest);
	u32 count = 0;

	if (strcmp(what, "breakpoints") || !*rest)
		return console_error(c, "save breakpoints FILE");
	if (!may_touch_host(c, "saving"))
		return true;
	if (!access(rest, F_OK))
		return console_error(c, "%s: this file exists already; choose another name", rest);
	FILE *to = fopen(rest, "w");
	if (!to)
		return console_error(c, "%s: cannot be written", rest);
	for (const struct debug_point *p = debug_first_point(c->d); p; p = p->next, count++)
		save_point(c, to, p);
	const bool bad = ferror(to);
	if (fclose(to) || bad)
		return console_error(c, "%s: cannot be written", rest);
	fprintf(c->out, "%u saved in %s: 'source %s' sets them again\n", count, rest, rest);
	return true;
}

COMMAND(shell)
{
	char text[512];
	size_t length;

	if (!may_touch_host(c, "a command of the shell"))
		return true;
	if (!*rest)
		return console_error(c, "a command expected");
	fflush(c->out);
	FILE *from = popen(rest, "r");
	if (!from)
		return console_error(c, "the shell cannot be started");
	while ((length = fread(text, 1, sizeof text, from)) > 0)
		fwrite(text, 1, length, c->out);
	const int status = pclose(from);
	if (status)
		return console_error(c, "it ended with status %d", status > 255 ? status >> 8 : status);
	return true;
}

/* --- info args, info locals -------------------------------------------------------------------------------------- */

static void show_variables(struct console *c, bool arguments)
{
	const u32 lane = debug_focus(c->d).lane;
	struct debug_local l;
	char text[2048];
	u32 shown = 0, k = 0;

	for (; debug_local_at(c->d, k, lane, &l); k++) {
		if (l.variable->is_argument != arguments)
			continue;
		if (l.kept)
			debug_object_text(c->d, &l.object, lane, 0, text, sizeof text);
		fprintf(c->out, "%s = %s\n", l.variable->name, l.kept ? text : "<not kept at this place>");
		shown++;
	}
	if (!k)
		console_engine_error(c);
	else if (!shown)
		fprintf(c->out, arguments ? "No arguments.\n" : "No locals.\n");
}

void info_args(struct console *c, char *rest)
{
	const struct launch *l = debug_launch(c->d);
	struct debug_frame f;

	(void)rest;
	/* A kernel has parameters even if no debug sections tell of the source's. */
	if (l && debug_focus_frame(c->d, &f) && f.place.code == l->kernel->code &&
	    !debug_source_function(c->d, f.place.code->function, f.place.instruction))
		show_parameters(c, "");
	else
		show_variables(c, true);
}

void info_locals(struct console *c, char *rest)
{
	(void)rest;
	show_variables(c, false);
}

static bool is_pointer(const struct debug_object *o) { return o->type && dwarf_plain(o->type)->kind == DWARF_POINTER; }

/* "weigh (body=0x10, power=2)", of the focused frame. */
void show_call(struct console *c, const struct debug_frame *f)
{
	const u32 lane = debug_focus(c->d).lane;
	const struct code *code = f->frame->code;
	const struct dwarf_function *fn = debug_source_function(c->d, code->function, f->place.instruction);
	struct debug_local l;
	char text[256];
	u32 shown = 0;

	fprintf(c->out, "%s (", fn ? fn->name : debug_function_name(c->d, code));
	for (u32 k = 0; fn && debug_local_at(c->d, k, lane, &l); k++) {
		if (!l.variable->is_argument)
			continue;
		snprintf(text, sizeof text, "...");
		if (l.kept)
			debug_object_text(c->d, &l.object, lane, is_pointer(&l.object) ? 'x' : 0, text, sizeof text);
		fprintf(c->out, "%s%s=%s", shown++ ? ", " : "", l.variable->name, text);
	}
	fputc(')', c->out);
}
