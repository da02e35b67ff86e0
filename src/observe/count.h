/* SPDX-License-Identifier: Apache-2.0
 *
 * Counting one access of a site: the part of the accounting observer that runs for every memory
 * instruction of every warp.
 */
#ifndef PTXSIM_OBSERVE_COUNT_H
#define PTXSIM_OBSERVE_COUNT_H

#include "observe/accounting.h"
#include "observe/caches.h"
#include "observe/memo.h"

/* What counting goes by, the same for all workers. */
struct counting {
	const struct arch *arch;
	const struct accounting_options *options;
	struct caches *caches; /* or NULL */
	struct alike alike;
};

/* Of a site with `fixed`: what a block's warps add when a gang of them all runs it. */
struct fixed_count {
	u64 times; /* not yet added */
	u64 block; /* the first, whose samples were looked at */
	struct account unit;
};

/* Adds the access to the site's sums, at once or by count_finish. is_guard: `i` is the guard before the site's
 * instruction. */
void count_access(const struct counting *a, const struct account_site *s, struct account *to, struct memo *m,
		  const struct warp *w, const struct insn *i, const u8 *rows, u32 mask, bool is_guard);
/* The same for all warps of a gang. f: NULL if the site is not fixed. */
void count_gang(const struct counting *a, const struct account_site *s, struct account *to, struct memo *m,
		struct fixed_count *f, const struct gang *g, const struct insn *i, bool is_guard);

/* Adds the access to *to alone, at once and without remembering it. */
void count_alone(const struct counting *a, const struct account_site *s, struct account *to, const struct warp *w,
		 const struct insn *i, const u8 *rows, u32 mask, bool is_guard);

/* What one access costs by itself, before any cache: *sample, in which space, mask and addresses are given, gets the
 * rest. In shared memory wavefronts, in global and local memory sectors, elsewhere replays. */
void count_cost(const struct counting *a, const struct account_site *s, const struct warp *w,
		struct account_sample *sample);

/* `times` such accesses by all lanes, of which the first one's sample was looked at. */
void count_repeated(const struct counting *a, const struct account_site *s, struct account *to, const struct warp *w,
		    const struct insn *i, const u8 *rows, u64 times);

/* Whether its accesses may be counted together, later, if its memo's pattern has a log for them. */
bool count_logs(const struct counting *a, const struct account_site *s);

/* Adds what is held back. */
void count_finish(const struct counting *a, const struct account_site *s, struct memo *m, struct fixed_count *f,
		  struct account *to);

#endif
