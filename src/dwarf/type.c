/* SPDX-License-Identifier: Apache-2.0
 *
 * Types: from entries, and as text.
 */
#include <stdio.h>
#include <string.h>

#include "dwarf/internal.h"

enum { DEPTH_MAX = 64 };

const struct dwarf_type *dwarf_plain(const struct dwarf_type *t)
{
	for (u32 depth = 0; t && (t->kind == DWARF_TYPEDEF || t->kind == DWARF_QUALIFIED); t = t->of)
		if (++depth > DEPTH_MAX)
			return NULL;
	return t;
}

/* --- From entries ----------------------------------------------------------------------------------- */

/* DW_ATE_*, DWARF 4 section 7.8. */
static enum dwarf_encoding encoding_of(u64 ate)
{
	static const enum dwarf_encoding all[] = {[2] = DWARF_BOOL, [4] = DWARF_FLOAT,    [5] = DWARF_SIGNED,
						  [6] = DWARF_CHAR, [7] = DWARF_UNSIGNED, [8] = DWARF_UNSIGNED_CHAR};

	return ate < COUNT_OF(all) ? all[ate] : DWARF_UNSIGNED;
}

const struct dwarf_type *dwarf_type_of(struct dwarf *d, u32 entry)
{
	const u32 at = dwarf_attribute_entry(&d->entries, entry, AT_TYPE);

	return at == NO_ENTRY ? NULL : dwarf_make_type(d, at);
}

/* DW_AT_data_member_location: a number, or the expression "plus that". */
static u64 member_offset(const struct dwarf_entries *e, u32 entry)
{
	const struct dwarf_attribute *a = dwarf_attribute(e, entry, AT_MEMBER_LOCATION);

	if (!a || a->kind != VALUE_BLOCK)
		return a ? a->number : 0;
	struct dwarf_cursor c = a->block;
	return dwarf_number(&c, 1, NULL) == 0x23 ? dwarf_uleb(&c) : 0;
}

static void add_member(struct dwarf *d, struct dwarf_type *t, u32 entry)
{
	const struct dwarf_entries *e = &d->entries;
	struct dwarf_member m = {.name = dwarf_attribute_text(e, entry, AT_NAME),
				 .type = dwarf_type_of(d, entry),
				 .offset = member_offset(e, entry),
				 .bit_size = (u32)dwarf_attribute_number(e, entry, AT_BIT_SIZE, 0)};
	const u64 storage = dwarf_attribute_number(e, entry, AT_BYTE_SIZE, m.type ? m.type->size : 0);

	/* Version 2 counts bits from the highest of the storage unit. */
	if (m.bit_size && dwarf_attribute(e, entry, AT_DATA_BIT_OFFSET))
		m.bit_offset = (u32)dwarf_attribute_number(e, entry, AT_DATA_BIT_OFFSET, 0);
	else if (m.bit_size)
		m.bit_offset = (u32)(8 * storage - dwarf_attribute_number(e, entry, AT_BIT_OFFSET, 0) - m.bit_size);
	m.offset += m.bit_offset / 8;
	m.bit_offset %= 8;
	VEC_PUSH(d->arena, &t->members, m);
}

static u64 elements_of(const struct dwarf_entries *e, u32 entry)
{
	const struct dwarf_attribute *bound = dwarf_attribute(e, entry, AT_UPPER_BOUND);

	if (bound && bound->kind == VALUE_NUMBER)
		return bound->number + 1;
	return dwarf_attribute_number(e, entry, AT_COUNT, 0);
}

/* The dimensions in turn: an array of arrays. The compilers for PTX write each count as DW_AT_count. */
static void make_array(struct dwarf *d, struct dwarf_type *t, u32 entry)
{
	const struct dwarf_type *element = dwarf_type_of(d, entry);
	u64 counts[8];
	u32 rank = 0;

	for (u32 k = d->entries.list.items[entry].first; k != NO_ENTRY; k = d->entries.list.items[k].next)
		if (d->entries.list.items[k].tag == TAG_SUBRANGE && rank < COUNT_OF(counts))
			counts[rank++] = elements_of(&d->entries, k);
	t->kind = DWARF_ARRAY;
	while (rank > 1) {
		struct dwarf_type *row = ARENA_NEW(d->arena, struct dwarf_type);
		row->kind = DWARF_ARRAY;
		row->of = element;
		row->count = counts[--rank];
		if (element && __builtin_mul_overflow(element->size, row->count, &row->size))
			row->size = row->count = 0;
		element = row;
	}
	t->of = element;
	t->count = rank ? counts[0] : 0;
	if (element && __builtin_mul_overflow(element->size, t->count, &t->size))
		t->size = t->count = 0;
}

static void make_children(struct dwarf *d, struct dwarf_type *t, u32 entry)
{
	const struct dwarf_entries *e = &d->entries;

	for (u32 k = e->list.items[entry].first; k != NO_ENTRY; k = e->list.items[k].next)
		switch (e->list.items[k].tag) {
		case TAG_MEMBER:
		case TAG_INHERITANCE:
			/* A static member lies elsewhere. */
			if (!dwarf_attribute(e, k, AT_DECLARATION))
				add_member(d, t, k);
			break;
		case TAG_ENUMERATOR: {
			const char *name = dwarf_attribute_text(e, k, AT_NAME);
			const struct dwarf_enumerator one = {name ? name : "?",
							     (s64)dwarf_attribute_number(e, k, AT_CONST_VALUE, 0)};
			VEC_PUSH(d->arena, &t->enumerators, one);
			break;
		}
		case TAG_PARAMETER:
			VEC_PUSH(d->arena, &t->parameters, dwarf_type_of(d, k));
			break;
		default:
			break;
		}
}

static enum dwarf_kind kind_of(u32 tag)
{
	switch (tag) {
	case TAG_BASE:
		return DWARF_BASE;
	case TAG_POINTER:
		return DWARF_POINTER;
	case TAG_REFERENCE:
	case TAG_RVALUE_REFERENCE:
		return DWARF_REFERENCE;
	case TAG_STRUCT:
	case TAG_CLASS:
		return DWARF_STRUCT;
	case TAG_UNION:
		return DWARF_UNION;
	case TAG_ENUMERATION:
		return DWARF_ENUM;
	case TAG_TYPEDEF:
		return DWARF_TYPEDEF;
	case TAG_CONST:
	case TAG_VOLATILE:
	case TAG_RESTRICT:
		return DWARF_QUALIFIED;
	case TAG_FUNCTION_TYPE:
		return DWARF_FUNCTION;
	case TAG_ARRAY:
		return DWARF_ARRAY;
	default:
		return DWARF_VOID;
	}
}

static void fill(struct dwarf *d, struct dwarf_type *t, u32 entry)
{
	const u32 tag = d->entries.list.items[entry].tag;

	t->kind = kind_of(tag);
	t->name = dwarf_attribute_text(&d->entries, entry, AT_NAME);
	t->size = dwarf_attribute_number(&d->entries, entry, AT_BYTE_SIZE, 0);
	if (t->kind == DWARF_QUALIFIED)
		t->name = tag == TAG_CONST ? "const" : tag == TAG_VOLATILE ? "volatile" : "__restrict__";
	if (t->kind == DWARF_BASE)
		t->encoding = encoding_of(dwarf_attribute_number(&d->entries, entry, AT_ENCODING, 0));
	if ((t->kind == DWARF_POINTER || t->kind == DWARF_REFERENCE) && !t->size)
		t->size = d->module->address_bits / 8;
	if (t->kind == DWARF_ARRAY) {
		make_array(d, t, entry);
		return;
	}
	t->of = dwarf_type_of(d, entry);
	const struct dwarf_type *plain = dwarf_plain(t);
	if (plain && plain != t)
		t->size = plain->size;
	make_children(d, t, entry);
}

struct dwarf_type *dwarf_make_type(struct dwarf *d, u32 entry)
{
	if (d->types[entry] || d->depth > DEPTH_MAX)
		return d->types[entry];
	/* Known before its parts are made, since these may name it again. */
	d->types[entry] = ARENA_NEW(d->arena, struct dwarf_type);
	d->depth++;
	fill(d, d->types[entry], entry);
	d->depth--;
	return d->types[entry];
}

/* --- As text ---------------------------------------------------------------------------------------- */

static const char *write_type(struct arena *a, const struct dwarf_type *t, const char *inner, u32 depth);

/* What follows the declared thing: the dimensions, or the parameters. */
static const char *write_function(struct arena *a, const struct dwarf_type *t, const char *inner, u32 depth)
{
	const char *parameters = t->parameters.count ? "" : "void";

	for (size_t k = 0; k < t->parameters.count; k++)
		parameters = arena_printf(a, "%s%s%s", parameters, k ? ", " : "",
					  write_type(a, t->parameters.items[k], "", depth + 1));
	return write_type(a, t->of, arena_printf(a, "%s(%s)", inner, parameters), depth + 1);
}

static const char *word(const struct dwarf_type *t)
{
	static const char *const kinds[] = {
		[DWARF_STRUCT] = "struct {...}", [DWARF_UNION] = "union {...}", [DWARF_ENUM] = "enum {...}"};

	if (t->name)
		return t->name;
	return t->kind < COUNT_OF(kinds) && kinds[t->kind] ? kinds[t->kind] : "void";
}

static const char *write_type(struct arena *a, const struct dwarf_type *t, const char *inner, u32 depth)
{
	const char *blank = *inner && *inner != '[' && *inner != '(' ? " " : *inner ? " " : "";

	if (depth > DEPTH_MAX)
		return "...";
	if (!t)
		return arena_printf(a, "void%s%s", blank, inner);
	switch (t->kind) {
	case DWARF_POINTER:
	case DWARF_REFERENCE: {
		const char *mark = t->kind == DWARF_POINTER ? "*" : "&";
		const bool bracket = t->of && (t->of->kind == DWARF_ARRAY || t->of->kind == DWARF_FUNCTION);
		return write_type(a, t->of, arena_printf(a, bracket ? "(%s%s)" : "%s%s", mark, inner), depth + 1);
	}
	case DWARF_ARRAY: {
		char count[24] = "";
		if (t->count)
			snprintf(count, sizeof count, "%llu", (unsigned long long)t->count);
		return write_type(a, t->of, arena_printf(a, "%s[%s]", inner, count), depth + 1);
	}
	case DWARF_FUNCTION:
		return write_function(a, t, inner, depth);
	case DWARF_QUALIFIED:
		/* Of a pointer it stands behind the star. */
		if (t->of && (t->of->kind == DWARF_POINTER || t->of->kind == DWARF_REFERENCE))
			return write_type(a, t->of, arena_printf(a, "%s%s%s", t->name, blank, inner), depth + 1);
		return arena_printf(a, "%s %s", t->name, write_type(a, t->of, inner, depth + 1));
	default:
		return arena_printf(a, "%s%s%s", word(t), blank, inner);
	}
}

const char *dwarf_type_name(struct arena *a, const struct dwarf_type *t, const char *name)
{
	return write_type(a, t, name ? name : "", 0);
}
