/* SPDX-License-Identifier: Apache-2.0
 *
 * What each register's value starts from, over all its definitions: nothing (a number, an index), one pointer, or
 * anything. An index that is added to a pointer gives an address of that pointer's memory, as in C; two pointers that
 * meet in one value give ANY, and so do numbers and loaded values where they are addresses by themselves.
 */
#include "decode/pointer_use.h"

#include <string.h>

#include "decode/block_order.h"
#include "decode/form_address.h"

/* Of a value, beside the numbers of pointers and POINTER_ANY: it starts from none; from what memory holds, which may be an
 * index or a pointer to anywhere; or it lies in shared or local memory. */
enum { FROM_NONE = POINTER_ANY + 1, FROM_LOADED, FROM_WINDOW };

struct search {
	const struct program *program;
	const struct ir_function *function;
	const struct matched *matched;
	struct pointer_use *use;
	u64 least; /* address of a variable of the module's */
	u8 *from;  /* by register slot */
};

/* --- Values --------------------------------------------------------------------------------- */

/* Of what is computed from both: what memory holds is an index to a pointer. */
static u8 meet(u8 a, u8 b)
{
	if (a == b || b == FROM_NONE || (b == FROM_LOADED && a != FROM_NONE))
		return a;
	return a == FROM_NONE || a == FROM_LOADED ? b : POINTER_ANY;
}

/* Of what is the one or the other: beside a pointer, what memory holds is one, too, to anywhere. */
static u8 either(u8 a, u8 b)
{
	if (a == b || b == FROM_NONE)
		return a;
	return a == FROM_NONE ? b : POINTER_ANY;
}

static u8 number_of(struct search *s, bool is_variable, u64 at)
{
	struct pointer_use *u = s->use;

	for (u32 k = 0; k < u->count; k++)
		if (u->pointers[k].is_variable == is_variable && u->pointers[k].at == at)
			return (u8)k;
	if (u->count == POINTERS_MOST)
		return POINTER_ANY;
	u->pointers[u->count].is_variable = is_variable;
	u->pointers[u->count].at = at;
	return (u8)u->count++;
}

/* A constant that lies in a variable is its address. */
static u8 from_constant(struct search *s, u64 value)
{
	if (value < s->least)
		return FROM_NONE;
	for (u32 k = 0; k < s->program->variable_count; k++) {
		const struct global_variable *g = &s->program->variables[k];
		if (value >= g->address && value - g->address <= g->size)
			return number_of(s, true, g->address);
	}
	return FROM_NONE;
}

static u8 from_use(struct search *s, const struct use *u)
{
	switch (u->kind) {
	case USE_REGISTER:
		return u->step ? meet(s->from[u->reg], from_constant(s, u->low)) : s->from[u->reg];
	case USE_CONSTANT:
		return from_constant(s, u->low);
	case USE_LOCAL:
		return FROM_WINDOW;
	default:
		return FROM_NONE;
	}
}

static bool is_of_window(const struct form *f)
{
	const enum ir_space space = form_space(f);

	return space == SPACE_SHARED || space == SPACE_LOCAL;
}

/* A parameter by itself, as wide as a pointer, is one; of a vector, or at an address that a register holds, it may be any. */
static u8 from_parameter(struct search *s, const struct matched *m)
{
	const struct use *base = &m->uses[m->use_count > 1 ? 1 : 0];

	if (m->use_count != 3 || base->kind != USE_PARAM_ADDRESS)
		return POINTER_ANY;
	return m->uses[0].bits == s->program->address_bits ? number_of(s, false, base->low) : FROM_LOADED;
}

/* What is multiplied or shifted is no pointer any more, but may become one again by shifting it back. */
static bool scales(const struct matched *m)
{
	return matched_is(m, OP_mul) || matched_is(m, OP_div) || matched_is(m, OP_shl) || matched_is(m, OP_shr);
}
static u8 scaled(u8 from) { return from == FROM_NONE ? FROM_NONE : FROM_LOADED; }

/* It gives one of its operands. */
static bool chooses(const struct matched *m)
{
	return matched_is(m, OP_selp) || matched_is(m, OP_slct) || matched_is(m, OP_min) || matched_is(m, OP_max);
}

/* What the instruction makes. */
static u8 from_instruction(struct search *s, const struct matched *m)
{
	const u32 flags = m->form.row->flags;
	u8 from = FROM_NONE;

	if (flags & ISA_PARAM && m->form.param == PARAM_OF_KERNEL)
		return from_parameter(s, m);
	if (flags & (ISA_MEMORY | ISA_ATOMIC | ISA_PARAM))
		return FROM_LOADED;
	if (matched_is(m, OP_cvta) && is_of_window(&m->form))
		return FROM_WINDOW;
	for (u32 n = 0; n < m->use_count; n++) {
		if (!m->uses[n].read)
			continue;
		const bool factor = scales(m) || (matched_is(m, OP_mad) && n < 3);
		const u8 own = factor ? scaled(from_use(s, &m->uses[n])) : from_use(s, &m->uses[n]);
		from = chooses(m) ? either(from, own) : meet(from, own);
	}
	return from;
}

/* False: nothing has changed. */
static bool follow(struct search *s, const struct matched *m)
{
	bool changed = false;

	for (u32 n = 0; n < m->use_count; n++) {
		const struct use *d = &m->uses[n];
		if (!d->written || d->kind != USE_REGISTER || d->bits == 1)
			continue;
		const u8 from = either(s->from[d->reg], from_instruction(s, m));
		changed |= from != s->from[d->reg];
		s->from[d->reg] = from;
	}
	return changed;
}

/* Each register's value rises from none to a pointer to any, so this ends. */
static void find_values(struct search *s)
{
	bool changed = true;

	memset(s->from, FROM_NONE, s->function->register_slots);
	while (changed) {
		changed = false;
		for (u32 k = 0; k < s->function->body.count; k++)
			changed |= follow(s, &s->matched[k]);
	}
}

/* --- Accesses ------------------------------------------------------------------------------- */

/* What nobody writes while the kernel runs needs no order. */
static bool is_constant(const struct form *f) { return form_has(f, M_nc) || form_has(f, M_const); }

static u8 of_address(struct search *s, const struct matched *m, const struct use *base, u32 number)
{
	const enum ir_space space = form_space_of(&m->form, number);
	const u8 from = from_use(s, base);

	if (space != SPACE_GLOBAL && space != SPACE_GENERIC)
		return POINTER_NONE;
	if (space == SPACE_GENERIC && from == FROM_WINDOW)
		return POINTER_NONE;
	return from >= FROM_NONE ? POINTER_ANY : from;
}

/* Tensors and their like, whose addresses stand elsewhere, may be any. */
static u8 of_instruction(struct search *s, const struct matched *m)
{
	const u32 flags = m->form.row->flags, traits = m->form.row->traits;
	u8 all = POINTER_NONE;
	u32 addresses = 0;

	if (flags & ISA_PARAM || is_constant(&m->form))
		return POINTER_NONE;
	for (u32 n = 0; n + 1 < m->use_count; n++) {
		if (m->uses[n + 1].kind != USE_OFFSET)
			continue;
		const u8 of = of_address(s, m, &m->uses[n], addresses++);
		all = all == POINTER_NONE || all == of ? of : of == POINTER_NONE ? all : POINTER_ANY;
	}
	return !addresses && (flags & (ISA_MEMORY | ISA_ATOMIC) || traits & TRAIT_GLOBAL) ? POINTER_ANY : all;
}

static void find_accesses(struct search *s, const bool *marks)
{
	struct pointer_use *u = s->use;

	for (u32 k = 0; k < u->body_count; k++) {
		u->of[k] = of_instruction(s, &s->matched[k]);
		if (u->of[k] == POINTER_NONE)
			continue;
		if (marks[k])
			u->ordered |= (u16)(1u << u->of[k]);
		if (s->matched[k].form.row->flags & (ISA_STORE | ISA_ATOMIC))
			u->written |= (u16)(1u << u->of[k]);
	}
}

/* --- Before and ahead ------------------------------------------------------------------------- */

static u16 own(const struct pointer_use *u, u32 k) { return u->of[k] == POINTER_NONE ? 0 : (u16)(1u << u->of[k]); }

/* The block's instructions, from what is accessed behind it; false: nothing has changed. */
static bool look_ahead(struct pointer_use *u, const struct flow *flow, const struct flow_block *b)
{
	u16 ahead = 0;

	for (u32 n = 0; n < b->successor_count; n++)
		ahead |= u->ahead[flow->blocks[b->successors[n]].first];
	for (u32 k = b->end; k-- > b->first;)
		ahead |= own(u, k);
	const bool changed = ahead != u->ahead[b->first];
	u->ahead[b->first] = ahead;
	return changed;
}

static bool look_back(struct pointer_use *u, const struct flow *flow, const struct flow_block *b)
{
	u16 before = 0;

	for (u32 n = 0; n < b->predecessor_count; n++) {
		const struct flow_block *p = &flow->blocks[b->predecessors[n]];
		before |= u->before[p->first];
		for (u32 k = p->first; k < p->end; k++)
			before |= own(u, k);
	}
	const bool changed = before != u->before[b->first];
	u->before[b->first] = before;
	return changed;
}

/* Within a block, from its ends. */
static void fill_block(struct pointer_use *u, const struct flow *flow, const struct flow_block *b)
{
	u16 ahead = 0;

	for (u32 k = b->first + 1; k < b->end; k++)
		u->before[k] = u->before[k - 1] | own(u, k - 1);
	for (u32 n = 0; n < b->successor_count; n++)
		ahead |= u->ahead[flow->blocks[b->successors[n]].first];
	for (u32 k = b->end; k-- > b->first;)
		ahead = u->ahead[k] = ahead | own(u, k);
}

static void find_ways(struct pointer_use *u, const struct flow *flow)
{
	bool changed = true;

	while (changed) {
		changed = false;
		for (u32 b = flow->block_count; b-- > 0;)
			changed |= look_ahead(u, flow, &flow->blocks[b]);
		for (u32 b = 0; b < flow->block_count; b++)
			changed |= look_back(u, flow, &flow->blocks[b]);
	}
	for (u32 b = 0; b < flow->block_count; b++)
		fill_block(u, flow, &flow->blocks[b]);
}

/* By the branches that lead back, as far as the text shows loops. */
static void find_loops(struct pointer_use *u, const struct flow *flow, struct arena *scratch)
{
	const u16 changes = u->ordered | u->written | 1u << POINTER_ANY;
	u32 *opens = ARENA_ARRAY(scratch, u->body_count + 1ull, u32),
	    *closes = ARENA_ARRAY(scratch, u->body_count + 1ull, u32);

	for (u32 b = 0; b < flow->block_count; b++) {
		u32 first = flow->blocks[b].end;
		for (u32 n = 0; n < flow->blocks[b].successor_count; n++)
			first = min_u32(first, flow->blocks[flow->blocks[b].successors[n]].first);
		if (first > flow->blocks[b].first)
			continue;
		u->has_loops = true;
		opens[first]++;
		closes[flow->blocks[b].end]++;
	}
	for (u32 k = 0, open = 0; k < u->body_count; k++) {
		open += opens[k] - closes[k];
		u->loops[k] = open;
	}
	for (u32 k = 0; k < u->body_count; k++)
		u->waits |= u->loops[k] && own(u, k) & changes;
}

/* --- A kernel --------------------------------------------------------------------------------- */

/* Clocks and the system show the order by themselves; what is called may access anything. */
static bool can_tell(const struct ir_function *f, const struct matched *matched)
{
	if (!f->is_entry || f->listing || f->machine || !f->body.count)
		return false;
	for (u32 k = 0; k < f->body.count; k++)
		if (!matched[k].ok || matched[k].form.row->flags & (ISA_ORDERED | ISA_CALL | ISA_UNMODELLED))
			return false;
	return true;
}

const struct pointer_use *pointer_use_find(struct arena *scratch, struct arena *kept, const struct program *program,
					   const struct ir_function *f, const struct flow *flow,
					   const struct matched *matched)
{
	if (!can_tell(f, matched))
		return NULL;
	struct pointer_use *u = ARENA_NEW(kept, struct pointer_use);
	struct search s = {.program = program, .function = f, .matched = matched, .use = u, .least = UINT64_MAX};
	const u32 count = (u32)f->body.count;

	u->body_count = count;
	u->of = ARENA_ARRAY(kept, count + 1, u8);
	u->loops = ARENA_ARRAY(kept, count + 1, bool);
	u->before = ARENA_ARRAY(kept, count + 1, u16);
	u->ahead = ARENA_ARRAY(kept, count + 1, u16);
	for (u32 k = 0; k < program->variable_count; k++)
		s.least = min_u64(s.least, program->variables[k].address);
	s.from = ARENA_ARRAY(scratch, f->register_slots + 1ull, u8);
	find_values(&s);
	find_accesses(&s, block_order_mark(scratch, f, matched));
	find_ways(u, flow);
	find_loops(u, flow, scratch);
	return u;
}
