/* SPDX-License-Identifier: Apache-2.0
 *
 * How a .sync instruction gathers the lanes of its member mask. Included by the families that have
 * such instructions.
 */
#ifndef PTXSIM_SEM_MEET_H
#define PTXSIM_SEM_MEET_H

#include "sem/lanes.h"

/* Carries the instruction out for lanes `mask`, which all named the same members. exchange: the
 * members' operands, or NULL if these stand in their rows. */
typedef void group_fn(struct warp *w, const struct insn *i, u8 *rows, u32 mask, u32 members, const u64 *exchange);

static inline u32 lanes_equal(const u32 row[WARP_LANES], u32 value)
{
	s32 t[WARP_LANES] __attribute__((aligned(64)));

	EACH_LANE
		t[l] = row[l] == value ? -1 : 0;
	return pack_lanes32(t);
}

/* Lanes of the split that name different masks: a mask whose lanes are all here is served at once; the
 * others' lanes become splits of their own, which come back to this instruction. across: lanes served at once
 * reach one another whatever their masks are, since the machine runs the instruction once for all of them. */
static inline const struct insn *meet_apart(struct warp *w, const struct insn *i, u8 *rows, u32 mask,
					    const u32 members[WARP_LANES], bool across, group_fn *group)
{
	u32 served = 0;

	for (u32 left = mask; left;) {
		const u32 wanted = members[__builtin_ctz(left)], here = lanes_equal(members, wanted) & left;
		left &= ~here;
		if (here & ~wanted)
			return warp_fault(w, i, FAULT_BAD_MASK, here & ~wanted,
					  "the member mask is 0x%08x, the executing lanes are 0x%08x", wanted, here);
		if (wanted & w->live & ~here) {
			if (!left && !served)
				return i; /* alone now: meets the others as any split does */
			warp_split(w, here, i);
			continue;
		}
		if (!across)
			group(w, i, rows, here, here, NULL);
		served |= here;
	}
	if (across)
		group(w, i, rows, served, served, NULL);
	warp_account(w, i);
	return i + 1;
}

#ifdef SEM_NATIVE
/* Native code runs it for whole warps alone, whose lanes all name all of them. */
ALWAYS_INLINE const struct insn *meet(struct warp *w, const struct insn *i, u8 *rows, u32 mask, u32 members_row,
				      u32 operand, u32 bits, bool across, group_fn *group)
{
	(void)members_row, (void)operand, (void)bits, (void)across;
	group(w, i, rows, mask, FULL_MASK, NULL);
	return i + 1;
}
#else
ALWAYS_INLINE const struct insn *meet(struct warp *w, const struct insn *i, u8 *rows, u32 mask, u32 members_row,
				      u32 operand, u32 bits, bool across, group_fn *group)
{
	const u32 *members = ROW_OF(u32, members_row);
	const u32 first = members[__builtin_ctz(mask)];
	const struct insn *next;

	if (UNLIKELY(!w->resumed && (lanes_equal(members, first) & mask) != mask))
		return meet_apart(w, i, rows, mask, members, across, group);
	if (UNLIKELY(!warp_sync(w, i, mask, first, rows, operand, bits, &next)))
		return next;
	group(w, i, rows, mask, w->member_mask, w->exchanging ? w->exchange : NULL);
	return i + 1;
}
#endif

/* A gang's instruction that serves its group at once if the running lanes of each warp name all that it has, and only
 * these of those that live; else the gang parts. members: the row of member masks. */
ALWAYS_INLINE const struct insn *meet_some(struct gang *g, const struct insn *i, u32 members, group_fn *group)
{
	const struct insn *plain = gang_plain(g, i);

	EACH_MEMBER (g, m) {
		const u8 *rows = m->rows;
		const u32 *named = ROW_OF(u32, members), first = named[__builtin_ctz(m->mask)];
		if ((lanes_equal(named, first) & m->mask) != m->mask || (first & m->warp->live) != m->mask)
			return gang_part(g, i, 0);
	}
	EACH_MEMBER (g, m)
		group(m->warp, plain, m->rows, m->mask, m->mask, NULL);
	gang_account(g, i);
	return i + 1;
}

ALWAYS_INLINE const struct insn *meet_all(struct gang *g, const struct insn *i, u32 members, group_fn *group,
					  gang_fn *some)
{
	const struct insn *plain = gang_plain(g, i);
	struct warp *w = g->warps;

	if (UNLIKELY(g->on != NULL))
		return some(g, i);
	EACH_WARP (g)
		if (UNLIKELY(lanes_equal(ROW_OF(u32, members), FULL_MASK) != FULL_MASK))
			return gang_part(g, i, 0);
	EACH_WARP (g)
		group(w++, plain, rows, FULL_MASK, FULL_MASK, NULL);
	gang_account(g, i);
	return i + 1;
}

/* The meaning NAME with such handlers for gangs. */
#define MEANING_MEET(NAME, MEMBERS_ROW, GROUP)                                          \
	SEPARATE const struct insn *NAME##_some(struct gang *g, const struct insn *i)   \
	{                                                                               \
		return meet_some(g, i, MEMBERS_ROW, GROUP);                             \
	}                                                                               \
	GANG_FUNCTION(NAME) { return meet_all(g, i, MEMBERS_ROW, GROUP, NAME##_some); } \
	MEANING_GANG(NAME)
/* The meaning that all of this makes of a group function, for one with its operands in a, its member mask in b. */
#define MEANING_MEET_AB(NAME, BITS, GROUP)                                                        \
	MEANING_FUNCTION(NAME) { return meet(w, i, rows, mask, i->b, i->a, BITS, false, GROUP); } \
	MEANING_MEET(NAME, i->b, GROUP)
/* For operands that stand in a list. */
#define GANG_OPERAND(k) g->code->operands[(u32)i->imm + (k)]

#endif
