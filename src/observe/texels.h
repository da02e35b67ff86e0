/* SPDX-License-Identifier: Apache-2.0
 *
 * Which bytes of global memory PTX's texture and surface instructions take: for checks that look at memory. What is no texture,
 * or lies outside, the instruction itself tells of.
 */
#ifndef PTXSIM_OBSERVE_TEXELS_H
#define PTXSIM_OBSERVE_TEXELS_H

#include "exec/grid.h"

enum texel_use {
	TEXEL_NONE,
	TEXEL_LOOKUP, /* through a texture: by the read-only path */
	TEXEL_LOAD,   /* of a surface */
	TEXEL_STORE,
	TEXEL_REDUCE,
};

/* Where a lane's access goes: texels of filters, of two levels at most; of surfaces one range. */
enum { TEXEL_RANGES = 16 };
struct texel_range {
	u64 address;
	u32 bytes;
};

/* What the instruction does to texels; queries take none. */
enum texel_use texels_use(const struct form *f);
enum { TEXEL_BYTES = 16 };
/* What a lane's store leaves in a surface. */
void texels_stored(struct warp *w, const struct insn *i, const u8 *rows, u32 lane, u8 to[TEXEL_BYTES]);
/* Returns how many ranges the lane takes. */
u32 texels_of(struct warp *w, const struct insn *i, const u8 *rows, u32 lane, struct texel_range to[TEXEL_RANGES]);

#endif
