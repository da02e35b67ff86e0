/* SPDX-License-Identifier: Apache-2.0 */
#include "observe/defined_rows.h"

#include <string.h>

/* Of the next name, behind the rest of a frame's shadow. */
enum { NAMES_COUNTER = 64 };

/* Predicates are told apart by nothing, and wide values are not computed with. */
static bool has_names(const struct defined_operand *o) { return o->row != NO_OPERAND && o->bits > 1 && o->bits <= 64; }

static u32 *counter(const struct frame *f)
{
	return (u32 *)(void *)(f->undefined + 3 * (size_t)f->code->frame_bytes + NAMES_COUNTER);
}

static u32 *name_of(const struct frame *f, const struct defined_operand *o, u32 lane)
{
	return (u32 *)(void *)(f->undefined + 2 * (size_t)f->code->frame_bytes + o->row) + lane;
}

u32 *defined_origin(const struct frame *f, u32 row)
{
	return (u32 *)(void *)(f->undefined + f->code->frame_bytes + row / sizeof(u32) * sizeof(u32));
}

/* At the start of a call: all defined, but registers that the text reads before it writes them. */
void defined_enter(struct frame *f)
{
	const struct code *code = f->code;

	if (!f->undefined)
		return;
	memset(f->undefined, 0, code->frame_bytes);
	for (u32 k = 0; k < code->undefined_count; k++) {
		const struct row_place *p = &code->undefined[k];
		const size_t bytes = p->bits == 1 ? sizeof(u32) : WARP_LANES * (size_t)max_u32(32, p->bits) / 8;
		memset(f->undefined + p->offset, 0xff, bytes);
		*defined_origin(f, p->offset) = NO_SITE;
		const struct defined_operand o = {p->offset, p->bits, DEFINED_SOURCE};
		for (u32 l = 0; has_names(&o) && l < WARP_LANES; l++)
			*name_of(f, &o, l) = ++*counter(f);
	}
}

/* Made at first need: most warps never hold an undefined value. */
u8 *defined_rows(struct arena *arena, struct frame *f)
{
	if (!f->undefined) {
		f->undefined = ARENA_ARRAY(arena, 3 * (size_t)f->code->frame_bytes + NAMES_COUNTER + sizeof(u32), u8);
		defined_enter(f);
	}
	return f->undefined;
}

static u64 full(u32 bits) { return bits >= 64 ? UINT64_MAX : (1ull << bits) - 1; }

u32 defined_name(const struct frame *f, const struct defined_operand *o, u32 lane)
{
	return has_names(o) ? *name_of(f, o, lane) : 0;
}

void defined_rename(const struct frame *f, const struct defined_operand *o, u32 lane, u32 name)
{
	if (has_names(o) && name)
		*name_of(f, o, lane) = name;
}

/* The undefined bits of an operand in a lane; of 128 bits those of both halves together. */
u64 defined_get(const struct frame *f, const struct defined_operand *o, u32 lane)
{
	const u8 *row = f->undefined + o->row;

	if (o->row == NO_OPERAND)
		return 0;
	if (o->bits == 1)
		return *(const u32 *)(const void *)row >> lane & 1;
	if (o->bits <= 32)
		return ((const u32 *)(const void *)row)[lane] & full(o->bits);
	if (o->bits <= 64)
		return ((const u64 *)(const void *)row)[lane];
	return ((const u64 *)(const void *)row)[2 * lane] | ((const u64 *)(const void *)row)[2 * lane + 1];
}

void defined_put(const struct frame *f, const struct defined_operand *o, u32 lane, u64 mask, u32 origin)
{
	u8 *row = f->undefined + o->row;

	if (o->row == NO_OPERAND)
		return;
	if (o->bits == 1) {
		u32 *p = (u32 *)(void *)row;
		*p = (*p & ~(1u << lane)) | (mask ? 1u << lane : 0);
	} else if (o->bits <= 32) {
		((u32 *)(void *)row)[lane] = (u32)(mask & full(o->bits));
	} else if (o->bits <= 64) {
		((u64 *)(void *)row)[lane] = mask;
	} else {
		((u64 *)(void *)row)[2 * lane] = ((u64 *)(void *)row)[2 * lane + 1] = mask ? UINT64_MAX : 0;
	}
	if (!mask)
		return;
	*defined_origin(f, o->row) = origin;
	if (has_names(o))
		*name_of(f, o, lane) = ++*counter(f);
}

/* The usual answer, found by words instead of lanes. */
bool defined_is_clean(const struct frame *f, const struct defined_operand *o)
{
	const u64 *row = (const u64 *)(const void *)(f->undefined + o->row);
	const u32 words = o->bits <= 32 ? 16 : o->bits <= 64 ? 32 : 64;
	u64 any = 0;

	if (o->row == NO_OPERAND)
		return true;
	if (o->bits == 1)
		return !*(const u32 *)(const void *)row;
	for (u32 k = 0; k < words; k++)
		any |= row[k];
	return !any;
}

u32 defined_lanes(const struct frame *f, const struct defined_operand *o, u32 mask)
{
	u32 lanes = 0;

	if (defined_is_clean(f, o))
		return 0;
	for (u32 left = mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		lanes |= defined_get(f, o, l) ? 1u << l : 0;
	}
	return lanes;
}

void defined_clear(const struct frame *f, const struct defined_operand *o, u32 lanes)
{
	for (u32 left = lanes; left; left &= left - 1)
		defined_put(f, o, (u32)__builtin_ctz(left), 0, NO_SITE);
}
