/* SPDX-License-Identifier: Apache-2.0
 *
 * Faults as JSON. What is not known is left out.
 */
#include "report/fault.h"

#include <string.h>

#include "report/json_parts.h"

static void set_text(struct arena *arena, json_t *o, const char *key, const char *text)
{
	if (text && *text)
		json_object_set_new(o, key, report_string(arena, text, strlen(text)));
}

static void set_number(json_t *o, const char *key, u64 n) { json_object_set_new(o, key, json_integer((json_int_t)n)); }

static void set_place(struct arena *arena, json_t *o, const struct fault_place *p)
{
	set_text(arena, o, "function", p->function);
	if (!p->file)
		return;
	set_text(arena, o, "file", p->file);
	set_number(o, "line", p->line);
	set_number(o, "column", p->column);
	json_object_set_new(o, "instruction", report_string(arena, p->instruction, p->instruction_length));
	if (!p->source)
		return;
	json_t *source = json_object();
	set_text(arena, source, "file", p->source);
	set_number(source, "line", p->source_line);
	json_object_set_new(o, "source", source);
}

static void set_thread(json_t *o, const struct fault_thread *t)
{
	json_object_set_new(o, "block", report_dimensions(t->block));
	json_object_set_new(o, "thread", report_dimensions(t->thread));
}

static json_t *memory_object(struct arena *arena, const struct fault_report *f)
{
	static const char *const where[] = {
		[FAULT_BEFORE] = "before", [FAULT_WITHIN] = "within", [FAULT_BEHIND] = "behind"};
	const struct fault_memory *m = &f->memory;
	json_t *o = json_object();

	json_object_set_new(o, "kind",
			    json_string(m->kind == FAULT_MEMORY_RELEASED ? "freed"
					: m->is_variable                 ? "variable"
									 : "allocation"));
	set_text(arena, o, "name", m->name);
	set_number(o, "base", m->base);
	set_number(o, "size", m->size);
	json_object_set_new(o, "where", json_string(where[m->where]));
	set_number(o, "distance", m->distance < 0 ? (u64)-m->distance : (u64)m->distance);
	return o;
}

static json_t *other_object(struct arena *arena, const struct fault_report *f)
{
	json_t *o = json_pack("{s:s, s:b}", "does", fault_role_text(f->role), "host", f->other_is_host);

	if (o && !f->other_is_host) {
		set_place(arena, o, &f->other);
		set_thread(o, &f->other_thread);
	}
	return o;
}

json_t *report_fault(struct arena *arena, const struct fault_report *f, const char *message)
{
	json_t *o = json_pack("{s:s, s:s, s:s}", "kind", fault_name(f->kind), "text", fault_text(f->kind), "cuda_error",
			      fault_cuda_name(f->kind));

	if (!o)
		return NULL;
	set_text(arena, o, "message", message);
	set_text(arena, o, "detail", f->detail);
	set_text(arena, o, "hint", f->hint);
	set_text(arena, o, "suggestion", f->advice);
	if (f->times > 1)
		set_number(o, "times", f->times);
	if (f->times) {
		char line[FAULT_LINE_TEXT];
		fault_line(f, line);
		set_text(arena, o, "suppression", line);
	}
	set_place(arena, o, &f->at);
	set_thread(o, &f->thread);
	set_number(o, "warp", f->warp);
	set_number(o, "lane", f->lane);
	set_number(o, "lanes", f->lanes);
	if (f->has_access) {
		set_number(o, "address", f->address);
		set_number(o, "size", f->size);
		json_object_set_new(o, "space", json_string(f->space));
		json_object_set_new(o, "store", json_boolean(f->is_store));
	}
	if (f->memory.kind)
		json_object_set_new(o, "allocation", memory_object(arena, f));
	if (f->role)
		json_object_set_new(o, "other", other_object(arena, f));
	return o;
}
