/* SPDX-License-Identifier: Apache-2.0
 *
 * Frames: rows of a function's registers, constants and fixed special registers. A frame that ends
 * goes to its worker's list for that function, where its constants stay filled in.
 */
#include <string.h>

#include "exec/internal.h"

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

static void fill_sreg(const struct warp *w, u8 *rows, const struct sreg_row *s)
{
	if (s->bits == 1) {
		u32 mask = 0;
		for (u32 l = 0; l < WARP_LANES; l++)
			mask |= (u32)(sreg_value(w, s->sreg, s->element, l) != 0) << l;
		*(u32 *)(rows + s->offset) = mask;
		return;
	}
	for (u32 l = 0; l < WARP_LANES; l++) {
		const u64 value = sreg_value(w, s->sreg, s->element, l);
		if (s->bits == 32)
			((u32 *)(rows + s->offset))[l] = (u32)value;
		else
			((u64 *)(rows + s->offset))[l] = value;
	}
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
		memset(f->rows, 0, code->register_bytes);
	}
	for (u32 k = 0; k < code->constant_count; k++) {
		const struct constant_row *c = &code->constants[k];
		if (fresh || c->frame_relative)
			fill_row(f->rows + c->offset, c->bits, c->low + (c->frame_relative ? local_base : 0), c->high);
	}
	for (u32 k = 0; k < code->sreg_count; k++)
		fill_sreg(w, f->rows, &code->sregs[k]);
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
