/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading and writing .npy: a magic, a version, and a Python dictionary of three keys.
 */
#include "script/npy.h"

#include <stdlib.h>
#include <string.h>

static const char MAGIC[] = "\x93NUMPY";
enum { MAGIC_BYTES = 6, HEADER_MAX = 65535 };

static const struct {
	const char *text;
	enum element_type type;
} descriptions[] = {
	{"|u1", ELEMENT_u8},  {"<u1", ELEMENT_u8},  {"<u2", ELEMENT_u16}, {"<u4", ELEMENT_u32}, {"<u8", ELEMENT_u64},
	{"|i1", ELEMENT_s8},  {"<i1", ELEMENT_s8},  {"<i2", ELEMENT_s16}, {"<i4", ELEMENT_s32}, {"<i8", ELEMENT_s64},
	{"<f2", ELEMENT_f16}, {"<f4", ELEMENT_f32}, {"<f8", ELEMENT_f64}, {"|b1", ELEMENT_u8},
};

/* The value of `key` in the header's dictionary: what follows the colon. */
static const char *find_value(const char *header, const char *key)
{
	const char *at = strstr(header, key);

	if (!at || !(at = strchr(at, ':')))
		return NULL;
	return at + 1 + strspn(at + 1, " ");
}

static bool parse_type(const char *at, enum element_type *type)
{
	for (size_t k = 0; k < COUNT_OF(descriptions); k++)
		if (*at && !strncmp(at + 1, descriptions[k].text, 3)) {
			*type = descriptions[k].type;
			return true;
		}
	return false;
}

static const char *parse_shape(const char *at, struct npy *a)
{
	a->rank = 0;
	a->count = 1;
	if (*at++ != '(')
		return "its shape is not a tuple";
	for (;;) {
		char *end;
		at += strspn(at, " ,");
		if (*at == ')')
			break;
		const u64 n = strtoull(at, &end, 10);
		if (end == at)
			return "its shape is not a tuple of numbers";
		if (a->rank == NPY_RANK)
			return "it has more than three dimensions";
		a->dims[a->rank++] = n;
		if (__builtin_mul_overflow(a->count, n, &a->count))
			return "its shape is too large";
		at = end;
	}
	if (a->rank == 0)
		a->dims[a->rank++] = 1;
	return NULL;
}

bool npy_begins(const u8 *bytes, size_t size) { return size >= MAGIC_BYTES && !memcmp(bytes, MAGIC, MAGIC_BYTES); }

const char *npy_parse(const u8 *bytes, size_t size, struct npy *a)
{
	char header[HEADER_MAX + 1];
	size_t start = 10, length;

	if (!npy_begins(bytes, size))
		return "it is no .npy file";
	if (size < 12)
		return "its header is cut short";
	if (bytes[6] == 1) {
		length = bytes[8] | (size_t)bytes[9] << 8;
	} else {
		length = bytes[8] | (size_t)bytes[9] << 8 | (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
		start = 12;
	}
	if (length > HEADER_MAX || length > size - start)
		return "its header is cut short";
	memcpy(header, bytes + start, length);
	header[length] = 0;
	const char *type = find_value(header, "'descr'"), *order = find_value(header, "'fortran_order'");
	const char *shape = find_value(header, "'shape'");
	if (!type || !order || !shape)
		return "its header lacks descr, fortran_order or shape";
	if (!parse_type(type, &a->type))
		return "its element type is not supported (u1 to u8, i1 to i8, f2, f4, f8, little-endian)";
	if (!strncmp(order, "True", 4))
		return "it is in Fortran order";
	const char *wrong = parse_shape(shape, a);
	if (wrong)
		return wrong;
	a->data = bytes + start + length;
	if (a->count > (size - start - length) / element_bytes(a->type))
		return "its data is cut short";
	return NULL;
}

bool npy_write(FILE *f, enum element_type type, u32 rank, const u64 *dims, const u8 *data)
{
	char shape[128], header[256];
	u64 count = 1;
	int used = 0;
	/* bf16 has no name in NumPy: its bits are kept as u2. */
	const char kind = type == ELEMENT_bf16 ? 'u' : element_class(type) == 's' ? 'i' : element_class(type);
	const u32 bytes = element_bytes(type);

	for (u32 k = 0; k < rank; k++) {
		used += snprintf(shape + used, sizeof shape - (size_t)used, "%llu, ", (unsigned long long)dims[k]);
		count *= dims[k];
	}
	int length = snprintf(header, sizeof header, "{'descr': '%c%c%u', 'fortran_order': False, 'shape': (%s), }",
			      bytes == 1 ? '|' : '<', kind, bytes, shape);
	/* Data starts at a multiple of 64, after a newline. */
	while ((10 + length + 1) % 64)
		header[length++] = ' ';
	header[length++] = '\n';
	const u8 start[] = {(u8)length, (u8)(length >> 8)};
	return fwrite(MAGIC, 1, MAGIC_BYTES, f) == MAGIC_BYTES && fwrite("\x01\x00", 1, 2, f) == 2 &&
	       fwrite(start, 1, 2, f) == 2 && fwrite(header, 1, (size_t)length, f) == (size_t)length &&
	       fwrite(data, bytes, count, f) == count;
}
