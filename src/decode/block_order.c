/* SPDX-License-Identifier: Apache-2.0
 *
 * What follows from single instructions, and from addresses that are the same in every block: those that all
 * definitions make of parameters, constants and the thread's place in its block.
 */
#include "decode/block_order.h"

#include <string.h>

#include "isa/sass.h"
#include "isa/sregs.h"

struct finder {
	const struct ir_function *function;
	const struct matched *matched;
	u32 *writers;  /* by slot */
	bool *settled; /* by slot: what is written there is the same in every block */
	u8 *origin;    /* by slot: enum origin */
	bool *read;    /* by slot: some instruction reads it */
};

/* What a value may be an address of, as generic addresses do not say: the later beats the earlier. */
enum origin { ORIGIN_NONE, ORIGIN_GLOBAL, ORIGIN_WINDOW };

static bool is_shared(const struct form *f)
{
	return form_has(f, M_shared) || form_has(f, M_shared_cta) || form_has(f, M_shared_cluster);
}

static bool is_register(const struct use *u) { return u->kind == USE_REGISTER; }

static void look_at_registers(struct finder *h)
{
	for (u32 k = 0; k < h->function->body.count; k++)
		for (u32 n = 0; n < h->matched[k].use_count; n++) {
			const struct use *u = &h->matched[k].uses[n];
			if (!is_register(u))
				continue;
			h->writers[u->reg] += u->written;
			h->read[u->reg] |= u->read;
		}
}

/* --- Atomic operations ---------------------------------------------------------------------- */

/* A returned old value that is used shows who came first. */
static bool gives_back(const struct finder *h, const struct matched *m)
{
	const struct use *d = m->use_count ? &m->uses[0] : NULL;

	return d && d->written && is_register(d) && h->read[d->reg];
}

/* Of operations that commute with themselves, and with no others. 0: it does not even with itself. */
static u64 reduction_kind(const struct form *f)
{
	static const int operations[] = {M_add, M_min, M_max, M_and, M_or, M_xor};
	const int type = form_type(f, 0);
	const bool compares = form_has(f, M_min) || form_has(f, M_max);

	if (type_class(type) == 'f' || form_has(f, M_exch) || form_has(f, M_cas))
		return 0;
	for (u32 k = 0; k < COUNT_OF(operations); k++)
		if (form_has(f, operations[k]))
			return 1ull << (4 * k + 2 * (type_bits(type) == 64) + (compares && type_class(type) == 's'));
	return 0;
}

/* Of a listing's: rows of those that do not commute say so. */
static u64 listing_reduction_kind(const struct form *f)
{
	static const char *const operations[] = {"ADD", "MIN", "MAX", "AND", "OR", "XOR"};
	const bool compares = form_has_word(f, "MIN") || form_has_word(f, "MAX");

	for (u32 k = 0; k < COUNT_OF(operations); k++)
		if (form_has_word(f, operations[k]))
			return 1ull << (4 * k + 2 * (form_has_word(f, "U64") || form_has_word(f, "64")) +
					(compares && form_has_word(f, "S32")));
	return 0;
}

/* --- Addresses that are the same in every block --------------------------------------------- */

static bool is_settled(const struct finder *h, const struct use *u)
{
	switch (u->kind) {
	case USE_REGISTER:
		return !u->step && h->settled[u->reg];
	case USE_SREG:
		return sreg_info(u->sreg)->kind != SREG_PER_BLOCK;
	case USE_SREG_READ:
		return false;
	default:
		return true;
	}
}

static bool loads_what_is_fixed(const struct matched *m)
{
	return (m->form.row->flags & ISA_PARAM && m->form.param == PARAM_OF_KERNEL) || form_has(&m->form, M_const);
}

/* The sources of instruction k are settled, and so is what it makes of them. */
static bool settles(const struct finder *h, u32 k)
{
	const struct matched *m = &h->matched[k];
	const u32 odd = ISA_SYNC | ISA_CALL | ISA_RET | ISA_EXIT | ISA_BRANCH | ISA_ATOMIC | ISA_ORDERED | ISA_STORE |
			ISA_CROSS_LANE | ISA_UNMODELLED | ISA_LATE;

	if (!m->ok || h->function->body.items[k].guard || m->form.row->flags & odd)
		return false;
	if (m->form.row->flags & ISA_MEMORY && !loads_what_is_fixed(m))
		return false;
	for (u32 n = 0; n < m->use_count; n++)
		if (m->uses[n].read && !is_settled(h, &m->uses[n]))
			return false;
	return true;
}

/* Parameters point to global memory; shared and local variables lie in windows. */
static enum origin origin_of(const struct finder *h, const struct matched *m)
{
	enum origin from = m->form.row->flags & ISA_PARAM || form_has(&m->form, M_global) ? ORIGIN_GLOBAL : ORIGIN_NONE;

	if (is_shared(&m->form) || form_has(&m->form, M_local))
		return ORIGIN_WINDOW;
	for (u32 n = 0; n < m->use_count; n++) {
		const struct use *u = &m->uses[n];
		if (u->kind == USE_LOCAL)
			return ORIGIN_WINDOW;
		if (u->read && is_register(u) && h->origin[u->reg] > from)
			from = (enum origin)h->origin[u->reg];
	}
	return from;
}

/* False: nothing has changed. What one definition leaves open is open for all that is made with it. */
static bool unsettle(const struct finder *h, u32 k)
{
	const struct matched *m = &h->matched[k];
	const bool settled = settles(h, k);
	bool changed = false;

	for (u32 n = 0; n < m->use_count; n++) {
		const struct use *d = &m->uses[n];
		if (!d->written || !is_register(d))
			continue;
		const enum origin from = origin_of(h, m);
		changed |= (!settled && h->settled[d->reg]) || from > h->origin[d->reg];
		h->settled[d->reg] &= settled;
		h->origin[d->reg] = (u8)max_u32(from, h->origin[d->reg]);
	}
	return changed;
}

/* Registers are taken to be settled until a definition says otherwise. If that takes long, nothing is. */
static void settle(const struct finder *h)
{
	enum { PASSES = 8 };
	const u32 slots = h->function->register_slots;
	bool changed = true;

	memset(h->settled, true, slots);
	for (u32 pass = 0; pass < PASSES && changed; pass++) {
		changed = false;
		for (u32 k = 0; k < h->function->body.count; k++)
			changed |= h->matched[k].form.row && unsettle(h, k);
	}
	if (changed)
		memset(h->settled, false, slots);
}

/* Every block stores there, and not all the same. */
static bool stores_over_others(const struct finder *h, const struct matched *m)
{
	const bool named = form_has(&m->form, M_global);
	bool over = false, differs = false;

	if (!named && form_pick(&m->form, M_const, M_shared_cluster) != TOKEN_NONE)
		return false;
	for (u32 n = 0; n < m->use_count; n++) {
		const struct use *u = &m->uses[n];
		if (n + 1 < m->use_count && u[1].kind == USE_OFFSET)
			over = is_settled(h, u) && (named || (is_register(u) && h->origin[u->reg] == ORIGIN_GLOBAL));
		else
			differs |= u->read && (!is_settled(h, u) || (is_register(u) && h->writers[u->reg] > 1));
	}
	return over && differs;
}

/* --- One function --------------------------------------------------------------------------- */

static bool is_strong(const struct form *f)
{
	return form_pick(f, M_volatile, M_release) != TOKEN_NONE || form_has(f, M_mmio) || form_has(f, M_cv);
}

static const char *why_atomic_shows(const struct finder *h, const struct matched *m, u64 kind)
{
	if (!kind)
		return type_class(form_type(&m->form, 0)) == 'f' ? "adds floats, in an order that shows in the sum"
								 : "does not commute with itself";
	return gives_back(h, m) ? "gives back a value that is used" : NULL;
}

/* Why the order shows in what the instruction does; NULL: it does not. */
static const char *look_at(const struct finder *h, const struct matched *m, struct block_order *o)
{
	const struct form *f = &m->form;
	const bool listing = h->function->listing;

	if (f->row->flags & ISA_ORDERED)
		return "depends on the order of blocks";
	if (is_shared(f) || (listing && f->row->flags & SASS_SHARED))
		return NULL;
	if (f->row->flags & ISA_ATOMIC) {
		const u64 kind = listing ? listing_reduction_kind(f) : reduction_kind(f);
		o->reductions |= kind;
		return why_atomic_shows(h, m, kind);
	}
	if (!(f->row->flags & ISA_MEMORY) || listing)
		return NULL;
	if (is_strong(f))
		return "is a strong access, by which blocks can wait for one another";
	return f->row->flags & ISA_STORE && stores_over_others(h, m) ? "stores where every block does, and not the same"
								     : NULL;
}

static struct finder finder_of(struct arena *arena, const struct ir_function *f, const struct matched *matched)
{
	struct finder h = {.function = f, .matched = matched};

	h.writers = ARENA_ARRAY(arena, f->register_slots + 1ull, u32);
	h.settled = ARENA_ARRAY(arena, f->register_slots + 1ull, bool);
	h.origin = ARENA_ARRAY(arena, f->register_slots + 1ull, u8);
	h.read = ARENA_ARRAY(arena, f->register_slots + 1ull, bool);
	look_at_registers(&h);
	settle(&h);
	return h;
}

struct block_order block_order_find(struct arena *arena, const struct ir_function *f, const struct matched *matched)
{
	const struct finder h = finder_of(arena, f, matched);
	struct block_order o = {.shows = false};

	for (u32 k = 0; k < f->body.count && !o.shows; k++) {
		if (!matched[k].form.row)
			continue;
		o.why = look_at(&h, &matched[k], &o);
		o.shows = o.why != NULL;
		o.at = k;
	}
	return o;
}

bool *block_order_mark(struct arena *arena, const struct ir_function *f, const struct matched *matched)
{
	const struct finder h = finder_of(arena, f, matched);
	bool *marks = ARENA_ARRAY(arena, f->body.count + 1, bool);
	struct block_order o = {.shows = false};

	for (u32 k = 0; k < f->body.count; k++) {
		const struct form *form = &matched[k].form;
		marks[k] = form->row &&
			   ((form->row->flags & ISA_ATOMIC && !is_shared(form)) || look_at(&h, &matched[k], &o));
	}
	return marks;
}
