/* SPDX-License-Identifier: Apache-2.0
 *
 * Textures and surfaces in launch scripts: texture(BUFFER width=64 height=32 linear address=wrap ...), as an
 * argument the handle of a texture or surface object; `bind NAME texture(...)` sets a .texref or .surfref.
 */
#include <string.h>

#include "script/script.h"
#include "memory/texture.h"

/* What the buffer's elements are as channels; false: no texture has such. */
static bool format_of(enum element_type type, struct texture *t)
{
	const char *name = element_name(type);
	const u32 bytes = element_bytes(type);

	t->channel_bits = (u8)(bytes * 8);
	t->kind = name[0] == 'f' ? TEXEL_FLOAT : name[0] == 's' ? TEXEL_SIGNED : TEXEL_UNSIGNED;
	return bytes <= 4 && strncmp(name, "bf", 2) != 0;
}

/* "=N" within limits. */
static bool parse_count(struct script *s, struct lex *l, u32 low, u32 high, u32 *to)
{
	struct expr_scope scope = script_scope(s);
	struct number n;

	if (!lex_expect(l, "=") || !expr_constant(l, &scope, &n))
		return false;
	if (n.is_float || n.i < low || n.i > high) {
		lex_error(l, "a whole number from %u to %u expected", low, high);
		return false;
	}
	*to = (u32)n.i;
	return true;
}

/* One mode for each dimension; the last one given stands for the rest. */
static bool parse_address(struct lex *l, struct texture *t)
{
	static const char *const names[] = {[ADDRESS_WRAP] = "wrap",
					    [ADDRESS_MIRROR] = "mirror",
					    [ADDRESS_CLAMP] = "clamp",
					    [ADDRESS_BORDER] = "border"};
	u32 d = 0;

	if (!lex_expect(l, "="))
		return false;
	do {
		u32 k = 0;
		while (k < COUNT_OF(names) && !lex_take(l, names[k]))
			k++;
		if (k == COUNT_OF(names) || d == 3) {
			lex_error(l, "wrap, mirror, clamp or border expected, for one to three dimensions");
			return false;
		}
		t->address[d++] = (u8)k;
	} while (lex_take(l, ","));
	for (; d < 3; d++)
		t->address[d] = t->address[d - 1];
	return true;
}

static bool parse_border(struct script *s, struct lex *l, struct texture *t)
{
	struct expr_scope scope = script_scope(s);
	u32 k = 0;

	if (!lex_expect(l, "="))
		return false;
	do {
		struct number n;
		if (k == 4) {
			lex_error(l, "a border has four channels at most");
			return false;
		}
		if (!expr_constant(l, &scope, &n))
			return false;
		t->border[k++] = n.is_float ? (f32)n.f : (f32)n.i;
	} while (lex_take(l, ","));
	return true;
}

static bool set(u8 *flag)
{
	*flag = 1;
	return true;
}

static bool parse_small(struct script *s, struct lex *l, u32 high, u8 *to)
{
	u32 count;

	if (!parse_count(s, l, 1, high, &count))
		return false;
	*to = (u8)count;
	return true;
}

/* One word of the parentheses. False after an error. */
static bool parse_field(struct script *s, struct lex *l, struct texture *t)
{
	if (lex_take(l, "width"))
		return parse_count(s, l, 1, 1 << 27, &t->width);
	if (lex_take(l, "height"))
		return parse_count(s, l, 1, 1 << 20, &t->height);
	if (lex_take(l, "depth"))
		return parse_count(s, l, 1, 1 << 16, &t->depth);
	if (lex_take(l, "layers"))
		return parse_count(s, l, 1, 1 << 16, &t->layers);
	if (lex_take(l, "channels"))
		return parse_small(s, l, 4, &t->channels);
	if (lex_take(l, "levels"))
		return parse_small(s, l, TEXTURE_LEVELS, &t->levels);
	if (lex_take(l, "samples"))
		return parse_small(s, l, TEXTURE_SAMPLES, &t->samples);
	if (lex_take(l, "address"))
		return parse_address(l, t);
	if (lex_take(l, "border"))
		return parse_border(s, l, t);
	if (lex_take(l, "linear"))
		return set(&t->linear);
	if (lex_take(l, "normalized"))
		return set(&t->normalized_coordinates);
	if (lex_take(l, "unorm"))
		return set(&t->normalized_values);
	if (lex_take(l, "trilinear"))
		return set(&t->mixes_levels);
	if (lex_take(l, "seamless"))
		return set(&t->seamless);
	lex_error(
		l,
		"width=, height=, depth=, layers=, channels=, levels=, samples=, address=, border=, linear, trilinear, "
		"seamless, normalized, unorm or ')' expected");
	return false;
}

struct script_texture *script_parse_texture(struct script *s, struct lex *l)
{
	struct script_texture *x = ARENA_NEW(s->arena, struct script_texture);
	struct texture *t = &x->texture;

	x->buffer = l->kind == LEX_NAME ? script_find_buffer(s, l->name) : NULL;
	if (!x->buffer) {
		lex_error(l, "a buffer expected: texture(BUFFER width=COLUMNS height=ROWS ...)");
		return NULL;
	}
	lex_next(l);
	*t = (struct texture){.magic = TEXTURE_MAGIC,
			      .channels = 1,
			      .level_high = TEXTURE_LEVELS - 1,
			      .address = {ADDRESS_CLAMP, ADDRESS_CLAMP, ADDRESS_CLAMP}};
	while (!lex_take(l, ")"))
		if (!parse_field(s, l, t))
			return NULL;
	if (!format_of(x->buffer->type, t) || (!t->width && x->buffer->rank != 1) || t->channels == 3) {
		lex_error(l, t->channels == 3 ? "a texture has 1, 2 or 4 channels"
					      : "a texture of 8-, 16- or 32-bit elements with width= expected");
		return NULL;
	}
	/* The border of integers that stay such is a number of theirs. */
	for (u32 k = 0; k < 4 && t->kind != TEXEL_FLOAT && !t->normalized_values; k++) {
		const s32 whole = (s32)t->border[k];
		memcpy(&t->border[k], &whole, sizeof whole);
	}
	t->width = t->width ? t->width : (u32)(x->buffer->count / t->channels);
	t->pitch = texture_row_bytes(t);
	t->slice = t->pitch * (t->height ? t->height : 1);
	if (!texture_is_sound(t)) {
		lex_error(l, t->samples ? "a multi-sample texture has one level" : "the texture is too large");
		return NULL;
	}
	if (texture_bytes(t) > x->buffer->count * element_bytes(x->buffer->type)) {
		lex_error(l, "the texture has %llu bytes, the buffer only %llu", (unsigned long long)texture_bytes(t),
			  (unsigned long long)(x->buffer->count * element_bytes(x->buffer->type)));
		return NULL;
	}
	return x;
}
