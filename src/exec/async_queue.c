/* SPDX-License-Identifier: Apache-2.0
 *
 * Groups, which both modes count, and operations put off, for ASYNC_RANDOM: a list for each cluster, from which chance
 * takes some whenever an asynchronous instruction runs, waits take what they wait for, and the scheduler takes all once
 * nothing else can go on. The numbers depend on the seed and the cluster alone, not on host threads.
 */
#include <stddef.h>
#include <string.h>

#include "exec/internal.h"
#include "exec/spin.h"

struct async_task {
	struct async_task *next, *previous;
	size_t room; /* bytes of `kept` */
	async_run_fn *run;
	struct warp *warp;
	struct frame *frame;
	enum async_kind kind;
	bool arrives;
	u32 lane, group;
	u64 order;
	max_align_t kept[];
};

/* A number below `below`, from the cluster's own generator: the same for any number of host threads. */
static u32 chance(struct async_cluster *c, u32 below)
{
	c->random = c->random * 6364136223846793005ull + 1442695040888963407ull;
	const u64 mixed = (c->random ^ c->random >> 33) * 0xff51afd7ed558ccdull;
	return (u32)((mixed >> 32) % below);
}

/* Tasks are used again, as long as they have room enough. */
static struct async_task *new_task(struct async_cluster *c, struct warp *w, u32 lane, async_run_fn *run, size_t bytes)
{
	struct async_task **at = &c->unused_tasks, *t;

	while (*at && (*at)->room < bytes)
		at = &(*at)->next;
	t = *at;
	if (t) {
		*at = t->next;
		*t = (struct async_task){.room = t->room};
	} else {
		t = arena_alloc(c->arena, sizeof *t + bytes);
		t->room = bytes;
	}
	t->run = run;
	t->warp = w;
	t->frame = w->frame;
	t->lane = lane;
	t->previous = c->last_task;
	if (c->last_task)
		c->last_task->next = t;
	else
		c->tasks = t;
	c->last_task = t;
	c->task_count++;
	return t;
}

static void unlink_task(struct async_cluster *c, struct async_task *t)
{
	if (t->previous)
		t->previous->next = t->next;
	else
		c->tasks = t->next;
	if (t->next)
		t->next->previous = t->previous;
	else
		c->last_task = t->previous;
	c->task_count--;
}

/* Must `s` be done before `t`? An arrival follows the lane's earlier cp.async; wgmma of a warp keep their
 * order. */
static bool goes_before(const struct async_task *s, const struct async_task *t)
{
	if (s->warp != t->warp || s->order >= t->order)
		return false;
	return t->arrives ? s->kind == ASYNC_COPY && s->lane == t->lane
			  : t->kind == ASYNC_WGMMA && s->kind == ASYNC_WGMMA;
}

/* Runs a task, as the warp and in the frame that it was begun in. */
static bool run_alone(struct async_cluster *c, struct async_task *t)
{
	struct warp *w = t->warp;
	struct frame *frame = w->frame;

	unlink_task(c, t);
	w->frame = t->frame;
	const bool ok = t->run(t->kept);
	w->frame = frame;
	t->next = c->unused_tasks;
	c->unused_tasks = t;
	return ok;
}

/* Runs a task after those that go before it; the list is in their order. */
static bool run_task(struct async_cluster *c, struct async_task *t)
{
	for (struct async_task *s = c->tasks, *next; s != t; s = next) {
		next = s->next;
		if (goes_before(s, t) && !run_alone(c, s))
			return false;
	}
	return run_alone(c, t);
}

/* The fault may be another warp's: the running one stops too. */
static bool stop_after(struct warp *w, bool ok)
{
	if (!ok)
		w->stop = STOP_FAULT;
	return ok;
}

/* Where to keep what the task needs; NULL: it is to take effect at once, which one in four does. */
void *async_defer(struct warp *w, u32 lane, enum async_kind kind, async_run_fn *run, size_t bytes)
{
	struct async_cluster *c = async_of(w);

	if (!chance(c, 4))
		return NULL;
	struct async_task *t = new_task(c, w, lane, run, bytes);
	t->kind = kind;
	t->order = ++c->newest;
	t->group = kind < ASYNC_GROUP_KINDS ? c->groups[async_warp_number(w)][kind][lane] : 0;
	return t->kept;
}

void *async_defer_arrival(struct warp *w, u32 lane, async_run_fn *run, size_t bytes)
{
	struct async_cluster *c = async_of(w);
	struct async_task *t = new_task(c, w, lane, run, bytes);

	t->kind = ASYNC_BYTES;
	t->arrives = true;
	t->order = ++c->newest;
	return t->kept;
}

static struct async_task *task_number(const struct async_cluster *c, u32 number)
{
	struct async_task *t = c->tasks;

	while (number--)
		t = t->next;
	return t;
}

/* Runs some tasks, chosen at random: at each point where it may matter. */
bool async_poll(struct warp *w)
{
	struct async_cluster *c = async_of(w);
	bool ok = true;

	for (u32 k = c->task_count ? chance(c, c->task_count + 1) : 0; k && c->task_count && ok; k--)
		ok = run_task(c, task_number(c, chance(c, c->task_count)));
	return stop_after(w, ok);
}

/* Tasks of the warp's lanes in mask, of a kind, of groups before each lane's. */
static bool wait_for_tasks(struct warp *w, enum async_kind kind, u32 mask, const u32 before[WARP_LANES])
{
	struct async_cluster *c = async_of(w);
	bool ok = true;

	for (struct async_task *t = c->tasks, *next; t && ok; t = next) {
		next = t->next;
		if (t->warp == w && t->kind == kind && mask >> t->lane & 1 && t->group < before[t->lane])
			ok = run_alone(c, t);
	}
	return stop_after(w, ok);
}

bool async_cluster_drain(struct cluster *c, bool *did)
{
	struct async_cluster *a = c->async;

	*did = a->task_count != 0;
	while (a->tasks)
		if (!run_task(a, a->tasks))
			return false;
	return true;
}

/* --- Groups --------------------------------------------------------------------------------- */

void async_commit(struct warp *w, enum async_kind kind, u32 mask)
{
	u32 *groups = async_of(w)->groups[async_warp_number(w)][kind];

	for (u32 l = 0; l < WARP_LANES; l++)
		groups[l] += mask >> l & 1;
}

/* `all`: also of groups that are not committed; `keep`: so many of the newest groups may stay. */
bool async_wait(struct warp *w, enum async_kind kind, u32 mask, u32 keep, bool all, bool reading)
{
	const u32 *groups = async_of(w)->groups[async_warp_number(w)][kind];
	u32 before[WARP_LANES];

	for (u32 l = 0; l < WARP_LANES; l++)
		before[l] = all ? groups[l] + 1 : groups[l] - min_u32(keep, groups[l]);
	if (w->grid->async == ASYNC_RANDOM)
		return wait_for_tasks(w, kind, mask, before);
	w->grid->async_checker->waited(w, kind, mask, before, reading);
	return true;
}

/* --- Clusters ------------------------------------------------------------------------------- */

/* The generator's state depends on the seed and the cluster's place alone. */
void async_cluster_start(struct worker *k, struct cluster *c)
{
	struct grid *grid = k->grid;
	struct async_cluster *a = c->async;
	const u32 warps = c->count * grid->warps_per_block;

	if (grid->async == ASYNC_EAGER)
		return;
	if (!a) {
		a = c->async = ARENA_NEW(&k->arena, struct async_cluster);
		a->cluster = c;
		a->grid = grid;
		a->arena = &k->arena;
		a->groups = ARENA_ARRAY(&k->arena, warps, async_groups);
	}
	memset(a->groups, 0, warps * sizeof *a->groups);
	if (grid->async == ASYNC_STRICT)
		grid->async_checker->start(a);
	const u64 index = c->index[0] + (u64)grid->clusters[0] * (c->index[1] + (u64)grid->clusters[1] * c->index[2]);
	a->random = (grid->launch->async.seed * 0x9e3779b97f4a7c15ull) ^ ((index + 1) * 0xd1342543de82ef95ull);
}

bool async_cluster_end(struct cluster *c)
{
	struct async_cluster *a = c->async;
	bool did;

	if (!a)
		return true;
	return a->grid->async == ASYNC_RANDOM ? async_cluster_drain(c, &did) : a->grid->async_checker->end(a);
}

void async_tell_wait(const struct warp *w, char text[ASYNC_WAIT_TEXT])
{
	*text = 0;
	if (w->grid->async == ASYNC_STRICT)
		w->grid->async_checker->tell_wait(w, text);
}

void async_tell_mbarrier(struct warp *w, const u8 *mbarrier, char text[ASYNC_WAIT_TEXT])
{
	*text = 0;
	if (w->grid->async == ASYNC_STRICT)
		w->grid->async_checker->tell_mbarrier(w, mbarrier, text);
	if (!*text)
		spin_tell_mbarriers(w->grid, text, ASYNC_WAIT_TEXT);
}
