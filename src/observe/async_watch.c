/* SPDX-License-Identifier: Apache-2.0
 *
 * What strict asynchrony has to know of ordinary instructions: an observer that tells async_check.c of
 * their accesses, of registers that wgmma has in hand, and of whatever orders memory. Only programs
 * with asynchronous instructions have it; what each instruction is to it is found before the run.
 */
#include <string.h>

#include "decode/form_address.h"
#include "decode/operands.h"
#include "isa/form.h"
#include "isa/matrix.h"
#include "observe/async_records.h"

static bool is_wgmma(const struct isa_row *row) { return row->traits & TRAIT_ASYNC && row->traits & TRAIT_MULTIPLIES; }

/* --- Before the run: the program ------------------------------------------------------------ */

static const struct form *form_at(const struct code *code, u32 insn)
{
	const u32 origin = code->origin[insn];

	return origin == NO_OPERAND || !code->forms[origin].row ? NULL : &code->forms[origin];
}

/* Does it read shared memory through the async proxy? */
static bool reads_by_proxy(const struct form *f)
{
	return is_wgmma(f->row) ||
	       (f->row->traits & TRAIT_UNSEEN &&
		(form_has(f, M_bulk_group) || (form_has(f, M_shared_cta) && form_has(f, M_shared_cluster))));
}

/* Instructions after which others may see what the warp has done: barriers, fences, strong stores. */
static u8 order_roles(const struct form *f)
{
	const u32 traits = f->row->traits;

	if (traits & TRAIT_REGISTER_FENCE)
		return ASYNC_WGMMA_FENCE;
	if (traits & TRAIT_MAP_FENCE)
		return ASYNC_MEETS | ASYNC_MAP_FENCE;
	if (traits & TRAIT_PROXY_FENCE)
		return form_has(f, M_global) ? ASYNC_MEETS : ASYNC_MEETS | ASYNC_PROXY_FENCE;
	const bool strong_store = traits & TRAIT_STORES && (form_has(f, M_release) || form_has(f, M_relaxed) ||
							    form_has(f, M_volatile) || form_has(f, M_mmio));
	return traits & TRAIT_ORDERS || strong_store ? ASYNC_MEETS : 0;
}

static void describe_access(struct async_site *s, const struct form *f, const struct insn *i)
{
	const u32 traits = f->row->traits;
	const bool shared = form_pick(f, M_shared, M_shared_cluster) != TOKEN_NONE;
	const bool generic = form_pick(f, M_const, M_shared_cluster) == TOKEN_NONE;
	const bool matrix = traits & TRAIT_MATRIX_ROWS;
	const bool ordinary = traits & (TRAIT_LOADS | TRAIT_STORES) || f->row->flags & ISA_ATOMIC;

	if (!(f->row->flags & ISA_MEMORY) || !ordinary || i->a == NO_OPERAND ||
	    !(shared || generic || form_has(f, M_global)))
		return;
	s->roles |= f->row->flags & ISA_STORE ? ASYNC_STORE : ASYNC_LOAD;
	s->wide = form_base_bits(f) == 64;
	s->generic = generic && !matrix;
	s->shared = shared || matrix;
	s->lanes = matrix ? isa_matrix_rows(f) : WARP_LANES;
	s->bytes = matrix ? 16 : (u16)(form_vector(f) * type_bits(form_type(f, 0)) / 8);
}

/* --- Before the run: registers -------------------------------------------------------------- */

/* A function's registers by slot: their number + 1 among those that wgmma uses. */
struct numbering {
	struct async_watch *watch;
	struct arena *arena;
	u32 *numbers, count;
};

typedef void each_register(struct numbering *n, u32 slot, u32 operand, bool written);

static void walk_operand(struct numbering *n, const struct ir_operand *o, u32 operand, bool written,
			 each_register *each)
{
	if (o->kind == OPERAND_REGISTER && o->symbol && o->symbol->reg)
		each(n, o->symbol->reg->index + (o->element == 0xff ? 0 : o->element), operand, written);
	for (u32 k = 0; k < o->item_count; k++)
		walk_operand(n, &o->items[k], operand, written && o->kind != OPERAND_ADDRESS, each);
}

static void walk(struct numbering *n, const struct code *code, u32 origin, each_register *each)
{
	const struct ir_instruction *x = &code->function->body.items[origin];
	struct operand_spec specs[FORM_OPERANDS];
	const u32 count = isa_operand_specs(&code->forms[origin], specs);

	for (u32 k = 0; k < x->operand_count; k++)
		walk_operand(n, &x->operands[k], k, k < count && specs[k].written, each);
}

/* Operands 0 and 1 of wgmma, the accumulators and a matrix in registers, are in hand until it has been waited for. */
static void number_register(struct numbering *n, u32 slot, u32 operand, bool written)
{
	(void)written;
	if (operand < 2 && !n->numbers[slot])
		n->numbers[slot] = ++n->count;
}

static void use_register(struct numbering *n, u32 slot, u32 operand, bool written)
{
	const struct async_use use = {n->numbers[slot] - 1, written, operand == 0 ? 'd' : operand == 1 ? 'a' : 0};

	if (n->numbers[slot])
		VEC_PUSH(n->arena, &n->watch->uses, use);
}

/* Matrix descriptors in registers are read at the instruction: only vectors count. */
static void number_wgmma(struct numbering *n, const struct code *code)
{
	for (u32 k = 0; k < code->insn_count; k++) {
		const struct form *f = form_at(code, k);
		if (!f || !is_wgmma(f->row))
			continue;
		const struct ir_instruction *x = &code->function->body.items[code->origin[k]];
		for (u32 o = 0; o < 2 && o < x->operand_count; o++)
			if (x->operands[o].kind == OPERAND_VECTOR)
				walk_operand(n, &x->operands[o], o, false, number_register);
	}
}

/* Lowering puts internal instructions before one of the text, with the same origin. */
static bool is_last_of_origin(const struct code *code, u32 insn)
{
	const u32 origin = code->origin[insn];
	const bool joins = code->function->body.items[origin].guard && code->forms[origin].row->flags & ISA_SYNC;
	u32 last = insn;

	while (last + 1 < code->insn_count && code->origin[last + 1] == origin)
		last++;
	return insn == last - joins;
}

static void describe(struct async_watch *a, const struct code *code, struct numbering *n)
{
	n->numbers = ARENA_ARRAY(n->arena, code->function->register_slots + 1, u32);
	n->count = 0;
	number_wgmma(n, code);
	a->register_count = max_u32(a->register_count, n->count);
	for (u32 k = 0; k < code->insn_count; k++) {
		struct async_site *s = &a->sites[code->index][k];
		const struct form *f = form_at(code, k);
		if (!f || !is_last_of_origin(code, k))
			continue;
		a->proxy_reads |= reads_by_proxy(f);
		s->roles = order_roles(f);
		describe_access(s, f, &code->insns[k]);
		if (!n->count)
			continue;
		s->first_register = (u32)a->uses.count;
		walk(n, code, code->origin[k], use_register);
		s->register_count = (u32)a->uses.count - s->first_register;
		if (s->register_count && !is_wgmma(f->row))
			s->roles |= ASYNC_REGISTERS;
	}
}

/* --- During the run ------------------------------------------------------------------------- */

static struct async_registers *registers_of(struct warp *w)
{
	struct async_warp *a = async_warp(w);

	if (a->code != w->frame->code) {
		memset(a->registers, 0, w->grid->async_watch->register_count * sizeof *a->registers);
		a->code = w->frame->code;
	}
	return a->registers;
}

static const struct async_op *under_way(const struct warp *w, u32 id)
{
	const struct async_op *op = id ? async_find(async_records_of(w), id) : NULL;

	return op && op->warp == w && op->pending ? op : NULL;
}

static bool refuse_register(struct warp *w, const struct insn *i, const struct async_op *op, bool written,
			    bool is_source)
{
	char place[ASYNC_PLACE_TEXT];

	const struct fault_act other = async_act(op);
	async_place(op->code, op->insn, place);
	warp_fault_beside(w, i, FAULT_ASYNC, 0, is_source ? FAULT_ROLE_READS : FAULT_ROLE_WRITES, &other,
			  "%s a register that %s %s: no wgmma.wait_group has waited for it",
			  written ? "writes" : "reads", place, is_source ? "may still read" : "is still writing");
	return false;
}

static bool use_registers(struct warp *w, const struct insn *i, const struct async_site *s)
{
	const struct async_watch *a = w->grid->async_watch;
	struct async_registers *r = registers_of(w);

	for (u32 k = 0; k < s->register_count; k++) {
		const struct async_use *use = &a->uses.items[s->first_register + k];
		const struct async_op *op = under_way(w, r[use->number].written);
		if (op)
			return refuse_register(w, i, op, use->written, false);
		op = use->written ? under_way(w, r[use->number].read) : NULL;
		if (op)
			return refuse_register(w, i, op, true, true);
		if (use->written)
			r[use->number].site = async_site_of(w, i) + 1;
	}
	return true;
}

bool async_watch_registers(struct warp *w, const struct insn *i, struct async_op *op)
{
	const struct async_watch *a = w->grid->async_watch;
	const struct async_site *s = &a->sites[w->frame->code->index][async_insn_number(w, i)];
	struct async_registers *r = registers_of(w);
	char place[ASYNC_PLACE_TEXT];

	if (!async_warp(w)->fenced) {
		warp_fault(w, i, FAULT_ASYNC, 0, "the first wgmma of a warp needs a wgmma.fence before it");
		return false;
	}
	for (u32 k = 0; k < s->register_count; k++) {
		const struct async_use *use = &a->uses.items[s->first_register + k];
		const struct async_op *before = under_way(w, r[use->number].written);
		if (use->role == 'a' && before)
			return refuse_register(w, i, before, false, false);
		before = use->role == 'd' ? under_way(w, r[use->number].read) : NULL;
		if (before)
			return refuse_register(w, i, before, true, true);
		if (use->role && r[use->number].site) {
			async_site_place(w->grid, r[use->number].site - 1, place);
			warp_fault(w, i, FAULT_ASYNC, 0,
				   "uses a register that %s wrote, and no wgmma.fence came between", place);
			return false;
		}
		if (use->role == 'd')
			r[use->number].written = op->id;
		else if (use->role == 'a')
			r[use->number].read = op->id;
	}
	return true;
}

static void clear_written(struct warp *w)
{
	struct async_registers *r = registers_of(w);

	async_warp(w)->fenced = true;
	for (u32 k = 0; k < w->grid->async_watch->register_count; k++)
		r[k].site = 0;
}

static bool access(struct warp *w, const struct insn *i, const struct async_site *s, const u8 *rows, u32 mask)
{
	const enum ir_space space = s->generic ? SPACE_GENERIC : s->shared ? SPACE_SHARED : SPACE_GLOBAL;
	const bool is_store = s->roles & ASYNC_STORE;

	if (space == SPACE_GLOBAL && !async_records_of(w)->live)
		return true;
	for (u32 left = mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		const u64 address = row_address(rows, i->a, i->imm, s->wide, l);
		if (l < s->lanes && !async_access(w, i, l, space, address, s->bytes, is_store))
			return false;
	}
	return true;
}

static void before(void *context, struct warp *w, const struct insn *i, u8 *rows, u32 mask)
{
	const struct async_watch *a = context;
	const struct async_site *s = &a->sites[w->frame->code->index][async_insn_number(w, i)];

	if (s->roles & (ASYNC_LOAD | ASYNC_STORE) && !access(w, i, s, rows, mask))
		return;
	if (s->roles & ASYNC_REGISTERS && !use_registers(w, i, s))
		return;
	if (s->roles & ASYNC_MEETS)
		async_meet(w);
	if (s->roles & ASYNC_PROXY_FENCE)
		async_warp(w)->fence_time = async_records_of(w)->fence_time = ++async_records_of(w)->now;
	if (s->roles & ASYNC_MAP_FENCE)
		async_records_of(w)->map_fence_time = ++async_records_of(w)->now;
	if (s->roles & ASYNC_WGMMA_FENCE)
		clear_written(w);
}

static bool wants(void *context, const struct code *code, u32 insn)
{
	const struct async_watch *a = context;

	return a->sites[code->index][insn].roles != 0;
}

struct observer *async_watch_prepare(struct grid *grid, struct arena *arena)
{
	struct async_watch *a = ARENA_NEW(arena, struct async_watch);
	const struct program *p = grid->program;
	struct numbering n = {.watch = a, .arena = arena};
	u32 sites = 0;

	a->grid = grid;
	a->observer = (struct observer){.context = a, .wants = wants, .before = before};
	a->bases = ARENA_ARRAY(arena, p->code_count + 1, u32);
	a->sites = ARENA_ARRAY(arena, p->code_count + 1, struct async_site *);
	for (u32 c = 0; c < p->code_count; c++) {
		a->bases[c] = sites;
		sites += p->codes[c]->insn_count;
		a->sites[c] = ARENA_ARRAY(arena, p->codes[c]->insn_count + 1, struct async_site);
		describe(a, p->codes[c], &n);
	}
	grid->async_watch = a;
	return &a->observer;
}
