/* SPDX-License-Identifier: Apache-2.0
 *
 * Cubins as modules: see sass/module.h.
 *
 * A cubin becomes an ir_module with one text, which reads like a disassembly and which all positions in messages and
 * breakpoints refer to:
 *
 *      .text.k        a kernel: function with ir_machine, instructions with their addresses
 *      .nv.global     variables, with bytes and relocations as initialisers
 *      .nv.constant3  one variable "c[3]", of which symbols are parts
 *      .rel, .rela    addresses of variables and functions, put in when these are known
 */
#include "sass/module.h"

#include <stdio.h>
#include <string.h>

#include "decode/program.h"
#include "sass/instruction.h"
#include "sass/lines.h"
#include "sass/registers.h"

/* Relocations, by their numbers: see the vendor's names in comments. */
enum relocation {
	RELOCATE_64 = 2,           /* R_CUDA_64 */
	RELOCATE_GENERIC_64 = 4,   /* R_CUDA_G64 */
	RELOCATE_LOW_32 = 56,      /* R_CUDA_ABS32_LO_32 */
	RELOCATE_HIGH_32 = 57,     /* R_CUDA_ABS32_HI_32 */
	RELOCATE_CALL_47 = 58,     /* R_CUDA_ABS47_34 */
	RELOCATE_POINTER_LOW = 62, /* R_CUDA_FUNC_DESC32_LO_32: of a pointer to a function */
	RELOCATE_POINTER_HIGH = 63,
	RELOCATE_CALL_55 = 75, /* R_CUDA_ABS55_16_34 */
	RELOCATE_BYTE_0 = 84,  /* R_CUDA_FUNC_DESC_8_0 and on: one byte of a generic address */
	RELOCATE_BYTE_7 = 91
};
/* From sm_90 on shared memory begins with the system's bytes, whether the file says so or has none. */
enum { SYSTEM_SHARED = 1024 };
/* The first of system_names are the driver's code, which runs in the thread's own registers. */
enum { DRIVER_FUNCTIONS = 4, DRIVER_REGISTERS = 32 };

/* Variables of files that are not linked yet (-rdc) may have a type of the vendor's own. */
static bool is_object(const struct elf_symbol *s)
{
	enum { SYMBOL_OBJECT = 1, SYMBOL_CUDA_OBJECT = 13 };

	return (s->info & 15) == SYMBOL_OBJECT || (s->info & 15) == SYMBOL_CUDA_OBJECT;
}

struct reader {
	struct arena *arena;
	struct strings *strings;
	struct diags *diags;
	struct ir_module *module;
	struct sass_module *m;
	char *text;
	size_t length, capacity;
};

/* Each file may call these; of others, families of names, those that it does call. */
static const char *const system_names[] = {"vprintf", "malloc", "free", "__assertfail", "cudaGraphSetConditional"};

bool sass_is_supplied(const struct elf_symbol *s)
{
	return !s->section || !strncmp(s->name, SASS_DEVICE_RUNTIME, sizeof SASS_DEVICE_RUNTIME - 1);
}

static void find_system_functions(struct sass_module *m)
{
	const struct elf *e = &m->cubin->elf;
	u32 count = COUNT_OF(system_names);

	memcpy(m->system, system_names, sizeof system_names);
	for (u32 k = 0; k < e->symbol_count && count < MACHINE_SYSTEM_FUNCTIONS; k++)
		if (sass_is_supplied(&e->symbols[k]) &&
		    (!strncmp(e->symbols[k].name, SASS_SYSTEM_CALL, sizeof SASS_SYSTEM_CALL - 1) ||
		     !strncmp(e->symbols[k].name, SASS_DEVICE_RUNTIME, sizeof SASS_DEVICE_RUNTIME - 1)))
			m->system[count++] = e->symbols[k].name;
}

const char *sass_system_name(const struct sass_module *m, u64 address)
{
	const u64 k = (address - MACHINE_SYSTEM_BASE) / MACHINE_SYSTEM_STEP;

	return address >= MACHINE_SYSTEM_BASE && k < MACHINE_SYSTEM_FUNCTIONS ? m->system[k] : NULL;
}

bool sass_module_is(const u8 *bytes, size_t size)
{
	return size > 20 && !memcmp(bytes, "\177ELF", 4) && (bytes[18] | bytes[19] << 8) == ELF_MACHINE_CUDA;
}

/* A variable's address, or that of code: functions of the cubin and, by name, of the system. False: neither. */
bool sass_symbol_address(const struct sass_module *m, u32 symbol,
			 u64 (*variable_address)(void *context, const struct ir_variable *v), void *context,
			 u64 *address)
{
	const struct elf_symbol *s = &m->cubin->elf.symbols[symbol];
	const u64 code = address_map(64)->function_base;

	if (m->variables[symbol]) {
		*address = variable_address(context, m->variables[symbol]) +
			   (m->variables[symbol] == m->constants ? s->value : 0);
		return true;
	}
	for (u32 k = 0; k < MACHINE_SYSTEM_FUNCTIONS && m->system[k]; k++)
		if (sass_is_supplied(s) && !strcmp(s->name, m->system[k])) {
			*address = code + MACHINE_SYSTEM_BASE + k * MACHINE_SYSTEM_STEP;
			return true;
		}
	for (u32 k = 0; k < m->section_count; k++)
		if (m->sections[k].function->section == s->section && s->section) {
			*address = code + m->sections[k].base + s->value;
			return true;
		}
	return false;
}

/* --- Text ----------------------------------------------------------------------------------- */

static void put(struct reader *r, const char *text, size_t length)
{
	if (r->length + length + 1 > r->capacity)
		r->text = arena_grow(r->arena, r->text, r->length, &r->capacity, 1);
	while (r->length + length + 1 > r->capacity)
		r->text = arena_grow(r->arena, r->text, r->length, &r->capacity, 1);
	memcpy(r->text + r->length, text, length);
	r->length += length;
	r->text[r->length] = 0;
}

static void put_text(struct reader *r, const char *text) { put(r, text, strlen(text)); }

/* *line is where the instruction itself begins, behind its address: spans of messages point there. */
static void put_instruction(struct reader *r, const u8 *code, u32 address, u32 *line)
{
	char text[SASS_TEXT + 40];
	struct sass_insn i;
	int length = snprintf(text, 40, "        /*%04x*/                   ", address);

	put(r, text, (size_t)length);
	*line = (u32)r->length;
	if (sass_decode(r->m->decoder, read_u64(code), read_u64(code + 8), address, &i))
		length = (int)sass_print(r->m->decoder, &i, text);
	else
		length = snprintf(text, sizeof text, "??? 0x%016llx 0x%016llx", (unsigned long long)read_u64(code),
				  (unsigned long long)read_u64(code + 8));
	put(r, text, (size_t)length);
	put_text(r, " ;\n");
}

static void write_section(struct reader *r, struct sass_section *s)
{
	const u64 count = s->function->code_bytes / SASS_INSN_BYTES;

	put_text(r, s->function->is_kernel ? "\tKernel : " : "\tFunction : ");
	put_text(r, s->function->name);
	put_text(r, "\n");
	s->text = (u32)r->length;
	s->lines = ARENA_ARRAY(r->arena, count + 1, u32);
	for (u64 k = 0; k < count; k++)
		put_instruction(r, s->code + k * SASS_INSN_BYTES, (u32)(k * SASS_INSN_BYTES), &s->lines[k]);
	s->lines[count] = (u32)r->length;
}

/* --- Variables ------------------------------------------------------------------------------ */

/* Linked code may have several variables of one name, of which all but one are local to what was linked. */
static struct ir_variable *new_variable(struct reader *r, const char *name, enum ir_space space, u64 size)
{
	struct ir_variable *v = ARENA_NEW(r->arena, struct ir_variable);
	struct ir_symbol *symbol = ARENA_NEW(r->arena, struct ir_symbol);
	const char *known = strings_intern_text(r->strings, name);
	const bool is_first = !ir_scope_find(r->module->scope, known);

	*v = (struct ir_variable){.name = known,
				  .space = space,
				  .linkage = is_first ? LINK_VISIBLE : LINK_NONE,
				  .type = T_b8,
				  .align = 256,
				  .vector = 1,
				  .size = size,
				  .rank = 1,
				  .dims = {size},
				  .span = {.file = r->module->source}};
	v->index = (u32)r->module->variables.count;
	VEC_PUSH(r->arena, &r->module->variables, v);
	*symbol = (struct ir_symbol){.kind = SYM_VARIABLE, .name = v->name, .variable = v};
	if (is_first)
		ir_scope_enter(r->arena, r->module->scope, symbol);
	return v;
}

static void add_init(struct reader *r, struct ir_variable *v, struct ir_init init)
{
	VEC_PUSH(r->arena, &v->inits, init);
}

/* In pieces of eight bytes; those that are zero need no initialiser. */
static void add_bytes(struct reader *r, struct ir_variable *v, const u8 *bytes, u64 size)
{
	for (u64 at = 0; bytes && at < size; at += 8) {
		struct ir_init init = {.kind = INIT_BYTES, .offset = at, .size = (u32)min_u64(8, size - at)};
		memcpy(&init.bits, bytes + at, init.size);
		if (init.bits)
			add_init(r, v, init);
	}
}

/* The address of a variable is not known yet: the initialiser names it. */
static u64 no_address(void *context, const struct ir_variable *v)
{
	(void)context;
	(void)v;
	return 0;
}

/* A relocation at byte `at` of a variable's bytes.
 * The address of a variable is known only when the program is laid out, so the initialiser names the symbol, and a mask
 * for the one byte that is wanted of it. */
static void relocate(struct reader *r, struct ir_variable *v, u64 at, const struct cubin_relocation *c, const u8 *bytes)
{
	struct ir_init init = {.kind = INIT_BYTES, .offset = at, .size = 8};
	struct ir_variable *named = r->m->variables[c->symbol];
	const bool is_byte = c->type >= RELOCATE_BYTE_0 && c->type <= RELOCATE_BYTE_7;
	u64 address = 0;

	if ((!is_byte && c->type != RELOCATE_64 && c->type != RELOCATE_GENERIC_64) ||
	    !sass_symbol_address(r->m, c->symbol, no_address, NULL, &address))
		return;
	init.addend = c->addend + (c->in_place && bytes && !is_byte ? (s64)read_u64(bytes + at) : 0);
	init.size = is_byte ? 1 : 8;
	if (named) {
		struct ir_symbol *symbol = ARENA_NEW(r->arena, struct ir_symbol);
		*symbol = (struct ir_symbol){.kind = SYM_VARIABLE, .name = named->name, .variable = named};
		init.kind = INIT_ADDRESS;
		init.symbol = symbol;
		init.addend += (s64)address; /* its place in bank 3 */
		init.mask = is_byte ? 0xffull << 8 * (c->type - RELOCATE_BYTE_0) : 0;
	} else {
		init.bits = address + (u64)init.addend;
		if (is_byte)
			init.bits = init.bits >> 8 * (c->type - RELOCATE_BYTE_0) & 0xff;
	}
	add_init(r, v, init);
}

static void relocate_variable(struct reader *r, struct ir_variable *v, u32 section, u64 from, u64 size)
{
	const struct cubin *c = r->m->cubin;
	const u8 *bytes = c->elf.sections[section].bytes;

	for (u32 k = 0; k < c->relocation_count; k++) {
		const struct cubin_relocation *x = &c->relocations[k];
		if (x->section == section && x->offset >= from && x->offset - from < size &&
		    (x->type >= RELOCATE_BYTE_0 || size - (x->offset - from) >= 8))
			relocate(r, v, x->offset - from, x, bytes ? bytes + from : NULL);
	}
}

static bool in_section(const struct cubin *c, const struct elf_symbol *s, const char *prefix)
{
	return s->section && s->section < c->elf.section_count &&
	       !strncmp(c->elf.sections[s->section].name, prefix, strlen(prefix));
}

/* Symbols of a damaged file may lie outside of their section. */
static bool is_whole(const struct cubin *c, const struct elf_symbol *s)
{
	const u64 size = c->elf.sections[s->section].size;

	return s->value <= size && s->size <= size - s->value;
}

static void add_constants(struct reader *r)
{
	const struct cubin *c = r->m->cubin;

	if (!c->bank_bytes[3] || !c->banks[3])
		return;
	struct ir_variable *bank = new_variable(r, "c[3]", SPACE_CONST, c->bank_bytes[3]);
	r->m->constants = bank;
	for (u32 k = 0; k < c->elf.symbol_count; k++) {
		const struct elf_symbol *s = &c->elf.symbols[k];
		if (!in_section(c, s, ".nv.constant3") || !is_whole(c, s))
			continue;
		r->m->variables[k] = bank;
		if (is_object(s) && s->size)
			VEC_PUSH(r->arena, &bank->parts,
				 ((struct ir_part){strings_intern_text(r->strings, s->name), s->value, s->size}));
	}
}

/* Variables first, then their bytes: relocations may name any of them. */
static void add_variables(struct reader *r)
{
	const struct cubin *c = r->m->cubin;

	r->m->variables = ARENA_ARRAY(r->arena, c->elf.symbol_count + 1ull, struct ir_variable *);
	add_constants(r);
	for (u32 k = 0; k < c->elf.symbol_count; k++) {
		const struct elf_symbol *s = &c->elf.symbols[k];
		if (is_object(s) && in_section(c, s, ".nv.global") && is_whole(c, s) && s->size)
			r->m->variables[k] = new_variable(r, s->name, SPACE_GLOBAL, s->size);
	}
	for (u32 k = 0; k < c->elf.symbol_count; k++) {
		const struct elf_symbol *s = &c->elf.symbols[k];
		struct ir_variable *v = r->m->variables[k];
		if (!v || v == r->m->constants)
			continue;
		const struct elf_section *section = &c->elf.sections[s->section];
		add_bytes(r, v, section->bytes ? section->bytes + s->value : NULL, s->size);
		relocate_variable(r, v, s->section, s->value, s->size);
	}
	if (!r->m->constants)
		return;
	add_bytes(r, r->m->constants, c->banks[3], c->bank_bytes[3]);
	for (u32 k = 0; k < c->elf.section_count; k++)
		if (!strcmp(c->elf.sections[k].name, ".nv.constant3"))
			relocate_variable(r, r->m->constants, k, 0, c->bank_bytes[3]);
}

/* --- Code ----------------------------------------------------------------------------------- */

static void put_bits(u8 *insn, u32 low, u32 width, u64 value)
{
	for (u32 k = 0; k < width; k++) {
		const u32 bit = low + k;
		insn[bit / 8] = (u8)((insn[bit / 8] & ~(1u << bit % 8)) | (u32)(value >> k & 1) << bit % 8);
	}
}

/* False: what relocations of that type change is not known. */
static bool relocate_code(u8 *insn, u32 type, u64 value)
{
	switch (type) {
	case RELOCATE_LOW_32:
	case RELOCATE_POINTER_LOW:
		put_bits(insn, 32, 32, value);
		break;
	case RELOCATE_HIGH_32:
	case RELOCATE_POINTER_HIGH:
		put_bits(insn, 32, 32, value >> 32);
		break;
	case RELOCATE_CALL_47:
		put_bits(insn, 34, 47, value >> 2);
		break;
	case RELOCATE_CALL_55:
		put_bits(insn, 16, 8, value >> 2);
		put_bits(insn, 34, 47, value >> 10);
		break;
	default:
		return false;
	}
	return true;
}

/* Whether a relocation is of an instruction of the section. */
static bool is_in_code(const struct sass_section *s, const struct cubin_relocation *x)
{
	return x->section == s->function->section && x->offset % SASS_INSN_BYTES == 0 &&
	       x->offset + SASS_INSN_BYTES <= s->function->code_bytes;
}

/* Copies the code if it is to be changed. Addresses of variables are not known yet: sass_code_at puts them in. */
static void add_code(struct reader *r, struct sass_section *s)
{
	const struct cubin *c = r->m->cubin;
	u8 *copy = NULL;

	s->code = s->function->code;
	for (u32 k = 0; k < c->relocation_count; k++) {
		const struct cubin_relocation *x = &c->relocations[k];
		u64 address;
		if (!is_in_code(s, x))
			continue;
		if (!sass_symbol_address(r->m, x->symbol, no_address, NULL, &address) || r->m->variables[x->symbol]) {
			VEC_PUSH(r->arena, &s->patches, x);
			continue;
		}
		if (!copy) {
			copy = arena_alloc(r->arena, s->function->code_bytes);
			memcpy(copy, s->code, s->function->code_bytes);
			s->code = copy;
		}
		if (!relocate_code(copy + x->offset, x->type, address + (u64)x->addend))
			VEC_PUSH(r->arena, &s->patches, x);
	}
}

u32 sass_code_at(const struct sass_module *m, const struct sass_section *s, u32 offset,
		 u64 (*variable_address)(void *context, const struct ir_variable *v), void *context,
		 u8 insn[SASS_INSN_BYTES])
{
	u32 unknown = 0;

	memcpy(insn, s->code + offset, SASS_INSN_BYTES);
	for (size_t k = 0; k < s->patches.count; k++) {
		const struct cubin_relocation *x = s->patches.items[k];
		u64 address;
		if (x->offset == offset && (!sass_symbol_address(m, x->symbol, variable_address, context, &address) ||
					    !relocate_code(insn, x->type, address + (u64)x->addend)))
			unknown = x->type;
	}
	return unknown;
}

static bool add_sections(struct reader *r)
{
	const struct cubin *c = r->m->cubin;
	u64 base = 0;

	r->m->section_count = c->function_count;
	r->m->sections = ARENA_ARRAY(r->arena, c->function_count + 1ull, struct sass_section);
	for (u32 k = 0; k < c->function_count; k++) {
		r->m->sections[k] = (struct sass_section){.function = &c->functions[k], .base = (u32)base};
		base += (c->functions[k].code_bytes + 255) & ~255ull;
		if (base >= MACHINE_SYSTEM_BASE)
			return false;
	}
	return true;
}

/* --- Kernels -------------------------------------------------------------------------------- */

static void add_params(struct reader *r, struct ir_function *f, const struct cubin_function *c, u32 *offsets)
{
	static const u16 types[] = {[1] = T_b8, [2] = T_b16, [4] = T_b32, [8] = T_b64};

	for (u32 k = 0; k < c->param_count; k++) {
		const u32 size = c->params[k].size;
		const bool is_scalar = size == 1 || size == 2 || size == 4 || size == 8;
		struct ir_variable *v = ARENA_NEW(r->arena, struct ir_variable);
		char name[24];

		snprintf(name, sizeof name, "param_%u", k);
		*v = (struct ir_variable){.name = strings_intern_text(r->strings, name),
					  .space = SPACE_PARAM,
					  .type = is_scalar ? types[size] : (u16)T_b8,
					  .align = is_scalar  ? size
						   : size % 8 ? 4
							      : 8,
					  .vector = 1,
					  .size = size,
					  .rank = !is_scalar,
					  .dims = {size},
					  .owner = f,
					  .index = k,
					  .span = f->span};
		offsets[k] = c->params[k].offset;
		VEC_PUSH(r->arena, &f->params, v);
		VEC_PUSH(r->arena, &f->param_registers, NULL);
	}
}

/* The section's instructions, of which the text says where they are. */
static void add_body(struct reader *r, struct ir_function *f, const struct sass_section *s)
{
	const u64 count = s->function->code_bytes / SASS_INSN_BYTES;

	for (u64 k = 0; k < count; k++) {
		const u32 begin = s->lines[k];
		const char *text = r->text + begin;
		size_t length = strcspn(text, "\n"), opcode = 0, skip = 0;

		length = length > 2 ? length - 2 : length;
		if (*text == '@')
			skip = strcspn(text, " ") + 1;
		opcode = strcspn(text + skip, " .\n");
		const struct span all = {.file = r->module->source, .begin = begin, .end = begin + (u32)length},
				  word = {.file = r->module->source,
					  .begin = begin + (u32)skip,
					  .end = begin + (u32)(skip + opcode)};
		const struct ir_instruction x = {.opcode = strings_intern(r->strings, text + skip, opcode),
						 .span = all,
						 .opcode_span = word,
						 .scope = f->scope,
						 .loc = s->locs ? s->locs[k] : 0,
						 .address = s->base + (u32)(k * SASS_INSN_BYTES)};
		VEC_PUSH(r->arena, &f->body, x);
	}
}

/* What a thread of the kernel is granted. The driver's vprintf, malloc, free and __assertfail need DRIVER_REGISTERS, an H200's
 * counters say (launch__registers_per_thread of five kernels whose own need is 25 to 44). */
static u32 granted_registers(const struct cubin *c, const struct cubin_function *f)
{
	const struct elf *e = &c->elf;

	for (u32 k = 0; f->registers && k < f->extern_count; k++) {
		const u32 symbol = read_u32(f->externs + 4 * k);
		const char *name = symbol < e->symbol_count ? e->symbols[symbol].name : "";

		for (u32 n = 0; n < DRIVER_FUNCTIONS; n++)
			if (!strcmp(name, system_names[n]))
				return max_u32(f->registers, DRIVER_REGISTERS);
	}
	return f->registers;
}

u32 sass_stated_registers(const struct ir_machine *machine)
{
	const struct sass_kernel *k = machine->kernel;

	return k->module->sections[k->section].function->registers;
}

static void add_kernel(struct reader *r, u32 section)
{
	const struct sass_section *s = &r->m->sections[section];
	const struct cubin_function *c = s->function;
	struct ir_function *f = ARENA_NEW(r->arena, struct ir_function);
	struct ir_machine *machine = ARENA_NEW(r->arena, struct ir_machine);
	struct sass_kernel *kernel = ARENA_NEW(r->arena, struct sass_kernel);
	u32 *offsets = ARENA_ARRAY(r->arena, c->param_count + 1ull, u32);

	*f = (struct ir_function){.name = strings_intern_text(r->strings, c->name),
				  .is_entry = true,
				  .has_body = true,
				  .linkage = LINK_VISIBLE,
				  .scope = ARENA_NEW(r->arena, struct ir_scope),
				  .module = r->module,
				  .span = {.file = r->module->source, .begin = s->text, .end = s->text},
				  .machine = machine};
	memcpy(f->limits.required_threads, c->required_block, sizeof c->required_block);
	memcpy(f->limits.max_threads, c->most_block, sizeof c->most_block);
	memcpy(f->limits.required_cluster, c->cluster, sizeof c->cluster);
	f->limits.blocks_are_clusters = c->blocks_are_clusters && c->cluster[0];
	*kernel = (struct sass_kernel){
		.module = r->m, .section = section, .is_placed = ARENA_ARRAY(r->arena, r->m->section_count + 1ull, u8)};
	*machine = (struct ir_machine){.sm = r->m->cubin->sm,
				       .address = s->base,
				       .registers = granted_registers(r->m->cubin, c),
				       /* What is not linked yet says only what it needs itself. */
				       .stack_bytes = max_u64(c->stack_bytes, c->frame_bytes),
				       .shared_bytes = r->m->cubin->sm >= 90 ? max_u64(c->shared_bytes, SYSTEM_SHARED)
									     : c->shared_bytes,
				       .param_base = c->param_base,
				       .param_bytes = c->param_bytes,
				       .param_offsets = offsets,
				       .kernel = kernel};
	add_params(r, f, c, offsets);
	for (u32 k = 0; k < r->m->section_count; k++)
		if (k == section || !r->m->sections[k].function->is_kernel) {
			kernel->is_placed[k] = 1;
			add_body(r, f, &r->m->sections[k]);
		}
	VEC_PUSH(r->arena, &r->module->functions, f);
}

static void read_code(struct reader *r)
{
	char head[80];
	const struct cubin *c = r->m->cubin;

	snprintf(head, sizeof head, "\tcode for %s\n", r->module->target);
	put_text(r, head);
	for (u32 k = 0; k < r->m->section_count; k++) {
		add_code(r, &r->m->sections[k]);
		write_section(r, &r->m->sections[k]);
	}
	(void)c;
}

static bool read_cubin(struct reader *r, const u8 *bytes, size_t size)
{
	const struct span all = {.file = r->module->source};
	struct cubin *c = ARENA_NEW(r->arena, struct cubin);
	const char *why = "";

	if (!cubin_read(r->arena, bytes, size, c, &why))
		return diag_error(r->diags, all, "%s", why), false;
	r->m->cubin = c;
	r->m->decoder = sass_decoder_new(r->arena, c->sm);
	find_system_functions(r->m);
	if (!r->m->decoder)
		return diag_error(r->diags, all, "machine code of sm_%u cannot be read", c->sm), false;
	r->module->arch = c->sm;
	r->module->target =
		strings_intern_text(r->strings, arena_printf(r->arena, "sm_%u%s", c->sm, c->accelerated ? "a" : ""));
	if (!add_sections(r))
		return diag_error(r->diags, all, "there is too much code"), false;
	return true;
}

struct ir_module *sass_module_read(struct arena *arena, struct strings *strings, struct diags *diags, const char *name,
				   const u8 *bytes, size_t size)
{
	struct ir_module *module = ARENA_NEW(arena, struct ir_module);
	struct reader r = {arena, strings, diags, module, ARENA_NEW(arena, struct sass_module), NULL, 0, 0};

	*module = (struct ir_module){.arena = arena,
				     .strings = strings,
				     .sources = diags->sources,
				     .source = (u32)diags->sources->files.count,
				     .is_sass = true,
				     .target = "sm_90",
				     .address_bits = 64,
				     .scope = ARENA_NEW(arena, struct ir_scope)};
	put_text(&r, "");
	if (!read_cubin(&r, bytes, size)) {
		source_add(diags->sources, name, "", 0);
		return module;
	}
	add_variables(&r);
	read_code(&r);
	sass_read_lines(module, r.m, name);
	source_add(diags->sources, name, r.text, r.length);
	for (u32 k = 0; k < r.m->section_count; k++)
		if (r.m->sections[k].function->is_kernel)
			add_kernel(&r, k);
	sass_name_registers(module);
	return module;
}
