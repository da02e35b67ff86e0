/* SPDX-License-Identifier: Apache-2.0
 *
 * A template: how many rows in sequence have the wanted distances between their lanes. The includer, alike.c, defines the
 * function's NAME and LANE, the type of a row's lanes, and for all functions of one vector width VECTOR_BYTES, ZERO(v)
 * and TARGET.
 */
TARGET static u32 NAME(const u8 *rows, size_t stride, u32 count, const void *distance)
{
	typedef LANE vec __attribute__((vector_size(VECTOR_BYTES), may_alias));
	const vec *const wanted = __builtin_assume_aligned(distance, 64);
	u32 k = 0;

	for (; k < count; k++, rows += stride) {
		const vec *const row = __builtin_assume_aligned(rows, 64);
		const vec first = row[0][0] - (vec){0};
		vec off = {0};
		_Pragma("GCC unroll 16") for (u32 v = 0; v < WARP_LANES * sizeof(LANE) / VECTOR_BYTES; v++) off |=
			(row[v] - first) ^ wanted[v];
		if (!ZERO(off))
			break;
	}
	return k;
}

#undef NAME
#undef LANE
