/* SPDX-License-Identifier: Apache-2.0
 *
 * The race check: what each instruction is to it, found before the run, and what it does when one runs. Clocks
 * are in race_clocks.c, marks in race_words.c, and race_tell.c words the fault.
 */
#include "observe/races.h"

#include <stdio.h>
#include <string.h>

#include "arch/arch.h"
#include "decode/form_address.h"
#include "exec/gang.h"
#include "exec/run.h"
#include "isa/form.h"
#include "observe/race_async.h"
#include "observe/race_barriers.h"
#include "observe/race_ends.h"
#include "observe/race_proof.h"
#include "observe/race_roles.h"
#include "observe/race_touch.h"
#include "observe/sites.h"
#include "observe/texels.h"

struct races {
	struct observer observer;
	struct async_strict strict; /* which tells it of asynchronous operations */
	struct check_options options;
	const struct check_sites *where;
	const struct program *program;
	const struct site_list *sites;
	struct race_role **roles; /* by code and decoded instruction */
	struct arena *lasting;
	struct race_proof **proofs; /* of kernels that have run, by code; see has_proof */
	bool *has_proof;
	const struct code *proved; /* the launch's kernel; NULL: every access is looked at */
	const bool *quiet;         /* of it: by instruction of the text, those that cannot race */
	bool none;                 /* nothing at all can race */
	bool in_step;              /* lanes of a warp, in the launch */
	struct race_memory memory; /* of a launch */
	u32 lives;
	struct check_findings *others; /* of what is not two accesses */
	struct footprints *footprints; /* NULL: nobody asks for them */
	u32 ahead[BARRIERS_PER_BLOCK]; /* threads of the gang told of that have come there */
};

/* --- Before the run ------------------------------------------------------------------------- */

/* A call of the run time's free(). */
static bool frees(const struct code *code, u32 insn)
{
	const u32 call = code->insns[insn].c;
	const char *name = call < code->call_count ? code->calls[call].external : NULL;

	return name && !strcmp(name, "free");
}

static void find_roles(struct races *r, struct arena *arena)
{
	for (u32 c = 0; c < r->program->code_count; c++) {
		const struct code *code = r->program->codes[c];
		r->roles[c] = ARENA_ARRAY(arena, code->insn_count + 1, struct race_role);
		if (code->function->listing)
			continue;
		for (u32 k = 0; k < code->insn_count; k++) {
			const u32 origin = code->origin[k];
			/* Of what lowering made of one instruction of the text, the site, or else the last. */
			if (origin == NO_OPERAND || !code->forms[origin].row || !sites_is_own(code, k))
				continue;
			r->roles[c][k] = race_role_of(&code->forms[origin]);
			if (code->function->machine)
				r->roles[c][k].does &= ~(u32)RACE_TEXELS;
			if (code->forms[origin].row->flags & ISA_CALL && frees(code, k))
				r->roles[c][k].does = RACE_FREES;
		}
	}
}

/* Of instructions that nothing can race with. */
static bool is_quiet(const struct races *r, const struct code *code, u32 insn)
{
	return r->proved == code && code->origin[insn] != NO_OPERAND && r->quiet[code->origin[insn]];
}

/* Does it stand for a barrier of all threads of the block? */
static bool separates(const struct code *code, u32 origin, const struct race_role *role)
{
	const struct ir_instruction *x = &code->function->body.items[origin];
	const u32 number = code->forms[origin].has_result;

	return role->does & RACE_BARRIER && !role->counts && !x->guard && number < x->operand_count &&
	       x->operands[number].kind == OPERAND_INTEGER && x->operands[number].value == 0;
}

/* Does it take part in barrier 0 in another way: guarded, or with fewer threads? Then a thread may pass the barrier there, and
 * others where it stands for all. */
static bool disturbs(const struct code *code, u32 origin, const struct race_role *role)
{
	const struct ir_instruction *x = &code->function->body.items[origin];
	const u32 number = code->forms[origin].has_result;
	const struct ir_operand *o = number < x->operand_count ? &x->operands[number] : NULL;
	const bool is_other = o && o->kind == OPERAND_INTEGER && o->value;

	return role->does & (RACE_BARRIER | RACE_ARRIVE) && !is_other && !separates(code, origin, role);
}

/* A strong load of memory that is not certainly shared: see race_learn_reads. */
static bool is_poll(const struct races *r, const struct code *code, u32 insn)
{
	const u32 site = r->sites->slots[code->index][insn];
	const struct account_site *s = site && !(site & SITE_GUARD) ? &r->sites->items[site - 1] : NULL;

	return s && s->operation == ACCOUNT_LOAD && s->space != SPACE_SHARED &&
	       r->roles[code->index][insn].does & RACE_STRONG;
}

static struct race_proof *prove(const struct races *r, const struct kernel *k)
{
	const u32 orders = RACE_ACQUIRES | RACE_RELEASES;
	const struct code *code = k->code;
	struct race_proof_role *roles = ARENA_ARRAY(r->lasting, code->function->body.count + 1, struct race_proof_role);
	bool disturbed = false;

	for (u32 n = 0; n < code->insn_count; n++) {
		const struct race_role *role = &r->roles[code->index][n];
		if (code->origin[n] == NO_OPERAND || !role->does)
			continue;
		struct race_proof_role *to = &roles[code->origin[n]];
		to->strong |= (role->does & (RACE_STRONG | RACE_VOLATILE)) == RACE_STRONG;
		to->read_only |= (role->does & RACE_READ_ONLY) != 0;
		to->reaches_grid |= role->scope == RACE_GPU;
		to->orders |= role->does & RACE_FENCE || (role->does & orders && !(role->does & RACE_MBARRIER)) ||
			      is_poll(r, code, n);
		to->separates |= separates(code, code->origin[n], role);
		disturbed |= disturbs(code, code->origin[n], role);
	}
	for (u32 n = 0; disturbed && n < code->function->body.count; n++)
		roles[n].separates = false;
	return race_proof_new(r->lasting, r->program, k, r->sites, roles);
}

/* Whether the kernel, or a function that it may call, does any of it. */
static bool does(const struct races *r, const struct kernel *k, u32 what)
{
	bool any = false;

	for (u32 f = 0; f <= k->function_count; f++) {
		const struct code *code = f ? k->functions[f - 1].code : k->code;
		for (u32 n = 0; code && n < code->insn_count; n++)
			any |= (r->roles[code->index][n].does & what) != 0;
	}
	return any;
}

/* Has it strong loads that may learn of reads? */
static bool polls(const struct races *r, const struct kernel *k)
{
	for (u32 f = 0; f <= k->function_count; f++) {
		const struct code *code = f ? k->functions[f - 1].code : k->code;
		for (u32 n = 0; code && n < code->insn_count; n++)
			if (is_poll(r, code, n))
				return true;
	}
	return false;
}

/* What cannot race in the launch is not looked at. */
static void find_quiet(struct races *r, const struct launch *l)
{
	const struct kernel *k = l->kernel;
	const u32 code = k->code->index, asynchronous = l->async.mode == ASYNC_STRICT ? RACE_ASYNC : 0;
	bool any = true;

	if (!r->has_proof[code])
		r->proofs[code] = prove(r, k);
	r->has_proof[code] = true;
	/* The proof knows nothing of texels, which may be any buffer's, nor what asynchronous operations access. */
	r->proved = r->proofs[code] && !does(r, k, RACE_TEXELS | asynchronous) ? k->code : NULL;
	if (r->proved)
		r->quiet = race_proof_find(r->proofs[code], l, &any);
	r->none = !any && !does(r, k, RACE_MBARRIER | asynchronous);
}

/* --- During the run: one access --------------------------------------------------------------- */

/* An instruction that a warp executes with some of its lanes. */
struct event {
	struct races *r;
	struct race_block *block; /* the warp's */
	struct warp *w;
	const struct insn *i;
	const u8 *rows;
	u32 mask;
	const struct gang *gang; /* that executes it together; or NULL */
};

/* cp.async, as if the lane did it at once: who does not wait for it is told by the check of asynchronous operations. The
 * shared address comes first. */
static void touch_copy(struct race_touch *a, const struct account_site *s, const u8 *rows, u32 mask)
{
	u64 address[WARP_LANES];

	a->writes = true;
	operand_addresses(s, a->i, rows, 0, address);
	race_touch_lanes(a, mask, SPACE_SHARED, address, s->width);
	a->writes = false;
	a->reads = true;
	operand_addresses(s, a->i, rows, 2, address);
	for (u32 left = mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left), bytes = copy_source_bytes(s, a->i, rows, l);
		if (bytes && !(address[l] & (s->width - 1)))
			race_touch_range(a, l, address[l], bytes);
	}
}

static void touch_fragment(const struct race_touch *a, const struct account_site *s, const u8 *rows, u32 mask,
			   const u64 base[WARP_LANES])
{
	const struct fragment_accesses *f = s->fragment;
	const u64 stride = fragments_stride(f, s->code, s->form, a->i, rows, mask);

	for (u32 k = 0; k < f->count; k++) {
		u64 address[WARP_LANES];
		fragments_address(f, k, base, stride, address);
		race_touch_lanes(a, mask, s->space, address, f->access[k].bytes);
	}
}

/* What nothing reads of a vector, nobody misses. */
static void touch_parts(const struct race_touch *a, const struct account_site *s, u32 mask, const u64 base[WARP_LANES])
{
	for (u32 k = 0; k < s->parts.count; k++) {
		u64 address[WARP_LANES];
		for (u32 l = 0; l < WARP_LANES; l++)
			address[l] = base[l] + s->parts.part[k].offset;
		race_touch_lanes(a, mask, s->space, address, s->parts.part[k].bytes);
	}
}

static void find_values(struct race_touch *a, const struct account_site *s, const u8 *rows)
{
	const struct form *f = s->form;

	if (s->operation != ACCOUNT_STORE || s->fragment || s->code->function->listing || form_vector(f) != 1 ||
	    s->width > 8)
		return;
	const u32 bits = f->operand_count ? f->operand_bits[f->operand_count - 1] : 0;
	a->values = rows + insn_operand(s->code, f, a->i, f->operand_count - 1u);
	a->value_bytes = bits == 64 || (!bits && s->width == 8) ? 8 : 4;
	if (a->value_bytes < s->width)
		a->values = NULL;
}

static struct race_touch touch_of(const struct event *e, u32 site, const struct race_role *role)
{
	return (struct race_touch){.r = &e->r->memory,
				   .own = e->block,
				   .w = e->w,
				   .i = e->i,
				   .rows = e->rows,
				   .gang = e->gang,
				   .site = site,
				   .scope = role->does & RACE_STRONG ? (enum race_scope)role->scope : RACE_WEAK,
				   .acquires = role->does & RACE_ACQUIRES,
				   .releases = role->does & RACE_RELEASES,
				   .read_only = role->does & RACE_READ_ONLY,
				   .is_volatile = role->does & RACE_VOLATILE};
}

static void access(const struct event *e, const struct account_site *s, const struct race_role *role)
{
	struct race_touch a = touch_of(e, e->r->where->bases[s->code->index] + s->insn, role);
	const u8 *rows = e->rows;
	const u32 mask = e->mask;
	u64 address[WARP_LANES];

	a.reads = s->operation == ACCOUNT_LOAD || s->operation == ACCOUNT_LDMATRIX || s->operation == ACCOUNT_ATOM ||
		  s->operation == ACCOUNT_RED;
	a.writes = s->operation != ACCOUNT_LOAD && s->operation != ACCOUNT_LDMATRIX;
	if (s->operation >= ACCOUNT_ASYNC) {
		touch_copy(&a, s, rows, mask);
	} else {
		a.wide = s->wide;
		row_addresses(rows, e->i->a, e->i->imm, s->wide, address);
		find_values(&a, s, rows);
		if (s->fragment)
			touch_fragment(&a, s, rows, mask, address);
		else if (s->parts.count)
			touch_parts(&a, s, mask, address);
		else
			race_touch_lanes(&a, mask & s->matrix_mask, s->space, address, s->width);
	}
	if (a.scope && a.writes)
		e->r->memory.clocks.now++;
}

/* Several lanes, all at one address. */
static bool is_one(u32 mask, const u64 address[WARP_LANES])
{
	u64 differs = 0;

	for (u32 left = mask; left; left &= left - 1)
		differs |= address[__builtin_ctz(left)] ^ address[__builtin_ctz(mask)];
	return !differs && mask & (mask - 1);
}

/* An mbarrier is a place that its users read and write strongly; they learn of one another when a wait succeeds. */
static void access_mbarrier(const struct event *e, u32 mask, const struct race_role *role, bool waited)
{
	enum { MBARRIER_BYTES = 8 };
	const struct code *code = e->w->frame->code;
	const u32 insn = (u32)(e->i - grid_entry(e->w->grid, code));
	const struct form *f = &code->forms[code->origin[insn]];
	struct race_touch a = touch_of(e, e->r->where->bases[code->index] + insn, role);
	u64 address[WARP_LANES];

	a.is_mbarrier = true;
	a.writes = !(role->does & RACE_MBARRIER_WAIT);
	a.reads = !(role->does & RACE_MBARRIER_INIT);
	a.acquires &= waited;
	a.waited = waited;
	row_addresses(e->rows, insn_operand(code, f, e->i, role->address),
		      (s32)insn_operand(code, f, e->i, role->address + 1u), f->operand_bits[role->address] == 64,
		      address);
	const enum ir_space space = form_space(f) == SPACE_GENERIC ? SPACE_GENERIC : SPACE_SHARED;
	if (a.scope && (!a.writes || a.releases) && is_one(mask, address) && race_is_whole(e->w, mask))
		race_touch_whole(&a, mask, space, address[__builtin_ctz(mask)], MBARRIER_BYTES);
	else
		race_touch_lanes(&a, mask, space, address, MBARRIER_BYTES);
	if (a.scope && a.writes)
		e->r->memory.clocks.now++;
}

/* Each lane's texels. */
static void access_texels(const struct event *e, const struct race_role *role)
{
	const struct code *code = e->w->frame->code;
	const u32 insn = (u32)(e->i - grid_entry(e->w->grid, code));
	const enum texel_use use = texels_use(warp_form(e->w, e->i));
	struct race_touch a = touch_of(e, e->r->where->bases[code->index] + insn, role);
	u8 values[WARP_LANES][TEXEL_BYTES];
	struct texel_range ranges[TEXEL_RANGES];
	u64 address[WARP_LANES];

	a.reads = use != TEXEL_STORE;
	a.writes = use == TEXEL_STORE || use == TEXEL_REDUCE;
	a.gang = NULL; /* whose rows do not hold what a store leaves */
	for (u32 left = use == TEXEL_STORE ? e->mask : 0; left; left &= left - 1)
		texels_stored(e->w, e->i, e->rows, (u32)__builtin_ctz(left), values[__builtin_ctz(left)]);
	a.values = use == TEXEL_STORE ? values[0] : NULL;
	a.value_bytes = TEXEL_BYTES;
	for (u32 left = e->mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left), count = texels_of(e->w, e->i, e->rows, l, ranges);
		for (u32 k = 0; k < count; k++) {
			address[l] = ranges[k].address;
			race_touch_lanes(&a, left & -left, SPACE_GLOBAL, address, ranges[k].bytes);
		}
	}
	if (a.scope && a.writes)
		e->r->memory.clocks.now++;
}

/* Whoever used a block of the heap must have done so before it is freed. Then its marks are no more: the run time orders
 * what it frees before what it allocates there again. */
static void free_blocks(const struct event *e, const struct race_role *role)
{
	const struct code *code = e->w->frame->code;
	const u32 insn = (u32)(e->i - grid_entry(e->w->grid, code));
	const struct call_site *site = &code->calls[e->i->c];
	struct race_touch a = touch_of(e, e->r->where->bases[code->index] + insn, role);

	a.writes = a.frees = true;
	for (u32 left = e->mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		const u64 address = call_argument(e->w, e->rows, site, 0, 0, l);
		const struct allocation *block = address ? memory_find(e->w->grid->memory, address, 1) : NULL;
		if (block && block->base == address && block->flags & ALLOCATION_HEAP)
			race_touch_range(&a, l, address, block->size);
	}
}

/* --- During the run: the observer ------------------------------------------------------------- */

/* Lanes that have met wait no longer: all members of the mask they gave. */
static void meet(struct races *r, struct race_block *b, struct warp *w, const struct insn *i, const u8 *rows, u32 mask,
		 const struct race_role *role)
{
	const u32 *members = (const u32 *)(const void *)(rows + i->a);

	if (w->resumed || role->does & RACE_EXCHANGE) {
		race_meet_lanes(&r->memory.clocks, b, w, w->resumed ? w->member_mask : mask);
		return;
	}
	for (u32 left = mask; left;) {
		const u32 wanted = members[__builtin_ctz(left)];
		u32 same = 0;
		for (u32 more = left; more; more &= more - 1)
			if (members[__builtin_ctz(more)] == wanted)
				same |= more & -more;
		race_meet_lanes(&r->memory.clocks, b, w, same & wanted);
		left &= ~same;
	}
}

/* The warps of a gang are told of before any of them has come: which phase is this one's? */
static u64 phase_of(struct races *r, const struct warp *w, const struct insn *i, const u8 *rows, u32 lane, u32 number)
{
	const struct code *code = w->frame->code;
	const struct form *f = &code->forms[code->origin[i - grid_entry(w->grid, code)]];
	const u32 row = insn_operand(code, f, i, f->has_result + 1u);
	const u32 threads = row == NO_OPERAND ? 0 : ((const u32 *)(const void *)(rows + row))[lane];
	const struct barrier *b = &w->block->barriers[number];

	r->ahead[number] += WARP_LANES;
	return b->phase + (threads ? (b->arrived + r->ahead[number] - WARP_LANES) / threads : 0);
}

static void arrive(struct races *r, struct race_block *b, struct warp *w, const struct insn *i, const u8 *rows,
		   u32 mask, const struct race_role *role)
{
	const u32 lane = (u32)__builtin_ctz(mask), number = ((const u32 *)(const void *)(rows + i->a))[lane];

	if (number >= BARRIERS_PER_BLOCK)
		return;
	const struct race_arrival a = {.number = number,
				       .phase = role->counts ? phase_of(r, w, i, rows, lane, number)
							     : w->block->barriers[number].phase,
				       .site = check_site(r->where, w, i),
				       .waits = role->does & RACE_BARRIER,
				       .counts = role->counts};
	if (a.counts)
		race_barrier_arrive(r->others, b, w, mask, &a, r->memory.clocks.now);
	race_arrive(&r->memory.clocks, b, w, mask, &a);
}

static void order(struct races *r, struct race_block *b, struct warp *w, const struct insn *i, const u8 *rows, u32 mask,
		  const struct race_role *role)
{
	if (role->does & (RACE_LANES | RACE_EXCHANGE))
		meet(r, b, w, i, rows, mask, role);
	if (role->does & (RACE_CLUSTER_ARRIVE | RACE_CLUSTER_RELAXED | RACE_CLUSTER_WAIT))
		race_count_cluster(b, w, mask, role->does & RACE_CLUSTER_WAIT);
	if (role->does & RACE_CLUSTER_ARRIVE)
		race_arrive_cluster(&r->memory.clocks, b, w, mask);
	if (role->does & RACE_CLUSTER_WAIT)
		race_wait_cluster(b, w, mask);
	if (role->does & RACE_PROXY_FENCE)
		r->memory.proxy_fence = ++r->memory.clocks.now;
	if (role->does & RACE_FENCE)
		race_fence(&r->memory.clocks, b, w, mask, (enum race_scope)role->scope, role->does & RACE_ACQUIRES,
			   role->does & RACE_RELEASES);
	if (role->does & (RACE_BARRIER | RACE_ARRIVE))
		arrive(r, b, w, i, rows, mask, role);
}

static void happen(const struct event *e)
{
	struct races *r = e->r;
	const struct code *code = e->w->frame->code;
	const size_t at = (size_t)(e->i - grid_entry(e->w->grid, code));
	const struct race_role *role = &r->roles[code->index][at];
	const u32 site = r->sites->slots[code->index][at];

	race_resume(&r->memory.clocks, e->block, e->w);
	order(r, e->block, e->w, e->i, e->rows, e->mask, role);
	if (role->does & RACE_MBARRIER)
		access_mbarrier(e, e->mask, role, false);
	if (role->does & RACE_FREES)
		free_blocks(e, role);
	if (role->does & RACE_TEXELS)
		access_texels(e, role);
	if (site && !(site & SITE_GUARD) && !r->sites->items[site - 1].in_frame && !is_quiet(r, code, (u32)at))
		access(e, &r->sites->items[site - 1], role);
}

static void before(void *context, struct warp *w, const struct insn *i, u8 *rows, u32 mask)
{
	memset(((struct races *)context)->ahead, 0, sizeof((struct races *)context)->ahead);
	if (mask)
		happen(&(struct event){.r = context,
				       .block = race_block_of(&((struct races *)context)->memory, w->block),
				       .w = w,
				       .i = i,
				       .rows = rows,
				       .mask = mask});
}

static void gang_before(void *context, const struct gang *g, const struct insn *i)
{
	struct event e = {
		.r = context, .block = race_block_of(&((struct races *)context)->memory, g->block), .i = i, .gang = g};

	memset(e.r->ahead, 0, sizeof e.r->ahead);
	if (g->on) {
		EACH_MEMBER (g, m) {
			e.w = m->warp;
			e.rows = m->rows;
			e.mask = m->mask;
			happen(&e);
		}
		return;
	}
	for (u32 k = 0; k < g->count; k++) {
		e.w = &g->warps[k];
		e.w->frame = e.w->entry_frame;
		e.rows = g->rows + k * g->stride;
		e.mask = FULL_MASK;
		happen(&e);
	}
}

/* Those whose wait for an mbarrier has succeeded know what its users have released. */
static void after(void *context, struct warp *w, const struct insn *i, u8 *rows, u32 mask)
{
	struct races *r = context;
	const struct code *code = w->frame->code;
	const u32 insn = (u32)(i - grid_entry(w->grid, code));
	const struct race_role *role = &r->roles[code->index][insn];

	if (!(role->does & RACE_MBARRIER_WAIT) || w->stop == STOP_FAULT)
		return;
	const u32 result = insn_operand(code, &code->forms[code->origin[insn]], i, 0);
	const u32 done = result == NO_OPERAND ? 0 : *(const u32 *)(const void *)(rows + result) & mask;
	const struct event e = {
		.r = r, .block = race_block_of(&r->memory, w->block), .w = w, .i = i, .rows = rows, .mask = done};
	if (done)
		access_mbarrier(&e, done, role, true);
}

static bool wants(void *context, const struct code *code, u32 insn)
{
	const struct races *r = context;
	const u32 site = r->sites->slots[code->index][insn];

	if (code->function->listing || r->none)
		return false;
	return (site && !(site & SITE_GUARD) && r->sites->items[site - 1].space != SPACE_LOCAL &&
		!is_quiet(r, code, insn)) ||
	       r->roles[code->index][insn].does & ~(u32)(RACE_STRONG | RACE_ACQUIRES | RACE_RELEASES | RACE_READ_ONLY |
							 RACE_VOLATILE | RACE_ASYNC);
}

static void hear_range(void *context, struct warp *w, const struct insn *i, struct async_op *op, u32 lane,
		       enum ir_space space, u64 address, u64 size, bool is_store)
{
	const struct race_async_bytes bytes = {lane, space, address, size, is_store};
	struct races *r = context;

	if (r->footprints && space == SPACE_GLOBAL)
		footprints_range(r->footprints, w, i, address, size, is_store, op->reduces && is_store);
	if (!r->none)
		race_async_range(&r->memory, w, i, check_site(r->where, w, i), op, &bytes);
}

static void hear_waited(void *context, struct warp *w, const struct async_op *op, u32 lanes, bool reading)
{
	race_async_waited(&((struct races *)context)->memory, w, op, lanes, reading);
}

static void hear_counted(void *context, struct warp *w, const struct async_op *op)
{
	(void)w;
	race_async_counted(&((struct races *)context)->memory, op);
}

static const struct async_listener listener = {hear_range, hear_waited, hear_counted};

/* The machine uses its blocks' records again. */
static struct race_block *record_of(struct races *r, struct block *b)
{
	struct race_block **bucket = &r->memory.buckets[((uintptr_t)b / sizeof *b) % RACE_BUCKETS], *x = *bucket;

	while (x && x->block != b)
		x = x->next;
	if (x)
		return x;
	x = ARENA_NEW(r->memory.arena, struct race_block);
	x->words = ARENA_ARRAY(r->memory.arena, b->grid->shared_bytes / (4 * RACE_PAGE_WORDS) + 2, struct race_page);
	x->block = b;
	x->block_bytes = b->grid->shared_bytes;
	x->next = *bucket;
	return *bucket = x;
}

static void block_start(void *context, struct block *b)
{
	struct races *r = context;

	if (r->none)
		return;
	struct race_block *x = record_of(r, b);
	race_start(&r->memory.clocks, x);
	x->index = b->index;
	x->in_step = r->in_step;
	x->life = ++r->lives;
}

static void block_end(void *context, struct block *b)
{
	struct races *r = context;

	if (!r->none && b->cluster->count > 1)
		race_block_ends(&r->memory.clocks, r->others, race_block_of(&r->memory, b));
}

/* --- Around the run ------------------------------------------------------------------------- */

struct races *races_new(struct arena *arena, const struct check_sites *where, const struct site_list *sites,
			const struct check_options *options)
{
	struct races *r = ARENA_NEW(arena, struct races);
	const struct program *program = where->program;

	r->where = where;
	r->program = program;
	r->options = *options;
	r->observer = (struct observer){
		.context = r, .wants = wants, .before = before, .block_start = block_start, .block_end = block_end};
	r->strict = async_strict_with(&listener, r);
	r->sites = sites;
	r->lasting = arena;
	r->roles = ARENA_ARRAY(arena, program->code_count + 1, struct race_role *);
	r->proofs = ARENA_ARRAY(arena, program->code_count + 1, struct race_proof *);
	r->has_proof = ARENA_ARRAY(arena, program->code_count + 1, bool);
	find_roles(r, arena);
	return r;
}

void races_tell_footprints(struct races *r, struct footprints *f) { r->footprints = f; }

/* Do lanes of a warp step together? Where the hardware has them do so, and in PTX for such a target, which later hardware
 * runs as if it did (Volta tuning guide, independent thread scheduling). */
static bool steps_together(const struct launch *l)
{
	const struct ir_module *m = l->kernel->code->function->module;
	const struct arch *written = m && m->target ? arch_find(m->target) : NULL;

	return l->program->arch->divergence != ARCH_INDEPENDENT || (written && written->divergence != ARCH_INDEPENDENT);
}

void races_begin(struct races *r, struct check_findings *others, const struct launch *l)
{
	struct arena *arena = others->arena;

	/* A wait for an mbarrier tells its result afterwards, which gangs do not. */
	const bool gangs = !does(r, l->kernel, RACE_MBARRIER_WAIT);

	r->others = others;
	r->memory.arena = arena;
	r->observer.gang_before = gangs ? gang_before : NULL;
	r->observer.after = gangs ? NULL : after;
	find_quiet(r, l);
	r->in_step = steps_together(l);
	memset(r->memory.buckets, 0, sizeof r->memory.buckets);
	r->memory.global = (struct race_pages){0};
	r->memory.events = (struct race_events){.arena = arena};
	r->memory.findings = (struct race_findings){
		.arena = arena, .sites = r->where, .most = r->options.most, .plain_reads = r->options.plain_reads};
	r->memory.lane_stores = r->options.lane_stores;
	r->memory.polls = polls(r, l->kernel);
	r->memory.proxy_fence = 0;
	r->memory.clocks = (struct race_clocks){.now = 1, .sets.arena = arena};
	r->lives = 0;
}

struct fault *races_finding(const struct races *r, u32 k, const struct launch *l)
{
	return race_finding_fault(&r->memory.findings, k, l);
}

/* The word that a fault's address names, of what the launch has touched. */
static bool find_word(const struct races *r, const struct fault *f, struct race_word *w)
{
	const u64 at = f->address / 4;

	if (f->space == SPACE_GLOBAL || f->space == SPACE_GENERIC)
		return race_global_find(&r->memory.global, &r->memory.events, f->address, w);
	for (u32 k = 0; k < RACE_BUCKETS && f->space == SPACE_SHARED; k++)
		for (const struct race_block *b = r->memory.buckets[k]; b; b = b->next)
			if (b->index == f->block && f->address < 1u << SHARED_RANK_SHIFT &&
			    f->address < b->block_bytes && b->words[at / RACE_PAGE_WORDS].life == b->life) {
				*w = (struct race_word){&b->words[at / RACE_PAGE_WORDS], NULL, at % RACE_PAGE_WORDS};
				return true;
			}
	return false;
}

void races_explain(const struct races *r, const struct launch *l, struct fault *f)
{
	const size_t used = strlen(f->detail);
	struct race_mark last = {.time = 0}, m;
	char place[CHECK_PLACE_TEXT];
	struct race_word word;

	if (f->kind != FAULT_DEADLOCK || !f->size || !find_word(r, f, &word))
		return;
	for (u32 n = 0; n < RACE_READ; n++)
		if (race_mark_get(&r->memory.events, word, (enum race_plane)n, &m) && m.time >= last.time)
			last = m;
	if (!last.time)
		return;
	const u64 thread = last.warp * WARP_LANES + (last.lane == RACE_ANY_LANE ? 0 : last.lane);
	const u32 block = race_mark_block(&last);
	check_site_place(r->where, last.site, place);
	snprintf(f->detail + used, sizeof f->detail - used,
		 "; the last to write it was thread (%llu,%llu,%llu) of block (%u,%u,%u), at %s",
		 (unsigned long long)(thread % l->block[0]), (unsigned long long)(thread / l->block[0] % l->block[1]),
		 (unsigned long long)(thread / l->block[0] / l->block[1]), block % l->grid[0],
		 block / l->grid[0] % l->grid[1], block / l->grid[0] / l->grid[1], place);
}

bool races_meet(const struct races *r, const struct races *other)
{
	return race_pages_meet(&r->memory.global, &r->memory.events, &other->memory.global, &other->memory.events,
			       RACE_GPU);
}

u32 races_count(const struct races *r) { return (u32)r->memory.findings.items.count; }

bool races_have(const struct races *r, u32 site)
{
	for (size_t k = 0; k < r->memory.findings.items.count; k++) {
		const struct race_finding *x = &r->memory.findings.items.items[k];
		if (x->fault.kind == FAULT_RACE && (x->site == site || x->other == site))
			return true;
	}
	return false;
}

u64 races_more(const struct races *r) { return r->memory.findings.more; }

struct observer *races_observer(struct races *r) { return &r->observer; }

const struct async_strict *races_strict(const struct races *r) { return &r->strict; }
