/* SPDX-License-Identifier: Apache-2.0
 *
 * The check of unwritten values: accesses of memory, and where values matter.
 *
 * Two speeds. At first only bytes are known (observe/written.h): which have been written, in shared, local and
 * allocated memory. Registers are all taken for defined, so only accesses are watched. The first load that finds a byte
 * which nothing has written switches to the second (watch_all): from then on every instruction is watched, and
 * undefined bits are followed through registers and back into memory (observe/defined.h), up to where they decide
 * something: a branch, an address, an atomic operation, or a buffer that the host reads.
 *
 *  load of unwritten bytes ... add, mov, shfl ... setp ... @p bra
 *        watch_all             defined_step, bit by bit      check_use: reported, with the load as its origin
 *
 * A launch whose registers may be read before they are written begins at the second speed. Accesses of shared memory that
 * certainly read what the block has written (observe/written_proof.h) are not watched at the first; if all are such, all of it
 * counts as written.
 */
#include "observe/unwritten.h"

#include <stdio.h>
#include <string.h>

#include "decode/form_address.h"
#include "decode/operands.h"
#include "exec/gang.h"
#include "exec/run.h"
#include "isa/form.h"
#include "isa/machine.h"
#include "observe/defined.h"
#include "observe/defined_machine.h"
#include "observe/defined_matrix.h"
#include "observe/unwritten_calls.h"
#include "observe/unwritten_copies.h"
#include "observe/unwritten_memory.h"
#include "observe/unwritten_origin.h"
#include "observe/unwritten_products.h"
#include "observe/unwritten_texels.h"
#include "observe/written_proof.h"

/* --- The switch to watching all ------------------------------------------------------------------ */

bool unwritten_watch_all(struct unwritten *u)
{
	const struct program *p = u->where->program;

	if (u->slow)
		return true;
	if (u->in_team) {
		u->gave_up = true;
		return false;
	}
	u->slow = true;
	u->plans = ARENA_ARRAY(u->findings->arena, p->code_count + 1, struct defined_insn *);
	for (u32 c = 0; c < p->code_count; c++)
		u->plans[c] = ARENA_ARRAY(u->findings->arena, p->codes[c]->insn_count + 1, struct defined_insn);
	if (!u->begins_slow)
		grid_watch_all(u->grid, &u->observer);
	return true;
}

/* What an instruction does to defined bits, found when it first runs. */
static struct defined_insn *plan_of(struct unwritten *u, const struct code *code, u32 insn)
{
	struct defined_insn *d = &u->plans[code->index][insn];

	if (!d->known)
		defined_describe(d, u->findings->arena, code, insn);
	return d;
}

/* --- Accesses ------------------------------------------------------------------------------------ */

struct access {
	struct unwritten *u;
	struct warp *w;
	const struct account_site *s;
	const struct insn *i;
	const u8 *rows;
	u32 mask, site;
};

static struct defined_insn *plan_of_access(const struct access *a)
{
	defined_rows(a->u->findings->arena, a->w->frame);
	return plan_of(a->u, a->s->code, a->s->insn);
}

/* The operands of that role that hold values, in order; returns how many. */
static u32 values_of(const struct defined_insn *d, u32 role, const struct defined_operand *to[WRITTEN_MOST])
{
	u32 count = 0;

	for (u32 k = 0; k < d->count && count < WRITTEN_MOST; k++)
		if (d->operands[k].role == role)
			to[count++] = &d->operands[k];
	return count;
}

static u64 bits_of(const u8 *mask, u32 bytes)
{
	u64 bits = 0;

	memcpy(&bits, mask, min_u32(bytes, 8));
	return bits;
}

/* What a lane's load makes of the undefined bits there. */
static void load_lane(const struct access *a, const struct unwritten_place *s, u32 lane)
{
	const struct defined_operand *d[WRITTEN_MOST];
	const struct defined_insn *plan = plan_of_access(a);
	const u32 count = values_of(plan, DEFINED_RESULT_OF, d), each = count ? a->s->width / count : 0;
	const bool is_signed = type_class(form_type(a->s->form, 0)) == 's';
	u8 mask[2 * WRITTEN_MOST] = {0};
	u32 origin = a->site;

	for (u32 at = 0; at < min_u32(a->s->width, sizeof mask); at += WRITTEN_MOST)
		written_get(s->written, s->offset + at, min_u32(a->s->width - at, WRITTEN_MOST), mask + at, &origin);
	for (u32 k = 0; k < count && each; k++) {
		u64 bits = bits_of(mask + k * each, each);
		if (is_signed && each < 8 && bits >> (8 * each - 1) & 1)
			bits |= ~0ull << 8 * each;
		if (each > 8)
			bits |= bits_of(mask + k * each + 8, each - 8);
		defined_put(a->w->frame, d[k], lane, bits, origin);
	}
}

/* Whether all of the block's shared memory has been written: then nothing more can be found there. */
static bool is_whole_shared(const struct access *a)
{
	const struct unwritten_block *r = a->s->space == SPACE_SHARED && a->w->block->cluster->count == 1
						  ? unwritten_record(a->u, a->w->block)
						  : NULL;

	return r && written_is_whole(&r->shared);
}

/* Switches speed with the first undefined byte that a lane loads. */
static void load(const struct access *a, u32 mask, const u64 address[WARP_LANES])
{
	struct unwritten_place s;

	if (is_whole_shared(a))
		return;
	for (u32 left = mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		if (!unwritten_spot(a->u, a->w, l, a->s->space, address[l], a->s->width, &s) || !s.written ||
		    !written_lacks(s.written, s.offset, a->s->width))
			continue;
		if (!unwritten_watch_all(a->u))
			return;
		load_lane(a, &s, l);
	}
}

/* Of fragments and other matrices each result may come from any of what the lanes read. */
static void load_together(const struct access *a, u32 mask, const u64 address[WARP_LANES], u32 bytes)
{
	const struct defined_operand *d[WRITTEN_MOST];
	struct unwritten_place s;
	bool any = false;

	if (is_whole_shared(a))
		return;
	for (u32 left = mask; left && !any; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		any = unwritten_spot(a->u, a->w, l, a->s->space, address[l], bytes, &s) && s.written &&
		      written_lacks(s.written, s.offset, bytes);
	}
	if (!any)
		return;
	if (!unwritten_watch_all(a->u))
		return;
	const u32 count = values_of(plan_of_access(a), DEFINED_RESULT_OF, d);
	for (u32 k = 0; k < count; k++)
		for (u32 left = a->mask; left; left &= left - 1)
			defined_put(a->w->frame, d[k], (u32)__builtin_ctz(left), UINT64_MAX, a->site);
}

/* Of 8x8 matrices of 16 bits each result has its place in the rows that lanes name. */
static void load_rows(const struct access *a, u32 mask, const u64 address[WARP_LANES])
{
	const struct defined_operand *d[WRITTEN_MOST];
	u8 undefined[WARP_LANES][DEFINED_ROW_BYTES] = {{0}};
	struct unwritten_place s;
	u32 origin = a->site, lacking = 0;

	if (type_bits(form_type(a->s->form, 0)) != 16) {
		load_together(a, mask, address, a->s->width);
		return;
	}
	for (u32 left = is_whole_shared(a) ? 0 : mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		if (!unwritten_spot(a->u, a->w, l, a->s->space, address[l], a->s->width, &s) || !s.written ||
		    !written_lacks(s.written, s.offset, a->s->width))
			continue;
		written_get(s.written, s.offset, DEFINED_ROW_BYTES, undefined[l], &origin);
		lacking |= 1u << l;
	}
	if (!lacking || !unwritten_watch_all(a->u))
		return;
	defined_load_matrices(a->w->frame, d, values_of(plan_of_access(a), DEFINED_RESULT_OF, d), undefined,
			      form_has(a->s->form, M_trans), origin);
}

/* The undefined bits that a lane stores. False: none. */
static bool stored_mask(const struct access *a, u32 lane, u8 mask[2 * WRITTEN_MOST], u32 *origin, u32 *count)
{
	const struct defined_operand *d[WRITTEN_MOST];
	const struct defined_insn *plan = plan_of_access(a);
	u32 each;
	bool any = false;

	*count = values_of(plan, DEFINED_SOURCE, d);
	each = *count ? a->s->width / *count : 0;
	for (u32 k = 0; k < *count && each && (k + 1) * each <= 2 * WRITTEN_MOST; k++) {
		const u64 bits = defined_get(a->w->frame, d[k], lane);
		if (bits && !any)
			*origin = *defined_origin(a->w->frame, d[k]->row);
		memcpy(mask + k * each, &bits, min_u32(each, 8));
		if (each > 8)
			memcpy(mask + k * each + 8, &bits, each - 8);
		any |= bits_of(mask + k * each, each) != 0;
	}
	return any;
}

/* Has the value been loaded from global memory, that part of a copy alone that is wholly undefined? */
static bool is_copied(const struct access *a, const u8 *mask, u32 origin, u32 bytes, u32 elements)
{
	u32 insn, defined = 0;

	if (origin & DEFINED_COMPUTED)
		return false;
	const struct code *code = check_site_code(a->u->where, origin, &insn);
	const u32 slot = a->u->sites->slots[code->index][insn];
	if (!slot || slot & SITE_GUARD)
		return false;
	const enum ir_space space = a->u->sites->items[slot - 1].space;
	for (u32 k = 0; k < bytes; k++)
		defined += !mask[k];
	return (space == SPACE_GLOBAL || space == SPACE_GENERIC) &&
	       (!defined || unwritten_is_padding(mask, bytes, max_u32(1, elements)));
}

/* Does it matter what is stored there? In a buffer that a `buffer` line made, which the host reads, all does but padding. What
 * becomes of a program's own memory is not known: there all does that is not merely copied from elsewhere, gaps and all. */
static bool matters(const struct access *a, const struct unwritten_place *s, const u8 *mask, u32 origin, u32 elements,
		    u32 bytes)
{
	if (!s->memory || s->memory->flags & (ALLOCATION_VARIABLE | ALLOCATION_HEAP))
		return false;
	if (!unwritten_came(s->memory))
		return origin & DEFINED_COMPUTED || !unwritten_is_padding(mask, bytes, max_u32(1, elements));
	return a->u->kept && !is_copied(a, mask, origin, bytes, elements);
}

/* Undefined bits are stored: told of at once where they matter; other memory keeps them, with their origin. */
static void store_undefined(const struct access *a, struct unwritten_place *s, u32 lane, const u8 *mask, u32 origin,
			    u32 elements, u32 bytes)
{
	const bool came = s->memory && unwritten_came(s->memory);
	char what[120];

	if (matters(a, s, mask, origin, elements, bytes)) {
		snprintf(what, sizeof what, "what is stored to %.60s%s",
			 s->memory->name ? s->memory->name : "global memory", came ? "" : ", which is read out,");
		unwritten_tell(a->u, a->w, a->site, 1u << lane, origin, what);
		if (s->written)
			written_mark(s->written, s->offset, bytes);
		return;
	}
	if (s->memory && !came && !(s->memory->flags & ALLOCATION_VARIABLE))
		return;
	if (!s->written)
		s->written = &unwritten_memory_of(a->u, s->memory, true)->written;
	if (origin == NO_SITE)
		origin = a->site;
	for (u32 at = 0; at < bytes; at += WRITTEN_MOST)
		written_put(s->written, a->u->arena, s->offset + at, min_u32(bytes - at, WRITTEN_MOST), mask + at,
			    origin);
}

/* Bytes become written; at the second speed with the bits of the value. */
static void store(const struct access *a, u32 mask, const u64 address[WARP_LANES], u32 bytes)
{
	struct unwritten_place s;

	if (!a->u->slow && is_whole_shared(a))
		return;
	for (u32 left = mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		u8 undefined[2 * WRITTEN_MOST] = {0};
		u32 origin = NO_SITE, elements = 1;
		if (!unwritten_spot(a->u, a->w, l, a->s->space, address[l], bytes, &s))
			continue;
		if (a->u->slow && !a->s->fragment && a->s->operation == ACCOUNT_STORE &&
		    stored_mask(a, l, undefined, &origin, &elements))
			store_undefined(a, &s, l, undefined, origin, elements, a->s->width);
		else if (s.written)
			written_mark(s.written, s.offset, bytes);
	}
}

/* Any of a fragment's elements may be what is undefined. */
static u32 undefined_fragment_lanes(const struct access *a, u32 *origin)
{
	const struct defined_operand *d[WRITTEN_MOST];
	u32 lanes = 0;

	if (!a->u->slow)
		return 0;
	const u32 count = values_of(plan_of_access(a), DEFINED_SOURCE, d);
	for (u32 k = 0; k < count; k++) {
		const u32 more = defined_lanes(a->w->frame, d[k], a->mask);
		if (more)
			*origin = *defined_origin(a->w->frame, d[k]->row);
		lanes |= more;
	}
	return lanes;
}

static void store_fragment(const struct access *a, const u64 address[WARP_LANES], u32 bytes)
{
	u32 origin = NO_SITE;
	const u32 undefined = undefined_fragment_lanes(a, &origin);
	u8 mask[2 * WRITTEN_MOST];
	struct unwritten_place s;

	store(a, a->mask & ~undefined, address, bytes);
	memset(mask, 0xff, sizeof mask);
	for (u32 left = undefined; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		if (unwritten_spot(a->u, a->w, l, a->s->space, address[l], bytes, &s))
			store_undefined(a, &s, l, mask, origin, 1, bytes);
	}
}

/* An operation that reads, changes and writes is told of at once; an exchange only hands on what was there. */
static void change(const struct access *a, u32 mask, const u64 address[WARP_LANES])
{
	struct unwritten_place s;

	if (form_has(a->s->form, M_exch)) {
		load(a, mask, address);
		store(a, mask, address, a->s->width);
		return;
	}
	if (!a->u->slow && is_whole_shared(a))
		return;
	for (u32 left = mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		u32 origin = a->site;
		u8 bytes[WRITTEN_MOST];
		if (!unwritten_spot(a->u, a->w, l, a->s->space, address[l], a->s->width, &s) || !s.written)
			continue;
		if (written_lacks(s.written, s.offset, a->s->width)) {
			written_get(s.written, s.offset, min_u32(a->s->width, WRITTEN_MOST), bytes, &origin);
			unwritten_tell(a->u, a->w, a->site, 1u << l, origin, "an atomic operation");
		}
		written_mark(s.written, s.offset, a->s->width);
	}
}

/* --- The observer ----------------------------------------------------------------------------------- */

static void access_memory(const struct access *a)
{
	u64 address[WARP_LANES];
	const struct account_site *s = a->s;

	if (s->operation >= ACCOUNT_ASYNC) {
		unwritten_copy_small(a->u, a->w, s, a->i, a->rows, a->mask);
		return;
	}
	if (s->in_frame)
		for (u32 l = 0; l < WARP_LANES; l++)
			address[l] = a->w->frame->local_base + (u64)(s64)a->i->imm;
	else
		row_addresses(a->rows, a->i->a, a->i->imm, s->wide, address);
	if (s->fragment) {
		const u64 stride = fragments_stride(s->fragment, s->code, s->form, a->i, a->rows, a->mask);
		for (u32 k = 0; k < s->fragment->count; k++) {
			u64 at[WARP_LANES];
			fragments_address(s->fragment, k, address, stride, at);
			if (s->operation == ACCOUNT_STORE)
				store_fragment(a, at, s->fragment->access[k].bytes);
			else
				load_together(a, a->mask, at, s->fragment->access[k].bytes);
		}
		return;
	}
	if (s->operation == ACCOUNT_LDMATRIX)
		load_rows(a, a->mask & s->matrix_mask, address);
	else if (s->operation == ACCOUNT_LOAD)
		load(a, a->mask, address);
	else if (s->operation == ACCOUNT_STORE || s->operation == ACCOUNT_STMATRIX)
		store(a, a->mask & s->matrix_mask, address, s->width);
	else
		change(a, a->mask, address);
}

/* As long as nothing undefined is stored, accesses of shared memory are loads of what has been written, and stores, for
 * all lanes at once. True: that is all there is to it. */
static bool is_plain_shared(const struct access *a)
{
	const struct account_site *s = a->s;
	u64 address[WARP_LANES];

	if (s->space != SPACE_SHARED || a->w->block->cluster->count != 1 || s->fragment ||
	    s->operation >= ACCOUNT_ASYNC || (s->operation != ACCOUNT_LOAD && s->operation != ACCOUNT_STORE))
		return false;
	struct unwritten_block *r = unwritten_record(a->u, a->w->block);
	if (!r || written_is_whole(&r->shared))
		return r != NULL;
	row_addresses(a->rows, a->i->a, a->i->imm, s->wide, address);
	return s->operation == ACCOUNT_LOAD ? written_has_lanes(&r->shared, address, a->mask, s->width)
					    : written_mark_lanes(&r->shared, address, a->mask, s->width);
}

/* Where undefined bits decide something. Whoever has been told of them takes them for defined. */
static void check_use(struct unwritten *u, const struct warp *w, u32 site, const struct defined_operand *o, u32 mask,
		      const char *what)
{
	const u32 lanes = defined_lanes(w->frame, o, mask);

	if (!lanes)
		return;
	unwritten_tell(u, w, site, lanes, *defined_origin(w->frame, o->row), what);
	defined_clear(w->frame, o, lanes);
}

static void check_uses(struct unwritten *u, const struct defined_insn *d, const struct warp *w, u32 site, u32 mask)
{
	const struct defined_operand guard = {d->guard, 1, DEFINED_SOURCE};

	if (d->guard != NO_OPERAND)
		check_use(u, w, site, &guard, mask, "a branch or guard");
	for (u32 k = 0; k < d->count; k++) {
		if (d->operands[k].role == DEFINED_BASE)
			check_use(u, w, site, &d->operands[k], mask, "an address");
		else if (d->operands[k].role == DEFINED_BRANCH)
			check_use(u, w, site, &d->operands[k], mask, "a branch or guard");
		else if (d->operands[k].role == DEFINED_TEXEL)
			check_use(u, w, site, &d->operands[k], mask, "what is stored to a surface");
		else if (u->options.strict_unwritten && d->computes && d->operands[k].role == DEFINED_SOURCE)
			check_use(u, w, site, &d->operands[k], mask, "arithmetic");
	}
}

/* What reads or writes memory beside the sites. */
static void look_at_rest(struct unwritten *u, struct warp *w, const struct form *f, const struct insn *i,
			 const u8 *rows, u32 mask)
{
	if (unwritten_is_product(f))
		unwritten_product(u, w, i, rows, mask);
	else if (u->texels[w->frame->code->index][i - grid_entry(w->grid, w->frame->code)])
		unwritten_texels(u, w, i, rows, mask);
}

/* A shuffle that reads a lane which takes no part gives something undefined: before anything else is. */
static void look_at_shuffle(struct unwritten *u, struct warp *w, const struct code *code, u32 insn,
			    const struct insn *i, const u8 *rows, u32 mask)
{
	if (mask == FULL_MASK || u->slow || !unwritten_watch_all(u))
		return;
	defined_rows(u->findings->arena, w->frame);
	defined_step(plan_of(u, code, insn), w, i, rows, mask, check_site(u->where, w, i));
}

static struct unwritten_local local_memory(struct unwritten *u, const struct warp *w)
{
	struct unwritten_block *r = unwritten_record(u, w->block);
	struct written *written = unwritten_local_of(u, r, w);

	return (struct unwritten_local){written, r->stride[w->index % UNWRITTEN_WARPS], u->arena};
}

/* A call has begun in the frame since an instruction of it was watched the last time. */
static void enter(struct unwritten *u, const struct warp *w)
{
	if (!w->frame->is_new)
		return;
	if (w->frame->undefined)
		defined_enter(w->frame);
	w->frame->is_new = false;
	if (w->frame->caller) {
		const struct unwritten_local local = local_memory(u, w);
		unwritten_enter(&local, w);
	}
}

/* Where a function of the device runtime gives its result: through its first argument. What others get there is an address of
 * code, of a launch's parameters, which the kernel itself writes, or of what is about to be written or freed. */
static void mark_results(struct unwritten *u, struct warp *w, const struct insn *i, u32 lanes)
{
	enum { RESULT_BYTES = 8 };
	const struct call_site *site = &w->frame->code->calls[i->c];
	struct unwritten_place s;

	if (!site->in_count || strncmp(site->external, "__cudaCDP2", 10) || strstr(site->external, "Launch"))
		return;
	for (u32 left = lanes; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		const u64 to = call_argument(w, w->frame->rows, site, 0, 0, l);
		if (unwritten_spot(u, w, l, SPACE_GENERIC, to, RESULT_BYTES, &s) && s.written)
			written_mark(s.written, s.offset, RESULT_BYTES);
	}
}

static void call_or_return(struct unwritten *u, struct warp *w, u32 insn, const struct insn *i, u32 mask)
{
	const struct code *code = w->frame->code;
	const bool returns = unwritten_is_return(code, insn);

	if (!returns && !unwritten_is_system_call(code, insn))
		return;
	const struct unwritten_local local = local_memory(u, w);
	if (returns) {
		unwritten_leave(&local, w, mask);
		return;
	}
	unwritten_system(&local, w, i, mask);
	mark_results(u, w, i, mask);
}

/* What the insn itself is: of machine code a row of PTX that it became, or NULL; of PTX what the statement is, to which
 * what lowering put before it belongs. */
static const struct form *form_of(const struct code *code, u32 insn)
{
	if (code->steps)
		return code->steps[insn].form;
	return code->origin[insn] == NO_OPERAND ? NULL : &code->forms[code->origin[insn]];
}

static bool is_shuffle(const struct code *code, u32 insn, const struct form *f)
{
	if (code->steps && !f)
		return code->steps[insn].handler == MACHINE_shfl;
	return f && f->row && f->row->traits & TRAIT_SHUFFLES && sites_is_own(code, insn);
}

static bool is_machine_surface(const struct code *code, u32 insn)
{
	if (!code->steps || code->steps[insn].form)
		return false;
	return code->steps[insn].handler == MACHINE_sust || code->steps[insn].handler == MACHINE_sured;
}

/* At the second speed. */
static void step(struct unwritten *u, struct warp *w, const struct insn *i, u8 *rows, u32 mask, bool is_product)
{
	const u32 site = check_site(u->where, w, i);
	const struct defined_insn *d = plan_of(u, w->frame->code, (u32)(i - grid_entry(w->grid, w->frame->code)));

	defined_rows(u->findings->arena, w->frame);
	check_uses(u, d, w, site, mask); /* of a guard those lanes, too, that it turns off */
	if (d->rule == DEFINED_GUARD)
		defined_machine_select(d, w->frame, rows, mask);
	else if (d->own && !is_product)
		defined_step(d, w, i, rows, mask, site);
}

static void before(void *context, struct warp *w, const struct insn *i, u8 *rows, u32 mask)
{
	struct unwritten *u = context;
	const struct code *code = w->frame->code;
	const u32 insn = (u32)(i - grid_entry(w->grid, code)), slot = u->sites->slots[code->index][insn];
	const bool is_site = slot && !(slot & SITE_GUARD);
	if (is_site && !u->slow &&
	    is_plain_shared(&(struct access){u, w, &u->sites->items[slot - 1], i, rows, mask, NO_SITE}))
		return;
	const struct form *f = form_of(code, insn);

	if (!mask)
		return;
	if (code->origin[insn] ==
	    NO_OPERAND) { /* the system's, and ends of functions: nothing to tell of has a place there */
		if (u->slow && w->frame->undefined)
			defined_clear_results(plan_of(u, code, insn), w->frame, mask);
		return;
	}
	enter(u, w);
	if (f && f->row && f->row->flags & (ISA_RET | ISA_CALL))
		call_or_return(u, w, insn, i, mask);
	if (u->slow)
		step(u, w, i, rows, mask, f && f->row && unwritten_is_product(f));
	else if (is_shuffle(code, insn, f))
		look_at_shuffle(u, w, code, insn, i, rows, mask);
	if (is_site)
		access_memory(
			&(struct access){u, w, &u->sites->items[slot - 1], i, rows, mask, check_site(u->where, w, i)});
	else if (f && f->row && f->row->traits & TRAIT_UNSEEN && sites_is_own(code, insn))
		unwritten_copy_many(u, w, i, rows, mask);
	else if (f && f->row && sites_is_own(code, insn))
		look_at_rest(u, w, f, i, rows, mask);
	else if (is_machine_surface(code, insn))
		unwritten_machine_surface(u, w, i, rows, mask);
	if (u->slow && code->steps)
		defined_machine_select(plan_of(u, code, insn), w->frame, rows, mask);
}

static void gang_before(void *context, const struct gang *g, const struct insn *i)
{
	const struct unwritten *u = context;
	const u32 slot = u->sites->slots[g->code->index][i - g->plain];

	/* Once all shared memory is written, nothing more can be said of it. */
	if (!u->slow && slot && !(slot & SITE_GUARD) && u->sites->items[slot - 1].space == SPACE_SHARED &&
	    u->sites->items[slot - 1].operation < ACCOUNT_ASYNC && g->block->cluster->count == 1 &&
	    written_is_whole(&unwritten_record(u, g->block)->shared))
		return;
	gang_before_each(g, i, before, context);
}

/* Of an access of shared memory: it reads only what is written, or writes what nobody need know of. */
static bool is_proved(const struct unwritten *u, const struct code *code, u32 insn)
{
	return u->proved == code && (u->shared_is_written || (u->quiet && u->quiet[code->origin[insn]]));
}

/* At the first speed: accesses, shuffles, copies, and what begins or ends functions. */
static bool wants(void *context, const struct code *code, u32 insn)
{
	const struct unwritten *u = context;
	const u32 slot = u->sites->slots[code->index][insn];

	if (code->function->listing)
		return false;
	if (u->begins_slow)
		return true;
	if (slot && !(slot & SITE_GUARD)) {
		const struct account_site *s = &u->sites->items[slot - 1];
		switch (s->space) {
		case SPACE_SHARED:
			return s->operation >= ACCOUNT_ASYNC || !is_proved(u, code, insn);
		case SPACE_LOCAL:
			return true;
		case SPACE_GLOBAL:
			return u->looks_at_global || s->operation >= ACCOUNT_ASYNC;
		default:
			return s->space == SPACE_GENERIC;
		}
	}
	if (unwritten_is_return(code, insn) || unwritten_is_system_call(code, insn))
		return true;
	const struct form *f = form_of(code, insn);
	if (is_shuffle(code, insn, f) || (u->looks_at_global && is_machine_surface(code, insn)))
		return true;
	if (!f || !f->row || !sites_is_own(code, insn))
		return false;
	return f->row->traits & TRAIT_UNSEEN || unwritten_is_product(f) ||
	       (u->looks_at_global && u->texels[code->index][insn]);
}

/* A block that takes another one's place begins with nothing written, but for the system's part of shared memory. */
static void block_start(void *context, struct block *b)
{
	struct unwritten *u = context;
	struct unwritten_block **bucket = &u->blocks[((uintptr_t)b / sizeof *b) % UNWRITTEN_BUCKETS],
			       *r = unwritten_record(u, b);

	u->grid = b->grid;
	if (u->begins_slow)
		unwritten_watch_all(u);
	if (!r) {
		r = ARENA_NEW(u->findings->arena, struct unwritten_block);
		r->block = b;
		r->next = *bucket;
		*bucket = r;
	}
	if (r->shared.size != b->shared_bytes || !r->shared.bits)
		written_init(&r->shared, u->findings->arena, b->shared_bytes);
	else
		written_clear(&r->shared);
	written_mark(&r->shared, 0,
		     u->shared_is_written ? b->shared_bytes
					  : min_u64(b->grid->kernel->reserved_shared, b->shared_bytes));
	for (u32 k = 0; k < UNWRITTEN_WARPS; k++)
		if (r->stride[k])
			written_clear(&r->local[k]);
	for (u32 k = 0; u->slow && k < b->warp_count; k++)
		if (b->warps[k].entry_frame)
			defined_enter(b->warps[k].entry_frame);
}

/* --- Around the run ---------------------------------------------------------------------------------- */

/* To read what a row says of its operands takes longer than most of what is looked at. */
static void find_texels(struct unwritten *u)
{
	const struct program *p = u->where->program;

	u->texels = ARENA_ARRAY(u->arena, p->code_count + 1, bool *);
	for (u32 c = 0; c < p->code_count; c++) {
		const struct code *code = p->codes[c];
		u->texels[c] = ARENA_ARRAY(u->arena, code->insn_count + 1, bool);
		for (u32 k = 0; k < code->insn_count && !code->function->machine && !code->function->listing; k++) {
			const struct form *f = code->origin[k] == NO_OPERAND ? NULL : &code->forms[code->origin[k]];
			u->texels[c][k] = f && f->row && sites_is_own(code, k) && texels_use(f) != TEXEL_NONE;
		}
	}
}

struct unwritten *unwritten_new(struct arena *arena, const struct check_sites *where, const struct site_list *sites,
				const struct check_options *options)
{
	struct unwritten *u = ARENA_NEW(arena, struct unwritten);

	u->arena = arena;
	u->where = where;
	u->sites = sites;
	u->options = *options;
	u->program_arena = arena;
	u->proofs = ARENA_ARRAY(arena, where->program->code_count + 1, struct written_proof *);
	u->has_proof = ARENA_ARRAY(arena, where->program->code_count + 1, bool);
	find_texels(u);
	u->observer = (struct observer){
		.context = u, .wants = wants, .before = before, .gang_before = gang_before, .block_start = block_start};
	return u;
}

/* Some function of the kernel reads a register that may not have been written. */
static bool reads_unwritten_registers(const struct kernel *k)
{
	bool any = k->code->undefined_count != 0;

	for (u32 n = 0; n < k->function_count; n++)
		any |= k->functions[n].code && k->functions[n].code->undefined_count;
	return any;
}

/* What reads only what its block has written is not looked at. */
static void find_proof(struct unwritten *u, const struct launch *l)
{
	const u32 code = l->kernel->code->index;

	u->proved = NULL;
	u->shared_is_written = false;
	if (u->begins_slow)
		return;
	if (!u->has_proof[code])
		u->proofs[code] = written_proof_new(u->program_arena, u->where->program, l->kernel, u->sites);
	u->has_proof[code] = true;
	if (!u->proofs[code])
		return;
	u->proved = l->kernel->code;
	u->quiet = written_proof_find(u->proofs[code], l, &u->shared_is_written);
}

/* Memory that was written by launches before stays so. Global memory is looked at only if some of it may not be
 * written. */
void unwritten_begin(struct unwritten *u, struct check_findings *findings, const struct launch *l)
{
	u->findings = findings;
	u->grid = NULL;
	u->slow = false;
	u->plans = NULL;
	memset(u->blocks, 0, sizeof u->blocks);
	u->looks_at_global = l->kernel->calls_system;
	if (u->kept)
		u->looks_at_global |= !written_kept_is_whole(u->kept);
	for (u32 k = 0; k < l->memory->count && !u->kept; k++)
		u->looks_at_global |= unwritten_came(&l->memory->list[k]) && l->memory->list[k].size;
	u->begins_slow = reads_unwritten_registers(l->kernel) || u->options.strict_unwritten;
	for (u32 k = 0; k < UNWRITTEN_BUCKETS; k++)
		for (const struct unwritten_memory *m = u->memories[k]; m; m = m->next)
			u->looks_at_global |= !written_is_whole(&m->written);
	find_proof(u, l);
}

struct observer *unwritten_observer(struct unwritten *u) { return &u->observer; }
