/* SPDX-License-Identifier: Apache-2.0
 *
 *      ld.global.u32 v, [col+4*e]       each lane goes along `col` on its own: the next of its numbers lies behind this one,
 *      ld.global.u32 d, [dist+4*v]      and says which word of `dist` it will want
 */
#include "native/ahead.h"

static const struct region_operand *at_place(const struct region_insn *x, u8 place)
{
	for (u32 o = 0; o < x->operand_count; o++)
		if (x->operands[o].place == place)
			return &x->operands[o];
	return NULL;
}

/* Whether the access is by a scaled row whose index is `row`, and whose base is there from the beginning. */
static bool goes_by(const struct region *r, const struct region_insn *x, u32 row)
{
	const struct region_operand *index = at_place(x, PLACE_INDEX), *base = at_place(x, PLACE_BASE);

	return x->accesses && index && index->row == row && base && !r->rows[base->row].written;
}

void region_note_ahead(const struct region *r, const struct region_block *x)
{
	for (u32 k = 0; k < x->insn_count; k++) {
		struct region_insn *from = &x->insns[k];
		const struct region_operand *loaded = at_place(from, PLACE_D);
		if (!from->moves || from->proven != PROVEN_ALONG || !at_place(from, PLACE_INDEX) || !loaded ||
		    !loaded->written || loaded->bits != 32)
			continue;
		for (u32 n = k + 1; n < x->insn_count && !from->ahead; n++) {
			from->ahead = goes_by(r, &x->insns[n], loaded->row) ? &x->insns[n] : NULL;
			if (insn_writes(&x->insns[n], loaded->row))
				break;
		}
	}
}
