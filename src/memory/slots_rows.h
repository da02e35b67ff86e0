/* SPDX-License-Identifier: Apache-2.0
 *
 * A template: slots_count_rows by vectors of LANES words of 16 bits, as many rows at a time. The includer, slots.c, defines
 * OWN(name), the names of the functions; MIN(a, b) and MAX(a, b) of such words; FILL, which counts one row; and their TARGET
 * attribute, if any.
 *
 * Rows are turned, so that vector l holds a lane of each row; then rows do not have to be looked at one by one. A key is
 * rotated, so that its slot stands above the rest; a network sorts the vectors, so that each row's keys stand in order:
 *
 *     sorted    vector l is compared with vector l - 1: whether its lane's key, or its slot, is another one
 *     bits      1 << slot of the lanes that count
 *     planes    the 32 words of bits added up by full adders: bit s of planes[p] is bit p of the number in slot s
 */
typedef u16 OWN(vec) __attribute__((vector_size(2 * LANES), may_alias));
typedef u32 OWN(wide) __attribute__((vector_size(2 * LANES), may_alias));
typedef u8 OWN(bytes) __attribute__((vector_size(LANES), may_alias));

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

/* Word c of vector r becomes word r of vector c: in squares of 8 words by 8 vectors, which no wide vector crosses, then squares as
 * a whole. A step of the former takes the upper bit of r into the lower end of c, and the upper bit of c into that of r. */
TARGET INLINE void OWN(turn_squares)(OWN(vec) m[8])
{
	OWN(vec) low = {0}, high = {0}, next[8];

	for (u32 i = 0; i < LANES; i++) {
		low[i] = (u16)(i / 8 * 8 + i % 8 / 2 + i % 2 * LANES);
		high[i] = low[i] + 4;
	}
	_Pragma("GCC unroll 3") for (u32 step = 0; step < 3; step++)
	{
		_Pragma("GCC unroll 4") for (u32 r = 0; r < 4; r++)
		{
			next[2 * r] = OWN(pick)(m[r], m[r + 4], low);
			next[2 * r + 1] = OWN(pick)(m[r], m[r + 4], high);
		}
		memcpy(m, next, sizeof next);
	}
}

TARGET INLINE void OWN(swap_squares)(OWN(vec) m[LANES], u32 away)
{
	OWN(vec) low = {0}, high = {0};

	for (u32 i = 0; i < LANES; i++) {
		low[i] = (u16)(i & away ? LANES + i - away : i);
		high[i] = (u16)(i & away ? LANES + i : i + away);
	}
	for (u32 from = 0; from < LANES; from += 2 * away)
		_Pragma("GCC unroll 16") for (u32 r = from; r < from + away; r++)
		{
			const OWN(vec) a = m[r], b = m[r + away];
			m[r] = OWN(pick)(a, b, low);
			m[r + away] = OWN(pick)(a, b, high);
		}
}

TARGET INLINE void OWN(turn)(OWN(vec) m[LANES])
{
	for (u32 r = 0; r < LANES; r += 8)
		OWN(turn_squares)(&m[r]);
	if (LANES > 8)
		OWN(swap_squares)(m, 8);
	if (LANES > 16)
		OWN(swap_squares)(m, 16);
}

/* Batcher's odd-even merge, one distance of it: of neighbouring sorted parts of `part` vectors each. */
TARGET INLINE void OWN(exchange)(OWN(vec) * key, u32 count, u32 part, u32 distance)
{
	const u32 from = distance % part;

	_Pragma("GCC unroll 32") for (u32 i = from; i < count - distance; i++)
	{
		if ((i - from) & distance || i / (2 * part) != (i + distance) / (2 * part))
			continue;
		const OWN(vec) a = key[i], b = key[i + distance];
		key[i] = MIN(a, b);
		key[i + distance] = MAX(a, b);
	}
}

TARGET INLINE void OWN(merge)(OWN(vec) * key, u32 count, u32 part)
{
	if (part >= 16)
		OWN(exchange)(key, count, part, 16);
	if (part >= 8)
		OWN(exchange)(key, count, part, 8);
	if (part >= 4)
		OWN(exchange)(key, count, part, 4);
	if (part >= 2)
		OWN(exchange)(key, count, part, 2);
	OWN(exchange)(key, count, part, 1);
}

/* As few vectors as possible at a time: those of a quarter stay in registers. */
TARGET INLINE void OWN(sort)(OWN(vec) key[WARP_LANES])
{
	for (u32 l = 0; l < WARP_LANES; l += 8) {
		OWN(merge)(&key[l], 8, 1);
		OWN(merge)(&key[l], 8, 2);
		OWN(merge)(&key[l], 8, 4);
	}
	for (u32 l = 0; l < WARP_LANES; l += 16)
		OWN(merge)(&key[l], 16, 8);
	OWN(merge)(key, WARP_LANES, 16);
}

/* Adds bits, 2 * SLOT_GROUP of them, to the numbers whose bit p is in planes[p]: by full adders, of which each level has half as
 * many. */
TARGET INLINE void OWN(add_bits)(OWN(wide) bits[2 * SLOT_GROUP], OWN(wide) planes[SUM_PLANES])
{
	u32 n = 2 * SLOT_GROUP;

	_Pragma("GCC unroll 4") for (u32 p = 0; p < SLOT_LEVELS; p++, n /= 2)
		_Pragma("GCC unroll 8") for (u32 k = 0; k < n; k += 2)
	{
		const OWN(wide) a = planes[p], b = bits[k], c = bits[k + 1];
		planes[p] = a ^ b ^ c;
		bits[k / 2] = (a & b) | (a & c) | (b & c);
	}
	_Pragma("GCC unroll 5") for (u32 p = SLOT_LEVELS; p < SLOT_PLANES; p++)
	{
		const OWN(wide) carry = planes[p] & bits[0];
		planes[p] ^= bits[0];
		bits[0] = carry;
	}
}

/* Of sorted keys: the greatest numbers by row, and the lanes that count for the sums, whose bits are added to planes. */
TARGET INLINE void OWN(look)(const struct slots_rows *rows, const OWN(vec) key[WARP_LANES], u8 most[LANES],
			     OWN(wide) planes[SUM_PLANES])
{
	const OWN(vec) none = {0}, one = none + 1, same = none + (u16)((1 << SLOT_SHIFT) - 1);
	const OWN(vec) most_all = none + (u16)!rows->most_keys, sum_all = none + (u16)!rows->sum_keys;
	OWN(vec) n = none, greatest = none, before = ~key[0];

	for (u32 first = 0; first < WARP_LANES; first += SLOT_GROUP) {
		OWN(wide) bits[2 * SLOT_GROUP];
		_Pragma("GCC unroll 8") for (u32 k = 0; k < SLOT_GROUP; k++)
		{
			const OWN(vec) own = key[first + k], off = own ^ before;
			const OWN(vec) there = MIN(own ^ NO_WORD, one), other = MIN(off, one);
			n = (n & (OWN(vec))(MAX(off, same) == same)) + (there & (other | most_all));
			greatest = MAX(greatest, n);
			before = own;
			const OWN(wide) adds = (OWN(wide))(there & (other | sum_all)),
					slot = (OWN(wide))(own >> SLOT_SHIFT);
			bits[2 * k] = (adds & 1) << (slot & (SLOTS - 1));
			bits[2 * k + 1] = adds >> 16 << (slot >> 16);
		}
		OWN(add_bits)(bits, planes);
	}
	const OWN(bytes) each = __builtin_convertvector(greatest, OWN(bytes));
	memcpy(most, &each, sizeof each);
}

/* Lane by lane of LANES rows, in some order of lanes. Returns whether the keys of all have room. */
TARGET INLINE bool OWN(read_rows)(const struct slots_rows *rows, u32 at, OWN(vec) key[WARP_LANES])
{
	OWN(wide) bit, over = {0};
	u32 all = 0;

	for (u32 i = 0; i < LANES / 2; i++)
		bit[i] = 1u << i;
	for (u32 l = 0; l < WARP_LANES; l += LANES) {
		for (u32 r = 0; r < LANES; r++) {
			const u32 mask = at + r < rows->count ? rows->mask[at + r] : 0;
			OWN(wide) half[2];
			_Pragma("GCC unroll 2") for (u32 k = 0; k < 2; k++)
			{
				const u32 lane = l + k * LANES / 2;
				const OWN(wide) base = *(const OWN(wide) *)(const void *)&rows->base[at + r][lane];
				half[k] = ((base + rows->addend) & (rows->range - 1)) >> 2;
				if (mask != FULL_MASK) {
					const OWN(wide) there = (OWN(wide))((bit & mask >> lane) != 0);
					half[k] = (half[k] & there) | (NO_WORD & ~there);
					over |= (half[k] + 1) & there;
				} else {
					over |= half[k] + 1;
				}
			}
			const OWN(vec) word = (OWN(vec))(half[0] | half[1] << 16);
			key[l + r] = word << SLOT_SHIFT | word >> (16 - SLOT_SHIFT);
		}
		OWN(turn)(&key[l]);
	}
	for (u32 i = 0; i < LANES / 2; i++)
		all |= over[i];
	return all <= NO_WORD;
}

/* --- Sums ------------------------------------------------------------------------------------------ */

/* Adds numbers of `bits` bits to such; they have one more afterwards. */
TARGET INLINE void OWN(add_planes)(OWN(wide) to[SUM_PLANES], const OWN(wide) from[SUM_PLANES], u32 bits)
{
	OWN(wide) carry = {0};

	_Pragma("GCC unroll 11") for (u32 p = 0; p < bits; p++)
	{
		const OWN(wide) a = to[p], b = from[p];
		to[p] = a ^ b ^ carry;
		carry = (a & b) | (a & carry) | (b & carry);
	}
	to[bits] = carry;
}

/* Every word becomes the sum of all. */
TARGET INLINE void OWN(add_words)(OWN(wide) planes[SUM_PLANES], u32 bits)
{
	_Pragma("GCC unroll 4") for (u32 away = LANES / 4; away; away /= 2, bits++)
	{
		OWN(wide) other[SUM_PLANES];
		OWN(vec) turned = {0};
		for (u32 i = 0; i < LANES; i++)
			turned[i] = (u16)((i + 2 * away) % LANES);
		_Pragma("GCC unroll 11") for (u32 p = 0; p < bits; p++) other[p] =
			(OWN(wide))OWN(pick)((OWN(vec))planes[p], (OWN(vec))planes[p], turned);
		OWN(add_planes)(planes, other, bits);
	}
}

TARGET INLINE void OWN(read_sums)(const OWN(wide) planes[SUM_PLANES], u32 sum[SLOTS])
{
	OWN(wide) slot;

	for (u32 i = 0; i < LANES / 2; i++)
		slot[i] = i;
	for (u32 s = 0; s < SLOTS; s += LANES / 2, slot += LANES / 2) {
		OWN(wide) n = {0};
		_Pragma("GCC unroll 11") for (u32 p = 0; p < SUM_PLANES; p++) n |= (planes[p] >> slot & 1) << p;
		memcpy(&sum[s], &n, sizeof n);
	}
}

/* --- Together ------------------------------------------------------------------------------------ */

TARGET static void OWN(count_rows)(struct slots_rows *rows)
{
	OWN(vec) key[WARP_LANES];
	OWN(wide) planes[SUM_PLANES] = {{0}};

	for (u32 at = 0; at < SLOTS_ROWS; at += LANES) {
		if (!OWN(read_rows)(rows, at, key)) {
			count_each(rows, FILL);
			return;
		}
		OWN(sort)(key);
		OWN(look)(rows, key, &rows->most[at], planes);
	}
	OWN(add_words)(planes, SUM_PLANES - (LANES >= 32 ? 4 : LANES >= 16 ? 3 : 2));
	OWN(read_sums)(planes, rows->sum);
}

#undef OWN
#undef LANES
#undef MIN
#undef MAX
#undef FILL
#undef TARGET
