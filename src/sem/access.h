/* SPDX-License-Identifier: Apache-2.0
 *
 * How a warp's memory access finds its bytes: the shapes that one range test covers first (all
 * lanes at one address, neighbouring lanes at neighbouring words), then gathers within one
 * allocation, then lane by lane with full diagnosis. Included by the memory families.
 */
#ifndef PTXSIM_SEM_ACCESS_H
#define PTXSIM_SEM_ACCESS_H

#include "sem/lanes.h"

/* A memory meaning in two steps: NAME_fast does all of it and returns true, or nothing. A gang runs as
 * long as its warps' accesses are fast; before the first that is not, it parts. */
#define GANG_FAST(NAME)                                                                                \
	GANG_FUNCTION(NAME)                                                                            \
	{                                                                                              \
		struct warp *w = g->warps;                                                             \
		EACH_WARP(g) {                                                                         \
			if (UNLIKELY(!NAME##_fast(w, i, rows, FULL_MASK)))                             \
				return gang_part(g, i, (u32)(w - g->warps));                           \
			w++;                                                                           \
		}                                                                                      \
		return i + 1;                                                                          \
	}                                                                                              \
	MEANING_GANG(NAME);

/* Addresses of all lanes: base + byte offset. 32-bit bases wrap at 32 bits. */
static inline void addresses_of(const u8 *rows, const struct insn *i, bool base_is_64, u64 address[WARP_LANES])
{
	if (base_is_64) {
		const u64 *base = ROW_OF(u64, i->a);
		EACH_LANE address[l] = base[l] + (u64)(s64)i->imm;
	} else {
		const u32 *base = ROW_OF(u32, i->a);
		EACH_LANE address[l] = base[l] + (u32)i->imm;
	}
}

static inline bool all_zero64(const u64 t[WARP_LANES])
{
#if defined __AVX512F__
	const __m512i x = _mm512_or_si512(_mm512_or_si512(_mm512_load_si512(t), _mm512_load_si512(t + 8)),
					  _mm512_or_si512(_mm512_load_si512(t + 16), _mm512_load_si512(t + 24)));
	return !_mm512_test_epi64_mask(x, x);
#else
	u64 any = 0;
	for (int l = 0; l < WARP_LANES; l++)
		any |= t[l];
	return !any;
#endif
}

/* What the active lanes' addresses look like. */
struct shape {
	bool uniform;    /* all active lanes at `first` */
	bool contiguous; /* lane l at first + (l - first active lane) * size */
	u32 lane;        /* first active lane */
	u64 first;       /* its address */
};

static inline struct shape shape_of(const u64 address[WARP_LANES], u32 mask, u32 size)
{
	struct shape s = {.lane = (u32)__builtin_ctz(mask)};
	u64 apart[WARP_LANES] __attribute__((aligned(64))), beside[WARP_LANES] __attribute__((aligned(64)));
	const u64 first = address[s.lane], origin = first - (u64)s.lane * size;

	s.first = first;
	if (mask == FULL_MASK) {
		EACH_LANE beside[l] = (address[l] - (u64)l * size) ^ origin;
		s.contiguous = all_zero64(beside);
		if (s.contiguous)
			return s;
		EACH_LANE apart[l] = address[l] ^ first;
		s.uniform = all_zero64(apart);
		return s;
	}
	EACH_LANE beside[l] = mask & lane_bit64[l] ? (address[l] - (u64)l * size) ^ origin : 0;
	s.contiguous = all_zero64(beside);
	EACH_LANE apart[l] = mask & lane_bit64[l] ? address[l] ^ first : 0;
	s.uniform = all_zero64(apart);
	return s;
}

/* Lowest and highest address of the active lanes, and all their bits or-ed together. */
struct extent {
	u64 low, high, bits;
};

static inline struct extent extent_of(const u64 address[WARP_LANES], u32 mask)
{
	struct extent e = {.low = UINT64_MAX};

	for (int l = 0; l < WARP_LANES; l++) {
		const u64 on = mask & lane_bit64[l] ? ~0ull : 0;
		const u64 low = address[l] | ~on, high = address[l] & on;
		e.low = low < e.low ? low : e.low;
		e.high = high > e.high ? high : e.high;
		e.bits |= high;
	}
	return e;
}

/* Where an access's bytes are: host = base + (address - low), valid for all active lanes. */
struct window {
	u8 *host;
	u64 low;
};

static inline u8 *global_for(struct warp *w, const struct insn *i, u64 low, u64 high, bool is_store)
{
	u8 *p = global_range(w, i, low, high);

	if (is_store && p) {
		const struct remembered *r =
			&w->worker->allocations[((uintptr_t)i / sizeof *i) % ALLOCATION_CACHE];
		if (UNLIKELY(r->flags & ALLOCATION_READ_ONLY))
			return NULL;
	}
	return p;
}

/* Host bytes [low, high) of a space, if the fast paths cover them; NULL otherwise. */
static inline u8 *space_range(struct warp *w, const struct insn *i, enum ir_space space, u64 low, u64 high,
			      bool is_store)
{
	if (space == SPACE_SHARED)
		return high <= w->block->shared_bytes && low < high ? w->block->shared + low : NULL;
	u8 *p = global_for(w, i, low, high, is_store);
	if (p || space != SPACE_GENERIC)
		return p;
	const u64 window = w->machine->map->shared_window;
	return low >= window && low < high && high - window <= w->block->shared_bytes
		       ? w->block->shared + (low - window)
		       : NULL;
}

/* The active lanes' local addresses as rows: true if all are at one place of the thread's local
 * memory, aligned to a word: *offset is then the address within local memory. */
static inline bool local_uniform(struct warp *w, enum ir_space space, const struct shape *s, u32 size, u64 *offset)
{
	u64 address = s->first;

	if (!s->uniform || (space != SPACE_LOCAL && space != SPACE_GENERIC))
		return false;
	if (space == SPACE_GENERIC && generic_space(w, &address) != SPACE_LOCAL)
		return false;
	*offset = address;
	return address % 4 == 0 && address % (size < 4 ? 4 : size) == 0 && address <= w->local_bytes &&
	       size <= w->local_bytes - address;
}

#endif
