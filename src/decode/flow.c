/* SPDX-License-Identifier: Apache-2.0
 *
 * Basic blocks and post-dominators (the algorithm of Lengauer and Tarjan on the reversed graph: iterating
 * until nothing changes takes the square of the depth of nested loops).
 *
 * Lanes that exit never come back to a meeting point and are no longer waited for, so an exit in
 * the middle of a kernel is no path: the others still meet at the branch's natural join. Only the
 * textually last exit of a kernel stands for its end. Blocks from which that cannot be reached have
 * the last exit that they do reach for their end, and so on: a kernel whose last exit is the way
 * out of a check at its beginning is no worse off.
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

/* Whether control may go on at the next instruction: a guarded branch, return or exit may. */
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

/* Successors of each block, then predecessors from those. */
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

/* Where a numbering begins. A block belongs to the first tree one of whose roots it leads to, and its ways into later trees
 * are none. */
struct root {
	u32 block, tree;
};

/* The ends, then, last first, what else has no way on, each a tree of its own. Returns how many. */
static u32 find_ends(const struct flow *g, const struct ir_function *f, const struct form *forms, u32 last_exit,
		     struct root *ends)
{
	u32 count = 0, tree = 1;

	for (u32 b = 0; b < g->block_count; b++)
		if (reaches_end(g, b, f, forms, last_exit))
			ends[count++] = (struct root){b, tree};
	for (u32 b = g->block_count; b-- > 0;)
		if (!g->blocks[b].successor_count && !reaches_end(g, b, f, forms, last_exit))
			ends[count++] = (struct root){b, ++tree};
	return count;
}

/* The graph in depth-first order, forwards or backwards: number 0 is a virtual block before the entry, or behind all ends;
 * all others are blocks that are reached from it. */
struct numbered {
	bool backwards;
	u32 count;
	u32 *block, *number; /* by number the block; by block the number, 0: it is not reached */
	u32 *tree;           /* that of the root where the walk came from */
	u32 *is_root;
	u32 *parent; /* in the depth-first tree */
	u32 *semi;   /* the semidominator as far as known */
	u32 *ancestor,
		*label;     /* of the forest of numbers that are done: NO_BLOCK at a root; the least on the way there */
	u32 *bucket, *next; /* numbers with that semidominator, a list */
	u32 *dominator;
	u32 *stack;
};

static void visit(struct numbered *r, u32 block, u32 parent, u32 tree)
{
	const u32 n = r->count++;

	r->number[block] = n;
	r->block[n] = block;
	r->parent[n] = parent;
	r->tree[n] = tree;
}

/* Where the numbering goes on from a block, or where it comes from. */
static const u32 *neighbours(const struct flow_block *b, bool predecessors, u32 *count)
{
	*count = predecessors ? b->predecessor_count : b->successor_count;
	return predecessors ? b->predecessors : b->successors;
}

/* From the roots, in order of their trees. Without recursion. */
static struct numbered number_blocks(const struct flow *g, bool backwards, const struct root *roots, u32 root_count,
				     struct arena *arena)
{
	const u32 count = g->block_count + 1;
	u32 *all = ARENA_ARRAY(arena, 12ull * count, u32), *cursor = ARENA_ARRAY(arena, count, u32);
	struct numbered r = {.backwards = backwards, .count = 1};
	u32 **const arrays[] = {&r.block,    &r.number, &r.tree,   &r.is_root, &r.parent,    &r.semi,
				&r.ancestor, &r.label,  &r.bucket, &r.next,    &r.dominator, &r.stack};

	for (size_t k = 0; k < COUNT_OF(arrays); k++)
		*arrays[k] = all + k * count;
	for (u32 k = 0; k < root_count; k++) {
		u32 top = 0;
		if (r.number[roots[k].block])
			continue;
		visit(&r, roots[k].block, 0, roots[k].tree);
		r.stack[top++] = roots[k].block;
		while (top) {
			const u32 b = r.stack[top - 1];
			u32 ways;
			const u32 *to = neighbours(&g->blocks[b], backwards, &ways);
			if (cursor[b] == ways) {
				top--;
				continue;
			}
			const u32 next = to[cursor[b]++];
			if (!r.number[next]) {
				visit(&r, next, r.number[b], roots[k].tree);
				r.stack[top++] = next;
			}
		}
	}
	for (u32 k = 0; k < root_count; k++)
		r.is_root[r.number[roots[k].block]] = true;
	return r;
}

/* The number with the least semidominator between v and its root, which is left out; shortens the way. */
static u32 least_above(struct numbered *r, u32 v)
{
	u32 top = 0;

	if (r->ancestor[v] == NO_BLOCK)
		return v;
	for (u32 u = v; r->ancestor[r->ancestor[u]] != NO_BLOCK; u = r->ancestor[u])
		r->stack[top++] = u;
	while (top) {
		const u32 u = r->stack[--top], above = r->ancestor[u];
		if (r->semi[r->label[above]] < r->semi[r->label[u]])
			r->label[u] = r->label[above];
		r->ancestor[u] = r->ancestor[above];
	}
	return r->label[v];
}

/* Semidominators from the last number to the first, then dominators; Lengauer and Tarjan's names are kept. */
static void find_dominators(struct numbered *r, const struct flow *g)
{
	for (u32 w = 0; w < r->count; w++) {
		r->semi[w] = r->label[w] = w;
		r->ancestor[w] = r->bucket[w] = NO_BLOCK;
	}
	for (u32 w = r->count; w-- > 1;) {
		const u32 parent = r->parent[w];
		u32 ways;
		const u32 *from = neighbours(&g->blocks[r->block[w]], !r->backwards, &ways);
		if (r->is_root[w])
			r->semi[w] = 0;
		for (u32 s = 0; s < ways; s++)
			if (r->number[from[s]] && r->tree[r->number[from[s]]] == r->tree[w])
				r->semi[w] = min_u32(r->semi[w], r->semi[least_above(r, r->number[from[s]])]);
		r->next[w] = r->bucket[r->semi[w]];
		r->bucket[r->semi[w]] = w;
		r->ancestor[w] = parent;
		for (u32 v = r->bucket[parent]; v != NO_BLOCK; v = r->next[v]) {
			const u32 u = least_above(r, v);
			r->dominator[v] = r->semi[u] < r->semi[v] ? u : parent;
		}
		r->bucket[parent] = NO_BLOCK;
	}
	for (u32 w = 1; w < r->count; w++)
		if (r->dominator[w] != r->semi[w])
			r->dominator[w] = r->dominator[r->dominator[w]];
}

static void post_dominators(struct flow *g, const struct ir_function *f, const struct form *forms, struct arena *arena)
{
	const u32 count = g->block_count;
	struct root *ends = ARENA_ARRAY(arena, count + 1, struct root);
	u32 last_exit = 0;

	for (u32 k = 0; k < f->body.count; k++)
		if (forms[k].row && forms[k].row->flags & (ISA_RET | ISA_EXIT) && !f->body.items[k].guard)
			last_exit = k;
	const u32 end_count = find_ends(g, f, forms, last_exit, ends);
	struct numbered r = number_blocks(g, true, ends, end_count, arena);
	find_dominators(&r, g);
	for (u32 b = 0; b < count; b++)
		g->blocks[b].post_dominator =
			r.number[b] && r.dominator[r.number[b]] ? r.block[r.dominator[r.number[b]]] : NO_BLOCK;
	for (u32 b = 0; b < count; b++)
		if (g->blocks[b].conditional && g->blocks[b].post_dominator != NO_BLOCK)
			g->blocks[g->blocks[b].post_dominator].reconverges = true;
}

/* A block's place in the tree of dominators: numbers in the order in which a walk over the tree meets them, so that what a block
 * dominates follows it at once. */
struct dominators flow_dominators(const struct flow *g, struct arena *arena)
{
	const struct root entry = {0, 1};
	struct dominators d = {ARENA_ARRAY(arena, g->block_count + 1, u32),
			       ARENA_ARRAY(arena, g->block_count + 1, u32)};

	struct numbered r = number_blocks(g, false, &entry, g->block_count ? 1 : 0, arena); /* a body may be empty */
	find_dominators(&r, g);
	u32 *size = ARENA_ARRAY(arena, r.count, u32), *place = ARENA_ARRAY(arena, r.count, u32),
	    *taken = ARENA_ARRAY(arena, r.count, u32);
	for (u32 w = r.count; w-- > 0;) {
		size[w]++;
		if (w)
			size[r.dominator[w]] += size[w];
	}
	for (u32 w = 1; w < r.count; w++) {
		const u32 above = r.dominator[w];
		place[w] = place[above] + 1 + taken[above];
		taken[above] += size[w];
		d.first[r.block[w]] = place[w];
		d.end[r.block[w]] = place[w] + size[w];
	}
	return d;
}

/* Blocks in the order of the text; block_of by instruction. Lives in the arena. */
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
