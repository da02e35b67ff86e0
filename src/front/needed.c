/* SPDX-License-Identifier: Apache-2.0
 *
 * See needed.h. By the program headers, which executables have even without sections. Every offset comes from the file.
 */
#include "front/needed.h"

#include <string.h>

#include "base/types.h"

enum {
	ELF_64_LITTLE = 0x0102, /* class and order of bytes */
	HEADERS_AT = 32,
	HEADER_BYTES = 54,
	HEADER_COUNT = 56,
	HEADER_LEAST = 56,
	PART_LOADED = 1,
	PART_DYNAMIC = 2,
	ENTRY_BYTES = 16,
	ENTRY_LIBRARY = 1,
	ENTRY_NAMES = 5
};

struct file {
	const char *bytes;
	size_t length;
	u64 headers, header_bytes, header_count;
};

/* A number of the file; 0 beyond its end. */
static u64 number_at(const struct file *f, u64 at, u32 bytes)
{
	u64 value = 0;

	if (at > f->length || bytes > f->length - at)
		return 0;
	memcpy(&value, f->bytes + at, bytes);
	return value;
}

struct part {
	u64 offset, address, bytes;
};

/* The k-th program header, if it is of that type. */
static bool read_part(const struct file *f, u64 k, u32 type, struct part *p)
{
	const u64 at = f->headers + k * f->header_bytes;

	if (number_at(f, at, 4) != type)
		return false;
	*p = (struct part){number_at(f, at + 8, 8), number_at(f, at + 16, 8), number_at(f, at + 32, 8)};
	return p->offset <= f->length && p->bytes <= f->length - p->offset;
}

/* Where in the file the address lies; its length: nowhere. */
static u64 offset_of(const struct file *f, u64 address)
{
	struct part p;

	for (u64 k = 0; k < f->header_count; k++)
		if (read_part(f, k, PART_LOADED, &p) && address - p.address < p.bytes)
			return p.offset + (address - p.address);
	return f->length;
}

/* The value of the next entry with that tag from *at on, which goes behind it; false: there is none. */
static bool next_entry(const struct file *f, const struct part *p, u64 tag, u64 *at, u64 *value)
{
	while (p->bytes >= ENTRY_BYTES && *at <= p->bytes - ENTRY_BYTES) {
		const u64 entry = p->offset + *at;
		*at += ENTRY_BYTES;
		*value = number_at(f, entry + 8, 8);
		if (number_at(f, entry, 8) == tag)
			return true;
	}
	return false;
}

static const char *find_name(const struct file *f, const struct part *dynamic, const char *beginning)
{
	u64 at = 0, value;

	if (!next_entry(f, dynamic, ENTRY_NAMES, &at, &value))
		return NULL;
	const u64 names = offset_of(f, value);
	for (at = 0; next_entry(f, dynamic, ENTRY_LIBRARY, &at, &value);) {
		if (value >= f->length - names)
			continue;
		const char *name = f->bytes + names + value;
		const size_t most = f->length - names - value;
		if (memchr(name, 0, most) && !strncmp(name, beginning, strlen(beginning)))
			return name;
	}
	return NULL;
}

const char *needed_library(const char *bytes, size_t length, const char *beginning)
{
	struct file f = {.bytes = bytes, .length = length};
	struct part dynamic;

	if (length < 64 || memcmp(bytes, "\177ELF", 4) || number_at(&f, 4, 2) != ELF_64_LITTLE)
		return NULL;
	f.headers = number_at(&f, HEADERS_AT, 8);
	f.header_bytes = number_at(&f, HEADER_BYTES, 2);
	f.header_count = number_at(&f, HEADER_COUNT, 2);
	if (f.headers > length || f.header_bytes < HEADER_LEAST)
		return NULL;
	for (u64 k = 0; k < f.header_count; k++)
		if (read_part(&f, k, PART_DYNAMIC, &dynamic))
			return find_name(&f, &dynamic, beginning);
	return NULL;
}
