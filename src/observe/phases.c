/* SPDX-License-Identifier: Apache-2.0
 *
 * From each barrier, and from the beginning, the text is followed up to the barriers that can come next.
 */
#include "observe/phases.h"

#include <string.h>

struct walk {
	const struct code *code;
	const struct flow *flow;
	const bool *separates;
	struct phases *found;
	u32 starts[PHASE_BARRIERS_MOST + 1]; /* the function's beginning, and behind each barrier: instructions */
	u64 next[PHASE_BARRIERS_MOST + 1];   /* the barriers that come next after that one */
	u32 class[PHASE_BARRIERS_MOST + 1];
	u64 *reached; /* by instruction: the starts that lead to it */
	u32 count;
};

/* The number of the start behind that barrier. */
static u32 start_at(const struct walk *v, u32 insn)
{
	u32 k = 1;

	while (v->starts[k] != insn + 1)
		k++;
	return k;
}

/* Follows the text from a start up to the next barriers. */
static void follow(struct walk *v, u32 start, u32 *stack, bool *queued)
{
	u32 depth = 0;

	memset(queued, 0, v->flow->block_count);
	if (v->starts[start] >= v->code->function->body.count)
		return;
	stack[depth++] = v->starts[start];
	while (depth) {
		u32 at = stack[--depth];
		const struct flow_block *b = &v->flow->blocks[v->flow->block_of[at]];
		while (at < b->end && !v->separates[at])
			v->reached[at++] |= 1ull << start;
		if (at < b->end) {
			v->next[start] |= 1ull << start_at(v, at);
			continue;
		}
		for (u32 k = 0; k < b->successor_count; k++)
			if (!queued[b->successors[k]]) {
				queued[b->successors[k]] = true;
				stack[depth++] = v->flow->blocks[b->successors[k]].first;
			}
	}
}

/* The barriers that come next after one of a class become one class. False: they were. */
static bool join_next(struct walk *v, u32 class)
{
	u64 next = 0;
	u32 least = PHASE_BARRIERS_MOST + 1;
	bool changed = false;

	for (u32 k = 0; k < v->count; k++)
		next |= v->class[k] == class ? v->next[k] : 0;
	for (u64 left = next; left; left &= left - 1)
		least = min_u32(least, v->class[__builtin_ctzll(left)]);
	for (u64 left = next; left; left &= left - 1) {
		const u32 old = v->class[__builtin_ctzll(left)];
		for (u32 k = 0; k < v->count && old != least; k++)
			if (v->class[k] == old) {
				v->class[k] = least;
				changed = true;
			}
	}
	return changed;
}

/* False: more barriers than bits. */
static bool find_starts(struct walk *v)
{
	v->count = 1;
	for (u32 k = 0; k < v->code->function->body.count; k++)
		if (v->separates[k]) {
			if (v->count > PHASE_BARRIERS_MOST)
				return false;
			v->starts[v->count++] = k + 1;
		}
	return true;
}

static void keep(struct walk *v, struct phases *p)
{
	u32 members[PHASE_BARRIERS_MOST + 1] = {0};

	for (u32 k = 0; k < v->count; k++)
		members[v->class[k]]++;
	p->count = v->count - 1;
	for (u32 k = 1; k < v->count; k++) {
		p->barriers[k - 1] = v->starts[k] - 1;
		p->alone[k - 1] = members[v->class[k]] == 1;
	}
	for (u32 k = 0; k < v->code->function->body.count; k++)
		for (u64 left = v->reached[k]; left; left &= left - 1)
			p->after[k] |= 1ull << v->class[__builtin_ctzll(left)];
}

struct phases *phases_find(struct arena *arena, const struct code *code, const struct flow *flow, const bool *separates)
{
	struct arena *scratch = arena_child(arena);
	struct phases *p = NULL;
	u32 *stack = ARENA_ARRAY(scratch, flow->block_count + 1, u32);
	bool *queued = ARENA_ARRAY(scratch, flow->block_count + 1, bool);
	struct walk v = {.code = code, .flow = flow, .separates = separates};

	v.reached = ARENA_ARRAY(scratch, code->function->body.count + 1, u64);
	if (find_starts(&v)) {
		p = ARENA_NEW(arena, struct phases);
		p->after = ARENA_ARRAY(arena, code->function->body.count + 1, u64);
		for (u32 k = 0; k < v.count; k++) {
			v.class[k] = k;
			follow(&v, k, stack, queued);
		}
		for (bool changed = true; changed;) {
			changed = false;
			for (u32 c = 0; c < v.count; c++)
				changed |= join_next(&v, c);
		}
		keep(&v, p);
	}
	arena_free(scratch);
	return p;
}
