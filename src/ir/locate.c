/* SPDX-License-Identifier: Apache-2.0
 *
 * Source places. A .loc that is inlined names the place of the call by file, line and column only;
 * compilers write a .loc for that place before it, which says in turn where that was inlined.
 */
#include "ir/locate.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

const char *ir_file_path(const struct ir_module *m, u32 number)
{
	for (size_t k = 0; k < m->files.count; k++)
		if (m->files.items[k].number == number)
			return m->files.items[k].path;
	return NULL;
}

const struct ir_loc *ir_loc_caller(const struct ir_module *m, const struct ir_loc *loc)
{
	if (!loc->inlined_at)
		return NULL;
	const struct ir_loc *site = &m->locs.items[loc->inlined_at - 1];
	for (const struct ir_loc *l = loc; l-- > m->locs.items;)
		if (l->inlined_at && l->file == site->file && l->line == site->line && l->column == site->column)
			return l;
	return site;
}

static bool is_name_character(char c) { return isalnum((u8)c) || c == '_' || c == '$'; }

/* Behind the label in the section's text, or NULL. */
static const char *find_label(const char *text, const char *end, const char *label)
{
	const size_t length = strlen(label);

	for (const char *p = text; (size_t)(end - p) > length; p++)
		if (p[length] == ':' && !memcmp(p, label, length) && (p == text || !is_name_character(p[-1])))
			return p + length + 1;
	return NULL;
}

/* Reads the bytes that the section's text lists from p on, as text, but for the first `skip`. */
static bool read_bytes(const char *p, const char *end, u64 skip, char *name, size_t size)
{
	size_t used = 0;

	while (p < end && size > 1) {
		if (isdigit((u8)*p)) {
			char *next;
			const char byte = (char)strtoul(p, &next, 0);
			p = next;
			if (skip) {
				skip--;
			} else if (!byte || used + 1 == size) {
				name[used] = 0;
				return used > 0;
			} else {
				name[used++] = byte;
			}
		} else if (end - p >= 3 && !strncmp(p, ".b8", 3)) {
			p += 3;
		} else if (is_name_character(*p)) {
			while (p < end && *p != ':') /* the label of the next string */
				p++;
			p++;
		} else if (isspace((u8)*p) || *p == ',') {
			p++;
		} else {
			return false;
		}
	}
	return false;
}

bool ir_loc_function(const struct ir_module *m, const struct ir_loc *loc, char *name, size_t size)
{
	for (size_t k = 0; loc->function && k < m->sections.count; k++) {
		const struct ir_section *s = m->sections.items[k];
		if (strcmp(s->name, ".debug_str"))
			continue;
		const char *text = m->sources->files.items[s->content.file]->text;
		const char *end = text + s->content.end;
		const char *at = find_label(text + s->content.begin, end, loc->function);
		if (at && read_bytes(at, end, loc->function_addend, name, size))
			return true;
	}
	return false;
}

const char *ir_shown_name(struct arena *arena, const char *text, size_t length)
{
	char *copy = arena_copy_text(arena, text, length);

	for (size_t k = 0; k < length; k++)
		if ((u8)copy[k] < ' ' || copy[k] == 127)
			copy[k] = '?';
	return copy;
}
