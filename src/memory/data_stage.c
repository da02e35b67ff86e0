/* SPDX-License-Identifier: Apache-2.0
 *
 * The data stage serves the lanes of a part (one tag wavefront, or the first few together) as shared memory's banks serve a
 * store; atomics go through it twice, with their operands and with what they read. Inferred from recordings.
 */
#include "memory/data_stage.h"

#include <string.h>

#include "memory/banks.h"

/* The data stage serves the lanes of a part by shared memory's store rule. Addresses are folded
 * to (line, byte of line), which keeps banks and distinctness. `lane_bytes` sets the units. */
struct data_stage {
	const struct arch *arch;
	u32 width, lane_bytes;
	u32 address[WARP_LANES];
	u32 wavefronts, groups;
};

static void fold_addresses(struct data_stage *d, u32 mask, const u64 address[WARP_LANES], const struct lines *lines)
{
	for (u32 left = mask; left; left &= left - 1) {
		u32 l = (u32)__builtin_ctz(left);

		d->address[l] = (u32)lines->of_lane[l] << LINE_SHIFT | ((u32)address[l] & ((1u << LINE_SHIFT) - 1));
	}
}

/* Where the operands of atomics go: to their places in the line. If each line that a tag wavefront visits
 * has one lane, its sectors travel by half: their two halves of 16 bytes fall together. Compare and
 * swap, of which two operands go, has half as many places: those of a half line, or one for each sector. Equals
 * all recorded atomics and reductions. */
static void place_operands(struct data_stage *d, u32 mask, const struct lines *lines, bool two)
{
	const u32 single = two ? 0x60 : 0x6f, several = two ? 0x3f : 0x7f;

	for (u32 left = mask; left; left &= left - 1) {
		u32 l = (u32)__builtin_ctz(left);
		bool alone = lines->single >> lines->wavefront[lines->of_lane[l]] & 1;

		d->address[l] &= ~((1u << LINE_SHIFT) - 1) | (alone ? single : several);
	}
}

/* Enters a word in the set of words seen; true if it is new. A word that several lanes share moves once. */
static bool enter_word(u32 word, u32 keys[64], u64 *used)
{
	u32 at = word * 0x9e3779b1u >> 26;

	while (*used >> at & 1 && keys[at] != word)
		at = (at + 1) & 63;
	if (*used >> at & 1)
		return false;
	*used |= 1ull << at;
	keys[at] = word;
	return true;
}

/* Counts the data wavefronts of a warp with several tag wavefronts. Each tag wavefront is a part of its own, but the
 * first `merged` form one. Within a part, lanes form units (unit_shift) and a unit's words fall into slots:
 *
 *     part  unit  slots: cell = different words      most = wavefronts of the unit
 *      0     0    | 1 | 1 | 2 | 0 | ...               2
 *      0     1    | 1 | 0 | 0 | 1 | ...               1
 *      1     0    | 3 | 1 | ...                       3       together 6 wavefronts in 3 groups
 *
 * A word that several lanes of a unit share counts once: the set of keys (part 5 bits, unit 4, word 23) tells. */
static void serve_parts(struct data_stage *d, u32 mask, const struct lines *lines, u32 merged)
{
	u32 shift = (u32)__builtin_ctz(max_u32(d->width, 4)), slots = 128u >> shift;
	u32 unit_shift = d->lane_bytes <= 4 ? 5 : 7 - (u32)__builtin_ctz(d->lane_bytes),
	    units = WARP_LANES >> unit_shift;
	u32 keys[64];
	u64 used = 0;
	u8 cell[WARP_LANES][64], most[WARP_LANES][16];

	memset(cell, 0, lines->tag_wavefronts * sizeof cell[0]);
	memset(most, 0, lines->tag_wavefronts * sizeof most[0]);
	for (u32 left = mask; left; left &= left - 1) {
		u32 l = (u32)__builtin_ctz(left), word = d->address[l] >> shift;
		u32 part = lines->wavefront[lines->of_lane[l]], unit = l >> unit_shift;

		part = part < merged ? 0 : part;
		if (!enter_word(part << 27 | unit << 23 | word, keys, &used))
			continue;
		u8 *n = &cell[part][unit * slots + (word & (slots - 1))];

		most[part][unit] = (u8)max_u32(most[part][unit], ++*n);
	}
	d->wavefronts = d->groups = 0;
	for (u32 part = 0; part < lines->tag_wavefronts; part++)
		for (u32 unit = 0; unit < units; unit++) {
			d->wavefronts += most[part][unit];
			d->groups += most[part][unit] > 0;
		}
}

/* Vectors, by which banks are counted, are slower for few lanes. */
static bool has_few(u32 mask)
{
	enum { FEW = 8 };

	for (u32 k = 0; k < FEW; k++)
		mask &= mask - 1;
	return !mask;
}

static void serve_data(struct data_stage *d, u32 mask, const struct lines *lines, u32 merged)
{
	if (lines->tag_wavefronts > merged || d->lane_bytes != d->width || has_few(mask)) {
		serve_parts(d, mask, lines, merged);
		return;
	}
	struct bank_access a = {BANK_STORE, BANK_MODE_4, d->width, mask};
	struct bank_count n;

	banks_count(d->arch, &a, d->address, &n, NULL);
	d->wavefronts = n.wavefronts;
	d->groups = n.units;
}

/* Atomics write their operands, of which compare and swap has two, and read back; a reduction only
 * writes. */
static void count_atomic_data(struct data_stage *d, const struct sector_access *a, const struct lines *lines,
			      struct sector_count *count)
{
	const bool two = a->kind == SECTOR_ATOM_CAS;

	if (a->kind != SECTOR_RED) {
		serve_data(d, a->mask, lines, 1);
		count->data_reads = (u16)d->wavefronts;
		count->data_conflicts = (u16)(d->wavefronts - d->groups);
	}
	if (two && a->width == 16) {
		/* 128 bits: seen as three reads. */
		count->data_reads *= 3;
		return;
	}
	place_operands(d, a->mask, lines, two);
	d->lane_bytes = two ? 2 * a->width : a->width;
	serve_data(d, a->mask, lines, 1);
	count->data_writes = (u16)d->wavefronts;
	count->data_conflicts += (u16)(d->wavefronts - d->groups);
}

/* Tag wavefronts of the first part. Of loads each is a part, but all are one if nothing is missing; of
 * stores the first 8 are one (of bytes and halves: 4) and each later one is its own. */
static u32 part_length(const struct sector_access *a)
{
	if (a->kind == SECTOR_LOAD)
		return a->hits ? TAG_WAVEFRONTS : 1;
	return a->width < 4 ? 4 : 8;
}

void data_stage_count(const struct arch *arch, const struct sector_access *a, const u64 address[WARP_LANES],
		      const struct lines *lines, struct sector_count *count)
{
	struct data_stage d = {.arch = arch, .width = a->width, .lane_bytes = a->width};

	fold_addresses(&d, a->mask, address, lines);
	if (a->kind >= SECTOR_RED && a->kind <= SECTOR_ATOM_CAS) {
		count_atomic_data(&d, a, lines, count);
		return;
	}
	if (a->kind == SECTOR_ASYNC) {
		/* Data goes from the first level to shared memory (memory/copies.h): only the request
		 * itself is seen here. */
		count->data_writes = 1;
		return;
	}
	serve_data(&d, a->mask, lines, part_length(a));
	u32 excess = d.wavefronts - d.groups;

	if (a->kind == SECTOR_LOAD)
		count->data_reads = (u16)d.wavefronts;
	else
		count->data_writes = (u16)d.wavefronts;
	count->data_conflicts = (u16)excess;
}
