/* SPDX-License-Identifier: Apache-2.0
 *
 * cp.async.ca. A wavefront moves lanes that differ in bank on both sides, the lowest first; a lane that must
 * wait keeps later ones from its banks.
 */
#include "memory/copies.h"

#include "memory/sectors.h"

static u32 bank_bit(u64 address, u32 width)
{
	u32 shift = (u32)__builtin_ctz(width);

	return 1u << (address >> shift & ((128u >> shift) - 1));
}

/* global: NULL if nothing is read. */
static u32 move_wavefronts(u32 width, u32 mask, const u64 global[WARP_LANES], const u32 shared[WARP_LANES])
{
	u32 wavefronts = 0;

	for (; mask; wavefronts++) {
		u32 from = 0, to = 0, waiting = 0;

		for (u32 left = mask; left; left &= left - 1) {
			u32 l = (u32)__builtin_ctz(left);
			u32 read = global ? bank_bit(global[l], width) : 0, write = bank_bit(shared[l], width);

			if (from & read || to & write)
				waiting |= 1u << l;
			from |= read;
			to |= write;
		}
		mask = waiting;
	}
	return wavefronts;
}

/* Whether two lanes read in one bank. */
static bool reads_meet(u32 width, u32 mask, const u64 global[WARP_LANES])
{
	u32 banks = 0;

	for (u32 left = mask; left; left &= left - 1) {
		u32 bank = bank_bit(global[__builtin_ctz(left)], width);

		if (banks & bank)
			return true;
		banks |= bank;
	}
	return false;
}

/* A unit's lanes, those of each tag wavefront apart. */
static void count_unit(u32 width, u32 unit, u32 tag_wavefronts, const u8 wavefront[WARP_LANES],
		       const u64 global[WARP_LANES], const u32 shared[WARP_LANES], struct copy_count *count)
{
	for (u32 w = 0; w < tag_wavefronts; w++) {
		u32 part = 0;

		for (u32 left = unit; left; left &= left - 1)
			part |= wavefront[__builtin_ctz(left)] == w ? left & -left : 0;
		if (!part)
			continue;
		const u32 excess = move_wavefronts(width, part, global, shared) - 1;
		count->conflicts += (u16)excess;
		count->data_conflicts += (u16)(reads_meet(width, part, global) ? excess : 0);
	}
}

static u32 zero_conflicts(u32 width, u32 zeros, const u32 shared[WARP_LANES])
{
	return zeros ? move_wavefronts(width, zeros, NULL, shared) - 1 : 0;
}

static u32 lanes_of_unit(u32 width) { return width == 4 ? FULL_MASK : (1u << 128 / width) - 1; }

void copies_count(const struct arch *arch, u32 width, u32 reads, u32 zeros, const u64 global[WARP_LANES],
		  const u32 shared[WARP_LANES], struct copy_count *count)
{
	const struct sector_access load = {SECTOR_LOAD, width, reads, false, false};
	struct sector_detail detail;
	struct sector_count n;

	*count = (struct copy_count){0};
	sectors_count_global(arch, &load, global, &n, &detail);
	for (u32 first = 0; first < WARP_LANES; first += 128 / width) {
		const u32 unit = (reads | zeros) & lanes_of_unit(width) << first;
		const u32 wavefronts = move_wavefronts(width, unit, global, shared);

		count->units += unit != 0;
		count->wavefronts += (u16)wavefronts;
		count->degree = (u16)max_u32(count->degree, wavefronts);
		count_unit(width, unit & reads, n.tag_wavefronts, detail.tag_wavefront, global, shared, count);
		count->conflicts += (u16)zero_conflicts(width, unit & zeros, shared);
	}
}

u32 copies_bypass_conflicts(u32 zeros, const u32 shared[WARP_LANES])
{
	u32 conflicts = 0, kept = 0;

	for (u32 left = zeros; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		bool later = false;

		for (u32 rest = left & (left - 1); rest; rest &= rest - 1)
			later |= shared[__builtin_ctz(rest)] == shared[l];
		kept |= later ? 0 : 1u << l;
	}
	for (u32 first = 0; first < WARP_LANES; first += 8)
		conflicts += zero_conflicts(16, kept & 0xffu << first, shared);
	return conflicts;
}
