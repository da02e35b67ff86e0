/* SPDX-License-Identifier: Apache-2.0
 *
 * Finding what can be hoisted: one walk over the text, since a definition that dominates its uses and is
 * the only one stands before them in all code that compilers write; what does not is left alone.
 */
#include "decode/hoist.h"

#include "decode/form_address.h"
#include "isa/form.h"
#include "isa/sregs.h"

/* More rows of their own would push other rows out of the first-level cache. */
enum { HOISTED_MAX = 48 };

struct finder {
	const struct ir_function *function;
	const struct matched *matched;
	const struct liveness *live;
	struct hoist *hoist;
	u64 param_bytes;
	u32 *writers;  /* by slot */
	bool *settled; /* by slot: the same in every block from its definition on */
	u32 count;
	bool may_write_constants;
};

static void count_writers(struct finder *h)
{
	for (u32 k = 0; k < h->function->body.count; k++)
		for (u32 u = 0; u < h->matched[k].use_count; u++)
			if (h->matched[k].uses[u].kind == USE_REGISTER && h->matched[k].uses[u].written)
				h->writers[h->matched[k].uses[u].reg]++;
}

static bool is_settled(const struct finder *h, const struct use *u)
{
	switch (u->kind) {
	case USE_REGISTER:
		return !u->step && h->settled[u->reg];
	case USE_SREG: {
		const enum sreg_kind kind = sreg_info(u->sreg)->kind;
		return kind == SREG_PER_LANE || kind == SREG_PER_WARP || kind == SREG_PER_GRID;
	}
	case USE_SREG_READ:
		return false;
	default:
		return true;
	}
}

static bool loads_param(const struct finder *h, const struct matched *m)
{
	if (!(m->form.row->flags & ISA_PARAM) || m->form.param != PARAM_OF_KERNEL || m->address_count != 1)
		return false;
	for (u32 u = 0; u < m->use_count; u++)
		if (m->uses[u].kind == USE_PARAM_ADDRESS)
			return m->uses[u].low + type_bits(form_type(&m->form, 0)) / 8 <= h->param_bytes;
	return false;
}

/* Whether the text has a constant variable's address as a value: it is global memory, too, and could be written by it. */
static bool takes_constant_address(const struct ir_function *f)
{
	for (u32 k = 0; k < f->body.count; k++)
		for (u32 o = 0; o < f->body.items[k].operand_count; o++) {
			const struct ir_operand *x = &f->body.items[k].operands[o];
			const struct ir_symbol *named = x->kind == OPERAND_SYMBOL ? x->symbol : NULL;
			if (named && named->kind == SYM_VARIABLE && named->variable->space == SPACE_CONST)
				return true;
		}
	return false;
}

/* From a place of a constant variable: nothing writes that while a kernel runs, and no lane can miss it. */
static bool loads_constant(const struct finder *h, u32 k)
{
	const struct matched *m = &h->matched[k];
	const struct ir_instruction *x = &h->function->body.items[k];
	const u64 bytes = type_bits(form_type(&m->form, 0)) / 8;

	if (h->may_write_constants || m->address_count != 1 || m->use_count != 3 || m->uses[1].kind != USE_CONSTANT ||
	    m->uses[1].low % bytes || form_space(&m->form) != SPACE_CONST || form_has(&m->form, M_volatile))
		return false;
	const struct ir_operand *place = &x->operands[x->operand_count - 1], *base = place->items;
	if (place->kind != OPERAND_ADDRESS || base->kind != OPERAND_SYMBOL || base->symbol->kind != SYM_VARIABLE)
		return false;
	const struct ir_variable *v = base->symbol->variable;
	const u64 offset = (u64)base->addend + (u64)place->addend;
	return v->space == SPACE_CONST && bytes <= v->size && offset <= v->size - bytes;
}

/* One register written, first, by each lane for itself, and by this instruction alone. */
static bool defines(const struct finder *h, u32 k)
{
	const struct matched *m = &h->matched[k];
	const struct use *d = m->uses;
	const u32 odd = ISA_SYNC | ISA_CALL | ISA_RET | ISA_EXIT | ISA_BRANCH | ISA_ATOMIC | ISA_ORDERED | ISA_STORE |
			ISA_CROSS_LANE | ISA_UNMODELLED | ISA_LATE;

	if (!m->ok || h->function->body.items[k].guard || m->form.row->flags & odd || m->has_list_shape ||
	    !m->use_count)
		return false;
	if (d->kind != USE_REGISTER || !d->written || d->read || h->writers[d->reg] != 1 ||
	    liveness_at_entry(h->live, d->reg))
		return false;
	for (u32 u = 1; u < m->use_count; u++)
		if (m->uses[u].written)
			return false;
	return !(m->form.row->flags & ISA_MEMORY) || loads_param(h, m) || loads_constant(h, k);
}

static void consider(struct finder *h, u32 k)
{
	const struct matched *m = &h->matched[k];

	if (!defines(h, k) || !m->form.row->meaning)
		return;
	const struct meaning *meaning = m->form.row->meaning(&m->form);
	if (!meaning || !meaning->gang)
		return;
	const struct use *d = m->uses, *a = m->use_count == 2 ? m->uses + 1 : NULL;
	const bool settled = a && is_settled(h, a);
	if (meaning->copies && a && a->bits == d->bits &&
	    (a->kind == USE_SREG || a->kind == USE_CONSTANT || a->kind == USE_LOCAL)) {
		h->hoist->same[d->reg] = a;
		h->hoist->once[k] = true;
		h->settled[d->reg] = settled;
		return;
	}
	for (u32 u = 1; u < m->use_count; u++)
		if (!is_settled(h, &m->uses[u]))
			return;
	if (h->count == HOISTED_MAX)
		return;
	h->count++;
	h->hoist->once[k] = true;
	h->hoist->kept[d->reg] = true;
	h->settled[d->reg] = true;
}

struct hoist *hoist_find(struct arena *arena, const struct ir_function *f, const struct matched *matched,
			 const struct liveness *live, u64 param_bytes)
{
	struct hoist *hoist = ARENA_NEW(arena, struct hoist);
	struct finder h = {.function = f, .matched = matched, .live = live, .hoist = hoist, .param_bytes = param_bytes};

	hoist->once = ARENA_ARRAY(arena, f->body.count + 1, bool);
	hoist->kept = ARENA_ARRAY(arena, f->register_slots + 1, bool);
	hoist->same = ARENA_ARRAY(arena, f->register_slots + 1, const struct use *);
	h.writers = ARENA_ARRAY(arena, f->register_slots + 1, u32);
	h.settled = ARENA_ARRAY(arena, f->register_slots + 1, bool);
	count_writers(&h);
	h.may_write_constants = takes_constant_address(f);
	for (u32 k = 0; k < f->body.count; k++)
		consider(&h, k);
	for (u32 k = 0; k < f->body.count; k++)
		hoist->any |= hoist->once[k];
	return hoist;
}
