/* SPDX-License-Identifier: Apache-2.0
 *
 * Which bytes of a piece of memory have been written, and which bits of them are defined: a bit for each byte, and once
 * something undefined is stored, a mask for each byte and an origin for each word. A part of the check of unwritten
 * values.
 */
#ifndef PTXSIM_OBSERVE_WRITTEN_H
#define PTXSIM_OBSERVE_WRITTEN_H

#include "base/arena.h"

struct written {
	u64 size;      /* bytes */
	u64 left;      /* not written yet */
	u8 *bits;      /* a bit for each byte: written */
	u8 *undefined; /* of written bytes, which bits are not defined; NULL: none */
	u32 *origins;  /* with `undefined`: of each four bytes, where that came from */
};

enum { WRITTEN_MOST = 16 }; /* bytes of one access */

/* Nothing is written. */
void written_init(struct written *w, struct arena *arena, u64 size);
void written_clear(struct written *w);
void written_mark(struct written *w, u64 offset, u64 bytes);
/* They are not written any more. */
void written_forget(struct written *w, u64 offset, u64 bytes);
/* Is any of these bytes not written? Is any bit of them not defined, written or not? Inside `size`. */
bool written_misses(const struct written *w, u64 offset, u64 bytes);
bool written_lacks(const struct written *w, u64 offset, u64 bytes);
/* The undefined bits of up to WRITTEN_MOST bytes, and where they come from, if that is known (else *origin is left). */
void written_get(const struct written *w, u64 offset, u32 bytes, u8 *mask, u32 *origin);
/* They are stored there. */
void written_put(struct written *w, struct arena *arena, u64 offset, u32 bytes, const u8 *mask, u32 origin);
/* `bytes` of `from` are copied. */
void written_copy(struct written *to, struct arena *arena, u64 offset, const struct written *from, u64 from_offset,
		  u64 bytes, u32 origin);

/* What is known of `bytes` of `from` is so of `to`, which knows nothing yet. */
void written_take(struct written *to, struct arena *arena, u64 offset, const struct written *from, u64 from_offset,
		  u64 bytes);

/* What is written in the other one, of the same size, is so here. Neither keeps undefined bits. */
void written_add(struct written *w, const struct written *more);

/* The same for a warp's lanes at once, each with `bytes` (up to 8) at its own offset, where nothing undefined is stored: are all written, or
 * are they from now on? False: nothing has been done, because some are not, or lie outside. */
bool written_has_lanes(const struct written *w, const u64 *offset, u32 lanes, u32 bytes);
bool written_mark_lanes(struct written *w, const u64 *offset, u32 lanes, u32 bytes);

/* Nothing that could be asked about is undefined. */
static inline bool written_is_whole(const struct written *w) { return !w->left && !w->undefined; }

#endif
