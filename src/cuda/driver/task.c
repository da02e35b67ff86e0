/* SPDX-License-Identifier: Apache-2.0
 *
 * What pieces of work do when they run: on whatever thread, without the driver's lock.
 */
#include <stdlib.h>
#include <string.h>

#include "cuda/driver/debugging.h"
#include "cuda/driver/driver.h"
#include "cuda/driver/errors.h"
#include "cuda/driver/finding.h"
#include "cuda/driver/watch.h"

/* --- What kernels print ---------------------------------------------------------------------------- */

/* Collected, and written to standard output when the program waits for the context, as the driver does. */
static void print(void *context, const char *text, size_t length)
{
	struct cu_context *c = context;

	pthread_mutex_lock(&c->print_lock);
	if (c->printed_length + length > c->printed_room) {
		const size_t room = 2 * c->printed_room + length + 4096;
		char *more = realloc(c->printed, room);
		if (more) {
			c->printed = more;
			c->printed_room = room;
		}
	}
	if (c->printed_length + length <= c->printed_room) {
		memcpy(c->printed + c->printed_length, text, length);
		c->printed_length += length;
	}
	pthread_mutex_unlock(&c->print_lock);
}

void context_flush(struct cu_context *c)
{
	if (!__atomic_load_n(&c->printed_length, __ATOMIC_ACQUIRE))
		return;
	pthread_mutex_lock(&c->print_lock);
	fwrite(c->printed, 1, c->printed_length, stdout);
	c->printed_length = 0;
	pthread_mutex_unlock(&c->print_lock);
}

static void tell(void *context, const char *text, size_t length)
{
	(void)context;
	fwrite(text, 1, length, stderr);
}

/* --- Kernels ----------------------------------------------------------------------------------------- */

static int error_of(const struct outcome *o)
{
	enum { SHARED_WINDOW = 1 << 24 };

	/* Recorded: beyond its window, shared memory is not an address that an instruction may have. */
	if (o->kind == FAULT_OUT_OF_BOUNDS && o->fault.space == SPACE_SHARED && o->fault.address >= SHARED_WINDOW)
		return CU_ILLEGAL_INSTRUCTION;
	switch (o->status) {
	case PTXSIM_OK:
		return CU_OK;
	case PTXSIM_ERROR_FAULT:
		return cuda_error_number(fault_cuda_name(o->kind));
	case PTXSIM_ERROR_MEMORY:
		return CU_OUT_OF_MEMORY;
	case PTXSIM_ERROR_LAUNCH:
		return CU_INVALID_VALUE;
	default:
		return CU_LAUNCH_FAILED;
	}
}

/* Only faults and refusals have a message of their own. */
static const char *message_of(const struct outcome *o)
{
	return *o->message                             ? o->message
	       : o->status == PTXSIM_ERROR_INTERRUPTED ? "was stopped before its end"
						       : "the host's memory ran out";
}

/* The whole message goes where findings are asked for; the error code to the program.
 * The first error stays: of all contexts, on all devices, as two H200s answer. */
static void report(const struct cu_function *f, const struct outcome *o, const struct host_place *from)
{
	const char *const message = message_of(o);
	const int error = error_of(o);
	int none = CU_OK;

	__atomic_compare_exchange_n(&driver.error, &none, error, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
	if (!driver.findings)
		return;
	const bool has_access = o->kind != FAULT_NONE && o->fault.space == SPACE_GLOBAL;
	driver_take();
	flockfile(driver.findings);
	finding_print(driver.findings, &(struct finding){.title = f->name,
							 .text = message,
							 .memory = o->kind != FAULT_NONE ? &o->memory : NULL,
							 .address = has_access ? o->fault.address : 0,
							 .kernel = f->name,
							 .launched = from});
	funlockfile(driver.findings);
	driver_let_go();
}

/* An access beyond its allocation that a card lets pass: told once for each function, as the program goes on. */
static void tell_astray(struct cu_function *f, const struct outcome *o)
{
	if (!driver.findings || __atomic_exchange_n(&f->told_astray, true, __ATOMIC_RELAXED))
		return;
	flockfile(driver.findings);
	fprintf(driver.findings,
		"%s: warning: %s"
		"  the program goes on, as on a card, which has more there; --bounds object makes this a fault\n",
		f->name, o->message);
	fflush(driver.findings);
	funlockfile(driver.findings);
}

/* The grids that a kernel launches are watched as others are. */
static struct watching *begin_grid(void *context, const ptxsim_function *f, const struct ptxsim_launch *launch)
{
	struct watched *w = context;

	return watch_begin(ptxsim_function_name(f), launch, w) ? &w->watching : NULL;
}

static void end_grid(void *context, const ptxsim_function *f, const struct outcome *o)
{
	(void)f;
	watch_end(context, o);
}

/* A launch through the library, watched if it is one of those asked for, under the debugger if there is one. */
static void run_kernel(struct cu_context *c, const struct task *t, const u8 *params)
{
	const struct cu_function *f = t->kernel.function;
	struct ptxsim_launch launch = t->kernel.launch;
	struct watched w, child;
	struct outcome o;

	if (driver.answers_only)
		return;
	const bool watched = watch_begin(f->name, &launch, &w);
	w.order = watched ? t->order : NULL;
	w.kernel = f->name;
	w.from = t->kernel.from;
	struct run_options options = {.heap_bytes = c->limits[2],
				      .local_limit_bytes = 0,
				      .watching = watched ? &w.watching : NULL,
				      .grid_begin = watched ? begin_grid : NULL,
				      .grid_end = watched ? end_grid : NULL,
				      .grid_context = &child,
				      .device = driver.devices[c->device].model,
				      .device_number = (u32)c->device,
				      .device_count = (u32)driver.device_count,
				      .shared = true,
				      .patience_seconds = watch_patience(),
				      .print = print,
				      .tell = tell,
				      .print_context = c};
	struct cu_exec *const graph = t->kernel.exec;
	if (graph) {
		options.launch_graph = graph_ask;
		options.graph_context = graph;
		options.graph = graph->flags & GRAPH_DEVICE_LAUNCH ? (u64)(uintptr_t)graph : 0;
	}
	options.update_node = node_update;
	launch.async = watch_async();
	if (debugging_is_on()) {
		const enum choice choice = watch_choice(f->name);
		options.runner = choice == CHOICE_LEFT_OUT ? NULL : debugging_run;
		options.runner_context = choice == CHOICE_CHOSEN ? c : NULL;
	}
	function_run(driver.machine, f->function, &launch, params, &options, &o);
	if (o.status && !o.ended)
		report(f, &o, t->kernel.from);
	else if (o.astray)
		tell_astray(t->kernel.function, &o);
	if (watched)
		watch_end(&w, &o);
	if (graph)
		exec_run_fired(c, graph);
}

/* As the node says now, which kernels may have changed since its graph was launched. */
static void run_updated(struct cu_context *c, const struct task *given)
{
	struct task t = *given;

	if (node_read(&t))
		run_kernel(c, &t, t.kernel.params);
	free(t.kernel.params);
}

/* --- Copies and fills ----------------------------------------------------------------------------------- */

static void run_copy(const struct copy *c)
{
	if (c->height == 1 && c->depth == 1) {
		memmove(c->to, c->from, c->width);
		return;
	}
	for (u64 z = 0; z < c->depth; z++)
		for (u64 y = 0; y < c->height; y++)
			memmove(c->to + z * c->to_slice + y * c->to_pitch,
				c->from + z * c->from_slice + y * c->from_pitch, c->width);
}

static void run_fill(const struct fill *f)
{
	for (u64 y = 0; y < f->height; y++) {
		u8 *row = f->to + y * f->pitch;
		if (f->element == 1) {
			memset(row, (int)f->value, f->width);
			continue;
		}
		for (u64 x = 0; x < f->width; x++)
			memcpy(row + x * f->element, &f->value, f->element);
	}
}

static void run_host(struct cu_context *c, const struct task *t)
{
	context_flush(c);
	if (t->order) {
		driver_take();
		order_after_piece(t->order);
		driver_let_go();
	}
	self.in_callback = true;
	if (t->host.callback)
		t->host.callback(t->host.stream, driver_error(), t->host.data);
	else if (!driver_error())
		t->host.function(t->host.data);
	self.in_callback = false;
}

/* Memory that has been given again since stays. */
static void run_free(const struct task *t)
{
	const u64 address = t->free.address, number = t->free.number;

	driver_take();
	const struct region *b = block_at(address);
	const u64 bytes = b && (!number || b->freeing == number) ? b->size : 0;
	driver_let_go();
	if (!bytes)
		return;
	watch_freed(t, address, bytes);
	driver_take();
	struct region *again = block_at(address);
	if (again && (!number || again->freeing == number))
		block_remove(again);
	driver_let_go();
}

/* The graph has ended, with or without an error. */
static void run_tails(struct cu_context *c, struct cu_exec *x)
{
	exec_run_tails(c, x);
	driver_take();
	exec_let_go(x);
	driver_let_go();
}

void task_run(struct cu_context *c, const struct task *t, const u8 *params)
{
	if (t->kind == TASK_HOST)
		run_host(c, t);
	else if (t->kind == TASK_TAILS)
		run_tails(c, t->exec);
	else if (t->kind == TASK_GIVEN)
		watch_given(t, t->given.address, t->given.bytes);
	else if (t->kind == TASK_FREE)
		run_free(t);
	if (driver_error() || c->destroyed)
		return;
	switch (t->kind) {
	case TASK_KERNEL:
		if (t->kernel.node)
			run_updated(c, t);
		else
			run_kernel(c, t, t->kernel.params ? t->kernel.params : params);
		return;
	case TASK_COPY:
		run_copy(&t->copy);
		watch_copy(t);
		return;
	case TASK_FILL:
		run_fill(&t->fill);
		watch_fill(t);
		return;
	case TASK_CONDITION:
		condition_run(c, t);
		return;
	case TASK_WRITE:
		watch_write(t->write.address, t->write.bytes);
		if (t->write.bytes == 4)
			__atomic_store_n((u32 *)(uintptr_t)t->write.address, (u32)t->write.value, __ATOMIC_RELEASE);
		else
			__atomic_store_n((u64 *)(uintptr_t)t->write.address, t->write.value, __ATOMIC_RELEASE);
		return;
	default:
		return;
	}
}
