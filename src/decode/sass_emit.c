/* SPDX-License-Identifier: Apache-2.0
 *
 * Emission of a listing's function: physical registers become rows of the frame, R0 to the last
 * one in order so that pairs and quads are neighbours; RZ is four rows of zeros to read and four
 * others to write. Signs of sources and pairs that are addresses become internal instructions
 * before the one that they belong to, .S one behind it. Control instructions take their guard
 * themselves and move lanes by the machine's own stack.
 */
#include "decode/sass.h"

#include <string.h>

#include "isa/sregs.h"

/* Bytes of local memory where a listing does not say and its code touches some. */
enum { LOCAL_BYTES = 1024, ROW_BYTES = 128, RUN_MAX = 60000, AUX_SPIN = 2, TEMPORARIES = 4 };

struct sass_fixup {
	u32 insn, target;
};

struct sass_emitter {
	struct emitter e;
	struct sass_matched *matched;
	u32 zero, sink, true_row, false_row, pred_sink;
	u32 temporary[TEMPORARIES]; /* of 64 bits */
	u32 condition_row;
	bool *leads; /* by body instruction: others jump to it */
	u32 *start;  /* by body instruction: its first insn */
	VEC_OF(struct sass_fixup) fixups;
	const struct sass_matched *m; /* being emitted */
	const struct ir_instruction *x;
};

/* --- Rows ----------------------------------------------------------------------------------- */

static u32 register_row(const struct sass_emitter *s, u32 reg)
{
	return reg == SASS_REGISTER_ZERO ? s->zero : SASS_FRAME_REGISTERS + reg * ROW_BYTES;
}

static u32 predicate_row(const struct sass_emitter *s, u32 reg)
{
	return reg == SASS_REGISTER_TRUE ? s->true_row : SASS_FRAME_PREDICATES + (reg - SASS_REGISTER_P0) * 4;
}

/* A row of its own, whatever its value. */
static u32 constant_row(struct sass_emitter *s, u32 value)
{
	const u32 offset = emit_row(&s->e, 32);
	const struct constant_row row = {.offset = offset, .bits = 32, .low = value};

	VEC_PUSH(s->e.low->scratch, &s->e.constants, row);
	return offset;
}

static u32 immediate_row(struct sass_emitter *s, const struct sass_value *v)
{
	if (v->registers == 1)
		return emit_constant(&s->e, (struct constant_row){.bits = 32, .low = (u32)v->bits});
	const u32 offset = constant_row(s, (u32)v->bits);
	constant_row(s, (u32)(v->bits >> 32));
	return offset;
}

/* Words of a bank that stand together are rows that stand together. */
static u32 bank_place(struct sass_emitter *s, const struct sass_value *v)
{
	struct emitter *e = &s->e;

	for (size_t k = 0; k < e->banks.count; k++) {
		const struct bank_row *r = &e->banks.items[k];
		if (r->bank != v->bank || r->at != v->offset)
			continue;
		if (v->registers == 1 || (k + 1 < e->banks.count && r[1].bank == v->bank && r[1].at == v->offset + 4 &&
					  r[1].offset == r->offset + ROW_BYTES))
			return r->offset;
	}
	u32 first = 0;
	for (u32 k = 0; k < v->registers; k++) {
		const struct bank_row row = {emit_row(e, 32), v->bank, v->offset + 4 * k};
		first = k ? first : row.offset;
		VEC_PUSH(e->low->scratch, &e->banks, row);
	}
	return first;
}

/* (value & b ^ c) + imm for each lane, or its absolute value (aux bit 1); a pair's lower word is copied
 * and the upper one changed (aux bit 0). */
static u32 modified(struct sass_emitter *s, const struct sass_value *v, u32 row, u32 number)
{
	const u32 sign = 0x80000000;
	struct insn i = {.fn = s->e.low->internal.sass_modify, .d = s->temporary[number], .a = row, .b = ~0u};

	i.aux = v->registers == 2;
	if (v->is_float) {
		i.b = v->absolute ? ~sign : ~0u;
		i.c = v->minus ? sign : 0;
	} else {
		i.aux |= v->absolute ? 2 : 0;
		i.c = v->inverted || v->minus || v->borrow ? ~0u : 0;
		i.imm = v->minus;
	}
	emit(&s->e, i);
	return i.d;
}

static u32 source_row(struct sass_emitter *s, const struct sass_value *v, u32 number)
{
	u32 row = s->zero;

	if (v->kind == SASS_REGISTER)
		row = register_row(s, v->reg);
	else if (v->kind == SASS_IMMEDIATE)
		row = immediate_row(s, v);
	else if (v->kind == SASS_BANK)
		row = bank_place(s, v);
	return v->minus || v->absolute || v->inverted || v->borrow ? modified(s, v, row, number) : row;
}

static u32 destination_row(const struct sass_emitter *s, const struct sass_value *v)
{
	return v->kind == SASS_ABSENT || v->reg == SASS_REGISTER_ZERO ? s->sink : register_row(s, v->reg);
}

static u32 predicate_sink(const struct sass_emitter *s, const struct sass_value *v)
{
	return v->kind == SASS_ABSENT || v->reg == SASS_REGISTER_TRUE ? s->pred_sink : predicate_row(s, v->reg);
}

/* The base of an address: a pair becomes a row of 64 bits. */
static u32 base_row(struct sass_emitter *s)
{
	const struct sass_matched *m = s->m;
	const u32 row = m->base.kind == SASS_REGISTER ? register_row(s, m->base.reg) : s->zero;

	if (!m->wide)
		return row;
	emit(&s->e, (struct insn){.fn = s->e.low->internal.sass_pair, .d = s->temporary[3], .a = row});
	return s->temporary[3];
}

/* --- Instructions --------------------------------------------------------------------------- */

static u32 carry_row(const struct sass_emitter *s)
{
	const struct form *f = &s->m->form;

	if (form_has_word(f, "X"))
		return SASS_FRAME_CF;
	for (u32 k = 0; k < COUNT_OF(s->m->a); k++)
		if (s->m->a[k].borrow)
			return s->true_row;
	return form_has_word(f, "PO") ? s->true_row : s->false_row;
}

static u32 sreg_row(struct sass_emitter *s)
{
	const struct use u = {.sreg = s->m->sreg, .element = s->m->element, .bits = 32};

	if (s->m->sreg == SREG_NONE)
		return emit_constant(&s->e, (struct constant_row){.bits = 32, .low = s->m->fixed});
	return sreg_info(u.sreg)->kind == SREG_DYNAMIC ? emit_sreg_read(&s->e, &u) : emit_sreg(&s->e, &u);
}

/* Adds the list of isa/sass.h; `a`: rows of the sources. Negations go to aux from bit `shift` on. */
static u32 push_list(struct sass_emitter *s, const struct meaning *meaning, const u32 a[3], u32 shift, u8 *aux)
{
	const struct sass_matched *m = s->m;
	const u32 at = (u32)s->e.operands.count;
	u32 list[SASS_PLACES];

	list[SASS_WORD] = meaning->word ? meaning->word(&m->form) : 0;
	list[SASS_P] = predicate_sink(s, &m->p[0]);
	list[SASS_Q] = predicate_sink(s, &m->p[1]);
	for (u32 k = 0; k < 3; k++) {
		const bool there = m->s[k].kind == SASS_REGISTER;
		list[SASS_S + k] = there ? predicate_row(s, m->s[k].reg) : s->true_row;
		*aux |= (u8)((there && m->s[k].negated) << (k + shift));
	}
	list[SASS_CARRY] = carry_row(s);
	list[SASS_B] = a[0];
	list[SASS_C] = a[1];
	for (u32 k = 0; k < SASS_PLACES; k++)
		VEC_PUSH(s->e.low->scratch, &s->e.operands, list[k]);
	return at;
}

/* Where the operands are: isa/sass.h. */
static void place_operands(struct sass_emitter *s, const struct meaning *meaning, struct insn *i)
{
	const struct sass_matched *m = s->m;
	const bool stores = m->form.row->flags & ISA_STORE && m->d.kind == SASS_ABSENT;
	u32 a[3];

	for (u32 k = 0; k < 3; k++)
		a[k] = source_row(s, &m->a[k], k);
	i->d = stores ? a[0] : destination_row(s, &m->d);
	if (m->has_address) {
		i->a = base_row(s);
		i->c = m->bank;
		i->imm = m->offset;
		i->b = push_list(s, meaning, a, 0, &i->aux);
		return;
	}
	i->a = strchr(m->form.row->operands, 'X') ? sreg_row(s) : a[0];
	i->b = a[1];
	i->c = a[2];
	i->imm = (s32)push_list(s, meaning, a, 0, &i->aux);
}

/* The row of an instruction's guard with its condition folded in. */
static u32 guard_row(struct sass_emitter *s, u8 *negated)
{
	const u32 row = s->x->guard ? predicate_row(s, s->x->guard->reg->index) : s->true_row;

	*negated = s->x->guard && s->x->guard_negated;
	if (s->m->condition == SASS_CC_T)
		return row;
	emit(&s->e, (struct insn){.fn = s->e.low->internal.sass_condition,
				  .d = s->condition_row,
				  .a = row,
				  .b = s->m->condition,
				  .aux = *negated});
	*negated = 0;
	return s->condition_row;
}

/* Does the loop closed by a backward branch wait for other threads? */
static bool loop_spins(const struct sass_emitter *s, u32 first, u32 last)
{
	for (u32 k = first; k < last; k++) {
		const struct form *f = &s->matched[k].form;
		if (f->row->flags & (ISA_ATOMIC | SASS_LOCK) || form_has_word(f, "CV"))
			return true;
	}
	return false;
}

/* Where the operands are: isa/sass.h. */
static void emit_control(struct sass_emitter *s, u32 index)
{
	const struct sass_matched *m = s->m;
	const struct meaning *meaning = m->form.row->meaning(&m->form);
	struct insn i = {.fn = meaning->run};
	u8 negated;
	u32 a[3];

	for (u32 k = 0; k < 3; k++)
		a[k] = source_row(s, &m->a[k], k);
	i.a = guard_row(s, &negated);
	i.b = m->has_address ? base_row(s) : a[0];
	i.c = meaning->word ? meaning->word(&m->form) : 0;
	i.aux = negated;
	if (m->has_target) {
		const struct sass_fixup fixup = {(u32)s->e.insns.count, m->target};
		VEC_PUSH(s->e.low->scratch, &s->fixups, fixup);
		if (m->target <= index && loop_spins(s, m->target, index))
			i.aux |= AUX_SPIN;
	} else if (m->form.row->flags & ISA_INDIRECT) {
		i.d = s->x->address + 8;
		i.imm = m->has_address ? m->offset : 0;
	} else {
		i.d = m->p[0].kind == SASS_ABSENT ? destination_row(s, &m->d) : predicate_sink(s, &m->p[0]);
		i.imm = (s32)push_list(s, meaning, a, 2, &i.aux);
	}
	i.run = (u16)emit_take_run(&s->e);
	emit(&s->e, i);
}

/* Rounding and flushing by the modifiers. */
static u8 fp_mode_of(const struct form *f)
{
	const u8 round = form_has_word(f, "RZ")   ? FP_RZ
			 : form_has_word(f, "RM") ? FP_RM
			 : form_has_word(f, "RP") ? FP_RP
						  : FP_RN;

	return round | (form_has_word(f, "FTZ") ? FP_FTZ : 0);
}

static void emit_plain(struct sass_emitter *s)
{
	const struct meaning *meaning =
		s->m->form.row->flags & ISA_UNMODELLED ? NULL : s->m->form.row->meaning(&s->m->form);
	struct insn i = {.fp = fp_mode_of(&s->m->form)};

	if (!meaning) {
		i.fn = s->e.low->internal.unmodelled;
	} else {
		place_operands(s, meaning, &i);
		i.fn = meaning->run;
	}
	if (s->x->guard)
		emit(&s->e, (struct insn){.fn = s->e.low->internal.guard,
					  .a = predicate_row(s, s->x->guard->reg->index),
					  .aux = s->x->guard_negated});
	emit(&s->e, i);
}

/* .S: the lanes for which the instruction ran go to the join. */
static void emit_join(struct sass_emitter *s)
{
	const u32 index = s->e.body_index;
	u8 negated;

	/* Observers take the last with the instruction's origin for the instruction itself. */
	s->e.body_index = NO_OPERAND;
	emit_count(&s->e);
	const u32 row = guard_row(s, &negated);
	emit(&s->e, (struct insn){.fn = s->e.low->internal.sass_join, .a = row, .aux = negated});
	s->e.body_index = index;
}

static void emit_body(struct sass_emitter *s)
{
	struct emitter *e = &s->e;

	for (u32 k = 0; k < e->function->body.count; k++) {
		e->body_index = k;
		s->m = &s->matched[k];
		s->x = &e->function->body.items[k];
		if (s->leads[k] || e->run >= RUN_MAX)
			emit_count(e);
		s->start[k] = (u32)e->insns.count;
		e->run++;
		if (s->m->form.row->flags & SASS_CONTROL)
			emit_control(s, k);
		else
			emit_plain(s);
		if (s->x->joins)
			emit_join(s);
	}
	e->body_index = NO_OPERAND;
	emit(e, (struct insn){.fn = e->low->internal.sass_end, .run = (u16)emit_take_run(e)});
	for (size_t k = 0; k < s->fixups.count; k++)
		e->insns.items[s->fixups.items[k].insn].imm =
			(s32)s->start[s->fixups.items[k].target] - (s32)s->fixups.items[k].insn;
}

/* --- Functions ------------------------------------------------------------------------------ */

static bool match_all(struct sass_emitter *s)
{
	const struct ir_function *f = s->e.function;
	const u32 errors = s->e.low->diags->error_count;

	s->matched = ARENA_ARRAY(s->e.low->scratch, f->body.count + 1, struct sass_matched);
	s->leads = ARENA_ARRAY(s->e.low->scratch, f->body.count + 1, bool);
	s->start = ARENA_ARRAY(s->e.low->arena, f->body.count + 1, u32);
	for (u32 k = 0; k < f->body.count; k++) {
		sass_match(s->e.low, f, k, &s->matched[k]);
		if (!s->matched[k].ok)
			continue;
		if (s->matched[k].has_target)
			s->leads[s->matched[k].target] = true;
		/* Any instruction may be where an indirect branch lands. */
		if (s->matched[k].form.row->flags & ISA_INDIRECT)
			memset(s->leads, true, f->body.count);
	}
	return s->e.low->diags->error_count == errors;
}

/* One more than the highest register that the code touches. */
static u32 registers_used(const struct sass_emitter *s)
{
	u32 top = 0;

	for (u32 k = 0; k < s->e.function->body.count; k++) {
		const struct sass_matched *m = &s->matched[k];
		const struct sass_value *const all[] = {&m->d, &m->a[0], &m->a[1], &m->a[2], &m->base};
		for (u32 v = 0; v < COUNT_OF(all); v++)
			if (all[v]->kind == SASS_REGISTER && all[v]->reg != SASS_REGISTER_ZERO)
				top = max_u32(top, all[v]->reg + all[v]->registers);
	}
	return top;
}

static bool check_registers(struct sass_emitter *s, u32 used)
{
	const struct ir_function *f = s->e.function;

	if (!f->listing->register_count || used <= f->listing->register_count)
		return true;
	diag_error(s->e.low->diags, f->span, "'%s' uses R%u, but .reg says %u registers", f->name, used - 1,
		   f->listing->register_count);
	return false;
}

/* The frame's rows: predicates and condition code, registers, and what stands for RZ and PT. */
static void plan_rows(struct sass_emitter *s, u32 used)
{
	struct emitter *e = &s->e;
	struct row_plan *plan = ARENA_NEW(e->low->scratch, struct row_plan);

	plan->places = ARENA_ARRAY(e->low->scratch, SASS_REGISTERS, struct row_place);
	plan->undefined = ARENA_ARRAY(e->low->scratch, used + 12, struct row_place);
	plan->predicate_bytes = SASS_FRAME_REGISTERS;
	plan->used_bytes = SASS_FRAME_REGISTERS + used * ROW_BYTES;
	for (u32 r = 0; r < used; r++)
		plan->places[r] = (struct row_place){register_row(s, r), 32};
	for (u32 r = SASS_REGISTER_P0; r < SASS_REGISTER_TRUE; r++)
		plan->places[r] = (struct row_place){predicate_row(s, r), 1};
	for (u32 r = 0; r < SASS_REGISTER_TRUE; r++)
		if (plan->places[r].bits)
			plan->undefined[plan->undefined_count++] = plan->places[r];
	for (u32 at = SASS_FRAME_CF; at <= SASS_FRAME_OF; at += 4)
		plan->undefined[plan->undefined_count++] = (struct row_place){at, 1};
	e->rows = plan;
	e->frame_top = plan->used_bytes;
	s->zero = constant_row(s, 0);
	for (u32 k = 1; k < 4; k++)
		constant_row(s, 0);
	s->sink = emit_row(e, 128);
	s->pred_sink = emit_row(e, 1);
	s->condition_row = emit_row(e, 1);
	for (u32 k = 0; k < TEMPORARIES; k++)
		s->temporary[k] = emit_row(e, 64);
	s->true_row = emit_constant(e, (struct constant_row){.bits = 1, .low = 1});
	s->false_row = emit_constant(e, (struct constant_row){.bits = 1, .low = 0});
	plan->places[SASS_REGISTER_ZERO] = (struct row_place){s->zero, 32};
	plan->places[SASS_REGISTER_TRUE] = (struct row_place){s->true_row, 1};
}

static u64 local_bytes(const struct sass_emitter *s)
{
	const struct ir_function *f = s->e.function;

	if (f->listing->local_bytes)
		return (f->listing->local_bytes + 15) & ~15ull;
	for (u32 k = 0; k < f->body.count; k++)
		if (s->matched[k].form.row->flags & SASS_LOCAL)
			return LOCAL_BYTES;
	return 0;
}

struct code *sass_emit_function(struct lowering *low, struct ir_function *f)
{
	struct sass_emitter s = {.e = {.low = low, .function = f}};

	s.e.code = ARENA_NEW(low->arena, struct code);
	s.e.code->function = f;
	s.e.code->name = f->name;
	if (!match_all(&s))
		return NULL;
	const u32 used = registers_used(&s);
	if (!check_registers(&s, used))
		return NULL;
	plan_rows(&s, used);
	s.e.code->machine_registers = f->listing->register_count ? f->listing->register_count : max_u32(used, 1);
	s.e.code->local_bytes = local_bytes(&s);
	s.e.code->local_align = 16;
	emit_body(&s);
	/* What the finish reads of matched instructions: forms, and no uses, for rows do not overlap. */
	s.e.matched = ARENA_ARRAY(low->scratch, f->body.count + 1, struct matched);
	for (u32 k = 0; k < f->body.count; k++)
		s.e.matched[k] = (struct matched){.form = s.matched[k].form, .ok = true};
	s.e.forms = ARENA_ARRAY(low->arena, f->body.count + 1, struct form);
	s.e.code->starts = s.start;
	emit_finish(&s.e);
	return s.e.code;
}
