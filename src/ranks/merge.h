/* SPDX-License-Identifier: Apache-2.0
 *
 * Putting together what ranks have written. Each rank's blocks ran on a memory of the rank's own, equal at the start.
 * Together they did what one machine does if no rank read what another one wrote, and bytes that several wrote have
 * one value; integer reductions of one kind, whose results nobody reads, are added up or compared. Anything else is a
 * conflict, and the launch must run on one rank.
 */
#ifndef PTXSIM_RANKS_MERGE_H
#define PTXSIM_RANKS_MERGE_H

#include "base/arena.h"
#include "observe/touched.h"
#include "ranks/parcel.h"

struct merge;

/* Of rank 0, after its own part ran; `own` is what it touched, `reductions` the kernel's kinds (decode/program.h). Lives
 * as long as the arena. */
struct merge *merge_new(struct arena *arena, const struct touched *own, u64 reductions);

/* Other ranks: the written pages, with their bytes. */
void merge_put_written(struct parcel *w, const struct touched *t);
/* Rank 0: takes what such a rank has put; *w must outlive the merge. Call it rank by rank. */
void merge_take_written(struct merge *m, struct parcel *w, u32 rank);

/* Rank 0: which pages have been written, for the others to say what they have read of these; and what they answer. */
void merge_put_question(const struct merge *m, struct parcel *w);
void merge_put_answer(struct parcel *answer, struct parcel *question, const struct touched *t, u32 rank);
void merge_take_answer(struct merge *m, struct parcel *w, u32 rank);

/* Whether the ranks up to `last` did together what one machine would have done; if not, a text that says what stands
 * in the way. */
bool merge_check(struct merge *m, u32 last, char *why, size_t size);
/* Makes memory of rank 0 what the ranks up to `last` have made of it. */
void merge_apply(struct merge *m, u32 last);
/* Calls `tell` with each page that any rank has written. */
void merge_written(const struct merge *m, void (*tell)(void *context, u64 base, u64 page), void *context);

#endif
