/* SPDX-License-Identifier: Apache-2.0
 *
 * Texels: formats, levels, addressing, lookups. See memory/texture.h for what is and is not certain.
 *
 * A lookup with a filter, by way of the parts:
 *
 *  coordinates --scaled--> texels, in steps of 1/256 --corners--> low[], part[]
 *    add_taps: up to 8 texels with weights (filter_weights), by texel_at
 *    filter_mix: their sum, exactly as the unit forms it (texture_filter.c)
 *
 * Levels: the two nearest levels give taps, each with its share of the weight. Cubes are texture_cube.c's.
 */
#include "memory/texture.h"

#include <math.h>
#include <string.h>

#include "memory/texture_filter.h"
#include "number/half.h"
#include "number/ieee.h"

enum { NORMALIZED_BITS = 21 };

/* Layers of an array or slices of a volume: both lie `slice` bytes apart. */
static u64 slices_of(const struct texture *t) { return t->layers ? t->layers : t->depth ? t->depth : 1; }

static u64 level_bytes(const struct texture *t)
{
	return (slices_of(t) - 1) * t->slice + (t->height ? t->height - 1 : 0) * t->pitch + texture_row_bytes(t);
}

static u32 halved(u32 size) { return size > 1 ? size / 2 : size; }

/* The texture of one level of a mipmap, and how many bytes before it lie the levels that are larger. False: there is no
 * such level. */
bool texture_level(const struct texture *t, s64 level, struct texture *at_level, u64 *from)
{
	*at_level = *t;
	*from = 0;
	if (level < 0 || level >= (t->levels ? t->levels : 1))
		return false;
	for (; level > 0; level--) {
		*from += level_bytes(at_level);
		at_level->width = halved(at_level->width);
		at_level->height = halved(at_level->height);
		at_level->depth = halved(at_level->depth);
		at_level->pitch = texture_row_bytes(at_level);
		at_level->slice = at_level->pitch * (at_level->height ? at_level->height : 1);
	}
	return true;
}

u64 texture_bytes(const struct texture *t)
{
	struct texture last;
	u64 from;

	texture_level(t, t->levels ? t->levels - 1 : 0, &last, &from);
	return from + level_bytes(&last);
}

/* Whether texture_bytes can be reckoned in 64 bits. */
static bool is_of_this_world(const struct texture *t)
{
	const f64 rows = t->height ? t->height : 1, slices = (f64)slices_of(t), most = 0x1p48;

	return slices * (f64)t->slice < most && rows * (f64)t->pitch < most &&
	       slices * rows * (f64)texture_row_bytes(t) < most;
}

bool texture_is_sound(const struct texture *t)
{
	const bool bits = t->channel_bits == 8 || t->channel_bits == 16 || t->channel_bits == 32;
	const bool channels = t->channels == 1 || t->channels == 2 || t->channels == 4;

	return t->magic == TEXTURE_MAGIC && bits && channels && t->width && t->kind <= TEXEL_FLOAT &&
	       !(t->kind == TEXEL_FLOAT && t->channel_bits == 8) && t->levels <= TEXTURE_LEVELS &&
	       t->samples <= TEXTURE_SAMPLES && !(t->levels > 1 && t->samples) && is_of_this_world(t);
}

static u32 size_of(const struct texture *t, u32 dimension)
{
	const u32 size = dimension == 0 ? t->width : dimension == 1 ? t->height : t->depth;

	return size ? size : 1;
}

/* The texel at whole coordinates, by the address modes; the border where they lead outside. */
static void texel_at(const struct texture *t, const u8 *host, const struct texture_query *q, const s64 at[3],
		     bool as_stored, u32 value[4])
{
	const u32 samples = t->samples ? t->samples : 1;
	s64 in[3] = {0, 0, 0};

	for (u32 d = 0; d < q->dimensions || d < 2; d++) {
		in[d] = texture_place(t, at[d], size_of(t, d), d);
		if (in[d] < 0) {
			texture_read_border(t, as_stored, value);
			return;
		}
	}
	const u32 layer = t->layers && q->layer >= t->layers ? t->layers - 1 : q->layer;
	const u8 *texel =
		host + texture_offset(t, (u32)in[0] * samples + q->sample, (u32)in[1], t->layers ? layer : (u32)in[2]);
	if (q->visit)
		q->visit(q->context, texel);
	texture_read(t, texel, as_stored, value);
}

/* The coordinate in texels. A normalized one has 21 bits of fraction, and wrapping takes the fraction first;
 * what is too large to matter, and not a number, go where a recording shows them. */
static f64 scaled(const struct texture *t, const struct texture_query *q, u32 d)
{
	f64 at = q->at[d];

	if (t->normalized_coordinates) {
		if (t->address[d] == ADDRESS_WRAP)
			at = isfinite(at) ? at - whole_below(at) : 0;
		else if (t->address[d] == ADDRESS_MIRROR)
			at = isfinite(at) ? at - whole_below(at / 2) * 2 : 0;
		at = whole_below(at * (1 << NORMALIZED_BITS)) / (1 << NORMALIZED_BITS) * size_of(t, d);
	}
	if (!(fabs(at) < 1e15))
		at = at > 0 ? 1e15 : at < 0 ? -1e15 : 0;
	return at + q->offset[d];
}

/* A one-dimensional texture has a row above it, half of which shows in a filter if the second address mode is border,
 * and which an offset with bits beyond the first four reaches: recorded. */
static bool is_line(const struct texture *t, const struct texture_query *q)
{
	return q->dimensions == 1 && !t->layers && t->address[1] == ADDRESS_BORDER;
}

/* The lower corner of what a filter mixes, and the fractions in steps of 1 / 256. */
static void corners(const struct texture *t, const struct texture_query *q, bool clamps, s64 low[3], u32 part[3])
{
	for (u32 d = 0; d < 3; d++) {
		s64 at = d < q->dimensions ? (s64)whole_below((scaled(t, q, d) - 0.5) * WEIGHT_STEPS + 0.5) : 0;
		if (d == 1 && is_line(t, q))
			at = q->offset[1] * WEIGHT_STEPS - WEIGHT_STEPS / 2;
		const s64 last = ((s64)size_of(t, d) - 1) * WEIGHT_STEPS;
		if (clamps && d < q->dimensions && texture_address_mode(t, d) == ADDRESS_CLAMP)
			at = at < 0 ? 0 : at > last ? last : at;
		low[d] = at >> WEIGHT_BITS;
		part[d] = (u32)at & (WEIGHT_STEPS - 1);
	}
}

/* --- Lookups ---------------------------------------------------------------------------------------------- */

/* What a filter mixes at one level, `share` of the whole. */
static void add_taps(const struct texture *t, const u8 *host, const struct texture_query *q, u32 share,
		     struct taps *taps)
{
	struct texture_query unseen = *q;
	u32 part[3];
	s64 low[3];

	unseen.visit = NULL;
	if (q->cube) {
		cube_taps(t, host, q, share, taps);
		return;
	}
	corners(t, q, true, low, part);
	for (u32 z = 0; z < 2; z++) {
		const u32 front = weight_times(share, WEIGHT_STEPS - part[2]), slice = z ? share - front : front;
		if (!slice)
			continue;
		const u32 first = filter_weights(taps, slice, part[0], part[1]);
		for (u32 corner = 0; corner < TAP_GROUP; corner++) {
			const s64 at[3] = {low[0] + (corner & 1), low[1] + (corner >> 1), low[2] + z};
			texel_at(t, host, taps->weight[first + corner] ? q : &unseen, at, true,
				 taps->value[first + corner]);
		}
	}
}

/* Without a filter: the texel that holds the point. */
static void nearest(const struct texture *t, const u8 *host, const struct texture_query *q, bool as_stored,
		    u32 result[4])
{
	s64 at[3] = {0, 0, 0};

	if (q->cube) {
		cube_nearest(t, host, q, as_stored, result);
		return;
	}
	for (u32 d = 0; d < q->dimensions; d++)
		at[d] = (s64)whole_below(scaled(t, q, d));
	if (is_line(t, q))
		at[1] = q->offset[1];
	texel_at(t, host, q, at, as_stored, result);
}

static s64 bounded(s64 at, s64 size) { return at < 0 ? 0 : at >= size ? size - 1 : at; }

/* By whole coordinates the address modes do not count: zeros outside, or the edge. A line takes no offset. */
static void fetch(const struct texture *t, const u8 *host, const struct texture_query *q, u32 result[4])
{
	struct texture at_level;
	s64 at[3] = {0, 0, 0};
	u64 from;
	bool inside = texture_level(t, q->whole_level, &at_level, &from) && q->sample < (t->samples ? t->samples : 1) &&
		      (q->bounded || q->layer < (t->layers ? t->layers : 1));

	for (u32 d = 0; d < q->dimensions; d++) {
		at[d] = (s64)q->texel[d] + (q->dimensions > 1 || t->layers ? q->offset[d] : 0);
		at[d] = q->bounded ? bounded(at[d], size_of(&at_level, d)) : at[d];
		inside &= at[d] >= 0 && at[d] < size_of(&at_level, d);
	}
	memset(result, 0, 4 * sizeof *result);
	if (inside)
		texel_at(&at_level, host + from, q, at, false, result);
}

/* In steps of 1 / 256, each number cut to these first. */
static s32 level_steps(const struct texture *t, f32 level)
{
	const f64 last = (t->levels - 1) * (f64)WEIGHT_STEPS, step = WEIGHT_STEPS;
	const f64 low = floor(t->level_low * step), high = floor(t->level_high * step);
	f64 at = floor(level * step) + floor(t->level_bias * step);

	at = at > high ? high : at;
	at = at >= low ? at : low; /* what is not a number, too */
	return (s32)(at > last ? last : at > 0 ? at : 0);
}

/* The texture of a level that there is, and its texels; most textures have one level and need no copy. */
static const struct texture *at_level(const struct texture *t, u32 level, struct texture *copy, const u8 **host)
{
	u64 from;

	if (level == 0)
		return t;
	texture_level(t, level, copy, &from);
	*host += from;
	return copy;
}

static void add_level(const struct texture *t, const u8 *host, const struct texture_query *q, u32 level, u32 share,
		      struct taps *taps)
{
	struct texture copy;

	if (!share)
		return;
	t = at_level(t, level, &copy, &host);
	if (t->linear) {
		add_taps(t, host, q, share, taps);
		return;
	}
	nearest(t, host, q, true, taps->value[filter_weights(taps, share, 0, 0)]);
}

/* The level that the coordinates' type, the bounds and the filter between levels give; a part of the next, too. */
void texture_lookup(const struct texture *t, const u8 *host, const struct texture_query *q, u32 result[4])
{
	const bool floats = texture_reads_floats(t);
	struct taps taps;
	struct texture copy;
	u32 level = 0, part = 0;

	if (q->integers) {
		fetch(t, host, q, result);
		return;
	}
	if (t->levels > 1) {
		const s32 steps = level_steps(t, q->level);
		level = (u32)(t->mixes_levels ? steps : steps + WEIGHT_STEPS / 2) / WEIGHT_STEPS;
		part = t->mixes_levels && floats ? (u32)steps % WEIGHT_STEPS : 0;
	}
	if (floats && (t->linear || part)) {
		taps.count = 0;
		add_level(t, host, q, level, WEIGHT_STEPS - part, &taps);
		add_level(t, host, q, level + 1, part, &taps);
		filter_mix(t, &taps, result);
		return;
	}
	t = at_level(t, level, &copy, &host);
	nearest(t, host, q, false, result);
}

/* The longer axis, squared, of the ellipse that two steps span. */
static f64 ellipse_axis(const f64 x[3], const f64 y[3])
{
	f64 xx = 0, yy = 0, xy = 0;

	for (u32 d = 0; d < 3; d++) {
		xx += x[d] * x[d];
		yy += y[d] * y[d];
		xy += x[d] * y[d];
	}
	return (xx + yy) / 2 + sqrt((xx - yy) * (xx - yy) / 4 + xy * xy);
}

/* The level for a lookup whose coordinates change by dx and dy from pixel to pixel: half the binary logarithm of the
 * squared longer axis, in texels. */
f32 texture_gradient_level(const struct texture *t, const struct texture_query *q, const f32 dx[3], const f32 dy[3])
{
	f64 texels[2][3];

	for (u32 k = 0; k < 2; k++) {
		f64 *step = texels[k];
		for (u32 d = 0; d < 3; d++)
			step[d] = d < q->dimensions ? (k ? dy : dx)[d] : 0;
		if (q->cube)
			cube_step(q->at, step);
		for (u32 d = 0; d < 3; d++)
			step[d] *= q->cube ? t->width : t->normalized_coordinates ? size_of(t, d) : 1;
	}
	return (f32)(log2(ellipse_axis(texels[0], texels[1])) / 2);
}

/* One channel of the four texels that a filter would mix, in the order of tld4: (0,1), (1,1), (1,0), (0,0) from the
 * lower corner. */
void texture_gather(const struct texture *t, const u8 *host, const struct texture_query *q, u32 channel, u32 result[4])
{
	static const u8 order[TAP_GROUP][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
	u32 part[3];
	s64 low[3];

	if (q->cube) {
		cube_gather(t, host, q, channel, result);
		return;
	}
	corners(t, q, false, low, part);
	for (u32 k = 0; k < TAP_GROUP; k++) {
		const s64 at[3] = {low[0] + order[k][0], low[1] + order[k][1], 0};
		u32 value[4];
		texel_at(t, host, q, at, false, value);
		result[k] = value[channel];
	}
}

/* --- Stores ------------------------------------------------------------------------------------------------ */

static u32 clamped(const struct texture *t, u32 value)
{
	const s64 high = t->kind == TEXEL_SIGNED ? (1ll << (t->channel_bits - 1)) - 1 : (1ll << t->channel_bits) - 1;
	const s64 low = t->kind == TEXEL_SIGNED ? -high - 1 : 0;
	const s64 wide = t->kind == TEXEL_SIGNED ? (s64)(s32)value : (s64)value;

	return (u32)(wide < low ? low : wide > high ? high : wide);
}

/* Formatted stores cut, and a NaN keeps its sign and the top of its payload: recorded. */
static u16 cut_half(u32 value)
{
	return (value & 0x7fffffff) > 0x7f800000 ? (u16)((value >> 16 & 0x8000) | 0x7e00 | (value >> 13 & 0x3ff))
						 : f16_from_f32(value, ROUND_RZ);
}

/* Integers are clamped to the format, floats are cut to it. */
void texture_store(const struct texture *t, u8 *texel, const u32 value[4])
{
	for (u32 k = 0; k < t->channels; k++) {
		u32 raw = value[k];
		if (t->kind == TEXEL_FLOAT)
			raw = t->channel_bits == 16 ? cut_half(raw) : raw;
		else if (t->channel_bits < 32)
			raw = clamped(t, raw);
		memcpy(texel + k * t->channel_bits / 8, &raw, t->channel_bits / 8);
	}
}
