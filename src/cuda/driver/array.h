/* SPDX-License-Identifier: Apache-2.0
 *
 * CUDA arrays: texels side by side in rows, rows in slices. Mipmaps are arrays one behind the other.
 */
#ifndef PTXSIM_CUDA_DRIVER_ARRAY_H
#define PTXSIM_CUDA_DRIVER_ARRAY_H

#include "cuda/driver/types.h"

struct cu_context;
struct region;

enum { ARRAY_LAYERED = 1, ARRAY_SURFACE = 2, ARRAY_CUBEMAP = 4, ARRAY_GATHER = 8 };

struct cu_array {
	struct cu_array_3d shape; /* depth: layers of a layered one */
	u8 *bytes;
	u64 size, pitch;      /* bytes: all, of a row */
	struct region *block; /* its memory; NULL: a level of a mipmap, which has it */
	struct cu_context *context;
};

struct cu_mipmap {
	struct cu_array_3d shape;
	struct region *block;
	struct cu_context *context;
	u32 level_count;
	struct cu_array levels[16];
};

static inline u64 array_rows(const struct cu_array *a) { return a->shape.height ? a->shape.height : 1; }
static inline u64 array_slices(const struct cu_array *a) { return a->shape.depth ? a->shape.depth : 1; }

#endif
