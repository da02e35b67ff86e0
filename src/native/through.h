/* SPDX-License-Identifier: Apache-2.0
 *
 * Which regions are so short that to enter and to leave them takes as long as what they do: their functions go through all warps of a gang
 * themselves.
 */
#ifndef PTXSIM_NATIVE_THROUGH_H
#define PTXSIM_NATIVE_THROUGH_H

#include "native/region.h"

bool region_pays_through_warps(const struct region *r);

#endif
