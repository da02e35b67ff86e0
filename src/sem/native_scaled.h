/* SPDX-License-Identifier: Apache-2.0
 *
 * Accesses of global memory by scaled rows (native/scaled.h): lane l's address is base + index[l] * 2^shift. insn.a is the index's row;
 * in place of the handler, and behind the instruction, stand the row of the base and the shift, and the access that goes where this one
 * says.
 */
#ifndef PTXSIM_SEM_NATIVE_SCALED_H
#define PTXSIM_SEM_NATIVE_SCALED_H

#include "sem/access.h"
#include "sem/native_proven.h"

ALWAYS_INLINE bool is_scaled(const struct insn *i) { return i->run & PROVEN_SCALED; }
ALWAYS_INLINE bool goes_along(const struct insn *i)
{
	return (i->run & ~(u32)(PROVEN_SCALED | PROVEN_AHEAD)) == PROVEN_ALONG;
}

/* Where lanes would go by index 0, but for the instruction's own offset. Below the row's place stands that of native_remembered. */
ALWAYS_INLINE u64 scaled_base(const struct insn *i, const u8 *rows)
{
	return *ROW_OF(u64, (u32)(uintptr_t)i->fn & ~(u32)(ALLOCATION_CACHE - 1));
}

ALWAYS_INLINE u32 index_shift(const struct insn *i) { return (u8)((uintptr_t)i->fn >> SCALED_SHIFT_AT); }
ALWAYS_INLINE bool is_signed_index(const struct insn *i)
{
	return (u64)(uintptr_t)i->fn & (u64)SCALED_SIGNED << SCALED_SHIFT_AT;
}

/* The access that goes where this one says. */
struct ahead {
	u64 parts; /* as that one has them in place of its handler */
	u64 from;
};

ALWAYS_INLINE const struct ahead *ahead_of(const struct insn *i) { return (const struct ahead *)(const void *)(i + 1); }
ALWAYS_INLINE u64 ahead_base(const struct insn *i, const u8 *rows)
{
	return i->run & PROVEN_AHEAD ? *ROW_OF(u64, (u32)ahead_of(i)->parts & ~(u32)(ALLOCATION_CACHE - 1)) : 0;
}
/* Where it would go by index 0, and 2^shift further for each one more, if it is there at all. */
ALWAYS_INLINE uintptr_t ahead_start(const struct warp *w, const struct insn *i, u64 base)
{
	const struct ahead *a = ahead_of(i);
	if (!(i->run & PROVEN_AHEAD))
		return 0;
	const struct remembered *r = &w->worker->allocations[a->parts % ALLOCATION_CACHE];

	return (uintptr_t)r->host + (uintptr_t)(base + a->from - r->low);
}
ALWAYS_INLINE u32 ahead_shift(const struct insn *i)
{
	return (u32)(ahead_of(i)->parts >> SCALED_SHIFT_AT) % SCALED_SIGNED;
}

#endif
