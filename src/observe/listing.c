/* SPDX-License-Identifier: Apache-2.0
 *
 * What observers need to know of a listing's instructions: which memory they access, and how.
 */
#include "isa/sass.h"
#include "observe/accounting.h"

static enum ir_space space_of(const struct isa_row *row)
{
	if (row->traits & TRAIT_BANK)
		return SPACE_CONST;
	if (row->flags & SASS_SHARED)
		return SPACE_SHARED;
	if (row->flags & SASS_LOCAL)
		return SPACE_LOCAL;
	return row->flags & SASS_GLOBAL ? SPACE_GLOBAL : SPACE_GENERIC;
}

static void describe_atomic(struct account_site *s)
{
	const bool red = s->form->row->traits & TRAIT_REDUCES;

	s->operation = red ? ACCOUNT_RED : ACCOUNT_ATOM;
	s->combines = !form_has_word(s->form, "CAS") && !form_has_word(s->form, "EXCH");
	s->bank_kind = BANK_ATOM;
	s->sector_kind = form_has_word(s->form, "CAS") ? SECTOR_ATOM_CAS : red ? SECTOR_RED : SECTOR_ATOM;
}

bool account_describe_listing(struct account_site *s, const struct arch *arch, enum account_l1 l1)
{
	const struct form *f = s->form;
	const bool is_store = f->row->flags & ISA_STORE;
	const bool past = form_has_word(f, "CG") || form_has_word(f, "CV");

	if (!(f->row->flags & ISA_MEMORY))
		return false;
	s->space = space_of(f->row);
	s->width = sass_width(f);
	s->wide = form_has_word(f, "E");
	s->through_l1 = (l1 == ACCOUNT_L1_DEFAULT ? arch->l1_global : l1 == ACCOUNT_L1_ON) && !past;
	s->past_l1 = past;
	s->is_lock = f->row->flags & SASS_LOCK && !is_store;
	s->operation = is_store ? ACCOUNT_STORE : ACCOUNT_LOAD;
	s->bank_kind = is_store ? BANK_STORE : BANK_LOAD;
	s->sector_kind = is_store ? SECTOR_STORE : SECTOR_LOAD;
	if (f->row->flags & ISA_ATOMIC)
		describe_atomic(s);
	return true;
}
