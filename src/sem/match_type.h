/* SPDX-License-Identifier: Apache-2.0
 *
 * A template: what match.any and match.all do with values of one width. The includer, collective.c, defines VALUE, u32
 * or u64, and TRUTH, the signed type as wide; this defines match_any_VALUE and match_all_VALUE.
 */
#define MATCH_JOIN(what, type)  what##_##type
#define MATCH_JOIN_(what, type) MATCH_JOIN(what, type)
#define MATCH_OF(what)          MATCH_JOIN_(what, VALUE)

static inline void MATCH_OF(match_operands)(const u8 *rows, u32 operand, const u64 *exchange, VALUE value[WARP_LANES])
{
	const VALUE *a = __builtin_assume_aligned(rows + operand, 64);

	EACH_LANE
		value[l] = exchange ? (VALUE)exchange[l] : a[l];
}

/* The lanes that hold the wanted value. */
static inline u32 MATCH_OF(same)(const VALUE value[WARP_LANES], VALUE wanted)
{
	TRUTH t[WARP_LANES] __attribute__((aligned(64)));

	EACH_LANE
		t[l] = value[l] == wanted ? -1 : 0;
	return sizeof(TRUTH) == 8 ? pack_lanes64((const s64 *)(const void *)t)
				  : pack_lanes32((const s32 *)(const void *)t);
}

/* Which of the members hold each lane's value. Distinct values are taken in turn: few in practice. */
static void MATCH_OF(match_any)(struct warp *w, const struct insn *i, u8 *rows, u32 mask, u32 members,
				const u64 *exchange)
{
	VALUE value[WARP_LANES] __attribute__((aligned(64)));
	u32 result[WARP_LANES] __attribute__((aligned(64))) = {0};

	(void)w;
	MATCH_OF(match_operands)(rows, i->a, exchange, value);
	for (u32 left = mask; left;) {
		const u32 same = MATCH_OF(same)(value, value[__builtin_ctz(left)]) & members;
		EACH_LANE
			result[l] = same & lane_bit[l] ? same : result[l];
		left &= ~same;
	}
	write_lanes(ROW_OF(u32, i->d), result, mask);
}
static void MATCH_OF(match_all)(struct warp *w, const struct insn *i, u8 *rows, u32 mask, u32 members,
				const u64 *exchange)
{
	VALUE value[WARP_LANES] __attribute__((aligned(64)));
	const u32 *list = warp_operands(w, i);

	MATCH_OF(match_operands)(rows, list[2], exchange, value);
	const bool all = (MATCH_OF(same)(value, value[__builtin_ctz(members)]) & members) == members;
	write_all32(rows, list[0], mask, all ? members : 0);
	pred_write(rows, list[1], mask, all ? FULL_MASK : 0);
}

#undef MATCH_JOIN
#undef MATCH_JOIN_
#undef MATCH_OF
#undef VALUE
#undef TRUTH
