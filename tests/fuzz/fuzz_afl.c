/* SPDX-License-Identifier: Apache-2.0
 *
 * The mutations by the instruction table as a library for AFL++ (AFL_CUSTOM_MUTATOR_LIBRARY).
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_grammar.h"

enum { ROOM = 1 << 20 };

struct afl_mutator {
	u64 seed;
	char text[ROOM];
};

void *afl_custom_init(void *afl, unsigned seed);
size_t afl_custom_fuzz(struct afl_mutator *m, uint8_t *bytes, size_t length, uint8_t **changed, uint8_t *other,
		       size_t other_length, size_t room);
void afl_custom_deinit(struct afl_mutator *m);

void *afl_custom_init(void *afl, unsigned seed)
{
	struct afl_mutator *m = calloc(1, sizeof *m);

	(void)afl;
	if (m)
		m->seed = seed;
	return m;
}

size_t afl_custom_fuzz(struct afl_mutator *m, uint8_t *bytes, size_t length, uint8_t **changed, uint8_t *other,
		       size_t other_length, size_t room)
{
	(void)other;
	(void)other_length;
	if (room > ROOM)
		room = ROOM;
	if (length > room)
		length = room;
	memcpy(m->text, bytes, length);
	*changed = (uint8_t *)m->text;
	return fuzz_grammar_mutate(m->text, length, room, m->seed++);
}

void afl_custom_deinit(struct afl_mutator *m) { free(m); }
