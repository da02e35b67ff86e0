/* SPDX-License-Identifier: Apache-2.0
 *
 * Counting one access of a site: the part of the accounting observer that runs for every memory
 * instruction of every warp.
 */
#ifndef PTXSIM_OBSERVE_COUNT_H
#define PTXSIM_OBSERVE_COUNT_H

#include "observe/accounting.h"
#include "observe/caches.h"

/* What counting goes by, the same for all workers. */
struct counting {
	const struct arch *arch;
	const struct accounting_options *options;
	struct caches *caches; /* or NULL */
};

/* A worker's memory of a site's last access; zeroed before the first. */
struct memo;
size_t count_memo_bytes(void);

/* Adds the access to the site's sums, at once or by count_finish; memos: of all sites. is_guard: `i` is the guard before the
 * site's instruction. */
void count_access(const struct counting *a, const struct account_site *s, struct account *to, struct memo *memos,
                  u32 site, const struct warp *w, const struct insn *i, const u8 *rows, u32 mask, bool is_guard);

/* Adds what the memories of all sites still hold back. */
void count_finish(struct memo *memos, struct account *sums, u32 count);

#endif
