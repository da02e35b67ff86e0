/* SPDX-License-Identifier: Apache-2.0
 *
 * Shadows of frames: which bits of each row are undefined, where that comes from, and which value it is.
 *
 *      f->rows         | %r1: 32 lanes | %r2: 32 lanes | ...
 *      f->undefined    | same layout, 1 = undefined     | ...  frame_bytes
 *                      | origin of %r1 | origin of %r2 | ...  the site that the undefined bits come from; a word for each row
 *                      | names: same layout, a word for each lane
 *
 * Two undefined values of one name differ by something defined: one is a copy of the other, or something has been added to
 * it. So their difference is defined. Names are a frame's own. A part of observe/defined.h.
 */
#ifndef PTXSIM_OBSERVE_DEFINED_ROWS_H
#define PTXSIM_OBSERVE_DEFINED_ROWS_H

#include "exec/run.h"
#include "observe/check_findings.h"

/* Of a name: the value is the negative, or the complement, of what has it. */
enum { DEFINED_NEGATED = 1u << 31 };
/* Of an origin: it has been computed with, not only copied. NO_SITE has it, too. */
enum { DEFINED_COMPUTED = 1u << 31 };

struct defined_operand {
	u32 row; /* NO_OPERAND: none */
	u8 bits; /* of the register: 1 to 128 */
	/* BASE: of an address; TEXEL: of what goes to a surface; BRANCH: of where lanes go on. */
	enum { DEFINED_SOURCE, DEFINED_RESULT_OF, DEFINED_BASE, DEFINED_TEXEL, DEFINED_BRANCH } role;
};

/* The shadow of a frame, made and cleared when it is asked for first. */
u8 *defined_rows(struct arena *arena, struct frame *f);
/* A call or a block begins in it. */
void defined_enter(struct frame *f);
u32 *defined_origin(const struct frame *f, u32 row);
/* Undefined bits of a row for a lane, up to 64 of them; of a predicate one bit. */
u64 defined_get(const struct frame *f, const struct defined_operand *o, u32 lane);
void defined_put(const struct frame *f, const struct defined_operand *o, u32 lane, u64 mask, u32 origin);
/* Lanes of `mask` in which any bit is undefined. */
u32 defined_lanes(const struct frame *f, const struct defined_operand *o, u32 mask);
/* Nothing is undefined in any lane. */
bool defined_is_clean(const struct frame *f, const struct defined_operand *o);
void defined_clear(const struct frame *f, const struct defined_operand *o, u32 lanes);

/* The name of what is undefined in a row's lane; 0: it has none. Valid where defined_get gives any bits. */
u32 defined_name(const struct frame *f, const struct defined_operand *o, u32 lane);
/* After defined_put, which gives a new one. */
void defined_rename(const struct frame *f, const struct defined_operand *o, u32 lane, u32 name);

#endif
