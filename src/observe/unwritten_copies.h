/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies, for the check of unwritten values: written bits go along. A part of that check.
 */
#ifndef PTXSIM_OBSERVE_UNWRITTEN_COPIES_H
#define PTXSIM_OBSERVE_UNWRITTEN_COPIES_H

#include "observe/unwritten_memory.h"

/* cp.async, which is a site. */
void unwritten_copy_small(struct unwritten *u, struct warp *w, const struct account_site *s, const struct insn *i,
			  const u8 *rows, u32 mask);
/* Those that are none: bulk and tensor copies, and others (TRAIT_UNSEEN). */
void unwritten_copy_many(struct unwritten *u, struct warp *w, const struct insn *i, const u8 *rows, u32 mask);

#endif
