/* SPDX-License-Identifier: Apache-2.0
 *
 * Locations as users write them, and the instructions that they mean.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "debug/machine.h"
#include "sass/lines.h"

struct finding {
	struct debug *d;
	struct debug_place *places;
	u32 room, count;
	const char *file; /* of lines; not terminated */
	size_t length;
};

const char *debug_function_name(const struct debug *d, const struct code *code)
{
	const char **names = d->names.functions;

	if (!names[code->index])
		names[code->index] = demangle_short(d->arena, code->name);
	return names[code->index];
}

/* An instruction that left no code stands for the next one that did. */
static void add_place(struct finding *f, const struct code *code, u32 instruction)
{
	const struct stops *s = &f->d->stops[code->index];
	const u32 body = (u32)code->function->body.count;

	while (instruction < body && s->of[instruction] == NO_POINT)
		instruction++;
	if (instruction >= body)
		return;
	for (u32 k = 0; k < f->count && k < f->room; k++)
		if (f->places[k].code == code && f->places[k].instruction == instruction)
			return;
	if (f->count < f->room)
		f->places[f->count] = (struct debug_place){code, instruction};
	f->count++;
}

/* --- Lines --------------------------------------------------------------------------------------- */

/* A file is named whole or by its end. */
static bool file_matches(const struct finding *f, const char *path)
{
	const size_t have = strlen(path), length = f->length;

	if (!length || (have == length && !memcmp(path, f->file, length)))
		return true;
	return have > length && path[have - length - 1] == '/' && !memcmp(path + have - length, f->file, length);
}

/* The first instruction on that line of the text, or else on the next line that has one, in each function
 * that spans it. */
static void find_text_line(struct finding *f, u32 line)
{
	for (u32 c = 0; c < f->d->program->code_count; c++) {
		const struct code *code = f->d->program->codes[c];
		const struct ir_function *fn = code->function;
		const struct source *s = fn->module->sources->files.items[fn->span.file];
		u32 first, end, column;
		if (!fn->body.count || !file_matches(f, s->name))
			continue;
		source_place(s, fn->span.begin, &first, &column);
		source_place(s, fn->body.items[fn->body.count - 1].span.begin, &end, &column);
		if (line < first || line > end)
			continue;
		for (u32 k = 0; k < fn->body.count; k++) {
			u32 at;
			source_place(s, fn->body.items[k].span.begin, &at, &column);
			if (at >= line) {
				add_place(f, code, k);
				break;
			}
		}
	}
}

/* Each place where a run of instructions of that .loc line begins; what the compiler put in (line 0) does not
 * end a run. Returns the lowest line above it that has code, UINT32_MAX: none. */
static u32 find_loc_line(struct finding *f, u32 line)
{
	u32 above = UINT32_MAX;

	for (u32 c = 0; c < f->d->program->code_count; c++) {
		const struct code *code = f->d->program->codes[c];
		bool before = false;
		for (u32 k = 0; k < code->function->body.count; k++) {
			const struct debug_place p = {code, k};
			const struct debug_line at = debug_line(&p);
			if (!at.loc_file || !at.loc_line)
				continue;
			const bool in_file = file_matches(f, at.loc_file);
			if (in_file && at.loc_line == line && !before)
				add_place(f, code, k);
			if (in_file && at.loc_line > line && at.loc_line < above)
				above = at.loc_line;
			before = in_file && at.loc_line == line;
		}
	}
	return above;
}

/* The same of lines of PTX beside machine code. */
static void find_ptx_line(struct finding *f, u32 line)
{
	for (u32 c = 0; c < f->d->program->code_count; c++) {
		const struct code *code = f->d->program->codes[c];
		const char *name = sass_ptx_name(code->function), *text;
		bool before = false;
		u32 length;
		if (!name || !file_matches(f, name))
			continue;
		for (u32 k = 0; k < code->function->body.count; k++) {
			const bool here = sass_ptx_line(code->function, k, &text, &length) == line;
			if (here && !before)
				add_place(f, code, k);
			before = here;
		}
	}
}

static void find_line(struct finding *f, u32 line)
{
	u32 above = UINT32_MAX;

	if (f->length)
		above = find_loc_line(f, line);
	if (f->length && !f->count)
		find_ptx_line(f, line);
	if (!f->count)
		find_text_line(f, line);
	if (!f->count && above != UINT32_MAX)
		find_loc_line(f, above);
}

/* --- Names ----------------------------------------------------------------------------------------- */

static void find_label(struct finding *f, const struct code *code, const char *label)
{
	for (size_t k = 0; k < code->function->labels.count; k++)
		if (!strcmp(code->function->labels.items[k]->name, label))
			add_place(f, code, code->function->labels.items[k]->target);
}

/* Behind the prologue: the first instruction of another line than the function's own. Only debug sections
 * promise that the arguments have their places from there on. Machine code of several functions is one body. */
static u32 body_begin(struct debug *d, const struct code *code, u32 begin)
{
	const u32 count = (u32)code->function->body.count;
	const struct debug_place at = {code, begin};
	const struct debug_line first = debug_line(&at);
	const struct dwarf_function *fn = debug_source_function(d, code->function, begin);

	if (!fn || !first.loc_file)
		return begin;
	for (u32 k = begin + 1; k < count && debug_source_function(d, code->function, k) == fn; k++) {
		const struct debug_place p = {code, k};
		const struct debug_line l = debug_line(&p);
		if (l.loc_file && l.loc_line && l.loc_line != first.loc_line)
			return k;
	}
	return begin;
}

static bool is_source_name(const struct dwarf_function *fn, const char *text, size_t length)
{
	return fn && strlen(fn->name) == length && !memcmp(fn->name, text, length);
}

static bool is_named(struct finding *f, struct arena *a, const struct code *code, const char *text, size_t length)
{
	return is_source_name(debug_own_function(f->d, code->function), text, length) ||
	       demangle_matches(a, code->name, text, length);
}

/* Functions of machine code that a kernel calls. */
static void find_called(struct finding *f, struct arena *a, const struct code *code, const char *text, size_t length)
{
	const struct ir_function *fn = code->function;

	for (u32 k = 0; k < fn->body.count; k++) {
		const char *name = sass_called_at(fn, k);
		if (name && (is_source_name(debug_source_function(f->d, fn, k), text, length) ||
			     demangle_matches(a, name, text, length)))
			add_place(f, code, body_begin(f->d, code, k));
	}
}

/* The last ':' that is no part of "::". */
static const char *label_colon(const char *text)
{
	const char *found = NULL;

	for (const char *at = text; *at; at++) {
		if (at[0] == ':' && at[1] == ':')
			at++;
		else if (*at == ':')
			found = at;
	}
	return found;
}

/* FUNCTION, FUNCTION:LABEL, FUNCTION+N, LABEL. */
static void find_name(struct finding *f, const char *text)
{
	const char *colon = label_colon(text), *plus = strrchr(text, '+');
	const size_t digits = plus ? strspn(plus + 1, "0123456789") : 0;
	const bool counted = digits && !plus[1 + digits];
	const size_t length = colon ? (size_t)(colon - text) : counted ? (size_t)(plus - text) : strlen(text);
	struct arena *scratch = arena_child(f->d->arena);

	for (u32 c = 0; c < f->d->program->code_count; c++) {
		const struct code *code = f->d->program->codes[c];
		const bool named = is_named(f, scratch, code, text, length);
		if (named && colon)
			find_label(f, code, colon + 1);
		else if (named)
			add_place(f, code,
				  counted ? (u32)strtoul(plus + 1, NULL, 10)
					  : body_begin(f->d, code, machine_entry(code->function)));
		else if (!colon && !counted)
			find_label(f, code, text);
		if (code->function->machine && !colon && !counted)
			find_called(f, scratch, code, text, length);
	}
	arena_free(scratch);
}

static void find_mnemonic(struct finding *f, const char *wanted)
{
	const size_t length = strlen(wanted);

	for (u32 c = 0; c < f->d->program->code_count; c++)
		for (u32 k = 0; k < f->d->program->codes[c]->function->body.count; k++) {
			const struct ir_instruction *x = &f->d->program->codes[c]->function->body.items[k];
			char text[256];
			int used = snprintf(text, sizeof text, "%s", x->opcode);
			for (u32 m = 0; m < x->modifier_count && used < (int)sizeof text; m++)
				used += snprintf(text + used, sizeof text - (size_t)used, ".%s", x->modifiers[m].text);
			if (!strncasecmp(text, wanted, length) && (!text[length] || text[length] == '.'))
				add_place(f, f->d->program->codes[c], k);
		}
}

u32 debug_resolve(struct debug *d, const char *location, struct debug_place *places, u32 room)
{
	struct finding f = {.d = d, .places = places, .room = room};

	while (*location == ' ')
		location++;
	const char *colon = strrchr(location, ':');
	const char *number = colon ? colon + 1 : location;
	const size_t digits = strspn(number, "0123456789");
	f.file = location;
	f.length = colon ? (size_t)(colon - location) : 0;
	if (*location == '@')
		find_mnemonic(&f, location + 1);
	else if (digits && !number[digits] && !strtoul(number, NULL, 10))
		return debug_fail(d, "there is no line 0"), 0;
	else if (digits && digits < 10 && !number[digits])
		find_line(&f, (u32)strtoul(number, NULL, 10));
	else
		find_name(&f, location);
	if (!f.count)
		debug_fail(d, "no instruction is at '%s'", location);
	return f.count;
}

/* --- Texts ------------------------------------------------------------------------------------------ */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

const char *debug_source_text(const struct debug *d, const char *file, u32 line, u32 *length)
{
	for (u32 c = 0; c < d->program->code_count; c++) {
		const char *name = sass_ptx_name(d->program->codes[c]->function);
		if (name && (!strcmp(name, file) || !strcmp(base_name(name), file)))
			return sass_ptx_text(d->program->codes[c]->function, line, length);
	}
	for (u32 m = 0; m < d->program->module_count; m++) {
		const struct sources *all = d->program->modules[m]->sources;
		for (size_t k = 0; k < all->files.count; k++) {
			const struct source *s = all->files.items[k];
			if ((strcmp(s->name, file) && strcmp(base_name(s->name), file)) || !line ||
			    line > s->line_count)
				continue;
			const u32 begin = s->line_starts[line - 1];
			const u32 end = line < s->line_count ? s->line_starts[line] - 1 : (u32)s->length;
			*length = end - begin;
			while (*length &&
			       (s->text[begin + *length - 1] == '\n' || s->text[begin + *length - 1] == '\r'))
				--*length;
			return s->text + begin;
		}
	}
	return NULL;
}
