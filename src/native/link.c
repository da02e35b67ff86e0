/* SPDX-License-Identifier: Apache-2.0
 *
 * All objects of a kernel share one mapping:
 *
 *      base    stubs: jumps through the table below, for calls out of the code
 *              .text of the first object, of the second, ...      (readable, executable)
 *      page    table of the services' addresses
 *              instructions and other constants of the first object, of the second, ...  (readable)
 *
 * Offsets and numbers in an object are checked before they are used, as in any file.
 */
#include "native/link.h"

#ifdef NATIVE_HERE
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "native/enter.h"
#include "sem/scattered_list.h"

enum { STUB_BYTES = 8, SECTION_ALIGN = 64, SECTIONS_MAX = 4096 };

/* --- What objects refer to ---------------------------------------------------------------------- */

struct service {
	const char *name;
	u64 address;
};

enum { OWN_SERVICES = 17, SERVICE_COUNT = OWN_SERVICES + SCATTERED_COUNT };

static void list_services(struct service list[SERVICE_COUNT])
{
	const struct native_services *s = &native_services;
	const struct scattered_function *scattered =
		processor_vector_bytes() == 64 ? scattered_list_avx512 : scattered_list_avx2;
	const u64 keep = (uintptr_t)(processor_vector_bytes() == 64 ? native_keep_avx512 : native_keep_avx2);
	const u64 leave =
		(uintptr_t)(processor_vector_bytes() == 64 ? native_keep_or_leave_avx512 : native_keep_or_leave_avx2);
	const struct service all[OWN_SERVICES] = {
		{"native_call", (uintptr_t)s->call},
		{"native_compute", (uintptr_t)s->compute},
		{"native_part", (uintptr_t)s->part},
		{"native_meet", (uintptr_t)s->meet},
		{"native_tell", (uintptr_t)s->tell},
		{"native_part_machine", (uintptr_t)s->part_machine},
		{"native_awaits", (uintptr_t)s->awaits},
		{"native_time", (uintptr_t)s->time},
		{"native_range_slow", (uintptr_t)s->native_range_slow},
		{"memcpy", (uintptr_t)memcpy},
		{"memset", (uintptr_t)memset},
		{"memmove", (uintptr_t)memmove},
		{"native_keep", keep},
		{"native_keep_or_leave", leave},
		{"native_try", (uintptr_t)s->try},
		{"native_try_along", (uintptr_t)s->try_along},
		{"native_try_scaled", (uintptr_t)s->try_scaled},
	};

	memcpy(list, all, sizeof all);
	for (u32 k = 0; k < SCATTERED_COUNT; k++)
		list[OWN_SERVICES + k] = (struct service){scattered[k].name, (uintptr_t)scattered[k].function};
}

/* --- Reading an object -------------------------------------------------------------------------- */

struct object {
	const u8 *start;
	size_t bytes;
	const Elf64_Shdr *sections;
	u32 section_count;
	const Elf64_Sym *symbols;
	u32 symbol_count;
	const char *names; /* of symbols; ends with a NUL */
	size_t names_bytes;
	u64 *addresses; /* by section: where it is in memory; 0: nowhere */
};

static bool within(const struct object *o, u64 offset, u64 bytes)
{
	return offset <= o->bytes && bytes <= o->bytes - offset;
}

static const char *symbol_name(const struct object *o, const Elf64_Sym *s)
{
	return s->st_name < o->names_bytes ? o->names + s->st_name : "";
}

static bool find_symbols(struct object *o)
{
	for (u32 k = 0; k < o->section_count; k++) {
		const Elf64_Shdr *s = &o->sections[k];
		if (s->sh_type != SHT_SYMTAB)
			continue;
		if (s->sh_link >= o->section_count || s->sh_offset % 8 || !within(o, s->sh_offset, s->sh_size))
			return false;
		const Elf64_Shdr *names = &o->sections[s->sh_link];
		if (!within(o, names->sh_offset, names->sh_size) || !names->sh_size ||
		    o->start[names->sh_offset + names->sh_size - 1])
			return false;
		o->symbols = (const Elf64_Sym *)(const void *)(o->start + s->sh_offset);
		o->symbol_count = (u32)(s->sh_size / sizeof *o->symbols);
		o->names = (const char *)o->start + names->sh_offset;
		o->names_bytes = names->sh_size;
		return true;
	}
	return false;
}

static bool is_function(const Elf64_Sym *s)
{
	return ELF64_ST_BIND(s->st_info) == STB_GLOBAL && s->st_shndx != SHN_UNDEF;
}

/* Whether each that others may call is a function, and there is one. */
static bool has_functions(const struct object *o)
{
	u32 count = 0;

	for (u32 k = 0; k < o->symbol_count; k++) {
		const Elf64_Sym *s = &o->symbols[k];
		if (!is_function(s))
			continue;
		if (ELF64_ST_TYPE(s->st_info) != STT_FUNC || s->st_shndx >= o->section_count)
			return false;
		const Elf64_Shdr *section = &o->sections[s->st_shndx];
		if (!(section->sh_flags & SHF_EXECINSTR) || s->st_value >= section->sh_size ||
		    s->st_size > section->sh_size - s->st_value)
			return false;
		count++;
	}
	return count;
}

/* The number of the region that a function is of, with which its name ends. */
static bool region_number(const char *name, u32 *number)
{
	const char *line = strrchr(name, '_');
	u64 n = 0;

	if (!line || !line[1])
		return false;
	for (const char *digit = line + 1; *digit; digit++) {
		if (*digit < '0' || *digit > '9' || n > UINT32_MAX)
			return false;
		n = 10 * n + (u64)(*digit - '0');
	}
	*number = (u32)n;
	return n <= UINT32_MAX;
}

static bool object_open(struct object *o, const struct native_object *from)
{
	Elf64_Ehdr head;

	*o = (struct object){.start = from->start, .bytes = from->bytes};
	if (from->bytes < sizeof head)
		return false;
	memcpy(&head, from->start, sizeof head);
	if (memcmp(head.e_ident, ELFMAG, SELFMAG) || head.e_ident[EI_CLASS] != ELFCLASS64 ||
	    head.e_ident[EI_DATA] != ELFDATA2LSB || head.e_type != ET_REL || head.e_machine != EM_X86_64 ||
	    head.e_shentsize != sizeof(Elf64_Shdr) || head.e_shoff % 8 || head.e_shnum > SECTIONS_MAX ||
	    !within(o, head.e_shoff, head.e_shnum * sizeof(Elf64_Shdr)))
		return false;
	o->sections = (const Elf64_Shdr *)(const void *)(o->start + head.e_shoff);
	o->section_count = head.e_shnum;
	return find_symbols(o) && has_functions(o);
}

size_t object_code_bytes(const struct native_object *object)
{
	struct object o;
	size_t bytes = 0;

	if (!object_open(&o, object))
		return 0;
	for (u32 k = 0; k < o.symbol_count; k++)
		bytes += is_function(&o.symbols[k]) ? o.symbols[k].st_size : 0;
	return bytes;
}

/* --- Placing ------------------------------------------------------------------------------------ */

/* Sections that code needs; tables for unwinding it does not. */
static bool is_loaded(const Elf64_Shdr *s)
{
	return s->sh_flags & SHF_ALLOC && s->sh_type == SHT_PROGBITS && s->sh_size;
}

static bool is_code(const Elf64_Shdr *s) { return s->sh_flags & SHF_EXECINSTR; }

static u64 aligned(u64 n, u64 to) { return (n + to - 1) / to * to; }

/* Offsets in the mapping of what comes next. */
struct extent {
	u64 code, data;
};

/* Gives the sections their offsets from the mapping's start; false: there is something that no region has. */
static bool place_sections(struct object *o, struct extent *to)
{
	for (u32 k = 0; k < o->section_count; k++) {
		const Elf64_Shdr *s = &o->sections[k];
		if (s->sh_flags & SHF_ALLOC && s->sh_flags & SHF_WRITE && s->sh_size)
			return false;
		if (!is_loaded(s))
			continue;
		if (!within(o, s->sh_offset, s->sh_size) || s->sh_addralign > SECTION_ALIGN)
			return false;
		u64 *next = is_code(s) ? &to->code : &to->data;
		*next = aligned(*next, SECTION_ALIGN);
		o->addresses[k] = *next;
		*next += s->sh_size;
	}
	return true;
}

/* --- Relocations -------------------------------------------------------------------------------- */

struct linking {
	struct native_image *image;
	struct service services[SERVICE_COUNT];
	u64 *table; /* of the services' addresses */
};

/* Where a symbol is; *slot: its place in the table of services, or NULL. 0: it is not known. */
static u64 resolve(const struct linking *l, const struct object *o, u64 number, const u64 **slot)
{
	*slot = NULL;
	if (number >= o->symbol_count)
		return 0;
	const Elf64_Sym *s = &o->symbols[number];
	if (s->st_shndx != SHN_UNDEF)
		return s->st_shndx < o->section_count && o->addresses[s->st_shndx] &&
				       s->st_value <= o->sections[s->st_shndx].sh_size
			       ? o->addresses[s->st_shndx] + s->st_value
			       : 0;
	for (u32 k = 0; k < SERVICE_COUNT; k++)
		if (!strcmp(symbol_name(o, s), l->services[k].name)) {
			*slot = l->table + k;
			return (uintptr_t)(l->image->base + k * STUB_BYTES);
		}
	return 0;
}

static bool put_near(u8 *at, u64 target, s64 addend)
{
	const s64 distance = (s64)(target - (uintptr_t)at + (u64)addend); /* of a damaged object, it may wrap */
	const s32 near_ = (s32)distance;

	memcpy(at, &near_, sizeof near_);
	return near_ == distance;
}

static bool relocate_one(const struct linking *l, const struct object *o, const Elf64_Shdr *section, u64 base,
			 const Elf64_Rela *r)
{
	const u32 type = (u32)ELF64_R_TYPE(r->r_info);
	const size_t bytes = type == R_X86_64_64 ? 8 : 4;
	const u64 *slot;
	const u64 target = resolve(l, o, ELF64_R_SYM(r->r_info), &slot);

	if (!target || section->sh_size < bytes || r->r_offset > section->sh_size - bytes)
		return false;
	u8 *at = (u8 *)(uintptr_t)(base + r->r_offset);
	switch (type) {
	case R_X86_64_PC32:
	case R_X86_64_PLT32:
		return put_near(at, target, r->r_addend);
	case R_X86_64_GOTPCREL:
	case R_X86_64_GOTPCRELX:
	case R_X86_64_REX_GOTPCRELX:
		return slot && put_near(at, (uintptr_t)slot, r->r_addend);
	case R_X86_64_64: {
		const u64 value = target + (u64)r->r_addend;
		memcpy(at, &value, sizeof value);
		return true;
	}
	default:
		return false;
	}
}

static bool relocate(const struct linking *l, const struct object *o)
{
	for (u32 k = 0; k < o->section_count; k++) {
		const Elf64_Shdr *s = &o->sections[k];
		if (s->sh_type == SHT_REL)
			return false;
		if (s->sh_type != SHT_RELA || s->sh_info >= o->section_count || !o->addresses[s->sh_info])
			continue;
		if (s->sh_offset % 8 || !within(o, s->sh_offset, s->sh_size))
			return false;
		const Elf64_Rela *list = (const Elf64_Rela *)(const void *)(o->start + s->sh_offset);
		for (u64 n = 0; n < s->sh_size / sizeof *list; n++)
			if (!relocate_one(l, o, &o->sections[s->sh_info], o->addresses[s->sh_info], &list[n]))
				return false;
	}
	return true;
}

/* --- Linking ------------------------------------------------------------------------------------ */

/* jmp *slot(%rip) for each service. */
static bool fill_stubs(const struct linking *l)
{
	bool good = true;

	for (u32 k = 0; k < SERVICE_COUNT; k++) {
		u8 *stub = l->image->base + k * STUB_BYTES;
		l->table[k] = l->services[k].address;
		stub[0] = 0xff;
		stub[1] = 0x25;
		good &= put_near(stub + 2, (uintptr_t)(l->table + k), -4);
	}
	return good;
}

static void fill_sections(struct object *o, const struct native_image *image)
{
	for (u32 k = 0; k < o->section_count; k++) {
		if (!is_loaded(&o->sections[k]))
			continue;
		o->addresses[k] += (uintptr_t)image->base;
		memcpy((void *)(uintptr_t)o->addresses[k], o->start + o->sections[k].sh_offset, o->sections[k].sh_size);
	}
}

/* For those who work on it: PTXSIM_NATIVE_DUMP=perf names regions for perf(1) in /tmp/perf-PID.map. */
static void name_for_perf(const struct object *o, const Elf64_Sym *function, u64 address)
{
	const char *dump = getenv("PTXSIM_NATIVE_DUMP");
	char path[64];

	if (!dump || !strstr(dump, "perf"))
		return;
	snprintf(path, sizeof path, "/tmp/perf-%ld.map", (long)getpid());
	FILE *file = fopen(path, "a");
	if (!file)
		return;
	fprintf(file, "%llx %llx %s\n", (unsigned long long)address, (unsigned long long)function->st_size,
		symbol_name(o, function));
	fclose(file);
}

/* Notes where the functions are; false: one is of no region, or of one that has another. */
static bool take_functions(const struct object *o, native_fn **entries, u32 entry_count)
{
	for (u32 k = 0; k < o->symbol_count; k++) {
		const Elf64_Sym *s = &o->symbols[k];
		u32 number;
		if (!is_function(s))
			continue;
		if (!region_number(symbol_name(o, s), &number) || number >= entry_count || entries[number])
			return false;
		const u64 address = o->addresses[s->st_shndx] + s->st_value;
		entries[number] = (native_fn *)(uintptr_t)address;
		name_for_perf(o, s, address);
	}
	return true;
}

/* The mapping is there, and sections have their offsets in it. */
static bool fill(struct native_image *image, struct object *objects, u32 count, u64 data_at, native_fn **entries,
		 u32 entry_count)
{
	struct linking l = {.image = image, .table = (u64 *)(void *)(image->base + data_at)};
	bool good;

	list_services(l.services);
	good = fill_stubs(&l);
	for (u32 k = 0; k < count && good; k++) {
		struct object *o = &objects[k];
		if (!o->start)
			continue;
		fill_sections(o, image);
		good = relocate(&l, o) && take_functions(o, entries, entry_count);
	}
	return good && !mprotect(image->base, data_at, PROT_READ | PROT_EXEC) &&
	       !mprotect(image->base + data_at, image->bytes - data_at, PROT_READ);
}

static bool open_all(struct object *o, const struct native_object *objects, u32 count)
{
	for (u32 k = 0; k < count; k++) {
		if (!objects[k].bytes)
			continue;
		if (!object_open(&o[k], &objects[k]))
			return false;
		o[k].addresses = calloc(o[k].section_count + 1, sizeof *o[k].addresses);
		if (!o[k].addresses)
			return false;
	}
	return true;
}

/* Where everything goes: the offset of constants; 0: an object cannot be placed. */
static u64 lay_out(struct object *o, u32 count, u64 *bytes)
{
	const u64 page = (u64)sysconf(_SC_PAGESIZE);
	const u64 table = aligned(SERVICE_COUNT * sizeof(u64), SECTION_ALIGN);
	struct extent all = {.code = SERVICE_COUNT * STUB_BYTES};

	/* Twice: constants follow all of the code. */
	for (u32 k = 0; k < count; k++)
		if (o[k].start && !place_sections(&o[k], &all))
			return 0;
	const u64 data_at = aligned(all.code, page);
	all = (struct extent){SERVICE_COUNT * STUB_BYTES, data_at + table};
	for (u32 k = 0; k < count; k++)
		if (o[k].start)
			place_sections(&o[k], &all);
	*bytes = aligned(all.data, page);
	return data_at;
}

bool image_link(struct native_image *image, const struct native_object *objects, u32 count, native_fn **entries,
		u32 entry_count)
{
	struct object *o = calloc(count + 1, sizeof *o);
	u64 bytes = 0, data_at = 0;
	bool good = o && open_all(o, objects, count);

	*image = (struct native_image){0};
	if (good)
		data_at = lay_out(o, count, &bytes);
	if (data_at) {
		void *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (base != MAP_FAILED)
			*image = (struct native_image){base, bytes};
	}
	good = image->base && fill(image, o, count, data_at, entries, entry_count);
	for (u32 k = 0; o && k < count; k++)
		free(o[k].addresses);
	free(o);
	if (!good)
		image_free(image);
	return good;
}

void image_free(struct native_image *image)
{
	if (image->base)
		munmap(image->base, image->bytes);
	*image = (struct native_image){0};
}
#else
bool image_link(struct native_image *image, const struct native_object *objects, u32 count, native_fn **entries,
		u32 entry_count)
{
	(void)image, (void)objects, (void)count, (void)entries, (void)entry_count;
	return false;
}

void image_free(struct native_image *image) { (void)image; }

size_t object_code_bytes(const struct native_object *object)
{
	(void)object;
	return 0;
}
#endif
