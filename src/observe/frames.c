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

/* Is the variable kept in that one of PTX, from begin to end? */
static bool is_in(const struct dwarf_variable *v, const char *name, struct frame_variable *found)
{
	const struct dwarf_location *at = v->ranges.count == 1 ? &v->ranges.items[0].location : NULL;
	const struct dwarf_type *type = v->type ? dwarf_plain(v->type) : NULL;

	if (!at || !type || at->where != DWARF_IN_MEMORY || at->next || !at->name || strcmp(at->name, name) != 0)
		return false;
	*found = (struct frame_variable){.name = v->name,
					 .at = at->value,
					 .size = type->size,
					 .has_parts = type->kind == DWARF_ARRAY || type->kind == DWARF_STRUCT ||
						      type->kind == DWARF_UNION};
	return true;
}

static bool overlap(const struct frame_variable *a, const struct frame_variable *b)
{
	return a->at < b->at ? b->at - a->at < a->size : a->at - b->at < b->size;
}

/* How many variables of the scope share bytes with `with`; the last of them. */
static u32 count_in(const struct dwarf_scope *s, const char *name, const struct frame_variable *with,
		    struct frame_variable *last)
{
	struct frame_variable v;
	u32 count = 0;

	for (size_t k = 0; k < s->variables.count; k++)
		if (is_in(s->variables.items[k], name, &v) && overlap(&v, with)) {
			*last = v;
			count++;
		}
	for (size_t k = 0; k < s->inner.count; k++)
		count += count_in(s->inner.items[k], name, with, last);
	return count;
}

bool frames_find(struct frames *f, const struct ir_function *function, const struct ir_variable *v, u64 byte,
		 struct frame_variable *found)
{
	const struct dwarf *d = function->module ? dwarf_of(f, function->module) : NULL;
	const struct dwarf_function *x = d ? dwarf_function(d, function) : NULL;
	const struct frame_variable one = {.at = byte, .size = 1};
	struct frame_variable other;

	return x && x->scope && count_in(x->scope, v->name, &one, found) == 1 &&
	       count_in(x->scope, v->name, found, &other) == 1;
}
