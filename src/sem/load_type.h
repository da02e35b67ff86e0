/* SPDX-License-Identifier: Apache-2.0
 *
 * A template: loads of one type. The includer defines MEMORY, the type in memory, and REGISTER, the type that fills
 * the register (u16, u32 or u64); this defines load_row_MEMORY_REGISTER and its like, which load_store.h makes handlers
 * of. Each returns false, having done nothing, where the access does not look as it should. `space` and `wide`
 * (addresses of 64 bits) are constants of the callers, into which all of this is inlined.
 */
#define LOAD_JOIN(what, memory, reg)  what##_##memory##_##reg
#define LOAD_JOIN_(what, memory, reg) LOAD_JOIN(what, memory, reg)
#define LOAD_OF(what)                 LOAD_JOIN_(what, MEMORY, REGISTER)
/* A register's lane, and a value in it. */
#define LANE    __typeof__(__builtin_choose_expr(sizeof(REGISTER) == 8, (u64)0, (u32)0))
#define KEEP(v) ((LANE)(REGISTER)(v))

/* A whole warp's row of neighbouring places is a copy. In native code lanes may be missing, as long as their addresses go
 * on the row; the test of the row comes first, for other accesses by the same base to share. */
ALWAYS_INLINE bool LOAD_OF(load_row)(struct warp *w, const struct insn *i, u8 *rows, u32 mask, enum ir_space space,
				     bool wide)
{
	const u32 bytes = WARP_LANES * sizeof(MEMORY);
	LANE *d = __builtin_assume_aligned(rows + i->d, 64);
	u64 start;

#ifdef SEM_NATIVE
	if (!may_be(i, SHAPE_ROW))
		return false;
	start = first_address(rows, i, wide);
	if (i->run != PROVEN_ROW && !is_row(rows, i, wide, sizeof(MEMORY), &start))
		return false;
	const MEMORY *from = start % sizeof(MEMORY) ? NULL
						    : (const MEMORY *)(const void *)proven_range(w, i, rows, space,
												 wide, bytes, false);
#else
	if (UNLIKELY(mask != FULL_MASK))
		return false;
	if (!is_row(rows, i, wide, sizeof(MEMORY), &start) || start % sizeof(MEMORY))
		return false;
	const MEMORY *from = (const MEMORY *)(const void *)space_range(w, i, space, start, start + bytes, false);
#endif
	if (UNLIKELY(!from))
		return false;
	if (space == SPACE_GLOBAL)
		fetch_ahead(from, bytes);
#ifdef SEM_NATIVE
	if (mask != FULL_MASK) {
		EACH_LANE {
			const LANE old = d[l], own = KEEP(from[l]);
			d[l] = LANE_SET(sizeof(LANE), mask, l) ? own : old;
		}
		return true;
	}
#endif
	EACH_LANE
		d[l] = KEEP(from[l]);
	return true;
}

/* The active lanes at neighbouring places. */
ALWAYS_INLINE bool LOAD_OF(load_contiguous)(struct warp *w, const struct insn *i, LANE *d, u32 mask,
					    enum ir_space space, const struct shape *s)
{
	const u32 span = (32 - (u32)__builtin_clz(mask) - s->lane) * (u32)sizeof(MEMORY);
	const u8 *p = space_range(w, i, space, s->first, s->first + span, false);

	if (UNLIKELY(!p))
		return false;
	const MEMORY *from = (const MEMORY *)(const void *)(p - s->lane * sizeof(MEMORY));
	if (mask == FULL_MASK)
		EACH_LANE
			d[l] = KEEP(from[l]);
	else
		EACH_LANE
			if (mask & lane_bit[l])
				d[l] = KEEP(from[l]);
	return true;
}

/* Each lane's word, or pair of words, of local memory at one place. */
ALWAYS_INLINE void LOAD_OF(load_local_row)(LANE *d, const u32 *from, u32 mask)
{
	if (sizeof(MEMORY) == 8)
		EACH_LANE
			d[l] = LANE_SET(sizeof(LANE), mask, l) ? KEEP(from[l] | (u64)from[l + WARP_LANES] << 32) : d[l];
	else
		EACH_LANE {
			const LANE old = d[l], own = KEEP((MEMORY)from[l]);
			d[l] = LANE_SET(sizeof(LANE), mask, l) ? own : old;
		}
}

/* All active lanes at one address. */
ALWAYS_INLINE bool LOAD_OF(load_uniform)(struct warp *w, const struct insn *i, LANE *d, u32 mask, enum ir_space space,
					 const struct shape *s)
{
	const u8 *p = space_range(w, i, space, s->first, s->first + sizeof(MEMORY), false);
	u64 offset = 0;
	MEMORY one;

	if (LIKELY(p != NULL)) {
		memcpy(&one, p, sizeof one);
		const LANE value = KEEP(one);
		EACH_LANE
			d[l] = LANE_SET(sizeof(LANE), mask, l) ? value : d[l];
		return true;
	}
	if (!local_uniform(w, space, s, sizeof(MEMORY), &offset))
		return false;
	LOAD_OF(load_local_row)(d, (const u32 *)(const void *)local_word(w, offset, 0), mask);
	return true;
}

#ifdef SEM_NATIVE
/* Each half of a whole warp at neighbouring places. */
ALWAYS_INLINE bool LOAD_OF(load_row_of_two)(struct warp *w, const struct insn *i, u8 *rows, u32 mask,
					    enum ir_space space, bool wide)
{
	const u64 *base = ROW_OF(u64, i->a), bytes = WARP_LANES / 2 * sizeof(MEMORY);
	LANE *d = __builtin_assume_aligned(rows + i->d, 64);

	if (!wide || mask != FULL_MASK || !has_halves(i) || !in_two_rows64(base, sizeof(MEMORY)))
		return false;
	const u64 first = base[0] + (u64)(s64)i->imm, second = base[WARP_LANES / 2] + (u64)(s64)i->imm;
	const u8 *low =
		(first | second) % sizeof(MEMORY) ? NULL : space_range(w, i, space, first, first + bytes, false);
	const u8 *high = low ? space_range(w, i, space, second, second + bytes, false) : NULL;
	if (UNLIKELY(!high))
		return false;
	const MEMORY *from = (const MEMORY *)(const void *)low, *more = (const MEMORY *)(const void *)high;
	EACH_LANE_OF_HALF
	d[l] = KEEP(from[l]);
	EACH_LANE_OF_HALF
	d[l + WARP_LANES / 2] = KEEP(more[l]);
	return true;
}

/* All lanes at one place, as far as that is known to be likely: then a test of the base row serves all accesses by it. */
ALWAYS_INLINE bool LOAD_OF(load_same)(struct warp *w, const struct insn *i, u8 *rows, u32 mask, enum ir_space space,
				      bool wide)
{
	LANE *d = __builtin_assume_aligned(rows + i->d, 64);

	if (!(i->fp & SHAPE_KNOWN) || !may_be(i, SHAPE_SAME) ||
	    (i->run != PROVEN_SAME && !(wide ? all_same64(ROW_OF(u64, i->a)) : all_same32(ROW_OF(u32, i->a)))))
		return false;
	const u8 *p = first_address(rows, i, wide) % sizeof(MEMORY)
			      ? NULL
			      : proven_range(w, i, rows, space, wide, sizeof(MEMORY), false);
	if (UNLIKELY(!p))
		return false;
	const LANE one = KEEP(*(const MEMORY *)(const void *)p);
	EACH_LANE {
		const LANE old = d[l];
		d[l] = LANE_SET(sizeof(LANE), mask, l) ? one : old;
	}
	return true;
}

/* A value of each lane's place into the lanes of the mask: of one lane alone, one for all, or a gather. */
ALWAYS_INLINE bool LOAD_OF(load_alone)(LANE *d, const u8 *host, u64 place, u32 mask)
{
	const LANE one = KEEP(*(const MEMORY *)(const void *)(host + place));

	EACH_LANE {
		const LANE old = d[l];
		d[l] = LANE_SET(sizeof(LANE), mask, l) ? one : old;
	}
	return true;
}
#if defined HAS_QUARTERS
/* Of few lanes, each by itself: its place is looked at beside the load, and what it gets goes into a register, since a row that
 * is stored by lanes is not to be read as a row for long. Where each goes along memory on its own, the host does not see it.
 * False: one is out of reach, and has not been loaded. */
ALWAYS_INLINE bool LOAD_OF(load_lanes)(LANE *d, const struct insn *i, const u64 address[WARP_LANES], u32 mask,
				       const struct reach *r)
{
	enum { EACH = 32 / sizeof(LANE), PARTS = WARP_LANES / EACH };
	const u64 last = r->size - sizeof(MEMORY);
	bool wrong = r->size < sizeof(MEMORY);
	__m256i part[PARTS];

	for (u32 k = 0; k < PARTS; k++)
		part[k] = _mm256_load_si256((const __m256i *)(const void *)(d + EACH * k));
	for (u32 left = wrong ? 0 : mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		const u64 own = *(const volatile u64 *)&address[l], at = own - r->low;
		const bool off = (at > last) | (own % sizeof(MEMORY) != 0);
		const LANE one = KEEP(*(const MEMORY *)(const void *)(r->host + (off ? 0 : at)));
		if (i->run == PROVEN_ALONG)
			__builtin_prefetch(r->host + at + CACHE_LINE);
		wrong |= off;
		_Pragma("clang loop unroll(full)") for (u32 k = 0; k < PARTS; k++) part[k] =
			set_lane_of(part[k], EACH * k, l, one, sizeof one);
	}
	for (u32 k = 0; k < PARTS; k++)
		_mm256_store_si256((__m256i *)(void *)(d + EACH * k), part[k]);
	return LIKELY(!wrong);
}
/* Where another allocation was remembered, once more: two loops in a row would be twice as much code. */
ALWAYS_INLINE bool LOAD_OF(load_each_few)(struct warp *w, const struct insn *i, u8 *rows, u32 mask, enum ir_space space,
					  bool wide)
{
	u64 address[WARP_LANES] __attribute__((aligned(64)));
	LANE own[WARP_LANES] __attribute__((aligned(64))), *d = __builtin_assume_aligned(rows + i->d, 64);

	native_loops();
	addresses_of(rows, i, wide, address);
	for (bool again = false;; again = true) {
		const struct reach r = reach_of(w, i, space, false);
		memcpy(own, d, sizeof own);
		if (LOAD_OF(load_lanes)(own, i, address, mask, &r))
			break;
		if (again || space == SPACE_SHARED)
			return false;
		remember_allocation(w, i, address, mask, sizeof(MEMORY));
	}
	memcpy(d, own, sizeof own);
	return true;
}
#endif
/* Few lanes whose addresses nothing is known of: no row is looked for. */
ALWAYS_INLINE bool LOAD_OF(load_few_first)(struct warp *w, const struct insn *i, u8 *rows, u32 mask,
					   enum ir_space space, bool wide)
{
#if defined HAS_QUARTERS
	return begins_with_few(i, space, wide) && are_few(mask) &&
	       LOAD_OF(load_each_few)(w, i, rows, mask, space, wide);
#else
	(void)w, (void)i, (void)rows, (void)mask, (void)space, (void)wide;
	return false;
#endif
}
/* Of few lanes, each by itself, into registers. */
ALWAYS_INLINE bool LOAD_OF(load_few)(LANE *d, const struct places64 *p, u32 mask)
{
#if defined __AVX512F__
	enum { EACH = 64 / sizeof(LANE), PARTS = WARP_LANES / EACH };
	__m512i part[PARTS];

	if (!are_few(mask))
		return false;
	native_loops();
	for (u32 k = 0; k < PARTS; k++)
		part[k] = _mm512_load_si512(d + EACH * k);
	for (u32 left = mask; left; left &= left - 1) {
		const u32 only = left & -left;
		const LANE one = KEEP(*(const MEMORY *)(const void *)PIECE(p, __builtin_ctz(left)));
		_Pragma("clang loop unroll(full)") for (u32 k = 0; k < PARTS; k++) part[k] =
			set_lanes(part[k], only >> EACH * k, one, sizeof one);
	}
	for (u32 k = 0; k < PARTS; k++)
		_mm512_store_si512(d + EACH * k, part[k]);
	return true;
#else
	(void)d, (void)p, (void)mask;
	return false;
#endif
}
#if defined HAS_QUARTERS
/* The word at each lane's place, by a loop: all at once they would be most of a region's code. What a register of 16 bytes holds is read
 * again as it was written, which the host has at hand, where it would wait for whole rows. */
ALWAYS_INLINE void LOAD_OF(load_groups)(LANE value[WARP_LANES], const u8 *host, const void *places, bool wide,
					u32 shift)
{
	enum { EACH = 16 / sizeof(LANE), GROUPS = WARP_LANES / EACH };
	typedef LANE group __attribute__((vector_size(16)));
	group part[GROUPS] __attribute__((aligned(64)));

	native_loops();
	_Pragma("clang loop unroll(disable) vectorize(disable)") for (u32 l = 0; l < WARP_LANES; l += EACH)
	{
		group v = {0};
		_Pragma("clang loop unroll(full)") for (u32 n = 0; n < EACH; n++)
		{
			const u64 at =
				wide ? ((const volatile u64 *)places)[l + n] : ((const volatile u32 *)places)[l + n];
			v[n] = KEEP(*(const MEMORY *)(const void *)(host + (at << shift)));
		}
		part[l / EACH] = v;
	}
	_Pragma("clang loop unroll(full)") for (u32 k = 0; k < GROUPS; k++)
	{
		const group v = *(const volatile group *)&part[k];
		memcpy(&value[EACH * k], &v, sizeof v);
	}
}
#endif
ALWAYS_INLINE bool LOAD_OF(load_places64)(LANE *d, const struct places64 *p, u32 mask)
{
	LANE value[WARP_LANES] __attribute__((aligned(64)));

#if defined HAS_QUARTERS
	LOAD_OF(load_groups)(value, p->host, p->at, true, 0);
#else
	if (mask == FULL_MASK && all_same64(p->at))
		return LOAD_OF(load_alone)(d, p->host, p->at[0], mask);
	if (is_one_lane(mask))
		return LOAD_OF(load_alone)(d, p->host, only_place64(p->at), mask);
	if (LOAD_OF(load_few)(d, p, mask))
		return true;
	EACH_LANE
		value[l] = KEEP(*(const MEMORY *)(const void *)(p->host + (s64)p->at[l]));
#endif
	merge_row(d, value, sizeof value[0], mask);
	return true;
}
ALWAYS_INLINE bool LOAD_OF(load_places32)(LANE *d, const struct places32 *p, u32 mask)
{
	LANE value[WARP_LANES] __attribute__((aligned(64)));

#if defined HAS_QUARTERS
	LOAD_OF(load_groups)(value, p->host, p->at, false, 0);
#else
	if (mask == FULL_MASK && all_same32(p->at))
		return LOAD_OF(load_alone)(d, p->host, p->at[0], mask);
	if (is_one_lane(mask))
		return LOAD_OF(load_alone)(d, p->host, only_place32(p->at), mask);
	EACH_LANE
		value[l] = KEEP(*(const MEMORY *)(const void *)(p->host + (s64)p->at[l]));
#endif
	merge_row(d, value, sizeof value[0], mask);
	return true;
}

ALWAYS_INLINE bool LOAD_OF(load_stepped)(struct warp *w, const struct insn *i, u8 *rows, enum ir_space space, bool wide)
{
	const u8 *from = first_of_steps(w, i, rows, space, wide, sizeof(MEMORY), false);
	LANE *d = __builtin_assume_aligned(rows + i->d, 64);
	LANE value[WARP_LANES] __attribute__((aligned(64)));

	if (UNLIKELY(!from))
		return false;
	_Pragma("clang loop unroll(full)") for (u32 l = 0; l < WARP_LANES; l++) value[l] =
		KEEP(*(const MEMORY *)(const void *)(from + (u64)step_of(i) * l));
	EACH_LANE
		d[l] = value[l];
	return true;
}

/* Of a lane that goes along memory on its own: the next line, and what the next number of its list will want. at: its place; last: of
 * places. */
ALWAYS_INLINE void LOAD_OF(fetch_next)(const struct insn *i, const u8 *host, u32 at, u32 last, u32 shift,
				       const u8 *ahead)
{
	if (goes_along(i))
		__builtin_prefetch(host + ((u64)at << shift) + CACHE_LINE);
	if (i->run & PROVEN_AHEAD) {
		const u64 next = at < last ? (u64)at + 1 : 0;
		const u32 number = (u32) * (const MEMORY *)(const void *)(host + (next << shift));
		__builtin_prefetch(ahead + ((u64)number << ahead_shift(i)));
	}
}
#if defined HAS_QUARTERS
/* As load_lanes has it. */
ALWAYS_INLINE bool LOAD_OF(load_scaled_lanes)(LANE *d, const struct insn *i, const u32 index[WARP_LANES], u32 mask,
					      const struct scaled *s, const u8 *ahead)
{
	enum { EACH = 32 / sizeof(LANE), PARTS = WARP_LANES / EACH };
	bool wrong = !s->reaches;
	__m256i part[PARTS];

	for (u32 k = 0; k < PARTS; k++)
		part[k] = _mm256_load_si256((const __m256i *)(const void *)(d + EACH * k));
	for (u32 left = wrong ? 0 : mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left), own = *(const volatile u32 *)&index[l] - s->first;
		const bool off = own > s->last;
		const u32 at = off ? 0 : own;
		const LANE one = KEEP(*(const MEMORY *)(const void *)(s->host + ((u64)at << s->shift)));
		LOAD_OF(fetch_next)(i, s->host, at, s->last, s->shift, ahead);
		wrong |= off;
		_Pragma("clang loop unroll(full)") for (u32 k = 0; k < PARTS; k++) part[k] =
			set_lane_of(part[k], EACH * k, l, one, sizeof one);
	}
	for (u32 k = 0; k < PARTS; k++)
		_mm256_store_si256((__m256i *)(void *)(d + EACH * k), part[k]);
	return LIKELY(!wrong);
}
ALWAYS_INLINE bool LOAD_OF(load_scaled_few)(struct warp *w, const struct insn *i, u8 *rows, u32 mask)
{
	u32 index[WARP_LANES] __attribute__((aligned(64)));
	LANE own[WARP_LANES] __attribute__((aligned(64))), *d = __builtin_assume_aligned(rows + i->d, 64);
	const u8 *const ahead = ahead_start(w, i, rows);

	native_loops();
	memcpy(index, rows + i->a, sizeof index);
	for (bool again = false;; again = true) {
		const struct scaled s = scaled_of(w, i, rows, sizeof(MEMORY), false);
		memcpy(own, d, sizeof own);
		if (LOAD_OF(load_scaled_lanes)(own, i, index, mask, &s, ahead))
			break;
		if (again)
			return false;
		remember_scaled(w, i, &s, index, mask, sizeof(MEMORY));
	}
	memcpy(d, own, sizeof own);
	return true;
}
#elif defined __AVX512F__
/* As load_few has it. */
ALWAYS_INLINE bool LOAD_OF(load_scaled_places)(const struct warp *w, const struct insn *i, u8 *rows, u32 mask,
					       const struct scaled_places *p)
{
	enum { EACH = 64 / sizeof(LANE), PARTS = WARP_LANES / EACH };
	LANE *d = __builtin_assume_aligned(rows + i->d, 64);
	const u8 *const ahead = ahead_start(w, i, rows);
	__m512i part[PARTS];

	native_loops();
	for (u32 k = 0; k < PARTS; k++)
		part[k] = _mm512_load_si512(d + EACH * k);
	for (u32 left = mask; left; left &= left - 1) {
		const u32 only = left & -left, at = *(const volatile u32 *)&p->by.at[__builtin_ctz(left)];
		const LANE one = KEEP(*(const MEMORY *)(const void *)(p->by.host + ((u64)at << p->shift)));
		LOAD_OF(fetch_next)(i, p->by.host, at, p->last, p->shift, ahead);
		_Pragma("clang loop unroll(full)") for (u32 k = 0; k < PARTS; k++) part[k] =
			set_lanes(part[k], only >> EACH * k, one, sizeof one);
	}
	for (u32 k = 0; k < PARTS; k++)
		_mm512_store_si512(d + EACH * k, part[k]);
	return true;
}
#endif
ALWAYS_INLINE bool LOAD_OF(load_scaled)(struct warp *w, const struct insn *i, u8 *rows, u32 mask)
{
	LANE *d = __builtin_assume_aligned(rows + i->d, 64);
	struct scaled_places p;

#if defined HAS_QUARTERS
	if (are_few(mask))
		return LOAD_OF(load_scaled_few)(w, i, rows, mask);
#endif
	if (!find_scaled(&p, w, i, rows, mask, sizeof(MEMORY), false))
		return false;
#if defined __AVX512F__
	if (are_few(mask))
		return LOAD_OF(load_scaled_places)(w, i, rows, mask, &p);
#endif
	const MEMORY *row = (const MEMORY *)(const void *)scaled_row(i, &p, mask, sizeof(MEMORY));
	if (row) {
		fetch_ahead(row, WARP_LANES * sizeof(MEMORY));
		EACH_LANE
			d[l] = KEEP(row[l]);
		return true;
	}
#if defined HAS_QUARTERS
	LANE value[WARP_LANES] __attribute__((aligned(64)));
	LOAD_OF(load_groups)(value, p.by.host, p.by.at, false, p.shift);
	merge_row(d, value, sizeof value[0], mask);
	return true;
#else
	const struct places64 wide = unscaled(&p);
	return LOAD_OF(load_places64)(d, &wide, mask);
#endif
}

/* What native code tries beside a row. */
ALWAYS_INLINE bool LOAD_OF(load_each)(struct warp *w, const struct insn *i, u8 *rows, u32 mask, enum ir_space space,
				      bool wide)
{
	LANE *d = __builtin_assume_aligned(rows + i->d, 64);

	if (!may_be(i, SHAPE_SPOTS | SHAPE_NEAR | SHAPE_STRIDED | SHAPE_OTHER | (wide ? 0 : SHAPE_PARTS)))
		return false;
#if defined HAS_QUARTERS
	if (!begins_with_few(i, space, wide) && (wide || space == SPACE_SHARED) && are_few(mask))
		return LOAD_OF(load_each_few)(w, i, rows, mask, space, wide);
#endif
	if (wide) {
		struct places64 p;
		return find_places64(&p, w, i, rows, mask, space, sizeof(MEMORY), false) &&
		       LOAD_OF(load_places64)(d, &p, mask);
	}
	struct places32 p;
	return space == SPACE_SHARED && find_places32(&p, w, i, rows, mask, sizeof(MEMORY)) &&
	       LOAD_OF(load_places32)(d, &p, mask);
}
#endif

/* Each half of a whole warp at neighbouring places. */
ALWAYS_INLINE bool LOAD_OF(load_halves)(struct warp *w, const struct insn *i, LANE *d, enum ir_space space,
					const u64 address[WARP_LANES])
{
	const u64 half = WARP_LANES / 2 * sizeof(MEMORY);
	const u8 *low = space_range(w, i, space, address[0], address[0] + half, false);
	const u8 *high = low ? space_range(w, i, space, address[16], address[16] + half, false) : NULL;

	if (UNLIKELY(!high))
		return false;
	const MEMORY *from = (const MEMORY *)(const void *)low, *more = (const MEMORY *)(const void *)high;
	for (int l = 0; l < WARP_LANES / 2; l++)
		d[l] = KEEP(from[l]);
	for (int l = 0; l < WARP_LANES / 2; l++)
		d[l + WARP_LANES / 2] = KEEP(more[l]);
	return true;
}

/* Anywhere within one allocation. */
ALWAYS_INLINE bool LOAD_OF(load_gather)(struct warp *w, const struct insn *i, LANE *d, u32 mask, enum ir_space space,
					u64 address[WARP_LANES])
{
	const struct extent e = extent_of(address, mask);
	const u8 *p = e.bits % sizeof(MEMORY) ? NULL : space_range(w, i, space, e.low, e.high + sizeof(MEMORY), false);

	if (UNLIKELY(!p))
		return false;
	const MEMORY *from = (const MEMORY *)(const void *)p;
	EACH_LANE
		address[l] = (address[l] - e.low) / sizeof(MEMORY);
	if (mask == FULL_MASK)
		EACH_LANE
			d[l] = KEEP(from[(s64)address[l]]);
	else
		EACH_LANE
			if (mask & lane_bit[l])
				d[l] = KEEP(from[(s64)address[l]]);
	return true;
}

/* Few lanes, wherever they read in the allocation of the last access: each by itself, whatever they look like together. */
ALWAYS_INLINE bool LOAD_OF(load_each_of_few)(const struct warp *w, const struct insn *i, const u8 *rows, LANE *d,
					     u32 mask)
{
	const struct remembered *r = global_remembered(w, i);
	const u64 *base = ROW_OF(u64, i->a), size = r->high - r->low;
	LANE value[WARP_LANES];

	if (size < sizeof(MEMORY))
		return false;
	for (u32 left = mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		const u64 address = base[l] + (u64)(s64)i->imm, at = address - r->low;
		if (UNLIKELY(at > size - sizeof(MEMORY) || address % sizeof(MEMORY)))
			return false;
		value[l] = KEEP(*(const MEMORY *)(const void *)(r->host + at));
	}
	for (u32 left = mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		d[l] = value[l];
	}
	return true;
}

/* What is no row of a whole warp. */
ALWAYS_INLINE bool LOAD_OF(load_shape)(struct warp *w, const struct insn *i, u8 *rows, u32 mask, enum ir_space space,
				       bool wide)
{
	LANE *d = __builtin_assume_aligned(rows + i->d, 64);
	u64 address[WARP_LANES] __attribute__((aligned(64)));

	if (space == SPACE_GLOBAL && wide && are_few(mask) && LOAD_OF(load_each_of_few)(w, i, rows, d, mask))
		return true;
	addresses_of(rows, i, wide, address);
	const struct shape s = shape_of(address, mask, sizeof(MEMORY));
	if (s.contiguous && LIKELY(s.first % sizeof(MEMORY) == 0))
		return LOAD_OF(load_contiguous)(w, i, d, mask, space, &s);
	if (s.uniform && s.first % sizeof(MEMORY) == 0)
		return LOAD_OF(load_uniform)(w, i, d, mask, space, &s);
	if (mask == FULL_MASK && is_two_rows(address, sizeof(MEMORY)) && !((address[0] | address[16]) % sizeof(MEMORY)))
		return LOAD_OF(load_halves)(w, i, d, space, address);
	return LOAD_OF(load_gather)(w, i, d, mask, space, address);
}

/* Local memory: a lane's word w stands at w * WARP_LANES + lane; a value has one word or two, or lies within one. */
ALWAYS_INLINE bool LOAD_OF(load_local)(struct warp *w, const struct insn *i, u8 *rows, u32 mask, bool wide)
{
	LANE *d = __builtin_assume_aligned(rows + i->d, 64);
	u64 address[WARP_LANES] __attribute__((aligned(64)));

	addresses_of(rows, i, wide, address);
	const struct extent e = extent_of(address, mask);
	const u32 *words = (const u32 *)(const void *)w->local;
	if (UNLIKELY(!local_reaches(w, &e, sizeof(MEMORY))))
		return false;
	if (e.low == e.high && sizeof(MEMORY) >= 4) {
		LOAD_OF(load_local_row)(d, words + e.low / 4 * WARP_LANES, mask);
		return true;
	}
#ifdef SEM_NATIVE
	return false;
#endif
	for (u32 left = mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		const u32 *from = words + address[l] / 4 * WARP_LANES + l;
		const u64 value =
			sizeof(MEMORY) == 8 ? *from | (u64)from[WARP_LANES] << 32 : *from >> address[l] % 4 * 8;
		d[l] = KEEP((MEMORY)value);
	}
	return true;
}

#undef LOAD_JOIN
#undef LOAD_JOIN_
#undef LOAD_OF
#undef LANE
#undef KEEP
#undef MEMORY
#undef REGISTER
