/* SPDX-License-Identifier: Apache-2.0
 *
 * What is known of memory that came unwritten, between launches whose checks are made anew: which bytes kernels, copies and
 * fills have written. A launch takes what is known of the allocations that it touches, and gives it back when it ends.
 *
 * All calls are safe from any thread. Memory that runs out makes an allocation count as written.
 */
#ifndef PTXSIM_OBSERVE_WRITTEN_KEPT_H
#define PTXSIM_OBSERVE_WRITTEN_KEPT_H

#include "observe/written.h"

struct written_kept;

/* NULL: no memory. It lives as long as the process. */
struct written_kept *written_kept_new(void);
/* An allocation begins, with nothing written; it ends. Others count as written. */
void written_kept_add(struct written_kept *k, u64 base, u64 size);
void written_kept_drop(struct written_kept *k, u64 base);
/* The host, or a fill, writes. */
void written_kept_mark(struct written_kept *k, u64 address, u64 bytes);
/* A copy: what is written at `from` is so at `to`. */
void written_kept_copy(struct written_kept *k, u64 to, u64 from, u64 bytes);
/* The first run of at least `least` bytes of them that nothing has written: how many; 0: there is none. */
u64 written_kept_first(struct written_kept *k, u64 address, u64 bytes, u64 least, u64 *first);
/* Something has run that nobody looked at: all counts as written. */
void written_kept_all(struct written_kept *k);
/* There is nothing that is not written. */
bool written_kept_is_whole(struct written_kept *k);

/* A launch: what is known of the allocation that begins at `base`, into `to`, of the same size, in which nothing is written
 * yet; false: all of it is. And what is known of it afterwards; `taken`: what the former has said. */
bool written_kept_take(struct written_kept *k, u64 base, struct written *to);
void written_kept_give(struct written_kept *k, u64 base, const struct written *from, bool taken);
/* Bytes that the launch has not written since it took what was known: may another one have, which runs beside it or has ended
 * since? */
bool written_kept_elsewhere(struct written_kept *k, u64 address, u64 bytes);

#endif
