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
enum texture_address { ADDRESS_WRAP, ADDRESS_MIRROR, ADDRESS_CLAMP, ADDRESS_BORDER };

struct texture {
	u64 magic;
	u64 data;           /* guest address of the texels, in global memory */
	u64 pitch, slice;   /* bytes from row to row, and from layer or depth to the next */
	u32 width, height, depth, layers; /* 0 where the dimension does not exist */
	u8 channels;        /* 1, 2, 4 */
	u8 channel_bits;    /* 8, 16, 32 */
	u8 kind;            /* enum texture_kind */
	u8 linear;          /* filter: linear, else nearest */
	u8 normalized_coordinates;
	u8 normalized_values; /* integers of 8 and 16 bits are read as [0, 1] or [-1, 1] */
	u8 address[3];      /* enum texture_address */
	u8 reserved[7];
	f32 border[4];
};

static inline u32 texture_texel_bytes(const struct texture *t) { return (u32)t->channels * t->channel_bits / 8; }
/* Bytes that the descriptor covers, from t->data. */
u64 texture_bytes(const struct texture *t);
bool texture_is_sound(const struct texture *t);

/* What an instruction asks for. */
struct texture_query {
	u32 dimensions;  /* 1 to 3, layers apart */
	u32 layer;
	bool cube;       /* at: a direction; six layers for each cube, q->layer counts cubes */
	bool integers;   /* s32 coordinates: texels, unfiltered */
	s32 texel[3];
	f32 at[3];
	s32 offset[3];
	bool as_float;   /* the instruction's result type is f32 */
};

/* One lookup; host: the bytes of the texels. Channels that do not exist are 0, 0 and 1. */
void texture_lookup(const struct texture *t, const u8 *host, const struct texture_query *q, u32 result[4]);
/* The footprint of a bilinear lookup, counter-clockwise from the lower left, one channel of each. */
void texture_gather(const struct texture *t, const u8 *host, const struct texture_query *q, u32 channel, u32 result[4]);

/* Offset of a texel from the first; the coordinates lie within. */
u64 texture_offset(const struct texture *t, u32 x, u32 y, u32 z);
/* Writes a texel, converting 32-bit values to its format: integers keep their low bits, or are clamped if
 * `clamps`; floats are converted to float formats. */
void texture_store(const struct texture *t, u8 *texel, const u32 value[4], bool clamps);

#endif
