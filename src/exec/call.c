/* SPDX-License-Identifier: Apache-2.0
 *
 * How lanes enter and leave a function: calls, with the transfer of parameters and results between the caller's frame and
 * the callee's; returns; and the end of a thread. A call opens a join that stands behind it, so lanes that return by
 * different ways meet there (exec/diverge.c).
 */
#include <string.h>

#include "exec/internal.h"

/* --- Parameters and results ----------------------------------------------------------------- */

/* Where one side of a transfer keeps its value: an offset in rows of registers, or in a lane's local memory. */
struct side {
	u8 *rows;
	u64 local_base;
	u32 offset;
	u32 bits; /* of a register's lane */
	bool in_register;
};

static void move_predicate(u8 *to, const u8 *from, u32 mask)
{
	u32 *bits = (u32 *)(void *)to;

	*bits = (*bits & ~mask) | (*(const u32 *)(const void *)from & mask);
}

/* A word, or less, of a lane's value, `at` bytes into it. */
static u8 *side_word(struct warp *w, const struct side *s, u32 lane, u32 at)
{
	return s->in_register ? s->rows + s->offset + (size_t)lane * (s->bits / 8) + at
			      : local_word(w, s->local_base + s->offset + at, lane);
}

static void transfer(struct warp *w, u32 mask, const struct call_transfer *t, const struct side *from,
		     const struct side *to)
{
	u32 count = t->bytes;

	if (t->predicate) {
		move_predicate(to->rows + to->offset, from->rows + from->offset, mask);
		return;
	}
	/* A prototype may have wider registers than the function that is called through it. */
	if (from->in_register)
		count = min_u32(count, from->bits / 8);
	if (to->in_register)
		count = min_u32(count, to->bits / 8);
	for (u32 left = mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		for (u32 at = 0; at < count; at += 4) {
			u8 word[4];
			const u32 step = min_u32(4, count - at);
			if (t->from_kernel_param)
				memcpy(word, w->grid->launch->params + from->offset + at, step);
			else
				memcpy(word, side_word(w, from, l, at), step);
			memcpy(side_word(w, to, l, at), word, step);
		}
	}
}

/* A register operand's lane width, from the bytes that travel. */
static u32 lane_bits(u32 bytes) { return bytes <= 4 ? 32 : bytes <= 8 ? 64 : 128; }

/* Where the callee keeps a parameter or result that a transfer names; NULL: it has no such register. */
static const struct row_place *formal_place(const struct call_site *site, const struct code *callee, u32 register_index,
					    u32 element, bool is_result)
{
	const struct ir_function *f = callee->function;
	const size_t count = is_result ? f->return_registers.count : f->param_registers.count;

	if (!site->is_indirect)
		return &callee->registers[register_index + element];
	if (register_index >= count)
		return NULL;
	const struct ir_register *r =
		is_result ? f->return_registers.items[register_index] : f->param_registers.items[register_index];
	return r && element < r->vector ? &callee->registers[r->index + element] : NULL;
}

static void copy_in(struct warp *w, const struct call_site *site, const struct frame *caller,
		    const struct frame *callee, u32 mask)
{
	for (u32 k = 0; k < site->in_count; k++) {
		const struct call_transfer *t = &site->in[k];
		const struct row_place *p =
			t->to_register ? formal_place(site, callee->code, t->to, t->element, false) : NULL;
		if (t->to_register && !p)
			continue; /* called through a prototype that is not the function's */
		const struct side from = {caller->rows, caller->local_base, t->from, lane_bits(t->bytes),
					  t->from_register};
		const struct side to = {callee->rows, callee->local_base, p ? p->offset : t->to, p ? p->bits : 0,
					t->to_register};
		transfer(w, mask, t, &from, &to);
	}
}

static void copy_out(struct warp *w, const struct call_site *site, const struct frame *caller,
		     const struct frame *callee, u32 mask)
{
	for (u32 k = 0; k < site->out_count; k++) {
		const struct call_transfer *t = &site->out[k];
		const struct row_place *p =
			t->from_register ? formal_place(site, callee->code, t->from, t->element, true) : NULL;
		if (t->from_register && !p)
			continue;
		const struct side from = {callee->rows, callee->local_base, p ? p->offset : t->from, p ? p->bits : 0,
					  t->from_register};
		const struct side to = {caller->rows, caller->local_base, t->to, lane_bits(t->bytes), t->to_register};
		transfer(w, mask, t, &from, &to);
	}
}

/* What system functions (sem/external.c) read and give: they have no frame that values could be moved to. */
u64 call_argument(const struct warp *w, const u8 *rows, const struct call_site *site, u32 k, u32 first, u32 lane)
{
	const struct call_transfer *t = &site->in[k];
	u64 value = 0;

	for (u32 at = first; at < t->bytes && at < first + 8; at += 4) {
		const u32 step = min_u32(4, t->bytes - at);
		u8 *to = (u8 *)&value + (at - first);
		if (t->from_kernel_param)
			memcpy(to, w->grid->launch->params + t->from + at, step);
		else if (t->is_words)
			memcpy(to, rows + t->from + (size_t)at * WARP_LANES + (size_t)lane * 4, step);
		else if (t->from_register)
			memcpy(to, rows + t->from + (size_t)lane * (t->bytes <= 4 ? 4 : 8) + at, step);
		else
			memcpy(to, local_word(w, w->frame->local_base + t->from + at, lane), step);
	}
	return value;
}

void call_result(struct warp *w, u8 *rows, const struct call_site *site, u32 lane, u64 value)
{
	if (!site->out_count)
		return;
	const struct call_transfer *t = &site->out[0];
	for (u32 at = 0; at < t->bytes && at < 8; at += 4) {
		if (t->to_register)
			memcpy(rows + t->to + (size_t)lane * (t->bytes <= 4 ? 4 : 8) + at, (u8 *)&value + at, 4);
		else
			memcpy(local_word(w, w->frame->local_base + t->to + at, lane), (u8 *)&value + at, 4);
	}
}

/* --- Calls and returns ---------------------------------------------------------------------- */

const struct insn *warp_call(struct warp *w, const struct insn *i, const struct call_site *site,
			     const struct code *target, u32 mask)
{
	struct frame *caller = w->frame;

	if (caller->depth >= CALL_DEPTH_MAX)
		return warp_fault(w, i, FAULT_STACK_OVERFLOW, mask, "calls are nested more than %d deep",
				  CALL_DEPTH_MAX);
	const u64 base = (caller->local_top + target->local_align - 1) & ~(target->local_align - 1);
	u64 bytes = target->local_bytes;
	for (u32 k = 0; k < site->in_count && site->is_indirect; k++)
		bytes = max_u64(bytes, site->in[k].to_register ? 0 : (u64)site->in[k].to + site->in[k].bytes);
	for (u32 k = 0; k < site->out_count && site->is_indirect; k++)
		bytes = max_u64(bytes, site->out[k].from_register ? 0 : (u64)site->out[k].from + site->out[k].bytes);
	if (!warp_local_reserve(w, i, base + bytes))
		return NULL;
	struct frame *callee = frame_new(w, target, base);
	callee->caller = caller;
	callee->depth = caller->depth + 1;
	copy_in(w, site, caller, callee, mask);
	struct join *j = warp_new_join(w);
	j->pc = i + 1;
	j->expected = mask;
	j->parent = w->join;
	j->frame = caller;
	j->callee = callee;
	j->is_return = true;
	j->site = site;
	w->join = j;
	w->frame = callee;
	w->rows = callee->rows;
	return grid_entry(w->grid, target);
}

const struct insn *warp_return(struct warp *w)
{
	/* Joins of the function itself that are still open above its return no longer wait for these lanes:
	 * a return inside a divergent region. */
	for (struct join *j = w->join; j && !j->is_return;) {
		struct join *parent = j->parent;
		j->expected &= ~w->mask;
		warp_complete_join(w, j);
		w->join = parent;
		j = parent;
	}
	const struct join *j = w->join;
	copy_out(w, j->site, j->frame, w->frame, w->mask);
	return warp_arrive(w);
}

const struct insn *warp_exit(struct warp *w)
{
	const u32 lanes = w->mask;

	warp_forget(w, lanes);
	block_lanes_exited(w, lanes);
	return warp_next(w);
}
