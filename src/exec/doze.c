/* SPDX-License-Identifier: Apache-2.0
 *
 * The life of a cluster that polls:
 *
 *     AWAKE --- a pass that spins ---> SPUN --- one that is looked at ---> ASLEEP --- a word changed, or its time is up --.
 *       ^                                            |                       ^                                            |
 *       |`----------- it moved, or cannot be noted --'                       `--------------- and it spins again ---------|
 *        `----------------------------------------------------------------------------------------------- or moves -------'
 *
 * A look may miss what does not pass through exec/access.c, so a cluster sleeps for at most SLEEP_MOST rounds, and not at
 * all in rounds after one in which nothing moved: whether the launch stands still is judged by running all of it.
 */
#include "exec/doze.h"

#include <string.h>

#include "exec/internal.h"

enum { LOOKS_MOST = 1024, LOOK_SLOTS = 2 * LOOKS_MOST, SLEEP_MOST = 64, REST = 16 };

/* Words that have been noted, by a hash of their address. */
struct doze_look {
	struct polled *slots; /* LOOK_SLOTS; free: of size 0 */
	u32 count;
	bool failed; /* too many of them, or too large */
};

static struct polled *slot_of(struct doze_look *look, const u8 *host)
{
	u32 at = (u32)((uintptr_t)host / 4 * 0x9e3779b1u) % LOOK_SLOTS;

	while (look->slots[at].size && look->slots[at].host != host)
		at = (at + 1) % LOOK_SLOTS;
	return &look->slots[at];
}

bool doze_note(struct doze_look *look, const u8 *host, u64 bytes, bool of_lane)
{
	if (bytes > sizeof look->slots->value) {
		look->failed |= of_lane;
		return of_lane;
	}
	struct polled *p = slot_of(look, host);
	if (p->size >= bytes)
		return true;
	look->failed |= look->count == LOOKS_MOST;
	if (look->failed)
		return true;
	look->count += !p->size;
	p->host = host;
	p->size = (u32)bytes;
	memcpy(p->value, host, bytes);
	return true;
}

/* All accesses go the way on which they are noted (global_range_slow), as nothing is remembered. */
static void begin_look(struct worker *k)
{
	if (!k->look_room) {
		k->look_room = ARENA_NEW(&k->arena, struct doze_look);
		k->look_room->slots = ARENA_ARRAY(&k->arena, LOOK_SLOTS, struct polled);
	}
	if (k->look_room->count)
		memset(k->look_room->slots, 0, LOOK_SLOTS * sizeof *k->look_room->slots);
	k->look_room->count = 0;
	k->look_room->failed = false;
	memset(k->allocations, 0, sizeof k->allocations);
	k->look = k->look_room;
}

static bool is_same(const struct polled *p) { return !memcmp(p->host, p->value, p->size); }

/* Keeps what has been noted; false: there is nothing, or it has changed meanwhile, by the cluster itself perhaps. */
static bool keep_look(struct worker *k, struct doze *d)
{
	const struct doze_look *look = k->look_room;

	if (look->failed || !look->count)
		return false;
	if (d->room < look->count) {
		d->room = look->count * 2;
		d->polled = ARENA_ARRAY(&k->arena, d->room, struct polled);
	}
	d->count = 0;
	for (u32 n = 0; n < LOOK_SLOTS; n++) {
		if (!look->slots[n].size)
			continue;
		if (!is_same(&look->slots[n]))
			return false;
		d->polled[d->count++] = look->slots[n];
	}
	d->generation = k->generation;
	return true;
}

static bool has_changed(const struct worker *k, const struct doze *d)
{
	if (__atomic_load_n(&k->grid->memory->generation, __ATOMIC_ACQUIRE) != d->generation)
		return true;
	for (u32 n = 0; n < d->count; n++)
		if (!is_same(&d->polled[n]))
			return true;
	return false;
}

bool doze_on(struct worker *k, struct cluster *c)
{
	struct doze *d = &c->doze;

	if (c->pass_open || k->grid->worker_limit > 1)
		return false;
	if (d->state == DOZE_SPUN && k->active_count > 1 && !c->async && !k->grid->launch->schedule.mode) {
		d->state = DOZE_LOOKING;
		begin_look(k);
	}
	if (d->state != DOZE_ASLEEP)
		return false;
	if (has_changed(k, d)) {
		d->state = DOZE_AWAKE;
		return false;
	}
	if (k->still.passes || ++d->slept > SLEEP_MOST) {
		d->slept = 0;
		return false;
	}
	return true;
}

void doze_judge(struct worker *k, struct cluster *c, bool spun)
{
	struct doze *d = &c->doze;
	const bool looked = d->state == DOZE_LOOKING;

	if (looked)
		k->look = NULL;
	if (!spun) {
		d->state = DOZE_AWAKE;
	} else if (looked) {
		d->state = keep_look(k, d) ? DOZE_ASLEEP : DOZE_AWAKE;
		d->slept = 0;
		d->rest = d->state == DOZE_ASLEEP ? 0 : REST;
	} else if (d->state == DOZE_AWAKE) {
		d->state = d->rest ? DOZE_AWAKE : DOZE_SPUN;
		d->rest -= d->rest != 0;
	}
}
