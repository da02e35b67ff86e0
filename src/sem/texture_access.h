/* SPDX-License-Identifier: Apache-2.0
 *
 * What instructions of PTX and of machine code share that look up textures and access surfaces: finding the descriptor that
 * a handle names, the place of a surface's texel, reductions there.
 */
#ifndef PTXSIM_SEM_TEXTURE_ACCESS_H
#define PTXSIM_SEM_TEXTURE_ACCESS_H

#include "memory/texture.h"
#include "sem/lanes.h"

static inline bool texture_read_global(struct warp *w, u64 address, void *to, u64 bytes)
{
	u64 offset = address;

	if (generic_space(w, &offset) == SPACE_PARAM) {
		if (offset + bytes > w->grid->kernel->param_bytes)
			return false;
		memcpy(to, w->grid->launch->params + offset, bytes);
		return true;
	}
	struct allocation a;
	if (!memory_look(w->grid->memory, address, bytes, &a))
		return false;
	memcpy(to, a.host + (address - a.base), bytes);
	return true;
}

/* A handle, or the address of an opaque variable that holds one. */
static inline bool texture_descriptor(struct warp *w, u64 value, struct texture *t)
{
	u64 handle;

	if (texture_read_global(w, value, t, sizeof *t) && texture_is_sound(t))
		return true;
	return texture_read_global(w, value, &handle, sizeof handle) && texture_read_global(w, handle, t, sizeof *t) &&
	       texture_is_sound(t);
}

static inline u8 *texture_texels(struct warp *w, const struct texture *t)
{
	struct allocation a;

	return memory_look(w->grid->memory, t->data, texture_bytes(t), &a) ? a.host + (t->data - a.base) : NULL;
}

/* What a handle and a sampler, or none, are. A worker keeps the last ones for the launch, since most instructions name the
 * same few: a program that changes an object meanwhile may not expect its launches to see it, and what is released counts as
 * unknown by memory's generation. */
struct bound {
	u64 value, sampler;
	bool known;
	u64 generation; /* of memory, before it was looked up */
	struct texture t;
	u8 *host;
};
enum { BOUND_SLOTS = 16 };

/* By the lower half of the handle, which is all that machine code has. */
static inline struct bound *texture_slot(struct warp *w, u64 value, u64 sampler)
{
	struct worker *k = w->worker;
	const u32 mixed = ((u32)value ^ (u32)sampler * 3) * 0x9e3779b1u;

	if (!k->textures)
		k->textures = ARENA_ARRAY(&k->arena, BOUND_SLOTS, struct bound);
	return &k->textures[mixed >> 28];
}

static inline bool texture_still_bound(const struct warp *w, const struct bound *b)
{
	return b->known && b->generation == __atomic_load_n(&w->grid->memory->generation, __ATOMIC_ACQUIRE);
}

/* A sampler's settings take the place of the texture's. */
static inline void texture_sample_by(struct texture *t, const struct texture *sampler)
{
	memcpy(t->address, sampler->address, sizeof sampler->address);
	memcpy(t->border, sampler->border, sizeof sampler->border);
	t->linear = sampler->linear;
	t->normalized_coordinates = sampler->normalized_coordinates;
	t->mixes_levels = sampler->mixes_levels;
	t->seamless = sampler->seamless;
	t->level_bias = sampler->level_bias;
	t->level_low = sampler->level_low;
	t->level_high = sampler->level_high;
}

/* The texture, or surface, by a sampler's settings if there is one. False: one of both is none. */
static inline bool texture_describe(struct warp *w, u64 value, u64 sampler, struct texture *t)
{
	struct texture s;

	if (!texture_descriptor(w, value, t) || (sampler && !texture_descriptor(w, sampler, &s)))
		return false;
	if (sampler)
		texture_sample_by(t, &s);
	return true;
}

static inline bool texture_find(struct warp *w, const struct insn *i, u32 lane, u64 value, u64 sampler, struct bound *b)
{
	b->known = false;
	b->generation = __atomic_load_n(&w->grid->memory->generation, __ATOMIC_ACQUIRE);
	if (!texture_describe(w, value, sampler, &b->t)) {
		warp_fault(w, i, FAULT_ILLEGAL_INSTRUCTION, 1u << lane, "0x%llx is not a texture, sampler or surface",
			   (unsigned long long)value);
		return false;
	}
	b->host = texture_texels(w, &b->t);
	if (!b->host) {
		warp_fault_address(w, i, FAULT_OUT_OF_BOUNDS, lane, b->t.data, 1, SPACE_GLOBAL, false);
		return false;
	}
	b->value = value;
	b->sampler = sampler;
	b->known = true;
	return true;
}

/* *bound: that of the lane before, or NULL. */
static inline __attribute__((unused)) bool texture_bind(struct warp *w, const struct insn *i, u32 lane, u64 value,
							u64 sampler, const struct bound **bound)
{
	if (*bound && (*bound)->value == value && (*bound)->sampler == sampler)
		return true;
	struct bound *b = texture_slot(w, value, sampler);
	*bound = b;
	return (texture_still_bound(w, b) && b->value == value && b->sampler == sampler) ||
	       texture_find(w, i, lane, value, sampler, b);
}

static inline __attribute__((unused)) const struct insn *texture_is_no_cube(struct warp *w, const struct insn *i,
									    u32 lane, const struct texture *t)
{
	return warp_fault(w, i, FAULT_ILLEGAL_INSTRUCTION, 1u << lane,
			  "a cube has six square layers, not %u of %u x %u", t->layers, t->width, t->height);
}

/* What queries answer: width, height and depth. Layers follow the last dimension, and a texture has a row at least: recorded. */
static inline __attribute__((unused)) u32 texture_extent(const struct texture *t, u32 dimension, bool is_surface)
{
	if (dimension == 0)
		return t->width;
	if (dimension == 1)
		return t->height ? t->height : t->layers ? t->layers : !is_surface;
	return t->depth ? t->depth : t->height ? t->layers : 0;
}

/* --- Surfaces ------------------------------------------------------------------------------- */

struct surface_place {
	u32 dimensions;
	s64 at[3];
	u32 layer;
	bool layered;
	bool in_texels; /* at[0] counts texels, else bytes */
	bool clamps;    /* what lies outside is moved inside */
};

/* The host's bytes of an access of `size` bytes; NULL outside. */
static inline __attribute__((unused)) u8 *surface_at(const struct bound *b, const struct surface_place *p, u32 size)
{
	const struct texture *t = &b->t;
	const u32 texel = texture_texel_bytes(t), layers = max_u32(1, t->layers);
	const s64 width = (s64)t->width * texel;
	s64 at[3] = {0, 0, 0};

	for (u32 d = 0; d < p->dimensions; d++) {
		const s64 bound = d == 0   ? width - (s64)size
				  : d == 1 ? (s64)max_u32(1, t->height) - 1
					   : (s64)max_u32(1, t->depth) - 1;
		at[d] = p->at[d] * (d == 0 && p->in_texels ? texel : 1);
		if (p->clamps)
			at[d] = at[d] < 0 ? 0 : at[d] > bound ? bound : at[d];
		if (at[d] < 0 || at[d] > bound)
			return NULL;
	}
	u32 layer = p->layered ? p->layer : (u32)at[2];
	if (p->layered && layer >= layers) {
		if (!p->clamps)
			return NULL;
		layer = layers - 1;
	}
	return b->host + layer * t->slice + (u64)at[1] * t->pitch + (u64)at[0];
}

static inline __attribute__((unused)) const struct insn *
surface_outside(struct warp *w, const struct insn *i, const struct bound *b, u32 lane, u32 size, bool is_store)
{
	const struct texture *t = &b->t;

	warp_fault(w, i, FAULT_OUT_OF_BOUNDS, 1u << lane,
		   "a %s of %u bytes outside of the surface, which has %u x %u x %u texels of %u bytes",
		   is_store ? "store" : "load", size, t->width, max_u32(1, t->height),
		   max_u32(1, max_u32(t->depth, t->layers)), texture_texel_bytes(t));
	return NULL;
}

/* One step of a reduction, of numbers of 64 bits, or of 32, extended as their type says. */
static inline u64 surface_reduced(int op, bool is_signed, u64 old, u64 b)
{
	switch (op) {
	case M_add:
		return old + b;
	case M_and:
		return old & b;
	case M_or:
		return old | b;
	case M_min:
		return (is_signed ? (s64)b < (s64)old : b < old) ? b : old;
	default:
		return (is_signed ? (s64)b > (s64)old : b > old) ? b : old;
	}
}
static inline __attribute__((unused)) void surface_reduce64(u64 *at, int op, bool is_signed, u64 b, bool racing)
{
	u64 old = __atomic_load_n(at, __ATOMIC_RELAXED);

	if (!racing)
		*at = surface_reduced(op, is_signed, old, b);
	while (racing && !__atomic_compare_exchange_n(at, &old, surface_reduced(op, is_signed, old, b), true,
						      __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		;
}
static inline u32 surface_reduced32(int op, bool is_signed, u32 old, u32 b)
{
	return is_signed ? (u32)surface_reduced(op, true, (u64)(s64)(s32)old, (u64)(s64)(s32)b)
			 : (u32)surface_reduced(op, false, old, b);
}
static inline __attribute__((unused)) void surface_reduce32(u32 *at, int op, bool is_signed, u32 b, bool racing)
{
	u32 old = __atomic_load_n(at, __ATOMIC_RELAXED);

	if (!racing)
		*at = surface_reduced32(op, is_signed, old, b);
	while (racing && !__atomic_compare_exchange_n(at, &old, surface_reduced32(op, is_signed, old, b), true,
						      __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		;
}

#endif
