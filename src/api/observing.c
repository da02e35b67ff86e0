/* SPDX-License-Identifier: Apache-2.0
 *
 * Before a launch, what each instruction is to the observer is worked out, with its place; during it, events are filled in
 * and told.
 *
 * Events are structs on the stack, filled in from the engine's rows: valid during the call only. All of them have the
 * launch, the block and the host's thread; what follows depends on the kind. Unless the observer says any_thread, the
 * launch runs on one.
 */
#include "api/observing.h"

#include <string.h>

#include "decode/form_address.h"
#include "exec/gang.h"
#include "isa/form.h"
#include "observe/fragments.h"
#include "observe/places.h"
#include "observe/sites.h"

/* An instruction of the text, by its decoded one. */
struct told_insn {
	const char *file, *text; /* file NULL: not one, or not told */
	u32 line, length;
	u32 site;       /* + 1: an access that is told; or 0 */
	u8 barrier;     /* enum ptxsim_barrier + 1; or 0 */
	bool is_number; /* of the block's barriers: operand a has it */
};

struct observing {
	struct observer observer;
	struct told_launch told;
	const struct launch *launch;
	struct site_list sites;
	struct told_insn **insns; /* by code and decoded instruction */
};

/* --- Before the run ------------------------------------------------------------------------- */

static u8 barrier_of(const struct form *f)
{
	const u32 traits = f->row->traits;

	if (traits & TRAIT_CLUSTER_BARRIER)
		return PTXSIM_BARRIER_CLUSTER + 1;
	if (traits & TRAIT_WARP_BARRIER)
		return PTXSIM_BARRIER_WARP + 1;
	return traits & TRAIT_BARRIER ? PTXSIM_BARRIER_BLOCK + 1 : 0;
}

/* Only a decoded instruction that does the work of one of the text is reported, so that each is seen once. */
static struct told_insn describe(const struct observing *o, const struct code *code, u32 insn)
{
	const struct ptxsim_observer *to = o->told.observer;
	const u32 origin = code->origin[insn], site = o->sites.slots[code->index][insn];
	struct told_insn t = {.file = NULL};

	if (origin == NO_OPERAND || !code->forms[origin].row || !sites_is_own(code, insn))
		return t;
	if (to->access && site && !(site & SITE_GUARD))
		t.site = site;
	if (to->barrier)
		t.barrier = barrier_of(&code->forms[origin]);
	t.is_number = t.barrier == PTXSIM_BARRIER_BLOCK + 1 && !code->function->listing;
	if (!to->instruction && !t.site && !t.barrier)
		return t;
	const struct place_of at = place_find(code, origin);
	t.file = at.file;
	t.text = at.text;
	t.line = at.line;
	t.length = at.length;
	return t;
}

static void describe_all(struct observing *o, struct arena *arena, const struct program *program)
{
	static const struct accounting_options none;

	o->sites = sites_find(arena, program, &none);
	o->insns = ARENA_ARRAY(arena, program->code_count + 1, struct told_insn *);
	for (u32 c = 0; c < program->code_count; c++) {
		const struct code *code = program->codes[c];
		o->insns[c] = ARENA_ARRAY(arena, code->insn_count + 1, struct told_insn);
		for (u32 k = 0; k < code->insn_count; k++)
			o->insns[c][k] = describe(o, code, k);
	}
}

static bool wants(void *context, const struct code *code, u32 insn)
{
	const struct observing *o = context;

	return o->insns[code->index][insn].file != NULL;
}

/* --- Events --------------------------------------------------------------------------------- */

static struct ptxsim_event event_of(const struct observing *o, const struct block *b)
{
	struct ptxsim_event e = {.struct_size = sizeof e,
				 .launch = o->told.number,
				 .kernel = o->told.kernel,
				 .host_thread = b->worker->number};

	memcpy(e.grid, o->launch->grid, sizeof e.grid);
	memcpy(e.block_shape, o->launch->block, sizeof e.block_shape);
	memcpy(e.block, b->ctaid, sizeof e.block);
	return e;
}

static void tell(const struct observing *o, ptxsim_event_fn *to, const struct ptxsim_event *e)
{
	if (to)
		to(o->told.observer->observer_context, e);
}

/* Shared addresses as they are told: from the block's beginning, or with the other block's rank. */
static u64 told_address(struct warp *w, enum ir_space space, u64 address)
{
	if (space != SPACE_SHARED)
		return address;
	const struct block *owner = address >> SHARED_RANK_SHIFT ? shared_owner(w, address) : w->block;
	const u64 offset = address & ((1u << SHARED_RANK_SHIFT) - 1);
	if (!owner || owner == w->block)
		return owner ? offset : address;
	return (u64)(owner->cluster_rank + 1) << SHARED_RANK_SHIFT | offset;
}

/* False: a space that observers have no name for. */
static bool told_space(enum ir_space space, ptxsim_space *to)
{
	switch (space) {
	case SPACE_GLOBAL:
		*to = PTXSIM_SPACE_GLOBAL;
		return true;
	case SPACE_SHARED:
		*to = PTXSIM_SPACE_SHARED;
		return true;
	case SPACE_LOCAL:
		*to = PTXSIM_SPACE_LOCAL;
		return true;
	case SPACE_CONST:
		*to = PTXSIM_SPACE_CONST;
		return true;
	case SPACE_PARAM:
		*to = PTXSIM_SPACE_PARAM;
		return true;
	default:
		return false;
	}
}

/* Lanes of one space at a time. */
static void tell_lanes(const struct observing *o, struct ptxsim_event *e, struct warp *w, enum ir_space space, u32 mask,
		       const u64 address[WARP_LANES])
{
	u64 told[WARP_LANES] = {0};

	while (mask) {
		enum ir_space first = SPACE_GENERIC;
		u32 same = 0;
		for (u32 left = mask; left; left &= left - 1) {
			const u32 l = (u32)__builtin_ctz(left);
			u64 at = address[l];
			const enum ir_space here = space == SPACE_GENERIC ? generic_space(w, &at) : space;
			if (!same)
				first = here;
			if (here != first)
				continue;
			same |= 1u << l;
			told[l] = told_address(w, here, at);
		}
		mask &= ~same;
		e->lanes = same;
		e->addresses = told;
		if (told_space(first, &e->space))
			tell(o, o->told.observer->access, e);
	}
}

static ptxsim_access access_of(enum account_operation operation)
{
	switch (operation) {
	case ACCOUNT_STORE:
	case ACCOUNT_STMATRIX:
		return PTXSIM_ACCESS_STORE;
	case ACCOUNT_ATOM:
		return PTXSIM_ACCESS_ATOMIC;
	case ACCOUNT_RED:
		return PTXSIM_ACCESS_REDUCTION;
	default:
		return PTXSIM_ACCESS_LOAD;
	}
}

/* cp.async is reported as two accesses: a load from global memory, and a store to shared memory. */
static void tell_copy(const struct observing *o, struct ptxsim_event *e, const struct account_site *s, struct warp *w,
		      const struct insn *i, const u8 *rows, u32 mask)
{
	u64 address[WARP_LANES];

	e->bytes = s->width;
	operand_addresses(s, i, rows, 2, address);
	tell_lanes(o, e, w, SPACE_GLOBAL, mask, address);
	e->access = PTXSIM_ACCESS_STORE;
	operand_addresses(s, i, rows, 0, address);
	tell_lanes(o, e, w, SPACE_SHARED, mask, address);
}

static void tell_access(const struct observing *o, struct ptxsim_event *e, const struct account_site *s, struct warp *w,
			const struct insn *i, const u8 *rows, u32 mask)
{
	u64 address[WARP_LANES];

	e->access = access_of(s->operation);
	e->bytes = s->width;
	if (s->operation >= ACCOUNT_ASYNC) {
		tell_copy(o, e, s, w, i, rows, mask);
		return;
	}
	row_addresses(rows, i->a, i->imm, s->wide, address);
	if (!s->fragment) {
		tell_lanes(o, e, w, s->space, mask & s->matrix_mask, address);
		return;
	}
	const u64 stride = fragments_stride(s->fragment, s->code, s->form, i, rows, mask);
	for (u32 k = 0; k < s->fragment->count; k++) {
		u64 part[WARP_LANES];
		fragments_address(s->fragment, k, address, stride, part);
		e->bytes = s->fragment->access[k].bytes;
		tell_lanes(o, e, w, s->space, mask, part);
	}
}

static void tell_barrier(const struct observing *o, struct ptxsim_event *e, const struct told_insn *t,
			 const struct insn *i, const u8 *rows)
{
	e->barrier = (ptxsim_barrier)(t->barrier - 1);
	if (t->is_number)
		e->barrier_number = ((const u32 *)(const void *)(rows + i->a))[__builtin_ctz(e->lanes)];
	tell(o, o->told.observer->barrier, e);
}

/* The instruction first, then what it is besides: a barrier, an access. */
static void tell_all(const struct observing *o, const struct code *code, u32 insn, struct warp *w, const struct insn *i,
		     const u8 *rows, u32 mask)
{
	const struct told_insn *t = &o->insns[code->index][insn];

	if (!mask)
		return;
	struct ptxsim_event e = event_of(o, w->block);
	e.warp = w->index;
	e.lanes = mask;
	e.function = code->function->name;
	e.file = t->file;
	e.line = t->line;
	e.instruction = t->text;
	e.instruction_length = t->length;
	tell(o, o->told.observer->instruction, &e);
	if (t->barrier)
		tell_barrier(o, &e, t, i, rows);
	if (t->site)
		tell_access(o, &e, &o->sites.items[t->site - 1], w, i, rows, mask);
}

static void before(void *context, struct warp *w, const struct insn *i, u8 *rows, u32 mask)
{
	const struct code *code = w->frame->code;

	tell_all(context, code, (u32)(i - w->grid->insns[code->index]), w, i, rows, mask);
}

static void gang_before(void *context, const struct gang *g, const struct insn *i)
{
	const u32 insn = (u32)(i - g->plain);
	struct warp *w = g->warps;

	if (g->on)
		EACH_MEMBER (g, one)
			tell_all(context, g->code, insn, one->warp, i, one->rows, one->mask);
	else
		EACH_WARP (g)
			tell_all(context, g->code, insn, w++, i, rows, FULL_MASK);
}

static void block_start(void *context, struct block *b)
{
	const struct observing *o = context;
	const struct ptxsim_event e = event_of(o, b);

	tell(o, o->told.observer->block_begin, &e);
}

static void block_end(void *context, struct block *b)
{
	const struct observing *o = context;
	const struct ptxsim_event e = event_of(o, b);

	tell(o, o->told.observer->block_end, &e);
}

/* --- The observer --------------------------------------------------------------------------- */

/* Lives in the arena, as long as the launch. */
struct observing *observing_new(struct arena *arena, struct launch *l, const struct told_launch *told)
{
	struct observing *o = ARENA_NEW(arena, struct observing);

	o->told = *told;
	o->launch = l;
	o->observer = (struct observer){.context = o,
					.wants = wants,
					.before = before,
					.gang_before = gang_before,
					.block_start = block_start,
					.block_end = block_end};
	describe_all(o, arena, l->program);
	if (!told->observer->any_thread)
		l->jobs = 1;
	return o;
}

struct observer *observing_observer(struct observing *o) { return &o->observer; }
