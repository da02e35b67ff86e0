/* SPDX-License-Identifier: Apache-2.0
 *
 * Accesses that surely come together and differ in their offsets alone: one range test serves them all.
 */
#ifndef PTXSIM_NATIVE_REACHES_H
#define PTXSIM_NATIVE_REACHES_H

#include "native/region.h"

/* Tells each access of a block of r how far those that come with it reach. */
void region_note_reaches(const struct region *r, const struct region_block *x);

#endif
