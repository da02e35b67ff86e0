/* SPDX-License-Identifier: Apache-2.0
 *
 * Mutations by the instruction table. A new instruction of PTX stands in a block of its own with registers of its own,
 * so that it is well-formed wherever it is put; every other operand is taken from the text around it instead.
 */
#include "fuzz_grammar.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/isa.h"
#include "isa/sass.h"
#include "sem/families.h"

enum { LINES = 400, WORDS = 300, NEW = 2000, EDITS = 4, MODIFIERS = 24 };

struct piece {
	const char *at;
	size_t length;
};

struct mutation {
	u64 state; /* of the random numbers */
	const struct isa *isa;
	bool listing;
	struct piece lines[LINES]; /* with instructions, without their ends */
	u32 line_count;
	struct piece registers[WORDS], addresses[WORDS], labels[WORDS], names[WORDS];
	u32 register_count, address_count, label_count, name_count;
	char new[NEW];
	size_t used;
};

/* --- Random choices ------------------------------------------------------------------------------- */

static u32 pick(struct mutation *m, size_t count)
{
	u64 z = m->state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return count ? (u32)((z ^ z >> 31) % count) : 0;
}

static void put(struct mutation *m, const char *text, size_t length)
{
	if (m->used + length < NEW) {
		memcpy(m->new + m->used, text, length);
		m->used += length;
	}
}

static void print(struct mutation *m, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void print(struct mutation *m, const char *format, ...)
{
	char text[200];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	put(m, text, strlen(text));
}

static void put_piece(struct mutation *m, const struct piece *list, u32 count, const char *otherwise)
{
	const struct piece *p = count ? &list[pick(m, count)] : NULL;

	put(m, p ? p->at : otherwise, p ? p->length : strlen(otherwise));
}

static void put_number(struct mutation *m)
{
	static const char *const numbers[] = {"0",
					      "1",
					      "-1",
					      "2",
					      "4",
					      "31",
					      "32",
					      "0xff",
					      "1024",
					      "0x7fffffff",
					      "0x80000000",
					      "0xffffffff",
					      "4294967296",
					      "-128",
					      "16",
					      "12345",
					      "0x7fffffffffffffff"};

	if (pick(m, 3))
		print(m, "%s", numbers[pick(m, COUNT_OF(numbers))]);
	else
		print(m, "%u", pick(m, 1u << pick(m, 31)));
}

/* --- What the text has ------------------------------------------------------------------------------ */

static bool in_word(char c) { return isalnum((u8)c) || c == '_' || c == '$' || c == '%' || c == '.'; }

static void keep(struct piece *list, u32 *count, const char *at, size_t length)
{
	if (*count < WORDS && length < 64)
		list[(*count)++] = (struct piece){at, length};
}

static void find_words(struct mutation *m, const char *text, size_t length)
{
	for (size_t k = 0; k < length; k++) {
		size_t end = k;
		if (text[k] == '[') {
			while (end < length && text[end] != ']' && text[end] != '\n')
				end++;
			if (end < length && text[end] == ']')
				keep(m->addresses, &m->address_count, text + k, end + 1 - k);
			continue;
		}
		if (!in_word(text[k]) || text[k] == '.' || isdigit((u8)text[k]))
			continue;
		while (end < length && in_word(text[end]))
			end++;
		if (end < length && text[end] == ':')
			keep(m->labels, &m->label_count, text + k, end - k);
		else if (text[k] == '%')
			keep(m->registers, &m->register_count, text + k, end - k);
		else
			keep(m->names, &m->name_count, text + k, end - k);
		k = end - 1;
	}
}

static void find_lines(struct mutation *m, const char *text, size_t length)
{
	const char *end = text + length;

	for (const char *at = text; at < end && m->line_count < LINES;) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *stop = newline ? newline : end, *last = stop;
		while (last > at && (u8)last[-1] <= ' ')
			last--;
		while (at < last && (u8)*at <= ' ')
			at++;
		const char *mark = m->listing ? memmem(at, (size_t)(last - at), "*/", 2) : NULL;
		if (mark)
			for (at = mark + 2; at < last && (u8)*at <= ' ';)
				at++;
		if (last > at && last[-1] == ';' && *at != '.' && *at != '}' && (mark || !m->listing))
			m->lines[m->line_count++] = (struct piece){at, (size_t)(last - at)};
		at = stop + 1;
	}
}

/* --- Forms ---------------------------------------------------------------------------------------- */

/* Behind the bracket that closes the one at p. */
static const char *behind_group(const char *p)
{
	int depth = 0;

	do {
		depth += *p == '[' || *p == '(';
		depth -= *p == ']' || *p == ')';
	} while (*p++ && depth);
	return p;
}

/* The alternatives of [p, end), and the one picked. */
static struct piece pick_alternative(struct mutation *m, const char *p, const char *end)
{
	struct piece list[64];
	u32 count = 0;

	for (const char *at = p, *start = p; at <= end && count < COUNT_OF(list);) {
		if (at == end || *at == '|') {
			list[count++] = (struct piece){start, (size_t)(at - start)};
			start = ++at;
		} else {
			at = *at == '[' || *at == '(' ? behind_group(at) : at + 1;
		}
	}
	return list[pick(m, count)];
}

/* The text of a form with its choices made. */
static void put_form(struct mutation *m, const char *p, const char *end)
{
	while (p < end) {
		if (*p == '[' || *p == '(') {
			const char *behind = behind_group(p);
			if (*p == '(' || pick(m, 2)) {
				const struct piece a = pick_alternative(m, p + 1, behind - 1);
				put_form(m, a.at, a.at + a.length);
			}
			p = behind;
			continue;
		}
		if (*p != ' ')
			put(m, p, 1);
		p++;
	}
}

static const struct isa_row *pick_row(struct mutation *m, const struct isa_opcode *o)
{
	if (!o)
		do
			o = &m->isa->opcodes[pick(m, m->isa->opcode_count)];
		while (o->name[0] == '%');
	return o->rows[pick(m, o->count)];
}

/* --- Operands of PTX ----------------------------------------------------------------------------- */

static void put_register(struct mutation *m, int type)
{
	const u32 bits = type_bits(type), n = pick(m, 4);

	if (m->register_count && pick(m, 5) < 2)
		put_piece(m, m->registers, m->register_count, "");
	else if (type == T_pred)
		print(m, "%%zp%u", n);
	else
		print(m, "%%z%c%u", bits <= 16 ? 'h' : bits <= 32 ? 'r' : bits <= 64 ? 'd' : 'w', n);
}

static void put_value(struct mutation *m, const struct operand_spec *s)
{
	const bool braces = s->vector > 1 || s->braces;

	if (braces)
		print(m, "{");
	for (u32 k = 0; k < s->vector; k++) {
		if (k)
			print(m, ", ");
		if (s->limited && pick(m, 2))
			print(m, "%llu", (unsigned long long)(s->low + pick(m, s->high - s->low + 1)));
		else if (s->immediate || (!s->written && type_class(s->type) != 'f' && !pick(m, 4)))
			put_number(m);
		else if (!s->written && type_class(s->type) == 'f' && !pick(m, 6))
			print(m, type_bits(s->type) == 64 ? "0d%08x00000000" : "0f%08x", pick(m, UINT32_MAX));
		else
			put_register(m, s->type);
	}
	if (braces)
		print(m, "}");
	if (s->second != TOKEN_NONE && (s->needs_second || pick(m, 2))) {
		print(m, "|");
		put_register(m, s->second);
	}
}

static void put_coordinates(struct mutation *m)
{
	print(m, "[%%zd%u, {", pick(m, 4));
	for (u32 k = 0, count = 1 + pick(m, 5); k < count; k++)
		print(m, "%s%%zr%u", k ? ", " : "", pick(m, 4));
	print(m, "}]");
}

static void put_operand(struct mutation *m, const struct operand_spec *s)
{
	switch (s->kind) {
	case '@':
		if (m->address_count && pick(m, 4))
			put_piece(m, m->addresses, m->address_count, "");
		else
			print(m, "[%%zd%u+%u]", pick(m, 4), 4 * pick(m, 8));
		break;
	case 'T':
	case 'X':
	case 'S':
		put_coordinates(m);
		break;
	case 'L':
		put_piece(m, m->labels, m->label_count, "$L");
		break;
	case 'F':
	case 'V':
		put_piece(m, m->names, m->name_count, "k");
		break;
	default:
		if (s->special && !pick(m, 4))
			print(m, "%%tid.x");
		else
			put_value(m, s);
	}
}

/* The operands of the opcode and modifiers that stand in `text`. */
static void put_operands(struct mutation *m, const char *text)
{
	static const u8 no_bits[FORM_OPERANDS * 10];
	char copy[NEW], *modifiers[MODIFIERS];
	struct operand_spec specs[FORM_OPERANDS];
	struct form form;
	u32 count = 0, row, bad;

	snprintf(copy, sizeof copy, "%s", text);
	for (char *dot = strchr(copy, '.'); dot && count < MODIFIERS; dot = strchr(dot, '.')) {
		*dot++ = 0;
		modifiers[count++] = dot;
	}
	if (isa_match_form(m->isa, copy, (const char *const *)modifiers, count, 0, &form, &row, &bad) != ISA_MATCHED)
		return;
	form.operand_bits = no_bits;
	const u32 operands = isa_operand_specs(&form, specs);
	for (u32 k = 0; k < operands; k++) {
		if (specs[k].optional && pick(m, 2))
			break;
		print(m, k ? ", " : " ");
		put_operand(m, &specs[k]);
	}
}

/* --- Operands of listings ------------------------------------------------------------------------ */

static void put_source(struct mutation *m)
{
	switch (pick(m, 3)) {
	case 0:
		print(m, "c [0x0] [0x%x]", 0x20 + 4 * pick(m, 8));
		break;
	case 1:
		print(m, "0x%x", pick(m, 1u << pick(m, 20)));
		break;
	default:
		print(m, "R%u", pick(m, 12));
	}
}

static void put_sass_operand(struct mutation *m, const struct sass_spec *s)
{
	static const char *const conditions[] = {"CC.EQ", "CC.T", "CC.LT", "CC.NEU"};
	const u32 n = s->registers > 1 ? 2 * pick(m, 6) : pick(m, 12);

	if ((s->minus || s->absolute || s->inverted) && !pick(m, 4))
		print(m, s->minus ? "-" : s->inverted ? "~" : "|");
	switch (s->kind) {
	case 'P':
	case 'p':
		print(m, "%sP%u", s->kind == 'p' && !pick(m, 4) ? "!" : "", pick(m, 4));
		break;
	case 'S':
		put_source(m);
		break;
	case 'I':
	case 'N':
		print(m, "0x%x", pick(m, s->kind == 'N' ? 32 : UINT32_MAX));
		break;
	case 'A':
		print(m, "[R%u+0x%x]", pick(m, 8), 4 * pick(m, 8));
		break;
	case 'C':
		print(m, "c [0x0] [R%u+0x%x]", pick(m, 8), 4 * pick(m, 16));
		break;
	case 'L':
		print(m, "0x%x", 8 * pick(m, 24));
		break;
	case 'X':
		print(m, "SR_Tid_X");
		break;
	case 'Q':
		print(m, "%s", conditions[pick(m, COUNT_OF(conditions))]);
		break;
	case 'M':
		print(m, "PR");
		break;
	default:
		print(m, "R%u", n);
	}
}

static void put_sass_operands(struct mutation *m, const struct isa_row *row)
{
	const struct form form = {.row = row};
	struct sass_spec specs[FORM_OPERANDS];
	const u32 count = sass_specs(&form, specs);

	for (u32 k = 0; k < count; k++) {
		if (specs[k].optional && pick(m, 2))
			break;
		print(m, k ? ", " : " ");
		put_sass_operand(m, &specs[k]);
	}
}

/* --- Instructions ---------------------------------------------------------------------------------- */

/* A new instruction in m->new, of the opcode or of any. */
static void make_instruction(struct mutation *m, const struct isa_opcode *opcode)
{
	const struct isa_row *row = pick_row(m, opcode);

	m->used = 0;
	if (!pick(m, 6))
		print(m, m->listing ? "@%sP%u " : "@%s%%zp%u ", pick(m, 2) ? "!" : "", pick(m, 3));
	const size_t start = m->used;
	put_form(m, row->form, row->form + strlen(row->form));
	m->new[m->used] = 0;
	if (m->listing) {
		put_sass_operands(m, row);
	} else {
		char text[NEW];
		snprintf(text, sizeof text, "%s", m->new + start);
		put_operands(m, text);
	}
	print(m, ";");
}

/* A block around what m->new holds. */
static void make_block(struct mutation *m)
{
	char text[NEW];

	m->new[m->used] = 0;
	memcpy(text, m->new, m->used + 1);
	m->used = 0;
	print(m, "{ .reg .pred %%zp<4>; .reg .b16 %%zh<4>; .reg .b32 %%zr<4>; .reg .b64 %%zd<4>; .reg .b128 %%zw<4>; ");
	put(m, text, strlen(text));
	print(m, " }");
}

/* The opcode that a line begins with, behind its guard; NULL: none is known. *end: behind its modifiers. */
static const struct isa_opcode *opcode_of(const struct mutation *m, struct piece line, struct piece *word)
{
	char name[64];
	const char *at = line.at, *end = line.at + line.length;

	if (at < end && *at == '@') {
		while (at < end && (u8)*at > ' ')
			at++;
		while (at < end && (u8)*at <= ' ')
			at++;
	}
	const char *stop = at, *dot = at;
	while (stop < end && (in_word(*stop) || *stop == ':') && *stop != '%')
		stop++;
	while (dot < stop && *dot != '.')
		dot++;
	snprintf(name, sizeof name, "%.*s", (int)(dot - at), at);
	*word = (struct piece){at, (size_t)(stop - at)};
	return isa_find_opcode(m->isa, name);
}

/* Puts m->new in place of [at, at + length). */
static size_t splice(const struct mutation *m, char *text, size_t length, size_t room, const char *at, size_t gone)
{
	const size_t offset = (size_t)(at - text);

	if (length - gone + m->used > room)
		return length;
	memmove(text + offset + m->used, text + offset + gone, length - offset - gone);
	memcpy(text + offset, m->new, m->used);
	return length - gone + m->used;
}

static const char *const targets[] = {"sm_75", "sm_80", "sm_90a", "sm_100a", "sm_120a", "sm_20", "sm_60"};

/* A kernel where there is none. */
static void make_kernel(struct mutation *m)
{
	make_instruction(m, NULL);
	make_block(m);
	char text[NEW];
	m->new[m->used] = 0;
	memcpy(text, m->new, m->used + 1);
	m->used = 0;
	print(m, ".version 9.0\n.target %s\n.address_size 64\n", targets[pick(m, COUNT_OF(targets))]);
	print(m, ".visible .entry k(.param .u64 a)\n{\n\t.reg .b64 %%a;\n\tld.param.u64 %%a, [a];\n\t");
	put(m, text, strlen(text));
	print(m, "\n\tst.global.u32 [%%a], 1;\n\tret;\n}\n");
}

/* Changes one word of the line: a register or a number. */
static struct piece change_word(struct mutation *m, struct piece line)
{
	struct piece words[32];
	u32 count = 0;

	for (size_t k = 1; k < line.length && count < COUNT_OF(words); k++) {
		const char c = line.at[k], before = line.at[k - 1];
		if ((c != '%' && !isdigit((u8)c)) || in_word(before))
			continue;
		size_t end = k;
		while (end < line.length && in_word(line.at[end]))
			end++;
		words[count++] = (struct piece){line.at + k, end - k};
	}
	if (!count)
		return (struct piece){line.at, 0};
	const struct piece w = words[pick(m, count)];
	if (*w.at == '%' && pick(m, 5))
		put_piece(m, m->registers, m->register_count, "%r1");
	else
		put_number(m);
	return w;
}

static size_t mutate_once(struct mutation *m, char *text, size_t length, size_t room)
{
	struct piece word, line;

	m->line_count = m->register_count = m->address_count = m->label_count = m->name_count = 0;
	find_lines(m, text, length);
	find_words(m, text, length);
	m->used = 0;
	if (!m->line_count) {
		if (!m->listing)
			make_kernel(m);
		return splice(m, text, length, room, text, length);
	}
	line = m->lines[pick(m, m->line_count)];
	switch (pick(m, 8)) {
	case 0: /* twice */
		put(m, line.at, line.length);
		print(m, "\n\t");
		return splice(m, text, length, room, line.at, 0);
	case 1: /* gone */
		return splice(m, text, length, room, line.at, line.length);
	case 2:
	case 3:
		word = change_word(m, line);
		return splice(m, text, length, room, word.at, word.length);
	case 4: { /* other modifiers */
		const struct isa_opcode *o = opcode_of(m, line, &word);
		if (!o)
			return length;
		const struct isa_row *row = pick_row(m, o);
		put_form(m, row->form, row->form + strlen(row->form));
		return splice(m, text, length, room, word.at, word.length);
	}
	case 5: /* the same opcode anew */
		make_instruction(m, opcode_of(m, line, &word));
		break;
	default:
		make_instruction(m, NULL);
	}
	if (!m->listing)
		make_block(m);
	if (!m->listing && pick(m, 2)) {
		print(m, "\n\t");
		return splice(m, text, length, room, line.at, 0);
	}
	return splice(m, text, length, room, line.at, line.length);
}

size_t fuzz_grammar_mutate(char *text, size_t length, size_t room, u64 seed)
{
	static struct arena arena;
	static const struct isa *ptx, *sass;
	static struct mutation m;

	if (!ptx) {
		arena_init(&arena, NULL);
		ptx = isa_build(&arena, sem_families(NULL));
		sass = isa_build(&arena, sem_sass_families(NULL));
	}
	m.state = seed;
	m.listing = memmem(text, length, "code for sm_", 12) != NULL;
	m.isa = m.listing ? sass : ptx;
	for (u32 edits = 1 + pick(&m, EDITS); edits > 0; edits--)
		length = mutate_once(&m, text, length, room);
	return length;
}
