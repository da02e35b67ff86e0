/* SPDX-License-Identifier: Apache-2.0
 *
 * Two line programs: .debug_line leads to the source, .nv_debug_line_sass to PTX; .nv_debug_ptx_txt has its lines, each
 * ended by a zero.
 */
#include "sass/lines.h"

#include <string.h>

#include "dwarf/line.h"
#include "ir/locate.h"
#include "sass/module.h"

struct reading {
	struct ir_module *module;
	struct sass_module *m;
	u32 elf_section; /* of the line program */
	struct dwarf_lines lines;
	u32 *locs; /* by row: index into module->locs + 1, 0: not made yet */
};

/* The section of that name that has bytes; *index: its number. NULL: there is none. */
static const struct elf_section *find_section(const struct sass_module *m, const char *name, u32 *index)
{
	const struct elf *e = &m->cubin->elf;

	for (u32 k = 0; k < e->section_count; k++)
		if (!strcmp(e->sections[k].name, name) && e->sections[k].bytes) {
			*index = k;
			return &e->sections[k];
		}
	return NULL;
}

/* False: there is no such line program, or it has no rows. */
static bool read_program(struct reading *r, const char *name)
{
	const struct elf_section *s = find_section(r->m, name, &r->elf_section);

	if (!s)
		return false;
	dwarf_read_lines(r->module->arena, s->bytes, s->size, &r->lines);
	return r->lines.rows.count > 0;
}

/* The section of code that a sequence is of, and what is to be added to its addresses: relocations say it. */
static struct sass_section *section_of(const struct reading *r, u64 address_at, u64 *add)
{
	const struct cubin *c = r->m->cubin;

	for (u32 k = 0; k < c->relocation_count; k++) {
		const struct cubin_relocation *x = &c->relocations[k];
		if (x->section != r->elf_section || x->offset != address_at)
			continue;
		const struct elf_symbol *symbol = &c->elf.symbols[x->symbol];
		*add = symbol->value + (u64)x->addend;
		for (u32 n = 0; n < r->m->section_count; n++)
			if (symbol->section && r->m->sections[n].function->section == symbol->section)
				return &r->m->sections[n];
	}
	return NULL;
}

/* Calls what makes a row's number, and gives it to the row's instructions. */
static void fill(struct reading *r, u32 (*number)(struct reading *r, u32 row), u32 *(*list)(struct sass_section *s))
{
	struct sass_section *s = NULL;
	u64 add = 0, known_at = UINT64_MAX;

	for (u32 k = 0; k + 1 < r->lines.rows.count; k++) {
		const struct dwarf_line_row *row = &r->lines.rows.items[k], *next = row + 1;
		if (row->address_at != known_at) {
			known_at = row->address_at;
			s = section_of(r, known_at, &add);
		}
		if (!s || row->ends || next->address_at != known_at)
			continue;
		const u64 count = s->function->code_bytes / SASS_INSN_BYTES;
		const u64 begin = (row->address + add) / SASS_INSN_BYTES;
		const u64 end = min_u64((next->address + add) / SASS_INSN_BYTES, count);
		const u32 value = begin < end ? number(r, k) : 0;
		for (u64 at = begin; at < end; at++)
			list(s)[at] = value;
	}
}

/* --- The source --------------------------------------------------------------------------------- */

static const char *name_at(const struct reading *r, u64 offset)
{
	u32 index;
	const struct elf_section *s = find_section(r->m, ".debug_str", &index);

	if (!s || offset >= s->size || !memchr(s->bytes + offset, 0, s->size - offset))
		return NULL;
	const char *name = (const char *)s->bytes + offset;
	return ir_shown_name(r->module->arena, name, strlen(name));
}

/* Callers stand before what they call: emit() of dwarf/line.c sees to it. */
static u32 loc_of(struct reading *r, u32 row)
{
	const struct dwarf_line_row *x = &r->lines.rows.items[row];
	u32 chain[16], depth = 0;

	for (u32 at = row; depth < COUNT_OF(chain) && !r->locs[at]; at = r->lines.rows.items[at].caller - 1) {
		chain[depth++] = at;
		if (!r->lines.rows.items[at].caller || r->lines.rows.items[at].caller > at)
			break;
	}
	while (depth-- > 0) {
		x = &r->lines.rows.items[chain[depth]];
		const struct ir_loc loc = {.file = x->file,
					   .line = x->line,
					   .column = x->column,
					   .function = x->caller ? name_at(r, x->function) : NULL,
					   .inlined_at =
						   x->caller && x->caller <= chain[depth] ? r->locs[x->caller - 1] : 0,
					   .span = {.file = r->module->source}};
		VEC_PUSH(r->module->arena, &r->module->locs, loc);
		r->locs[chain[depth]] = (u32)r->module->locs.count;
	}
	return r->locs[row];
}

static u32 *locs_of(struct sass_section *s) { return s->locs; }

static void read_source_lines(struct reading *r)
{
	if (!read_program(r, ".debug_line"))
		return;
	for (u32 k = 0; k < r->lines.files.count; k++) {
		const char *path = r->lines.files.items[k];
		const struct ir_file file = {.number = k + 1,
					     .path = ir_shown_name(r->module->arena, path, strlen(path))};
		VEC_PUSH(r->module->arena, &r->module->files, file);
	}
	r->locs = ARENA_ARRAY(r->module->arena, r->lines.rows.count + 1, u32);
	fill(r, loc_of, locs_of);
}

/* --- PTX ---------------------------------------------------------------------------------------- */

static u32 line_of(struct reading *r, u32 row) { return r->lines.rows.items[row].line; }
static u32 *ptx_lines_of(struct sass_section *s) { return s->ptx_lines; }

static void read_ptx_lines(struct reading *r)
{
	u32 index, line = 1;
	const struct elf_section *text = find_section(r->m, ".nv_debug_ptx_txt", &index);

	if (!text || !text->size || text->size > UINT32_MAX || !read_program(r, ".nv_debug_line_sass"))
		return;
	fill(r, line_of, ptx_lines_of);
	for (u64 k = 0; k < text->size; k++)
		line += !text->bytes[k];
	r->m->ptx = (const char *)text->bytes;
	r->m->ptx_starts = ARENA_ARRAY(r->module->arena, line + 1ull, u32);
	r->m->ptx_line_count = line;
	line = 1;
	for (u32 k = 0; k < text->size; k++)
		if (!text->bytes[k])
			r->m->ptx_starts[line++] = k + 1;
	r->m->ptx_starts[line] = (u32)text->size + 1;
}

/* Gives each instruction a source line and a line of PTX, as far as the cubin says them (nvcc -lineinfo, -G). */
void sass_read_lines(struct ir_module *module, struct sass_module *m, const char *name)
{
	struct reading r = {.module = module, .m = m};
	u32 index;

	if (!find_section(m, ".debug_line", &index) && !find_section(m, ".nv_debug_line_sass", &index))
		return;
	for (u32 k = 0; k < m->section_count; k++) {
		const u64 count = m->sections[k].function->code_bytes / SASS_INSN_BYTES;
		m->sections[k].locs = ARENA_ARRAY(module->arena, count + 1, u32);
		m->sections[k].ptx_lines = ARENA_ARRAY(module->arena, count + 1, u32);
	}
	read_source_lines(&r);
	read_ptx_lines(&r);
	m->ptx_name = m->ptx ? arena_printf(module->arena, "%s.ptx", name) : NULL;
}

const char *sass_ptx_name(const struct ir_function *f)
{
	return f->machine ? f->machine->kernel->module->ptx_name : NULL;
}

bool sass_ptx_has(const struct ir_function *f, const char *word)
{
	const struct sass_module *m = f->machine ? f->machine->kernel->module : NULL;

	return m && m->ptx && memmem(m->ptx, m->ptx_starts[m->ptx_line_count] - 1, word, strlen(word));
}

const char *sass_ptx_text(const struct ir_function *f, u32 line, u32 *length)
{
	const struct sass_module *m = f->machine ? f->machine->kernel->module : NULL;

	if (!m || !line || line > m->ptx_line_count)
		return NULL;
	*length = m->ptx_starts[line] - m->ptx_starts[line - 1] - 1;
	return m->ptx + m->ptx_starts[line - 1];
}

/* The line of PTX that an instruction came from, and its text; 0: none. */
u32 sass_ptx_line(const struct ir_function *f, u32 index, const char **text, u32 *length)
{
	const struct sass_module *m = f->machine ? f->machine->kernel->module : NULL;
	u32 k;

	if (!m || !m->ptx || index >= f->body.count)
		return 0;
	const u32 address = f->body.items[index].address;
	for (k = m->section_count - 1; k && m->sections[k].base > address;)
		k--;
	const u32 line = m->sections[k].ptx_lines[(address - m->sections[k].base) / SASS_INSN_BYTES];
	*text = sass_ptx_text(f, line, length);
	return *text ? line : 0;
}
