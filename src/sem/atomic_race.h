/* SPDX-License-Identifier: Apache-2.0
 *
 * Atomic operations of a warp on words that other host threads may change, too: by the host's atomic instructions, each of which waits
 * until all stores before it are done and no other processor has the word. So there are to be few of them, and their words are asked for
 * beforehand: lanes one behind the other that go to one word share an instruction, and neighbouring words of a whole warp are changed two
 * at a time.
 */
#ifndef PTXSIM_SEM_ATOMIC_RACE_H
#define PTXSIM_SEM_ATOMIC_RACE_H

#include "sem/atomic_ops.h"

#define TYPE u32
#include "sem/atomic_race_type.h"
#define TYPE u64
#include "sem/atomic_race_type.h"

/* Whether words of a whole warp lie one behind the other, the first at the beginning of a pair. */
ALWAYS_INLINE bool are_pairs(u8 *const place[WARP_LANES])
{
	uintptr_t apart = (uintptr_t)place[0] % sizeof(u64);

	EACH_LANE
		apart |= (uintptr_t)place[l] - (uintptr_t)place[0] - sizeof(u32) * (u32)l;
	return !apart;
}
/* The first word is the low half, as on all hosts that the rest is built for. */
ALWAYS_INLINE void race_pairs(u8 *host, const u32 b[WARP_LANES], u32 old[WARP_LANES], op_u32 *op)
{
	u64 *p = (u64 *)(void *)host;

	for (int l = 0; l < WARP_LANES; l += 2, p++) {
		u64 was = __atomic_load_n(p, __ATOMIC_RELAXED), now;
		do
			now = op((u32)was, b[l], 0) | (u64)op((u32)(was >> 32), b[l + 1], 0) << 32;
		while (!__atomic_compare_exchange_n(p, &was, now, true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
		memcpy(&old[l], &was, sizeof was);
	}
}

/* As race_each_u32 and race_each_u64. */
ALWAYS_INLINE void race_u32(u8 *const place[WARP_LANES], const u32 *b, const u32 *c, u32 *old, u32 mask, op_u32 *op,
			    bool takes_c)
{
	if (mask == FULL_MASK && !takes_c && are_pairs(place))
		race_pairs(place[0], b, old, op);
	else
		race_each_u32(place, b, c, old, mask, op, takes_c);
}
ALWAYS_INLINE void race_u64(u8 *const place[WARP_LANES], const u64 *b, const u64 *c, u64 *old, u32 mask, op_u64 *op,
			    bool takes_c)
{
	race_each_u64(place, b, c, old, mask, op, takes_c);
}

#define ATOMIC_RACE_FUNCTION(FUNCTION, T, TAKES_C, OP)                                                \
	void FUNCTION(u8 *const place[WARP_LANES], const void *b, const void *c, void *old, u32 mask) \
	{                                                                                             \
		race_##T(place, b, c, old, mask, OP, TAKES_C);                                        \
	}

#endif
