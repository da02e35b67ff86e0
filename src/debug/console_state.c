/* SPDX-License-Identifier: Apache-2.0
 *
 * What `info` tells.
 *
 * Each function prints one view of the stopped launch, by the engine's interface (debug/debug.h) alone; the table
 * `infos` at the end names them, with the help text. Nothing here changes the launch; info_locks() borrows the focus
 * and puts it back.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "debug/console_internal.h"
#include "exec/run.h"
#include "report/lines.h"
#include "report/memory.h"

enum { BLOCKS_MAX = 1024 };

/* --- info -------------------------------------------------------------------------------------------- */

/* The focused warp, or NULL and the reason printed. */
static const struct warp *focus_warp(struct console *c)
{
	const struct debug_focus f = debug_focus(c->d);
	const struct warp *w = debug_warp(c->d, f.block, f.warp);

	if (!w)
		console_error(c, debug_launch(c->d) ? "the focused warp has gone" : "no kernel is running");
	return w;
}

/* A warp waits when it has live threads and none of its splits is ready to run. */
static void info_blocks(struct console *c, char *rest)
{
	const struct block *blocks[BLOCKS_MAX];
	const u32 count = debug_blocks(c->d, blocks, BLOCKS_MAX);

	(void)rest;
	if (!debug_launch(c->d))
		console_error(c, "no kernel is running");
	for (u32 k = 0; k < count && k < BLOCKS_MAX; k++) {
		const struct block *b = blocks[k];
		u32 live = 0, waiting = 0;
		for (u32 n = 0; n < b->warp_count; n++) {
			live += b->warps[n].live != 0;
			waiting += b->warps[n].live && !b->warps[n].ready_head;
		}
		fprintf(c->out, "%s%llu  (%u,%u,%u)  threads %u of %u, warps %u of %u live, %u waiting\n",
			debug_focus(c->d).block == b->index ? "* " : "  ", (unsigned long long)b->index, b->ctaid[0],
			b->ctaid[1], b->ctaid[2], b->live_threads, b->thread_count, live, b->warp_count, waiting);
	}
}

/* A line for each warp: where its first split stands; "diverged" if there are others. */
static void info_warps(struct console *c, char *rest)
{
	const struct warp *any = focus_warp(c);
	struct debug_split splits[WARP_LANES];

	(void)rest;
	for (u32 n = 0; any && n < any->block->warp_count; n++) {
		const struct warp *w = &any->block->warps[n];
		const u32 count = debug_splits(c->d, w, splits);
		char state[64];
		fprintf(c->out, "%s%2u  live 0x%08x  ", w->index == debug_focus(c->d).warp ? "* " : "  ", n, w->live);
		if (!count) {
			fprintf(c->out, "ended after %llu instruction%s\n", (unsigned long long)w->issued,
				plural_s(w->issued));
			continue;
		}
		const struct debug_line l = debug_line(&splits[0].place);
		fprintf(c->out, "%s:%u  %.*s  (%s)%s\n", l.file ? l.file : "?", l.line, (int)l.length,
			l.text ? l.text : "", show_state(&splits[0], state), count > 1 ? ", diverged" : "");
	}
}

/* Lanes that the block's size leaves out are not listed; a lane that is in no split has exited. */
static void info_lanes(struct console *c, char *rest)
{
	const struct warp *w = focus_warp(c);
	struct debug_split splits[WARP_LANES];
	const u32 count = w ? debug_splits(c->d, w, splits) : 0;

	(void)rest;
	for (u32 l = 0; w && l < WARP_LANES; l++) {
		u32 tid[3];
		char state[64];
		if (!(w->initial_mask >> l & 1))
			continue;
		debug_thread_index(c->d, w->index, l, tid);
		fprintf(c->out, "%s%2u  thread (%u,%u,%u)  ", l == debug_focus(c->d).lane ? "* " : "  ", l, tid[0],
			tid[1], tid[2]);
		u32 k = 0;
		while (k < count && !(splits[k].mask >> l & 1))
			k++;
		if (k == count) {
			fprintf(c->out, "exited\n");
			continue;
		}
		const struct debug_line at = debug_line(&splits[k].place);
		fprintf(c->out, "%s:%u  (%s)\n", at.file ? at.file : "?", at.line, show_state(&splits[k], state));
	}
}

/* "meets": the lanes that will be together again where this split's join point is (exec/warp.h). */
static void info_splits(struct console *c, char *rest)
{
	const struct warp *w = focus_warp(c);
	struct debug_split splits[WARP_LANES];
	const u32 count = w ? debug_splits(c->d, w, splits) : 0;

	(void)rest;
	for (u32 k = 0; k < count; k++) {
		const struct debug_line l = debug_line(&splits[k].place);
		char state[64];
		fprintf(c->out, "%u  lanes 0x%08x  %s  %s:%u  %.*s", k, splits[k].mask, show_state(&splits[k], state),
			l.file ? l.file : "?", l.line, (int)l.length, l.text ? l.text : "");
		fprintf(c->out, ", depth %u", splits[k].frame->depth);
		if (splits[k].join && splits[k].state != DEBUG_AT_JOIN)
			fprintf(c->out, ", meets 0x%08x", splits[k].join->expected);
		fputc('\n', c->out);
	}
}

/* The reconvergence stack of a listing's warp, the topmost entry first. */
static void show_machine_stack(struct console *c, const struct warp *w)
{
	fprintf(c->out, "reconvergence stack: %zu entr%s\n", w->stack_depth, w->stack_depth == 1 ? "y" : "ies");
	for (size_t k = w->stack_depth; k > 0; k--) {
		const struct stack_entry *e = &w->stack[k - 1];
		const struct debug_place place = debug_stack_place(c->d, w, k - 1);
		const struct debug_line l = debug_line(&place);
		fprintf(c->out, "  %zu  %-6s  lanes 0x%08x  to %s:%u  %.*s\n", k - 1, stack_kind_name(e->kind),
			e->mask & w->live, l.file ? l.file : "?", l.line, (int)l.length, l.text ? l.text : "");
	}
}

static void info_frame(struct console *c, char *rest)
{
	struct debug_frame f;

	(void)rest;
	if (!debug_focus_frame(c->d, &f)) {
		console_error(c, "there is no stack");
		return;
	}
	show_focus(c);
	show_frame(c, debug_focus(c->d).frame, &f, true);
	fprintf(c->out, "    local memory from 0x%llx to 0x%llx, %u bytes of registers for the warp\n",
		(unsigned long long)f.frame->local_base, (unsigned long long)f.frame->local_top,
		f.frame->code->register_bytes);
}

static void info_stack(struct console *c, char *rest)
{
	const struct warp *w = focus_warp(c);

	command_backtrace(c, rest);
	if (w && w->entry_frame && w->entry_frame->code->function->listing)
		show_machine_stack(c, w);
}

/* bar.sync without a count waits for every live thread, so that is the number shown for it. */
static void info_barriers(struct console *c, char *rest)
{
	const struct warp *w = focus_warp(c);
	bool any = false;

	(void)rest;
	for (u32 k = 0; w && k < BARRIERS_PER_BLOCK; k++) {
		const struct barrier *b = &w->block->barriers[k];
		if (!b->arrived && !b->phase)
			continue;
		any = true;
		fprintf(c->out, "%2u  %u of %u threads have arrived, completed %llu time%s", k, b->arrived,
			b->expected ? b->expected : w->block->live_threads, (unsigned long long)b->phase,
			plural_s(b->phase));
		const char *separator = "; waiting warps: ";
		for (u32 n = 0; n < w->block->warp_count; n++)
			for (const struct split *s = w->block->warps[n].waiting; s; s = s->next)
				if (s->state == SPLIT_AT_BARRIER && s->barrier == k) {
					fprintf(c->out, "%s%u", separator, n);
					separator = ", ";
				}
		fputc('\n', c->out);
	}
	if (w && !any)
		fprintf(c->out, "No warp of the block has arrived at a barrier yet.\n");
}

/* Compare-and-swaps that splits of resident warps stand at, or come to within a few instructions. */
enum { LOCK_REACH = 12 };

/* The next compare-and-swap within LOCK_REACH instructions in text order, or ~0: a spinning lane stands at the loop's
 * load or branch about as often as at the swap itself. */
static u32 next_swap(const struct debug_place *p)
{
	const u32 end = min_u32((u32)p->code->function->body.count, p->instruction + LOCK_REACH);

	for (u32 k = p->instruction; k < end; k++)
		if (p->code->forms[k].row && form_has(&p->code->forms[k], M_cas))
			return k;
	return ~0u;
}

/* Addresses are only known for lanes that stand at the swap: its operands have been computed. */
static void show_lock(struct console *c, const struct warp *w, const struct debug_split *s, u32 swap)
{
	const struct debug_place at = {s->place.code, swap};
	const struct debug_line l = debug_line(&at);
	const struct debug_focus before = debug_focus(c->d);
	struct debug_focus f = {w->block->index, w->index, (u32)__builtin_ctz(s->mask), 0};
	const struct account_site *site;
	struct account_sample sample;

	fprintf(c->out, "block %llu, warp %u, lanes 0x%08x: %s:%u  %.*s\n", (unsigned long long)w->block->index,
		w->index, s->mask, l.file, l.line, (int)l.length, l.text);
	if (swap != s->place.instruction || !debug_set_focus(c->d, f))
		return;
	if (debug_access(c->d, false, &site, &sample))
		for (u32 left = sample.mask; left; left &= left - 1) {
			const u32 lane = (u32)__builtin_ctz(left);
			u32 word;
			if (debug_read(c->d, sample.space, sample.address[lane], lane, &word, 4))
				fprintf(c->out, "  lane %2u: %s 0x%llx holds 0x%x\n", lane, ir_space_word(sample.space),
					(unsigned long long)sample.address[lane], word);
		}
	debug_set_focus(c->d, before);
}

/* The locks of shared words that lanes of a listing hold. */
static bool show_held(struct console *c, const struct block *b)
{
	const struct shared_locks *locks = b->locks;

	for (u32 k = 0; locks && locks->held && k < SHARED_LOCKS; k++)
		if (locks->lock[k].held)
			fprintf(c->out, "lock %u of block %llu: lane %u of warp %u, for the word at 0x%x\n", k,
				(unsigned long long)b->index, locks->lock[k].lane, locks->lock[k].warp,
				locks->lock[k].address);
	return locks && locks->held;
}

static void info_locks(struct console *c, char *rest)
{
	const struct block *blocks[BLOCKS_MAX];
	const u32 count = min_u32(debug_blocks(c->d, blocks, BLOCKS_MAX), BLOCKS_MAX);
	struct debug_split splits[WARP_LANES];
	bool any = false;

	(void)rest;
	for (u32 k = 0; k < count; k++) {
		any |= show_held(c, blocks[k]);
		for (u32 n = 0; n < blocks[k]->warp_count; n++) {
			const struct warp *w = &blocks[k]->warps[n];
			const u32 have = debug_splits(c->d, w, splits);
			for (u32 s = 0; s < have; s++) {
				const u32 swap = splits[s].place.code ? next_swap(&splits[s].place) : ~0u;
				if (swap == ~0u)
					continue;
				any = true;
				show_lock(c, w, &splits[s], swap);
			}
		}
	}
	if (!any)
		fprintf(c->out, "No warp is at a compare-and-swap.\n");
}

/* A kernel's parameter; false: it is larger than a value. */
static bool parameter_text(const struct launch *l, size_t k, char text[64])
{
	const struct ir_variable *v = l->kernel->function->params.items[k];
	struct debug_value value = {.type = v->type};

	if (v->size > 16)
		return false;
	memcpy(value.bytes, l->params + l->kernel->param_offsets[k], v->size);
	debug_format(&value, v->type == T_u64 || v->type == T_b64 ? 'x' : 0, text, 64);
	return true;
}

/* Parameters larger than 16 bytes, structures by value, are left out. */
void show_parameters(struct console *c, const char *indent)
{
	const struct launch *l = debug_launch(c->d);
	char text[64];

	for (size_t k = 0; k < l->kernel->function->params.count; k++)
		if (parameter_text(l, k, text))
			fprintf(c->out, "%s%s = %s\n", indent, l->kernel->function->params.items[k]->name, text);
}

static void info_launch(struct console *c, char *rest)
{
	const struct launch *l = debug_launch(c->d);

	(void)rest;
	if (!l) {
		console_error(c, "no kernel is running");
		return;
	}
	fprintf(c->out, "Launch %u: %s, grid (%u,%u,%u), block (%u,%u,%u)\n", debug_launch_number(c->d),
		debug_function_name(c->d, l->kernel->code), l->grid[0], l->grid[1], l->grid[2], l->block[0],
		l->block[1], l->block[2]);
	if (l->cluster[0])
		fprintf(c->out, "  clusters of (%u,%u,%u) blocks\n", l->cluster[0], l->cluster[1], l->cluster[2]);
	fprintf(c->out, "  shared memory: %llu bytes static, %llu dynamic\n",
		(unsigned long long)l->kernel->static_shared_bytes, (unsigned long long)l->dynamic_shared);
	show_parameters(c, "  ");
}

/* Before and after their kernel runs, parameters are what the launch says. */
void show_invocation(struct console *c)
{
	const struct launch *l = debug_launch(c->d);
	const struct dwarf_function *fn = debug_own_function(c->d, l->kernel->function);
	char text[64];

	fprintf(c->out, "%s (", fn ? fn->name : debug_function_name(c->d, l->kernel->code));
	for (size_t k = 0; k < l->kernel->function->params.count; k++)
		fprintf(c->out, "%s%s", k ? ", " : "", parameter_text(l, k, text) ? text : "{...}");
	fputc(')', c->out);
}

/* A predicate is shown as the mask of the lanes where it is true. A register that is the upper half of a 64-bit pair,
 * in machine code, is named but not valued: its value stands with the lower half. */
static void show_register(struct console *c, const struct debug_register *r)
{
	const u32 lane = debug_focus(c->d).lane;
	char text[64], signed_text[64] = "";

	if (r->place.bits == 1) {
		u32 mask = 0;
		for (u32 l = 0; l < WARP_LANES; l++)
			mask |= (u32)(debug_register_lane(c->d, r, l).bytes[0] & 1) << l;
		fprintf(c->out, "%-12s .%-6s 0x%08x\n", r->name, token_text(r->type), mask);
		return;
	}
	if (r->upper) {
		fprintf(c->out, "%-12s upper half\n", r->name);
		return;
	}
	const struct debug_value v = debug_register_lane(c->d, r, lane);
	debug_format(&v, 0, text, sizeof text);
	if (type_class(r->type) == 'b' && type_bits(r->type) <= 64)
		debug_format(&v, 'd', signed_text, sizeof signed_text);
	fprintf(c->out, signed_text[0] ? "%-12s .%-6s %-18s %s\n" : "%-12s .%-6s %s%s\n", r->name, token_text(r->type),
		text, signed_text);
}

/* With names only those; a name that is not found ends the list. */
static void info_registers(struct console *c, char *rest)
{
	struct debug_register r;

	if (!focus_warp(c))
		return;
	while (*rest) {
		const char *name = console_word(&rest);
		if (!debug_find_register(c->d, name, &r)) {
			console_engine_error(c);
			return;
		}
		show_register(c, &r);
		if (!*rest)
			return;
	}
	for (u32 k = 0; debug_register_at(c->d, k, &r); k++)
		show_register(c, &r);
}

/* The table has names without elements: those with elements (%tid.x) answer to one of the suffixes, others to "". */
static void info_special(struct console *c, char *rest)
{
	struct debug_register r;

	(void)rest;
	if (!focus_warp(c))
		return;
	for (u32 k = 0; debug_special_at(k); k++) {
		static const char *const elements[] = {"", ".x", ".y", ".z"};
		for (u32 e = 0; e < COUNT_OF(elements); e++) {
			char name[96], text[64];
			snprintf(name, sizeof name, "%s%s", debug_special_at(k), elements[e]);
			if (!debug_find_register(c->d, name, &r))
				continue;
			const struct debug_value v = debug_register_lane(c->d, &r, debug_focus(c->d).lane);
			debug_format(&v, strstr(name, "mask") ? 'x' : 0, text, sizeof text);
			fprintf(c->out, "%-28s %s\n", name, text);
		}
	}
}

/* At most eight places: a breakpoint in a template may have hundreds. */
static void show_point(struct console *c, const struct debug_point *p)
{
	static const char *const kinds[] = {"breakpoint", "watchpoint", "catchpoint"};

	fprintf(c->out, "%-3u %-11s %s  %s", p->number, kinds[p->kind], p->enabled ? "y" : "n", p->what);
	if (!p->any_block)
		fprintf(c->out, " block %llu", (unsigned long long)p->block);
	if (!p->any_warp)
		fprintf(c->out, " warp %u", p->warp);
	if (p->lanes != FULL_MASK)
		fprintf(c->out, " lane %u", (u32)__builtin_ctz(p->lanes));
	if (p->condition)
		fprintf(c->out, " if %s", p->condition);
	if (p->temporary)
		fprintf(c->out, ", once");
	if (p->hits)
		fprintf(c->out, ", hit %llu time%s", (unsigned long long)p->hits, p->hits == 1 ? "" : "s");
	if (p->ignore)
		fprintf(c->out, ", passes %llu", (unsigned long long)p->ignore);
	fputc('\n', c->out);
	for (u32 k = 0; p->kind == DEBUG_BREAK && k < p->place_count && k < 8; k++) {
		const struct debug_line l = debug_line(&p->places[k]);
		fprintf(c->out, "    %s:%u in %s", l.file, l.line, debug_function_name(c->d, p->places[k].code));
		if (l.loc_file && l.loc_line)
			fprintf(c->out, " (%s:%u)", l.loc_file, l.loc_line);
		fputc('\n', c->out);
	}
	if (p->kind == DEBUG_BREAK && p->place_count > 8)
		fprintf(c->out, "    and %u more\n", p->place_count - 8);
	const struct point_commands *commands = console_point_commands(c, p->number);
	for (size_t k = 0; commands && k < commands->lines.count; k++)
		fprintf(c->out, "        %s\n", commands->lines.items[k]);
}

static void info_breakpoints(struct console *c, char *rest)
{
	(void)rest;
	if (!debug_first_point(c->d))
		fprintf(c->out, "No breakpoints, watchpoints or catchpoints.\n");
	for (const struct debug_point *p = debug_first_point(c->d); p; p = p->next)
		show_point(c, p);
}

static void info_position(struct console *c, char *rest)
{
	const struct debug_history h = debug_history(c->d);

	(void)rest;
	if (!debug_launch(c->d)) {
		console_error(c, "no kernel is running");
		return;
	}
	fprintf(c->out, "Position %llu of %llu in launch %u", (unsigned long long)debug_position(c->d),
		(unsigned long long)debug_furthest(c->d), debug_launch_number(c->d));
	if (h.on)
		fprintf(c->out, "; history from %llu on", (unsigned long long)h.first);
	fputc('\n', c->out);
}

static void info_history(struct console *c, char *rest)
{
	const struct debug_history h = debug_history(c->d);

	(void)rest;
	if (!h.on) {
		fprintf(c->out, "No history is kept.\n");
		return;
	}
	fprintf(c->out, "%llu checkpoint%s, %.1f of %llu MiB, one every %llu warp instructions\n",
		(unsigned long long)h.checkpoints, h.checkpoints == 1 ? "" : "s", (f64)h.bytes / (1 << 20),
		(unsigned long long)(h.limit_bytes >> 20), (unsigned long long)h.spacing);
}

static void info_output(struct console *c, char *rest)
{
	size_t length;
	const char *text = debug_output(c->d, &length);

	(void)rest;
	fwrite(text, 1, length, c->out);
	if (length && text[length - 1] != '\n')
		fputc('\n', c->out);
}

static void info_hash(struct console *c, char *rest)
{
	(void)rest;
	fprintf(c->out, "%016llx\n", (unsigned long long)debug_state_hash(c->d));
}

static void info_counters(struct console *c, char *rest)
{
	const struct account_run *run = debug_counters(c->d);

	(void)rest;
	if (!run) {
		console_error(c, debug_launch(c->d) ? "nothing is counted: start with --counters"
						    : "no kernel is running");
		return;
	}
	report_annotate(c->out, c->arena, debug_accounting(c->d), run);
}

static void info_functions(struct console *c, char *rest)
{
	const struct program *p = debug_program(c->d);

	(void)rest;
	for (u32 k = 0; k < p->code_count; k++) {
		const struct debug_place at = {p->codes[k], 0};
		const struct debug_line l = debug_line(&at);
		fprintf(c->out, "%s %s at %s:%u\n", p->codes[k]->function->is_entry ? "kernel  " : "function",
			demangle(c->arena, p->codes[k]->name), l.file ? l.file : "?", l.line);
	}
}

static void info_variables(struct console *c, char *rest)
{
	const struct program *p = debug_program(c->d);
	const struct launch *l = debug_launch(c->d);

	(void)rest;
	for (u32 k = 0; k < p->variable_count; k++)
		fprintf(c->out, "%-7s 0x%llx  %s, %llu bytes\n", ir_space_word(p->variables[k].space),
			(unsigned long long)p->variables[k].address, p->variables[k].variable->name,
			(unsigned long long)p->variables[k].size);
	for (u32 k = 0; l && k < l->kernel->place_count; k++) {
		const struct ir_variable *v = l->kernel->places[k].variable;
		fprintf(c->out, "%-7s 0x%llx  %s%s%s, %llu bytes\n", ir_space_word(v->space),
			(unsigned long long)l->kernel->places[k].address, v->owner ? v->owner->name : "",
			v->owner ? ":" : "", v->name, (unsigned long long)v->size);
	}
}

static void info_allocations(struct console *c, char *rest)
{
	const struct launch *l = debug_launch(c->d);

	(void)rest;
	if (!l) {
		console_error(c, "no kernel is running");
		return;
	}
	for (u32 k = 0; k < l->memory->count; k++) {
		const struct allocation *a = &l->memory->list[k];
		if (!a->size)
			continue;
		fprintf(c->out, "0x%llx  %llu bytes  %s%s\n", (unsigned long long)a->base, (unsigned long long)a->size,
			a->name ? a->name : "", a->flags & ALLOCATION_READ_ONLY ? ", read-only" : "");
	}
}

static void info_display(struct console *c, char *rest)
{
	(void)rest;
	show_displays(c);
}

static const struct {
	const char *name;
	void (*run)(struct console *c, char *rest);
	bool takes_words;
	const char *doc;
} infos[] = {
	{"breakpoints", info_breakpoints, false, "breakpoints, watchpoints and catchpoints"},
	{"locals", info_locals, false, "variables of the source that the place sees (of modules by nvcc -G)"},
	{"args", info_args, false, "arguments of the focused frame (likewise); without them a kernel's parameters"},
	{"source", info_source, false, "the files, and what the debug sections tell"},
	{"line", info_line, true, "the instructions of a LOCATION, or of the place"},
	{"frame", info_frame, false, "the focused frame and its place"},
	{"cuda", info_cuda, true, "kernels, blocks, warps, lanes, threads or devices, as cuda-gdb has them"},
	{"blocks", info_blocks, false, "blocks that are resident"},
	{"warps", info_warps, false, "warps of the focused block, and where they stand"},
	{"lanes", info_lanes, false, "lanes of the focused warp"},
	{"splits", info_splits, false, "lanes of the warp that are together, and what they wait for"},
	{"stack", info_stack, false, "calls that the focused lane is in; of SASS, the machine's own stack too"},
	{"barriers", info_barriers, false, "barriers of the focused block"},
	{"locks", info_locks, false,
	 "compare-and-swaps that warps are at, and what the words hold; locks that a listing's lanes hold"},
	{"launch", info_launch, false, "the launch and its parameters"},
	{"counters", info_counters, false, "what each line has cost so far (with --counters)"},
	{"registers", info_registers, true, "registers of the focused lane, or those named"},
	{"scoreboard", info_scoreboard, false, "of machine code: what the instruction would wait for"},
	{"special", info_special, false, "special registers of the focused lane"},
	{"display", info_display, false, "expressions shown at every stop"},
	{"position", info_position, false, "how many warp instructions the launch has executed"},
	{"history", info_history, false, "checkpoints, and the memory they take"},
	{"output", info_output, false, "what the launch has printed up to here"},
	{"hash", info_hash, false, "one number for the whole state"},
	{"functions", info_functions, false, "kernels and functions"},
	{"variables", info_variables, false, "variables, and where they lie"},
	{"allocations", info_allocations, false, "global memory"},
};

const char *info_name(u32 index) { return index < COUNT_OF(infos) ? infos[index].name : NULL; }
const char *info_doc(u32 index) { return infos[index].doc; }

void info_by_name(struct console *c, const char *name)
{
	char nothing[1] = "";

	for (u32 k = 0; k < COUNT_OF(infos); k++)
		if (!strcmp(infos[k].name, name))
			infos[k].run(c, nothing);
}

/* A word may be shortened as in gdb: the first entry of the table that begins with it is meant. */
COMMAND(info)
{
	const size_t length = strcspn(rest, " \t");
	u32 found = ~0u;

	for (u32 k = 0; k < COUNT_OF(infos) && length; k++)
		if (!strncmp(infos[k].name, rest, length) && found == ~0u)
			found = k;
	if (found == ~0u)
		return console_error(
			c, *rest ? "there is no 'info %s'; try 'help info'" : "'help info' lists what it tells%s",
			rest);
	rest += length;
	while (isspace((unsigned char)*rest))
		rest++;
	if (*rest && !infos[found].takes_words)
		return console_error(c, "'info %s' takes no argument here, but is given '%s'", infos[found].name, rest);
	infos[found].run(c, rest);
	return true;
}
