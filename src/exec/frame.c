/* SPDX-License-Identifier: Apache-2.0
 *
 * Frames: rows of a function's registers, constants and fixed special registers. A frame that ends
 * goes to its worker's list for that function, where its constants stay filled in.
 */
#include <string.h>

#include "exec/internal.h"
#include "isa/sregs.h"

typedef u32 words32 __attribute__((vector_size(4 * WARP_LANES), aligned(64), may_alias));

static inline void fill_row(u8 *row, u32 bits, u64 low, u64 high)
{
	switch (bits) {
	case 1:
		*(u32 *)row = low ? FULL_MASK : 0;
		break;
	case 32:
		*(words32 *)(void *)row = (u32)low - (words32){0};
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
	if (s->sreg == SREG_tid && s->bits == 32 && s->element < 4) {
		tid_row(w, s->element, (u32 *)(void *)(rows + s->offset));
		return;
	}
	for (u32 l = 0; l < WARP_LANES; l++) {
		const u64 value = sreg_value(w, s->sreg, s->element, l);
		if (s->bits <= 32)
			((u32 *)(rows + s->offset))[l] = (u32)value;
		else
			((u64 *)(rows + s->offset))[l] = value;
	}
}

static void fill_constants(const struct frame *f, u64 local_base, bool all)
{
	for (u32 k = 0; k < f->code->constant_count; k++) {
		const struct constant_row *c = &f->code->constants[k];
		if (all || c->frame_relative)
			fill_row(f->rows + c->offset, c->bits, c->low + (c->frame_relative ? local_base : 0), c->high);
	}
}

/* Special registers that do not change while the frame runs. Those of the warp's place in its block hold
 * for later blocks too. */
static void fill_sregs(const struct warp *w, u8 *rows, const struct code *code)
{
	for (u32 k = 0; k < code->sreg_count; k++) {
		const struct sreg_row *s = &code->sregs[k];
		if (sreg_info(s->sreg)->kind == SREG_PER_LANE)
			fill_lanes(w, rows, s);
		else
			fill_row(rows + s->offset, s->bits, sreg_value(w, s->sreg, s->element, 0), 0);
	}
}

/* Words of constant banks, which hold for the launch. */
static void fill_banks(const struct warp *w, const struct frame *f)
{
	for (u32 k = 0; k < f->code->bank_count; k++) {
		const struct bank_row *r = &f->code->banks[k];
		u32 value = 0;
		bank_word(w->grid, f->code, r->bank, r->at, &value);
		fill_row(f->rows + r->offset, 32, value, 0);
	}
}

static u32 row_end(const struct row_place *p) { return p->offset + (p->bits == 1 ? 4 : p->bits * 4u); }

/* Neighbours at once: a large kernel has dozens, for each warp of each block. */
static void clear_undefined(const struct frame *f)
{
	const struct row_place *p = f->code->undefined, *end = p + f->code->undefined_count;

	while (p < end) {
		const u32 from = p->offset;
		u32 to = row_end(p);
		for (p++; p < end && p->offset == to; p++)
			to = row_end(p);
		memset(f->rows + from, 0, to - from);
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
	}
	fill_constants(f, local_base, fresh);
	fill_sregs(w, f->rows, code);
	if (fresh)
		fill_banks(w, f);
	clear_undefined(f);
	f->caller = NULL;
	f->is_new = true;
	f->depth = 0;
	f->local_base = local_base;
	f->local_top = local_base + code->local_bytes;
	return f;
}

/* An odd number of cache lines apart, so that the same row of several warps falls into different sets. */
static size_t frame_stride(const struct code *code) { return (((size_t)code->frame_bytes + 63) / 64 | 1) * 64; }

static void make_block_frames(struct block *b, const struct code *code)
{
	struct arena *arena = &b->worker->arena;
	const size_t stride = frame_stride(code);
	u8 *rows = arena_array(arena, b->warp_count, stride);
	struct frame *frames = ARENA_ARRAY(arena, b->warp_count, struct frame);

	for (u32 n = 0; n < b->warp_count; n++) {
		frames[n] = (struct frame){.rows = rows + n * stride, .code = code};
		fill_constants(&frames[n], 0, true);
		fill_banks(&b->warps[n], &frames[n]);
		fill_sregs(&b->warps[n], frames[n].rows, code);
		b->warps[n].entry_frame = &frames[n];
	}
}

/* The first lane's value. */
static u64 value_of_row(const u8 *row, u32 bits) { return bits == 64 ? *(const u64 *)row : *(const u32 *)row; }

/* A row of words in all of a block's frames. Native code reads rows by the host's vectors: what was written by parts of these
 * would keep it waiting. */
#define FILL_WORDS(NAME, ATTRIBUTES)                                               \
	ATTRIBUTES static void NAME(u8 *row, size_t stride, u32 frames, u32 value) \
	{                                                                          \
		const words32 words = value - (words32){0};                        \
		for (; frames; frames--, row += stride)                            \
			*(words32 *)(void *)row = words;                           \
	}
FILL_WORDS(fill_words, )

#if defined __x86_64__ && !defined __AVX2__
FILL_WORDS(fill_words_avx2, __attribute__((target("avx2"))))
FILL_WORDS(fill_words_avx512, __attribute__((target("avx512f"))))
#define fill_words(...)                                                     \
	(__builtin_cpu_supports("avx512f") ? fill_words_avx512(__VA_ARGS__) \
	 : __builtin_cpu_supports("avx2")  ? fill_words_avx2(__VA_ARGS__)   \
					   : fill_words(__VA_ARGS__))
#endif

/* The one that changes with every block is at hand. */
static u64 value_for_block(const struct block *b, const struct sreg_row *s)
{
	return s->sreg == SREG_ctaid && s->element < 3 ? b->ctaid[s->element]
						       : sreg_value(&b->warps[0], s->sreg, s->element, 0);
}

static void fill_block_row(const struct block *b, u32 offset, u32 bits, u64 value, size_t stride)
{
	u8 *row = b->warps[0].entry_frame->rows + offset;

	if (bits == 32) {
		fill_words(row, stride, b->warp_count, (u32)value);
		return;
	}
	for (u32 n = 0; n < b->warp_count; n++, row += stride)
		fill_row(row, bits, value, 0);
}

/* Of a row of blocks most are as they were in the block before: all but one of %ctaid. */
static void refill_block_sregs(struct block *b, const struct code *code)
{
	u8 *const first = b->warps[0].entry_frame->rows;
	const size_t stride = frame_stride(code);

	for (u32 k = 0; k < code->sreg_count; k++) {
		const struct sreg_row *s = &code->sregs[k];
		if (!sreg_is_of_block(s->sreg))
			continue;
		const u64 value = value_for_block(b, s);
		if (s->bits != 1 && value_of_row(first + s->offset, s->bits) == value)
			continue;
		fill_block_row(b, s->offset, s->bits, value, stride);
	}
}

void frames_place_block(const struct block *b, const struct code *code)
{
	for (u32 k = 0; k < code->sreg_count; k++) {
		const struct sreg_row *s = &code->sregs[k];
		if (s->sreg == SREG_ctaid)
			fill_block_row(b, s->offset, s->bits, value_for_block(b, s), frame_stride(code));
	}
}

bool frames_of_block(struct block *b, const struct code *code)
{
	const bool made = !b->warps[0].entry_frame;

	if (made)
		make_block_frames(b, code);
	else
		refill_block_sregs(b, code);
	for (u32 n = 0; n < b->warp_count && code->undefined_count; n++)
		clear_undefined(b->warps[n].entry_frame);
	return made;
}

void frame_free(struct warp *w, struct frame *f)
{
	f->next_free = w->worker->frames[f->code->index];
	w->worker->frames[f->code->index] = f;
}
