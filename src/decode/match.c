/* SPDX-License-Identifier: Apache-2.0
 *
 * Matching: tries each row that accepts the modifiers until the operands fit, and otherwise says
 * what would have been right.
 *
 * Called once for each statement and kernel. Which rows can be meant is a matter of spelling alone (opcode and
 * modifiers), and is remembered for each spelling (decode/spelling.c); operands are matched here:
 *
 *      match_instruction -> for each row of the spelling: try_row
 *         pack_selectors    video selectors, minus signs
 *         one_operand       each operand of the text against a word of the row -> uses, bits (operand.c, address.c)
 *         is_legal          the meaning's own picker: combinations that no word can say
 *      accept, check_needs  version and target; then flush_implicitly
 *
 * Of several rows that fail, the one that took most operands says what is wrong.
 */
#include "decode/attempt.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "isa/form.h"

/* A count or selector that is part of the form: it has no row, but a place in form->immediates. */
static bool immediate_only(struct attempt *t, const struct operand_spec *s, const struct ir_operand *o)
{
	if (o->kind != OPERAND_INTEGER)
		return attempt_wrong(t, o->span, "expected an integer constant");
	if (t->form->immediate_count == COUNT_OF(t->form->immediates))
		return attempt_wrong(t, o->span, "too many constants");
	if (!attempt_within_limits(t, s, o))
		return false;
	t->form->immediates[t->form->immediate_count++] = (s64)o->value;
	return true;
}

/* A branch goes to a label, an indirect one to a list of them. */
static bool is_label(struct attempt *t, const struct ir_operand *o)
{
	const bool indirect = t->form->row->flags & ISA_INDIRECT;

	if (o->kind == OPERAND_SYMBOL && o->symbol && o->symbol->kind == (indirect ? SYM_TARGETS : SYM_LABEL))
		return true;
	return attempt_wrong(t, o->span, indirect ? "expected the name of a .branchtargets list" : "expected a label");
}

/* A result and a second one behind '|', which the text may lack unless the row needs it: p|q, p|_, _|q, p. */
static bool two_results(struct attempt *t, const struct operand_spec *s, const struct ir_operand *o)
{
	const bool both = o->kind == OPERAND_PAIR;
	const struct ir_operand *first = both ? &o->items[0] : o, *second = both ? &o->items[1] : NULL;
	struct operand_spec of_second = *s;

	if (s->needs_second && (!both || second->kind == OPERAND_SINK))
		return attempt_wrong(t, o->span, "a predicate result must follow after '|'");
	if (both && first->kind == OPERAND_SINK && second->kind == OPERAND_SINK)
		return attempt_wrong(t, o->span, "'_' cannot stand for both results");
	if (both && (!attempt_plain(t, first) || !attempt_plain(t, second)))
		return false;
	t->list_shape = true;
	if (s->vector > 1 ? !attempt_vector(t, s, first, s->vector) : !attempt_scalar(t, s, first, s->type))
		return false;
	if (!both)
		return attempt_push(t, (struct use){.kind = USE_ABSENT, .span = o->span});
	of_second.type = s->second;
	of_second.droppable = true;
	return attempt_scalar(t, &of_second, second, s->second);
}

/* One operand of the text against one word of the row. */
static bool one_operand(struct attempt *t, const struct operand_spec *s, const struct ir_operand *o)
{
	const u32 count = s->vector;

	switch (s->kind) {
	case '@':
		return attempt_address(t, s, o);
	case 'T':
		return attempt_tensor(t, s, o);
	case 'X':
	case 'S':
		return attempt_texture(t, s, o);
	case 'L':
		return is_label(t, o);
	case 'F':
	case 'V':
		return true; /* lowering takes these itself */
	default:
		break;
	}
	if (s->immediate)
		return immediate_only(t, s, o);
	if (s->second != TOKEN_NONE)
		return two_results(t, s, o);
	if (o->kind == OPERAND_PAIR && s->type == T_pred && o->items[1].kind == OPERAND_SINK)
		return attempt_scalar(t, s, &o->items[0], s->type); /* p|_ where there is no q */
	if (o->kind == OPERAND_PAIR)
		return attempt_wrong(t, o->span, "this form has no second result");
	if (count > 1 || s->braces)
		return attempt_vector(t, s, o, count);
	return attempt_scalar(t, s, s->list && o->kind == OPERAND_VECTOR && o->item_count == 1 ? &o->items[0] : o,
			      s->type);
}

/* Where a scalar video instruction's selectors and signs may stand together. */
static bool scalar_video_is_legal(struct attempt *t, const struct ir_instruction *x, bool picks_destination, u32 minus)
{
	const struct form *f = t->form;
	const bool takes_signs = f->row->flags & ISA_MINUS;

	if (picks_destination && (takes_signs || x->operand_count < 4))
		return attempt_wrong(t, x->operands[0].span, "the destination of this form takes no selector");
	if (picks_destination && form_pick(f, M_add, M_max))
		return attempt_wrong(t, x->operands[0].span,
				     "a destination selector and a second operation exclude each other");
	const bool product = (minus >> 1 ^ minus >> 2) & 1, addend = minus >> 3 & 1;
	if ((product || addend) && form_has(f, M_po))
		return attempt_wrong(t, x->span, "'.po' and a minus sign exclude each other");
	if (product && addend)
		return attempt_wrong(t, x->span, "the product and c cannot both have a minus sign");
	return true;
}

/* Selectors and signs of video operands, packed for the handler; other forms may have none. */
static bool pack_selectors(struct attempt *t, const struct ir_instruction *x)
{
	const char *texts[4] = {NULL};
	u32 minus = 0;

	for (u32 k = 0; k < x->operand_count; k++) {
		if (x->operands[k].kind == OPERAND_ADDRESS && x->operands[k].selector) {
			if (t->form->opcode != OP_ld ||
			    form_pick(t->form, M_const, M_shared_cluster) != form_pick(t->form, M_global, M_global))
				return attempt_wrong(t, x->operands[k].span,
						     "'.unified' is for loads from global memory");
			continue;
		}
		if (k >= COUNT_OF(texts)) {
			if (!attempt_plain(t, &x->operands[k]))
				return false;
			continue;
		}
		texts[k] = x->operands[k].selector;
		minus |= (u32)x->operands[k].minus << k;
	}
	if (!isa_pack_selectors(t->form->row, texts, minus, &t->form->selects))
		return attempt_wrong(t, x->span,
				     "a selector or a minus sign stands where this form takes none of its kind");
	return t->form->row->flags & ISA_SELECT ? scalar_video_is_legal(t, x, texts[0] != NULL, minus) : true;
}

/* What the row's pattern and its operand words cannot say, its meaning knows. Branches and calls have none. */
static bool is_legal(struct attempt *t)
{
	struct form *f = t->form;

	/* Meanings are picked by the widths of operands that may be left out, too. */
	memset(t->bits + t->count, 0, t->count < FORM_OPERANDS ? FORM_OPERANDS - t->count : 0);
	for (u32 k = 0; k < t->count; k++)
		t->bits[k] = t->uses[k].kind == USE_ABSENT ? 0 : t->uses[k].type_bits;
	f->operand_bits = t->bits;
	f->operand_count = (u8)t->count;
	for (u32 k = 0; k < t->count && k < COUNT_OF(f->constants); k++)
		if (t->uses[k].kind == USE_CONSTANT) {
			f->constant_mask |= (u8)(1u << k);
			f->constants[k] = t->uses[k].low;
		}
	if (f->row->flags & (ISA_UNMODELLED | ISA_BRANCH | ISA_CALL | ISA_RET | ISA_EXIT) || f->row->meaning(f) ||
	    form_is_wide_float(f, 0) || form_is_wide_float(f, 1))
		return true;
	return attempt_wrong(t, t->x->span, "these modifiers and operands cannot stand together");
}

/* Optional operands that the text lacks become absent uses, so that handlers find each operand at its place. */
static bool try_row(struct attempt *t)
{
	const struct operand_spec *specs = t->row->specs;
	const u32 spec_count = t->row->spec_count;
	const struct ir_instruction *x = t->x;

	if (!pack_selectors(t, x))
		return false;
	if (t->form->row->flags & ISA_CALL)
		return true;
	for (u32 k = 0; k < spec_count; k++) {
		if (t->text_operands == x->operand_count) {
			if (!specs[k].optional)
				return attempt_wrong(t, x->span, "expected %u operands, found %u", spec_count,
						     x->operand_count);
			if (specs[k].immediate)
				continue;
			if (!attempt_push(t, (struct use){.kind = USE_ABSENT, .span = x->span}))
				return false;
			continue;
		}
		if (!one_operand(t, &specs[k], &x->operands[t->text_operands++]))
			return false;
	}
	if (t->text_operands < x->operand_count)
		return attempt_wrong(t, x->operands[t->text_operands].span, "expected %u operands, found %u",
				     spec_count, x->operand_count);
	return is_legal(t);
}

/* No row has these modifiers: names the first that does not fit, and the nearest form. */
static void report_no_form(struct matcher *m, const struct ir_instruction *x, const struct spelling *s)
{
	const char *nearest = isa_nearest_form(m->isa, x->opcode, s->modifiers, s->modifier_count);
	const u32 bad = s->bad;

	if (s->end == ISA_NO_OPCODE) {
		diag_error(m->diags, x->opcode_span, "unknown instruction '%s'", x->opcode);
		return;
	}
	if (bad < x->modifier_count)
		diag_error(m->diags, x->modifiers[bad].span, "'.%s' is not a modifier that '%s' takes here",
			   x->modifiers[bad].text, x->opcode);
	else
		diag_error(m->diags, x->opcode_span, "'%s' lacks a type or modifier", x->opcode);
	if (nearest)
		diag_hint(m->diags, "the nearest form is %s", nearest);
}

/* An error, or a warning where only reading is meant; once for each place, though functions are lowered for
 * each kernel that calls them. */
static bool tell_unmodelled(struct matcher *m, const struct ir_instruction *x, const char *text, const char *doc)
{
	for (size_t k = 0; k < m->diags->list.count; k++)
		if (!memcmp(&m->diags->list.items[k].span, &x->opcode_span, sizeof x->opcode_span))
			return m->allow_unmodelled;
	if (m->allow_unmodelled)
		diag_warning(m->diags, x->opcode_span, "'%s' is not modelled", text);
	else
		diag_error(m->diags, x->opcode_span, "'%s' is not modelled", text);
	diag_hint(m->diags, "%s", doc);
	return m->allow_unmodelled;
}

/* An error: the form's text, and what is said of it. False. */
static bool refuse(struct matcher *m, const struct ir_instruction *x, const struct spelled_row *r, const char *format,
		   ...) __attribute__((format(printf, 4, 5)));
static bool refuse(struct matcher *m, const struct ir_instruction *x, const struct spelled_row *r, const char *format,
		   ...)
{
	char text[160], why[160];
	va_list arguments;

	isa_form_text(&r->form, text, sizeof text);
	va_start(arguments, format);
	vsnprintf(why, sizeof why, format, arguments);
	va_end(arguments);
	diag_error(m->diags, x->opcode_span, "'%s' %s", text, why);
	return false;
}

/* The module's target, against the first that has the form, and the last.
 * Targets with a suffix: `a` forms need exactly that one, family forms also run on later members of the family. */
static bool check_target(struct matcher *m, const struct ir_instruction *x, const struct spelled_row *r, u32 sm)
{
	const struct ir_module *module = m->function->module;
	const u32 flags = r->form.row->flags;

	if (m->arch < sm && sm == 13 && module->map_f64_to_f32) {
		refuse(m, x, r, "needs target sm_13 or later; the target is sm_%u", m->arch);
		diag_hint(m->diags,
			  "map_f64_to_f32 is not modelled: no GPU that rounded .f64 to .f32 is left to compare with");
		return false;
	}
	if (m->arch < sm)
		return refuse(m, x, r, "needs target sm_%u%s or later; the target is sm_%u", sm,
			      flags & ISA_A_TARGET ? "a" : "", m->arch);
	if (flags & ISA_A_TARGET && !module->is_sass && !strpbrk(module->target + 3, "af"))
		return refuse(m, x, r, "needs target sm_%ua; the target is sm_%u", sm, m->arch);
	if (flags & ISA_FAMILY_ONLY && m->arch >= (sm < 100 ? 100 : 120))
		return refuse(m, x, r, "is for sm_%ua and its family only; the target is sm_%u", sm, m->arch);
	return true;
}

/* Whether the module may have the form: its version and target, and that it is modelled. */
static bool check_needs(struct matcher *m, const struct ir_instruction *x, const struct attempt *t)
{
	const struct spelled_row *r = t->row;
	const struct isa_row *row = r->form.row;
	const struct ir_module *module = m->function->module;
	const u32 ptx = max_u32(r->ptx, t->ptx), version = module->version;
	char text[160];

	if (version && version < ptx)
		return refuse(m, x, r, "needs PTX ISA %u.%u or later; this module is .version %u.%u", ptx / 10,
			      ptx % 10, version / 10, version % 10);
	if (!check_target(m, x, r, max_u32(r->sm, t->sm)))
		return false;
	if (row->last && version > row->last && (row->last < 20 || module->arch >= 20))
		return refuse(m, x, r, "needs %sa rounding modifier from PTX ISA %s on",
			      row->last < 20 ? ".approx or " : "", row->last < 20 ? "1.4" : "3.2");
	if (row->flags & ISA_UNSYNCED && m->arch >= 70 && version >= 64)
		return refuse(m, x, r, "without .sync is not for sm_70 and later from PTX ISA 6.4 on");
	if (!(row->flags & ISA_UNMODELLED))
		return true;
	isa_form_text(&r->form, text, sizeof text);
	return tell_unmodelled(m, x, text, row->doc);
}

/* Modules for targets below sm_20 flush subnormals in every f32 instruction that can, also where they are run
 * for a later target. */
static void flush_implicitly(const struct matcher *m, struct form *f)
{
	if (m->function->module->arch >= 20 || m->function->module->is_sass || form_has(f, M_ftz) ||
	    f->token_count == FORM_TOKENS || !isa_row_has_word(f->row, token_text(M_ftz)))
		return;
	for (u32 k = 0; k < f->type_count; k++)
		if (f->types[k] == T_f32) {
			f->tokens[f->token_count++] = M_ftz;
			return;
		}
}

/* What outlives lowering goes to `kept`; the uses are needed only until the function is emitted. */
static void accept(struct matcher *m, const struct attempt *t, struct matched *result)
{
	u8 *bits = ARENA_ARRAY(m->kept, max_u32(t->count, FORM_OPERANDS), u8);

	result->use_count = t->count;
	result->uses = ARENA_ARRAY(m->arena, t->count + 1, struct use);
	memcpy(result->uses, t->uses, t->count * sizeof *t->uses);
	memcpy(bits, t->bits, t->count);
	result->form.operand_bits = bits;
	result->address_count = t->addresses;
	result->has_list_shape = t->list_shape;
}

/* All but the room for operands, which is large. */
static void attempt_start(struct attempt *t)
{
	t->count = t->addresses = t->text_operands = t->ptx = t->sm = 0;
	t->list_shape = false;
	t->wrong = NULL;
}

void match_instruction(struct matcher *m, const struct ir_instruction *x, struct matched *result)
{
	const char *best = NULL;
	struct span best_at = x->span;
	u32 best_taken = 0;
	struct attempt t;

	memset(result, 0, sizeof *result);
	if (x->modifier_count > FORM_TOKENS) {
		diag_error(m->diags, x->opcode_span, "'%s' has too many modifiers", x->opcode);
		return;
	}
	struct spelling *spelling = spelling_of(m->spellings, x);
	t.m = m;
	t.x = x;
	t.form = &result->form;
	for (u32 n = 0;; n++) {
		const struct spelled_row *row = spelling_row(m->spellings, spelling, n);
		if (!row)
			break;
		attempt_start(&t);
		t.row = row;
		result->form = row->form;
		result->form.arch = m->arch;
		if (try_row(&t)) {
			accept(m, &t, result);
			result->ok = check_needs(m, x, &t);
			flush_implicitly(m, &result->form);
			return;
		}
		if (!best || t.text_operands > best_taken) {
			best = t.wrong;
			best_at = t.wrong_at;
			best_taken = t.text_operands;
		}
	}
	memset(&result->form, 0, sizeof result->form);
	if (best)
		diag_error(m->diags, best_at, "%s: %s", x->opcode, best);
	else
		report_no_form(m, x, spelling);
}

/* How often each register slot is written, for passes that follow a value back to its only definition. */
u32 *matched_definitions(const struct matched *matched, u32 count, struct arena *arena, u32 *slots)
{
	*slots = 0;
	for (u32 k = 0; k < count; k++)
		for (u32 u = 0; u < matched[k].use_count; u++)
			if (use_is_register(&matched[k].uses[u]))
				*slots = max_u32(*slots, matched[k].uses[u].reg + 1);
	u32 *definitions = ARENA_ARRAY(arena, *slots + (size_t)1, u32);
	for (u32 k = 0; k < count; k++)
		for (u32 u = 0; u < matched[k].use_count; u++)
			if (use_is_register(&matched[k].uses[u]) && matched[k].uses[u].written)
				definitions[matched[k].uses[u].reg]++;
	return definitions;
}

/* Rewrites a matched instruction into another row: for the passes of src/ptxas. False: there is no such form. */
bool matched_become(const struct rewriting *r, struct matched *m, enum opcode opcode, const char **texts,
		    u32 text_count, struct use *uses, u32 count)
{
	struct form form = {0};
	u32 row, bad;

	if (isa_match_form(r->isa, opcode_text(opcode), texts, text_count, 0, &form, &row, &bad) != ISA_MATCHED)
		return false;
	u8 *bits = ARENA_ARRAY(r->kept, FORM_OPERANDS, u8);
	for (u32 u = 0; u < count; u++)
		bits[u] = uses[u].type_bits;
	form.arch = r->arch;
	form.operand_count = (u8)count;
	form.operand_bits = bits;
	m->form = form;
	m->uses = uses;
	m->use_count = count;
	return true;
}
