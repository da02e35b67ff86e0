/* SPDX-License-Identifier: Apache-2.0 */
#include "exec/in_order.h"

#include <sched.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "decode/pointer_use.h"
#include "exec/blocks.h"
#include "exec/gang.h"
#include "exec/internal.h"

/* Sets of pointers are bits, as in struct pointer_use. */
enum { POINTERS = POINTERS_MOST + 1, SET_BITS = 16, CLUSTERS_BITS = 64 - SET_BITS - 1 };

/* Where a worker is, for all of them to read; each in a cache line of its own. */
struct standing {
	u64 at;             /* its cluster << SET_BITS | what that has ahead; atomic. All ones: none */
	bool knows;         /* that the order has been given up; atomic */
	u8 idle;            /* the worker's own: how often in a row it has found that workers do little; */
	u16 granted;        /* pointers for whose memory it need not ask again; */
	u16 taken;          /* clusters; */
	double since, used; /* seconds: the last time that it looked, and the processor time then; */
	double waited;      /* how long it has waited since */
	u8 apart[128 - sizeof(u64) - 3 * sizeof(double) - 8];
};

struct in_order {
	const struct code *code;
	const struct pointer_use *use;
	u16 ordered;         /* pointers to memory that is accessed in order */
	u16 meets[POINTERS]; /* by pointer: those to the same memory, itself too */
	bool given_up;       /* atomic */
	u32 count;
	struct standing *standings; /* by worker */
	pthread_mutex_t lock;       /* for those that sleep */
	pthread_cond_t moved;
	u32 sleepers; /* atomic, */
	u32 working;  /* and so are the workers that have begun and not left */
	struct observer observer;
};

/* --- Which pointers meet ---------------------------------------------------------------------- */

static u64 pointer_value(const struct grid *grid, const struct pointer_use *u, u32 pointer)
{
	const u64 at = u->pointers[pointer].at;
	const u32 bytes = grid->program->address_bits / 8;
	u64 value = 0;

	if (u->pointers[pointer].is_variable)
		return at;
	if (at <= grid->kernel->param_bytes && grid->kernel->param_bytes - at >= bytes)
		memcpy(&value, grid->launch->params + at, bytes);
	return value;
}

/* Pointers into one allocation meet, and those into none that is known by itself meet all. */
static void find_meetings(struct in_order *o, const struct grid *grid)
{
	u64 base[POINTERS] = {0};
	const u16 accessed = o->use->ahead[0];
	u16 open = accessed & (1u << POINTER_ANY);
	struct allocation a;

	for (u32 k = 0; k < o->use->count; k++) {
		if (memory_look(grid->memory, pointer_value(grid, o->use, k), 1, &a) && !(a.flags & ALLOCATION_PIECE))
			base[k] = a.base;
		else
			open |= accessed & (u16)(1u << k);
	}
	for (u32 k = 0; k < POINTERS; k++) {
		o->meets[k] = open;
		for (u32 n = 0; n < o->use->count; n++)
			if (open >> k & 1 || (base[k] && base[n] == base[k]))
				o->meets[k] |= (u16)(1u << n);
	}
}

/* All pointers that meet one of the set. */
static u16 met_by(const struct in_order *o, u16 set)
{
	u16 met = 0;

	for (u32 k = 0; k < POINTERS; k++)
		if (set >> k & 1)
			met |= o->meets[k];
	return met;
}

/* --- Whether it pays -------------------------------------------------------------------------- */

/* Instructions between the first access in order and the last one run in one block at a time. Loops among them may be such
 * as wait, and go around once; of others nobody knows how often. */
static bool is_side_by_side(const struct in_order *o)
{
	enum { ROUNDS = 32 };
	const struct pointer_use *u = o->use;
	u64 alone = 0, free = 0;

	for (u32 k = 0; k < u->body_count; k++) {
		const u16 own = u->of[k] == POINTER_NONE ? 0 : (u16)(1u << u->of[k]);
		const u16 begun = met_by(o, (u16)((u->before[k] | own) & o->ordered));
		if (begun & u->ahead[k])
			alone++;
		else
			free += u->loops[k] ? ROUNDS : 1;
	}
	return alone < 2 * free;
}

/* Instructions that a launch runs at least, by its text. */
enum { WORK_LEAST = 1 << 16 };

bool in_order_may_pay(const struct grid *grid)
{
	const struct launch *l = grid->launch;
	const struct pointer_use *u = grid->kernel->code->pointers;

	if (!u || (l->observers && l->observers[0]) || grid->async != ASYNC_EAGER || l->cooperative ||
	    l->instruction_limit || l->schedule.mode || grid->blocks_per_cluster > 1 ||
	    grid->end_cluster >> CLUSTERS_BITS)
		return false;
	const u64 blocks = grid->end_cluster - grid->first_cluster;
	return !HELPERS_PAY_NS ||
	       blocks * grid->warps_per_block * u->body_count * (u->has_loops ? 32 : 1) >= WORK_LEAST;
}

/* --- Waiting ------------------------------------------------------------------------------------ */

/* No earlier cluster has anything of the set ahead. */
static bool is_past(const struct in_order *o, u64 cluster, u16 set)
{
	for (u32 n = 0; n < o->count; n++) {
		const u64 at = __atomic_load_n(&o->standings[n].at, __ATOMIC_SEQ_CST);
		if (at >> SET_BITS < cluster && at & set)
			return false;
	}
	return true;
}

static bool is_stopped(const struct grid *grid)
{
	const volatile bool *stop = grid->launch->stop;

	return stop && __atomic_load_n(stop, __ATOMIC_RELAXED);
}

static void pause_briefly(void)
{
#if defined __x86_64__
	__builtin_ia32_pause(); /* another thread may share the processor's core */
#endif
}

/* After what others wait for has been written, as one sequence with how many they are. */
static void wake_sleepers(struct in_order *o)
{
	if (!__atomic_load_n(&o->sleepers, __ATOMIC_SEQ_CST))
		return;
	pthread_mutex_lock(&o->lock);
	pthread_cond_broadcast(&o->moved);
	pthread_mutex_unlock(&o->lock);
}

/* The order has been given up: from now on the worker's atomic operations may meet those of others. */
static void learn(struct in_order *o, struct worker *k)
{
	if (o->standings[k->number].knows)
		return;
	k->exclusive = false;
	__atomic_store_n(&o->standings[k->number].knows, true, __ATOMIC_SEQ_CST);
	wake_sleepers(o);
}

/* Of the workers that have begun and not left. */
static bool all_know(const struct in_order *o)
{
	for (u32 n = 0; n < o->count; n++)
		if (__atomic_load_n(&o->standings[n].at, __ATOMIC_SEQ_CST) != UINT64_MAX &&
		    !__atomic_load_n(&o->standings[n].knows, __ATOMIC_SEQ_CST))
			return false;
	return true;
}

/* Whether there is nothing to wait for, as long as the order is kept or not. */
static bool may_go(const struct in_order *o, bool kept, u64 cluster, u16 set)
{
	return kept ? is_past(o, cluster, set) : all_know(o);
}

/* Until somebody has come on; from time to time to see whether the launch is stopped. */
static void sleep_a_little(struct in_order *o, bool kept, u64 cluster, u16 set)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += 10000000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_mutex_lock(&o->lock);
	__atomic_add_fetch(&o->sleepers, 1, __ATOMIC_SEQ_CST);
	if (!may_go(o, kept, cluster, set) && in_order_is_kept(o) == kept)
		pthread_cond_timedwait(&o->moved, &o->lock, &until);
	__atomic_sub_fetch(&o->sleepers, 1, __ATOMIC_SEQ_CST);
	pthread_mutex_unlock(&o->lock);
}

/* Most waits are short, if all workers have processors. When the launch is stopped they leave, in whatever order. */
static void wait_for_others(struct in_order *o, struct worker *k, u64 cluster, u16 set)
{
	enum { BRIEFLY = 2000 };
	const double began = seconds_now();

	for (u32 n = 0; !is_stopped(k->grid); n++) {
		const bool kept = in_order_is_kept(o);
		if (!kept)
			learn(o, k);
		if (may_go(o, kept, cluster, set))
			break;
		if (n < BRIEFLY)
			pause_briefly();
		else
			sleep_a_little(o, kept, cluster, set);
	}
	o->standings[k->number].waited += seconds_now() - began;
}

static void before(void *context, struct warp *w, const struct insn *i, u8 *rows, u32 mask)
{
	struct in_order *o = context;
	struct standing *p = &o->standings[w->worker->number];
	const u32 insn = (u32)(i - w->grid->insns[o->code->index]);
	const u32 pointer = o->use->of[o->code->origin[insn]];

	(void)rows, (void)mask;
	if (p->granted >> pointer & 1 && (in_order_is_kept(o) || p->knows))
		return;
	if (!in_order_is_kept(o) || !is_past(o, p->at >> SET_BITS, o->meets[pointer]))
		wait_for_others(o, w->worker, p->at >> SET_BITS, o->meets[pointer]);
	p->granted |= (u16)(1u << pointer);
}

static void gang_before(void *context, const struct gang *g, const struct insn *i)
{
	gang_before_each(g, i, before, context);
}

static bool natively(void *context, const struct block *b)
{
	(void)context, (void)b;
	return true;
}

/* Of the instructions that a statement became the last one accesses memory. */
static bool wants(void *context, const struct code *code, u32 insn)
{
	const struct in_order *o = context;
	const u32 at = code->origin[insn];

	if (code != o->code || at == NO_OPERAND || o->use->of[at] == POINTER_NONE)
		return false;
	const bool accesses = insn + 1 == code->insn_count || code->origin[insn + 1] != at;
	return accesses && o->ordered >> o->use->of[at] & 1;
}

/* --- A launch ------------------------------------------------------------------------------------ */

void in_order_begin(struct grid *grid, struct arena *arena)
{
	struct in_order *o = ARENA_NEW(arena, struct in_order);

	o->code = grid->kernel->code;
	o->use = o->code->pointers;
	find_meetings(o, grid);
	o->ordered = met_by(o, o->use->ordered);
	if (!is_side_by_side(o)) {
		grid->worker_limit = 1;
		return;
	}
	o->count = grid->worker_limit;
	o->standings = ARENA_ARRAY(arena, o->count, struct standing);
	for (u32 k = 0; k < o->count; k++)
		o->standings[k].at = UINT64_MAX;
	o->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	o->moved = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
	o->observer = (struct observer){
		.context = o, .wants = wants, .before = before, .gang_before = gang_before, .natively = natively};
	grid->in_order = o;
}

void in_order_end(struct in_order *o)
{
	if (!o)
		return;
	pthread_mutex_destroy(&o->lock);
	pthread_cond_destroy(&o->moved);
}

struct observer *in_order_observer(struct in_order *o) { return &o->observer; }

bool in_order_is_kept(const struct in_order *o) { return !__atomic_load_n(&o->given_up, __ATOMIC_SEQ_CST); }

static void stand_at(struct in_order *o, const struct worker *k, u64 at)
{
	__atomic_store_n(&o->standings[k->number].at, at, __ATOMIC_SEQ_CST);
	wake_sleepers(o);
}

static double processor_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Others see where it stands before it asks whether the order is kept, so they wait for it to know if it is not. */
static void begin(struct in_order *o, struct worker *k)
{
	k->exclusive = in_order_is_kept(o) && !k->grid->launch->shared_memory;
	o->standings[k->number].since = seconds_now();
	o->standings[k->number].used = processor_time();
	__atomic_add_fetch(&o->working, 1, __ATOMIC_RELAXED);
}

void in_order_take(struct worker *k, u64 cluster)
{
	struct in_order *o = k->grid->in_order;
	struct standing *p = &o->standings[k->number];
	const bool begins = p->at == UINT64_MAX;

	p->granted = 0;
	stand_at(o, k, cluster << SET_BITS | o->ordered);
	if (begins)
		begin(o, k);
	if (!in_order_is_kept(o))
		learn(o, k);
}

/* Of so many workers each waits for so much of its time, or for a processor, that all together do little more than one. What they
 * lose by fetching each other's memory is not counted. */
static bool do_little(const struct standing *p, u32 workers, double now, double used)
{
	const double passed = now - p->since, worked = passed - p->waited;

	return (worked < used - p->used ? worked : used - p->used) * workers < 1.3 * passed;
}

/* Threads that have just begun find nothing in their caches, and others wait for them meanwhile. */
static const double LOOK_AFTER_SECONDS = 400e-6;

bool in_order_gives_way(struct worker *k)
{
	enum { LOOK_AFTER = 16, IDLE_MOST = 2 };
	struct in_order *o = k->grid->in_order;
	struct standing *p = &o->standings[k->number];
	u32 working = __atomic_load_n(&o->working, __ATOMIC_RELAXED);

	if (++p->taken % LOOK_AFTER || working <= 1 || !in_order_is_kept(o))
		return false;
	const double now = seconds_now();
	if (now - p->since < LOOK_AFTER_SECONDS)
		return false;
	const double used = processor_time();
	p->idle = do_little(p, working, now, used) ? p->idle + 1 : 0;
	p->since = now;
	p->used = used;
	p->waited = 0;
	return p->idle == IDLE_MOST && __atomic_compare_exchange_n(&o->working, &working, working - 1, false,
								   __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

u16 in_order_ahead(const struct in_order *o, u32 insn)
{
	const u32 at = o->code->origin[insn];

	return at == NO_OPERAND ? o->ordered : o->use->ahead[at] & o->ordered;
}

void in_order_pass(struct block *b, u16 ahead)
{
	struct in_order *o = b->grid->in_order;
	const u64 at = o->standings[b->worker->number].at;

	if (!in_order_is_kept(o))
		learn(o, b->worker);
	if ((u16)at != ahead)
		stand_at(o, b->worker, at >> SET_BITS << SET_BITS | ahead);
}

void in_order_leave(struct worker *k)
{
	if (k->grid->in_order)
		stand_at(k->grid->in_order, k, UINT64_MAX);
}

bool in_order_holds(struct worker *k)
{
	struct grid *grid = k->grid;
	struct in_order *o = grid->in_order;

	if (!o)
		return false;
	if (!in_order_is_kept(o)) {
		learn(o, k);
		return false;
	}
	if (!is_past(o, o->standings[k->number].at >> SET_BITS, UINT16_MAX)) {
		sched_yield();
		return true;
	}
	__atomic_store_n(&o->given_up, true, __ATOMIC_SEQ_CST);
	learn(o, k);
	if (grid->worker_count == 1)
		grid->worker_limit = 1; /* from now on as if it had been so from the start */
	return false;
}
