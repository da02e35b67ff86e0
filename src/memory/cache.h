/* SPDX-License-Identifier: Apache-2.0
 *
 * A sectored, set-associative cache, and the way of a warp's access through the first and the
 * second level, counted by sector. Optional at run time. An estimate: sizes, lines, sectors and
 * write policies are the architecture's, but ways, replacement (least recently used) and the
 * choice of sets are not published, and time does not pass between accesses. One cache serves
 * one thread at a time.
 */
#ifndef PTXSIM_MEMORY_CACHE_H
#define PTXSIM_MEMORY_CACHE_H

#include "arch/arch.h"
#include "base/arena.h"
#include "memory/sectors.h"

enum cache_write {
	CACHE_WRITE_EVICT,   /* a write drops the sectors and goes on; nothing is allocated */
	CACHE_WRITE_THROUGH, /* a write updates sectors that are there and goes on */
	CACHE_WRITE_BACK,    /* a write allocates and stays, dirty, until the line must go */
};

struct cache_line;

struct cache {
	struct cache_line *lines; /* set after set; the arena's */
	u32 sets, ways;
	u32 line_bytes, sector_bytes;
	u32 clock; /* counts accesses, for replacement */
	enum cache_write write;
};

/* Sectors by outcome; sums over calls, which the caller zeroes first. */
struct cache_count {
	u64 read_hits, read_misses;
	u64 write_hits, write_misses;
	u64 written_back; /* dirty sectors that had to go */
};

/* An empty cache of at most `bytes` (0: every access misses) with lines of `line_bytes`, a power
 * of two times `sector_bytes`, at most 8 sectors. Lives as long as the arena. */
void cache_init(struct cache *cache, struct arena *arena, u32 bytes, u32 ways, u32 line_bytes, u32 sector_bytes,
		enum cache_write write);

/* The first level of one SM whose shared memory takes `shared_bytes`; the GPU's second level. */
void cache_init_l1(struct cache *cache, struct arena *arena, const struct arch *arch, u32 shared_bytes);
void cache_init_l2(struct cache *cache, struct arena *arena, const struct arch *arch);

/* Reads or writes the sectors of one line (bit i: sector i); returns those that the next level
 * must serve: misses of a read, and what a write passes on. */
u32 cache_access(struct cache *cache, u64 line, u32 sectors, bool write, struct cache_count *count);

/* Forgets everything, as between kernels (first level) or before a cold run. */
void cache_clear(struct cache *cache);

/* One warp's access to global memory through both levels: loads as `through_l1` says, stores by
 * the first level's policy, atomics at the second level alone (they drop the first level's
 * copy). Local memory: give addresses that are distinct by warp. `l1` may be NULL. */
void cache_warp(struct cache *l1, struct cache *l2, const struct sector_access *access, bool through_l1,
		const u64 address[WARP_LANES], struct cache_count *l1_count, struct cache_count *l2_count);

#endif
