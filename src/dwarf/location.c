/* SPDX-License-Identifier: Apache-2.0
 *
 * Locations: the few operations of DWARF's expressions that compilers for PTX use. A register's number is its
 * name, up to eight characters, the first one highest.
 */
#include <string.h>

#include "dwarf/internal.h"

enum operation {
	OP_ADDRESS = 0x03,
	OP_CONST1U = 0x08,
	OP_CONST1S = 0x09,
	OP_CONST2U = 0x0a,
	OP_CONST2S = 0x0b,
	OP_CONST4U = 0x0c,
	OP_CONST4S = 0x0d,
	OP_CONST8U = 0x0e,
	OP_CONST8S = 0x0f,
	OP_CONSTU = 0x10,
	OP_CONSTS = 0x11,
	OP_PLUS_CONSTANT = 0x23,
	OP_LITERAL0 = 0x30,
	OP_LITERAL31 = 0x4f,
	OP_REGISTER = 0x90,
	OP_AT_FRAME = 0x91,
	OP_AT_REGISTER = 0x92,
	OP_PIECE = 0x93,
	OP_NOTHING = 0x96,
	OP_CALL_FRAME = 0x9c,
	OP_STACK_VALUE = 0x9f
};

/* DW_AT_address_class, as in NVIDIA's "PTX debug information": the memory that the address is of. */
static enum ir_space space_of_class(u64 address_class)
{
	switch (address_class) {
	case 4:
		return SPACE_CONST;
	case 5:
		return SPACE_GLOBAL;
	case 6:
		return SPACE_LOCAL;
	case 7:
		return SPACE_PARAM;
	case 8:
		return SPACE_SHARED;
	default:
		return SPACE_GENERIC;
	}
}

/* 0x25723137 is %r17. */
static const char *register_name(struct dwarf *d, u64 number)
{
	char name[9];
	u32 length = 0;

	for (u32 k = 8; k-- > 0;) {
		const char c = (char)(number >> 8 * k);
		if (c)
			name[length++] = c;
	}
	return length ? strings_intern(d->module->strings, name, length) : NULL;
}

static struct dwarf_location constant(u64 value)
{
	return (struct dwarf_location){.where = DWARF_IS_CONSTANT, .value = value};
}

/* One operation applied to what the ones before it came to; NOWHERE: it is not understood. */
static struct dwarf_location apply(struct dwarf *d, struct dwarf_cursor *c, u64 op, struct dwarf_location l)
{
	const char *symbol;

	switch (op) {
	case OP_ADDRESS:
		l.value = dwarf_number(c, d->module->address_bits / 8, &symbol);
		l.name = symbol;
		l.where = symbol || d->is_machine ? DWARF_IN_MEMORY : DWARF_NOWHERE;
		return l;
	case OP_CONST1U:
	case OP_CONST2U:
	case OP_CONST4U:
	case OP_CONST8U:
		return constant(dwarf_number(c, 1u << (op - OP_CONST1U) / 2, NULL));
	case OP_CONST1S:
		return constant((u64)(s64)(signed char)dwarf_number(c, 1, NULL));
	case OP_CONST2S:
		return constant((u64)(s64)(short)dwarf_number(c, 2, NULL));
	case OP_CONST4S:
		return constant((u64)(s64)(int)dwarf_number(c, 4, NULL));
	case OP_CONST8S:
		return constant(dwarf_number(c, 8, NULL));
	case OP_CONSTU:
		return constant(dwarf_uleb(c));
	case OP_CONSTS:
		return constant((u64)dwarf_sleb(c));
	case OP_PLUS_CONSTANT:
		l.value += dwarf_uleb(c);
		return l;
	case OP_STACK_VALUE:
	case OP_NOTHING:
		return l;
	case OP_AT_FRAME:
		l = d->frame;
		l.value += (u64)dwarf_sleb(c);
		if (l.where == DWARF_IN_REGISTER)
			l.where = DWARF_AT_REGISTER;
		return l;
	case OP_REGISTER:
		l.name = register_name(d, dwarf_uleb(c));
		l.where = l.name ? DWARF_IN_REGISTER : DWARF_NOWHERE;
		return l;
	case OP_AT_REGISTER:
		l.name = register_name(d, dwarf_uleb(c));
		l.value = (u64)dwarf_sleb(c);
		l.where = l.name ? DWARF_AT_REGISTER : DWARF_NOWHERE;
		return l;
	default:
		return op >= OP_LITERAL0 && op <= OP_LITERAL31 ? constant(op - OP_LITERAL0)
							       : (struct dwarf_location){0};
	}
}

/* A location with pieces is a list. NOWHERE if any of its operations is not understood. */
struct dwarf_location dwarf_expression(struct dwarf *d, struct dwarf_cursor c, u64 address_class)
{
	const struct dwarf_location none = {.where = DWARF_NOWHERE, .space = space_of_class(address_class)};
	struct dwarf_location l = none, first = none, *last = NULL;

	while (c.at < c.end && !c.failed) {
		const u64 op = dwarf_number(&c, 1, NULL);
		if (op != OP_PIECE) {
			l = apply(d, &c, op, l);
			if (op == OP_AT_FRAME && address_class)
				l.space = none.space;
			if (l.where == DWARF_NOWHERE)
				return none;
			continue;
		}
		l.bytes = (u32)dwarf_uleb(&c);
		if (last) {
			struct dwarf_location *next = ARENA_NEW(d->arena, struct dwarf_location);
			*next = l;
			last->next = next;
			last = next;
		} else {
			first = l;
			last = &first;
		}
		l = none;
	}
	if (c.failed)
		return none;
	return last ? first : l;
}

/* LLVM's frame is a .local variable of this name. */
static const struct ir_variable *depot_of(const struct ir_function *f)
{
	for (size_t k = 0; k < f->variables.count; k++)
		if (!strncmp(f->variables.items[k]->name, "__local_depot", 13))
			return f->variables.items[k];
	return NULL;
}

struct dwarf_location dwarf_frame(struct dwarf *d, const struct ir_function *f, struct dwarf_cursor expression)
{
	struct dwarf_cursor c = expression;

	if (c.at >= c.end || dwarf_number(&c, 1, NULL) != OP_CALL_FRAME || c.at < c.end)
		return dwarf_expression(d, expression, 0);
	if (d->is_machine)
		return (struct dwarf_location){.where = DWARF_AT_FRAME, .space = SPACE_LOCAL};
	const struct ir_variable *depot = depot_of(f);
	return (struct dwarf_location){.where = depot ? DWARF_IN_MEMORY : DWARF_NOWHERE,
				       .name = depot ? depot->name : NULL,
				       .space = SPACE_GENERIC};
}

/* At a list of a section; false: the section does not reach there. */
static bool open_list(struct dwarf *d, const char *name, u64 offset, struct dwarf_cursor *c)
{
	const struct dwarf_section *s = dwarf_find_section(&d->sections, name);

	*c = (struct dwarf_cursor){.section = s, .at = (u32)offset, .end = s ? s->size : 0};
	return offset < c->end;
}

/* Parts of the code that belong to the scope; begin and end of the scope enclose them. */
void dwarf_range_list(struct dwarf *d, u64 offset, struct dwarf_scope *scope)
{
	const u32 bytes = d->module->address_bits / 8;
	struct dwarf_cursor c;
	u32 first = scope->end, last = scope->begin;

	if (!open_list(d, ".debug_ranges", offset, &c))
		return;
	while (!c.failed) {
		const char *from, *to;
		struct code_label begin, end;
		const u64 low = dwarf_number(&c, bytes, &from), high = dwarf_number(&c, bytes, &to);
		if (c.failed || (!from && !to && !low && !high))
			break;
		if (!from || !to || !dwarf_find_label(d, from, low, &begin) || !dwarf_find_label(d, to, high, &end))
			continue;
		const struct dwarf_part part = {begin.target, end.target};
		VEC_PUSH(d->arena, &scope->parts, part);
		first = min_u32(first, part.begin);
		last = max_u32(last, part.end);
	}
	if (scope->parts.count) {
		scope->begin = first;
		scope->end = last;
	}
}

/* Where the variable is, from instruction to instruction. */
void dwarf_location_list(struct dwarf *d, u64 offset, u64 address_class, struct dwarf_variable *v)
{
	const u32 bytes = d->module->address_bits / 8;
	struct dwarf_cursor c;

	if (!open_list(d, ".debug_loc", offset, &c))
		return;
	while (!c.failed) {
		const char *from, *to;
		struct code_label begin, end;
		const u64 low = dwarf_number(&c, bytes, &from), high = dwarf_number(&c, bytes, &to);
		if (!from && !to && !low && !high)
			return;
		const struct dwarf_cursor block = dwarf_block(&c, dwarf_number(&c, 2, NULL));
		if (c.failed || !from || !to || !dwarf_find_label(d, from, low, &begin) ||
		    !dwarf_find_label(d, to, high, &end))
			continue;
		const struct dwarf_range r = {begin.target, end.target, dwarf_expression(d, block, address_class)};
		VEC_PUSH(d->arena, &v->ranges, r);
	}
}
