/* SPDX-License-Identifier: Apache-2.0
 *
 * Basic blocks and post-dominators (the iterative algorithm of Cooper, Harvey and Kennedy on the
 * reversed graph).
 *
 * Lanes that exit never come back to a meeting point and are no longer waited for, so an exit in
 * the middle of a kernel is no path: the others still meet at the branch's natural join. Only the
 * textually last exit of a kernel stands for its end.
 */
#include "decode/flow.h"

#include <string.h>

/* A listing's branch names the address of an instruction. */
static u32 address_target(const struct ir_function *f, const struct ir_operand *o,
			  const struct ir_label *const **labels, struct arena *arena)
{
	struct ir_label *label = ARENA_NEW(arena, struct ir_label);
	const struct ir_label **one = ARENA_ARRAY(arena, 1, const struct ir_label *);

	label->defined = true;
	one[0] = label;
	*labels = one;
	return o->kind == OPERAND_INTEGER && ir_find_address(f, o->value, &label->target);
}

u32 flow_targets(const struct ir_function *f, const struct ir_instruction *x, const struct form *form,
		 const struct ir_label *const **labels, struct arena *arena)
{
	const u32 flags = form->row ? form->row->flags : 0;

	if (!(flags & ISA_BRANCH) || !x->operand_count)
		return 0;
	const struct ir_symbol *s = x->operands[x->operand_count - 1].symbol;
	if (!s)
		return f->listing ? address_target(f, &x->operands[x->operand_count - 1], labels, arena) : 0;
	if (s->kind == SYM_LABEL) {
		const struct ir_label **one = ARENA_ARRAY(arena, 1, const struct ir_label *);
		one[0] = s->label;
		*labels = one;
		return 1;
	}
	if (s->kind != SYM_TARGETS)
		return 0;
	const struct ir_label **many = ARENA_ARRAY(arena, s->targets->list.count + 1, const struct ir_label *);
	u32 count = 0;
	for (size_t k = 0; k < s->targets->list.count; k++)
		if (s->targets->list.items[k] && s->targets->list.items[k]->kind == SYM_LABEL)
			many[count++] = s->targets->list.items[k]->label;
	*labels = many;
	return count;
}

static bool falls_through(const struct ir_instruction *x, u32 flags)
{
	if (x->guard)
		return true;
	return !(flags & (ISA_BRANCH | ISA_RET | ISA_EXIT));
}

/* Marks each first instruction of a block. */
static void find_leaders(const struct ir_function *f, const struct form *forms, bool *leader, struct arena *arena)
{
	const u32 count = (u32)f->body.count;

	leader[0] = true;
	for (size_t k = 0; k < f->labels.count; k++)
		leader[f->labels.items[k]->target] = true;
	for (u32 k = 0; k < count; k++) {
		const struct ir_label *const *labels;
		const u32 flags = forms[k].row ? forms[k].row->flags : 0;
		const u32 targets = flow_targets(f, &f->body.items[k], &forms[k], &labels, arena);
		for (u32 t = 0; t < targets; t++)
			leader[labels[t]->target] = true;
		if (flags & (ISA_BRANCH | ISA_RET | ISA_EXIT))
			leader[k + 1] = true;
	}
}

static void connect(struct flow *g, const struct ir_function *f, const struct form *forms, struct arena *arena)
{
	for (u32 b = 0; b < g->block_count; b++) {
		struct flow_block *block = &g->blocks[b];
		const struct ir_instruction *last = &f->body.items[block->end - 1];
		const struct form *form = &forms[block->end - 1];
		const struct ir_label *const *labels;
		const u32 targets = flow_targets(f, last, form, &labels, arena);

		block->successors = ARENA_ARRAY(arena, targets + 1, u32);
		for (u32 t = 0; t < targets; t++)
			if (g->block_of[labels[t]->target] != NO_BLOCK)
				block->successors[block->successor_count++] = g->block_of[labels[t]->target];
		if (falls_through(last, form->row ? form->row->flags : 0) && b + 1 < g->block_count)
			block->successors[block->successor_count++] = b + 1;
		block->conditional = targets > 1 || (targets && last->guard);
	}
	for (u32 b = 0; b < g->block_count; b++)
		for (u32 s = 0; s < g->blocks[b].successor_count; s++)
			g->blocks[g->blocks[b].successors[s]].predecessor_count++;
	for (u32 b = 0; b < g->block_count; b++) {
		g->blocks[b].predecessors = ARENA_ARRAY(arena, g->blocks[b].predecessor_count + 1, u32);
		g->blocks[b].predecessor_count = 0;
	}
	for (u32 b = 0; b < g->block_count; b++)
		for (u32 s = 0; s < g->blocks[b].successor_count; s++) {
			struct flow_block *to = &g->blocks[g->blocks[b].successors[s]];
			to->predecessors[to->predecessor_count++] = b;
		}
}

/* Does leaving at the end of block b count as reaching the function's end? */
static bool reaches_end(const struct flow *g, u32 b, const struct ir_function *f, const struct form *forms,
			u32 last_exit)
{
	const u32 k = g->blocks[b].end - 1;
	const u32 flags = forms[k].row ? forms[k].row->flags : 0;

	if (!g->blocks[b].successor_count && !(flags & (ISA_RET | ISA_EXIT)))
		return true; /* runs off the end */
	if (f->is_entry)
		return k == last_exit;
	return flags & ISA_RET;
}

/* Post-order of the reversed graph from the virtual exit, without recursion: `order` lists the blocks
 * that reach the end, `number` is a block's place in it. Returns how many there are. */
static u32 post_order(const struct flow *g, const bool *at_end, u32 *order, u32 *number, struct arena *arena)
{
	const u32 count = g->block_count;
	u32 *stack = ARENA_ARRAY(arena, count + 1, u32), *cursor = ARENA_ARRAY(arena, count + 1, u32);
	bool *seen = ARENA_ARRAY(arena, count + 1, bool);
	u32 done = 0, top = 0;

	for (u32 root = 0; root < count; root++) {
		if (!at_end[root] || seen[root])
			continue;
		seen[root] = true;
		stack[top++] = root;
		while (top) {
			const u32 b = stack[top - 1];
			if (cursor[b] == g->blocks[b].predecessor_count) {
				number[b] = done;
				order[done++] = b;
				top--;
				continue;
			}
			const u32 p = g->blocks[b].predecessors[cursor[b]++];
			if (!seen[p]) {
				seen[p] = true;
				stack[top++] = p;
			}
		}
	}
	return done;
}

static void post_dominators(struct flow *g, const struct ir_function *f, const struct form *forms, struct arena *arena)
{
	const u32 count = g->block_count, end = count; /* `end` is the virtual exit */
	u32 *order = ARENA_ARRAY(arena, count + 1, u32), *number = ARENA_ARRAY(arena, count + 1, u32);
	u32 *idom = ARENA_ARRAY(arena, count + 1, u32);
	bool *at_end = ARENA_ARRAY(arena, count + 1, bool);
	u32 last_exit = 0;

	for (u32 k = 0; k < f->body.count; k++)
		if (forms[k].row && forms[k].row->flags & (ISA_RET | ISA_EXIT) && !f->body.items[k].guard)
			last_exit = k;
	for (u32 b = 0; b < count; b++)
		at_end[b] = reaches_end(g, b, f, forms, last_exit);
	const u32 done = post_order(g, at_end, order, number, arena);
	number[end] = done;
	for (u32 b = 0; b <= count; b++)
		idom[b] = NO_BLOCK;
	idom[end] = end;
	for (bool changed = true; changed;) {
		changed = false;
		for (u32 k = done; k-- > 0;) {
			const u32 b = order[k];
			u32 best = at_end[b] ? end : NO_BLOCK;
			for (u32 s = 0; s < g->blocks[b].successor_count; s++) {
				u32 x = g->blocks[b].successors[s];
				if (idom[x] == NO_BLOCK)
					continue;
				u32 y = best == NO_BLOCK ? x : best;
				while (x != y) {
					while (number[x] < number[y])
						x = idom[x];
					while (number[y] < number[x])
						y = idom[y];
				}
				best = x;
			}
			if (idom[b] != best) {
				idom[b] = best;
				changed = true;
			}
		}
	}
	for (u32 b = 0; b < count; b++)
		g->blocks[b].post_dominator = idom[b] == end ? NO_BLOCK : idom[b];
	for (u32 b = 0; b < count; b++)
		if (g->blocks[b].conditional && g->blocks[b].post_dominator != NO_BLOCK)
			g->blocks[g->blocks[b].post_dominator].reconverges = true;
}

struct flow *flow_build(struct arena *arena, const struct ir_function *f, const struct form *forms)
{
	struct flow *g = ARENA_NEW(arena, struct flow);
	const u32 count = (u32)f->body.count;
	bool *leader = ARENA_ARRAY(arena, count + 1, bool);

	g->block_of = ARENA_ARRAY(arena, count + 1, u32);
	g->block_of[count] = NO_BLOCK;
	if (!count)
		return g;
	find_leaders(f, forms, leader, arena);
	for (u32 k = 0; k < count; k++)
		g->block_count += leader[k];
	g->blocks = ARENA_ARRAY(arena, g->block_count, struct flow_block);
	for (u32 k = 0, b = 0; k < count; k++) {
		if (leader[k])
			g->blocks[b++].first = k;
		g->block_of[k] = b - 1;
		g->blocks[b - 1].end = k + 1;
	}
	connect(g, f, forms, arena);
	post_dominators(g, f, forms, arena);
	return g;
}
