/* SPDX-License-Identifier: Apache-2.0
 *
 * What expressions come to, as the source's types have it: their text, their parts, where they lie; and the
 * variables of the focused frame.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "debug/machine.h"

enum { ELEMENTS_SHOWN = 200, REPEATS_TOLD = 10, PARTS_DEEP = 12, STRING_SHOWN = 200 };

/* --- The debug sections ----------------------------------------------------------------------------- */

static const struct dwarf *read_dwarf(struct arena *a, const struct ir_module *m)
{
	struct dwarf_machine machine;

	if (!m->functions.count || !m->functions.items[0]->machine)
		return dwarf_read(a, m);
	sass_debug_sections(a, m->functions.items[0], &machine);
	return dwarf_read_machine(a, m, &machine);
}

/* Read at first use and kept: modules without debug sections have NULL. */
const struct dwarf *debug_dwarf(struct debug *d, const struct ir_module *m)
{
	u32 k = 0;

	while (k < d->program->module_count && d->program->modules[k] != m)
		k++;
	if (k == d->program->module_count)
		return NULL;
	if (!d->names.dwarfs)
		d->names.dwarfs = ARENA_ARRAY(d->arena, d->program->module_count, struct module_dwarf);
	if (!d->names.dwarfs[k].is_read) {
		d->names.dwarfs[k].is_read = true;
		d->names.dwarfs[k].dwarf = read_dwarf(d->arena, m);
	}
	return d->names.dwarfs[k].dwarf;
}

const struct dwarf_function *debug_source_function(struct debug *d, const struct ir_function *f, u32 instruction)
{
	const struct dwarf *w = debug_dwarf(d, f->module);

	if (!w)
		return NULL;
	return f->machine ? dwarf_function_at(w, machine_place(f, instruction)) : dwarf_function(w, f);
}

const struct dwarf_function *debug_own_function(struct debug *d, const struct ir_function *f)
{
	return debug_source_function(d, f, machine_entry(f));
}

/* --- Objects ------------------------------------------------------------------------------------------ */

struct debug_object term_object(const struct term *t)
{
	return (struct debug_object){.value = t->v,
				     .type = t->type,
				     .in_memory = t->where == AT_MEMORY,
				     .space = t->space,
				     .address = t->address,
				     .target = t->target,
				     .repeat = t->repeat};
}

static struct term term_of(const struct debug_object *o)
{
	return (struct term){.v = o->value,
			     .type = o->type,
			     .where = o->in_memory ? AT_MEMORY : AT_NOTHING,
			     .space = o->space,
			     .address = o->address,
			     .target = o->target};
}

bool debug_evaluate_object(struct debug *d, const char *text, u32 lane, struct debug_object *o)
{
	struct term_reader r = {.d = d, .at = text, .lane = lane};
	const struct term t = term_read_all(&r);

	*o = term_object(&t);
	return !r.failed;
}

const char *debug_object_type(struct debug *d, const struct debug_object *o, struct arena *a)
{
	if (!o->type)
		return arena_printf(a, ".%s", token_text(o->value.type));
	const struct dwarf_type *t = o->repeat ? type_array_of(d, o->type, o->repeat) : o->type;
	return dwarf_type_name(a, t, NULL);
}

/* The elements' token, whatever they are arrays of. */
static u16 element_token(const struct debug *d, const struct dwarf_type *t)
{
	for (u32 depth = 0; type_is(t, DWARF_ARRAY) && depth < PARTS_DEEP; depth++)
		t = dwarf_plain(t)->of;
	const u16 token = token_of_type(d, t);
	return token == TOKEN_NONE ? T_b32 : token;
}

static void fill_place(struct debug *d, const struct term *t, struct debug_memory_place *p)
{
	const struct dwarf_type *of = t->type;

	*p = (struct debug_memory_place){t->space, t->address, element_token(d, of), of ? of->size : 0};
	if (!of)
		p->type = t->v.type;
	if (!p->size)
		p->size = type_bits(p->type) < 8 ? 1 : type_bits(p->type) / 8;
	if (t->repeat)
		p->size *= t->repeat;
}

/* For commands that want an address (x, watch): a pointer's target, an object's place, or a number as a generic
 * address. */
bool debug_find_address(struct debug *d, const char *text, u32 lane, struct debug_memory_place *p)
{
	struct term_reader r = {.d = d, .at = text, .lane = lane};
	const struct term t = term_read_all(&r);

	if (r.failed)
		return false;
	if (type_is(t.type, DWARF_POINTER)) {
		const struct dwarf_type *to = dwarf_plain(t.type)->of;
		const struct term at = {.space = t.target, .address = value_word(&t.v), .type = to, .v.type = T_b32};
		fill_place(d, &at, p);
	} else if (t.where == AT_MEMORY) {
		fill_place(d, &t, p);
	} else {
		*p = (struct debug_memory_place){SPACE_GENERIC, (u64)value_integer(&t.v), T_b32, 4};
	}
	return true;
}

bool debug_find_variable(struct debug *d, const char *text, u32 lane, struct debug_memory_place *p,
			 struct debug_register *reg)
{
	struct term_reader r = {.d = d, .at = text, .lane = lane};
	const struct term t = term_read_all(&r);

	*reg = (struct debug_register){0};
	if (r.failed)
		return false;
	if (t.where == AT_REGISTER) {
		*reg = t.reg;
		return true;
	}
	if (t.where != AT_MEMORY)
		return debug_find_address(d, text, lane, p);
	fill_place(d, &t, p);
	return true;
}

/* --- Parts ----------------------------------------------------------------------------------------------- */

static const struct dwarf_type *pointed_structure(const struct debug_object *o)
{
	const struct dwarf_type *to = type_is(o->type, DWARF_POINTER) ? dwarf_plain(dwarf_plain(o->type)->of) : NULL;

	return to && (to->kind == DWARF_STRUCT || to->kind == DWARF_UNION) ? to : NULL;
}

/* Elements, members, or what a pointer points at: what an editor can unfold. 0: nothing. */
u64 debug_object_parts(const struct debug_object *o)
{
	const struct dwarf_type *t = dwarf_plain(o->type), *to = pointed_structure(o);

	if (o->repeat)
		return o->repeat;
	if (!t)
		return 0;
	if (t->kind == DWARF_POINTER)
		return to ? to->members.count : dwarf_plain(t->of) && dwarf_plain(t->of)->size ? 1 : 0;
	return t->kind == DWARF_ARRAY ? t->count : t->members.count;
}

/* The element of an array, or of a repeated one. */
static struct term element(struct term_reader *r, const struct debug_object *o, u64 index)
{
	const struct dwarf_type *t = o->repeat ? o->type : dwarf_plain(o->type)->of;
	const u64 size = t ? t->size : (type_bits(o->value.type) + 7) / 8;

	if (!o->in_memory)
		return term_fail(r, "its elements are not in memory");
	return term_load(r, o->space, o->address + index * size, t ? t : type_of_token(r->d, o->value.type));
}

bool debug_object_part(struct debug *d, const struct debug_object *o, u32 lane, u64 index, char name[80],
		       struct debug_object *part)
{
	struct term_reader r = {.d = d, .at = "", .lane = lane};
	const struct dwarf_type *t = dwarf_plain(o->type), *to = pointed_structure(o);
	const bool is_array = o->repeat || (t && t->kind == DWARF_ARRAY);
	struct term whole = term_of(o), found;

	if (index >= debug_object_parts(o))
		return debug_fail(d, "it has not so many parts");
	if (is_array) {
		snprintf(name, 80, "[%llu]", (unsigned long long)index);
		found = element(&r, o, index);
	} else {
		if (t->kind == DWARF_POINTER) {
			snprintf(name, 80, "*");
			found = whole = term_load(&r, o->target, value_word(&o->value), t->of);
			t = to;
		}
		if (t && !r.failed) {
			const struct dwarf_member *m = &t->members.items[index];
			snprintf(name, 80, "%s", m->name ? m->name : m->type && m->type->name ? m->type->name : "");
			found = term_part(&r, &whole, m, m->offset);
		}
	}
	if (r.failed)
		return false;
	*part = term_object(&found);
	return true;
}

/* --- Text ------------------------------------------------------------------------------------------------ */

struct text {
	char *to;
	size_t size, used;
};

/* What does not fit is cut off; text stays terminated. */
static void put(struct text *t, const char *words)
{
	const size_t length = strlen(words), room = t->size - t->used - 1;

	memcpy(t->to + t->used, words, length < room ? length : room);
	t->used += length < room ? length : room;
	t->to[t->used] = 0;
}

static bool is_full(const struct text *t) { return t->used + 8 >= t->size; }

static void put_character(struct text *t, u32 c)
{
	char one[8];

	if (c == '\\' || c == '\'' || c == '"')
		snprintf(one, sizeof one, "\\%c", (char)c);
	else
		snprintf(one, sizeof one, c >= 32 && c < 127 ? "%c" : "\\%03o", c & 0xff);
	put(t, one);
}

static void put_enumerator(struct text *t, const struct dwarf_type *type, const struct debug_value *v)
{
	char number[32];

	for (size_t k = 0; k < type->enumerators.count; k++)
		if (type->enumerators.items[k].value == value_integer(v)) {
			put(t, type->enumerators.items[k].name);
			return;
		}
	snprintf(number, sizeof number, "%lld", (long long)value_integer(v));
	put(t, number);
}

/* What a char pointer points at. */
static void put_string(struct debug *d, struct text *t, const struct debug_object *o, u32 lane)
{
	char c;

	put(t, " \"");
	for (u32 k = 0; k < STRING_SHOWN; k++) {
		if (!debug_read(d, o->target, value_word(&o->value) + k, lane, &c, 1) || !c)
			break;
		put_character(t, (u32)(unsigned char)c);
	}
	put(t, "\"");
}

static bool is_character(const struct dwarf_type *t)
{
	t = dwarf_plain(t);
	return t && t->kind == DWARF_BASE && (t->encoding == DWARF_CHAR || t->encoding == DWARF_UNSIGNED_CHAR);
}

static void put_pointer(struct debug *d, struct text *t, const struct debug_object *o, u32 lane, bool outermost)
{
	const struct dwarf_type *to = dwarf_plain(o->type)->of;
	struct arena a;
	char number[32];
	u8 byte;

	snprintf(number, sizeof number, "0x%llx", (unsigned long long)value_word(&o->value));
	if (outermost && !type_is_token(d, to)) {
		arena_init(&a, d->arena->out_of_memory);
		put(t, "(");
		if (o->target != SPACE_GENERIC) {
			put(t, "@");
			put(t, ir_space_name(o->target));
			put(t, " ");
		}
		put(t, dwarf_type_name(&a, o->type, NULL));
		put(t, ") ");
		arena_free(&a);
	}
	put(t, number);
	if (is_character(to) && debug_read(d, o->target, value_word(&o->value), lane, &byte, 1))
		put_string(d, t, o, lane);
}

static void put_scalar(struct debug *d, struct text *t, const struct debug_object *o, u32 lane, char format,
		       bool outermost)
{
	const struct dwarf_type *type = dwarf_plain(o->type);
	char words[160];

	if (!format && type && type->kind == DWARF_ENUM) {
		put_enumerator(t, type, &o->value);
	} else if (!format && type && type->kind == DWARF_POINTER) {
		put_pointer(d, t, o, lane, outermost);
	} else if (!format && type && type->kind == DWARF_BASE && type->encoding == DWARF_BOOL &&
		   value_word(&o->value) < 2) {
		put(t, value_word(&o->value) ? "true" : "false");
	} else if (!format && is_character(type)) {
		snprintf(words, sizeof words, "%lld '", (long long)value_integer(&o->value));
		put(t, words);
		put_character(t, (u32)value_word(&o->value) & 0xff);
		put(t, "'");
	} else {
		debug_format(&o->value, format, words, sizeof words);
		put(t, words);
	}
}

static void put_object(struct debug *d, struct text *t, const struct debug_object *o, u32 lane, char format, u32 depth);

/* "{1, 2, 3}", equal neighbours told once. */
static void put_elements(struct debug *d, struct text *t, const struct debug_object *o, u32 lane, char format,
			 u32 depth)
{
	const u64 count = debug_object_parts(o);
	char before[256] = "", one[256], name[80], times[40];
	u64 same = 0, shown = 0;

	put(t, "{");
	for (u64 k = 0; k <= count && shown < ELEMENTS_SHOWN && !is_full(t); k++) {
		struct debug_object part;
		struct text words = {one, sizeof one, 0};
		one[0] = 0;
		if (k < count && !debug_object_part(d, o, lane, k, name, &part))
			snprintf(one, sizeof one, "<%.200s>", debug_message(d));
		else if (k < count)
			put_object(d, &words, &part, lane, format, depth + 1);
		if (k && k < count && !strcmp(one, before)) {
			same++;
			continue;
		}
		for (u64 n = 0; n < (same > REPEATS_TOLD ? 1 : same) && k; n++, shown++) {
			put(t, shown ? ", " : "");
			put(t, before);
		}
		if (same > REPEATS_TOLD) {
			snprintf(times, sizeof times, " <repeats %llu times>", (unsigned long long)same);
			put(t, times);
		}
		memcpy(before, one, sizeof before);
		same = 1;
	}
	put(t, is_full(t) || shown >= ELEMENTS_SHOWN ? "...}" : "}");
}

/* A member that cannot be read says why in its place; the others are still shown. */
static void put_members(struct debug *d, struct text *t, const struct debug_object *o, u32 lane, char format, u32 depth)
{
	const u64 count = debug_object_parts(o);

	put(t, "{");
	for (u64 k = 0; k < count && !is_full(t); k++) {
		struct debug_object part;
		char name[80];
		put(t, k ? ", " : "");
		if (!debug_object_part(d, o, lane, k, name, &part)) {
			put(t, "<");
			put(t, debug_message(d));
			put(t, ">");
			continue;
		}
		put(t, name);
		put(t, *name ? " = " : "");
		put_object(d, t, &part, lane, format, depth + 1);
	}
	put(t, "}");
}

/* One object as gdb prints it, in at most PARTS_DEEP levels. Format letters apply to all scalars inside. */
static void put_object(struct debug *d, struct text *t, const struct debug_object *o, u32 lane, char format, u32 depth)
{
	const struct dwarf_type *type = dwarf_plain(o->type);

	if (depth > PARTS_DEEP || is_full(t))
		put(t, "...");
	else if (o->repeat || (type && type->kind == DWARF_ARRAY))
		put_elements(d, t, o, lane, format, depth);
	else if (type && (type->kind == DWARF_STRUCT || type->kind == DWARF_UNION))
		put_members(d, t, o, lane, format, depth);
	else
		put_scalar(d, t, o, lane, format, !depth);
}

void debug_object_text(struct debug *d, const struct debug_object *o, u32 lane, char format, char *text, size_t size)
{
	struct text t = {text, size, 0};

	text[0] = 0;
	put_object(d, &t, o, lane, format, 0);
}

/* --- Variables of the frame ---------------------------------------------------------------------------- */

bool debug_local_at(struct debug *d, u32 index, u32 lane, struct debug_local *l)
{
	struct debug_frame f;
	const struct dwarf_function *fn =
		debug_focus_frame(d, &f) && f.place.code
			? debug_source_function(d, f.place.code->function, f.place.instruction)
			: NULL;
	u32 level = 0;

	if (!fn)
		return debug_fail(d, debug_launch(d) ? "the module says nothing of variables: nvcc -G writes that down"
						     : "no kernel is running");
	const u32 place = machine_place(f.place.code->function, f.place.instruction);
	for (const struct dwarf_scope *s = dwarf_scope_at(fn, place); s; s = s->parent, level++)
		for (size_t k = 0; k < s->variables.count; k++) {
			if (index--)
				continue;
			struct term_reader r = {.d = d, .at = "", .lane = lane};
			const struct term t = term_of_variable(&r, &f, s->variables.items[k]);
			*l = (struct debug_local){s->variables.items[k], term_object(&t), !r.failed, level};
			return true;
		}
	return debug_fail(d, "there are no more variables");
}
