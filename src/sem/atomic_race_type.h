/* SPDX-License-Identifier: Apache-2.0
 *
 * A template of atomic_race.h, for values of one type, which that defines as TYPE. Each lane of `mask` is at its place; `old`, which is no
 * operand, gets the values before. `op` and takes_c are constants of the callers, into which all of this is inlined.
 */
#define ATOM_JOIN(what, type)  what##_##type
#define ATOM_JOIN_(what, type) ATOM_JOIN(what, type)
#define ATOM_OF(what)          ATOM_JOIN_(what, TYPE)

/* The first lane that is left, and those behind it at its place; gives back the lanes left then. */
ALWAYS_INLINE u32 ATOM_OF(race_at_one)(u8 *const *place, const TYPE *b, const TYPE *c, TYPE *old, u32 left,
				       ATOM_OF(op) * op, bool takes_c)
{
	TYPE *const p = (TYPE *)(void *)place[__builtin_ctz(left)];
	TYPE was = __atomic_load_n(p, __ATOMIC_RELAXED), now;
	u32 rest;

	do {
		now = was;
		rest = left;
		do {
			const u32 l = (u32)__builtin_ctz(rest);
			old[l] = now;
			now = op(now, b[l], takes_c ? c[l] : 0);
			rest &= rest - 1;
		} while (rest && (TYPE *)(void *)place[__builtin_ctz(rest)] == p);
	} while (!__atomic_compare_exchange_n(p, &was, now, true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
	return rest;
}

ALWAYS_INLINE void ATOM_OF(race_each)(u8 *const *place, const TYPE *b, const TYPE *c, TYPE *old, u32 mask,
				      ATOM_OF(op) * op, bool takes_c)
{
	for (u32 left = mask; left; left &= left - 1)
		__builtin_prefetch(place[__builtin_ctz(left)], 1);
	for (u32 left = mask; left;)
		left = ATOM_OF(race_at_one)(place, b, c, old, left, op, takes_c);
}

#undef ATOM_JOIN
#undef ATOM_JOIN_
#undef ATOM_OF
#undef TYPE
