/* SPDX-License-Identifier: Apache-2.0
 *
 * Accesses of global memory that surely come together, to one place: one range test serves them all.
 */
#ifndef PTXSIM_NATIVE_SPOTS_H
#define PTXSIM_NATIVE_SPOTS_H

#include "native/region.h"

/* Notes them in a block of the region. */
void region_note_spots(const struct code_flow *f, struct region *r, struct region_block *x);

#endif
