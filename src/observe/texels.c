/* SPDX-License-Identifier: Apache-2.0
 *
 * Texels by the same operands, addresses and filters as the instructions' meanings.
 */
#include "observe/texels.h"

#include "isa/form.h"
#include "sem/texture_operands.h"

enum texel_use texels_use(const struct form *f)
{
	struct operand_spec specs[FORM_OPERANDS];
	const u32 count = isa_operand_specs(f, specs);

	for (u32 k = 0; k < count; k++) {
		/* Queries have one result of a texture, and of a surface do not touch memory. */
		if (specs[k].kind == 'X')
			return form_vector(f) > 1 ? TEXEL_LOOKUP : TEXEL_NONE;
		if (specs[k].kind != 'S')
			continue;
		if (!(f->row->flags & ISA_RELAXED))
			return TEXEL_NONE;
		return k ? TEXEL_LOAD : f->row->flags & ISA_ORDERED ? TEXEL_REDUCE : TEXEL_STORE;
	}
	return TEXEL_NONE;
}

/* Textures and samplers of a lane, without the faults that the instruction itself raises. */
static bool bind(struct warp *w, u64 value, u64 sampler, struct bound *b)
{
	if (!texture_describe(w, value, sampler, &b->t))
		return false;
	b->host = texture_texels(w, &b->t);
	return b->host != NULL;
}

struct seen {
	struct texel_range *to;
	const struct bound *b;
	u32 count;
};

static void see(void *context, const u8 *texel)
{
	struct seen *s = context;

	if (s->count < TEXEL_RANGES)
		s->to[s->count++] =
			(struct texel_range){s->b->t.data + (u64)(texel - s->b->host), texture_texel_bytes(&s->b->t)};
}

static enum texture_lookup_kind kind_of(const struct form *f)
{
	if (form_has(f, M_level))
		return LOOK_LEVEL;
	if (form_has(f, M_grad))
		return LOOK_GRADIENT;
	return form_pick(f, M_r, M_a) != TOKEN_NONE ? LOOK_GATHER : LOOK_BASE;
}

static u32 looked_up(struct warp *w, const struct insn *i, const u8 *rows, u32 lane, struct texel_range *to)
{
	const struct form *f = warp_form(w, i);
	const enum texture_lookup_kind how = kind_of(f);
	struct texture_places p;
	struct texture_query q;
	struct bound b;
	struct seen seen = {.to = to, .b = &b};
	u32 value[4];

	texture_find_places(w, i, form_vector(f), form_vector(f) + 1, &p);
	if (!bind(w, texture_handle(&p, rows, p.texture, lane), texture_handle(&p, rows, p.texture + 1, lane), &b) ||
	    (p.cube && (b.t.layers < 6 || b.t.width != b.t.height)))
		return 0;
	fp_enter(w, FP_RN);
	/* What stands behind the coordinates are offsets or a depth. */
	texture_fill_query(&p, rows, lane, how, strstr(f->row->operands, "s32") != NULL, &q);
	texture_fill_level(&p, rows, lane, how, &b.t, &q);
	q.visit = see;
	q.context = &seen;
	if (how == LOOK_GATHER)
		texture_gather(&b.t, b.host, &q, 0, value);
	else
		texture_lookup(&b.t, b.host, &q, value);
	return seen.count;
}

static u32 of_surface(struct warp *w, const struct insn *i, const u8 *rows, u32 lane, enum texel_use use,
		      struct texel_range *to)
{
	const struct form *f = warp_form(w, i);
	const u32 count = use == TEXEL_REDUCE ? 1 : form_vector(f), results = use == TEXEL_LOAD ? count : 0;
	const bool formatted = form_has(f, M_p);
	struct texture_places p;
	struct bound b;

	texture_find_places(w, i, results, results, &p);
	if (!bind(w, texture_handle(&p, rows, p.texture, lane), 0, &b))
		return 0;
	to->bytes =
		formatted && use == TEXEL_STORE ? texture_texel_bytes(&b.t) : count * type_bits(form_type(f, 0)) / 8;
	const u8 *at = texture_surface_bytes(&b, &p, rows, lane, to->bytes, formatted);
	if (!at)
		return 0;
	to->address = b.t.data + (u64)(at - b.host);
	return 1;
}

void texels_stored(struct warp *w, const struct insn *i, const u8 *rows, u32 lane, u8 to[TEXEL_BYTES])
{
	const struct form *f = warp_form(w, i);
	const u32 count = form_vector(f), bytes = type_bits(form_type(f, 0)) / 8;
	const bool formatted = form_has(f, M_p);
	u32 channels[4] = {0, 0, 0, 0};
	struct texture_places p;
	struct bound b;

	memset(to, 0, TEXEL_BYTES);
	texture_find_places(w, i, 0, 0, &p);
	for (u32 k = 0; k < count && (k + 1) * bytes <= TEXEL_BYTES; k++) {
		const u64 value = texture_operand(&p, rows, p.first + p.coordinates + k, lane);
		if (formatted)
			channels[k] = (u32)value;
		else
			memcpy(to + k * bytes, &value, min_u32(bytes, sizeof value));
	}
	if (formatted && bind(w, texture_handle(&p, rows, p.texture, lane), 0, &b))
		texture_store(&b.t, to, channels);
}

u32 texels_of(struct warp *w, const struct insn *i, const u8 *rows, u32 lane, struct texel_range to[TEXEL_RANGES])
{
	const enum texel_use use = texels_use(warp_form(w, i));

	return use == TEXEL_NONE     ? 0
	       : use == TEXEL_LOOKUP ? looked_up(w, i, rows, lane, to)
				     : of_surface(w, i, rows, lane, use, to);
}
