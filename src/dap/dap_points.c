/* SPDX-License-Identifier: Apache-2.0
 *
 * Breakpoints of the Debug Adapter Protocol: each request replaces all points of its kind.
 *
 * What the editor wants (s->points, with numbers of the session) is kept apart from the points of the engines that stand
 * for it (s->bindings): a program has an engine for each of its modules, which come and go. A point that no engine has a
 * place for waits for one.
 */
#include <stdlib.h>
#include <string.h>

#include "dap/dap.h"

enum { LINES_MAX = 10000 }; /* that one request asks about */

static bool launched(const struct dap *s, const char **error)
{
	if (!s->d && !s->is_program)
		*error = "nothing is launched";
	return s->d || s->is_program;
}

/* --- Points and engines ---------------------------------------------------------------------------------- */

const struct dap_engine *dap_engine_numbered(const struct dap *s, u32 number)
{
	for (size_t k = 0; k < s->engines.count; k++)
		if (s->engines.items[k].number == number)
			return &s->engines.items[k];
	return NULL;
}

const struct dap_engine *dap_engine_of(const struct dap *s, const struct debug *d)
{
	for (size_t k = 0; k < s->engines.count; k++)
		if (s->engines.items[k].d == d)
			return &s->engines.items[k];
	return NULL;
}

const struct dap_engine *dap_engine_with(const struct dap *s, const struct code *code)
{
	for (size_t k = 0; k < s->engines.count; k++) {
		const struct program *program = debug_program(s->engines.items[k].d);
		if (code->index < program->code_count && program->codes[code->index] == code)
			return &s->engines.items[k];
	}
	return NULL;
}

/* The engine's point behind the first binding of a point; NULL: it has no place. */
static struct debug_point *bound(const struct dap *s, u32 id)
{
	for (size_t k = 0; k < s->bindings.count; k++)
		if (s->bindings.items[k].id == id) {
			struct debug_point *p = debug_point(s->bindings.items[k].d, s->bindings.items[k].number);
			if (p)
				return p;
		}
	return NULL;
}

const struct dap_point *dap_point_of(const struct dap *s, u32 number)
{
	for (size_t k = 0; k < s->bindings.count; k++)
		for (size_t p = 0;
		     s->bindings.items[k].d == s->d && s->bindings.items[k].number == number && p < s->points.count;
		     p++)
			if (s->points.items[p].id == s->bindings.items[k].id)
				return &s->points.items[p];
	return NULL;
}

/* Whether a point was set on a line of the text: the editor shows it there, not in the source that the line is from. */
static bool is_of_text(const struct dap_point *w, const struct debug_place *p)
{
	const struct debug_line l = debug_line(p);
	const char *slash = l.loc_file ? strrchr(l.loc_file, '/') : NULL, *name = slash ? slash + 1 : l.loc_file;

	return w->kind == POINT_LINE &&
	       !(name && !strncmp(w->what, name, strlen(name)) && w->what[strlen(name)] == ':');
}

/* A point as the protocol tells it. Of a program it may find its place later; else it never will. */
static json_t *describe(struct dap *s, const struct dap_point *w, const char *why_not)
{
	const struct debug_point *p = bound(s, w->id);
	json_t *to = json_pack("{s:b}", "verified", p != NULL);

	if (p || s->is_program)
		json_object_set_new(to, "id", json_integer(w->id));
	if (!p)
		json_object_set_new(to, "message", json_string(why_not));
	if (!p && s->is_program)
		json_object_set_new(to, "reason", json_string("pending"));
	if (p && p->place_count)
		dap_put_line(s, to, &p->places[0], is_of_text(w, &p->places[0]));
	return to;
}

/* Condition and hit count, as far as they are given. NULL after deleting the point if they cannot be read. */
static struct debug_point *complete(struct debug *d, struct debug_point *p, const struct dap_point *w)
{
	if (p && w->condition && *w->condition && !debug_set_condition(d, p, w->condition)) {
		debug_delete(d, p);
		return NULL;
	}
	if (p && w->hits && *w->hits) {
		/* "3" and ">= 3": from the third hit on; "> 3": from the fourth. */
		const u64 count = strtoull(w->hits + strspn(w->hits, "<>= "), NULL, 10);
		p->ignore = w->hits[0] == '>' && w->hits[1] != '=' ? count : count ? count - 1 : 0;
	}
	return p;
}

/* A data breakpoint from its id, "BLOCK:WARP:LANE:FRAME:NAME", which on_data_info has made. */
static struct debug_point *watch(struct debug *d, const char *id, const char *access)
{
	struct debug_focus f;
	unsigned long long block;
	int at = 0;

	if (sscanf(id, "%llu:%u:%u:%u:%n", &block, &f.warp, &f.lane, &f.frame, &at) < 4 || !at)
		return NULL;
	f.block = block;
	if (debug_state(d) == DEBUG_STOPPED && !debug_set_focus(d, f))
		return NULL;
	return debug_watch(d, id + at,
			   !access || !strcmp(access, "write") ? DEBUG_WATCH_WRITE
			   : !strcmp(access, "read")           ? DEBUG_WATCH_READ
							       : DEBUG_WATCH_ACCESS,
			   0);
}

static struct debug_point *catch_by_name(struct debug *d, const char *name, const char *above)
{
	for (int k = 0; k < DEBUG_CATCH_COUNT; k++)
		if (!strcmp(debug_catch_name((enum debug_catch)k), name))
			return debug_catch(d, (enum debug_catch)k, above ? strtoull(above, NULL, 10) : 0);
	return NULL;
}

/* A line of a program's text may be given in the file that the text came from. */
static const char *location_in(struct dap *s, const struct dap_engine *e, const struct dap_point *w)
{
	const char *name = s->is_program && w->kind == POINT_LINE && w->path ? dap_text_like(s, e, w->path) : NULL;

	return name ? arena_printf(&s->arena, "%s%s", name, strrchr(w->what, ':')) : w->what;
}

static struct debug_point *make(struct dap *s, const struct dap_engine *e, const struct dap_point *w)
{
	struct debug *d = e->d;

	switch (w->kind) {
	case POINT_DATA:
		return complete(d, watch(d, w->what, w->access), w);
	case POINT_EXCEPTION:
		return catch_by_name(d, w->what, w->condition);
	default:
		return complete(d, debug_break(d, location_in(s, e, w), NULL), w);
	}
}

/* False: the engine has no place for it, or the condition cannot be read there (debug_message). */
static bool bind(struct dap *s, const struct dap_engine *e, const struct dap_point *w)
{
	if (w->of_engine && w->engine != e->number)
		return false;
	const struct debug_point *p = make(s, e, w);
	if (p)
		VEC_PUSH(&s->arena, &s->bindings, ((struct dap_binding){w->id, e->d, p->number}));
	return p != NULL;
}

/* Tells the editor of points whose places have come or gone. */
static void tell_changes(struct dap *s)
{
	for (size_t k = 0; k < s->points.count; k++) {
		struct dap_point *w = &s->points.items[k];
		const bool is = bound(s, w->id) != NULL;
		if (is == w->verified)
			continue;
		w->verified = is;
		dap_event(s, "breakpoint",
			  json_pack("{s:s, s:o}", "reason", "changed", "breakpoint",
				    describe(s, w, "its module has been unloaded")));
	}
}

void dap_points_bind(struct dap *s, const struct dap_engine *e)
{
	for (size_t k = 0; k < s->points.count; k++)
		bind(s, e, &s->points.items[k]);
	tell_changes(s);
}

void dap_points_drop(struct dap *s, const struct debug *d)
{
	size_t kept = 0;

	for (size_t k = 0; k < s->bindings.count; k++)
		if (s->bindings.items[k].d != d)
			s->bindings.items[kept++] = s->bindings.items[k];
	s->bindings.count = kept;
	tell_changes(s);
}

/* --- Setting them -------------------------------------------------------------------------------------------- */

static void forget_bindings(struct dap *s, u32 id)
{
	size_t kept = 0;

	for (size_t k = 0; k < s->bindings.count; k++) {
		const struct dap_binding b = s->bindings.items[k];
		const struct dap_engine *e = dap_engine_of(s, b.d);
		struct debug_point *p = b.id == id && e ? debug_point(b.d, b.number) : NULL;
		if (p)
			debug_delete(e->d, p);
		if (b.id != id)
			s->bindings.items[kept++] = b;
	}
	s->bindings.count = kept;
}

/* Each request replaces all points of its kind; of lines, those of one file: what begins with `prefix`. */
static void forget(struct dap *s, enum dap_point_kind kind, const char *prefix)
{
	size_t kept = 0;

	for (size_t k = 0; k < s->points.count; k++) {
		const struct dap_point w = s->points.items[k];
		if (w.kind == kind && !strncmp(w.what, prefix, strlen(prefix)))
			forget_bindings(s, w.id);
		else
			s->points.items[kept++] = w;
	}
	s->points.count = kept;
}

static const char *copied(struct dap *s, json_t *from, const char *key)
{
	const char *text = json_string_value(json_object_get(from, key));

	return text ? arena_copy_text(&s->arena, text, strlen(text)) : NULL;
}

/* Makes a point in all engines that have its place, and answers what became of it. `what` lives as long as the session. */
static json_t *add(struct dap *s, struct dap_point w, json_t *wanted)
{
	const char *why_not = s->is_program ? "no module that the program has loaded has this place" : "";

	w.id = ++s->last_point;
	w.condition = copied(s, wanted, "condition");
	w.hits = copied(s, wanted, "hitCondition");
	w.log = copied(s, wanted, "logMessage");
	w.access = copied(s, wanted, "accessType");
	for (size_t k = 0; k < s->engines.count; k++)
		if (bind(s, &s->engines.items[k], &w))
			w.verified = true;
		else if (!w.verified && (!s->is_program || s->engines.items[k].d == s->d))
			why_not = debug_message(s->engines.items[k].d);
	/* What has no place in files that are launched never gets one. */
	if (w.verified || s->is_program)
		VEC_PUSH(&s->arena, &s->points, w);
	return describe(s, &w, why_not);
}

/* "FILE:LINE" where FILE is the path's last part: paths in .loc directives and in the command need not be the
 * editor's. */
static const char *line_location(struct dap *s, const char *path, json_int_t line)
{
	const char *slash = strrchr(path, '/');

	return arena_printf(&s->arena, "%s:%lld", slash ? slash + 1 : path, (long long)((u64)line + s->lines_from_0));
}

/* "FILE:", as those of all of a file's lines begin. */
static const char *file_prefix(struct dap *s, const char *path)
{
	const char *slash = strrchr(path, '/');

	return arena_printf(&s->arena, "%s:", slash ? slash + 1 : path);
}

/* The points of a text that is in no file belong to its engine, where others may have one of the same name. */
static json_t *on_lines(struct dap *s, json_t *a, const char **error)
{
	json_t *source = json_object_get(a, "source"), *list, *wanted;
	const struct dap_text *text = dap_text(s, source);
	const char *path = text ? text->name : json_string_value(json_object_get(source, "path"));
	size_t k;

	if (!launched(s, error) || !path) {
		*error = path ? *error : "a source needs a path";
		return NULL;
	}
	list = json_array();
	forget(s, POINT_LINE, file_prefix(s, path));
	json_array_foreach(json_object_get(a, "breakpoints"), k, wanted)
	{
		const struct dap_point w = {
			.kind = POINT_LINE,
			.what = line_location(s, path, json_integer_value(json_object_get(wanted, "line"))),
			.path = text ? NULL : copied(s, source, "path"),
			.of_engine = text != NULL,
			.engine = text ? text->engine : 0};
		json_array_append_new(list, add(s, w, wanted));
	}
	return json_pack("{s:o}", "breakpoints", list);
}

static json_t *on_functions(struct dap *s, json_t *a, const char **error)
{
	json_t *list, *wanted;
	size_t k;

	if (!launched(s, error))
		return NULL;
	list = json_array();
	forget(s, POINT_FUNCTION, "");
	json_array_foreach(json_object_get(a, "breakpoints"), k, wanted)
	{
		const char *name = copied(s, wanted, "name");
		const struct dap_point w = {.kind = POINT_FUNCTION, .what = name ? name : ""};
		json_array_append_new(list, add(s, w, wanted));
	}
	return json_pack("{s:o}", "breakpoints", list);
}

/* An instruction's reference is "FUNCTION+N", as the engine reads it. */
static json_t *on_instructions(struct dap *s, json_t *a, const char **error)
{
	json_t *list, *wanted;
	size_t k;

	if (!launched(s, error))
		return NULL;
	list = json_array();
	forget(s, POINT_INSTRUCTION, "");
	json_array_foreach(json_object_get(a, "breakpoints"), k, wanted)
	{
		const char *at = json_string_value(json_object_get(wanted, "instructionReference"));
		const u64 address = strtoull(at ? at : "", NULL, 0);
		const json_int_t offset = json_integer_value(json_object_get(wanted, "offset"));
		struct dap_point w = {.kind = POINT_INSTRUCTION, .of_engine = true};
		char location[300];
		dap_instruction_name(s, address + (u64)offset, location, sizeof location, &w.engine);
		w.what = arena_copy_text(&s->arena, location, strlen(location));
		json_array_append_new(list, add(s, w, wanted));
	}
	return json_pack("{s:o}", "breakpoints", list);
}

/* --- Data breakpoints ---------------------------------------------------------------------------------- */

static json_t *on_data_info(struct dap *s, json_t *a, const char **error)
{
	const char *name = json_string_value(json_object_get(a, "name"));
	const struct dap_container *c = dap_container(s, json_integer_value(json_object_get(a, "variablesReference")));
	struct debug_register r;
	struct debug_memory_place at;
	char id[400];

	if (!launched(s, error) || !name)
		return NULL;
	if (!s->d)
		return json_pack("{s:n, s:s}", "dataId", "description", "no kernel is running");
	if (c ? !debug_set_focus(s->d, c->focus) : !dap_focus_frame(s, json_object_get(a, "frameId"), error))
		return json_pack("{s:n, s:s}", "dataId", "description", debug_message(s->d));
	if (!debug_find_register(s->d, name, &r) && !debug_find_address(s->d, name, debug_focus(s->d).lane, &at))
		return json_pack("{s:n, s:s}", "dataId", "description", debug_message(s->d));
	const struct debug_focus f = debug_focus(s->d);
	snprintf(id, sizeof id, "%llu:%u:%u:%u:%s", (unsigned long long)f.block, f.warp, f.lane, f.frame, name);
	return json_pack("{s:s, s:s, s:[sss]}", "dataId", id, "description", name, "accessTypes", "read", "write",
			 "readWrite");
}

static const struct dap_point *data_point(const struct dap *s, const char *id, json_t *access)
{
	const char *kind = json_string_value(access);

	for (size_t k = 0; k < s->points.count; k++) {
		const struct dap_point *w = &s->points.items[k];
		if (w->kind == POINT_DATA && w->verified && !strcmp(w->what, id) &&
		    !strcmp(w->access ? w->access : "write", kind ? kind : "write"))
			return w;
	}
	return NULL;
}

static bool is_listed(const struct dap_point *w, json_t *list)
{
	json_t *one;
	size_t k;

	json_array_foreach(list, k, one)
	{
		const char *id = json_string_value(json_object_get(one, "dataId"));
		const char *kind = json_string_value(json_object_get(one, "accessType"));
		const char *condition = json_string_value(json_object_get(one, "condition"));
		const char *hits = json_string_value(json_object_get(one, "hitCondition"));
		if (id && !strcmp(w->what, id) && !strcmp(w->access ? w->access : "write", kind ? kind : "write") &&
		    !strcmp(w->condition ? w->condition : "", condition ? condition : "") &&
		    !strcmp(w->hits ? w->hits : "", hits ? hits : ""))
			return true;
	}
	return false;
}

/* Those that are not in the list any more, or in it otherwise. */
static void forget_data(struct dap *s, json_t *list)
{
	size_t kept = 0;

	for (size_t k = 0; k < s->points.count; k++) {
		const struct dap_point w = s->points.items[k];
		if (w.kind == POINT_DATA && (!s->is_program || !w.verified || !is_listed(&w, list)))
			forget_bindings(s, w.id);
		else
			s->points.items[kept++] = w;
	}
	s->points.count = kept;
}

static json_t *on_data(struct dap *s, json_t *a, const char **error)
{
	json_t *list, *wanted;
	size_t k;

	if (!launched(s, error))
		return NULL;
	list = json_array();
	/* What stays is not made again: between launches its names mean nothing. */
	const struct dap_engine *e = dap_engine_of(s, s->d);
	forget_data(s, json_object_get(a, "breakpoints"));
	json_array_foreach(json_object_get(a, "breakpoints"), k, wanted)
	{
		const char *id = copied(s, wanted, "dataId");
		const struct dap_point w = {.kind = POINT_DATA,
					    .what = id ? id : "",
					    .of_engine = true,
					    .engine = e ? e->number : UINT32_MAX};
		const struct dap_point *kept = data_point(s, w.what, json_object_get(wanted, "accessType"));
		json_array_append_new(list, kept ? describe(s, kept, "") : add(s, w, wanted));
	}
	return json_pack("{s:o}", "breakpoints", list);
}

/* --- Exceptions: what the engine catches ------------------------------------------------------------------ */

static bool is_filter(const char *name)
{
	for (int k = 0; k < DEBUG_CATCH_COUNT; k++)
		if (!strcmp(debug_catch_name((enum debug_catch)k), name))
			return true;
	return false;
}

static json_t *add_filter(struct dap *s, const char *name, json_t *options)
{
	if (!name || !is_filter(name))
		return json_pack("{s:b, s:s}", "verified", 0, "message", "no such filter");
	const struct dap_point w = {.kind = POINT_EXCEPTION, .what = arena_copy_text(&s->arena, name, strlen(name))};
	return add(s, w, options);
}

static json_t *on_exceptions(struct dap *s, json_t *a, const char **error)
{
	json_t *list, *wanted;
	size_t k;

	if (!launched(s, error))
		return NULL;
	list = json_array();
	forget(s, POINT_EXCEPTION, "");
	json_array_foreach(json_object_get(a, "filters"), k, wanted)
		json_array_append_new(list, add_filter(s, json_string_value(wanted), NULL));
	json_array_foreach(json_object_get(a, "filterOptions"), k, wanted) json_array_append_new(
		list, add_filter(s, json_string_value(json_object_get(wanted, "filterId")), wanted));
	return json_pack("{s:o}", "breakpoints", list);
}

static json_t *on_exception_info(struct dap *s, json_t *a, const char **error)
{
	(void)a;
	if (!launched(s, error))
		return NULL;
	const struct fault *f = s->d ? debug_fault(s->d) : NULL;
	const struct debug_point *p = s->d ? debug_point(s->d, s->event.number) : NULL;
	if (!f && !p) {
		*error = "no exception has happened";
		return NULL;
	}
	return json_pack("{s:s, s:s, s:s}", "exceptionId", f ? fault_cuda_name(f->kind) : p->what, "breakMode",
			 "always", "description",
			 s->event.text ? s->event.text
			 : f           ? fault_text(f->kind)
				       : p->what);
}

/* --- Where breakpoints can stand --------------------------------------------------------------------------- */

/* Whether an engine has instructions of that very line. */
static bool has_code(struct dap *s, const char *path, json_int_t line)
{
	const char *location = line_location(s, path, line);
	struct debug_place p;

	for (size_t k = 0; k < s->engines.count; k++) {
		if (!debug_resolve(s->engines.items[k].d, location, &p, 1))
			continue;
		const struct debug_line at = debug_line(&p);
		if (at.line == line + s->lines_from_0 || at.loc_line == line + s->lines_from_0)
			return true;
	}
	return false;
}

static json_t *on_locations(struct dap *s, json_t *a, const char **error)
{
	const char *path = json_string_value(json_object_get(json_object_get(a, "source"), "path"));
	const json_int_t first = json_integer_value(json_object_get(a, "line"));
	json_int_t last = json_integer_value(json_object_get(a, "endLine"));
	json_t *list;

	if (!launched(s, error) || !path)
		return NULL;
	list = json_array();
	if (first < 0 || first > INT32_MAX)
		return json_pack("{s:o}", "breakpoints", list);
	last = last < first ? first : last < first + LINES_MAX ? last : first + LINES_MAX - 1;
	for (json_int_t line = first; line <= last; line++)
		if (has_code(s, path, line))
			json_array_append_new(list, json_pack("{s:I}", "line", line));
	return json_pack("{s:o}", "breakpoints", list);
}

const struct dap_request dap_point_requests[] = {
	{"setBreakpoints", on_lines},
	{"setFunctionBreakpoints", on_functions},
	{"setInstructionBreakpoints", on_instructions},
	{"dataBreakpointInfo", on_data_info},
	{"setDataBreakpoints", on_data},
	{"setExceptionBreakpoints", on_exceptions},
	{"exceptionInfo", on_exception_info},
	{"breakpointLocations", on_locations},
	{0},
};
