/* SPDX-License-Identifier: Apache-2.0 */
#include "native/through.h"

/* Longer ones have more rows than registers, which constants for all warps would take from them. BOUND_BLOCKS_MOST: of a kernel that looks at
 * a bound first. */
enum { INSNS_MOST = 64, BOUND_BLOCKS_MOST = 3 };

static bool parts_lanes(const struct region_block *x) { return x->end == REGION_BRANCH && !x->uniform && x->parts; }

/* Where lanes part warps mostly differ, and each would enter by itself, but for those that a launch's bound parts. */
bool region_pays_through_warps(const struct region *r)
{
	u32 insns = 0;

	for (u32 n = 0; n < r->block_count; n++) {
		const struct region_block *x = &r->blocks[n];
		if (x->backward || (parts_lanes(x) && !(r->is_last && r->block_count <= BOUND_BLOCKS_MOST)))
			return false;
		insns += x->insn_count;
	}
	return !r->lean && insns <= INSNS_MOST;
}
