/* SPDX-License-Identifier: Apache-2.0
 *
 * The instructions that meanings get: constants in the region's module, which LLVM knows. Accesses by scaled rows (native/scaled.h) have the
 * parts of the row there, and of loads that say where another access goes that one stands behind: sem/native_scaled.h.
 */
#include "native/llvm/emission.h"

/* The slot of the row that the instruction names there; other numbers stay as they are. */
static u32 own_offset(const struct emission *e, const struct region_insn *x, u32 place, u32 offset)
{
	for (u32 o = 0; o < x->operand_count; o++)
		if (x->operands[o].place == place)
			return e->slots[x->operands[o].row];
	return offset;
}

bool is_by_index(const struct emission *e, const struct region_insn *x)
{
	const u32 row = address_row(x);

	return row != NO_OPERAND && e->r->rows[row].scaled;
}

u32 spot_offset(const struct emission *e, const struct region_insn *x)
{
	return e->spots + (x->spot - 1) * (u32)sizeof(struct spot);
}

_Static_assert(ALLOCATION_CACHE <= 64, "rows' places leave room for that of what an access remembers");

/* What stands in place of the handler. */
static u64 scaled_parts(const struct emission *e, const struct region_row *address)
{
	return e->slots[address->base] | (u64)(address->shift | (address->is_signed ? SCALED_SIGNED : 0))
						 << SCALED_SHIFT_AT;
}

/* As its constant has it. */
static struct insn own_insn(const struct emission *e, const struct region_insn *x, bool by_index, bool ahead)
{
	const struct insn *plain = x->plain;
	struct insn own = {.d = own_offset(e, x, PLACE_D, plain->d),
			   .a = own_offset(e, x, PLACE_A, plain->a),
			   .b = own_offset(e, x, PLACE_B, plain->b),
			   .c = x->spot    ? spot_offset(e, x)
				: x->moves ? x->reach
					   : own_offset(e, x, PLACE_C, plain->c),
			   .imm = plain->imm,
			   .run = x->moves ? x->proven : plain->run,
			   .fp = x->moves ? x->shapes : plain->fp,
			   .aux = plain->aux};

	if (by_index) {
		const struct region_row *address = &e->r->rows[address_row(x)];
		own.a = e->slots[address->index];
		own.imm += address->from;
		own.run = (u16)(own.run | PROVEN_SCALED | (ahead ? PROVEN_AHEAD : 0));
	}
	return own;
}

bool knows_ahead(const struct emission *e, const struct region_insn *x)
{
	const struct meaning_function *m = x->ahead ? meanings_inlined(e->meanings, x->ahead) : NULL;

	return m && m->scales && is_by_index(e, x->ahead);
}

/* Where the other one goes. */
static LLVMValueRef ahead_constant(struct emission *e, const struct region_insn *to)
{
	const struct region_row *address = &e->r->rows[address_row(to)];
	LLVMValueRef parts[] = {LLVMConstInt(e->i64, scaled_parts(e, address) | to->place, false),
				LLVMConstInt(e->i64, (u64)((s64)address->from + to->plain->imm), false)};

	return LLVMConstArray2(e->i64, parts, COUNT_OF(parts));
}

/* A window's are more than any other's. */
_Static_assert(sizeof(struct window_store) / 4 > STEP_OPERANDS_MAX, "room for the words behind an instruction");

static LLVMValueRef list_constant(struct emission *e, const struct region_insn *x)
{
	LLVMValueRef list[sizeof(struct window_store) / 4];

	for (u32 k = 0; k < x->list_count; k++)
		list[k] = word(e, own_offset(e, x, PLACE_LIST + k, x->list[k]));
	return LLVMConstArray2(e->i32, list, x->list_count);
}

LLVMValueRef insn_constant(struct emission *e, const struct region_insn *x, bool by_index)
{
	const bool ahead = by_index && knows_ahead(e, x);
	const struct insn own = own_insn(e, x, by_index, ahead);
	LLVMTypeRef i16 = LLVMInt16TypeInContext(e->c);
	const u64 scaled = by_index ? scaled_parts(e, &e->r->rows[address_row(x)]) : 0;
	const u64 first = scaled | (x->spot ? HAS_SPOT : 0) | x->place;
	LLVMValueRef fields[] = {LLVMConstInt(e->i64, first, false),
				 word(e, own.d),
				 word(e, own.a),
				 word(e, own.b),
				 word(e, own.c),
				 word(e, (u32)own.imm),
				 LLVMConstInt(i16, own.run, false),
				 LLVMConstInt(e->i8, own.fp, false),
				 LLVMConstInt(e->i8, own.aux, false)};
	LLVMValueRef parts[] = {LLVMConstStructInContext(e->c, fields, COUNT_OF(fields), false),
				ahead ? ahead_constant(e, x->ahead) : list_constant(e, x)};
	LLVMTypeRef types[] = {LLVMTypeOf(parts[0]), LLVMTypeOf(parts[1])};
	LLVMValueRef global = LLVMAddGlobal(e->module, LLVMStructTypeInContext(e->c, types, 2, false), "insn");

	LLVMSetInitializer(global, LLVMConstStructInContext(e->c, parts, COUNT_OF(parts), false));
	LLVMSetLinkage(global, LLVMPrivateLinkage);
	LLVMSetGlobalConstant(global, true);
	LLVMSetAlignment(global, sizeof(struct insn));
	return global;
}
