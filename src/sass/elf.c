/* SPDX-License-Identifier: Apache-2.0
 *
 * ELF64: headers, sections, symbols. Nothing here trusts a number of the file.
 */
#include "sass/elf.h"

#include <string.h>

enum { HEADER_BYTES = 64, SECTION_BYTES = 64, SYMBOL_BYTES = 24, RESERVED_SECTIONS = 0xff00 };

bool elf_is(const u8 *bytes, u64 size) { return size >= 4 && !memcmp(bytes, "\177ELF", 4); }

/* `size` bytes at `offset` lie in the file. */
static bool holds(const struct elf *e, u64 offset, u64 size) { return offset <= e->size && size <= e->size - offset; }

static bool fail(const char **why, const char *text)
{
	*why = text;
	return false;
}

/* The string at `offset` of a string section; "" if it does not end there, or holds what a terminal would obey. */
static const char *string_at(const struct elf_section *s, u64 offset)
{
	if (!s->bytes || offset >= s->size || !memchr(s->bytes + offset, 0, s->size - offset))
		return "";
	const char *text = (const char *)s->bytes + offset;
	for (const char *c = text; *c; c++)
		if ((u8)*c < ' ' || *c == 127)
			return "";
	return text;
}

static bool read_section(const struct elf *e, const u8 *at, struct elf_section *s, const char **why)
{
	const u64 offset = read_u64(at + 24);

	s->type = read_u32(at + 4);
	s->flags = read_u64(at + 8);
	s->size = read_u64(at + 32);
	s->link = read_u32(at + 40);
	s->info = read_u32(at + 44);
	s->entry_bytes = read_u64(at + 56);
	s->name = "";
	s->bytes = NULL;
	if (s->type == ELF_NOBITS || s->type == 0)
		return true;
	if (!holds(e, offset, s->size))
		return fail(why, "a section lies outside the file");
	s->bytes = e->bytes + offset;
	return true;
}

static bool read_sections(struct arena *a, struct elf *e, const char **why)
{
	const u64 at = read_u64(e->bytes + 40);
	const u32 bytes = read_u16(e->bytes + 58), names = read_u16(e->bytes + 62);

	e->section_count = read_u16(e->bytes + 60);
	if (!e->section_count)
		return true;
	if (bytes < SECTION_BYTES || !holds(e, at, (u64)e->section_count * bytes))
		return fail(why, "the section headers lie outside the file");
	e->sections = ARENA_ARRAY(a, e->section_count, struct elf_section);
	for (u32 k = 0; k < e->section_count; k++)
		if (!read_section(e, e->bytes + at + (u64)k * bytes, &e->sections[k], why))
			return false;
	if (names < e->section_count)
		for (u32 k = 0; k < e->section_count; k++)
			e->sections[k].name = string_at(&e->sections[names], read_u32(e->bytes + at + (u64)k * bytes));
	return true;
}

static void read_symbols(struct arena *a, struct elf *e)
{
	const struct elf_section *table = NULL, *strings;

	for (u32 k = 0; k < e->section_count && !table; k++)
		if (e->sections[k].type == ELF_SYMTAB && e->sections[k].bytes)
			table = &e->sections[k];
	if (!table || table->link >= e->section_count)
		return;
	strings = &e->sections[table->link];
	e->symbol_count = (u32)min_u64(table->size / SYMBOL_BYTES, UINT32_MAX);
	e->symbols = ARENA_ARRAY(a, e->symbol_count, struct elf_symbol);
	for (u32 k = 0; k < e->symbol_count; k++) {
		const u8 *at = table->bytes + (u64)k * SYMBOL_BYTES;

		e->symbols[k] = (struct elf_symbol){
			.name = string_at(strings, read_u32(at)),
			.info = at[4],
			.other = at[5],
			.section = read_u16(at + 6),
			.value = read_u64(at + 8),
			.size = read_u64(at + 16),
		};
	}
}

bool elf_read(struct arena *a, const u8 *bytes, u64 size, struct elf *to, const char **why)
{
	memset(to, 0, sizeof *to);
	to->bytes = bytes;
	to->size = size;
	if (!elf_is(bytes, size))
		return fail(why, "not an ELF file");
	if (size < HEADER_BYTES)
		return fail(why, "the file ends in the ELF header");
	if (bytes[4] != 2 || bytes[5] != 1)
		return fail(why, "not a 64-bit little-endian ELF file");
	to->abi = bytes[7];
	to->abi_version = bytes[8];
	to->type = read_u16(bytes + 16);
	to->machine = read_u16(bytes + 18);
	to->flags = read_u32(bytes + 48);
	if (!read_sections(a, to, why))
		return false;
	read_symbols(a, to);
	return true;
}

const struct elf_section *elf_find(const struct elf *e, const char *name)
{
	for (u32 k = 0; k < e->section_count; k++)
		if (!strcmp(e->sections[k].name, name))
			return &e->sections[k];
	return NULL;
}
