/* SPDX-License-Identifier: Apache-2.0
 *
 * Debug sections of cubins: see sass/variables.h.
 */
#include "sass/variables.h"

#include <stdlib.h>
#include <string.h>

#include "sass/module.h"
#include "sass/registers.h"

enum { NO_REGISTER = 0xffff, SYMBOL_SECTION = 3 };

/* --- Sections ----------------------------------------------------------------------------------- */

/* The function that the symbol lies in, and where; NULL: it is no code. */
static const struct sass_section *code_of(const struct sass_module *m, const struct elf_symbol *s)
{
	for (u32 k = 0; k < m->section_count; k++)
		if (s->section && m->sections[k].function->section == s->section)
			return &m->sections[k];
	return NULL;
}

/* Code is named by its function, constants by the bank that they are parts of, other variables by themselves. */
static struct dwarf_reference reference_of(const struct ir_module *module, const struct sass_module *m,
					   const struct cubin_relocation *x)
{
	const struct elf_symbol *s = &m->cubin->elf.symbols[x->symbol];
	const struct sass_section *code = code_of(m, s);
	const struct ir_variable *v = m->variables[x->symbol];
	struct dwarf_reference r = {.at = (u32)x->offset, .addend = x->addend};

	if (code) {
		r.symbol = strings_intern_text(module->strings, code->function->name);
		r.addend += (s64)s->value;
	} else if (v) {
		r.symbol = v->name;
		r.addend += v == m->constants ? (s64)s->value : 0;
	} else {
		r.symbol = strings_intern_text(module->strings, s->name);
	}
	return r;
}

/* Places in other debug sections and in shared memory are numbers. The bytes are the copy's. */
static bool put_number(const struct sass_module *m, const struct cubin_relocation *x, struct dwarf_section *to)
{
	const struct elf *e = &m->cubin->elf;
	const struct elf_symbol *s = &e->symbols[x->symbol];
	const char *section = s->section && s->section < e->section_count ? e->sections[s->section].name : "";
	const bool is_debug = (s->info & 15) == SYMBOL_SECTION && !strncmp(section, ".debug_", 7);
	const u32 bytes = is_debug ? 4 : 8;

	if (!is_debug && strncmp(section, ".nv.shared", 10) && strncmp(section, ".nv.constant0", 13))
		return false;
	for (u32 k = 0; k < bytes && x->offset + k < to->size; k++)
		to->bytes[x->offset + k] = (u8)((s->value + (u64)x->addend) >> 8 * k);
	return true;
}

static int by_place(const void *a, const void *b)
{
	const u32 x = ((const struct dwarf_reference *)a)->at, y = ((const struct dwarf_reference *)b)->at;

	return x < y ? -1 : x > y;
}

static void add_section(struct arena *a, const struct ir_module *module, const struct sass_module *m, u32 index,
			struct dwarf_sections *to)
{
	const struct cubin *c = m->cubin;
	const struct elf_section *from = &c->elf.sections[index];
	struct dwarf_section one = {.name = from->name, .size = (u32)from->size};

	one.bytes = arena_alloc(a, from->size + 1);
	memcpy(one.bytes, from->bytes, from->size);
	for (u32 k = 0; k < c->relocation_count; k++) {
		const struct cubin_relocation *x = &c->relocations[k];
		if (x->section != index || x->offset >= one.size || x->in_place || put_number(m, x, &one))
			continue;
		VEC_PUSH(a, &one.references, reference_of(module, m, x));
	}
	if (one.references.count)
		qsort(one.references.items, one.references.count, sizeof *one.references.items, by_place);
	VEC_PUSH(a, &to->list, one);
}

void sass_debug_sections(struct arena *a, const struct ir_function *kernel, struct dwarf_machine *to)
{
	const struct sass_module *m = kernel->machine->kernel->module;
	const struct elf *e = &m->cubin->elf;

	*to = (struct dwarf_machine){0};
	for (u32 k = 0; k < e->section_count; k++)
		if (!strncmp(e->sections[k].name, ".debug_", 7) && e->sections[k].bytes && e->sections[k].size &&
		    e->sections[k].size < UINT32_MAX)
			add_section(a, kernel->module, m, k, &to->sections);
	for (u32 k = 0; k < m->section_count; k++) {
		const char *name = m->sections[k].function->name;
		const struct dwarf_code code = {strings_intern_text(kernel->module->strings, name),
						m->sections[k].base};
		VEC_PUSH(a, &to->functions, code);
	}
}

/* --- Registers ---------------------------------------------------------------------------------- */

/* The files of registers by the upper byte of their numbers, as ptxas writes them. */
static u16 register_of(u32 number)
{
	enum { FILE_PREDICATE = 2, FILE_HALF = 4, FILE_WORD = 5 };
	const u32 file = number >> 24, n = number & 0xffffff;

	if (file == FILE_PREDICATE)
		return n < SASS_PT ? (u16)(SASS_INDEX_P + n) : NO_REGISTER;
	return (file == FILE_WORD || file == FILE_HALF) && n < 255 ? (u16)(SASS_INDEX_R + n) : NO_REGISTER;
}

u16 sass_frame_register(u64 number) { return number <= UINT32_MAX ? register_of((u32)number) : NO_REGISTER; }

/* A text that ends within the section, and what stands behind it. */
static const char *take_text(const u8 **at, const u8 *end)
{
	const char *text = (const char *)*at;
	const u8 *zero = *at < end ? memchr(*at, 0, (size_t)(end - *at)) : NULL;

	*at = zero ? zero + 1 : end;
	return zero ? text : NULL;
}

/* One place: its word's register goes into the list if it is the one that is looked for. False: the section ends. */
static bool take_place(const u8 **at, const u8 *end, const char *name, u32 offset, u16 registers[SASS_WORDS])
{
	if (end - *at < 4)
		return false;
	const u32 word = read_u32(*at);
	*at += 4;
	const char *text = take_text(at, end);
	if (!text || end - *at < 12)
		return false;
	const u32 number = read_u32(*at), from = read_u32(*at + 4), to = read_u32(*at + 8);
	*at += 12;
	if (name && word < SASS_WORDS && offset >= from && offset < to && !strcmp(text, name))
		registers[word] = register_of(number);
	return true;
}

/* The words from the first on that are known: a gap ends them. */
static u32 count_words(const u16 registers[SASS_WORDS])
{
	u32 count = 0;

	while (count < SASS_WORDS && registers[count] != NO_REGISTER)
		count++;
	for (u32 k = count; k < SASS_WORDS; k++)
		if (registers[k] != NO_REGISTER)
			return 0;
	return count;
}

u32 sass_registers_of(const struct ir_function *kernel, u32 index, const char *name, u16 registers[SASS_WORDS])
{
	const struct sass_module *m = kernel->machine->kernel->module;
	const struct elf_section *s = elf_find(&m->cubin->elf, ".nv_debug_info_reg_sass");
	const u32 address = kernel->body.items[index].address;
	u32 in = m->section_count - 1;

	while (in && m->sections[in].base > address)
		in--;
	for (u32 k = 0; k < SASS_WORDS; k++)
		registers[k] = NO_REGISTER;
	const u8 *at = s ? s->bytes : NULL, *end = at ? at + s->size : NULL;
	while (at && at < end) {
		const char *function = take_text(&at, end);
		if (!function || end - at < 4)
			break;
		const bool here = !strcmp(function, m->sections[in].function->name);
		u32 places = read_u32(at);
		at += 4;
		while (places && take_place(&at, end, here ? name : NULL, address - m->sections[in].base, registers))
			places--;
		if (here || places)
			break;
	}
	return count_words(registers);
}
