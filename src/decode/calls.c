/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls: which function, and which bytes travel where. Arguments and results may be .param
 * variables of the caller, registers or constants; a callee's formal ones may be .param variables
 * (in its frame of local memory) or registers.
 *
 * A call is planned when it is lowered; at run time (exec/call.c) a list of transfers is carried out:
 *
 *      caller                      transfers (call_site.in)            callee's frame
 *      %r5          register  ---> from_register, to 0x10         ---> .param .b32 a   local memory, at the frame's base
 *      param1       .param    ---> from 0x20, to_register         ---> .reg .b32 %x    a row
 *                                  call_site.out, back, when it returns
 */
#include "decode/lowering.h"

#include <string.h>

struct call_parts {
	const struct ir_operand *returns, *target, *arguments, *prototype;
};

/* call (results), target, (arguments), prototype: all but the target may be missing. */
static bool split_call(struct emitter *e, const struct ir_instruction *x, struct call_parts *p)
{
	u32 k = 0;

	memset(p, 0, sizeof *p);
	if (k + 1 < x->operand_count && x->operands[k].kind == OPERAND_LIST)
		p->returns = &x->operands[k++];
	if (k < x->operand_count)
		p->target = &x->operands[k++];
	if (k < x->operand_count && x->operands[k].kind == OPERAND_LIST)
		p->arguments = &x->operands[k++];
	if (k < x->operand_count)
		p->prototype = &x->operands[k++];
	if (p->target && k == x->operand_count &&
	    (p->target->kind == OPERAND_REGISTER || (p->target->symbol && p->target->symbol->kind == SYM_FUNCTION)))
		return true;
	diag_error(e->low->diags, x->span, "call: expected (results), function, (arguments)[, prototype]");
	return false;
}

static u8 row_bits(u32 type_width) { return type_width == 1 ? 1 : type_width <= 32 ? 32 : type_width <= 64 ? 64 : 128; }

/* As a result the caller's register is written by the call, as an argument it is read: liveness goes by that. */
static struct use register_use(const struct ir_operand *o, u32 element, bool written)
{
	const struct ir_register *r = o->symbol->reg;
	const u32 own = type_bits(r->type);

	return (struct use){.kind = USE_REGISTER,
			    .read = !written,
			    .written = written,
			    .span = o->span,
			    .reg = r->index + element,
			    .bits = row_bits(own),
			    .type_bits = (u8)own};
}

/* A number for a float parameter is converted, for one of bits it stands for its own, as far as they go. */
static u64 float_constant(const struct ir_operand *o, u16 type)
{
	const f64 value = o->float_bits == 64 ? f64_of_bits(o->value) : (f64)f32_of_bits((u32)o->value);

	if (type_class(type) != 'f' || o->float_bits == type_bits(type))
		return o->value;
	return type == T_f64 ? bits_of_f64(value) : bits_of_f32((f32)value);
}

static struct use constant_use(const struct ir_operand *o, u16 type)
{
	const u32 bits = type_bits(type);
	const u64 value = o->kind == OPERAND_FLOAT ? float_constant(o, type) : o->value;

	return (struct use){.kind = USE_CONSTANT,
			    .read = true,
			    .low = bits < 64 ? value & ((1ull << bits) - 1) : value,
			    .bits = bits > 32 ? 64 : 32,
			    .type_bits = (u8)bits,
			    .span = o->span};
}

/* A register that stands whole for all its elements: how many; else 1. */
static u32 element_count(const struct ir_operand *o)
{
	return o->kind == OPERAND_REGISTER && o->element == 0xff ? o->symbol->reg->vector : 1;
}

static bool is_constant(const struct ir_operand *o) { return o->kind == OPERAND_INTEGER || o->kind == OPERAND_FLOAT; }

/* Of the register with its elements, or one for anything else; a constant takes the type of its parameter. */
static void add_uses(struct matched *m, const struct ir_operand *o, u16 type, bool written)
{
	const u32 first = o->kind == OPERAND_REGISTER && o->element != 0xff ? o->element : 0;

	for (u32 k = 0; k < element_count(o); k++) {
		struct use *u = &m->uses[m->use_count++];
		if (o->kind == OPERAND_REGISTER)
			*u = register_use(o, first + k, written);
		else if (is_constant(o))
			*u = constant_use(o, type);
		else
			*u = (struct use){.kind = USE_ABSENT, .span = o->span};
	}
}

/* The function that tells the types: the definition, a .callprototype, or the first of .calltargets. */
static const struct ir_function *call_signature(struct emitter *e, const struct call_parts *p)
{
	if (p->target->kind != OPERAND_REGISTER)
		return layout_definition(e->low, p->target->symbol->function);
	if (p->prototype && p->prototype->symbol && p->prototype->symbol->kind == SYM_PROTOTYPE)
		return p->prototype->symbol->function;
	if (p->prototype && p->prototype->symbol && p->prototype->symbol->kind == SYM_TARGETS &&
	    p->prototype->symbol->targets->list.count &&
	    p->prototype->symbol->targets->list.items[0]->kind == SYM_FUNCTION)
		return layout_definition(e->low, p->prototype->symbol->targets->list.items[0]->function);
	return NULL;
}

static u32 list_count(const struct ir_operand *o) { return o ? o->item_count : 0; }

/* As ptxas has it: one size, and bits agree with everything of it but predicates. */
static bool types_pass(u16 actual, u16 formal)
{
	const char a = type_class(actual), f = type_class(formal);

	if (actual == formal)
		return true;
	if (actual == T_pred || formal == T_pred || type_bits(actual) != type_bits(formal))
		return false;
	return a == 'b' || f == 'b' || (a == 'f') == (f == 'f');
}

/* As ptxas: a number for .b types of any width that holds it; a float only for float types of 32 and 64 bits. */
static bool constant_passes(const struct ir_operand *o, u16 formal)
{
	const bool is_float = o->kind == OPERAND_FLOAT;

	if (type_class(formal) == 'b' && (!is_float || type_bits(formal) >= 32))
		return type_bits(formal) <= 64;
	return is_float ? formal == T_f32 || formal == T_f64 : type_class(formal) == 'u' || type_class(formal) == 's';
}

static bool variable_passes(const struct ir_variable *actual, const struct ir_variable *formal)
{
	return actual->space == SPACE_PARAM && types_pass(actual->type, formal->type) &&
	       actual->align == formal->align && (formal->unsized || actual->size == formal->size);
}

static const char *shape_text(struct arena *a, u16 type, u32 vector)
{
	return vector > 1 ? arena_printf(a, ".v%u .%s", vector, token_text(type))
			  : arena_printf(a, ".%s", token_text(type));
}

/* Told, unless the operand can be what the parameter or result is declared as. */
static bool operand_passes(struct emitter *e, const struct ir_operand *o, const struct ir_variable *v, bool written)
{
	const char *what = written ? "result" : "argument";
	struct arena *a = e->low->scratch;

	if (o->kind == OPERAND_SINK && written)
		return true;
	if (is_constant(o) && !written) {
		if (constant_passes(o, v->type) && v->vector == 1)
			return true;
		diag_error(e->low->diags, o->span, "a number cannot be the argument for a parameter of %s",
			   shape_text(a, v->type, v->vector));
		return false;
	}
	if (o->kind == OPERAND_REGISTER && !o->negated) {
		const u32 elements = element_count(o);
		if (types_pass(o->symbol->reg->type, v->type) && elements == v->vector && !v->rank)
			return true;
		diag_error(e->low->diags, o->span, "%s '%s' is a register of %s where the function has %s%s", what,
			   o->name, shape_text(a, o->symbol->reg->type, elements), shape_text(a, v->type, v->vector),
			   v->rank ? "[]" : "");
		return false;
	}
	const struct ir_variable *actual =
		o->kind == OPERAND_SYMBOL && o->symbol && o->symbol->kind == SYM_VARIABLE ? o->symbol->variable : NULL;
	if (!actual || actual->space != SPACE_PARAM) {
		diag_error(e->low->diags, o->span, "the %s of a call is a register%s or a .param variable", what,
			   written ? "" : ", a number");
		return false;
	}
	if (variable_passes(actual, v))
		return true;
	diag_error(e->low->diags, o->span,
		   "%s '%s' of %s, %llu bytes aligned to %u, does not fit %s, %llu bytes aligned to %u", what, o->name,
		   shape_text(a, actual->type, actual->vector), (unsigned long long)actual->size, actual->align,
		   shape_text(a, v->type, v->vector), (unsigned long long)v->size, v->align);
	return false;
}

static bool match_operands(struct emitter *e, const struct call_parts *p, const struct ir_function *f,
			   struct matched *m)
{
	u32 count = 1;

	for (u32 k = 0; k < list_count(p->returns); k++)
		count += element_count(&p->returns->items[k]);
	for (u32 k = 0; k < list_count(p->arguments); k++)
		count += element_count(&p->arguments->items[k]);
	m->uses = ARENA_ARRAY(e->low->scratch, count, struct use);
	for (u32 k = 0; k < list_count(p->returns); k++) {
		if (!operand_passes(e, &p->returns->items[k], f->returns.items[k], true))
			return false;
		add_uses(m, &p->returns->items[k], f->returns.items[k]->type, true);
	}
	for (u32 k = 0; k < list_count(p->arguments); k++) {
		if (!operand_passes(e, &p->arguments->items[k], f->params.items[k], false))
			return false;
		add_uses(m, &p->arguments->items[k], f->params.items[k]->type, false);
	}
	add_uses(m, p->target, T_b64, false);
	return true;
}

/* Registers that the call reads and writes, for liveness; and the checks on counts and types. */
bool call_match(struct emitter *e, const struct ir_instruction *x, struct matched *result)
{
	struct call_parts p;

	result->ok = false;
	if (!split_call(e, x, &p))
		return false;
	const struct ir_function *f = call_signature(e, &p);
	if (!f) {
		diag_error(e->low->diags, x->span, "a call through a register needs a prototype or a list of targets");
		return false;
	}
	if (p.target->kind != OPERAND_REGISTER && !f->has_body && !e->low->options->apart &&
	    !layout_is_external(f->name)) {
		diag_error(e->low->diags, p.target->span, "function '%s' is called but not defined", f->name);
		return false;
	}
	if (list_count(p.returns) != f->returns.count || list_count(p.arguments) != f->params.count) {
		diag_error(e->low->diags, x->span, "'%s' takes %zu arguments and returns %zu values; found %u and %u",
			   f->name ? f->name : "the function", f->params.count, f->returns.count,
			   list_count(p.arguments), list_count(p.returns));
		return false;
	}
	result->ok = match_operands(e, &p, f, result);
	return result->ok;
}

/* The actual operand's side of a transfer: a .param variable's frame offset or a row. */
static void actual_side(struct emitter *e, const struct ir_operand *o, const struct use *u, bool *is_register,
			u32 *where)
{
	*is_register = o->kind != OPERAND_SYMBOL;
	*where = *is_register ? emit_use(e, u) : (u32)(layout_address(e->low, o->symbol->variable) + (u64)o->addend);
}

/* The callee's side. A register of a prototype is a different one in each function that is called: its number in order
 * stands for it. */
static void formal_side(struct emitter *e, const struct ir_variable *v, const struct ir_register *r, u32 order,
			bool *is_register, u32 *where)
{
	*is_register = v->space == SPACE_REG;
	*where = !*is_register ? (u32)layout_address(e->low, v) : r ? r->index : order;
}

static bool is_kernel_param_actual(const struct ir_operand *o)
{
	return o->kind == OPERAND_SYMBOL && variable_is_kernel_param(o->symbol->variable);
}

/* Predicates travel as one byte; an unsized parameter takes what the argument has, up to UNSIZED_BYTES. */
static u32 transfer_bytes(const struct ir_variable *v, const struct ir_operand *actual)
{
	const u32 bits = type_bits(v->type);

	if (v->unsized)
		return actual->kind == OPERAND_SYMBOL ? (u32)min_u64(actual->symbol->variable->size, UNSIZED_BYTES) : 0;
	return v->vector > 1 ? bits / 8 : v->size ? (u32)v->size : (bits + 7) / 8;
}

/* The registers of a function that is called by name. */
static const struct ir_register *formal_register(const struct call_site *site, const struct ir_function *f, u32 k,
						 bool result)
{
	if (site->is_indirect)
		return NULL;
	if (result)
		return k < f->return_registers.count ? f->return_registers.items[k] : NULL;
	return k < f->param_registers.count ? f->param_registers.items[k] : NULL;
}

/* How parameter or result number k travels, register by register. */
static u32 plan_transfer(struct emitter *e, const struct call_site *site, const struct ir_operand *actual,
			 const struct use *uses, u32 k, bool result, struct call_transfer *t)
{
	const struct ir_function *f = site->prototype;
	const struct ir_variable *v = result ? f->returns.items[k] : f->params.items[k];
	const u32 elements = element_count(actual);

	for (u32 n = 0; n < elements; n++, t++) {
		t->bytes = transfer_bytes(v, actual);
		t->element = (u8)n;
		t->predicate = v->type == T_pred;
		if (result) {
			actual_side(e, actual, &uses[n], &t->to_register, &t->to);
			formal_side(e, v, formal_register(site, f, k, true), k, &t->from_register, &t->from);
		} else {
			actual_side(e, actual, &uses[n], &t->from_register, &t->from);
			formal_side(e, v, formal_register(site, f, k, false), k, &t->to_register, &t->to);
			t->from_kernel_param = is_kernel_param_actual(actual);
		}
	}
	return elements;
}

/* `next` walks over the uses in the order in which match_operands() made them: results, arguments, target. */
static void plan_transfers(struct emitter *e, struct call_site *site, const struct call_parts *p,
			   const struct matched *m)
{
	const struct use *next = m->uses;

	site->in = ARENA_ARRAY(e->low->arena, m->use_count, struct call_transfer);
	site->out = ARENA_ARRAY(e->low->arena, m->use_count, struct call_transfer);
	for (u32 k = 0; k < list_count(p->returns); k++) {
		const struct ir_operand *o = &p->returns->items[k];
		if (o->kind != OPERAND_SINK)
			site->out_count += plan_transfer(e, site, o, next, k, true, &site->out[site->out_count]);
		next += element_count(o);
	}
	for (u32 k = 0; k < list_count(p->arguments); k++) {
		const struct ir_operand *o = &p->arguments->items[k];
		site->in_count += plan_transfer(e, site, o, next, k, false, &site->in[site->in_count]);
		next += element_count(o);
	}
	if (site->is_indirect) {
		site->function_row = emit_use(e, next);
		site->function_row_is_64 = next->bits == 64;
	}
}

/* The callee's parameters get their places in its frame now, even if its own code is lowered later. */
void call_emit(struct emitter *e, const struct ir_instruction *x, const struct matched *m)
{
	struct call_parts p;
	struct call_site site = {0};
	u64 align;

	if (!split_call(e, x, &p))
		return;
	const struct ir_function *f = call_signature(e, &p);
	layout_frame(e->low, (struct ir_function *)(uintptr_t)f, &align);
	site.prototype = f;
	site.is_indirect = p.target->kind == OPERAND_REGISTER;
	plan_transfers(e, &site, &p, m);
	if (!site.is_indirect && f->has_body)
		site.function = f;
	else if (!site.is_indirect)
		site.external = f->name;
	emit(e, (struct insn){.fn = e->low->internal.call,
			      .d = NO_OPERAND,
			      .a = NO_OPERAND,
			      .b = NO_OPERAND,
			      .c = (u32)e->calls.count,
			      .run = (u16)e->run});
	e->run = 0;
	VEC_PUSH(e->low->scratch, &e->calls, site);
}
