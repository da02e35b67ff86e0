/* SPDX-License-Identifier: Apache-2.0
 *
 * Lowering of machine code: where jumps lead, and where the lanes that part at them meet. Read off the text before anything is
 * emitted.
 *
 *      BSSY B0, E      a region, up to its BSYNC: lanes of a branch in it meet there, as far as the text tells
 *   H: ...
 *      @P0 BRA E       in the loop from H to the branch below, the region's end outside: some lanes may wait at E,
 *      ...             or here, while the others come round again
 *      @P1 BRA H
 *   E: BSYNC B0
 */
#include <stdlib.h>
#include <string.h>

#include "sass/lower.h"

/* So many instructions in loops, each counted for each loop that it is in, are looked at. */
enum { LOOPS_MOST = 1 << 24 };

/* --- Where jumps land --------------------------------------------------------------------------- */

/* An address that is not an instruction's is no place to jump to, and is ignored. */
static void lead(struct lower *l, u64 address)
{
	u32 index;

	if (address > UINT32_MAX || !ir_find_address(l->e.function, address, &index))
		return;
	l->leads[index] = true;
}

/* BSSY names where its lanes go on together: behind the BSYNC, or there. */
static void note_region(struct lower *l, const struct sass_insn *bssy)
{
	const u32 target = (u32)bssy->operands[bssy->operand_count - 1].value;

	for (u32 back = 0; back <= SASS_INSN_BYTES; back += SASS_INSN_BYTES) {
		struct sass_insn i;
		const u32 at = target - back;
		u32 index;
		const struct lower_region r = {l->section->base + bssy->address, l->section->base + at};
		if (r.end <= r.first || !ir_find_address(l->e.function, r.end, &index) ||
		    !lower_decode_at(l, index, &i) || i.opcode != SASS_OP_BSYNC ||
		    i.operands[1].number != bssy->operands[1].number)
			continue;
		VEC_PUSH(l->e.low->scratch, &l->regions, r);
		return;
	}
}

/* A branch that names its target. Backwards it closes a loop. */
static void note_branch(struct lower *l, const struct sass_insn *bra, u32 k)
{
	const u32 target = (u32)bra->operands[bra->operand_count - 1].value;
	u32 first;

	if (!ir_find_address(l->e.function, l->section->base + target, &first))
		return;
	l->chosen[first] += l->chosen[first] < UINT8_MAX;
	const struct lower_region loop = {first, k};
	if (first <= k)
		VEC_PUSH(l->e.low->scratch, &l->loops, loop);
}

static int by_length(const void *a, const void *b)
{
	const struct lower_region *x = a, *y = b;
	const u32 p = x->end - x->first, q = y->end - y->first;

	return (p < q) - (p > q);
}

/* Longest first, so that inner ones come last. */
static void mark_loops(struct lower *l)
{
	u64 marked = 0;

	l->loop_of = ARENA_ARRAY(l->e.low->scratch, l->e.function->body.count + 1, u32);
	memset(l->loop_of, 0xff, l->e.function->body.count * sizeof *l->loop_of);
	if (l->loops.count)
		qsort(l->loops.items, l->loops.count, sizeof *l->loops.items, by_length);
	for (u32 n = 0; n < l->loops.count; n++) {
		const struct lower_region *loop = &l->loops.items[n];
		marked += loop->end - loop->first + 1;
		if (marked > LOOPS_MOST)
			return;
		for (u32 k = loop->first; k <= loop->end; k++)
			l->loop_of[k] = n;
	}
}

/* Where jumps land: targets, what stands behind calls, words of tables that look like places of the code. A straight run
 * must end there, as counts are added at the ends of runs. BRX jumps by tables in constant bank 2, among other
 * constants; a word that only looks like one costs a run that is cut in two, and nothing else. */
void lower_find_ways(struct lower *l)
{
	const struct ir_function *f = l->e.function;
	struct sass_insn i;

	l->leads = ARENA_ARRAY(l->e.low->scratch, f->body.count + 1, bool);
	l->bases = ARENA_ARRAY(l->e.low->scratch, f->body.count + 1, u32);
	l->chosen = ARENA_ARRAY(l->e.low->scratch, f->body.count + 1, u8);
	for (u32 k = 0; k < f->body.count; k++) {
		const bool known = lower_decode_at(l, k, &i);
		l->bases[k] = l->section->base;
		if (!known)
			continue;
		for (u32 o = 0; o < i.operand_count; o++)
			if (i.operands[o].arg == ARG_TARGET)
				lead(l, l->section->base + i.operands[o].value);
		const bool named = i.operand_count && i.operands[i.operand_count - 1].arg == ARG_TARGET;
		l->uses_local |= i.opcode == SASS_OP_STL;
		l->has_helpers |= i.opcode == SASS_OP_BMOV && i.operands[0].arg == ARG_WORD;
		if (i.opcode == SASS_OP_BSSY && named)
			note_region(l, &i);
		if (i.opcode == SASS_OP_BRA && named)
			note_branch(l, &i, k);
		if (i.opcode == SASS_OP_CALL || i.opcode == SASS_OP_BRX)
			l->leads[k + 1] = true;
		if (f->body.items[k].address == l->section->base)
			l->leads[k] = true;
	}
	const struct cubin_function *own = l->m->sections[l->kernel->section].function;
	for (u64 at = 0; own->banks[2] && at + 4 <= own->bank_bytes[2]; at += 4)
		lead(l, (u64)l->m->sections[l->kernel->section].base + read_u32(own->banks[2] + at));
	mark_loops(l);
}

/* --- Where lanes meet ----------------------------------------------------------------------------- */

/* The innermost region that the instruction lies in, or NULL. */
static const struct lower_region *innermost(const struct lower *l)
{
	const struct lower_region *inner = NULL;
	const u32 at = lower_address(l);

	for (size_t k = 0; k < l->regions.count; k++) {
		const struct lower_region *r = &l->regions.items[k];
		if (r->first < at && at < r->end && (!inner || r->end - r->first < inner->end - inner->first))
			inner = r;
	}
	return inner;
}

/* It tells where gangs may expect the lanes of the branch emitted last to meet. */
void lower_meets(struct lower *l, u32 operand)
{
	const struct lower_region *inner = innermost(l);

	if (!inner)
		return;
	const struct lower_meeting m = {(u32)l->e.insns.count - 1, inner->end, operand};
	VEC_PUSH(l->e.low->scratch, &l->meetings, m);
}

/* BSYNC becomes one insn, which is what gangs know a join by. */
void lower_resolve_meetings(struct lower *l)
{
	meaning_fn *const bsync = l->e.low->isa->machine[MACHINE_bsync]->run;

	for (size_t k = 0; k < l->meetings.count; k++) {
		const struct lower_meeting *m = &l->meetings.items[k];
		u32 index;
		if (!ir_find_address(l->e.function, m->address, &index))
			continue;
		const u32 at = l->start[index], distance = at - m->insn;
		if (at >= l->e.insns.count || l->e.insns.items[at].fn != bsync)
			continue;
		if (m->operand == NO_OPERAND)
			l->e.insns.items[m->insn].c = distance;
		else
			l->e.operands.items[m->operand] = distance;
	}
}

/* Whether lanes that part at the branch here may wait until others have parted again at this place or at another way to its target:
 * then it shows in counts which of them go first (exec/converge.h). Where lanes meet before that, it does not. */
bool lower_parts_for_long(const struct lower *l, u64 target)
{
	const struct lower_region *inner = innermost(l);
	u32 index, end;

	if (ir_find_address(l->e.function, l->section->base + (u32)target, &index) && l->chosen[index] > 1)
		return true;
	const u32 n = l->loop_of[l->e.body_index];
	if (n == NO_OPERAND)
		return false;
	const struct lower_region *loop = &l->loops.items[n];
	return !inner || !ir_find_address(l->e.function, inner->end, &end) || end < loop->first || end > loop->end;
}

/* For each insn at which lanes may wait: where an instruction begins. Elsewhere all barriers count as read. */
void lower_keep_barriers(struct lower *l)
{
	u16 *read = ARENA_ARRAY(l->e.low->arena, l->e.insns.count + 1, u16);

	memset(read, 0xff, l->e.insns.count * sizeof *read);
	for (u32 k = 0; k < l->e.function->body.count; k++)
		for (u32 n = l->counted[k]; n <= l->start[k]; n++)
			read[n] = l->barriers_read[k];
	l->e.code->barriers_read = read;
	l->e.code->barrier_rows = l->barrier_rows;
}
