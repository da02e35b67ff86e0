/* SPDX-License-Identifier: Apache-2.0
 *
 * The estimate of hits and misses: a first-level cache for each SM of the architecture's sample
 * GPU and one second level, fed with each warp's accesses in the order in which the simulator runs
 * them. Block n runs on SM n modulo their number. For one host thread.
 */
#ifndef PTXSIM_OBSERVE_CACHES_H
#define PTXSIM_OBSERVE_CACHES_H

#include "exec/grid.h"
#include "memory/cache.h"

struct caches;

/* Lives as long as the arena. keep_l2: the second level outlives a launch, as on hardware; else each
 * launch starts cold, as profilers have it. */
struct caches *caches_new(struct arena *arena, const struct arch *arch, bool keep_l2);
void caches_free(struct caches *c);

/* A launch begins; its first block starts, which says how much shared memory is taken. */
void caches_begin(struct caches *c);
void caches_block(struct caches *c, const struct block *b);

struct cache_outcome {
	struct cache_count l1, l2; /* sectors */
};

/* A warp's access to global memory. */
void caches_global(struct caches *c, const struct block *b, const struct sector_access *access, bool through_l1,
		   const u64 address[WARP_LANES], struct cache_outcome *outcome);
/* To local memory: byte offsets in each lane's own. */
void caches_local(struct caches *c, const struct warp *w, const struct sector_access *access,
		  const u64 offset[WARP_LANES], struct cache_outcome *outcome);

#endif
