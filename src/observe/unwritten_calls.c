/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls, for the check of unwritten values.
 */
#include "observe/unwritten_calls.h"

#include <string.h>

#include "exec/run.h"
#include "isa/form.h"
#include "observe/defined.h"
#include "observe/sites.h"

/* The call that the warp's frame is of; NULL: it is the kernel's. */
static const struct join *call_of(const struct warp *w)
{
	const struct join *j = w->join;

	while (j && !(j->is_return && j->callee == w->frame))
		j = j->parent;
	return j;
}

static u32 bits_of(u32 bytes) { return bytes <= 4 ? 32 : bytes <= 8 ? 64 : 128; }

/* A value of `bytes` arrives in local memory from a row of registers. */
static void put_register(const struct unwritten_local *to, u64 at, const struct frame *from, u32 row, u32 bytes,
			 u32 lane)
{
	const struct defined_operand o = {row, (u8)bits_of(bytes), DEFINED_SOURCE};
	const u64 bits = from->undefined ? defined_get(from, &o, lane) : 0;
	u8 mask[WRITTEN_MOST];

	if (bytes > WRITTEN_MOST || !bits) {
		written_mark(to->written, at, bytes);
		return;
	}
	for (u32 k = 0; k < bytes; k++)
		mask[k] = (u8)(bits >> 8 * (k & 7));
	written_put(to->written, to->arena, at, bytes, mask, *defined_origin(from, row));
}

/* From one side's local memory, or registers, to the other's local memory. */
static void move(const struct unwritten_local *to, const struct call_transfer *t, const struct frame *from,
		 const struct frame *at, u32 lanes)
{
	if (t->to_register || at->local_base + t->to + t->bytes > to->stride)
		return;
	for (u32 left = lanes; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		const u64 first = l * to->stride, target = first + at->local_base + t->to;
		if (t->from_kernel_param || t->predicate)
			written_mark(to->written, target, t->bytes);
		else if (t->from_register)
			put_register(to, target, from, t->from, t->bytes, l);
		else if (from->local_base + t->from + t->bytes <= to->stride)
			written_copy(to->written, to->arena, target, to->written, first + from->local_base + t->from,
				     t->bytes, NO_SITE);
	}
}

void unwritten_enter(const struct unwritten_local *to, const struct warp *w)
{
	const struct join *j = call_of(w);
	const struct frame *f = w->frame;

	if (!j || f->local_base + f->code->local_bytes > to->stride)
		return;
	for (u32 left = j->expected; left; left &= left - 1)
		written_forget(to->written, (u32)__builtin_ctz(left) * to->stride + f->local_base,
			       f->code->local_bytes);
	for (u32 k = 0; k < j->site->in_count; k++)
		move(to, &j->site->in[k], j->frame, f, j->expected);
}

void unwritten_leave(const struct unwritten_local *to, const struct warp *w, u32 lanes)
{
	const struct join *j = call_of(w);

	/* A register of the callee's is named by its number, not by its row. */
	for (u32 k = 0; j && k < j->site->out_count; k++) {
		struct call_transfer t = j->site->out[k];
		t.from_kernel_param |= t.from_register;
		move(to, &t, w->frame, j->frame, lanes);
	}
}

void unwritten_system(const struct unwritten_local *to, const struct warp *w, const struct insn *i, u32 lanes)
{
	static const char device_runtime[] = "cuda"; /* whose functions give results through pointers */
	const struct call_site *site = &w->frame->code->calls[i->c];

	for (u32 k = 0; k < site->out_count; k++) {
		struct call_transfer t = site->out[k];
		t.from_kernel_param = true;
		move(to, &t, w->frame, w->frame, lanes);
	}
	if (!strstr(site->external, device_runtime))
		return;
	for (u32 left = lanes; left; left &= left - 1)
		written_mark(to->written, (u32)__builtin_ctz(left) * to->stride, to->stride);
}

static const struct form *form_at(const struct code *code, u32 insn)
{
	const u32 origin = code->origin[insn];

	return origin != NO_OPERAND && code->forms[origin].row ? &code->forms[origin] : NULL;
}

/* The guard before one counts, too, and the return that ends each function: what lanes take along early, or twice, is
 * the same. */
bool unwritten_is_return(const struct code *code, u32 insn)
{
	const struct form *f = form_at(code, insn);

	return f && f->row->flags & ISA_RET && !code->function->is_entry && code->function->returns.count;
}

bool unwritten_is_system_call(const struct code *code, u32 insn)
{
	const struct form *f = form_at(code, insn);

	return f && f->row->flags & ISA_CALL && sites_is_own(code, insn) && code->insns[insn].c < code->call_count &&
	       code->calls[code->insns[insn].c].external;
}
