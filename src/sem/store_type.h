/* SPDX-License-Identifier: Apache-2.0
 *
 * A template: stores of one type. The includer defines MEMORY, the type in memory; registers are 64 bits wide for u64
 * and 32 for the others. This defines store_row_MEMORY and its like, which load_store.h makes handlers of. Each returns
 * false, having done nothing, where the access does not look as it should. `space` and `wide` (addresses of 64 bits) are
 * constants of the callers, into which all of this is inlined. Of several lanes at one address the highest wins.
 */
#define STORE_JOIN(what, memory)  what##_##memory
#define STORE_JOIN_(what, memory) STORE_JOIN(what, memory)
#define STORE_OF(what)            STORE_JOIN_(what, MEMORY)
#define LANE                      __typeof__(__builtin_choose_expr(sizeof(MEMORY) == 8, (u64)0, (u32)0))

/* A whole warp's row of neighbouring places is a copy. In native code lanes may be missing: see load_type.h. */
ALWAYS_INLINE bool STORE_OF(store_row)(struct warp *w, const struct insn *i, u8 *rows, u32 mask, enum ir_space space,
				       bool wide)
{
	const LANE *s = __builtin_assume_aligned(rows + i->b, 64);
	u64 start;

#ifdef SEM_NATIVE
	if (!may_be(i, SHAPE_ROW))
		return false;
	start = first_address(rows, i, wide);
	if (i->run != PROVEN_ROW && !is_row(rows, i, wide, sizeof(MEMORY), &start))
		return false;
	u32 flags;
	MEMORY *to = (MEMORY *)(void *)row_place(w, i, rows, space, wide, start, sizeof(MEMORY), true, &flags);
#else
	if (UNLIKELY(mask != FULL_MASK))
		return false;
	if (!is_row(rows, i, wide, sizeof(MEMORY), &start) || start % sizeof(MEMORY))
		return false;
	MEMORY *to = (MEMORY *)(void *)space_range(w, i, space, start, start + WARP_LANES * sizeof(MEMORY), true);
	const u32 flags = space == SPACE_GLOBAL ? global_remembered(w, i)->flags : 0;
#endif
	if (UNLIKELY(!to))
		return false;
#ifdef SEM_NATIVE
	if (mask != FULL_MASK)
		return store_row_of_some(to, s, mask, sizeof(MEMORY), space == SPACE_SHARED);
#endif
	if (sizeof(MEMORY) == sizeof(LANE) && UNLIKELY(is_streamed(flags, space, to)))
		stream_row(to, s, WARP_LANES * sizeof(MEMORY));
	else
		EACH_LANE
			to[l] = (MEMORY)s[l];
	return true;
}

/* Each lane's word, or pair of words, of local memory at one place. */
ALWAYS_INLINE void STORE_OF(store_local_row)(u32 *to, const LANE *s, u32 mask)
{
	EACH_LANE {
		const u32 old = to[l], own = (u32)s[l];
		to[l] = mask & lane_bit[l] ? own : old;
	}
	if (sizeof(MEMORY) == 8)
		EACH_LANE
			to[l + WARP_LANES] = mask & lane_bit[l] ? (u32)((u64)s[l] >> 32) : to[l + WARP_LANES];
}

#ifdef SEM_NATIVE
/* The lanes that run, one after the other. */
ALWAYS_INLINE void STORE_OF(store_steps_of_some)(u8 *to, const LANE *s, u32 mask, s64 step)
{
	const u32 end = 32 - (u32)__builtin_clz(mask);
	LANE own[WARP_LANES] __attribute__((aligned(64)));

	native_loops();
	memcpy(own, s, sizeof own);
	_Pragma("clang loop unroll(disable) vectorize(disable)") for (u32 l = (u32)__builtin_ctz(mask); l < end; l++)
	{
		if (mask >> l & 1)
			*(MEMORY *)(void *)(to + step * l) = (MEMORY)own[l];
	}
}
ALWAYS_INLINE void STORE_OF(store_steps)(u8 *to, const LANE *s, s64 step)
{
	_Pragma("clang loop unroll(full)") for (u32 l = 0; l < WARP_LANES; l++) * (MEMORY *)(void *)(to + step * l) =
		(MEMORY)s[l];
}
/* At equal distances that are known: of shared memory by some, */
ALWAYS_INLINE bool STORE_OF(store_near_steps)(struct warp *w, const struct insn *i, u8 *rows, u32 mask)
{
	const LANE *s = __builtin_assume_aligned(rows + i->b, 64);
	u8 *to = near_steps(w, i, rows, mask, sizeof(MEMORY));

	if (UNLIKELY(!to))
		return false;
	if (mask == FULL_MASK)
		STORE_OF(store_steps)(to, s, signed_step(i));
	else
		STORE_OF(store_steps_of_some)(to, s, mask, signed_step(i));
	return true;
}
/* or by all. */
ALWAYS_INLINE bool STORE_OF(store_stepped)(struct warp *w, const struct insn *i, u8 *rows, enum ir_space space,
					   bool wide)
{
	const LANE *s = __builtin_assume_aligned(rows + i->b, 64);
	u8 *to = first_of_steps(w, i, rows, space, wide, sizeof(MEMORY), true);

	if (UNLIKELY(!to))
		return false;
	if (has_small_stride(step_of(i), sizeof(MEMORY)))
		store_strided(to, (const u32 *)(const void *)s, step_of(i));
	else
		STORE_OF(store_steps)(to, s, step_of(i));
	return true;
}
/* Each half of the warp at neighbouring places. */
ALWAYS_INLINE bool STORE_OF(store_row_of_two)(struct warp *w, const struct insn *i, u8 *rows, u32 mask,
					      enum ir_space space, bool wide)
{
	const LANE *s = __builtin_assume_aligned(rows + i->b, 64);
	struct halves h;

	if (!wide || !has_halves(i, SHAPE_PARTS) ||
	    !find_halves(&h, w, i, rows, space, sizeof(MEMORY), sizeof(MEMORY), true))
		return false;
	if (mask != FULL_MASK)
		return store_halves_of_some(&h, s, mask, sizeof(MEMORY));
	MEMORY *to = (MEMORY *)(void *)h.low, *more = (MEMORY *)(void *)h.high;
	EACH_LANE_OF_HALF
	to[l] = (MEMORY)s[l];
	EACH_LANE_OF_HALF
	more[l] = (MEMORY)s[l + WARP_LANES / 2];
	return true;
}
/* Wherever the lanes' places are: by a function of the library, from copies of the rows. */
ALWAYS_INLINE bool STORE_OF(store_scaled)(struct warp *w, const struct insn *i, u8 *rows, u32 mask)
{
	u32 index[WARP_LANES] __attribute__((aligned(64)));
	LANE own[WARP_LANES] __attribute__((aligned(64)));

	native_scales();
	memcpy(index, rows + i->a, sizeof index);
	memcpy(own, rows + i->b, sizeof own);
	return STORE_OF(scattered_store_scaled)(w, i, index, own, mask, scaled_base(i, rows));
}
ALWAYS_INLINE bool STORE_OF(store_scattered)(struct warp *w, const struct insn *i, u8 *rows, u32 mask,
					     enum ir_space space, bool wide)
{
	u64 far[WARP_LANES] __attribute__((aligned(64)));
	u32 near_[WARP_LANES] __attribute__((aligned(64)));
	LANE own[WARP_LANES] __attribute__((aligned(64)));

	memcpy(own, rows + i->b, sizeof own);
	if (wide) {
		memcpy(far, rows + i->a, sizeof far);
		return STORE_OF(scattered_store)(w, i, far, own, mask, space);
	}
	memcpy(near_, rows + i->a, sizeof near_);
	return space == SPACE_SHARED && STORE_OF(scattered_store_near)(w, i, near_, own, mask);
}

/* What native code tries beside a row, and beside rows of a warp's quarters where it has ways for them. */
ALWAYS_INLINE bool STORE_OF(store_each)(struct warp *w, const struct insn *i, u8 *rows, u32 mask, enum ir_space space,
					bool wide)
{
	const u32 in_line = SHAPE_ROW | SHAPE_KNOWN | (has_parts(space, wide, sizeof(MEMORY)) ? SHAPE_PARTS : 0);

	return may_be(i, ~in_line) && STORE_OF(store_scattered)(w, i, rows, mask, space, wide);
}

/* By generic addresses, each lane of its own memory, all at one place; of words, or pairs. */
ALWAYS_INLINE bool STORE_OF(store_own)(struct warp *w, const struct insn *i, u8 *rows, u32 mask)
{
	u32 *to = sizeof(MEMORY) >= 4 ? own_words(w, i, rows, sizeof(MEMORY)) : NULL;

	if (!to)
		return false;
	STORE_OF(store_local_row)(to, __builtin_assume_aligned(rows + i->b, 64), mask);
	return true;
}

/* A store as native code has it. */
ALWAYS_INLINE bool STORE_OF(store_native)(struct warp *w, const struct insn *i, u8 *rows, u32 mask, enum ir_space space,
					  bool wide)
{
	if (space == SPACE_GLOBAL && wide && is_scaled(i))
		return STORE_OF(store_scaled)(w, i, rows, mask);
	if (space == SPACE_GENERIC && wide && STORE_OF(store_own)(w, i, rows, mask))
		return true;
	if (is_stepped_by_some(i, space, wide))
		return STORE_OF(store_near_steps)(w, i, rows, mask);
	if (is_stepped(i, mask))
		return STORE_OF(store_stepped)(w, i, rows, space, wide);
	return STORE_OF(store_row)(w, i, rows, mask, space, wide) ||
	       STORE_OF(store_row_of_two)(w, i, rows, mask, space, wide) ||
	       STORE_OF(store_each)(w, i, rows, mask, space, wide);
}
#endif

/* The active lanes at neighbouring places. */
ALWAYS_INLINE bool STORE_OF(store_contiguous)(struct warp *w, const struct insn *i, const LANE *s, u32 mask,
					      enum ir_space space, const struct shape *shape)
{
	const u32 span = (32 - (u32)__builtin_clz(mask) - shape->lane) * (u32)sizeof(MEMORY);
	u8 *p = space_range(w, i, space, shape->first, shape->first + span, true);

	if (UNLIKELY(!p))
		return false;
	MEMORY *to = (MEMORY *)(void *)(p - shape->lane * sizeof(MEMORY));
	if (mask == FULL_MASK)
		EACH_LANE
			to[l] = (MEMORY)s[l];
	else
		EACH_LANE
			if (mask & lane_bit[l])
				to[l] = (MEMORY)s[l];
	return true;
}

/* Each half of a whole warp at neighbouring places. */
ALWAYS_INLINE bool STORE_OF(store_halves)(struct warp *w, const struct insn *i, const LANE *s, enum ir_space space,
					  const u64 address[WARP_LANES])
{
	const u64 half = WARP_LANES / 2 * sizeof(MEMORY);
	u8 *low = space_range(w, i, space, address[0], address[0] + half, true);
	u8 *high = low ? space_range(w, i, space, address[16], address[16] + half, true) : NULL;

	if (UNLIKELY(!high))
		return false;
	MEMORY *to = (MEMORY *)(void *)low, *more = (MEMORY *)(void *)high;
	for (int l = 0; l < WARP_LANES / 2; l++)
		to[l] = (MEMORY)s[l];
	for (int l = 0; l < WARP_LANES / 2; l++)
		more[l] = (MEMORY)s[l + WARP_LANES / 2];
	return true;
}

/* Anywhere within one allocation. */
ALWAYS_INLINE bool STORE_OF(store_scatter)(struct warp *w, const struct insn *i, const LANE *s, u32 mask,
					   enum ir_space space, const u64 address[WARP_LANES])
{
	const struct extent e = extent_of(address, mask);
	u8 *p = e.bits % sizeof(MEMORY) ? NULL : space_range(w, i, space, e.low, e.high + sizeof(MEMORY), true);

	if (UNLIKELY(!p))
		return false;
	for (u32 left = mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		*(MEMORY *)(void *)(p + (address[l] - e.low)) = (MEMORY)s[l];
	}
	return true;
}

/* What is no row of a whole warp. */
ALWAYS_INLINE bool STORE_OF(store_shape)(struct warp *w, const struct insn *i, u8 *rows, u32 mask, enum ir_space space,
					 bool wide)
{
	const LANE *s = __builtin_assume_aligned(rows + i->b, 64);
	u64 address[WARP_LANES] __attribute__((aligned(64))), offset = 0;

	addresses_of(rows, i, wide, address);
	const struct shape shape = shape_of(address, mask, sizeof(MEMORY));
	if (shape.contiguous && LIKELY(shape.first % sizeof(MEMORY) == 0))
		return STORE_OF(store_contiguous)(w, i, s, mask, space, &shape);
	if (sizeof(MEMORY) >= 4 && local_uniform(w, space, &shape, sizeof(MEMORY), &offset)) {
		STORE_OF(store_local_row)((u32 *)(void *)local_word(w, offset, 0), s, mask);
		return true;
	}
	if (mask == FULL_MASK && is_two_rows(address, sizeof(MEMORY)) && !((address[0] | address[16]) % sizeof(MEMORY)))
		return STORE_OF(store_halves)(w, i, s, space, address);
	return STORE_OF(store_scatter)(w, i, s, mask, space, address);
}

/* Local memory: a lane's word w stands at w * WARP_LANES + lane; a value has one word or two, or lies within one. */
ALWAYS_INLINE bool STORE_OF(store_local)(struct warp *w, const struct insn *i, u8 *rows, u32 mask, bool wide)
{
	const LANE *s = __builtin_assume_aligned(rows + i->b, 64);
	u64 address[WARP_LANES] __attribute__((aligned(64)));

	addresses_of(rows, i, wide, address);
	const struct extent e = extent_of(address, mask);
	u32 *words = (u32 *)(void *)w->local;
	if (UNLIKELY(!local_reaches(w, &e, sizeof(MEMORY))))
		return false;
	if (e.low == e.high && sizeof(MEMORY) >= 4) {
		STORE_OF(store_local_row)(words + e.low / 4 * WARP_LANES, s, mask);
		return true;
	}
	LANE own[WARP_LANES] __attribute__((aligned(64)));
	u64 place[WARP_LANES] __attribute__((aligned(64)));
#ifdef SEM_NATIVE
	native_loops();
#endif
	memcpy(own, s, sizeof own);
	memcpy(place, address, sizeof place);
	for (u32 left = mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		const LANE value = ((const volatile LANE *)own)[l];
		u32 *to = words + place[l] / 4 * WARP_LANES + l;
		const u32 shift = sizeof(MEMORY) < 4 ? (u32)(place[l] % 4 * 8) : 0;
		const u32 bits = (u32)(MEMORY)UINT64_MAX << shift;
		*to = (*to & ~bits) | ((u32)value << shift & bits);
		if (sizeof(MEMORY) == 8)
			to[WARP_LANES] = (u32)((u64)value >> 32);
	}
	return true;
}

#undef STORE_JOIN
#undef STORE_JOIN_
#undef STORE_OF
#undef LANE
#undef MEMORY
