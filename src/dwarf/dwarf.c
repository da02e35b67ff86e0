/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions, their scopes and variables.
 *
 * What is read, once for a module:
 *
 *  dwarf_read_sections    bytes of .debug_info, .debug_abbrev ...; labels of code stay names
 *  dwarf_read_entries     the tree of entries with their attributes (entry.c)
 *  index_labels           where labels of code are: function and instruction
 *  read_entries           functions, their scopes and variables; types when they are asked for
 *
 * Addresses are instructions of the PTX: [begin, end) of a scope counts those. Whatever is not understood is left out:
 * a debugger that shows less is better than one that refuses the program.
 */
#include "dwarf/dwarf.h"

#include <string.h>

#include "dwarf/internal.h"

enum { SCOPES_DEEP = 200 };

/* --- Addresses --------------------------------------------------------------------------------------- */

static void index_labels(struct dwarf *d)
{
	for (size_t f = 0; f < d->module->functions.count; f++) {
		const struct ir_function *fn = d->module->functions.items[f];
		const struct code_label begin = {fn, 0};
		if (!fn->has_body)
			continue;
		lookup_add(d->arena, &d->label_names, lookup_address(fn->name), (u32)d->labels.count);
		VEC_PUSH(d->arena, &d->labels, begin);
		for (size_t k = 0; k < fn->labels.count; k++) {
			const struct code_label l = {fn, fn->labels.items[k]->target};
			lookup_add(d->arena, &d->label_names, lookup_address(fn->labels.items[k]->name),
				   (u32)d->labels.count);
			VEC_PUSH(d->arena, &d->labels, l);
		}
	}
}

bool dwarf_find_label(const struct dwarf *d, const char *symbol, u64 add, struct code_label *label)
{
	const u32 at = lookup_find(&d->label_names, lookup_address(symbol));

	if (at == LOOKUP_NONE)
		return false;
	*label = d->labels.items[at];
	if (d->is_machine)
		label->target += (u32)add;
	return true;
}

/* The place of code that an attribute of an entry names; false: it has none, or names something else. */
static bool label_of(const struct dwarf *d, u32 entry, u32 attribute, struct code_label *label)
{
	const struct dwarf_attribute *a = dwarf_attribute(&d->entries, entry, attribute);

	return a && a->kind == VALUE_ADDRESS && a->text && dwarf_find_label(d, a->text, a->number, label);
}

/* --- Names -------------------------------------------------------------------------------------------- */

/* The entry itself, or the one that it completes, that has the attribute; NO_ENTRY: none. */
static u32 entry_with(const struct dwarf *d, u32 entry, u32 attribute)
{
	for (u32 depth = 0; entry != NO_ENTRY && depth < 4; depth++) {
		if (dwarf_attribute(&d->entries, entry, attribute))
			return entry;
		const u32 origin = dwarf_attribute_entry(&d->entries, entry, AT_ORIGIN);
		entry = origin == NO_ENTRY ? dwarf_attribute_entry(&d->entries, entry, AT_SPECIFICATION) : origin;
	}
	return NO_ENTRY;
}

static const char *name_of(const struct dwarf *d, u32 entry)
{
	const u32 at = entry_with(d, entry, AT_NAME);

	return at == NO_ENTRY ? NULL : dwarf_attribute_text(&d->entries, at, AT_NAME);
}

static const char *linkage_of(const struct dwarf *d, u32 entry)
{
	const u32 at = entry_with(d, entry, AT_MIPS_LINKAGE_NAME), other = entry_with(d, entry, AT_LINKAGE_NAME);

	if (at != NO_ENTRY)
		return dwarf_attribute_text(&d->entries, at, AT_MIPS_LINKAGE_NAME);
	return other == NO_ENTRY ? NULL : dwarf_attribute_text(&d->entries, other, AT_LINKAGE_NAME);
}

/* --- Variables ----------------------------------------------------------------------------------------- */

/* Where the variable is: a list of places by instruction, one place, or a constant. None of them: it is nowhere. */
static void read_location(struct dwarf *d, u32 entry, struct dwarf_variable *v)
{
	const struct dwarf_attribute *a = dwarf_attribute(&d->entries, entry, AT_LOCATION);
	const struct dwarf_attribute *value = dwarf_attribute(&d->entries, entry, AT_CONST_VALUE);
	const u64 address_class = dwarf_attribute_number(&d->entries, entry, AT_ADDRESS_CLASS, 0);
	struct dwarf_range r = {.end = 0xffffffff};

	if (a && a->kind == VALUE_NUMBER) {
		dwarf_location_list(d, a->number, address_class, v);
		return;
	}
	if (a && a->kind == VALUE_BLOCK)
		r.location = dwarf_expression(d, a->block, address_class);
	else if (value && value->kind == VALUE_NUMBER)
		r.location = (struct dwarf_location){.where = DWARF_IS_CONSTANT, .value = value->number};
	if (r.location.where != DWARF_NOWHERE)
		VEC_PUSH(d->arena, &v->ranges, r);
}

/* NULL: it has no name. */
static struct dwarf_variable *make_variable(struct dwarf *d, u32 entry, bool is_argument)
{
	const char *name = name_of(d, entry);
	const u32 typed = entry_with(d, entry, AT_TYPE), lined = entry_with(d, entry, AT_DECL_LINE);

	if (!name)
		return NULL;
	struct dwarf_variable *v = ARENA_NEW(d->arena, struct dwarf_variable);
	v->name = name;
	v->is_argument = is_argument;
	v->type = typed == NO_ENTRY ? NULL : dwarf_type_of(d, typed);
	v->linkage = linkage_of(d, entry);
	v->line = lined == NO_ENTRY ? 0 : (u32)dwarf_attribute_number(&d->entries, lined, AT_DECL_LINE, 0);
	read_location(d, entry, v);
	return v;
}

/* --- Scopes -------------------------------------------------------------------------------------------- */

/* Blocks and inlined functions are scopes; what they say of their code is a range, several, or nothing (then it is the
 * scope around). */
static void read_scope(struct dwarf *d, u32 entry, struct dwarf_scope *to, u32 depth)
{
	for (u32 k = d->entries.list.items[entry].first; k != NO_ENTRY; k = d->entries.list.items[k].next) {
		const u32 tag = d->entries.list.items[k].tag;
		struct code_label begin, end;
		if (tag == TAG_PARAMETER || tag == TAG_VARIABLE) {
			const struct dwarf_variable *v = make_variable(d, k, tag == TAG_PARAMETER);
			if (v)
				VEC_PUSH(d->arena, &to->variables, v);
		} else if ((tag == TAG_BLOCK || tag == TAG_INLINED) && depth < SCOPES_DEEP) {
			struct dwarf_scope *inner = ARENA_NEW(d->arena, struct dwarf_scope);
			inner->parent = to;
			inner->begin = label_of(d, k, AT_LOW_PC, &begin) ? begin.target : to->begin;
			inner->end = label_of(d, k, AT_HIGH_PC, &end) ? end.target : to->end;
			const struct dwarf_attribute *ranges = dwarf_attribute(&d->entries, k, AT_RANGES);
			if (ranges && ranges->kind == VALUE_NUMBER)
				dwarf_range_list(d, ranges->number, inner);
			VEC_PUSH(d->arena, &to->inner, inner);
			read_scope(d, k, inner, depth + 1);
		}
	}
}

/* d->frame holds while the function's variables are read: their places count from it. */
static void read_function(struct dwarf *d, u32 entry)
{
	struct code_label begin, end;
	const u32 typed = entry_with(d, entry, AT_TYPE), lined = entry_with(d, entry, AT_DECL_LINE);

	if (!label_of(d, entry, AT_LOW_PC, &begin))
		return;
	struct dwarf_scope *scope = ARENA_NEW(d->arena, struct dwarf_scope);
	scope->begin = begin.target;
	scope->end = begin.target;
	if (label_of(d, entry, AT_HIGH_PC, &end) && end.function == begin.function)
		scope->end = end.target;
	else if (begin.function)
		scope->end = (u32)begin.function->body.count;
	const char *name = name_of(d, entry);
	const struct dwarf_function f = {
		.code = begin.function,
		.name = name ? name : dwarf_attribute(&d->entries, entry, AT_LOW_PC)->text,
		.returns = typed == NO_ENTRY ? NULL : dwarf_type_of(d, typed),
		.line = lined == NO_ENTRY ? 0 : (u32)dwarf_attribute_number(&d->entries, lined, AT_DECL_LINE, 0),
		.scope = scope};
	const struct dwarf_attribute *frame = dwarf_attribute(&d->entries, entry, AT_FRAME_BASE);
	d->frame = frame && frame->kind == VALUE_BLOCK ? dwarf_frame(d, begin.function, frame->block)
						       : (struct dwarf_location){0};
	read_scope(d, entry, scope, 0);
	d->frame = (struct dwarf_location){0};
	VEC_PUSH(d->arena, &d->functions, f);
}

/* What stands in a unit or a namespace. */
static void read_entries(struct dwarf *d, u32 first, u32 depth)
{
	for (u32 k = first; k != NO_ENTRY; k = d->entries.list.items[k].next) {
		const u32 tag = d->entries.list.items[k].tag;
		if (tag == TAG_FUNCTION)
			read_function(d, k);
		if (tag == TAG_NAMESPACE && depth < SCOPES_DEEP)
			read_entries(d, d->entries.list.items[k].first, depth + 1);
		const struct dwarf_variable *v = tag == TAG_VARIABLE ? make_variable(d, k, false) : NULL;
		if (v && v->ranges.count)
			VEC_PUSH(d->arena, &d->globals, v);
	}
}

/* What the sections and labels come to. */
static void read_units(struct dwarf *d)
{
	dwarf_read_entries(d->arena, &d->sections, &d->entries);
	d->types = ARENA_ARRAY(d->arena, d->entries.list.count + 1, struct dwarf_type *);
	for (u32 k = 0; k < d->entries.list.count; k++) {
		const struct dwarf_entry *x = &d->entries.list.items[k];
		if (x->parent != NO_ENTRY || x->tag != TAG_UNIT)
			continue;
		if (!d->producer)
			d->producer = dwarf_attribute_text(&d->entries, k, AT_PRODUCER);
		read_entries(d, x->first, 0);
	}
}

/* NULL: the module has no debug information. What the result points at lives in the arena. */
const struct dwarf *dwarf_read(struct arena *a, const struct ir_module *m)
{
	struct dwarf *d = ARENA_NEW(a, struct dwarf);

	d->arena = a;
	d->module = m;
	dwarf_read_sections(a, m, &d->sections);
	if (!dwarf_find_section(&d->sections, ".debug_info"))
		return NULL;
	index_labels(d);
	read_units(d);
	return d;
}

const struct dwarf *dwarf_read_machine(struct arena *a, const struct ir_module *m, const struct dwarf_machine *machine)
{
	struct dwarf *d = ARENA_NEW(a, struct dwarf);

	d->arena = a;
	d->module = m;
	d->is_machine = true;
	d->sections = machine->sections;
	if (!dwarf_find_section(&d->sections, ".debug_info"))
		return NULL;
	for (u32 k = 0; k < machine->functions.count; k++) {
		const struct code_label begin = {NULL, machine->functions.items[k].begin};
		lookup_add(a, &d->label_names, lookup_address(machine->functions.items[k].name), k);
		VEC_PUSH(a, &d->labels, begin);
	}
	read_units(d);
	return d;
}

const char *dwarf_problem(const struct dwarf *d)
{
	return d->entries.problem ? d->entries.problem : d->sections.problem;
}

const char *dwarf_producer(const struct dwarf *d) { return d->producer; }

/* --- Asking --------------------------------------------------------------------------------------------- */

const struct dwarf_function *dwarf_function(const struct dwarf *d, const struct ir_function *f)
{
	for (size_t k = 0; k < d->functions.count; k++)
		if (d->functions.items[k].code == f)
			return &d->functions.items[k];
	return NULL;
}

const struct dwarf_function *dwarf_function_at(const struct dwarf *d, u32 address)
{
	for (size_t k = 0; k < d->functions.count && d->is_machine; k++)
		if (address >= d->functions.items[k].scope->begin && address < d->functions.items[k].scope->end)
			return &d->functions.items[k];
	return NULL;
}

const struct dwarf_variable *dwarf_global(const struct dwarf *d, const char *name)
{
	for (size_t k = 0; k < d->globals.count; k++) {
		const struct dwarf_variable *v = d->globals.items[k];
		if (!strcmp(v->name, name) || (v->linkage && !strcmp(v->linkage, name)))
			return v;
	}
	return NULL;
}

const struct dwarf_variable *dwarf_global_at(const struct dwarf *d, u32 index)
{
	return index < d->globals.count ? d->globals.items[index] : NULL;
}

/* Looks through all entries: asked for only when a user types a name that nothing else has. */
bool dwarf_find_enumerator(const struct dwarf *d, const char *name, const struct dwarf_type **type, s64 *value)
{
	for (u32 k = 0; k < d->entries.list.count; k++) {
		const struct dwarf_entry *x = &d->entries.list.items[k];
		const char *have = x->tag == TAG_ENUMERATOR ? dwarf_attribute_text(&d->entries, k, AT_NAME) : NULL;
		if (!have || strcmp(have, name) || x->parent == NO_ENTRY)
			continue;
		*type = dwarf_make_type((struct dwarf *)(uintptr_t)d, x->parent);
		*value = (s64)dwarf_attribute_number(&d->entries, k, AT_CONST_VALUE, 0);
		return *type != NULL;
	}
	return false;
}

const struct dwarf_type *dwarf_named_type(const struct dwarf *d, const char *name, size_t length)
{
	struct dwarf *all = (struct dwarf *)(uintptr_t)d;

	for (u32 k = 0; k < d->entries.list.count; k++) {
		const struct dwarf_entry *x = &d->entries.list.items[k];
		const char *have = dwarf_attribute_text(&d->entries, k, AT_NAME);
		const bool is_type = x->tag == TAG_STRUCT || x->tag == TAG_CLASS || x->tag == TAG_UNION ||
				     x->tag == TAG_ENUMERATION || x->tag == TAG_TYPEDEF || x->tag == TAG_BASE;
		if (is_type && have && strlen(have) == length && !memcmp(have, name, length))
			return dwarf_make_type(all, k);
	}
	return NULL;
}

static bool holds(const struct dwarf_scope *s, u32 instruction)
{
	bool any = !s->parts.count;

	for (size_t k = 0; k < s->parts.count && !any; k++)
		any = instruction >= s->parts.items[k].begin && instruction < s->parts.items[k].end;
	return any && instruction >= s->begin && instruction < s->end;
}

/* The innermost scope that holds the instruction. */
const struct dwarf_scope *dwarf_scope_at(const struct dwarf_function *f, u32 instruction)
{
	const struct dwarf_scope *at = f->scope;

	for (bool deeper = true; deeper;) {
		deeper = false;
		for (size_t k = 0; k < at->inner.count && !deeper; k++) {
			const struct dwarf_scope *inner = at->inner.items[k];
			if (!holds(inner, instruction))
				continue;
			at = inner;
			deeper = true;
		}
	}
	return at;
}

struct dwarf_location dwarf_locate(const struct dwarf_variable *v, u32 instruction)
{
	for (size_t k = 0; k < v->ranges.count; k++)
		if (instruction >= v->ranges.items[k].begin && instruction < v->ranges.items[k].end)
			return v->ranges.items[k].location;
	return (struct dwarf_location){.where = DWARF_NOWHERE};
}
