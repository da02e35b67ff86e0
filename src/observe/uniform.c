/* SPDX-License-Identifier: Apache-2.0
 *
 * A register is uniform if one instruction alone writes it, unguarded, that computes lane by lane or
 * loads from parameters or constants, and all that it reads is uniform.
 */
#include "observe/uniform.h"

#include <string.h>

enum state { UNKNOWN, IN_WORK, NO, YES };
enum { NO_WRITER = 0xffffffff, DEPTH_MOST = 200 };

struct uniform {
	const struct code *code;
	u32 *writer; /* by register index: instruction + 1; NO_WRITER: several */
	u8 *state;
	u32 depth;
};

static void note_writes(struct uniform *u, const struct ir_operand *o, u32 insn)
{
	if (o->kind == OPERAND_REGISTER && o->symbol && o->symbol->kind == SYM_REGISTER) {
		u32 *writer = &u->writer[o->symbol->reg->index];
		*writer = *writer ? NO_WRITER : insn + 1;
	}
	for (u32 k = 0; k < o->item_count; k++)
		note_writes(u, &o->items[k], insn);
}

struct uniform *uniform_new(struct arena *arena, const struct code *code)
{
	const struct ir_function *f = code->function;
	struct uniform *u = ARENA_NEW(arena, struct uniform);

	u->code = code;
	u->writer = ARENA_ARRAY(arena, f->register_slots + 1, u32);
	u->state = ARENA_ARRAY(arena, f->register_slots + 1, u8);
	for (u32 k = 0; k < f->body.count; k++) {
		const struct ir_instruction *x = &f->body.items[k];
		struct operand_spec specs[FORM_OPERANDS];
		const u32 count = code->forms[k].row ? isa_operand_specs(&code->forms[k], specs) : 0;
		for (u32 o = 0; o < x->operand_count; o++)
			if (o >= count || specs[o].written || specs[o].kind == 'F')
				note_writes(u, &x->operands[o], k);
	}
	return u;
}

static bool special_is_uniform(const char *name)
{
	static const char *const names[] = {"%ctaid",     "%ntid",          "%nctaid",
					    "%clusterid", "%cluster_ctaid", "%nclusterid"};

	for (size_t k = 0; k < COUNT_OF(names); k++)
		if (!strncmp(name, names[k], strlen(names[k])))
			return true;
	return false;
}

/* Neither another lane nor memory that threads change has a say in the result. */
static bool computes_by_lane(const struct form *f)
{
	if (!f->row || f->row->flags & (ISA_ATOMIC | ISA_STORE | ISA_CALL | ISA_SYNC | ISA_CROSS_LANE))
		return false;
	if (f->row->flags & ISA_MEMORY)
		return f->row->traits & TRAIT_LOADS && form_pick(f, M_const, M_param_func) != TOKEN_NONE &&
		       !form_has(f, M_global) && !form_has(f, M_local);
	return true;
}

static bool writer_is_uniform(struct uniform *u, u32 insn)
{
	const struct ir_instruction *x = &u->code->function->body.items[insn];
	const struct form *f = &u->code->forms[insn];
	struct operand_spec specs[FORM_OPERANDS];

	if (x->guard || !computes_by_lane(f))
		return false;
	const u32 count = isa_operand_specs(f, specs);
	for (u32 k = 0; k < x->operand_count; k++)
		if (k >= count || !specs[k].written || specs[k].read)
			if (!uniform_operand(u, &x->operands[k]))
				return false;
	return true;
}

static bool register_is_uniform(struct uniform *u, const struct ir_register *r)
{
	u8 *state = &u->state[r->index];

	if (*state == UNKNOWN) {
		const u32 writer = u->writer[r->index];
		*state = IN_WORK; /* which a loop finds, and takes for no */
		u->depth++;
		const bool yes =
			writer && writer != NO_WRITER && u->depth < DEPTH_MOST && writer_is_uniform(u, writer - 1);
		u->depth--;
		*state = yes ? YES : NO;
	}
	return *state == YES;
}

bool uniform_operand(struct uniform *u, const struct ir_operand *o)
{
	switch (o->kind) {
	case OPERAND_REGISTER:
		return o->symbol && o->symbol->kind == SYM_REGISTER && register_is_uniform(u, o->symbol->reg);
	case OPERAND_SPECIAL:
		return special_is_uniform(o->name);
	default:
		for (u32 k = 0; k < o->item_count; k++)
			if (!uniform_operand(u, &o->items[k]))
				return false;
		return true;
	}
}
