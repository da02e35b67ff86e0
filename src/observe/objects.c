/* SPDX-License-Identifier: Apache-2.0
 *
 * The checks of neighbours and of provenance. What an instruction may access is a range that is known before the launch:
 * each lane's bytes are compared with it.
 *
 *      before the launch   origins_find(): which registers hold an address of which variable or parameter
 *      objects_begin()     where these lie in this launch: base, size; whose addresses stay inside whatever the thread
 *      before(...)         each lane: inside [base, base + size)? if not, but still inside other memory: told
 *
 * Accesses outside all memory are faults anyway, and are left to the access itself.
 */
#include "observe/objects.h"

#include <stdio.h>
#include <string.h>

#include "decode/form_address.h"
#include "exec/gang.h"
#include "exec/run.h"
#include "isa/form.h"
#include "observe/affine.h"
#include "observe/frames.h"
#include "observe/origins.h"

enum { PARTS = 3, MBARRIER_BYTES = 8 };

/* One address operand of an instruction, and what it may reach. */
struct object_access {
	struct origin origin;
	enum ir_space space; /* of the instruction's address */
	u8 operand;          /* its place among the flattened ones */
	u8 bytes;            /* 0: what the site says, or a bulk copy's operand */
	bool stores, looks;  /* looks: in this launch */
	u64 base, size;      /* of local memory: from the frame's base */
	bool is_part;        /* of the variable of PTX, at its origin's offset */
	enum ir_space in;    /* the object's space */
	const char *name;
};

/* A decoded instruction. */
struct object_site {
	const struct form *form;
	const struct account_site *site; /* NULL: a bulk copy, an mbarrier, a store that signals one */
	struct object_access parts[PARTS];
	u32 count;
	bool strays; /* nothing is known of its address, which may be one of local memory */
};

struct objects {
	struct observer observer;
	struct arena *arena; /* as long as the program */
	const struct check_sites *where;
	const struct site_list *sites;
	struct check_options options;
	struct check_findings *findings;
	struct object_site **of;       /* by code and decoded instruction; NULL: it has no object */
	struct affine_values **values; /* by code; NULL: no launch of it has asked */
	struct frames *frames;
	const struct launch *launch;
	bool looks_for_strays; /* in this launch */
};

/* --- Telling ----------------------------------------------------------------------------------- */

/* What lies there instead. */
static const char *other_variable(const struct launch *l, enum ir_space space, u64 address)
{
	const struct kernel *k = l->kernel;

	for (u32 n = 0; n < k->place_count; n++) {
		const struct place *p = &k->places[n];
		if (p->variable->space == space && address - p->address < p->variable->size)
			return p->variable->name;
	}
	return space == SPACE_SHARED && k->uses_dynamic_shared && address >= k->dynamic_shared_offset
		       ? "dynamic shared memory"
		       : NULL;
}

/* What lies there instead: of the frame's variables, too. */
static const char *other_name(const struct objects *o, const struct warp *w, const struct object_access *a, u64 at)
{
	struct frame_variable v;

	if (a->in == SPACE_SHARED)
		return other_variable(o->launch, a->in, at);
	return a->is_part && frames_find(o->frames, w->frame->code->function, a->origin.object,
					 at - (a->base - (u64)a->origin.offset), &v)
		       ? v.name
		       : NULL;
}

/* `address` is what the instruction used, `at` the same as an address of the object's space. */
static void tell(const struct objects *o, const struct warp *w, u32 site, u32 lane, const struct object_access *a,
		 u64 address, u64 at, u64 size)
{
	struct fault *f = check_tell(o->findings, FAULT_OUT_OF_BOUNDS, w, site, 1u << lane, NO_SITE);
	const bool is_before = at < a->base;
	const u64 away = is_before ? a->base - at : at + size - a->base - a->size;

	if (!f)
		return;
	f->address = address;
	f->size = (u32)size;
	f->space = (int)a->space;
	f->is_store = a->stores;
	if (a->in != SPACE_GLOBAL) {
		const char *other = other_name(o, w, a, is_before ? at : at + size - 1);
		snprintf(f->detail, sizeof f->detail,
			 "an address of %.80s (%llu byte%s) is used %llu byte%s %s it%s%.80s", a->name,
			 (unsigned long long)a->size, plural_s(a->size), (unsigned long long)away, plural_s(away),
			 is_before ? "before" : "past", other ? ", in " : "", other ? other : "");
		return;
	}
	const struct allocation *there = memory_find(w->grid->memory, at, size);
	snprintf(f->detail, sizeof f->detail,
		 "an address that comes from parameter '%.60s', which points into %.60s, reaches %.60s",
		 a->origin.object->name, a->name, there && there->name ? there->name : "another allocation");
}

/* --- Looking ------------------------------------------------------------------------------------- */

/* The bytes are somewhere that the access itself does not refuse.
 * Misaligned addresses are refused by the access itself: a power of two is the natural alignment. */
static bool is_anywhere(const struct warp *w, const struct object_access *a, u64 at, u64 size)
{
	if (!(size & (size - 1)) && at & (size - 1))
		return false;
	switch (a->in) {
	case SPACE_SHARED:
		return at <= w->block->shared_bytes && size <= w->block->shared_bytes - at;
	case SPACE_LOCAL:
		return at <= w->local_bytes && size <= w->local_bytes - at;
	default:
		return memory_find(w->grid->memory, at, size) != NULL;
	}
}

/* Addresses of shared memory in other blocks of the cluster are not this block's variables. */
static void look_at_lane(const struct objects *o, struct warp *w, u32 site, u32 lane, const struct object_access *a,
			 u64 address, u64 size)
{
	u64 at = address;
	const enum ir_space space = a->space == SPACE_GENERIC ? generic_space(w, &at) : a->space;

	if (space != a->in)
		return;
	if (space == SPACE_SHARED) {
		if (shared_owner(w, at) != w->block)
			return;
		at &= (1u << SHARED_RANK_SHIFT) - 1;
	}
	if (space == SPACE_LOCAL)
		at -= w->frame->local_base;
	if (at - a->base <= a->size && size <= a->size - (at - a->base))
		return;
	if (is_anywhere(w, a, space == SPACE_LOCAL ? at + w->frame->local_base : at, size))
		tell(o, w, site, lane, a, address, at, size);
}

/* The common case first: addresses of the object's own space, all lanes at once. What is negative is outside: SSE2 compares no
 * numbers of 64 bits. */
static bool are_inside(const struct object_access *a, const u64 address[WARP_LANES], u64 size)
{
	const u64 last = a->size - size;
	u64 signs = last;

	for (u32 l = 0; l < WARP_LANES; l++) {
		const u64 at = address[l] - a->base;
		signs |= at | (last - at);
	}
	return !(signs >> 63);
}

/* The same of addresses of 32 bits in shared memory, straight from their row. */
static bool row_is_inside(const struct object_access *a, const struct account_site *s, const struct insn *i,
			  const u8 *rows)
{
	const u32 *base = (const u32 *)(const void *)(rows + i->a);
	const u32 first = (u32)i->imm - (u32)a->base, last = (u32)(a->size - s->width);
	u32 signs = last;

	if (a->in != SPACE_SHARED || a->space != SPACE_SHARED || s->wide || s->fragment || a->size < s->width)
		return false;
	for (u32 l = 0; l < WARP_LANES; l++) {
		const u32 at = base[l] + first;
		signs |= at | (last - at);
	}
	return !(signs >> 31);
}

static void look_at(const struct objects *o, struct warp *w, u32 site, u32 mask, const struct object_access *a,
		    const u64 address[WARP_LANES], u64 size)
{
	if (a->space == a->in && a->in != SPACE_LOCAL && are_inside(a, address, size))
		return;
	for (; mask; mask &= mask - 1) {
		const u32 l = (u32)__builtin_ctz(mask);
		look_at_lane(o, w, site, l, a, address[l], size);
	}
}

static void look_at_fragment(const struct objects *o, struct warp *w, u32 at, const struct account_site *s,
			     const struct insn *i, const u8 *rows, u32 mask, const struct object_access *a,
			     const u64 base[WARP_LANES])
{
	const u64 stride = fragments_stride(s->fragment, s->code, s->form, i, rows, mask);

	for (u32 k = 0; k < s->fragment->count; k++) {
		u64 address[WARP_LANES];
		fragments_address(s->fragment, k, base, stride, address);
		look_at(o, w, at, mask, a, address, s->fragment->access[k].bytes);
	}
}

/* Addresses that no site has. A bulk copy's size is an operand. */
static void look_at_operand(const struct objects *o, struct warp *w, u32 at, const struct object_site *x,
			    const struct insn *i, const u8 *rows, u32 mask, const struct object_access *a)
{
	enum { SIZE = 4 };
	const struct code *code = w->frame->code;
	const u32 *sizes = a->bytes ? NULL : (const u32 *)(const void *)(rows + insn_operand(code, x->form, i, SIZE));

	for (; mask; mask &= mask - 1) {
		const u32 l = (u32)__builtin_ctz(mask), size = sizes ? sizes[l] : a->bytes;
		const u64 address = row_address(rows, insn_operand(code, x->form, i, a->operand),
						(s32)insn_operand(code, x->form, i, a->operand + 1u),
						x->form->operand_bits[a->operand] == 64, l);
		if (size)
			look_at_lane(o, w, at, l, a, address, size);
	}
}

/* --- What strays into parameters of calls --------------------------------------------------------- */

/* A variable of that space in the frame of `f` that the bytes from `at` on touch, or, of `past`, the last one before. */
static const struct place *find_place(const struct kernel *k, const struct ir_function *f, enum ir_space space, u64 at,
				      u64 size, bool past)
{
	const struct place *found = NULL;

	for (u32 n = 0; n < k->place_count; n++) {
		const struct place *p = &k->places[n];
		const bool is_there = past ? p->address + p->variable->size <= at
					   : p->address < at + size && at < p->address + p->variable->size;
		if (p->variable->owner == f && p->variable->space == space && p->variable->size && is_there &&
		    (!found || p->address > found->address))
			found = p;
	}
	return found;
}

/* Does the function take the parameter's address, so that others may access it by that? */
static bool takes_address(const struct code *code, const struct ir_variable *v)
{
	const struct ir_function *f = code->function;

	for (u32 k = 0; k < f->body.count; k++) {
		const struct ir_instruction *x = &f->body.items[k];
		const bool calls = code->forms[k].row && code->forms[k].row->flags & ISA_CALL;
		for (u32 n = 0; n < x->operand_count && !calls; n++)
			if (x->operands[n].kind == OPERAND_SYMBOL && x->operands[n].symbol &&
			    x->operands[n].symbol->kind == SYM_VARIABLE && x->operands[n].symbol->variable == v)
				return true;
	}
	return false;
}

/* Parameters of calls lie behind a frame's variables here: whoever reaches them by an address has run past one. */
static void look_for_stray(const struct objects *o, struct warp *w, u32 site, u32 lane, const struct account_site *s,
			   u64 address)
{
	u64 at = address;
	const struct frame *f = w->frame;

	if ((s->space == SPACE_GENERIC ? generic_space(w, &at) : s->space) != SPACE_LOCAL ||
	    (!(s->width & (s->width - 1)) && at & (s->width - 1)))
		return;
	while (f && at - f->local_base >= f->code->local_bytes)
		f = f->caller;
	if (!f)
		return;
	at -= f->local_base;
	const struct kernel *k = o->launch->kernel;
	const struct place *in = find_place(k, f->code->function, SPACE_PARAM, at, s->width, false);
	const struct place *of = in ? find_place(k, f->code->function, SPACE_LOCAL, in->address, 0, true) : NULL;
	if (!of || takes_address(f->code, in->variable))
		return;
	const struct object_access a = {.space = s->space,
					.stores = s->operation != ACCOUNT_LOAD,
					.base = of->address,
					.size = of->variable->size,
					.in = SPACE_LOCAL,
					.name = of->variable->name};
	tell(o, w, site, lane, &a, address, at, s->width);
}

static void before(void *context, struct warp *w, const struct insn *i, u8 *rows, u32 mask)
{
	const struct objects *o = context;
	const struct code *code = w->frame->code;
	const u32 insn = (u32)(i - grid_entry(w->grid, code)), at = o->where->bases[code->index] + insn;
	const struct object_site *x = &o->of[code->index][insn];
	u64 address[WARP_LANES];

	if (x->strays && mask) {
		row_addresses(rows, i->a, i->imm, x->site->wide, address);
		for (u32 left = mask; left; left &= left - 1)
			look_for_stray(o, w, at, (u32)__builtin_ctz(left), x->site, address[__builtin_ctz(left)]);
		return;
	}
	for (u32 k = 0; k < x->count && mask; k++) {
		const struct object_access *a = &x->parts[k];
		const struct account_site *s = x->site;
		if (!a->looks)
			continue;
		if (!s) {
			look_at_operand(o, w, at, x, i, rows, mask, a);
			continue;
		}
		if (s->operation < ACCOUNT_ASYNC && row_is_inside(a, s, i, rows))
			continue;
		if (s->operation >= ACCOUNT_ASYNC)
			operand_addresses(s, i, rows, a->operand, address);
		else
			row_addresses(rows, i->a, i->imm, s->wide, address);
		if (s->fragment)
			look_at_fragment(o, w, at, s, i, rows, mask, a, address);
		else
			look_at(o, w, at, mask & s->matrix_mask, a, address, s->width);
	}
}

/* What most gangs do, without a look at each warp: all of them are in one variable of shared memory. */
static bool gang_is_inside(const struct objects *o, const struct gang *g, const struct insn *i)
{
	const struct object_site *x = &o->of[g->code->index][i - g->plain];

	if (g->on || x->strays || x->count != 1 || !x->site || x->site->operation >= ACCOUNT_ASYNC)
		return false;
	for (u32 k = 0; k < g->count; k++)
		if (!row_is_inside(&x->parts[0], x->site, i, g->rows + k * g->stride))
			return false;
	return true;
}

static void gang_before(void *context, const struct gang *g, const struct insn *i)
{
	if (gang_is_inside(context, g, i))
		return;
	gang_before_each(g, i, before, context);
}

static bool wants(void *context, const struct code *code, u32 insn)
{
	const struct objects *o = context;
	const struct object_site *x = o->of[code->index] ? &o->of[code->index][insn] : NULL;
	bool any = x && x->strays && o->looks_for_strays;

	for (u32 k = 0; x && k < x->count; k++)
		any |= x->parts[k].looks;
	return any;
}

/* --- Before the run ------------------------------------------------------------------------------ */

static const struct ir_operand *address_of(const struct ir_instruction *x, u32 number)
{
	for (u32 k = 0; k < x->operand_count; k++)
		if (x->operands[k].kind == OPERAND_ADDRESS && number-- == 0)
			return &x->operands[k];
	return NULL;
}

static void add_part(struct object_site *x, const struct origin *registers, const struct ir_instruction *text,
		     u32 number, enum ir_space space, bool stores)
{
	const struct ir_operand *address = address_of(text, number);
	const struct origin o = address ? origins_address(registers, address) : (struct origin){.kind = ORIGIN_MANY};

	if (o.kind == ORIGIN_OBJECT)
		x->parts[x->count++] = (struct object_access){
			.origin = o, .space = space, .operand = (u8)(2 * number), .stores = stores};
}

static bool is_bulk(const struct form *f)
{
	return f->row->traits & TRAIT_UNSEEN && form_has(f, M_bulk) && !form_has(f, M_tensor) &&
	       !form_has(f, M_multicast_cluster) && f->operand_count > 4 && f->operand_bits[4] == 32;
}

static bool is_remote(const struct form *f) { return form_signals_mbarrier(f) && type_bits(form_type(f, 0)) >= 8; }

/* Of address number `number` of an instruction without a site. */
static u8 bytes_of(const struct form *f, u32 number)
{
	if (is_bulk(f))
		return number < 2 ? 0 : MBARRIER_BYTES;
	if (number || f->row->traits & TRAIT_MBARRIER)
		return MBARRIER_BYTES;
	return (u8)(max_u32(1, form_vector(f)) * type_bits(form_type(f, 0)) / 8);
}

/* All addresses among the operands, which are flattened one after the other. */
static void add_addresses(struct object_site *x, const struct origin *registers, const struct ir_instruction *text)
{
	struct operand_spec specs[FORM_OPERANDS];
	const u32 count = isa_operand_specs(x->form, specs);
	u32 at = 0, number = 0;

	for (u32 k = 0; k < count && number < PARTS; k++) {
		if (specs[k].immediate)
			continue;
		if (specs[k].kind != '@') {
			at += max_u32(1, specs[k].vector) + (specs[k].second != TOKEN_NONE);
			continue;
		}
		const u32 before = x->count;
		add_part(x, registers, text, number, form_space_of(x->form, number), !is_bulk(x->form) || !number);
		if (x->count > before) {
			x->parts[before].operand = (u8)at;
			x->parts[before].bytes = bytes_of(x->form, number);
		}
		number++;
		at += 2;
	}
}

/* Only addresses with exactly one origin are checked: a register that may point into several objects says nothing. */
static void describe(struct object_site *x, const struct objects *o, const struct origin *registers,
		     const struct code *code, u32 insn)
{
	const struct ir_instruction *text = &code->function->body.items[code->origin[insn]];
	const u32 slot = o->sites->slots[code->index][insn];

	x->form = &code->forms[code->origin[insn]];
	if (!x->form->row)
		return;
	if (slot && !(slot & SITE_GUARD)) {
		x->site = &o->sites->items[slot - 1];
		if (x->site->in_frame)
			return;
		add_part(x, registers, text, 0, x->site->operation >= ACCOUNT_ASYNC ? SPACE_SHARED : x->site->space,
			 x->site->operation != ACCOUNT_LOAD && x->site->operation != ACCOUNT_LDMATRIX);
		x->strays = !x->count && x->site->operation < ACCOUNT_ASYNC && !x->site->fragment &&
			    (x->site->space == SPACE_GENERIC || x->site->space == SPACE_LOCAL);
	} else if (is_bulk(x->form) || is_remote(x->form) || x->form->row->traits & TRAIT_MBARRIER) {
		add_addresses(x, registers, text);
	}
}

static bool may_be_access(const struct code *code, u32 insn)
{
	return code->origin[insn] != NO_OPERAND && code->forms[code->origin[insn]].row && sites_is_own(code, insn);
}

struct objects *objects_new(struct arena *arena, const struct check_sites *where, const struct site_list *sites,
			    const struct check_options *options)
{
	struct objects *o = ARENA_NEW(arena, struct objects);
	const struct program *program = where->program;

	o->arena = arena;
	o->frames = frames_new(arena, program);
	o->where = where;
	o->sites = sites;
	o->options = *options;
	o->observer = (struct observer){.context = o, .wants = wants, .before = before, .gang_before = gang_before};
	o->values = ARENA_ARRAY(arena, program->code_count + 1, struct affine_values *);
	o->of = ARENA_ARRAY(arena, program->code_count + 1, struct object_site *);
	for (u32 c = 0; c < program->code_count; c++) {
		const struct code *code = program->codes[c];
		if (code->function->listing || code->function->machine)
			continue;
		const struct origin *registers = origins_find(arena, code);
		o->of[c] = ARENA_ARRAY(arena, code->insn_count + 1, struct object_site);
		for (u32 k = 0; k < code->insn_count; k++)
			if (may_be_access(code, k))
				describe(&o->of[c][k], o, registers, code, k);
	}
	return o;
}

/* A part of local memory that is one of the source's variables. What has no parts is left alone: a loop may begin below
 * what it goes over, where optimised code has something else. So is what does not begin there. */
static void find_part(struct frames *frames, struct object_access *a, const struct code *code)
{
	struct frame_variable part;

	if (a->in != SPACE_LOCAL || a->origin.offset < 0 ||
	    !frames_find(frames, code->function, a->origin.object, (u64)a->origin.offset, &part) || !part.has_parts ||
	    part.at != (u64)a->origin.offset || part.at >= a->size || part.size > a->size - part.at)
		return;
	a->is_part = true;
	a->base += part.at;
	a->size = part.size;
	a->name = part.name;
}

/* A variable of shared or local memory: false if it ends where nothing is known. */
static bool find_variable(struct frames *frames, struct object_access *a, const struct kernel *k,
			  const struct code *code)
{
	const struct ir_variable *v = a->origin.object;

	if (!v->size || v->unsized || (v->space == SPACE_LOCAL && v->owner != code->function))
		return false;
	for (u32 n = 0; n < k->place_count; n++)
		if (k->places[n].variable == v) {
			a->in = v->space;
			a->base = k->places[n].address;
			a->size = v->size;
			a->name = v->name;
			a->is_part = false;
			find_part(frames, a, code);
			return true;
		}
	return false;
}

/* The buffer that a parameter's value points into when the launch begins. */
static bool find_buffer(struct object_access *a, const struct launch *l, const struct code *code)
{
	const struct ir_function *f = code->function;
	u64 value;

	for (u32 k = 0; code == l->kernel->code && k < f->params.count; k++) {
		const u64 at = l->kernel->param_offsets[k] + (u64)a->origin.offset;
		if (f->params.items[k] != a->origin.object || at > l->kernel->param_bytes ||
		    sizeof value > l->kernel->param_bytes - at)
			continue;
		memcpy(&value, l->params + at, sizeof value);
		const struct allocation *b = memory_find(l->memory, value, 1);
		if (!b)
			return false;
		a->in = SPACE_GLOBAL;
		a->base = b->base;
		a->size = b->size;
		a->name = b->name ? b->name : "an unnamed allocation";
		return true;
	}
	return false;
}

/* Does the address stay in its object for every thread of the launch? What the text does not tell, as where loops
 * change it, may leave. */
static bool stays_inside(struct affine_values *v, const struct object_site *x, const struct object_access *a,
			 const struct code *code)
{
	const struct account_site *s = x->site;
	s64 low, high;

	if (!s || s->fragment || s->operation > ACCOUNT_RED || a->space != SPACE_SHARED || a->in != SPACE_SHARED)
		return false;
	const struct affine at = affine_address(v, address_of(&code->function->body.items[code->origin[s->insn]], 0));
	if (at.base != AFFINE_SHARED || !at.known || at.step || at.loop || !affine_range(v, &at, &low, &high))
		return false;
	return low >= (s64)a->base && high < (s64)(a->base + a->size) && s->width <= (s64)(a->base + a->size) - high;
}

/* NULL: nothing is known of the values in this function's registers. One that may be read before it is written can hold
 * anything then. */
static struct affine_values *values_of(struct objects *o, const struct launch *l, const struct code *code)
{
	if (code != l->kernel->code || code->undefined_count || l->kernel->function->limits.blocks_are_clusters)
		return NULL;
	if (!o->values[code->index])
		o->values[code->index] = affine_new(o->arena, o->where->program, l->kernel);
	affine_begin(o->values[code->index], l);
	return o->values[code->index];
}

static bool calls_with_parameters(const struct kernel *k)
{
	for (u32 n = 0; n < k->place_count; n++)
		if (k->places[n].variable->space == SPACE_PARAM && k->places[n].variable->owner &&
		    find_place(k, k->places[n].variable->owner, SPACE_LOCAL, k->places[n].address, 0, true))
			return true;
	return false;
}

/* Is the access looked at in this launch? A parameter may be NULL, or point into a buffer this time. */
static bool must_look(const struct objects *o, struct affine_values *v, const struct object_site *x,
		      struct object_access *a, const struct code *code)
{
	switch (a->origin.object->space) {
	case SPACE_SHARED:
	case SPACE_LOCAL:
		return o->options.neighbours && find_variable(o->frames, a, o->launch->kernel, code) &&
		       !(v && stays_inside(v, x, a, code));
	case SPACE_PARAM:
		return o->options.provenance && find_buffer(a, o->launch, code);
	default:
		return false;
	}
}

void objects_begin(struct objects *o, struct check_findings *findings, const struct launch *l)
{
	o->findings = findings;
	o->launch = l;
	o->looks_for_strays = o->options.neighbours && calls_with_parameters(l->kernel);
	for (u32 c = 0; c < o->where->program->code_count; c++) {
		const struct code *code = o->where->program->codes[c];
		struct affine_values *v = o->of[c] ? values_of(o, l, code) : NULL;
		for (u32 n = 0; o->of[c] && n < code->insn_count; n++)
			for (u32 k = 0; k < o->of[c][n].count; k++) {
				struct object_access *a = &o->of[c][n].parts[k];
				a->looks = must_look(o, v, &o->of[c][n], a, code);
			}
	}
}

struct observer *objects_observer(struct objects *o) { return &o->observer; }
