/* SPDX-License-Identifier: Apache-2.0
 *
 * Accounting of global, local and constant accesses. From 5.0 on the active lanes are gathered
 * into lines (for atomics: into visits to lines), lines go to four tag banks, and the
 * lanes of a tag wavefront pass the data stage as shared memory's stores do. Earlier
 * generations have their own short rules below.
 *
 *     lanes -> lines (gather_lines, gather_visits) -> tag wavefronts (4 banks, one line each at a time)
 *           -> data wavefronts (memory/data_stage.h)
 *
 * The stages were inferred from recordings.
 */
#include "memory/sectors.h"

#include <string.h>

#include "memory/banks.h"
#include "memory/data_stage.h"

/* The number of the line with this key, entered if new. `index` is a hash table with open addressing that holds line + 1:
 * at most half full, so probing ends. */
static u32 enter_line(struct lines *lines, u8 index[64], u64 key, bool *new)
{
	u32 at = (u32)(key * 0x9e3779b97f4a7c15ull >> 58);

	while (index[at] && lines->key[index[at] - 1] != key)
		at = (at + 1) & 63;
	*new = !index[at];
	if (*new) {
		lines->key[lines->count] = key;
		lines->sectors[lines->count] = 0;
		index[at] = (u8)++lines->count;
	}
	return index[at] - 1u;
}

/* Gathers the active lanes into lines of 1 << shift bytes. `turn` (may be NULL) tells apart
 * lanes that cannot share a line's visit. */
static void gather_lines(u32 mask, const u64 address[WARP_LANES], u32 shift, const u8 turn[WARP_LANES],
			 struct lines *lines)
{
	u8 index[64] = {0}, taken[TAG_BANKS] = {0};
	u64 last_key = ~0ull;
	u32 line = 0;

	lines->count = lines->tag_wavefronts = 0;
	for (u32 left = mask; left; left &= left - 1) {
		u32 l = (u32)__builtin_ctz(left);
		u64 key = address[l] >> shift | (turn ? (u64)turn[l] << 58 : 0);

		if (key != last_key) {
			bool new;

			line = enter_line(lines, index, key, &new);
			if (new) {
				u8 *next = &taken[sectors_tag_bank(address[l])];

				lines->wavefront[line] = (*next)++;
				lines->tag_wavefronts = max_u32(lines->tag_wavefronts, *next);
			}
			last_key = key;
		}
		lines->sectors[line] |= (u8)(1u << (address[l] >> SECTOR_SHIFT & 3));
		lines->of_lane[l] = (u8)line;
	}
}

static u32 count_sectors(const struct lines *lines)
{
	const u64 bits_of_nibble = 0x4332322132212110ull;
	u32 n = 0;

	for (u32 i = 0; i < lines->count; i++)
		n += (u32)(bits_of_nibble >> 4 * lines->sectors[i]) & 15;
	return n;
}

/* One tag bank's part of a tag wavefront: visits the line of the lowest lane that waits there, as line number
 * `lines->count`, and returns the lanes that it serves. A lane has to wait for the next visit if a lower one waits on the
 * same word of a line, be it of this line or of another: the bank tells waiting lanes apart by that alone. */
static u32 visit_line(u32 waiting, const u64 address[WARP_LANES], u32 shift, struct lines *lines)
{
	const u64 line = address[__builtin_ctz(waiting)] >> shift;
	u32 words = 0, served = 0;

	lines->sectors[lines->count] = 0;
	for (u32 left = waiting; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left), word = 1u << (address[l] >> 2 & 31);

		if (address[l] >> shift == line && !(words & word)) {
			served |= left & -left;
			lines->sectors[lines->count] |= (u8)(1u << (address[l] >> SECTOR_SHIFT & 3));
			lines->of_lane[l] = (u8)lines->count;
		}
		words |= word;
	}
	lines->key[lines->count] = line;
	lines->wavefront[lines->count++] = (u8)lines->tag_wavefronts;
	return served;
}

/* Atomics, from 5.0 on. The four tag banks work side by side, a visit of each that has lanes waiting in a tag wavefront:
 *
 *     tag wavefront   bank 0   bank 1   bank 2   bank 3
 *           0         line A     -      line B     -        all lanes of B served
 *           1         line A     -        -        -        lanes that met others on a word of A
 *
 * Each visit makes a line. `single`: the tag wavefronts in which every visit served one lane. Equals the sectors and tag
 * wavefronts of all 349 recorded atomics and reductions. */
static void gather_visits(u32 mask, const u64 address[WARP_LANES], u32 shift, struct lines *lines)
{
	u32 waiting[TAG_BANKS] = {0};

	for (u32 left = mask; left; left &= left - 1)
		waiting[sectors_tag_bank(address[__builtin_ctz(left)])] |= left & -left;
	lines->count = lines->tag_wavefronts = lines->single = 0;
	while (waiting[0] | waiting[1] | waiting[2] | waiting[3]) {
		lines->single |= 1u << lines->tag_wavefronts;
		for (u32 b = 0; b < TAG_BANKS; b++) {
			const u32 served = waiting[b] ? visit_line(waiting[b], address, shift, lines) : 0;

			waiting[b] &= ~served;
			if (served & (served - 1))
				lines->single &= ~(1u << lines->tag_wavefronts);
		}
		lines->tag_wavefronts++;
	}
}

/* Lanes with the same address are served one after the other: numbers them 0, 1, 2... */
static void number_turns(u32 mask, const u64 address[WARP_LANES], u8 turn[WARP_LANES])
{
	u8 latest[64], number[64];
	u64 used = 0;

	for (u32 left = mask; left; left &= left - 1) {
		u32 l = (u32)__builtin_ctz(left);
		u32 at = (u32)(address[l] * 0x9e3779b97f4a7c15ull >> 58);

		while (used >> at & 1 && address[latest[at]] != address[l])
			at = (at + 1) & 63;
		number[at] = used >> at & 1 ? (u8)(number[at] + 1) : 0;
		used |= 1ull << at;
		latest[at] = (u8)l;
		turn[l] = number[at];
	}
}

/* One more if `key` is not yet among the first `count` of `keys`, where it is put. */
static u32 enter_key(u32 keys[WARP_LANES], u32 count, u32 key)
{
	for (u32 k = 0; k < count; k++)
		if (keys[k] == key)
			return count;
	keys[count] = key;
	return count + 1;
}

/* Whether a later lane writes the same bytes of shared memory: then this one's are not fetched. */
static bool is_overwritten(u32 mask, u32 lane, const u32 shared[WARP_LANES])
{
	for (u32 later = lane == 31 ? 0 : mask >> (lane + 1) << (lane + 1); later; later &= later - 1)
		if (shared[__builtin_ctz(later)] == shared[lane])
			return true;
	return false;
}

/* cp.async.cg: each line gives a sector for each 32 bytes of shared memory that it fills in part
 * or whole. What would be one tag wavefront of a load goes in as many as there are pairs of a line there
 * and a line of shared memory among those whose numbers are equal modulo 4. The data stage sees the request
 * alone. Equals all 93 recorded patterns. */
static void count_bypass(u32 mask, const struct lines *lines, const u32 shared[WARP_LANES], struct sector_count *count)
{
	/* The global line above the sector, and above the line, of shared memory. */
	u32 sector[WARP_LANES], line[WARP_LANES], sectors = 0, pairs = 0;

	for (u32 left = mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left), from = (u32)lines->of_lane[l] << 27;

		if (!is_overwritten(mask, l, shared))
			sectors = enter_key(sector, sectors, from | shared[l] >> SECTOR_SHIFT);
		pairs = enter_key(line, pairs, from | shared[l] >> LINE_SHIFT);
	}
	count->sectors = (u16)sectors;
	count->tag_wavefronts = 0;
	for (u32 w = 0; w < lines->tag_wavefronts; w++) {
		u32 ways[4] = {0}, most = 0;

		for (u32 k = 0; k < pairs; k++)
			if (lines->wavefront[line[k] >> 27] == w)
				most = max_u32(most, ++ways[line[k] & 3]);
		count->tag_wavefronts += (u16)most;
	}
	count->data_writes = 1;
	count->data_reads = count->data_conflicts = 0;
}

void sectors_place_bypass(u32 mask, const u64 address[WARP_LANES], const u32 shared[WARP_LANES],
			  struct sector_count *count)
{
	struct lines lines;

	if (!mask)
		return;
	gather_lines(mask, address, LINE_SHIFT, NULL, &lines);
	count_bypass(mask, &lines, shared, count);
	count->transactions = count->touched_sectors = count->sectors;
	count->bytes_moved = 32u * count->sectors;
}

/* Enters the sectors from address `first` to `last` as lines: at most 9, of words of 32 bytes. */
static void enter_range(struct lines *lines, u8 taken[TAG_BANKS], u64 first, u64 last)
{
	for (u64 line = first >> LINE_SHIFT; line <= last >> LINE_SHIFT; line++) {
		u32 low = line == first >> LINE_SHIFT ? first >> SECTOR_SHIFT & 3 : 0;
		u32 high = line == last >> LINE_SHIFT ? last >> SECTOR_SHIFT & 3 : 3;
		u32 i = 0;

		while (i < lines->count && lines->key[i] != line)
			i++;
		if (i == lines->count) {
			u8 *next = &taken[sectors_tag_bank(line << LINE_SHIFT)];

			lines->key[i] = line;
			lines->sectors[i] = 0;
			lines->count++;
			lines->tag_wavefronts = max_u32(lines->tag_wavefronts, ++*next);
		}
		lines->sectors[i] |= (u8)((2u << high) - (1u << low));
	}
}

/* Whether each half-warp's lanes lie `stride` bytes apart; by vectors, since most accesses pass
 * here and nowhere else. */
static bool halves_have_stride(const u64 address[WARP_LANES], u64 stride)
{
	typedef u64 vec __attribute__((vector_size(16)));
	vec low = {address[0], address[0] + stride}, high = {address[16], address[16] + stride};
	vec step = {2 * stride, 2 * stride}, off = {0, 0}, a, b;

	for (u32 l = 0; l < 16; l += 2) {
		memcpy(&a, &address[l], sizeof a);
		memcpy(&b, &address[16 + l], sizeof b);
		off |= (a ^ low) | (b ^ high);
		low += step;
		high += step;
	}
	return (off[0] | off[1]) == 0;
}

/* All lanes side by side, or on one address, whose addresses end at `last`. True if one tag
 * wavefront takes all; then each unit passes the data stage at once. */
static bool count_run(const struct sector_access *a, u64 first, u64 last, struct sector_count *count)
{
	u32 lines = (u32)((last >> LINE_SHIFT) - (first >> LINE_SHIFT) + 1);
	u8 taken[TAG_BANKS] = {0};

	if (lines > TAG_BANKS)
		return false;
	for (u32 i = 0; i < lines && lines > 1; i++)
		if (taken[sectors_tag_bank(first + ((u64)i << LINE_SHIFT))]++)
			return false;
	count->lines = (u16)lines;
	count->sectors = (u16)((last >> SECTOR_SHIFT) - (first >> SECTOR_SHIFT) + 1);
	count->tag_wavefronts = 1;
	count->data_reads = a->width <= 4 ? 1 : (u16)(a->width / 4);
	return true;
}

/* Two such rows, one for each half-warp, of `length` bytes. */
static bool count_two_rows(const struct arch *arch, const struct sector_access *a, const u64 address[WARP_LANES],
			   u64 length, struct sector_count *count)
{
	struct bank_access b = {BANK_STORE, BANK_MODE_4, a->width, FULL_MASK};
	u8 taken[TAG_BANKS] = {0};
	u32 low[WARP_LANES];
	struct lines lines;
	struct bank_count n;

	lines.count = lines.tag_wavefronts = 0;
	enter_range(&lines, taken, address[0], address[0] + length - 1);
	enter_range(&lines, taken, address[16], address[16] + length - 1);
	if (lines.tag_wavefronts > 1 || (address[0] ^ address[16]) >> 32)
		return false;
	for (u32 l = 0; l < WARP_LANES; l++)
		low[l] = (u32)address[l];
	banks_count(arch, &b, low, &n, NULL);
	count->lines = (u16)lines.count;
	count->sectors = (u16)count_sectors(&lines);
	count->tag_wavefronts = 1;
	count->data_reads = n.wavefronts;
	count->data_conflicts = n.conflicts;
	return true;
}

/* A full warp whose half-warps each lie side by side, or on one address: by far the commonest.
 * True if it was that and all may pass the data stage together. */
static bool count_rows(const struct arch *arch, const struct sector_access *a, const u64 address[WARP_LANES],
		       struct sector_count *count)
{
	u64 stride = address[1] - address[0], length = 15 * stride + a->width;
	bool whole = address[16] == address[0] + 16 * stride;

	if (a->mask != FULL_MASK || a->kind > SECTOR_ATOM ||
	    (stride && stride != a->width && (stride != 4 || a->width > 4)) || (a->kind >= SECTOR_RED && !whole) ||
	    !halves_have_stride(address, stride))
		return false;
	if (a->kind >= SECTOR_RED && !stride) {
		/* One lane after the other. */
		count->lines = count->sectors = count->tag_wavefronts = count->data_reads = WARP_LANES;
		count->touched_lines = count->touched_sectors = 1;
	} else if (whole ? !count_run(a, address[0], address[16] + length - 1, count)
			 : !count_two_rows(arch, a, address, length, count)) {
		return false;
	}
	count->requests = 1;
	if (a->kind != SECTOR_LOAD)
		count->data_writes = count->data_reads;
	if (a->kind != SECTOR_LOAD && a->kind != SECTOR_ATOM)
		count->data_reads = 0;
	return true;
}

static void count_any_lanes(const struct arch *arch, const struct sector_access *a, const u64 address[WARP_LANES],
			    struct sector_count *count, struct sector_detail *detail)
{
	bool atomic = a->kind >= SECTOR_RED && a->kind <= SECTOR_ATOM_CAS;
	/* Compare and swap carries two operands: half a line at a time. */
	u32 shift = a->kind == SECTOR_ATOM_CAS ? LINE_SHIFT - 1 : LINE_SHIFT;
	struct lines lines;

	gather_lines(a->mask, address, LINE_SHIFT, NULL, &lines);
	count->touched_lines = (u16)lines.count;
	count->touched_sectors = (u16)count_sectors(&lines);
	if (atomic)
		gather_visits(a->mask, address, shift, &lines);
	count->requests = 1;
	count->lines = (u16)lines.count;
	count->sectors = atomic ? (u16)count_sectors(&lines) : count->touched_sectors;
	count->tag_wavefronts = (u16)lines.tag_wavefronts;
	data_stage_count(arch, a, address, &lines, count);
	if (a->kind == SECTOR_ASYNC_BYPASS) {
		u32 in_order[WARP_LANES];

		for (u32 l = 0; l < WARP_LANES; l++)
			in_order[l] = l * a->width;
		count_bypass(a->mask, &lines, in_order, count);
	}
	for (u32 left = detail ? a->mask : 0; left; left &= left - 1) {
		u32 l = (u32)__builtin_ctz(left);

		detail->transaction[l] = lines.of_lane[l];
		detail->tag_wavefront[l] = lines.wavefront[lines.of_lane[l]];
	}
}

/* 5.0 on. */
static void count_by_sectors(const struct arch *arch, const struct sector_access *a, const u64 address[WARP_LANES],
			     struct sector_count *count, struct sector_detail *detail)
{
	if (detail || !count_rows(arch, a, address, count))
		count_any_lanes(arch, a, address, count, detail);
	count->transactions = count->sectors;
	count->bytes_moved = 32u * count->sectors;
}

static void add_up(struct sector_count *to, const struct sector_count *n)
{
	to->requests += n->requests;
	to->transactions += n->transactions;
	to->sectors += n->sectors;
	to->lines += n->lines;
	to->tag_wavefronts += n->tag_wavefronts;
	to->data_reads += n->data_reads;
	to->data_writes += n->data_writes;
	to->data_conflicts += n->data_conflicts;
	to->bytes_moved += n->bytes_moved;
}

/* Atomics on 16 bits: a load, then rounds in which all lanes that wait swap their words, of which one for
 * each word gets it. */
static void count_half_rounds(const struct arch *arch, const struct sector_access *a, const u64 address[WARP_LANES],
			      struct sector_count *count, struct sector_detail *detail)
{
	struct sector_access swap = {SECTOR_ATOM_CAS, 4, a->mask, a->l1, false};
	const struct sector_access load = {SECTOR_LOAD, 4, a->mask, a->l1, false};
	struct sector_count first = {0};
	u64 word[WARP_LANES];

	for (u32 l = 0; l < WARP_LANES; l++)
		word[l] = address[l] & ~3ull;
	count_by_sectors(arch, &load, word, &first, NULL);
	count->load_sectors = first.sectors;
	count->load_tag_wavefronts = first.tag_wavefronts;
	count->data_reads = first.data_reads;
	count->data_conflicts = first.data_conflicts;
	count->bytes_moved = first.bytes_moved;
	while (swap.mask) {
		struct sector_count n = {0};
		u8 turn[WARP_LANES];
		u32 left = 0;

		count_by_sectors(arch, &swap, word, &n, count->requests ? NULL : detail);
		if (!count->requests) {
			count->touched_sectors = n.touched_sectors;
			count->touched_lines = n.touched_lines;
		}
		add_up(count, &n);
		number_turns(swap.mask, word, turn);
		for (u32 rest = swap.mask; rest; rest &= rest - 1)
			left |= turn[__builtin_ctz(rest)] ? rest & -rest : 0;
		swap.mask = a->kind == SECTOR_ATOM_HALF_CAS ? 0 : left;
	}
}

static void note_lanes(struct sector_detail *detail, u32 lanes, u32 transaction)
{
	for (; detail && lanes; lanes &= lanes - 1)
		detail->transaction[__builtin_ctz(lanes)] = (u8)transaction;
}

static void add_transaction(struct sector_count *count, struct sector_detail *detail, u32 lanes, u32 bytes)
{
	note_lanes(detail, lanes, count->transactions);
	count->transactions++;
	count->lines++;
	count->sectors += (u16)(bytes / 32);
	count->bytes_moved += bytes;
}

/* 1.0 and 1.1, a half-warp: lane k must be in word k of an aligned segment, of 64 bytes for
 * words of 4, of 128 for 8; words of 16 fill two segments of 128. Else a transaction a lane. */
static void count_in_order(const struct sector_access *a, u32 half, const u64 address[WARP_LANES],
			   struct sector_count *count, struct sector_detail *detail)
{
	u32 lanes = a->mask & 0xffffu << half, first = (u32)__builtin_ctz(lanes);
	u32 segment = a->width == 4 ? 64 : 128;
	u64 base = address[first] - (u64)(first - half) * a->width;
	bool in_order = a->width >= 4 && base % segment == 0;

	for (u32 left = lanes; left; left &= left - 1) {
		u32 l = (u32)__builtin_ctz(left);

		in_order &= address[l] == base + (u64)(l - half) * a->width;
	}
	if (!in_order) {
		for (u32 left = lanes; left; left &= left - 1)
			add_transaction(count, detail, left & -left, 32);
		return;
	}
	if (a->width < 16) {
		add_transaction(count, detail, lanes, segment);
		return;
	}
	add_transaction(count, detail, lanes & 0xffu << half, segment);
	add_transaction(count, detail, lanes & 0xff00u << half, segment);
}

/* 1.2 and 1.3, a half-warp: the segment of the lowest lane left serves all lanes in it, and
 * shrinks while they use only one half of it, down to 32 bytes. */
static void count_segments(const struct sector_access *a, u32 half, const u64 address[WARP_LANES],
			   struct sector_count *count, struct sector_detail *detail)
{
	u32 segment = a->width == 1 ? 32 : a->width == 2 ? 64 : 128;

	for (u32 left = a->mask & 0xffffu << half; left;) {
		u64 base = address[__builtin_ctz(left)] / segment * segment;
		u64 low = ~0ull, high = 0;
		u32 lanes = 0, bytes = segment;

		for (u32 rest = left; rest; rest &= rest - 1) {
			u32 l = (u32)__builtin_ctz(rest);

			if (address[l] - base >= segment)
				continue;
			lanes |= 1u << l;
			low = min_u64(low, address[l]);
			high = max_u64(high, address[l] + a->width);
		}
		while (bytes > 32 && low / (bytes / 2) == (high - 1) / (bytes / 2))
			bytes /= 2;
		add_transaction(count, detail, lanes, bytes);
		left &= ~lanes;
	}
}

/* 2.x and 3.x, one request (a warp; 8-byte words: a half; 16: a quarter): lines through the
 * first-level cache, or segments of 32 bytes past it; stores and atomics go past it. */
static void count_lines(const struct sector_access *a, u32 lanes, const u64 address[WARP_LANES],
			struct sector_count *count, struct sector_detail *detail)
{
	u32 bytes = a->l1 && a->kind == SECTOR_LOAD ? 128 : 32;

	for (u32 left = lanes; left;) {
		u64 block = address[__builtin_ctz(left)] / bytes;
		u32 together = 0;

		for (u32 rest = left; rest; rest &= rest - 1)
			if (address[__builtin_ctz(rest)] / bytes == block)
				together |= rest & -rest;
		add_transaction(count, detail, together, bytes);
		left &= ~together;
	}
}

static void count_wide_requests(const struct sector_access *a, const u64 address[WARP_LANES],
				struct sector_count *count, struct sector_detail *detail)
{
	u32 lanes = a->width <= 4 ? 32 : 128 / a->width;
	struct lines lines;

	for (u32 first = 0; first < WARP_LANES; first += lanes) {
		u32 mask = lanes == 32 ? a->mask : a->mask & ((1u << lanes) - 1) << first;

		if (!mask)
			continue;
		count->requests++;
		if (a->kind >= SECTOR_RED) {
			/* Lanes on one address take turns. */
			u8 turn[WARP_LANES];

			number_turns(mask, address, turn);
			gather_lines(mask, address, SECTOR_SHIFT, turn, &lines);
			for (u32 i = 0; i < lines.count; i++)
				add_transaction(count, NULL, 0, 32);
			continue;
		}
		count_lines(a, mask, address, count, detail);
	}
	gather_lines(a->mask, address, LINE_SHIFT, NULL, &lines);
	count->lines = (u16)lines.count;
}

static void count_half_warps(const struct arch *arch, const struct sector_access *a, const u64 address[WARP_LANES],
			     struct sector_count *count, struct sector_detail *detail)
{
	for (u32 half = 0; half < WARP_LANES; half += 16) {
		if (!(a->mask >> half & 0xffff))
			continue;
		count->requests++;
		if (arch->global_rule == ARCH_GLOBAL_IN_ORDER)
			count_in_order(a, half, address, count, detail);
		else
			count_segments(a, half, address, count, detail);
	}
}

void sectors_count_global(const struct arch *arch, const struct sector_access *access, const u64 address[WARP_LANES],
			  struct sector_count *count, struct sector_detail *detail)
{
	*count = (struct sector_count){0};
	if (detail)
		memset(detail, 0, sizeof *detail);
	if (!access->mask)
		return;
	if (arch->global_rule == ARCH_GLOBAL_SECTORS && access->kind >= SECTOR_ATOM_HALF &&
	    access->kind <= SECTOR_ATOM_HALF_CAS)
		count_half_rounds(arch, access, address, count, detail);
	else if (arch->global_rule == ARCH_GLOBAL_SECTORS)
		count_by_sectors(arch, access, address, count, detail);
	else if (arch->global_rule == ARCH_GLOBAL_LINES)
		count_wide_requests(access, address, count, detail);
	else
		count_half_warps(arch, access, address, count, detail);
	if (!count->touched_lines) {
		count->touched_lines = count->lines;
		count->touched_sectors = count->sectors;
	}
	count->bytes_wanted =
		(access->mask == FULL_MASK ? WARP_LANES : (u32)__builtin_popcount(access->mask)) * access->width;
	count->ideal_sectors = (u16)min_u32((count->bytes_wanted + 31) / 32, count->touched_sectors);
}

void sectors_count_local(const struct arch *arch, const struct sector_access *access, const u32 offset[WARP_LANES],
			 struct sector_count *count)
{
	struct sector_access word = *access;
	u64 address[WARP_LANES];

	*count = (struct sector_count){0};
	word.width = min_u32(access->width, 4);
	/* From 5.0 on, loads pass the data stage as stores do; those of global memory go by tag wavefront. */
	const bool as_store = access->kind == SECTOR_LOAD && arch->global_rule == ARCH_GLOBAL_SECTORS;
	if (as_store)
		word.kind = SECTOR_STORE;
	for (u32 byte = 0; byte < access->width; byte += 4) {
		struct sector_count n;

		for (u32 l = 0; l < WARP_LANES; l++)
			address[l] = sectors_local_place(l, offset[l] + byte);
		sectors_count_global(arch, &word, address, &n, NULL);
		if (as_store) {
			/* Of 16 bytes, each word's goes in two. */
			n.data_reads = (u16)(n.data_writes + (access->width == 16));
			n.data_writes = 0;
		}
		add_up(count, &n);
		count->ideal_sectors += n.ideal_sectors;
		count->bytes_wanted += n.bytes_wanted;
	}
}

u32 sectors_count_constant(const struct arch *arch, u32 mask, const u64 address[WARP_LANES])
{
	u32 lanes = arch->global_rule <= ARCH_GLOBAL_SEGMENTS ? 16 : 32, requests = 0;

	for (u32 first = 0; first < WARP_LANES; first += lanes) {
		u32 left = lanes == 32 ? mask : mask & 0xffffu << first;

		while (left) {
			u64 served = address[__builtin_ctz(left)];

			for (u32 rest = left; rest; rest &= rest - 1)
				if (address[__builtin_ctz(rest)] == served)
					left &= ~(rest & -rest);
			requests++;
		}
	}
	return requests;
}
