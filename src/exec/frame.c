/* SPDX-License-Identifier: Apache-2.0
 *
 * Frames: rows of a function's registers, constants and fixed special registers. A frame that ends
 * goes to its worker's list for that function, where its constants stay filled in.
 */
#include <string.h>

#include "exec/internal.h"
#include "isa/sregs.h"

static void fill_row(u8 *row, u32 bits, u64 low, u64 high)
{
	switch (bits) {
	case 1:
		*(u32 *)row = low ? FULL_MASK : 0;
		break;
	case 32:
		for (u32 l = 0; l < WARP_LANES; l++)
			((u32 *)row)[l] = (u32)low;
		break;
	case 64:
		for (u32 l = 0; l < WARP_LANES; l++)
			((u64 *)row)[l] = low;
		break;
	default:
		for (u32 l = 0; l < WARP_LANES; l++) {
			((u64 *)row)[2 * l] = low;
			((u64 *)row)[2 * l + 1] = high;
		}
	}
}

static void fill_lanes(const struct warp *w, u8 *rows, const struct sreg_row *s)
{
	for (u32 l = 0; l < WARP_LANES; l++) {
		const u64 value = sreg_value(w, s->sreg, s->element, l);
		if (s->bits <= 32)
			((u32 *)(rows + s->offset))[l] = (u32)value;
		else
			((u64 *)(rows + s->offset))[l] = value;
	}
}

/* Special registers that hold from `since` on: those fixed for the warp's place in the block are filled
 * when the frame is made for that warp, those of the block for each block. */
static void fill_sregs(const struct warp *w, u8 *rows, const struct code *code, bool block_only)
{
	for (u32 k = 0; k < code->sreg_count; k++) {
		const struct sreg_row *s = &code->sregs[k];
		const enum sreg_kind kind = sreg_info(s->sreg)->kind;
		if (block_only && kind != SREG_PER_BLOCK)
			continue;
		if (kind == SREG_PER_LANE)
			fill_lanes(w, rows, s);
		else
			fill_row(rows + s->offset, s->bits, sreg_value(w, s->sreg, s->element, 0), 0);
	}
}

static void clear_undefined(const struct frame *f)
{
	for (u32 k = 0; k < f->code->undefined_count; k++) {
		const struct row_place *p = &f->code->undefined[k];
		memset(f->rows + p->offset, 0, p->bits == 1 ? 4 : p->bits * 4);
	}
}

void frame_restart(struct warp *w, struct frame *f)
{
	fill_sregs(w, f->rows, f->code, true);
	clear_undefined(f);
	f->local_top = f->local_base + f->code->local_bytes;
}

struct frame *frame_new(struct warp *w, const struct code *code, u64 local_base)
{
	struct frame *f = w->worker->frames[code->index];
	const bool fresh = !f;

	if (fresh) {
		f = ARENA_NEW(&w->worker->arena, struct frame);
		f->rows = arena_alloc(&w->worker->arena, (size_t)code->frame_bytes + 64);
		f->code = code;
	} else {
		w->worker->frames[code->index] = f->next_free;
	}
	for (u32 k = 0; k < code->constant_count; k++) {
		const struct constant_row *c = &code->constants[k];
		if (fresh || c->frame_relative)
			fill_row(f->rows + c->offset, c->bits, c->low + (c->frame_relative ? local_base : 0), c->high);
	}
	fill_sregs(w, f->rows, code, false);
	clear_undefined(f);
	f->caller = NULL;
	f->depth = 0;
	f->local_base = local_base;
	f->local_top = local_base + code->local_bytes;
	return f;
}

void frame_free(struct warp *w, struct frame *f)
{
	f->next_free = w->worker->frames[f->code->index];
	w->worker->frames[f->code->index] = f;
}
