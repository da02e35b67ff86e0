/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrices of undefined elements.
 *
 *                    B  . . u .          an undefined element of A spoils its row of D, one of B its column,
 *      A  . . . .    D  . . u .          one of C itself
 *         . u . .       u u u u
 */
#include "observe/defined_matrix.h"

#include <string.h>

#include "isa/form.h"
#include "isa/matrix.h"

struct product {
	const struct defined_insn *d;
	const struct frame *f;
	struct tensor_form form;
	u32 next;   /* operand */
	u32 origin; /* of the first undefined bits */
	bool any;
	bool row[TENSOR_MAX_M], column[TENSOR_MAX_N], cell[TENSOR_MAX_M][TENSOR_MAX_N];
};

bool defined_is_product(const struct form *f)
{
	struct tensor_form t;

	return f->row->traits & TRAIT_MULTIPLIES && isa_tensor_form(f, &t) && t.family != TENSOR_WGMMA &&
	       t.arith != TENSOR_FMA_F32;
}

/* The operand's next register of that kind. */
static const struct defined_operand *next_of(struct product *p, u32 role)
{
	while (p->next < p->d->count) {
		const struct defined_operand *o = &p->d->operands[p->next++];
		if (o->role == role)
			return o;
	}
	return NULL;
}

static u64 element_mask(const struct product *p, enum tensor_role role, const struct defined_operand *o)
{
	const u32 bits = o->bits / tensor_fragment_elements(&p->form, role);

	return bits >= 64 ? UINT64_MAX : (1ull << bits) - 1;
}

static void spoil(struct product *p, enum tensor_role role, struct tensor_place at)
{
	if (role == TENSOR_ROLE_A)
		p->row[at.row % TENSOR_MAX_M] = true;
	else if (role == TENSOR_ROLE_B)
		p->column[at.column % TENSOR_MAX_N] = true;
	else
		p->cell[at.row % TENSOR_MAX_M][at.column % TENSOR_MAX_N] = true;
}

/* What a lane's register makes of the result. */
static void take_lane(struct product *p, enum tensor_role role, u32 reg, u32 lane, const struct defined_operand *o)
{
	const u32 elements = tensor_fragment_elements(&p->form, role), bits = o->bits / elements;
	const u64 undefined = defined_get(p->f, o, lane), mask = element_mask(p, role, o);

	if (!p->any)
		p->origin = *defined_origin(p->f, o->row);
	p->any = true;
	for (u32 e = 0; e < elements; e++)
		if (undefined >> e * bits & mask)
			spoil(p, role, tensor_fragment_place(&p->form, role, reg, lane, e));
}

/* False: the form has more registers than the instruction. */
static bool take(struct product *p, enum tensor_role role)
{
	const u32 count = tensor_fragment_registers(&p->form, role);

	for (u32 k = 0; k < count; k++) {
		const struct defined_operand *o = next_of(p, DEFINED_SOURCE);
		if (!o)
			return false;
		for (u32 left = defined_lanes(p->f, o, FULL_MASK); left; left &= left - 1)
			take_lane(p, role, k, (u32)__builtin_ctz(left), o);
	}
	return true;
}

static u64 result_of(const struct product *p, u32 reg, u32 lane, const struct defined_operand *o)
{
	const u32 elements = tensor_fragment_elements(&p->form, TENSOR_ROLE_D), bits = o->bits / elements;
	const u64 mask = element_mask(p, TENSOR_ROLE_D, o);
	u64 undefined = 0;

	for (u32 e = 0; e < elements; e++) {
		const struct tensor_place at = tensor_fragment_place(&p->form, TENSOR_ROLE_D, reg, lane, e);
		if (p->row[at.row % TENSOR_MAX_M] || p->column[at.column % TENSOR_MAX_N] ||
		    p->cell[at.row % TENSOR_MAX_M][at.column % TENSOR_MAX_N])
			undefined |= mask << e * bits;
	}
	return undefined;
}

/* C may be in the registers of D: all is read before anything is written. */
bool defined_product(const struct defined_insn *d, const struct frame *f, const struct form *form, u32 site)
{
	struct product p = {.d = d, .f = f, .origin = site};
	const struct defined_operand *o;

	if (!isa_tensor_form(form, &p.form) || !take(&p, TENSOR_ROLE_A) || !take(&p, TENSOR_ROLE_B) ||
	    !take(&p, TENSOR_ROLE_C))
		return false;
	while ((o = next_of(&p, DEFINED_SOURCE)) != NULL)
		if (defined_lanes(f, o, FULL_MASK))
			return false;
	if (p.origin == NO_SITE)
		p.origin = site;
	p.next = 0;
	for (u32 k = 0; (o = next_of(&p, DEFINED_RESULT_OF)) != NULL; k++)
		for (u32 l = 0; l < WARP_LANES; l++)
			defined_put(f, o, l, result_of(&p, k, l, o), p.origin | DEFINED_COMPUTED);
	return true;
}

void defined_load_matrices(const struct frame *f, const struct defined_operand *const *registers, u32 count,
			   u8 rows[WARP_LANES][DEFINED_ROW_BYTES], bool transposed, u32 origin)
{
	enum { ROWS = 8 };

	for (u32 k = 0; k < min_u32(count, WARP_LANES / ROWS); k++) {
		const u8 *matrix[ROWS];
		u32 lanes[WARP_LANES];
		for (u32 r = 0; r < ROWS; r++)
			matrix[r] = rows[ROWS * k + r];
		tensor_matrix_to_lanes(matrix, transposed, lanes);
		for (u32 l = 0; l < WARP_LANES; l++)
			defined_put(f, registers[k], l, lanes[l], origin);
	}
}
