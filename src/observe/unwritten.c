/* SPDX-License-Identifier: Apache-2.0
 *
 * The check of unwritten values: accesses of memory, and where values matter.
 */
#include "observe/unwritten.h"

#include <stdio.h>
#include <string.h>

#include "decode/form_address.h"
#include "decode/operands.h"
#include "exec/gang.h"
#include "exec/run.h"
#include "isa/form.h"
#include "observe/defined.h"
#include "observe/unwritten_origin.h"
#include "observe/written.h"

enum { BUCKETS = 256, WARPS = 32 };

struct unwritten_block {
	struct unwritten_block *next;
	const struct block *block;
	struct written shared;
	struct written local[WARPS]; /* lane after lane, `stride` bytes each */
	u64 stride[WARPS];
};

/* Global memory that came unwritten, or holds something undefined. */
struct unwritten_memory {
	struct unwritten_memory *next;
	u64 base;
	struct written written;
};

struct unwritten {
	struct observer observer;
	struct arena *arena; /* of the program: of what outlives a launch */
	const struct check_sites *where;
	const struct site_list *sites;
	struct check_options options;
	struct check_findings *findings;
	struct grid *grid;
	bool slow;                   /* something undefined has been read: every instruction is watched */
	bool begins_slow;            /* a register may be read before it is written */
	bool looks_at_global;        /* some of it came unwritten */
	struct defined_insn **plans; /* by code and decoded instruction, of the launch; NULL: none yet */
	struct unwritten_block *blocks[BUCKETS];
	struct unwritten_memory *memories[BUCKETS];
	struct unwritten_memory *last;
};

/* --- Telling ---------------------------------------------------------------------------------- */

static void tell(struct unwritten *u, const struct warp *w, u32 site, u32 lanes, u32 origin, const char *what)
{
	char text[UNWRITTEN_ORIGIN_TEXT];

	const bool is_register = origin == NO_SITE;
	origin = is_register ? site : origin & ~(u32)DEFINED_COMPUTED;
	struct fault *f = check_tell(u->findings, FAULT_UNWRITTEN, w, site, lanes, origin);
	if (!f)
		return;
	unwritten_origin(u->where, is_register, &origin, text);
	snprintf(f->detail, sizeof f->detail, "%s depends on %s", what, text);
	check_tell_other(f, u->where, FAULT_ROLE_READS, origin, w->block->index, w->index * WARP_LANES + f->lane);
}

/* --- What memory knows ------------------------------------------------------------------------- */

static struct unwritten_block *record_of(const struct unwritten *u, const struct block *b)
{
	struct unwritten_block *x = u->blocks[((uintptr_t)b / sizeof *b) % BUCKETS];

	while (x && x->block != b)
		x = x->next;
	return x;
}

static struct unwritten_memory **bucket_of(struct unwritten *u, u64 base)
{
	return &u->memories[(base * 0x9e3779b97f4a7c15u >> 40) % BUCKETS];
}

static struct unwritten_memory *find_memory(struct unwritten *u, u64 base)
{
	if (u->last && u->last->base == base)
		return u->last;
	struct unwritten_memory *x = *bucket_of(u, base);
	while (x && x->base != base)
		x = x->next;
	return x ? u->last = x : NULL;
}

static bool came_unwritten(const struct allocation *a) { return a->flags & (ALLOCATION_HEAP | ALLOCATION_UNWRITTEN); }

static struct unwritten_memory *memory_of(struct unwritten *u, const struct allocation *a, bool make)
{
	struct unwritten_memory *x = find_memory(u, a->base);

	if (x || !(make || came_unwritten(a)))
		return x;
	x = ARENA_NEW(u->arena, struct unwritten_memory);
	x->base = a->base;
	written_init(&x->written, u->arena, a->size);
	if (!came_unwritten(a))
		written_mark(&x->written, 0, a->size);
	x->next = *bucket_of(u, a->base);
	return *bucket_of(u, a->base) = x;
}

static struct written *local_of(struct unwritten *u, struct unwritten_block *r, const struct warp *w)
{
	const u32 k = w->index % WARPS;

	if (r->stride[k] < w->local_bytes) {
		struct written more;
		written_init(&more, u->findings->arena, w->local_bytes * WARP_LANES);
		for (u64 l = 0; l < WARP_LANES && r->stride[k]; l++)
			written_take(&more, u->findings->arena, l * w->local_bytes, &r->local[k], l * r->stride[k],
				     r->stride[k]);
		r->local[k] = more;
		r->stride[k] = w->local_bytes;
	}
	return &r->local[k];
}

/* Of local memory what is looked at: the kernel's own variables, and what alloca gave it. Functions keep their
 * parameters and results there, too, which calls write. */
static bool is_own_local(const struct warp *w, u64 address, u64 size)
{
	const struct kernel *k = w->grid->kernel;

	if (address >= k->code->local_bytes)
		return w->frame == w->entry_frame;
	for (u32 n = 0; n < k->place_count; n++) {
		const struct place *p = &k->places[n];
		if (p->variable->space == SPACE_LOCAL && address >= p->address &&
		    address + size <= p->address + p->variable->size)
			return true;
	}
	return false;
}

/* Where a lane's access goes. */
struct spot {
	struct written *written; /* NULL: all of it is */
	u64 offset;
	const struct allocation *memory; /* global */
};

static bool find_global(struct unwritten *u, const struct warp *w, u64 address, u64 size, struct spot *s)
{
	s->memory = memory_find(w->grid->memory, address, size);
	if (!s->memory || s->memory->flags & ALLOCATION_READ_ONLY)
		return false;
	struct unwritten_memory *x = memory_of(u, s->memory, false);
	s->written = x ? &x->written : NULL;
	s->offset = address - s->memory->base;
	return true;
}

/* False: the access itself tells what is wrong with the address, or nobody can write there. */
static bool find_spot(struct unwritten *u, struct warp *w, u32 lane, enum ir_space space, u64 address, u64 size,
		      struct spot *s)
{
	*s = (struct spot){.offset = address};
	if (space == SPACE_GENERIC)
		space = generic_space(w, &s->offset);
	if (space == SPACE_GLOBAL)
		return find_global(u, w, s->offset, size, s);
	if (space == SPACE_LOCAL) {
		struct unwritten_block *r = is_own_local(w, s->offset, size) ? record_of(u, w->block) : NULL;
		s->written = r ? local_of(u, r, w) : NULL;
		if (!s->written || s->offset + size > r->stride[w->index % WARPS])
			return false;
		s->offset += lane * r->stride[w->index % WARPS];
		return true;
	}
	struct block *owner = space == SPACE_SHARED ? shared_owner(w, s->offset) : NULL;
	struct unwritten_block *r = owner ? record_of(u, owner) : NULL;
	s->offset &= (1u << SHARED_RANK_SHIFT) - 1;
	if (!r || s->offset + size > r->shared.size)
		return false;
	s->written = &r->shared;
	return true;
}

/* --- The switch to watching all ------------------------------------------------------------------ */

static void watch_all(struct unwritten *u)
{
	const struct program *p = u->where->program;

	if (u->slow)
		return;
	u->slow = true;
	u->plans = ARENA_ARRAY(u->findings->arena, p->code_count + 1, struct defined_insn *);
	for (u32 c = 0; c < p->code_count; c++)
		u->plans[c] = ARENA_ARRAY(u->findings->arena, p->codes[c]->insn_count + 1, struct defined_insn);
	if (!u->begins_slow)
		grid_watch_all(u->grid, &u->observer);
}

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
static void load_lane(const struct access *a, const struct spot *s, u32 lane)
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

static bool is_whole_shared(const struct access *a)
{
	const struct unwritten_block *r =
		a->s->space == SPACE_SHARED && a->w->block->cluster->count == 1 ? record_of(a->u, a->w->block) : NULL;

	return r && written_is_whole(&r->shared);
}

static void load(const struct access *a, u32 mask, const u64 address[WARP_LANES])
{
	struct spot s;

	if (is_whole_shared(a))
		return;
	for (u32 left = mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		if (!find_spot(a->u, a->w, l, a->s->space, address[l], a->s->width, &s) || !s.written ||
		    !written_lacks(s.written, s.offset, a->s->width))
			continue;
		watch_all(a->u);
		load_lane(a, &s, l);
	}
}

/* Of fragments and matrices each result may come from any of what the lanes read. */
static void load_together(const struct access *a, u32 mask, const u64 address[WARP_LANES], u32 bytes)
{
	const struct defined_operand *d[WRITTEN_MOST];
	struct spot s;
	bool any = false;

	if (is_whole_shared(a))
		return;
	for (u32 left = mask; left && !any; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		any = find_spot(a->u, a->w, l, a->s->space, address[l], bytes, &s) && s.written &&
		      written_lacks(s.written, s.offset, bytes);
	}
	if (!any)
		return;
	watch_all(a->u);
	const u32 count = values_of(plan_of_access(a), DEFINED_RESULT_OF, d);
	for (u32 k = 0; k < count; k++)
		for (u32 left = a->mask; left; left &= left - 1)
			defined_put(a->w->frame, d[k], (u32)__builtin_ctz(left), UINT64_MAX, a->site);
}

/* Structures are copied with their padding: the beginning of a word, a power of two of bytes, is defined, and the rest
 * is not; or an element of a vector is wholly undefined, and another wholly defined. */
static bool looks_like_padding(const u8 *mask, u32 bytes, u32 elements)
{
	const u32 each = bytes / elements;
	u32 whole = 0, absent = 0;

	for (u32 k = 0; k < elements; k++) {
		u32 defined = 0, undefined = 0;
		while (defined < each && !mask[k * each + defined])
			defined++;
		while (defined + undefined < each && mask[k * each + defined + undefined] == 0xff)
			undefined++;
		if (defined + undefined != each)
			return false;
		whole += undefined == 0;
		absent += defined == 0;
		if (defined && undefined && defined & (defined - 1))
			return false;
	}
	return absent == 0 || (whole && elements > 1);
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

static void store_undefined(const struct access *a, struct spot *s, u32 lane, const u8 *mask, u32 origin, u32 elements)
{
	char what[120];

	if (s->memory && !came_unwritten(s->memory) && !(s->memory->flags & ALLOCATION_VARIABLE)) {
		if (!(origin & DEFINED_COMPUTED) && looks_like_padding(mask, a->s->width, max_u32(1, elements)))
			return;
		snprintf(what, sizeof what, "what is stored to %.60s, which is read out,",
			 s->memory->name ? s->memory->name : "global memory");
		tell(a->u, a->w, a->site, 1u << lane, origin, what);
		return;
	}
	if (!s->written)
		s->written = &memory_of(a->u, s->memory, true)->written;
	if (origin == NO_SITE)
		origin = a->site;
	for (u32 at = 0; at < a->s->width; at += WRITTEN_MOST)
		written_put(s->written, a->u->arena, s->offset + at, min_u32(a->s->width - at, WRITTEN_MOST), mask + at,
			    origin);
}

static void store(const struct access *a, u32 mask, const u64 address[WARP_LANES], u32 bytes)
{
	struct spot s;

	if (!a->u->slow && is_whole_shared(a))
		return;
	for (u32 left = mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		u8 undefined[2 * WRITTEN_MOST] = {0};
		u32 origin = NO_SITE, elements = 1;
		if (!find_spot(a->u, a->w, l, a->s->space, address[l], bytes, &s))
			continue;
		if (a->u->slow && !a->s->fragment && a->s->operation == ACCOUNT_STORE &&
		    stored_mask(a, l, undefined, &origin, &elements))
			store_undefined(a, &s, l, undefined, origin, elements);
		else if (s.written)
			written_mark(s.written, s.offset, bytes);
	}
}

/* An operation that reads, changes and writes is told of at once; an exchange only hands on what was there. */
static void change(const struct access *a, u32 mask, const u64 address[WARP_LANES])
{
	struct spot s;

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
		if (!find_spot(a->u, a->w, l, a->s->space, address[l], a->s->width, &s) || !s.written)
			continue;
		if (written_lacks(s.written, s.offset, a->s->width)) {
			written_get(s.written, s.offset, min_u32(a->s->width, WRITTEN_MOST), bytes, &origin);
			tell(a->u, a->w, a->site, 1u << l, origin, "an atomic operation");
		}
		written_mark(s.written, s.offset, a->s->width);
	}
}

/* --- Copies that complete later ------------------------------------------------------------------- */

static void copy(struct unwritten *u, struct warp *w, u32 lane, u64 to, enum ir_space from_space, u64 from, u64 bytes,
		 u32 site)
{
	struct spot d, s;

	if (!bytes || !find_spot(u, w, lane, SPACE_SHARED, to, bytes, &d) || !d.written)
		return;
	const bool found = find_spot(u, w, lane, from_space, from, bytes, &s);
	written_copy(d.written, u->findings->arena, d.offset, found ? s.written : NULL, found ? s.offset : 0, bytes,
		     site);
}

/* cp.async: the shared address comes first; fewer bytes may be read than written, and the rest is zeros. */
static void copy_small(const struct access *a)
{
	const struct form *f = a->s->form;
	const bool has_count = f->operand_count > 4 && f->operand_bits[4] == 32;
	const bool has_predicate = f->operand_count > 4 && f->operand_bits[4] == 1;
	u64 to[WARP_LANES], from[WARP_LANES];
	struct spot d;

	operand_addresses(a->s, a->i, a->rows, 0, to);
	operand_addresses(a->s, a->i, a->rows, 2, from);
	for (u32 left = a->mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		u64 bytes = has_predicate ? 0 : a->s->width;
		if (has_count)
			bytes = min_u64(bytes, ((const u32 *)(const void *)(a->rows +
									    insn_operand(a->s->code, f, a->i, 4)))[l]);
		if (find_spot(a->u, a->w, l, SPACE_SHARED, to[l], a->s->width, &d) && d.written)
			written_mark(d.written, d.offset, a->s->width);
		copy(a->u, a->w, l, to[l], SPACE_GLOBAL, from[l], bytes, a->site);
	}
}

static bool is_plain_bulk(const struct form *f)
{
	return form_has(f, M_bulk) && !form_has(f, M_tensor) && !form_has(f, M_multicast_cluster) &&
	       form_has(f, M_global) && form_space(f) == SPACE_SHARED && form_space_of(f, 1) == SPACE_GLOBAL;
}

/* What observers are not told of in detail counts as written: all shared memory of the cluster. */
static void hidden_writes(struct unwritten *u, struct warp *w, const struct code *code, const struct form *f,
			  const struct insn *i, const u8 *rows, u32 mask)
{
	const u32 site = check_site(u->where, w, i);
	struct cluster *c = w->block->cluster;

	if (!is_plain_bulk(f)) {
		for (u32 k = 0; k < c->count; k++) {
			struct unwritten_block *r = record_of(u, c->blocks[k]);
			if (r)
				written_mark(&r->shared, 0, r->shared.size);
		}
		return;
	}
	for (u32 left = mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		const u64 to = row_address(rows, insn_operand(code, f, i, 0), (s32)insn_operand(code, f, i, 1),
					   f->operand_bits[0] == 64, l);
		const u64 from = row_address(rows, insn_operand(code, f, i, 2), (s32)insn_operand(code, f, i, 3),
					     f->operand_bits[2] == 64, l);
		const u32 bytes = ((const u32 *)(const void *)(rows + insn_operand(code, f, i, 4)))[l];
		copy(u, w, l, to, SPACE_GLOBAL, from, bytes, site);
	}
}

/* --- The observer ----------------------------------------------------------------------------------- */

static void access_memory(const struct access *a)
{
	u64 address[WARP_LANES];
	const struct account_site *s = a->s;

	if (s->operation >= ACCOUNT_ASYNC) {
		copy_small(a);
		return;
	}
	row_addresses(a->rows, a->i->a, a->i->imm, s->wide, address);
	if (s->fragment) {
		const u64 stride = fragments_stride(s->fragment, s->code, s->form, a->i, a->rows, a->mask);
		for (u32 k = 0; k < s->fragment->count; k++) {
			u64 at[WARP_LANES];
			fragments_address(s->fragment, k, address, stride, at);
			if (s->operation == ACCOUNT_STORE)
				store(a, a->mask, at, s->fragment->access[k].bytes);
			else
				load_together(a, a->mask, at, s->fragment->access[k].bytes);
		}
		return;
	}
	if (s->operation == ACCOUNT_LDMATRIX)
		load_together(a, a->mask & s->matrix_mask, address, s->width);
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
	struct unwritten_block *r = record_of(a->u, a->w->block);
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
	tell(u, w, site, lanes, *defined_origin(w->frame, o->row), what);
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
		else if (u->options.strict_unwritten && d->computes && d->operands[k].role == DEFINED_SOURCE)
			check_use(u, w, site, &d->operands[k], mask, "arithmetic");
	}
}

/* A shuffle that reads a lane which takes no part gives something undefined: before anything else is. */
static void look_at_shuffle(struct unwritten *u, struct warp *w, const struct code *code, u32 insn,
			    const struct insn *i, const u8 *rows, u32 mask)
{
	if (mask == FULL_MASK || u->slow)
		return;
	watch_all(u);
	defined_rows(u->findings->arena, w->frame);
	defined_step(plan_of(u, code, insn), w, i, rows, mask, check_site(u->where, w, i));
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
	const struct form *f = code->origin[insn] == NO_OPERAND ? NULL : &code->forms[code->origin[insn]];

	if (!mask)
		return;
	if (u->slow) {
		struct defined_insn *d = plan_of(u, code, insn);
		if (w->frame->is_new && w->frame->undefined)
			defined_enter(w->frame);
		w->frame->is_new = false;
		defined_rows(u->findings->arena, w->frame);
		check_uses(u, d, w, check_site(u->where, w, i), mask);
		if (d->own)
			defined_step(d, w, i, rows, mask, check_site(u->where, w, i));
	} else if (f && f->row && f->row->traits & TRAIT_SHUFFLES && sites_is_own(code, insn)) {
		look_at_shuffle(u, w, code, insn, i, rows, mask);
	}
	if (is_site)
		access_memory(
			&(struct access){u, w, &u->sites->items[slot - 1], i, rows, mask, check_site(u->where, w, i)});
	else if (f && f->row && f->row->traits & TRAIT_UNSEEN && sites_is_own(code, insn))
		hidden_writes(u, w, code, f, i, rows, mask);
}

static void gang_before(void *context, const struct gang *g, const struct insn *i)
{
	const struct unwritten *u = context;
	const u32 slot = u->sites->slots[g->code->index][i - g->plain];

	/* Once all shared memory is written, nothing more can be said of it. */
	if (!u->slow && slot && !(slot & SITE_GUARD) && u->sites->items[slot - 1].space == SPACE_SHARED &&
	    u->sites->items[slot - 1].operation < ACCOUNT_ASYNC && g->block->cluster->count == 1 &&
	    written_is_whole(&record_of(u, g->block)->shared))
		return;
	gang_before_each(g, i, before, context);
}

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
		case SPACE_LOCAL:
			return true;
		case SPACE_GLOBAL:
			return u->looks_at_global || s->operation >= ACCOUNT_ASYNC;
		default:
			return s->space == SPACE_GENERIC;
		}
	}
	const struct form *f = code->origin[insn] == NO_OPERAND ? NULL : &code->forms[code->origin[insn]];
	return f && f->row && f->row->traits & (TRAIT_SHUFFLES | TRAIT_UNSEEN) && sites_is_own(code, insn);
}

static void block_start(void *context, struct block *b)
{
	struct unwritten *u = context;
	struct unwritten_block **bucket = &u->blocks[((uintptr_t)b / sizeof *b) % BUCKETS], *r = record_of(u, b);

	u->grid = b->grid;
	if (u->begins_slow)
		watch_all(u);
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
	written_mark(&r->shared, 0, min_u64(b->grid->kernel->reserved_shared, b->shared_bytes));
	for (u32 k = 0; k < WARPS; k++)
		if (r->stride[k])
			written_clear(&r->local[k]);
	for (u32 k = 0; u->slow && k < b->warp_count; k++)
		if (b->warps[k].entry_frame)
			defined_enter(b->warps[k].entry_frame);
}

/* --- Around the run ---------------------------------------------------------------------------------- */

struct unwritten *unwritten_new(struct arena *arena, const struct check_sites *where, const struct site_list *sites,
				const struct check_options *options)
{
	struct unwritten *u = ARENA_NEW(arena, struct unwritten);

	u->arena = arena;
	u->where = where;
	u->sites = sites;
	u->options = *options;
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

void unwritten_begin(struct unwritten *u, struct check_findings *findings, const struct launch *l)
{
	u->findings = findings;
	u->grid = NULL;
	u->slow = false;
	u->plans = NULL;
	memset(u->blocks, 0, sizeof u->blocks);
	u->looks_at_global = l->kernel->calls_system;
	for (u32 k = 0; k < l->memory->count; k++)
		u->looks_at_global |= came_unwritten(&l->memory->list[k]) && l->memory->list[k].size;
	u->begins_slow = reads_unwritten_registers(l->kernel) || u->options.strict_unwritten;
	for (u32 k = 0; k < BUCKETS; k++)
		for (const struct unwritten_memory *m = u->memories[k]; m; m = m->next)
			u->looks_at_global |= !written_is_whole(&m->written);
}

struct observer *unwritten_observer(struct unwritten *u) { return &u->observer; }

void unwritten_host_writes(struct unwritten *u, const struct memory *m, u64 address, u64 bytes)
{
	const struct allocation *a = memory_find(m, address, bytes);
	struct unwritten_memory *x = a && bytes ? memory_of(u, a, false) : NULL;

	if (x)
		written_mark(&x->written, address - a->base, bytes);
}

u64 unwritten_first(const struct unwritten *u, const struct memory *m, u64 address, u64 bytes)
{
	const struct allocation *a = bytes ? memory_find(m, address, bytes) : NULL;
	const struct unwritten_memory *x = a ? memory_of((struct unwritten *)(uintptr_t)u, a, false) : NULL;
	u64 k = 0;

	if (!x || !written_lacks(&x->written, address - a->base, bytes))
		return bytes;
	while (k < bytes && !written_lacks(&x->written, address - a->base + k, 1))
		k++;
	return k;
}
