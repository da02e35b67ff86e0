/* SPDX-License-Identifier: Apache-2.0
 *
 * One texel: where it lies, where a coordinate outside of the texture leads, and its channels as the instruction sees them. Lookups
 * (texture.c) and cubes (texture_cube.c) are made of these.
 */
#include <math.h>
#include <string.h>

#include "memory/texture_filter.h"
#include "number/half.h"
#include "number/ieee.h"

u64 texture_offset(const struct texture *t, u32 x, u32 y, u32 z)
{
	return z * t->slice + y * t->pitch + (u64)x * texture_texel_bytes(t);
}

static u32 raw_channel(const struct texture *t, const u8 *texel, u32 k)
{
	u16 half;
	u32 word;

	if (t->channel_bits == 8)
		return texel[k];
	if (t->channel_bits == 16) {
		memcpy(&half, texel + k * sizeof half, sizeof half);
		return half;
	}
	memcpy(&word, texel + k * sizeof word, sizeof word);
	return word;
}

static f32 normalized(const struct texture *t, u32 raw)
{
	const u32 spare = 32 - t->channel_bits;

	if (t->kind == TEXEL_UNSIGNED)
		return (f32)raw / (f32)((1u << t->channel_bits) - 1);
	const f32 value = (f32)((s32)(raw << spare) >> spare) / (f32)((1u << (t->channel_bits - 1)) - 1);
	return value < -1.0f ? -1.0f : value;
}

/* A NaN becomes that of f16, in 32 bits. */
static u32 widened_half(u16 raw) { return (raw & 0x7fff) > 0x7c00 ? 0x7fffe000 : f32_from_f16(raw); }

void texture_read(const struct texture *t, const u8 *texel, bool as_stored, u32 value[4])
{
	const bool floats = !as_stored && texture_reads_floats(t);
	const u32 spare = 32 - t->channel_bits;

	memset(value, 0, 4 * sizeof *value);
	for (u32 k = 0; k < t->channels; k++) {
		const u32 raw = raw_channel(t, texel, k);
		if (t->channel_bits == 32)
			value[k] = raw;
		else if (t->kind == TEXEL_FLOAT)
			value[k] = widened_half((u16)raw);
		else if (floats)
			value[k] = bits_of_f32(normalized(t, raw));
		else
			value[k] = t->kind == TEXEL_SIGNED ? (u32)((s32)(raw << spare) >> spare) : raw;
	}
}

/* The guide: wrapping and mirroring need normalized coordinates. */
u32 texture_address_mode(const struct texture *t, u32 dimension)
{
	const u32 mode = t->address[dimension];

	return !t->normalized_coordinates && (mode == ADDRESS_WRAP || mode == ADDRESS_MIRROR) ? ADDRESS_CLAMP : mode;
}

s64 texture_place(const struct texture *t, s64 at, u32 size, u32 dimension)
{
	if (at >= 0 && at < (s64)size)
		return at;
	switch (texture_address_mode(t, dimension)) {
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

void texture_read_border(const struct texture *t, bool as_stored, u32 value[4])
{
	const bool scales = t->normalized_values && t->kind != TEXEL_FLOAT && t->channel_bits < 32;
	const f32 low = t->kind == TEXEL_SIGNED ? -1.0f : 0.0f;
	const f32 top = (f32)((1ull << (t->channel_bits - (t->kind == TEXEL_SIGNED))) - 1);

	memset(value, 0, 4 * sizeof *value);
	for (u32 k = 0; k < t->channels; k++) {
		const f32 held = isnan(t->border[k]) ? 0 : fminf(fmaxf(t->border[k], low), 1.0f);
		const u32 raw = scales ? (u32)(s32)ceilf(held * top - 0.5f) : 0;
		if (scales)
			value[k] = as_stored ? raw : bits_of_f32(normalized(t, raw));
		else if (t->kind == TEXEL_FLOAT && t->channel_bits == 16)
			value[k] = f32_from_f16(f16_from_f32_rn(bits_of_f32(t->border[k])));
		else
			memcpy(&value[k], &t->border[k], sizeof value[k]);
	}
}
