/* SPDX-License-Identifier: Apache-2.0
 *
 * Debug sections: from their text to bytes and references.
 */
#include "dwarf/section.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/lookup.h"

/* --- The text ------------------------------------------------------------------------------------ */

struct label {
	const char *name;
	u32 section, at;
};

struct scan {
	struct arena *arena;
	struct strings *strings;
	const char *at, *end;
	struct dwarf_section *section;
	u32 number, room; /* of the section; of its bytes */
	VEC_OF(struct label) labels;
	bool failed;
};

static void skip_blanks(struct scan *s)
{
	for (;;) {
		while (s->at < s->end && isspace((unsigned char)*s->at))
			s->at++;
		if (s->end - s->at < 2 || *s->at != '/')
			return;
		const bool is_line = s->at[1] == '/';
		if (!is_line && s->at[1] != '*')
			return;
		const char *close = is_line ? memchr(s->at, '\n', (size_t)(s->end - s->at))
					    : memmem(s->at, (size_t)(s->end - s->at), "*/", 2);
		s->at = close ? close + (is_line ? 1 : 2) : s->end;
	}
}

static bool is_name(char c) { return isalnum((unsigned char)c) || strchr("_$%.", c); }

/* A word of names' characters; NULL: there is none. Interned. */
static const char *take_name(struct scan *s)
{
	const char *from = s->at;

	if (s->at >= s->end || isdigit((unsigned char)*s->at))
		return NULL;
	while (s->at < s->end && *s->at && is_name(*s->at))
		s->at++;
	return s->at > from ? strings_intern(s->strings, from, (size_t)(s->at - from)) : NULL;
}

static bool take_mark(struct scan *s, char mark)
{
	skip_blanks(s);
	if (s->at >= s->end || *s->at != mark)
		return false;
	s->at++;
	return true;
}

static bool take_integer(struct scan *s, u64 *n)
{
	char digits[32];
	size_t length = 0;

	while (s->at < s->end && isalnum((unsigned char)*s->at) && length + 1 < sizeof digits)
		digits[length++] = *s->at++;
	digits[length] = 0;
	char *rest;
	*n = strtoull(digits, &rest, 0);
	return length && (!*rest || !strcmp(rest, "U"));
}

/* The lowest byte first. The room doubles; what was there before stays in the arena. */
static void put_bytes(struct scan *s, u64 value, u32 bytes)
{
	struct dwarf_section *to = s->section;

	if (to->size + bytes > s->room) {
		const u32 room = s->room ? 2 * s->room : 256;
		u8 *more = arena_alloc(s->arena, room);
		if (to->size)
			memcpy(more, to->bytes, to->size);
		to->bytes = more;
		s->room = room;
	}
	for (u32 k = 0; k < bytes; k++)
		to->bytes[to->size++] = (u8)(value >> 8 * k);
}

/* One value: a sum of numbers and at most one symbol. What is taken off a symbol is the base that addresses
 * count from: the place is what matters, and the symbol says it. */
static void take_value(struct scan *s, u32 bytes)
{
	struct dwarf_reference r = {.at = s->section->size};
	u64 sum = 0, n;
	bool minus = false;

	do {
		skip_blanks(s);
		if (take_mark(s, '-'))
			minus = !minus;
		skip_blanks(s);
		const char *name = take_name(s);
		if (name)
			r.symbol = minus ? r.symbol : name;
		else if (take_integer(s, &n))
			sum += minus ? -n : n;
		else
			s->failed = true;
		minus = false;
		skip_blanks(s);
		if (s->at < s->end && *s->at == '-')
			continue;
		if (!take_mark(s, '+'))
			break;
	} while (!s->failed);
	r.addend = (s64)sum;
	put_bytes(s, r.symbol ? 0 : sum, bytes);
	if (r.symbol)
		VEC_PUSH(s->arena, &s->section->references, r);
}

/* .b8, .b16, .b32 or .b64 and a list of values. */
static void take_values(struct scan *s, const char *directive)
{
	const u32 bits = (u32)strtoul(directive + 2, NULL, 10);

	if (directive[1] != 'b' || (bits != 8 && bits != 16 && bits != 32 && bits != 64)) {
		s->failed = true;
		return;
	}
	do
		take_value(s, bits / 8);
	while (!s->failed && take_mark(s, ','));
}

/* Labels and lists of values are all that compilers write into a section. */
static void scan_section(struct scan *s)
{
	for (skip_blanks(s); s->at < s->end && !s->failed; skip_blanks(s)) {
		const char *word = take_name(s);
		if (!word)
			s->failed = true;
		else if (take_mark(s, ':'))
			VEC_PUSH(s->arena, &s->labels, ((struct label){word, s->number, s->section->size}));
		else
			take_values(s, word);
	}
}

/* --- References ----------------------------------------------------------------------------------- */

/* Sections and labels in them become offsets. */
static void resolve(struct scan *s, struct dwarf_sections *all)
{
	struct lookup by_name = {0};

	for (size_t k = 0; k < s->labels.count; k++)
		lookup_add(s->arena, &by_name, lookup_address(s->labels.items[k].name), (u32)k);
	for (size_t n = 0; n < all->list.count; n++) {
		struct dwarf_section *section = &all->list.items[n];
		size_t kept = 0;
		for (size_t k = 0; k < section->references.count; k++) {
			const struct dwarf_reference *r = &section->references.items[k];
			const u32 label = lookup_find(&by_name, lookup_address(r->symbol));
			if (label == LOOKUP_NONE && *r->symbol != '.') {
				section->references.items[kept++] = *r;
				continue;
			}
			const u64 offset = (u64)r->addend + (label == LOOKUP_NONE ? 0 : s->labels.items[label].at);
			for (u32 b = 0; b < 4 && r->at + b < section->size; b++)
				section->bytes[r->at + b] = (u8)(offset >> 8 * b);
		}
		section->references.count = kept;
	}
}

void dwarf_read_sections(struct arena *a, const struct ir_module *m, struct dwarf_sections *all)
{
	struct scan s = {.arena = a, .strings = m->strings};

	*all = (struct dwarf_sections){0};
	for (size_t k = 0; k < m->sections.count; k++) {
		const struct ir_section *from = m->sections.items[k];
		const char *text = m->sources->files.items[from->content.file]->text;
		struct dwarf_section to = {.name = from->name};
		s.at = text + from->content.begin;
		s.end = text + from->content.end;
		s.section = &to;
		s.number = (u32)k;
		s.room = 0;
		s.failed = false;
		scan_section(&s);
		if (s.failed)
			all->problem = arena_printf(a, "section %s is not made of numbers and names", from->name);
		VEC_PUSH(a, &all->list, to);
	}
	resolve(&s, all);
}

const struct dwarf_section *dwarf_find_section(const struct dwarf_sections *s, const char *name)
{
	for (size_t k = 0; k < s->list.count; k++)
		if (!strcmp(s->list.items[k].name, name))
			return &s->list.items[k];
	return NULL;
}

/* --- Cursors -------------------------------------------------------------------------------------- */

/* References stand in order of their place. */
static const struct dwarf_reference *reference_at(const struct dwarf_section *s, u32 at)
{
	size_t low = 0, high = s->references.count;

	while (low < high) {
		const size_t middle = (low + high) / 2;
		if (s->references.items[middle].at < at)
			low = middle + 1;
		else
			high = middle;
	}
	return low < s->references.count && s->references.items[low].at == at ? &s->references.items[low] : NULL;
}

/* The next `bytes` bytes, the lowest first. Where a label of code stands, *symbol is its name, and the number what is
 * added to it; without `symbol` that is not looked for. Beyond the end: 0, and the cursor has failed. */
u64 dwarf_number(struct dwarf_cursor *c, u32 bytes, const char **symbol)
{
	u64 n = 0;

	if (symbol)
		*symbol = NULL;
	if (c->failed || bytes > c->end - c->at) {
		c->failed = true;
		return 0;
	}
	for (u32 k = 0; k < bytes; k++)
		n |= (u64)c->section->bytes[c->at + k] << 8 * k;
	const struct dwarf_reference *r = symbol ? reference_at(c->section, c->at) : NULL;
	if (r) {
		*symbol = r->symbol;
		n = (u64)r->addend;
	}
	c->at += bytes;
	return n;
}

/* Numbers of seven bits a byte, the lowest first (DWARF 7.6, LEB128); bits beyond 64 are dropped. */
u64 dwarf_uleb(struct dwarf_cursor *c)
{
	u64 n = 0;

	for (u32 shift = 0;; shift += 7) {
		const u64 byte = dwarf_number(c, 1, NULL);
		if (shift < 64)
			n |= (byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return n;
	}
}

s64 dwarf_sleb(struct dwarf_cursor *c)
{
	u64 n = 0;

	for (u32 shift = 0;; shift += 7) {
		const u64 byte = dwarf_number(c, 1, NULL);
		if (shift < 64)
			n |= (byte & 0x7f) << shift;
		if (byte & 0x80)
			continue;
		if (byte & 0x40 && shift + 7 < 64)
			n |= ~(u64)0 << (shift + 7);
		return (s64)n;
	}
}

const char *dwarf_text(struct dwarf_cursor *c)
{
	const char *text = (const char *)c->section->bytes + c->at;
	const char *end = c->at < c->end ? memchr(text, 0, c->end - c->at) : NULL;

	if (!end) {
		c->failed = true;
		return "";
	}
	c->at += (u32)(end - text) + 1;
	return text;
}

/* A cursor over the next bytes alone, and this one goes on behind them. */
struct dwarf_cursor dwarf_block(struct dwarf_cursor *c, u64 bytes)
{
	struct dwarf_cursor block = *c;

	if (c->failed || bytes > c->end - c->at) {
		c->failed = true;
		bytes = 0;
	}
	block.end = c->at + (u32)bytes;
	c->at = block.end;
	return block;
}
