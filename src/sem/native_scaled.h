/* SPDX-License-Identifier: Apache-2.0
 *
 * Accesses of global memory by scaled rows (native/scaled.h): lane l's address is base + index[l] * 2^shift, and its index, of 32 bits,
 * is held against the first and the last that are within reach. insn.a is the index's row; behind the instruction stand the row of the
 * base and the shift.
 */
#ifndef PTXSIM_SEM_NATIVE_SCALED_H
#define PTXSIM_SEM_NATIVE_SCALED_H

#include "sem/native_access.h"

ALWAYS_INLINE bool is_scaled(const struct insn *i) { return i->run & PROVEN_SCALED; }
ALWAYS_INLINE bool goes_along(const struct insn *i)
{
	return (i->run & ~(u32)(PROVEN_SCALED | PROVEN_AHEAD)) == PROVEN_ALONG;
}

/* The access that goes where this one says. */
struct ahead {
	u64 behind; /* its instruction, behind this one */
	u64 parts;  /* as that one has them in place of its handler */
	u64 from;
};

ALWAYS_INLINE const struct ahead *ahead_of(const struct insn *i) { return (const struct ahead *)(const void *)(i + 1); }
/* Where it would go by index 0, and 2^shift further for each one more; NULL: there is none. */
ALWAYS_INLINE const u8 *ahead_start(const struct warp *w, const struct insn *i, const u8 *rows)
{
	const struct ahead *a = ahead_of(i);
	if (!(i->run & PROVEN_AHEAD))
		return NULL;
	const struct remembered *r = global_remembered(w, (const struct insn *)((uintptr_t)i + (uintptr_t)a->behind));

	return (const u8 *)((uintptr_t)r->host + (uintptr_t)(*ROW_OF(u64, (u32)a->parts) + a->from - r->low));
}
ALWAYS_INLINE u32 ahead_shift(const struct insn *i)
{
	return (u32)(ahead_of(i)->parts >> SCALED_SHIFT_AT) % SCALED_SIGNED;
}

/* index[l] - first, as a number without sign, is at most `last`; its place is so many times 2^shift after `host`. */
struct scaled {
	u8 *host;
	u64 base;
	u32 first, last, shift;
	bool is_signed;
	bool reaches; /* else no index is within reach */
};

ALWAYS_INLINE struct scaled scaled_of(const struct warp *w, const struct insn *i, const u8 *rows, u32 bytes,
				      bool is_store)
{
	const struct reach r = reach_of(w, i, SPACE_GLOBAL, is_store);
	const u64 parts = (u64)(uintptr_t)i->fn;
	const u32 how = (u32)(parts >> SCALED_SHIFT_AT), shift = how % SCALED_SIGNED;
	struct scaled s = {
		.base = *ROW_OF(u64, (u32)parts) + (u64)(s64)i->imm, .shift = shift, .is_signed = how & SCALED_SIGNED};
	const u64 most = s.is_signed ? INT32_MAX : UINT32_MAX, from = s.base - r.low, room = r.size - bytes;
	const u64 first = (s64)from < 0 ? (-from + (1u << shift) - 1) >> shift : 0, start = from + (first << shift);

	const u64 last = (room - start) >> shift;

	s.reaches = (r.size >= bytes) & (first <= most) & (start <= room) & (s.base % bytes == 0);
	s.host = r.host + start;
	s.first = (u32)first;
	s.last = (u32)(last < most - first ? last : most - first);
	return s;
}

/* Has the next access find the allocation of this one. */
ALWAYS_INLINE void remember_scaled(struct warp *w, const struct insn *i, const struct scaled *s,
				   const u32 index[WARP_LANES], u32 mask, u32 bytes)
{
	u32 own[WARP_LANES] __attribute__((aligned(64)));

	EACH_LANE
		own[l] = index[l];
	const u32 one = own[__builtin_ctz(mask)];
	const u64 address = s->base + ((s->is_signed ? (u64)(s64)(s32)one : one) << s->shift);
	global_range_slow(w, i, address, address + bytes);
}

/* Lane l's place is at host + at[l] * 2^shift; that of a lane that takes no part is 0. */
struct scaled_places {
	struct places32 by;
	u32 shift, last;
};

/* False: not all within reach, or not aligned to `bytes`. */
ALWAYS_INLINE bool find_scaled(struct scaled_places *p, struct warp *w, const struct insn *i, const u8 *rows, u32 mask,
			       u32 bytes, bool is_store)
{
	const struct scaled s = scaled_of(w, i, rows, bytes, is_store);
	const u32 *index = ROW_OF(u32, i->a);
	u32 at[WARP_LANES] __attribute__((aligned(64)));

	native_scales();
	p->by.host = s.host;
	p->shift = s.shift;
	p->last = s.last;
	EACH_LANE
		at[l] = index[l] - s.first;
	const bool reach = places_reach32(&p->by, at, mask, s.last, 1);
	if (LIKELY(reach & s.reaches))
		return true;
	remember_scaled(w, i, &s, index, mask, bytes);
	return false;
}

/* The first lane's bytes, where a whole warp's lie one after the other; else NULL. */
ALWAYS_INLINE u8 *scaled_row(const struct insn *i, const struct scaled_places *p, u32 mask, u32 bytes)
{
	const u32 *at = p->by.at;

	if (mask != FULL_MASK || !may_be(i, SHAPE_ROW) || 1u << p->shift != bytes || !in_row32(at, 1) ||
	    at[0] > at[WARP_LANES - 1])
		return NULL;
	return p->by.host + ((u64)at[0] << p->shift);
}

#if defined HAS_QUARTERS
#define SCALED_PIECE(p, l) ((p)->by.host + ((u64) * (const volatile u32 *)&(p)->by.at[l] << (p)->shift))
#else
ALWAYS_INLINE struct places64 unscaled(const struct scaled_places *p)
{
	struct places64 wide;

	wide.host = p->by.host;
	EACH_LANE
		wide.at[l] = (u64)p->by.at[l] << p->shift;
	return wide;
}
#endif

#endif
