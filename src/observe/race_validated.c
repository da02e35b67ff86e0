/* SPDX-License-Identifier: Apache-2.0
 *
 * The flow of values through a function's registers, whatever the order of its instructions.
 */
#include "observe/race_validated.h"

#include <stdlib.h>

#include "observe/classes.h"
#include "observe/race_roles.h"

static const struct ir_register *register_of(const struct ir_operand *o)
{
	return o->kind == OPERAND_REGISTER && o->symbol && o->symbol->kind == SYM_REGISTER ? o->symbol->reg : NULL;
}

static const struct ir_operand *address_of(const struct ir_instruction *x)
{
	for (u32 k = 0; k < x->operand_count; k++)
		if (x->operands[k].kind == OPERAND_ADDRESS)
			return &x->operands[k];
	return NULL;
}

static bool is_memory(const struct code *code, u32 k)
{
	return !code->forms[k].row || code->forms[k].row->flags & (ISA_MEMORY | ISA_CALL | ISA_BRANCH);
}

/* The only instruction that writes the register, if it copies another: mov, cvta. */
static const struct ir_register *copied_from(const struct code *code, const struct ir_register *r)
{
	const struct ir_function *f = code->function;
	const struct ir_register *from = NULL;
	u32 writers = 0;

	for (u32 k = 0; k < f->body.count; k++) {
		const struct ir_instruction *x = &f->body.items[k];
		if (!x->operand_count || register_of(&x->operands[0]) != r || !code->forms[k].row)
			continue;
		writers++;
		const bool copies = code->forms[k].opcode == OP_mov || code->forms[k].opcode == OP_cvta;
		from = copies && x->operand_count == 2 ? register_of(&x->operands[1]) : NULL;
	}
	return writers == 1 ? from : NULL;
}

static const struct ir_register *root_of(const struct code *code, const struct ir_operand *address)
{
	enum { STEPS = 16 };
	const struct ir_register *r = address->item_count == 1 ? register_of(&address->items[0]) : NULL;

	for (u32 k = 0; r && k < STEPS; k++) {
		const struct ir_register *from = copied_from(code, r);
		if (!from)
			break;
		r = from;
	}
	return r;
}

static bool same_place(const struct code *code, const struct ir_operand *a, const struct ir_operand *b)
{
	const struct ir_register *r = a && b && a->addend == b->addend ? root_of(code, a) : NULL;

	return r && r == root_of(code, b);
}

/* Marks the registers that an operand names, or asks whether one is marked. */
static bool visit(const struct ir_operand *o, bool *marks, bool mark)
{
	const struct ir_register *r = register_of(o);
	bool any = r && marks[r->index];

	if (r && mark)
		marks[r->index] = true;
	for (u32 k = 0; k < o->item_count; k++)
		any |= visit(&o->items[k], marks, mark);
	return any;
}

static bool is_predicate(const struct ir_operand *o)
{
	const struct ir_register *r = register_of(o);

	return r && r->type == T_pred;
}

static void spread(const struct code *code, bool *marks)
{
	const struct ir_function *f = code->function;

	for (bool changed = true; changed;) {
		changed = false;
		for (u32 k = 0; k < f->body.count; k++) {
			const struct ir_instruction *x = &f->body.items[k];
			bool reads = false;
			if (is_memory(code, k) || x->operand_count < 2 || is_predicate(&x->operands[0]))
				continue;
			for (u32 n = 1; n < x->operand_count; n++)
				reads |= visit(&x->operands[n], marks, false);
			if (reads && !visit(&x->operands[0], marks, false)) {
				visit(&x->operands[0], marks, true);
				changed = true;
			}
		}
	}
}

bool race_is_validated(const struct code *code, u32 load)
{
	const struct ir_function *f = code->function;
	const struct ir_operand *address = load < f->body.count ? address_of(&f->body.items[load]) : NULL;
	bool found = false;

	if (!address || f->listing)
		return false;
	bool *marks = calloc(f->registers.count + 1, sizeof *marks);
	if (!marks)
		return false;
	visit(&f->body.items[load].operands[0], marks, true);
	spread(code, marks);
	for (u32 k = 0; k < f->body.count && !found; k++) {
		const struct ir_instruction *x = &f->body.items[k];
		if (!code->forms[k].row || !(code->forms[k].row->flags & ISA_ATOMIC) ||
		    !form_has(&code->forms[k], M_cas) || x->operand_count < 4)
			continue;
		found = visit(&x->operands[2], marks, false) && same_place(code, address, address_of(x));
	}
	free(marks);
	return found;
}

/* Does a branch depend on a marked register? */
static bool is_branched_on(const struct code *code, bool *marks)
{
	const struct ir_function *f = code->function;
	const struct ir_register *asked;

	for (u32 k = 0; k < f->body.count; k++) {
		const struct ir_instruction *x = &f->body.items[k];
		bool reads = false;
		if (x->operand_count < 2 || !is_predicate(&x->operands[0]))
			continue;
		for (u32 n = 1; n < x->operand_count; n++)
			reads |= visit(&x->operands[n], marks, false);
		asked = reads ? register_of(&x->operands[0]) : NULL;
		for (u32 n = 0; asked && n < f->body.count; n++)
			if (code->forms[n].row && code->forms[n].row->flags & ISA_BRANCH && f->body.items[n].guard &&
			    f->body.items[n].guard->kind == SYM_REGISTER && f->body.items[n].guard->reg == asked)
				return true;
	}
	return false;
}

/* The registers that what an instruction loads goes into; NULL: no memory. */
static bool *spread_from(const struct code *code, u32 load)
{
	const struct ir_instruction *x = &code->function->body.items[load];
	bool *marks = calloc(code->function->registers.count + 1, sizeof *marks);

	if (!marks)
		return NULL;
	visit(&x->operands[0], marks, true);
	spread(code, marks);
	return marks;
}

static bool is_kept(const struct code *code, u32 load)
{
	const struct ir_function *f = code->function;
	bool *marks = spread_from(code, load), kept = false;

	for (u32 k = 0; marks && k < f->body.count && !kept; k++) {
		const struct ir_instruction *x = &f->body.items[k];
		for (u32 n = 0; k != load && is_memory(code, k) && n < x->operand_count; n++)
			kept |= visit(&x->operands[n], marks, false);
	}
	free(marks);
	return kept;
}

/* Does it wait for the values of volatile words? */
static bool waits_for_volatile(const struct code *code)
{
	bool waits = false;

	for (u32 k = 0; k < code->function->body.count && !waits; k++) {
		const struct form *f = &code->forms[k];
		if (!f->row || !(f->row->flags & ISA_MEMORY) || !form_has(f, M_volatile) ||
		    !code->function->body.items[k].operand_count)
			continue;
		bool *marks = spread_from(code, k);
		waits = marks && is_branched_on(code, marks);
		free(marks);
	}
	return waits;
}

bool race_steps_together(const struct code *code, u32 load)
{
	const struct ir_function *f = code->function;

	return load < f->body.count && !f->listing && f->body.items[load].operand_count && is_kept(code, load) &&
	       !waits_for_volatile(code);
}

/* --- Whether a value is used before its reader can tell of it --------------------------------------
 *
 * Values may be used behind a barrier, if another one comes before anything is told: whoever tells then has waited for
 * all uses.
 *
 *      load ... use ... (barrier) ... store.relaxed           UNUSED: done with its use
 *      load ... barrier ... use ... barrier ... store.relaxed  BEHIND, USED_BEHIND: done with the second barrier
 */

enum use_stage { UNUSED, BEHIND, USED_BEHIND, USE_STAGES };

/* Does it certainly read one, where the load has been executed? */
static bool reads_any(const struct code *code, u32 load, u32 k, bool *marks)
{
	const struct ir_instruction *x = &code->function->body.items[k], *l = &code->function->body.items[load];
	bool reads = x->guard && x->guard->kind == SYM_REGISTER && marks[x->guard->reg->index];

	if (x->guard && (x->guard != l->guard || x->guard_negated != l->guard_negated))
		return reads;
	for (u32 n = code->forms[k].has_result; n < x->operand_count; n++)
		reads |= visit(&x->operands[n], marks, false);
	return reads;
}

/* Is the value nobody's any more? */
static bool overwrites(const struct code *code, u32 load, u32 k, bool *marks)
{
	const struct ir_instruction *x = &code->function->body.items[k];

	return !x->guard && code->forms[k].has_result && register_of(&x->operands[0]) &&
	       register_of(&x->operands[0]) == register_of(&code->function->body.items[load].operands[0]) &&
	       visit(&x->operands[0], marks, false);
}

/* Does the thread end there? */
static bool ends(const struct code *code, u32 k)
{
	const u32 flags = code->forms[k].row ? code->forms[k].row->flags : 0;

	return !code->function->body.items[k].guard &&
	       (flags & ISA_EXIT || (flags & ISA_RET && code->function->is_entry));
}

static bool is_meeting(const struct form *f)
{
	return f->row && race_role_of(f).does & (RACE_BARRIER | RACE_ARRIVE | RACE_LANES);
}

static bool may_tell(const struct form *f)
{
	return !f->row || f->row->flags & (ISA_CALL | ISA_RET | ISA_INDIRECT | ISA_ATOMIC) ||
	       f->row->traits & TRAIT_ORDERS || race_role_of(f).does & ~(u32)(RACE_EXCHANGE | RACE_READ_ONLY);
}

/* Where it may go on behind instruction k; false: that is not known. */
static bool follow(const struct code *code, u32 k, u32 next[2])
{
	const struct ir_function *f = code->function;
	const struct ir_instruction *x = &f->body.items[k];
	const bool branches = code->forms[k].row->flags & ISA_BRANCH;
	const struct ir_symbol *label = branches && x->operand_count == 1 ? x->operands[0].symbol : NULL;

	next[0] = branches && !x->guard ? f->body.count : k + 1;
	next[1] = label && label->kind == SYM_LABEL ? label->label->target : f->body.count;
	return !branches || (label && label->kind == SYM_LABEL);
}

/* What it is behind instruction k; USE_STAGES: done. False: something may be told first. */
static bool step(const struct code *code, u32 load, u32 k, bool *marks, enum use_stage *stage)
{
	const bool meets = is_meeting(&code->forms[k]);

	if (*stage != USED_BEHIND && reads_any(code, load, k, marks)) {
		*stage = *stage == UNUSED ? USE_STAGES : USED_BEHIND;
	} else if (ends(code, k) || (meets && *stage == USED_BEHIND) ||
		   (*stage != USED_BEHIND && overwrites(code, load, k, marks))) {
		*stage = USE_STAGES;
	} else if (meets) {
		*stage = BEHIND;
	}
	return *stage == USE_STAGES || meets || !may_tell(&code->forms[k]);
}

/* On every way; `left` has room for what is still to be looked at: an instruction and the stage before it. */
static bool used_on_all(const struct code *code, u32 load, bool *marks, bool *seen, u32 *left)
{
	const u32 end = code->function->body.count;
	u32 count = 0, next[2];

	left[count++] = (load + 1) * USE_STAGES;
	while (count) {
		const u32 at = left[--count], k = at / USE_STAGES;
		enum use_stage stage = at % USE_STAGES;
		if (k >= end || seen[at])
			continue;
		seen[at] = true;
		if (!step(code, load, k, marks, &stage))
			return false;
		if (stage == USE_STAGES)
			continue;
		if (!follow(code, k, next))
			return false;
		left[count++] = next[0] * USE_STAGES + stage;
		left[count++] = next[1] * USE_STAGES + stage;
	}
	return true;
}

bool race_is_used_first(const struct code *code, u32 load)
{
	const struct ir_function *f = code->function;

	if (f->listing || load >= f->body.count || !f->body.items[load].operand_count)
		return false;
	bool *marks = calloc(f->registers.count + 1, sizeof *marks);
	bool *seen = calloc(((size_t)f->body.count + 1) * USE_STAGES, sizeof *seen);
	u32 *left = calloc(((size_t)f->body.count + 1) * 2 * USE_STAGES, sizeof *left);
	if (marks)
		visit(&f->body.items[load].operands[0], marks, true);
	const bool used = marks && seen && left && used_on_all(code, load, marks, seen, left);
	free(marks);
	free(seen);
	free(left);
	return used;
}
