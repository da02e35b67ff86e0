/* SPDX-License-Identifier: Apache-2.0
 *
 * How a warp's memory access finds its bytes: the shapes that one range test covers first (all
 * lanes at one address, neighbouring lanes at neighbouring words), then gathers within one
 * allocation, then lane by lane with full diagnosis. Included by the memory families.
 */
#ifndef PTXSIM_SEM_ACCESS_H
#define PTXSIM_SEM_ACCESS_H

#include "exec/streamed.h"
#include "sem/lanes.h"

/* A memory meaning in two steps: NAME_fast does all of it and returns true, or nothing. Where it gives up for a
 * warp of a gang, OR is what is tried before the gang parts: NAME_run (GANG_FAST), but not where a fault would
 * leave things half done. */
#define GANG_ACCESS(NAME, OR)      \
	GANG_ACCESS_SOME(NAME, OR) \
	GANG_ACCESS_ALL(NAME, OR)  \
	MEANING_GANG(NAME);
#define GANG_ACCESS_SOME(NAME, OR)                                                    \
	SEPARATE const struct insn *NAME##_some(struct gang *g, const struct insn *i) \
	{                                                                             \
		EACH_MEMBER (g, m) {                                                  \
			struct warp *const w = m->warp;                               \
			u8 *const rows = m->rows;                                     \
			const u32 mask = m->mask;                                     \
			if (UNLIKELY(!(NAME##_fast(w, i, rows, mask) || OR)))         \
				return gang_part(g, i, (u32)(w - g->warps));          \
		}                                                                     \
		return i + 1;                                                         \
	}
#define GANG_ACCESS_ALL(NAME, OR)                                                                      \
	GANG_FUNCTION(NAME)                                                                            \
	{                                                                                              \
		const u32 mask = FULL_MASK;                                                            \
		u8 *rows = g->rows;                                                                    \
		if (UNLIKELY(g->on != NULL))                                                           \
			return NAME##_some(g, i);                                                      \
		for (struct warp *w = g->warps, *end = w + g->count; w != end; w++, rows += g->stride) \
			if (UNLIKELY(!(NAME##_fast(w, i, rows, mask) || OR)))                          \
				return gang_part(g, i, (u32)(w - g->warps));                           \
		return i + 1;                                                                          \
	}
#ifdef SEM_NATIVE
#define GANG_FAST(NAME) MEANING_STEP(NAME);
#else
#define GANG_FAST(NAME) GANG_ACCESS(NAME, gang_try(g, i, w, rows, mask, NAME##_run))
#endif

/* Addresses of all lanes: base + byte offset. 32-bit bases wrap at 32 bits. */
static inline void addresses_of(const u8 *rows, const struct insn *i, bool base_is_64, u64 address[WARP_LANES])
{
	if (base_is_64) {
		const u64 *base = ROW_OF(u64, i->a);
		EACH_LANE
			address[l] = base[l] + (u64)(s64)i->imm;
	} else {
		const u32 *base = ROW_OF(u32, i->a);
		EACH_LANE
			address[l] = base[l] + (u32)i->imm;
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

/* l * size for each lane, by the size's logarithm. */
#define STEPS4(n, s)  (n) * (s), ((n) + 1) * (s), ((n) + 2) * (s), ((n) + 3) * (s)
#define STEPS16(n, s) STEPS4(n, s), STEPS4((n) + 4, s), STEPS4((n) + 8, s), STEPS4((n) + 12, s)
#define STEPS(s)                              \
	{                                     \
		STEPS16(0, s), STEPS16(16, s) \
	}
static const u64 lane_steps64[5][WARP_LANES]
	__attribute__((aligned(64), unused)) = {STEPS(1), STEPS(2), STEPS(4), STEPS(8), STEPS(16)};
static const u32 lane_steps32[5][WARP_LANES]
	__attribute__((aligned(64), unused)) = {STEPS(1), STEPS(2), STEPS(4), STEPS(8), STEPS(16)};

/* Whether lane l's address is the first lane's plus l * size: `steps` is a row of the tables. */
static inline bool is_ramp64(const u64 t[WARP_LANES], const u64 steps[WARP_LANES])
{
#if defined __AVX512F__
	const __m512i first = _mm512_set1_epi64((long long)t[0]);
	u32 off = 0;
	for (int k = 0; k < WARP_LANES; k += 8)
		off |= _mm512_cmpneq_epi64_mask(_mm512_load_si512(t + k),
						_mm512_add_epi64(first, _mm512_load_si512(steps + k)));
	return !off;
#else
	u64 off = 0;
	for (int l = 0; l < WARP_LANES; l++)
		off |= (t[l] - steps[l]) ^ t[0];
	return !off;
#endif
}
static inline bool is_ramp32(const u32 t[WARP_LANES], const u32 steps[WARP_LANES])
{
	u32 off = 0;

	for (int l = 0; l < WARP_LANES; l++)
		off |= (t[l] - steps[l]) ^ t[0];
	return !off;
}

/* Neighbouring lanes of a whole warp at neighbouring places of `size` bytes: *first is where. A 32-bit
 * address that wraps between lanes ends above all memory of its space, which the range check sees. */
static inline bool is_row(const u8 *rows, const struct insn *i, bool base_is_64, u32 size, u64 *first)
{
	const u32 log = (u32)__builtin_ctz(size);

	if (base_is_64) {
		const u64 *base = ROW_OF(u64, i->a);
		*first = base[0] + (u64)(s64)i->imm;
		return is_ramp64(base, lane_steps64[log]);
	}
	const u32 *base = ROW_OF(u32, i->a);
	*first = base[0] + (u32)i->imm;
	return is_ramp32(base, lane_steps32[log]);
}

/* Two half warps, each at neighbouring places: what blocks 16 wide do. */
static inline bool is_two_rows(const u64 address[WARP_LANES], u32 size)
{
	const u64 *steps = lane_steps64[__builtin_ctz(size)];
	u64 off = 0;

	for (int l = 0; l < WARP_LANES / 2; l++) {
		off |= (address[l] - steps[l]) ^ address[0];
		off |= (address[l + WARP_LANES / 2] - steps[l]) ^ address[WARP_LANES / 2];
	}
	return !off;
}

/* Loads d[l] from the word at base[l] - base[0] bytes after `from`, if all are words within WARP_LANES words
 * from there on; else false. */
static inline bool load_near(u32 d[WARP_LANES], const u32 base[WARP_LANES], const u8 *from)
{
#if defined __AVX512F__
	const __m512i first = _mm512_set1_epi32((int)base[0]), past = _mm512_set1_epi32(WARP_LANES);
	const __m512i low = _mm512_ror_epi32(_mm512_sub_epi32(_mm512_load_si512(base), first), 2);
	const __m512i high = _mm512_ror_epi32(_mm512_sub_epi32(_mm512_load_si512(base + 16), first), 2);
	if (_mm512_cmpge_epu32_mask(low, past) | _mm512_cmpge_epu32_mask(high, past))
		return false;
	const __m512i words = _mm512_loadu_si512(from), more = _mm512_loadu_si512(from + 64);
	_mm512_store_si512(d, _mm512_permutex2var_epi32(words, low, more));
	_mm512_store_si512(d + 16, _mm512_permutex2var_epi32(words, high, more));
	return true;
#else
	if (!is_ramp32(base, lane_steps32[2]))
		return false;
	memcpy(d, from, 4 * WARP_LANES);
	return true;
#endif
}

/* A warp that loads a row of global memory is soon followed by others that load the next ones; so near ends of
 * pages the host's own prefetching is late. Any address may be asked for. */
enum { FETCH_NEAR = 256, FETCH_FAR = 2048, CACHE_LINE = 64 };
/* From far away to the second-level cache: a matrix's rows, often a power of two apart, share few places of the first, and would be
 * gone from there again. */
static inline void fetch_ahead(const void *row, u32 bytes)
{
	for (u32 at = 0; at < bytes; at += CACHE_LINE) {
		__builtin_prefetch((const void *)((uintptr_t)row + FETCH_FAR + at), 0, 2);
		__builtin_prefetch((const void *)((uintptr_t)row + FETCH_NEAR + at));
	}
}

/* Whether a warp's row that begins at `to` goes past the caches: exec/streamed.h. */
ALWAYS_INLINE bool is_streamed(u32 flags, enum ir_space space, const void *to)
{
	return space == SPACE_GLOBAL && flags & REMEMBERED_STREAMED && !((uintptr_t)to % CACHE_LINE);
}
/* bytes: a multiple of 128; both aligned to CACHE_LINE. */
ALWAYS_INLINE void stream_row(void *to, const void *from, u32 bytes)
{
	for (u32 at = 0; at < bytes; at += CACHE_LINE) {
		const u8 *const s = (const u8 *)from + at;
		u8 *const d = (u8 *)to + at;
#if defined __AVX512F__
		_mm512_stream_si512((void *)d, _mm512_load_si512(s));
#elif defined __AVX2__
		for (u32 k = 0; k < CACHE_LINE; k += 32)
			_mm256_stream_si256((void *)(d + k), _mm256_load_si256((const void *)(s + k)));
#elif defined __SSE2__
		for (u32 k = 0; k < CACHE_LINE; k += 16)
			_mm_stream_si128((void *)(d + k), _mm_load_si128((const void *)(s + k)));
#else
		memcpy(d, s, CACHE_LINE);
#endif
	}
}

/* So few lanes that each is better served by itself: a gather of the host takes as long for one as for all. */
enum { LANES_FEW = 12 };
ALWAYS_INLINE bool are_few(u32 mask) { return lanes_of(mask) <= LANES_FEW; }

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
		/* A row of neighbours was tried before. */
		EACH_LANE
			apart[l] = address[l] ^ first;
		s.uniform = all_zero64(apart);
		if (s.uniform)
			return s;
		EACH_LANE
			beside[l] = (address[l] - (u64)l * size) ^ origin;
		s.contiguous = all_zero64(beside);
		return s;
	}
	EACH_LANE
		beside[l] = mask & lane_bit64[l] ? (address[l] - (u64)l * size) ^ origin : 0;
	s.contiguous = all_zero64(beside);
	EACH_LANE
		apart[l] = mask & lane_bit64[l] ? address[l] ^ first : 0;
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
	u8 *p;

#ifdef SEM_NATIVE
	/* As global_range, and nobody asks again whether what was found where it was the last time is there. Rows are held against the range
	 * by one comparison: what is too close to its end for that is left to the function. */
	const struct remembered *r = native_remembered(w, i);
	const u64 at = low - r->low, bytes = high - low;
	const bool is_row = bytes >= WARP_LANES && bytes <= REMEMBERED_BYTES;
	if (LIKELY(is_row ? at < r->room : low >= r->low && high <= r->high && low < high)) {
		p = r->host + at;
		if (!p)
			__builtin_unreachable();
	} else {
		p = native_range_slow(w, i, low, high);
	}
#else
	const struct remembered *r = global_remembered(w, i);
	p = global_range(w, i, low, high);
#endif
	return is_store && p && UNLIKELY(r->flags & ALLOCATION_READ_ONLY) ? NULL : p;
}

/* How far into the block's shared memory a generic address goes; from near_bytes on it does not. */
static inline u64 shared_offset(const struct warp *w, u64 address) { return address - w->grid->map->shared_window; }

/* Host bytes [low, high) of a space, if the fast paths cover them; NULL otherwise. By generic addresses shared memory comes first: it is no
 * allocation to look for. */
static inline u8 *space_range(struct warp *w, const struct insn *i, enum ir_space space, u64 low, u64 high,
			      bool is_store)
{
	const u64 near_ = w->block->near_bytes;

	if (space == SPACE_SHARED)
		return high <= near_ && low < high ? w->block->shared + low : NULL;
	if (space == SPACE_GENERIC && shared_offset(w, low) < near_)
		return high - low <= near_ - shared_offset(w, low) ? w->block->shared + shared_offset(w, low) : NULL;
	return global_for(w, i, low, high, is_store);
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
	const u64 top = w->frame->local_top;
	return address % 4 == 0 && address % (size < 4 ? 4 : size) == 0 && address <= top && size <= top - address;
}

/* Are all active lanes' values of `size` bytes within what local memory the thread's calls use, and aligned? */
static inline bool local_reaches(const struct warp *w, const struct extent *e, u32 size)
{
	const u64 top = w->frame->local_top;

	return !(e->bits % size) && size <= top && e->high <= top - size;
}

#endif
