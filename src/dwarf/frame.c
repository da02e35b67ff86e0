/* SPDX-License-Identifier: Apache-2.0
 *
 * .debug_frame (DWARF 3, section 6.4): by which register the frame of a function of machine code can be found, instruction
 * by instruction. What it says of saved registers is passed over.
 *
 * A description (FDE) has the range of addresses that it is of, and a program; the common one (CIE) that it names has the
 * beginning of that program. A program's rows apply from an address on: advances raise it, def_cfa and its like change
 * what is computed there.
 */
#include "dwarf/internal.h"

enum frame_operation {
	FRAME_NOP = 0x00,
	FRAME_ADVANCE1 = 0x02,
	FRAME_ADVANCE2 = 0x03,
	FRAME_ADVANCE4 = 0x04,
	FRAME_OFFSET = 0x05,
	FRAME_RESTORE = 0x06,
	FRAME_UNDEFINED = 0x07,
	FRAME_SAME_VALUE = 0x08,
	FRAME_REGISTER = 0x09,
	FRAME_REMEMBER_STATE = 0x0a,
	FRAME_RESTORE_STATE = 0x0b,
	FRAME_DEFINE = 0x0c,
	FRAME_DEFINE_REGISTER = 0x0d,
	FRAME_DEFINE_OFFSET = 0x0e,
	/* These three have an operand in the lower six bits. */
	FRAME_ADVANCE = 0x40,
	FRAME_OFFSET_SHORT = 0x80,
	FRAME_RESTORE_SHORT = 0xc0
};

/* What a row says, and where the next one begins. */
struct frame_row {
	u64 reg, above;
	bool known;
};

struct frame_program {
	struct frame_row row, remembered;
	u64 address, factor;
};

/* An entry of the section: its body, behind the number that tells a CIE from an FDE. False: the section ends. */
static bool next_entry(struct dwarf_cursor *c, struct dwarf_cursor *body, u64 *id, bool *is_common)
{
	const u64 wide = 0xffffffff;
	u64 length = dwarf_number(c, 4, NULL);
	const bool is_wide = length == wide;

	if (is_wide)
		length = dwarf_number(c, 8, NULL);
	*body = dwarf_block(c, length);
	*id = dwarf_number(body, is_wide ? 8 : 4, NULL);
	*is_common = *id == (is_wide ? UINT64_MAX : wide);
	return !c->failed && !body->failed;
}

/* The operation that its lower six bits are part of, or that it is whole; *operand: those bits. */
static u64 split_operation(u64 byte, u64 *operand)
{
	*operand = byte & 0x3f;
	return byte & 0xc0 ? byte & 0xc0 : byte;
}

/* One operation. False: it is not understood, or the program has come to rows behind `until`. */
static bool step(struct frame_program *p, struct dwarf_cursor *c, u64 until)
{
	u64 operand;
	const u64 op = split_operation(dwarf_number(c, 1, NULL), &operand);

	switch (op) {
	case FRAME_ADVANCE1:
	case FRAME_ADVANCE2:
	case FRAME_ADVANCE4:
		operand = dwarf_number(c, 1u << (op - FRAME_ADVANCE1), NULL);
		p->address += operand * p->factor;
		return p->address <= until;
	case FRAME_ADVANCE:
		p->address += operand * p->factor;
		return p->address <= until;
	case FRAME_DEFINE:
		p->row.reg = dwarf_uleb(c);
		p->row.above = dwarf_uleb(c);
		p->row.known = true;
		return true;
	case FRAME_DEFINE_REGISTER:
		p->row.reg = dwarf_uleb(c);
		return true;
	case FRAME_DEFINE_OFFSET:
		p->row.above = dwarf_uleb(c);
		return true;
	case FRAME_REMEMBER_STATE:
		p->remembered = p->row;
		return true;
	case FRAME_RESTORE_STATE:
		p->row = p->remembered;
		return true;
	case FRAME_OFFSET:
	case FRAME_REGISTER:
		dwarf_uleb(c);
		dwarf_uleb(c);
		return true;
	case FRAME_OFFSET_SHORT:
	case FRAME_RESTORE:
	case FRAME_UNDEFINED:
	case FRAME_SAME_VALUE:
		dwarf_uleb(c);
		return true;
	case FRAME_NOP:
	case FRAME_RESTORE_SHORT:
		return true;
	default:
		p->row.known = false;
		return false;
	}
}

static void run_program(struct frame_program *p, struct dwarf_cursor c, u64 until)
{
	while (c.at < c.end && !c.failed && step(p, &c, until))
		;
	if (c.failed)
		p->row.known = false;
}

/* The CIE at a place of the section: factors, and the first part of the program. */
static bool read_common(struct dwarf_cursor c, u64 at, struct frame_program *p)
{
	struct dwarf_cursor body;
	bool is_common;
	u64 id;

	c.at = (u32)at;
	if (at >= c.end || !next_entry(&c, &body, &id, &is_common) || !is_common)
		return false;
	dwarf_number(&body, 1, NULL);
	if (*dwarf_text(&body))
		return false; /* an augmentation, whose operands are not known */
	p->factor = dwarf_uleb(&body);
	dwarf_sleb(&body);
	dwarf_uleb(&body);
	run_program(p, body, UINT64_MAX);
	return p->row.known;
}

bool dwarf_frame_at(const struct dwarf *d, u32 address, u64 *reg, u64 *above)
{
	const struct dwarf_section *s = dwarf_find_section(&d->sections, ".debug_frame");
	struct dwarf_cursor all = {.section = s, .end = s ? s->size : 0}, body;
	bool is_common;
	u64 id;

	for (struct dwarf_cursor c = all; c.at < c.end && next_entry(&c, &body, &id, &is_common);) {
		struct frame_program p = {0};
		struct code_label begin;
		const char *symbol;
		if (is_common)
			continue;
		const u64 add = dwarf_number(&body, 8, &symbol), bytes = dwarf_number(&body, 8, NULL);
		if (body.failed || !symbol || !dwarf_find_label(d, symbol, add, &begin) || address < begin.target ||
		    address - begin.target >= bytes || !read_common(all, id, &p))
			continue;
		p.address = begin.target;
		run_program(&p, body, address);
		*reg = p.row.reg;
		*above = p.row.above;
		return p.row.known;
	}
	return false;
}
