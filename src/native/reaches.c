/* SPDX-License-Identifier: Apache-2.0 */
#include "native/reaches.h"

static bool writes_base(const struct region_insn *x, u32 offset, const struct region *r)
{
	for (u32 o = 0; o < x->operand_count; o++)
		if (x->operands[o].written && r->rows[x->operands[o].row].offset == offset)
			return true;
	return false;
}

/* The next access, from x->insns[k] on, that surely comes with `first` and differs from it in the offset alone; else the block's end. */
static u32 next_alike(const struct region *r, const struct region_block *x, const struct region_insn *first, u32 k)
{
	if (writes_base(&x->insns[k - 1], first->plain->a, r))
		return x->insn_count;
	for (; k < x->insn_count; k++) {
		const struct region_insn *i = &x->insns[k];
		if (i->moves && i->guard == NO_OPERAND && i->meaning == first->meaning && i->shapes == first->shapes &&
		    i->plain->a == first->plain->a)
			return k;
		if (writes_base(i, first->plain->a, r))
			break;
	}
	return x->insn_count;
}

/* What reaches 256 KB and more beyond another is no part of its run. */
void region_note_reaches(const struct region *r, const struct region_block *x)
{
	enum { REACH_MOST = 4 * 0xffff };

	for (u32 k = 0; k < x->insn_count; k++) {
		struct region_insn *first = &x->insns[k];
		if (!first->moves || first->guard != NO_OPERAND || first->reach)
			continue;
		s64 low = first->plain->imm, high = low;
		for (u32 n = k; n < x->insn_count; n = next_alike(r, x, first, n + 1)) {
			const s64 at = x->insns[n].plain->imm;
			low = at < low && high - at <= REACH_MOST ? at : low;
			high = at > high && at - low <= REACH_MOST ? at : high;
		}
		for (u32 n = k; n < x->insn_count; n = next_alike(r, x, first, n + 1)) {
			const s64 at = x->insns[n].plain->imm;
			if (at >= low && at <= high && !x->insns[n].reach)
				x->insns[n].reach = (u32)((at - low + 3) / 4) | (u32)((high - at + 3) / 4) << 16;
		}
	}
}
