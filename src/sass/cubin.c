/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading cubins: the sections by their names, and the attributes of .nv.info (records of a format, a code and a length).
 *
 *      ELF            .text.KERNEL           code, 16 bytes an instruction
 *                     .nv.info.KERNEL        attributes: parameters, limits on blocks, barriers
 *                     .nv.info               attributes of all functions: registers, stack
 *                     .nv.constant0.KERNEL   parameters; 2: jump tables; 3: variables; 4: addresses
 *                     .nv.shared.KERNEL      shared memory
 *                     .nv.compat             whether the target is sm_90 or sm_90a
 *
 * Files come from anywhere: each offset and size is checked against its section before it is used.
 */
#include "sass/cubin.h"

#include <stdlib.h>
#include <string.h>

enum attribute {
	ATTRIBUTE_REQUIRED_BLOCK = 0x10,
	ATTRIBUTE_MOST_BLOCK = 0x05,
	ATTRIBUTE_PARAM_CBANK = 0x0a,
	ATTRIBUTE_EXTERNS = 0x0f,
	ATTRIBUTE_FRAME_SIZE = 0x11,
	ATTRIBUTE_MIN_STACK_SIZE = 0x12,
	ATTRIBUTE_KPARAM_INFO = 0x17,
	ATTRIBUTE_REGCOUNT = 0x2f,
	ATTRIBUTE_CTA_PER_CLUSTER = 0x3d,
	ATTRIBUTE_KPARAM_INFO_LARGE =
		0x45, /* where one has more than 4,095 bytes: its size in place of what points where */
	ATTRIBUTE_NUM_BARRIERS = 0x4c,
	ATTRIBUTE_BLOCKS_ARE_CLUSTERS = 0x5b,
};

enum { COMPATIBILITY_ACCELERATED = 9 };

enum { FORMAT_BYTE = 2, FORMAT_HALF = 3, FORMAT_DATA = 4, SYMBOL_KERNEL = 0x10, SYMBOL_FUNCTION = 2 };

static bool fail(const char **why, const char *text)
{
	*why = text;
	return false;
}

/* What follows a prefix, or NULL. */
static const char *behind(const char *name, const char *prefix)
{
	const size_t length = strlen(prefix);

	return strncmp(name, prefix, length) ? NULL : name + length;
}

static struct cubin_function *find(struct cubin *c, const char *name)
{
	for (u32 k = 0; k < c->function_count; k++)
		if (!strcmp(c->functions[k].name, name))
			return &c->functions[k];
	return NULL;
}

const struct cubin_function *cubin_find(const struct cubin *c, const char *name)
{
	for (u32 k = 0; k < c->function_count; k++)
		if (!strcmp(c->functions[k].name, name))
			return &c->functions[k];
	return NULL;
}

/* --- Attributes ----------------------------------------------------------------------------- */

struct record {
	u8 format, code;
	u32 value; /* of FORMAT_BYTE and FORMAT_HALF */
	const u8 *data;
	u32 bytes; /* of FORMAT_DATA */
};

/* The record at `at`, and behind it; false at the end and where it does not fit. */
static bool next_record(const struct elf_section *s, u64 *at, struct record *r)
{
	if (s->size < 4 || *at > s->size - 4)
		return false;
	r->format = s->bytes[*at];
	r->code = s->bytes[*at + 1];
	r->value = read_u16(s->bytes + *at + 2);
	r->bytes = r->format == FORMAT_DATA ? r->value : 0;
	if (r->format == FORMAT_BYTE)
		r->value &= 0xff;
	*at += 4;
	r->data = s->bytes + *at;
	if (r->bytes > s->size - *at)
		return false;
	*at += r->bytes;
	return true;
}

static void read_three(const struct record *r, u32 to[3])
{
	for (u32 k = 0; k < 3 && 4 * k + 4 <= r->bytes; k++)
		to[k] = read_u32(r->data + 4 * k);
}

/* Ordinals may come in any order; the array grows to the greatest. */
static void read_param(struct arena *a, struct cubin_function *f, const struct record *r)
{
	const u32 ordinal = r->bytes >= 12 ? read_u16(r->data + 4) : UINT32_MAX;

	if (ordinal >= 4096) /* 32,764 bytes at most, of a byte each: more is not a kernel's */
		return;
	if (ordinal >= f->param_count) {
		struct cubin_param *more = ARENA_ARRAY(a, ordinal + 1, struct cubin_param);

		if (f->param_count)
			memcpy(more, f->params, f->param_count * sizeof *more);
		f->params = more;
		f->param_count = ordinal + 1;
	}
	const u32 last = read_u32(r->data + 8);
	f->params[ordinal] = (struct cubin_param){ordinal, read_u16(r->data + 6),
						  r->code == ATTRIBUTE_KPARAM_INFO ? last >> 18 : last & 0xffff};
}

/* Attributes that are not needed to run the code are skipped. */
static void read_function_attributes(struct arena *a, struct cubin_function *f, const struct elf_section *s)
{
	struct record r;
	u64 at = 0;

	while (next_record(s, &at, &r))
		switch (r.code) {
		case ATTRIBUTE_KPARAM_INFO:
		case ATTRIBUTE_KPARAM_INFO_LARGE:
			read_param(a, f, &r);
			break;
		case ATTRIBUTE_PARAM_CBANK:
			if (r.bytes >= 8) {
				f->param_base = read_u16(r.data + 4);
				f->param_bytes = read_u16(r.data + 6);
			}
			break;
		case ATTRIBUTE_EXTERNS:
			f->externs = r.data;
			f->extern_count = r.bytes / 4;
			break;
		case ATTRIBUTE_NUM_BARRIERS:
			f->barriers = r.value;
			break;
		case ATTRIBUTE_BLOCKS_ARE_CLUSTERS:
			f->blocks_are_clusters = true;
			break;
		case ATTRIBUTE_REQUIRED_BLOCK:
			read_three(&r, f->required_block);
			break;
		case ATTRIBUTE_MOST_BLOCK:
			read_three(&r, f->most_block);
			break;
		case ATTRIBUTE_CTA_PER_CLUSTER:
			read_three(&r, f->cluster);
			break;
		default:
			break;
		}
}

/* .nv.info: each record names its function by a symbol. */
static void read_module_attributes(struct cubin *c, const struct elf_section *s)
{
	struct record r;
	u64 at = 0;

	while (next_record(s, &at, &r)) {
		const u32 symbol = r.bytes >= 8 ? read_u32(r.data) : UINT32_MAX;
		struct cubin_function *f = symbol < c->elf.symbol_count ? find(c, c->elf.symbols[symbol].name) : NULL;
		const u32 value = f ? read_u32(r.data + 4) : 0;

		if (!f)
			continue;
		switch (r.code) {
		case ATTRIBUTE_REGCOUNT:
			f->registers = value;
			break;
		case ATTRIBUTE_FRAME_SIZE:
			f->frame_bytes = value;
			break;
		case ATTRIBUTE_MIN_STACK_SIZE:
			f->stack_bytes = value == UINT32_MAX ? 0 : value; /* how deep recursion goes, nobody knows */
			break;
		default:
			break;
		}
	}
}

/* .nv.compat: whether the code is of this target only, sm_90a and not sm_90. */
static void read_compatibility(struct cubin *c, const struct elf_section *s)
{
	struct record r;
	u64 at = 0;

	while (next_record(s, &at, &r))
		if (r.code == COMPATIBILITY_ACCELERATED)
			c->accelerated = r.value;
}

/* --- Sections ------------------------------------------------------------------------------- */

static void add_functions(struct arena *a, struct cubin *c)
{
	u32 count = 0;

	for (u32 k = 0; k < c->elf.section_count; k++)
		count += behind(c->elf.sections[k].name, ".text.") && c->elf.sections[k].bytes;
	c->functions = ARENA_ARRAY(a, count, struct cubin_function);
	for (u32 k = 0; k < c->elf.section_count; k++) {
		const struct elf_section *s = &c->elf.sections[k];
		const char *name = behind(s->name, ".text.");

		if (name && s->bytes)
			c->functions[c->function_count++] = (struct cubin_function){
				.name = name, .section = k, .code = s->bytes, .code_bytes = s->size};
	}
}

static struct cubin_function *function_of_section(struct cubin *c, u32 section)
{
	for (u32 k = 0; k < c->function_count; k++)
		if (c->functions[k].section == section)
			return &c->functions[k];
	return NULL;
}

static int by_offset(const void *a, const void *b)
{
	const struct cubin_routine *x = a, *y = b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Which functions are kernels, and the routines that lie inside their sections.
 * Two passes: count the routines of each function, then enter them; they serve names in disassembly and backtraces. */
static void add_symbols(struct arena *a, struct cubin *c)
{
	for (u32 pass = 0; pass < 2; pass++) {
		for (u32 k = 0; k < c->elf.symbol_count; k++) {
			const struct elf_symbol *s = &c->elf.symbols[k];
			struct cubin_function *f =
				(s->info & 15) == SYMBOL_FUNCTION ? function_of_section(c, s->section) : NULL;

			if (!f)
				continue;
			if (!strcmp(s->name, f->name))
				f->is_kernel = s->other & SYMBOL_KERNEL;
			else if (!pass)
				f->routine_count++;
			else if (s->value <= f->code_bytes)
				f->routines[f->routine_count++] = (struct cubin_routine){s->name, s->value, s->size};
		}
		for (u32 k = 0; k < c->function_count && !pass; k++) {
			c->functions[k].routines = ARENA_ARRAY(a, c->functions[k].routine_count, struct cubin_routine);
			c->functions[k].routine_count = 0;
		}
	}
	for (u32 k = 0; k < c->function_count; k++)
		if (c->functions[k].routine_count)
			qsort(c->functions[k].routines, c->functions[k].routine_count, sizeof(struct cubin_routine),
			      by_offset);
}

/* .nv.constant3 is the module's, .nv.constant0.NAME a function's. */
static void add_bank(struct cubin *c, const struct elf_section *s, const char *number)
{
	char *end;
	const unsigned long bank = strtoul(number, &end, 10);
	struct cubin_function *f = *end == '.' ? find(c, end + 1) : NULL;

	if (end == number || bank >= CUBIN_BANKS || (*end && !f))
		return;
	if (f) {
		f->banks[bank] = s->bytes;
		f->bank_bytes[bank] = s->size;
	} else {
		c->banks[bank] = s->bytes;
		c->bank_bytes[bank] = s->size;
	}
}

static void add_sections(struct arena *a, struct cubin *c)
{
	for (u32 k = 0; k < c->elf.section_count; k++) {
		const struct elf_section *s = &c->elf.sections[k];
		const char *name;
		struct cubin_function *f;

		if ((name = behind(s->name, ".nv.shared.")) && (f = find(c, name)))
			f->shared_bytes = s->size;
		if (!s->bytes)
			continue;
		if ((name = behind(s->name, ".nv.constant")))
			add_bank(c, s, name);
		else if ((name = behind(s->name, ".nv.info.")) && (f = find(c, name)))
			read_function_attributes(a, f, s);
		else if (!strcmp(s->name, ".nv.info"))
			read_module_attributes(c, s);
		else if (!strcmp(s->name, ".nv.compat"))
			read_compatibility(c, s);
	}
}

/* --- Relocations ---------------------------------------------------------------------------- */

static u64 relocation_bytes(const struct elf_section *s)
{
	return !s->bytes ? 0 : s->type == ELF_RELA ? 24 : s->type == ELF_REL ? 16 : 0;
}

static bool add_relocations(struct arena *a, struct cubin *c, const char **why)
{
	u64 count = 0;

	for (u32 k = 0; k < c->elf.section_count; k++)
		if (relocation_bytes(&c->elf.sections[k]))
			count += c->elf.sections[k].size / relocation_bytes(&c->elf.sections[k]);
	c->relocations = ARENA_ARRAY(a, count, struct cubin_relocation);
	for (u32 k = 0; k < c->elf.section_count; k++) {
		const struct elf_section *s = &c->elf.sections[k];
		const u64 bytes = relocation_bytes(s);

		for (u64 at = 0; bytes && at + bytes <= s->size; at += bytes) {
			struct cubin_relocation r = {
				.section = s->info,
				.offset = read_u64(s->bytes + at),
				.type = read_u32(s->bytes + at + 8),
				.symbol = read_u32(s->bytes + at + 12),
				.addend = bytes == 24 ? (s64)read_u64(s->bytes + at + 16) : 0,
				.in_place = bytes == 16,
			};
			if (r.section >= c->elf.section_count || r.symbol >= c->elf.symbol_count)
				return fail(why, "a relocation names a section or symbol that does not exist");
			c->relocations[c->relocation_count++] = r;
		}
	}
	return true;
}

bool cubin_read(struct arena *a, const u8 *bytes, u64 size, struct cubin *to, const char **why)
{
	memset(to, 0, sizeof *to);
	if (!elf_read(a, bytes, size, &to->elf, why))
		return false;
	if (to->elf.machine != ELF_MACHINE_CUDA)
		return fail(why, "not machine code of a GPU");
	/* ABI 7, of older assemblers, has the target in the low byte. */
	to->sm = to->elf.abi_version == 7 ? to->elf.flags & 0xff : to->elf.flags >> 8 & 0xff;
	if (to->sm < 75)
		return fail(why, "machine code of a target before sm_75 cannot be read");
	add_functions(a, to);
	add_symbols(a, to);
	add_sections(a, to);
	return add_relocations(a, to, why);
}
