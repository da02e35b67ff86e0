/* SPDX-License-Identifier: Apache-2.0
 *
 * Making all ranks' memory that of rank 0 before a launch. Rank 0 keeps a hash of each page as the others have it; a
 * page whose content is another one now, or that a rank has written to since, is offered by its hash, and goes to the
 * ranks that do not have that content. So what is only read travels once, and what a rank has written itself does not
 * come back to it.
 */
#ifndef PTXSIM_RANKS_PAGES_H
#define PTXSIM_RANKS_PAGES_H

#include "memory/memory.h"
#include "observe/touched.h"
#include "ranks/parcel.h"

struct page_hash {
	u64 a, b;
};

/* An allocation, as the other ranks have it. */
struct shared_range {
	u64 base, size;
	u32 flags;
	struct page_hash *hashes;
	bool *dirty; /* pages that may differ from rank to rank */
};

/* Of rank 0. */
struct shared_pages {
	struct shared_range *ranges; /* from malloc, in the order of addresses */
	u32 count;
};

void shared_pages_free(struct shared_pages *s);
/* A page of memory that begins at `base` has been written to by some rank. */
void shared_pages_dirty(struct shared_pages *s, u64 base, u64 page);

/* Rank 0 and the others, at the same time: afterwards all have the allocations and the bytes of rank 0. Returns the
 * bytes that went from rank 0 to others; of a broadcast once. */
u64 pages_share(struct shared_pages *s, struct memory *m, const struct transport *t);
void pages_take(struct memory *m, struct arena *names, const struct transport *t);

#endif
