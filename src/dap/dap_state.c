/* SPDX-License-Identifier: Apache-2.0
 *
 * What the Debug Adapter Protocol shows: threads, frames, scopes, variables, values of expressions.
 *
 * An editor asks in this order after each stop; numbers that it gets are valid until the next one (dap_forget_places):
 *
 *      threads              one for each live warp:        block * 64 + warp + 1
 *      stackTrace(thread)   frames, numbered from 1:       s->frames
 *      scopes(frame)        containers, numbered from 1:   s->containers (what, of which focus)
 *      variables(container) values, each with a container of its own if it can be opened
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dap/dap.h"
#include "ir/origin.h"
#include "sass/effects.h"

enum { THREADS_MAX = 4096, WARPS_OF_BLOCK = 64, FRAMES_MAX = 1024, ELEMENTS_MAX = 4096, CONTAINERS_MAX = 100000 };

/* --- Threads ------------------------------------------------------------------------------------------- */

s64 dap_thread_of(u64 block, u32 warp) { return (s64)(block * WARPS_OF_BLOCK + warp + 1); }

static bool stopped(const struct dap *s, const char **error)
{
	if (!s->d || !debug_launch(s->d)) {
		*error = "no kernel is running";
		return false;
	}
	return true;
}

/* The warp's first live lane, unless the focus is in that warp already: then its lane stays. */
bool dap_focus_thread(struct dap *s, json_t *arguments, const char **error)
{
	const json_int_t thread = json_integer_value(json_object_get(arguments, "threadId"));

	if (thread < 1 || !stopped(s, error)) {
		*error = "there is no such thread";
		return false;
	}
	const u64 id = (u64)thread - 1;
	const struct debug_focus now = debug_focus(s->d);
	struct debug_focus f = {.block = id / WARPS_OF_BLOCK, .warp = (u32)(id % WARPS_OF_BLOCK)};
	const struct warp *w = debug_warp(s->d, f.block, f.warp);
	f.lane = w && w->live ? (u32)__builtin_ctz(w->live) : 0;
	if (now.block == f.block && now.warp == f.warp && w && w->live >> now.lane & 1)
		f.lane = now.lane;
	if (!debug_set_focus(s->d, f)) {
		*error = debug_message(s->d);
		return false;
	}
	return true;
}

static void put_warps(struct dap *s, const struct block *b, json_t *list)
{
	u32 at[3];
	char name[80];

	debug_block_index(s->d, b->index, at);
	for (u32 k = 0; k < b->warp_count && json_array_size(list) < THREADS_MAX; k++) {
		const struct warp *w = debug_warp(s->d, b->index, k);
		if (!w || !w->live)
			continue;
		snprintf(name, sizeof name, "block (%u,%u,%u) warp %u", at[0], at[1], at[2], k);
		json_array_append_new(
			list, json_pack("{s:I, s:s}", "id", (json_int_t)dap_thread_of(b->index, k), "name", name));
	}
}

/* At most 256 blocks and THREADS_MAX warps are listed: editors draw them all. */
static json_t *on_threads(struct dap *s, json_t *a, const char **error)
{
	const struct block *blocks[256];
	json_t *list = json_array();

	(void)a;
	(void)error;
	if (s->d && debug_launch(s->d)) {
		const u32 count = debug_blocks(s->d, blocks, COUNT_OF(blocks));
		for (u32 k = 0; k < count && k < COUNT_OF(blocks); k++)
			put_warps(s, blocks[k], list);
	}
	/* A client takes an empty list for a program that has ended. */
	if (!json_array_size(list))
		json_array_append_new(list, json_pack("{s:i, s:s}", "id", 1, "name",
						      s->is_program ? "the program" : "between launches"));
	return json_pack("{s:o}", "threads", list);
}

/* --- Frames -------------------------------------------------------------------------------------------- */

/* Where the source that .file lines call `name` is, or NULL; each is looked for once. */
static const char *find_origin(struct dap *s, const struct code *code, const char *name)
{
	const struct dap_engine *e = dap_engine_with(s, code);
	struct origin found;

	for (size_t k = 0; k < s->origins.count; k++)
		if (!strcmp(s->origins.items[k].name, name))
			return s->origins.items[k].path;
	const struct program *program = e ? debug_program(e->d) : NULL;
	if (!program || !origin_find(&s->arena, (const struct ir_module *const *)program->modules,
				     program->module_count, name, &found))
		found.path = s->is_program ? dap_host_file(s, name) : NULL;
	/* The module whose name it is may be unloaded. */
	VEC_PUSH(&s->arena, &s->origins,
		 ((struct dap_origin){arena_copy_text(&s->arena, name, strlen(name)), found.path}));
	return found.path;
}

/* What the compiler put in (line 0) counts as the line before it. */
static struct debug_line line_of(const struct debug_place *p)
{
	struct debug_line l = debug_line(p);

	for (struct debug_place before = *p; l.loc_file && !l.loc_line && before.instruction;) {
		before.instruction--;
		const struct debug_line other = debug_line(&before);
		l.loc_file = other.loc_file;
		l.loc_line = other.loc_line;
	}
	return l;
}

bool dap_shows_source(struct dap *s, const struct debug_place *p)
{
	const struct debug_line l = line_of(p);

	return l.loc_file && l.loc_line && !s->by_text && find_origin(s, p->code, l.loc_file);
}

void dap_put_line(struct dap *s, json_t *to, const struct debug_place *p, bool by_text)
{
	const struct debug_line l = line_of(p);
	const char *origin = !by_text && dap_shows_source(s, p) ? find_origin(s, p->code, l.loc_file) : NULL;

	if (origin)
		dap_put_file(s, to, origin, l.loc_line);
	else if (l.file)
		dap_put_text(s, to, p, &l);
	dap_put_instruction(s, to, p);
}

void dap_put_place(struct dap *s, json_t *to, const struct debug_place *p) { dap_put_line(s, to, p, false); }

/* Called whenever the launch moves. */
void dap_forget_places(struct dap *s)
{
	s->frames.count = 0;
	s->containers.count = 0;
}

static json_t *on_stack(struct dap *s, json_t *a, const char **error)
{
	struct debug_frame frames[FRAMES_MAX];
	const u32 first = (u32)json_integer_value(json_object_get(a, "startFrame"));
	const u32 levels = (u32)json_integer_value(json_object_get(a, "levels"));
	json_t *list;

	if (!stopped(s, error) || !dap_focus_thread(s, a, error))
		return json_pack("{s:[], s:i}", "stackFrames", "totalFrames", 0);
	*error = NULL;
	list = json_array();
	u32 count = debug_frames(s->d, frames, COUNT_OF(frames));
	count = count < COUNT_OF(frames) ? count : (u32)COUNT_OF(frames);
	struct debug_focus f = debug_focus(s->d);
	for (u32 k = first; k < count && (!levels || k - first < levels); k++) {
		f.frame = k;
		VEC_PUSH(&s->arena, &s->frames, f);
		json_t *frame = json_pack("{s:i, s:s, s:i, s:i}", "id", (int)s->frames.count, "name",
					  frames[k].place.code ? debug_function_name(s->d, frames[k].place.code) : "?",
					  "column", s->lines_from_0 ? 0 : 1, "line", 0);
		if (frames[k].place.code)
			dap_put_place(s, frame, &frames[k].place);
		json_array_append_new(list, frame);
	}
	return json_pack("{s:o, s:i}", "stackFrames", list, "totalFrames", (int)count);
}

bool dap_focus_frame(struct dap *s, json_t *frame_id, const char **error)
{
	const json_int_t id = json_integer_value(frame_id);

	if (!frame_id)
		return stopped(s, error);
	if (id < 1 || (size_t)id > s->frames.count) {
		*error = "the frame is out of date";
		return false;
	}
	if (!debug_set_focus(s->d, s->frames.items[id - 1])) {
		*error = debug_message(s->d);
		return false;
	}
	return true;
}

/* --- Scopes and variables ---------------------------------------------------------------------------------- */

/* The number by which the editor will ask for the contents; 0 means that there are none to open. */
u32 dap_add_container(struct dap *s, const struct dap_container *c)
{
	if (s->containers.count >= CONTAINERS_MAX)
		return 0;
	VEC_PUSH(&s->arena, &s->containers, *c);
	return (u32)s->containers.count;
}

const struct dap_container *dap_container(const struct dap *s, json_int_t reference)
{
	return reference >= 1 && (size_t)reference <= s->containers.count ? &s->containers.items[reference - 1] : NULL;
}

/* Memory is marked expensive, so that editors read it only when it is opened. */
static json_t *on_scopes(struct dap *s, json_t *a, const char **error)
{
	static const char *const names[SCOPE_COUNT] = {
		[SCOPE_ARGUMENTS] = "Arguments",
		[SCOPE_LOCALS] = "Locals",
		[SCOPE_REGISTERS] = "Registers",
		[SCOPE_UNIFORM] = "Uniform registers",
		[SCOPE_PREDICATES] = "Predicates",
		[SCOPE_BARRIERS] = "Convergence barriers",
		[SCOPE_SPECIAL] = "Special registers",
		[SCOPE_PARAMETERS] = "Parameters",
		[SCOPE_SHARED] = "Shared memory",
		[SCOPE_LOCAL] = "Local memory",
		[SCOPE_GLOBAL] = "Global and constant memory",
		[SCOPE_COUNTERS] = "Counters",
	};
	json_t *list;

	if (!stopped(s, error) || !dap_focus_frame(s, json_object_get(a, "frameId"), error))
		return NULL;
	list = json_array();
	struct debug_place here;
	const bool is_placed = debug_focus_place(s->d, &here);
	const bool has_source = is_placed && debug_source_function(s->d, here.code->function, here.instruction);
	const bool is_machine = is_placed && here.code->function->machine;
	for (int k = has_source ? 0 : SCOPE_REGISTERS; k < SCOPE_COUNT; k++) {
		const struct dap_container c = {.scope = (enum dap_scope)k, .focus = debug_focus(s->d)};
		if (k >= SCOPE_UNIFORM && k <= SCOPE_BARRIERS && !is_machine)
			continue;
		json_t *scope = json_pack("{s:s, s:i, s:b}", "name", names[k], "variablesReference",
					  (int)dap_add_container(s, &c), "expensive",
					  k > SCOPE_BARRIERS && k != SCOPE_PARAMETERS);
		if (k == SCOPE_ARGUMENTS || k == SCOPE_LOCALS)
			json_object_set_new(scope, "presentationHint",
					    json_string(k == SCOPE_LOCALS ? "locals" : "arguments"));
		if (k == SCOPE_REGISTERS)
			json_object_set_new(scope, "presentationHint", json_string("registers"));
		json_array_append_new(list, scope);
	}
	return json_pack("{s:o}", "scopes", list);
}

static void put_variable(json_t *list, const char *name, const char *value, u16 type, u32 inside)
{
	char text[32];

	snprintf(text, sizeof text, ".%s", token_text(type));
	json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:i, s:s}", "name", name, "value", value, "type", text,
					      "variablesReference", (int)inside, "evaluateName", name));
}

static void put_register(struct dap *s, const struct dap_container *c, const struct debug_register *r, json_t *list)
{
	const struct debug_value v = debug_register_lane(s->d, r, c->focus.lane);
	const struct dap_container lanes = {SCOPE_LANES, c->focus,
					    arena_copy_text(&s->arena, r->name, strlen(r->name))};
	char text[128];

	debug_format(&v, 0, text, sizeof text);
	put_variable(list, r->name, text, r->type, dap_add_container(s, &lanes));
}

/* PTX has one kind of registers, machine code has files of them. */
static enum dap_scope scope_of(const struct debug_register *r)
{
	switch (r->file) {
	case SASS_FILE_UR:
		return SCOPE_UNIFORM;
	case SASS_FILE_P:
	case SASS_FILE_UP:
		return SCOPE_PREDICATES;
	case SASS_FILE_B:
		return SCOPE_BARRIERS;
	default:
		return SCOPE_REGISTERS;
	}
}

static void put_registers(struct dap *s, const struct dap_container *c, json_t *list)
{
	struct debug_register r;

	for (u32 k = 0; debug_register_at(s->d, k, &r); k++)
		if (scope_of(&r) == c->scope && !r.upper)
			put_register(s, c, &r, list);
}

/* As `info special`: names with elements are asked for one by one. */
static void put_special(struct dap *s, const struct dap_container *c, json_t *list)
{
	static const char *const elements[] = {"", ".x", ".y", ".z"};
	struct debug_register r;
	char name[96];

	for (u32 k = 0; debug_special_at(k); k++)
		for (u32 e = 0; e < COUNT_OF(elements); e++) {
			snprintf(name, sizeof name, "%s%s", debug_special_at(k), elements[e]);
			if (debug_find_register(s->d, name, &r))
				put_register(s, c, &r, list);
		}
}

static void put_lanes(struct dap *s, const struct dap_container *c, json_t *list)
{
	const struct warp *w = debug_warp(s->d, c->focus.block, c->focus.warp);
	struct debug_register r;
	char name[40], text[128];

	if (!debug_find_register(s->d, c->name, &r))
		return;
	for (u32 lane = 0; lane < WARP_LANES; lane++) {
		const struct debug_value v = debug_register_lane(s->d, &r, lane);
		debug_format(&v, 0, text, sizeof text);
		snprintf(name, sizeof name, "lane %u%s", lane, w && w->live >> lane & 1 ? "" : " (exited)");
		json_array_append_new(
			list, json_pack("{s:s, s:s, s:i}", "name", name, "value", text, "variablesReference", 0));
	}
}

/* One line for a variable in memory: its first value, or how many there are. */
static void put_memory(struct dap *s, const struct dap_container *c, const char *name, json_t *list)
{
	struct debug_value v = {0};
	char text[128];
	struct debug_memory_place at;

	if (!debug_find_address(s->d, name, c->focus.lane, &at))
		return;
	const u16 type = at.type;
	const u64 element = type_bits(type) < 8 ? 1 : type_bits(type) / 8, size = at.size;
	v.type = type;
	if (size > element)
		snprintf(text, sizeof text, "%llu x .%s at 0x%llx", (unsigned long long)(size / element),
			 token_text(type), (unsigned long long)at.address);
	else if (debug_read(s->d, at.space, at.address, c->focus.lane, v.bytes, element))
		debug_format(&v, 0, text, sizeof text);
	else
		snprintf(text, sizeof text, "%s", debug_message(s->d));
	const struct dap_container inside = {SCOPE_ELEMENTS, c->focus, arena_copy_text(&s->arena, name, strlen(name))};
	put_variable(list, name, text, type, size > element ? dap_add_container(s, &inside) : 0);
	json_object_set_new(json_array_get(list, json_array_size(list) - 1), "memoryReference",
			    dap_memory_reference(&c->focus, at.space, at.address));
}

static bool shown_in(enum dap_scope scope, enum ir_space space)
{
	switch (scope) {
	case SCOPE_PARAMETERS:
		return space == SPACE_PARAM;
	case SCOPE_SHARED:
		return space == SPACE_SHARED;
	case SCOPE_LOCAL:
		return space == SPACE_LOCAL;
	default:
		return space == SPACE_GLOBAL || space == SPACE_CONST;
	}
}

static void put_variables(struct dap *s, const struct dap_container *c, json_t *list)
{
	const struct program *p = debug_program(s->d);
	const struct launch *l = debug_launch(s->d);
	struct debug_place at;

	for (u32 k = 0; k < p->variable_count; k++)
		if (shown_in(c->scope, p->variables[k].space))
			put_memory(s, c, p->variables[k].variable->name, list);
	for (u32 k = 0; l && k < l->kernel->place_count; k++)
		if (shown_in(c->scope, l->kernel->places[k].variable->space))
			put_memory(s, c, l->kernel->places[k].variable->name, list);
	/* Those of a kernel have been listed with the kernel's variables. */
	if (c->scope != SCOPE_PARAMETERS || !debug_focus_place(s->d, &at) || at.code->function->is_entry)
		return;
	for (size_t k = 0; k < at.code->function->params.count; k++)
		put_memory(s, c, at.code->function->params.items[k]->name, list);
}

/* At most ELEMENTS_MAX at a time; editors page through larger arrays. */
static void put_elements(struct dap *s, const struct dap_container *c, u64 first, u64 count, json_t *list)
{
	struct debug_memory_place at;
	char name[40], text[128];

	if (!debug_find_address(s->d, c->name, c->focus.lane, &at))
		return;
	const u16 type = at.type;
	const u64 element = type_bits(type) < 8 ? 1 : type_bits(type) / 8;
	const u64 all = at.size / element, end = count && first + count < all ? first + count : all;
	for (u64 k = first; k < end && k < first + ELEMENTS_MAX; k++) {
		struct debug_value v = {.type = type};
		if (!debug_read(s->d, at.space, at.address + k * element, c->focus.lane, v.bytes, element))
			return;
		debug_format(&v, 0, text, sizeof text);
		snprintf(name, sizeof name, "[%llu]", (unsigned long long)k);
		json_array_append_new(
			list, json_pack("{s:s, s:s, s:i}", "name", name, "value", text, "variablesReference", 0));
	}
}

static void put_counters(struct dap *s, json_t *list)
{
	json_array_append_new(list, json_pack("{s:s, s:o, s:i}", "name", "warp instructions", "value",
					      json_sprintf("%llu", (unsigned long long)debug_position(s->d)),
					      "variablesReference", 0));
	struct account_run *run = debug_counters(s->d);
	if (!run)
		json_array_append_new(list, json_pack("{s:s, s:s, s:i}", "name", "memory", "value",
						      "not counted: launch with \"counters\": true",
						      "variablesReference", 0));
	else
		dap_put_counters(run, list);
}

static json_t *on_variables(struct dap *s, json_t *a, const char **error)
{
	const struct dap_container *at = dap_container(s, json_integer_value(json_object_get(a, "variablesReference")));
	json_t *list = json_array();

	if (!at || !stopped(s, error) || !debug_set_focus(s->d, at->focus))
		return json_pack("{s:o}", "variables", list);
	const struct dap_container c = *at;
	switch (c.scope) {
	case SCOPE_REGISTERS:
	case SCOPE_UNIFORM:
	case SCOPE_PREDICATES:
	case SCOPE_BARRIERS:
		put_registers(s, &c, list);
		break;
	case SCOPE_SPECIAL:
		put_special(s, &c, list);
		break;
	case SCOPE_COUNTERS:
		put_counters(s, list);
		break;
	case SCOPE_LANES:
		put_lanes(s, &c, list);
		break;
	case SCOPE_ARGUMENTS:
	case SCOPE_LOCALS:
		dap_put_locals(s, &c, list);
		break;
	case SCOPE_PARTS:
		dap_put_parts(s, &c, (u64)json_integer_value(json_object_get(a, "start")),
			      (u64)json_integer_value(json_object_get(a, "count")), list);
		break;
	case SCOPE_ELEMENTS:
		put_elements(s, &c, (u64)json_integer_value(json_object_get(a, "start")),
			     (u64)json_integer_value(json_object_get(a, "count")), list);
		break;
	default:
		put_variables(s, &c, list);
	}
	return json_pack("{s:o}", "variables", list);
}

/* --- Changing and asking ------------------------------------------------------------------------------------ */

/* The expression that stands for a variable of a container, and the lanes it is in. */
static const char *name_of(struct dap *s, const struct dap_container *c, const char *name, u32 *lane)
{
	char text[300];

	if (c->scope == SCOPE_LANES) {
		*lane = (u32)strtoul(name + strcspn(name, "0123456789"), NULL, 10) % WARP_LANES;
		return c->name;
	}
	if (c->scope == SCOPE_ELEMENTS) {
		snprintf(text, sizeof text, "%s%s", c->name, name);
		return arena_copy_text(&s->arena, text, strlen(text));
	}
	return c->scope == SCOPE_PARTS ? dap_part_expression(s, c->name, name) : name;
}

/* The value that is read back, which may differ from what was typed (it is converted). */
static json_t *assigned(struct dap *s, const char *name, const char *value, u32 lane, const char **error)
{
	struct debug_object o;
	char text[600];

	snprintf(text, sizeof text, "%s = %s", name, value);
	if (!debug_assign(s->d, text, 1u << lane) || !debug_evaluate_object(s->d, name, lane, &o)) {
		*error = debug_message(s->d);
		return NULL;
	}
	debug_object_text(s->d, &o, lane, 0, text, sizeof text);
	return json_pack("{s:s}", "value", text);
}

static json_t *on_set_variable(struct dap *s, json_t *a, const char **error)
{
	const struct dap_container *c = dap_container(s, json_integer_value(json_object_get(a, "variablesReference")));
	const char *name = json_string_value(json_object_get(a, "name"));
	const char *value = json_string_value(json_object_get(a, "value"));

	*error = "there is no such variable";
	if (!c || !name || !value || !debug_set_focus(s->d, c->focus))
		return NULL;
	u32 lane = c->focus.lane;
	name = name_of(s, c, name, &lane);
	*error = NULL;
	return assigned(s, name, value, lane, error);
}

static json_t *on_set_expression(struct dap *s, json_t *a, const char **error)
{
	const char *name = json_string_value(json_object_get(a, "expression"));
	const char *value = json_string_value(json_object_get(a, "value"));

	if (!name || !value || !dap_focus_frame(s, json_object_get(a, "frameId"), error))
		return NULL;
	return assigned(s, name, value, debug_focus(s->d).lane, error);
}

/* A line for the console: one of its commands. What it moved is told. */
static json_t *console_line(struct dap *s, const char *text)
{
	const u64 position = debug_position(s->d);
	const u32 launch = debug_launch_number(s->d);

	/* A kernel that has failed cannot go on, but the program can. */
	if (dap_leaves_fault(s, false) && (!strcmp(text, "c") || !strcmp(text, "continue"))) {
		debug_end_launch(s->d);
		s->event = (struct debug_event){.reason = DEBUG_LAUNCH_ENDED};
		s->moved = true;
		return json_pack("{s:s, s:i}", "result", "", "variablesReference", 0);
	}
	rewind(s->console_out);
	debug_step_by_text(s->d, s->by_text);
	console_execute(s->console, text, false);
	fflush(s->console_out);
	const long size = ftell(s->console_out);
	json_t *body = json_pack("{s:o, s:i}", "result", json_stringn(s->console_text, size > 0 ? (size_t)size : 0),
				 "variablesReference", 0);
	if (debug_position(s->d) != position || debug_launch_number(s->d) != launch) {
		s->event = *console_event(s->console);
		s->moved = true;
	}
	return body;
}

/* An expression first; in the console what is none is taken as a command. */
static json_t *on_evaluate(struct dap *s, json_t *a, const char **error)
{
	const char *text = json_string_value(json_object_get(a, "expression"));
	const char *context = json_string_value(json_object_get(a, "context"));
	struct debug_object o;
	struct debug_register r;
	char value[1024];

	if (!s->d || !text) {
		*error = s->is_program ? "no kernel is running: the program executes its own code"
				       : "nothing is launched";
		return NULL;
	}
	if (json_object_get(a, "frameId") && !dap_focus_frame(s, json_object_get(a, "frameId"), error))
		return NULL;
	const u32 lane = debug_focus(s->d).lane;
	if (!debug_launch(s->d) || !debug_evaluate_object(s->d, text, lane, &o)) {
		if (context && !strcmp(context, "repl"))
			return console_line(s, text);
		*error = debug_message(s->d);
		return NULL;
	}
	debug_object_text(s->d, &o, lane, 0, value, sizeof value);
	const struct debug_focus f = debug_focus(s->d);
	const struct dap_container lanes = {SCOPE_LANES, f, arena_copy_text(&s->arena, text, strlen(text))};
	const u32 inside = *text == '%' && debug_find_register(s->d, text, &r) ? dap_add_container(s, &lanes)
									       : dap_add_parts(s, &f, text, &o);
	return json_pack("{s:s, s:s, s:i}", "result", value, "type", debug_object_type(s->d, &o, &s->arena),
			 "variablesReference", (int)inside);
}

/* What can be typed on here: as at the console. */
static json_t *on_completions(struct dap *s, json_t *a, const char **error)
{
	const char *text = json_string_value(json_object_get(a, "text"));
	json_int_t column = json_integer_value(json_object_get(a, "column"));
	char word[256], line[512];
	json_t *list;

	if (!s->d || !text) {
		*error = "nothing is launched";
		return NULL;
	}
	list = json_array();
	const size_t length = strlen(text) < sizeof line - 1 ? strlen(text) : sizeof line - 1;
	column -= column > 0 && !s->lines_from_0;
	if (column < 0 || (size_t)column > length)
		column = (json_int_t)length;
	snprintf(line, sizeof line, "%.*s", (int)column, text);
	u32 start = (u32)column;
	while (start && line[start - 1] != ' ')
		start--;
	for (u32 k = 0; k < 200 && console_complete(s->console, line, start, k, word); k++)
		json_array_append_new(list, json_pack("{s:s, s:i, s:i}", "label", word, "start", (int)start, "length",
						      (int)(column - start)));
	return json_pack("{s:o}", "targets", list);
}

const struct dap_request dap_state_requests[] = {
	{"threads", on_threads},     {"stackTrace", on_stack},         {"scopes", on_scopes},
	{"variables", on_variables}, {"setVariable", on_set_variable}, {"setExpression", on_set_expression},
	{"evaluate", on_evaluate},   {"completions", on_completions},  {0},
};
