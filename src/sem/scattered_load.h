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

#define VALUE(L) KEEP(*(const MEMORY *)(const void *)whole_place(z, by, row, shift, L))
/* Of all, 16 bytes of the row at a time. */
ALWAYS_INLINE void LOAD_OF(load_by_shift)(const struct whole *z, enum numbered by, const void *row, u32 shift, LANE *d)
{
	enum { GROUP = 16 / sizeof(LANE), GROUPS = REGISTER_BYTES / 16 };

	_Pragma("GCC unroll 1") for (u32 l = 0; l < WARP_LANES; l += GROUPS * GROUP)
	{
		__m128i group[GROUPS];
		_Pragma("GCC unroll 4") for (u32 n = 0; n < GROUPS; n++)
		{
			const u32 at = l + n * GROUP;
			group[n] = GROUP == 4 ? _mm_setr_epi32((s32)VALUE(at), (s32)VALUE(at + 1),
							       (s32)VALUE(at + GROUP - 2), (s32)VALUE(at + GROUP - 1))
					      : _mm_set_epi64x((s64)VALUE(at + 1), (s64)VALUE(at));
			LANES_SO_FAR();
		}
		const row_register all = joined(group);
		memcpy(d + l, &all, sizeof all);
	}
}
#undef VALUE
ALWAYS_INLINE bool LOAD_OF(load_whole)(struct warp *w, const struct insn *i, enum numbered by,
				       const struct scattered *s, LANE *d)
{
	const u32 usual = by == BY_INDEX ? (u32)__builtin_ctz(sizeof(MEMORY)) : 0;
	struct whole z;

	if (!find_whole(&z, w, i, by, s))
		return false;
	if (by == BY_INDEX && may_be(i, SHAPE_ROW) && z.shift == usual && is_row_of_indices(s->row)) {
		const MEMORY *from = (const MEMORY *)(const void *)whole_place(&z, by, s->row, usual, 0);
		fetch_ahead(from, WARP_LANES * sizeof(MEMORY));
		EACH_LANE
			d[l] = KEEP(from[l]);
		return true;
	}
	if (LIKELY(z.shift == usual))
		LOAD_OF(load_by_shift)(&z, by, s->row, usual, d);
	else
		LOAD_OF(load_by_shift)(&z, by, s->row, z.shift, d);
	return true;
}

/* Of some, but not few: the others read what the range begins with. */
ALWAYS_INLINE bool LOAD_OF(load_many)(struct warp *w, const struct insn *i, enum numbered by, const struct scattered *s,
				      LANE *d)
{
	LANE value[WARP_LANES] __attribute__((aligned(64)));
	struct places p;

	if (!find_places(&p, w, i, by, s))
		return false;
	const struct whole z = {p.host, p.shift};
	LOAD_OF(load_by_shift)(&z, by, by == BY_ADDRESS ? (const void *)p.far : p.near_, p.shift, value);
	merge_row(d, value, sizeof value[0], s->mask);
	return true;
}

/* Ways that are rarely taken, or take long, are functions of their own, whose stack frames the common ones would pay for. */
SEPARATE bool LOAD_OF(load_far_many)(struct warp *w, const struct insn *i, const struct scattered *s, void *value)
{
	return LOAD_OF(load_many)(w, i, BY_ADDRESS, s, value) ||
	       (remember_allocation(w, i, BY_ADDRESS, s) && LOAD_OF(load_many)(w, i, BY_ADDRESS, s, value));
}
bool LOAD_FUNCTION(scattered_load)(struct warp *w, const struct insn *i, const u64 *base, void *value, u32 mask,
				   enum ir_space space)
{
	const struct scattered s = {.row = base, .space = space, .mask = mask, .bytes = sizeof(MEMORY)};
	const struct reach r = reach_of(w, i, space == SPACE_SHARED ? REACH_SHARED : REACH_LOAD, 0, sizeof(MEMORY));
	const struct fetching none = {.along = false};

	if (mask == FULL_MASK ? LOAD_OF(load_whole)(w, i, BY_ADDRESS, &s, value)
			      : are_few(mask) && LOAD_OF(load_few)(&r, FAR_ADDRESS, base, value, mask, &none))
		return true;
	return LOAD_OF(load_far_many)(w, i, &s, value);
}

/* A window is looked for where it is likely, or where all of the block's memory is one. */
SEPARATE bool LOAD_OF(load_near_many)(struct warp *w, const struct insn *i, const struct scattered *s, void *value)
{
	return (sizeof(MEMORY) == 4 && s->mask == FULL_MASK && load_window(w, i, s->row, value)) ||
	       LOAD_OF(load_many)(w, i, BY_NEAR, s, value);
}
ALWAYS_INLINE bool LOAD_OF(may_be_window)(const struct warp *w, const struct insn *i)
{
	return sizeof(MEMORY) == 4 &&
	       ((i->fp & SHAPE_KNOWN && i->fp & SHAPE_NEAR) || w->block->near_bytes <= 2 * WARP_LANES * sizeof(u32));
}
bool LOAD_FUNCTION(scattered_load_near)(struct warp *w, const struct insn *i, const u32 *base, void *value, u32 mask)
{
	const struct scattered s = {.row = base, .mask = mask, .bytes = sizeof(MEMORY)};
	const struct reach r = reach_of(w, i, REACH_SHARED, 0, sizeof(MEMORY));
	const struct fetching none = {.along = false};

	if (mask == FULL_MASK ? !LOAD_OF(may_be_window)(w, i) && LOAD_OF(load_whole)(w, i, BY_NEAR, &s, value)
			      : are_few(mask) && LOAD_OF(load_few)(&r, NEAR_ADDRESS, base, value, mask, &none))
		return true;
	return LOAD_OF(load_near_many)(w, i, &s, value);
}

SEPARATE bool LOAD_OF(load_scaled_many)(struct warp *w, const struct insn *i, const struct scattered *s, void *value)
{
	return LOAD_OF(load_many)(w, i, BY_INDEX, s, value) ||
	       (remember_allocation(w, i, BY_INDEX, s) && LOAD_OF(load_many)(w, i, BY_INDEX, s, value));
}
/* Few lanes are in line, and come here where they want another allocation than before. */
bool LOAD_FUNCTION(scattered_load_scaled)(struct warp *w, const struct insn *i, const u32 *index, void *value, u32 mask,
					  u64 base)
{
	const struct scattered s = {
		.row = index, .space = SPACE_GLOBAL, .base = base, .mask = mask, .bytes = sizeof(MEMORY)};

	return (mask == FULL_MASK && LOAD_OF(load_whole)(w, i, BY_INDEX, &s, value)) ||
	       LOAD_OF(load_scaled_many)(w, i, &s, value);
}

#undef LOAD_JOIN
#undef LOAD_JOIN_
#undef LOAD_OF
#undef LOAD_FUNCTION
#undef LANE
#undef KEEP
#undef MEMORY
#undef REGISTER
