/* SPDX-License-Identifier: Apache-2.0
 *
 * The cache estimate: tags with a valid and a dirty bit for each sector, least recently used
 * replacement by a clock of accesses. Sets are chosen by the line's number with its upper bits
 * folded in, so that power-of-two strides do not all fall into one set, as on hardware.
 */
#include "memory/cache.h"

#include <assert.h>
#include <string.h>

struct cache_line {
	u64 number; /* address / line_bytes; counts only if `valid` is not 0 */
	u32 used;   /* the clock at the last access */
	u8 valid, dirty;
};

void cache_init(struct cache *cache, struct arena *arena, u32 bytes, u32 ways, u32 line_bytes, u32 sector_bytes,
		enum cache_write write)
{
	assert(sector_bytes && line_bytes % sector_bytes == 0 && line_bytes / sector_bytes <= 8);
	*cache = (struct cache){.ways = ways, .line_bytes = line_bytes, .sector_bytes = sector_bytes, .write = write};
	if (!bytes || !ways)
		return;
	cache->sets = max_u32(bytes / line_bytes / ways, 1);
	cache->lines = arena_array(arena, (size_t)cache->sets * ways, sizeof(struct cache_line));
}

void cache_init_l1(struct cache *cache, struct arena *arena, const struct arch *arch, u32 shared_bytes)
{
	cache_init(cache, arena, arch_l1_bytes(arch, shared_bytes), arch->l1_ways, arch->line, arch->sector,
		   arch->l1_write == ARCH_L1_WRITE_THROUGH ? CACHE_WRITE_THROUGH : CACHE_WRITE_EVICT);
}

void cache_init_l2(struct cache *cache, struct arena *arena, const struct arch *arch)
{
	cache_init(cache, arena, arch->l2_bytes, arch->l2_ways, arch->line, arch->sector, CACHE_WRITE_BACK);
}

void cache_clear(struct cache *cache)
{
	if (cache->lines)
		memset(cache->lines, 0, (size_t)cache->sets * cache->ways * sizeof(struct cache_line));
	cache->clock = 0;
}

static struct cache_line *set_of(const struct cache *cache, u64 number)
{
	u64 folded = number ^ number >> 10 ^ number >> 20;

	return cache->lines + folded % cache->sets * cache->ways;
}

/* The line, or NULL if it is not there. */
static struct cache_line *find_line(const struct cache *cache, u64 number)
{
	struct cache_line *set;

	if (!cache->lines)
		return NULL;
	set = set_of(cache, number);
	for (u32 w = 0; w < cache->ways; w++)
		if (set[w].valid && set[w].number == number)
			return &set[w];
	return NULL;
}

/* A line emptied for `number`: a free one, else the one used longest ago. */
static struct cache_line *take_line(struct cache *cache, u64 number, struct cache_count *count)
{
	struct cache_line *set = set_of(cache, number), *victim = set;

	for (u32 w = 0; w < cache->ways && victim->valid; w++)
		if (!set[w].valid || set[w].used < victim->used)
			victim = &set[w];
	count->written_back += (u64)__builtin_popcount(victim->dirty);
	*victim = (struct cache_line){.number = number};
	return victim;
}

static u32 read_sectors(struct cache *cache, u64 number, u32 sectors, struct cache_count *count)
{
	struct cache_line *line = find_line(cache, number);
	u32 missing = sectors & ~(line ? line->valid : 0u);

	count->read_hits += (u64)__builtin_popcount(sectors & ~missing);
	count->read_misses += (u64)__builtin_popcount(missing);
	if (!cache->lines)
		return missing;
	if (!line)
		line = take_line(cache, number, count);
	line->valid |= (u8)sectors;
	line->used = ++cache->clock;
	return missing;
}

static u32 write_sectors(struct cache *cache, u64 number, u32 sectors, struct cache_count *count)
{
	struct cache_line *line = find_line(cache, number);
	u32 present = sectors & (line ? line->valid : 0u);

	count->write_hits += (u64)__builtin_popcount(present);
	count->write_misses += (u64)__builtin_popcount(sectors & ~present);
	if (cache->write == CACHE_WRITE_EVICT) {
		if (line)
			line->valid &= (u8)~sectors;
		return sectors;
	}
	if (cache->write == CACHE_WRITE_THROUGH) {
		if (line)
			line->used = ++cache->clock;
		return sectors;
	}
	if (!cache->lines)
		return sectors;
	if (!line)
		line = take_line(cache, number, count);
	line->valid |= (u8)sectors;
	line->dirty |= (u8)sectors;
	line->used = ++cache->clock;
	return 0;
}

u32 cache_access(struct cache *cache, u64 line, u32 sectors, bool write, struct cache_count *count)
{
	u64 number = line / cache->line_bytes;

	return write ? write_sectors(cache, number, sectors, count) : read_sectors(cache, number, sectors, count);
}

/* Takes the lane's line out of `left` and returns its sectors, in lines of `line_bytes`. */
static u32 take_lanes(const struct cache *l2, u32 width, const u64 address[WARP_LANES], u64 line, u32 *left)
{
	u32 sectors = 0;

	for (u32 rest = *left; rest; rest &= rest - 1) {
		u32 l = (u32)__builtin_ctz(rest);
		u64 offset = address[l] - line;

		if (offset >= l2->line_bytes)
			continue;
		for (u32 b = 0; b < width; b += l2->sector_bytes)
			sectors |= 1u << (offset + b) / l2->sector_bytes;
		*left &= ~(1u << l);
	}
	return sectors;
}

static void drop_sectors(struct cache *cache, u64 number, u32 sectors)
{
	struct cache_line *line = find_line(cache, number);

	if (line)
		line->valid &= (u8)~sectors;
}

void cache_warp(struct cache *l1, struct cache *l2, const struct sector_access *access, bool through_l1,
		const u64 address[WARP_LANES], struct cache_count *l1_count, struct cache_count *l2_count)
{
	bool atomic = access->kind >= SECTOR_RED && access->kind <= SECTOR_ATOM_HALF_CAS;
	bool write = access->kind == SECTOR_STORE || atomic;
	struct cache_count unseen = {0};

	for (u32 left = access->mask; left;) {
		u64 first = address[__builtin_ctz(left)];
		u64 line = first - first % l2->line_bytes;
		u32 sectors = take_lanes(l2, access->width, address, line, &left);

		if (l1 && atomic)
			drop_sectors(l1, line / l1->line_bytes, sectors);
		else if (l1 && (write || through_l1))
			sectors = cache_access(l1, line, sectors, write, l1_count ? l1_count : &unseen);
		if (sectors)
			cache_access(l2, line, sectors, write, l2_count ? l2_count : &unseen);
	}
}
