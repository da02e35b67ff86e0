/* SPDX-License-Identifier: Apache-2.0
 *
 * A row of addresses at known distances tells where each lane goes. Of others it is worth knowing whether a load says where: what
 * follows a loaded number goes anywhere, and else a lane mostly goes on where it was, as along a list of its own, which the host's own
 * prefetching does not see among the others'.
 */
#include "native/proven.h"

#include "decode/form_address.h"
#include "decode/operands.h"
#include "isa/form.h"
#include "native/window.h"

enum { WALK_MOST = 64, WALK_ROWS = 16 };

static bool writes(const struct step *s, u32 row)
{
	for (u32 o = 0; o < s->operand_count; o++)
		if (s->operands[o].written && s->operands[o].row == row)
			return true;
	return false;
}

/* Whether `row` is computed, in the block of instruction k and before it, without what the block loads. */
static bool goes_along(const struct code_flow *f, u32 k, u32 row)
{
	const u32 block_first = f->blocks[f->block_of[k]].first;
	const u32 first = max_u32(block_first, k > WALK_MOST ? k - WALK_MOST : 0);
	u32 rows[WALK_ROWS] = {row}, count = 1;

	while (k-- > first) {
		const struct step *s = &f->steps[k];
		bool needed = false;
		for (u32 n = 0; n < count; n++)
			needed |= writes(s, rows[n]);
		if (!needed)
			continue;
		if (!s->form || s->form->row->flags & ISA_MEMORY || count + s->operand_count > WALK_ROWS)
			return false;
		for (u32 o = 0; o < s->operand_count; o++)
			if (s->operands[o].read)
				rows[count++] = s->operands[o].row;
	}
	return true;
}

/* Upwards, or downwards what has a way in line: words of shared memory that are not far apart, and what is loaded of a row of global memory. */
static bool has_way(const struct step *s, const struct flow_row *address, s64 step, u32 bytes)
{
	const enum ir_space space = form_space(s->form);

	if (address->distances || step % bytes || step > PROVEN_STEP_MOST || step < -PROVEN_DOWN_MOST)
		return false;
	if (step > 0)
		return true;
	if (form_vector(s->form) > 1)
		return false;
	if (address->bits == 32)
		return space == SPACE_SHARED && proven_has_margin((u32)(PROVEN_STEP + step));
	return space == SPACE_GLOBAL && step == -(s64)bytes && s->form->row->traits & TRAIT_LOADS;
}

static u16 by_distance(const struct step *s, const struct flow_row *address)
{
	const u32 bytes = type_bits(form_type(s->form, 0)) / 8 * form_vector(s->form);
	const s64 step = address->bits == 32 ? (s32)(u32)address->step : (s64)address->step;

	if (step == 0)
		return PROVEN_SAME;
	if (step == bytes && !address->distances)
		return PROVEN_ROW;
	if (window_fits(s, address))
		return PROVEN_WINDOW;
	return has_way(s, address, step, bytes) ? (u16)(PROVEN_STEP + step) : PROVEN_NOTHING;
}

u16 proven_find(const struct code_flow *f, u32 k, bool affine)
{
	const struct step *s = &f->steps[k];

	const struct flow_row *address = address_of(f, s);

	if (address && affine && address->affine)
		return by_distance(s, address);
	return address && goes_along(f, k, (u32)(address - f->rows)) ? PROVEN_ALONG : PROVEN_NOTHING;
}
