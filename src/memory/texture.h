/* SPDX-License-Identifier: Apache-2.0
 *
 * Textures and surfaces: what a descriptor says, and reading and writing texels by it. A texture
 * object's handle is the guest address of its descriptor; an opaque variable holds a handle. The
 * descriptor's layout is this simulator's own. Used by the texture instructions and the API.
 *
 * Coordinates, filters, borders and conversions follow recordings of an H200 (tests/golden/texture.bin.gz) where the
 * CUDA programming guide leaves them open; tests/unit/test_texture.c says how well.
 */
#ifndef PTXSIM_MEMORY_TEXTURE_H
#define PTXSIM_MEMORY_TEXTURE_H

#include "base/types.h"

#define TEXTURE_MAGIC 0x7465787475726531ull

enum texture_kind { TEXEL_UNSIGNED, TEXEL_SIGNED, TEXEL_FLOAT };
enum { TEXTURE_LEVELS = 16, TEXTURE_SAMPLES = 16 };
enum texture_address { ADDRESS_WRAP, ADDRESS_MIRROR, ADDRESS_CLAMP, ADDRESS_BORDER };

struct texture {
	u64 magic;
	u64 data;                         /* guest address of the texels, in global memory */
	u64 pitch, slice;                 /* bytes from row to row, and from layer or depth to the next, of level 0 */
	u32 width, height, depth, layers; /* 0 where the dimension does not exist */
	u8 channels;                      /* 1, 2, 4 */
	u8 channel_bits;                  /* 8, 16, 32 */
	u8 kind;                          /* enum texture_kind */
	u8 linear;                        /* filter: linear, else nearest */
	u8 normalized_coordinates;
	u8 normalized_values; /* integers of 8 and 16 bits are read as [0, 1] or [-1, 1] */
	u8 address[3];        /* enum texture_address */
	u8 levels;            /* of a mipmapped texture, else 0; each is half the last and follows it without gaps */
	u8 mixes_levels;      /* filter between levels: linear, else nearest */
	u8 samples;           /* of a multi-sample texture, else 0; a texel's samples lie side by side */
	u8 seamless;          /* filters of a cube go on across the edges of its faces */
	u8 reserved[3];
	f32 level_bias, level_low, level_high; /* added to the level that is asked for, and its bounds */
	f32 border[4];
};

static inline u32 texture_texel_bytes(const struct texture *t) { return (u32)t->channels * t->channel_bits / 8; }
/* Bytes of a row without gaps. */
static inline u64 texture_row_bytes(const struct texture *t)
{
	return (u64)t->width * (t->samples ? t->samples : 1) * texture_texel_bytes(t);
}
/* Bytes that the descriptor covers, from t->data. */
u64 texture_bytes(const struct texture *t);
bool texture_is_sound(const struct texture *t);

/* What an instruction asks for. */
struct texture_query {
	u32 dimensions; /* 1 to 3, layers apart */
	u32 layer;
	u32 sample;
	bool cube;     /* at: a direction; six layers for each cube, q->layer counts cubes */
	bool integers; /* s32 coordinates: texels, unfiltered; a level then is one, too */
	bool bounded;  /* those and the layer are clamped, as with a level; else nothing is outside: recorded */
	s32 texel[3];
	f32 at[3];
	s32 offset[3];
	f32 level;
	s32 whole_level;
	/* Or NULL: told of each texel that counts, before it is read. */
	void (*visit)(void *context, const u8 *texel);
	void *context;
};

/* One lookup; host: the bytes of the texels. Channels that do not exist are 0. */
void texture_lookup(const struct texture *t, const u8 *host, const struct texture_query *q, u32 result[4]);
/* The footprint of a bilinear lookup, counter-clockwise from the lower left, one channel of each. */
void texture_gather(const struct texture *t, const u8 *host, const struct texture_query *q, u32 channel, u32 result[4]);
/* The level that steps of so much from pixel to pixel ask for. The hardware comes near the ellipse's axis that is taken
 * here, to 0.14 of a level in recordings. */
f32 texture_gradient_level(const struct texture *t, const struct texture_query *q, const f32 dx[3], const f32 dy[3]);

/* What the texture is at a level, with the level's offset in *from. False: there is no such level. */
bool texture_level(const struct texture *t, s64 level, struct texture *at_level, u64 *from);

/* Offset of a texel from the first; the coordinates lie within. */
u64 texture_offset(const struct texture *t, u32 x, u32 y, u32 z);
/* Writes a texel, converting 32-bit values to its format: integers are clamped, floats rounded. */
void texture_store(const struct texture *t, u8 *texel, const u32 value[4]);

#endif
