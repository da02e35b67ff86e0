/* SPDX-License-Identifier: Apache-2.0
 *
 * Launches, at once and in streams, and what they leave: counts, faults, messages.
 *
 * The way of a launch, synchronous or from a stream:
 *
 *      ptxsim_launch, ptxsim_stream_launch    check(): arguments; launch_take(): older callers' shorter structs
 *        run_recorded                         with a record, if the caller or an observer wants one
 *          function_run                       the kernel, then the grids that it launched (device runtime)
 *            run_grid -> run -> run_watched   one grid: observers told, checkers attached
 *              launch_run (exec/launch.h)
 *
 * Outcomes are kept by value (struct outcome): they outlive the module, whose code a fault points into.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/context.h"
#include "api/error.h"
#include "exec/fault_report.h"
#include "exec/child_grids.h"
#include "observe/async_check.h"

/* Launches of several streams may print at once. */
static void print_one_at_a_time(void *context, const char *text, size_t length)
{
	ptxsim_context *c = context;

	pthread_mutex_lock(&c->print_lock);
	if (c->print)
		c->print(c->print_context, text, length);
	else
		fwrite(text, 1, length, stdout);
	pthread_mutex_unlock(&c->print_lock);
}

static void print_to_error(void *context, const char *text, size_t length)
{
	(void)context;
	fwrite(text, 1, length, stderr);
}

void function_pack(const struct kernel *k, const void *const *args, u8 *params)
{
	memset(params, 0, k->param_bytes);
	for (size_t n = 0; n < k->function->params.count; n++)
		memcpy(params + k->param_offsets[n], args[n], k->function->params.items[n]->size);
}

/* Callers compiled against an older header pass a shorter struct: fields that it lacks are 0. False: a size that no
 * version had. */
bool launch_take(const struct ptxsim_launch *from, struct ptxsim_launch *to)
{
	const size_t size = from->struct_size;

	memset(to, 0, sizeof *to);
	if (size < offsetof(struct ptxsim_launch, cooperative) || size > sizeof *to)
		return false;
	memcpy(to, from, size);
	return true;
}

/* The fault's place by numbers and names, which outlive the module. */
static void keep_place(const struct launch *l, struct outcome *o)
{
	const struct fault *f = &o->fault;
	const u64 thread = (u64)f->warp * WARP_LANES + f->lane;
	const struct code *code = f->code;

	o->block[0] = (u32)(f->block % l->grid[0]);
	o->block[1] = (u32)(f->block / l->grid[0] % l->grid[1]);
	o->block[2] = (u32)(f->block / l->grid[0] / l->grid[1]);
	o->thread[0] = (u32)(thread % l->block[0]);
	o->thread[1] = (u32)(thread / l->block[0] % l->block[1]);
	o->thread[2] = (u32)(thread / l->block[0] / l->block[1]);
	if (!code || !f->insn)
		return;
	snprintf(o->function, sizeof o->function, "%s", code->function->name);
	const u32 at = (u32)(f->insn - code->insns);
	const u32 origin = at < code->insn_count ? code->origin[at] : NO_OPERAND;
	if (origin >= code->function->body.count)
		return;
	const struct span span = code->function->body.items[origin].span;
	const struct source *s = code->function->module->sources->files.items[span.file];
	snprintf(o->file, sizeof o->file, "%s", s->name);
	source_place(s, span.begin, &o->line, &o->column);
}

/* What the address is next to, likewise. */
static void keep_memory(const struct launch *l, struct outcome *o)
{
	struct fault_report r;

	fault_report(l->memory, l, &o->fault, &r);
	o->memory = r.memory;
	snprintf(o->memory_name, sizeof o->memory_name, "%s", r.memory.name ? r.memory.name : "");
	o->memory.name = NULL;
}

/* A fault, or what a check found though the launch came to its end. */
static void keep_fault(const struct launch *l, const struct fault *f, struct outcome *o)
{
	if (f != &o->fault)
		o->fault = *f;
	o->kind = f->kind;
	fault_describe(l->memory, l, f, o->message, sizeof o->message);
	keep_place(l, o);
	if (o->fault.code && o->fault.insn)
		keep_memory(l, o);
}

static enum launch_status execute(struct launch *l, const struct run_options *options, struct outcome *o)
{
	if (options->watching && !options->runner && watching_run(options->watching, l, &o->stats))
		return LAUNCH_OK;
	return options->runner ? options->runner(options->runner_context, l, &o->stats, &o->fault, o->message,
						 sizeof o->message)
			       : launch_run(l, &o->stats, &o->fault, o->message, sizeof o->message);
}

/* A checker's finding becomes the outcome only if the launch itself succeeded: `ended` says that memory is as the
 * kernel left it. */
static ptxsim_status run_watched(ptxsim_context *c, struct launch *l, const struct run_options *options,
				 const struct told_launch *told, struct outcome *o)
{
	struct watching *w = options->watching;
	const struct fault *found = NULL;
	struct astray astray;

	astray.times = 0;
	l->stop = &c->stop;
	l->astray = &astray;
	if (w && !watching_begin(w, l, told))
		return PTXSIM_ERROR_MEMORY;
	const enum launch_status status = execute(l, options, o);
	const bool begun = status == LAUNCH_OK || status == LAUNCH_FAULT || status == LAUNCH_INTERRUPTED;
	if (w && begun && !watching_end(w, l, &o->stats, status == LAUNCH_FAULT ? &o->fault : NULL, &found))
		return PTXSIM_ERROR_MEMORY;
	switch (status) {
	case LAUNCH_OK:
		o->ended = true;
		o->astray = !found && astray.times;
		if (o->astray)
			found = &astray.first;
		if (found)
			keep_fault(l, found, o);
		return found ? PTXSIM_ERROR_FAULT : PTXSIM_OK;
	case LAUNCH_FAULT:
		keep_fault(l, &o->fault, o);
		return o->kind == FAULT_OUT_OF_MEMORY ? PTXSIM_ERROR_MEMORY : PTXSIM_ERROR_FAULT;
	case LAUNCH_BAD_CONFIG:
		o->refused = true;
		return PTXSIM_ERROR_LAUNCH;
	case LAUNCH_INTERRUPTED:
		return PTXSIM_ERROR_INTERRUPTED;
	case LAUNCH_NO_MEMORY:
		break;
	}
	return PTXSIM_ERROR_MEMORY;
}

/* With the context's observer told of its begin and end. An observer needs a watching, for the room. */
static ptxsim_status run(ptxsim_context *c, struct launch *l, const struct run_options *options,
			 const ptxsim_function *f, const struct ptxsim_launch *shape, struct outcome *o)
{
	const struct ptxsim_observer *to = &c->observer;

	if (!options->watching || !c->is_observed)
		return run_watched(c, l, options, NULL, o);
	const struct told_launch told = {to, f, __atomic_add_fetch(&c->told_launches, 1, __ATOMIC_RELAXED)};
	if (to->launch_begin)
		to->launch_begin(to->observer_context, told.number, f, shape);
	const ptxsim_status status = run_watched(c, l, options, &told, o);
	if (to->launch_end)
		to->launch_end(to->observer_context, told.number, status);
	return status;
}

/* Under the module's lock: two streams may launch the same function at once. */
static struct native_kernel *native_of(const ptxsim_context *c, const ptxsim_function *f, const struct program *p,
				       ptxsim_native asked)
{
	static const enum native_mode modes[] = {[PTXSIM_NATIVE_AUTO] = NATIVE_AUTO,
						 [PTXSIM_NATIVE_ALWAYS] = NATIVE_ALWAYS,
						 [PTXSIM_NATIVE_OFF] = NATIVE_OFF};

	pthread_mutex_lock(&f->module->lock);
	struct native_kernel *k = session_native(&f->module->session, p, function_kernel(f),
						 asked == PTXSIM_NATIVE_DEFAULT ? c->native : modes[asked]);
	pthread_mutex_unlock(&f->module->lock);
	return k;
}

/* Idle host threads are shared by all launches of the context; a second launch at the same time starts its own. */
static void run_grid(ptxsim_context *c, const ptxsim_function *f, const struct ptxsim_launch *launch, const u8 *params,
		     const struct run_options *options, struct grid_queue *grids, struct outcome *o)
{
	const struct program *p = function_program(f);

	outcome_begin(o);
	o->refused = false;
	if (!p) {
		o->status = ptxsim_function_compile(f);
		return;
	}
	struct launch l = {
		.program = p,
		.kernel = function_kernel(f),
		.memory = &c->memory,
		.dynamic_shared = launch->shared_bytes,
		.cooperative = launch->cooperative != 0,
		.params = params,
		.jobs = launch->jobs,
		.any_order = launch->any_order != 0,
		.instruction_limit = launch->instruction_limit,
		.async = {(enum async_mode)launch->async, launch->async_seed},
		.async_checker = &async_strict.checker,
		.print = options->print ? options->print : print_one_at_a_time,
		.print_error = options->print ? options->tell
			       : c->print     ? NULL
					      : print_to_error,
		.print_context = options->print ? options->print_context : c,
		.heap_bytes = options->heap_bytes,
		.local_limit_bytes = options->local_limit_bytes,
		.shared_memory = options->shared,
		.patience_seconds = options->patience_seconds,
		.grids = grids,
		.device = options->device ? options->device : c->device,
		.device_number = options->device_number,
		.device_count = options->device_count,
		.launch_graph = options->launch_graph,
		.graph_context = options->graph_context,
		.update_node = options->update_node,
		.graph = options->graph,
		.native = native_of(c, f, p, launch->native),
	};
	memcpy(l.grid, launch->grid, sizeof l.grid);
	memcpy(l.block, launch->block, sizeof l.block);
	memcpy(l.cluster, launch->cluster, sizeof l.cluster);
	const bool alone = !pthread_mutex_trylock(&c->threads_lock);
	if (alone)
		l.threads = &c->threads;
	o->status = run(c, &l, options, f, launch, o);
	if (alone)
		pthread_mutex_unlock(&c->threads_lock);
}

/* What a kernel asked for, in the grid's own context of options. */
static void run_request(ptxsim_context *c, const ptxsim_module *m, const struct ptxsim_launch *parent,
			const struct grid_request *g, const struct run_options *options, struct grid_queue *grids,
			struct outcome *o)
{
	const ptxsim_function *f = &m->functions[g->kernel];
	struct ptxsim_launch l = *parent;
	struct run_options own = *options;

	memcpy(l.grid, g->grid, sizeof l.grid);
	memcpy(l.block, g->block, sizeof l.block);
	memset(l.cluster, 0, sizeof l.cluster);
	l.shared_bytes = g->shared_bytes;
	l.cooperative = 0;
	own.watching = options->grid_begin ? options->grid_begin(options->grid_context, f, &l) : NULL;
	run_grid(c, f, &l, g->params, &own, grids, o);
	if (options->grid_end)
		options->grid_end(options->grid_context, f, o);
}

/* What a kernel's copy or fill has written, for the check of unwritten values. */
static void note_move(struct written_kept *kept, const struct grid_request *g)
{
	for (u64 y = 0; y < g->height; y++)
		if (g->act == GRID_COPY)
			written_kept_copy(kept, g->to + y * g->to_pitch, g->from + y * g->from_pitch, g->width);
		else
			written_kept_mark(kept, g->to + y * g->to_pitch, g->width);
}

/* Grids that kernels launched, in the order that streams and dependencies allow (api/grids.c), until none is left or
 * one fails. */
static bool run_requests(ptxsim_context *c, const ptxsim_function *f, const struct ptxsim_launch *launch,
			 const struct run_options *options, struct grid_queue *grids, struct outcome *o)
{
	struct grid_request *g;
	bool ok = true;

	for (grids_settle(grids); ok && (g = grids_take(grids)); grids_settle(grids)) {
		if (g->act == GRID_LAUNCH) {
			run_request(c, f->module, launch, g, options, grids, o);
			ok = !o->status || o->ended;
		} else if (!grids_move(&c->memory, g)) {
			outcome_begin(o);
			memset(&o->fault, 0, sizeof o->fault);
			o->refused = false;
			o->kind = FAULT_OUT_OF_BOUNDS;
			o->status = PTXSIM_ERROR_FAULT;
			snprintf(o->message, sizeof o->message, "a %s that a kernel asked for leaves its memory",
				 g->act == GRID_COPY ? "copy" : "fill");
			ok = false;
		} else if (options->watching && options->watching->kept) {
			note_move(options->watching->kept, g);
		}
		free(g);
	}
	return ok;
}

void function_run(ptxsim_context *c, const ptxsim_function *f, const struct ptxsim_launch *launch, const u8 *params,
		  const struct run_options *options, struct outcome *o)
{
	struct grid_queue grids;

	grids_init(&grids);
	run_grid(c, f, launch, params, options, &grids, o);
	grids_settle(&grids);
	if (grids.waiting.first && (!o->status || o->ended)) {
		struct outcome *own = malloc(sizeof *own);
		if (!own)
			o->status = PTXSIM_ERROR_MEMORY;
		else if (!run_requests(c, f, launch, options, &grids, own))
			*o = *own;
		free(own);
	}
	grids_free(&grids, &c->memory);
}

/* --- Launches of the interface -------------------------------------------------------------- */

static const char *wrong_launch(const ptxsim_context *c, const ptxsim_function *f, const struct ptxsim_launch *launch)
{
	if (f->module->context != c)
		return "the function is one of another context's";
	if (launch->arg_count && !launch->args)
		return "launch.args is NULL, launch.arg_count is not 0";
	if ((unsigned)launch->async > PTXSIM_ASYNC_RANDOM)
		return "launch.async is none of enum ptxsim_async";
	if ((unsigned)launch->native > PTXSIM_NATIVE_OFF)
		return "launch.native is none of enum ptxsim_native";
	for (size_t n = 0; n < launch->arg_count; n++)
		if (!launch->args[n])
			return "one of launch.args is NULL";
	return NULL;
}

/* OK and what is to be watched, or why the launch cannot be; the reason in words in o->message.
 * On PTXSIM_OK `wanted` is filled in. Compiling at first use happens here, so that its diagnostics are the launch's
 * error. */
static ptxsim_status check(ptxsim_context *c, const ptxsim_function *f, const struct ptxsim_launch *launch,
			   struct ptxsim_watching *wanted, struct outcome *o)
{
	const char *wrong = wrong_launch(c, f, launch);

	if (!wrong && watching_take(c, launch->watching, wanted))
		wrong = "launch.watching->struct_size is not that of struct ptxsim_watching, or its checks are not "
			"known";
	if (wrong) {
		snprintf(o->message, sizeof o->message, "%s", wrong);
		return PTXSIM_ERROR_ARGUMENT;
	}
	const struct kernel *k = function_kernel(f);
	if (!k) {
		const ptxsim_status status = ptxsim_function_compile(f);
		snprintf(o->message, sizeof o->message, "%s", ptxsim_module_diagnostics(f->module));
		return status;
	}
	if (launch->arg_count == k->function->params.count)
		return PTXSIM_OK;
	snprintf(o->message, sizeof o->message, "kernel '%s' has %zu parameter%s, %zu argument%s given", k->name,
		 k->function->params.count, plural_s(k->function->params.count), launch->arg_count,
		 launch->arg_count == 1 ? " was" : "s were");
	return PTXSIM_ERROR_LAUNCH;
}

static bool is_watched(const ptxsim_context *c, const struct ptxsim_watching *wanted)
{
	return c->is_observed || watching_is_wanted(wanted);
}

/* Grids that a recorded launch's kernel launches have records beside it. */
static struct watching *begin_grid(void *context, const ptxsim_function *f, const struct ptxsim_launch *launch)
{
	ptxsim_record *grid = record_add_grid(context, f);

	(void)launch;
	return grid ? &grid->watching : NULL;
}

static void end_grid(void *context, const ptxsim_function *f, const struct outcome *o)
{
	ptxsim_record *grid = ((ptxsim_record *)context)->grids;

	(void)f;
	while (grid && grid->sibling)
		grid = grid->sibling;
	if (grid)
		grid->outcome = *o;
}

/* Runs a launch that has been checked, with the record, if there is one, which keeps how it ended, too.
 * A failed grid that the kernel launched decides the outcome: its own record says more than the parent's. */
static void run_recorded(ptxsim_context *c, const ptxsim_function *f, const struct ptxsim_launch *launch,
			 const u8 *params, bool shared, ptxsim_record *record, struct outcome *o)
{
	struct run_options options = {.shared = shared};

	if (record && is_watched(c, &record->watching.wanted)) {
		options.watching = &record->watching;
		options.grid_begin = begin_grid;
		options.grid_end = end_grid;
		options.grid_context = record;
	}
	function_run(c, f, launch, params, &options, o);
	const ptxsim_record *grid = record && !o->status ? record_find_grid(record) : NULL;
	if (grid)
		*o = grid->outcome;
	if (record)
		record->outcome = *o;
}

/* What a failed launch leaves in words. */
static ptxsim_status launch_fails(const char *call, const struct outcome *o)
{
	return o->status ? call_fails(call, o->status, o->message[0] ? "%s" : NULL, o->message) : PTXSIM_OK;
}

/* Fits most kernels' parameters. */
enum { PARAMS_AT_HAND = 512 };

/* A record where one is wanted; false: no memory. */
static bool make_record(const ptxsim_context *c, const ptxsim_function *f, const struct ptxsim_launch *launch,
			const struct ptxsim_watching *wanted, ptxsim_record **record)
{
	*record = launch->record || is_watched(c, wanted) ? record_new(f, wanted) : NULL;
	return *record || !(launch->record || is_watched(c, wanted));
}

/* Most kernels have few parameters: these need no allocation. */
static ptxsim_status launch_checked(ptxsim_context *c, const ptxsim_function *f, const struct ptxsim_launch *launch,
				    const struct ptxsim_watching *wanted, ptxsim_record **record, struct outcome *o)
{
	const struct kernel *k = function_kernel(f);
	u8 at_hand[PARAMS_AT_HAND];
	u8 *params = k->param_bytes <= sizeof at_hand ? at_hand : malloc(k->param_bytes);

	if (!params || !make_record(c, f, launch, wanted, record)) {
		if (params != at_hand)
			free(params);
		return PTXSIM_ERROR_MEMORY;
	}
	function_pack(k, launch->args, params);
	__atomic_store_n(&c->stop, false, __ATOMIC_RELAXED);
	run_recorded(c, f, launch, params, false, *record, o);
	if (params != at_hand)
		free(params);
	return o->status;
}

/* It is the context's last launch; its record goes there unless the caller has it. */
static void publish(ptxsim_context *c, const struct outcome *o, ptxsim_record *record)
{
	pthread_mutex_lock(&c->lock);
	ptxsim_record *before = c->record;
	outcome_keep(&c->last, o);
	c->record = record;
	pthread_mutex_unlock(&c->lock);
	ptxsim_record_free(before);
}

ptxsim_status ptxsim_launch(ptxsim_context *context, const ptxsim_function *function,
			    const struct ptxsim_launch *launch)
{
	struct ptxsim_launch whole;
	struct ptxsim_watching wanted;
	ptxsim_record *record = NULL;
	struct outcome o;

	if (!context)
		return WRONG_ARGUMENT("there is no context");
	outcome_begin(&o);
	if (!function || !launch || !launch_take(launch, &whole)) {
		publish(context, &o, NULL);
		return WRONG_ARGUMENT(!function || !launch ? "the function or the launch is NULL"
							   : "struct_size is not that of struct ptxsim_launch");
	}
	o.status = check(context, function, &whole, &wanted, &o);
	if (!o.status)
		o.status = launch_checked(context, function, &whole, &wanted, &record, &o);
	if (whole.record)
		*whole.record = record;
	publish(context, &o, whole.record ? NULL : record);
	return launch_fails(__func__, &o);
}

const char *ptxsim_message(const ptxsim_context *context) { return context ? context->last.message : ""; }

const char *ptxsim_cuda_error(const ptxsim_context *context)
{
	if (!context)
		return fault_cuda_name(FAULT_NONE);
	return context->last.refused ? "CUDA_ERROR_INVALID_VALUE" : fault_cuda_name(context->last.kind);
}

ptxsim_status ptxsim_get_fault(const ptxsim_context *context, struct ptxsim_fault *fault)
{
	if (!context || !fault)
		return WRONG_ARGUMENT("the context or the place for the fault is NULL");
	const ptxsim_status status = outcome_fault(&context->last, fault);
	return status ? call_fails(__func__, status, "the last launch did not fault") : status;
}

ptxsim_status ptxsim_get_stats(const ptxsim_context *context, struct ptxsim_stats *stats)
{
	if (!context || !stats)
		return WRONG_ARGUMENT("the context or the place for the counts is NULL");
	*stats = outcome_stats(&context->last);
	return PTXSIM_OK;
}

void ptxsim_stop(ptxsim_context *context)
{
	if (context)
		__atomic_store_n(&context->stop, true, __ATOMIC_RELAXED);
}

ptxsim_status ptxsim_set_print(ptxsim_context *context, ptxsim_print_fn *print, void *print_context)
{
	if (!context)
		return WRONG_ARGUMENT("there is no context");
	context->print = print;
	context->print_context = print_context;
	return PTXSIM_OK;
}

ptxsim_status ptxsim_set_bounds(ptxsim_context *context, ptxsim_bounds bounds)
{
	if (!context || (unsigned)bounds > PTXSIM_BOUNDS_ALLOCATION)
		return WRONG_ARGUMENT("there is no context, or no such choice of bounds");
	context->memory.bounds = context->tables.bounds = (enum memory_bounds)bounds;
	return PTXSIM_OK;
}

/* --- Streams -------------------------------------------------------------------------------- */

struct ptxsim_stream {
	ptxsim_context *context;
	struct queue *queue;
	ptxsim_status
		failed; /* the first since the last synchronisation; of the running piece's thread, then of who waits */
	struct outcome outcome;
};

/* A piece of a stream's work.
 * Work is done in order within a stream; `work.after` makes one wait for another stream's. */
struct piece {
	struct work work;
	ptxsim_stream *stream;
	const ptxsim_function *function; /* NULL: a copy, or a wait */
	struct ptxsim_launch launch;
	ptxsim_record *record; /* of the launch; or NULL */
	void *to;
	const void *from;
	u64 address, bytes;
	u8 params[];
};

static void run_launch(struct piece *p)
{
	ptxsim_stream *s = p->stream;

	run_recorded(s->context, p->function, &p->launch, p->params, true, p->record, &s->outcome);
	s->failed = s->outcome.status;
	if (!p->launch.record)
		return;
	*p->launch.record = p->record;
	p->record = NULL;
}

static void run_copy(const struct piece *p)
{
	ptxsim_stream *s = p->stream;

	s->failed = p->to     ? ptxsim_read(s->context, p->to, p->address, p->bytes)
		    : p->from ? ptxsim_write(s->context, p->address, p->from, p->bytes)
			      : PTXSIM_OK;
	if (s->failed)
		snprintf(s->outcome.message, sizeof s->outcome.message, "%s", ptxsim_last_error());
}

static void run_piece(struct work *w)
{
	struct piece *p = (struct piece *)w;

	if (!p->stream->failed && p->function)
		run_launch(p);
	else if (!p->stream->failed)
		run_copy(p);
	ptxsim_record_free(p->record);
	free(p);
}

static struct piece *piece_new(ptxsim_stream *s, size_t extra)
{
	struct piece *p = calloc(1, sizeof *p + extra);

	if (p) {
		p->work.run = run_piece;
		p->stream = s;
	}
	return p;
}

ptxsim_stream *ptxsim_stream_create(ptxsim_context *context)
{
	ptxsim_stream *s = context ? calloc(1, sizeof *s) : NULL;

	if (!s || !(s->queue = queue_new(&context->queues))) {
		free(s);
		call_fails(__func__, context ? PTXSIM_ERROR_MEMORY : PTXSIM_ERROR_ARGUMENT, NULL);
		return NULL;
	}
	s->context = context;
	return s;
}

void ptxsim_stream_free(ptxsim_stream *stream)
{
	if (!stream)
		return;
	queue_free(stream->queue);
	free(stream);
}

/* Gives a launch that has been checked; MEMORY: there is none.
 * Arguments are packed now: the caller may reuse them at once. The record, if any, is set when the piece has run. */
static ptxsim_status give_launch(ptxsim_stream *s, const ptxsim_function *f, const struct ptxsim_launch *launch,
				 const struct ptxsim_watching *wanted)
{
	const struct kernel *k = function_kernel(f);
	struct piece *p = piece_new(s, k->param_bytes);

	if (!p || !make_record(s->context, f, launch, wanted, &p->record)) {
		free(p);
		return PTXSIM_ERROR_MEMORY;
	}
	if (launch->record)
		*launch->record = NULL;
	p->function = f;
	p->launch = *launch;
	function_pack(k, launch->args, p->params);
	queue_give(s->queue, &p->work);
	return PTXSIM_OK;
}

ptxsim_status ptxsim_stream_launch(ptxsim_stream *stream, const ptxsim_function *function,
				   const struct ptxsim_launch *launch)
{
	struct ptxsim_launch whole;
	struct ptxsim_watching wanted;

	if (!stream || !function || !launch || !launch_take(launch, &whole))
		return WRONG_ARGUMENT(!stream || !function || !launch
					      ? "the stream, function or launch is NULL"
					      : "struct_size is not that of struct ptxsim_launch");
	struct outcome *o = calloc(1, sizeof *o);
	if (!o)
		return call_fails(__func__, PTXSIM_ERROR_MEMORY, NULL);
	o->status = check(stream->context, function, &whole, &wanted, o);
	if (!o->status)
		o->status = give_launch(stream, function, &whole, &wanted);
	const ptxsim_status status = launch_fails(__func__, o);
	free(o);
	return status;
}

static ptxsim_status give_copy(const char *call, ptxsim_stream *s, void *to, const void *from, u64 address, u64 bytes)
{
	if (!s || (!to && !from))
		return call_fails(call, PTXSIM_ERROR_ARGUMENT, "the stream or the host's bytes are NULL");
	struct piece *p = piece_new(s, 0);
	if (!p)
		return call_fails(call, PTXSIM_ERROR_MEMORY, NULL);
	p->to = to;
	p->from = from;
	p->address = address;
	p->bytes = bytes;
	queue_give(s->queue, &p->work);
	return PTXSIM_OK;
}

ptxsim_status ptxsim_stream_read(ptxsim_stream *stream, void *to, uint64_t address, uint64_t bytes)
{
	return give_copy(__func__, stream, to, NULL, address, bytes);
}

ptxsim_status ptxsim_stream_write(ptxsim_stream *stream, uint64_t address, const void *from, uint64_t bytes)
{
	return give_copy(__func__, stream, NULL, from, address, bytes);
}

ptxsim_status ptxsim_stream_wait(ptxsim_stream *stream, ptxsim_stream *other)
{
	if (!stream || !other || stream->context != other->context)
		return WRONG_ARGUMENT("a stream is NULL, or they are not of one context");
	if (stream == other)
		return PTXSIM_OK;
	struct piece *p = piece_new(stream, 0);
	if (!p)
		return call_fails(__func__, PTXSIM_ERROR_MEMORY, NULL);
	p->work.after = other->queue;
	p->work.after_number = queue_given(other->queue);
	queue_give(stream->queue, &p->work);
	return PTXSIM_OK;
}

/* Reports the first failure since the last call, and clears it. */
ptxsim_status ptxsim_stream_synchronize(ptxsim_stream *stream)
{
	if (!stream)
		return WRONG_ARGUMENT("there is no stream");
	queue_wait(stream->queue, queue_given(stream->queue));
	const ptxsim_status status = stream->failed;
	stream->failed = PTXSIM_OK;
	return status ? call_fails(__func__, status, stream->outcome.message[0] ? "%s" : NULL, stream->outcome.message)
		      : PTXSIM_OK;
}

int ptxsim_stream_is_done(ptxsim_stream *stream)
{
	return !stream || queue_has_done(stream->queue, queue_given(stream->queue));
}
