/* SPDX-License-Identifier: Apache-2.0
 *
 * From an instruction of a listing to its row and its operands. Registers are the machine's own,
 * so what the machine demands is checked: aligned pairs and quads, immediates of 20 bits, branch
 * targets that are instructions.
 */
#include "decode/sass.h"

#include <stdarg.h>
#include <string.h>

#include "arch/arch.h"
#include "isa/sregs.h"
#include "number/convert.h"
#include "number/ieee.h"

enum { SHORT_BITS = 20, SHORT_MOST = (1 << SHORT_BITS) - 1, BANK_BYTES = 65536, PARAMS_AT = 0x20 };

/* One try to read the operands by a row. Only the complaint of the row that came furthest is told. */
struct sass_try {
	struct lowering *low;
	const struct ir_function *function;
	const struct ir_instruction *x;
	struct sass_matched *m;
	const char *message, *hint; /* NULL: the row fits so far */
	struct span at;
	u32 number; /* of the operand, from 1 */
	u32 sources, predicates, written;
};

static bool wrong(struct sass_try *t, struct span at, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Always false, so that checks can return it. */
static bool wrong(struct sass_try *t, struct span at, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	t->message = arena_vprintf(t->low->scratch, format, args);
	va_end(args);
	t->at = at;
	return false;
}

static bool is_predicate(const struct ir_operand *o)
{
	return o->kind == OPERAND_REGISTER && o->symbol->reg->index >= SASS_REGISTER_P0;
}
static bool is_register(const struct ir_operand *o) { return o->kind == OPERAND_REGISTER && !is_predicate(o); }

/* --- Registers ------------------------------------------------------------------------------ */

/* Pairs begin at even numbers, quads at multiples of four; RZ stands for any number of zeros. */
static bool aligned(struct sass_try *t, const struct ir_operand *o, u32 registers)
{
	const u32 index = o->symbol->reg->index;
	static const char *const names[] = {"", "", "a pair", "", "a quad"};

	if (registers == 1 || index == SASS_REGISTER_ZERO)
		return true;
	if (index % registers) {
		wrong(t, o->span, "%s cannot begin %s of %u bits: its number must be a multiple of %u", o->symbol->name,
		      names[registers], 32 * registers, registers);
		return false;
	}
	if (index + registers > SASS_REGISTER_ZERO)
		return wrong(t, o->span, "%s of %u bits would end at R%u: R62 is the last register", names[registers],
			     32 * registers, index + registers - 1);
	return true;
}

/* Where a register must stand: what stands there instead may be a slip. */
static bool no_register(struct sass_try *t, const struct ir_operand *o)
{
	if (o->kind == OPERAND_SPECIAL)
		return wrong(t, o->span, "there is no register '%s'", o->name);
	return wrong(t, o->span, "operand %u must be a register", t->number);
}

static bool plain(struct sass_try *t, const struct ir_operand *o, const struct sass_spec *s)
{
	if (o->minus && !s->minus && o->kind == OPERAND_REGISTER)
		return wrong(t, o->span, "operand %u takes no minus sign", t->number);
	if (o->absolute && !s->absolute)
		return wrong(t, o->span, "operand %u takes no |...|", t->number);
	if (o->inverted && !s->inverted)
		return wrong(t, o->span, "operand %u takes no '~'", t->number);
	if (o->negated && s->kind != 'p')
		return wrong(t, o->span, "'!' is for predicates");
	return true;
}

static bool take_destination(struct sass_try *t, const struct ir_operand *o, const struct sass_spec *s)
{
	struct sass_matched *m = t->m;

	if (!is_register(o))
		return no_register(t, o);
	if (!plain(t, o, s) || !aligned(t, o, s->registers))
		return false;
	if (o->selector && strcmp(o->selector, "CC"))
		return wrong(t, o->span, "'.%s' is nothing that a destination takes", o->selector);
	if (o->selector && !(m->form.row->flags & SASS_CC))
		return wrong(t, o->span, "%s does not write the condition code", t->x->opcode);
	m->form.writes_cc = o->selector != NULL;
	m->d = (struct sass_value){.kind = SASS_REGISTER, .registers = s->registers, .reg = o->symbol->reg->index};
	if (m->d.reg != SASS_REGISTER_ZERO)
		m->writes += s->registers;
	return true;
}

static bool take_predicate(struct sass_try *t, const struct ir_operand *o, const struct sass_spec *s)
{
	if (!is_predicate(o))
		return wrong(t, o->span, "operand %u must be a predicate", t->number);
	if (!plain(t, o, s))
		return false;
	const struct sass_value v = {.kind = SASS_REGISTER, .reg = o->symbol->reg->index, .negated = o->negated};
	if (s->kind == 'P')
		t->m->p[t->written++] = v;
	else
		t->m->s[t->predicates++] = v;
	return true;
}

static void read_register(struct sass_try *t, const struct ir_operand *o, const struct sass_spec *s,
			  struct sass_value *v)
{
	*v = (struct sass_value){.kind = SASS_REGISTER, .registers = s->registers, .reg = o->symbol->reg->index};
	if (v->reg != SASS_REGISTER_ZERO)
		t->m->reads += s->registers;
}

/* --- Immediates ----------------------------------------------------------------------------- */

/* The bits of an f32 or f64 immediate. Integers of up to 20 bits are the upper bits of the number:
 * so older disassemblers print them. */
static bool float_immediate(struct sass_try *t, const struct ir_operand *o, u32 registers, u64 *bits)
{
	const u32 width = 32 * registers;

	if (o->kind == OPERAND_SPECIAL) {
		const bool nan = strcmp(o->name, "INF") != 0;
		*bits = registers == 2 ? (nan ? F64_NAN : F64_INF) : nan ? F32_NAN : F32_INF;
	} else if (o->kind == OPERAND_FLOAT) {
		*bits = registers == 2 ? o->value : f32_from_f64(o->value, ROUND_RN, false);
	} else {
		*bits = o->value <= SHORT_MOST ? o->value << (width - SHORT_BITS) : o->value << (width - 32);
	}
	*bits ^= (u64)o->minus << (width - 1);
	if (!strchr(t->m->form.row->operands, 'I') && *bits & ((1ull << (width - SHORT_BITS)) - 1))
		return wrong(t, o->span, "the number has more than the 20 bits that an immediate holds");
	return true;
}

static bool integer_immediate(struct sass_try *t, const struct ir_operand *o, u64 *bits)
{
	const s64 value = o->minus ? -(s64)o->value : (s64)o->value;

	/* 20 bits with their sign: as printed with a minus, as raw bits, or extended to 32 bits. */
	if (value < -(1 << (SHORT_BITS - 1)) || (value > SHORT_MOST && value < 0xfff80000))
		return wrong(t, o->span, "%s0x%llx does not fit into the 20 bits of an immediate", o->minus ? "-" : "",
			     (unsigned long long)o->value);
	*bits = (u32)(value > SHORT_MOST ? value : (s32)((u32)value << (32 - SHORT_BITS)) >> (32 - SHORT_BITS));
	return true;
}

static bool is_number(const struct ir_operand *o, bool is_float)
{
	if (o->kind == OPERAND_INTEGER)
		return true;
	if (!is_float)
		return false;
	return o->kind == OPERAND_FLOAT ||
	       (o->kind == OPERAND_SPECIAL &&
		(!strcmp(o->name, "INF") || !strcmp(o->name, "QNAN") || !strcmp(o->name, "NAN")));
}

static bool take_immediate(struct sass_try *t, const struct ir_operand *o, const struct sass_spec *s,
			   struct sass_value *v)
{
	const bool is_float = t->m->form.row->flags & SASS_FLOAT;

	*v = (struct sass_value){.kind = SASS_IMMEDIATE, .registers = s->registers};
	if (!is_number(o, is_float) && s->kind == 'S' && o->kind == OPERAND_SPECIAL)
		return no_register(t, o);
	if (!is_number(o, is_float))
		return wrong(t, o->span, "operand %u must be a number", t->number);
	if (s->kind == 'N') {
		v->bits = o->value;
		if (o->minus || o->value > 31)
			return wrong(t, o->span, "operand %u must be a number from 0 to 31", t->number);
		return true;
	}
	if (is_float)
		return float_immediate(t, o, s->registers, &v->bits);
	if (s->kind == 'S')
		return integer_immediate(t, o, &v->bits);
	v->bits = (u32)(o->minus ? -o->value : o->value);
	return true;
}

/* --- Constant banks ------------------------------------------------------------------------- */

static u32 param_bytes(const struct ir_function *f)
{
	u64 top = 0;

	for (size_t k = 0; k < f->params.count; k++) {
		const struct ir_variable *v = f->params.items[k];
		top = ((top + v->align - 1) & ~(u64)(v->align - 1)) + v->size;
	}
	return (u32)top;
}

static bool has_word(const struct ir_listing *l, u32 bank, u32 offset)
{
	for (size_t k = 0; k < l->words.count; k++)
		if (l->words.items[k].bank == bank && l->words.items[k].offset == offset)
			return true;
	return false;
}

/* Whether the word of a bank has a value at launch. */
static bool known_word(struct sass_try *t, const struct ir_operand *o, u32 bank, u32 offset)
{
	const u32 end = PARAMS_AT + param_bytes(t->function);

	if (bank == 0 && offset < ((end + 3) & ~3u))
		return true;
	if (bank == 0) {
		t->hint = "say what the parameters are: .param .u64 NAME;";
		return wrong(t, o->span, "c[0x0][0x%x] lies behind the parameters, which end at 0x%x", offset, end);
	}
	if (bank == 1) {
		if (offset == 0x100)
			return true;
		return wrong(t, o->span, "c[0x1][0x%x] is not modelled: of bank 1 only the stack's place, 0x100, is",
			     offset);
	}
	if (has_word(t->function->listing, bank, offset))
		return true;
	t->hint = arena_printf(t->low->scratch, ".bank %u [0x%x] = VALUE;", bank, offset);
	return wrong(t, o->span, "c[0x%x][0x%x] has no value", bank, offset);
}

static bool take_bank(struct sass_try *t, const struct ir_operand *o, const struct sass_spec *s, struct sass_value *v)
{
	if (o->item_count)
		return wrong(t, o->span, "operand %u must be a fixed word of a bank: only LDC takes a register in it",
			     t->number);
	if (o->addend < 0 || o->addend >= BANK_BYTES || o->addend % (4 * s->registers))
		return wrong(t, o->span, "the offset in a bank must be a multiple of %u below 0x%x", 4 * s->registers,
			     BANK_BYTES);
	for (u32 k = 0; k < s->registers; k++)
		if (!known_word(t, o, (u32)o->value, (u32)o->addend + 4 * k))
			return false;
	*v = (struct sass_value){
		.kind = SASS_BANK, .registers = s->registers, .bank = (u32)o->value, .offset = (u32)o->addend};
	return true;
}

/* --- Sources -------------------------------------------------------------------------------- */

/* .B0 to .B3, .H0 and .H1: how far to the right the source, the newest, is shifted. */
static bool take_selector(struct sass_try *t, const struct ir_operand *o)
{
	const char kind = o->selector[0], number = o->selector[1];
	const u32 most = kind == 'B' ? 3 : kind == 'H' ? 1 : 0;

	if (!(t->m->form.row->flags & SASS_SELECT) || !most || o->selector[2] || number < '0' ||
	    number > (char)('0' + most))
		return false;
	const u32 shift = (u32)(number - '0') * (kind == 'B' ? 8 : 16);
	t->m->form.selects |= (s32)(shift << 5 * (t->sources - 1));
	return true;
}

static bool take_source(struct sass_try *t, const struct ir_operand *o, const struct sass_spec *s)
{
	struct sass_value *v = &t->m->a[t->sources++];

	if (is_register(o)) {
		if (s->kind == 'I' || s->kind == 'N')
			return wrong(t, o->span, "operand %u must be a number", t->number);
		if (!aligned(t, o, s->registers))
			return false;
		read_register(t, o, s, v);
	} else if (o->kind == OPERAND_BANK && s->kind == 'S') {
		if (!take_bank(t, o, s, v))
			return false;
	} else if (s->kind != 'R') {
		if (!take_immediate(t, o, s, v))
			return false;
	} else {
		return no_register(t, o);
	}
	if (!plain(t, o, s))
		return false;
	if (o->selector && !take_selector(t, o))
		return wrong(t, o->span, "operand %u takes no '.%s'", t->number, o->selector);
	v->minus = o->minus && v->kind != SASS_IMMEDIATE;
	v->absolute = o->absolute;
	v->inverted = o->inverted;
	v->is_float = t->m->form.row->flags & SASS_FLOAT;
	return true;
}

/* --- Addresses ------------------------------------------------------------------------------ */

static bool take_address(struct sass_try *t, const struct ir_operand *o, const struct sass_spec *s)
{
	struct sass_matched *m = t->m;
	const struct sass_spec base = {.kind = 'R', .registers = form_has_word(&m->form, "E") ? 2 : 1};

	if (o->kind != (s->kind == 'A' ? OPERAND_ADDRESS : OPERAND_BANK))
		return wrong(t, o->span, "operand %u must be %s", t->number,
			     s->kind == 'A' ? "an address in brackets"
					    : "a place in a constant bank, c[bank][register + offset]");
	if (o->addend < INT32_MIN || o->addend > UINT32_MAX)
		return wrong(t, o->span, "the offset does not fit into 32 bits");
	m->has_address = true;
	m->offset = (s32)(u32)o->addend;
	m->bank = (u32)o->value;
	m->wide = base.registers == 2;
	if (!o->item_count)
		return true;
	if (!aligned(t, &o->items[0], base.registers))
		return false;
	read_register(t, &o->items[0], &base, &m->base);
	return true;
}

static bool take_target(struct sass_try *t, const struct ir_operand *o)
{
	struct sass_matched *m = t->m;
	const struct ir_function *f = t->function;

	m->has_target = true;
	if (o->kind == OPERAND_SYMBOL) {
		m->target = o->symbol->label->target;
		return true;
	}
	if (o->kind != OPERAND_INTEGER || o->minus)
		return wrong(t, o->span, "operand %u must be the address of an instruction or a label", t->number);
	if (ir_find_address(f, o->value, &m->target))
		return true;
	if (m->target == 0 || m->target == f->body.count)
		return wrong(t, o->span, "0x%llx is not an instruction's address: the function has 0x%x to 0x%x",
			     (unsigned long long)o->value, f->body.items[0].address,
			     f->body.items[f->body.count - 1].address);
	return wrong(t, o->span, "0x%llx is not an instruction's address: the nearest are 0x%x and 0x%x",
		     (unsigned long long)o->value, f->body.items[m->target - 1].address,
		     f->body.items[m->target].address);
}

/* --- Special words -------------------------------------------------------------------------- */

/* Registers that are fixed numbers here. */
static bool fixed_sreg(const struct lowering *low, const char *name, u32 *value)
{
	const struct address_map *map = address_map(32);

	if (!strcmp(name, "SR_SWinLo"))
		*value = (u32)map->shared_window;
	else if (!strcmp(name, "SR_LWinLo"))
		*value = (u32)map->local_window;
	else if (!strcmp(name, "SR_SMemBanks"))
		*value = low->program->arch->banks;
	else
		return false;
	return true;
}

/* Most special registers are PTX's under another name; some are constants of the machine. */
static bool take_special(struct sass_try *t, const struct ir_operand *o)
{
	const char *ptx = o->kind == OPERAND_SPECIAL ? sass_sreg(o->name) : NULL;

	if (o->kind != OPERAND_SPECIAL || strncmp(o->name, "SR", 2))
		return wrong(t, o->span, "operand %u must be a special register, such as SR_Tid_X", t->number);
	t->m->sreg = SREG_NONE;
	if (fixed_sreg(t->low, o->name, &t->m->fixed))
		return true;
	if (!ptx)
		return wrong(t, o->span, "special register '%s' is not modelled", o->name);
	t->m->sreg = (u16)sreg_find(ptx, &t->m->element);
	return true;
}

static bool take_condition(struct sass_try *t, const struct ir_operand *o)
{
	if (o->kind != OPERAND_SPECIAL || strncmp(o->name, "CC.", 3))
		return wrong(t, o->span, "operand %u must be a condition, such as CC.EQ", t->number);
	t->m->condition = sass_condition_find(o->name + 3);
	if (t->m->condition == SASS_CC_COUNT)
		return wrong(t, o->span, "there is no condition '%s'", o->name);
	return true;
}

static bool take(struct sass_try *t, const struct ir_operand *o, const struct sass_spec *s)
{
	switch (s->kind) {
	case 'D':
		return take_destination(t, o, s);
	case 'P':
	case 'p':
		return take_predicate(t, o, s);
	case 'A':
	case 'C':
		return take_address(t, o, s);
	case 'L':
		return take_target(t, o);
	case 'X':
		return take_special(t, o);
	case 'Q':
		return take_condition(t, o);
	case 'M':
		if (o->kind == OPERAND_SPECIAL && !strcmp(o->name, "PR"))
			return true;
		return wrong(t, o->span, "operand %u must be PR, all predicates", t->number);
	default:
		return take_source(t, o, s);
	}
}

/* --- Rows ----------------------------------------------------------------------------------- */

/* A minus that stands for complement and carry.
 * x - y is x + ~y + carry on this machine: one operand's minus may stand for that where the row says so. */
static bool settle_borrow(struct sass_try *t, const struct sass_spec *specs, u32 count)
{
	u32 source = 0, borrows = 0;

	for (u32 k = 0; k < count; k++) {
		if (!strchr("RSIN", specs[k].kind))
			continue;
		struct sass_value *v = &t->m->a[source++];
		if (!specs[k].borrow || !v->minus)
			continue;
		v->minus = false;
		v->borrow = true;
		borrows++;
	}
	return borrows < 2 || wrong(t, t->x->span, "%s takes one minus sign, not two", t->x->opcode);
}

/* Operands in the order of the row's words, optional ones left out where the text lacks them. */
static bool fits(struct sass_try *t)
{
	struct sass_spec specs[FORM_OPERANDS];
	const u32 count = sass_specs(&t->m->form, specs);
	const struct ir_instruction *x = t->x;
	u32 o = 0, seen = 0;

	t->m->condition = SASS_CC_T;
	for (; seen < count && o < x->operand_count; seen++) {
		t->number = o + 1;
		/* A condition may stand behind or before the other operands of control instructions. */
		if (specs[seen].kind == 'Q' && specs[seen].optional && x->operands[o].kind != OPERAND_SPECIAL)
			continue;
		if (!take(t, &x->operands[o], &specs[seen]))
			return false;
		o++;
	}
	if (o < x->operand_count)
		return wrong(t, x->operands[o].span, "%s takes %u operand%s, this is one too many", x->opcode, o,
			     o == 1 ? "" : "s");
	while (seen < count && specs[seen].optional)
		seen++;
	if (seen < count)
		return wrong(t, x->span, "%s wants %u operands, %u are given", x->opcode, count, x->operand_count);
	return settle_borrow(t, specs, count);
}

/* Spellings of other disassemblers and of printed copies. */
static const char *alias(struct lowering *low, const struct ir_instruction *x, u32 k)
{
	const struct ir_modifier *m = &x->modifiers[k];

	if (strcmp(x->opcode, opcode_text(OP_BAR)) || strcmp(m->text, "CHRED"))
		return m->text;
	diag_warning(low->diags, m->span, "'.CHRED' is taken as '.RED'");
	return m->text + strlen("CH");
}

static const char *const *modifier_words(struct lowering *low, const struct ir_instruction *x)
{
	const char **words = ARENA_ARRAY(low->arena, x->modifier_count + 1, const char *);

	for (u32 k = 0; k < x->modifier_count; k++)
		words[k] = alias(low, x, k);
	return words;
}

static bool runs_on(const struct isa_row *row, u32 arch) { return row->sm <= arch && arch <= row->last; }

/* `furthest`: the first modifier that no row took. */
static void tell_modifiers(struct lowering *low, const struct ir_instruction *x, const struct isa_opcode *opcode,
			   u32 furthest)
{
	if (furthest < x->modifier_count)
		diag_error(low->diags, x->modifiers[furthest].span, "%s takes no '.%s' here", x->opcode,
			   x->modifiers[furthest].text);
	else
		diag_error(low->diags, x->opcode_span, "%s wants a modifier", x->opcode);
	diag_hint(low->diags, "%s", opcode->rows[0]->form);
}

/* The first row that fits the text; NULL and told if there is none. */
static const struct isa_row *find_row(struct lowering *low, const struct ir_function *f, const struct ir_instruction *x,
				      const struct isa_opcode *opcode, struct sass_matched *m)
{
	const char *const *words = modifier_words(low, x);
	struct sass_try best = {.number = 0};
	u32 furthest = 0;

	for (u32 k = 0; k < opcode->count; k++) {
		const struct isa_row *row = opcode->rows[k];
		struct sass_try t = {.low = low, .function = f, .x = x, .m = m};
		if (!runs_on(row, low->arch) || !isa_match_words(row->form, words, x->modifier_count, &furthest))
			continue;
		*m = (struct sass_matched){
			.form = {.row = row, .arch = low->arch, .words = words, .word_count = (u8)x->modifier_count}};
		if (fits(&t))
			return row;
		if (!best.message || t.number > best.number)
			best = t;
	}
	if (best.message) {
		diag_error(low->diags, best.at, "%s", best.message);
		if (best.hint)
			diag_hint(low->diags, "%s", best.hint);
	} else {
		tell_modifiers(low, x, opcode, furthest);
	}
	return NULL;
}

static bool modelled(struct lowering *low, const struct ir_instruction *x, const struct isa_row *row)
{
	if (!(row->flags & ISA_UNMODELLED))
		return true;
	if (low->options->allow_unmodelled)
		diag_warning(low->diags, x->opcode_span, "%s is not modelled", x->opcode);
	else
		diag_error(low->diags, x->opcode_span, "%s is not modelled", x->opcode);
	return low->options->allow_unmodelled;
}

/* Fills in *m; after an error, which has been told, m->ok is false. */
void sass_match(struct lowering *low, const struct ir_function *f, u32 index, struct sass_matched *m)
{
	const struct ir_instruction *x = &f->body.items[index];
	const struct isa_opcode *opcode = isa_find_opcode(low->isa->sass, x->opcode);

	*m = (struct sass_matched){.ok = false};
	if (!opcode) {
		diag_error(low->diags, x->opcode_span, "%s has no instruction '%s'", f->module->target, x->opcode);
		return;
	}
	/* Whatever operands an instruction has that is not modelled: its name is the news. */
	if (opcode->rows[0]->flags & ISA_UNMODELLED) {
		m->form = (struct form){.row = opcode->rows[0], .arch = low->arch};
		m->ok = modelled(low, x, opcode->rows[0]);
		return;
	}
	m->ok = find_row(low, f, x, opcode, m) != NULL;
}
