/* SPDX-License-Identifier: Apache-2.0
 *
 * What each instruction does to memory, as far as the text tells: worked out once, before the run.
 */
#include "observe/sites.h"

#include <string.h>

#include "decode/form_address.h"
#include "isa/form.h"
#include "isa/matrix.h"
#include "isa/sregs.h"
#include "observe/narrow.h"
#include "observe/uniform.h"

struct finder {
	struct arena *arena;
	const struct program *program;
	const struct accounting_options *options;
	const bool *reads; /* see observe/narrow.h; NULL: not worked out for this function yet */
};

/* As written, or as the row knows. */
static enum ir_space space_of(const struct form *f)
{
	const enum ir_space space = form_space(f);

	return space == SPACE_GENERIC && f->row->traits & TRAIT_GLOBAL ? SPACE_GLOBAL : space;
}

static enum bank_kind atomic_kind(const struct form *f, bool unused)
{
	const int type = form_type(f, 0), class = type_class(type);
	const u32 value = unused && f->row->traits & TRAIT_REDUCES ? 2 : 3;
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
static bool is_combined(struct account_site *s, const struct finder *a)
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
	if (!known || type_bits(type) != 32 || type_class(type) == 'f' || form_vector(f) != 1 ||
	    a->program->arch->cc < REDUCTION_CC || at + 1 >= x->operand_count)
		return false;
	struct uniform *u = uniform_new(a->arena, s->code);
	return uniform_operand(u, &x->operands[at]) &&
	       (s->operation == ACCOUNT_RED || (form_has(f, M_add) && uniform_operand(u, &x->operands[at + 1])));
}

static void describe_atomic(struct account_site *s, const struct insn *i, const struct finder *a)
{
	const bool unused = (i->d == NO_OPERAND && form_vector(s->form) == 1) ||
			    (!form_has(s->form, M_exch) && !form_has(s->form, M_cas) && result_is_dead(s));
	/* No reduction takes a generic address. */
	const bool red = s->space != SPACE_GENERIC && (unused || s->form->row->traits & TRAIT_REDUCES);

	s->operation = red ? ACCOUNT_RED : ACCOUNT_ATOM;
	s->bank_kind = atomic_kind(s->form, red);
	s->sector_kind = form_has(s->form, M_cas) ? SECTOR_ATOM_CAS : red ? SECTOR_RED : SECTOR_ATOM;
	if (s->width == 2) {
		/* A loop, which needs what was there. */
		s->operation = ACCOUNT_ATOM;
		s->sector_kind = form_has(s->form, M_cas) ? SECTOR_ATOM_HALF_CAS : SECTOR_ATOM_HALF;
	}
	s->combines = !form_has(s->form, M_cas) && !form_has(s->form, M_exch);
	s->one_lane = is_combined(s, a);
	if (s->one_lane && s->bank_kind == BANK_ATOM_COUNT)
		s->bank_kind = BANK_ATOM;
}

static void describe_matrix(struct account_site *s, bool is_store)
{
	const u32 rows = isa_matrix_rows(s->form);

	s->operation = is_store ? ACCOUNT_STMATRIX : ACCOUNT_LDMATRIX;
	s->bank_kind = is_store ? BANK_STMATRIX : BANK_LDMATRIX;
	s->matrix_mask = rows == WARP_LANES ? FULL_MASK : (1u << rows) - 1;
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

/* Before what releases stands a fence, behind what acquires from other blocks something that empties the first level;
 * both pass the data stage (all 21 recorded patterns). */
static u32 order_passes(const struct form *f)
{
	const bool both = form_has(f, M_acq_rel);
	const bool releases = both || form_has(f, M_release), acquires = both || form_has(f, M_acquire);

	return (releases ? 2 : 0) + (acquires && !form_has(f, M_cta) ? 1 : 0);
}

static void describe_load_or_store(struct account_site *s, struct finder *a)
{
	enum { NARROWED_FROM_CC = 75 };
	const bool is_store = s->form->row->flags & ISA_STORE;

	s->operation = is_store ? ACCOUNT_STORE : ACCOUNT_LOAD;
	s->bank_kind = is_store ? BANK_STORE : s->space == SPACE_GENERIC ? BANK_LOAD_GENERIC : BANK_LOAD;
	s->sector_kind = is_store ? SECTOR_STORE : SECTOR_LOAD;
	s->empty_runs = !is_store && s->space == SPACE_SHARED && !s->fragment;
	if (is_store || s->fragment || form_vector(s->form) == 1 || a->program->arch->cc < NARROWED_FROM_CC)
		return;
	if (!a->reads)
		a->reads = narrow_reads(a->arena, s->code);
	if (narrow_load(&s->parts, s->code, s->code->origin[s->insn], s->space, a->reads))
		s->width = a->options->as_written ? s->width : s->parts.part[0].bytes;
	else
		s->parts.count = 0;
}

/* Fills *s; false if the instruction accesses no memory that is accounted for. */
static bool describe(struct account_site *s, struct finder *a)
{
	const struct form *f = s->form;
	const struct insn *i = &s->code->insns[s->insn];
	const u32 traits = f->row->traits;

	s->matrix_mask = FULL_MASK;
	if (s->code->function->listing)
		return account_describe_listing(s, a->program->arch, a->options->l1);
	if (s->code->function->machine && a->options->banks && account_describe_bank(s))
		return true;
	s->space = space_of(f);
	s->through_l1 = (a->options->l1 == ACCOUNT_L1_DEFAULT ? a->program->arch->l1_global
							      : a->options->l1 == ACCOUNT_L1_ON) &&
			!form_has(f, M_cg) && !form_has(f, M_cv);
	s->past_l1 = form_has(f, M_cg) || form_has(f, M_cv) || form_pick(f, M_volatile, M_acquire) != TOKEN_NONE;
	if (traits & TRAIT_COPIES) {
		describe_copy(s);
		return true;
	}
	s->in_frame = a->options->as_written && (f->param == PARAM_OF_FRAME || f->param == PARAM_OF_FRAME_BYTES);
	if (!(f->row->flags & ISA_MEMORY) || (i->a == NO_OPERAND && !s->in_frame))
		return false;
	if (s->in_frame)
		s->space = SPACE_LOCAL;
	s->fragment = fragments_describe(a->arena, f);
	s->width = form_vector(f) * type_bits(form_type(f, 0)) / 8;
	s->order_passes = (u8)order_passes(f);
	s->wide = form_base_bits(f) == 64;
	if (traits & TRAIT_MATRIX_ROWS) {
		describe_matrix(s, f->row->flags & ISA_STORE);
	} else if (f->row->flags & ISA_ATOMIC) {
		if (s->code->function->machine)
			account_describe_machine_atomic(s);
		else
			describe_atomic(s, i, a);
	} else if (s->fragment || traits & (TRAIT_LOADS | TRAIT_STORES)) {
		describe_load_or_store(s, a);
	} else {
		return false;
	}
	/* A function's parameters are its frame's: registers in machine code. */
	return s->space != SPACE_PARAM || s->code->function->is_entry;
}

/* Lowering puts internal instructions before one of the text (guard, count, join), with the same
 * origin, and a join after a guarded one that may wait. Machine code becomes several, of which one has the form. */
bool sites_is_own(const struct code *code, u32 insn)
{
	const u32 origin = code->origin[insn];
	const struct form *f = &code->forms[origin];
	const bool joins = code->function->body.items[origin].guard && f->row && f->row->flags & ISA_SYNC;
	u32 last = insn;

	if (code->form_insns && code->form_insns[origin] != NO_OPERAND)
		return insn == code->form_insns[origin];
	while (last + 1 < code->insn_count && code->origin[last + 1] == origin)
		last++;
	return insn == last - joins;
}

/* Whether a basic block ends with this decoded instruction, or began just before it. */
static bool parts_blocks(const struct code *code, u32 insn)
{
	const u32 origin = code->origin[insn];

	if (!code->insns[insn].run)
		return false;
	return origin == NO_OPERAND || !sites_is_own(code, insn) || !code->forms[origin].row ||
	       code->forms[origin].row->flags & (ISA_BRANCH | ISA_CALL | ISA_RET | ISA_EXIT);
}

/* By row (offset / 4): a gang finds the same there in every block of a launch, for each warp. NULL: no gangs run
 * this. */
static bool *find_fixed_rows(struct arena *arena, const struct code *code)
{
	bool *fixed = code->gang_insns ? ARENA_ARRAY(arena, code->frame_bytes / 4 + 1, bool) : NULL;

	for (u32 k = 0; fixed && k < code->insn_count; k++)
		if (code->once && code->once[k] && code->insns[k].d < code->frame_bytes)
			fixed[code->insns[k].d / 4] = true;
	for (u32 k = 0; fixed && k < code->constant_count; k++)
		fixed[code->constants[k].offset / 4] = true;
	for (u32 k = 0; fixed && k < code->sreg_count; k++)
		fixed[code->sregs[k].offset / 4] = sreg_info(code->sregs[k].sreg)->kind != SREG_PER_BLOCK;
	return fixed;
}

/* A copy or a fragment has more operands that decide. */
static bool is_fixed(const struct account_site *s, const bool *fixed_rows)
{
	const u32 base = s->code->insns[s->insn].a;

	return fixed_rows && s->operation < ACCOUNT_ASYNC && !s->fragment && base < s->code->frame_bytes &&
	       fixed_rows[base / 4];
}

struct site_list sites_find(struct arena *arena, const struct program *program,
			    const struct accounting_options *options)
{
	struct finder finder = {arena, program, options, NULL}, *a = &finder;
	VEC_OF(struct account_site) sites = {NULL, 0, 0};
	u32 **slots = ARENA_ARRAY(arena, program->code_count + 1, u32 *), fixed = 0;

	for (u32 c = 0; c < program->code_count; c++) {
		const struct code *code = program->codes[c];
		const bool *fixed_rows = find_fixed_rows(arena, code);
		bool copied = false; /* a cp.async stood in this basic block */
		finder.reads = NULL;
		slots[c] = ARENA_ARRAY(arena, code->insn_count + 1, u32);
		for (u32 k = 0; k < code->insn_count; k++) {
			struct account_site s = {.code = code, .insn = k};
			copied &= !parts_blocks(code, k);
			if (code->origin[k] == NO_OPERAND || !sites_is_own(code, k))
				continue;
			s.form = &code->forms[code->origin[k]];
			if (!s.form->row || !describe(&s, a))
				continue;
			s.fixed = is_fixed(&s, fixed_rows) ? ++fixed : 0;
			s.sync = s.form->row->flags & ISA_SYNC;
			/* Machine code has the loads that the assembler puts before it. */
			s.first_copy = s.operation >= ACCOUNT_ASYNC && !copied && !code->function->machine;
			copied |= s.first_copy;
			VEC_PUSH(arena, &sites, s);
			slots[c][k] = (u32)sites.count;
			if (s.empty_runs && code->function->body.items[code->origin[k]].guard)
				slots[c][k - 1] = (u32)sites.count | SITE_GUARD;
		}
	}
	return (struct site_list){sites.items, (u32)sites.count, fixed, slots};
}
