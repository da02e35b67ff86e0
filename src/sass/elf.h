/* SPDX-License-Identifier: Apache-2.0
 *
 * A little-endian ELF64 file in memory: sections and symbols, every offset and size checked against the bytes that are
 * there. Pointers lead into the bytes, which the caller keeps. Used by the reader of cubins and by the search for
 * them in executables.
 */
#ifndef PTXSIM_SASS_ELF_H
#define PTXSIM_SASS_ELF_H

#include "base/arena.h"

enum { ELF_MACHINE_CUDA = 190, ELF_NOBITS = 8, ELF_SYMTAB = 2, ELF_RELA = 4, ELF_REL = 9 };

struct elf_section {
	const char *name; /* ends within the file */
	u32 type, link, info;
	u64 flags, size, entry_bytes;
	const u8 *bytes; /* size of them; NULL if the file holds none (ELF_NOBITS) */
};

struct elf_symbol {
	const char *name;
	u64 value, size;
	u8 info, other;
	u16 section;
};

struct elf {
	const u8 *bytes;
	u64 size;
	u16 type, machine;
	u32 flags;
	u8 abi, abi_version;
	u32 section_count;
	struct elf_section *sections;
	u32 symbol_count;
	struct elf_symbol *symbols; /* of the first symbol table */
};

bool elf_is(const u8 *bytes, u64 size);
/* False, and `why` in plain words, if the file is broken. Memory is the arena's. */
bool elf_read(struct arena *a, const u8 *bytes, u64 size, struct elf *to, const char **why);
/* NULL if there is none of that name. */
const struct elf_section *elf_find(const struct elf *e, const char *name);

static inline u16 read_u16(const u8 *p) { return (u16)(p[0] | p[1] << 8); }
static inline u32 read_u32(const u8 *p) { return read_u16(p) | (u32)read_u16(p + 2) << 16; }
static inline u64 read_u64(const u8 *p) { return read_u32(p) | (u64)read_u32(p + 4) << 32; }

#endif
