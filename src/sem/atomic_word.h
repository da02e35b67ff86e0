/* SPDX-License-Identifier: Apache-2.0
 *
 * A template: the common atomic operations on values of one type, u32 or u64, which the includer defines as TYPE: 32-bit
 * addresses in shared memory, 64-bit ones in global memory. One range check for the warp; false, with nothing done,
 * where it fails. `op`, `takes_c` and `joins` are constants of the callers, into which all of this is inlined.
 */
#define ATOM_JOIN(what, type)  what##_##type
#define ATOM_JOIN_(what, type) ATOM_JOIN(what, type)
#define ATOM_OF(what)          ATOM_JOIN_(what, TYPE)

ALWAYS_INLINE TYPE ATOM_OF(shared_lane)(u8 *place, TYPE b, TYPE c, ATOM_OF(op) * op)
{
	TYPE *p = (TYPE *)(void *)place;
	const TYPE old = *p;

	*p = op(old, b, c);
	return old;
}

ALWAYS_INLINE bool ATOM_OF(shared)(struct warp *w, const struct insn *i, u8 *rows, u32 mask, ATOM_OF(op) * op,
				   bool takes_c)
{
	const u32 *base = ROW_OF(u32, i->a);
	const TYPE *pb = (const TYPE *)(const void *)(rows + i->b);
	const TYPE *pc = takes_c ? (const TYPE *)(const void *)(rows + i->c) : pb;
	TYPE *d = (TYPE *)(void *)(rows + i->d);
	u8 *shared = w->block->shared;
	u32 at[WARP_LANES] __attribute__((aligned(64)));
	s32 wrong[WARP_LANES] __attribute__((aligned(64)));

	if (UNLIKELY(w->block->near_bytes < sizeof(TYPE)))
		return false;
	const u32 last = (u32)(w->block->near_bytes - sizeof(TYPE));
	EACH_LANE
		at[l] = base[l] + (u32)i->imm;
	EACH_LANE
		wrong[l] = at[l] > last || at[l] % sizeof(TYPE) ? -1 : 0;
	if (UNLIKELY(pack_lanes32(wrong) & mask))
		return false;
	if (LIKELY(mask == FULL_MASK && i->d != NO_OPERAND)) {
		_Pragma("GCC unroll 8") for (int l = 0; l < WARP_LANES; l++) d[l] =
			ATOM_OF(shared_lane)(shared + at[l], pb[l], takes_c ? pc[l] : 0, op);
		return true;
	}
	for (u32 left = mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		const TYPE old = ATOM_OF(shared_lane)(shared + at[l], pb[l], takes_c ? pc[l] : 0, op);
		if (i->d != NO_OPERAND)
			d[l] = old;
	}
	return true;
}

/* Address `low` is at `host`. */
ALWAYS_INLINE void ATOM_OF(race_from)(u8 *host, u64 low, const u64 address[WARP_LANES], const TYPE *b, const TYPE *c,
				      TYPE *d, u32 mask, atomic_race_fn *race)
{
	u8 *place[WARP_LANES] __attribute__((aligned(64)));
	TYPE old[WARP_LANES] __attribute__((aligned(64)));

	EACH_LANE /* those that do not run may have any place */
		place[l] = (u8 *)((uintptr_t)host + (uintptr_t)(address[l] - low));
	race(place, b, c, old, mask);
	for (u32 left = d ? mask : 0; left; left &= left - 1)
		d[__builtin_ctz(left)] = old[__builtin_ctz(left)];
}

/* joins: op(op(x, a), b) is op(x, op(a, b)), so that lanes at one address whose old values nobody wants are one. */
ALWAYS_INLINE bool ATOM_OF(global)(struct warp *w, const struct insn *i, u8 *rows, u32 mask, ATOM_OF(op) * op,
				   bool takes_c, bool joins, atomic_race_fn *race)
{
	const TYPE *pb = (const TYPE *)(const void *)(rows + i->b);
	const TYPE *pc = takes_c ? (const TYPE *)(const void *)(rows + i->c) : pb;
	TYPE *d = i->d == NO_OPERAND ? NULL : (TYPE *)(void *)(rows + i->d);
	const bool racing = is_racing(w, SPACE_GLOBAL);
	u64 address[WARP_LANES] __attribute__((aligned(64)));

	addresses_of(rows, i, true, address);
	const struct extent e = extent_of(address, mask);
	u8 *host = e.bits % sizeof(TYPE) ? NULL : global_for(w, i, e.low, e.high + sizeof(TYPE), true);
	if (UNLIKELY(!host))
		return false;
	if (joins && !d && e.low == e.high) {
		TYPE all = pb[__builtin_ctz(mask)];
		for (u32 left = mask & (mask - 1); left; left &= left - 1)
			all = op(all, pb[__builtin_ctz(left)], 0);
		ATOM_OF(exchange)((TYPE *)(void *)host, all, 0, racing, op);
		return true;
	}
	if (racing) {
		ATOM_OF(race_from)(host, e.low, address, pb, pc, d, mask, race);
		return true;
	}
	for (u32 left = mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		TYPE *p = (TYPE *)(void *)(host + (address[l] - e.low));
		const TYPE old = ATOM_OF(exchange)(p, pb[l], takes_c ? pc[l] : 0, false, op);
		if (d)
			d[l] = old;
	}
	return true;
}

#undef ATOM_JOIN
#undef ATOM_JOIN_
#undef ATOM_OF
#undef TYPE
