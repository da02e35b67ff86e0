/* SPDX-License-Identifier: Apache-2.0
 *
 * Texels: addressing, filtering, formats. See memory/texture.h for what is and is not certain.
 */
#include "memory/texture.h"

#include <math.h>
#include <string.h>

#include "number/half.h"
#include "number/ieee.h"

enum { NORMALIZED_BITS = 21, WEIGHT_BITS = 8, WEIGHT_STEPS = 1 << WEIGHT_BITS };

u64 texture_bytes(const struct texture *t)
{
	const u64 rows = t->height ? t->height : 1, slices = t->layers ? t->layers : t->depth ? t->depth : 1;

	return (slices - 1) * t->slice + (rows - 1) * t->pitch + (u64)t->width * texture_texel_bytes(t);
}

bool texture_is_sound(const struct texture *t)
{
	const bool bits = t->channel_bits == 8 || t->channel_bits == 16 || t->channel_bits == 32;
	const bool channels = t->channels == 1 || t->channels == 2 || t->channels == 4;

	return t->magic == TEXTURE_MAGIC && bits && channels && t->width && t->kind <= TEXEL_FLOAT &&
	       !(t->kind == TEXEL_FLOAT && t->channel_bits == 8);
}

u64 texture_offset(const struct texture *t, u32 x, u32 y, u32 z)
{
	return z * t->slice + y * t->pitch + (u64)x * texture_texel_bytes(t);
}

static u32 raw_channel(const struct texture *t, const u8 *texel, u32 k)
{
	u32 value = 0;

	memcpy(&value, texel + k * t->channel_bits / 8, t->channel_bits / 8);
	return value;
}

static f32 normalized(const struct texture *t, u32 raw)
{
	const u32 spare = 32 - t->channel_bits;

	if (t->kind == TEXEL_UNSIGNED)
		return (f32)raw / (f32)((1u << t->channel_bits) - 1);
	const f32 value = (f32)((s32)(raw << spare) >> spare) / (f32)((1u << (t->channel_bits - 1)) - 1);
	return value < -1.0f ? -1.0f : value;
}

/* A texel's channels as the instruction sees them: floats' bits, or integers extended to 32 bits. */
static void read_texel(const struct texture *t, const u8 *texel, bool as_float, u32 value[4])
{
	const bool floats = t->kind == TEXEL_FLOAT || (as_float && t->normalized_values && t->channel_bits < 32);
	const u32 spare = 32 - t->channel_bits;

	memset(value, 0, 4 * sizeof *value);
	for (u32 k = 0; k < t->channels; k++) {
		const u32 raw = raw_channel(t, texel, k);
		if (t->kind == TEXEL_FLOAT)
			value[k] = t->channel_bits == 16 ? f32_from_f16((u16)raw) : raw;
		else if (floats)
			value[k] = bits_of_f32(normalized(t, raw));
		else
			value[k] = t->kind == TEXEL_SIGNED ? (u32)((s32)(raw << spare) >> spare) : raw;
	}
}

/* The guide: wrapping and mirroring need normalized coordinates. */
static u32 mode_of(const struct texture *t, u32 dimension)
{
	const u32 mode = t->address[dimension];

	return !t->normalized_coordinates && (mode == ADDRESS_WRAP || mode == ADDRESS_MIRROR) ? ADDRESS_CLAMP : mode;
}

/* A texel coordinate brought into [0, size), or -1 for the border. */
static s64 place(const struct texture *t, s64 at, u32 size, u32 dimension)
{
	if (at >= 0 && at < (s64)size)
		return at;
	switch (mode_of(t, dimension)) {
	case ADDRESS_WRAP:
		return ((at % size) + size) % size;
	case ADDRESS_MIRROR: {
		const s64 turn = ((at % (2 * (s64)size)) + 2 * (s64)size) % (2 * (s64)size);
		return turn < (s64)size ? turn : 2 * (s64)size - 1 - turn;
	}
	case ADDRESS_CLAMP:
		return at < 0 ? 0 : (s64)size - 1;
	default:
		return -1;
	}
}

/* The border's colour, as a texel of the texture's format could hold it. */
static void read_border(const struct texture *t, bool as_float, u32 value[4])
{
	const bool scales = t->normalized_values && t->kind != TEXEL_FLOAT && t->channel_bits < 32;
	const f32 low = t->kind == TEXEL_SIGNED ? -1.0f : 0.0f;
	const f32 top = (f32)((1u << (t->channel_bits - (t->kind == TEXEL_SIGNED))) - 1);

	memset(value, 0, 4 * sizeof *value);
	for (u32 k = 0; k < t->channels; k++) {
		const f32 held = t->border[k] < low ? low : t->border[k] > 1.0f ? 1.0f : t->border[k];
		const u32 raw = scales ? (u32)(s32)ceilf(held * top - 0.5f) : 0;
		if (scales)
			value[k] = as_float ? bits_of_f32(normalized(t, raw)) : raw;
		else if (t->kind == TEXEL_FLOAT && t->channel_bits == 16)
			value[k] = f32_from_f16(f16_from_f32_rn(bits_of_f32(t->border[k])));
		else
			memcpy(&value[k], &t->border[k], sizeof value[k]);
	}
}

static u32 size_of(const struct texture *t, u32 dimension)
{
	const u32 size = dimension == 0 ? t->width : dimension == 1 ? t->height : t->depth;

	return size ? size : 1;
}

static void texel_at(const struct texture *t, const u8 *host, const struct texture_query *q, const s64 at[3],
		     u32 value[4])
{
	s64 in[3] = {0, 0, 0};

	for (u32 d = 0; d < q->dimensions; d++) {
		in[d] = place(t, at[d], size_of(t, d), d);
		if (in[d] < 0) {
			read_border(t, q->as_float, value);
			return;
		}
	}
	const u32 layer = t->layers && q->layer >= t->layers ? t->layers - 1 : q->layer;
	read_texel(t, host + texture_offset(t, (u32)in[0], (u32)in[1], t->layers ? layer : (u32)in[2]), q->as_float,
		   value);
}

/* The coordinate in texels. A normalized one has 21 bits of fraction, and wrapping takes the fraction first;
 * what is too large to matter, and not a number, go where a recording shows them. */
static f64 scaled(const struct texture *t, const struct texture_query *q, u32 d)
{
	f64 at = q->at[d];

	if (t->normalized_coordinates) {
		const f64 period = t->address[d] == ADDRESS_WRAP ? 1 : t->address[d] == ADDRESS_MIRROR ? 2 : 0;
		if (period != 0)
			at = isfinite(at) ? at - floor(at / period) * period : 0;
		at = floor(at * (1 << NORMALIZED_BITS)) / (1 << NORMALIZED_BITS) * size_of(t, d);
	}
	if (!(fabs(at) < 1e15))
		return at > 0 ? 1e15 : at < 0 ? -1e15 : 0;
	return at + q->offset[d];
}

/* The lower corner of what a filter mixes, and the fractions in steps of 1 / 256. */
static void corners(const struct texture *t, const struct texture_query *q, bool clamps, s64 low[3], u32 part[3])
{
	for (u32 d = 0; d < 3; d++) {
		s64 at = d < q->dimensions ? (s64)floor((scaled(t, q, d) - 0.5) * WEIGHT_STEPS + 0.5) : 0;
		const s64 last = ((s64)size_of(t, d) - 1) * WEIGHT_STEPS;
		if (clamps && d < q->dimensions && mode_of(t, d) == ADDRESS_CLAMP)
			at = at < 0 ? 0 : at > last ? last : at;
		low[d] = at >> WEIGHT_BITS;
		part[d] = (u32)at & (WEIGHT_STEPS - 1);
	}
}

static u32 times(u32 a, u32 b) { return (a * b + WEIGHT_STEPS / 2) / WEIGHT_STEPS; }

/* Weights of the eight corners, x lowest in the index; they add up to WEIGHT_STEPS. Depth is split first, then
 * x, then y, each rounding at the side that is given here. */
static void corner_weights(const u32 part[3], u32 weight[8])
{
	for (u32 z = 0; z < 2; z++) {
		const u32 slice = z ? part[2] : WEIGHT_STEPS - part[2];
		const u32 right = times(slice, part[0]), left = slice - right;
		const u32 lower_left = times(left, WEIGHT_STEPS - part[1]), upper_right = times(right, part[1]);
		weight[4 * z] = lower_left;
		weight[4 * z + 1] = right - upper_right;
		weight[4 * z + 2] = left - lower_left;
		weight[4 * z + 3] = upper_right;
	}
}

/* To nearest with `bits` of fraction, ties away from zero. */
static f64 round_away(f64 value, u32 bits)
{
	u64 word;

	memcpy(&word, &value, sizeof word);
	word += 1ull << (51 - bits);
	word &= ~((1ull << (52 - bits)) - 1);
	memcpy(&value, &word, sizeof value);
	return value;
}

/* A filter's sum in the texture's format: floats of 16 bits are rounded as such; of normalized integers the sum
 * becomes one of 16 bits. (Recorded ties of f16 and of signed 8-bit sums go either way, 1 in 200 otherwise.) */
static u32 filtered_value(const struct texture *t, f64 sum)
{
	const f64 mean = sum / WEIGHT_STEPS;
	const f64 top = t->kind == TEXEL_SIGNED ? 32767 : 65535;

	if (t->kind == TEXEL_FLOAT)
		return bits_of_f32((f32)round_away(mean, t->channel_bits == 16 ? 10 : 23));
	const f64 scale = top / ((1u << (t->channel_bits - (t->kind == TEXEL_SIGNED))) - 1);
	const f64 whole = floor(mean * scale + 0.5);
	return bits_of_f32((f32)((whole < -top ? -top : whole) / top));
}

/* A texel's channel in a filter's sum: normalized integers as they are stored. */
static f64 filter_term(const struct texture *t, u32 value)
{
	return t->kind == TEXEL_FLOAT ? f32_of_bits(value) : t->kind == TEXEL_SIGNED ? (s32)value : (f64)value;
}

static void filtered(const struct texture *t, const u8 *host, const struct texture_query *q, u32 result[4])
{
	struct texture_query plain = *q;
	f64 sum[4] = {0, 0, 0, 0};
	u32 part[3], weight[8];
	s64 low[3];

	plain.as_float = t->kind == TEXEL_FLOAT;
	corners(t, q, true, low, part);
	corner_weights(part, weight);
	for (u32 corner = 0; corner < 8; corner++) {
		s64 at[3];
		u32 value[4];
		if (!weight[corner])
			continue;
		for (u32 d = 0; d < 3; d++)
			at[d] = low[d] + (corner >> d & 1);
		texel_at(t, host, &plain, at, value);
		for (u32 k = 0; k < 4; k++)
			sum[k] += weight[corner] * filter_term(t, value[k]);
	}
	for (u32 k = 0; k < 4; k++)
		result[k] = filtered_value(t, sum[k]);
}

/* --- Cubes ----------------------------------------------------------------------------------------------- */

/* Faces in the guide's order: +x -x +y -y +z -z. Of a direction the face, and where it meets it, from -1 to 1. */
static u32 face_of(const f64 v[3], f64 at[2])
{
	const f64 x = fabs(v[0]), y = fabs(v[1]), z = fabs(v[2]);

	if (x >= y && x >= z) {
		at[0] = v[0] >= 0 ? -v[2] / x : v[2] / x;
		at[1] = -v[1] / x;
		return v[0] >= 0 ? 0 : 1;
	}
	if (y >= z) {
		at[0] = v[0] / y;
		at[1] = v[1] >= 0 ? v[2] / y : -v[2] / y;
		return v[1] >= 0 ? 2 : 3;
	}
	at[0] = v[2] >= 0 ? v[0] / z : -v[0] / z;
	at[1] = -v[1] / z;
	return v[2] >= 0 ? 4 : 5;
}

/* A texel of a face. Without the driver's "seamless" flag, which is not modelled, filters stay on their face. */
static void cube_texel(const struct texture *t, const u8 *host, const struct texture_query *q, u32 face, s64 x, s64 y, u32 value[4])
{
	const s64 last = (s64)t->width - 1;
	const u32 cubes = t->layers / 6, cube = q->layer < cubes ? q->layer : cubes - 1;

	x = x < 0 ? 0 : x > last ? last : x;
	y = y < 0 ? 0 : y > last ? last : y;
	read_texel(t, host + texture_offset(t, (u32)x, (u32)y, cube * 6 + face), q->as_float, value);
}

static void cube_filtered(const struct texture *t, const u8 *host, const struct texture_query *q, u32 face, const f64 at[2],
			  u32 result[4])
{
	const f64 size = t->width;
	const s64 x = (s64)floor(((at[0] + 1) / 2 * size - 0.5) * WEIGHT_STEPS + 0.5);
	const s64 y = (s64)floor(((at[1] + 1) / 2 * size - 0.5) * WEIGHT_STEPS + 0.5);
	const u32 part[3] = {(u32)x & (WEIGHT_STEPS - 1), (u32)y & (WEIGHT_STEPS - 1), 0};
	struct texture_query plain = *q;
	f64 sum[4] = {0, 0, 0, 0};
	u32 weight[8];

	plain.as_float = t->kind == TEXEL_FLOAT;
	corner_weights(part, weight);
	for (u32 corner = 0; corner < 4; corner++) {
		u32 value[4];
		cube_texel(t, host, &plain, face, (x >> WEIGHT_BITS) + (corner & 1), (y >> WEIGHT_BITS) + (corner >> 1), value);
		for (u32 k = 0; k < 4; k++)
			sum[k] += weight[corner] * filter_term(t, value[k]);
	}
	for (u32 k = 0; k < 4; k++)
		result[k] = filtered_value(t, sum[k]);
}

static void cube_lookup(const struct texture *t, const u8 *host, const struct texture_query *q, u32 result[4])
{
	const f64 v[3] = {q->at[0], q->at[1], q->at[2]}, size = t->width;
	const bool floats = t->kind == TEXEL_FLOAT || t->normalized_values;
	f64 at[2];
	const u32 face = face_of(v, at);
	s64 texel[2];

	if (t->linear && fabs(at[0]) <= 1 && fabs(at[1]) <= 1 && q->as_float && floats) {
		cube_filtered(t, host, q, face, at, result);
		return;
	}
	/* A direction of zeros or of what is no number has no place. */
	for (u32 d = 0; d < 2; d++)
		texel[d] = fabs(at[d]) <= 1 ? (s64)floor((at[d] + 1) / 2 * size) : 0;
	cube_texel(t, host, q, face, texel[0], texel[1], result);
}

/* --- Lookups ---------------------------------------------------------------------------------------------- */

void texture_lookup(const struct texture *t, const u8 *host, const struct texture_query *q, u32 result[4])
{
	const bool floats = t->kind == TEXEL_FLOAT || t->normalized_values;
	s64 at[3] = {0, 0, 0};

	if (q->cube) {
		cube_lookup(t, host, q, result);
		return;
	}
	if (t->linear && !q->integers && q->as_float && floats) {
		filtered(t, host, q, result);
		return;
	}
	for (u32 d = 0; d < q->dimensions; d++)
		at[d] = q->integers ? (s64)q->texel[d] + q->offset[d] : (s64)floor(scaled(t, q, d));
	texel_at(t, host, q, at, result);
}

void texture_gather(const struct texture *t, const u8 *host, const struct texture_query *q, u32 channel, u32 result[4])
{
	static const u8 order[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
	u32 part[3];
	s64 low[3];

	corners(t, q, false, low, part);
	for (u32 k = 0; k < 4; k++) {
		const s64 at[3] = {low[0] + order[k][0], low[1] + order[k][1], 0};
		u32 value[4];
		texel_at(t, host, q, at, value);
		result[k] = value[channel];
	}
}

static u32 clamped(const struct texture *t, u32 value)
{
	const s64 high = t->kind == TEXEL_SIGNED ? (1ll << (t->channel_bits - 1)) - 1 : (1ll << t->channel_bits) - 1;
	const s64 low = t->kind == TEXEL_SIGNED ? -high - 1 : 0;
	const s64 wide = t->kind == TEXEL_SIGNED ? (s64)(s32)value : (s64)value;

	return (u32)(wide < low ? low : wide > high ? high : wide);
}

void texture_store(const struct texture *t, u8 *texel, const u32 value[4], bool clamps)
{
	for (u32 k = 0; k < t->channels; k++) {
		u32 raw = value[k];
		if (t->kind == TEXEL_FLOAT)
			raw = t->channel_bits == 16 ? f16_from_f32_rn(raw) : raw;
		else if (clamps && t->channel_bits < 32)
			raw = clamped(t, raw);
		memcpy(texel + k * t->channel_bits / 8, &raw, t->channel_bits / 8);
	}
}
