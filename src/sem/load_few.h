/* SPDX-License-Identifier: Apache-2.0
 *
 * A part of the templates load_type.h, for native code, and scattered_load.h, whose names it uses: a load by few lanes.
 */
/* Of a place that may turn out to be none: what is misaligned has no effect. */
ALWAYS_INLINE LANE LOAD_OF(value_at)(const u8 *place)
{
	MEMORY value;

	memcpy(&value, place, sizeof value);
	return KEEP(value);
}

/* Of few lanes, each by itself: its place is looked at beside the load, and what it gets goes into a register, since a row that
 * is stored by lanes is not to be read as a row for long. False: one is out of reach. */
ALWAYS_INLINE bool LOAD_OF(load_few)(const struct reach *r, enum lane_number by, const void *numbers, LANE *d, u32 mask,
				     const struct fetching *fetching)
{
	struct row_in_registers row;
	u64 bits = 0;

	if (UNLIKELY(r->none))
		return false;
	take_row(&row, d, sizeof *d);
	for (u32 left = mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		const u64 at = place_within(r, by, numbers, l);
		if (UNLIKELY(at > r->last))
			return false;
		if (fetching->along)
			__builtin_prefetch(r->host + at + CACHE_LINE);
		if (fetching->ahead) {
			const u64 next = at + (1ull << r->shift);
			const u32 number = (u32)LOAD_OF(value_at)(r->host + (next <= r->last ? next : 0));
			__builtin_prefetch((const void *)(fetching->start + ((u64)number << fetching->shift)));
		}
		bits |= at;
		put_lane(&row, l, LOAD_OF(value_at)(r->host + at), sizeof *d);
	}
	if (UNLIKELY(bits % sizeof(MEMORY) != 0))
		return false;
	keep_row(d, &row, sizeof *d);
	return true;
}
