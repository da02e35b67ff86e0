/* SPDX-License-Identifier: Apache-2.0
 *
 * cp.async.ca. A pass moves lanes that differ in bank on both sides, the lowest first; a lane that must
 * wait keeps later ones from its banks.
 */
#include "memory/copies.h"

#include "memory/sectors.h"

static u32 bank_bit(u64 address, u32 width)
{
	u32 shift = (u32)__builtin_ctz(width);

	return 1u << (address >> shift & ((128u >> shift) - 1));
}

static u32 count_passes(u32 width, u32 mask, const u64 global[WARP_LANES], const u32 shared[WARP_LANES])
{
	u32 passes = 0;

	for (; mask; passes++) {
		u32 from = 0, to = 0, waiting = 0;

		for (u32 left = mask; left; left &= left - 1) {
			u32 l = (u32)__builtin_ctz(left);
			u32 read = bank_bit(global[l], width), write = bank_bit(shared[l], width);

			if (from & read || to & write)
				waiting |= 1u << l;
			from |= read;
			to |= write;
		}
		mask = waiting;
	}
	return passes;
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

void copies_count(const struct arch *arch, u32 width, u32 mask, const u64 global[WARP_LANES],
                  const u32 shared[WARP_LANES], struct copy_count *count)
{
	const struct sector_access load = {SECTOR_LOAD, width, mask, false};
	const u32 lanes = 128 / width;
	const u32 unit_mask = lanes == WARP_LANES ? FULL_MASK : (1u << lanes) - 1;
	struct sector_detail detail;
	struct sector_count n;

	*count = (struct copy_count){0};
	sectors_count_global(arch, &load, global, &n, &detail);
	for (u32 first = 0; first < WARP_LANES; first += lanes) {
		const u32 unit = mask & unit_mask << first;
		u32 passes = count_passes(width, unit, global, shared);

		count->units += unit != 0;
		count->wavefronts += (u16)passes;
		count->degree = (u16)max_u32(count->degree, passes);
		for (u32 w = 0; w < n.tag_wavefronts; w++) {
			u32 part = 0;

			for (u32 left = unit; left; left &= left - 1)
				part |= detail.tag_wavefront[__builtin_ctz(left)] == w ? left & -left : 0;
			if (!part)
				continue;
			passes = count_passes(width, part, global, shared) - 1;
			count->conflicts += (u16)passes;
			count->data_conflicts += (u16)(reads_meet(width, part, global) ? passes : 0);
		}
	}
}
