/* SPDX-License-Identifier: Apache-2.0
 *
 * A team of checks. The launch's observers hand each event to the checks of the host thread that it comes from.
 */
#include "observe/checks_team.h"

#include <stdlib.h>
#include <string.h>

#include "exec/gang.h"
#include "exec/spread.h"
#include "observe/async_check.h"

/* More is not copied: such a launch runs on one thread. */
enum { IMAGE_MOST = 1 << 30, LEAST_CLUSTERS = 8 };

/* One of the launch's observers: number `number` of each member. */
struct team_observer {
	struct observer observer;
	struct checks_team *team;
	u32 number;
};

struct checks_team {
	struct arena *arena;
	const struct program *program;
	struct check_options options;
	u32 count;
	struct checks *members[CHECKS_TEAM_MOST];
	struct observer *of[CHECKS_TEAM_MOST][CHECKS_OBSERVERS];
	struct team_observer observers[CHECKS_OBSERVERS];
	struct observer *list[CHECKS_OBSERVERS + 1];
	u32 observer_count;
	struct async_strict strict;
	u8 **images; /* by allocation: what is there before the launch; NULL: nothing can write it */
	u32 image_count;
};

/* --- Events --------------------------------------------------------------------------------- */

static const struct observer *member(const struct team_observer *o, const struct worker *k)
{
	return o->team->of[k->number][o->number];
}

static bool wants(void *context, const struct code *code, u32 insn)
{
	const struct team_observer *o = context;
	const struct observer *first = o->team->of[0][o->number];

	return first->wants(first->context, code, insn);
}

static void before(void *context, struct warp *w, const struct insn *i, u8 *rows, u32 mask)
{
	const struct observer *m = member(context, w->worker);

	m->before(m->context, w, i, rows, mask);
}

static void after(void *context, struct warp *w, const struct insn *i, u8 *rows, u32 mask)
{
	const struct observer *m = member(context, w->worker);

	m->after(m->context, w, i, rows, mask);
}

static void gang_before(void *context, const struct gang *g, const struct insn *i)
{
	const struct observer *m = member(context, g->block->worker);

	m->gang_before(m->context, g, i);
}

static void block_start(void *context, struct block *b)
{
	const struct observer *m = member(context, b->worker);

	m->block_start(m->context, b);
}

static void block_end(void *context, struct block *b)
{
	const struct observer *m = member(context, b->worker);

	m->block_end(m->context, b);
}

static const struct async_strict *strict_of(const struct checks_team *t, const struct warp *w)
{
	return checks_strict(t->members[w->worker->number]);
}

static void hear_range(void *context, struct warp *w, const struct insn *i, struct async_op *op, u32 lane,
		       enum ir_space space, u64 address, u64 size, bool is_store)
{
	const struct async_strict *s = strict_of(context, w);

	s->listener->range(s->context, w, i, op, lane, space, address, size, is_store);
}

static void hear_waited(void *context, struct warp *w, const struct async_op *op, u32 lanes, bool reading)
{
	const struct async_strict *s = strict_of(context, w);

	s->listener->waited(s->context, w, op, lanes, reading);
}

static void hear_counted(void *context, struct warp *w, const struct async_op *op)
{
	const struct async_strict *s = strict_of(context, w);

	s->listener->counted(s->context, w, op);
}

static const struct async_listener listener = {hear_range, hear_waited, hear_counted};

/* --- Memory as it was ------------------------------------------------------------------------- */

static void forget_images(struct checks_team *t)
{
	for (u32 k = 0; k < t->image_count; k++)
		free(t->images[k]);
	free(t->images);
	t->images = NULL;
	t->image_count = 0;
}

static bool keep_images(struct checks_team *t, const struct memory *m)
{
	u64 bytes = 0;

	for (u32 k = 0; k < m->count; k++)
		bytes += m->list[k].flags & ALLOCATION_READ_ONLY ? 0 : m->list[k].size;
	if (bytes > IMAGE_MOST)
		return false;
	t->images = calloc(m->count + (size_t)1, sizeof *t->images);
	t->image_count = t->images ? m->count : 0;
	for (u32 k = 0; k < t->image_count; k++) {
		const struct allocation *a = &m->list[k];
		if (a->flags & ALLOCATION_READ_ONLY || !a->size)
			continue;
		t->images[k] = malloc(a->size);
		if (!t->images[k]) {
			forget_images(t);
			return false;
		}
		memcpy(t->images[k], a->host, a->size);
	}
	return t->images != NULL;
}

static void put_back(const struct checks_team *t, const struct memory *m)
{
	for (u32 k = 0; k < t->image_count; k++)
		if (t->images[k])
			memcpy(m->list[k].host, t->images[k], m->list[k].size);
}

/* --- Around a launch -------------------------------------------------------------------------- */

struct checks_team *checks_team_new(struct arena *arena, const struct program *program,
				    const struct check_options *options, u32 jobs)
{
	struct checks_team *t = ARENA_NEW(arena, struct checks_team);

	t->arena = arena;
	t->program = program;
	t->options = *options;
	t->count = min_u32(jobs ? jobs : processors_allowed(), CHECKS_TEAM_MOST);
	return t;
}

void checks_team_free(struct checks_team *t)
{
	for (u32 k = 0; k < t->count && t->members[k]; k++)
		checks_free(t->members[k]);
	forget_images(t);
}

/* Members begin the launch; what the first one's observers have, all have. */
static void begin(struct checks_team *t, struct checks *own, const struct launch *l)
{
	for (u32 k = 0; k < t->count; k++) {
		if (!t->members[k])
			t->members[k] = checks_new(t->arena, t->program, &t->options);
		checks_begin(t->members[k], l);
		checks_join_team(t->members[k], own, l);
		t->observer_count = checks_observers(t->members[k], t->of[k]);
	}
	for (u32 n = 0; n < t->observer_count; n++) {
		const struct observer *first = t->of[0][n];
		struct team_observer *o = &t->observers[n];
		*o = (struct team_observer){.observer = {.context = o,
							 .wants = wants,
							 .before = first->before ? before : NULL,
							 .after = first->after ? after : NULL,
							 .gang_before = first->gang_before ? gang_before : NULL,
							 .block_start = first->block_start ? block_start : NULL,
							 .block_end = first->block_end ? block_end : NULL},
					    .team = t,
					    .number = n};
		t->list[n] = &o->observer;
	}
	t->list[t->observer_count] = NULL;
}

static bool found_nothing(const struct checks_team *t)
{
	for (u32 k = 0; k < t->count; k++) {
		if (checks_have_found(t->members[k]))
			return false;
		for (u32 n = 0; n < k; n++)
			if (checks_meet(t->members[k], t->members[n]))
				return false;
	}
	return true;
}

/* Kernels that print, allocate, or show the order of their blocks have one thread in any case; memory that others may
 * write meanwhile cannot be put back. */
static bool may_share(const struct checks_team *t, const struct checks *own, const struct launch *l)
{
	u64 clusters = (u64)l->grid[0] * l->grid[1] * l->grid[2];

	clusters /= max_u32(1, l->cluster[0]) * max_u32(1, l->cluster[1]) * max_u32(1, l->cluster[2]);
	return t->count > 1 && clusters >= LEAST_CLUSTERS && !l->kernel->order_dependent && !l->kernel->calls_system &&
	       !l->cooperative && !l->schedule.mode && !l->any_order && !l->grids && !l->shared_memory &&
	       checks_may_share(own);
}

bool checks_team_run(struct checks_team *t, struct checks *own, const struct launch *l, struct launch_stats *stats)
{
	struct launch together = *l;
	struct fault fault;
	char message[512];

	if (!may_share(t, own, l) || !keep_images(t, l->memory))
		return false;
	begin(t, own, l);
	together.observers = t->list;
	t->strict = checks_strict(t->members[0])->listener ? async_strict_with(&listener, t) : async_strict;
	together.async_checker = &t->strict.checker;
	together.jobs = t->count;
	const bool clean =
		launch_run(&together, stats, &fault, message, sizeof message) == LAUNCH_OK && found_nothing(t);
	if (!clean)
		put_back(t, l->memory);
	for (u32 k = 0; clean && k < t->count; k++)
		checks_leave_team(t->members[k], own);
	checks_team_free(t);
	return clean;
}
