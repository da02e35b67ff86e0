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
	u32 flags;
	const MEMORY *from =
		(const MEMORY *)(const void *)row_place(w, i, rows, space, wide, start, sizeof(MEMORY), false, &flags);
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
/* The lanes that run of each half, at neighbouring places or at one. */
ALWAYS_INLINE bool LOAD_OF(load_row_of_two)(struct warp *w, const struct insn *i, u8 *rows, u32 mask,
					    enum ir_space space, bool wide)
{
	LANE *d = __builtin_assume_aligned(rows + i->d, 64);
	LANE value[WARP_LANES] __attribute__((aligned(64)));
	struct halves h;

	if (!wide || !has_halves(i, SHAPE_PARTS) ||
	    !find_halves(&h, w, i, rows, space, sizeof(MEMORY), sizeof(MEMORY), false))
		return false;
	const MEMORY *from = (const MEMORY *)(const void *)h.low, *more = (const MEMORY *)(const void *)h.high;
	EACH_LANE_OF_HALF
	value[l] = KEEP(from[l]);
	EACH_LANE_OF_HALF
	value[l + WARP_LANES / 2] = KEEP(more[l]);
	merge_row(d, value, sizeof value[0], mask);
	return true;
}
ALWAYS_INLINE bool LOAD_OF(load_two_spots)(struct warp *w, const struct insn *i, u8 *rows, u32 mask,
					   enum ir_space space, bool wide)
{
	LANE *d = __builtin_assume_aligned(rows + i->d, 64);
	LANE value[WARP_LANES] __attribute__((aligned(64)));
	struct halves h;

	if (!wide || !has_halves(i, SHAPE_SPOTS) || !find_halves(&h, w, i, rows, space, 0, sizeof(MEMORY), false))
		return false;
	const LANE one = KEEP(*(const MEMORY *)(const void *)h.low),
		   other = KEEP(*(const MEMORY *)(const void *)h.high);
	EACH_LANE_OF_HALF
	value[l] = one;
	EACH_LANE_OF_HALF
	value[l + WARP_LANES / 2] = other;
	merge_row(d, value, sizeof value[0], mask);
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

#include "sem/load_few.h"

/* Few lanes in line, into a row of their own: one that a function gets, too, would be in memory. */
ALWAYS_INLINE bool LOAD_OF(load_scaled_few)(struct warp *w, const struct insn *i, u8 *rows, const u32 *index, u32 mask)
{
	const struct reach r = reach_of(w, i, REACH_LOAD, scaled_base(i, rows), sizeof(MEMORY));
	const bool ahead = i->run & PROVEN_AHEAD;
	const struct fetching fetching = {.along = goes_along(i),
					  .ahead = ahead,
					  .start = ahead_start(w, i, ahead_base(i, rows)),
					  .shift = ahead ? ahead_shift(i) : 0};
	LANE own[WARP_LANES] __attribute__((aligned(64)));

	native_loops();
	memcpy(own, rows + i->d, sizeof own);
	if (!are_few(mask) ||
	    !LOAD_OF(load_few)(&r, is_signed_index(i) ? SIGNED_INDEX : INDEX, index, own, mask, &fetching))
		return false;
	memcpy(rows + i->d, own, sizeof own);
	return true;
}
/* Wherever the lanes' places are: by a function of the library, from and to copies of the rows. */
ALWAYS_INLINE bool LOAD_OF(load_scaled)(struct warp *w, const struct insn *i, u8 *rows, u32 mask)
{
	u32 index[WARP_LANES] __attribute__((aligned(64)));
	LANE own[WARP_LANES] __attribute__((aligned(64)));

	native_scales();
	memcpy(index, rows + i->a, sizeof index);
	if (LOAD_OF(load_scaled_few)(w, i, rows, index, mask))
		return true;
	if (mask != FULL_MASK)
		memcpy(own, rows + i->d, sizeof own);
	if (!LOAD_OF(scattered_load_scaled)(w, i, index, own, mask, scaled_base(i, rows)))
		return false;
	memcpy(rows + i->d, own, sizeof own);
	return true;
}
ALWAYS_INLINE bool LOAD_OF(load_scattered)(struct warp *w, const struct insn *i, u8 *rows, u32 mask,
					   enum ir_space space, bool wide)
{
	u64 far[WARP_LANES] __attribute__((aligned(64)));
	u32 near_[WARP_LANES] __attribute__((aligned(64)));
	LANE own[WARP_LANES] __attribute__((aligned(64)));

	if (mask != FULL_MASK)
		memcpy(own, rows + i->d, sizeof own);
	if (wide) {
		memcpy(far, rows + i->a, sizeof far);
		if (!LOAD_OF(scattered_load)(w, i, far, own, mask, space))
			return false;
	} else {
		memcpy(near_, rows + i->a, sizeof near_);
		if (space != SPACE_SHARED || !LOAD_OF(scattered_load_near)(w, i, near_, own, mask))
			return false;
	}
	memcpy(rows + i->d, own, sizeof own);
	return true;
}

ALWAYS_INLINE void LOAD_OF(load_steps)(LANE *value, const u8 *from, s64 step)
{
#define STEPPED(L) KEEP(*(const MEMORY *)(const void *)(from + step * (L)))
	_Pragma("clang loop unroll(full)") for (u32 l = 0; sizeof(LANE) == 4 && l < WARP_LANES; l += 4)
	{
		const words4 v = {(u32)STEPPED(l), (u32)STEPPED(l + 1), (u32)STEPPED(l + 2), (u32)STEPPED(l + 3)};
		memcpy(&value[l], &v, sizeof v);
	}
	_Pragma("clang loop unroll(full)") for (u32 l = 0; sizeof(LANE) == 8 && l < WARP_LANES; l++) value[l] =
		STEPPED(l);
#undef STEPPED
}

/* At equal distances that are known. A row downwards of which a part is out of reach may be needed by the lanes that run alone. */
ALWAYS_INLINE bool LOAD_OF(load_stepped)(struct warp *w, const struct insn *i, u8 *rows, u32 mask, enum ir_space space,
					 bool wide)
{
	const bool by_some = is_stepped_by_some(i, space, wide);
	const u8 *from = by_some ? steps_of_some(w, i, rows, mask, wide, sizeof(MEMORY))
				 : first_of_steps(w, i, rows, space, wide, sizeof(MEMORY), false);
	LANE value[WARP_LANES] __attribute__((aligned(64)));

	if (UNLIKELY(!from))
		return by_some && wide && LOAD_OF(load_scattered)(w, i, rows, mask, space, wide);
	if (signed_step(i) == -(s64)sizeof(MEMORY)) {
		const MEMORY *low = (const MEMORY *)(const void *)from - (WARP_LANES - 1);
		EACH_LANE
			value[l] = KEEP(low[WARP_LANES - 1 - l]);
	} else if (signed_step(i) > 0 && has_small_stride((u32)signed_step(i), sizeof(MEMORY))) {
		load_strided((u32 *)(void *)value, from, (u32)signed_step(i));
	} else {
		LOAD_OF(load_steps)(value, from, signed_step(i));
	}
	merge_row(rows + i->d, value, sizeof value[0], mask);
	return true;
}

/* By generic addresses, each lane of its own memory, all at one place. */
ALWAYS_INLINE bool LOAD_OF(load_own)(struct warp *w, const struct insn *i, u8 *rows, u32 mask)
{
	const u32 *from = own_words(w, i, rows, sizeof(MEMORY));

	if (!from)
		return false;
	LOAD_OF(load_local_row)(__builtin_assume_aligned(rows + i->d, 64), from, mask);
	return true;
}

/* What native code tries beside a row. */
ALWAYS_INLINE bool LOAD_OF(load_each)(struct warp *w, const struct insn *i, u8 *rows, u32 mask, enum ir_space space,
				      bool wide)
{
	return may_be(i, SHAPE_SPOTS | SHAPE_NEAR | SHAPE_STRIDED | SHAPE_OTHER | (wide ? 0 : SHAPE_PARTS)) &&
	       LOAD_OF(load_scattered)(w, i, rows, mask, space, wide);
}

/* A load as native code has it. */
ALWAYS_INLINE bool LOAD_OF(load_native)(struct warp *w, const struct insn *i, u8 *rows, u32 mask, enum ir_space space,
					bool wide)
{
	if (space == SPACE_GLOBAL && wide && is_scaled(i))
		return LOAD_OF(load_scaled)(w, i, rows, mask);
	if (space == SPACE_GENERIC && wide && LOAD_OF(load_own)(w, i, rows, mask))
		return true;
	if (is_stepped_by_some(i, space, wide) || is_stepped(i, mask))
		return LOAD_OF(load_stepped)(w, i, rows, mask, space, wide);
	if (!(begins_with_few(i, space, wide) && are_few(mask)) &&
	    (LOAD_OF(load_row)(w, i, rows, mask, space, wide) || LOAD_OF(load_same)(w, i, rows, mask, space, wide) ||
	     LOAD_OF(load_row_of_two)(w, i, rows, mask, space, wide) ||
	     LOAD_OF(load_two_spots)(w, i, rows, mask, space, wide)))
		return true;
	return LOAD_OF(load_each)(w, i, rows, mask, space, wide);
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
	LANE own[WARP_LANES] __attribute__((aligned(64)));
	u64 place[WARP_LANES] __attribute__((aligned(64)));
#ifdef SEM_NATIVE
	native_loops();
#endif
	memcpy(own, d, sizeof own);
	memcpy(place, address, sizeof place);
	for (u32 left = mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		const u32 *from = words + place[l] / 4 * WARP_LANES + l;
		const u64 value = sizeof(MEMORY) == 8 ? *from | (u64)from[WARP_LANES] << 32 : *from >> place[l] % 4 * 8;
		own[l] = KEEP((MEMORY)value);
	}
	memcpy(d, own, sizeof own);
	return true;
}

#undef LOAD_JOIN
#undef LOAD_JOIN_
#undef LOAD_OF
#undef LANE
#undef KEEP
#undef MEMORY
#undef REGISTER
