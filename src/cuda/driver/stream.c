/* SPDX-License-Identifier: Apache-2.0
 *
 * Streams: work in order. The legacy stream and the streams that heed it wait for one another by pieces of work that do
 * nothing but come after another queue's.
 *
 *  program's call   -> stream_give     -> capture_give, if the stream captures a graph
 *                      heed_legacy        the legacy stream's rules, as waits
 *                      queue_give      -> a worker thread runs op_run -> task_run
 *                      hurry              brief work (copies, fills) is done before the call returns
 *
 * The driver's lock is held while work is given and let go while somebody waits: after a wait, streams may have come
 * and gone.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "cuda/driver/driver.h"
#include "cuda/driver/watch.h"

/* A task in a queue. */
struct op {
	struct work work;
	struct cu_context *context;
	struct task task;
	struct value_wait wait;
	u64 serial;        /* of an event's record */
	u64 shared_serial; /* among those of all processes */
	u8 params[];
};

/* --- Streams --------------------------------------------------------------------------------------- */

static void stream_free(struct cu_stream *s)
{
	order_forget(s->queue);
	queue_free(s->queue);
	free(s->tips.list);
	free(s);
}

/* Takes streams that the program has destroyed, and whose work is done, out of the list. They are freed when no other thread
 * is in the middle of a call, which may have looked one up. */
static void free_gone(struct cu_context *c)
{
	for (struct cu_stream **at = &c->streams, *s; (s = *at) != NULL && c->gone_streams;) {
		if (!s->gone || !queue_has_done(s->queue, queue_given(s->queue))) {
			at = &s->next;
			continue;
		}
		*at = s->next;
		c->gone_streams--;
		s->next = driver.buried;
		driver.buried = s;
	}
	for (struct cu_stream *s; !driver.away && (s = driver.buried) != NULL;) {
		driver.buried = s->next;
		stream_free(s);
	}
}

/* NULL: no memory. Numbers of streams begin behind those that have a meaning of their own; priorities that there are not
 * are the nearest. */
struct cu_stream *stream_new(struct cu_context *c, u32 flags, int priority)
{
	struct cu_stream *s = calloc(1, sizeof *s);

	free_gone(c);
	if (!s || !(s->queue = queue_new(&driver.machine->queues)) || !handle_add(s, HANDLE_STREAM)) {
		free(s);
		return NULL;
	}
	if (c->legacy)
		watch_streams();
	s->context = c;
	s->flags = flags;
	s->priority = priority > STREAM_LOWEST ? STREAM_LOWEST : priority < STREAM_HIGHEST ? STREAM_HIGHEST : priority;
	s->id = ++driver.next_id + 16;
	s->next = c->streams;
	c->streams = s;
	return s;
}

/* Work that was given is still done, and who waits for the context waits for it: for a module that goes, say. */
void stream_delete(struct cu_stream *s)
{
	capture_abandon(s);
	handle_drop(s);
	s->gone = true;
	s->context->gone_streams++;
	free_gone(s->context);
}

void streams_delete(struct cu_context *c)
{
	for (struct cu_stream *s = c->streams; s; s = s->next)
		if (s != c->legacy && !s->gone) {
			capture_abandon(s);
			handle_drop(s);
			s->gone = true;
			c->gone_streams++;
		}
	free_gone(c);
}

/* The thread's own default stream in the current context. */
static struct cu_stream *own_stream(struct cu_context *c)
{
	for (struct cu_stream *s = c->streams; s; s = s->next)
		if (s->thread == self.number)
			return s;
	struct cu_stream *s = stream_new(c, 0, 0);
	if (s)
		s->thread = self.number;
	return s;
}

static bool is_default(const struct cu_stream *handle)
{
	return !handle || handle == CU_STREAM_IS_LEGACY || handle == CU_STREAM_IS_PER_THREAD;
}

/* The stream that a handle stands for: 0 is the default stream, 1 the legacy one, 2 the thread's own. NULL: no
 * stream. */
struct cu_stream *stream_of(struct cu_stream *handle)
{
	const bool is_known = !is_default(handle) && handle_is(handle, HANDLE_STREAM);
	struct cu_context *c = context_current();

	if (!c && (is_known || is_default(handle)) && !context_lend(is_known ? handle->context : NULL))
		return NULL;
	if (!handle)
		return self.own_stream ? own_stream(c) : c->legacy;
	if (handle == CU_STREAM_IS_LEGACY)
		return c->legacy;
	if (handle == CU_STREAM_IS_PER_THREAD)
		return own_stream(c);
	return is_known ? handle : NULL;
}

/* --- Giving work ------------------------------------------------------------------------------------- */

/* cuStreamWaitValue: 0 at least (by difference, so that counters may wrap), 1 equal, 2 any of the bits, else not (a or
 * b). */
static bool value_is_there(const struct value_wait *v)
{
	u64 now = v->bytes == 4 ? __atomic_load_n((const u32 *)(const void *)v->watch, __ATOMIC_ACQUIRE)
				: __atomic_load_n((const u64 *)(const void *)v->watch, __ATOMIC_ACQUIRE);

	switch (v->how) {
	case 0:
		return v->bytes == 4 ? (s32)((u32)now - (u32)v->value) >= 0 : (s64)(now - v->value) >= 0;
	case 1:
		return now == v->value;
	case 2:
		return (now & v->value) != 0;
	default:
		return (v->bytes == 4 ? (u32) ~(now | v->value) : ~(now | v->value)) != 0;
	}
}

/* Whether a wait may end: also when the context has failed, so that nothing waits forever. */
static bool op_ready(struct work *w)
{
	const struct op *op = (const struct op *)w;

	return driver_error() || op->context->destroyed || value_is_there(&op->wait);
}

/* An event lives as long as the program and records that are not done use it. */
static void event_let_go(struct cu_event *e)
{
	if (__atomic_sub_fetch(&e->users, 1, __ATOMIC_ACQ_REL))
		return;
	shared_event_free(e->shared);
	free(e);
}

/* Records of several streams, and processes, may end in any order. */
static void raise_to(u64 *done, u64 serial)
{
	u64 before = __atomic_load_n(done, __ATOMIC_ACQUIRE);

	while (before < serial &&
	       !__atomic_compare_exchange_n(done, &before, serial, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		;
}

static void record(struct op *op)
{
	struct cu_event *e = op->task.event;

	/* What counts is the last record, which another stream may have come to first. */
	if (op->serial > __atomic_load_n(&e->done, __ATOMIC_ACQUIRE))
		e->seconds = seconds_now();
	if (e->shared)
		raise_to(&e->shared->counts->done, op->shared_serial);
	raise_to(&e->done, op->serial);
	event_let_go(e);
}

static void op_run(struct work *w)
{
	struct op *op = (struct op *)w;

	if (op->task.kind == TASK_RECORD)
		record(op);
	else
		task_run(op->context, &op->task, op->params);
	if (op->task.order) {
		driver_take();
		order_end(op->task.order);
		driver_let_go();
	}
	free(op);
}

static struct op *op_new(struct cu_context *c, size_t extra)
{
	struct op *op = malloc(sizeof *op + extra);

	if (op) {
		memset(op, 0, sizeof *op);
		op->work.run = op_run;
		op->context = c;
	}
	return op;
}

/* Runs brief work at once where nothing keeps it, as the card would have done it by the time the program's next call
 * arrives: a program may rely on that between streams that it does not order. The lock is let go meanwhile. */
static void hurry(struct queue *q, u64 number)
{
	queue_hold(q);
	driver_leave();
	queue_run_brief(q, number);
	driver_return();
	queue_let_go(q);
}

/* Work that does nothing but wait, for a piece of another queue's work or for a value in memory. */
int stream_give_wait(struct cu_stream *s, struct queue *queue, u64 number, const struct value_wait *v)
{
	struct op *op = op_new(s->context, 0);

	if (!op)
		return CU_OUT_OF_MEMORY;
	op->work.after = queue;
	op->work.after_number = number;
	op->work.brief = true;
	if (v) {
		op->wait = *v;
		op->work.ready = op_ready;
	}
	queue_give(s->queue, &op->work);
	return CU_OK;
}

static int wait_for(struct cu_stream *s, struct cu_stream *other)
{
	const u64 number = queue_given(other->queue);

	order_after(s->queue, other->queue, number);
	return queue_has_done(other->queue, number) ? CU_OK : stream_give_wait(s, other->queue, number, NULL);
}

/* What the legacy stream's rules make new work wait for. */
static int heed_legacy(struct cu_stream *s)
{
	struct cu_context *c = s->context;
	int result = CU_OK;

	if (s->flags & 1)
		return CU_OK;
	if (s != c->legacy)
		return wait_for(s, c->legacy);
	for (struct cu_stream *other = c->streams; other && !result; other = other->next)
		if (other != s && !(other->flags & 1))
			result = wait_for(s, other);
	return result;
}

/* Gives a copy of the task, and of its parameters, to the stream. */
int stream_give(struct cu_stream *s, const struct task *t, const void *params)
{
	if (s->capture)
		return capture_give(s, t, params);
	const size_t extra = t->kind == TASK_KERNEL ? t->kernel.param_bytes : 0;
	const int result = heed_legacy(s);
	struct op *op = result ? NULL : op_new(s->context, extra);
	if (!op)
		return result ? result : CU_OUT_OF_MEMORY;
	op->task = *t;
	op->task.order = order_of_next(s->queue);
	if (op->task.order)
		order_as_node(op->task.order, &t->node);
	if (op->task.order && t->kind == TASK_KERNEL && t->kernel.loose && !t->node.plan)
		order_loosely(op->task.order);
	/* A program's function may find out that it is on no thread of the program's, as on the card. */
	op->work.apart = t->kind == TASK_HOST;
	if (extra)
		memcpy(op->params, params, extra);
	op->work.brief = t->kind == TASK_COPY || t->kind == TASK_FILL || t->kind == TASK_WRITE || t->kind == TASK_GIVEN;
	/* While the lock is let go, another thread may destroy any other stream. */
	const bool brief = op->work.brief, waits = s == s->context->legacy && t->kind != TASK_GIVEN;
	const u64 number = queue_give(s->queue, &op->work);
	if (brief)
		hurry(s->queue, number);
	if (brief && waits)
		order_after_wait(s->queue, number);
	return CU_OK;
}

/* --- Waiting ------------------------------------------------------------------------------------------- */

/* Waits with the lock let go. */
static void finish_queue(struct queue *q)
{
	const u64 number = queue_given(q);

	order_after_wait(q, number);
	if (queue_has_done(q, number))
		return;
	queue_hold(q);
	driver_leave();
	queue_wait(q, number);
	driver_return();
	queue_let_go(q);
}

/* Waits for all streams of the context; prints what kernels have printed; the context's error, if it has one. */
int context_finish(struct cu_context *c)
{
	bool again = true;

	for (const struct cu_stream *s = c->streams; s; s = s->next)
		order_after_wait(s->queue, queue_given(s->queue));
	/* Streams come and go while the lock is let go. */
	while (again) {
		again = false;
		for (struct cu_stream *s = c->streams; s && !again; s = s->next)
			if (!queue_has_done(s->queue, queue_given(s->queue))) {
				finish_queue(s->queue);
				again = true;
			}
	}
	free_gone(c);
	context_flush(c);
	return driver_error();
}

static bool heeds(const struct cu_stream *s) { return !(s->flags & 1); }

/* Waiting for the legacy stream waits for those that heed it. */
int stream_finish(struct cu_stream *s)
{
	struct cu_context *c = s->context;

	finish_queue(s->queue);
	if (handle_is(s, HANDLE_STREAM) && s == c->legacy) {
		for (const struct cu_stream *o = c->streams; o; o = o->next)
			if (heeds(o))
				order_after_wait(o->queue, queue_given(o->queue));
		bool again = true;
		while (again) {
			again = false;
			for (struct cu_stream *o = c->streams; o && !again; o = o->next)
				if (heeds(o) && !queue_has_done(o->queue, queue_given(o->queue))) {
					finish_queue(o->queue);
					again = true;
				}
		}
	}
	context_flush(c);
	return driver_error();
}

/* --- The calls ------------------------------------------------------------------------------------------ */

int drv_cuStreamCreateWithPriority(struct cu_stream **ph_stream, u32 flags, int priority)
{
	if (!ph_stream || flags & ~1u)
		return CU_INVALID_VALUE;
	*ph_stream = stream_new(context_current(), flags, priority);
	return *ph_stream ? CU_OK : CU_OUT_OF_MEMORY;
}

int drv_cuStreamCreate(struct cu_stream **ph_stream, u32 flags)
{
	return drv_cuStreamCreateWithPriority(ph_stream, flags, 0);
}

int drv_cuStreamDestroy_v2(struct cu_stream *h_stream)
{
	if (!h_stream || h_stream == CU_STREAM_IS_LEGACY || h_stream == CU_STREAM_IS_PER_THREAD ||
	    !handle_is(h_stream, HANDLE_STREAM))
		return CU_INVALID_HANDLE;
	stream_delete(h_stream);
	return CU_OK;
}

/* Waiting for a stream that captures ends its capture. */
static int forbid_capture(struct cu_stream *s)
{
	if (!s->capture)
		return CU_OK;
	s->capture->broken = true;
	return CU_CAPTURE_UNSUPPORTED;
}

int drv_cuStreamSynchronize(struct cu_stream *h_stream)
{
	struct cu_stream *s = stream_of(h_stream);

	if (!s)
		return CU_INVALID_HANDLE;
	const int forbidden = forbid_capture(s);
	return forbidden ? forbidden : stream_finish(s);
}

int drv_cuStreamQuery(struct cu_stream *h_stream)
{
	struct cu_stream *s = stream_of(h_stream);

	if (!s)
		return CU_INVALID_HANDLE;
	const int forbidden = forbid_capture(s);
	if (forbidden)
		return forbidden;
	for (struct cu_stream *o = s->context->streams; o; o = o->next)
		if ((o == s || (s == s->context->legacy && heeds(o))) &&
		    !queue_has_done(o->queue, queue_given(o->queue)))
			return CU_NOT_READY;
	for (const struct cu_stream *o = s->context->streams; o; o = o->next)
		if (o == s || (s == s->context->legacy && heeds(o)))
			order_after_wait(o->queue, queue_given(o->queue));
	context_flush(s->context);
	return driver_error();
}

int drv_cuLaunchHostFunc(struct cu_stream *h_stream, cu_host_fn *fn, void *user_data)
{
	struct cu_stream *s = stream_of(h_stream);
	const struct task t = {.kind = TASK_HOST, .host = {.function = fn, .data = user_data}};

	if (!s || !fn)
		return s ? CU_INVALID_VALUE : CU_INVALID_HANDLE;
	return stream_give(s, &t, NULL);
}

int drv_cuStreamAddCallback(struct cu_stream *h_stream, cu_stream_fn *callback, void *user_data, u32 flags)
{
	struct cu_stream *s = stream_of(h_stream);
	const struct task t = {.kind = TASK_HOST,
			       .host = {.callback = callback, .data = user_data, .stream = h_stream}};

	if (!s || !callback || flags)
		return s ? CU_INVALID_VALUE : CU_INVALID_HANDLE;
	if (s->capture)
		return forbid_capture(s);
	return stream_give(s, &t, NULL);
}

static int wait_value(struct cu_stream *h_stream, u64 addr, u64 value, u32 flags, u32 bytes)
{
	struct cu_stream *s = stream_of(h_stream);
	const struct value_wait v = {
		.watch = (const u8 *)(uintptr_t)addr, .value = value, .bytes = bytes, .how = flags & 3};

	if (!s)
		return CU_INVALID_HANDLE;
	if (addr % bytes || !block_of(addr))
		return CU_INVALID_VALUE;
	if (s->capture)
		return batch_capture(s, true, addr, value, bytes, flags);
	const int result = heed_legacy(s);
	order_after_all();
	return result ? result : stream_give_wait(s, NULL, 0, &v);
}

static int write_value(struct cu_stream *h_stream, u64 addr, u64 value, u32 bytes)
{
	struct cu_stream *s = stream_of(h_stream);
	const struct task t = {.kind = TASK_WRITE, .write = {addr, value, bytes}};

	if (!s)
		return CU_INVALID_HANDLE;
	if (addr % bytes || !block_of(addr))
		return CU_INVALID_VALUE;
	return s->capture ? batch_capture(s, false, addr, value, bytes, 0) : stream_give(s, &t, NULL);
}

int drv_cuStreamWaitValue32_v2(struct cu_stream *stream, u64 addr, u32 value, u32 flags)
{
	return wait_value(stream, addr, value, flags, 4);
}
int drv_cuStreamWaitValue64_v2(struct cu_stream *stream, u64 addr, u64 value, u32 flags)
{
	return wait_value(stream, addr, value, flags, 8);
}
int drv_cuStreamWriteValue32_v2(struct cu_stream *stream, u64 addr, u32 value, u32 flags)
{
	(void)flags;
	return write_value(stream, addr, value, 4);
}
int drv_cuStreamWriteValue64_v2(struct cu_stream *stream, u64 addr, u64 value, u32 flags)
{
	(void)flags;
	return write_value(stream, addr, value, 8);
}

/* --- Events ---------------------------------------------------------------------------------------------- */

static bool is_done(const struct cu_event *e)
{
	if (!e->shared)
		return __atomic_load_n(&e->done, __ATOMIC_ACQUIRE) >= e->recorded;
	const struct shared_counts *counts = e->shared->counts;
	return __atomic_load_n(&counts->done, __ATOMIC_ACQUIRE) >= __atomic_load_n(&counts->recorded, __ATOMIC_ACQUIRE);
}

int event_new(struct cu_event **made, u32 flags, struct shared_event *shared)
{
	struct cu_event *e = calloc(1, sizeof *e);
	if (!e || !handle_add(e, HANDLE_EVENT)) {
		free(e);
		return CU_OUT_OF_MEMORY;
	}
	e->context = context_current();
	e->flags = flags;
	e->shared = shared;
	e->users = 1;
	*made = e;
	return CU_OK;
}

int drv_cuEventCreate(struct cu_event **ph_event, u32 flags)
{
	if (!ph_event || flags & ~(u32)EVENT_FLAGS || (flags & EVENT_INTERPROCESS && !(flags & EVENT_NO_TIMES)))
		return CU_INVALID_VALUE;
	struct shared_event *shared = flags & EVENT_INTERPROCESS ? shared_event_new() : NULL;
	if (flags & EVENT_INTERPROCESS && !shared)
		return CU_OUT_OF_MEMORY;
	const int result = event_new(ph_event, flags, shared);
	if (result)
		shared_event_free(shared);
	return result;
}

int drv_cuEventDestroy_v2(struct cu_event *h_event)
{
	if (!handle_is(h_event, HANDLE_EVENT))
		return CU_INVALID_HANDLE;
	handle_drop(h_event);
	capture_leave(h_event);
	free(h_event->tips.list);
	h_event->tips = (struct tips){0};
	event_let_go(h_event);
	return CU_OK;
}

int drv_cuEventRecord(struct cu_event *h_event, struct cu_stream *h_stream)
{
	struct cu_stream *s = stream_of(h_stream);

	if (!s || !handle_is(h_event, HANDLE_EVENT) || h_event->context != s->context)
		return CU_INVALID_HANDLE;
	if (s->capture)
		return capture_record(s, h_event);
	const int result = heed_legacy(s);
	struct op *op = result ? NULL : op_new(s->context, 0);
	if (!op)
		return result ? result : CU_OUT_OF_MEMORY;
	op->task = (struct task){.kind = TASK_RECORD, .event = h_event};
	op->work.brief = true;
	op->serial = ++h_event->recorded;
	if (h_event->shared)
		op->shared_serial = __atomic_add_fetch(&h_event->shared->counts->recorded, 1, __ATOMIC_ACQ_REL);
	__atomic_add_fetch(&h_event->users, 1, __ATOMIC_RELAXED);
	capture_leave(h_event);
	h_event->queue = s->queue;
	h_event->number = queue_give(s->queue, &op->work);
	hurry(s->queue, h_event->number);
	return CU_OK;
}

/* CU_EVENT_RECORD_EXTERNAL and CU_EVENT_WAIT_EXTERNAL: of streams that capture, a node of the graph instead of an edge. */
enum { EVENT_EXTERNAL = 1 };

int drv_cuEventRecordWithFlags(struct cu_event *h_event, struct cu_stream *h_stream, u32 flags)
{
	struct cu_stream *s = stream_of(h_stream);

	if (flags & ~(u32)EVENT_EXTERNAL)
		return CU_INVALID_VALUE;
	if (!flags || !s || !s->capture || !handle_is(h_event, HANDLE_EVENT))
		return drv_cuEventRecord(h_event, h_stream);
	return stream_give(s, &(struct task){.kind = TASK_RECORD, .event = h_event}, NULL);
}

int drv_cuEventQuery(struct cu_event *h_event)
{
	if (!handle_is(h_event, HANDLE_EVENT))
		return CU_INVALID_HANDLE;
	if (h_event->capture)
		return CU_CAPTURED_EVENT;
	const int forbidden = capture_forbids_unsafe(h_event->context);
	if (forbidden)
		return forbidden;
	if (!is_done(h_event))
		return CU_NOT_READY;
	order_after_wait(h_event->queue, h_event->number);
	return driver_error();
}

/* Waits for the last record given so far, in whatever process. */
static void wait_for_all(struct cu_event *e)
{
	struct queue *q = e->queue;
	const u64 number = e->number, serial = __atomic_load_n(&e->shared->counts->recorded, __ATOMIC_ACQUIRE);

	__atomic_add_fetch(&e->users, 1, __ATOMIC_RELAXED);
	if (q)
		queue_hold(q);
	driver_leave();
	if (q)
		queue_wait(q, number);
	while (__atomic_load_n(&e->shared->counts->done, __ATOMIC_ACQUIRE) < serial)
		nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
	driver_return();
	if (q)
		queue_let_go(q);
	event_let_go(e);
}

int drv_cuEventSynchronize(struct cu_event *h_event)
{
	if (!handle_is(h_event, HANDLE_EVENT))
		return CU_INVALID_HANDLE;
	if (h_event->capture)
		return CU_CAPTURED_EVENT;
	struct cu_context *c = h_event->context;
	order_after_wait(h_event->queue, h_event->number);
	if (h_event->shared)
		order_after_all();
	if (h_event->shared)
		wait_for_all(h_event);
	else if (!is_done(h_event)) {
		struct queue *q = h_event->queue;
		const u64 number = h_event->number;
		queue_hold(q);
		driver_leave();
		queue_wait(q, number);
		driver_return();
		queue_let_go(q);
	}
	context_flush(c);
	return driver_error();
}

int drv_cuEventElapsedTime_v2(float *p_milliseconds, struct cu_event *h_start, struct cu_event *h_end)
{
	if (!handle_is(h_start, HANDLE_EVENT) || !handle_is(h_end, HANDLE_EVENT))
		return CU_INVALID_HANDLE;
	if (!p_milliseconds)
		return CU_INVALID_VALUE;
	if (!h_start->recorded || !h_end->recorded || (h_start->flags | h_end->flags) & EVENT_NO_TIMES ||
	    h_start->context != h_end->context)
		return CU_INVALID_HANDLE;
	if (!is_done(h_start) || !is_done(h_end))
		return CU_NOT_READY;
	*p_milliseconds = (float)(1e3 * (h_end->seconds - h_start->seconds));
	return CU_OK;
}

int drv_cuStreamWaitEvent(struct cu_stream *h_stream, struct cu_event *h_event, u32 flags)
{
	struct cu_stream *s = stream_of(h_stream);

	if (!s || !handle_is(h_event, HANDLE_EVENT))
		return CU_INVALID_HANDLE;
	if (flags & ~(u32)EVENT_EXTERNAL)
		return CU_INVALID_VALUE;
	if (flags && s->capture)
		return stream_give(s, &(struct task){.kind = TASK_WAIT, .event = h_event}, NULL);
	if (h_event->capture)
		return capture_wait(s, h_event);
	if (s->capture) {
		s->capture->broken = true;
		return CU_CAPTURE_ISOLATION;
	}
	if (h_event->shared)
		order_after_all();
	order_after(s->queue, h_event->queue, h_event->number);
	if (h_event->shared && !is_done(h_event)) {
		h_event->shared->watched = true;
		const struct shared_counts *counts = h_event->shared->counts;
		return stream_give_wait(
			s, NULL, 0,
			&(struct value_wait){.watch = (const u8 *)&counts->done,
					     .value = __atomic_load_n(&counts->recorded, __ATOMIC_ACQUIRE),
					     .bytes = 8});
	}
	if (is_done(h_event) || h_event->queue == s->queue)
		return CU_OK;
	return stream_give_wait(s, h_event->queue, h_event->number, NULL);
}
