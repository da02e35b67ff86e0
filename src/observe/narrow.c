/* SPDX-License-Identifier: Apache-2.0
 *
 * By what the assembler made of loads of all widths of which some elements were read, and what the profiler then counted.
 */
#include "observe/narrow.h"

#include "isa/form.h"
#include "observe/classes.h"

static void note_reads(bool *reads, const struct ir_operand *o)
{
	if (o->kind == OPERAND_REGISTER && o->symbol && o->symbol->kind == SYM_REGISTER)
		for (u32 k = 0; k < max_u32(1, o->symbol->reg->vector); k++)
			reads[o->symbol->reg->index + k] = true;
	for (u32 k = 0; k < o->item_count; k++)
		note_reads(reads, &o->items[k]);
}

const bool *narrow_reads(struct arena *arena, const struct code *code)
{
	const struct ir_function *f = code->function;
	bool *reads = ARENA_ARRAY(arena, f->register_slots + 1, bool);

	for (u32 k = 0; k < f->body.count; k++) {
		const struct ir_instruction *x = &f->body.items[k];
		struct operand_spec specs[FORM_OPERANDS];
		const u32 count = code->forms[k].row ? isa_operand_specs(&code->forms[k], specs) : 0;
		if (x->guard && x->guard->kind == SYM_REGISTER)
			reads[x->guard->reg->index] = true;
		for (u32 o = 0; o < x->operand_count; o++)
			if (o >= count || specs[o].kind != 't' || !specs[o].written || specs[o].read)
				note_reads(reads, &x->operands[o]);
	}
	return reads;
}

static bool overwrites(const struct ir_instruction *x, const struct form *f, const struct ir_register *reg)
{
	struct operand_spec specs[FORM_OPERANDS];
	const u32 count = x->guard ? 0 : isa_operand_specs(f, specs);

	for (u32 k = 0; k < count && k < x->operand_count; k++)
		if (specs[k].written && x->operands[k].kind == OPERAND_REGISTER && x->operands[k].symbol &&
		    x->operands[k].symbol->kind == SYM_REGISTER && x->operands[k].symbol->reg == reg)
			return true;
	return false;
}

/* Whether something reads the register behind the load. At a branch it is taken to, if anything does at all. */
static bool is_read(const struct code *code, u32 origin, const struct ir_register *reg, const bool *reads)
{
	const struct ir_function *f = code->function;

	if (!reads[reg->index])
		return false;
	for (u32 k = origin + 1; k < f->body.count; k++) {
		const struct ir_instruction *x = &f->body.items[k];
		const struct form *form = &code->forms[k];
		if (!form->row || instruction_reads(x, form, reg) || form->row->flags & (ISA_BRANCH | ISA_CALL))
			return true;
		if (overwrites(x, form, reg) || (form->row->flags & (ISA_RET | ISA_EXIT) && !x->guard))
			return false;
	}
	return false;
}

/* The elements, as bits, that something reads. */
static u32 elements_read(const struct code *code, u32 origin, const bool *reads)
{
	const struct ir_operand *vector = &code->function->body.items[origin].operands[0];
	u32 read = 0;

	for (u32 k = 0; k < vector->item_count; k++) {
		const struct ir_operand *o = &vector->items[k];
		if (o->kind != OPERAND_SINK &&
		    (o->kind != OPERAND_REGISTER || !o->symbol || o->symbol->kind != SYM_REGISTER ||
		     is_read(code, origin, o->symbol->reg, reads)))
			read |= 1u << k;
	}
	return read;
}

static void add_part(struct narrow *n, u32 offset, u32 bytes)
{
	n->part[n->count].offset = (u8)offset;
	n->part[n->count++].bytes = (u8)bytes;
}

/* Each element, or pair of elements that lie in one aligned piece of twice the size, by itself. */
static void add_pieces(struct narrow *n, u32 read, u32 bytes, bool in_pairs)
{
	for (u32 k = 0; k < NARROW_PARTS; k++) {
		if (in_pairs && k % 2 == 0 && (read >> k & 3) == 3)
			add_part(n, k++ * bytes, 2 * bytes);
		else if (read >> k & 1)
			add_part(n, k * bytes, bytes);
	}
}

bool narrow_load(struct narrow *n, const struct code *code, u32 origin, enum ir_space space, const bool *reads)
{
	const struct ir_instruction *x = &code->function->body.items[origin];
	const struct form *f = &code->forms[origin];
	const u32 elements = form_vector(f), bytes = type_bits(form_type(f, 0)) / 8;

	n->count = 0;
	if (!x->operand_count || x->operands[0].kind != OPERAND_VECTOR || elements > NARROW_PARTS ||
	    elements * bytes > 16 || form_pick(f, M_volatile, M_acquire) != TOKEN_NONE)
		return false;
	const u32 all = (1u << elements) - 1, read = elements_read(code, origin, reads);
	const u32 count = (u32)__builtin_popcount(read);
	if (space == SPACE_CONST) {
		add_pieces(n, read ? read : all, bytes, false);
		return true;
	}
	if (!read || read == all || bytes == 1)
		return false;
	if (count == 3 && (bytes == 2 || space == SPACE_SHARED || space == SPACE_GLOBAL))
		return false;
	add_pieces(n, read, bytes, true);
	/* Two halves of different words come with the whole. */
	return bytes > 2 || n->count == 1;
}
