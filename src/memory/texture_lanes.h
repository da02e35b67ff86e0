/* SPDX-License-Identifier: Apache-2.0
 *
 * Lookups of a whole warp in one plane or volume: what memory/texture.c does for a lane, bit for bit, in loops over the lanes that the
 * compiler makes vector code of, where a file of meanings includes this. For textures of up to three dimensions without levels,
 * layers and samples, coordinates without offsets, and every format but a filter's halves.
 *
 *      plane_scale     coordinates to texels; false: one of the lanes is too far away, or is not a number
 *      plane_place     by the address mode, to [0, size), or -1: the border
 *      plane_read      texels' channels
 *      plane_mix       a filter's sum, as texture_filter.c forms it
 *
 * False means that nothing has been done, and each lane must be looked up by itself.
 */
#ifndef PTXSIM_MEMORY_TEXTURE_LANES_H
#define PTXSIM_MEMORY_TEXTURE_LANES_H

#include <string.h>

#include "memory/texture_filter.h"
#include "number/ieee.h"

/* PLANE_MOST: texels from the first one, so that numbers of 32 bits hold what comes of them. */
enum { PLANE_DIMENSIONS = 3, PLANE_CHANNELS = 4, PLANE_MOST = 1 << 21, PLANE_NORMALIZED = 1 << 21 };

/* A corner of all lanes' footprints: channels by lane. */
struct plane_texels {
	u32 value[PLANE_CHANNELS][WARP_LANES];
};

/* What a filter mixes of a slice: four corners, x lowest in the index. */
struct plane_taps {
	struct plane_texels corner[TAP_GROUP];
	u32 weight[TAP_GROUP][WARP_LANES];
};
enum { PLANE_SLICES = 2 };

static inline s32 plane_size(const struct texture *t, u32 d)
{
	const u32 size = d == 0 ? t->width : d == 1 ? t->height : t->depth;

	return size ? (s32)size : 1;
}

/* Has it a plane, of a size that numbers of 32 bits hold? A line may show the row above it (texture.c). */
static inline bool plane_is_there(const struct texture *t, u32 dimensions)
{
	const bool is_line = dimensions == 1 && t->address[1] == ADDRESS_BORDER;

	return dimensions >= 1 && dimensions <= PLANE_DIMENSIONS && t->levels < 2 && !t->samples && !t->layers &&
	       !is_line && t->width < PLANE_MOST && t->height < PLANE_MOST && t->depth < PLANE_MOST &&
	       !(t->linear && t->kind == TEXEL_FLOAT && t->channel_bits == 16);
}

static inline bool plane_scale(const struct texture *t, u32 d, const f32 at[WARP_LANES], u32 mask,
			       f64 texel[WARP_LANES])
{
	const f64 size = plane_size(t, d);
	u32 far = 0;

	for (u32 l = 0; l < WARP_LANES; l++)
		texel[l] = mask >> l & 1 ? at[l] : 0;
	if (t->normalized_coordinates && t->address[d] == ADDRESS_WRAP)
		for (u32 l = 0; l < WARP_LANES; l++)
			texel[l] = texel[l] - __builtin_floor(texel[l]);
	else if (t->normalized_coordinates && t->address[d] == ADDRESS_MIRROR)
		for (u32 l = 0; l < WARP_LANES; l++)
			texel[l] = texel[l] - __builtin_floor(texel[l] / 2) * 2;
	if (t->normalized_coordinates)
		for (u32 l = 0; l < WARP_LANES; l++)
			texel[l] = __builtin_floor(texel[l] * PLANE_NORMALIZED) / PLANE_NORMALIZED * size;
	for (u32 l = 0; l < WARP_LANES; l++)
		far |= !(__builtin_fabs(texel[l]) < PLANE_MOST);
	return !far;
}

/* Of coordinates at most one texel outside, where the mode is one that goes around. */
static inline void plane_place(const struct texture *t, u32 d, const s32 at[WARP_LANES], s32 place[WARP_LANES])
{
	const s32 size = plane_size(t, d);

	switch (texture_address_mode(t, d)) {
	case ADDRESS_WRAP:
		for (u32 l = 0; l < WARP_LANES; l++) {
			const s32 a = at[l], up = a < 0 ? size : 0, down = a >= size ? size : 0;
			place[l] = a + up - down;
		}
		return;
	case ADDRESS_MIRROR:
		for (u32 l = 0; l < WARP_LANES; l++) {
			const s32 a = at[l], up = a < 0 ? 2 * size : 0, down = a >= 2 * size ? 2 * size : 0;
			const s32 turn = a + up - down;
			place[l] = turn < size ? turn : 2 * size - 1 - turn;
		}
		return;
	case ADDRESS_CLAMP:
		for (u32 l = 0; l < WARP_LANES; l++) {
			const s32 a = at[l], low = a < 0 ? 0 : a;
			place[l] = low >= size ? size - 1 : low;
		}
		return;
	default:
		for (u32 l = 0; l < WARP_LANES; l++) {
			const s32 a = at[l], low = a < 0 ? -1 : a;
			place[l] = low >= size ? -1 : low;
		}
	}
}

static inline void plane_read_any(const struct texture *t, const u8 *texel, bool as_stored, u32 lane,
				  struct plane_texels *to)
{
	u32 value[PLANE_CHANNELS];

	if (texel)
		texture_read(t, texel, as_stored, value);
	else
		texture_read_border(t, as_stored, value);
	for (u32 k = 0; k < PLANE_CHANNELS; k++)
		to->value[k][lane] = value[k];
}

/* Each lane's texel, in bytes from the first; false: some lane has the border. */
static inline bool plane_offsets(const struct texture *t, const s32 x[WARP_LANES], const s32 y[WARP_LANES],
				 const s32 *z, u32 mask, s64 offset[WARP_LANES])
{
	const s64 bytes = texture_texel_bytes(t), pitch = (s64)t->pitch, slice = (s64)t->slice;
	s32 signs = 0;

	for (u32 l = 0; l < WARP_LANES; l++) {
		signs |= mask >> l & 1 ? x[l] | y[l] : 0;
		offset[l] = y[l] * pitch + x[l] * bytes;
	}
	for (u32 l = 0; z && l < WARP_LANES; l++) {
		signs |= mask >> l & 1 ? z[l] : 0;
		offset[l] += z[l] * slice;
	}
	return signs >= 0;
}

/* Words of the lanes of the mask. Blocks are often narrow: the next ones read on in the same rows, of which two are common. */
static inline void plane_read_words(const u8 *host, const s64 offset[WARP_LANES], u32 mask, u32 channels,
				    struct plane_texels *to)
{
	enum { AHEAD = 256 };

	__builtin_prefetch(host + offset[0] + AHEAD);
	__builtin_prefetch(host + offset[WARP_LANES / 2] + AHEAD);
	for (u32 k = 0; k < channels; k++) {
		const u8 *from = host + k * sizeof(u32);
		if (mask == FULL_MASK)
			for (u32 l = 0; l < WARP_LANES; l++)
				memcpy(&to->value[k][l], from + offset[l], sizeof(u32));
		else
			for (u32 left = mask; left; left &= left - 1)
				memcpy(&to->value[k][__builtin_ctz(left)], from + offset[__builtin_ctz(left)],
				       sizeof(u32));
	}
}

/* The common formats here, the others and the border by texels.c. Channels that do not exist are left as they are. z: NULL
 * where there is no third dimension. */
static inline void plane_read(const struct texture *t, const u8 *host, const s32 x[WARP_LANES], const s32 y[WARP_LANES],
			      const s32 *z, u32 mask, bool as_stored, struct plane_texels *to)
{
	const bool is_byte = t->channel_bits == 8 && as_stored && t->kind == TEXEL_UNSIGNED;
	s64 offset[WARP_LANES];

	if (plane_offsets(t, x, y, z, mask, offset) && t->channel_bits == 32) {
		plane_read_words(host, offset, mask, t->channels, to);
		return;
	}
	for (; mask; mask &= mask - 1) {
		const u32 l = (u32)__builtin_ctz(mask);
		const u8 *texel = x[l] < 0 || y[l] < 0 || (z && z[l] < 0) ? NULL : host + offset[l];
		if (texel && is_byte)
			for (u32 k = 0; k < t->channels; k++)
				to->value[k][l] = texel[k];
		else
			plane_read_any(t, texel, as_stored, l, to);
	}
}

/* Without a filter. */
static inline bool plane_nearest(const struct texture *t, const u8 *host, u32 dimensions,
				 const f32 at[PLANE_DIMENSIONS][WARP_LANES], u32 mask, struct plane_texels *to)
{
	s32 place[PLANE_DIMENSIONS][WARP_LANES];

	memset(place, 0, sizeof place);
	for (u32 d = 0; d < dimensions; d++) {
		f64 texel[WARP_LANES];
		s32 whole[WARP_LANES];
		if (!plane_scale(t, d, at[d], mask, texel))
			return false;
		for (u32 l = 0; l < WARP_LANES; l++)
			whole[l] = (s32)__builtin_floor(texel[l]);
		plane_place(t, d, whole, place[d]);
	}
	plane_read(t, host, place[0], place[1], dimensions > 2 ? place[2] : NULL, mask, false, to);
	return true;
}

/* --- Filters ----------------------------------------------------------------------------------------------------- */

/* Places of the lower and the upper texel of each lane, and the fraction between them in steps of 1 / 256. */
static inline bool plane_corners(const struct texture *t, u32 d, const f32 at[WARP_LANES], u32 mask,
				 s32 place[2][WARP_LANES], u32 part[WARP_LANES])
{
	const s32 last = (plane_size(t, d) - 1) * WEIGHT_STEPS;
	const bool clamps = texture_address_mode(t, d) == ADDRESS_CLAMP;
	f64 texel[WARP_LANES];
	s32 low[WARP_LANES], high[WARP_LANES];

	if (!plane_scale(t, d, at, mask, texel))
		return false;
	for (u32 l = 0; l < WARP_LANES; l++) {
		const s32 steps = (s32)__builtin_floor((texel[l] - 0.5) * WEIGHT_STEPS + 0.5);
		const s32 held = !clamps || steps >= 0 ? steps : 0;
		const s32 in = clamps && held > last ? last : held;
		low[l] = in >> WEIGHT_BITS;
		high[l] = low[l] + 1;
		part[l] = (u32)in & (WEIGHT_STEPS - 1);
	}
	plane_place(t, d, low, place[0]);
	plane_place(t, d, high, place[1]);
	return true;
}

/* As filter_weights() splits a slice's share. */
static inline void plane_weigh(const u32 share[WARP_LANES], const u32 x[WARP_LANES], const u32 y[WARP_LANES],
			       struct plane_taps *taps)
{
	for (u32 l = 0; l < WARP_LANES; l++) {
		const u32 right = weight_times(share[l], x[l]), left = share[l] - right;
		const u32 lower_left = weight_times(left, WEIGHT_STEPS - y[l]), upper_right = weight_times(right, y[l]);
		taps->weight[0][l] = lower_left;
		taps->weight[1][l] = right - upper_right;
		taps->weight[2][l] = left - lower_left;
		taps->weight[3][l] = upper_right;
	}
}

/* Numbers of 64 bits: the exponent's bits, and a power of two from such bits. */
static inline u64 plane_exponent(f64 value) { return bits_of_f64(value) >> 52 & 0x7ff; }
static inline f64 plane_power(u64 exponent) { return f64_of_bits(exponent << 52); }

enum { PLANE_BIAS = 1023, PLANE_LEAST = PLANE_BIAS - 126, PLANE_KEPT = 27, PLANE_FRACTION = 23 };

/* To the nearest f32, ties away from zero, as an f64. */
static inline f64 plane_rounded(f64 value)
{
	const u64 e = plane_exponent(value) < PLANE_LEAST ? PLANE_LEAST : plane_exponent(value);
	const f64 scaled = value * plane_power(2 * PLANE_BIAS + PLANE_FRACTION - e), low = __builtin_trunc(scaled);
	const f64 away = __builtin_fabs(scaled - low) >= 0.5 ? 1 : 0;
	const f64 near = (__builtin_fabs(low) + away) * plane_power(e - PLANE_FRACTION);

	return __builtin_copysign(near >= 0x1.ffffffp127 ? INFINITY : near, value);
}

/* Adds a slice's weighted sums, cut below the 27th bit of the greatest value: see texture_filter.c. Numbers of 64 bits alone,
 * so that it becomes vector code. */
static inline void plane_add(const f64 value[TAP_GROUP][WARP_LANES], const f64 weight[TAP_GROUP][WARP_LANES],
			     f64 sum[WARP_LANES])
{
	u64 top[WARP_LANES];

	for (u32 l = 0; l < WARP_LANES; l++)
		top[l] = PLANE_LEAST;
	for (u32 k = 0; k < TAP_GROUP; k++)
		for (u32 l = 0; l < WARP_LANES; l++) {
			const u64 e = weight[k][l] != 0 ? plane_exponent(value[k][l]) : 0;
			top[l] = e > top[l] ? e : top[l];
		}
	for (u32 k = 0; k < TAP_GROUP; k++)
		for (u32 l = 0; l < WARP_LANES; l++) {
			const f64 up = plane_power(2 * PLANE_BIAS + PLANE_KEPT - top[l]);
			const f64 down = plane_power(top[l] - PLANE_KEPT);
			const f64 term = weight[k][l] * (__builtin_trunc(value[k][l] * up) * down);
			sum[l] += weight[k][l] != 0 ? term : -0.0;
		}
}

static inline void plane_mix_floats(const struct plane_taps *taps, u32 slices, u32 channel, u32 result[WARP_LANES])
{
	f64 value[TAP_GROUP][WARP_LANES], weight[TAP_GROUP][WARP_LANES], sum[WARP_LANES];

	for (u32 l = 0; l < WARP_LANES; l++)
		sum[l] = -0.0;
	for (u32 s = 0; s < slices; s++) {
		for (u32 k = 0; k < TAP_GROUP; k++)
			for (u32 l = 0; l < WARP_LANES; l++) {
				value[k][l] = f32_of_bits(taps[s].corner[k].value[channel][l]);
				weight[k][l] = (s32)taps[s].weight[k][l];
			}
		plane_add(value, weight, sum);
	}
	for (u32 l = 0; l < WARP_LANES; l++) {
		const u32 mixed = bits_of_f32((f32)plane_rounded(sum[l] / WEIGHT_STEPS)),
			  first = taps->corner[0].value[channel][l];
		result[l] = taps->weight[0][l] == WEIGHT_STEPS ? first : mixed; /* the middle of a texel */
	}
}

/* Of stored integers of 8 and 16 bits. */
static inline void plane_mix_integers(const struct texture *t, const struct plane_taps *taps, u32 slices, u32 channel,
				      u32 result[WARP_LANES])
{
	const bool is_signed = t->kind == TEXEL_SIGNED, is_byte = t->channel_bits == 8;
	const s32 top = is_signed ? 32767 : 65535;
	s32 sum[WARP_LANES] = {0};

	for (u32 k = 0; k < slices * TAP_GROUP; k++) {
		const struct plane_taps *slice = &taps[k / TAP_GROUP];
		const u32 *weight = slice->weight[k % TAP_GROUP], *value = slice->corner[k % TAP_GROUP].value[channel];
		for (u32 l = 0; l < WARP_LANES; l++)
			sum[l] += (s32)(weight[l] * value[l]);
	}
	for (u32 l = 0; l < WARP_LANES && is_byte; l++) {
		const s32 coarse = sum[l] >> 4, s = sum[l] + ((coarse + (coarse >> 8) + 4) >> 3);
		sum[l] = is_signed ? s * WEIGHT_STEPS : sum[l] * 257;
	}
	for (u32 l = 0; l < WARP_LANES; l++) {
		const s32 whole = (sum[l] + WEIGHT_STEPS / 2) >> WEIGHT_BITS, held = whole < -top ? -top : whole;
		result[l] = bits_of_f32((f32)held / (f32)top);
	}
}

/* Infinities and what is not a number have rules of their own: false. */
static inline bool plane_is_finite(const struct plane_taps *taps, u32 channels)
{
	u32 special = 0;

	for (u32 k = 0; k < TAP_GROUP; k++)
		for (u32 c = 0; c < channels; c++)
			for (u32 l = 0; l < WARP_LANES; l++)
				special |= (taps->corner[k].value[c][l] & 0x7f800000) == 0x7f800000;
	return !special;
}

/* The second slice's share, where there is a third dimension; the first one has the rest. */
static inline void plane_split(u32 dimensions, const u32 part[WARP_LANES], u32 share[PLANE_SLICES][WARP_LANES])
{
	for (u32 l = 0; l < WARP_LANES; l++) {
		share[0][l] = dimensions > 2 ? weight_times(WEIGHT_STEPS, WEIGHT_STEPS - part[l]) : WEIGHT_STEPS;
		share[1][l] = WEIGHT_STEPS - share[0][l];
	}
}

static inline bool plane_linear(const struct texture *t, const u8 *host, u32 dimensions,
				const f32 at[PLANE_DIMENSIONS][WARP_LANES], u32 mask, struct plane_texels *to)
{
	const u32 slices = dimensions > 2 ? PLANE_SLICES : 1;
	s32 place[PLANE_DIMENSIONS][2][WARP_LANES];
	u32 part[PLANE_DIMENSIONS][WARP_LANES], share[PLANE_SLICES][WARP_LANES];
	struct plane_taps taps[PLANE_SLICES];

	memset(place[1], 0, sizeof place[1]);
	memset(part[1], 0, sizeof part[1]);
	for (u32 d = 0; d < dimensions; d++)
		if (!plane_corners(t, d, at[d], mask, place[d], part[d]))
			return false;
	plane_split(dimensions, part[PLANE_DIMENSIONS - 1], share);
	for (u32 s = 0; s < slices; s++) {
		if (mask != FULL_MASK)
			memset(taps[s].corner, 0, sizeof taps[s].corner);
		plane_weigh(share[s], part[0], part[1], &taps[s]);
		for (u32 k = 0; k < TAP_GROUP; k++)
			plane_read(t, host, place[0][k & 1], place[1][k >> 1], slices > 1 ? place[2][s] : NULL, mask,
				   true, &taps[s].corner[k]);
		if (t->kind == TEXEL_FLOAT && !plane_is_finite(&taps[s], t->channels))
			return false;
	}
	for (u32 c = 0; c < t->channels; c++)
		if (t->kind == TEXEL_FLOAT)
			plane_mix_floats(taps, slices, c, to->value[c]);
		else
			plane_mix_integers(t, taps, slices, c, to->value[c]);
	return true;
}

/* For textures of which plane_is_there() holds: what texture_lookup() gives for each lane of the mask. */
static inline bool plane_lookup(const struct texture *t, const u8 *host, u32 dimensions,
				const f32 at[PLANE_DIMENSIONS][WARP_LANES], u32 mask, struct plane_texels *to)
{
	const u32 first = mask == FULL_MASK ? t->channels : 0;

	memset(to->value[first], 0, (PLANE_CHANNELS - first) * sizeof to->value[0]);
	return t->linear && texture_reads_floats(t) ? plane_linear(t, host, dimensions, at, mask, to)
						    : plane_nearest(t, host, dimensions, at, mask, to);
}

#endif
