/* SPDX-License-Identifier: Apache-2.0
 *
 * Deadlocks. A cluster that waits for what none of its warps can do is one at once. Where clusters spin, a worker that
 * has gone round STUCK_PASSES times without a change stands still; if it is alone, that is a deadlock. Of several
 * workers each may wait for another one that moves, but has no processor just now. So they must agree: whenever one of
 * them begins to stand still, moves on or ends, all of them start to count passes anew, and only when all have counted
 * enough since nobody moved can nothing that any of them sees change any more.
 */
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "arch/arch.h"
#include "base/clock.h"
#include "exec/fault_report.h"
#include "exec/in_order.h"
#include "exec/internal.h"
#include "exec/spin.h"

enum { STUCK_PASSES = 64 };

/* --- Agreeing ------------------------------------------------------------------------------- */

/* With the grid's lock: what workers have agreed on so far may be void. */
static void note_move(struct grid *grid)
{
	grid->moves++;
	grid->still_workers = 0;
	grid->still_since = 0;
}

/* A worker that has no others needs no lock: a tiny launch would feel it. */
static void count_busy(struct grid *grid, s32 more)
{
	const bool others = grid->worker_limit > 1;

	if (others)
		pthread_mutex_lock(&grid->lock);
	grid->busy_workers += (u32)more;
	note_move(grid);
	if (others)
		pthread_mutex_unlock(&grid->lock);
}

void worker_begins(struct grid *grid) { count_busy(grid, 1); }

void worker_ends(struct worker *k)
{
	in_order_leave(k);
	count_busy(k->grid, -1);
}

void worker_moved(struct worker *k)
{
	struct grid *grid = k->grid;

	if (k->still.passes >= STUCK_PASSES) {
		pthread_mutex_lock(&grid->lock);
		note_move(grid);
		pthread_mutex_unlock(&grid->lock);
	}
	k->still.passes = 0;
}

/* Do lanes of the warp look at what only kernels and copies write? */
static bool looks_at_device(struct warp *w, const struct split *s)
{
	struct fault f = {.lanes = s->mask, .lane = (u32)__builtin_ctz(s->mask)};
	struct allocation a;

	spin_explain(w, s, &f);
	if (!f.size)
		return false;
	if (f.space == SPACE_GENERIC)
		f.space = (int)generic_space(w, &f.address);
	return f.space != SPACE_GLOBAL ||
	       (memory_look(w->grid->memory, f.address, f.size, &a) && !(a.flags & ALLOCATION_HOST));
}

/* With the lock, where others may write to memory: they have had the time to, or could not at all. */
static bool nobody_comes(const struct worker *k)
{
	struct grid *grid = k->grid;
	const double now = seconds_now();

	if (!grid->launch->patience_seconds)
		return false;
	if (grid->still_since == 0)
		grid->still_since = now;
	if (now - grid->still_since < grid->launch->patience_seconds)
		return false;
	grid->still_since = 0;
	for (const struct cluster *c = k->active; c; c = c->next)
		for (u32 r = 0; r < c->count; r++)
			for (u32 n = 0; n < c->blocks[r]->warp_count; n++)
				for (const struct split *s = c->blocks[r]->warps[n].ready_head; s; s = s->next)
					if (s->mask && !looks_at_device(&c->blocks[r]->warps[n], s))
						return false;
	return true;
}

/* With the lock: has every worker counted enough?
 * Each worker that begins to stand still voids the count; all then count from the same `moves`. A second STUCK_PASSES
 * give every worker the time to have looked at memory after the last move of any other. */
static bool all_agree(struct worker *k)
{
	struct grid *grid = k->grid;
	struct standstill *s = &k->still;
	const bool begins = s->passes == STUCK_PASSES;

	if (begins)
		note_move(grid);
	if (begins || s->seen != grid->moves) {
		s->seen = grid->moves;
		s->agreed = grid->worker_limit == 1;
		s->passes = STUCK_PASSES + 1;
		grid->still_workers += s->agreed;
	} else if (!s->agreed && s->passes >= 2 * STUCK_PASSES) {
		s->agreed = true;
		grid->still_workers++;
	}
	/* What somebody else may write while the launch runs ends no wait that could be told at once. */
	return grid->still_workers == grid->busy_workers && (!grid->launch->shared_memory || nobody_comes(k));
}

/* The blocks that hang after a fault of another one have no deadlock of their own. */
static enum standstill_verdict verdict(struct worker *k)
{
	struct grid *grid = k->grid;

	pthread_mutex_lock(&grid->lock);
	if (grid->verdict == STANDSTILL_NONE && all_agree(k))
		grid->verdict = grid->faulted ? STANDSTILL_AFTER_FAULT : STANDSTILL_DEADLOCK;
	const enum standstill_verdict v = grid->verdict;
	pthread_mutex_unlock(&grid->lock);
	return v;
}

/* For whoever may have no processor meanwhile. */
static void wait_a_little(const struct grid *grid)
{
	if (grid->launch->shared_memory)
		nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
	else if (grid->worker_limit > 1)
		sched_yield();
}

bool worker_goes_on(struct worker *k)
{
	if (++k->still.passes < STUCK_PASSES)
		return true;
	switch (verdict(k)) {
	case STANDSTILL_NONE:
		wait_a_little(k->grid);
		return true;
	case STANDSTILL_DEADLOCK:
		tell_deadlock(k->active);
		return false;
	default:
		return false;
	}
}

/* --- Telling -------------------------------------------------------------------------------- */

/* A message under construction; what does not fit is cut off at the end. */
struct words {
	char text[700];
	size_t length;
};

static void __attribute__((format(printf, 2, 3))) say(struct words *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	const int n = vsnprintf(t->text + t->length, sizeof t->text - t->length, format, args);
	va_end(args);
	if (n > 0)
		t->length = min_u64(t->length + (u64)n, sizeof t->text - 1);
}

static void say_block(struct words *t, const struct grid *grid, u64 block)
{
	say(t, "(%llu,%llu,%llu)", (unsigned long long)(block % grid->size[0]),
	    (unsigned long long)(block / grid->size[0] % grid->size[1]),
	    (unsigned long long)(block / grid->size[0] / grid->size[1]));
}

/* The resident block with the lowest index above `after` - 1; UINT64_MAX: there is none.
 * Reads other workers' lists without a lock: called when all of them stand still. */
static u64 next_resident(const struct grid *grid, u64 after)
{
	const u32 workers = __atomic_load_n(&grid->worker_count, __ATOMIC_ACQUIRE);
	u64 best = UINT64_MAX;

	for (u32 k = 0; k < workers; k++)
		for (const struct cluster *c = grid->workers[k].active; c; c = c->next)
			for (u32 r = 0; r < c->count; r++)
				if (c->blocks[r]->index >= after && c->blocks[r]->index < best)
					best = c->blocks[r]->index;
	return best;
}

/* "(0,0,0) to (3,0,0), (7,0,0)"; a few ranges, then how many more there are. */
static void say_resident(struct words *t, const struct grid *grid)
{
	enum { RANGES = 3 };
	u32 ranges = 0, more = 0;

	for (u64 at = next_resident(grid, 0); at != UINT64_MAX;) {
		const u64 first = at;
		u64 last = at;
		while ((at = next_resident(grid, last + 1)) == last + 1)
			last = at;
		if (++ranges > RANGES) {
			more += (u32)(last - first + 1);
			continue;
		}
		say(t, ranges > 1 ? ", " : "");
		say_block(t, grid, first);
		if (last != first) {
			say(t, " to ");
			say_block(t, grid, last);
		}
	}
	if (more)
		say(t, " and %u more", more);
}

/* A block that has not started, and could do what the resident ones wait for: the first of the first such cluster. */
static bool find_unstarted(const struct worker *k, u64 *block)
{
	const struct grid *grid = k->grid;
	const u64 next =
		k->run_next < k->run_end ? k->run_next : __atomic_load_n(&grid->next_cluster, __ATOMIC_RELAXED);
	u64 index = next, at[3];

	if (next >= grid->end_cluster)
		return false;
	for (int d = 0; d < 3; d++) {
		at[d] = index % grid->clusters[d] * grid->cluster_shape[d];
		index /= grid->clusters[d];
	}
	*block = at[0] + grid->size[0] * (at[1] + grid->size[1] * at[2]);
	return true;
}

/* Blocks that have ended come to no barrier of the grid any more. All have started. */
static void say_ended(struct words *t, const struct grid *grid)
{
	u64 ended = 0, first = 0;

	if (grid->first_cluster || grid->end_cluster != grid->cluster_count)
		return;
	for (u64 at = 0, next; at < grid->block_count; at = next + 1) {
		next = min_u64(next_resident(grid, at), grid->block_count);
		if (next > at && !ended)
			first = at;
		ended += next - at;
	}
	if (!ended)
		return;
	if (ended == 1)
		say(t, "; one has ended: block ");
	else
		say(t, "; %llu have ended, the first is block ", (unsigned long long)ended);
	say_block(t, grid, first);
}

/* Which blocks wait, if there are several, and which one cannot start for them, or has ended. */
static void say_blocks(struct words *t, const struct worker *k)
{
	const struct grid *grid = k->grid;
	u64 unstarted;

	if (grid->block_count == 1)
		return;
	say(t, "; waiting blocks: ");
	say_resident(t, grid);
	if (!find_unstarted(k, &unstarted)) {
		say_ended(t, grid);
		return;
	}
	say(t, "; block ");
	say_block(t, grid, unstarted);
	say(t, " cannot become resident before one of them ends: %s holds %llu blocks of %u threads",
	    grid->arch_row->name, (unsigned long long)(grid->resident_limit * grid->blocks_per_cluster),
	    grid->block_threads);
	if (grid->shared_bytes)
		say(t, " and %llu bytes of shared memory", (unsigned long long)grid->shared_bytes);
}

/* --- Who else waits ---------------------------------------------------------------------------- */

/* The index of the instruction at which a split waits: barriers park their lanes behind themselves. */
static u32 insn_of(const struct warp *w, const struct split *s)
{
	const bool is_behind =
		s->state == SPLIT_AT_BARRIER || s->state == SPLIT_AT_CLUSTER || s->state == SPLIT_AT_CONVERGENCE;

	return (u32)(s->pc - grid_entry(w->grid, s->frame->code)) - is_behind;
}

static void say_place(struct words *t, const struct warp *w, const struct split *s)
{
	char text[FAULT_PLACE_TEXT];
	struct fault_place p;

	fault_find_place(s->frame->code, insn_of(w, s), &p);
	fault_place_text(&p, text);
	say(t, "%s", text);
}

static const char *state_text(const struct split *s)
{
	switch (s->state) {
	case SPLIT_AT_BARRIER:
		return "wait at a barrier of the block";
	case SPLIT_AT_WARP_SYNC:
		return "wait for lanes of their mask";
	case SPLIT_AT_CONVERGENCE:
		return "wait at a convergence barrier";
	case SPLIT_AT_CLUSTER:
		return "wait at the cluster barrier";
	default:
		return "spin";
	}
}

/* Calls on each split of the cluster that has lanes; true: it has said that this is enough. */
typedef bool visit_fn(void *context, struct warp *w, const struct split *s);

static bool visit_warp(struct warp *w, visit_fn *visit, void *context)
{
	const struct split *lists[] = {w->ready_head, w->waiting};

	for (u32 k = 0; w->live && k < COUNT_OF(lists); k++)
		for (const struct split *s = lists[k]; s; s = s->next)
			if (s->mask && visit(context, w, s))
				return true;
	return false;
}

static bool visit_cluster(const struct cluster *c, visit_fn *visit, void *context)
{
	for (u32 r = 0; r < c->count; r++)
		for (u32 n = 0; n < c->blocks[r]->warp_count; n++)
			if (visit_warp(&c->blocks[r]->warps[n], visit, context))
				return true;
	return false;
}

/* Others stand where somebody has been named already, are counted, or are the first at their place. */
struct others {
	struct words *text;
	const struct split *told;
	const struct split *first; /* at the place that is counted now */
	const struct warp *first_warp;
	u32 lanes, warps;
	u32 done; /* places */
	struct {
		const struct code *code;
		u32 insn;
		enum split_state state;
	} places[8];
};

static bool is_at(const struct others *o, const struct warp *w, const struct split *s, u32 k)
{
	return o->places[k].code == s->frame->code && o->places[k].insn == insn_of(w, s) &&
	       o->places[k].state == s->state;
}

/* The first split at a place (code, instruction, kind of wait) that the message has not named yet. */
static bool find_new_place(void *context, struct warp *w, const struct split *s)
{
	struct others *o = context;

	for (u32 k = 0; k < o->done; k++)
		if (is_at(o, w, s, k))
			return false;
	o->first = s;
	o->first_warp = w;
	return true;
}

static bool count_there(void *context, struct warp *w, const struct split *s)
{
	struct others *o = context;

	if (is_at(o, w, s, o->done - 1)) {
		o->lanes += (u32)__builtin_popcount(s->mask);
		o->warps++;
	}
	return false;
}

static void note_place(struct others *o, const struct warp *w, const struct split *s)
{
	o->places[o->done].code = s->frame->code;
	o->places[o->done].insn = insn_of(w, s);
	o->places[o->done++].state = s->state;
}

/* "; 32 threads of block (1,0,0), from warp 2 on, wait at the cluster barrier, k.ptx:20 (k.cu:9)": for each place where
 * lanes of the cluster stand. */
static void say_others(struct words *t, const struct warp *w, const struct split *s)
{
	struct others o = {.text = t, .told = s};
	const struct cluster *c = w->block->cluster;

	note_place(&o, w, s);
	while (o.done < COUNT_OF(o.places) && visit_cluster(c, find_new_place, &o)) {
		note_place(&o, o.first_warp, o.first);
		o.lanes = o.warps = 0;
		visit_cluster(c, count_there, &o);
		if (o.warps == 1)
			say(t, "; lanes 0x%08x of warp %u", o.first->mask, o.first_warp->index);
		else
			say(t, "; %u threads, from warp %u on,", o.lanes, o.first_warp->index);
		if (c->count > 1) {
			say(t, " of block ");
			say_block(t, w->grid, o.first_warp->block->index);
		}
		say(t, " %s, ", state_text(o.first));
		say_place(t, o.first_warp, o.first);
	}
}

/* --- The one that is told ------------------------------------------------------------------------ */

/* Raises the deadlock of split s: its own sentence, then who else waits where, then what a spinning loop reads. */
static void __attribute__((format(printf, 3, 4))) tell(struct warp *w, const struct split *s, const char *format, ...)
{
	struct fault f = {.kind = FAULT_DEADLOCK, .lanes = s->mask, .lane = (u32)__builtin_ctz(s->mask)};
	struct words others = {.length = 0};
	va_list args;

	va_start(args, format);
	vsnprintf(f.detail, sizeof f.detail, format, args);
	va_end(args);
	say_others(&others, w, s);
	const size_t used = strlen(f.detail);
	snprintf(f.detail + used, sizeof f.detail - used, "%s", others.text);
	if (s->state == SPLIT_READY)
		spin_explain(w, s, &f);
	f.code = s->frame->code;
	f.insn = s->frame->code->insns + insn_of(w, s);
	warp_raise(w, s->pc, &f);
}

static void tell_spinning(struct warp *w, const struct split *s)
{
	const u32 others = w->live & ~s->mask;
	char asynchronous[ASYNC_WAIT_TEXT];
	struct words blocks = {.length = 0};

	async_tell_wait(w, asynchronous);
	say_blocks(&blocks, w->worker);
	if ((w->open_joins || w->stack_depth) && !w->grid->independent)
		tell(w, s,
		     "lanes 0x%08x spin for what lanes 0x%08x of the same warp would do, which wait for them "
		     "to reconverge: this target has no independent thread scheduling%s",
		     s->mask, others, asynchronous);
	else
		tell(w, s, "lanes 0x%08x spin and nothing that runs can change what they see (waiting: 0x%08x)%s%s",
		     s->mask, others, blocks.text, asynchronous);
}

/* Lanes of one mask wait for one another for ever at different operations, or for lanes that never come. */
static void tell_apart(struct warp *w, const struct split *s)
{
	struct words others = {.length = 0};

	for (const struct split *o = w->waiting; o; o = o->next) {
		if (o == s || o->state != SPLIT_AT_WARP_SYNC || o->member_mask != s->member_mask)
			continue;
		say(&others, "; lanes 0x%08x of them wait at another operation, ", o->mask);
		say_place(&others, w, o);
	}
	tell(w, s, "waits for lanes 0x%08x of its mask 0x%08x, which can never arrive%s",
	     s->member_mask & w->live & ~s->mask, s->member_mask, others.text);
}

/* Other lines of the kernel that arrive at a barrier: who could come. */
static void say_arrivals(struct words *t, const struct warp *w, const struct split *s)
{
	enum { MOST = 4 };
	const struct code *code = s->frame->code;
	char text[FAULT_PLACE_TEXT];
	struct fault_place p;
	u32 count = 0;

	for (u32 k = 0; k < code->insn_count && count < MOST; k++) {
		const u32 origin = code->origin[k];
		if (origin == NO_OPERAND || origin == code->origin[insn_of(w, s)] || !code->forms[origin].row ||
		    !(code->forms[origin].row->traits & TRAIT_BARRIER) ||
		    (k + 1 < code->insn_count && code->origin[k + 1] == origin))
			continue;
		fault_find_place(code, k, &p);
		fault_place_text(&p, text);
		say(t, "%s%s", count++ ? ", " : "; others could come at ", text);
	}
}

/* Who has come to the barrier last, perhaps without waiting, and who could still. */
static void tell_barrier(struct warp *w, const struct split *s)
{
	const struct barrier *barrier = &w->block->barriers[s->barrier];
	struct words arrivals = {.length = 0};
	char text[FAULT_PLACE_TEXT];
	struct fault_place p;

	say_arrivals(&arrivals, w, s);
	fault_find_place(barrier->last_code, barrier->last_insn, &p);
	fault_place_text(&p, text);
	tell(w, s,
	     "waits at barrier %u, where %u of %u threads have arrived and no other can; the last one was warp %u, at "
	     "%s%s",
	     s->barrier, barrier->arrived, barrier->expected ? barrier->expected : w->block->live_threads,
	     barrier->last_warp, text, arrivals.text);
}

static void tell_waiting(struct warp *w, const struct split *s)
{
	switch (s->state) {
	case SPLIT_AT_BARRIER:
		tell_barrier(w, s);
		break;
	case SPLIT_AT_WARP_SYNC:
		tell_apart(w, s);
		break;
	case SPLIT_AT_CONVERGENCE:
		tell(w, s, "waits at a convergence barrier for lanes that can never come to it");
		break;
	case SPLIT_AT_CLUSTER:
		tell(w, s, "waits at the cluster barrier, which no other thread can reach");
		break;
	default:
		tell_spinning(w, s);
	}
}

/* What spins says more than what waits at a barrier for it. */
static bool tell_first(struct cluster *c, bool spinning)
{
	for (u32 r = 0; r < c->count; r++)
		for (u32 n = 0; n < c->blocks[r]->warp_count; n++) {
			struct warp *w = &c->blocks[r]->warps[n];
			const struct split *s = spinning ? w->ready_head : w->waiting;
			if (!w->live || !s)
				continue;
			w->mask = s->mask;
			w->frame = s->frame;
			tell_waiting(w, s);
			return true;
		}
	return false;
}

void tell_deadlock(struct cluster *c)
{
	if (!tell_first(c, true))
		tell_first(c, false);
}
