/* SPDX-License-Identifier: Apache-2.0
 *
 * Interned strings: a hash table (FNV-1a) of addresses, grown at three quarters.
 */
#include "base/strings.h"

#include <string.h>

enum { SLOTS_AT_FIRST = 256 };

void strings_init(struct strings *s, struct arena *arena)
{
	s->arena = arena;
	s->slot_count = SLOTS_AT_FIRST;
	s->slots = ARENA_ARRAY(arena, s->slot_count, const char *);
	s->used = 0;
}

static u32 hash_text(const char *text, size_t length)
{
	u32 h = 2166136261u;

	for (size_t i = 0; i < length; i++)
		h = (h ^ (u8)text[i]) * 16777619u;
	return h;
}

static void strings_double(struct strings *s)
{
	const char **old = s->slots;
	const u32 old_count = s->slot_count;

	s->slot_count *= 2;
	s->slots = ARENA_ARRAY(s->arena, s->slot_count, const char *);
	for (u32 i = 0; i < old_count; i++) {
		if (!old[i])
			continue;
		u32 at = hash_text(old[i], strlen(old[i])) & (s->slot_count - 1);
		while (s->slots[at])
			at = (at + 1) & (s->slot_count - 1);
		s->slots[at] = old[i];
	}
}

const char *strings_intern(struct strings *s, const char *text, size_t length)
{
	if ((s->used + 1) * 4 > s->slot_count * 3)
		strings_double(s);
	u32 at = hash_text(text, length) & (s->slot_count - 1);
	for (; s->slots[at]; at = (at + 1) & (s->slot_count - 1))
		if (!strncmp(s->slots[at], text, length) && !s->slots[at][length])
			return s->slots[at];
	s->used++;
	return s->slots[at] = arena_copy_text(s->arena, text, length);
}

const char *strings_intern_text(struct strings *s, const char *text) { return strings_intern(s, text, strlen(text)); }
