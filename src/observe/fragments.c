/* SPDX-License-Identifier: Apache-2.0
 *
 * Elements in the order of registers, joined while they follow each other in memory.
 */
#include "observe/fragments.h"

#include "decode/operands.h"

#include "isa/matrix.h"

enum { ACCESS_BYTES = 16 };

struct joiner {
	struct fragment_accesses *to;
	const struct tensor_form *form;
	enum tensor_role role;
};

static struct tensor_place place_of(const struct joiner *j, u32 reg, u32 lane, u32 element)
{
	return tensor_fragment_place(j->form, j->role, reg, lane, element);
}

/* Whether lane 0's place is one that an earlier register holds: fragments of f16 repeat. */
static bool is_repeated(const struct joiner *j, u32 reg)
{
	const struct tensor_place p = place_of(j, reg, 0, 0);

	for (u32 k = 0; k < reg; k++) {
		const struct tensor_place q = place_of(j, k, 0, 0);
		if (p.row == q.row && p.column == q.column)
			return true;
	}
	return false;
}

/* Whether the place is right behind the last access's bytes, and the two may go together. */
static bool follows(const struct fragment_accesses *f, struct tensor_place p)
{
	const struct fragment_access *last = &f->access[f->count - 1];
	const u32 elements = last->bytes * 8 / f->bits;

	if (f->row_major ? p.row != last->row[0] || p.column != last->column[0] + elements
			 : p.column != last->column[0] || p.row != last->row[0] + elements)
		return false;
	return last->bytes < ACCESS_BYTES;
}

static void add_element(const struct joiner *j, u32 reg, u32 element)
{
	struct fragment_accesses *f = j->to;
	const u32 bytes = max_u32(1, f->bits / 8);

	if (f->count && follows(f, place_of(j, reg, 0, element))) {
		f->access[f->count - 1].bytes += bytes;
		return;
	}
	if (f->count == FRAGMENT_ACCESSES)
		return;
	struct fragment_access *a = &f->access[f->count++];
	a->bytes = bytes;
	for (u32 l = 0; l < WARP_LANES; l++) {
		const struct tensor_place p = place_of(j, reg, l, element);
		a->row[l] = p.row;
		a->column[l] = p.column;
	}
}

const struct fragment_accesses *fragments_describe(struct arena *arena, const struct form *form)
{
	struct tensor_form t;

	if (!(form->row->traits & TRAIT_FRAGMENT) || !isa_tensor_form(form, &t) || type_bits(form_type(form, 0)) < 8)
		return NULL;
	struct fragment_accesses *f = ARENA_NEW(arena, struct fragment_accesses);
	const struct joiner j = {f, &t, isa_wmma_role(form)};
	const u32 registers = tensor_fragment_registers(&t, j.role);

	f->bits = type_bits(form_type(form, 0));
	f->row_major = form_has(form, M_row);
	f->rows = j.role == TENSOR_ROLE_B ? t.k : t.m;
	f->columns = j.role == TENSOR_ROLE_A ? t.k : t.n;
	f->stride_operand = registers + 2; /* behind the address */
	for (u32 r = 0; r < registers; r++)
		for (u32 e = 0; e < tensor_fragment_elements(&t, j.role) && !is_repeated(&j, r); e++)
			add_element(&j, r, e);
	return f;
}

void fragments_address(const struct fragment_accesses *f, u32 k, const u64 base[WARP_LANES], u64 stride,
		       u64 address[WARP_LANES])
{
	const u64 by_row = f->row_major ? stride : 1, by_column = f->row_major ? 1 : stride;
	const struct fragment_access *a = &f->access[k];

	for (u32 l = 0; l < WARP_LANES; l++)
		address[l] = base[l] + (a->row[l] * by_row + a->column[l] * by_column) * f->bits / 8;
}

u64 fragments_stride(const struct fragment_accesses *f, const struct code *code, const struct form *form,
		     const struct insn *i, const u8 *rows, u32 mask)
{
	const u32 row = insn_operand(code, form, i, f->stride_operand);

	if (row == NO_OPERAND)
		return f->row_major ? f->columns : f->rows;
	return ((const u32 *)(const void *)(rows + row))[__builtin_ctz(mask)];
}
