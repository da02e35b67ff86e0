/* SPDX-License-Identifier: Apache-2.0
 *
 * Playing launch scripts: the statements in turn.
 *
 * Who plays: ptxsim run, test and debug, the library's ptxsim_script, and the page. They differ in who runs a launch:
 *
 *  play_run                      the others (debugger, page)
 *    play_next -> launch           play_next -> launch
 *    launch_run (or options.run)   run it step by step, forwards and backwards
 *    play_done                     play_done
 *
 * play_next does all statements up to the next launch and prepares it; play_done keeps what came of it. Expectations
 * stand behind their launch in the text, so they are checked by the play_next that follows.
 */
#include "script/play.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "base/file_new.h"
#include "exec/child_grids.h"
#include "script/npy.h"

/* Printed text kept for expectations. */
static const size_t PRINT_KEPT = 1 << 20;

/* What kernels print goes to whoever asked for it, and up to PRINT_KEPT bytes are kept for `expect print`. */
static void on_print(void *context, const char *text, size_t length)
{
	struct play *p = context;
	struct play_launch *l = &p->current;
	const struct play_options *o = &p->options;

	if (o->print)
		o->print(o->print_context, text, length);
	if (length > PRINT_KEPT - l->printed_length)
		length = PRINT_KEPT - l->printed_length;
	char *more = length ? realloc(l->printed, l->printed_length + length) : NULL;
	if (!more) {
		p->no_memory |= length != 0;
		return;
	}
	memcpy(more + l->printed_length, text, length);
	l->printed = more;
	l->printed_length += length;
}

/* Messages about a print itself, as of a format that does not fit: never mixed with what kernels print. */
static void on_print_error(void *context, const char *text, size_t length)
{
	const struct play *p = context;

	if (p->options.print)
		fwrite(text, 1, length, stderr);
}

/* The kernel that a launch names: by its symbol, or by a C++ name that stands for one kernel only. Else the error lists
 * those that it could be. */
static const struct kernel *find_kernel(struct play *p, const struct script_statement *st)
{
	const struct program *program = p->session->program;
	struct arena *a = &p->session->arena;
	const char *wanted = st->launch.kernel;
	const struct kernel *k = program_kernel(program, wanted);
	u32 count;
	const char *name = k ? NULL : session_kernel_named(p->session, wanted, &count);

	if (name)
		k = program_kernel(program, name);
	if (k)
		return kernel_is_modelled(k, &p->session->diags) ? k : NULL;
	diag_error(&p->session->diags, st->span, count ? "'%s' names %u kernels" : "there is no kernel '%s'", wanted,
		   count);
	char *names = NULL;
	for (u32 n = 0, shown = 0; n < program->kernel_count && shown < 20; n++) {
		const char *one = program->kernels[n].name;
		if (count && !demangle_matches(a, one, wanted, strlen(wanted)))
			continue;
		names = arena_printf(a, "%s%s%s", names ? names : "", names ? "; " : "", demangle(a, one));
		shown++;
	}
	diag_hint(&p->session->diags, "kernels: %s", names ? names : "none");
	return NULL;
}

/* Puts those who watch a launch into p->observers; how many there are. */
static u32 find_observers(struct play *p)
{
	u32 count = 0;

	if (p->options.observer)
		p->observers[count++] = p->options.observer;
	if (p->accounting)
		p->observers[count++] = accounting_observer(p->accounting);
	if (p->watch)
		count += checks_observers(p->watch, p->observers + count);
	p->observers[count] = NULL;
	return count;
}

static bool has_caches(const struct play *p)
{
	return p->accounting && p->options.accounting.caches != ACCOUNT_CACHES_NONE;
}

/* A launch in which there is nothing to watch runs as without checks. */
static void begin_checks(struct play *p, const struct script_statement *st, struct launch *l)
{
	const u32 others = (p->options.observer != NULL) + (p->accounting != NULL);

	checks_begin(p->watch, l);
	if (has_caches(p) || checks_watch(p->watch, l))
		return;
	p->observers[others] = NULL;
	l->observers = others ? p->observers : NULL;
	l->jobs = p->options.jobs;
	l->any_order = p->options.any_order || st->launch.any_order;
}

/* Makes p->current, and all of *l but what the kernel is given: kernel, dimensions, shared memory, params. */
static void begin_launch(struct play *p, const struct script_statement *st, struct launch *l)
{
	struct session *s = p->session;
	/* Caches and clocks see accesses in one order. */
	const bool one_thread = p->watch || has_caches(p);

	p->current = (struct play_launch){.statement = st, .kernel = l->kernel};
	memcpy(p->current.grid, l->grid, sizeof l->grid);
	memcpy(p->current.block, l->block, sizeof l->block);
	l->program = s->program;
	l->memory = &s->memory;
	l->threads = &s->threads;
	l->jobs = one_thread ? 1 : p->options.jobs;
	l->any_order = !one_thread && (p->options.any_order || st->launch.any_order);
	l->instruction_limit = p->options.limit;
	l->async = p->options.async;
	l->async_checker = p->watch ? &checks_strict(p->watch)->checker : &async_strict.checker;
	l->lock_order = p->options.lock_order;
	l->schedule = p->options.schedule;
	l->native = session_native(s, s->program, l->kernel, p->options.native);
	l->observers = find_observers(p) ? p->observers : NULL;
	l->print = on_print;
	l->print_error = on_print_error;
	l->print_context = p;
	if (p->options.launching)
		p->options.launching(p->options.launching_context, l);
	if (p->accounting)
		accounting_begin(p->accounting);
	if (p->watch)
		begin_checks(p, st, l);
}

/* *l points to parts of p and of the session's arena: it is valid until the next statement is played. */
static bool prepare(struct play *p, const struct script_statement *st, struct launch *l)
{
	const struct kernel *k = find_kernel(p, st);
	const u8 *params = k ? play_params(p, &st->launch, st->span, k) : NULL;

	if (!params)
		return false;
	*l = (struct launch){.kernel = k,
			     .params = params,
			     .dynamic_shared = st->launch.shared_bytes,
			     .cooperative = st->launch.cooperative};
	memcpy(l->grid, st->launch.grid, sizeof l->grid);
	memcpy(l->block, st->launch.block, sizeof l->block);
	memcpy(l->cluster, st->launch.cluster, sizeof l->cluster);
	begin_launch(p, st, l);
	return true;
}

/* Whether the expectations right after statement `at` speak of its fault. */
static bool fault_expected(const struct script *s, size_t at)
{
	for (size_t k = at + 1; k < s->statements.count; k++) {
		const struct script_statement *st = &s->statements.items[k];
		if (st->kind != SCRIPT_EXPECT)
			return false;
		if (st->expect.kind == EXPECT_FAULT)
			return true;
	}
	return false;
}

/* Writes a buffer. Files stay below the folder of the text that names them, unless --allow-paths was given
 * (docs/security.md), and replace none without --overwrite. */
static bool save(struct play *p, const struct script_statement *st)
{
	const struct buffer *b = st->buffer;
	const struct script_file *file = &st->file;
	const size_t length = strlen(file->path);
	const char *message;
	struct file_new f;

	if (!b->host) {
		diag_error(&p->session->diags, st->span, "'%s' has been freed", b->name);
		return false;
	}
	play_note_read(p, st->span, b, 0, b->count);
	bool ok = file->folder ? file_new_begin_below(&f, file->folder, file->path, !file->keeps, &message)
			       : file_new_begin(&f, file->path, !file->keeps, &message);

	if (ok) {
		if (length > 4 && !strcmp(file->path + length - 4, ".npy"))
			npy_write(f.to, b->type, b->rank, b->dims, b->host);
		else
			fwrite(b->host, 1, buffer_bytes(b), f.to);
		ok = file_new_end(&f, &message);
	}
	if (ok)
		return true;
	diag_error(&p->session->diags, st->span, "%s: %s", script_file_shown(&p->session->arena, file), message);
	if (file->folder || file->keeps)
		diag_hint(&p->session->diags, "this line may write below its own file's folder (elsewhere with "
					      "--allow-paths), and replace files with --overwrite only");
	return false;
}

/* Whether memory accesses have to be counted: for a report, or because an expectation speaks of a counter that plain
 * runs do not have. Counting costs time, so it is done only then. */
static bool wants_accounting(const struct play *p)
{
	static const struct launch_stats none;

	for (size_t k = 0; k < p->script->statements.count; k++) {
		const struct script_statement *st = &p->script->statements.items[k];
		u64 value;
		if (st->kind == SCRIPT_EXPECT && st->expect.kind == EXPECT_COUNT &&
		    !play_counter(&none, st->expect.text, &value))
			return true;
	}
	return p->options.account;
}

/* Sets an opaque variable to the handle of a texture made for it. */
static bool bind(struct play *p, const struct script_statement *st)
{
	const struct program *program = p->session->program;

	for (u32 k = 0; k < program->variable_count; k++) {
		const struct global_variable *v = &program->variables[k];
		if (strcmp(v->variable->name, st->name) || v->size != sizeof(u64))
			continue;
		const struct allocation *a = memory_find(&p->session->memory, v->address, v->size);
		const u64 handle = a ? play_texture(p, st->texture) : 0;
		if (a)
			memcpy(a->host + (v->address - a->base), &handle, sizeof handle);
		return handle || (diag_error(&p->session->diags, st->span, "no memory is left for the texture"), false);
	}
	diag_error(&p->session->diags, st->span, "there is no .texref, .samplerref or .surfref '%s'", st->name);
	return false;
}

/* One statement; a launch is only prepared. */
static bool play_statement(struct play *p, const struct script_statement *st, struct launch *l)
{
	switch (st->kind) {
	case SCRIPT_BUFFER:
		return play_fill(p, st->buffer);
	case SCRIPT_LAUNCH:
		return prepare(p, st, l);
	case SCRIPT_EXPECT:
		play_expect(p, st);
		return true;
	case SCRIPT_SAVE:
		return save(p, st);
	case SCRIPT_BIND:
		return bind(p, st);
	case SCRIPT_FILL:
		return play_fill_part(p, st);
	case SCRIPT_FREE:
		play_free_buffer(p, st);
		return true;
	case SCRIPT_READ:
		return play_read_buffer(p, st);
	}
	return true;
}

/* The hardware lets a kernel write a constant through a global address, for the next launch to see: who asks for checks
 * wants to know. */
static void protect_constants(struct memory *m)
{
	for (u32 k = 0; k < m->count; k++)
		if (m->list[k].flags & ALLOCATION_CONST)
			m->list[k].flags |= ALLOCATION_READ_ONLY;
}

/* Checks and counting begin with the first statement: memory that scripts fill before a launch counts as written. */
bool play_next(struct play *p, struct launch *l)
{
	const struct check_options *check = &p->options.check;

	if (!p->watch && check_options_watch(check)) {
		p->watch = checks_new(&p->session->arena, p->session->program, check);
		p->team = checks_team_new(&p->session->arena, p->session->program, check, p->options.jobs);
		protect_constants(&p->session->memory);
	}
	if (!p->next && wants_accounting(p) && !p->options.no_counters)
		p->accounting = accounting_new(&p->session->arena, p->session->program, &p->options.accounting);
	while (!p->failed && !p->stopped && p->next < p->script->statements.count) {
		const struct script_statement *st = &p->script->statements.items[p->next++];
		p->failed = !play_statement(p, st, l);
		if (st->kind == SCRIPT_LAUNCH)
			return !p->failed;
	}
	if (p->options.check.leaks && !p->failed && !p->stopped && !p->ended)
		play_find_leaks(p);
	p->ended = true;
	return false;
}

/* Keeps what a fault says: memory and launch do not stay as they are. */
static void keep_fault(struct play *p, const struct launch *l, const struct fault *fault)
{
	struct session *s = p->session;
	struct play_launch *result = &p->current;
	struct fault *copy = ARENA_NEW(&s->arena, struct fault);
	struct fault_report report;
	char text[8192];

	*copy = *fault;
	if (p->watch)
		checks_explain(p->watch, l, copy);
	fault_report(l->memory, l, copy, &report);
	fault_describe(l->memory, l, copy, text, sizeof text);
	VEC_PUSH(&s->arena, &result->faults, report);
	VEC_PUSH(&s->arena, &result->fault_texts, arena_copy_text(&s->arena, text, strlen(text)));
	result->fault = result->fault_texts.items[0];
}

/* Reports (report/json, html) print the faults with the counters. */
static void give_faults(struct play_launch *result)
{
	if (!result->account)
		return;
	result->account->faults = result->faults.items;
	result->account->fault_texts = result->fault_texts.items;
	result->account->fault_count = (u32)result->faults.count;
}

/* Keeps what came of a launch: counters, faults, findings of the checks. A fault that the next expectations speak of is
 * expected; any other ends the script. */
void play_done(struct play *p, const struct launch *l, enum launch_status status, const struct launch_stats *stats,
	       const struct fault *fault, const char *message)
{
	struct session *s = p->session;
	struct play_launch *result = &p->current;

	/* The host's want of memory is no fault of the kernel. */
	if (status == LAUNCH_FAULT && fault->kind == FAULT_OUT_OF_MEMORY)
		status = LAUNCH_NO_MEMORY;
	p->no_memory |= status == LAUNCH_NO_MEMORY;
	result->status = status;
	result->stats = *stats;
	if (p->accounting)
		result->account = accounting_end(p->accounting, &s->arena, l, stats);
	if (status == LAUNCH_FAULT)
		keep_fault(p, l, fault);
	const struct fault *found;
	for (u32 k = 0; p->watch && (found = checks_finding(p->watch, k, l)) != NULL; k++)
		keep_fault(p, l, found);
	give_faults(result);
	if (status == LAUNCH_BAD_CONFIG)
		diag_error(&s->diags, result->statement->span, "%s", message);
	else if (status == LAUNCH_NO_MEMORY)
		diag_error(&s->diags, result->statement->span, "no memory left to run the kernel");
	p->failed |= status != LAUNCH_OK && status != LAUNCH_FAULT;
	result->fault_expected = result->fault && fault_expected(p->script, p->next - 1);
	p->faulted |= result->fault && !result->fault_expected;
	p->stopped = status == LAUNCH_FAULT && !result->fault_expected;
	VEC_PUSH(&s->arena, &p->launches, *result);
}

/* Checked launches that nothing else watches may run on several threads, if nothing is found. */
static bool run_with_team(struct play *p, const struct launch *l, struct launch_stats *stats)
{
	return p->watch && l->observers && !p->options.run && !p->options.observer && !p->accounting &&
	       checks_team_run(p->team, p->watch, l, stats);
}

/* queue: for what the kernel asks for beside; NULL: it cannot. */
static void run_launch(struct play *p, struct launch *l, struct grid_queue *queue)
{
	const struct play_options *o = &p->options;
	struct launch_stats stats;
	struct fault fault = {0};
	char message[512] = "";
	enum launch_status status = LAUNCH_OK;

	if (!run_with_team(p, l, &stats)) {
		l->grids = queue;
		status = o->run ? o->run(o->run_context, p, l, &stats, &fault, message, sizeof message)
				: launch_run(l, &stats, &fault, message, sizeof message);
	}
	play_done(p, l, status, &stats, &fault, message);
}

/* What a child prints, the launch has printed that it came from. */
static void join_prints(struct play *p, size_t parent)
{
	struct play_launch *child = &p->launches.items[p->launches.count - 1], *to = &p->launches.items[parent];
	char *more = child->printed_length ? realloc(to->printed, to->printed_length + child->printed_length) : NULL;

	p->no_memory |= child->printed_length && !more;
	if (more) {
		memcpy(more + to->printed_length, child->printed, child->printed_length);
		to->printed = more;
		to->printed_length += child->printed_length;
	}
	free(child->printed);
	child->printed = NULL;
	child->printed_length = 0;
}

static void run_child(struct play *p, const struct script_statement *st, const struct grid_request *g,
		      struct grid_queue *queue, size_t parent)
{
	const struct kernel *k = &p->session->program->kernels[g->kernel];
	struct launch l = {.kernel = k, .params = g->params, .dynamic_shared = g->shared_bytes};

	p->failed |= !kernel_is_modelled(k, &p->session->diags);
	if (p->failed)
		return;
	memcpy(l.grid, g->grid, sizeof l.grid);
	memcpy(l.block, g->block, sizeof l.block);
	begin_launch(p, st, &l);
	p->current.is_child = true;
	run_launch(p, &l, queue);
	join_prints(p, parent);
}

/* Grids, copies and fills that a kernel asked for, and those that these ask for, in their order. */
static void run_children(struct play *p, const struct script_statement *st, struct grid_queue *queue)
{
	const size_t parent = p->launches.count - 1;
	struct grid_request *g;

	for (grids_settle(queue); !p->stopped && !p->failed && (g = grids_take(queue)); grids_settle(queue)) {
		if (g->act == GRID_LAUNCH) {
			run_child(p, st, g, queue, parent);
		} else if (!grids_move(&p->session->memory, g)) {
			diag_error(&p->session->diags, st->span, "a %s that the kernel asked for leaves its memory",
				   g->act == GRID_COPY ? "copy" : "fill");
			p->failed = true;
		}
		for (u64 y = 0; g->act != GRID_LAUNCH && p->watch && y < g->height; y++)
			checks_host_writes(p->watch, &p->session->memory, g->to + y * g->to_pitch, g->width);
		free(g);
	}
}

bool play_run(struct play *p)
{
	struct launch l;

	while (play_next(p, &l)) {
		const struct script_statement *st = p->current.statement;
		struct grid_queue queue;
		grids_init(&queue);
		run_launch(p, &l, p->options.run ? NULL : &queue);
		run_children(p, st, &queue);
		grids_free(&queue, &p->session->memory);
	}
	p->no_memory |= p->session->memory.host_refused;
	return !p->failed && !p->no_memory;
}

void play_free(struct play *p)
{
	for (size_t k = 0; k < p->launches.count; k++)
		free(p->launches.items[k].printed);
	p->launches.count = 0;
	p->next = 0;
	p->ended = false;
	if (p->accounting)
		accounting_free(p->accounting);
	p->accounting = NULL;
	if (p->watch)
		checks_free(p->watch);
	if (p->team)
		checks_team_free(p->team);
	p->watch = NULL;
	p->team = NULL;
}
