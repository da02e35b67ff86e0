/* SPDX-License-Identifier: Apache-2.0
 *
 * Requests beside the protocol's own, for a front end that draws: a launch's warps and lanes, registers as rows, the
 * access about to be executed, what the lines have cost. Their names begin with "ptxsim_"; docs/debugger.md lists them.
 *
 * Each request reads the stopped engine through debug/ and answers with JSON; none moves it. Numbers are JSON integers
 * of 63 bits at most, masks have bit l for lane l, and registers are hexadecimal text, as JavaScript's numbers hold 53
 * bits. The lists have limits, so that an answer stays small enough to draw; `residentBlocks` says how many there are
 * in truth.
 */
#include <stdlib.h>
#include <string.h>

#include "dap/dap.h"
#include "observe/async_view.h"
#include "observe/counters.h"
#include "observe/lines.h"
#include "report/fragment_cells.h"
#include "report/json.h"
#include "report/json_parts.h"

enum { BLOCKS_MAX = 256, REGISTERS_MAX = 512, JOINS_MAX = 64, BARRIERS_MAX = 64, COPIES_MAX = 256, LINES_MAX = 200000 };

/* Whether a kernel has been launched and not ended; if not, *error is the answer. */
static bool under_way(const struct dap *s, const char **error)
{
	if (s->d && debug_launch(s->d))
		return true;
	*error = "no kernel is running";
	return false;
}

/* --- The launch -------------------------------------------------------------------------------------- */

static const char *state_word(enum debug_state state)
{
	switch (state) {
	case DEBUG_STOPPED:
		return "stopped";
	case DEBUG_FAULTED:
		return "faulted";
	case DEBUG_BETWEEN:
		return "between";
	case DEBUG_ENDED:
		return "ended";
	default:
		return "idle";
	}
}

static const char *lanes_word(const struct debug_split *p)
{
	static const char *const words[] = {
		[DEBUG_READY] = "ready",        [DEBUG_AT_WARP_SYNC] = "warp",     [DEBUG_AT_BARRIER] = "barrier",
		[DEBUG_AT_CLUSTER] = "cluster", [DEBUG_AT_JOIN] = "reconvergence", [DEBUG_ON_STACK] = "stack"};

	return words[p->state];
}

static u32 line_of(const struct debug_place *p) { return p->code ? debug_line(p).line : 0; }

/* Lanes of a warp that are at one place: who they are, what they wait for, where they go on. */
static json_t *split_object(const struct debug_split *p)
{
	json_t *o = json_pack("{s:I, s:s, s:b}", "mask", (json_int_t)p->mask, "state", lanes_word(p), "next", p->next);

	if (p->place.code) {
		const struct debug_line l = debug_line(&p->place);
		json_object_set_new(o, "line", json_integer(l.line));
		json_object_set_new(o, "function", json_string(p->place.code->name));
	}
	if (p->state == DEBUG_AT_WARP_SYNC || p->state == DEBUG_AT_JOIN)
		json_object_set_new(o, "waitsFor", json_integer((json_int_t)p->waits_for));
	if (p->state == DEBUG_AT_BARRIER)
		json_object_set_new(o, "barrier", json_integer(p->barrier));
	return o;
}

/* Where the lanes of a diverged warp meet again, and which of these places each split goes to. */
static void put_joins(struct dap *s, const struct warp *w, const struct debug_split *splits, json_t *warp)
{
	struct debug_join joins[JOINS_MAX];
	const u32 count = min_u32(debug_joins(s->d, w, joins, JOINS_MAX), JOINS_MAX);
	json_t *list, *split;
	size_t index;

	if (!count)
		return;
	list = json_array();
	for (u32 k = 0; k < count; k++)
		json_array_append_new(list,
				      json_pack("{s:I, s:I, s:i, s:b, s:i}", "expected", (json_int_t)joins[k].expected,
						"arrived", (json_int_t)joins[k].arrived, "parent", (int)joins[k].parent,
						"call", joins[k].is_return, "line", (int)line_of(&joins[k].place)));
	json_object_set_new(warp, "joins", list);
	json_array_foreach(json_object_get(warp, "splits"), index, split)
	{
		for (u32 k = 0; k < count; k++)
			if (joins[k].join == splits[index].join)
				json_object_set_new(split, "join", json_integer(k));
	}
}

/* A listing's reconvergence stack, the topmost entry first. */
static void put_stack(struct dap *s, const struct warp *w, json_t *warp)
{
	json_t *list;

	if (!w->stack_depth)
		return;
	list = json_array();
	for (size_t k = w->stack_depth; k > 0; k--) {
		const struct debug_place place = debug_stack_place(s->d, w, k - 1);
		json_array_append_new(list, json_pack("{s:s, s:I, s:i}", "kind", stack_kind_name(w->stack[k - 1].kind),
						      "mask", (json_int_t)(w->stack[k - 1].mask & w->live), "line",
						      (int)line_of(&place)));
	}
	json_object_set_new(warp, "stack", list);
}

static json_t *warp_object(struct dap *s, const struct warp *w)
{
	struct debug_split splits[WARP_LANES];
	const u32 count = debug_splits(s->d, w, splits);
	json_t *list = json_array();

	for (u32 k = 0; k < count && k < WARP_LANES; k++)
		json_array_append_new(list, split_object(&splits[k]));
	json_t *o =
		json_pack("{s:i, s:I, s:I, s:I, s:o}", "index", (int)w->index, "exists", (json_int_t)w->initial_mask,
			  "live", (json_int_t)w->live, "executed", (json_int_t)w->issued, "splits", list);
	put_joins(s, w, splits, o);
	put_stack(s, w, o);
	return o;
}

/* Barriers that warps of the block have arrived at. */
static json_t *barriers_array(const struct block *b)
{
	json_t *list = json_array();

	for (u32 k = 0; k < BARRIERS_PER_BLOCK; k++) {
		const struct barrier *at = &b->barriers[k];
		if (at->arrived || at->phase)
			json_array_append_new(list, json_pack("{s:i, s:i, s:i, s:I}", "number", (int)k, "arrived",
							      (int)at->arrived, "expected",
							      (int)(at->expected ? at->expected : b->live_threads),
							      "completed", (json_int_t)at->phase));
	}
	return list;
}

/* The block's mbarriers that something has arrived at or waits for, as the checker of asynchronous operations knows
 * them. */
static json_t *mbarriers_array(const struct block *b)
{
	struct async_barrier_view views[BARRIERS_MAX];
	const u32 count = min_u32(async_barriers_of(b, views, BARRIERS_MAX), BARRIERS_MAX);
	json_t *list = json_array();

	for (u32 k = 0; k < count; k++) {
		const struct async_barrier_view *v = &views[k];
		json_array_append_new(list, json_pack("{s:I, s:i, s:i, s:i, s:i, s:I, s:I, s:b}", "address",
						      (json_int_t)v->address, "expected", (int)v->expected, "pending",
						      (int)v->pending, "bytes", (int)v->bytes, "completed",
						      (int)v->phases, "came", (json_int_t)v->came, "waiting",
						      (json_int_t)v->waiting, "others", v->others));
	}
	return list;
}

/* What the block has begun and not waited for. */
static json_t *copies_array(const struct block *b)
{
	static const char *const kinds[] = {
		[ASYNC_COPY] = "cp.async", [ASYNC_BULK] = "bulk", [ASYNC_WGMMA] = "wgmma", [ASYNC_BYTES] = "mbarrier"};
	struct async_copy_view views[COPIES_MAX];
	const u32 count = min_u32(async_copies_of(b, views, COPIES_MAX), COPIES_MAX);
	json_t *list = json_array();

	for (u32 k = 0; k < count; k++) {
		const struct async_copy_view *v = &views[k];
		const u32 at = v->code->origin[v->insn];
		const struct debug_place place = {at < v->code->function->body.count ? v->code : NULL, at};
		json_t *o = json_pack("{s:s, s:i, s:I, s:I, s:I, s:I, s:i}", "kind", kinds[v->kind], "warp",
				      (int)v->warp, "lanes", (json_int_t)v->lanes, "reading", (json_int_t)v->reading,
				      "committed", (json_int_t)v->committed, "globalBytes", (json_int_t)v->global_bytes,
				      "line", (int)line_of(&place));
		if (v->counted)
			json_object_set_new(o, "mbarrier", json_integer(v->mbarrier));
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *block_object(struct dap *s, const struct block *b)
{
	json_t *warps = json_array();

	for (u32 k = 0; k < b->warp_count; k++) {
		const struct warp *w = debug_warp(s->d, b->index, k);
		if (w)
			json_array_append_new(warps, warp_object(s, w));
	}
	return json_pack("{s:I, s:[iii], s:i, s:I, s:o, s:o, s:o, s:o}", "index", (json_int_t)b->index, "at",
			 (int)b->ctaid[0], (int)b->ctaid[1], (int)b->ctaid[2], "threads", (int)b->thread_count,
			 "sharedBytes", (json_int_t)b->shared_bytes, "warps", warps, "barriers", barriers_array(b),
			 "mbarriers", mbarriers_array(b), "copies", copies_array(b));
}

static json_t *launch_object(struct dap *s, const struct launch *l)
{
	return json_pack("{s:s, s:i, s:[iii], s:[iii]}", "kernel", debug_function_name(s->d, l->kernel->code), "number",
			 (int)debug_launch_number(s->d), "grid", (int)l->grid[0], (int)l->grid[1], (int)l->grid[2],
			 "block", (int)l->block[0], (int)l->block[1], (int)l->block[2]);
}

/* What the debugger looks at: block, warp, lane, frame, and the line where that stands. */
static void put_focus(struct dap *s, json_t *to)
{
	const struct debug_focus f = debug_focus(s->d);
	struct debug_place here;
	u32 tid[3];

	debug_thread_index(s->d, f.warp, f.lane, tid);
	json_t *o = json_pack("{s:I, s:i, s:i, s:i, s:[iii], s:I}", "block", (json_int_t)f.block, "warp", (int)f.warp,
			      "lane", (int)f.lane, "frame", (int)f.frame, "thread", (int)tid[0], (int)tid[1],
			      (int)tid[2], "threadId", (json_int_t)dap_thread_of(f.block, f.warp));
	if (debug_focus_place(s->d, &here)) {
		const struct debug_line l = debug_line(&here);
		json_object_set_new(o, "line", json_integer(l.line));
		json_object_set_new(o, "column", json_integer(l.column));
		json_object_set_new(o, "instruction", report_string(&s->arena, l.text, l.length));
	}
	json_object_set_new(to, "focus", o);
}

static json_t *on_state(struct dap *s, json_t *a, const char **error)
{
	const struct block *blocks[BLOCKS_MAX];
	json_t *list;

	(void)a;
	if (!s->d) {
		*error = "nothing is launched";
		return NULL;
	}
	json_t *o = json_pack("{s:s, s:I, s:I}", "state", state_word(debug_state(s->d)), "position",
			      (json_int_t)debug_position(s->d), "furthest", (json_int_t)debug_furthest(s->d));
	const struct launch *l = debug_launch(s->d);
	if (!l)
		return o;
	list = json_array();
	const u32 count = debug_blocks(s->d, blocks, BLOCKS_MAX);
	for (u32 k = 0; k < count && k < BLOCKS_MAX; k++)
		json_array_append_new(list, block_object(s, blocks[k]));
	json_object_set_new(o, "launch", launch_object(s, l));
	json_object_set_new(o, "blocks", list);
	json_object_set_new(o, "residentBlocks", json_integer(count));
	const struct fault *f = debug_fault(s->d);
	if (f && s->event.text)
		json_object_set_new(o, "fault", json_string(s->event.text));
	put_focus(s, o);
	return o;
}

/* --- Registers --------------------------------------------------------------------------------------- */

/* A lane's bits as hexadecimal digits, of the type's width. */
static void put_lane(json_t *list, const struct debug_value *v)
{
	const u32 bits = type_bits(v->type), bytes = bits < 8 ? 1 : bits / 8;
	char text[2 * sizeof v->bytes + 1];

	for (u32 k = 0; k < bytes; k++)
		snprintf(text + 2 * k, 3, "%02x", v->bytes[bytes - 1 - k]);
	json_array_append_new(list, json_string(text));
}

static void put_row(struct dap *s, const struct debug_register *r, json_t *list)
{
	json_t *lanes = json_array();

	for (u32 l = 0; l < WARP_LANES; l++) {
		const struct debug_value v = debug_register_lane(s->d, r, l);
		put_lane(lanes, &v);
	}
	json_array_append_new(
		list, json_pack("{s:s, s:s, s:o}", "name", r->name, "type", token_text(r->type), "lanes", lanes));
}

static json_t *on_registers(struct dap *s, json_t *a, const char **error)
{
	json_t *list, *name;
	struct debug_register r;
	size_t index;

	if (!under_way(s, error) || !dap_focus_frame(s, json_object_get(a, "frameId"), error))
		return NULL;
	list = json_array();
	json_t *names = json_object_get(a, "names");
	json_array_foreach(names, index, name)
	{
		if (json_is_string(name) && debug_find_register(s->d, json_string_value(name), &r))
			put_row(s, &r, list);
	}
	for (u32 k = 0; !names && k < REGISTERS_MAX && debug_register_at(s->d, k, &r); k++)
		put_row(s, &r, list);
	return json_pack("{s:o}", "registers", list);
}

/* --- Memory ------------------------------------------------------------------------------------------ */

/* A variable or buffer with the reference that the protocol's readMemory takes. */
static void put_place(json_t *list, const struct debug_focus *f, const char *name, const struct debug_memory_place *at)
{
	json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:I, s:I, s:o}", "name", name, "space",
					      ir_space_word(at->space), "type", token_text(at->type), "address",
					      (json_int_t)at->address, "size", (json_int_t)at->size, "memoryReference",
					      dap_memory_reference(f, at->space, at->address)));
}

/* Those of a parameter's space hold what the launch was given: the buffers are listed instead. */
static void put_variable(struct dap *s, json_t *list, const struct ir_variable *v)
{
	const struct debug_focus f = debug_focus(s->d);
	struct debug_memory_place at;

	if (v->space != SPACE_PARAM && debug_find_address(s->d, v->name, f.lane, &at))
		put_place(list, &f, v->name, &at);
}

static void put_buffer(struct dap *s, json_t *list, const struct buffer *b)
{
	const struct debug_focus f = debug_focus(s->d);
	const u16 type = (u16)token_find(element_name(b->type));
	u64 size = type_bits(type) / 8;

	for (u32 k = 0; k < b->rank; k++)
		size *= b->dims[k];
	const struct debug_memory_place at = {.space = SPACE_GLOBAL, .address = b->address, .type = type, .size = size};
	if (b->address)
		put_place(list, &f, b->name, &at);
}

/* All shared memory of the focused block: what the launch adds has no variable that says how much there is. */
static void put_shared(struct dap *s, json_t *list)
{
	const struct debug_focus f = debug_focus(s->d);
	const struct warp *w = debug_warp(s->d, f.block, f.warp);

	if (w && w->block->shared_bytes) {
		const struct debug_memory_place at = {
			.space = SPACE_SHARED, .type = T_b32, .size = w->block->shared_bytes / 4 * 4};
		put_place(list, &f, "shared", &at);
	}
}

/* Buffers of the launch, then variables of the module and of the kernel, then all of shared memory. */
static json_t *on_memory(struct dap *s, json_t *a, const char **error)
{
	const struct script *script = &s->debuggee.script;
	json_t *list;

	(void)a;
	if (!under_way(s, error))
		return NULL;
	list = json_array();
	const struct program *p = debug_program(s->d);
	const struct kernel *kernel = debug_launch(s->d)->kernel;
	for (size_t k = 0; k < script->buffers.count; k++)
		put_buffer(s, list, script->buffers.items[k]);
	for (u32 k = 0; k < p->variable_count; k++)
		put_variable(s, list, p->variables[k].variable);
	for (u32 k = 0; k < kernel->place_count; k++)
		put_variable(s, list, kernel->places[k].variable);
	put_shared(s, list);
	return json_pack("{s:o}", "variables", list);
}

/* The access about to be executed (or the last, "last": true), lane by lane, with what it costs; "arch" asks for the
 * rules of another architecture. */
static json_t *on_access(struct dap *s, json_t *a, const char **error)
{
	static const char *const rules[] = {[ARCH_GLOBAL_IN_ORDER] = "in order",
					    [ARCH_GLOBAL_SEGMENTS] = "segments",
					    [ARCH_GLOBAL_LINES] = "lines",
					    [ARCH_GLOBAL_SECTORS] = "sectors"};
	const char *name = json_string_value(json_object_get(a, "arch"));
	const struct arch *arch = name ? arch_find(name) : NULL;
	const struct account_site *site;
	struct account_sample sample;

	if (!under_way(s, error))
		return NULL;
	if (name && !arch) {
		*error = "there is no such architecture";
		return NULL;
	}
	if (!debug_access(s->d, json_is_true(json_object_get(a, "last")), &site, &sample)) {
		*error = debug_message(s->d);
		return NULL;
	}
	const struct place_of p = accounting_place(site);
	const struct arch *by = arch ? arch : accounting_arch(debug_accounting(s->d));
	json_t *o = report_execution(debug_accounting(s->d), arch, site, &sample);
	json_object_set_new(o, "line", json_integer(p.line));
	json_object_set_new(o, "instruction", report_string(&s->arena, p.text, p.length));
	json_object_set_new(o, "banks", json_integer(by->banks));
	json_object_set_new(o, "bankBytes", json_integer(by->bank_bytes));
	json_object_set_new(o, "rule", json_string(rules[by->global_rule]));
	json_object_set_new(o, "width", json_integer(site->width));
	return o;
}

/* --- Matrices ---------------------------------------------------------------------------------------- */

static void put_cell(void *context, const struct fragment_cell *c)
{
	json_array_append_new(context, json_pack("[i, i, i, i, i, s]", (int)c->part, (int)c->row, (int)c->column,
						 (int)c->lane, (int)c->reg, c->text));
}

/* The decoded instruction that does an instruction's work: the last of its own. NULL: it is none of matrices. */
static const char *visit_operand(struct dap *s, const struct debug_frame *f, u32 instruction, char letter,
				 json_t *cells)
{
	const struct code *code = f->place.code;

	for (u32 k = code->insn_count; k-- > 0;)
		if (code->origin[k] == instruction)
			return fragment_visit(&s->arena, code, k, f->frame->rows, debug_focus(s->d).warp, letter,
					      put_cell, cells);
	return NULL;
}

/* Operand A, B, C or D of the matrix instruction that stands here, or of the last one before. */
static json_t *on_matrix(struct dap *s, json_t *a, const char **error)
{
	const char *operand = json_string_value(json_object_get(a, "operand")), *title = NULL;
	struct debug_frame f;
	u32 at = 0;

	if (!under_way(s, error))
		return NULL;
	*error = "no matrix instruction with this operand in registers stands here or before";
	if (!operand || !debug_focus_frame(s->d, &f) || !f.place.code)
		return NULL;
	json_t *cells = json_array();
	for (at = f.place.instruction + 1; !title && at > 0; at--)
		title = visit_operand(s, &f, at - 1, *operand, cells);
	if (!title) {
		json_decref(cells);
		return NULL;
	}
	*error = NULL;
	const struct debug_place place = {f.place.code, at};
	return json_pack("{s:s, s:i, s:o}", "title", title, "line", (int)debug_line(&place).line, "cells", cells);
}

/* --- Counters ---------------------------------------------------------------------------------------- */

/* What put_line adds to, as lines_visit passes one pointer through. */
struct lines_told {
	json_t *list;
};

static void put_line(void *context, const struct account_line *line)
{
	static const char *const names[] = {"launch.instructions", "launch.thread_instructions", "launch.idle_lanes",
					    "shared.wavefronts",   "shared.conflicts",           "global.sectors",
					    "branch.divergent"};
	struct lines_told *t = context;
	json_t *o = json_pack("{s:i}", "line", (int)line->line);

	for (size_t k = 0; k < COUNT_OF(names); k++) {
		const struct counter *c = counters_find(names[k]);
		const double value = c ? counter_value(c, &line->own) : 0;
		if (value != 0)
			json_object_set_new(o, names[k], json_real(value));
	}
	json_array_append_new(t->list, o);
}

/* What each line of the text has cost so far. */
static json_t *on_lines(struct dap *s, json_t *a, const char **error)
{
	struct lines_told told;

	(void)a;
	if (!under_way(s, error))
		return NULL;
	struct account_run *run = debug_counters(s->d);
	if (!run) {
		*error = "not counted: launch with \"counters\": true";
		return NULL;
	}
	told.list = json_array();
	lines_visit(debug_accounting(s->d), run, LINES_PTX, &s->arena, put_line, &told);
	return json_pack("{s:o}", "lines", told.list);
}

/* --- The text ---------------------------------------------------------------------------------------- */

/* The lines of the text that the focus stands in: of machine code its listing, which is in no file. */
static json_t *on_text(struct dap *s, json_t *a, const char **error)
{
	struct debug_place here;
	const char *text;
	u32 length;

	(void)a;
	if (!under_way(s, error))
		return NULL;
	if (!debug_focus_place(s->d, &here)) {
		*error = "the focus stands nowhere";
		return NULL;
	}
	const char *file = debug_line(&here).file;
	json_t *lines = json_array();
	for (u32 k = 1; k <= LINES_MAX && file && (text = debug_source_text(s->d, file, k, &length)); k++)
		json_array_append_new(lines, report_string(&s->arena, text, length));
	return json_pack("{s:o}", "lines", lines);
}

const struct dap_request dap_view_requests[] = {
	{"ptxsim_state", on_state},   {"ptxsim_registers", on_registers},
	{"ptxsim_memory", on_memory}, {"ptxsim_access", on_access},
	{"ptxsim_matrix", on_matrix}, {"ptxsim_lines", on_lines},
	{"ptxsim_text", on_text},     {0},
};
