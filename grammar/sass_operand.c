/* SPDX-License-Identifier: Apache-2.0
 *
 * Instructions of listings: addresses, guards, registers, operands. Opcodes and modifiers stay
 * texts; branch targets stay numbers, which lowering finds instructions for.
 */
#include <ctype.h>
#include <stdlib.h>

#include "grammar/number.h"
#include "grammar/sass_reader.h"
#include "number/ieee.h"

enum { INSTRUCTION_BYTES = 8, CODE_LIMIT = 1 << 24 };

/* --- Registers ------------------------------------------------------------------------------ */

/* The register's index, or -1 for a name of another kind, or -2 and told. */
static s32 register_index(struct sass_reader *r, const char *name, struct span at)
{
	char *end;

	if (!strcmp(name, "RZ"))
		return SASS_REGISTER_ZERO;
	if (!strcmp(name, "PT") || !strcmp(name, "pt"))
		return SASS_REGISTER_TRUE;
	if ((*name != 'R' && *name != 'P') || !isdigit((u8)name[1]))
		return -1;
	const unsigned long n = strtoul(name + 1, &end, 10);
	if (*end || (name[1] == '0' && name[2]))
		return -1;
	const u32 most = *name == 'R' ? 62 : 6;
	if (n <= most)
		return (s32)(*name == 'R' ? n : SASS_REGISTER_P0 + n);
	if (n == most + 1) {
		diag_error(r->diags, at, "%s is the number of %s: registers are %c0 to %c%u", name,
			   *name == 'R' ? "RZ" : "PT", *name, *name, most);
		diag_hint(r->diags, "the register that is always %s is written %s", *name == 'R' ? "zero" : "true",
			  *name == 'R' ? "RZ" : "PT");
	} else {
		diag_error(r->diags, at, "there is no register %s: %s has %c0 to %c%u", name, r->module->target, *name,
			   *name, most);
	}
	return -2;
}

static struct ir_symbol *register_symbol(struct sass_reader *r, s32 index, struct span at)
{
	struct ir_function *f = r->function;
	const bool is_predicate = index >= SASS_REGISTER_P0;
	char text[8];

	if (index == SASS_REGISTER_ZERO || index == SASS_REGISTER_TRUE) {
		text[0] = index == SASS_REGISTER_ZERO ? 'R' : 'P';
		text[1] = index == SASS_REGISTER_ZERO ? 'Z' : 'T';
		text[2] = 0;
	} else {
		const u32 n = (u32)(is_predicate ? index - SASS_REGISTER_P0 : index);
		u32 k = 0;
		text[k++] = is_predicate ? 'P' : 'R';
		if (n > 9)
			text[k++] = (char)('0' + n / 10);
		text[k++] = (char)('0' + n % 10);
		text[k] = 0;
	}
	const char *name = strings_intern_text(r->strings, text);
	struct ir_symbol *s = ir_scope_find(f->scope, name);
	if (s)
		return s;
	struct ir_register *reg = ARENA_NEW(r->arena, struct ir_register);
	*reg = (struct ir_register){
		.name = name, .type = is_predicate ? T_pred : T_b32, .index = (u32)index, .span = at};
	s = ARENA_NEW(r->arena, struct ir_symbol);
	*s = (struct ir_symbol){.kind = SYM_REGISTER, .name = name, .reg = reg, .span = at};
	ir_scope_enter(r->arena, f->scope, s);
	if (index != SASS_REGISTER_ZERO && index != SASS_REGISTER_TRUE)
		VEC_PUSH(r->arena, &f->registers, reg);
	return s;
}

/* --- Instructions --------------------------------------------------------------------------- */

void sass_begin(struct sass_reader *r, bool has_address, u64 address, struct span at)
{
	sass_lost(r);
	if (!r->function) {
		/* So that names have a scope: told with the opcode. */
		r->lost_function = true;
		sass_function(r, strings_intern_text(r->strings, "?"), at);
	}
	if (has_address && address % INSTRUCTION_BYTES)
		diag_error(r->diags, at, "an instruction's address is a multiple of %d, 0x%llx is not",
			   INSTRUCTION_BYTES, (unsigned long long)address);
	else if (has_address && (address < r->next_address || address > CODE_LIMIT))
		diag_error(r->diags, at, "addresses must ascend: expected 0x%04x or more, not 0x%04llx",
			   r->next_address, (unsigned long long)address);
	r->instruction.address =
		has_address && address >= r->next_address && address <= CODE_LIMIT ? (u32)address : r->next_address;
	r->next_address = r->instruction.address + INSTRUCTION_BYTES;
}

void sass_guard(struct sass_reader *r, const char *name, bool negated, struct span at)
{
	const s32 index = register_index(r, name, at);

	if (index == -2)
		return;
	if (index < SASS_REGISTER_P0) {
		diag_error(r->diags, at, "'%s' is not a predicate register: expected P0 to P6 or PT", name);
		if (!strcmp(name, "PO"))
			diag_hint(r->diags, "P0, with the digit zero?");
		return;
	}
	if (index == SASS_REGISTER_TRUE && !negated)
		return;
	r->instruction.guard = register_symbol(r, index, at);
	r->instruction.guard_negated = negated;
	r->instruction.guard_element = 0xff;
}

void sass_opcode(struct sass_reader *r, const char *name, struct span at)
{
	if (r->lost_function)
		diag_error(r->diags, at, "expected 'Function : NAME' before the first instruction");
	r->lost_function = false;
	r->instruction.opcode = name;
	r->instruction.opcode_span = at;
}

/* .S stands last in some disassemblers' texts and first in others: it is no modifier of the operation. */
void sass_modifier(struct sass_reader *r, const char *word, struct span at)
{
	r->instruction.opcode_span.end = at.end;
	if (!strcmp(word, "S")) {
		r->instruction.joins = true;
		return;
	}
	const struct ir_modifier m = {word, at};
	VEC_PUSH(r->arena, &r->modifiers, m);
}

static void *copy_of(struct sass_reader *r, const void *items, size_t count, size_t bytes)
{
	void *copy = arena_array(r->arena, count + 1, bytes);

	if (count)
		memcpy(copy, items, count * bytes);
	return copy;
}

void sass_statement(struct sass_reader *r, struct span at)
{
	struct ir_instruction *x = &r->instruction;

	x->modifiers = copy_of(r, r->modifiers.items, r->modifiers.count, sizeof *x->modifiers);
	x->modifier_count = (u32)r->modifiers.count;
	x->operands = copy_of(r, r->operands.items, r->operands.count, sizeof *x->operands);
	x->operand_count = (u32)r->operands.count;
	x->span = (struct span){at.file, x->opcode_span.begin, at.end};
	x->scope = r->function->scope;
	VEC_PUSH(r->arena, &r->function->body, *x);
	sass_lost(r);
}

/* --- Operands ------------------------------------------------------------------------------- */

static struct ir_operand *push(struct sass_reader *r, enum ir_operand_kind kind, struct span at)
{
	const struct ir_operand o = {.kind = kind, .span = at, .element = 0xff};

	VEC_PUSH(r->arena, &r->operands, o);
	return &r->operands.items[r->operands.count - 1];
}

/* Signs are read from the inside out: |a| first. */
void sass_sign(struct sass_reader *r, char sign, struct span at)
{
	struct ir_operand *o = &r->operands.items[r->operands.count - 1];
	bool *const flag = sign == '-'   ? &o->minus
			   : sign == '~' ? &o->inverted
			   : sign == '!' ? &o->negated
					 : &o->absolute;

	o->span = at;
	if (sign == '+')
		return;
	if (sign == '|' && (o->minus || o->inverted || o->negated))
		diag_error(r->diags, at, "the sign goes before |...|, not inside");
	else if (*flag && sign != '-')
		diag_error(r->diags, at, "'%c' stands twice", sign);
	*flag = sign == '-' ? !*flag : true;
}

void sass_name(struct sass_reader *r, const char *name, struct span at)
{
	const s32 index = register_index(r, name, at);

	if (index >= 0) {
		struct ir_symbol *s = register_symbol(r, index, at);
		struct ir_operand *o = push(r, OPERAND_REGISTER, at);
		o->symbol = s;
		o->name = s->name;
		return;
	}
	push(r, OPERAND_SPECIAL, at)->name = name;
}

/* R2.CC, R3.H1, CC.EQ, SR_TID.X */
void sass_suffix(struct sass_reader *r, const char *word, struct span at)
{
	struct ir_operand *o = &r->operands.items[r->operands.count - 1];

	o->span = at;
	if (o->kind == OPERAND_SPECIAL) {
		const char *text = arena_printf(r->arena, "%s.%s", o->name, word);
		o->name = strings_intern_text(r->strings, text);
	} else if (o->selector) {
		diag_error(r->diags, at, "a register takes one word after it, not '.%s.%s'", o->selector, word);
	} else {
		o->selector = word;
	}
}

void sass_integer_operand(struct sass_reader *r, u64 value, struct span at)
{
	push(r, OPERAND_INTEGER, at)->value = value;
}

void sass_real_operand(struct sass_reader *r, const char *text, struct span at)
{
	struct ir_operand *o = push(r, OPERAND_FLOAT, at);

	o->float_bits = 64;
	o->value = decimal_bits(text);
	if (o->value == F64_INF)
		diag_error(r->diags, at, "number too large for a double");
}

void sass_place(struct sass_reader *r, const char *base, u64 offset, struct span at)
{
	const s32 index = base ? register_index(r, base, at) : -1;

	r->has_base = index >= 0;
	r->place = (s64)offset;
	if (base && (index == -1 || index >= SASS_REGISTER_P0))
		diag_error(r->diags, at, "register '%s' cannot hold an address", base);
	if (r->has_base)
		r->base = (struct ir_operand){.kind = OPERAND_REGISTER,
					      .span = at,
					      .element = 0xff,
					      .symbol = register_symbol(r, index, at),
					      .name = base};
}

static void set_place(struct sass_reader *r, struct ir_operand *o)
{
	o->addend = r->place;
	o->item_count = r->has_base;
	o->items = copy_of(r, &r->base, 1, sizeof r->base);
}

void sass_memory(struct sass_reader *r, struct span at) { set_place(r, push(r, OPERAND_ADDRESS, at)); }

void sass_constant(struct sass_reader *r, const char *name, u64 bank, struct span at, struct span name_at)
{
	if (strcmp(name, "c"))
		diag_error(r->diags, name_at, "a constant bank is written c[bank][offset], not '%s'", name);
	struct ir_operand *o = push(r, OPERAND_BANK, at);
	o->value = bank;
	set_place(r, o);
}

void sass_target(struct sass_reader *r, const char *label, struct span at)
{
	struct ir_symbol *s = ir_scope_find(r->function->scope, label);

	if (!s) {
		s = ARENA_NEW(r->arena, struct ir_symbol);
		*s = (struct ir_symbol){
			.kind = SYM_LABEL, .name = label, .span = at, .label = ARENA_NEW(r->arena, struct ir_label)};
		*s->label = (struct ir_label){.name = label, .span = at};
		ir_scope_enter(r->arena, r->function->scope, s);
		VEC_PUSH(r->arena, &r->function->labels, s->label);
	}
	struct ir_operand *o = push(r, OPERAND_SYMBOL, at);
	o->symbol = s;
	o->name = label;
}

void sass_settle(struct sass_reader *r)
{
	for (size_t k = 0; k < r->function->labels.count; k++) {
		const struct ir_label *l = r->function->labels.items[k];
		if (!l->defined)
			diag_error(r->diags, l->span, "label '.%s' is not defined in this function", l->name);
		else if (l->target >= r->function->body.count)
			diag_error(r->diags, l->span, "label '.%s' is not followed by an instruction", l->name);
	}
}
