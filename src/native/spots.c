/* SPDX-License-Identifier: Apache-2.0 */
#include "native/spots.h"

#include "decode/form_address.h"
#include "isa/form.h"

static const struct form *form_of(const struct code_flow *f, const struct region_insn *x)
{
	return f->steps[x->number].form;
}

/* Rows of neighbours for certain, of elements that are no vectors. */
static bool may_share(const struct code_flow *f, const struct region_insn *x)
{
	const struct form *form = form_of(f, x);

	return x->moves && x->guard == NO_OPERAND && x->proven == PROVEN_ROW && !x->list_count &&
	       form_space(form) == SPACE_GLOBAL && form_base_bits(form) == 64;
}

static bool are_alike(const struct code_flow *f, const struct region_insn *a, const struct region_insn *b)
{
	return may_share(f, b) && address_row(a) == address_row(b) && a->plain->imm == b->plain->imm &&
	       type_bits(form_type(form_of(f, a), 0)) == type_bits(form_type(form_of(f, b), 0));
}

void region_note_spots(const struct code_flow *f, struct region *r, struct region_block *x)
{
	for (u32 k = 0; k < x->insn_count; k++) {
		struct region_insn *first = &x->insns[k];
		const u32 row = address_row(first);
		if (first->spot || row == NO_OPERAND || !may_share(f, first))
			continue;
		for (u32 n = k + 1; n < x->insn_count && !insn_writes(&x->insns[n - 1], row); n++) {
			if (!are_alike(f, first, &x->insns[n]))
				continue;
			first->finds_spot = true;
			first->spot = first->spot ? first->spot : ++r->spot_count;
			x->insns[n].spot = first->spot;
		}
	}
}
