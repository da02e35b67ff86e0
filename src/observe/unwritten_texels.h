/* SPDX-License-Identifier: Apache-2.0
 *
 * Textures and surfaces, for the check of unwritten values. A part of that check.
 */
#ifndef PTXSIM_OBSERVE_UNWRITTEN_TEXELS_H
#define PTXSIM_OBSERVE_UNWRITTEN_TEXELS_H

#include "observe/texels.h"
#include "observe/unwritten_memory.h"

void unwritten_texels(struct unwritten *u, struct warp *w, const struct insn *i, const u8 *rows, u32 mask);
/* A store to a surface, or a reduction, of machine code: the whole of the surface's memory counts as written. */
void unwritten_machine_surface(struct unwritten *u, struct warp *w, const struct insn *i, const u8 *rows, u32 mask);

#endif
