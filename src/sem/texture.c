/* SPDX-License-Identifier: Apache-2.0
 *
 * Textures and surfaces (PTX ISA 9.7.10 and 9.7.11): tex, tld4, txq, suld, sust, sured, suq, istypep.
 *
 * Operand lists: results, the residence predicate, then texture, sampler, coordinates, and the rest.
 * In unified mode the texture's descriptor has the sampler's settings; a separate sampler is a
 * descriptor, too, of which only these count. A value to compare depths with is taken and ignored, as recorded of
 * textures without depth, which all that can be made here are. How lookups follow recordings: see memory/texture.h.
 */
#include "isa/form.h"
#include "memory/texture_lanes.h"
#include "number/half.h"
#include "number/ieee.h"
#include "sem/lanes.h"
#include "sem/pick.h"
#include "sem/texture_operands.h"

static void give(const struct texture_places *p, u8 *rows, u32 lane, const u32 value[4])
{
	const int type = form_type(p->f, 0);

	for (u32 k = 0; k < p->results; k++) {
		u32 *d = (u32 *)(rows + p->list[k]) + lane;
		if (type == T_f16x2)
			*d = f16_from_f32_rn(value[2 * k]) | (u32)f16_from_f32_rn(value[2 * k + 1]) << 16;
		else
			*d = type == T_f16 ? f16_from_f32_rn(value[k]) : value[k];
	}
}

/* --- tex, tld4 ------------------------------------------------------------------------------ */

/* Does the instruction look for floats' texels in one plane or volume, which all lanes can do at once? A level of a texture that has
 * one changes nothing. */
static bool is_plane(const struct texture_places *p, enum texture_lookup_kind how, bool has_offset)
{
	const u32 offsets = texture_offsets_place(p, how), results = (u32)form_type(p->f, 0);

	return how != LOOK_GATHER && p->dimensions <= PLANE_DIMENSIONS && p->layer == NO_PLACE && !p->samples &&
	       form_type(p->f, 1) == T_f32 && results != T_f16 && results != T_f16x2 &&
	       !(has_offset && offsets < p->f->operand_count && p->list[offsets] != NO_OPERAND);
}

/* The same handle in all lanes. */
static bool is_one_handle(const struct texture_places *p, const u8 *rows, u32 index, u32 mask)
{
	const u64 *handles = (const u64 *)(const void *)(rows + p->list[index]), first = handles[__builtin_ctz(mask)];
	u64 other = 0;

	for (u32 l = 0; l < WARP_LANES; l++)
		other |= mask >> l & 1 ? handles[l] ^ first : 0;
	return !other;
}

/* False: nothing is done yet. */
static bool look_up_plane(const struct texture_places *p, const struct bound *b, u8 *rows, u32 mask)
{
	f32 at[PLANE_DIMENSIONS][WARP_LANES];
	struct plane_texels texels;

	for (u32 d = 0; d < p->dimensions; d++)
		memcpy(at[d], rows + p->list[texture_first_coordinate(p) + d], sizeof at[d]);
	if (!plane_is_there(&b->t, p->dimensions) ||
	    !plane_lookup(&b->t, b->host, p->dimensions, (const f32(*)[WARP_LANES])at, mask, &texels))
		return false;
	for (u32 k = 0; k < p->results; k++) {
		u32 *d = (u32 *)(rows + p->list[k]);
		for (u32 l = 0; l < WARP_LANES; l++)
			d[l] = mask >> l & 1 ? texels.value[k][l] : d[l];
	}
	return true;
}

/* Are they textures, and cubes where cubes are asked for? Looked at before anything is written, so that a gang can try it. */
static bool binds(struct warp *w, const struct insn *i, const struct texture_places *p, const u8 *rows, u32 mask,
		  const struct bound **b)
{
	for (; mask; mask &= mask - 1) {
		const u32 l = (u32)__builtin_ctz(mask);
		if (!texture_bind(w, i, l, texture_handle(p, rows, p->texture, l),
				  texture_handle(p, rows, p->texture + 1, l), b))
			return false;
		if (p->cube && ((*b)->t.layers < 6 || (*b)->t.width != (*b)->t.height)) {
			texture_is_no_cube(w, i, l, &(*b)->t);
			return false;
		}
	}
	return true;
}

static const struct insn *look_up(struct warp *w, const struct insn *i, u8 *rows, u32 mask,
				  enum texture_lookup_kind how, bool has_offset)
{
	const struct bound *b = NULL;
	struct texture_places p;
	const struct form *f = warp_form(w, i);
	const u32 results = form_vector(f);
	const u32 channel = form_has(f, M_g) ? 1 : form_has(f, M_b) ? 2 : form_has(f, M_a) ? 3 : 0;

	texture_find_places(w, i, results, results + 1, &p);
	fp_enter(w, FP_RN);
	const bool one = mask && p.list[p.texture] != NO_OPERAND && is_one_handle(&p, rows, p.texture, mask) &&
			 (p.list[p.texture + 1] == NO_OPERAND || is_one_handle(&p, rows, p.texture + 1, mask));
	if (!binds(w, i, &p, rows, one ? mask & -mask : mask, &b))
		return NULL;
	const bool at_once = one && is_plane(&p, how, has_offset) && look_up_plane(&p, b, rows, mask);
	for (u32 left = at_once ? 0 : mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		struct texture_query q;
		u32 value[4];
		if (!one && !binds(w, i, &p, rows, 1u << l, &b))
			return NULL;
		texture_fill_query(&p, rows, l, how, has_offset, &q);
		texture_fill_level(&p, rows, l, how, &b->t, &q);
		if (how == LOOK_GATHER)
			texture_gather(&b->t, b->host, &q, channel, value);
		else
			texture_lookup(&b->t, b->host, &q, value);
		give(&p, rows, l, value);
	}
	pred_write(rows, p.list[results], mask, FULL_MASK);
	return i + 1;
}
MEANING_FUNCTION(tex) { return look_up(w, i, rows, mask, LOOK_BASE, true); }
MEANING_STEP(tex);
MEANING_FUNCTION(tex_level) { return look_up(w, i, rows, mask, LOOK_LEVEL, true); }
MEANING_STEP(tex_level);
MEANING_FUNCTION(tex_grad) { return look_up(w, i, rows, mask, LOOK_GRADIENT, true); }
MEANING_STEP(tex_grad);
MEANING_FUNCTION(tld4) { return look_up(w, i, rows, mask, LOOK_GATHER, true); }
MEANING_STEP(tld4);
/* The same without offsets: what stands there is a depth. */
MEANING_FUNCTION(tex_depth) { return look_up(w, i, rows, mask, LOOK_BASE, false); }
MEANING_STEP(tex_depth);
MEANING_FUNCTION(tex_level_depth) { return look_up(w, i, rows, mask, LOOK_LEVEL, false); }
MEANING_STEP(tex_level_depth);
MEANING_FUNCTION(tex_grad_depth) { return look_up(w, i, rows, mask, LOOK_GRADIENT, false); }
MEANING_STEP(tex_grad_depth);
MEANING_FUNCTION(tld4_depth) { return look_up(w, i, rows, mask, LOOK_GATHER, false); }
MEANING_STEP(tld4_depth);

/* --- Queries -------------------------------------------------------------------------------- */

/* The numbers are OpenCL's, as the manual refers to them. */
static u32 data_type_code(const struct texture *t)
{
	const u32 size = t->channel_bits == 8 ? 0 : t->channel_bits == 16 ? 1 : 2;

	if (t->kind == TEXEL_FLOAT)
		return size == 1 ? 0x10dd : 0x10de;
	if (t->normalized_values && size < 2)
		return (t->kind == TEXEL_SIGNED ? 0x10d0 : 0x10d2) + size;
	return (t->kind == TEXEL_SIGNED ? 0x10d7 : 0x10da) + size;
}

static u32 answer(const struct texture *t, int query, bool is_surface)
{
	switch (query) {
	case M_width:
		return texture_extent(t, 0, is_surface);
	case M_height:
		return texture_extent(t, 1, is_surface);
	case M_depth:
		return texture_extent(t, 2, is_surface);
	case M_array_size:
		return t->layers;
	case M_channel_data_type:
		return data_type_code(t);
	case M_channel_order:
		return t->channels == 1 ? 0x10b0 : t->channels == 2 ? 0x10b2 : 0x10b5;
	case M_normalized_coords:
		return t->normalized_coordinates;
	case M_force_unnormalized_coords:
		return !t->normalized_coordinates;
	case M_filter_mode:
		return t->linear;
	case M_addr_mode_0:
	case M_addr_mode_1:
	case M_addr_mode_2:
		return t->address[query - M_addr_mode_0];
	case M_num_mipmap_levels:
		return t->levels;
	case M_num_samples:
		return t->samples;
	default:
		return 0; /* memory_layout: linear */
	}
}

MEANING_FUNCTION(query)
{
	const struct bound *b = NULL;
	struct texture_places p;

	texture_find_places(w, i, 1, 1, &p);
	const int what = form_pick(p.f, M_width, M_memory_layout);
	const bool of_level = form_has(p.f, M_level);
	for (u32 l = 0; l < WARP_LANES; l++) {
		if (!(mask >> l & 1))
			continue;
		if (!texture_bind(w, i, l, texture_handle(&p, rows, p.texture, l), 0, &b))
			return NULL;
		struct texture at_level;
		u64 from;
		const s64 level = of_level ? (s32)texture_operand(&p, rows, p.first, l) : 0;
		((u32 *)(rows + p.list[0]))[l] = texture_level(&b->t, level, &at_level, &from)
							 ? answer(&at_level, what, p.f->row->form[0] == 's')
							 : 0;
	}
	return i + 1;
}
MEANING(query);

/* Which kind of object a handle names cannot be told apart here: all descriptors are alike. */
MEANING_FUNCTION(is_object)
{
	u32 truth = 0;

	for (u32 l = 0; l < WARP_LANES; l++) {
		struct texture t;
		if (mask >> l & 1 && texture_descriptor(w, ((const u64 *)(rows + i->a))[l], &t))
			truth |= 1u << l;
	}
	pred_write(rows, i->d, mask, truth);
	return i + 1;
}
MEANING(is_object);

/* --- Surfaces ------------------------------------------------------------------------------- */

/* Element k of lane l in a register of `bits`. */
static u8 *element(u8 *rows, u32 row, u32 bits, u32 lane)
{
	return rows + row + (size_t)lane * (bits <= 32 ? 4 : bits / 8);
}

MEANING_FUNCTION(suld)
{
	const struct bound *b = NULL;
	struct texture_places p;
	const struct form *f = warp_form(w, i);
	const u32 count = form_vector(f), bytes = type_bits(form_type(f, 0)) / 8;

	texture_find_places(w, i, count, count, &p);
	for (u32 l = 0; l < WARP_LANES; l++) {
		if (!(mask >> l & 1))
			continue;
		if (!texture_bind(w, i, l, texture_handle(&p, rows, p.texture, l), 0, &b))
			return NULL;
		const u8 *from = texture_surface_bytes(b, &p, rows, l, count * bytes, false);
		if (!from && form_has(f, M_trap))
			return surface_outside(w, i, b, l, count * bytes, false);
		for (u32 k = 0; k < count; k++) {
			u64 value[2] = {0, 0};
			if (from)
				memcpy(value, from + k * bytes, bytes);
			memcpy(element(rows, p.list[k], f->operand_bits[k], l), value,
			       f->operand_bits[k] <= 32 ? 4 : f->operand_bits[k] / 8);
		}
	}
	return i + 1;
}
MEANING(suld);

MEANING_FUNCTION(sust)
{
	const struct bound *b = NULL;
	struct texture_places p;
	const struct form *f = warp_form(w, i);
	const bool formatted = form_has(f, M_p);
	const u32 count = form_vector(f), bytes = type_bits(form_type(f, 0)) / 8;

	texture_find_places(w, i, 0, 0, &p);
	const u32 values = p.first + p.coordinates;
	for (u32 l = 0; l < WARP_LANES; l++) {
		u32 channels[4] = {0, 0, 0, 0};
		if (!(mask >> l & 1))
			continue;
		if (!texture_bind(w, i, l, texture_handle(&p, rows, p.texture, l), 0, &b))
			return NULL;
		const u32 size = formatted ? texture_texel_bytes(&b->t) : count * bytes;
		u8 *to = texture_surface_bytes(b, &p, rows, l, size, formatted);
		if (!to && form_has(f, M_trap))
			return surface_outside(w, i, b, l, size, true);
		for (u32 k = 0; to && k < count; k++) {
			const u8 *from = element(rows, p.list[values + k], f->operand_bits[values + k], l);
			if (formatted)
				memcpy(&channels[k], from, 4);
			else
				memcpy(to + k * bytes, from, bytes);
		}
		if (to && formatted)
			texture_store(&b->t, to, channels);
	}
	return i + 1;
}
MEANING(sust);

MEANING_FUNCTION(sured)
{
	const struct bound *b = NULL;
	struct texture_places p;
	const struct form *f = warp_form(w, i);
	const int op = form_pick(f, M_and, M_popc), type = form_type(f, 0);
	const bool formatted = form_has(f, M_p);
	const u32 bytes = type_bits(type) / 8;

	texture_find_places(w, i, 0, 0, &p);
	const u32 value = p.first + p.coordinates;
	for (u32 l = 0; l < WARP_LANES; l++) {
		u64 operand_value = 0;
		if (!(mask >> l & 1))
			continue;
		if (!texture_bind(w, i, l, texture_handle(&p, rows, p.texture, l), 0, &b))
			return NULL;
		const bool is_signed = formatted ? b->t.kind == TEXEL_SIGNED : type_class(type) == 's';
		u8 *at = texture_surface_bytes(b, &p, rows, l, bytes, formatted);
		if (!at && form_has(f, M_trap))
			return surface_outside(w, i, b, l, bytes, true);
		if (!at)
			continue;
		memcpy(&operand_value, element(rows, p.list[value], f->operand_bits[value], l), bytes);
		if (bytes == 8)
			surface_reduce64((u64 *)(void *)at, op, is_signed, operand_value, grid_shares_memory(w->grid));
		else
			surface_reduce32((u32 *)(void *)at, op, is_signed, (u32)operand_value,
					 grid_shares_memory(w->grid));
	}
	return i + 1;
}
MEANING(sured);

PICK_ONE(tex)
PICK_ONE(tex_level)
PICK_ONE(tex_grad)
PICK_ONE(tld4)
PICK_ONE(tex_depth)
PICK_ONE(tex_level_depth)
PICK_ONE(tex_grad_depth)
PICK_ONE(tld4_depth)
PICK_ONE(query)
PICK_ONE(is_object)
PICK_ONE(suld)
PICK_ONE(sust)
PICK_ONE(sured)

#define TEX_DATA     "(.v4(.u32|.s32|.f32)|.v2.f16x2|.v4.f16)"
#define TEX_TYPES    "(" TEX_DATA "(.s32|.f32))"
#define TEX_FLOAT    "(" TEX_DATA ".f32)"
#define TLD4_TYPES   ".v4(.u32|.s32|.f32).f32"
#define DOC_TEX      "Looks a texture up."
#define DOC_DEPTH    "Looks a texture up; a depth to compare with has no effect on textures without."
#define DOC_GATHER   "Takes the four texels that a filter would mix."
#define DOC_QUERY    "Asks for a property of a texture, sampler or surface."
#define DOC_SULD     "Loads from a surface."
#define DOC_SUST     "Stores to a surface."
#define DOC_SURED    "Reduces in a surface."
#define OLD          ISA_UNVERIFIED
#define SURFACES     "(.1d|.2d|.3d|.a1d|.a2d)"
#define SURFACE_DATA "([.v2](.b8|.b16|.b32|.b64)|.v4(.b8|.b16|.b32))"
#define BEYOND       "(.trap|.clamp|.zero)"

/* A geometry's lookups: with offsets of N coordinates, then with a depth behind them or alone. */
#define ROWS_TEX(geometry, n)                                                                                  \
	ROW("tex[.base]" geometry TEX_TYPES, "={v}0|pred X ?{" n "}s32", 10, 10, OLD, pick_tex, DOC_TEX),      \
		ROW("tex.level" geometry TEX_TYPES, "={v}0|pred X 1 ?{" n "}s32", 31, 20, OLD, pick_tex_level, \
		    DOC_TEX)
#define ROWS_DEPTH(geometry, n, g)                                                                                   \
	ROW("tex[.base]" geometry TEX_FLOAT, "={v}0|pred X {" n "}s32 f32", 43, 30, OLD, pick_tex, DOC_DEPTH),       \
		ROW("tex.level" geometry TEX_FLOAT, "={v}0|pred X 1 {" n "}s32 f32", 43, 30, OLD, pick_tex_level,    \
		    DOC_DEPTH),                                                                                      \
		ROW("tex.grad" geometry TEX_FLOAT, "={v}0|pred X {" g "}f32 {" g "}f32 {" n "}s32 f32", 43, 30, OLD, \
		    pick_tex_grad, DOC_DEPTH)
#define ROWS_DEPTH_ALONE(geometry, g)                                                                        \
	ROW("tex[.base]" geometry TEX_FLOAT, "={v}0|pred X f32", 43, 30, OLD, pick_tex_depth, DOC_DEPTH),    \
		ROW("tex.level" geometry TEX_FLOAT, "={v}0|pred X 1 f32", 43, 30, OLD, pick_tex_level_depth, \
		    DOC_DEPTH),                                                                              \
		ROW("tex.grad" geometry TEX_FLOAT, "={v}0|pred X {" g "}f32 {" g "}f32 f32", 43, 30, OLD,    \
		    pick_tex_grad_depth, DOC_DEPTH)

static const struct isa_row rows_texture[] = {
	ROWS_TEX("(.1d|.a1d)", "1"),
	ROWS_TEX("(.2d|.a2d)", "2"),
	ROWS_TEX(".3d", "4"),
	ROW("tex.grad(.1d|.a1d)" TEX_TYPES, "={v}0|pred X {1}f32 {1}f32 ?{1}s32", 31, 20, OLD, pick_tex_grad, DOC_TEX),
	ROW("tex.grad(.2d|.a2d)" TEX_TYPES, "={v}0|pred X {2}f32 {2}f32 ?{2}s32", 31, 20, OLD, pick_tex_grad, DOC_TEX),
	ROW("tex.grad.3d" TEX_TYPES, "={v}0|pred X {4}f32 {4}f32 ?{4}s32", 31, 20, OLD, pick_tex_grad, DOC_TEX),
	ROW("tex[.base](.cube|.acube)" TEX_FLOAT, "={v}0|pred X", 30, 20, OLD, pick_tex, DOC_TEX),
	ROW("tex.level(.cube|.acube)" TEX_FLOAT, "={v}0|pred X 1", 31, 20, OLD, pick_tex_level, DOC_TEX),
	ROW("tex.grad(.cube|.acube)" TEX_FLOAT, "={v}0|pred X {4}f32 {4}f32", 43, 20, OLD, pick_tex_grad, DOC_TEX),
	ROW("tex[.base](.2dms|.a2dms)(" TEX_DATA ".s32)", "={v}0|pred X ?{2}s32", 32, 30, OLD, pick_tex,
	    "Looks up a sample of a texel."),
	ROWS_DEPTH("(.1d|.a1d)", "1", "1"),
	ROWS_DEPTH("(.2d|.a2d)", "2", "2"),
	ROWS_DEPTH_ALONE("(.1d|.a1d)", "1"),
	ROWS_DEPTH_ALONE("(.2d|.a2d)", "2"),
	ROWS_DEPTH_ALONE("(.cube|.acube)", "4"),
	ROW("tld4(.r|.g|.b|.a).2d" TLD4_TYPES, "={v}0|pred X ?{2}s32", 22, 20, OLD, pick_tld4, DOC_GATHER),
	ROW("tld4(.r|.g|.b|.a).a2d" TLD4_TYPES, "={v}0|pred X ?{2}s32", 43, 30, OLD, pick_tld4, DOC_GATHER),
	ROW("tld4(.r|.g|.b|.a)(.cube|.acube)" TLD4_TYPES, "={v}0|pred X", 43, 30, OLD, pick_tld4, DOC_GATHER),
	ROW("tld4(.r|.g|.b|.a)(.2d|.a2d)" TLD4_TYPES, "={v}0|pred X {2}s32 f32", 43, 30, OLD, pick_tld4, DOC_GATHER),
	ROW("tld4(.r|.g|.b|.a)(.2d|.a2d|.cube|.acube)" TLD4_TYPES, "={v}0|pred X f32", 43, 30, OLD, pick_tld4_depth,
	    DOC_GATHER),
	ROW("txq(.width|.height|.depth).b32", "=b32 X", 15, 10, 0, pick_query, DOC_QUERY),
	ROW("txq(.channel_data_type|.channel_order|.normalized_coords|.force_unnormalized_coords|"
	    ".filter_mode|.addr_mode_0|.addr_mode_1|.addr_mode_2|.array_size|.num_mipmap_levels|.num_samples).b32",
	    "=b32 X", 15, 10, OLD, pick_query, DOC_QUERY),
	ROW("txq.level(.width|.height|.depth).b32", "=b32 X u32", 43, 30, 0, pick_query, DOC_QUERY),
	ROW("suq(.width|.height|.depth).b32", "=b32 S", 15, 10, 0, pick_query, DOC_QUERY),
	ROW("suq(.channel_data_type|.channel_order|.array_size|.memory_layout).b32", "=b32 S", 15, 10, OLD, pick_query,
	    DOC_QUERY),
	ROW("suld.b" SURFACES "[.ca|.cg|.cs|.cv]" SURFACE_DATA BEYOND, "={v}0 S", 15, 20, OLD | ISA_RELAXED, pick_suld,
	    DOC_SULD),
	ROW("sust.b" SURFACES "[.wb|.cg|.cs|.wt]" SURFACE_DATA BEYOND, "S {v}0", 15, 20, OLD | ISA_RELAXED, pick_sust,
	    DOC_SUST),
	ROW("sust.p" SURFACES "[.wb|.cg|.cs|.wt][.v2|.v4](.b32|.u32|.s32|.f32)" BEYOND, "S {v}0", 15, 20,
	    OLD | ISA_RELAXED, pick_sust, DOC_SUST),
	ROW("sured.b(.add(.1d|.2d|.3d)(.u32|.u64|.s32)|(.min|.max)(.1d|.2d|.3d)(.u32|.s32|.u64|.s64)|"
	    "(.and|.or)(.1d|.2d|.3d).b32)" BEYOND,
	    "S 0", 20, 20, OLD | ISA_RELAXED | ISA_ORDERED, pick_sured, DOC_SURED),
	ROW("sured.p((.add|.and|.or)(.1d|.2d|.3d).b32|(.min|.max)(.1d|.2d|.3d)(.b32|.b64))" BEYOND, "S 0", 20, 20,
	    OLD | ISA_RELAXED | ISA_ORDERED, pick_sured, DOC_SURED),
	ROW("istypep(.texref|.samplerref|.surfref)", "=pred u64", 40, 30, OLD, pick_is_object,
	    "Tests whether a register holds a handle."),
};
FAMILY(family_texture, "Textures and surfaces", CLASS_TEXTURE, rows_texture);
