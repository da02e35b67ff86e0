/* SPDX-License-Identifier: Apache-2.0
 *
 * What a filter mixes and how: texels with weights, in groups of a level's or slice's four. Inside of memory/texture*.c.
 */
#ifndef PTXSIM_MEMORY_TEXTURE_FILTER_H
#define PTXSIM_MEMORY_TEXTURE_FILTER_H

#include <math.h>

#include "memory/texture.h"

enum { WEIGHT_BITS = 8, WEIGHT_STEPS = 1 << WEIGHT_BITS, TAPS = 16, TAP_GROUP = 4 };

/* floor(), which is a call where SSE4.1 may be missing. */
static inline f64 whole_below(f64 x)
{
	if (!(fabs(x) < 0x1p52)) /* whole, infinite or not a number */
		return x;
	const f64 cut = (f64)(s64)x;
	return cut > x ? cut - 1 : cut;
}

/* A part of a weight, rounded to the nearest. */
static inline u32 weight_times(u32 weight, u32 part) { return (weight * part + WEIGHT_STEPS / 2) / WEIGHT_STEPS; }

/* Every four are of one slice of one level. Values: channels as texture_read gives them, normalized integers as stored.
 * A tap can take part with a weight that was rounded to 0. */
struct taps {
	u32 count;
	u32 weight[TAPS];
	bool takes_part[TAPS];
	u32 value[TAPS][4];
};

/* Whether the instruction sees floats, and so a linear filter is one. */
static inline bool texture_reads_floats(const struct texture *t)
{
	return t->kind == TEXEL_FLOAT || (t->normalized_values && t->channel_bits < 32);
}

/* A texel's channels as the instruction sees them: floats' bits, or integers extended to 32 bits. as_stored: integers
 * stay such. */
void texture_read(const struct texture *t, const u8 *texel, bool as_stored, u32 value[4]);

/* The border's colour, as a texel of the texture's format could hold it. */
void texture_read_border(const struct texture *t, bool as_stored, u32 value[4]);
/* How coordinates outside of a dimension are treated: enum of memory/texture.h. */
u32 texture_address_mode(const struct texture *t, u32 dimension);
/* A texel coordinate brought into [0, size), or -1 for the border. */
s64 texture_place(const struct texture *t, s64 at, u32 size, u32 dimension);

/* Adds the weights of four corners, x lowest in the index, that make up `share`; returns the place of the first. */
u32 filter_weights(struct taps *taps, u32 share, u32 part_x, u32 part_y);
/* The filter's result. */
void filter_mix(const struct texture *t, const struct taps *taps, u32 result[4]);

/* Lookups in a cube: the nearest texel's channels, what a filter mixes, and the footprint of a filter. */
void cube_nearest(const struct texture *t, const u8 *host, const struct texture_query *q, bool as_stored, u32 value[4]);
void cube_taps(const struct texture *t, const u8 *host, const struct texture_query *q, u32 share, struct taps *taps);
void cube_gather(const struct texture *t, const u8 *host, const struct texture_query *q, u32 channel, u32 result[4]);
/* A step of a direction as one across the face, whose width is 1. */
void cube_step(const f32 direction[3], f64 step[3]);

#endif
