/* SPDX-License-Identifier: Apache-2.0
 *
 * A template: what atomic_word.h does, as native code has it in line, for values of TYPE. All lanes are in one range of host
 * memory, and change it one after the other, without a loop. One that takes no part changes a word of its own, that nobody
 * reads. Where several host threads share the memory, the interpreter's handler does it.
 */
#define ATOM_JOIN(what, type)  what##_##type
#define ATOM_JOIN_(what, type) ATOM_JOIN(what, type)
#define ATOM_OF(what)          ATOM_JOIN_(what, TYPE)

ALWAYS_INLINE void ATOM_OF(change_places)(const struct places64 *p, const struct insn *i, u8 *rows, u32 mask,
					  ATOM_OF(op) * op, bool takes_c)
{
	const TYPE *pb = (const TYPE *)(const void *)(rows + i->b);
	const TYPE *pc = takes_c ? (const TYPE *)(const void *)(rows + i->c) : pb;
	TYPE old[WARP_LANES] __attribute__((aligned(64))), own[WARP_LANES] __attribute__((aligned(64)));
	u64 at[WARP_LANES] __attribute__((aligned(64)));

	memset(own, 0, sizeof own);
	EACH_LANE
		at[l] = mask & lane_bit64[l] ? (u64)(uintptr_t)p->host + p->at[l]
					     : (u64)(uintptr_t)own + (u64)l * sizeof own[0];
	_Pragma("clang loop unroll(full)") for (u32 l = 0; l < WARP_LANES; l++)
	{
		TYPE *place = (TYPE *)(uintptr_t) * (const volatile u64 *)&at[l];
		old[l] = *place;
		*place = op(old[l], pb[l], takes_c ? pc[l] : 0);
	}
	if (i->d != NO_OPERAND)
		merge_row(rows + i->d, old, sizeof old[0], mask);
}

ALWAYS_INLINE bool ATOM_OF(shared)(struct warp *w, const struct insn *i, u8 *rows, u32 mask, ATOM_OF(op) * op,
				   bool takes_c)
{
	struct places32 p;

	if (!find_places32(&p, w, i, rows, mask, sizeof(TYPE)))
		return false;
	const struct places64 wide = widened(&p);
	ATOM_OF(change_places)(&wide, i, rows, mask, op, takes_c);
	return true;
}

/* joins: op(op(x, a), b) is op(x, op(a, b)), so that a whole warp at one address whose old values nobody wants is one. */
ALWAYS_INLINE void ATOM_OF(change_one)(u8 *host, const TYPE *b, ATOM_OF(op) * op)
{
	TYPE all[WARP_LANES] __attribute__((aligned(64))), *place = (TYPE *)(void *)host;

	EACH_LANE
		all[l] = b[l];
	_Pragma("clang loop unroll(full)") for (u32 n = WARP_LANES / 2; n; n /= 2)
		_Pragma("clang loop unroll(full)") for (u32 l = 0; l < n; l++) all[l] = op(all[l], all[l + n], 0);
	*place = op(*place, all[0], 0);
}

ALWAYS_INLINE bool ATOM_OF(global)(struct warp *w, const struct insn *i, u8 *rows, u32 mask, ATOM_OF(op) * op,
				   bool takes_c, bool joins)
{
	struct places64 p;

	if (is_racing(w, SPACE_GLOBAL) || !find_places64(&p, w, i, rows, mask, SPACE_GLOBAL, sizeof(TYPE), true))
		return false;
	if (joins && i->d == NO_OPERAND && mask == FULL_MASK && all_same64(p.at))
		ATOM_OF(change_one)(p.host + p.at[0], (const TYPE *)(const void *)(rows + i->b), op);
	else
		ATOM_OF(change_places)(&p, i, rows, mask, op, takes_c);
	return true;
}

#undef ATOM_JOIN
#undef ATOM_JOIN_
#undef ATOM_OF
#undef TYPE
