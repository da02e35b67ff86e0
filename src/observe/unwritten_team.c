/* SPDX-License-Identifier: Apache-2.0
 *
 * The check of unwritten values on several host threads (checks_team.h): each member begins with what is known of memory,
 * marks what its blocks write, and gives that back. What another member's blocks write is not written for it: a load of
 * that is given up, and the launch runs again on one thread.
 */
#include "observe/unwritten.h"

#include <string.h>

#include "observe/unwritten_memory.h"

/* What has stored undefined values is followed by the slower speed alone. */
bool unwritten_may_share(const struct unwritten *u)
{
	if (u->begins_slow)
		return false;
	for (u32 k = 0; k < UNWRITTEN_BUCKETS; k++)
		for (const struct unwritten_memory *m = u->memories[k]; m; m = m->next)
			if (m->written.undefined)
				return false;
	return true;
}

static void take_copy(struct unwritten *u, const struct allocation *a, const struct written *from)
{
	struct unwritten_memory *x = unwritten_memory_of(u, a, true);

	if (x->written.size != from->size)
		written_init(&x->written, u->arena, from->size);
	memcpy(x->written.bits, from->bits, from->size / 8 + 8);
	x->written.left = from->left;
}

void unwritten_join_team(struct unwritten *u, struct unwritten *own, const struct launch *l)
{
	if (!u->lasting)
		u->lasting = u->arena;
	u->arena = u->lasting;
	u->in_team = true;
	u->gave_up = false;
	for (u32 k = 0; k < l->memory->count; k++) {
		const struct allocation *a = &l->memory->list[k];
		const struct unwritten_memory *x = unwritten_memory_of(own, a, false);
		if (x)
			take_copy(u, a, &x->written);
	}
	/* What is allocated from now on, by several threads, is of the launch. */
	u->arena = u->findings->arena;
}

void unwritten_leave_team(const struct unwritten *u, struct unwritten *own)
{
	for (u32 k = 0; k < UNWRITTEN_BUCKETS; k++)
		for (const struct unwritten_memory *m = u->memories[k]; m; m = m->next)
			for (struct unwritten_memory *x = own->memories[k]; x; x = x->next)
				if (x->base == m->base)
					written_add(&x->written, &m->written);
}

bool unwritten_gave_up(const struct unwritten *u) { return u->gave_up; }
