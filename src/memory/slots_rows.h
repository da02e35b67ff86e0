/* SPDX-License-Identifier: Apache-2.0
 *
 * A template: slots_count_rows by vectors of LANES words, as many rows at a time. The includer, slots.c, defines OWN(name),
 * the names of the functions; MIN(a, b) of unsigned words; and their TARGET attribute, if any.
 *
 * Rows are turned, so that vector l holds lane l of all rows; then rows do not have to be looked at one by one:
 *
 *     keys      vector l, compared with vectors 0 to l - 1: whose key an earlier lane has
 *     bits      1 << slot of each lane
 *     planes    the 32 words of bits added up by full adders: bit s of planes[p] is bit p of the number in slot s
 */
typedef u32 OWN(vec) __attribute__((vector_size(4 * LANES), may_alias));

/* Lane i of the result: word index[i] of the words of a and then b. Clang picks by constants only. */
TARGET INLINE OWN(vec) OWN(pick)(OWN(vec) a, OWN(vec) b, OWN(vec) index)
{
#ifdef __clang__
	OWN(vec) picked = a;
	for (u32 i = 0; i < LANES; i++)
		picked[i] = index[i] < LANES ? a[index[i]] : b[index[i] - LANES];
	return picked;
#else
	return __builtin_shuffle(a, b, index);
#endif
}

TARGET INLINE void OWN(turn)(OWN(vec) m[LANES])
{
	_Pragma("GCC unroll 4") for (u32 s = LANES / 2; s; s /= 2)
	{
		OWN(vec) low = {0}, high = {0};
		for (u32 i = 0; i < LANES; i++) {
			low[i] = i & s ? LANES + i - s : i;
			high[i] = i & s ? LANES + i : i + s;
		}
		_Pragma("GCC unroll 16") for (u32 r = 0; r < LANES; r++) if (!(r & s))
		{
			const OWN(vec) a = m[r], b = m[r + s];
			m[r] = OWN(pick)(a, b, low);
			m[r + s] = OWN(pick)(a, b, high);
		}
	}
}

/* bits[] of lanes whose key no earlier lane has. */
TARGET INLINE void OWN(leave_first)(const OWN(vec) key[WARP_LANES], OWN(vec) bits[WARP_LANES])
{
	for (u32 l = 1; l < WARP_LANES; l++) {
		const OWN(vec) own = key[l];
		OWN(vec) off = own ^ key[0];
		_Pragma("GCC unroll 4") for (u32 k = 1; k < l; k++) off = MIN(off, own ^ key[k]);
		bits[l] &= (OWN(vec))(off != 0);
	}
}

TARGET INLINE void OWN(add_up)(OWN(vec) bits[WARP_LANES], OWN(vec) planes[SLOT_PLANES])
{
	u32 n = WARP_LANES;

	_Pragma("GCC unroll 6") for (u32 p = 0; p < SLOT_PLANES; p++)
	{
		OWN(vec) sum = bits[0];
		u32 carries = 0;
		_Pragma("GCC unroll 16") for (u32 l = 1; l < n; l += 2)
		{
			const OWN(vec) b = bits[l], c = l + 1 < n ? bits[l + 1] : (OWN(vec)){0};
			bits[carries++] = (sum & b) | (sum & c) | (b & c);
			sum ^= b ^ c;
		}
		planes[p] = sum;
		n = carries;
		if (!n)
			bits[0] = (OWN(vec)){0};
	}
}

TARGET INLINE void OWN(find_most)(const OWN(vec) planes[SLOT_PLANES], u8 most[LANES])
{
	OWN(vec) slots = ~(OWN(vec)){0}, n = {0};

	for (u32 p = SLOT_PLANES; p-- > 0;) {
		const OWN(vec) here = slots & planes[p], some = (OWN(vec))(here != 0);
		slots = (here & some) | (slots & ~some);
		n |= some & (1u << p);
	}
	for (u32 r = 0; r < LANES; r++)
		most[r] = (u8)n[r];
}

/* Every eighth slot of each row in bytes, then rows below each other in halves of words. */
TARGET INLINE void OWN(add_sums)(const OWN(vec) planes[SLOT_PLANES], u32 sum[SLOTS])
{
	for (u32 s = 0; s < 8; s++) {
		OWN(vec) bytes = {0};
		u32 even = 0, odd = 0;
		_Pragma("GCC unroll 6") for (u32 p = 0; p < SLOT_PLANES; p++) bytes += (planes[p] >> s & 0x01010101)
										       << p;
		for (u32 r = 0; r < LANES; r++) {
			even += bytes[r] & 0x00ff00ff;
			odd += bytes[r] >> 8 & 0x00ff00ff;
		}
		sum[s] += even & 0xffff;
		sum[s + 8] += odd & 0xffff;
		sum[s + 16] += even >> 16;
		sum[s + 24] += odd >> 16;
	}
}

/* Lane by lane of LANES rows: keys, none of which is NO_LANE or more where lanes are there, and bits. */
TARGET INLINE void OWN(read_rows)(const struct slots_rows *rows, u32 at, OWN(vec) key[WARP_LANES],
				  OWN(vec) bits[WARP_LANES])
{
	OWN(vec) mask;

	for (u32 r = 0; r < LANES; r++)
		mask[r] = at + r < rows->count ? rows->mask[at + r] : 0;
	for (u32 l = 0; l < WARP_LANES; l += LANES) {
		_Pragma("GCC unroll 16") for (u32 r = 0; r < LANES; r++) key[l + r] =
			*(const OWN(vec) *)(const void *)&rows->base[at + r][l];
		OWN(turn)(&key[l]);
	}
	for (u32 l = 0; l < WARP_LANES; l++) {
		const OWN(vec) there = -(mask >> l & 1);
		const OWN(vec) own = ((key[l] + rows->addend) & (rows->range - 1)) >> 2;
		key[l] = (own & there) | ((NO_LANE + l) & ~there);
		bits[l] = (1u << (own % SLOTS)) & there;
	}
}

TARGET static void OWN(count_rows)(struct slots_rows *rows)
{
	memset(rows->sum, 0, sizeof rows->sum);
	for (u32 at = 0; at < rows->count; at += LANES) {
		OWN(vec) key[WARP_LANES], bits[WARP_LANES], lanes[SLOT_PLANES], keys[SLOT_PLANES];
		OWN(read_rows)(rows, at, key, bits);
		if (rows->most_keys || rows->sum_keys) {
			OWN(vec) first[WARP_LANES];
			memcpy(first, bits, sizeof first);
			OWN(leave_first)(key, first);
			OWN(add_up)(first, keys);
		}
		if (!rows->most_keys || !rows->sum_keys)
			OWN(add_up)(bits, lanes);
		OWN(find_most)(rows->most_keys ? keys : lanes, &rows->most[at]);
		OWN(add_sums)(rows->sum_keys ? keys : lanes, rows->sum);
	}
}

#undef OWN
#undef LANES
#undef MIN
#undef TARGET
