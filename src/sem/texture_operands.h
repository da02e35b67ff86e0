/* SPDX-License-Identifier: Apache-2.0
 *
 * What PTX's texture and surface instructions ask for, from their operands: for their meanings, and for observers that want to
 * know which texels an instruction takes.
 */
#ifndef PTXSIM_SEM_TEXTURE_OPERANDS_H
#define PTXSIM_SEM_TEXTURE_OPERANDS_H

#include "isa/form.h"
#include "number/ieee.h"
#include "sem/texture_access.h"

struct texture_places {
	const struct form *f;
	const u32 *list;
	u32 results; /* how many */
	u32 texture; /* index in the list of the texture operand; the sampler follows */
	u32 first;   /* of the coordinates */
	u32 coordinates, dimensions;
	u32 layer; /* operand, or NO_PLACE */
	bool samples, cube;
};
enum { NO_PLACE = ~0u };

static inline void texture_find_places(const struct warp *w, const struct insn *i, u32 results, u32 before,
				       struct texture_places *p)
{
	const struct form *f = warp_form(w, i);

	p->f = f;
	p->list = warp_operands(w, i);
	p->results = results;
	p->texture = before;
	p->first = before + 2;
	p->cube = form_has(f, M_cube) || form_has(f, M_acube);
	p->samples = form_has(f, M_dim2ms) || form_has(f, M_a2dms);
	const bool layered = form_has(f, M_a1d) || form_has(f, M_a2d) || form_has(f, M_acube) || form_has(f, M_a2dms);
	p->dimensions = form_has(f, M_dim1) || form_has(f, M_a1d) ? 1 : form_has(f, M_dim3) || p->cube ? 3 : 2;
	p->coordinates = form_has(f, M_dim1) ? 1 : form_has(f, M_dim2) || form_has(f, M_a1d) ? 2 : 4;
	p->layer = layered ? p->first + p->samples : NO_PLACE;
}

/* Of the first coordinate: sample and layer stand before. */
static inline u32 texture_first_coordinate(const struct texture_places *p)
{
	return p->first + p->samples + (p->layer != NO_PLACE);
}

static inline u64 texture_operand(const struct texture_places *p, const u8 *rows, u32 index, u32 lane)
{
	const u32 row = p->list[index];

	if (row == NO_OPERAND)
		return 0;
	return p->f->operand_bits[index] == 64 ? ((const u64 *)(rows + row))[lane] : ((const u32 *)(rows + row))[lane];
}

/* The value of a texture or surface operand: a variable's address fills 64-bit lanes. */
static inline u64 texture_handle(const struct texture_places *p, const u8 *rows, u32 index, u32 lane)
{
	return p->list[index] == NO_OPERAND ? 0 : ((const u64 *)(rows + p->list[index]))[lane];
}

/* Between the coordinates and the offsets stand a level, or gradients along x and y. */
enum texture_lookup_kind { LOOK_BASE, LOOK_LEVEL, LOOK_GRADIENT, LOOK_GATHER };

static inline u32 texture_gradient_length(const struct texture_places *p)
{
	return p->dimensions == 3 ? 4 : p->dimensions;
}

static inline f32 texture_operand_f32(const struct texture_places *p, const u8 *rows, u32 index, u32 lane)
{
	return f32_of_bits((u32)texture_operand(p, rows, index, lane));
}

static inline void texture_fill_level(const struct texture_places *p, const u8 *rows, u32 lane,
				      enum texture_lookup_kind how, const struct texture *t, struct texture_query *q)
{
	const u32 at = p->first + p->coordinates;
	f32 step[2][3] = {{0}, {0}};

	if (how == LOOK_LEVEL && q->integers) {
		q->whole_level = (s32)texture_operand(p, rows, at, lane);
		q->bounded = true;
	} else if (how == LOOK_LEVEL) {
		q->level = texture_operand_f32(p, rows, at, lane);
	} else if (how == LOOK_GRADIENT) {
		for (u32 k = 0; k < 2 * p->dimensions; k++)
			step[k / p->dimensions][k % p->dimensions] = texture_operand_f32(
				p, rows, at + k / p->dimensions * texture_gradient_length(p) + k % p->dimensions, lane);
		q->level = texture_gradient_level(t, q, step[0], step[1]);
	}
}

/* Offsets of lookups have four bits, those of gathers six, and one's for a line goes on into the next: recorded. */
static inline void texture_fill_offsets(const struct texture_places *p, const u8 *rows, u32 first, u32 lane,
					enum texture_lookup_kind how, s32 offset[3])
{
	const u32 spare = how == LOOK_GATHER ? 26 : 28;

	for (u32 d = 0; d < p->dimensions && first + d < p->f->operand_count; d++) {
		const u32 word = (u32)texture_operand(p, rows, first + d, lane);
		offset[d] = (s32)(word << spare) >> spare;
		if (p->dimensions == 1)
			offset[1] = (s32)(word << 24) >> 28;
	}
}

/* The index of the first offset: behind the coordinates, and a level or steps. */
static inline u32 texture_offsets_place(const struct texture_places *p, enum texture_lookup_kind how)
{
	return p->first + p->coordinates +
	       (how == LOOK_LEVEL      ? 1
		: how == LOOK_GRADIENT ? 2 * texture_gradient_length(p)
				       : 0);
}

static inline void texture_fill_query(const struct texture_places *p, const u8 *rows, u32 lane,
				      enum texture_lookup_kind how, bool has_offset, struct texture_query *q)
{
	const u32 first = texture_first_coordinate(p), offsets = texture_offsets_place(p, how);

	memset(q, 0, sizeof *q);
	q->dimensions = p->dimensions;
	q->cube = p->cube;
	q->sample = p->samples ? (u32)texture_operand(p, rows, p->first, lane) : 0;
	q->layer = p->layer != NO_PLACE ? (u32)texture_operand(p, rows, p->layer, lane) : 0;
	/* With gradients the bits of whole coordinates are taken for those of floats, but on a line: recorded. */
	q->integers =
		form_type(p->f, 1) == T_s32 && (how != LOOK_GRADIENT || (p->dimensions == 1 && p->layer == NO_PLACE));
	for (u32 d = 0; d < p->dimensions; d++) {
		const u32 word = (u32)texture_operand(p, rows, first + d, lane);
		q->texel[d] = (s32)word;
		q->at[d] = f32_of_bits(word);
	}
	if (has_offset)
		texture_fill_offsets(p, rows, offsets, lane, how, q->offset);
}

/* The bytes that an access takes, at byte x of its row; NULL outside. */
static inline u8 *texture_surface_bytes(const struct bound *b, const struct texture_places *p, const u8 *rows, u32 lane,
					u32 size, bool in_texels)
{
	const u32 first = texture_first_coordinate(p);
	struct surface_place at = {.dimensions = p->dimensions,
				   .layered = p->layer != NO_PLACE,
				   .in_texels = in_texels,
				   .clamps = form_has(p->f, M_clamp)};

	for (u32 d = 0; d < p->dimensions; d++)
		at.at[d] = (s32)texture_operand(p, rows, first + d, lane);
	if (at.layered)
		at.layer = (u32)texture_operand(p, rows, p->layer, lane);
	return surface_at(b, &at, size);
}

#endif
