/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls: which function, and which bytes travel where. Arguments and results may be .param
 * variables of the caller, registers or constants; a callee's formal ones may be .param variables
 * (in its frame of local memory) or registers.
 */
#include "decode/lowering.h"

#include <string.h>

struct call_parts {
	const struct ir_operand *returns, *target, *arguments, *prototype;
};

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

static struct use operand_use(const struct ir_operand *o, u32 bits, bool written)
{
	struct use u = {.kind = USE_ABSENT, .span = o->span};

	if (o->kind == OPERAND_REGISTER) {
		const struct ir_register *r = o->symbol->reg;
		const u32 own = type_bits(r->type);
		u = (struct use){.kind = USE_REGISTER,
				 .read = !written,
				 .written = written,
				 .span = o->span,
				 .reg = r->index + (r->vector > 1 && o->element != 0xff ? o->element : 0),
				 .bits = own == 1    ? 1
					 : own <= 32 ? 32
					 : own <= 64 ? 64
						     : 128,
				 .type_bits = (u8)own};
	} else if (o->kind == OPERAND_INTEGER) {
		u = (struct use){.kind = USE_CONSTANT,
				 .read = true,
				 .low = o->value,
				 .bits = bits > 32 ? 64 : 32,
				 .type_bits = (u8)bits,
				 .span = o->span};
	} else if (o->kind == OPERAND_FLOAT) {
		const bool wide = bits > 32;
		u = (struct use){.kind = USE_CONSTANT,
				 .read = true,
				 .bits = wide ? 64 : 32,
				 .type_bits = (u8)bits,
				 .span = o->span};
		u.low = o->float_bits == (wide ? 64 : 32) ? o->value
			: wide                            ? bits_of_f64((f64)f32_of_bits((u32)o->value))
							  : bits_of_f32((f32)f64_of_bits(o->value));
	}
	return u;
}

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

/* Registers that the call reads and writes, for liveness; and the checks on counts. */
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
	if (p.target->kind != OPERAND_REGISTER && !f->has_body && !layout_is_external(f->name)) {
		diag_error(e->low->diags, p.target->span, "function '%s' is called but not defined", f->name);
		return false;
	}
	if (list_count(p.returns) != f->returns.count || list_count(p.arguments) != f->params.count) {
		diag_error(e->low->diags, x->span, "'%s' takes %zu arguments and returns %zu values; found %u and %u",
			   f->name ? f->name : "the function", f->params.count, f->returns.count,
			   list_count(p.arguments), list_count(p.returns));
		return false;
	}
	const u32 count = list_count(p.returns) + list_count(p.arguments) + 1;
	result->uses = ARENA_ARRAY(e->low->scratch, count, struct use);
	for (u32 k = 0; k < list_count(p.returns); k++)
		result->uses[result->use_count++] = operand_use(&p.returns->items[k], 32, true);
	for (u32 k = 0; k < list_count(p.arguments); k++)
		result->uses[result->use_count++] =
			operand_use(&p.arguments->items[k], type_bits(f->params.items[k]->type), false);
	result->uses[result->use_count++] = operand_use(p.target, 64, false);
	result->ok = true;
	return true;
}

/* The actual operand's side of a transfer: a .param variable's frame offset or a row. */
static void actual_side(struct emitter *e, const struct ir_operand *o, const struct use *u, bool *is_register,
			u32 *where)
{
	if (o->kind == OPERAND_SYMBOL && o->symbol && o->symbol->kind == SYM_VARIABLE) {
		*is_register = false;
		*where = (u32)(layout_address(e->low, o->symbol->variable) + (u64)o->addend);
	} else {
		*is_register = true;
		*where = emit_use(e, u);
	}
}

/* A register of a prototype is a different one in each function that is called: its number in order stands for it. */
static void formal_side(struct emitter *e, const struct ir_variable *v, const struct ir_register *r, u32 order,
			bool *is_register, u32 *where)
{
	*is_register = v->space == SPACE_REG;
	*where = !*is_register ? (u32)layout_address(e->low, v) : r ? r->index : order;
}

static bool is_kernel_param_actual(const struct ir_operand *o)
{
	return o->kind == OPERAND_SYMBOL && o->symbol && o->symbol->kind == SYM_VARIABLE &&
	       variable_is_kernel_param(o->symbol->variable);
}

static u32 transfer_bytes(const struct ir_variable *v)
{
	const u32 bits = type_bits(v->type);

	return v->size ? (u32)v->size : (bits + 7) / 8;
}

void call_emit(struct emitter *e, const struct ir_instruction *x, const struct matched *m)
{
	struct call_parts p;
	struct call_site site = {0};

	if (!split_call(e, x, &p))
		return;
	const struct ir_function *f = call_signature(e, &p);
	const u32 returns = list_count(p.returns), arguments = list_count(p.arguments);
	layout_frame(e->low, (struct ir_function *)(uintptr_t)f);
	site.prototype = f;
	site.is_indirect = p.target->kind == OPERAND_REGISTER;
	site.in = ARENA_ARRAY(e->low->arena, arguments + 1, struct call_transfer);
	site.out = ARENA_ARRAY(e->low->arena, returns + 1, struct call_transfer);
	for (u32 k = 0; k < arguments; k++) {
		struct call_transfer *t = &site.in[site.in_count++];
		const struct ir_variable *v = f->params.items[k];
		actual_side(e, &p.arguments->items[k], &m->uses[returns + k], &t->from_register, &t->from);
		t->from_kernel_param = is_kernel_param_actual(&p.arguments->items[k]);
		formal_side(e, v,
			    !site.is_indirect && k < f->param_registers.count ? f->param_registers.items[k] : NULL, k,
			    &t->to_register, &t->to);
		t->bytes = transfer_bytes(v);
		const struct ir_operand *actual = &p.arguments->items[k];
		if (v->unsized && actual->kind == OPERAND_SYMBOL && actual->symbol &&
		    actual->symbol->kind == SYM_VARIABLE)
			t->bytes = (u32)min_u64(actual->symbol->variable->size, UNSIZED_BYTES);
	}
	for (u32 k = 0; k < returns; k++) {
		struct call_transfer *t = &site.out[site.out_count];
		const struct ir_variable *v = f->returns.items[k];
		if (p.returns->items[k].kind == OPERAND_SINK)
			continue;
		actual_side(e, &p.returns->items[k], &m->uses[k], &t->to_register, &t->to);
		formal_side(e, v,
			    !site.is_indirect && k < f->return_registers.count ? f->return_registers.items[k] : NULL, k,
			    &t->from_register, &t->from);
		t->bytes = transfer_bytes(v);
		site.out_count++;
	}
	if (site.is_indirect) {
		site.function_row = emit_use(e, &m->uses[returns + arguments]);
		site.function_row_is_64 = m->uses[returns + arguments].bits == 64;
	} else if (!f->has_body) {
		site.external = f->name;
	} else {
		site.function = f;
	}
	emit(e, (struct insn){.fn = e->low->internal.call,
			      .d = NO_OPERAND,
			      .a = NO_OPERAND,
			      .b = NO_OPERAND,
			      .c = (u32)e->calls.count,
			      .run = (u16)e->run});
	e->run = 0;
	VEC_PUSH(e->low->scratch, &e->calls, site);
}
