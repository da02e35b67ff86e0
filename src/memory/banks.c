/* SPDX-License-Identifier: Apache-2.0
 *
 * Bank accounting. An access becomes a plan (which lanes form a unit, into how many slots a unit's words fall) and a key
 * for each lane; then each unit is served. A slot is as many neighbouring banks as an aligned access of the plan's grain
 * covers, so that a wide lane counts once:
 *
 *     8 bytes a lane on 9.0: shift 3, 16 slots of two banks, units of 16 lanes
 *
 *     lane    0    1    2   ...   15  |  16   17  ...   31
 *     unit              0             |         1
 *     key     address >> 3;  slot     = key % 16;  a unit takes as many wavefronts as its fullest slot has different keys
 *
 * Most accesses end at a test for a constant stride (arithmetic alone), or for one key in each slot (one wavefront); the
 * order of tests is by what they cost. 1.x and the atomic loops have their own ways.
 */
#include "memory/banks.h"

#include <string.h>

#include "memory/half_warps.h"
#include "memory/slots.h"

struct plan {
	u32 shift;      /* bytes of a slot's word, as a power of two */
	u32 slots;      /* of a unit; a power of two */
	u32 unit_lanes; /* lanes of a unit; 32 / unit_lanes x slots is at most 32 */
	u32 extra;      /* wavefronts that each unit takes beyond its words */
	bool segments;  /* 3.x by 4 bytes: words 32 apart in an aligned segment of 64 go together */
};

static u32 lanes_below(u32 n) { return n >= 32 ? FULL_MASK : (1u << n) - 1; }

/* Serves the lanes of `mask` together: key k lies in slot k mod `slots` (a power of two up to 32), a slot serves one key in
 * each wavefront, and all lanes with that key share it. Returns the number of wavefronts and tells each lane's. */
static u32 serve_keys(u32 mask, const u32 key[WARP_LANES], u32 slots, u16 wavefront[WARP_LANES])
{
	/* Keys seen, in an open table at most half full; `used` spares clearing it. */
	u32 seen[64];
	u16 place[64];
	u64 used = 0;
	u8 taken[32] = {0};
	u32 most = 0;

	for (u32 left = mask; left; left &= left - 1) {
		u32 lane = (u32)__builtin_ctz(left);
		u32 at = key[lane] * 0x9e3779b1u >> 26;

		while (used >> at & 1 && seen[at] != key[lane])
			at = (at + 1) & 63;
		if (!(used >> at & 1)) {
			used |= 1ull << at;
			seen[at] = key[lane];
			place[at] = taken[key[lane] & (slots - 1)]++;
			most = max_u32(most, place[at] + 1u);
		}
		wavefront[lane] = place[at];
	}
	return most;
}

/* Joined (7.0 on, loads only): throughout the warp, every active lane has the address of its neighbour at distance 1, if
 * that is active; or throughout the same at distance 2. Two units are then served as one. */
static bool lanes_joined(u32 mask, const u32 address[WARP_LANES])
{
	bool by_1 = true, by_2 = true;

	for (u32 l = 0; l < WARP_LANES && (by_1 || by_2); l++) {
		if (!(mask >> l & 1))
			continue;
		if (!(l & 1) && mask >> (l + 1) & 1)
			by_1 &= address[l] == address[l + 1];
		if (!(l & 2) && mask >> (l + 2) & 1)
			by_2 &= address[l] == address[l + 2];
	}
	return by_1 || by_2;
}

static bool is_load(enum bank_kind kind) { return kind <= BANK_LOAD_GENERIC; }

/* 5.0 on: a unit moves 128 bytes. 2.x does likewise, and its quarter-warps of 16-byte lanes take
 * a wavefront more than their words (guide 4.2, F.5.3.2). 3.x: a unit moves 256 bytes. */
static struct plan plan_access(const struct arch *arch, const struct bank_access *a, const u32 address[WARP_LANES])
{
	struct plan p = {.shift = (u32)__builtin_ctz(max_u32(a->width, 4))};

	p.slots = 128u >> p.shift;
	p.unit_lanes = p.slots;
	if (arch->shared_rule == ARCH_SHARED_TWO_MODES) {
		p.segments = a->mode == BANK_MODE_4;
		if (!p.segments) {
			p.shift = max_u32(p.shift, 3);
			p.slots = 256u >> p.shift;
		}
		p.unit_lanes = a->width == 16 ? 16 : 32;
	} else if (arch->shared_rule == ARCH_SHARED_FERMI) {
		p.extra = a->width == 16;
	} else if (arch->shared_join != ARCH_JOIN_NONE && a->kind == BANK_LOAD && p.shift > 2 &&
		   lanes_joined(a->mask, address)) {
		p.unit_lanes *= 2;
	}
	return p;
}

static void make_keys(const struct plan *p, const u32 *restrict address, u32 *restrict key)
{
	const u32 shift = p->shift;

	if (!p->segments) {
		for (u32 l = 0; l < WARP_LANES; l++)
			key[l] = address[l] >> shift;
		return;
	}
	for (u32 l = 0; l < WARP_LANES; l++)
		key[l] = (address[l] >> 8) * p->slots + (address[l] >> p->shift) % p->slots;
}

/* Whether within each half-warp each lane lies `stride` bytes behind the one before: whole warps
 * side by side, and two rows of a tile. By vectors: most accesses end here. */
static bool halves_have_stride(const u32 address[WARP_LANES], u32 stride)
{
	typedef u32 vec __attribute__((vector_size(16)));
	const vec steps = {0, stride, 2 * stride, 3 * stride};
	vec low = steps + address[0], high = steps + address[16], off = {0}, a, b;

	for (u32 l = 0; l < 16; l += 4) {
		memcpy(&a, &address[l], sizeof a);
		memcpy(&b, &address[16 + l], sizeof b);
		off |= (a ^ low) | (b ^ high);
		low += 4 * stride;
		high += 4 * stride;
	}
	return (off[0] | off[1] | off[2] | off[3]) == 0;
}

/* Two halves of 4-byte words, each of one word or of 16 in a row, `apart` words from each other:
 * they meet in a bank unless they are the same words there. */
static u32 rows_wavefronts(u32 words, s32 apart)
{
	u32 banks = (u32)apart & 31;

	if (apart > -(s32)words && apart < (s32)words)
		return 1;
	return banks < words || banks > 32 - words ? 2 : 1;
}

/* The wavefronts of every unit of a full warp whose half-warps have one constant stride, by
 * arithmetic; 0 where arithmetic does not decide. With as many lanes as slots, lanes that are k slots
 * apart meet gcd(k, slots) times; lanes closer than a slot's width fill neighbouring slots. */
static u32 stride_wavefronts(const struct plan *p, u32 mask, const u32 address[WARP_LANES], bool by_lane)
{
	u32 stride = address[1] - address[0], grain = 1u << p->shift;
	u32 apart = address[16] - address[0];

	if (mask != FULL_MASK || p->segments || address[2] - address[1] != stride ||
	    !halves_have_stride(address, stride))
		return 0;
	if (apart != 16 * stride && p->unit_lanes == 32) {
		if (by_lane || grain != 4 || p->slots != 32 || (stride && stride != 4))
			return 0;
		return rows_wavefronts(stride ? 16 : 1, (s32)((address[16] >> 2) - (address[0] >> 2)));
	}
	if (stride == 0 && !by_lane)
		return 1;
	if (p->unit_lanes != p->slots)
		return 0;
	if (stride % grain == 0) {
		u32 k = stride >> p->shift | p->slots;

		return k & -k;
	}
	return stride < grain && !by_lane ? 1 : 0;
}

/* Whether every slot of every unit holds one key: each lane writes its key into its slot, then all
 * look whether it is still theirs. No slot needs clearing, since it is written before it is
 * read; inactive lanes have places of their own. */
static bool one_key_a_slot(const struct plan *p, u32 mask, const u32 key[WARP_LANES])
{
	u32 held[64], place[WARP_LANES], off = 0, low = p->slots - 1;
	u32 shift = (u32)__builtin_ctz(p->unit_lanes), width = (u32)__builtin_ctz(p->slots);

	for (u32 l = 0; l < WARP_LANES; l++)
		place[l] = (l >> shift << width) + (key[l] & low);
	if (mask != FULL_MASK)
		for (u32 l = 0; l < WARP_LANES; l++)
			place[l] = mask >> l & 1 ? place[l] : 32 + l;
	for (u32 l = 0; l < WARP_LANES; l++)
		held[place[l]] = key[l];
	for (u32 l = 0; l < WARP_LANES; l++)
		off |= held[place[l]] ^ key[l];
	return off == 0;
}

/* The keys that each slot served, for units of a whole warp that were counted this way. */
struct served {
	bool known;
	struct slots slots;
};

static u32 most_of(const u8 n[SLOTS])
{
	u8 most = 0;

	for (u32 k = 0; k < SLOTS; k++)
		most = n[k] > most ? n[k] : most;
	return most;
}

/* The most lanes in a slot. */
static u32 serve_slot_lanes(u32 mask, const u32 key[WARP_LANES], u32 slots, struct served *served)
{
	served->known = true;
	slots_fill(&served->slots, mask, key, slots);
	return most_of(served->slots.lanes);
}

/* The most keys in a slot, as serve_keys finds. */
static u32 serve_slot_keys(u32 mask, const u32 key[WARP_LANES], u32 slots, struct served *served)
{
	served->known = true;
	slots_fill(&served->slots, mask, key, slots);
	return most_of(served->slots.keys);
}

static u32 active_units(u32 mask, u32 unit_lanes)
{
	u32 units = 0;

	if (mask == FULL_MASK)
		return WARP_LANES / unit_lanes;
	for (u32 first = 0; first < WARP_LANES; first += unit_lanes)
		units += (mask >> first & lanes_below(unit_lanes)) != 0;
	return units;
}

static void note_words(const struct plan *p, u32 bytes, u32 address, struct bank_detail *detail)
{
	u32 bank_bytes = p->slots << p->shift == 256 ? 8 : 4;

	for (u32 b = 0; b < max_u32(bytes, bank_bytes); b += bank_bytes)
		detail->bank_words[(address + b) / bank_bytes & 31]++;
}

/* Fills in the detail of one unit of a plain access: `before` wavefronts went to the units before it, wavefront[l] counts
 * within it. */
static void note_unit(const struct plan *p, const struct bank_access *a, u32 mask, u32 unit, u32 before,
		      const u32 key[WARP_LANES], const u32 address[WARP_LANES], const u16 wavefront[WARP_LANES],
		      struct bank_detail *detail)
{
	u32 seen[32] = {0}; /* wavefronts in which each slot has served a word, a bit each */

	for (u32 left = mask; left; left &= left - 1) {
		u32 l = (u32)__builtin_ctz(left), slot = key[l] & (p->slots - 1);

		if (!(seen[slot] >> wavefront[l] & 1))
			note_words(p, a->width, address[l], detail);
		seen[slot] |= 1u << wavefront[l];
		detail->unit[l] = (u8)unit;
		detail->wavefront[l] = (u16)(before + wavefront[l] + p->extra);
	}
}

/* The source counters' view of a load of 8 or 16 bytes that may join: two units go as one if their lanes
 * satisfy a condition by themselves and then no bank has two words; else they go apart. Equals 101 of 102 recorded
 * loads and loops, of which the hardware's own count differs in 16. */
static u32 source_wavefronts(const struct plan *p, u32 unit_lanes, u32 mask, const u32 address[WARP_LANES],
			     const u32 key[WARP_LANES])
{
	u16 wavefront[WARP_LANES];
	u32 wavefronts = 0;

	for (u32 first = 0; first < WARP_LANES; first += 2 * unit_lanes) {
		const u32 low = mask & lanes_below(unit_lanes) << first;
		const u32 high = mask & lanes_below(unit_lanes) << (first + unit_lanes), both = low | high;

		if (both && lanes_joined(both, address) && serve_keys(both, key, p->slots, wavefront) == 1)
			wavefronts++;
		else if (both)
			wavefronts +=
				serve_keys(low, key, p->slots, wavefront) + serve_keys(high, key, p->slots, wavefront);
	}
	return wavefronts;
}

static void count_source(const struct arch *arch, const struct plan *p, const struct bank_access *a,
			 const u32 address[WARP_LANES], const u32 key[WARP_LANES], struct bank_count *count)
{
	const bool may_join = arch->shared_join != ARCH_JOIN_NONE && a->kind == BANK_LOAD && p->shift > 2;

	if (is_load(a->kind))
		count->load_source =
			may_join ? (u16)source_wavefronts(p, p->slots, a->mask, address, key) : count->wavefronts;
}

/* The wavefronts of each unit, where all units take as many and that is known without serving one after the other; 0: it
 * is not. Fills in the keys, unless the stride alone decides: *by_stride. */
static u32 uniform_wavefronts(const struct plan *p, const struct bank_access *a, const u32 address[WARP_LANES],
			      u32 key[WARP_LANES], bool *by_stride, struct served *served)
{
	const u32 wavefronts = stride_wavefronts(p, a->mask, address, false);

	*by_stride = wavefronts != 0;
	if (wavefronts)
		return wavefronts;
	make_keys(p, address, key);
	return p->unit_lanes == WARP_LANES ? serve_slot_keys(a->mask, key, p->slots, served)
					   : one_key_a_slot(p, a->mask, key);
}

static void count_units(const struct plan *p, const struct bank_access *a, const u32 address[WARP_LANES],
			const u32 key[WARP_LANES], struct bank_count *count, struct bank_detail *detail)
{
	u16 wavefront[WARP_LANES];

	for (u32 first = 0; first < WARP_LANES; first += p->unit_lanes) {
		const u32 mask = a->mask & lanes_below(p->unit_lanes) << first;

		if (!mask)
			continue;
		const u32 wavefronts = serve_keys(mask, key, p->slots, wavefront) + p->extra;

		if (detail)
			note_unit(p, a, mask, count->units, count->wavefronts, key, address, wavefront, detail);
		count->units++;
		count->wavefronts += (u16)wavefronts;
		count->degree = (u16)max_u32(count->degree, wavefronts);
	}
}

/* Plain loads and stores. A detail is only found unit by unit. */
static void count_words(const struct arch *arch, const struct plan *p, const struct bank_access *a,
			const u32 address[WARP_LANES], struct bank_count *count, struct bank_detail *detail,
			struct served *served)
{
	u32 key[WARP_LANES], each = 0;
	bool by_stride = false;

	if (detail)
		make_keys(p, address, key);
	else
		each = uniform_wavefronts(p, a, address, key, &by_stride, served);
	if (each) {
		count->units = (u16)active_units(a->mask, p->unit_lanes);
		count->degree = (u16)(each + p->extra);
		count->wavefronts = (u16)(count->units * count->degree);
	} else {
		count_units(p, a, address, key, count, detail);
	}
	if (!by_stride)
		count_source(arch, p, a, address, key, count);
	else if (is_load(a->kind))
		count->load_source = count->wavefronts;
}

/* The profiler's ideal: the bytes of active lanes, 128 a wavefront, at least 4 bytes a lane. */
static u32 ideal_wavefronts(const struct bank_access *a, u32 mask, u32 wavefronts)
{
	u32 lanes = mask == FULL_MASK ? WARP_LANES : (u32)__builtin_popcount(mask);
	u32 words = lanes * max_u32(a->width / 4, 1);

	return min_u32((words + 31) / 32, wavefronts);
}

/* Native atomics and cp.async.ca take lanes, not words: the cost is the most lanes in one slot. */
static u32 serve_lanes(u32 mask, const u32 key[WARP_LANES], u32 slots, u16 wavefront[WARP_LANES])
{
	u8 taken[32] = {0};
	u32 most = 0;

	for (u32 left = mask; left; left &= left - 1) {
		u32 l = (u32)__builtin_ctz(left);

		wavefront[l] = taken[key[l] & (slots - 1)]++;
		most = max_u32(most, wavefront[l] + 1u);
	}
	return most;
}

static void count_lanes(const struct plan *p, const struct bank_access *a, const u32 address[WARP_LANES],
			struct bank_count *count, struct bank_detail *detail, struct served *served)
{
	u32 key[WARP_LANES], twice = a->kind == BANK_ATOM_CAS ? 2 : 1, cost = 0;
	u16 wavefront[WARP_LANES];
	u32 by_stride = detail ? 0 : stride_wavefronts(p, a->mask, address, true);

	if (!by_stride)
		make_keys(p, address, key);
	for (u32 first = 0; first < WARP_LANES; first += p->unit_lanes) {
		u32 mask = a->mask & lanes_below(p->unit_lanes) << first;

		if (!mask)
			continue;
		const bool alone = !detail && p->unit_lanes == WARP_LANES;
		u32 lanes = by_stride ? by_stride
			    : alone   ? serve_slot_lanes(mask, key, p->slots, served)
				      : serve_lanes(mask, key, p->slots, wavefront);

		for (u32 left = detail ? mask : 0; left; left &= left - 1) {
			u32 l = (u32)__builtin_ctz(left);

			note_words(p, a->width, address[l], detail);
			detail->unit[l] = (u8)count->units;
			detail->wavefront[l] = (u16)((cost + wavefront[l]) * twice + twice - 1);
		}
		count->units++;
		cost += lanes;
		count->degree = (u16)max_u32(count->degree, lanes);
	}
	count->wavefronts = (u16)(cost * twice);
	count->conflicts = (u16)(cost - count->units);
	count->ideal = (u16)(ideal_wavefronts(a, a->mask, cost) * twice);
}

u32 banks_first_lanes(u32 width, u32 mask, const u32 address[WARP_LANES])
{
	const u32 shift = (u32)__builtin_ctz(max_u32(width, 4)), slots = 128u >> shift;
	u32 firsts = 0;

	for (u32 first = 0; first < WARP_LANES; first += slots) {
		u32 tried = 0;
		for (u32 left = mask & lanes_below(slots) << first; left; left &= left - 1) {
			const u32 l = (u32)__builtin_ctz(left), slot = address[l] >> shift & (slots - 1);
			firsts |= (u32) !(tried >> slot & 1) << l;
			tried |= 1u << slot;
		}
	}
	return firsts;
}

/* The lanes whose compare and swap succeeds: those that take part, unless an earlier one of the round has just changed their
 * word. */
static u32 swap_winners(const struct bank_access *a, u32 waiting, const u32 address[WARP_LANES])
{
	u32 winners = 0;

	for (u32 left = banks_first_lanes(a->width, waiting, address); left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		bool stale = false;
		for (u32 w = winners; w; w &= w - 1)
			stale |= address[__builtin_ctz(w)] == address[l];
		winners |= (u32)!stale << l;
	}
	return winners;
}

/* At most one lane wins a lock; the lock's number is bits 2 to 9 of the address. Which lane is
 * not stated: the lowest here. *other_word grows by the lanes that lose to one at another word. */
static u32 lock_winners(u32 waiting, const u32 address[WARP_LANES], u16 *other_word)
{
	u8 winner[256] = {0}; /* lane + 1 */
	u32 winners = 0;

	for (u32 left = waiting; left; left &= left - 1) {
		u32 l = (u32)__builtin_ctz(left), lock = address[l] >> 2 & 255;

		if (winner[lock]) {
			*other_word += address[winner[lock] - 1] >> 2 != address[l] >> 2;
			continue;
		}
		winner[lock] = (u8)(l + 1);
		winners |= 1u << l;
	}
	return winners;
}

/* The lowest lane on each value. */
static u32 first_of_each(u32 mask, const u32 value[WARP_LANES])
{
	u32 first = 0;

	for (u32 left = mask; left; left &= left - 1) {
		u32 l = (u32)__builtin_ctz(left), same = 0;

		for (u32 rest = first; rest; rest &= rest - 1)
			same |= value[__builtin_ctz(rest)] == value[l];
		first |= same ? 0 : 1u << l;
	}
	return first;
}

static void note_round(const struct bank_count *count, u32 winners, struct bank_detail *detail)
{
	for (u32 left = winners; left; left &= left - 1)
		detail->wavefront[__builtin_ctz(left)] = count->rounds;
}

/* Of a loop of compare and swap: its units, and the most lanes that meet in a bank, so many rounds there are at least. */
static void measure_loop(const struct plan *p, const struct bank_access *a, const u32 address[WARP_LANES],
			 struct bank_count *count)
{
	u32 key[WARP_LANES];
	u16 wavefront[WARP_LANES];

	make_keys(p, address, key);
	for (u32 first = 0; first < WARP_LANES; first += p->unit_lanes)
		count->degree = (u16)max_u32(count->degree, serve_lanes(a->mask & lanes_below(p->unit_lanes) << first,
									key, p->slots, wavefront));
	count->units = (u16)active_units(a->mask, p->unit_lanes);
}

/* One round's compare and swap for the lanes that wait: two wavefronts a unit, as one lane of each bank takes part. */
static void count_swap(const struct plan *p, const struct bank_access *a, u32 waiting, struct bank_count *count)
{
	const u32 units = active_units(waiting, p->unit_lanes);

	count->wavefronts += (u16)(2 * units);
	count->ideal += (u16)(2 * ideal_wavefronts(a, waiting, units));
}

/* The loop that replaces an atomic without an instruction of its own from 5.0 on: each round
 * loads for the lanes still waiting, then tries a compare and swap. */
static void count_swap_loop(const struct arch *arch, const struct plan *p, const struct bank_access *a,
			    const u32 address[WARP_LANES], struct bank_count *count, struct bank_detail *detail)
{
	struct bank_access load = {BANK_LOAD, a->mode, a->width, a->mask};

	measure_loop(p, a, address, count);
	while (load.mask) {
		struct bank_count c;
		u32 winners = swap_winners(a, load.mask, address);

		banks_count(arch, &load, address, &c, NULL);
		count->load_wavefronts += c.wavefronts;
		count->load_source += c.load_source;
		count->load_conflicts += c.conflicts;
		count->ideal += c.ideal;
		count_swap(p, a, load.mask, count);
		if (detail)
			note_round(count, winners, detail);
		count->rounds++;
		load.mask &= ~winners;
	}
	count->loads = count->rounds;
}

/* 16 bits from 5.0 on: the words are loaded once; a compare and swap that fails gives the word as it
 * is, to try again with. One lane of each word wins a round. */
static void count_half_loop(const struct arch *arch, const struct bank_access *a, const u32 address[WARP_LANES],
			    struct bank_count *count, struct bank_detail *detail)
{
	const struct bank_access load = {BANK_LOAD, a->mode, 4, a->mask};
	struct bank_access swap = {BANK_ATOM_CAS, a->mode, 4, a->mask};
	struct bank_count c;
	u32 word[WARP_LANES];

	for (u32 l = 0; l < WARP_LANES; l++)
		word[l] = address[l] & ~3u;
	banks_count(arch, &load, word, &c, NULL);
	count->loads = 1;
	count->load_wavefronts = count->load_source = c.wavefronts;
	count->load_conflicts = c.conflicts;
	count->ideal = c.ideal;
	count->units = c.units;
	while (swap.mask) {
		u32 winners = first_of_each(swap.mask, word);

		banks_count(arch, &swap, word, &c, NULL);
		count->wavefronts += c.wavefronts;
		count->conflicts += c.conflicts;
		count->ideal += c.ideal;
		count->degree = (u16)max_u32(count->degree, c.degree);
		if (detail)
			note_round(count, winners, detail);
		count->rounds++;
		swap.mask = a->kind == BANK_ATOM_HALF_CAS ? 0 : swap.mask & ~winners;
	}
}

/* The lock loop of 1.2 to 3.7: lock-load by all that wait, unlock-store by those that won. On 3.x
 * the store may fail too; without other warps it does not. */
static void count_lock_loop(const struct arch *arch, const struct bank_access *a, const u32 address[WARP_LANES],
			    struct bank_count *count, struct bank_detail *detail)
{
	struct bank_access load = {BANK_LOAD, a->mode, a->width, a->mask};
	u32 lanes = 0;

	while (load.mask) {
		struct bank_access store = {BANK_STORE, a->mode, a->width,
					    lock_winners(load.mask, address, &count->lock_false)};
		struct bank_count l, s;

		banks_count(arch, &load, address, &l, NULL);
		banks_count(arch, &store, address, &s, NULL);
		if (count->rounds == 0)
			count->units = s.units;
		count->load_wavefronts += l.wavefronts;
		count->load_source += l.load_source;
		count->load_conflicts += l.conflicts;
		count->wavefronts += s.wavefronts;
		count->conflicts += s.conflicts;
		count->ideal += (u16)(l.ideal + s.ideal);
		count->lock_attempts += (u16)__builtin_popcount(load.mask);
		if (detail)
			note_round(count, store.mask, detail);
		count->rounds++;
		load.mask &= ~store.mask;
		lanes++;
	}
	count->degree = (u16)lanes;
}

enum bank_kind banks_atomic_kind(enum bank_atomic op, u32 bits, bool integer)
{
	if (bits == 16)
		return op == BANK_ATOMIC_CAS ? BANK_ATOM_HALF_CAS : BANK_ATOM_HALF;
	if (op == BANK_ATOMIC_CAS)
		return BANK_ATOM_CAS;
	if (op == BANK_ATOMIC_EXCH)
		return BANK_ATOM;
	if (bits != 32 || !integer)
		return BANK_ATOM_LOOP;
	return op == BANK_ATOMIC_ADD_ONE_UNUSED ? BANK_ATOM_COUNT : BANK_ATOM;
}

static bool is_atomic(enum bank_kind kind) { return kind >= BANK_ATOM; }

bool banks_take_lanes(enum bank_kind kind) { return is_atomic(kind) || kind == BANK_ASYNC; }

enum bank_measure banks_measure(const struct arch *arch, enum bank_kind kind, u32 width)
{
	const bool native = arch->shared_atomics == ARCH_ATOMICS_NATIVE;

	if (arch->shared_rule != ARCH_SHARED_UNITS || arch->banks != 32 || arch->bank_bytes != 4 || width != 4)
		return BANK_MEASURE_NONE;
	if (kind == BANK_LOAD || kind == BANK_STORE || (kind == BANK_ATOM_COUNT && native))
		return BANK_MEASURE_WORDS;
	return (kind == BANK_ATOM || kind == BANK_ATOM_CAS) && native ? BANK_MEASURE_LANES : BANK_MEASURE_NONE;
}

/* A warp is one unit then, and 32 words need one wavefront at best. */
void banks_count_measured(enum bank_kind kind, u32 most, struct bank_count *count)
{
	const u16 twice = kind == BANK_ATOM_CAS ? 2 : 1, wavefronts = (u16)(most * twice);

	*count = (struct bank_count){0};
	if (!most)
		return;
	count->units = count->rounds = 1;
	count->ideal = twice;
	count->degree = (u16)most;
	count->wavefronts = wavefronts;
	count->conflicts = (u16)(most - 1);
	count->load_source = is_load(kind) ? wavefronts : 0;
}

static void count_access(const struct arch *arch, const struct bank_access *access, const u32 address[WARP_LANES],
			 struct bank_count *count, struct bank_detail *detail, struct served *served)
{
	*count = (struct bank_count){0};
	served->known = false;
	if (detail)
		memset(detail, 0, sizeof *detail);
	if (!access->mask)
		return;
	if (is_atomic(access->kind) && arch->shared_atomics != ARCH_ATOMICS_NATIVE) {
		count_lock_loop(arch, access, address, count, detail);
		count->loads = access->kind == BANK_ATOM_LOOP ? count->rounds : 0;
		return;
	}
	if (access->kind >= BANK_ATOM_HALF) {
		count_half_loop(arch, access, address, count, detail);
		return;
	}
	struct plan p = plan_access(arch, access, address);

	if (access->kind == BANK_ATOM_LOOP) {
		count_swap_loop(arch, &p, access, address, count, detail);
		return;
	}
	count->rounds = 1;
	if (access->kind == BANK_ATOM_SPIN) {
		measure_loop(&p, access, address, count);
		count_swap(&p, access, access->mask, count);
		return;
	}
	if (access->kind == BANK_ATOM || access->kind == BANK_ATOM_CAS || access->kind == BANK_ASYNC) {
		count_lanes(&p, access, address, count, detail, served);
		return;
	}
	if (arch->shared_rule == ARCH_SHARED_HALF_WARP) {
		half_warps_count(access, is_load(access->kind), address, count, detail);
		count->load_source = is_load(access->kind) ? count->wavefronts : 0;
	} else {
		count_words(arch, &p, access, address, count, detail, served);
	}
	count->conflicts = (u16)(count->wavefronts - count->units);
	count->ideal = arch->shared_rule == ARCH_SHARED_UNITS
			       ? (u16)ideal_wavefronts(access, access->mask,
						       is_load(access->kind) ? count->load_source : count->wavefronts)
			       : count->units;
}

void banks_count(const struct arch *arch, const struct bank_access *access, const u32 address[WARP_LANES],
		 struct bank_count *count, struct bank_detail *detail)
{
	struct served served;

	count_access(arch, access, address, count, detail, &served);
}

/* Whether the lanes of a full warp lie one behind the other without a gap: as many words to each
 * bank. */
static bool in_a_row(const struct bank_access *a, const u32 address[WARP_LANES])
{
	return a->mask == FULL_MASK && a->width >= 4 && halves_have_stride(address, a->width) &&
	       address[16] - address[0] == 16 * a->width;
}

static void add_words(const struct arch *arch, const struct bank_access *access, const u32 address[WARP_LANES],
		      const struct bank_count *count, u64 by_bank[32])
{
	struct bank_detail detail;
	struct bank_count again;
	u32 touched = 0;

	if (!access->mask)
		return;
	if (arch->banks == 32 && arch->bank_bytes == 4 && in_a_row(access, address)) {
		for (u32 b = 0; b < 32; b++)
			by_bank[b] += access->width / 4;
		return;
	}
	if (arch->banks == 32 && arch->bank_bytes == 4 && access->width <= 4 && count->degree == 1 &&
	    !is_atomic(access->kind)) {
		/* One word in each bank that is touched. */
		for (u32 left = access->mask; left; left &= left - 1)
			touched |= 1u << (address[__builtin_ctz(left)] >> 2 & 31);
		for (u32 b = 0; b < 32; b++)
			by_bank[b] += touched >> b & 1;
		return;
	}
	if (is_atomic(access->kind)) {
		const u32 shift = (u32)__builtin_ctz(arch->bank_bytes), banks = arch->banks - 1u;
		for (u32 left = access->mask; left; left &= left - 1)
			for (u32 b = 0, l = (u32)__builtin_ctz(left); b < access->width; b += 1u << shift)
				by_bank[(address[l] + b) >> shift & banks]++;
		return;
	}
	banks_count(arch, access, address, &again, &detail);
	for (u32 b = 0; b < 32; b++)
		by_bank[b] += detail.bank_words[b];
}

static void add_to_banks(u64 *restrict by_bank, const u8 *restrict n)
{
	for (u32 b = 0; b < SLOTS; b++)
		by_bank[b] += n[b];
}

void banks_count_words(const struct arch *arch, const struct bank_access *access, const u32 address[WARP_LANES],
		       struct bank_count *count, u64 by_bank[32])
{
	struct served served;

	count_access(arch, access, address, count, NULL, &served);
	if (!served.known || arch->banks != 32 || arch->bank_bytes != 4 || access->width > 4) {
		add_words(arch, access, address, count, by_bank);
		return;
	}
	add_to_banks(by_bank, banks_take_lanes(access->kind) ? served.slots.lanes : served.slots.keys);
}
