/* SPDX-License-Identifier: Apache-2.0
 *
 * Banks of 1.x: see memory/half_warps.h. A request is served in steps; which lanes go in one is the CUDA C Programming
 * Guide's rule (version 4.2).
 */
#include "memory/half_warps.h"

/* A step of a 1.x load: every lane in the broadcast word, which is that of the lowest lane left
 * (the hardware's choice is not stated), and one lane of each other bank. */
static u32 load_step(u32 left, const u32 address[WARP_LANES], u32 offset)
{
	u32 word = (address[__builtin_ctz(left)] + offset) >> 2;
	u32 busy = 1u << (word & 15), done = 0;

	for (; left; left &= left - 1) {
		u32 l = (u32)__builtin_ctz(left), w = (address[l] + offset) >> 2;

		if (w != word && busy >> (w & 15) & 1)
			continue;
		busy |= 1u << (w & 15);
		done |= 1u << l;
	}
	return done;
}

/* A step of a 1.x store: one address of each bank. Of the lanes with one address a single one
 * writes, so the others cost nothing. */
static u32 store_step(u32 left, const u32 address[WARP_LANES], u32 offset)
{
	u32 held[16], busy = 0, done = 0;

	for (; left; left &= left - 1) {
		u32 l = (u32)__builtin_ctz(left), bank = (address[l] + offset) >> 2 & 15;

		if (busy >> bank & 1 && held[bank] != address[l])
			continue;
		busy |= 1u << bank;
		held[bank] = address[l];
		done |= 1u << l;
	}
	return done;
}

/* One request of 32 bits (or less) for each lane of a half-warp: its steps. */
static u32 serve_half(bool load, u32 mask, const u32 address[WARP_LANES], u32 offset, u32 before,
		      struct bank_detail *detail)
{
	u32 steps = 0;

	for (u32 left = mask; left; steps++) {
		u32 done = load ? load_step(left, address, offset) : store_step(left, address, offset);
		u32 banks = 0;

		for (u32 lanes = detail ? done : 0; lanes; lanes &= lanes - 1) {
			u32 l = (u32)__builtin_ctz(lanes);

			detail->wavefront[l] = (u16)(before + steps);
			banks |= 1u << ((address[l] + offset) >> 2 & 15);
		}
		for (; banks; banks &= banks - 1)
			detail->bank_words[__builtin_ctz(banks)]++;
		left &= ~done;
	}
	return steps;
}

void half_warps_count(const struct bank_access *a, bool is_load, const u32 address[WARP_LANES],
		      struct bank_count *count, struct bank_detail *detail)
{
	for (u32 half = 0; half < 2; half++) {
		u32 mask = a->mask & 0xffffu << 16 * half;

		for (u32 offset = 0; mask && offset < max_u32(a->width, 4); offset += 4) {
			u32 steps = serve_half(is_load, mask, address, offset, count->wavefronts, detail);

			for (u32 left = detail ? mask : 0; left; left &= left - 1)
				detail->unit[__builtin_ctz(left)] = (u8)count->units;
			count->units++;
			count->wavefronts += (u16)steps;
			count->degree = (u16)max_u32(count->degree, steps);
		}
	}
}
