/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of spellings, and what the youngest modifier of one needs.
 */
#include "decode/spelling.h"

#include <string.h>

enum { SLOTS_AT_FIRST = 256 };

/* --- What a row with its modifiers needs ---------------------------------------------------- */

/* Modifiers that are younger than the instructions they stand in. */
struct need {
	u16 first, last; /* tokens */
	u16 ptx, sm;
	u32 flags; /* only in rows with these; 0: in all */
};
static const struct need needs[] = {
	{M_relaxed, M_acq_rel, 60, 70, ISA_MEMORY},
	{M_cta, M_sys, 50, 60, ISA_ATOMIC},
	{M_cluster, M_cluster, 78, 90, ISA_MEMORY},
	{M_ftz, M_ftz, 14, 10, 0},
	{M_weak, M_weak, 60, 70, ISA_MEMORY},
	{M_volatile, M_volatile, 11, 10, ISA_MEMORY},
	{M_ca, M_wt, 20, 20, ISA_MEMORY},
	{M_shared_cta, M_shared_cta, 78, 10, 0},
	{M_shared_cluster, M_shared_cluster, 78, 90, 0},
	{M_param_entry, M_param_func, 83, 10, 0},
	{M_L1_evict_normal, M_L1_no_allocate, 74, 70, ISA_MEMORY},
	{M_L2_evict_normal, M_L2_evict_last, 74, 70, ISA_MEMORY},
	{M_L2_cache_hint, M_L2_cache_hint, 74, 80, ISA_MEMORY},
	{M_L2_64B, M_L2_128B, 74, 75, ISA_MEMORY},
	{M_L2_256B, M_L2_256B, 74, 80, ISA_MEMORY},
	{T_b128, T_b128, 83, 70, ISA_MEMORY},
};

static void find_needs(struct spelled_row *r)
{
	const struct form *f = &r->form;

	const bool generic = f->row->flags & ISA_MEMORY && !(f->row->flags & (ISA_PARAM | ISA_ATOMIC)) &&
			     form_pick(f, M_const, M_shared_cluster) == TOKEN_NONE;

	/* Generic addresses came with sm_20. */
	r->ptx = generic ? (u16)max_u32(f->row->ptx, 20) : f->row->ptx;
	r->sm = generic ? (u16)max_u32(f->row->sm, 20) : f->row->sm;
	for (u32 t = 0; t < f->token_count; t++)
		for (u32 k = 0; k < COUNT_OF(needs); k++) {
			const struct need *n = &needs[k];
			if (f->tokens[t] < n->first || f->tokens[t] > n->last ||
			    (n->flags && !(f->row->flags & n->flags)))
				continue;
			r->ptx = (u16)max_u32(r->ptx, n->ptx);
			r->sm = (u16)max_u32(r->sm, n->sm);
		}
}

/* --- The table ------------------------------------------------------------------------------ */

static u32 hash_address(u32 h, const void *p)
{
	const u64 mixed = ((u64)(uintptr_t)p ^ h) * 0x9e3779b97f4a7c15ull;

	return (u32)(mixed >> 32);
}

static u32 hash_spelling(const struct ir_instruction *x)
{
	u32 h = hash_address(x->modifier_count, x->opcode);

	for (u32 k = 0; k < x->modifier_count; k++)
		h = hash_address(h, x->modifiers[k].text);
	return h;
}

static bool is_spelled(const struct spelling *s, const struct ir_instruction *x)
{
	if (s->opcode != x->opcode || s->modifier_count != x->modifier_count)
		return false;
	for (u32 k = 0; k < x->modifier_count; k++)
		if (s->modifiers[k] != x->modifiers[k].text)
			return false;
	return true;
}

static void double_slots(struct spellings *all)
{
	struct spelling **old = all->slots;
	const u32 old_count = all->slot_count;

	all->slot_count = old_count ? old_count * 2 : SLOTS_AT_FIRST;
	all->slots = ARENA_ARRAY(all->arena, all->slot_count, struct spelling *);
	for (u32 k = 0; k < old_count; k++) {
		if (!old[k])
			continue;
		u32 at = old[k]->hash & (all->slot_count - 1);
		while (all->slots[at])
			at = (at + 1) & (all->slot_count - 1);
		all->slots[at] = old[k];
	}
}

struct spelling *spelling_of(struct spellings *all, const struct ir_instruction *x)
{
	const u32 hash = hash_spelling(x);

	if ((all->used + 1) * 4 > all->slot_count * 3)
		double_slots(all);
	u32 at = hash & (all->slot_count - 1);
	for (; all->slots[at]; at = (at + 1) & (all->slot_count - 1))
		if (all->slots[at]->hash == hash && is_spelled(all->slots[at], x))
			return all->slots[at];
	struct spelling *s = ARENA_NEW(all->arena, struct spelling);
	s->opcode = x->opcode;
	s->modifier_count = x->modifier_count;
	s->modifiers = ARENA_ARRAY(all->arena, x->modifier_count + 1, const char *);
	for (u32 k = 0; k < x->modifier_count; k++)
		s->modifiers[k] = x->modifiers[k].text;
	s->hash = hash;
	all->slots[at] = s;
	all->used++;
	return s;
}

/* Finds the row behind those known; false if there is none. */
static bool find_next(struct spellings *all, struct spelling *s)
{
	const u32 from = s->rows.count ? s->rows.items[s->rows.count - 1]->index + 1 : 0;
	struct operand_spec specs[FORM_OPERANDS];
	struct spelled_row row;

	s->end = isa_match_form(all->isa, s->opcode, s->modifiers, s->modifier_count, from, &row.form, &row.index,
				&s->bad);
	if (s->end != ISA_MATCHED) {
		s->complete = true;
		return false;
	}
	row.spec_count = isa_operand_specs(&row.form, specs);
	row.specs = ARENA_ARRAY(all->arena, row.spec_count + 1, struct operand_spec);
	memcpy(row.specs, specs, row.spec_count * sizeof *specs);
	find_needs(&row);
	struct spelled_row *kept = ARENA_NEW(all->arena, struct spelled_row);
	*kept = row;
	VEC_PUSH(all->arena, &s->rows, kept);
	return true;
}

const struct spelled_row *spelling_row(struct spellings *all, struct spelling *s, u32 n)
{
	while (n >= s->rows.count)
		if (s->complete || !find_next(all, s))
			return NULL;
	return s->rows.items[n];
}
