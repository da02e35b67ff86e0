/* SPDX-License-Identifier: Apache-2.0
 *
 * Variables of the source, as the Debug Adapter Protocol shows them: arguments, locals, and what is in them.
 */
#include <string.h>

#include "dap/dap.h"

enum { PARTS_MAX = 4096 };

u32 dap_add_parts(struct dap *s, const struct debug_focus *f, const char *expression, const struct debug_object *o)
{
	const struct dap_container c = {SCOPE_PARTS, *f, arena_copy_text(&s->arena, expression, strlen(expression))};

	return debug_object_parts(o) ? dap_add_container(s, &c) : 0;
}

const char *dap_part_expression(struct dap *s, const char *whole, const char *part)
{
	if (*part == '*')
		return arena_printf(&s->arena, "*(%s)", whole);
	if (*part == '[')
		return arena_printf(&s->arena, "(%s)%s", whole, part);
	/* A base class has the name of its type, and its members are found without it. */
	return *part ? arena_printf(&s->arena, "(%s).%s", whole, part) : whole;
}

static void put_object(struct dap *s, const struct dap_container *c, const char *name, const char *expression,
		       const struct debug_object *o, json_t *list)
{
	char text[1024];

	debug_object_text(s->d, o, c->focus.lane, 0, text, sizeof text);
	json_t *one = json_pack("{s:s, s:s, s:s, s:i, s:s}", "name", name, "value", text, "type",
				debug_object_type(s->d, o, &s->arena), "variablesReference",
				(int)dap_add_parts(s, &c->focus, expression, o), "evaluateName", expression);
	if (!one)
		return;
	if (o->in_memory)
		json_object_set_new(one, "memoryReference", dap_memory_reference(&c->focus, o->space, o->address));
	json_array_append_new(list, one);
}

void dap_put_locals(struct dap *s, const struct dap_container *c, json_t *list)
{
	struct debug_local l;

	for (u32 k = 0; debug_local_at(s->d, k, c->focus.lane, &l); k++) {
		if (l.variable->is_argument != (c->scope == SCOPE_ARGUMENTS))
			continue;
		if (l.kept)
			put_object(s, c, l.variable->name, l.variable->name, &l.object, list);
		else
			json_array_append_new(list, json_pack("{s:s, s:s, s:i}", "name", l.variable->name, "value",
							      "not kept at this place", "variablesReference", 0));
	}
}

void dap_put_parts(struct dap *s, const struct dap_container *c, u64 first, u64 count, json_t *list)
{
	struct debug_object o, part;
	char name[80];

	if (!debug_evaluate_object(s->d, c->name, c->focus.lane, &o))
		return;
	const u64 all = debug_object_parts(&o), end = count && count < all && first + count < all ? first + count : all;
	for (u64 k = first; k < end && k < first + PARTS_MAX; k++)
		if (debug_object_part(s->d, &o, c->focus.lane, k, name, &part))
			put_object(s, c, name, dap_part_expression(s, c->name, name), &part, list);
}
