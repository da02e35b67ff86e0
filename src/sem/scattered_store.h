/* SPDX-License-Identifier: Apache-2.0
 *
 * A template: stores of one type to scattered places, for native code to call. The includer defines MEMORY, the type in memory; registers
 * are 64 bits wide for u64 and 32 for the others. Of several lanes at one address the highest wins.
 */
#define STORE_JOIN(what, memory)  what##_##memory
#define STORE_JOIN_(what, memory) STORE_JOIN(what, memory)
#define STORE_OF(what)            STORE_JOIN_(what, MEMORY)
#define STORE_FUNCTION(what)      SCATTERED_NAME_(STORE_JOIN_(what, MEMORY))
#define LANE                      __typeof__(__builtin_choose_expr(sizeof(MEMORY) == 8, (u64)0, (u32)0))

ALWAYS_INLINE bool STORE_OF(store_halves)(const struct insn *i, enum numbered by, const struct places *p, u32 mask,
					  const LANE *v)
{
	if (by != BY_ADDRESS || mask != FULL_MASK || !may_be(i, SHAPE_PARTS) || !in_two_rows64(p->far, sizeof(MEMORY)))
		return false;
	MEMORY *low = (MEMORY *)(void *)place_of(p, by, 0);
	MEMORY *high = (MEMORY *)(void *)place_of(p, by, WARP_LANES / 2);
	EACH_LANE_OF_HALF
	low[l] = (MEMORY)v[l];
	EACH_LANE_OF_HALF
	high[l] = (MEMORY)v[l + WARP_LANES / 2];
	return true;
}

/* Of few lanes, each by itself; all are looked at before any stores. */
ALWAYS_INLINE bool STORE_OF(store_few)(const struct reach *r, enum lane_number by, const void *numbers, const LANE *v,
				       u32 mask)
{
	if (!all_reach(r, by, numbers, mask, sizeof(MEMORY)))
		return false;
	for (u32 left = mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		*(MEMORY *)(void *)(r->host + place_within(r, by, numbers, l)) = (MEMORY)v[l];
	}
	return true;
}

/* Of all, in their order. */
ALWAYS_INLINE void STORE_OF(store_by_shift)(const struct whole *z, enum numbered by, const void *row, u32 shift,
					    const LANE *v)
{
	_Pragma("GCC unroll 8") for (u32 l = 0; l < WARP_LANES; l++) *
		(volatile MEMORY *)(void *)whole_place(z, number_at(by, row, l), shift) = (MEMORY)v[l];
}
ALWAYS_INLINE bool STORE_OF(store_whole)(struct warp *w, const struct insn *i, enum numbered by,
					 const struct scattered *s, const LANE *v)
{
	const u32 usual = by == BY_INDEX ? (u32)__builtin_ctz(sizeof(MEMORY)) : 0;
	struct whole z;

	if (!find_whole(&z, w, i, by, s))
		return false;
	if (by == BY_INDEX && may_be(i, SHAPE_ROW) && z.shift == usual && is_row_of_indices(s->row)) {
		MEMORY *to = (MEMORY *)(void *)whole_place(&z, number_at(by, s->row, 0), usual);
		EACH_LANE
			to[l] = (MEMORY)v[l];
		return true;
	}
	if (LIKELY(z.shift == usual))
		STORE_OF(store_by_shift)(&z, by, s->row, usual, v);
	else
		STORE_OF(store_by_shift)(&z, by, s->row, z.shift, v);
	return true;
}

ALWAYS_INLINE bool STORE_OF(store_many)(struct warp *w, const struct insn *i, enum numbered by,
					const struct scattered *s, const LANE *v)
{
	struct places p;

	if (!find_places(&p, w, i, by, s) && !(remember_allocation(w, i, by, s) && find_places(&p, w, i, by, s)))
		return false;
	if (STORE_OF(store_halves)(i, by, &p, s->mask, v))
		return true;
	for (u32 left = s->mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		*(MEMORY *)(void *)place_of(&p, by, l) = (MEMORY)v[l];
	}
	return true;
}

/* What is neither done by all lanes nor by few is a function of its own, whose stack frame these would pay for. */
SEPARATE bool STORE_OF(store_far_many)(struct warp *w, const struct insn *i, const struct scattered *s, void *value)
{
	return STORE_OF(store_many)(w, i, BY_ADDRESS, s, __builtin_assume_aligned(value, 64));
}
bool STORE_FUNCTION(scattered_store)(struct warp *w, const struct insn *i, const u64 *base, void *value, u32 mask,
				     enum ir_space space)
{
	const struct scattered s = {
		.row = base, .space = space, .mask = mask, .bytes = sizeof(MEMORY), .is_store = true};
	const struct reach r = reach_of(w, i, space == SPACE_SHARED ? REACH_SHARED : REACH_STORE, 0, sizeof(MEMORY));

	if (mask == FULL_MASK ? !may_be(i, SHAPE_PARTS) && STORE_OF(store_whole)(w, i, BY_ADDRESS, &s, value)
			      : are_few(mask) && STORE_OF(store_few)(&r, FAR_ADDRESS, base, value, mask))
		return true;
	return STORE_OF(store_far_many)(w, i, &s, value);
}

SEPARATE bool STORE_OF(store_near_many)(struct warp *w, const struct insn *i, const struct scattered *s, void *value)
{
	return STORE_OF(store_many)(w, i, BY_NEAR, s, __builtin_assume_aligned(value, 64));
}
bool STORE_FUNCTION(scattered_store_near)(struct warp *w, const struct insn *i, const u32 *base, void *value, u32 mask)
{
	const struct scattered s = {.row = base, .mask = mask, .bytes = sizeof(MEMORY), .is_store = true};
	const struct reach r = reach_of(w, i, REACH_SHARED, 0, sizeof(MEMORY));

	if (mask == FULL_MASK ? STORE_OF(store_whole)(w, i, BY_NEAR, &s, value)
			      : are_few(mask) && STORE_OF(store_few)(&r, NEAR_ADDRESS, base, value, mask))
		return true;
	return STORE_OF(store_near_many)(w, i, &s, value);
}

SEPARATE bool STORE_OF(store_scaled_many)(struct warp *w, const struct insn *i, const struct scattered *s, void *value)
{
	return STORE_OF(store_many)(w, i, BY_INDEX, s, __builtin_assume_aligned(value, 64));
}
bool STORE_FUNCTION(scattered_store_scaled)(struct warp *w, const struct insn *i, const u32 *index, void *value,
					    u32 mask, u64 base)
{
	const struct scattered s = {.row = index,
				    .space = SPACE_GLOBAL,
				    .base = base,
				    .mask = mask,
				    .bytes = sizeof(MEMORY),
				    .is_store = true};
	const struct reach r = reach_of(w, i, REACH_STORE, base, sizeof(MEMORY));

	if (mask == FULL_MASK
		    ? STORE_OF(store_whole)(w, i, BY_INDEX, &s, value)
		    : are_few(mask) && !is_signed_index(i) && STORE_OF(store_few)(&r, INDEX, index, value, mask))
		return true;
	return STORE_OF(store_scaled_many)(w, i, &s, value);
}

#undef STORE_JOIN
#undef STORE_JOIN_
#undef STORE_OF
#undef STORE_FUNCTION
#undef LANE
#undef MEMORY
