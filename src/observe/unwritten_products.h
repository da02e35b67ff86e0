/* SPDX-License-Identifier: Apache-2.0
 *
 * Products by a warpgroup, for the check of unwritten values. A part of that check.
 */
#ifndef PTXSIM_OBSERVE_UNWRITTEN_PRODUCTS_H
#define PTXSIM_OBSERVE_UNWRITTEN_PRODUCTS_H

#include "observe/unwritten_memory.h"

/* wgmma, which takes matrices from shared memory by descriptors. */
bool unwritten_is_product(const struct form *f);
void unwritten_product(struct unwritten *u, struct warp *w, const struct insn *i, const u8 *rows, u32 mask);

#endif
