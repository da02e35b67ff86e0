/* SPDX-License-Identifier: Apache-2.0
 *
 * Lookups: open addressing, grown at three quarters; items of one key stand in their order in the run of slots.
 */
#include "base/lookup.h"

enum { SLOTS_AT_FIRST = 16 };

struct lookup_slot {
	u64 key;
	u32 item;
	bool taken;
};

static u32 home(const struct lookup *l, u64 key)
{
	key = (key ^ key >> 32) * 0x9e3779b97f4a7c15u;
	return (u32)(key >> 32) & (l->slot_count - 1);
}

static void place(struct lookup *l, u64 key, u32 item)
{
	u32 at = home(l, key);

	while (l->slots[at].taken)
		at = (at + 1) & (l->slot_count - 1);
	l->slots[at] = (struct lookup_slot){key, item, true};
}

/* From a free slot on, so that items of one key keep their order where a run goes around the end. */
static void grow(struct arena *a, struct lookup *l)
{
	const struct lookup_slot *old = l->slots;
	const u32 old_count = l->slot_count;
	u32 from = 0;

	l->slot_count = old_count ? old_count * 2 : SLOTS_AT_FIRST;
	l->slots = ARENA_ARRAY(a, l->slot_count, struct lookup_slot);
	while (from < old_count && old[from].taken)
		from++;
	for (u32 k = 0; k < old_count; k++) {
		const struct lookup_slot *s = &old[(from + k) & (old_count - 1)];
		if (s->taken)
			place(l, s->key, s->item);
	}
}

void lookup_add(struct arena *a, struct lookup *l, u64 key, u32 item)
{
	if ((l->used + 1) * 4ull > l->slot_count * 3ull)
		grow(a, l);
	place(l, key, item);
	l->used++;
}

static u32 find_from(const struct lookup *l, u64 key, u32 *at)
{
	for (; l->slots[*at].taken; *at = (*at + 1) & (l->slot_count - 1))
		if (l->slots[*at].key == key)
			return l->slots[*at].item;
	return LOOKUP_NONE;
}

u32 lookup_first(const struct lookup *l, u64 key, u32 *at)
{
	if (!l->slot_count)
		return LOOKUP_NONE;
	*at = home(l, key);
	return find_from(l, key, at);
}

u32 lookup_next(const struct lookup *l, u64 key, u32 *at)
{
	*at = (*at + 1) & (l->slot_count - 1);
	return find_from(l, key, at);
}
