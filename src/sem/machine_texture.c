/* SPDX-License-Identifier: Apache-2.0
 *
 * Machine code: textures and surfaces, by the rules of PTX (sem/texture_access.h, memory/texture.h).
 *
 * A handle has 32 bits here: the assembler passes on the lower half of what the program holds. Handles are addresses of
 * descriptors in global memory, so the upper half is that of the memory that the launch has.
 */
#include "number/half.h"
#include "number/ieee.h"
#include "sem/machine.h"
#include "sem/texture_access.h"

/* The descriptor whose handle, or whose variable, has these lower 32 bits. */
static u64 whole_handle(struct warp *w, u32 low)
{
	const u64 base = w->grid->map->global_base, end = w->grid->memory->next;
	struct texture t;

	for (u64 high = base >> 32; high <= end >> 32; high++)
		if (texture_descriptor(w, high << 32 | low, &t))
			return high << 32 | low;
	return low;
}

static bool bind(struct warp *w, const struct insn *i, u32 lane, u32 low, const struct bound **b)
{
	if (*b && (u32)(*b)->value == low)
		return true;
	const struct bound *kept = texture_slot(w, low, 0);
	const bool still = texture_still_bound(w, kept) && (u32)kept->value == low && !kept->sampler;
	*b = still ? kept : NULL;
	if (still)
		return true;
	return texture_bind(w, i, lane, whole_handle(w, low), 0, b);
}

static u32 word_at(const u8 *rows, u32 row, u32 lane)
{
	return row == NO_OPERAND ? 0 : ((const u32 *)(rows + row))[lane];
}

static f32 real_at(const u8 *rows, u32 row, u32 lane) { return f32_of_bits(word_at(rows, row, lane)); }

/* --- Lookups -------------------------------------------------------------------------------- */

static void fill_offset(const u8 *rows, const u32 *list, u32 lane, struct texture_query *q)
{
	const u32 width = list[MACHINE_TEXTURE_ASKED] & MACHINE_TEXTURE_GATHER ? 8 : 4, bits = width == 8 ? 6 : 4;
	u32 word = word_at(rows, list[MACHINE_TEXTURE_OFFSET], lane);

	if (list[MACHINE_TEXTURE_ASKED] & MACHINE_TEXTURE_HIGH_OFFSET)
		word >>= 16;
	for (u32 d = 0; d < 3; d++)
		q->offset[d] = (s32)(word >> width * d << (32 - bits)) >> (32 - bits);
}

/* A line is looked up as a plane with the second coordinate 0. */
static bool is_line(const struct texture *t, const struct texture_query *q)
{
	return q->dimensions == 2 && !q->cube && !t->height && !t->layers && q->at[1] == 0;
}

static void fill_query(const u8 *rows, const u32 *list, u32 lane, const struct texture *t, struct texture_query *q)
{
	const u32 asked = list[MACHINE_TEXTURE_ASKED];
	f32 step[2][3] = {{0}, {0}};

	memset(q, 0, sizeof *q);
	q->dimensions = asked & MACHINE_TEXTURE_DIMENSIONS;
	q->cube = asked & MACHINE_TEXTURE_CUBE;
	q->integers = asked & MACHINE_TEXTURE_INTEGERS;
	q->bounded = asked & MACHINE_TEXTURE_BOUNDED;
	q->layer = word_at(rows, list[MACHINE_TEXTURE_LAYER], lane) &
		   (asked & MACHINE_TEXTURE_HIGH_OFFSET ? 0xffff : FULL_MASK);
	q->sample = word_at(rows, list[MACHINE_TEXTURE_SAMPLE], lane);
	for (u32 d = 0; d < q->dimensions; d++) {
		q->texel[d] = (s32)word_at(rows, list[MACHINE_TEXTURE_AT + d], lane);
		q->at[d] = real_at(rows, list[MACHINE_TEXTURE_AT + d], lane);
	}
	if (list[MACHINE_TEXTURE_OFFSET] != NO_OPERAND)
		fill_offset(rows, list, lane, q);
	if (!q->integers && is_line(t, q))
		q->dimensions = 1;
	if (q->integers)
		q->whole_level = (s32)word_at(rows, list[MACHINE_TEXTURE_LEVEL], lane);
	else
		q->level = real_at(rows, list[MACHINE_TEXTURE_LEVEL], lane);
	if (list[MACHINE_TEXTURE_STEP] == NO_OPERAND)
		return;
	for (u32 k = 0; k < 2 * q->dimensions; k++)
		step[k & 1][k >> 1] = real_at(rows, list[MACHINE_TEXTURE_STEP + k], lane);
	q->level = texture_gradient_level(t, q, step[0], step[1]);
}

static void give(u8 *rows, const u32 *list, u32 lane, const u32 value[4])
{
	const bool halves = list[MACHINE_TEXTURE_ASKED] & MACHINE_TEXTURE_HALVES;

	for (u32 k = 0, at = 0; k < 4; k++) {
		if (list[MACHINE_TEXTURE_TO + k] == NO_OPERAND)
			continue;
		u32 *const d = (u32 *)(rows + list[MACHINE_TEXTURE_TO + k]) + lane;
		if (!halves)
			*d = value[k];
		else
			*d = at++ & 1 ? (*d & 0xffff) | (u32)f16_from_f32_rn(value[k]) << 16
				      : f16_from_f32_rn(value[k]);
	}
}

MEANING_FUNCTION(texture)
{
	const u32 *list = warp_operands(w, i);
	const u32 asked = list[MACHINE_TEXTURE_ASKED];
	const struct bound *b = NULL;

	fp_enter(w, FP_RN);
	for (u32 left = mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		struct texture_query q;
		u32 value[4];
		if (!bind(w, i, l, word_at(rows, list[MACHINE_TEXTURE_HANDLE], l), &b))
			return NULL;
		if (asked & MACHINE_TEXTURE_CUBE && (b->t.layers < 6 || b->t.width != b->t.height))
			return texture_is_no_cube(w, i, l, &b->t);
		fill_query(rows, list, l, &b->t, &q);
		if (asked & MACHINE_TEXTURE_GATHER)
			texture_gather(&b->t, b->host, &q, asked >> MACHINE_TEXTURE_CHANNEL_SHIFT & 3, value);
		else
			texture_lookup(&b->t, b->host, &q, value);
		give(rows, list, l, value);
	}
	pred_write(rows, list[MACHINE_TEXTURE_ABSENT], mask, 0);
	return i + 1;
}
MEANING(texture);

/* List: the handle, the level, rows of width, height and depth, or NO_OPERAND. A texture of one dimension has a row, a surface
 * has none, and a handle does not say which of both it is. */
MEANING_FUNCTION(texture_size)
{
	const u32 *list = warp_operands(w, i);
	const struct bound *b = NULL;

	for (u32 left = mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		struct texture level;
		u64 from;
		if (!bind(w, i, l, word_at(rows, list[0], l), &b))
			return NULL;
		const bool exists = texture_level(&b->t, (s32)word_at(rows, list[1], l), &level, &from);
		for (u32 d = 0; d < 3; d++) {
			if (list[2 + d] == NO_OPERAND)
				continue;
			if (d == 1 && !b->t.height && !b->t.layers)
				return warp_fault(
					w, i, FAULT_UNMODELLED, 1u << l,
					"not modelled: TXQ of the height of a line: of a texture it is 1, of a "
					"surface 0");
			((u32 *)(rows + list[2 + d]))[l] = exists ? texture_extent(&level, d, false) : 0;
		}
	}
	return i + 1;
}
MEANING(texture_size);

/* --- Surfaces ------------------------------------------------------------------------------- */

static u8 *place_of(const u8 *rows, const u32 *list, u32 lane, const struct bound *b, u32 size)
{
	const u32 asked = list[MACHINE_SURFACE_ASKED];
	struct surface_place at = {.dimensions = asked & MACHINE_SURFACE_DIMENSIONS,
				   .layered = asked & MACHINE_SURFACE_LAYERED,
				   .in_texels = asked & MACHINE_SURFACE_TEXELS,
				   .clamps = asked & MACHINE_SURFACE_CLAMP};

	for (u32 d = 0; d < at.dimensions; d++)
		at.at[d] = (s32)word_at(rows, list[MACHINE_SURFACE_AT + d], lane);
	if (at.layered)
		at.layer = word_at(rows, list[MACHINE_SURFACE_AT + at.dimensions], lane);
	return surface_at(b, &at, size);
}

MEANING_FUNCTION(suld)
{
	const u32 *list = warp_operands(w, i);
	const u32 asked = list[MACHINE_SURFACE_ASKED], bytes = list[MACHINE_SURFACE_BYTES];
	const struct bound *b = NULL;

	for (u32 left = mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left), spare = bytes < 4 ? 32 - 8 * bytes : 0;
		u32 value[4] = {0, 0, 0, 0};
		if (!bind(w, i, l, word_at(rows, list[MACHINE_SURFACE_HANDLE], l), &b))
			return NULL;
		const u8 *from = place_of(rows, list, l, b, bytes);
		if (!from && asked & MACHINE_SURFACE_TRAP)
			return surface_outside(w, i, b, l, bytes, false);
		if (from)
			memcpy(value, from, bytes);
		if (asked & MACHINE_SURFACE_SIGNED)
			value[0] = (u32)((s32)(value[0] << spare) >> spare);
		for (u32 k = 0; 4 * k < bytes; k++)
			((u32 *)(rows + list[MACHINE_SURFACE_DATA + k]))[l] = value[k];
	}
	return i + 1;
}
MEANING(suld);

MEANING_FUNCTION(sust)
{
	const u32 *list = warp_operands(w, i);
	const u32 asked = list[MACHINE_SURFACE_ASKED], bytes = list[MACHINE_SURFACE_BYTES];
	const struct bound *b = NULL;

	for (u32 left = mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		u32 value[4];
		if (!bind(w, i, l, word_at(rows, list[MACHINE_SURFACE_HANDLE], l), &b))
			return NULL;
		const u32 size = bytes ? bytes : texture_texel_bytes(&b->t);
		u8 *to = place_of(rows, list, l, b, size);
		if (!to && asked & MACHINE_SURFACE_TRAP)
			return surface_outside(w, i, b, l, size, true);
		for (u32 k = 0; k < 4; k++)
			value[k] = word_at(rows, list[MACHINE_SURFACE_DATA + k], l);
		if (to && bytes)
			memcpy(to, value, bytes);
		else if (to)
			texture_store(&b->t, to, value);
	}
	return i + 1;
}
MEANING(sust);

/* c: the operation, a token. */
MEANING_FUNCTION(sured)
{
	const u32 *list = warp_operands(w, i);
	const u32 asked = list[MACHINE_SURFACE_ASKED], bytes = list[MACHINE_SURFACE_BYTES];
	const bool racing = grid_shares_memory(w->grid);
	const struct bound *b = NULL;

	for (u32 left = mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left), low = word_at(rows, list[MACHINE_SURFACE_DATA], l);
		if (!bind(w, i, l, word_at(rows, list[MACHINE_SURFACE_HANDLE], l), &b))
			return NULL;
		const bool is_signed = asked & MACHINE_SURFACE_FORMAT ? b->t.kind == TEXEL_SIGNED
								      : (asked & MACHINE_SURFACE_SIGNED) != 0;
		u8 *at = place_of(rows, list, l, b, bytes);
		if (!at && asked & MACHINE_SURFACE_TRAP)
			return surface_outside(w, i, b, l, bytes, true);
		if (at && bytes == 8)
			surface_reduce64((u64 *)(void *)at, (int)i->c, is_signed,
					 low | (u64)word_at(rows, list[MACHINE_SURFACE_DATA + 1], l) << 32, racing);
		else if (at)
			surface_reduce32((u32 *)(void *)at, (int)i->c, is_signed, low, racing);
	}
	return i + 1;
}
MEANING(sured);

const struct machine_entry SEM_NAME(machine_texture)[] = {ENTRY(texture), ENTRY(texture_size), ENTRY(suld),
							  ENTRY(sust),    ENTRY(sured),        {MACHINE_COUNT, NULL}};
