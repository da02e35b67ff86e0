/* SPDX-License-Identifier: Apache-2.0
 *
 * The clocks of the race check.
 */
#include "observe/race_clocks.h"

#include <string.h>

static void join(struct race_clock *to, const struct race_clock *from)
{
	for (u32 k = 0; k < RACE_WARPS; k++)
		to->of[k] = max_u32(to->of[k], from->of[k]);
	to->others = max_u32(to->others, from->others);
}

static void know_all(struct race_clock *to, u32 time)
{
	for (u32 k = 0; k < RACE_WARPS; k++)
		to->of[k] = max_u32(to->of[k], time);
	to->others = max_u32(to->others, time);
}

bool race_ordered(const struct race_block *b, const struct warp *w, u32 lane, const struct race_mark *m)
{
	const struct race_clock *c = &b->warps[w->index].clock;

	if (m->block != (u32)w->block->index)
		return m->time <= c->others;
	if (m->warp == w->index && (m->lane == lane || !w->machine->independent))
		return true;
	return m->time <= c->of[m->warp];
}

void race_resume(struct race_clocks *c, struct race_block *b, const struct warp *w)
{
	struct race_warp *me = &b->warps[w->index];

	if (me->meets)
		know_all(&me->clock, c->met);
	me->meets = false;
	for (u32 left = me->waits; left; left &= left - 1) {
		const u32 n = (u32)__builtin_ctz(left);
		const u64 phase = me->waits_phase[n];
		if (w->block->barriers[n].phase == phase)
			continue;
		join(&me->clock, &b->arrivals[n][phase & 1].clock);
		me->waits &= ~(1u << n);
	}
}

void race_arrive(struct race_clocks *c, struct race_block *b, const struct warp *w, u32 number, bool waits)
{
	struct race_warp *me = &b->warps[w->index];
	const u64 phase = w->block->barriers[number].phase;
	struct race_arrivals *a = &b->arrivals[number][phase & 1];

	if (a->phase != phase) {
		memset(a, 0, sizeof *a);
		a->phase = phase;
	}
	me->clock.of[w->index] = c->now;
	join(&a->clock, &me->clock);
	c->now++;
	if (!waits)
		return;
	me->waits |= 1u << number;
	me->waits_phase[number] = phase;
}

void race_meet_lanes(struct race_clocks *c, struct race_block *b, const struct warp *w)
{
	b->warps[w->index].clock.of[w->index] = c->now++;
}

void race_meet(struct race_clocks *c, struct race_block *b, const struct warp *w, bool waits)
{
	struct race_warp *me = &b->warps[w->index];

	know_all(&me->clock, c->met);
	c->met = c->now++;
	me->meets |= waits;
}

void race_learn(struct race_block *b, const struct warp *w, const struct race_mark *m)
{
	struct race_clock *me = &b->warps[w->index].clock;

	if (m->block != (u32)w->block->index) {
		know_all(me, m->time);
		return;
	}
	join(me, &b->warps[m->warp].clock);
	me->of[m->warp] = max_u32(me->of[m->warp], m->time);
}
