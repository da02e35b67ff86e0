/* SPDX-License-Identifier: Apache-2.0
 *
 * Breakpoints of the Debug Adapter Protocol: each request replaces all points of its kind.
 */
#include <stdlib.h>
#include <string.h>

#include "dap/dap.h"

enum { LINES_MAX = 10000 }; /* that one request asks about */

/* A point of the engine as the protocol tells it; deleted ones are {id, verified: false}. */
static json_t *describe(struct dap *s, const struct debug_point *p)
{
	if (!p)
		return json_pack("{s:b, s:s}", "verified", 0, "message", debug_message(s->d));
	json_t *to = json_pack("{s:i, s:b}", "id", (int)p->number, "verified", 1);
	if (p->place_count)
		dap_put_place(s, to, &p->places[0]);
	return to;
}

/* Condition, hit count and log message, as far as they are given. NULL after deleting the point if they cannot be read. */
static struct debug_point *complete(struct dap *s, struct debug_point *p, json_t *wanted)
{
	const char *condition = json_string_value(json_object_get(wanted, "condition"));
	const char *hits = json_string_value(json_object_get(wanted, "hitCondition"));
	const char *log = json_string_value(json_object_get(wanted, "logMessage"));

	if (p && condition && *condition && !debug_set_condition(s->d, p, condition)) {
		debug_delete(s->d, p);
		return NULL;
	}
	if (p && hits && *hits) {
		/* "3" and ">= 3": from the third hit on; "> 3": from the fourth. */
		const u64 count = strtoull(hits + strspn(hits, "<>= "), NULL, 10);
		p->ignore = hits[0] == '>' && hits[1] != '=' ? count : count ? count - 1 : 0;
	}
	if (p && log)
		VEC_PUSH(&s->arena, &s->logs,
			 ((struct dap_log){p->number, arena_copy_text(&s->arena, log, strlen(log))}));
	return p;
}

static bool launched(const struct dap *s, const char **error)
{
	if (!s->d)
		*error = "nothing is launched";
	return s->d != NULL;
}

#define DELETE_ALL(s, list)                                                              \
	do {                                                                             \
		for (size_t k_ = 0; k_ < (list)->count; k_++) {                          \
			struct debug_point *p_ = debug_point((s)->d, (list)->items[k_]); \
			if (p_)                                                          \
				debug_delete((s)->d, p_);                                \
		}                                                                        \
		(list)->count = 0;                                                       \
	} while (0)

/* "FILE:LINE" where FILE is the path's last part: paths in .loc directives and in the command need not be the
 * editor's. */
static const char *line_location(struct dap *s, const char *path, json_int_t line)
{
	const char *slash = strrchr(path, '/');

	return arena_printf(&s->arena, "%s:%lld", slash ? slash + 1 : path, (long long)((u64)line + s->lines_from_0));
}

/* All breakpoints on lines of a file go before new ones are set: the request lists all of them. */
static void delete_lines_of(struct dap *s, const char *path)
{
	const char *prefix = line_location(s, path, 0);
	const size_t length = (size_t)(strrchr(prefix, ':') - prefix) + 1;

	for (struct debug_point *p = debug_first_point(s->d), *next; p; p = next) {
		next = p->next;
		if (p->kind == DEBUG_BREAK && !strncmp(p->what, prefix, length))
			debug_delete(s->d, p);
	}
}

static json_t *on_lines(struct dap *s, json_t *a, const char **error)
{
	const char *path = json_string_value(json_object_get(json_object_get(a, "source"), "path"));
	json_t *list = json_array(), *wanted;
	size_t k;

	if (!launched(s, error) || !path) {
		*error = path ? *error : "a source needs a path";
		json_decref(list);
		return NULL;
	}
	delete_lines_of(s, path);
	json_array_foreach(json_object_get(a, "breakpoints"), k, wanted)
	{
		const json_int_t line = json_integer_value(json_object_get(wanted, "line"));
		struct debug_point *p = debug_break(s->d, line_location(s, path, line), NULL);
		json_array_append_new(list, describe(s, complete(s, p, wanted)));
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
	DELETE_ALL(s, &s->function_points);
	json_array_foreach(json_object_get(a, "breakpoints"), k, wanted)
	{
		const char *name = json_string_value(json_object_get(wanted, "name"));
		struct debug_point *p = complete(s, debug_break(s->d, name ? name : "", NULL), wanted);
		if (p)
			VEC_PUSH(&s->arena, &s->function_points, p->number);
		json_array_append_new(list, describe(s, p));
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
	DELETE_ALL(s, &s->instruction_points);
	json_array_foreach(json_object_get(a, "breakpoints"), k, wanted)
	{
		const char *at = json_string_value(json_object_get(wanted, "instructionReference"));
		const u64 address = strtoull(at ? at : "", NULL, 0);
		const json_int_t offset = json_integer_value(json_object_get(wanted, "offset"));
		char location[300];
		dap_instruction_name(s, address + (u64)offset, location, sizeof location);
		struct debug_point *p = complete(s, debug_break(s->d, location, NULL), wanted);
		if (p)
			VEC_PUSH(&s->arena, &s->instruction_points, p->number);
		json_array_append_new(list, describe(s, p));
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
	if (c ? !debug_set_focus(s->d, c->focus) : !dap_focus_frame(s, json_object_get(a, "frameId"), error))
		return json_pack("{s:n, s:s}", "dataId", "description", debug_message(s->d));
	if (!debug_find_register(s->d, name, &r) && !debug_find_address(s->d, name, debug_focus(s->d).lane, &at))
		return json_pack("{s:n, s:s}", "dataId", "description", debug_message(s->d));
	const struct debug_focus f = debug_focus(s->d);
	snprintf(id, sizeof id, "%llu:%u:%u:%u:%s", (unsigned long long)f.block, f.warp, f.lane, f.frame, name);
	return json_pack("{s:s, s:s, s:[sss]}", "dataId", id, "description", name, "accessTypes", "read", "write",
			 "readWrite");
}

/* A data breakpoint from its id, "BLOCK:WARP:LANE:FRAME:NAME", which on_data_info has made. */
static struct debug_point *watch(struct dap *s, const char *id, const char *access)
{
	struct debug_focus f;
	unsigned long long block;
	int at = 0;

	if (sscanf(id, "%llu:%u:%u:%u:%n", &block, &f.warp, &f.lane, &f.frame, &at) < 4 || !at)
		return NULL;
	f.block = block;
	if (debug_state(s->d) == DEBUG_STOPPED && !debug_set_focus(s->d, f))
		return NULL;
	return debug_watch(s->d, id + at,
			   !access || !strcmp(access, "write") ? DEBUG_WATCH_WRITE
			   : !strcmp(access, "read")           ? DEBUG_WATCH_READ
							       : DEBUG_WATCH_ACCESS,
			   0);
}

static json_t *on_data(struct dap *s, json_t *a, const char **error)
{
	json_t *list, *wanted;
	size_t k;

	if (!launched(s, error))
		return NULL;
	list = json_array();
	DELETE_ALL(s, &s->data_points);
	json_array_foreach(json_object_get(a, "breakpoints"), k, wanted)
	{
		const char *id = json_string_value(json_object_get(wanted, "dataId"));
		const char *access = json_string_value(json_object_get(wanted, "accessType"));
		struct debug_point *p = complete(s, watch(s, id ? id : "", access), wanted);
		if (p)
			VEC_PUSH(&s->arena, &s->data_points, p->number);
		json_array_append_new(list, describe(s, p));
	}
	return json_pack("{s:o}", "breakpoints", list);
}

/* --- Exceptions: what the engine catches ------------------------------------------------------------------ */

static void catch_by_name(struct dap *s, const char *name, const char *condition, json_t *list)
{
	for (int k = 0; k < DEBUG_CATCH_COUNT; k++) {
		if (!name || strcmp(debug_catch_name((enum debug_catch)k), name))
			continue;
		struct debug_point *p =
			debug_catch(s->d, (enum debug_catch)k, condition ? strtoull(condition, NULL, 10) : 0);
		if (p)
			VEC_PUSH(&s->arena, &s->exception_points, p->number);
		json_array_append_new(list, describe(s, p));
		return;
	}
	json_array_append_new(list, json_pack("{s:b, s:s}", "verified", 0, "message", "no such filter"));
}

static json_t *on_exceptions(struct dap *s, json_t *a, const char **error)
{
	json_t *list, *wanted;
	size_t k;

	if (!launched(s, error))
		return NULL;
	list = json_array();
	DELETE_ALL(s, &s->exception_points);
	json_array_foreach(json_object_get(a, "filters"), k, wanted)
		catch_by_name(s, json_string_value(wanted), NULL, list);
	json_array_foreach(json_object_get(a, "filterOptions"), k, wanted)
		catch_by_name(s, json_string_value(json_object_get(wanted, "filterId")),
			      json_string_value(json_object_get(wanted, "condition")), list);
	return json_pack("{s:o}", "breakpoints", list);
}

static json_t *on_exception_info(struct dap *s, json_t *a, const char **error)
{
	(void)a;
	if (!launched(s, error))
		return NULL;
	const struct fault *f = debug_fault(s->d);
	const struct debug_point *p = debug_point(s->d, s->event.number);
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
	for (json_int_t line = first; line <= last; line++) {
		struct debug_place p;
		if (!debug_resolve(s->d, line_location(s, path, line), &p, 1))
			continue;
		const struct debug_line at = debug_line(&p);
		if (at.line == line + s->lines_from_0 || at.loc_line == line + s->lines_from_0)
			json_array_append_new(list, json_pack("{s:I}", "line", line));
	}
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
