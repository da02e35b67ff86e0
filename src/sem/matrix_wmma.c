/* SPDX-License-Identifier: Apache-2.0
 *
 * wmma.load and wmma.store (PTX ISA 9.7.14.4): a fragment from memory and back. Where the element of
 * a register lies follows from its place in the matrix, the layout and the stride; the places are
 * worked out once for each instruction.
 */
#include "decode/form_address.h"
#include "exec/async.h"
#include "sem/matrix.h"

struct fragment_plan {
	struct tensor_form form;
	enum tensor_role role;
	enum ir_space space;
	u8 registers, elements, element_bits;
	bool row_major, wide, is_store;
	u16 rows, columns; /* of the matrix */
	bool along_rows;   /* a register's elements follow each other down a column, not along a row */
	/* Place of the first element of each register. */
	struct tensor_place places[TENSOR_MAX_FACTOR_REGISTERS][WARP_LANES];
};

static const void *fragment_plan(struct arena *arena, const struct form *f)
{
	struct fragment_plan *p = ARENA_NEW(arena, struct fragment_plan);
	const struct tensor_form *t = &p->form;

	isa_tensor_form(f, &p->form);
	p->role = isa_wmma_role(f);
	p->space = form_space(f);
	p->registers = (u8)tensor_fragment_registers(t, p->role);
	p->elements = (u8)tensor_fragment_elements(t, p->role);
	p->element_bits = (u8)type_bits(form_type(f, 0));
	p->row_major = form_has(f, M_row);
	p->is_store = f->row->flags & ISA_STORE;
	p->wide = f->operand_bits[p->is_store ? 0 : p->registers] == 64;
	p->rows = p->role == TENSOR_ROLE_B ? t->k : t->m;
	p->columns = p->role == TENSOR_ROLE_A ? t->k : t->n;
	p->along_rows = p->elements > 1 && tensor_fragment_place(t, p->role, 0, 0, 1).row !=
						   tensor_fragment_place(t, p->role, 0, 0, 0).row;
	for (u32 k = 0; k < p->registers; k++)
		for (u32 l = 0; l < WARP_LANES; l++)
			p->places[k][l] = tensor_fragment_place(t, p->role, k, l, 0);
	return p;
}

/* Host memory behind one access of each lane: lane l's bytes are at host + (address[l] - low). NULL:
 * the lanes must go one by one, for a fault or because their bytes are apart. */
static u8 *lanes_host(struct warp *w, const struct insn *i, const struct fragment_plan *p,
		      const u64 address[WARP_LANES], u32 mask, u32 bytes, u64 *low)
{
	const struct extent e = extent_of(address, mask);

	*low = e.low;
	return e.bits % bytes ? NULL : space_range(w, i, p->space, e.low, e.high + bytes, p->is_store);
}

/* Moves `bytes` at each lane's address to or from `shift` bits into the lane's part of a row. */
static bool lanes_move(struct warp *w, const struct insn *i, const struct fragment_plan *p,
		       const u64 address[WARP_LANES], u32 mask, u32 bytes, u8 *row, u32 at)
{
	const u32 lane_bytes = p->element_bits == 64 ? 8 : 4;
	u64 low;
	u8 *host = lanes_host(w, i, p, address, mask, bytes, &low);

	for (u32 l = 0; l < WARP_LANES; l++) {
		u8 *own = row + l * lane_bytes + at;
		if (!(mask >> l & 1))
			continue;
		if (UNLIKELY(w->grid->async == ASYNC_STRICT) &&
		    !async_access(w, i, l, p->space, address[l], bytes, p->is_store))
			return false;
		if (host && p->is_store)
			memcpy(host + (address[l] - low), own, bytes);
		else if (host)
			memcpy(own, host + (address[l] - low), bytes);
		else if (!(p->is_store ? lane_write(w, i, l, p->space, address[l], own, bytes)
				       : lane_read(w, i, l, p->space, address[l], own, bytes)))
			return false;
	}
	return true;
}

/* Operands: the address, the registers, and the stride in elements unless rows (or columns) follow each
 * other closely. */
MEANING_FUNCTION(fragment)
{
	const struct fragment_plan *p = matrix_plan(w, i);
	const u32 *list = w->frame->code->operands + i->b;
	const u32 lane = (u32)__builtin_ctz(mask), stride_row = list[p->registers];
	u64 base[WARP_LANES] __attribute__((aligned(64))), address[WARP_LANES] __attribute__((aligned(64)));

	if (!matrix_together(w, i, mask))
		return NULL;
	const u64 stride = stride_row != NO_OPERAND ? ROW_OF(u32, stride_row)[lane]
			   : p->row_major           ? p->columns
						    : p->rows;
	const u64 by_row = p->row_major ? stride : 1, by_column = p->row_major ? 1 : stride;
	const u64 step = p->along_rows ? by_row : by_column;
	const bool whole = step == 1 || p->elements == 1;
	const u32 bits = p->element_bits, parts = whole ? 1 : p->elements;
	const u32 bytes = (whole ? bits * p->elements : bits) / 8;
	addresses_of(rows, i, p->wide, base);
	for (u32 k = 0; k < p->registers; k++)
		for (u32 part = 0; part < parts; part++) {
			EACH_LANE
				address[l] = base[l] + (p->places[k][l].row * by_row +
							p->places[k][l].column * by_column + part * step) *
							       bits / 8;
			if (!lanes_move(w, i, p, address, mask, bytes, rows + list[k], part * bytes))
				return NULL;
		}
	return i + 1;
}
/* One that loads over its own address could not run again. */
GANG_FUNCTION(fragment)
{
	const struct fragment_plan *p = g->code->plans[i->c];
	const u32 *list = g->code->operands + i->b;

	for (u32 k = 0; k < p->registers; k++)
		if (list[k] == i->a)
			return gang_part(g, i, 0);
	return gang_step(g, i);
}
static const struct meaning fragment = {.run = fragment_run, .gang = fragment_gang, .plan = fragment_plan};

static const struct meaning *pick_fragment(const struct form *f)
{
	struct tensor_form form;

	return isa_tensor_form(f, &form) ? &fragment : NULL;
}

/* --- Rows ----------------------------------------------------------------------------------- */

#define SPACES "[.global|.shared|.shared::cta]"
#define WMMA_LOAD(PART, REGISTERS, WORDS, TYPES, PTX, SM)                                           \
	ROW("wmma.load." PART ".sync.aligned" WORDS SPACES TYPES, "=" REGISTERS " @ ?u32", PTX, SM, \
	    ISA_MEMORY | WITH(TRAIT_FRAGMENT), pick_fragment, "Loads a fragment of a matrix.")
#define WMMA_STORE(REGISTERS, WORDS, TYPES, PTX, SM)                                         \
	ROW("wmma.store.d.sync.aligned" WORDS SPACES TYPES, "@ " REGISTERS " ?u32", PTX, SM, \
	    ISA_MEMORY | ISA_STORE | WITH(TRAIT_FRAGMENT), pick_fragment, "Stores a fragment of a matrix.")
/* A and B have the same types and shapes; sub-byte elements one layout each. */
#define FACTORS(REGISTER, SHAPES, TYPES, PTX, SM)                             \
	WMMA_LOAD("a", "{A}" REGISTER, "(.row|.col)" SHAPES, TYPES, PTX, SM), \
		WMMA_LOAD("b", "{B}" REGISTER, "(.row|.col)" SHAPES, TYPES, PTX, SM)
#define NARROW_FACTORS(SHAPES, TYPES) \
	WMMA_LOAD("a", "{A}b32", ".row" SHAPES, TYPES, 63, 75), WMMA_LOAD("b", "{B}b32", ".col" SHAPES, TYPES, 63, 75)
#define ACCUMULATOR(REGISTER, SHAPES, TYPES, PTX, SM)                         \
	WMMA_LOAD("c", "{C}" REGISTER, "(.row|.col)" SHAPES, TYPES, PTX, SM), \
		WMMA_STORE("{D}" REGISTER, "(.row|.col)" SHAPES, TYPES, PTX, SM)
#define SHAPES_16 "(.m16n16k16|.m32n8k16|.m8n32k16)"

static const struct isa_row wmma_table[] = {
	FACTORS("f16x2", SHAPES_16, ".f16", 63, 70),
	FACTORS("bf16x2", SHAPES_16, ".bf16", 70, 80),
	FACTORS("s32", SHAPES_16, "(.s8|.u8)", 63, 72),
	FACTORS("tf32", ".m16n16k8", ".tf32", 70, 80),
	FACTORS("f64", ".m8n8k4", ".f64", 70, 80),
	NARROW_FACTORS(".m8n8k32", "(.s4|.u4)"),
	NARROW_FACTORS(".m8n8k128", ".b1"),
	ACCUMULATOR("f16x2", SHAPES_16, ".f16", 63, 70),
	ACCUMULATOR("f32", SHAPES_16, ".f32", 63, 70),
	ACCUMULATOR("f32", ".m16n16k8", ".f32", 70, 80),
	ACCUMULATOR("s32", SHAPES_16, ".s32", 63, 72),
	ACCUMULATOR("s32", "(.m8n8k32|.m8n8k128)", ".s32", 63, 75),
	ACCUMULATOR("f64", ".m8n8k4", ".f64", 70, 80),
};
FAMILY(family_wmma, "Matrix fragments", CLASS_MATRIX, wmma_table);
