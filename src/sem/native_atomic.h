/* SPDX-License-Identifier: Apache-2.0
 *
 * A template: what atomic_word.h does, as native code has it in line, for values of TYPE. All lanes are in one range of host
 * memory, and change it one after the other, by a loop over copies of the rows.
 */
#define ATOM_JOIN(what, type)  what##_##type
#define ATOM_JOIN_(what, type) ATOM_JOIN(what, type)
#define ATOM_OF(what)          ATOM_JOIN_(what, TYPE)

/* Lane l's place is host + at[l], or, with narrow places, host + narrow[l] * 2^shift. */
ALWAYS_INLINE void ATOM_OF(change_places)(u8 *host, const u64 *at, const u32 *narrow, u32 shift, const struct insn *i,
					  u8 *rows, u32 mask, bool racing, ATOM_OF(op) * op, bool takes_c)
{
	TYPE b[WARP_LANES] __attribute__((aligned(64))), c[WARP_LANES] __attribute__((aligned(64)));
	TYPE old[WARP_LANES] __attribute__((aligned(64)));

	native_loops();
	memcpy(b, rows + i->b, sizeof b);
	memcpy(c, rows + (takes_c ? i->c : i->b), sizeof c);
	for (u32 left = mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		const u64 own =
			narrow ? (u64) * (const volatile u32 *)&narrow[l] << shift : *(const volatile u64 *)&at[l];
		old[l] = ATOM_OF(exchange)((TYPE *)(void *)(host + own), *(const volatile TYPE *)&b[l],
					   takes_c ? *(const volatile TYPE *)&c[l] : 0, racing, op);
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
	ATOM_OF(change_places)(p.host, NULL, p.at, 0, i, rows, mask, false, op, takes_c);
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

ALWAYS_INLINE bool ATOM_OF(scaled)(struct warp *w, const struct insn *i, u8 *rows, u32 mask, ATOM_OF(op) * op,
				   bool takes_c)
{
	struct scaled_places p;

	if (!find_scaled(&p, w, i, rows, mask, sizeof(TYPE), true))
		return false;
	ATOM_OF(change_places)
	(p.by.host, NULL, p.by.at, p.shift, i, rows, mask, is_racing(w, SPACE_GLOBAL), op, takes_c);
	return true;
}

ALWAYS_INLINE bool ATOM_OF(global)(struct warp *w, const struct insn *i, u8 *rows, u32 mask, ATOM_OF(op) * op,
				   bool takes_c, bool joins)
{
	struct places64 p;

	const bool racing = is_racing(w, SPACE_GLOBAL);
	if (is_scaled(i))
		return ATOM_OF(scaled)(w, i, rows, mask, op, takes_c);
	if (!find_places64(&p, w, i, rows, mask, SPACE_GLOBAL, sizeof(TYPE), true))
		return false;
	if (!racing && joins && i->d == NO_OPERAND && mask == FULL_MASK && all_same64(p.at))
		ATOM_OF(change_one)(p.host + p.at[0], (const TYPE *)(const void *)(rows + i->b), op);
	else
		ATOM_OF(change_places)(p.host, p.at, NULL, 0, i, rows, mask, racing, op, takes_c);
	return true;
}

#undef ATOM_JOIN
#undef ATOM_JOIN_
#undef ATOM_OF
#undef TYPE
