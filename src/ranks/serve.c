/* SPDX-License-Identifier: Apache-2.0
 *
 * The ranks other than 0: a loop over orders.
 *
 * A rank has the same program in its memory, and pages that rank 0 has changed since are sent with each order
 * (pages.c). It runs its part of the blocks, and answers: result, counters, which bytes it has written; then, for pages
 * that any rank has written, which bytes it has read, and the contents (merge.c).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "observe/touched.h"
#include "ranks/merge.h"
#include "ranks/order.h"
#include "ranks/own.h"
#include "ranks/pages.h"

/* What a rank keeps from launch to launch. */
struct server {
	const struct transport *transport;
	const struct ranks_options *options;
	struct session session;
	struct touched *touched;
	struct accounting *accounting; /* NULL until a launch is counted */
};

static void begin_counting(struct server *v, const struct ordered_launch *o)
{
	if (!o->counts)
		return;
	if (!v->accounting)
		v->accounting = accounting_new(&v->session.arena, v->session.program, &o->accounting);
	accounting_begin(v->accounting);
}

/* Counters as bytes; none if they were not asked for. */
static void put_counts(struct server *v, const struct ordered_launch *o, struct parcel *w)
{
	const size_t bytes = o->counts ? accounting_packed_bytes(v->accounting) : 0;

	parcel_put_number(w, bytes);
	if (bytes)
		accounting_pack(v->accounting, parcel_room(w, bytes));
}

static void run_part(struct server *v, const struct ordered_launch *o, const u8 *params, struct part_result *result)
{
	const struct transport *t = v->transport;
	struct session *s = &v->session;
	struct observer *observers[] = {touched_observer(v->touched),
					o->counts ? accounting_observer(v->accounting) : NULL, NULL};
	struct launch l = {.program = s->program,
			   .kernel = &s->program->kernels[o->kernel],
			   .memory = &s->memory,
			   .threads = &s->threads,
			   .dynamic_shared = o->dynamic_shared,
			   .first_cluster = rank_first(o->clusters, t->rank, t->count),
			   .end_cluster = rank_first(o->clusters, t->rank + 1, t->count),
			   .params = params,
			   .jobs = rank_jobs(t, v->options->jobs ? v->options->jobs : o->jobs),
			   .observers = observers,
			   .heap_bytes = o->heap_bytes,
			   .local_limit_bytes = o->local_limit_bytes,
			   .async = o->async,
			   .async_checker = &async_strict.checker,
			   .lock_order = o->lock_order};
	struct fault fault = {.kind = FAULT_NONE};
	char message[256];

	l.native = session_native(s, s->program, l.kernel, (enum native_mode)o->native);
	memcpy(l.grid, o->grid, sizeof l.grid);
	memcpy(l.block, o->block, sizeof l.block);
	memcpy(l.cluster, o->cluster, sizeof l.cluster);
	if (!touched_begin(v->touched, &s->memory))
		rank_fails(t, "no memory left");
	memset(result, 0, sizeof *result);
	const double before = rank_processor_seconds();
	/* Fewer blocks than ranks: this one has none. */
	if (l.first_cluster < l.end_cluster)
		result->status = launch_run(&l, &result->stats, &fault, message, sizeof message);
	result->processor_seconds = rank_processor_seconds() - before;
	result->is_whole = touched_is_whole(v->touched);
	result->fault_kind = fault.kind;
	result->seconds = result->stats.seconds;
}

static void serve_launch(struct server *v, struct parcel *w)
{
	const struct ordered_launch o = *(const struct ordered_launch *)(const void *)parcel_take(w, sizeof o);
	const u8 *params = parcel_take(w, o.param_bytes);
	struct parcel reply = {.transport = v->transport}, question = {.transport = v->transport};
	struct part_result result;

	pages_take(&v->session.memory, &v->session.arena, v->transport);
	begin_counting(v, &o);
	run_part(v, &o, params, &result);
	parcel_put(&reply, &result, sizeof result);
	put_counts(v, &o, &reply);
	merge_put_written(&reply, v->touched);
	parcel_send(&reply, 0);
	parcel_broadcast(&question);
	parcel_empty(&reply);
	merge_put_answer(&reply, &question, v->touched, v->transport->rank);
	parcel_send(&reply, 0);
	parcel_free(&question);
	parcel_free(&reply);
}

/* Until rank 0 says that there is no more. */
static void serve(struct server *v)
{
	struct parcel w = {.transport = v->transport};

	for (;;) {
		parcel_broadcast(&w);
		switch ((enum order)parcel_take_number(&w)) {
		case ORDER_END:
			parcel_free(&w);
			return;
		case ORDER_PROGRAM:
			order_take_program(&w, &v->session);
			v->touched = touched_new(&v->session.arena, v->session.program, false);
			break;
		case ORDER_LAUNCH:
			serve_launch(v, &w);
			break;
		}
	}
}

void ranks_serve(struct ranks *r)
{
	struct server v = {.transport = r->transport, .options = &r->options};

	if (!session_open(&v.session))
		rank_fails(r->transport, "%s", errno == ENOMEM ? "no memory left" : "PTXSIM_VARIANT does not run here");
	if (SESSION_ENTER(&v.session))
		rank_fails(r->transport, "no memory left");
	serve(&v);
	if (v.accounting)
		accounting_free(v.accounting);
	if (v.touched)
		touched_free(v.touched);
	session_close(&v.session);
}
