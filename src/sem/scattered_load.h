/* SPDX-License-Identifier: Apache-2.0
 *
 * A template: loads of one type by scattered places, for native code to call. The includer defines MEMORY, the type in memory, and
 * REGISTER, the type that fills the register (u16, u32 or u64).
 */
#define LOAD_JOIN(what, memory, reg)  what##_##memory##_##reg
#define LOAD_JOIN_(what, memory, reg) LOAD_JOIN(what, memory, reg)
#define LOAD_OF(what)                 LOAD_JOIN_(what, MEMORY, REGISTER)
#define LOAD_FUNCTION(what)           SCATTERED_NAME_(LOAD_JOIN_(what, MEMORY, REGISTER))
/* A register's lane, and a value in it. */
#define LANE    __typeof__(__builtin_choose_expr(sizeof(REGISTER) == 8, (u64)0, (u32)0))
#define KEEP(v) ((LANE)(REGISTER)(v))

#include "sem/load_few.h"

/* Of many, all at once: words are collected in registers, as the host's gathers take longer. */
ALWAYS_INLINE bool LOAD_OF(load_many)(struct warp *w, const struct insn *i, enum numbered by, const struct scattered *s,
				      LANE *d)
{
	enum { EACH = REGISTER_BYTES / sizeof(LANE) };
	struct places p;

	if (!find_places(&p, w, i, by, s))
		return false;
	const MEMORY *from = (const MEMORY *)(const void *)row_of_places(i, &p, by, s);
	if (from) {
		fetch_ahead(from, WARP_LANES * sizeof(MEMORY));
		EACH_LANE
			d[l] = KEEP(from[l]);
		return true;
	}
	_Pragma("GCC unroll 1") for (u32 l = 0; l < WARP_LANES; l += EACH)
	{
		LANE own[EACH];
		_Pragma("GCC unroll 16") for (u32 n = 0; n < EACH; n++) own[n] =
			LOAD_OF(value_at)(place_of(&p, by, l + n));
		merge_register(d + l, REGISTER_OF(own), s->mask >> l, sizeof *d);
	}
	return true;
}

/* Ways that are rarely taken, or take long, are functions of their own, whose stack frames the common one would pay for. */
SEPARATE bool LOAD_OF(load_far_many)(struct warp *w, const struct insn *i, const u64 *base, void *value, u32 mask,
				     enum ir_space space)
{
	const struct scattered s = {.row = base, .space = space, .mask = mask, .bytes = sizeof(MEMORY)};

	return LOAD_OF(load_many)(w, i, BY_ADDRESS, &s, value) ||
	       (remember_allocation(w, i, BY_ADDRESS, &s) && LOAD_OF(load_many)(w, i, BY_ADDRESS, &s, value));
}
bool LOAD_FUNCTION(scattered_load)(struct warp *w, const struct insn *i, const u64 *base, void *value, u32 mask,
				   enum ir_space space)
{
	const struct reach r = reach_of(w, i, space == SPACE_SHARED ? REACH_SHARED : REACH_LOAD, 0, sizeof(MEMORY));
	const struct fetching none = {.along = false};

	if (are_few(mask) && LOAD_OF(load_few)(&r, FAR_ADDRESS, base, value, mask, &none))
		return true;
	return LOAD_OF(load_far_many)(w, i, base, value, mask, space);
}

SEPARATE bool LOAD_OF(load_near_many)(struct warp *w, const struct insn *i, const u32 *base, void *value, u32 mask)
{
	const struct scattered s = {.row = base, .mask = mask, .bytes = sizeof(MEMORY)};

	return (sizeof(MEMORY) == 4 && mask == FULL_MASK && load_window(w, i, base, value)) ||
	       LOAD_OF(load_many)(w, i, BY_NEAR, &s, value);
}
bool LOAD_FUNCTION(scattered_load_near)(struct warp *w, const struct insn *i, const u32 *base, void *value, u32 mask)
{
	const struct reach r = reach_of(w, i, REACH_SHARED, 0, sizeof(MEMORY));
	const struct fetching none = {.along = false};

	if (are_few(mask) && LOAD_OF(load_few)(&r, NEAR_ADDRESS, base, value, mask, &none))
		return true;
	return LOAD_OF(load_near_many)(w, i, base, value, mask);
}

/* Few lanes are in line, and come here where they want another allocation than before. */
bool LOAD_FUNCTION(scattered_load_scaled)(struct warp *w, const struct insn *i, const u32 *index, void *value, u32 mask,
					  u64 base)
{
	const struct scattered s = {
		.row = index, .space = SPACE_GLOBAL, .base = base, .mask = mask, .bytes = sizeof(MEMORY)};

	return LOAD_OF(load_many)(w, i, BY_INDEX, &s, value) ||
	       (remember_allocation(w, i, BY_INDEX, &s) && LOAD_OF(load_many)(w, i, BY_INDEX, &s, value));
}

#undef LOAD_JOIN
#undef LOAD_JOIN_
#undef LOAD_OF
#undef LOAD_FUNCTION
#undef LANE
#undef KEEP
#undef MEMORY
#undef REGISTER
