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

/* The values of lanes l and l + 1. */
ALWAYS_INLINE void LOAD_OF(load_two)(const struct whole *z, enum numbered by, const void *row, u32 shift, u32 l,
				     LANE value[2])
{
	const struct two_numbers n = two_numbers_of(by, row, l);

	value[0] = KEEP(*(const MEMORY *)(const void *)whole_place(z, n.low, shift));
	value[1] = KEEP(*(const MEMORY *)(const void *)whole_place(z, n.high, shift));
}
/* Of all, 16 bytes of the row at a time. */
ALWAYS_INLINE void LOAD_OF(load_by_shift)(const struct whole *z, enum numbered by, const void *row, u32 shift, LANE *d)
{
	enum { GROUP = 16 / sizeof(LANE), GROUPS = REGISTER_BYTES / 16 };

	_Pragma("GCC unroll 1") for (u32 l = 0; l < WARP_LANES; l += GROUPS * GROUP)
	{
		__m128i group[GROUPS];
		_Pragma("GCC unroll 4") for (u32 n = 0; n < GROUPS; n++)
		{
			LANE v[4];
			for (u32 k = 0; k < GROUP; k += 2)
				LOAD_OF(load_two)(z, by, row, shift, l + n * GROUP + k, v + k);
			group[n] = GROUP == 4 ? _mm_setr_epi32((s32)v[0], (s32)v[1], (s32)v[2], (s32)v[3])
					      : _mm_set_epi64x((s64)v[1], (s64)v[0]);
			LANES_SO_FAR();
		}
		const row_register all = joined(group);
		memcpy(d + l, &all, sizeof all);
	}
}
SEPARATE void LOAD_OF(load_by_any_shift)(const struct whole *z, enum numbered by, const void *row, LANE *d)
{
	LOAD_OF(load_by_shift)(z, by, row, z->shift, d);
}
/* Indices are mostly of elements as large as what is loaded. */
ALWAYS_INLINE void LOAD_OF(load_numbered)(const struct whole *z, enum numbered by, const void *row, LANE *d)
{
	const u32 usual = by == BY_INDEX ? (u32)__builtin_ctz(sizeof(MEMORY)) : 0;

	if (LIKELY(z->shift == usual))
		LOAD_OF(load_by_shift)(z, by, row, usual, d);
	else
		LOAD_OF(load_by_any_shift)(z, by, row, d);
}
ALWAYS_INLINE bool LOAD_OF(load_whole)(struct warp *w, const struct insn *i, enum numbered by,
				       const struct scattered *s, LANE *d)
{
	struct whole z;

	if (!find_whole(&z, w, i, by, s))
		return false;
	if (by == BY_INDEX && may_be(i, SHAPE_ROW) && 1u << z.shift == sizeof(MEMORY) && is_row_of_indices(s->row)) {
		const MEMORY *from = (const MEMORY *)(const void *)whole_place(&z, number_at(by, s->row, 0), z.shift);
		fetch_ahead(from, WARP_LANES * sizeof(MEMORY));
		EACH_LANE
			d[l] = KEEP(from[l]);
		return true;
	}
	LOAD_OF(load_numbered)(&z, by, s->row, d);
	return true;
}

/* Of some, but not few: the others read what the range begins with. */
ALWAYS_INLINE bool LOAD_OF(load_many)(struct warp *w, const struct insn *i, enum numbered by, const struct scattered *s,
				      LANE *d)
{
	LANE value[WARP_LANES] __attribute__((aligned(64)));
	struct places p;

	if (!find_places(&p, w, i, by, s) && !(remember_allocation(w, i, by, s) && find_places(&p, w, i, by, s)))
		return false;
	const struct whole z = {p.host, p.shift};
	LOAD_OF(load_numbered)(&z, by, by == BY_ADDRESS ? (const void *)p.far : p.near_, value);
	merge_row(d, value, sizeof value[0], s->mask);
	return true;
}

/* Ways that are rarely taken, or take long, are functions of their own, whose stack frames the common ones would pay for. */
SEPARATE bool LOAD_OF(load_far_many)(struct warp *w, const struct insn *i, const u64 *base, void *value, u32 mask,
				     enum ir_space space)
{
	const struct scattered s = {.row = base, .space = space, .mask = mask, .bytes = sizeof(MEMORY)};

	return LOAD_OF(load_many)(w, i, BY_ADDRESS, &s, value);
}
bool LOAD_FUNCTION(scattered_load)(struct warp *w, const struct insn *i, const u64 *base, void *value, u32 mask,
				   enum ir_space space)
{
	if (mask == FULL_MASK) {
		const struct scattered s = {.row = base, .space = space, .mask = mask, .bytes = sizeof(MEMORY)};
		if (LOAD_OF(load_whole)(w, i, BY_ADDRESS, &s, value))
			return true;
	} else if (are_few(mask)) {
		const struct reach r =
			reach_of(w, i, space == SPACE_SHARED ? REACH_SHARED : REACH_LOAD, 0, sizeof(MEMORY));
		const struct fetching none = {.along = false};
		if (LOAD_OF(load_few)(&r, FAR_ADDRESS, base, value, mask, &none))
			return true;
	}
	return LOAD_OF(load_far_many)(w, i, base, value, mask, space);
}

/* A window is looked for where it is likely, or where all of the block's memory is one. */
SEPARATE bool LOAD_OF(load_near_many)(struct warp *w, const struct insn *i, const u32 *base, void *value, u32 mask)
{
	const struct scattered s = {.row = base, .mask = mask, .bytes = sizeof(MEMORY)};

	return (sizeof(MEMORY) == 4 && mask == FULL_MASK && load_window(w, i, base, value)) ||
	       LOAD_OF(load_many)(w, i, BY_NEAR, &s, value);
}
ALWAYS_INLINE bool LOAD_OF(may_be_window)(const struct warp *w, const struct insn *i)
{
	return sizeof(MEMORY) == 4 &&
	       ((i->fp & SHAPE_KNOWN && i->fp & SHAPE_NEAR) || w->block->near_bytes <= 2 * WARP_LANES * sizeof(u32));
}
bool LOAD_FUNCTION(scattered_load_near)(struct warp *w, const struct insn *i, const u32 *base, void *value, u32 mask)
{
	if (mask == FULL_MASK) {
		const struct scattered s = {.row = base, .mask = mask, .bytes = sizeof(MEMORY)};
		if (!LOAD_OF(may_be_window)(w, i) && LOAD_OF(load_whole)(w, i, BY_NEAR, &s, value))
			return true;
	} else if (are_few(mask)) {
		const struct reach r = reach_of(w, i, REACH_SHARED, 0, sizeof(MEMORY));
		const struct fetching none = {.along = false};
		if (LOAD_OF(load_few)(&r, NEAR_ADDRESS, base, value, mask, &none))
			return true;
	}
	return LOAD_OF(load_near_many)(w, i, base, value, mask);
}

SEPARATE bool LOAD_OF(load_scaled_many)(struct warp *w, const struct insn *i, const u32 *index, void *value, u32 mask,
					u64 base)
{
	const struct scattered s = {
		.row = index, .space = SPACE_GLOBAL, .base = base, .mask = mask, .bytes = sizeof(MEMORY)};

	return LOAD_OF(load_many)(w, i, BY_INDEX, &s, value);
}
/* Few lanes are in line, and come here where they want another allocation than before. */
bool LOAD_FUNCTION(scattered_load_scaled)(struct warp *w, const struct insn *i, const u32 *index, void *value, u32 mask,
					  u64 base)
{
	if (mask == FULL_MASK) {
		const struct scattered s = {
			.row = index, .space = SPACE_GLOBAL, .base = base, .mask = mask, .bytes = sizeof(MEMORY)};
		if (LOAD_OF(load_whole)(w, i, BY_INDEX, &s, value))
			return true;
	}
	return LOAD_OF(load_scaled_many)(w, i, index, value, mask, base);
}

#undef LOAD_JOIN
#undef LOAD_JOIN_
#undef LOAD_OF
#undef LOAD_FUNCTION
#undef LANE
#undef KEEP
#undef MEMORY
#undef REGISTER
