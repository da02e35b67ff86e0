/* SPDX-License-Identifier: Apache-2.0
 *
 * Entries: .debug_abbrev says of each entry's code which tag and attributes it has, in which forms.
 *
 * An entry in .debug_info is a code and the values of its attributes, without names: code -> .debug_abbrev -> tag,
 * children, (name, form) pairs -> values by their forms. Entries whose parents have children follow them, and a code of
 * 0 ends a list; here they are linked as a tree by index (parent, first, next).
 */
#include "dwarf/entry.h"

#include <string.h>

enum { ENTRIES_MAX = 1 << 24 };

/* DWARF 4, section 7.5.4. */
enum form {
	FORM_ADDRESS = 0x01,
	FORM_BLOCK2 = 0x03,
	FORM_BLOCK4 = 0x04,
	FORM_DATA2 = 0x05,
	FORM_DATA4 = 0x06,
	FORM_DATA8 = 0x07,
	FORM_STRING = 0x08,
	FORM_BLOCK = 0x09,
	FORM_BLOCK1 = 0x0a,
	FORM_DATA1 = 0x0b,
	FORM_FLAG = 0x0c,
	FORM_SDATA = 0x0d,
	FORM_STRP = 0x0e,
	FORM_UDATA = 0x0f,
	FORM_REF_ADDRESS = 0x10,
	FORM_REF1 = 0x11,
	FORM_REF2 = 0x12,
	FORM_REF4 = 0x13,
	FORM_REF8 = 0x14,
	FORM_REF_UDATA = 0x15,
	FORM_INDIRECT = 0x16,
	FORM_OFFSET = 0x17,
	FORM_EXPRESSION = 0x18,
	FORM_FLAG_PRESENT = 0x19
};

struct unit {
	struct dwarf_entries *entries;
	struct lookup codes;         /* of abbreviations: their places */
	struct dwarf_cursor abbrevs; /* all of .debug_abbrev */
	u32 begin, address_bytes;
};

/* --- Forms ----------------------------------------------------------------------------------------- */

/* A string of .debug_str. */
static void read_text_at(struct unit *u, u64 offset, struct dwarf_attribute *a)
{
	const struct dwarf_section *s = dwarf_find_section(u->entries->sections, ".debug_str");
	struct dwarf_cursor c = {.section = s, .at = (u32)offset, .end = s ? s->size : 0};

	a->kind = VALUE_TEXT;
	a->text = s && offset < s->size ? dwarf_text(&c) : "";
}

/* Bytes of forms that have a number of them: the value itself, or how long the block is that follows. */
static u32 form_bytes(u64 form)
{
	static const u8 bytes[] = {
		[FORM_DATA1] = 1, [FORM_FLAG] = 1,        [FORM_DATA2] = 2,  [FORM_DATA4] = 4,  [FORM_OFFSET] = 4,
		[FORM_STRP] = 4,  [FORM_DATA8] = 8,       [FORM_REF1] = 1,   [FORM_REF2] = 2,   [FORM_REF4] = 4,
		[FORM_REF8] = 8,  [FORM_REF_ADDRESS] = 4, [FORM_BLOCK1] = 1, [FORM_BLOCK2] = 2, [FORM_BLOCK4] = 4};

	return form < COUNT_OF(bytes) ? bytes[form] : 0;
}

/* What is written as a number; *symbol: what stands there instead. False: the form is none of these. */
static bool read_number(struct unit *u, struct dwarf_cursor *c, u64 form, u64 *number, const char **symbol)
{
	*symbol = NULL;
	if (form == FORM_ADDRESS)
		*number = dwarf_number(c, u->address_bytes, symbol);
	else if (form == FORM_SDATA)
		*number = (u64)dwarf_sleb(c);
	else if (form == FORM_UDATA || form == FORM_REF_UDATA || form == FORM_BLOCK || form == FORM_EXPRESSION)
		*number = dwarf_uleb(c);
	else if (form == FORM_FLAG_PRESENT)
		*number = 1;
	else if (form_bytes(form))
		*number = dwarf_number(c, form_bytes(form), symbol);
	else
		return false;
	return true;
}

/* False: a form that is not known, behind which nothing can be read. */
static bool read_form(struct unit *u, struct dwarf_cursor *c, u64 form, struct dwarf_attribute *a)
{
	if (form == FORM_STRING) {
		a->kind = VALUE_TEXT;
		a->text = dwarf_text(c);
		return true;
	}
	if (!read_number(u, c, form, &a->number, &a->text))
		return false;
	a->kind = a->text || form == FORM_ADDRESS ? VALUE_ADDRESS : VALUE_NUMBER;
	switch (form) {
	case FORM_STRP:
		read_text_at(u, a->number, a);
		return true;
	case FORM_REF1:
	case FORM_REF2:
	case FORM_REF4:
	case FORM_REF8:
	case FORM_REF_UDATA:
		a->number += u->begin;
		a->kind = VALUE_ENTRY;
		return true;
	case FORM_REF_ADDRESS:
		a->kind = VALUE_ENTRY;
		return true;
	case FORM_BLOCK1:
	case FORM_BLOCK2:
	case FORM_BLOCK4:
	case FORM_BLOCK:
	case FORM_EXPRESSION:
		a->kind = VALUE_BLOCK;
		a->block = dwarf_block(c, a->number);
		return true;
	default:
		return true;
	}
}

/* --- Abbreviations ----------------------------------------------------------------------------------- */

/* Where each code's description stands, from the place that a unit names on. */
static void index_abbreviations(struct unit *u, u32 from)
{
	struct dwarf_cursor c = u->abbrevs;

	for (c.at = from < c.end ? from : c.end;;) {
		const u64 code = dwarf_uleb(&c);
		if (!code || c.failed)
			return;
		if (lookup_find(&u->codes, code) == LOOKUP_NONE)
			lookup_add(u->entries->arena, &u->codes, code, c.at);
		dwarf_uleb(&c);
		dwarf_number(&c, 1, NULL);
		for (u64 name = 1, form = 1; (name || form) && !c.failed;) {
			name = dwarf_uleb(&c);
			form = dwarf_uleb(&c);
		}
	}
}

/* --- Entries ------------------------------------------------------------------------------------------ */

/* The next entry of the unit, its attributes appended; false: it cannot be read. *code 0: the end of a list. */
static bool read_entry(struct unit *u, struct dwarf_cursor *c, struct dwarf_entry *to, u64 *code, bool *has_children)
{
	struct dwarf_entries *e = u->entries;
	struct dwarf_cursor d = u->abbrevs;

	*to = (struct dwarf_entry){
		.at = c->at, .first = NO_ENTRY, .next = NO_ENTRY, .attribute = (u32)e->attributes.count};
	*code = dwarf_uleb(c);
	if (!*code || c->failed)
		return !c->failed;
	d.at = lookup_find(&u->codes, *code);
	if (d.at == LOOKUP_NONE)
		return false;
	to->tag = (u32)dwarf_uleb(&d);
	*has_children = dwarf_number(&d, 1, NULL) != 0;
	for (;;) {
		struct dwarf_attribute a = {.name = (u16)dwarf_uleb(&d)};
		u64 form = dwarf_uleb(&d);
		if (!a.name && !form)
			break;
		if (form == FORM_INDIRECT)
			form = dwarf_uleb(c);
		if (d.failed || !read_form(u, c, form, &a) || c->failed)
			return false;
		VEC_PUSH(e->arena, &e->attributes, a);
		to->attribute_count++;
	}
	return true;
}

/* One compilation unit: its entries in order, linked as the tree that they are. */
static bool read_unit(struct unit *u, struct dwarf_cursor *c)
{
	struct dwarf_entries *e = u->entries;
	u32 parent = NO_ENTRY, before = NO_ENTRY;

	while (c->at < c->end && e->list.count < ENTRIES_MAX) {
		struct dwarf_entry one;
		bool has_children = false;
		u64 code;
		if (!read_entry(u, c, &one, &code, &has_children))
			return false;
		if (!code) {
			before = parent;
			if (parent != NO_ENTRY)
				parent = e->list.items[parent].parent;
			if (before == NO_ENTRY)
				return true;
			continue;
		}
		const u32 index = (u32)e->list.count;
		one.parent = parent;
		VEC_PUSH(e->arena, &e->list, one);
		if (before != NO_ENTRY)
			e->list.items[before].next = index;
		else if (parent != NO_ENTRY)
			e->list.items[parent].first = index;
		before = has_children ? NO_ENTRY : index;
		parent = has_children ? index : parent;
	}
	return true;
}

/* Stops at the first unit that cannot be read, with the reason in e->problem; units before it stay. */
void dwarf_read_entries(struct arena *a, const struct dwarf_sections *s, struct dwarf_entries *e)
{
	const struct dwarf_section *info = dwarf_find_section(s, ".debug_info");
	const struct dwarf_section *abbrev = dwarf_find_section(s, ".debug_abbrev");

	*e = (struct dwarf_entries){.arena = a, .sections = s};
	if (!info || !abbrev || !info->size || !abbrev->size)
		return;
	struct dwarf_cursor c = {.section = info, .end = info->size};
	while (c.at < c.end && !e->problem) {
		struct unit u = {.entries = e, .abbrevs = {.section = abbrev, .end = abbrev->size}, .begin = c.at};
		const u64 length = dwarf_number(&c, 4, NULL);
		struct dwarf_cursor body = dwarf_block(&c, length);
		const u64 version = dwarf_number(&body, 2, NULL);
		const u64 abbrevs = dwarf_number(&body, 4, NULL);
		u.address_bytes = (u32)dwarf_number(&body, 1, NULL);
		if (c.failed || body.failed || (u.address_bytes != 4 && u.address_bytes != 8))
			e->problem = "the header of .debug_info makes no sense";
		else if (version < 2 || version > 4)
			e->problem = arena_printf(a, "DWARF %llu is not understood: versions 2 to 4 are",
						  (unsigned long long)version);
		if (e->problem)
			return;
		index_abbreviations(&u, (u32)abbrevs);
		if (!read_unit(&u, &body))
			e->problem = "an entry of .debug_info cannot be read";
	}
}

const struct dwarf_attribute *dwarf_attribute(const struct dwarf_entries *e, u32 entry, u32 name)
{
	const struct dwarf_entry *x = &e->list.items[entry];

	for (u32 k = 0; k < x->attribute_count; k++)
		if (e->attributes.items[x->attribute + k].name == name)
			return &e->attributes.items[x->attribute + k];
	return NULL;
}

u64 dwarf_attribute_number(const struct dwarf_entries *e, u32 entry, u32 name, u64 otherwise)
{
	const struct dwarf_attribute *a = dwarf_attribute(e, entry, name);

	return a && a->kind == VALUE_NUMBER ? a->number : otherwise;
}

const char *dwarf_attribute_text(const struct dwarf_entries *e, u32 entry, u32 name)
{
	const struct dwarf_attribute *a = dwarf_attribute(e, entry, name);

	return a && a->kind == VALUE_TEXT && *a->text ? a->text : NULL;
}

/* The entry that an attribute refers to, by its place; NO_ENTRY: none. */
u32 dwarf_attribute_entry(const struct dwarf_entries *e, u32 entry, u32 name)
{
	const struct dwarf_attribute *a = dwarf_attribute(e, entry, name);
	size_t low = 0, high = e->list.count;

	if (!a || a->kind != VALUE_ENTRY)
		return NO_ENTRY;
	while (low < high) {
		const size_t middle = (low + high) / 2;
		if (e->list.items[middle].at < a->number)
			low = middle + 1;
		else
			high = middle;
	}
	return low < e->list.count && e->list.items[low].at == a->number ? (u32)low : NO_ENTRY;
}
