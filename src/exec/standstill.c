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
#include "exec/fault_report.h"
#include "exec/internal.h"
#include "exec/spin.h"

enum { STUCK_PASSES = 64 };

/* --- Agreeing ------------------------------------------------------------------------------- */

/* With the grid's lock: what workers have agreed on so far may be void. */
static void note_move(struct grid *grid)
{
	grid->moves++;
	grid->still_workers = 0;
}

void worker_begins(struct grid *grid)
{
	pthread_mutex_lock(&grid->lock);
	grid->busy_workers++;
	note_move(grid);
	pthread_mutex_unlock(&grid->lock);
}

void worker_ends(struct worker *k)
{
	struct grid *grid = k->grid;

	pthread_mutex_lock(&grid->lock);
	grid->busy_workers--;
	note_move(grid);
	pthread_mutex_unlock(&grid->lock);
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

/* With the lock: has every worker counted enough? */
static bool all_agree(struct grid *grid, struct standstill *s)
{
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
	/* What somebody else may write while the launch runs ends no wait that could be told. */
	return grid->still_workers == grid->busy_workers && !grid->launch->shared_memory;
}

/* The blocks that hang after a fault of another one have no deadlock of their own. */
static enum standstill_verdict verdict(struct grid *grid, struct standstill *s)
{
	pthread_mutex_lock(&grid->lock);
	if (grid->verdict == STANDSTILL_NONE && all_agree(grid, s))
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
	switch (verdict(k->grid, &k->still)) {
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

struct words {
	char text[400];
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

/* The resident block with the lowest index above `after` - 1; UINT64_MAX: there is none. */
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

/* Which blocks wait, if there are several, and which one cannot start for them. */
static void say_blocks(struct words *t, const struct worker *k)
{
	const struct grid *grid = k->grid;
	u64 unstarted;

	if (grid->block_count == 1)
		return;
	say(t, "; waiting blocks: ");
	say_resident(t, grid);
	if (!find_unstarted(k, &unstarted))
		return;
	say(t, "; block ");
	say_block(t, grid, unstarted);
	say(t, " cannot become resident before one of them ends: %s holds %llu blocks of %u threads",
	    grid->arch_row->name, (unsigned long long)(grid->resident_limit * grid->blocks_per_cluster),
	    grid->block_threads);
	if (grid->shared_bytes)
		say(t, " and %llu bytes of shared memory", (unsigned long long)grid->shared_bytes);
}

static void tell_spinning(struct warp *w, const struct split *s)
{
	struct fault f = {.kind = FAULT_DEADLOCK, .lanes = s->mask, .lane = (u32)__builtin_ctz(s->mask)};
	const u32 others = w->live & ~s->mask;
	char asynchronous[400];
	struct words blocks = {.length = 0};

	async_tell_wait(w, asynchronous);
	say_blocks(&blocks, w->worker);
	if ((w->open_joins || w->stack_depth) && !w->grid->independent)
		snprintf(f.detail, sizeof f.detail,
			 "lanes 0x%08x spin for what lanes 0x%08x of the same warp would do, which wait for them "
			 "to reconverge: this target has no independent thread scheduling%s",
			 s->mask, others, asynchronous);
	else
		snprintf(f.detail, sizeof f.detail,
			 "lanes 0x%08x spin and nothing that runs can change what they see (waiting: 0x%08x)%s%s",
			 s->mask, others, blocks.text, asynchronous);
	spin_explain(w, s, &f);
	warp_raise(w, s->pc, &f);
}

/* Lanes of one mask wait for one another for ever at different operations, or for lanes that never come. */
static void tell_apart(struct warp *w, const struct split *s)
{
	struct words others = {.length = 0};

	for (const struct split *o = w->waiting; o; o = o->next) {
		struct fault_place p;
		if (o == s || o->state != SPLIT_AT_WARP_SYNC || o->member_mask != s->member_mask)
			continue;
		fault_find_place(o->frame->code, (u32)(o->pc - grid_entry(w->grid, o->frame->code)), &p);
		say(&others, "; lanes 0x%08x of them wait at another operation, %s:%u", o->mask, p.file ? p.file : "?",
		    p.line);
		if (p.source)
			say(&others, " (%s:%u)", p.source, p.source_line);
	}
	warp_fault(w, s->pc, FAULT_DEADLOCK, s->mask,
		   "waits for lanes 0x%08x of its mask 0x%08x, which can never arrive%s",
		   s->member_mask & w->live & ~s->mask, s->member_mask, others.text);
}

static void tell_waiting(struct warp *w, const struct split *s)
{
	const struct block *b = w->block;
	const struct barrier *barrier = &b->barriers[s->state == SPLIT_AT_BARRIER ? s->barrier : 0];

	switch (s->state) {
	case SPLIT_AT_BARRIER:
		warp_fault(w, s->pc - 1, FAULT_DEADLOCK, s->mask,
			   "waits at barrier %u, where %u of %u threads have arrived and no other can", s->barrier,
			   barrier->arrived, barrier->expected ? barrier->expected : b->live_threads);
		break;
	case SPLIT_AT_WARP_SYNC:
		tell_apart(w, s);
		break;
	case SPLIT_AT_CONVERGENCE:
		warp_fault(w, s->pc - 1, FAULT_DEADLOCK, s->mask,
			   "waits at a convergence barrier for lanes that can never come to it");
		break;
	case SPLIT_AT_CLUSTER:
		warp_fault(w, s->pc - 1, FAULT_DEADLOCK, s->mask,
			   "waits at the cluster barrier, which no other thread can reach");
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
