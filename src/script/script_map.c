/* SPDX-License-Identifier: Apache-2.0
 *
 * Tensor maps in launch scripts: tmap(BUFFER box=16,64 swizzle=128 ...). What is not written follows from
 * the buffer: its element type, its shape, rows without gaps. Lists stand outermost dimension first, as
 * shapes of buffers do; the maps themselves count from the innermost.
 */
#include <string.h>

#include "script/script.h"
#include "memory/tensormap.h"

static const char *const type_names[TENSOR_TYPES] = {
	[TENSOR_U8] = "u8",           [TENSOR_U16] = "u16",   [TENSOR_U32] = "u32",        [TENSOR_S32] = "s32",
	[TENSOR_U64] = "u64",         [TENSOR_S64] = "s64",   [TENSOR_F16] = "f16",        [TENSOR_F32] = "f32",
	[TENSOR_F64] = "f64",         [TENSOR_BF16] = "bf16", [TENSOR_F32_FTZ] = "f32ftz", [TENSOR_TF32] = "tf32",
	[TENSOR_TF32_FTZ] = "tf32ftz"};

static bool find_type(const char *name, u8 *type)
{
	for (u32 k = 0; k < TENSOR_TYPES; k++)
		if (!strcmp(type_names[k], name)) {
			*type = (u8)k;
			return true;
		}
	return false;
}

/* The buffer's type; bits and small signed numbers as unsigned ones of their size. */
static u8 type_of_buffer(const struct buffer *b)
{
	static const u8 by_size[] = {[1] = TENSOR_U8, [2] = TENSOR_U16, [4] = TENSOR_U32, [8] = TENSOR_U64};
	u8 type;

	return find_type(element_name(b->type), &type) ? type : by_size[element_bytes(b->type)];
}

/* Numbers split by commas; how many, or 0 after an error. */
static u32 parse_numbers(struct script *s, struct lex *l, s64 numbers[TENSOR_RANK])
{
	struct expr_scope scope = script_scope(s);
	u32 count = 0;

	do {
		struct number n;
		if (count == TENSOR_RANK) {
			lex_error(l, "a tensor has at most %d dimensions", TENSOR_RANK);
			return 0;
		}
		if (!expr_constant(l, &scope, &n))
			return 0;
		numbers[count++] = number_as_int(n);
	} while (lex_take(l, ","));
	return count;
}

/* One of "none" (0) and three sizes in bytes that double. */
static bool parse_size(struct script *s, struct lex *l, u32 first, u8 most, u8 *to)
{
	s64 n[TENSOR_RANK];

	*to = 0;
	if (lex_take(l, "none"))
		return true;
	if (parse_numbers(s, l, n) != 1)
		return false;
	for (u8 k = 1; k <= most; k++)
		if (n[0] == (s64)first << (k - 1))
			*to = k;
	if (*to || !n[0])
		return true;
	lex_error(l, "none, or %u to %u bytes", first, first << (most - 1));
	return false;
}

static bool parse_type(struct lex *l, struct tensor_map *m)
{
	if (l->kind == LEX_NAME && find_type(l->name, &m->type)) {
		lex_next(l);
		return true;
	}
	lex_error(l, "a tensor's element type: u8 u16 u32 s32 u64 s64 f16 bf16 f32 f32ftz f64 tf32 tf32ftz");
	return false;
}

/* Lists by name. */
static bool parse_list(struct script *s, struct lex *l, const char *key, struct script_map *x)
{
	struct tensor_map *m = &x->map;
	s64 n[TENSOR_RANK];
	const u32 count = parse_numbers(s, l, n);

	if (!count)
		return false;
	if (!strcmp(key, "dims"))
		m->rank = (u8)count;
	else if (!strcmp(key, "strides"))
		x->has_strides = true;
	else if (!strcmp(key, "channels"))
		m->channels = (u32)n[0];
	else if (!strcmp(key, "pixels"))
		m->pixels = (u32)n[0];
	for (u32 k = 0; k < count; k++) {
		const s64 value = n[count - 1 - k];
		if (!strcmp(key, "dims"))
			m->dims[k] = (u64)value;
		else if (!strcmp(key, "strides") && k < TENSOR_RANK - 1)
			m->strides[k] = (u64)value;
		else if (!strcmp(key, "box"))
			m->box[k] = (u32)value;
		else if (!strcmp(key, "steps"))
			m->element_strides[k] = (u32)value;
		else if (!strcmp(key, "lower") && k < COUNT_OF(m->lower))
			m->lower[k] = (s32)value;
		else if (!strcmp(key, "upper") && k < COUNT_OF(m->upper))
			m->upper[k] = (s32)value;
	}
	m->im2col |= m->pixels != 0;
	return true;
}

static bool parse_field(struct script *s, struct lex *l, struct script_map *x)
{
	static const char *const lists[] = {"box", "dims", "strides", "steps", "lower", "upper", "channels", "pixels"};
	struct tensor_map *m = &x->map;

	for (u32 k = 0; k < COUNT_OF(lists); k++)
		if (lex_take(l, lists[k]))
			return lex_expect(l, "=") && parse_list(s, l, lists[k], x);
	if (lex_take(l, "swizzle"))
		return lex_expect(l, "=") && parse_size(s, l, 32, TENSOR_SWIZZLE_128B, &m->swizzle);
	if (lex_take(l, "interleave"))
		return lex_expect(l, "=") && parse_size(s, l, 16, TENSOR_INTERLEAVE_32B, &m->interleave);
	if (lex_take(l, "type"))
		return lex_expect(l, "=") && parse_type(l, m);
	if (lex_take(l, "fill")) {
		if (!lex_expect(l, "="))
			return false;
		m->fills_nan = lex_take(l, "nan");
		return m->fills_nan || lex_take(l, "zero") || (lex_error(l, "fill is zero or nan"), false);
	}
	lex_error(l, "box=, swizzle=, dims=, strides=, steps=, type=, interleave=, fill=, lower=, upper=, channels=, "
		     "pixels= or ')' expected");
	return false;
}

static void fill_in(struct script_map *x)
{
	struct tensor_map *m = &x->map;
	const struct buffer *b = x->buffer;
	u64 bytes = tensor_type_bytes(m->type);

	if (!m->rank) {
		m->rank = (u8)b->rank;
		for (u32 d = 0; d < b->rank; d++)
			m->dims[d] = b->dims[b->rank - 1 - d];
	}
	for (u32 d = 0; d < TENSOR_RANK; d++) {
		if (d && d < m->rank && !x->has_strides)
			m->strides[d - 1] = bytes;
		bytes *= d < m->rank ? m->dims[d] : 1;
		m->dims[d] = m->dims[d] ? m->dims[d] : 1;
		m->box[d] = m->box[d] ? m->box[d] : 1;
		m->element_strides[d] = m->element_strides[d] ? m->element_strides[d] : 1;
	}
}

struct script_map *script_parse_map(struct script *s, struct lex *l)
{
	struct script_map *x = ARENA_NEW(s->arena, struct script_map);
	u8 bytes[TENSOR_MAP_BYTES];

	x->buffer = l->kind == LEX_NAME ? script_find_buffer(s, l->name) : NULL;
	if (!x->buffer) {
		lex_error(l, "a buffer expected: tmap(BUFFER box=ROWS,COLUMNS ...)");
		return NULL;
	}
	lex_next(l);
	x->map.type = type_of_buffer(x->buffer);
	while (!lex_take(l, ")"))
		if (!parse_field(s, l, x))
			return NULL;
	fill_in(x);
	struct tensor_map placed = x->map;
	placed.address = 1 << 8; /* some aligned address, as buffers have */
	const char *wrong = tensor_map_encode(&placed, bytes);
	if (wrong)
		lex_error(l, "the driver would refuse the tensor map: %s", wrong);
	return wrong ? NULL : x;
}
