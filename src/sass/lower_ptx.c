/* SPDX-License-Identifier: Apache-2.0
 *
 * Lowering of machine code: handlers of PTX rows. A row is named by its text, as in a PTX file, and matched by the same
 * table, so machine code has no second list of meanings; tests/unit/test_machine_code.c holds each text to the table.
 * Matching is slow and kernels repeat few forms: what was found is kept for the kernel, by text and kinds of operands.
 */
#include <stdarg.h>
#include <string.h>

#include "isa/linear.h"
#include "sass/lower.h"

/* A row with its choices made, for operands of these widths. */
struct prepared {
	const char *text;
	u32 count;
	struct form form;
	const struct meaning *meaning;
	u8 fp;
};

const char *lower_text(struct lower *l, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	const char *text = arena_vprintf(l->e.low->scratch, format, args);
	va_end(args);
	return text;
}

/* Splits "fma.rn.f32" into opcode and modifiers; returns how many modifiers. */
static u32 split_text(struct arena *a, const char *text, const char **opcode, const char *modifiers[FORM_TOKENS])
{
	char *copy = arena_copy_text(a, text, strlen(text));
	u32 count = 0;

	*opcode = copy;
	for (char *dot = strchr(copy, '.'); dot && count < FORM_TOKENS;) {
		*dot = 0;
		modifiers[count++] = dot + 1;
		dot = strchr(dot + 1, '.');
	}
	return count;
}

/* Whether the row's operands are these: as many, the same of them written, truths where it has truths. */
static bool operands_fit(const struct form *form, const struct lower_arg *args, u32 count)
{
	struct operand_spec specs[FORM_OPERANDS];
	const u32 spec_count = isa_operand_specs(form, specs);
	u32 at = 0;

	for (u32 k = 0; k < spec_count; k++) {
		const struct operand_spec *s = &specs[k];
		if (s->immediate) {
			if (at == count || !args[at].is_immediate)
				return false;
			at++;
			continue;
		}
		if (at == count)
			return s->optional;
		if (s->kind == '@') {
			if (at + 1 >= count || !args[at + 1].is_offset)
				return false;
			at += 2;
			continue;
		}
		if (s->kind == 'T') {
			if (at + 1 >= count || !args[at + 1].is_offset)
				return false;
			for (at += 2;
			     at < count && !args[at].is_immediate && !(at + 1 < count && args[at + 1].is_offset); at++)
				;
			continue;
		}
		const bool truth = s->kind == 't' && type_bits(s->type) == 1;
		for (u32 n = 0; n < max_u32(s->vector, 1); n++, at++)
			if (at >= count || args[at].written != s->written || (args[at].bits == 1) != truth ||
			    args[at].is_immediate || args[at].is_offset)
				return false;
		if (s->second != TOKEN_NONE && at < count && args[at].written)
			at++;
	}
	return at == count;
}

static u8 fp_of(const struct form *f)
{
	const int round = form_pick(f, M_rn, M_rp);
	const u8 mode = round == M_rz ? FP_RZ : round == M_rm ? FP_RM : round == M_rp ? FP_RP : FP_RN;
	const bool flushes = form_has(f, M_ftz) && !(f->type_count == 1 && f->types[0] == T_f64);

	return mode | (flushes ? FP_FTZ : 0);
}

/* Handlers find their operands by the layout (decode/program.h), and PTX's emission has settled it for each form that they
 * are made for; so this must come to the same layout for the same operands, and does by the same facts: how many there are,
 * whether an address is one of them, whether any is a vector. */
static void settle_layout(struct form *f, const struct lower_arg *args, u32 count)
{
	struct operand_spec specs[FORM_OPERANDS];
	const u32 spec_count = isa_operand_specs(f, specs);
	u32 addresses = 0, written = 0, immediates = 0;
	bool vectors = false;

	for (u32 k = 0; k < count; k++) {
		addresses += args[k].is_offset;
		immediates += args[k].is_immediate;
		written += args[k].written;
		if (k + 1 < count && args[k + 1].is_offset)
			f->base_at = (u8)k;
	}
	for (u32 k = 0; k < spec_count; k++)
		vectors |= specs[k].vector > 1 || specs[k].braces;
	const bool is_memory = f->row->flags & ISA_MEMORY && addresses == 1;
	const bool has_result = count && args[0].written;
	const u32 flat = count - immediates, others = flat - (is_memory ? 2 : 0),
		  room = (is_memory ? 2 : 3) + has_result;
	const bool few = !vectors && written == has_result && others <= room;

	f->has_result = has_result;
	f->operand_count = (u8)flat;
	if (is_memory)
		f->layout = few ? LAYOUT_MEMORY : LAYOUT_MEMORY_LIST;
	else
		f->layout = few && !addresses ? LAYOUT_DIRECT : LAYOUT_LIST;
}

static bool fill_form(struct lower *l, struct prepared *p, const struct lower_arg *args, u32 count)
{
	u8 *bits = ARENA_ARRAY(l->e.low->arena, max_u32(count, FORM_OPERANDS), u8);
	u32 at = 0;

	if (!operands_fit(&p->form, args, count))
		return false;
	for (u32 k = 0; k < count; k++) {
		if (args[k].is_immediate && p->form.immediate_count < COUNT_OF(p->form.immediates))
			p->form.immediates[p->form.immediate_count++] = (s32)args[k].row;
		else
			bits[at++] = args[k].bits;
	}
	p->form.operand_bits = bits;
	p->form.arch = l->e.low->arch;
	settle_layout(&p->form, args, count);
	p->fp = fp_of(&p->form);
	p->meaning =
		p->form.row->flags & ISA_UNMODELLED || !p->form.row->meaning ? NULL : p->form.row->meaning(&p->form);
	return p->meaning != NULL;
}

static struct prepared *prepare(struct lower *l, const char *text, const struct lower_arg *args, u32 count)
{
	struct arena *arena = l->e.low->scratch;
	struct prepared *p = ARENA_NEW(l->e.low->arena, struct prepared); /* the code's steps name its form */
	const char *opcode, *modifiers[FORM_TOKENS];
	const u32 modifier_count = split_text(arena, text, &opcode, modifiers);
	u32 bad, from = 0;

	p->text = text;
	p->count = count;
	for (;;) {
		u32 row;
		memset(&p->form, 0, sizeof p->form);
		if (isa_match_form(l->e.low->isa, opcode, modifiers, modifier_count, from, &p->form, &row, &bad) !=
		    ISA_MATCHED)
			return NULL;
		if (fill_form(l, p, args, count))
			return p;
		from = row + 1;
	}
}

/* The rows of the registers do not count: any of the same width has the same handler. */
static u64 key_of(const char *text, const struct lower_arg *args, u32 count)
{
	u64 h = 0xcbf29ce484222325;

	for (const char *c = text; *c; c++)
		h = (h ^ (u8)*c) * 0x100000001b3;
	for (u32 k = 0; k < count; k++)
		h = (h ^ args[k].bits ^ (args[k].is_immediate ? 0x100 + (u64)args[k].row * 4096 : 0)) * 0x100000001b3;
	return h;
}

static struct prepared *find(struct lower *l, const char *text, const struct lower_arg *args, u32 count)
{
	const u64 key = key_of(text, args, count);
	u32 at;

	for (u32 k = lookup_first(&l->prepared_of, key, &at); k != LOOKUP_NONE;
	     k = lookup_next(&l->prepared_of, key, &at))
		if (!strcmp(l->prepared.items[k]->text, text) && l->prepared.items[k]->count == count)
			return l->prepared.items[k];
	struct prepared *p = prepare(l, text, args, count);
	if (!p)
		return NULL;
	lookup_add(l->e.low->scratch, &l->prepared_of, key, (u32)l->prepared.count);
	VEC_PUSH(l->e.low->scratch, &l->prepared, p);
	return p;
}

static void push_list(struct lower *l, const struct prepared *p, const struct lower_arg *args, u32 count,
		      bool skip_address)
{
	for (u32 k = 0; k < count; k++)
		if (!args[k].is_immediate && !(skip_address && (k == p->form.base_at || k == p->form.base_at + 1u)))
			VEC_PUSH(l->e.low->scratch, &l->e.operands, args[k].row);
	if (!skip_address)
		for (u32 k = 0; k < p->form.immediate_count; k++)
			VEC_PUSH(l->e.low->scratch, &l->e.operands, (u32)p->form.immediates[k]);
}

static void place_memory(struct lower *l, const struct prepared *p, const struct lower_arg *args, u32 count,
			 struct insn *i)
{
	u32 *const slots[] = {&i->d, &i->b, &i->c};
	const u32 base = p->form.base_at;
	u32 at = p->form.has_result ? 0 : 1;

	i->a = args[base].row;
	i->imm = (s32)args[base + 1].row;
	if (p->form.layout == LAYOUT_MEMORY_LIST) {
		i->b = (u32)l->e.operands.count;
		push_list(l, p, args, count, true);
		return;
	}
	for (u32 k = 0; k < count; k++)
		if (!args[k].is_immediate && k != base && k != base + 1)
			*slots[at++] = args[k].row;
}

static void place(struct lower *l, const struct prepared *p, const struct lower_arg *args, u32 count, struct insn *i)
{
	i->d = i->a = i->b = i->c = NO_OPERAND;
	for (u32 k = 0, source = 0; k < count; k++)
		if (!args[k].written && args[k].bits == 1)
			i->aux |= (u8)(args[k].negated << (source++ & 7));
	if (p->form.layout == LAYOUT_MEMORY || p->form.layout == LAYOUT_MEMORY_LIST) {
		place_memory(l, p, args, count, i);
	} else if (p->form.layout == LAYOUT_DIRECT) {
		u32 *const slots[] = {&i->d, &i->a, &i->b, &i->c};
		u32 at = p->form.has_result ? 0 : 1;
		for (u32 k = 0; k < count; k++)
			if (!args[k].is_immediate)
				*slots[at++] = args[k].row;
		i->imm = p->form.immediate_count ? (s32)p->form.immediates[0] : 0;
	} else {
		i->imm = (s32)l->e.operands.count;
		push_list(l, p, args, count, false);
	}
}

static bool is_notable(const struct form *f)
{
	return f->row->flags & (ISA_MEMORY | ISA_SYNC) || f->row->traits & ~(u32)TRAITS_ALGEBRAIC;
}

void lower_ptx(struct lower *l, const char *text, const struct lower_arg *args, u32 count)
{
	const struct prepared *p = find(l, text, args, count);
	struct insn i = {0};

	if (!p) {
		lower_fails(l);
		return;
	}
	i.fp = p->fp;
	place(l, p, args, count, &i);
	i.fn = p->meaning->run;
	if (p->meaning->word && p->form.layout == LAYOUT_DIRECT)
		i.imm |= (s32)p->meaning->word(&p->form);
	else if (p->meaning->word)
		i.c = p->meaning->word(&p->form);
	if (p->meaning->plan) {
		i.c = (u32)l->e.plans.count;
		VEC_PUSH(l->e.low->scratch, &l->e.plans, p->meaning->plan(l->e.low->arena, &p->form));
	}
	/* One instruction of machine code has one form, but may have become several rows of PTX.
	 * Handlers and observers may ask for the form of the instruction: that of its first access, or of its last step. */
	const bool seen = !l->form || !is_notable(l->form);
	if (seen)
		l->form = &p->form;
	u32 apart = 0;
	const bool waits = p->form.row->flags & ISA_SYNC;
	if (waits) {
		apart = lower_apart(l);
		i.run = (u16)emit_take_run(&l->e);
	}
	l->e.gang = p->meaning->gang;
	/* What acts on memory or others needs the guard even if its result is temporary. */
	lower_emit(l, i, !is_notable(&p->form) && count && args[0].written ? args[0].row : 0,
		   (struct machine_step){.form = &p->form});
	if (seen && is_notable(&p->form))
		l->form_insn = (u32)l->e.insns.count - 1;
	if (waits)
		lower_apart_end(l, apart);
}
