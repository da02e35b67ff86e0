/* SPDX-License-Identifier: Apache-2.0
 *
 * Finding the items of a list by a key of 64 bits, an address or a hash of what they hold. Several items may
 * have one key: whoever asks compares what the key leaves open. All zero is an empty one; its memory is the
 * arena's. Items come in the order in which they were added, never in one that depends on the keys.
 */
#ifndef PTXSIM_BASE_LOOKUP_H
#define PTXSIM_BASE_LOOKUP_H

#include "base/arena.h"

struct lookup {
	struct lookup_slot *slots;
	u32 slot_count, used;
};

enum { LOOKUP_NONE = 0xffffffff };

void lookup_add(struct arena *a, struct lookup *l, u64 key, u32 item);
/* The item with that key, and the next one; `at` is where the search stands. LOOKUP_NONE: there is none. */
u32 lookup_first(const struct lookup *l, u64 key, u32 *at);
u32 lookup_next(const struct lookup *l, u64 key, u32 *at);
/* The first item with that key. */
static inline u32 lookup_find(const struct lookup *l, u64 key)
{
	u32 at;

	return lookup_first(l, key, &at);
}

static inline u64 lookup_address(const void *p) { return (u64)(uintptr_t)p; }

#endif
