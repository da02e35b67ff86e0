/* SPDX-License-Identifier: Apache-2.0
 *
 * The reconvergence stack of listings. Lanes that leave for an entry (.S, BRK, CONT, RET) stop
 * running; the entry holds them since it was pushed. When no lane runs any more the topmost entry
 * that still holds a live lane is taken off, and its lanes go on at its place.
 */
#include "exec/internal.h"

/* Deeper than any compiled code; endless recursion ends here. */
enum { STACK_MOST = 4096 };

const char *stack_kind_name(enum stack_kind kind)
{
	static const enum opcode pushes[] = {OP_SSY, OP_PBK, OP_PCNT, OP_PRET};

	return (u32)kind < COUNT_OF(pushes) ? opcode_text(pushes[kind]) : "branch";
}

bool stack_push(struct warp *w, const struct insn *i, enum stack_kind kind, u32 lanes, const struct insn *pc)
{
	if (w->stack_depth >= STACK_MOST)
		return warp_fault(w, i, FAULT_STACK_OVERFLOW, lanes,
				  "%d entries are on the reconvergence stack: the last is of kind %s", STACK_MOST,
				  stack_kind_name(w->stack[w->stack_depth - 1].kind)) != NULL;
	if (w->stack_depth == w->stack_room)
		w->stack = arena_grow(&w->worker->arena, w->stack, w->stack_depth, &w->stack_room, sizeof *w->stack);
	w->stack[w->stack_depth++] = (struct stack_entry){kind, lanes, pc};
	return true;
}

bool stack_has(const struct warp *w, enum stack_kind kind)
{
	for (size_t k = w->stack_depth; k > 0; k--)
		if (w->stack[k - 1].kind == kind && w->stack[k - 1].mask & w->mask)
			return true;
	return false;
}

/* No lane runs: the topmost entry's go on. */
static const struct insn *pop(struct warp *w)
{
	while (w->stack_depth) {
		const struct stack_entry *e = &w->stack[--w->stack_depth];
		const u32 lanes = e->mask & w->live;
		if (!lanes)
			continue;
		w->mask = lanes;
		return e->pc;
	}
	return warp_next(w);
}

/* The nearest entry of the kind that holds one of the lanes, or 0; entries count from 1. */
static size_t nearest(const struct warp *w, enum stack_kind kind, u32 lanes)
{
	for (size_t k = w->stack_depth; k > 0; k--)
		if (w->stack[k - 1].kind == kind && w->stack[k - 1].mask & lanes)
			return k;
	return 0;
}

const struct insn *stack_leave(struct warp *w, const struct insn *i, enum stack_kind kind, u32 lanes,
			       const struct insn *next)
{
	const size_t to = nearest(w, kind, lanes);

	if (!lanes)
		return next;
	if (!to || lanes & ~w->stack[to - 1].mask)
		return warp_fault(w, i, FAULT_STACK, to ? lanes & ~w->stack[to - 1].mask : lanes,
				  "no entry of %s is on the stack for lanes 0x%08x", stack_kind_name(kind),
				  to ? lanes & ~w->stack[to - 1].mask : lanes);
	for (size_t k = to; k < w->stack_depth; k++) {
		struct stack_entry *e = &w->stack[k];
		/* A join takes lanes out of branches only: other entries were left behind by mistake. */
		if (kind == STACK_JOIN && e->kind != STACK_DIVERGED && e->mask & lanes)
			return warp_fault(w, i, FAULT_STACK, lanes, ".S finds an entry of %s above that of SSY",
					  stack_kind_name(e->kind));
		e->mask &= ~lanes;
	}
	w->mask &= ~lanes;
	if (w->mask)
		return next;
	/* An entry may lead back: such a loop has no other branch that would end the turn. */
	const struct insn *at = pop(w);
	return at && at <= i && w->budget <= 0 ? warp_yield(w, at) : at;
}

const struct insn *stack_exit(struct warp *w, const struct insn *i, u32 lanes, const struct insn *next)
{
	if (!lanes)
		return next;
	if (!locks_none_held(w, i, lanes))
		return NULL;
	w->live &= ~lanes;
	w->mask &= ~lanes;
	block_lanes_exited(w, lanes);
	return w->mask ? next : pop(w);
}
