/* SPDX-License-Identifier: Apache-2.0
 *
 * A walk through the scopes of a function, whose variables have places in memory named by a variable of PTX.
 */
#include "observe/frames.h"

#include <string.h>

#include "dwarf/dwarf.h"

struct frames {
	struct arena *arena;
	const struct program *program;
	const struct dwarf **dwarfs; /* by module, as they are asked for */
	bool *is_read;
};

struct frames *frames_new(struct arena *arena, const struct program *program)
{
	struct frames *f = ARENA_NEW(arena, struct frames);

	f->arena = arena;
	f->program = program;
	f->dwarfs = ARENA_ARRAY(arena, program->module_count + 1, const struct dwarf *);
	f->is_read = ARENA_ARRAY(arena, program->module_count + 1, bool);
	return f;
}

static const struct dwarf *dwarf_of(struct frames *f, const struct ir_module *m)
{
	u32 k = 0;

	while (k < f->program->module_count && f->program->modules[k] != m)
		k++;
	if (k == f->program->module_count)
		return NULL;
	if (!f->is_read[k])
		f->dwarfs[k] = dwarf_read(f->arena, m);
	f->is_read[k] = true;
	return f->dwarfs[k];
}

static u64 size_of(const struct dwarf_type *t)
{
	const struct dwarf_type *plain = t ? dwarf_plain(t) : NULL;

	if (!plain || plain->kind != DWARF_ARRAY || plain->size)
		return plain ? plain->size : 0;
	u64 size;
	return __builtin_mul_overflow(plain->count, size_of(plain->of), &size) ? 0 : size;
}

/* Is the variable kept there, from begin to end? */
static bool is_in(const struct dwarf_variable *v, const char *name, u64 byte, struct frame_variable *found)
{
	const struct dwarf_location *at = v->ranges.count == 1 ? &v->ranges.items[0].location : NULL;
	const u64 size = size_of(v->type);

	if (!at || at->where != DWARF_IN_MEMORY || at->next || !at->name || strcmp(at->name, name) != 0 ||
	    byte < at->value || byte - at->value >= size)
		return false;
	*found = (struct frame_variable){v->name, at->value, size};
	return true;
}

static u32 count_in(const struct dwarf_scope *s, const char *name, u64 byte, struct frame_variable *found)
{
	u32 count = 0;

	for (size_t k = 0; k < s->variables.count; k++)
		count += is_in(s->variables.items[k], name, byte, found);
	for (size_t k = 0; k < s->inner.count; k++)
		count += count_in(s->inner.items[k], name, byte, found);
	return count;
}

bool frames_find(struct frames *f, const struct ir_function *function, const struct ir_variable *v, u64 byte,
		 struct frame_variable *found)
{
	const struct dwarf *d = function->module ? dwarf_of(f, function->module) : NULL;
	const struct dwarf_function *x = d ? dwarf_function(d, function) : NULL;

	return x && x->scope && count_in(x->scope, v->name, byte, found) == 1;
}
