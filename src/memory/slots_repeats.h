/* SPDX-License-Identifier: Apache-2.0
 *
 * A template: which lanes have a key that an earlier lane has, by vectors. The includer, slots.c, defines the function's
 * name, REPEATS; how many LANES a vector holds; SIGNS(v), its highest bits as a word; and its TARGET attribute, if any.
 */
TARGET static u32 REPEATS(const u32 key[WARP_LANES])
{
	typedef u32 vec __attribute__((vector_size(4 * LANES)));
	u32 row[2 * WARP_LANES], found = 0;

	for (u32 l = 0; l < WARP_LANES; l++)
		row[l] = NO_KEY;
	memcpy(&row[WARP_LANES], key, WARP_LANES * sizeof *key);
	for (u32 at = 0; at < WARP_LANES; at += LANES) {
		vec same = {0}, own, other;
		memcpy(&own, &key[at], sizeof own);
		_Pragma("GCC unroll 8") for (u32 away = 1; away < at + LANES; away++)
		{
			memcpy(&other, &row[WARP_LANES + at - away], sizeof other);
			same |= (vec)(own == other);
		}
		found |= (u32)SIGNS(same) << at;
	}
	return found;
}

#undef REPEATS
#undef LANES
#undef SIGNS
#undef TARGET
