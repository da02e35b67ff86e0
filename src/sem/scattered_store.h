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

ALWAYS_INLINE bool STORE_OF(store_many)(struct warp *w, const struct insn *i, enum numbered by,
					const struct scattered *s, const LANE *v)
{
	struct places p;

	if (!find_places(&p, w, i, by, s) && !(remember_allocation(w, i, by, s) && find_places(&p, w, i, by, s)))
		return false;
	MEMORY *row = (MEMORY *)(void *)row_of_places(i, &p, by, s);
	if (row) {
		EACH_LANE
			row[l] = (MEMORY)v[l];
		return true;
	}
	if (STORE_OF(store_halves)(i, by, &p, s->mask, v))
		return true;
	for (u32 left = s->mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		*(MEMORY *)(void *)place_of(&p, by, l) = (MEMORY)v[l];
	}
	return true;
}

/* What is not done by few lanes is a function of its own, whose stack frame these would pay for. */
SEPARATE bool STORE_OF(store_far_many)(struct warp *w, const struct insn *i, const u64 *base, void *value, u32 mask,
				       enum ir_space space)
{
	const struct scattered s = {
		.row = base, .space = space, .mask = mask, .bytes = sizeof(MEMORY), .is_store = true};

	return STORE_OF(store_many)(w, i, BY_ADDRESS, &s, __builtin_assume_aligned(value, 64));
}
bool STORE_FUNCTION(scattered_store)(struct warp *w, const struct insn *i, const u64 *base, void *value, u32 mask,
				     enum ir_space space)
{
	const struct reach r = reach_of(w, i, space == SPACE_SHARED ? REACH_SHARED : REACH_STORE, 0, sizeof(MEMORY));

	return (are_few(mask) && STORE_OF(store_few)(&r, FAR_ADDRESS, base, value, mask)) ||
	       STORE_OF(store_far_many)(w, i, base, value, mask, space);
}

SEPARATE bool STORE_OF(store_near_many)(struct warp *w, const struct insn *i, const u32 *base, void *value, u32 mask)
{
	const struct scattered s = {.row = base, .mask = mask, .bytes = sizeof(MEMORY), .is_store = true};

	return STORE_OF(store_many)(w, i, BY_NEAR, &s, __builtin_assume_aligned(value, 64));
}
bool STORE_FUNCTION(scattered_store_near)(struct warp *w, const struct insn *i, const u32 *base, void *value, u32 mask)
{
	const struct reach r = reach_of(w, i, REACH_SHARED, 0, sizeof(MEMORY));

	return (are_few(mask) && STORE_OF(store_few)(&r, NEAR_ADDRESS, base, value, mask)) ||
	       STORE_OF(store_near_many)(w, i, base, value, mask);
}

SEPARATE bool STORE_OF(store_scaled_many)(struct warp *w, const struct insn *i, const u32 *index, void *value, u32 mask,
					  u64 base)
{
	const struct scattered s = {.row = index,
				    .space = SPACE_GLOBAL,
				    .base = base,
				    .mask = mask,
				    .bytes = sizeof(MEMORY),
				    .is_store = true};

	return STORE_OF(store_many)(w, i, BY_INDEX, &s, __builtin_assume_aligned(value, 64));
}
bool STORE_FUNCTION(scattered_store_scaled)(struct warp *w, const struct insn *i, const u32 *index, void *value,
					    u32 mask, u64 base)
{
	const struct reach r = reach_of(w, i, REACH_STORE, base, sizeof(MEMORY));

	return (are_few(mask) && !is_signed_index(i) && STORE_OF(store_few)(&r, INDEX, index, value, mask)) ||
	       STORE_OF(store_scaled_many)(w, i, index, value, mask, base);
}

#undef STORE_JOIN
#undef STORE_JOIN_
#undef STORE_OF
#undef STORE_FUNCTION
#undef LANE
#undef MEMORY
