/* SPDX-License-Identifier: Apache-2.0
 *
 * Texels: addressing, filtering, formats. See memory/texture.h for what is and is not certain.
 */
#include "memory/texture.h"

#include <math.h>
#include <string.h>

#include "number/half.h"
#include "number/ieee.h"

enum { FRACTION_STEPS = 256 }; /* a filter's weights have 8 bits of fraction */

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

	value[0] = value[1] = value[2] = 0;
	value[3] = floats || as_float ? bits_of_f32(1.0f) : 1;
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

/* A texel coordinate brought into [0, size), or -1 for the border. */
static s64 place(const struct texture *t, s64 at, u32 size, u32 dimension)
{
	u32 mode = t->address[dimension];

	/* The guide: wrapping and mirroring need normalized coordinates. */
	if (!t->normalized_coordinates && (mode == ADDRESS_WRAP || mode == ADDRESS_MIRROR))
		mode = ADDRESS_CLAMP;
	if (at >= 0 && at < (s64)size)
		return at;
	switch (mode) {
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
			memcpy(value, t->border, 4 * sizeof *value);
			return;
		}
	}
	const u32 layer = t->layers && q->layer >= t->layers ? t->layers - 1 : q->layer;
	read_texel(t, host + texture_offset(t, (u32)in[0], (u32)in[1], t->layers ? layer : (u32)in[2]), q->as_float,
		   value);
}

/* The coordinate in texels; not a number and what is too large to matter go to the border's far side. */
static f64 scaled(const struct texture *t, const struct texture_query *q, u32 d)
{
	const f64 at = (f64)q->at[d] * (t->normalized_coordinates ? size_of(t, d) : 1);

	if (!(fabs(at) < 1e15))
		return at > 0 ? 1e15 : at < 0 ? -1e15 : 0;
	return at + q->offset[d];
}

static void corners(const struct texture *t, const struct texture_query *q, s64 low[3], f32 part[3])
{
	for (u32 d = 0; d < 3; d++) {
		const f64 at = d < q->dimensions ? scaled(t, q, d) - 0.5 : 0;
		low[d] = (s64)floor(at);
		part[d] = (f32)(floor((at - floor(at)) * FRACTION_STEPS + 0.5) / FRACTION_STEPS);
	}
}

static void filtered(const struct texture *t, const u8 *host, const struct texture_query *q, u32 result[4])
{
	f32 sum[4] = {0, 0, 0, 0}, part[3];
	s64 low[3];

	corners(t, q, low, part);
	for (u32 corner = 0; corner < 1u << q->dimensions; corner++) {
		f32 weight = 1.0f;
		s64 at[3];
		u32 value[4];
		for (u32 d = 0; d < 3; d++) {
			const bool high = corner >> d & 1;
			at[d] = low[d] + high;
			if (d < q->dimensions)
				weight *= high ? part[d] : 1.0f - part[d];
		}
		texel_at(t, host, q, at, value);
		for (u32 k = 0; k < 4 && weight != 0; k++)
			sum[k] += weight * f32_of_bits(value[k]);
	}
	for (u32 k = 0; k < 4; k++)
		result[k] = bits_of_f32(sum[k]);
}

void texture_lookup(const struct texture *t, const u8 *host, const struct texture_query *q, u32 result[4])
{
	const bool floats = t->kind == TEXEL_FLOAT || t->normalized_values;
	s64 at[3] = {0, 0, 0};

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
	f32 part[3];
	s64 low[3];

	corners(t, q, low, part);
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
