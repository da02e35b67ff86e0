/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared memory of 1.x: 16 banks, half-warps apart, wider words as so many requests of 32 bits. A part of memory/banks.h.
 */
#ifndef PTXSIM_MEMORY_HALF_WARPS_H
#define PTXSIM_MEMORY_HALF_WARPS_H

#include "memory/banks.h"

/* Counts a load or store into *count, whose fields are 0: units, wavefronts and degree; and into the detail, if there is one. */
void half_warps_count(const struct bank_access *a, bool is_load, const u32 address[WARP_LANES],
		      struct bank_count *count, struct bank_detail *detail);

#endif
