/* SPDX-License-Identifier: Apache-2.0 */
#include "native/explain.h"

#include <stdio.h>
#include <stdlib.h>

#include "native/costs.h"
#include "native/link.h"
#include "native/load.h"
#include "native/plugin.h"
#include "native/region.h"

enum { HANDLERS_LISTED = 64 };

struct explaining {
	const struct explanation *to;
	const struct native_plugin *plugin;
	struct native_compiler *compiler;
	const struct code *code;
};

static void tell_region(const struct explaining *e, const struct region *r, u32 number)
{
	u32 list[HANDLERS_LISTED];
	struct native_made made = {.handlers_of = list, .handlers_room = HANDLERS_LISTED};
	char message[512];
	struct explained_region x = {.first = r->first, .end = r->end, .size = r->size, .blocks = r->block_count};

	if (r->left) {
		x.reason = "the kernel is large, and other parts of it are compiled";
	} else if (e->plugin->compile(e->compiler, r, 1, number, true, e->code->name, &made, message, sizeof message)) {
		const struct native_object object = {.start = made.object, .bytes = made.bytes};
		x.bytes = object_code_bytes(&object);
		free(made.object);
	} else {
		x.reason = message;
	}
	x.handlers = made.handlers;
	x.handlers_of = list;
	x.handlers_listed = min_u32(made.handlers, HANDLERS_LISTED);
	e->to->region(e->to->context, &x);
}

static void tell_all(const struct explaining *e, const struct code_flow *f, const struct regions *regions)
{
	u32 next = 0;

	e->plugin->prepare(e->compiler, regions);
	for (u32 k = 0; k < e->code->insn_count; k++) {
		for (; next < regions->count && regions->items[next].first <= k; next++)
			tell_region(e, &regions->items[next], next);
		if (f->steps[k].kind == STEP_WALL && f->steps[k].reason)
			e->to->wall(e->to->context, k, f->steps[k].reason);
	}
}

bool native_explain(const struct isa *isa, const struct code *code, const struct explanation *to, char *message,
		    size_t size)
{
	struct explaining e = {.to = to, .code = code};
	jmp_buf out_of_memory;
	struct arena arena;

	if (code_flow_refuses(code, message, size))
		return false;
	e.compiler = native_load_compiler(&e.plugin, message, size);
	if (!e.compiler)
		return false;
	arena_init(&arena, &out_of_memory);
	const bool enough = !setjmp(out_of_memory);
	if (enough) {
		const struct code_flow *f = code_flow_build(&arena, isa, code, NULL, false);
		const struct regions none = {0}, found = f ? regions_choose(f) : none;
		if (f)
			tell_all(&e, f, &found);
	} else {
		snprintf(message, size, "no memory left");
	}
	arena_free(&arena);
	e.plugin->close(e.compiler);
	return enough;
}
