/* SPDX-License-Identifier: Apache-2.0
 *
 * Tensor maps: what a tensor in global memory looks like and which part of it a copy moves. Encoded into the 128 opaque
 * bytes that kernels pass around by the loader of launches (as the driver's cuTensorMapEncodeTiled and
 * cuTensorMapEncodeIm2col would); decoded by the tensor copies and changed in place by tensormap.replace, and by machine
 * code, which stores into the bytes. The encoder checks what the driver checks.
 */
#ifndef PTXSIM_MEMORY_TENSORMAP_H
#define PTXSIM_MEMORY_TENSORMAP_H

#include "base/types.h"

enum { TENSOR_MAP_BYTES = 128, TENSOR_RANK = 5 };

/* Numbered as tensormap.replace's .elemtype (PTX ISA 9.7.9.28), and so on for the others. */
enum tensor_type {
	TENSOR_U8,
	TENSOR_U16,
	TENSOR_U32,
	TENSOR_S32,
	TENSOR_U64,
	TENSOR_S64,
	TENSOR_F16,
	TENSOR_F32,
	TENSOR_F32_FTZ,
	TENSOR_F64,
	TENSOR_BF16,
	TENSOR_TF32,
	TENSOR_TF32_FTZ,
	TENSOR_TYPES
};
enum tensor_interleave { TENSOR_INTERLEAVE_NONE, TENSOR_INTERLEAVE_16B, TENSOR_INTERLEAVE_32B };
enum tensor_swizzle { TENSOR_SWIZZLE_NONE, TENSOR_SWIZZLE_32B, TENSOR_SWIZZLE_64B, TENSOR_SWIZZLE_128B };

struct tensor_map {
	u64 address;
	u8 rank;
	u8 type, interleave, swizzle, promotion; /* promotion: into L2; of no effect here */
	bool fills_nan, im2col;
	u64 dims[TENSOR_RANK];        /* elements, innermost first */
	u64 strides[TENSOR_RANK - 1]; /* bytes between neighbours along dimension k + 1 */
	u32 box[TENSOR_RANK];         /* tiled: elements of the tile */
	u32 element_strides[TENSOR_RANK];
	s32 lower[3], upper[3]; /* im2col: corners of the bounding box, innermost spatial first */
	u32 channels, pixels;   /* im2col */
};

u32 tensor_type_bytes(u32 type);
/* Bytes of a row of a tile that the swizzle mode takes as a unit; 0 without swizzle. */
u32 tensor_swizzle_span(u32 swizzle);

/* Why the driver would refuse the map, or NULL: `bytes` is filled. */
const char *tensor_map_encode(const struct tensor_map *map, u8 bytes[TENSOR_MAP_BYTES]);
/* False if the bytes are no tensor map. */
bool tensor_map_decode(const u8 bytes[TENSOR_MAP_BYTES], struct tensor_map *map);
/* Writes a map that tensormap.replace changed, unchecked: a copy that uses it finds what is wrong. */
void tensor_map_store(const struct tensor_map *map, u8 bytes[TENSOR_MAP_BYTES]);
/* NULL if copies can use the map, else why not. */
const char *tensor_map_wrong(const struct tensor_map *map);

/* Reads "key=value,..." (keys buf, off, dtype, dims, strides, box, estr, inter, swizzle, l2, oob, mode,
 * lower, upper, channels, pixels; lists are split by x, innermost dimension first). The address is
 * left 0: it is that of buffer number *buffer plus *offset. False at a field that is not understood. */
bool tensor_map_parse(const char *text, struct tensor_map *map, u32 *buffer, u64 *offset);

#endif
