/* SPDX-License-Identifier: Apache-2.0
 *
 * Interned strings: equal texts have one address, so names are compared as pointers.
 */
#ifndef PTXSIM_BASE_STRINGS_H
#define PTXSIM_BASE_STRINGS_H

#include "base/arena.h"

struct strings {
	struct arena *arena;
	const char **slots; /* open addressing; a power of two of them */
	u32 slot_count, used;
};

void strings_init(struct strings *s, struct arena *arena);
/* The one copy of text[0..length), NUL-terminated; lives as long as the arena. */
const char *strings_intern(struct strings *s, const char *text, size_t length);
const char *strings_intern_text(struct strings *s, const char *text);

#endif
