/* SPDX-License-Identifier: Apache-2.0
 *
 * Tensor maps: encoding, decoding, and reading from text. See the header.
 */
#include "memory/tensormap.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

/* The layout of the opaque bytes: what tensormap.replace changes stands where machine code, to which the assembler turns
 * that instruction, stores it from sm_90 on. Dimensions, sides of the box and strides of elements are stored less one,
 * strides in units of 16 bytes. The rest is our own. */
struct encoded {
	u64 address;
	u32 modes; /* MODE_ */
	u32 strides_low[TENSOR_RANK - 1];
	u32 strides_high; /* four bits each */
	u32 dims[TENSOR_RANK];
	u32 element_strides; /* three bits each, and the box's innermost side from bit 24 on */
	u32 box;             /* the other sides, eight bits each */
	u32 flags;
	s16 lower[3], upper[3];
	u16 channels, pixels;
	u32 magic;
	u8 zero[44];
};
_Static_assert(sizeof(struct encoded) == TENSOR_MAP_BYTES, "a tensor map has 128 bytes");

/* Lowest bits of the fields of `modes`. MODE_TF32 makes an f32 one. */
enum { MODE_RANK = 4, MODE_TYPE = 7, MODE_INTERLEAVE = 11, MODE_SWIZZLE = 13, MODE_NAN = 15, MODE_TF32 = 16 };
enum { BOX_INNERMOST = 24, STRIDE_UNIT = 4 };
enum { FLAG_IM2COL = 1, PROMOTION_SHIFT = 2, MAGIC = 0x70616d74 };

u32 tensor_type_bytes(u32 type)
{
	static const u8 bytes[TENSOR_TYPES] = {
		[TENSOR_U8] = 1,   [TENSOR_U16] = 2,  [TENSOR_U32] = 4,     [TENSOR_S32] = 4,     [TENSOR_U64] = 8,
		[TENSOR_S64] = 8,  [TENSOR_F16] = 2,  [TENSOR_F32] = 4,     [TENSOR_F32_FTZ] = 4, [TENSOR_F64] = 8,
		[TENSOR_BF16] = 2, [TENSOR_TF32] = 4, [TENSOR_TF32_FTZ] = 4};

	return type < TENSOR_TYPES ? bytes[type] : 1;
}

/* Bytes within which a swizzle moves pieces: 32, 64 or 128; 0 without one. */
u32 tensor_swizzle_span(u32 swizzle) { return swizzle ? 16u << swizzle : 0; }

static u32 encoded_modes(const struct tensor_map *m)
{
	const bool tf32 = m->type == TENSOR_TF32 || m->type == TENSOR_TF32_FTZ;
	const u32 type = tf32 ? m->type - TENSOR_TF32 + TENSOR_F32 : m->type;

	return (m->rank - 1u) << MODE_RANK | type << MODE_TYPE | (u32)m->interleave << MODE_INTERLEAVE |
	       (u32)m->swizzle << MODE_SWIZZLE | (u32)m->fills_nan << MODE_NAN | (u32)tf32 << MODE_TF32;
}

static u8 decoded_type(u32 modes)
{
	const u32 type = modes >> MODE_TYPE & 15;

	return (u8)((modes >> MODE_TF32 & 1) && (type == TENSOR_F32 || type == TENSOR_F32_FTZ)
			    ? type - TENSOR_F32 + TENSOR_TF32
			    : type);
}

/* Writes the map's 128 bytes. Only maps that tensor_map_wrong() has nothing against keep all their values. */
void tensor_map_store(const struct tensor_map *m, u8 bytes[TENSOR_MAP_BYTES])
{
	struct encoded e = {.address = m->address,
			    .modes = encoded_modes(m),
			    .magic = MAGIC,
			    .channels = (u16)m->channels,
			    .pixels = (u16)m->pixels};

	e.flags = (m->im2col ? FLAG_IM2COL : 0) | (u32)m->promotion << PROMOTION_SHIFT;
	for (u32 k = 0; k < TENSOR_RANK; k++) {
		e.dims[k] = (u32)(m->dims[k] - 1);
		e.element_strides |= ((m->element_strides[k] - 1) & 7) << 3 * k;
		if (k)
			e.box |= ((m->box[k] - 1) & 255) << 8 * (k - 1);
	}
	e.element_strides |= ((m->box[0] - 1) & 255) << BOX_INNERMOST;
	for (u32 k = 0; k + 1 < TENSOR_RANK; k++) {
		const u64 units = m->strides[k] >> STRIDE_UNIT;
		e.strides_low[k] = (u32)units;
		e.strides_high |= (u32)(units >> 32 & 15) << 4 * k;
	}
	for (u32 k = 0; k < 3; k++) {
		e.lower[k] = (s16)m->lower[k];
		e.upper[k] = (s16)m->upper[k];
	}
	memcpy(bytes, &e, sizeof e);
}

/* False: the bytes were not written by tensor_map_store or by code that changed such. */
bool tensor_map_decode(const u8 bytes[TENSOR_MAP_BYTES], struct tensor_map *m)
{
	struct encoded e;

	memcpy(&e, bytes, sizeof e);
	if (e.magic != MAGIC)
		return false;
	*m = (struct tensor_map){.address = e.address,
				 .rank = (u8)((e.modes >> MODE_RANK & 7) + 1),
				 .type = decoded_type(e.modes),
				 .interleave = e.modes >> MODE_INTERLEAVE & 3,
				 .swizzle = e.modes >> MODE_SWIZZLE & 3,
				 .promotion = (u8)(e.flags >> PROMOTION_SHIFT),
				 .fills_nan = e.modes >> MODE_NAN & 1,
				 .im2col = e.flags & FLAG_IM2COL,
				 .channels = e.channels,
				 .pixels = e.pixels};
	for (u32 k = 0; k < TENSOR_RANK; k++) {
		m->dims[k] = (u64)e.dims[k] + 1;
		m->box[k] = (k ? e.box >> 8 * (k - 1) & 255 : e.element_strides >> BOX_INNERMOST) + 1;
		m->element_strides[k] = (e.element_strides >> 3 * k & 7) + 1;
	}
	for (u32 k = 0; k + 1 < TENSOR_RANK; k++)
		m->strides[k] = (e.strides_low[k] | (u64)(e.strides_high >> 4 * k & 15) << 32) << STRIDE_UNIT;
	for (u32 k = 0; k < 3; k++) {
		m->lower[k] = e.lower[k];
		m->upper[k] = e.upper[k];
	}
	return true;
}

static const char *wrong_im2col(const struct tensor_map *m)
{
	/* The corners' range shrinks with the number of spatial dimensions. */
	static const s32 limits[] = {1 << 15, 1 << 7, 1 << 4};

	if (m->rank < 3)
		return "the im2col mode needs a rank of at least 3";
	for (u32 k = 0; k + 2 < m->rank; k++) {
		const s32 limit = limits[m->rank - 3];
		if (m->lower[k] < -limit || m->lower[k] >= limit || m->upper[k] < -limit || m->upper[k] >= limit)
			return "a corner of the bounding box is out of range";
	}
	if (!m->channels || m->channels > 256)
		return "channels are 1 to 256";
	if (!m->pixels || m->pixels > 1024)
		return "pixels are 1 to 1024";
	return NULL;
}

static const char *wrong_modes(const struct tensor_map *m)
{
	const u32 inner = (m->im2col ? m->channels : m->box[0]) * tensor_type_bytes(m->type);
	const bool is_float = m->type >= TENSOR_F16;

	if (m->type >= TENSOR_TYPES || m->interleave > TENSOR_INTERLEAVE_32B || m->swizzle > TENSOR_SWIZZLE_128B)
		return "the element type, the interleave or the swizzle is not known";
	if (m->fills_nan && !is_float)
		return "NaN fills elements of floating-point types only";
	if (m->interleave && m->rank < 3)
		return "an interleaved layout needs a rank of at least 3";
	if (m->interleave == TENSOR_INTERLEAVE_32B && m->swizzle != TENSOR_SWIZZLE_32B)
		return "interleave 32B goes with swizzle 32B";
	if (m->interleave)
		return NULL;
	if (inner % 16)
		return "a row of the box is not a multiple of 16 bytes";
	return m->swizzle && inner > tensor_swizzle_span(m->swizzle)
		       ? "a row of the box is longer than the swizzle's span"
		       : NULL;
}

const char *tensor_map_wrong(const struct tensor_map *m)
{
	const u32 align = m->interleave == TENSOR_INTERLEAVE_32B ? 32 : 16;

	if (m->rank < 1 || m->rank > TENSOR_RANK)
		return "the rank is 1 to 5";
	if (!m->address || m->address % align)
		return "the address is not aligned to 16 bytes (32 with interleave 32B)";
	for (u32 k = 0; k < m->rank; k++) {
		if (!m->dims[k] || m->dims[k] > 1ull << 32)
			return "a dimension is 1 to 2^32";
		if (k && (m->strides[k - 1] % align || m->strides[k - 1] >= 1ull << 40))
			return "a stride is not a multiple of 16 (32 with interleave 32B), or 2^40 or more";
		if (!m->element_strides[k] || m->element_strides[k] > 8)
			return "element strides are 1 to 8";
		if (!m->im2col && (!m->box[k] || m->box[k] > 256))
			return "sides of the box are 1 to 256";
	}
	const char *wrong = m->im2col ? wrong_im2col(m) : NULL;
	return wrong ? wrong : wrong_modes(m);
}

const char *tensor_map_encode(const struct tensor_map *m, u8 bytes[TENSOR_MAP_BYTES])
{
	const char *wrong = tensor_map_wrong(m);

	if (!wrong)
		tensor_map_store(m, bytes);
	return wrong;
}

/* --- Text ----------------------------------------------------------------------------------- */

/* What a text of a map is read into. */
struct reading {
	struct tensor_map *map;
	u32 *buffer;
	u64 *offset;
};

/* The number of `text` in a NULL-terminated list, or -1. */
static s32 find_word(const char *const *words, const char *text, size_t length)
{
	for (s32 k = 0; words[k]; k++)
		if (strlen(words[k]) == length && !memcmp(words[k], text, length))
			return k;
	return -1;
}

/* Up to `most` numbers split by x; how many, or -1. */
static s32 read_list(const char *text, size_t length, s64 *numbers, u32 most)
{
	const char *end = text + length;
	s32 count = 0;

	while (text < end) {
		char *after;
		if ((u32)count == most)
			return -1;
		numbers[count++] = strtoll(text, &after, 10);
		if (after == text || after > end || (after < end && *after != 'x'))
			return -1;
		text = after < end ? after + 1 : after;
	}
	return count;
}

/* Fields whose value is a word. *known: the key is one of theirs, so that a wrong word is an error. */
static bool read_word(struct tensor_map *m, const char *key, const char *text, size_t length, bool *known)
{
	static const char *const types[] = {"u8",  "u16",    "u32", "s32",  "u64",  "s64",     "f16",
					    "f32", "f32ftz", "f64", "bf16", "tf32", "tf32ftz", NULL};
	static const char *const interleaves[] = {"none", "16B", "32B", NULL};
	static const char *const swizzles[] = {"none", "32B", "64B", "128B", NULL};
	static const char *const promotions[] = {"none", "64B", "128B", "256B", NULL};
	static const char *const fills[] = {"zero", "nan", NULL};
	static const char *const modes[] = {"tile", "im2col", NULL};
	static const struct {
		const char *key;
		const char *const *words;
	} fields[] = {{"dtype", types},   {"inter", interleaves}, {"swizzle", swizzles},
		      {"l2", promotions}, {"oob", fills},         {"mode", modes}};
	u8 *const bytes[] = {&m->type, &m->interleave, &m->swizzle, &m->promotion, NULL, NULL};

	for (u32 k = 0; k < COUNT_OF(fields); k++) {
		if (strcmp(fields[k].key, key))
			continue;
		const s32 value = find_word(fields[k].words, text, length);
		*known = true;
		if (bytes[k])
			*bytes[k] = (u8)value;
		else if (k == 4)
			m->fills_nan = value == 1;
		else
			m->im2col = value == 1;
		return value >= 0;
	}
	*known = false;
	return false;
}

/* Fields whose value is numbers. Dimensions that are not given are 1. */
static bool read_numbers(struct reading *r, const char *key, const char *text, size_t length)
{
	struct tensor_map *m = r->map;
	s64 n[TENSOR_RANK] = {0};
	const s32 count = read_list(text, length, n, TENSOR_RANK);

	if (count < 0)
		return false;
	if (!strcmp(key, "dims"))
		m->rank = (u8)count;
	for (u32 k = 0; k < TENSOR_RANK; k++) {
		const bool given = (s32)k < count;
		if (!strcmp(key, "dims"))
			m->dims[k] = given ? (u64)n[k] : 1;
		else if (!strcmp(key, "strides") && k < TENSOR_RANK - 1)
			m->strides[k] = (u64)n[k];
		else if (!strcmp(key, "box"))
			m->box[k] = given ? (u32)n[k] : 1;
		else if (!strcmp(key, "estr"))
			m->element_strides[k] = given ? (u32)n[k] : 1;
		else if (!strcmp(key, "lower") && k < 3)
			m->lower[k] = (s32)n[k];
		else if (!strcmp(key, "upper") && k < 3)
			m->upper[k] = (s32)n[k];
	}
	if (!strcmp(key, "buf"))
		*r->buffer = (u32)n[0];
	else if (!strcmp(key, "off"))
		*r->offset = (u64)n[0];
	else if (!strcmp(key, "channels"))
		m->channels = (u32)n[0];
	else if (!strcmp(key, "pixels"))
		m->pixels = (u32)n[0];
	return true;
}

/* Reads "dtype=f32,dims=64x32,box=32x8,buf=0,..." as recorded cases write it. False: something is not understood. */
bool tensor_map_parse(const char *text, struct tensor_map *map, u32 *buffer, u64 *offset)
{
	static const char *const numbers[] = {"buf",   "off",   "dims",     "strides", "box", "estr",
					      "lower", "upper", "channels", "pixels",  NULL};
	struct reading r = {.map = map, .buffer = buffer, .offset = offset};

	*map = (struct tensor_map){0};
	*buffer = 0;
	*offset = 0;
	while (*text) {
		char key[16] = "";
		const size_t key_length = strcspn(text, "=,");
		bool known;
		if (key_length >= sizeof key || text[key_length] != '=')
			return false;
		memcpy(key, text, key_length);
		text += key_length + 1;
		const size_t length = strcspn(text, ",");
		if (!read_word(map, key, text, length, &known) &&
		    (known || find_word(numbers, key, key_length) < 0 || !read_numbers(&r, key, text, length)))
			return false;
		text += length + (text[length] == ',');
	}
	return true;
}
