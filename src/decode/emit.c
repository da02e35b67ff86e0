/* SPDX-License-Identifier: Apache-2.0
 *
 * Emission: a function's matched instructions become decoded ones, with operands resolved to rows,
 * guards and joins made explicit, and branch distances filled in.
 *
 * A guarded instruction is preceded by an internal %guard, which narrows the mask for that one. An
 * instruction that may wait, call or end lanes is instead jumped around, so that it sees its lanes
 * as a split of their own, and the others meet it behind.
 *
 * The order of work on one function, by emit_function():
 *
 *      match_all       each statement against the rows: forms and flattened operands (struct matched)
 *      flow_build      blocks, post-dominators, liveness' edges
 *      assemble        what ptxas would make of it (src/ptxas, by a hook): contraction, folding, order of operands
 *      plan_rows       liveness, hoisting, rows for registers
 *      emit_body       decoded instructions; branches to blocks are left open (fixups)
 *      emit_finish     copies from scratch memory into the program's arena; gang copies of the instructions
 */
#include "decode/block_order.h"
#include "decode/pointer_use.h"
#include "decode/lowering.h"

#include <stdlib.h>
#include <string.h>

#include "isa/sregs.h"

enum { RUN_MAX = 60000, AUX_SPIN = 2, FRAME_MAX = 1 << 30 };

struct fixup {
	u32 insn;
	u32 block;      /* target block, or NO_BLOCK */
	u32 join_block; /* or NO_BLOCK */
};

/* Rounding and flushing that the handler's first instruction sets on the host, if they are not set already
 * (exec/fpmode.c). */
static u8 fp_mode_of(const struct form *f)
{
	u8 mode = FP_RN;

	switch (form_pick(f, M_rn, M_rp)) {
	case M_rz:
		mode = FP_RZ;
		break;
	case M_rm:
		mode = FP_RM;
		break;
	case M_rp:
		mode = FP_RP;
		break;
	default:
		break;
	}
	/* On .f64 alone, .ftz has no effect. */
	const bool flushes = form_has(f, M_ftz) && !(f->type_count == 1 && f->types[0] == T_f64);
	return mode | (flushes ? FP_FTZ : 0);
}

/* By what the form has and the row says, see decode/program.h. */
static void settle_layout(struct matched *m)
{
	const bool is_memory = m->form.row->flags & ISA_MEMORY && m->address_count == 1;
	const bool has_result = m->use_count && m->uses[0].written;
	const u32 others = m->use_count - (is_memory ? 2 : 0), room = (is_memory ? 2 : 3) + has_result;
	u32 written = 0;

	for (u32 k = 0; k < m->use_count; k++) {
		written += m->uses[k].written;
		if (is_memory && k + 1 < m->use_count && m->uses[k + 1].kind == USE_OFFSET)
			m->form.base_at = (u8)k;
	}
	const bool few = !m->has_list_shape && written == has_result && others <= room;
	m->form.has_result = has_result;
	if (is_memory)
		m->form.layout = few ? LAYOUT_MEMORY : LAYOUT_MEMORY_LIST;
	else
		m->form.layout = few && !m->address_count ? LAYOUT_DIRECT : LAYOUT_LIST;
}

/* Operands that do not fit into d, a, b and c go to the code's list of operands, in the order of the form. */
static void push_list(struct emitter *e, const struct matched *m, u32 rows[], bool skip_address)
{
	for (u32 k = 0; k < m->use_count; k++) {
		if (skip_address &&
		    (m->uses[k].kind == USE_OFFSET || (k + 1 < m->use_count && m->uses[k + 1].kind == USE_OFFSET)))
			continue;
		VEC_PUSH(e->low->scratch, &e->operands, rows[k]);
	}
	if (!skip_address)
		for (u32 k = 0; k < m->form.immediate_count; k++)
			VEC_PUSH(e->low->scratch, &e->operands, (u32)m->form.immediates[k]);
}

/* ISA_MEMORY with one address: base in a, offset in imm, the rest in d, b, c or a list at b. */
static void place_memory(struct emitter *e, const struct matched *m, u32 rows[], struct insn *i)
{
	const u32 base = m->form.base_at;
	u32 *const slots[] = {&i->d, &i->b, &i->c};
	u32 at = m->form.has_result ? 0 : 1;

	i->a = rows[base];
	i->imm = (s32)(m->uses[base].kind == USE_PARAM_ADDRESS ? m->uses[base].low : m->uses[base + 1].low);
	if (m->form.layout == LAYOUT_MEMORY_LIST) {
		i->b = (u32)e->operands.count;
		push_list(e, m, rows, true);
		return;
	}
	for (u32 k = 0; k < m->use_count; k++) {
		/* An atomic operation does less when nobody wants its result. */
		const bool dropped = m->uses[k].kind == USE_ABSENT && m->form.row->flags & ISA_ATOMIC;
		if (k != base && k != base + 1)
			*slots[at++] = dropped ? NO_OPERAND : rows[k];
	}
}

/* Where each operand goes depends on the layout alone; decode/operands.h reads it back. Negated predicates among the
 * sources become bits of aux, in order. */
static void place_operands(struct emitter *e, const struct matched *m, struct insn *i)
{
	u32 rows[FORM_USES];

	i->d = i->a = i->b = i->c = NO_OPERAND;
	for (u32 k = 0; k < m->use_count; k++)
		rows[k] = emit_use(e, &m->uses[k]);
	for (u32 k = 0, source = 0; k < m->use_count; k++)
		if (m->uses[k].read && m->uses[k].bits == 1 && !m->uses[k].written)
			i->aux |= (u8)(m->uses[k].negated << (source++ & 7));
	if (m->form.layout == LAYOUT_MEMORY || m->form.layout == LAYOUT_MEMORY_LIST) {
		place_memory(e, m, rows, i);
	} else if (m->form.layout == LAYOUT_DIRECT) {
		u32 *const slots[] = {&i->d, &i->a, &i->b, &i->c};
		const u32 first = m->form.has_result ? 0 : 1;
		for (u32 k = 0; k < m->use_count; k++)
			*slots[first + k] = rows[k];
		i->imm = m->form.immediate_count ? (s32)m->form.immediates[0] : m->form.selects;
	} else {
		i->imm = (s32)e->operands.count;
		push_list(e, m, rows, false);
	}
}

static void add_fixup(struct emitter *e, u32 insn, u32 block, u32 join_block)
{
	if (e->fixup_count == e->fixup_capacity)
		e->fixups =
			arena_grow(e->low->scratch, e->fixups, e->fixup_count, &e->fixup_capacity, sizeof *e->fixups);
	e->fixups[e->fixup_count++] = (struct fixup){insn, block, join_block};
}

/* `b` will be the distance to the join, the branch's immediate post-dominator; `imm` that to the target. A branch back
 * to a loop that may wait for others is marked, so that it yields now and then (decode/spin.c). */
static void emit_branch(struct emitter *e, const struct ir_instruction *x, const struct matched *m)
{
	const struct ir_label *const *labels = NULL;
	const u32 targets = flow_targets(e->function, x, &m->form, &labels, e->low->scratch);
	const u32 block = e->flow->block_of[e->body_index];
	const u32 join = e->flow->blocks[block].post_dominator;
	struct insn i = {.d = NO_OPERAND, .a = NO_OPERAND, .b = NO_OPERAND, .c = NO_OPERAND};

	if (m->form.row->flags & ISA_INDIRECT) {
		i.fn = e->low->internal.brx;
		i.a = emit_use(e, &m->uses[0]);
		i.c = (u32)e->tables.count;
		i.run = (u16)emit_take_run(e);
		struct branch_table table = {.targets = ARENA_ARRAY(e->low->arena, targets + 1, s32), .count = targets};
		for (u32 t = 0; t < targets; t++)
			table.targets[t] = (s32)e->flow->block_of[labels[t]->target];
		VEC_PUSH(e->low->scratch, &e->tables, table);
		add_fixup(e, (u32)e->insns.count, NO_BLOCK, join);
		emit(e, i);
		return;
	}
	if (x->guard) {
		i.fn = e->low->internal.bra_if;
		i.a = e->rows->places[ir_guard_slot(x)].offset;
		i.aux = x->guard_negated;
	} else {
		i.fn = e->low->internal.bra;
	}
	if (targets && labels[0]->target <= e->body_index && spin_loop_waits(e, labels[0]->target, e->body_index)) {
		i.aux |= AUX_SPIN;
		e->spins = true;
	}
	i.run = (u16)emit_take_run(e);
	add_fixup(e, (u32)e->insns.count, targets ? e->flow->block_of[labels[0]->target] : NO_BLOCK,
		  x->guard ? join : NO_BLOCK);
	emit(e, i);
}

/* An instruction with no guard, or with one that has been dealt with. Calls, returns and exits have handlers of their
 * own; the rest take the meaning that the row picks for the form. */
static void emit_plain(struct emitter *e, const struct ir_instruction *x, const struct matched *m)
{
	const u32 flags = m->form.row->flags;
	struct insn i = {.fp = fp_mode_of(&m->form)};

	if (flags & ISA_CALL) {
		call_emit(e, x, m);
		return;
	}
	if (flags & (ISA_RET | ISA_EXIT)) {
		i.fn = flags & ISA_RET && !e->function->is_entry ? e->low->internal.ret : e->low->internal.exit;
		const struct meaning *own = m->form.row->meaning ? m->form.row->meaning(&m->form) : NULL;
		if (own)
			i.fn = own->run; /* trap and its like */
		i.run = (u16)emit_take_run(e);
		emit(e, i);
		return;
	}
	place_operands(e, m, &i);
	const struct meaning *meaning =
		flags & ISA_UNMODELLED || !m->form.row->meaning ? NULL : m->form.row->meaning(&m->form);
	if (form_is_wide_float(&m->form, 0) || form_is_wide_float(&m->form, 1)) {
		i.fn = e->low->internal.cvt_wide;
	} else if (!meaning) {
		i.fn = e->low->internal.unmodelled;
	} else {
		i.fn = meaning->run;
		if (meaning->word && m->form.layout == LAYOUT_DIRECT)
			i.imm |= (s32)meaning->word(&m->form);
		else if (meaning->word)
			i.c = meaning->word(&m->form);
		if (meaning->plan) {
			i.c = (u32)e->plans.count;
			VEC_PUSH(e->low->scratch, &e->plans, meaning->plan(e->low->arena, &m->form));
		}
	}
	if (flags & ISA_SYNC)
		i.run = (u16)emit_take_run(e);
	e->gang = meaning ? meaning->gang : NULL;
	emit(e, i);
}

/* Jumps around a guarded instruction that needs its lanes as a split: see the head of the file. */
static void emit_guarded_split(struct emitter *e, const struct ir_instruction *x, const struct matched *m)
{
	const u32 branch = (u32)e->insns.count;

	emit(e, (struct insn){.fn = e->low->internal.bra_if,
			      .a = e->rows->places[ir_guard_slot(x)].offset,
			      .aux = (u8)!x->guard_negated,
			      .run = (u16)emit_take_run(e)});
	if (m->form.row->flags & ISA_BRANCH)
		emit_branch(e, x, m);
	else
		emit_plain(e, x, m);
	const s32 distance = (s32)(e->insns.count - branch);
	e->insns.items[branch].imm = distance;
	e->insns.items[branch].b = (u32)distance;
	emit(e, (struct insn){.fn = e->low->internal.join});
}

static void emit_guarded(struct emitter *e, const struct ir_instruction *x, const struct matched *m, bool negated)
{
	/* Operands first: a special register is read for all lanes. */
	emit_plain(e, x, m);
	const size_t last = e->insns.count - 1;
	const struct insn guarded = e->insns.items[last];

	e->insns.items[last] = (struct insn){
		.fn = e->low->internal.guard, .a = e->rows->places[ir_guard_slot(x)].offset, .aux = negated};
	e->gang = e->gangs.items[last];
	e->gangs.items[last] = NULL;
	emit(e, guarded);
}

/* Where the guard of a set does not hold, its destination changes all the same: see %kept. */
static void emit_kept(struct emitter *e, const struct ir_instruction *x, const struct matched *m)
{
	const int to = form_type(&m->form, 0), from = form_type(&m->form, 1);
	const bool narrow = type_bits(from) == 16, to_float = to == T_f32 || to == T_f16 || to == T_bf16;
	const char *texts[2] = {to_float ? token_text(to) : "s32", narrow ? "s16" : "s32"};
	const struct rewriting r = {
		.isa = e->low->isa, .arch = e->low->arch, .arena = e->low->scratch, .kept = e->low->arena};
	struct use uses[2];
	struct matched kept = *m;

	if (!matched_is(m, OP_set) || !(to_float || (narrow && type_bits(to) == 32)))
		return;
	uses[0] = uses[1] = m->uses[0];
	uses[1].written = false;
	uses[1].read = true;
	if (!matched_become(&r, &kept, OP_internal_kept, texts, 2, uses, 2))
		return;
	settle_layout(&kept);
	emit_guarded(e, x, &kept, !x->guard_negated);
}

static void emit_instruction(struct emitter *e, const struct ir_instruction *x, const struct matched *m)
{
	const u32 flags = m->form.row->flags;

	if (++e->run == RUN_MAX)
		emit(e, (struct insn){.fn = e->low->internal.count, .run = (u16)emit_take_run(e)});
	if (flags & ISA_BRANCH && !(flags & ISA_INDIRECT && x->guard)) {
		emit_branch(e, x, m);
	} else if (x->guard && flags & (ISA_SYNC | ISA_CALL | ISA_RET | ISA_EXIT | ISA_BRANCH)) {
		emit_guarded_split(e, x, m);
	} else if (x->guard && !matched_is(m, OP_testp)) { /* of which ptxas 13.0 loses the guard */
		emit_kept(e, x, m);
		emit_guarded(e, x, m, x->guard_negated);
	} else {
		emit_plain(e, x, m);
	}
}

/* Distances are in decoded instructions. A branch to the end of the function goes to the last one, an exit or
 * return. */
static void resolve_fixups(struct emitter *e)
{
	for (size_t k = 0; k < e->fixup_count; k++) {
		const struct fixup *f = &e->fixups[k];
		struct insn *i = &e->insns.items[f->insn];
		const u32 end = (u32)e->insns.count - 1; /* the %end instruction */
		if (i->fn == e->low->internal.brx) {
			struct branch_table *t = &e->tables.items[i->c];
			for (u32 x = 0; x < t->count; x++)
				t->targets[x] =
					(s32)((u32)t->targets[x] == NO_BLOCK ? end : e->block_start[t->targets[x]]) -
					(s32)f->insn;
		} else {
			i->imm = (s32)(f->block == NO_BLOCK ? end : e->block_start[f->block]) - (s32)f->insn;
		}
		i->b = f->join_block == NO_BLOCK ? NO_OPERAND : e->block_start[f->join_block] - f->insn;
	}
}

/* Blocks in the order of the text. A block that is a join for some branch begins with an internal join. */
static void emit_body(struct emitter *e)
{
	const struct ir_function *f = e->function;

	e->block_start = ARENA_ARRAY(e->low->scratch, e->flow->block_count + 1, u32);
	for (u32 b = 0; b < e->flow->block_count; b++) {
		const struct flow_block *block = &e->flow->blocks[b];
		e->body_index = block->first;
		emit_count(e);
		e->block_start[b] = (u32)e->insns.count;
		if (block->reconverges)
			emit(e, (struct insn){.fn = e->low->internal.join});
		for (u32 k = block->first; k < block->end; k++) {
			e->body_index = k;
			emit_instruction(e, &f->body.items[k], &e->matched[k]);
		}
	}
	e->body_index = NO_OPERAND;
	emit(e, (struct insn){.fn = f->is_entry ? e->low->internal.exit : e->low->internal.ret,
			      .run = (u16)emit_take_run(e)});
	resolve_fixups(e);
}

static bool calls_system(const struct emitter *e)
{
	for (size_t k = 0; k < e->calls.count; k++)
		if (e->calls.items[k].external)
			return true;
	return false;
}

/* From scratch memory to the program's arena, exactly as long as needed: scratch is reset after each function. */
static void *keep(struct lowering *low, const void *items, size_t count, size_t bytes)
{
	void *copy = arena_array(low->arena, count + 1, bytes);

	if (count)
		memcpy(copy, items, count * bytes);
	return copy;
}

/* What a gang runs for instruction k: its meaning's handler, or one that parts the gang. */
static gang_fn *gang_handler(const struct emitter *e, size_t k)
{
	const struct internal_meanings *in = &e->low->internal;
	gang_fn *end = NULL;

	if (e->gangs.items[k])
		return e->gangs.items[k];
	for (u32 m = 0; m < in->all_count; m++) {
		if (in->all[m]->run == e->insns.items[k].fn)
			return in->all[m]->gang;
		if (in->all[m]->run == in->unmodelled)
			end = in->all[m]->gang;
	}
	return end;
}

/* Only kernels: functions that are called run warp by warp. The debugger's builds (keep_registers) and listings have
 * none. */
static bool has_gangs(const struct emitter *e)
{
	return e->function->is_entry && !e->function->listing && !e->low->options->one_warp &&
	       !e->low->options->keep_registers;
}

/* Not the count or join that may stand before a hoisted instruction, with its origin. */
static bool is_hoisted(const struct emitter *e, size_t k)
{
	const u32 origin = e->origin.items[k];

	return e->hoist && origin < e->function->body.count && e->hoist->once[origin] && !e->insns.items[k].run &&
	       e->insns.items[k].fn != e->low->internal.join;
}

/* Where two lists of the same instructions, one for each block and one for each launch, have nothing to
 * do, they skip to where they have. */
static void split_hoisted(struct emitter *e, struct insn *each, struct insn *once)
{
	gang_fn *const skip = e->low->internal.skip->gang;
	size_t next_each = e->insns.count - 1, next_once = 0;

	for (size_t k = e->insns.count; k-- > 0;) {
		if (is_hoisted(e, k)) {
			each[k].gang = skip;
			each[k].imm = (s32)(next_each - k);
			next_once = k;
			e->code->once[k] = true;
		} else {
			once[k].gang = skip;
			once[k].imm = next_once > k ? (s32)(next_once - k) : 0;
			next_each = k;
		}
	}
}

static void keep_gang_insns(struct emitter *e)
{
	struct code *c = e->code;

	if (!has_gangs(e))
		return;
	c->gang_insns = keep(e->low, e->insns.items, e->insns.count, sizeof *e->insns.items);
	for (size_t k = 0; k < e->insns.count; k++)
		c->gang_insns[k].gang = gang_handler(e, k);
	if (!e->hoist || !e->hoist->any)
		return;
	c->once_insns = keep(e->low, c->gang_insns, e->insns.count, sizeof *e->insns.items);
	c->once = ARENA_ARRAY(e->low->arena, e->insns.count, bool);
	split_hoisted(e, c->gang_insns, c->once_insns);
}

static int by_offset(const void *a, const void *b)
{
	const u32 first = ((const struct row_place *)a)->offset, second = ((const struct row_place *)b)->offset;

	return (first > second) - (first < second);
}

/* Neighbours follow each other, and are cleared at once. */
static void keep_undefined(struct code *c, struct lowering *low, const struct row_plan *rows)
{
	c->undefined = keep(low, rows->undefined, rows->undefined_count, sizeof *rows->undefined);
	c->undefined_count = rows->undefined_count;
	qsort(c->undefined, c->undefined_count, sizeof *c->undefined, by_offset);
}

/* The last step: the code is complete and does not change any more. The reason why the order of blocks shows, if it
 * does, is kept for messages. */
void emit_finish(struct emitter *e)
{
	struct code *c = e->code;
	struct lowering *low = e->low;

	c->insns = keep(low, e->insns.items, e->insns.count, sizeof *e->insns.items);
	c->insn_count = (u32)e->insns.count;
	keep_gang_insns(e);
	c->origin = keep(low, e->origin.items, e->origin.count, sizeof *e->origin.items);
	c->operands = keep(low, e->operands.items, e->operands.count, sizeof *e->operands.items);
	c->operand_count = (u32)e->operands.count;
	c->plans = keep(low, e->plans.items, e->plans.count, sizeof *e->plans.items);
	c->banks = keep(low, e->banks.items, e->banks.count, sizeof *e->banks.items);
	c->bank_count = (u32)e->banks.count;
	c->constants = keep(low, e->constants.items, e->constants.count, sizeof *e->constants.items);
	c->constant_count = (u32)e->constants.count;
	c->sregs = keep(low, e->sregs.items, e->sregs.count, sizeof *e->sregs.items);
	c->sreg_count = (u32)e->sregs.count;
	c->calls = keep(low, e->calls.items, e->calls.count, sizeof *e->calls.items);
	c->call_count = (u32)e->calls.count;
	c->tables = keep(low, e->tables.items, e->tables.count, sizeof *e->tables.items);
	c->table_count = (u32)e->tables.count;
	c->frame_bytes = (u32)e->frame_top;
	c->register_bytes = (u32)e->rows->used_bytes;
	c->live_words = e->rows->live_words;
	keep_undefined(c, low, e->rows);
	c->order = block_order_find(low->scratch, e->function, e->matched);
	c->order.calls_system = calls_system(e);
	c->one_by_one = c->gang_insns && runs_one_by_one(e);
	if (!c->order.shows && (c->order.calls_system || e->reads_clock)) {
		c->order.shows = true;
		c->order.at = NO_OPERAND;
		c->order.why =
			e->reads_clock ? "it reads a clock" : "it calls the system: printf, malloc and their like";
	}
	if (block_order_matters(&c->order) && !c->order.calls_system && !e->reads_clock)
		c->pointers =
			pointer_use_find(low->scratch, low->arena, low->program, e->function, e->flow, e->matched);
	c->registers = keep(low, e->rows->places, e->function->register_slots, sizeof *e->rows->places);
	for (u32 k = 0; k < e->function->body.count; k++)
		e->forms[k] = e->matched[k].form; /* contraction has changed some */
	c->forms = e->forms;
}

/* A return reads the registers that hold the function's results. */
static void read_results(struct emitter *e, struct matched *m)
{
	const struct ir_function *f = e->function;
	u32 count = 1;

	for (size_t k = 0; k < f->return_registers.count; k++)
		count += f->return_registers.items[k] ? f->return_registers.items[k]->vector : 0;
	m->uses = ARENA_ARRAY(e->low->scratch, count, struct use);
	for (size_t k = 0; k < f->return_registers.count; k++) {
		const struct ir_register *r = f->return_registers.items[k];
		for (u32 n = 0; r && n < r->vector; n++)
			m->uses[m->use_count++] = (struct use){.kind = USE_REGISTER, .read = true, .reg = r->index + n};
	}
}

/* All statements are tried, so that one run reports every error. False: there were some. */
static bool match_all(struct emitter *e)
{
	const struct ir_function *f = e->function;
	const u32 errors = e->low->diags->error_count;

	e->matched = ARENA_ARRAY(e->low->scratch, f->body.count + 1, struct matched);
	for (u32 k = 0; k < f->body.count; k++) {
		match_instruction(&e->matcher, &f->body.items[k], &e->matched[k]);
		if (e->matched[k].ok && e->matched[k].form.row->flags & ISA_CALL)
			call_match(e, &f->body.items[k], &e->matched[k]);
		else if (e->matched[k].ok && e->matched[k].form.row->flags & ISA_RET)
			read_results(e, &e->matched[k]);
	}
	return e->low->diags->error_count == errors;
}

static u64 param_bytes(struct lowering *low, const struct ir_function *f)
{
	const size_t count = f->params.count;

	return count ? layout_address(low, f->params.items[count - 1]) + f->params.items[count - 1]->size : 0;
}

/* For the debugger every register keeps a row of its own, so liveness is not asked. */
static void plan_rows(struct emitter *e)
{
	struct lowering *low = e->low;
	const struct ir_function *f = e->function;
	const struct liveness *live =
		low->options->keep_registers ? NULL : liveness_find(low->scratch, f, e->flow, e->matched);

	if (live && has_gangs(e))
		e->hoist = hoist_find(low->scratch, f, e->matched, live, param_bytes(low, f));
	e->rows = rows_plan(low->scratch, f, e->flow, e->matched, live, e->hoist ? e->hoist->kept : NULL,
			    e->hoist ? e->hoist->same : NULL);
	e->frame_top = e->rows->used_bytes;
	for (u32 s = 0; e->hoist && s < f->register_slots; s++) {
		const struct use *u = e->hoist->same[s];
		if (u)
			e->rows->places[s] = (struct row_place){emit_use(e, u), u->bits};
	}
}

static void assemble(const struct emitter *e)
{
	const struct lowering *low = e->low;
	const struct assembling a = {
		.rewriting = {.isa = low->isa, .arch = low->arch, .arena = low->scratch, .kept = low->arena},
		.function = e->function,
		.flow = e->flow,
		.matched = e->matched,
		.optimises = !e->function->module->debug};

	if (low->options->assemble)
		low->options->assemble(&a);
}

static struct matcher matcher_of(struct lowering *low, const struct ir_function *f)
{
	return (struct matcher){.arena = low->scratch,
				.kept = low->arena,
				.spellings = &low->spellings,
				.isa = low->isa,
				.diags = low->diags,
				.program = low->program,
				.function = f,
				.arch = low->arch,
				.address_of = layout_address,
				.function_address = layout_function_address,
				.context = low,
				.allow_unmodelled = low->options->allow_unmodelled};
}

void emit_check(struct lowering *low, struct ir_function *f)
{
	struct emitter e = {.low = low, .function = f, .matcher = matcher_of(low, f)};
	u64 align;

	/* Where variables lie changes nothing of what is told. */
	low->layout = (struct layout){0};
	layout_frame(low, f, &align);
	match_all(&e);
}

struct code *emit_function(struct lowering *low, struct ir_function *f)
{
	struct emitter e = {.low = low, .function = f, .counting_work = COUNTING_WORK, .matcher = matcher_of(low, f)};

	e.code = ARENA_NEW(low->arena, struct code);
	e.code->function = f;
	e.code->name = f->name;
	e.code->local_bytes = layout_frame(low, f, &e.code->local_align);
	if (!match_all(&e))
		return NULL;
	e.forms = ARENA_ARRAY(low->arena, f->body.count + 1, struct form);
	for (u32 k = 0; k < f->body.count; k++)
		e.forms[k] = e.matched[k].form;
	e.flow = flow_build(low->scratch, f, e.forms);
	assemble(&e);
	for (u32 k = 0; k < f->body.count; k++)
		if (e.matched[k].form.row)
			settle_layout(&e.matched[k]);
	plan_rows(&e);
	emit_body(&e);
	if (e.frame_top > FRAME_MAX) {
		diag_error(low->diags, f->span, "'%s' needs more than 1 GiB for a warp's registers and constants",
			   f->name);
		return NULL;
	}
	emit_finish(&e);
	return e.code;
}
