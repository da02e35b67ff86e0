/* SPDX-License-Identifier: Apache-2.0
 *
 * Which bytes of global memory a launch reads, writes and reduces: an observer that keeps masks, a bit for each byte,
 * of the pages that are touched. It is what tells whether blocks that ran on different machines, each on memory of
 * its own, did what they would have done on one: src/ranks.
 *
 * A page is a part of one allocation, counted from its first byte. Host threads set bits together. Only what
 * touched_refuses() lets through is seen whole.
 */
#ifndef PTXSIM_OBSERVE_TOUCHED_H
#define PTXSIM_OBSERVE_TOUCHED_H

#include "exec/launch.h"

enum { TOUCHED_PAGE = 4096, TOUCHED_WORDS = TOUCHED_PAGE / 64 };

struct touched_page {
	/* A bit for each byte. Reduced: by operations that commute and give nothing back. */
	u64 read[TOUCHED_WORDS], written[TOUCHED_WORDS], reduced[TOUCHED_WORDS];
	u8 *image; /* the page's bytes before the first write; NULL: there was none, or images are not kept */
};

/* An allocation, as it was when the launch began. */
struct touched_range {
	u64 base, size;
	u8 *host;
	struct touched_page **pages; /* NULL where nothing was touched */
	u64 page_count;
};

struct touched;

/* Why the accesses of what the kernel may run cannot all be seen: "cp.async.bulk...", and where; NULL: they can.
 * The text lives as long as the arena. */
const char *touched_refuses(struct arena *arena, const struct program *program, const struct kernel *kernel);

/* Lives as long as the arena; the program must too. keep_images: written pages keep what was in them. */
struct touched *touched_new(struct arena *arena, const struct program *program, bool keep_images);
void touched_free(struct touched *t);
/* Before a launch: forgets the last one, and looks at the memory's allocations. False: no memory is left. */
bool touched_begin(struct touched *t, const struct memory *m);
struct observer *touched_observer(struct touched *t);
/* After it. False: memory ran out, and the masks are not whole. */
bool touched_is_whole(const struct touched *t);
const struct touched_range *touched_ranges(const struct touched *t, u32 *count);
/* Puts written and reduced pages back as they were; with images only. */
void touched_undo(const struct touched *t);

#endif
