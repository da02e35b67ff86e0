/* SPDX-License-Identifier: Apache-2.0
 *
 * The clocks of the race check.
 *
 * What a thread knows is everything that happens before its next access. It is held in three places, from the widest to
 * the narrowest:
 *
 *  warp.of[k]       of warp k of the own block: all of it up to that clock         barriers, whole warps that meet
 *  warp.far         a set: threads of other blocks, or parts of warps              fences, releases, clusters
 *  warp.lane[l]     a set: what lane l alone has learnt beyond that                acquires by one lane
 *
 * One clock (c->now) goes on with every event that others may learn of, so "up to time t" is enough to say what was
 * before. Knowledge passes on where threads meet: at a barrier all that arrive put theirs together (race_arrive) and
 * take the sum along when they go on (race_resume); at a strong write a lane leaves its knowledge at the address if it
 * releases, and a strong read that finds it keeps it as pending, until an acquire makes it the lane's (PTX ISA, memory
 * consistency model: release and acquire patterns, causality order).
 */
#include "observe/race_clocks.h"

#include <string.h>

/* Whether an operation of that scope by the warp reaches threads of block `other`. */
bool race_reaches(const struct warp *w, enum race_scope scope, u32 other)
{
	const struct cluster *c = w->block->cluster;

	if (scope == RACE_GPU || other == (u32)w->block->index)
		return scope != RACE_WEAK;
	if (scope != RACE_CLUSTER)
		return false;
	for (u32 k = 0; k < c->count; k++)
		if ((u32)c->blocks[k]->index == other)
			return true;
	return false;
}

/* Whether the mark's access happens before the lane's next one: program order (if lanes are in step, that of the whole warp),
 * barriers of the block, or what the lane has learnt otherwise. */
bool race_ordered(const struct race_block *b, const struct warp *w, u32 lane, const struct race_mark *m)
{
	const struct race_warp *me = &b->warps[w->index];

	if (m->block == (u32)w->block->index) {
		if (m->warp == w->index && (m->lane == lane || m->lane == RACE_ANY_LANE || b->in_step))
			return true;
		if (m->time <= me->of[m->warp])
			return true;
	}
	return race_set_covers(me->far, m->block, m->warp, m->lane, m->time) ||
	       (me->alone >> lane & 1 && race_set_covers(me->lane[lane], m->block, m->warp, m->lane, m->time));
}

bool race_was_read(const struct race_block *b, const struct warp *w, u32 lane, const struct race_mark *m)
{
	const struct race_warp *me = &b->warps[w->index];

	return race_set_covers_read(me->far, m->block, m->warp, m->lane, m->time) ||
	       (me->alone >> lane & 1 && race_set_covers_read(me->lane[lane], m->block, m->warp, m->lane, m->time));
}

/* Do these lanes stand for all of the warp? Those that have exited do nothing that could come later. */
bool race_is_whole(const struct warp *w, u32 mask) { return (mask & w->live) == w->live; }

/* --- What a lane knows ---------------------------------------------------------------------- */

/* NULL: nothing to learn. The set is shared, not copied. */
static void lane_learns(struct race_clocks *c, struct race_warp *me, u32 lane, struct race_set *s)
{
	if (!s)
		return;
	race_set_add(&c->sets, &me->lane[lane], s);
	me->alone |= 1u << lane;
}

void race_learn(struct race_clocks *c, struct race_block *b, const struct warp *w, u32 mask, struct race_set *s)
{
	struct race_warp *me = &b->warps[w->index];

	if (race_is_whole(w, mask)) {
		race_set_add(&c->sets, &me->far, s);
		return;
	}
	for (u32 left = mask; left; left &= left - 1)
		lane_learns(c, me, (u32)__builtin_ctz(left), s);
}

/* What each of the warp's lanes knows. The caller holds the result. */
static struct race_set *known_to_all(struct race_clocks *c, const struct race_block *b, const struct warp *w)
{
	const struct race_warp *me = &b->warps[w->index];
	struct race_set *s =
		race_set_of_warps(&c->sets, (u32)w->block->index, me->of, min_u32(w->block->warp_count, RACE_WARPS));

	race_set_add(&c->sets, &s, me->far);
	return s;
}

static struct race_set *known_to(struct race_clocks *c, const struct race_block *b, const struct warp *w, u32 lane)
{
	struct race_set *s = known_to_all(c, b, w);

	race_set_add(&c->sets, &s, b->warps[w->index].lane[lane]);
	return s;
}

/* What these lanes know beyond what all of the warp do, and what they have done. */
static struct race_set *told_by(struct race_clocks *c, const struct race_block *b, const struct warp *w, u32 mask)
{
	const struct race_warp *me = &b->warps[w->index];
	struct race_set *s = race_set_of_lanes(&c->sets, (u32)w->block->index, w->index, mask, c->now);

	for (u32 left = mask & me->alone; left; left &= left - 1)
		race_set_add(&c->sets, &s, me->lane[__builtin_ctz(left)]);
	return s;
}

/* Drops what these lanes know alone: they all know it now, or the block begins anew. */
static void forget_lanes(struct race_clocks *c, struct race_warp *me, u32 mask)
{
	for (u32 left = mask & me->alone; left; left &= left - 1)
		race_set_put(&c->sets, &me->lane[__builtin_ctz(left)], NULL);
	me->alone &= ~mask;
}

/* What the lanes have learnt alone, they all know from now on. */
static void share_lanes(struct race_clocks *c, struct race_warp *me)
{
	for (u32 left = me->alone; left; left &= left - 1)
		race_set_add(&c->sets, &me->far, me->lane[__builtin_ctz(left)]);
	forget_lanes(c, me, me->alone);
}

/* --- What fences have published ------------------------------------------------------------- */

/* What a fence of that scope has published: for threads near (of the block) always, far only by a wider scope. */
static void publish(struct race_clocks *c, struct race_set *to[RACE_REACHES], enum race_scope scope, struct race_set *s)
{
	race_set_add(&c->sets, &to[RACE_NEAR], s);
	if (scope > RACE_CTA)
		race_set_add(&c->sets, &to[RACE_FAR], s);
}

/* What these lanes have fenced since they met last, they have published for those whom they meet. */
static void publish_fences(struct race_clocks *c, const struct warp *w, struct race_warp *me, u32 mask,
			   struct race_set *to[RACE_REACHES])
{
	const u32 block = (u32)w->block->index;

	for (u32 left = mask & me->fenced; left;) {
		const struct race_fence *first = &me->fence[__builtin_ctz(left)];
		u32 same = 0;
		for (u32 more = left; more; more &= more - 1) {
			const struct race_fence *f = &me->fence[__builtin_ctz(more)];
			if (f->known == first->known && f->time == first->time && f->scope == first->scope)
				same |= more & -more;
		}
		u32 times[RACE_WARPS] = {0};
		times[w->index] = first->time;
		struct race_set *lanes = race_is_whole(w, same)
						 ? race_set_of_warps(&c->sets, block, times, RACE_WARPS)
						 : race_set_of_lanes(&c->sets, block, w->index, same, first->time);
		publish(c, to, first->scope, lanes);
		publish(c, to, first->scope, first->known);
		race_set_drop(&c->sets, lanes);
		left &= ~same;
	}
}

static void forget_fences(struct race_clocks *c, struct race_warp *me, u32 mask)
{
	for (u32 left = mask & me->fenced; left; left &= left - 1)
		race_set_put(&c->sets, &me->fence[__builtin_ctz(left)].known, NULL);
	me->fenced &= ~mask;
}

/* The whole warp meets. */
static void share_fences(struct race_clocks *c, const struct warp *w, struct race_warp *me)
{
	if (!me->fenced)
		return;
	publish_fences(c, w, me, me->fenced, me->published);
	forget_fences(c, me, me->fenced);
}

static void add_published(struct race_clocks *c, struct race_set *to[RACE_REACHES],
			  struct race_set *const from[RACE_REACHES])
{
	for (u32 n = 0; n < RACE_REACHES; n++)
		race_set_add(&c->sets, &to[n], from[n]);
}

/* --- Barriers ------------------------------------------------------------------------------- */

static void drop_both(struct race_clocks *c, struct race_set *sets[RACE_REACHES])
{
	for (u32 n = 0; n < RACE_REACHES; n++)
		race_set_put(&c->sets, &sets[n], NULL);
}

/* A block begins where an earlier one was: nothing is known, and sets go back to their store. */
void race_start(struct race_clocks *c, struct race_block *b)
{
	for (u32 k = 0; k < RACE_WARPS; k++) {
		struct race_warp *me = &b->warps[k];
		race_set_drop(&c->sets, me->far);
		forget_lanes(c, me, me->alone);
		forget_fences(c, me, me->fenced);
		drop_both(c, me->published);
		for (u32 left = me->read; left; left &= left - 1)
			drop_both(c, me->pending[__builtin_ctz(left)]);
	}
	for (u32 k = 0; k < BARRIERS_PER_BLOCK; k++)
		for (u32 n = 0; n < 2; n++) {
			race_set_drop(&c->sets, b->arrivals[k][n].far);
			drop_both(c, b->arrivals[k][n].published);
		}
	memset(b->warps, 0, sizeof b->warps);
	memset(b->arrivals, 0, sizeof b->arrivals);
	for (u32 k = 0; k < BARRIERS_PER_BLOCK; k++)
		b->phases[k][0].number = b->phases[k][1].number = 0;
	b->remotes.count = 0;
}

/* What a barrier's phase has brought together becomes known to the warp, or to some of its lanes. */
static void learn_arrivals(struct race_clocks *c, struct race_block *b, const struct warp *w,
			   const struct race_arrivals *a, u32 lanes)
{
	struct race_warp *me = &b->warps[w->index];

	add_published(c, me->published, a->published);
	if (race_is_whole(w, lanes)) {
		for (u32 k = 0; k < RACE_WARPS; k++)
			me->of[k] = max_u32(me->of[k], a->of[k]);
		race_set_add(&c->sets, &me->far, a->far);
		forget_lanes(c, me, lanes);
		return;
	}
	struct race_set *s =
		race_set_of_warps(&c->sets, (u32)w->block->index, a->of, min_u32(w->block->warp_count, RACE_WARPS));
	race_set_add(&c->sets, &s, a->far);
	for (u32 left = lanes & w->live; left; left &= left - 1)
		lane_learns(c, me, (u32)__builtin_ctz(left), s);
	race_set_drop(&c->sets, s);
}

/* Threads that exit without coming to a barrier hold nobody up there: what they did comes before whatever follows it. */
static void learn_exits(struct race_clocks *c, struct race_block *b, const struct warp *w,
			const struct race_arrivals *a)
{
	struct race_warp *me = &b->warps[w->index];
	const u32 count = min_u32(w->block->warp_count, RACE_WARPS);

	for (u32 k = 0; k < count && !a->counts; k++) {
		const struct warp *x = &w->block->warps[k];
		const u32 exited = x->initial_mask & ~x->live & ~a->lanes[k];
		if (!exited)
			continue;
		/* The whole warp, as marks of several lanes (RACE_ANY_LANE) ask for. */
		if (exited == x->initial_mask) {
			me->of[k] = max_u32(me->of[k], c->now);
			continue;
		}
		struct race_set *lanes = race_set_of_lanes(&c->sets, (u32)w->block->index, k, exited, c->now);
		race_set_add(&c->sets, &me->far, lanes);
		race_set_drop(&c->sets, lanes);
	}
}

/* What belongs to the warp's cluster, made at first use. */
static struct race_cluster *cluster_of(struct race_clocks *c, const struct warp *w)
{
	const struct cluster *wanted = w->block->cluster;
	struct race_cluster **bucket = &c->clusters[((uintptr_t)wanted / sizeof *wanted) % RACE_CLUSTERS], *x = *bucket;

	while (x && x->cluster != wanted)
		x = x->next;
	if (x)
		return x;
	x = ARENA_NEW(c->sets.arena, struct race_cluster);
	x->cluster = wanted;
	x->next = *bucket;
	return *bucket = x;
}

/* As race_resume, for barrier.cluster: once its phase is over. */
static void resume_cluster(struct race_clocks *c, struct race_block *b, const struct warp *w)
{
	struct race_warp *me = &b->warps[w->index];
	const struct race_arrivals *a = &cluster_of(c, w)->arrivals[me->cluster_phase & 1];

	if (w->block->cluster->phase <= me->cluster_phase)
		return;
	if (a->phase == me->cluster_phase && race_is_whole(w, me->cluster_waits))
		race_set_add(&c->sets, &me->far, a->far);
	else if (a->phase == me->cluster_phase)
		for (u32 left = me->cluster_waits & w->live; left; left &= left - 1)
			lane_learns(c, me, (u32)__builtin_ctz(left), a->far);
	me->cluster_waits = 0;
}

/* Called when lanes of the warp run again: phases that have ended since are learnt from. */
void race_resume(struct race_clocks *c, struct race_block *b, const struct warp *w)
{
	struct race_warp *me = &b->warps[w->index];

	if (me->cluster_waits)
		resume_cluster(c, b, w);
	for (u32 left = me->waits; left; left &= left - 1) {
		const u32 n = (u32)__builtin_ctz(left);
		const u64 phase = me->waits_phase[n];
		if (w->block->barriers[n].phase <= phase)
			continue;
		if (b->arrivals[n][phase & 1].phase == phase) {
			learn_arrivals(c, b, w, &b->arrivals[n][phase & 1], me->waits_lanes[n]);
			learn_exits(c, b, w, &b->arrivals[n][phase & 1]);
		}
		me->waits &= ~(1u << n);
		me->waits_lanes[n] = 0;
	}
}

/* Makes what earlier strong reads have found the lanes' own; by a fence of a narrow scope only what is near. */
static void acquire_pending(struct race_clocks *c, struct race_warp *me, u32 mask, enum race_scope scope)
{
	for (u32 left = mask & me->read; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		for (u32 n = 0; n < (scope > RACE_CTA ? RACE_REACHES : RACE_FAR); n++) {
			lane_learns(c, me, l, me->pending[l][n]);
			race_set_put(&c->sets, &me->pending[l][n], NULL);
		}
		if (!me->pending[l][RACE_FAR])
			me->read &= ~(1u << l);
	}
}

/* Whoever arrives in a new phase of a barrier finds what was told in it empty. */
static void begin_phase(struct race_clocks *c, struct race_arrivals *a, u64 phase)
{
	if (a->phase == phase)
		return;
	memset(a->of, 0, sizeof a->of);
	memset(a->lanes, 0, sizeof a->lanes);
	race_set_put(&c->sets, &a->far, NULL);
	drop_both(c, a->published);
	a->phase = phase;
}

/* What all lanes of a warp have done so far is before what learns of its present clock. */
static void tell_whole_warp(struct race_clocks *c, const struct warp *w, struct race_warp *me)
{
	me->of[w->index] = c->now;
	share_lanes(c, me);
	share_fences(c, w, me);
}

/* Lanes arrive at a barrier: what they know becomes the phase's. counts: the barrier counts threads, so who has exited
 * is not taken for arrived. */
void race_arrive(struct race_clocks *c, struct race_block *b, const struct warp *w, u32 mask,
		 const struct race_arrival *arrival)
{
	struct race_warp *me = &b->warps[w->index];
	const u32 number = arrival->number;
	const u64 phase = arrival->phase;
	struct race_arrivals *a = &b->arrivals[number][phase & 1];

	/* The last block of a reduction knows itself by a counter, and lets its threads in by a barrier: no fence of
	 * its own is asked for. */
	acquire_pending(c, me, mask & me->drawn, RACE_GPU);
	me->drawn &= ~mask;
	begin_phase(c, a, phase);
	a->counts = arrival->counts;
	a->lanes[w->index] |= mask;
	if (race_is_whole(w, mask)) {
		tell_whole_warp(c, w, me);
	} else {
		struct race_set *told = told_by(c, b, w, mask);
		publish_fences(c, w, me, mask, a->published);
		race_set_add(&c->sets, &a->far, told);
		race_set_drop(&c->sets, told);
	}
	for (u32 k = 0; k < RACE_WARPS; k++)
		a->of[k] = max_u32(a->of[k], me->of[k]);
	race_set_add(&c->sets, &a->far, me->far);
	add_published(c, a->published, me->published);
	c->now++;
	if (!arrival->waits)
		return;
	me->waits |= 1u << number;
	me->waits_phase[number] = phase;
	me->waits_lanes[number] |= mask;
}

/* Lanes of a warp meet, as at bar.warp.sync: each knows what all of them know. */
void race_meet_lanes(struct race_clocks *c, struct race_block *b, const struct warp *w, u32 mask)
{
	struct race_warp *me = &b->warps[w->index];

	if (race_is_whole(w, mask)) {
		tell_whole_warp(c, w, me);
	} else {
		struct race_set *told = told_by(c, b, w, mask);
		publish_fences(c, w, me, mask, me->published);
		for (u32 left = mask & w->live; left; left &= left - 1)
			lane_learns(c, me, (u32)__builtin_ctz(left), told);
		race_set_drop(&c->sets, told);
	}
	c->now++;
}

void race_arrive_cluster(struct race_clocks *c, struct race_block *b, const struct warp *w, u32 mask)
{
	struct race_warp *me = &b->warps[w->index];
	const u64 phase = w->block->cluster->phase;
	struct race_arrivals *a = &cluster_of(c, w)->arrivals[phase & 1];

	begin_phase(c, a, phase);
	if (race_is_whole(w, mask))
		race_meet_lanes(c, b, w, mask);
	struct race_set *s = known_to_all(c, b, w), *told = race_is_whole(w, mask) ? NULL : told_by(c, b, w, mask);
	race_set_add(&c->sets, &s, told);
	race_set_add(&c->sets, &a->far, s);
	race_set_drop(&c->sets, s);
	race_set_drop(&c->sets, told);
	me->cluster_phase = phase;
	c->now++;
}

void race_wait_cluster(struct race_block *b, const struct warp *w, u32 mask)
{
	b->warps[w->index].cluster_waits |= mask;
}

/* --- Fences and strong accesses --------------------------------------------------------------- */

/* acquires: what was read before becomes known; releases: what is known now may be published by a strong write behind
 * it. */
void race_fence(struct race_clocks *c, struct race_block *b, const struct warp *w, u32 mask, enum race_scope scope,
		bool acquires, bool releases)
{
	struct race_warp *me = &b->warps[w->index];

	if (acquires)
		acquire_pending(c, me, mask, scope);
	if (!releases)
		return;
	struct race_set *all = known_to_all(c, b, w);
	for (u32 left = mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		struct race_fence *f = &me->fence[l];
		race_set_put(&c->sets, &f->known, race_set_join(&c->sets, all, me->lane[l]));
		f->time = c->now;
		f->scope = scope;
	}
	race_set_drop(&c->sets, all);
	me->fenced |= mask;
	c->now++;
}

static struct race_location **location_bucket(const struct race_clocks *c, u64 key)
{
	return &c->locations[(size_t)(key * 0x9e3779b97f4a7c15u >> 32) & (c->location_room - 1)];
}

/* What strong accesses have left at an address. life: of its memory; what an earlier life has left is forgotten. */
struct race_location *race_location_find(struct race_clocks *c, u64 key, u32 life)
{
	struct race_location *x = c->location_room ? *location_bucket(c, key) : NULL;

	while (x && x->key != key)
		x = x->next;
	for (u32 k = 0; x && x->life != life && k < RACE_SCOPES; k++)
		race_set_put(&c->sets, &x->released[k], NULL);
	if (x && x->life != life) {
		race_set_put(&c->sets, &x->reads, NULL);
		race_set_put(&c->sets, &x->done, NULL);
	}
	if (x)
		x->life = life;
	return x;
}

static void grow_locations(struct race_clocks *c)
{
	enum { FIRST_ROOM = 256 };
	struct race_location **old = c->locations;
	const size_t room = c->location_room;

	c->location_room = room ? room * 4 : FIRST_ROOM;
	c->locations = ARENA_ARRAY(c->sets.arena, c->location_room, struct race_location *);
	for (size_t k = 0; k < room; k++)
		for (struct race_location *x = old[k], *next; x; x = next) {
			next = x->next;
			x->next = *location_bucket(c, x->key);
			*location_bucket(c, x->key) = x;
		}
}

struct race_location *race_location_new(struct race_clocks *c, u64 key, u32 life)
{
	if (c->location_count >= c->location_room)
		grow_locations(c);
	struct race_location *x = ARENA_NEW(c->sets.arena, struct race_location);
	x->key = key;
	x->life = life;
	x->next = *location_bucket(c, key);
	*location_bucket(c, key) = x;
	c->location_count++;
	return x;
}

/* Lanes have found the same, to be acquired by a fence: mostly they share what they had found before, too. */
static void lanes_find(struct race_clocks *c, struct race_warp *me, u32 mask, enum race_reach from,
		       struct race_set *found)
{
	struct race_set *last = NULL, *with = race_set_keep(found);

	for (u32 left = mask; left; left &= left - 1) {
		struct race_set **at = &me->pending[__builtin_ctz(left)][from];
		if (*at != last) {
			race_set_drop(&c->sets, last);
			race_set_drop(&c->sets, with);
			last = race_set_keep(*at);
			with = race_set_join(&c->sets, last, found);
		}
		race_set_put(&c->sets, at, race_set_keep(with));
	}
	race_set_drop(&c->sets, last);
	race_set_drop(&c->sets, with);
}

/* An atomic or volatile read finds what has been released at the address, if both scopes reach from one to the
 * other. */
void race_strong_read(struct race_clocks *c, struct race_block *b, const struct warp *w, u32 lane,
		      const struct race_location *at, enum race_scope scope, bool acquires, bool writes)
{
	struct race_warp *me = &b->warps[w->index];
	const bool near = at->block == (u32)w->block->index;

	if (!race_reaches(w, scope, at->block))
		return;
	for (u32 k = RACE_CTA; k < RACE_SCOPES; k++) {
		if (!at->released[k] || !race_reaches(w, (enum race_scope)k, at->block))
			continue;
		if (acquires) {
			lane_learns(c, me, lane, at->released[k]);
			continue;
		}
		race_set_add(&c->sets, &me->pending[lane][near ? RACE_NEAR : RACE_FAR], at->released[k]);
		me->read |= 1u << lane;
		me->drawn |= writes ? 1u << lane : 0;
	}
}

/* Leaves knowledge at an address: the set, and the lane itself up to `time`. */
static void release(struct race_clocks *c, struct race_location *at, enum race_scope scope, struct race_set *known,
		    const struct warp *w, u32 lane, u32 time)
{
	struct race_set *self = race_set_of_thread(&c->sets, (u32)w->block->index, w->index, lane, time);

	race_set_add(&c->sets, &at->released[scope], known);
	race_set_add(&c->sets, &at->released[scope], self);
	race_set_drop(&c->sets, self);
}

/* A plain strong write ends what was released before; an operation that also reads continues it (a release
 * sequence). */
void race_strong_write(struct race_clocks *c, struct race_block *b, const struct warp *w, u32 lane,
		       struct race_location *at, enum race_scope scope, bool releases, bool reads)
{
	const struct race_warp *me = &b->warps[w->index];
	const struct race_fence *f = &me->fence[lane];

	/* What a reading operation finds released stays so; of narrow scopes only as long as they reach the next one. */
	for (u32 k = RACE_CTA; k < RACE_SCOPES; k++)
		if (!reads || !race_reaches(w, (enum race_scope)k, at->block))
			race_set_put(&c->sets, &at->released[k], NULL);
	at->block = (u32)w->block->index;
	if (releases) {
		struct race_set *known = known_to(c, b, w, lane);
		release(c, at, scope, known, w, lane, c->now);
		race_set_drop(&c->sets, known);
	} else if (me->fenced >> lane & 1) {
		release(c, at, scope < f->scope ? scope : f->scope, f->known, w, lane, f->time);
	}
	race_set_add(&c->sets, &at->released[RACE_CTA], me->published[RACE_NEAR]);
	if (scope > RACE_CTA)
		race_set_add(&c->sets, &at->released[scope], me->published[RACE_FAR]);
}

/* The same for all lanes of a warp at once: what they acquire, the warp knows. */
void race_strong_read_whole(struct race_clocks *c, struct race_block *b, const struct warp *w, u32 mask,
			    const struct race_location *at, enum race_scope scope, bool acquires, bool writes)
{
	struct race_warp *me = &b->warps[w->index];
	const enum race_reach from = at->block == (u32)w->block->index ? RACE_NEAR : RACE_FAR;

	for (u32 k = RACE_CTA; k < RACE_SCOPES; k++) {
		if (!at->released[k] || !race_reaches(w, scope, at->block) ||
		    !race_reaches(w, (enum race_scope)k, at->block))
			continue;
		if (acquires)
			race_set_add(&c->sets, &me->far, at->released[k]);
		else
			lanes_find(c, me, mask, from, at->released[k]);
		me->read |= acquires ? 0 : mask;
		me->drawn |= writes && !acquires ? mask : 0;
	}
}

void race_strong_write_whole(struct race_clocks *c, struct race_block *b, const struct warp *w, u32 mask,
			     struct race_location *at, enum race_scope scope)
{
	struct race_warp *me = &b->warps[w->index];
	u32 times[RACE_WARPS];

	for (u32 k = RACE_CTA; k < RACE_SCOPES; k++)
		if (!race_reaches(w, (enum race_scope)k, at->block))
			race_set_put(&c->sets, &at->released[k], NULL);
	at->block = (u32)w->block->index;
	memcpy(times, me->of, sizeof times);
	times[w->index] = c->now;
	struct race_set *told =
		race_set_of_warps(&c->sets, at->block, times, min_u32(w->block->warp_count, RACE_WARPS));
	race_set_add(&c->sets, &told, me->far);
	for (u32 left = mask & me->alone; left; left &= left - 1)
		race_set_add(&c->sets, &told, me->lane[__builtin_ctz(left)]);
	race_set_add(&c->sets, &at->released[scope], told);
	race_set_drop(&c->sets, told);
	race_set_add(&c->sets, &at->released[RACE_CTA], me->published[RACE_NEAR]);
	if (scope > RACE_CTA)
		race_set_add(&c->sets, &at->released[scope], me->published[RACE_FAR]);
}

void race_pass_reads(struct race_clocks *c, const struct race_block *b, const struct warp *w, u32 lane,
		     struct race_location *at, bool reads)
{
	struct race_set *known = known_to(c, b, w, lane);
	struct race_set *self = race_set_of_thread(&c->sets, (u32)w->block->index, w->index, lane, c->now);

	race_set_add(&c->sets, &known, self);
	race_set_drop(&c->sets, self);
	struct race_set *done = race_set_reads(&c->sets, known);
	race_set_drop(&c->sets, known);
	if (!reads)
		race_set_put(&c->sets, &at->reads, NULL);
	race_set_add(&c->sets, &at->reads, done);
	race_set_drop(&c->sets, done);
}

void race_learn_reads(struct race_clocks *c, struct race_block *b, const struct warp *w, u32 lane,
		      const struct race_location *at)
{
	lane_learns(c, &b->warps[w->index], lane, at->reads);
}
