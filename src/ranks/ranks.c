/* SPDX-License-Identifier: Apache-2.0
 *
 * Rank 0: whether a launch can be shared, sharing it, and putting the parts together.
 *
 * A launch on N ranks, as rank 0 does it (share, conclude):
 *
 *  rank 0                                   rank r
 *    order, changed pages  ------------->   take them (serve.c)
 *    run its own part of the blocks         run its part
 *    <------------- result, counters, which pages it has written
 *    which of those did you read? ------>
 *    <------------- reads and contents of these pages
 *    merge_check: did a part read what an earlier one wrote? then all is run again on rank 0 alone
 *    merge_apply: the parts' writes, in the order of the blocks
 *
 * So results are those of one process, or the launch runs on one. Faults: the first rank whose blocks failed decides;
 * its blocks are run again by rank 0, on the memory that the parts before have made, and give the same message as one
 * process would.
 */
#include "ranks/ranks.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/demangle.h"
#include "exec/spread.h"
#include "observe/places.h"
#include "ranks/merge.h"
#include "ranks/order.h"
#include "ranks/own.h"

static double greater(double x, double y) { return x > y ? x : y; }

/* Processors that this process may use; if it may use all, its share of the machine. */
u32 ranks_default_jobs(const struct transport *t)
{
	const long online = sysconf(_SC_NPROCESSORS_ONLN);
	const u32 allowed = processors_allowed();

	return online > 0 && allowed < (u32)online ? allowed : max_u32(1, allowed / max_u32(1, t->host_ranks));
}

struct ranks *ranks_begin(const struct transport *t, const struct ranks_options *options)
{
	struct ranks *r = calloc(1, sizeof *r);

	if (!r)
		return NULL;
	r->transport = t;
	r->options = *options;
	arena_init(&r->arena, NULL);
	return r;
}

void ranks_end(struct ranks *r)
{
	const struct transport *t = r->transport;

	if (!t->rank) {
		struct parcel w = {.transport = t};
		parcel_put_number(&w, ORDER_END);
		parcel_broadcast(&w);
		parcel_free(&w);
	}
	if (r->touched)
		touched_free(r->touched);
	shared_pages_free(&r->pages);
	arena_free(&r->arena);
	free(r);
	t->end();
}

void ranks_share(struct ranks *r, const struct session *s, const char *arch)
{
	struct parcel w = {.transport = r->transport};

	if (r->transport->count == 1)
		return;
	order_put_program(&w, s, arch);
	parcel_broadcast(&w);
	parcel_free(&w);
	r->touched = touched_new(&r->arena, s->program, true);
}

/* --- Whether a launch can be shared ----------------------------------------------------------- */

static const char *why_ordered(struct ranks *r, const struct kernel *k)
{
	const struct block_order *o = &k->order;

	if (!o->shows)
		return "it has reductions of several kinds, whose order shows where they meet";
	if (!o->why)
		return "the order of its blocks shows";
	if (o->at == NO_OPERAND || !k->order_code)
		return o->why;
	const struct place_of at = place_find(k->order_code, o->at);
	return arena_printf(&r->arena, "%.*s in line %u %s", (int)strcspn(at.text, " \t\n;"), at.text, at.line, o->why);
}

/* Why the launch runs on one rank, as far as can be known before; NULL: the ranks can share it.
 * The reasons are shown to the user, so they say what is in the way, not which function found it. */
static const char *why_alone(struct ranks *r, const struct play *p, const struct launch *l)
{
	if (l->cooperative)
		return "a cooperative launch, whose blocks may wait for one another";
	if (l->instruction_limit)
		return "--limit counts the instructions of all blocks";
	if (p->watch)
		return "--check looks at all blocks in one order";
	if (p->accounting && p->options.accounting.caches != ACCOUNT_CACHES_NONE)
		return "--caches needs the accesses of all blocks in one order";
	if (p->accounting && p->options.accounting.blocks_apart)
		return "--per-block counts on one rank";
	if (l->kernel->order_dependent)
		return why_ordered(r, l->kernel);
	return touched_refuses(&r->arena, l->program, l->kernel);
}

static enum launch_status run_alone(const struct ranks *r, const struct launch *l, struct launch_stats *stats,
				    struct fault *fault, char *message, size_t size)
{
	struct launch own = *l;

	own.jobs = rank_jobs(r->transport, r->options.jobs ? r->options.jobs : l->jobs);
	return launch_run(&own, stats, fault, message, size);
}

static void say_alone(const struct ranks *r, const struct kernel *k, const char *why)
{
	if (!r->options.quiet)
		fprintf(stderr, "ptxsim: %s runs on one rank: %s\n", demangle_short((struct arena *)&r->arena, k->name),
			why);
}

/* --- A shared launch -------------------------------------------------------------------------- */

struct sharing {
	struct ranks *ranks;
	struct play *play;
	const struct launch *launch;
	u64 clusters;
	struct arena arena;          /* of this launch */
	struct part_result *results; /* by rank */
	struct parcel *replies;      /* by rank: what the results' bytes lie in */
	const u8 **counts;           /* by rank: packed accounting */
	struct fault fault;          /* of rank 0 */
	char *message;
	size_t message_size;
	struct merge *merge;
	struct ranks_record record;
};

/* Rank 0's blocks, watched by an observer that notes the bytes they touch. */
static void run_own_part(struct sharing *x)
{
	enum { OBSERVERS = 8 };
	struct ranks *r = x->ranks;
	struct observer *observers[OBSERVERS] = {touched_observer(r->touched)};
	struct launch own = *x->launch;
	struct part_result *result = &x->results[0];

	for (u32 k = 0; own.observers && own.observers[k] && k + 2 < OBSERVERS; k++)
		observers[k + 1] = own.observers[k];
	own.observers = observers;
	own.first_cluster = 0;
	own.end_cluster = rank_first(x->clusters, 1, r->transport->count);
	own.jobs = rank_jobs(r->transport, r->options.jobs ? r->options.jobs : own.jobs);
	if (!touched_begin(r->touched, own.memory))
		rank_fails(r->transport, "no memory left");
	const double before = rank_processor_seconds();
	result->status = launch_run(&own, &result->stats, &x->fault, x->message, x->message_size);
	x->record.processor_seconds = rank_processor_seconds() - before;
	result->fault_kind = x->fault.kind;
	result->is_whole = touched_is_whole(r->touched);
	x->record.own_seconds = result->stats.seconds;
}

static void mark_dirty(void *context, u64 base, u64 page) { shared_pages_dirty(context, base, page); }

/* The other ranks' results, and who has read what of the pages that any has written. */
static void gather(struct sharing *x)
{
	const struct transport *t = x->ranks->transport;
	struct parcel question = {.transport = t};

	x->merge = merge_new(&x->arena, x->ranks->touched, x->launch->kernel->order.reductions);
	for (u32 r = 1; r < t->count; r++) {
		struct parcel *w = &x->replies[r];
		parcel_receive(w, r);
		x->record.received_bytes += w->count;
		memcpy(&x->results[r], parcel_take(w, sizeof x->results[r]), sizeof x->results[r]);
		const u64 bytes = parcel_take_number(w);
		x->counts[r] = bytes ? parcel_take(w, bytes) : NULL;
		merge_take_written(x->merge, w, r);
		x->record.slowest_seconds = greater(x->results[r].seconds, x->record.slowest_seconds);
		x->record.processor_seconds = greater(x->results[r].processor_seconds, x->record.processor_seconds);
	}
	merge_put_question(x->merge, &question);
	parcel_broadcast(&question);
	x->record.sent_bytes += question.count;
	for (u32 r = 1; r < t->count; r++) {
		struct parcel answer = {.transport = t};
		parcel_receive(&answer, r);
		x->record.received_bytes += answer.count;
		merge_take_answer(x->merge, &answer, r);
		x->replies[t->count + r] = answer;
	}
	parcel_free(&question);
	merge_written(x->merge, mark_dirty, &x->ranks->pages);
}

static void add_stats(struct launch_stats *to, const struct launch_stats *from)
{
	to->blocks += from->blocks;
	to->warps += from->warps;
	to->warp_instructions += from->warp_instructions;
	to->thread_instructions += from->thread_instructions;
	to->branches += from->branches;
	to->divergent_branches += from->divergent_branches;
	to->jobs += from->jobs;
}

/* The first rank whose blocks failed; the number of ranks if none did. */
static u32 first_failing(const struct sharing *x)
{
	const u32 count = x->ranks->transport->count;
	u32 r = 0;

	while (r < count && x->results[r].status == LAUNCH_OK)
		r++;
	return r;
}

/* Counts of the ranks from 1 on, up to but without `end`. */
static void add_counts(struct sharing *x, u32 end, struct launch_stats *stats)
{
	*stats = x->results[0].stats;
	for (u32 r = 1; r < end; r++) {
		add_stats(stats, &x->results[r].stats);
		if (x->counts[r])
			accounting_absorb(x->play->accounting, x->counts[r]);
	}
}

/* The blocks from those of rank `failing` on, on the memory that all before have made: it fails there as one machine
 * does, and tells it in full. */
static enum launch_status run_rest(struct sharing *x, u32 failing, struct launch_stats *stats, struct fault *fault)
{
	struct launch_stats more;
	struct launch rest = *x->launch;

	rest.first_cluster = rank_first(x->clusters, failing, x->ranks->transport->count);
	const enum launch_status status = run_alone(x->ranks, &rest, &more, fault, x->message, x->message_size);
	add_stats(stats, &more);
	return status;
}

/* All of it again, from the memory that it began with. */
static enum launch_status run_again(struct sharing *x, const char *why, struct launch_stats *stats, struct fault *fault)
{
	x->record.why = arena_copy_text(&x->ranks->arena, why, strlen(why));
	say_alone(x->ranks, x->launch->kernel, why);
	touched_undo(x->ranks->touched);
	if (x->play->accounting)
		accounting_begin(x->play->accounting);
	return run_alone(x->ranks, x->launch, stats, fault, x->message, x->message_size);
}

/* Blocks of a cluster that lie in different rows have numbers far apart: which failed first is not known by ranks. */
static bool has_clusters(const struct launch *l)
{
	const struct ir_limits *limits = &l->kernel->function->limits;

	return l->cluster[0] > 0 || limits->required_cluster[0] > 0;
}

/* What the launch has come to, once all parts are known. */
static enum launch_status conclude(struct sharing *x, struct launch_stats *stats, struct fault *fault)
{
	const u32 count = x->ranks->transport->count, failing = first_failing(x);
	const u32 last = failing < count ? failing : count - 1;
	char why[256];

	for (u32 r = 0; r < count; r++)
		if (!x->results[r].is_whole || x->results[r].status == LAUNCH_NO_MEMORY)
			rank_fails(x->ranks->transport, "no memory left on rank %u", r);
	if (x->results[0].status == LAUNCH_BAD_CONFIG || x->results[0].status == LAUNCH_INTERRUPTED) {
		*stats = x->results[0].stats;
		return (enum launch_status)x->results[0].status;
	}
	if (!merge_check(x->merge, last, why, sizeof why))
		return run_again(x, why, stats, fault);
	if (failing < count && has_clusters(x->launch))
		return run_again(x, "a block of its clusters fails", stats, fault);
	if (failing == 0) {
		*stats = x->results[0].stats;
		*fault = x->fault;
		return LAUNCH_FAULT;
	}
	merge_apply(x->merge, failing < count ? failing - 1 : last);
	add_counts(x, failing, stats);
	return failing < count ? run_rest(x, failing, stats, fault) : LAUNCH_OK;
}

static void sharing_free(struct sharing *x)
{
	for (u32 k = 0; k < 2 * x->ranks->transport->count; k++)
		parcel_free(&x->replies[k]);
	arena_free(&x->arena);
}

/* Times are kept for ranks_report. */
static enum launch_status share(struct sharing *x, struct launch_stats *stats, struct fault *fault)
{
	const struct transport *t = x->ranks->transport;
	struct ranks_record *record = &x->record;
	const double start = seconds_now();
	struct parcel order = {.transport = t};

	arena_init(&x->arena, x->ranks->arena.out_of_memory);
	x->results = ARENA_ARRAY(&x->arena, t->count, struct part_result);
	x->counts = ARENA_ARRAY(&x->arena, t->count, const u8 *);
	/* Results, and behind them answers. */
	x->replies = ARENA_ARRAY(&x->arena, 2ull * t->count, struct parcel);
	for (u32 k = 0; k < 2 * t->count; k++)
		x->replies[k].transport = t;
	order_put_launch(&order, x->launch, x->clusters, x->play);
	parcel_broadcast(&order);
	record->sent_bytes = order.count + pages_share(&x->ranks->pages, x->launch->memory, t);
	parcel_free(&order);
	const double shared = seconds_now();
	run_own_part(x);
	const double ran = seconds_now();
	gather(x);
	const double gathered = seconds_now();
	const enum launch_status status = conclude(x, stats, fault);
	const double end = seconds_now();
	record->share_seconds = shared - start;
	record->wait_seconds = gathered - ran;
	record->merge_seconds = end - gathered;
	stats->seconds = record->seconds = end - start;
	sharing_free(x);
	return status;
}

/* In place of launch_run, for play_run. */
enum launch_status ranks_launch(void *ranks, struct play *p, const struct launch *l, struct launch_stats *stats,
				struct fault *fault, char *message, size_t message_size)
{
	struct ranks *r = ranks;
	const u64 clusters = r->transport->count > 1 ? launch_clusters(l) : 0;
	const char *why = clusters > 1 ? why_alone(r, p, l) : NULL;
	struct sharing x = {.ranks = r,
			    .play = p,
			    .launch = l,
			    .clusters = clusters,
			    .message = message,
			    .message_size = message_size,
			    .record = {.kernel = l->kernel->name, .clusters = clusters, .why = why}};
	enum launch_status status;

	memset(fault, 0, sizeof *fault);
	if (why)
		say_alone(r, l->kernel, why);
	if (why || clusters < 2) {
		const double before = rank_processor_seconds();
		status = run_alone(r, l, stats, fault, message, message_size);
		x.record.processor_seconds = rank_processor_seconds() - before;
		x.record.seconds = x.record.own_seconds = stats->seconds;
	} else {
		status = share(&x, stats, fault);
	}
	VEC_PUSH(&r->arena, &r->records, x.record);
	return status;
}

void ranks_report(const struct ranks *r, FILE *to)
{
	for (size_t k = 0; k < r->records.count; k++) {
		const struct ranks_record *x = &r->records.items[k];
		const char *name = demangle_short((struct arena *)&r->arena, x->kernel);
		if (x->why || x->clusters < 2) {
			fprintf(to, "%s: on 1 of %u ranks, %.3f s (%.3f s of processor time)\n", name,
				r->transport->count, x->seconds, x->processor_seconds);
			continue;
		}
		fprintf(to,
			"%s: on %u ranks, %.3f s: sent %llu bytes in %.3f s, ran %.3f s (slowest other %.3f s; at "
			"most %.3f s of processor time), waited %.3f s, merged %llu bytes in %.3f s\n",
			name, r->transport->count, x->seconds, (unsigned long long)x->sent_bytes, x->share_seconds,
			x->own_seconds, x->slowest_seconds, x->processor_seconds, x->wait_seconds,
			(unsigned long long)x->received_bytes, x->merge_seconds);
	}
}
