/* SPDX-License-Identifier: Apache-2.0
 *
 * What a warp's cp.async.ca costs where bytes go from the first-level cache to shared memory: a pure
 * function of the addresses on both sides, as memory/banks.h and memory/sectors.h are for one side.
 * Equals what Nsight Compute reads on an H200 for all recorded patterns (tests/golden/metrics).
 */
#ifndef PTXSIM_MEMORY_COPIES_H
#define PTXSIM_MEMORY_COPIES_H

#include "arch/arch.h"
#include "base/types.h"

/* A *unit* is a warp (4 bytes a lane), a half (8) or a quarter (16), as of a store. */
struct copy_count {
	u16 units;          /* with an active lane */
	u16 wavefronts;     /* of the whole warp, as the source-level counters have it */
	u16 degree;         /* most wavefronts of a unit */
	u16 conflicts;      /* the hardware goes by tag wavefront: passes beyond one for each unit of each */
	u16 data_conflicts; /* of these, in units that meet in the banks of the cache, too */
};

/* `reads` are the lanes that fetch something, `zeros` those that only fill with zeros, which go apart.
 * `global` and `shared` hold the byte address of each lane on either side. */
void copies_count(const struct arch *arch, u32 width, u32 reads, u32 zeros, const u64 global[WARP_LANES],
		  const u32 shared[WARP_LANES], struct copy_count *count);

/* Of cp.async.cg only zeros pass the banks where conflicts are counted: of `zeros`, the lanes that fill
 * their bytes with them in part or whole; of several lanes on one address the last one's. */
u32 copies_bypass_conflicts(u32 zeros, const u32 shared[WARP_LANES]);

#endif
