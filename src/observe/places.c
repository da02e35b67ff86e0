/* SPDX-License-Identifier: Apache-2.0
 *
 * Places of instructions.
 */
#include "observe/places.h"

#include <string.h>

struct place_of place_find(const struct code *code, u32 insn)
{
	const struct ir_function *f = code->function;
	const struct ir_instruction *x = &f->body.items[insn];
	const struct source *s = f->module->sources->files.items[x->span.file];
	struct place_of p = {.file = s->name,
			     .text = s->text + x->span.begin,
			     .length = x->span.end - x->span.begin,
			     .module = f->module};
	u32 column;

	source_place(s, x->span.begin, &p.line, &column);
	if (x->loc) {
		p.loc = &f->module->locs.items[x->loc - 1];
		p.loc_file = ir_file_path(f->module, p.loc->file);
		p.loc_line = p.loc->line;
	}
	return p;
}

/* One label of .debug_str, which many .loc lines name. */
struct known {
	const struct ir_module *module;
	const char *label; /* interned */
	u64 addend;
	const char *name; /* or NULL */
};

struct place_names {
	struct arena *arena;
	VEC_OF(struct known) known;
};

struct place_names *place_names_new(struct arena *arena)
{
	struct place_names *names = ARENA_NEW(arena, struct place_names);

	names->arena = arena;
	return names;
}

const char *place_function(struct place_names *names, const struct ir_module *m, const struct ir_loc *loc)
{
	struct known fresh = {.module = m, .label = loc->function, .addend = loc->function_addend};
	char name[1024];

	if (!loc->function)
		return NULL;
	for (size_t k = names->known.count; k-- > 0;) {
		const struct known *n = &names->known.items[k];
		if (n->module == m && n->label == loc->function && n->addend == loc->function_addend)
			return n->name;
	}
	if (ir_loc_function(m, loc, name, sizeof name))
		fresh.name = arena_copy_text(names->arena, name, strlen(name));
	VEC_PUSH(names->arena, &names->known, fresh);
	return fresh.name;
}
