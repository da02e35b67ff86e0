/* SPDX-License-Identifier: Apache-2.0
 *
 * The accounting observer. What can be known of an instruction before the run is worked out once
 * for each, so that an event only forms addresses, asks the rules, and adds.
 */
#include "observe/accounting.h"

#include <string.h>

#include "exec/run.h"
#include "observe/caches.h"
#include "observe/uniform.h"

/* GUARD in a slot: the instruction is the guard of the site's. */
enum { WORKERS = 256, GUARD = 1u << 31 };

struct accounting {
	struct observer observer;
	struct arena *arena;
	const struct program *program;
	struct accounting_options options;
	struct account_site *sites;
	u32 site_count;
	u32 **slots; /* by code and instruction: site + 1, or 0 */
	struct flow *flow;
	struct caches *caches; /* or NULL */
	struct arena arenas[WORKERS];
	/* Of each worker; NULL until it has run a block. */
	struct account *sums[WORKERS];       /* by site */
	struct flow_count *counts[WORKERS]; /* by point of the flow */
	u64 blocks[WORKERS], warps[WORKERS], threads[WORKERS];
};

/* --- Before the run: what an instruction does ----------------------------------------------- */

static bool starts(const char *text, const char *word) { return !strncmp(text, word, strlen(word)); }

static enum ir_space space_of(const struct form *f)
{
	switch (form_pick(f, M_const, M_shared_cluster)) {
	case M_const:
		return SPACE_CONST;
	case M_global:
		return SPACE_GLOBAL;
	case M_local:
		return SPACE_LOCAL;
	case M_param:
	case M_param_entry:
	case M_param_func:
		return SPACE_PARAM;
	case M_shared:
	case M_shared_cta:
	case M_shared_cluster:
		return SPACE_SHARED;
	default:
		return starts(f->row->form, "ldu") ? SPACE_GLOBAL : SPACE_GENERIC;
	}
}

static u32 vector_of(const struct form *f)
{
	switch (form_pick(f, M_v2, M_v8)) {
	case M_v2:
		return 2;
	case M_v4:
		return 4;
	case M_v8:
		return 8;
	default:
		return 1;
	}
}

/* Bits of the address's base register: an address counts two flattened operands. */
static u32 base_bits(const struct form *f)
{
	struct operand_spec specs[FORM_OPERANDS];
	const u32 count = isa_operand_specs(f, specs);
	u32 at = 0;

	for (u32 k = 0; k < count && specs[k].kind != '@'; k++)
		at += specs[k].vector + (specs[k].second != TOKEN_NONE);
	return at < f->operand_count ? f->operand_bits[at] : 0;
}

static enum bank_kind atomic_kind(const struct form *f, bool unused)
{
	const int type = form_type(f, 0), class = type_class(type);
	const u32 value = unused && starts(f->row->form, "red") ? 2 : 3;
	const bool known = f->constant_mask >> value & 1;
	const u64 constant = f->constants[value];
	enum bank_atomic op = BANK_ATOMIC_OTHER;

	if (form_has(f, M_cas))
		op = BANK_ATOMIC_CAS;
	else if (form_has(f, M_exch))
		op = BANK_ATOMIC_EXCH;
	else if (unused && known &&
	         ((form_has(f, M_add) && type == T_u32 && constant == 1) ||
	          (form_has(f, M_inc) && (u32)constant == UINT32_MAX)))
		op = BANK_ATOMIC_ADD_ONE_UNUSED;
	return banks_atomic_kind(op, type_bits(type), class != 'f');
}

/* Whether the text's first operand is a register that nothing in the function reads: then the
 * assembler takes a reduction for an atomic. */
static bool result_is_dead(const struct account_site *s)
{
	const struct ir_function *f = s->code->function;
	const struct ir_instruction *x = &f->body.items[s->code->origin[s->insn]];
	const struct ir_operand *d = x->operand_count ? &x->operands[0] : NULL;

	if (!d || d->kind != OPERAND_REGISTER || !d->symbol || d->symbol->kind != SYM_REGISTER)
		return false;
	for (size_t k = 0; k < f->body.count; k++)
		if (instruction_reads(&f->body.items[k], &s->code->forms[k], d->symbol->reg))
			return false;
	return true;
}

/* Whether one lane does the operation for all, at an address that the text makes the same for all (as
 * recorded): a reduction of 32-bit integers over the warp goes before it, and where the result is used,
 * a constant is added as often as there are lanes. */
static bool is_combined(struct account_site *s, const struct accounting *a)
{
	enum { REDUCTION_CC = 80 }; /* redux */
	const struct form *f = s->form;
	const u32 origin = s->code->origin[s->insn];
	const struct ir_instruction *x = &s->code->function->body.items[origin];
	const int type = form_type(f, 0);
	const bool known = form_has(f, M_add) || form_has(f, M_min) || form_has(f, M_max) || form_has(f, M_and) ||
	                   form_has(f, M_or) || form_has(f, M_xor);
	u32 at = 0;

	while (at < x->operand_count && x->operands[at].kind != OPERAND_ADDRESS)
		at++;
	if (!known || type_bits(type) != 32 || type_class(type) == 'f' || vector_of(f) != 1 ||
	    a->program->arch->cc < REDUCTION_CC || at + 1 >= x->operand_count)
		return false;
	struct uniform *u = uniform_new(a->arena, s->code);
	return uniform_operand(u, &x->operands[at]) &&
	       (s->operation == ACCOUNT_RED || (form_has(f, M_add) && uniform_operand(u, &x->operands[at + 1])));
}

static void describe_atomic(struct account_site *s, const struct insn *i, const struct accounting *a)
{
	const bool unused = (i->d == NO_OPERAND && vector_of(s->form) == 1) ||
	                    (!form_has(s->form, M_exch) && !form_has(s->form, M_cas) && result_is_dead(s));
	const bool red = unused || starts(s->form->row->form, "red");

	s->operation = red ? ACCOUNT_RED : ACCOUNT_ATOM;
	s->bank_kind = atomic_kind(s->form, red);
	s->sector_kind = form_has(s->form, M_cas) ? SECTOR_ATOM_CAS : red ? SECTOR_RED : SECTOR_ATOM;
	s->one_lane = is_combined(s, a);
	if (s->one_lane && s->bank_kind == BANK_ATOM_COUNT)
		s->bank_kind = BANK_ATOM;
}

static void describe_matrix(struct account_site *s, bool is_store)
{
	const struct form *f = s->form;
	const u32 matrices = form_has(f, M_x4) ? 4 : form_has(f, M_x2) ? 2 : 1;

	s->operation = is_store ? ACCOUNT_STMATRIX : ACCOUNT_LDMATRIX;
	s->bank_kind = is_store ? BANK_STMATRIX : BANK_LDMATRIX;
	s->matrix_mask = matrices == 4 ? FULL_MASK : (1u << 8 * matrices) - 1;
	s->width = 16;
	s->space = SPACE_SHARED;
}

static void describe_copy(struct account_site *s)
{
	const bool bypass = form_has(s->form, M_cg);

	s->operation = bypass ? ACCOUNT_ASYNC_BYPASS : ACCOUNT_ASYNC;
	s->past_l1 = bypass;
	s->bank_kind = bypass ? BANK_ASYNC_BYPASS : BANK_ASYNC;
	s->sector_kind = bypass ? SECTOR_ASYNC_BYPASS : SECTOR_ASYNC;
	s->width = (u32)s->form->immediates[0];
	s->wide = s->form->operand_bits[2] == 64;
	s->space = SPACE_GLOBAL;
}

/* Fills *s; false if the instruction accesses no memory that is accounted for. */
static bool describe(struct account_site *s, const struct accounting *a)
{
	const struct form *f = s->form;
	const struct insn *i = &s->code->insns[s->insn];
	const char *name = f->row->form;
	const bool is_copy = starts(name, "cp.async.ca") || starts(name, "cp.async.cg");

	s->matrix_mask = FULL_MASK;
	if (s->code->function->listing)
		return account_describe_listing(s, a->program->arch, a->options.l1);
	s->space = space_of(f);
	s->through_l1 = (a->options.l1 == ACCOUNT_L1_DEFAULT ? a->program->arch->l1_global
	                                                     : a->options.l1 == ACCOUNT_L1_ON) &&
	                !form_has(f, M_cg) && !form_has(f, M_cv);
	s->past_l1 = form_has(f, M_cg) || form_has(f, M_cv) || form_pick(f, M_volatile, M_acquire) != TOKEN_NONE;
	if (is_copy) {
		describe_copy(s);
		return true;
	}
	if (!(f->row->flags & ISA_MEMORY) || i->a == NO_OPERAND)
		return false;
	s->fragment = fragments_describe(a->arena, f);
	s->width = vector_of(f) * type_bits(form_type(f, 0)) / 8;
	s->wide = base_bits(f) == 64;
	if (starts(name, "ldmatrix") || starts(name, "stmatrix")) {
		describe_matrix(s, *name == 's');
	} else if (f->row->flags & ISA_ATOMIC) {
		describe_atomic(s, i, a);
	} else if (s->fragment || starts(name, "ld") || starts(name, "st")) {
		const bool is_store = f->row->flags & ISA_STORE;
		s->operation = is_store ? ACCOUNT_STORE : ACCOUNT_LOAD;
		s->bank_kind = is_store ? BANK_STORE : BANK_LOAD;
		s->sector_kind = is_store ? SECTOR_STORE : SECTOR_LOAD;
		s->empty_runs = !is_store && s->space == SPACE_SHARED && !s->fragment;
	} else {
		return false;
	}
	/* A function's parameters are its frame's: registers in machine code. */
	return s->space != SPACE_PARAM || s->code->function->is_entry;
}

/* Lowering puts internal instructions before one of the text (guard, count, join), with the same
 * origin, and a join after a guarded one that may wait. */
static bool is_internal(const struct code *code, u32 insn)
{
	const u32 origin = code->origin[insn];
	const struct form *f = &code->forms[origin];
	const bool joins = code->function->body.items[origin].guard && f->row && f->row->flags & ISA_SYNC;
	u32 last = insn;

	while (last + 1 < code->insn_count && code->origin[last + 1] == origin)
		last++;
	return insn != last - joins;
}

/* Whether a basic block ends with this decoded instruction, or began just before it. */
static bool parts_blocks(const struct code *code, u32 insn)
{
	const u32 origin = code->origin[insn];

	if (!code->insns[insn].run)
		return false;
	return origin == NO_OPERAND || is_internal(code, insn) || !code->forms[origin].row ||
	       code->forms[origin].row->flags & (ISA_BRANCH | ISA_CALL | ISA_RET | ISA_EXIT);
}

static void find_sites(struct accounting *a)
{
	const struct program *p = a->program;
	VEC_OF(struct account_site) sites = {NULL, 0, 0};

	a->slots = ARENA_ARRAY(a->arena, p->code_count + 1, u32 *);
	for (u32 c = 0; c < p->code_count; c++) {
		const struct code *code = p->codes[c];
		bool copied = false; /* a cp.async stood in this basic block */
		a->slots[c] = ARENA_ARRAY(a->arena, code->insn_count + 1, u32);
		for (u32 k = 0; k < code->insn_count; k++) {
			struct account_site s = {.code = code, .insn = k};
			copied &= !parts_blocks(code, k);
			if (code->origin[k] == NO_OPERAND || is_internal(code, k))
				continue;
			s.form = &code->forms[code->origin[k]];
			if (!s.form->row || !describe(&s, a))
				continue;
			s.first_copy = s.operation >= ACCOUNT_ASYNC && !copied;
			copied |= s.first_copy;
			VEC_PUSH(a->arena, &sites, s);
			a->slots[c][k] = (u32)sites.count;
			if (s.empty_runs && code->function->body.items[code->origin[k]].guard)
				a->slots[c][k - 1] = (u32)sites.count | GUARD;
		}
	}
	a->sites = sites.items;
	a->site_count = (u32)sites.count;
}

/* --- During the run ------------------------------------------------------------------------- */

struct event {
	const struct accounting *a;
	const struct account_site *site;
	struct account *to;
	const struct warp *w;
	const u32 *shared; /* cp.async: where the lanes' bytes go */
};

static void add(struct account *to, enum account_field field, u64 n) { to->n[field] += n; }

static void take_sample(const struct event *e, enum ir_space space, u32 mask, u32 cost, u32 excess,
                        const u64 address[WARP_LANES])
{
	struct account_sample *s = &e->to->worst;
	const u64 order = e->w->block->index << 8 | e->w->index;

	if (s->taken && (excess < s->excess || (excess == s->excess && order >= s->order)))
		return;
	s->taken = true;
	s->space = space;
	s->mask = mask;
	s->cost = cost;
	s->excess = excess;
	s->order = order;
	memcpy(s->address, address, sizeof s->address);
}

/* An atomic that the assembler makes a lock loop of. */
static void add_lock_loop(struct account *to, const struct bank_count *n, u32 mask)
{
	add(to, ACCOUNT_lock_loops, 1);
	add(to, ACCOUNT_lock_rounds, n->rounds);
	add(to, ACCOUNT_lock_retries, n->rounds - 1u);
	add(to, ACCOUNT_lock_attempts, n->lock_attempts);
	add(to, ACCOUNT_lock_failures, n->lock_attempts - (u32)__builtin_popcount(mask));
	add(to, ACCOUNT_lock_false, n->lock_false);
	to->n[ACCOUNT_lock_worst] = max_u64(to->n[ACCOUNT_lock_worst], n->rounds);
}

/* A lock-load that has run: one round of a loop. */
static void add_lock_round(struct account *to, const struct warp *w)
{
	add(to, ACCOUNT_lock_loops, w->lock_rounds == 1);
	add(to, ACCOUNT_lock_rounds, 1);
	add(to, ACCOUNT_lock_retries, w->lock_rounds > 1);
	add(to, ACCOUNT_lock_attempts, (u64)__builtin_popcount(w->lock_tried));
	add(to, ACCOUNT_lock_failures, (u64)__builtin_popcount(w->lock_tried & ~w->lock_got));
	add(to, ACCOUNT_lock_false, (u64)__builtin_popcount(w->lock_false));
	to->n[ACCOUNT_lock_worst] = max_u64(to->n[ACCOUNT_lock_worst], w->lock_rounds);
}

static void count_shared(const struct event *e, u32 mask, const u64 address[WARP_LANES])
{
	const struct account_site *site = e->site;
	struct account *to = e->to;
	const struct bank_access access = {site->bank_kind, e->a->options.bank_mode, site->width,
	                                   mask & site->matrix_mask};
	u32 offset[WARP_LANES];
	struct bank_count n;

	for (u32 l = 0; l < WARP_LANES; l++)
		offset[l] = (u32)address[l] & ((1u << SHARED_RANK_SHIFT) - 1);
	banks_count(e->a->program->arch, &access, offset, &n, NULL);
	banks_add_words(e->a->program->arch, &access, offset, &n, to->banks);
	const u32 cost = n.wavefronts + n.load_wavefronts;
	add(to, ACCOUNT_shared_instructions, 1);
	add(to, ACCOUNT_shared_bytes_wanted, (u64)(u32)__builtin_popcount(access.mask) * site->width);
	add(to, ACCOUNT_shared_units, n.units);
	add(to, ACCOUNT_shared_wavefronts, n.wavefronts);
	add(to, ACCOUNT_shared_ideal, n.ideal);
	add(to, ACCOUNT_shared_conflicts, n.conflicts);
	to->degree[min_u32(n.degree, WARP_LANES)]++;
	if (site->bank_kind >= BANK_ATOM) {
		const bool cas = site->bank_kind == BANK_ATOM_CAS || site->bank_kind == BANK_ATOM_LOOP;
		add(to, ACCOUNT_shared_rounds, n.rounds);
		add(to, cas ? ACCOUNT_shared_rounds_cas : ACCOUNT_shared_rounds_alu, n.rounds);
		if (site->bank_kind == BANK_ATOM_LOOP)
			add(to, ACCOUNT_shared_loop_loads, n.rounds);
		add(to, ACCOUNT_shared_load_wavefronts, n.load_wavefronts);
		add(to, ACCOUNT_shared_load_conflicts, n.load_conflicts);
		if (n.lock_attempts)
			add_lock_loop(to, &n, access.mask);
	}
	take_sample(e, SPACE_SHARED, access.mask, cost, cost > n.ideal ? cost - n.ideal : 0, address);
}

/* first: the space's block of fields, in the order of ACCOUNT_SECTOR_FIELDS. */
static void add_sectors(const struct event *e, enum account_field first, enum ir_space space, u32 mask,
                        const struct sector_count *n, const u64 address[WARP_LANES])
{
	const u64 values[] = {1,
	                      n->requests,
	                      n->transactions,
	                      n->sectors,
	                      n->ideal_sectors,
	                      n->lines,
	                      n->tag_wavefronts,
	                      n->data_reads,
	                      n->data_writes,
	                      n->data_conflicts,
	                      n->bytes_wanted,
	                      n->bytes_moved};

	for (u32 k = 0; k < COUNT_OF(values); k++)
		e->to->n[first + k] += values[k];
	take_sample(e, space, mask, n->sectors, (u32)(n->sectors - n->ideal_sectors), address);
}

static void add_outcome(struct account *to, enum account_field hits, const struct cache_outcome *o)
{
	add(to, hits, o->l1.read_hits + o->l1.write_hits);
	add(to, hits + 1, o->l1.read_misses + o->l1.write_misses);
	add(to, ACCOUNT_l2_read_hits, o->l2.read_hits);
	add(to, ACCOUNT_l2_read_misses, o->l2.read_misses);
	add(to, ACCOUNT_l2_write_hits, o->l2.write_hits);
	add(to, ACCOUNT_l2_write_misses, o->l2.write_misses);
	add(to, ACCOUNT_l2_written_back, o->l2.written_back);
}

static void count_global(const struct event *e, u32 mask, const u64 address[WARP_LANES])
{
	const struct account_site *s = e->site;
	const struct sector_access access = {s->sector_kind, s->width, mask, s->through_l1};
	struct sector_count n;

	sectors_count_global(e->a->program->arch, &access, address, &n, NULL);
	if (s->sector_kind == SECTOR_ASYNC_BYPASS)
		sectors_place_bypass(mask, address, e->shared, &n);
	add_sectors(e, ACCOUNT_global_instructions, SPACE_GLOBAL, mask, &n, address);
	if (e->a->caches) {
		struct cache_outcome outcome = {0};
		caches_global(e->a->caches, e->w->block, &access, s->through_l1 && !s->past_l1, address,
		              &outcome);
		add_outcome(e->to, ACCOUNT_global_l1_hits, &outcome);
	}
}

static void count_local(const struct event *e, u32 mask, const u64 address[WARP_LANES])
{
	const struct account_site *s = e->site;
	const struct sector_access access = {s->sector_kind, s->width, mask, s->through_l1};
	struct sector_count n;
	u32 offset[WARP_LANES];

	for (u32 l = 0; l < WARP_LANES; l++)
		offset[l] = (u32)address[l];
	sectors_count_local(e->a->program->arch, &access, offset, &n);
	add_sectors(e, ACCOUNT_local_instructions, SPACE_LOCAL, mask, &n, address);
	if (e->a->caches) {
		struct cache_outcome outcome = {0};
		caches_local(e->a->caches, e->w, &access, address, &outcome);
		add_outcome(e->to, ACCOUNT_local_l1_hits, &outcome);
	}
}

static void count_constant(const struct event *e, u32 mask, const u64 address[WARP_LANES])
{
	const u32 n = sectors_count_constant(e->a->program->arch, mask, address);

	add(e->to, ACCOUNT_const_instructions, 1);
	add(e->to, ACCOUNT_const_requests, n);
	add(e->to, ACCOUNT_const_divergent, n > 1);
	add(e->to, ACCOUNT_const_replays, n - 1);
	take_sample(e, SPACE_CONST, mask, n, n - 1, address);
}

static void count_space(const struct event *e, enum ir_space space, u32 mask, const u64 address[WARP_LANES])
{
	switch (space) {
	case SPACE_SHARED:
		count_shared(e, mask, address);
		break;
	case SPACE_LOCAL:
		count_local(e, mask, address);
		break;
	case SPACE_CONST:
	case SPACE_PARAM:
		count_constant(e, mask, address);
		break;
	default:
		count_global(e, mask, address);
	}
}

/* Each lane by where its address lies. */
static void count_generic(const struct event *e, u32 mask, u64 address[WARP_LANES])
{
	u32 masks[SPACE_COUNT] = {0};

	for (u32 left = mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		masks[generic_space(e->w, &address[l])] |= 1u << l;
	}
	for (u32 space = 0; space < SPACE_COUNT; space++)
		if (masks[space])
			count_space(e, (enum ir_space)space, masks[space], address);
}

static void form_addresses(const u8 *rows, u32 base, s32 offset, bool wide, u64 address[WARP_LANES])
{
	if (wide) {
		const u64 *from = (const u64 *)(const void *)(rows + base);
		for (u32 l = 0; l < WARP_LANES; l++)
			address[l] = from[l] + (u64)(s64)offset;
	} else {
		const u32 *from = (const u32 *)(const void *)(rows + base);
		for (u32 l = 0; l < WARP_LANES; l++)
			address[l] = from[l] + (u32)offset;
	}
}

/* cp.async: the list starts with the shared address, then the global one. */
static void count_copy(struct event *e, const struct insn *i, const u8 *rows, u32 mask)
{
	const u32 *list = warp_operands(e->w, i);
	u64 address[WARP_LANES];
	u32 shared[WARP_LANES];

	form_addresses(rows, list[0], (s32)list[1], e->site->form->operand_bits[0] == 64, address);
	count_shared(e, mask, address);
	for (u32 l = 0; l < WARP_LANES; l++)
		shared[l] = (u32)address[l];
	e->shared = shared;
	form_addresses(rows, list[2], (s32)list[3], e->site->wide, address);
	count_global(e, mask, address);
}

static void count_anywhere(const struct event *e, u32 mask, u64 address[WARP_LANES])
{
	if (e->site->space == SPACE_GENERIC)
		count_generic(e, mask, address);
	else
		count_space(e, e->site->space, mask, address);
}

/* wmma.load and wmma.store: each of their accesses as one of its own. */
static void count_fragment(const struct event *e, const struct insn *i, const u8 *rows, u32 mask,
                           const u64 base[WARP_LANES])
{
	const struct fragment_accesses *f = e->site->fragment;
	const u64 stride = fragments_stride(f, e->w, i, rows, mask);

	for (u32 k = 0; k < f->count; k++) {
		struct account_site part = *e->site;
		const struct event one = {e->a, &part, e->to, e->w, NULL};
		u64 address[WARP_LANES];
		part.width = f->access[k].bytes;
		fragments_address(f, k, base, stride, address);
		count_anywhere(&one, mask, address);
	}
}

static void count_access(const struct accounting *a, struct warp *w, const struct insn *i, u8 *rows, u32 mask,
                         u32 mark)
{
	const u32 slot = (mark & ~GUARD) - 1;
	const struct account_site *s = &a->sites[slot];
	struct event e = {a, s, &a->sums[w->worker->number][slot], w, NULL};
	u64 address[WARP_LANES];

	/* One that waits for other lanes comes again, with all of them. */
	if (s->form->row->flags & ISA_SYNC && !w->resumed && mask != w->live)
		return;
	if (mark & GUARD) {
		const u32 on = *(const u32 *)(const void *)(rows + i->a);
		add(e.to, ACCOUNT_executed_empty, !(mask & (i->aux ? ~on : on)));
		return;
	}
	add(e.to, ACCOUNT_executed, 1);
	add(e.to, ACCOUNT_lanes, (u64)(u32)__builtin_popcount(mask));
	if (s->one_lane)
		mask &= -mask;
	if (s->operation >= ACCOUNT_ASYNC) {
		count_copy(&e, i, rows, mask);
		return;
	}
	form_addresses(rows, i->a, i->imm, s->wide, address);
	if (s->fragment)
		count_fragment(&e, i, rows, mask, address);
	else
		count_anywhere(&e, mask, address);
}

static void before(void *context, struct warp *w, const struct insn *i, u8 *rows, u32 mask)
{
	const struct accounting *a = context;
	const struct code *code = w->frame->code;
	const u32 insn = (u32)(i - machine_entry(w->machine, code)), mark = a->slots[code->index][insn];

	if (a->options.one_block && w->block->index != a->options.block)
		return;
	if (flow_wants(a->flow, code, insn))
		flow_before(a->flow, a->counts[w->worker->number], code, insn, w, i, rows, mask);
	if (mark)
		count_access(a, w, i, rows, mask, mark);
}

/* A lock-load: what its lanes came to. */
static void after(void *context, struct warp *w, const struct insn *i, u8 *rows, u32 mask)
{
	const struct accounting *a = context;
	const struct code *code = w->frame->code;
	const u32 mark = a->slots[code->index][i - machine_entry(w->machine, code)];

	(void)rows;
	(void)mask;
	if (!mark || !a->sites[(mark & ~GUARD) - 1].is_lock || w->stop == STOP_FAULT)
		return;
	if (!a->options.one_block || w->block->index == a->options.block)
		add_lock_round(&a->sums[w->worker->number][(mark & ~GUARD) - 1], w);
}

static bool wants(void *context, const struct code *code, u32 insn)
{
	const struct accounting *a = context;

	return a->slots[code->index][insn] != 0 || flow_wants(a->flow, code, insn);
}

/* A worker's first block: its sums. Memory that runs out ends the launch as everywhere in a worker. */
static void block_start(void *context, struct block *b)
{
	struct accounting *a = context;
	const u32 k = b->worker->number;

	if (!a->sums[k]) {
		arena_init(&a->arenas[k], &b->worker->out_of_memory);
		a->counts[k] = ARENA_ARRAY(&a->arenas[k], flow_points(a->flow) + 1, struct flow_count);
		a->sums[k] = ARENA_ARRAY(&a->arenas[k], a->site_count + 1, struct account);
	}
	if (a->caches)
		caches_block(a->caches, b);
	if (a->options.one_block && b->index != a->options.block)
		return;
	a->blocks[k]++;
	a->warps[k] += b->warp_count;
	a->threads[k] += b->thread_count;
}

/* --- Around the run ------------------------------------------------------------------------- */

struct accounting *accounting_new(struct arena *arena, const struct program *program,
                                  const struct accounting_options *options)
{
	struct accounting *a = ARENA_NEW(arena, struct accounting);

	a->arena = arena;
	a->program = program;
	if (options)
		a->options = *options;
	a->observer =
	    (struct observer){.context = a, .wants = wants, 
	                      .before = before, .after = after, .block_start = block_start};
	find_sites(a);
	a->flow = flow_new(arena, program);
	if (a->options.caches != ACCOUNT_CACHES_NONE)
		a->caches = caches_new(arena, program->arch, a->options.caches == ACCOUNT_CACHES_WARM);
	return a;
}

void accounting_free(struct accounting *a)
{
	if (a->caches)
		caches_free(a->caches);
	for (u32 k = 0; k < WORKERS; k++)
		if (a->arenas[k].chunks) {
			arena_free(&a->arenas[k]);
			a->sums[k] = NULL;
			a->counts[k] = NULL;
		}
}

struct observer *accounting_observer(struct accounting *a) { return &a->observer; }

const struct program *accounting_program(const struct accounting *a) { return a->program; }

const struct instruction_facts *accounting_facts(const struct accounting *a, const struct code *code)
{
	return flow_facts(a->flow, code);
}

const struct arch *accounting_arch(const struct accounting *a) { return a->program->arch; }

enum bank_mode accounting_bank_mode(const struct accounting *a) { return a->options.bank_mode; }

u32 accounting_sites(const struct accounting *a, const struct account_site **sites)
{
	*sites = a->sites;
	return a->site_count;
}

u8 *accounting_state(const struct accounting *a, size_t *bytes)
{
	*bytes = a->site_count * sizeof *a->sums[0];
	return (u8 *)a->sums[0];
}

void accounting_begin(struct accounting *a)
{
	for (u32 k = 0; k < WORKERS; k++) {
		if (!a->sums[k])
			continue;
		memset(a->sums[k], 0, a->site_count * sizeof *a->sums[k]);
		memset(a->counts[k], 0, flow_points(a->flow) * sizeof *a->counts[k]);
		a->blocks[k] = a->warps[k] = a->threads[k] = 0;
	}
	flow_begin(a->flow);
	if (a->caches)
		caches_begin(a->caches);
}

void account_add(struct account *to, const struct account *from)
{
	const struct account_sample *s = &from->worst, *kept = &to->worst;

	for (u32 k = 0; k < ACCOUNT_FIELD_COUNT; k++)
		to->n[k] = account_takes_most((enum account_field)k) ? max_u64(to->n[k], from->n[k])
		                                                     : to->n[k] + from->n[k];
	for (u32 k = 0; k <= WARP_LANES; k++)
		to->degree[k] += from->degree[k];
	for (u32 k = 0; k < COUNT_OF(to->banks); k++)
		to->banks[k] += from->banks[k];
	if (s->taken && (!kept->taken || s->excess > kept->excess ||
	                 (s->excess == kept->excess && s->order < kept->order)))
		to->worst = *s;
}

/* What the launch as a whole did. */
static void fill_flow(const struct accounting *a, struct arena *arena, struct account_run *run,
                      const struct launch *l)
{
	run->flow = flow_result(a->flow, arena);
	run->timelines = ARENA_ARRAY(arena, TIMELINE_WARPS, struct flow_timeline);
	memcpy(run->timelines, flow_timelines(a->flow), TIMELINE_WARPS * sizeof *run->timelines);
	for (u32 k = 0; k < WORKERS; k++) {
		if (!a->counts[k])
			continue;
		flow_merge(a->flow, a->counts[k], run->flow);
		run->facts[FACT_blocks] += a->blocks[k];
		run->facts[FACT_warps] += a->warps[k];
		run->facts[FACT_threads] += a->threads[k];
	}
	for (u32 c = 0; c < a->program->code_count; c++)
		facts_add_flow(run->facts, a->program->codes[c], run->flow[c],
		               flow_facts(a->flow, a->program->codes[c]));
	run->occupancy = facts_occupancy(run->facts, l, a->options.registers);
}

/* The assembler puts three loads without an address before the first cp.async of a basic block, as
 * the recordings show. */
static void add_dummy_loads(struct account_run *run, u32 site, const struct account_site *s)
{
	enum { DUMMY_LOADS = 3 };
	const u64 executed = run->flow[s->code->index][s->code->origin[s->insn]].executed;

	run->sites[site].n[ACCOUNT_shared_dummy_loads] += DUMMY_LOADS * executed;
	run->operations[s->operation].n[ACCOUNT_shared_dummy_loads] += DUMMY_LOADS * executed;
}

struct account_run *accounting_end(const struct accounting *a, struct arena *arena, const struct launch *l,
                                   const struct launch_stats *stats)
{
	struct account_run *run = ARENA_NEW(arena, struct account_run);

	run->kernel = l->kernel;
	memcpy(run->grid, l->grid, sizeof run->grid);
	memcpy(run->block, l->block, sizeof run->block);
	run->stats = *stats;
	run->sites = ARENA_ARRAY(arena, a->site_count + 1, struct account);
	for (u32 s = 0; s < a->site_count; s++) {
		for (u32 k = 0; k < WORKERS; k++)
			if (a->sums[k])
				account_add(&run->sites[s], &a->sums[k][s]);
		struct account *sum = &run->operations[a->sites[s].operation];
		account_add(sum, &run->sites[s]);
		sum->worst.taken = false;
	}
	fill_flow(a, arena, run, l);
	for (u32 s = 0; s < a->site_count; s++)
		if (a->sites[s].first_copy)
			add_dummy_loads(run, s, &a->sites[s]);
	return run;
}

/* --- Names and places ----------------------------------------------------------------------- */

const char *account_field_name(enum account_field field)
{
	static const char *const names[] = {
#define X(name) #name,
	    ACCOUNT_FIELDS(X)
#undef X
	};

	return names[field];
}

const char *account_operation_name(enum account_operation operation)
{
	static const char *const names[ACCOUNT_OPERATIONS] = {
	    [ACCOUNT_LOAD] = "load",         [ACCOUNT_STORE] = "store",
	    [ACCOUNT_ATOM] = "atomic",       [ACCOUNT_RED] = "reduction",
	    [ACCOUNT_LDMATRIX] = "ldmatrix", [ACCOUNT_STMATRIX] = "stmatrix",
	    [ACCOUNT_ASYNC] = "async",       [ACCOUNT_ASYNC_BYPASS] = "async_bypass"};

	return names[operation];
}

struct place_of accounting_place(const struct account_site *site)
{
	return place_find(site->code, site->code->origin[site->insn]);
}
