/* SPDX-License-Identifier: Apache-2.0
 *
 * Loads along lists that say where other loads go: while one edge of a graph is looked at, the next one's node can be on its way.
 */
#ifndef PTXSIM_NATIVE_AHEAD_H
#define PTXSIM_NATIVE_AHEAD_H

#include "native/region.h"

/* Sets `ahead` of a block's instructions. */
void region_note_ahead(const struct region *r, const struct region_block *x);

#endif
