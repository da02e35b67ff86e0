/* SPDX-License-Identifier: Apache-2.0
 *
 * Sessions: reading texts, building the program, and its memory.
 *
 * What all front ends share, from texts to a program that can be launched:
 *
 *  session_open         tables of instructions for this host's vectors
 *  session_add_file     a text is parsed, a cubin decoded: a module each; errors are collected
 *  session_lower        link the modules, lower kernels (decode/lower.h)
 *  session_build        and put the variables into memory
 *  session_close        frees all: everything but memory and threads lies in one arena
 *
 * Running out of memory jumps to where SESSION_ENTER was called last.
 */
#include "api/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/supplied.h"
#include "base/file.h"
#include "base/demangle.h"
#include "ptxas/ptxas.h"
#include "sass/lower.h"
#include "sass/module.h"

/* The text of a module: offsets in spans are 32-bit, and no compiler writes a file of this size. */
static const size_t TEXT_LIMIT = (size_t)1 << 30;
/* Guest addresses end below bit 47, as on the hardware; 32-bit programs have the low 4 GiB. */
static const u64 MEMORY_MOST = (u64)64 << 30;
static const u64 ADDRESS_LIMIT = (u64)1 << 47;
static const u64 ADDRESS_LIMIT_32 = (u64)1 << 32;

/* What the host has, but not more than MEMORY_MOST unless asked for. */
static u64 default_memory_limit(void)
{
	const long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);

	return pages > 0 && bytes > 0 ? min_u64((u64)pages * (u64)bytes, MEMORY_MOST) : MEMORY_MOST;
}

bool session_open(struct session *s) { return session_open_with(s, NULL); }

/* The variant that the environment asks for, and its families; NULL: this host does not run it. */
static const struct isa_family *const *choose_families(const char **variant)
{
	const char *asked = getenv("PTXSIM_VARIANT");

	if (asked && !*asked)
		asked = NULL;
	*variant = asked ? asked : sem_host_variant();
	return sem_families(asked);
}

/* tables: a session whose tables of instructions are used, too; NULL: they are made. */
bool session_open_with(struct session *s, const struct session *tables)
{
	memset(s, 0, sizeof *s);
	const struct isa_family *const *families = tables ? NULL : choose_families(&s->variant);
	if (!families && !tables) {
		errno = EINVAL;
		return false;
	}
	arena_init(&s->arena, &s->out_of_memory);
	if (SESSION_ENTER(s)) {
		arena_free(&s->arena);
		errno = ENOMEM;
		return false;
	}
	s->memory_limit = default_memory_limit();
	s->sources.arena = &s->arena;
	strings_init(&s->strings, &s->arena);
	diags_init(&s->diags, &s->arena, &s->sources);
	if (tables) {
		s->isa = tables->isa;
		s->variant = tables->variant;
		return true;
	}
	struct isa *isa = isa_build(&s->arena, families);
	isa->sass = isa_build(&s->arena, sem_sass_families(s->variant));
	isa->machine_row = sem_machine_row();
	isa->machine = sem_machine_handlers(&s->arena, s->variant);
	s->isa = isa;
	return true;
}

void session_close(struct session *s)
{
	native_close(s->native);
	s->native = NULL;
	host_threads_end(&s->threads);
	memory_free(&s->memory);
	arena_free(&s->arena);
}

static struct ir_module *read_source(struct session *s, u32 source)
{
	const struct source *text = s->sources.files.items[source];

	return (sass_is_listing(text->name, text->text) ? sass_read : ptx_read)(&s->arena, &s->strings, &s->diags,
										source);
}

/* The bytes are copied: code is decoded from them whenever a kernel is lowered. */
static struct ir_module *add_cubin(struct session *s, const char *name, const char *bytes, size_t length)
{
	u8 *copy = arena_alloc(&s->arena, length);

	memcpy(copy, bytes, length);
	struct ir_module *module = sass_module_read(&s->arena, &s->strings, &s->diags, name, copy, length);
	module->image = copy;
	module->image_bytes = length;
	VEC_PUSH(&s->arena, &s->modules, module);
	return module;
}

/* What says how a cubin is to be launched: x.cubin.launch, or the lines of x.ptx. That there is neither is no error; a file
 * that is there and cannot be read is: false, with a message. */
static bool find_launches(struct session *s, struct ir_module *m, const char *path, const char **message)
{
	static const char ending[] = ".cubin";
	const size_t stem = strlen(path) - min_u64(strlen(path), strlen(ending));
	const char *beside = arena_printf(&s->arena, "%s.launch", path), *why;
	size_t length;
	char *text = file_read_whole(beside, TEXT_LIMIT, &length, &why);

	if (!text && errno == ENOENT && !strcmp(path + stem, ending)) {
		beside = arena_printf(&s->arena, "%.*s.ptx", (int)stem, path);
		text = file_read_whole(beside, TEXT_LIMIT, &length, &why);
	}
	if (!text && errno != ENOENT) {
		*message = arena_printf(&s->arena, "its launches cannot be read from %s: %s", beside, why);
		return false;
	}
	if (text)
		m->launches = source_add(&s->sources, beside, text, length) + 1;
	free(text);
	return true;
}

void session_add_text(struct session *s, const char *name, const char *text, size_t length)
{
	if (sass_module_is((const u8 *)text, length)) {
		add_cubin(s, name, text, length);
		return;
	}
	struct ir_module *module = read_source(s, source_add(&s->sources, name, text, length));

	VEC_PUSH(&s->arena, &s->modules, module);
}

bool session_add_file(struct session *s, const char *path, const char **message)
{
	size_t length;
	char *text = file_read_whole(path, TEXT_LIMIT, &length, message);

	if (!text)
		return false;
	if (sass_module_is((const u8 *)text, length)) {
		struct ir_module *module = add_cubin(s, path, text, length);
		free(text);
		return find_launches(s, module, path, message);
	}
	/* Into the arena at once, so that nothing leaks if memory runs out while parsing. */
	const u32 source = source_add(&s->sources, strcmp(path, "-") ? path : "<stdin>", text, length);
	free(text);
	struct ir_module *module = read_source(s, source);
	VEC_PUSH(&s->arena, &s->modules, module);
	return true;
}

bool session_lower(struct session *s, const struct lower_options *options)
{
	struct lower_options all = *options;

	if (s->diags.error_count)
		return false;
	const char *supplied = supplied_text(s->modules.items, (u32)s->modules.count, &s->strings);
	if (supplied)
		session_add_text(s, "cooperative_groups.ptx", supplied, strlen(supplied));
	all.assemble = ptxas_assemble;
	all.machine = sass_lower_function;
	s->program = program_lower(&s->arena, s->isa, &s->diags, s->modules.items, (u32)s->modules.count, &all);
	return s->program != NULL;
}

bool session_build(struct session *s, const struct lower_options *options)
{
	return session_lower(s, options) && session_reset_memory(s);
}

/* Says which variable there is no memory for. */
static void refuse_variables(struct session *s)
{
	const struct program *p = s->program;
	char why[200];

	for (u32 k = 0; k < p->variable_count; k++) {
		const struct global_variable *g = &p->variables[k];
		if (!g->size || memory_find(&s->memory, g->address, g->size))
			continue;
		memory_refusal(&s->memory, g->size, why, sizeof why);
		diag_error(&s->diags, g->variable->span, "no memory for '%s': %s", g->variable->name, why);
		return;
	}
}

/* A kernel by its C++ name, with or without parameters. *count: how many fit; NULL unless exactly one does. */
const char *session_kernel_named(struct session *s, const char *wanted, u32 *count)
{
	const size_t length = strlen(wanted);
	const char *found = NULL;

	*count = 0;
	for (size_t m = 0; m < s->modules.count; m++)
		for (size_t k = 0; k < s->modules.items[m]->functions.count; k++) {
			const struct ir_function *f = s->modules.items[m]->functions.items[k];
			if (!f->is_entry || !f->has_body || !demangle_matches(&s->arena, f->name, wanted, length))
				continue;
			found = f->name;
			++*count;
		}
	return *count == 1 ? found : NULL;
}

/* All memory anew: the variables with their initial values, nothing else. */
bool session_reset_memory(struct session *s)
{
	const struct program *p = s->program;
	const struct address_map *map = address_map(p->address_bits);

	memory_free(&s->memory);
	memory_init(&s->memory, map->global_base, p->address_bits == 32 ? ADDRESS_LIMIT_32 : ADDRESS_LIMIT,
		    s->memory_limit, s->bounds);
	if (memory_load_program(&s->memory, p))
		return true;
	refuse_variables(s);
	return false;
}

const char *session_diagnostics(struct session *s, bool colour)
{
	char *text = NULL;
	size_t length = 0;
	FILE *f = open_memstream(&text, &length);

	if (!f)
		return "no memory left to print diagnostics\n";
	diags_print(&s->diags, f, colour);
	fclose(f);
	const char *copy = arena_copy_text(&s->arena, text, length);
	free(text);
	return copy;
}

/* NULL: the kernel is interpreted. */
struct native_kernel *session_native(struct session *s, const struct program *p, const struct kernel *k,
				     enum native_mode mode)
{
	if (mode == NATIVE_OFF)
		return NULL;
	if (!s->native)
		s->native = native_open();
	return native_kernel_of(s->native, p, k, mode);
}
