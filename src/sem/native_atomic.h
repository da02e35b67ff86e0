/* SPDX-License-Identifier: Apache-2.0
 *
 * A template: what atomic_word.h does, as native code has it in line, for values of TYPE. All lanes are in one range of host
 * memory, and change it one after the other, by a loop over copies of the rows.
 */
#define ATOM_JOIN(what, type)  what##_##type
#define ATOM_JOIN_(what, type) ATOM_JOIN(what, type)
#define ATOM_OF(what)          ATOM_JOIN_(what, TYPE)

/* A whole warp changes shared memory, of which it has narrow places, four lanes a turn: of a loop by one lane the host foresees neither the
 * end nor, at times, what loads must wait for, and it takes between once and twice as long, from run to run. */
#define EACH_FOUR_CHANGES(L, CHANGE)                                                                                 \
	_Pragma("clang loop unroll(disable) vectorize(disable)") for (u32 first = 0; first < WARP_LANES; first += 4) \
		_Pragma("clang loop unroll(full)") for (u32 L = first; L < first + 4; L++) CHANGE

/* Lane l's place is place[l], or, with narrow ones, host + narrow[l]. */
ALWAYS_INLINE void ATOM_OF(change_places)(u8 *const *place, u8 *host, const u32 *narrow, const struct insn *i, u8 *rows,
					  u32 mask, ATOM_OF(op) * op, bool takes_c)
{
	TYPE b[WARP_LANES] __attribute__((aligned(64))), c[WARP_LANES] __attribute__((aligned(64)));
	TYPE old[WARP_LANES] __attribute__((aligned(64)));

	native_loops();
	memcpy(b, rows + i->b, sizeof b);
	memcpy(c, rows + (takes_c ? i->c : i->b), sizeof c);
#define PLACE(L) (narrow ? host + *(const volatile u32 *)&narrow[L] : *(u8 *const volatile *)&place[L])
#define CHANGE(L)                                                                           \
	old[L] = ATOM_OF(exchange)((TYPE *)(void *)PLACE(L), *(const volatile TYPE *)&b[L], \
				   takes_c ? *(const volatile TYPE *)&c[L] : 0, false, op)
	if (narrow && mask == FULL_MASK)
		EACH_FOUR_CHANGES(l, CHANGE(l));
	else
		for (u32 left = mask; left; left &= left - 1) {
			const u32 l = (u32)__builtin_ctz(left);
			CHANGE(l);
		}
#undef PLACE
#undef CHANGE
	if (i->d != NO_OPERAND)
		merge_row(rows + i->d, old, sizeof old[0], mask);
}

ALWAYS_INLINE bool ATOM_OF(shared)(struct warp *w, const struct insn *i, u8 *rows, u32 mask, ATOM_OF(op) * op,
				   bool takes_c)
{
	const struct scattered s = {.row = rows + i->a, .mask = mask, .bytes = sizeof(TYPE), .is_store = true};
	struct places p;

	if (!find_places(&p, w, i, BY_NEAR, &s))
		return false;
	ATOM_OF(change_places)(NULL, p.host, p.near_, i, rows, mask, op, takes_c);
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

/* By a function of the library, from copies of the rows. */
ALWAYS_INLINE bool ATOM_OF(find)(u8 *place[WARP_LANES], struct warp *w, const struct insn *i, const u8 *rows, u32 mask)
{
	u64 far[WARP_LANES] __attribute__((aligned(64)));
	u32 index[WARP_LANES] __attribute__((aligned(64)));

	native_scales();
	if (is_scaled(i)) {
		memcpy(index, rows + i->a, sizeof index);
		return scattered_find_scaled(w, i, index, place, mask, sizeof(TYPE), scaled_base(i, rows));
	}
	memcpy(far, rows + i->a, sizeof far);
	return scattered_find_places(w, i, far, place, mask, sizeof(TYPE));
}

/* By a function of the library, too. */
ALWAYS_INLINE void ATOM_OF(race_places)(u8 *const *place, const struct insn *i, u8 *rows, u32 mask,
					atomic_race_fn *race, bool takes_c)
{
	TYPE b[WARP_LANES] __attribute__((aligned(64))), c[WARP_LANES] __attribute__((aligned(64)));
	TYPE old[WARP_LANES] __attribute__((aligned(64)));

	memcpy(b, rows + i->b, sizeof b);
	if (takes_c)
		memcpy(c, rows + i->c, sizeof c);
	race(place, b, c, old, mask);
	if (i->d != NO_OPERAND)
		merge_row(rows + i->d, old, sizeof old[0], mask);
}

ALWAYS_INLINE bool ATOM_OF(global)(struct warp *w, const struct insn *i, u8 *rows, u32 mask, ATOM_OF(op) * op,
				   bool takes_c, bool joins, atomic_race_fn *race)
{
	u8 *place[WARP_LANES] __attribute__((aligned(64)));

	if (!ATOM_OF(find)(place, w, i, rows, mask))
		return false;
	if (is_racing(w, SPACE_GLOBAL))
		ATOM_OF(race_places)(place, i, rows, mask, race, takes_c);
	else if (joins && i->d == NO_OPERAND && mask == FULL_MASK && all_same64((const u64 *)(const void *)place))
		ATOM_OF(change_one)(place[0], (const TYPE *)(const void *)(rows + i->b), op);
	else
		ATOM_OF(change_places)(place, NULL, NULL, i, rows, mask, op, takes_c);
	return true;
}

#undef ATOM_JOIN
#undef ATOM_JOIN_
#undef ATOM_OF
#undef TYPE
