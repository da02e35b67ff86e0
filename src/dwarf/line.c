/* SPDX-License-Identifier: Apache-2.0
 *
 * The machine that a line program drives: a row of registers, of which operations emit copies.
 *
 * Rows come out in the order of addresses within a sequence: one holds from its address up to the next row's. The
 * program is that of DWARF 2 to 4, section 6.2, with an operation of NVIDIA's for calls that were inlined.
 */
#include "dwarf/line.h"

#include <string.h>

enum { LINES_MOST = 1 << 24 };

/* Standard and extended operations. */
enum {
	LNS_COPY = 1,
	LNS_ADVANCE_PC,
	LNS_ADVANCE_LINE,
	LNS_SET_FILE,
	LNS_SET_COLUMN,
	LNS_NEGATE_STMT,
	LNS_SET_BASIC_BLOCK,
	LNS_CONST_ADD_PC,
	LNS_FIXED_ADVANCE_PC,
	LNE_END_SEQUENCE = 1,
	LNE_SET_ADDRESS = 2,
	LNE_INLINED_CALL = 0x90 /* NVIDIA's: the number of the row of the call, the place of the name */
};

struct cursor {
	const u8 *start, *at, *end;
	bool failed;
};

struct unit {
	struct arena *arena;
	struct dwarf_lines *to;
	u32 first_file, first_row;
	u8 least_bytes, line_range, opcode_base;
	s8 line_base;
	u8 lengths[256];
	VEC_OF(const char *) folders;
};

/* The next bytes as a number, the lowest first. Beyond the end: 0, and the cursor has failed. */
static u64 take(struct cursor *c, u32 bytes)
{
	u64 value = 0;

	if ((u64)(c->end - c->at) < bytes) {
		c->failed = true;
		c->at = c->end;
		return 0;
	}
	for (u32 k = 0; k < bytes && k < 8; k++)
		value |= (u64)c->at[k] << 8 * k;
	c->at += bytes;
	return value;
}

static u64 take_unsigned(struct cursor *c)
{
	u64 value = 0;

	for (u32 shift = 0;; shift += 7) {
		const u64 byte = take(c, 1);
		value |= shift < 64 ? (byte & 127) << shift : 0;
		if (!(byte & 128))
			return value;
	}
}

static s64 take_signed(struct cursor *c)
{
	u64 value = 0;
	u32 shift = 0;

	for (;;) {
		const u64 byte = take(c, 1);
		value |= shift < 64 ? (byte & 127) << shift : 0;
		shift += 7;
		if (!(byte & 128))
			return (s64)(shift < 64 && byte & 64 ? value | ~0ull << shift : value);
	}
}

static const char *take_string(struct cursor *c)
{
	const u8 *end = memchr(c->at, 0, (size_t)(c->end - c->at));
	const char *text = (const char *)c->at;

	if (!end) {
		c->failed = true;
		c->at = c->end;
		return "";
	}
	c->at = end + 1;
	return text;
}

/* Folders and files. Names are joined with their folder. */
static void read_tables(struct unit *u, struct cursor *c)
{
	const char *name;

	VEC_PUSH(u->arena, &u->folders, (const char *)"");
	while (!c->failed && *(name = take_string(c)))
		VEC_PUSH(u->arena, &u->folders, name);
	while (!c->failed && *(name = take_string(c))) {
		const u64 folder = take_unsigned(c);
		const bool beside = *name != '/' && folder && folder < u->folders.count;
		take_unsigned(c); /* time */
		take_unsigned(c); /* size */
		VEC_PUSH(u->arena, &u->to->files,
			 beside ? arena_printf(u->arena, "%s/%s", u->folders.items[folder], name)
				: (const char *)arena_copy_text(u->arena, name, strlen(name)));
	}
}

/* Numbers of files and rows count from the unit's beginning; here from the first unit's. */
static void emit(struct unit *u, const struct dwarf_line_row *row)
{
	struct dwarf_line_row r = *row;

	r.file = r.file && r.file <= u->to->files.count - u->first_file ? r.file + u->first_file : 0;
	r.caller = r.caller && r.caller <= u->to->rows.count - u->first_row ? r.caller + u->first_row : 0;
	if (u->to->rows.count < LINES_MOST)
		VEC_PUSH(u->arena, &u->to->rows, r);
}

static void reset(struct dwarf_line_row *r) { *r = (struct dwarf_line_row){.file = 1, .line = 1}; }

static void extended(struct unit *u, struct cursor *c, struct dwarf_line_row *r)
{
	const u64 length = take_unsigned(c);
	const u8 *end = (u64)(c->end - c->at) < length ? c->end : c->at + length;
	const u64 operation = length ? take(c, 1) : 0;

	switch (operation) {
	case LNE_END_SEQUENCE:
		r->ends = true;
		emit(u, r);
		reset(r);
		break;
	case LNE_SET_ADDRESS:
		r->address_at = (u64)(c->at - c->start);
		r->address = take(c, (u32)min_u64(length - 1, 8));
		break;
	case LNE_INLINED_CALL:
		r->caller = (u32)take_unsigned(c);
		r->function = take_unsigned(c);
		break;
	default:
		break;
	}
	c->at = end;
}

/* Operations that move line and address at once, and emit. */
static void special(struct unit *u, u8 operation, struct dwarf_line_row *r)
{
	const u32 by = (u32)(operation - u->opcode_base);

	r->address += (u64)(by / u->line_range) * u->least_bytes;
	r->line += (u32)(u->line_base + (s32)(by % u->line_range));
	emit(u, r);
}

static void standard(struct unit *u, struct cursor *c, u8 operation, struct dwarf_line_row *r)
{
	switch (operation) {
	case LNS_COPY:
		emit(u, r);
		return;
	case LNS_ADVANCE_PC:
		r->address += take_unsigned(c) * u->least_bytes;
		return;
	case LNS_ADVANCE_LINE:
		r->line += (u32)take_signed(c);
		return;
	case LNS_SET_FILE:
		r->file = (u32)take_unsigned(c);
		return;
	case LNS_SET_COLUMN:
		r->column = (u32)take_unsigned(c);
		return;
	case LNS_NEGATE_STMT:
	case LNS_SET_BASIC_BLOCK:
		return;
	case LNS_CONST_ADD_PC:
		r->address += (u64)((255u - u->opcode_base) / u->line_range) * u->least_bytes;
		return;
	case LNS_FIXED_ADVANCE_PC:
		r->address += take(c, 2);
		return;
	default:
		for (u32 k = 0; k < u->lengths[operation]; k++)
			take_unsigned(c);
	}
}

/* One header, its tables, and its program. False: it makes no sense. */
static bool read_unit(struct arena *a, struct cursor *all, struct dwarf_lines *to)
{
	const u64 length = take(all, 4);
	struct cursor c = {all->start, all->at, all->at + min_u64(length, (u64)(all->end - all->at)), all->failed};
	struct unit u = {.arena = a, .to = to, .first_file = (u32)to->files.count, .first_row = (u32)to->rows.count};
	struct dwarf_line_row row;
	const u64 version = take(&c, 2), header = take(&c, 4);
	const u8 *program = c.at + min_u64(header, (u64)(c.end - c.at));

	all->at = c.end;
	u.least_bytes = (u8)take(&c, 1);
	if (version >= 4)
		take(&c, 1);
	take(&c, 1);
	u.line_base = (s8)take(&c, 1);
	u.line_range = (u8)take(&c, 1);
	u.opcode_base = (u8)take(&c, 1);
	if (version < 2 || version > 4 || !u.line_range || !u.opcode_base)
		return false;
	for (u32 k = 1; k < u.opcode_base; k++)
		u.lengths[k] = (u8)take(&c, 1);
	if (c.failed)
		return false;
	c.end = program;
	read_tables(&u, &c);
	c = (struct cursor){all->start, program, all->at, false};
	reset(&row);
	while (c.at < c.end && !c.failed) {
		const u8 operation = (u8)take(&c, 1);
		if (!operation)
			extended(&u, &c, &row);
		else if (operation >= u.opcode_base)
			special(&u, operation, &row);
		else
			standard(&u, &c, operation, &row);
	}
	return !c.failed;
}

bool dwarf_read_lines(struct arena *a, const u8 *bytes, u64 size, struct dwarf_lines *to)
{
	struct cursor all = {bytes, bytes, bytes + size, false};

	*to = (struct dwarf_lines){0};
	while (all.end - all.at > 4)
		if (!read_unit(a, &all, to))
			return false;
	return true;
}
