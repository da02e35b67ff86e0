/* SPDX-License-Identifier: Apache-2.0
 *
 * Operands and instructions. Operands are gathered on the stack of terms and copied to the arena
 * once, when the list or the instruction that holds them is complete.
 *
 *  ld.global.f32 %f1, [%rd2+4];
 *
 *  terms      %f1                       term_push: operand_name
 *             %f1  %rd2  4              operand_name, operand_integer
 *             %f1  %rd2+4               expr_binary
 *             %f1  [%rd2+4]             operand_address: the term becomes an address with an addend
 *  function   one instruction           instruction_end: two terms taken, copied in one piece
 *
 * The stack is empty between instructions; its room is used again.
 */
#include <string.h>

#include "grammar/reader.h"
#include "isa/sregs.h"

enum { NO_ELEMENT = 0xff };

/* A new term on top of the stack. The pointer holds until the next one is pushed. */
struct term *term_push(struct reader *r, enum ir_operand_kind kind, struct span at)
{
	const struct term new = {.operand = {.kind = kind, .element = NO_ELEMENT, .span = at}};

	VEC_PUSH(r->arena, &r->terms, new);
	return term_top(r);
}

void operand_integer(struct reader *r, const struct token *t, struct span at)
{
	struct ir_operand *o = &term_push(r, OPERAND_INTEGER, at)->operand;

	o->value = t->bits;
	o->is_unsigned = t->is_unsigned;
}

void operand_real(struct reader *r, const struct token *t, struct span at)
{
	struct ir_operand *o = &term_push(r, OPERAND_FLOAT, at)->operand;

	o->value = t->bits;
	o->float_bits = t->float_bits;
}

void operand_sink(struct reader *r, struct span at) { term_push(r, OPERAND_SINK, at); }

/* What a bare name is follows from its declaration; WARP_SZ is a constant. */
void operand_name(struct reader *r, const char *name, struct span at)
{
	struct ir_operand *o = &term_push(r, OPERAND_SPECIAL, at)->operand;

	o->name = name;
	if (name == r->warp_size) {
		o->kind = OPERAND_INTEGER;
		o->value = WARP_LANES;
		return;
	}
	o->symbol = scope_resolve(r, name, at);
	if (o->symbol)
		o->kind = o->symbol->kind == SYM_REGISTER ? OPERAND_REGISTER : OPERAND_SYMBOL;
}

/* .x .y .z .w or .r .g .b .a: 0 to 3; else NO_ELEMENT. */
static u8 element_of(const char *word)
{
	static const char letters[] = "xyzwrgba";
	const char *at = word[0] && !word[1] ? strchr(letters, word[0]) : NULL;

	return at ? (u8)((at - letters) & 3) : NO_ELEMENT;
}

/* b or h and one to four digits */
static bool is_selector(const char *word)
{
	const size_t digits = strspn(word + 1, "01234567");

	return (word[0] == 'b' || word[0] == 'h') && digits >= 1 && digits <= 4 && !word[1 + digits];
}

/* A dot and a word: an element of a vector, a selector of video instructions, or part of a
 * special register's name. */
void operand_suffix(struct reader *r, const char *word, struct span at)
{
	struct ir_operand *o = &term_top(r)->operand;
	const u8 element = element_of(word);

	o->span.end = at.end;
	if (o->kind == OPERAND_SPECIAL) {
		const char *full = arena_printf(r->arena, "%s.%s", o->name, word);
		o->name = strings_intern_text(r->strings, full);
	} else if (o->kind == OPERAND_REGISTER && element != NO_ELEMENT && o->element == NO_ELEMENT) {
		if (o->symbol->reg->vector == 1 || element >= o->symbol->reg->vector)
			diag_error(r->diags, at, "'%s' has no element '.%s'", o->name, word);
		else
			o->element = element;
	} else if (o->kind == OPERAND_REGISTER && is_selector(word) && !o->selector) {
		o->selector = word;
	} else {
		diag_error(r->diags, at, "'.%.60s' cannot follow '%s'", word, o->name ? o->name : "this operand");
	}
}

/* array[n] or array[register + n]: the address of an element, in elements from the start.
 * constant index: folded into the addend; register: kept with the size of a step in `value`. */
void operand_index(struct reader *r, struct span at)
{
	struct term *index = term_top(r), *base = index - 1;
	const struct ir_symbol *s = base->operand.kind == OPERAND_SYMBOL ? base->operand.symbol : NULL;
	const struct ir_variable *v = s && s->kind == SYM_VARIABLE ? s->variable : NULL;
	const bool constant = index->operand.kind == OPERAND_INTEGER;
	u64 step = v ? type_bits(v->type) / 8 * v->vector : 0;

	if (!v || !v->rank)
		diag_error(r->diags, at, "only an array can be indexed");
	else if (!constant && index->operand.kind != OPERAND_REGISTER)
		diag_error(r->diags, index->operand.span, "an index is a constant or a register, with an offset");
	for (u32 i = 1; v && i < v->rank; i++)
		step *= v->dims[i];
	const s64 addend = (s64)((constant ? index->operand.value : (u64)index->operand.addend) * step);
	index->operand.addend = 0;
	index->has_offset = false;
	r->terms.count -= constant;
	operand_gather(r, OPERAND_ADDRESS, constant ? 1 : 2, at);
	struct ir_operand *o = &term_top(r)->operand;
	o->addend = addend;
	o->indexed = true;
	o->value = constant ? 0 : step;
}

/* mask() and generic() are grammar everywhere, and have sense in initial values only. */
void operand_check(struct reader *r)
{
	const struct term *t = term_top(r);

	if (t->generic || t->mask)
		diag_error(r->diags, t->operand.span, "'%s' of an address stands in initial values only",
			   t->mask ? "mask" : "generic()");
}

/* A name with a percent sign that nobody declared must be a special register. */
static void check_special(struct reader *r, const struct ir_operand *o)
{
	const char *base = strings_intern(r->strings, o->name, strcspn(o->name, "."));
	u8 element;

	if (sreg_find(o->name, &element) != SREG_NONE)
		return;
	if (sreg_find(base, &element) != SREG_NONE)
		diag_error(r->diags, o->span, "'%s' has no element '%s'", base, o->name + strlen(base));
	else
		scope_tell_unknown(r, base, o->span);
}

/* A register with an offset where a value is read: an addition before the instruction, into a register of its own. */
static bool add_before(struct reader *r, struct ir_operand *o)
{
	const struct ir_register *from = o->symbol->reg;
	const char class = type_class(from->type);
	const u32 bits = type_bits(from->type);

	if (!r->function || !r->function->scope || bits < 16 || bits > 64 || class == 'f' ||
	    (from->vector > 1 && o->element == NO_ELEMENT))
		return false;
	struct ir_register *sum = declare_hidden_register(r, from->type, o->span);
	struct ir_symbol *symbol = ARENA_NEW(r->arena, struct ir_symbol);
	struct ir_operand *operands = ARENA_ARRAY(r->arena, 3, struct ir_operand);
	struct ir_modifier *type = ARENA_NEW(r->arena, struct ir_modifier);
	*symbol = (struct ir_symbol){.kind = SYM_REGISTER, .name = sum->name, .reg = sum, .span = o->span};
	*type = (struct ir_modifier){strings_intern_text(r->strings, arena_printf(r->arena, "s%u", bits)), o->span};
	operands[1] = *o;
	operands[1].addend = 0;
	operands[2] = (struct ir_operand){
		.kind = OPERAND_INTEGER, .element = NO_ELEMENT, .value = (u64)o->addend, .span = o->span};
	o->symbol = symbol;
	o->name = sum->name;
	o->element = NO_ELEMENT;
	o->addend = 0;
	operands[0] = *o;
	VEC_PUSH(r->arena, &r->function->body,
		 ((struct ir_instruction){.opcode = strings_intern_text(r->strings, token_text(M_add)),
					  .modifiers = type,
					  .modifier_count = 1,
					  .operands = operands,
					  .operand_count = 3,
					  .guard_element = NO_ELEMENT,
					  .span = r->instruction.opcode_span,
					  .opcode_span = r->instruction.opcode_span,
					  .loc = r->loc,
					  .scope = r->scope->scope}));
	return true;
}

/* Copies the newest `count` terms out of the stack. Those from number `sums` on may be sums of a register and a constant. */
static struct ir_operand *take_terms(struct reader *r, u32 count, u32 sums)
{
	struct ir_operand *items = count ? ARENA_ARRAY(r->arena, count, struct ir_operand) : NULL;

	r->terms.count -= count;
	for (u32 i = 0; i < count; i++) {
		const struct term *t = &r->terms.items[r->terms.count + i];
		items[i] = t->operand;
		if (t->operand.kind == OPERAND_SPECIAL)
			check_special(r, &t->operand);
		if (t->has_offset && t->operand.kind != OPERAND_SYMBOL &&
		    !(i >= sums && t->operand.kind == OPERAND_REGISTER && !t->operand.minus &&
		      add_before(r, &items[i])))
			diag_error(r->diags, t->operand.span,
				   "%s%+lld: an offset is for addresses and for integer registers that are read",
				   t->operand.name, (long long)t->operand.addend);
	}
	return items;
}

void operand_gather(struct reader *r, enum ir_operand_kind kind, u32 count, struct span at)
{
	struct ir_operand *items = take_terms(r, count, UINT32_MAX);
	struct ir_operand *o = &term_push(r, kind, at)->operand;

	for (u32 i = 0; kind == OPERAND_VECTOR && i < count; i++)
		if (items[i].kind >= OPERAND_ADDRESS && items[i].kind != OPERAND_SINK)
			diag_error(r->diags, items[i].span, "a vector's element is a register or a constant");

	o->items = items;
	o->item_count = count;
}

/* [base], [base+n], or the list of a texture or tensor access. The offset moves from the base
 * to the address, so that all bases look alike to lowering. */
void operand_address(struct reader *r, u32 count, struct span at)
{
	if (count > 1) {
		operand_gather(r, OPERAND_TEXTURE, count, at);
		return;
	}
	struct term *t = term_top(r);
	const enum ir_operand_kind kind = t->operand.kind;
	if (kind == OPERAND_ADDRESS && t->operand.indexed) {
		t->operand.indexed = false; /* [array[n]] */
		t->operand.span = at;
		return;
	}
	const s64 addend = t->operand.addend;

	if (kind != OPERAND_REGISTER && kind != OPERAND_SYMBOL && kind != OPERAND_INTEGER && kind != OPERAND_SPECIAL)
		diag_error(r->diags, t->operand.span,
			   "an address is a register, a variable or an integer, with an offset");
	t->operand.addend = 0;
	t->has_offset = false;
	operand_gather(r, OPERAND_ADDRESS, 1, at);
	term_top(r)->operand.addend = addend;
}

/* [address].unified */
void operand_unified(struct reader *r, const char *word, struct span at)
{
	struct ir_operand *o = &term_top(r)->operand;

	if (o->kind == OPERAND_ADDRESS && !strcmp(word, "unified"))
		o->selector = word;
	else
		diag_error(r->diags, at, "'.%.60s' cannot follow an address", word);
}

/* @p or @!p. A pending name is told when the function ends. */
void instruction_guard(struct reader *r, const char *name, bool negated, struct span at)
{
	struct ir_symbol *symbol = scope_resolve(r, name, at);

	r->instruction = (struct ir_instruction){.guard_negated = negated, .guard_element = NO_ELEMENT};
	if (symbol && symbol->kind == SYM_REGISTER && symbol->reg->type == T_pred)
		r->instruction.guard = symbol;
	else if (!symbol)
		scope_tell_unknown(r, name, at);
	else if (symbol->kind != SYM_LABEL || symbol->label->defined)
		diag_error(r->diags, at, "'%s' is not a predicate register", name);
}

/* @v.x: an element of a vector of predicates. */
void instruction_guard_element(struct reader *r, const char *word, struct span at)
{
	const u8 element = element_of(word);

	if (!r->instruction.guard)
		return;
	if (element >= r->instruction.guard->reg->vector)
		diag_error(r->diags, at, "'%s' has no element '.%.60s'", r->instruction.guard->name, word);
	r->instruction.guard_element = element;
}

void instruction_begin(struct reader *r, const char *opcode, struct span at)
{
	r->instruction.opcode = opcode;
	r->instruction.opcode_span = at;
	r->modifiers.count = 0;
	r->terms.count = 0;
}

/* Every word after a dot, directives' words too: the table judges them. */
void instruction_modifier(struct reader *r, const char *text, struct span at)
{
	VEC_PUSH(r->arena, &r->modifiers, ((struct ir_modifier){text, at}));
}

/* A lone constant in parentheses is a list if it stands where a call has its arguments: behind a
 * function, or before a prototype or target list. */
static void find_argument_lists(struct reader *r, struct ir_operand *operands, u32 count)
{
	for (u32 i = 1; i < count; i++) {
		struct ir_operand *o = &operands[i];
		if (!o->parenthesised)
			continue;
		const struct ir_symbol *before = operands[i - 1].kind == OPERAND_SYMBOL ? operands[i - 1].symbol : NULL;
		const struct ir_symbol *after =
			i + 1 < count && operands[i + 1].kind == OPERAND_SYMBOL ? operands[i + 1].symbol : NULL;
		if (!(before && before->kind == SYM_FUNCTION) &&
		    !(after && after->kind != SYM_VARIABLE && after->kind != SYM_REGISTER))
			continue;
		struct ir_operand *item = ARENA_NEW(r->arena, struct ir_operand);
		*item = *o;
		item->parenthesised = false;
		*o = (struct ir_operand){
			.kind = OPERAND_LIST, .element = NO_ELEMENT, .span = o->span, .items = item, .item_count = 1};
	}
}

/* The instruction moves from the reader's stacks into the function, all in one piece. */
void instruction_end(struct reader *r, u32 operand_count, struct span at)
{
	struct ir_instruction *i = &r->instruction;

	i->modifier_count = (u32)r->modifiers.count;
	if (i->modifier_count) {
		i->modifiers = ARENA_ARRAY(r->arena, i->modifier_count, struct ir_modifier);
		memcpy(i->modifiers, r->modifiers.items, i->modifier_count * sizeof *i->modifiers);
	}
	i->operands = take_terms(r, operand_count, 1);
	i->operand_count = operand_count;
	find_argument_lists(r, i->operands, operand_count);
	i->span = (struct span){at.file, i->opcode_span.begin, at.end};
	i->loc = r->loc;
	i->scope = r->scope->scope;
	if (!i->guard)
		i->guard_element = NO_ELEMENT;
	else if (i->guard->reg->vector > 1 && i->guard_element == NO_ELEMENT)
		diag_error(r->diags, i->opcode_span,
			   "the guard '%s' is a vector and needs an element: .x, .y, .z or .w", i->guard->name);
	VEC_PUSH(r->arena, &r->function->body, *i);
	*i = (struct ir_instruction){0};
}
