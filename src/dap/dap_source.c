/* SPDX-License-Identifier: Apache-2.0
 *
 * Variables of the source, as the Debug Adapter Protocol shows them: arguments, locals, and what is in them. And the texts
 * themselves: those of a program's modules, and listings of machine code, are in no file that an editor could open, so it
 * gets a reference (sourceReference) and asks for them.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/source.h"
#include "dap/dap.h"

enum { PARTS_MAX = 4096, TEXT_LINES_MAX = 1000000 };

u32 dap_add_parts(struct dap *s, const struct debug_focus *f, const char *expression, const struct debug_object *o)
{
	const struct dap_container c = {SCOPE_PARTS, *f, arena_copy_text(&s->arena, expression, strlen(expression))};

	return debug_object_parts(o) ? dap_add_container(s, &c) : 0;
}

const char *dap_part_expression(struct dap *s, const char *whole, const char *part)
{
	if (*part == '*')
		return arena_printf(&s->arena, "*(%s)", whole);
	if (*part == '[')
		return arena_printf(&s->arena, "(%s)%s", whole, part);
	/* A base class has the name of its type, and its members are found without it. */
	return *part ? arena_printf(&s->arena, "(%s).%s", whole, part) : whole;
}

static void put_object(struct dap *s, const struct dap_container *c, const char *name, const char *expression,
		       const struct debug_object *o, json_t *list)
{
	char text[1024];

	debug_object_text(s->d, o, c->focus.lane, 0, text, sizeof text);
	json_t *one = json_pack("{s:s, s:s, s:s, s:i, s:s}", "name", name, "value", text, "type",
				debug_object_type(s->d, o, &s->arena), "variablesReference",
				(int)dap_add_parts(s, &c->focus, expression, o), "evaluateName", expression);
	if (!one)
		return;
	if (o->in_memory)
		json_object_set_new(one, "memoryReference", dap_memory_reference(&c->focus, o->space, o->address));
	json_array_append_new(list, one);
}

void dap_put_locals(struct dap *s, const struct dap_container *c, json_t *list)
{
	struct debug_local l;

	for (u32 k = 0; debug_local_at(s->d, k, c->focus.lane, &l); k++) {
		if (l.variable->is_argument != (c->scope == SCOPE_ARGUMENTS))
			continue;
		if (l.kept)
			put_object(s, c, l.variable->name, l.variable->name, &l.object, list);
		else
			json_array_append_new(list, json_pack("{s:s, s:s, s:i}", "name", l.variable->name, "value",
							      "not kept at this place", "variablesReference", 0));
	}
}

void dap_put_parts(struct dap *s, const struct dap_container *c, u64 first, u64 count, json_t *list)
{
	struct debug_object o, part;
	char name[80];

	if (!debug_evaluate_object(s->d, c->name, c->focus.lane, &o))
		return;
	const u64 all = debug_object_parts(&o), end = count && count < all && first + count < all ? first + count : all;
	for (u64 k = first; k < end && k < first + PARTS_MAX; k++)
		if (debug_object_part(s->d, &o, c->focus.lane, k, name, &part))
			put_object(s, c, name, dap_part_expression(s, c->name, name), &part, list);
}

/* --- Texts ------------------------------------------------------------------------------------------------- */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Whether a file has exactly these bytes. */
static bool file_has(const char *path, const struct source *text)
{
	size_t length;
	const char *message;
	char *bytes = file_read_whole(path, text->length + 1, &length, &message);
	const bool is = bytes && length == text->length && !memcmp(bytes, text->text, length);

	free(bytes);
	return is;
}

/* The entry of an engine's text, made at its first use. */
static struct dap_text *entry_of(struct dap *s, const struct dap_engine *e, const char *name)
{
	for (size_t k = 0; k < s->texts.count; k++)
		if (s->texts.items[k].engine == e->number && !strcmp(s->texts.items[k].name, name))
			return &s->texts.items[k];
	VEC_PUSH(&s->arena, &s->texts,
		 ((struct dap_text){.engine = e->number, .name = arena_copy_text(&s->arena, name, strlen(name))}));
	return &s->texts.items[s->texts.count - 1];
}

const char *dap_text_like(struct dap *s, const struct dap_engine *e, const char *path)
{
	const struct program *program = debug_program(e->d);

	for (u32 m = 0; m < program->module_count; m++) {
		const struct sources *all = program->modules[m]->sources;
		for (size_t k = 0; k < all->files.count; k++) {
			const struct source *text = all->files.items[k];
			if (!file_has(path, text))
				continue;
			struct dap_text *entry = entry_of(s, e, text->name);
			entry->path = arena_copy_text(&s->arena, path, strlen(path));
			return text->name;
		}
	}
	return NULL;
}

const struct dap_text *dap_text(const struct dap *s, json_t *source)
{
	const json_int_t reference = json_integer_value(json_object_get(source, "sourceReference"));

	return reference >= 1 && (size_t)reference <= s->texts.count ? &s->texts.items[reference - 1] : NULL;
}

/* Editors want absolute paths; a file that cannot be resolved is named as it was given. */
void dap_put_file(struct dap *s, json_t *to, const char *file, u32 line)
{
	char path[PATH_MAX];

	if (!realpath(file, path))
		snprintf(path, sizeof path, "%s", file);
	json_object_set_new(to, "source", json_pack("{s:s, s:s}", "name", base_name(file), "path", path));
	json_object_set_new(to, "line", json_integer((json_int_t)line - s->lines_from_0));
}

void dap_put_text(struct dap *s, json_t *to, const struct debug_place *p, const struct debug_line *l)
{
	const struct dap_engine *e = dap_engine_with(s, p->code);
	const bool in_file = !s->is_program && !p->code->function->machine && access(l->file, R_OK) == 0;

	if (in_file || !e) {
		dap_put_file(s, to, l->file, l->line);
		return;
	}
	struct dap_text *entry = entry_of(s, e, l->file);
	/* A file that the program loaded is one that an editor can open. */
	if (s->is_program && !entry->path && !p->code->function->machine)
		dap_text_like(s, e, l->file);
	if (entry->path) {
		dap_put_file(s, to, entry->path, l->line);
		return;
	}
	json_object_set_new(to, "source",
			    json_pack("{s:s, s:s, s:I}", "name", base_name(l->file), "path", l->file, "sourceReference",
				      (json_int_t)(entry - s->texts.items + 1)));
	json_object_set_new(to, "line", json_integer((json_int_t)l->line - s->lines_from_0));
}

const char *dap_host_file(struct dap *s, const char *name)
{
	struct stat about;

	/* The editor opens it, nothing is read here. */
	return *name == '/' && !stat(name, &about) && S_ISREG(about.st_mode)
		       ? arena_copy_text(&s->arena, name, strlen(name))
		       : NULL;
}

static json_t *on_source(struct dap *s, json_t *a, const char **error)
{
	const struct dap_text *entry = dap_text(s, a);
	const struct dap_engine *e;
	const char *line;
	char *text = NULL;
	size_t size = 0;
	u32 length;

	if (!entry)
		entry = dap_text(s, json_object_get(a, "source"));
	e = entry ? dap_engine_numbered(s, entry->engine) : NULL;
	FILE *out = e ? open_memstream(&text, &size) : NULL;
	if (!out) {
		*error = entry ? "its module has been unloaded" : "there is no such source";
		return NULL;
	}
	for (u32 k = 1; k <= TEXT_LINES_MAX && (line = debug_source_text(e->d, entry->name, k, &length)); k++)
		fprintf(out, "%.*s\n", (int)length, line);
	fclose(out);
	json_t *body = json_pack("{s:o}", "content", json_stringn(text, size));
	free(text);
	if (!body)
		*error = "the text is not UTF-8";
	return body;
}

const struct dap_request dap_source_requests[] = {
	{"source", on_source},
	{0},
};
