/* SPDX-License-Identifier: Apache-2.0
 *
 * Interned strings: a hash table of addresses, grown at three quarters. Before each text stand its hash and its
 * length, so that other texts need hardly ever be compared, and none when the table grows.
 */
#include "base/strings.h"

#include <string.h>

enum { SLOTS_AT_FIRST = 256 };

/* What stands before a text. */
struct head {
	size_t length;
	u32 hash;
};

static const struct head *head_of(const char *text)
{
	return (const struct head *)(const void *)(text - sizeof(struct head));
}

void strings_init(struct strings *s, struct arena *arena)
{
	s->arena = arena;
	s->slot_count = SLOTS_AT_FIRST;
	s->slots = ARENA_ARRAY(arena, s->slot_count, const char *);
	s->used = 0;
}

/* The last bytes of a text, fewer than eight. */
static u64 last_bytes(const char *text, size_t length)
{
	u64 word = 0;
	u32 four = 0;
	u16 two = 0;

	if (length & 4)
		word = (memcpy(&four, text, sizeof four), text += sizeof four, four);
	if (length & 2)
		word = word << 16 | (memcpy(&two, text, sizeof two), text += sizeof two, two);
	return length & 1 ? word << 8 | (u8)*text : word;
}

/* Eight bytes at a time: names are short, and a multiplication for each byte took longer than all else here. */
static u32 hash_text(const char *text, size_t length)
{
	const u64 factor = 0x9e3779b97f4a7c15;
	u64 h = length * factor, word;

	for (; length >= sizeof word; length -= sizeof word, text += sizeof word) {
		memcpy(&word, text, sizeof word);
		h = (h ^ word) * factor;
		h ^= h >> 32;
	}
	h = (h ^ last_bytes(text, length)) * factor;
	return (u32)(h ^ h >> 32);
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
		u32 at = head_of(old[i])->hash & (s->slot_count - 1);
		while (s->slots[at])
			at = (at + 1) & (s->slot_count - 1);
		s->slots[at] = old[i];
	}
}

static const char *add(struct strings *s, const char *text, struct head head)
{
	char *memory;

	if (head.length > SIZE_MAX / 2)
		arena_out_of_memory(s->arena);
	memory = arena_alloc(s->arena, sizeof head + head.length + 1);
	memcpy(memory, &head, sizeof head);
	memcpy(memory + sizeof head, text, head.length);
	s->used++;
	return memory + sizeof head;
}

const char *strings_intern(struct strings *s, const char *text, size_t length)
{
	const struct head head = {length, hash_text(text, length)};

	if ((s->used + 1) * 4 > s->slot_count * 3)
		strings_double(s);
	u32 at = head.hash & (s->slot_count - 1);
	for (; s->slots[at]; at = (at + 1) & (s->slot_count - 1)) {
		const struct head *other = head_of(s->slots[at]);
		if (other->hash == head.hash && other->length == length && !memcmp(s->slots[at], text, length))
			return s->slots[at];
	}
	return s->slots[at] = add(s, text, head);
}

const char *strings_intern_text(struct strings *s, const char *text) { return strings_intern(s, text, strlen(text)); }
