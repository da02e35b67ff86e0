/* SPDX-License-Identifier: Apache-2.0
 *
 * Unwritten texels: what a filter makes of one is undefined as a whole, what a surface gives byte by byte.
 */
#include "observe/unwritten_texels.h"

#include <string.h>

#include "decode/operands.h"
#include "isa/form.h"
#include "isa/machine.h"
#include "observe/defined_rows.h"
#include "observe/unwritten_origin.h"
#include "sem/texture_access.h"

struct texel_access {
	struct unwritten *u;
	struct warp *w;
	const struct insn *i;
	const struct form *f;
	enum texel_use use;
	u32 site;
};

/* The undefined bits of `bytes` from `at` on. */
static u64 element(const u8 *mask, u32 at, u32 bytes)
{
	u64 bits = 0;

	memcpy(&bits, mask + at, min_u32(bytes, sizeof bits));
	return bits;
}

static void load(const struct texel_access *a, u32 lane, const u8 *mask, u32 bytes, u32 origin)
{
	const struct code *code = a->w->frame->code;
	const u32 results = form_vector(a->f), each = bytes / results;

	defined_rows(a->u->findings->arena, a->w->frame);
	for (u32 k = 0; k < results; k++) {
		const struct defined_operand d = {insn_operand(code, a->f, a->i, k), (u8)a->f->operand_bits[k],
						  DEFINED_RESULT_OF};
		if (d.row != NO_OPERAND)
			defined_put(a->w->frame, &d, lane,
				    a->use == TEXEL_LOOKUP ? UINT64_MAX : element(mask, k * each, each), origin);
	}
}

static void range(const struct texel_access *a, u32 lane, const struct texel_range *r)
{
	u8 mask[WRITTEN_MOST] = {0};
	struct unwritten_place s;
	u32 origin = a->site;

	if (!unwritten_spot(a->u, a->w, lane, SPACE_GLOBAL, r->address, r->bytes, &s) || !s.written)
		return;
	const bool lacks = a->use != TEXEL_STORE && written_lacks(s.written, s.offset, r->bytes);
	if (lacks)
		written_get(s.written, s.offset, min_u32(r->bytes, WRITTEN_MOST), mask, &origin);
	if (lacks && a->use == TEXEL_REDUCE)
		unwritten_tell(a->u, a->w, a->site, 1u << lane, origin, "an atomic operation");
	else if (lacks && unwritten_watch_all(a->u))
		load(a, lane, mask, r->bytes, origin);
	if (a->use == TEXEL_STORE || a->use == TEXEL_REDUCE)
		written_mark(s.written, s.offset, r->bytes);
}

void unwritten_texels(struct unwritten *u, struct warp *w, const struct insn *i, const u8 *rows, u32 mask)
{
	const struct form *f = warp_form(w, i);
	const struct texel_access a = {u, w, i, f, texels_use(f), check_site(u->where, w, i)};
	struct texel_range ranges[TEXEL_RANGES];

	for (; mask; mask &= mask - 1) {
		const u32 lane = (u32)__builtin_ctz(mask), count = texels_of(w, i, rows, lane, ranges);
		for (u32 k = 0; k < count; k++)
			range(&a, lane, &ranges[k]);
	}
}

/* A handle of machine code is the lower half of its descriptor's address. NULL: it is of no surface, which the instruction tells. */
static const struct allocation *surface_of(struct warp *w, u32 low)
{
	const u64 first = w->grid->map->global_base >> 32, last = w->grid->memory->next >> 32;
	struct texture t;

	for (u64 high = first; high <= last; high++)
		if (texture_descriptor(w, high << 32 | low, &t))
			return memory_find(w->grid->memory, t.data, 1);
	return NULL;
}

void unwritten_machine_surface(struct unwritten *u, struct warp *w, const struct insn *i, const u8 *rows, u32 mask)
{
	const u32 *list = w->frame->code->operands + i->imm;
	const u32 *handles = (const u32 *)(const void *)(rows + list[MACHINE_SURFACE_HANDLE]);
	u32 known = 0; /* handles are mostly the same for all lanes */

	for (bool any = false; mask; mask &= mask - 1) {
		const u32 handle = handles[__builtin_ctz(mask)];
		if (any && handle == known)
			continue;
		const struct allocation *a = surface_of(w, handle);
		struct unwritten_memory *x = a ? unwritten_memory_of(u, a, false) : NULL;
		if (x)
			written_mark(&x->written, 0, a->size);
		known = handle;
		any = true;
	}
}
