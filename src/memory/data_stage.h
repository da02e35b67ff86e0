/* SPDX-License-Identifier: Apache-2.0
 *
 * The data stage, where the words of a global or local access move once its lines have been found: the second half of
 * memory/sectors.h, from 5.0 on.
 */
#ifndef PTXSIM_MEMORY_DATA_STAGE_H
#define PTXSIM_MEMORY_DATA_STAGE_H

#include "memory/sectors.h"

enum { LINE_SHIFT = 7, SECTOR_SHIFT = 5, TAG_BANKS = 4, TAG_WAVEFRONTS = WARP_LANES };

/* The lines that a warp touches, in the order of their first lanes. */
struct lines {
	u32 count;
	u32 tag_wavefronts;
	u64 key[WARP_LANES]; /* line number; of atomics before 5.0, with the lane's turn on its address in the bits above */
	u8 sectors[WARP_LANES];   /* a bit for each sector touched */
	u8 wavefront[WARP_LANES]; /* of the tag stage */
	u8 of_lane[WARP_LANES];   /* the line of each active lane */
	u32 single;               /* visits: a bit for each tag wavefront of which no visit serves two lanes */
};

/* Adds the data wavefronts of an access whose lines and tag wavefronts are known, and its conflicts, to *count: its fields
 * data_reads, data_writes and data_conflicts. */
void data_stage_count(const struct arch *arch, const struct sector_access *a, const u64 address[WARP_LANES],
		      const struct lines *lines, struct sector_count *count);

#endif
