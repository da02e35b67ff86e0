/* SPDX-License-Identifier: Apache-2.0
 *
 * Machine code: how many arguments lookups of textures and accesses of surfaces have, and which registers hold them.
 *
 * The arguments of a lookup, in their order: the layer, the coordinates; the handle if a register holds it, .B; the level, the
 * sample, the offset, the depth. The coordinates stand in registers from a on, the rest from b on; with .SCR two arguments, or
 * one if there are two in all, from a on, the others from b on. TXD has the handle before the coordinates, the layer behind
 * them with the offset in its upper half, and from b on the steps along x and y for each dimension.
 */
#ifndef PTXSIM_SASS_TEXTURE_SHAPE_H
#define PTXSIM_SASS_TEXTURE_SHAPE_H

#include "sass/instruction.h"

struct sass_texture_shape {
	u8 dimensions; /* 0: there is no such shape */
	bool layered, cube;
};

/* By the values of MOD_TEX_DIM, of MOD_SURFACE_DIM. */
static inline struct sass_texture_shape sass_texture_shape(const struct sass_insn *i)
{
	static const struct sass_texture_shape shapes[] = {{1, false, false}, {2, false, false}, {3, false, false},
							   {3, false, true},  {1, true, false},  {2, true, false},
							   {0, false, false}, {3, true, true}};

	return shapes[sass_modifier(i, MOD_TEX_DIM) & 7];
}

static inline struct sass_texture_shape sass_surface_shape(const struct sass_insn *i)
{
	static const struct sass_texture_shape shapes[] = {{1, false, false}, {1, false, false}, {1, true, false},
							   {2, false, false}, {2, true, false},  {3, false, false},
							   {0, false, false}, {0, false, false}};

	return shapes[sass_modifier(i, MOD_SURFACE_DIM) & 7];
}

/* A register among the arguments holds the handle. */
static inline bool sass_texture_is_bindless(const struct sass_insn *i)
{
	return i->low >> 59 & 1 && !(i->high >> 27 & 1) && (i->low >> 9 & 7) == 1;
}

static inline u32 sass_texture_mask(const struct sass_insn *i) { return (u32)(i->high >> 8) & 15; }

static inline bool sass_texture_has_level(const struct sass_insn *i)
{
	enum { LOD_LL = 3, LOD100_LL = 9, TLD100_LL = 1 };

	return sass_modifier(i, MOD_TEX_LOD) == LOD_LL || sass_modifier(i, MOD_TEX_LOD100) == LOD100_LL ||
	       sass_modifier(i, MOD_TLD_LOD) == LOD_LL || sass_modifier(i, MOD_TLD_LOD100) == TLD100_LL;
}

/* Registers from a on, from b on. */
static inline void sass_texture_arguments(const struct sass_insn *i, u32 words[2])
{
	const struct sass_texture_shape s = sass_texture_shape(i);
	const bool offset = sass_modifier(i, MOD_AOFFI), bindless = sass_texture_is_bindless(i);

	if (i->opcode == SASS_OP_TXQ) {
		words[0] = 1u + bindless;
		words[1] = 0;
	} else if (i->opcode == SASS_OP_TXD) {
		words[0] = (u32)s.dimensions + bindless + (s.layered || offset);
		words[1] = 2u * s.dimensions;
	} else {
		const u32 coordinates = (u32)s.layered + s.dimensions;
		const u32 all = coordinates + bindless + sass_texture_has_level(i) + offset +
				(sass_modifier(i, MOD_TEX_MS) != 0) + (sass_modifier(i, MOD_TEX_DC) != 0);
		words[0] = !sass_modifier(i, MOD_SCR) ? coordinates : all <= 2 ? 1 : 2;
		words[1] = all - words[0];
	}
}

#endif
